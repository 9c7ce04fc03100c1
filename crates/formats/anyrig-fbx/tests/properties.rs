//! Animated numbers against ufbx: weights of blend shapes, visibility, and the properties of nodes, cameras, lights,
//! materials and whatever else has curves, between keys too.
#![allow(clippy::print_stdout)]

mod common;

use anyrig_animation::{Pose, number_at};
use anyrig_scene::{Clip, ElementId, LightKind, NodeId, Projection, Scene, Target};
use std::collections::BTreeMap;

/// Times per clip, at odd places.
const TIMES: usize = 10;
/// Largest difference, of numbers above 1 as a share of them.
const BOUND: f64 = 1e-4;

/// Files that deviate, each with the reason why.
const EXCEPTIONS: [(&str, &str); 0] = [];

/// Files of the corpus that are compared, and how many numbers of each kind.
const FILES: usize = 424;
const COUNTS: [(&str, usize); 13] = [
    ("Camera FocalLength", 10),
    ("Light Color", 120),
    ("Light Intensity", 40),
    ("Material DiffuseColor", 10),
    ("Node RotationOrder", 30),
    ("Node Visibility", 1300),
    ("StereoCamera FocalLength", 40),
    ("angle of view", 30),
    ("aspect of a picture", 30),
    ("cone of a light", 4),
    ("flat picture", 109),
    ("intensity of a light", 39),
    ("weights", 515),
];

/// Properties that are parts of the transform are judged as matrices.
const TRANSFORM: [&str; 9] = [
    "Lcl Translation",
    "Lcl Rotation",
    "Lcl Scaling",
    "RotationOffset",
    "RotationPivot",
    "PreRotation",
    "PostRotation",
    "ScalingOffset",
    "ScalingPivot",
];

#[derive(Default)]
struct Judge {
    counts: BTreeMap<String, usize>,
    differences: Vec<String>,
}

impl Judge {
    fn count(&mut self, what: &str, n: usize) {
        *self.counts.entry(what.to_owned()).or_default() += n;
    }

    fn compare(&mut self, ours: f64, theirs: f64, what: impl Fn() -> String) {
        let apart = (ours - theirs).abs() / theirs.abs().max(1.0);
        if apart > BOUND || apart.is_nan() {
            self.differences.push(format!("{}: {ours}, {theirs} there", what()));
        }
    }
}

/// Where ours are, for elements there.
struct Places<'a> {
    scene: &'a Scene,
    /// The number of each node by its element id there: ours has them in the order of the file.
    nodes: BTreeMap<u32, usize>,
    materials: BTreeMap<u32, usize>,
}

impl<'a> Places<'a> {
    fn new(scene: &'a Scene, theirs: &ufbx::Scene) -> Self {
        let mut nodes: Vec<u32> = theirs.nodes.iter().filter(|n| !n.is_root).map(|n| n.element.element_id).collect();
        nodes.sort_unstable();
        let mut materials: Vec<u32> = theirs.materials.iter().map(|m| m.element.element_id).collect();
        materials.sort_unstable();
        let numbered = |ids: Vec<u32>| ids.into_iter().enumerate().map(|(i, id)| (id, i)).collect();
        Self { scene, nodes: numbered(nodes), materials: numbered(materials) }
    }

    /// The element that a property of theirs belongs to.
    fn element(&self, element: &ufbx::Element) -> Option<ElementId> {
        match element.type_ {
            ufbx::ElementType::Node => self.nodes.get(&element.element_id).map(|i| ElementId::Node(NodeId::new(*i))),
            ufbx::ElementType::Material => {
                let index = self.materials.get(&element.element_id)?;
                Some(ElementId::Material(anyrig_scene::MaterialId::new(*index)))
            }
            ufbx::ElementType::Camera | ufbx::ElementType::Light => {
                let shown = element.instances.iter().next()?;
                let node = NodeId::new(*self.nodes.get(&shown.element.element_id)?);
                let helpers = &self.scene.nodes[node].children;
                helpers.iter().map(|id| &self.scene.nodes[*id]).find_map(|n| {
                    let camera = n.camera.map(ElementId::Camera);
                    camera.or(n.light.map(ElementId::Light))
                })
            }
            _ => None,
        }
    }

    /// The target of one component of a property.
    fn target(&self, clip: &Clip, element: &ufbx::Element, name: &str, axis: usize) -> Option<Target> {
        let spellings = [format!("fbx.{name}|{}", ["X", "Y", "Z"][axis]), format!("fbx.{name}")];
        let own = self.element(element);
        if let (Some(ElementId::Node(node)), "Visibility") = (own, name) {
            return Some(Target::Visibility { node });
        }
        // Attributes that the scene has no word for are their node before version 7000.
        let shown = element.instances.iter().next().and_then(|n| self.nodes.get(&n.element.element_id));
        let owners = [own, shown.map(|i| ElementId::Node(NodeId::new(*i))).filter(|_| own.is_none())];
        let owners: Vec<ElementId> = owners.into_iter().flatten().collect();
        let is_it = |target: &Target| match target {
            Target::Named { element, property } => owners.contains(element) && spellings.contains(property),
            Target::Other(path) => {
                spellings.iter().any(|s| path.ends_with(&format!("/{s}"))) && path.contains(&*element.name)
            }
            _ => false,
        };
        clip.channels.iter().map(|c| &c.target).find(|target| is_it(target)).cloned()
    }
}

fn component(value: &ufbx::Vec4, axis: usize) -> f64 {
    [value.x, value.y, value.z][axis]
}

fn properties(judge: &mut Judge, places: &Places<'_>, clip: &Clip, stack: &ufbx::AnimStack, times: &[f64]) {
    let channels = &stack.element.scene.blend_channels;
    let shapes: Vec<&str> = channels.iter().map(|channel| &*channel.element.name).collect();
    let mut seen = std::collections::BTreeSet::new();
    for prop in stack.layers.iter().flat_map(|layer| layer.anim_props.iter()) {
        let (element, name) = (&prop.element, &*prop.prop_name);
        let is_weight = matches!(element.type_, ufbx::ElementType::BlendChannel | ufbx::ElementType::AnimLayer);
        // Before version 7000 weights are properties of the mesh or its model, by the name of the shape.
        let is_shape = shapes.contains(&name) && element.type_ == ufbx::ElementType::Mesh;
        if TRANSFORM.contains(&name) || is_weight || is_shape || !seen.insert((element.element_id, name.to_owned())) {
            continue;
        }
        for axis in (0..3).filter(|axis| prop.anim_value.curves[*axis].is_some()) {
            let what = || format!("{:?} {:?} {name} {axis}", element.type_, &*element.name);
            let Some(target) = places.target(clip, element, name, axis) else {
                judge.differences.push(format!("{}: nothing moves it", what()));
                continue;
            };
            let kind = format!("{:?} {}", element.type_, if name.contains('|') { "(3ds Max)" } else { name });
            judge.count(&kind, times.len());
            let rest =
                element.props.props.iter().find(|p| *p.name == *name).map_or(0.0, |p| component(&p.value_vec4, axis));
            for time in times {
                let theirs = ufbx::evaluate_prop(&stack.anim, element, name, *time);
                let ours = number_at(clip, &target, rest, *time);
                let mut pair = [ours, component(&theirs.value_vec4, axis)];
                if name == "Visibility" {
                    // A switch: only whether it is 0 counts.
                    pair = pair.map(|value| f64::from(value.abs() >= 1.0));
                }
                judge.compare(pair[0], pair[1], || format!("{} at {time}", what()));
            }
        }
    }
}

fn weights(judge: &mut Judge, places: &Places<'_>, pose: &Pose, evaluated: &ufbx::Scene, when: &str) {
    for node in evaluated.nodes.iter().filter(|n| !n.is_root) {
        let Some(mesh) = node.mesh.as_ref().filter(|m| !m.blend_deformers.is_empty()) else { continue };
        let Some(index) = places.nodes.get(&node.element.element_id) else { continue };
        let channels = mesh.blend_deformers.iter().flat_map(|d| d.channels.iter());
        let theirs: Vec<f64> = channels.flat_map(|c| c.keyframes.iter().map(|k| k.effective_weight)).collect();
        let ours = pose.weights(NodeId::new(*index));
        if ours.len() != theirs.len() {
            judge.differences.push(format!("{}: {} weights, {} there", node.element.name, ours.len(), theirs.len()));
            continue;
        }
        judge.count("weights", ours.len());
        for (target, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
            judge.compare(f64::from(*ours), theirs, || format!("{} weight {target} {when}", node.element.name));
        }
    }
}

/// What a camera sees. Where the file does not say, ufbx takes 0 and we take the default of the SDK.
fn cameras(judge: &mut Judge, places: &Places<'_>, theirs: &ufbx::Scene) {
    for camera in theirs.cameras.iter().filter(|camera| !camera.element.instances.is_empty()) {
        let has = |name: &str| ufbx::find_prop(&camera.element.props, name).is_some();
        let name = &camera.element.name;
        let Some(ElementId::Camera(own)) = places.element(&camera.element) else {
            judge.differences.push(format!("camera {name} is not there"));
            continue;
        };
        let angle = match camera.aperture_mode {
            ufbx::ApertureMode::HorizontalAndVertical => "FieldOfViewY",
            ufbx::ApertureMode::FocalLength => "FocalLength",
            _ => "FieldOfView",
        };
        let has_film = has("FilmWidth") && has("FilmHeight");
        match &places.scene.cameras[own].projection {
            Projection::Perspective { fov_y_rad, aspect_ratio, .. } => {
                if has_film {
                    judge.count("aspect of a picture", 1);
                    judge.compare(aspect_ratio.unwrap_or(0.0), camera.aspect_ratio, || format!("aspect of {name}"));
                }
                if has_film && has(angle) {
                    judge.count("angle of view", 1);
                    let degrees = fov_y_rad.to_degrees();
                    judge.compare(degrees, camera.field_of_view_deg.y, || format!("angle of {name}"));
                }
            }
            Projection::Orthographic { x_mag, y_mag, .. } => {
                judge.count("flat picture", 1);
                judge.compare(x_mag * 2.0, camera.orthographic_size.x, || format!("width of {name}"));
                judge.compare(y_mag * 2.0, camera.orthographic_size.y, || format!("height of {name}"));
            }
        }
    }
}

/// The cones of spot lights.
fn lights(judge: &mut Judge, places: &Places<'_>, theirs: &ufbx::Scene) {
    for light in theirs.lights.iter().filter(|light| !light.element.instances.is_empty()) {
        let name = &light.element.name;
        let Some(ElementId::Light(own)) = places.element(&light.element) else {
            judge.differences.push(format!("light {name} is not there"));
            continue;
        };
        let own = &places.scene.lights[own];
        judge.count("intensity of a light", 1);
        judge.compare(own.intensity, light.intensity, || format!("intensity of {name}"));
        let LightKind::Spot { inner_cone_rad, outer_cone_rad } = own.kind else { continue };
        let sides = [
            (inner_cone_rad, light.inner_angle, ["InnerAngle", "HotSpot"]),
            (outer_cone_rad, light.outer_angle, ["OuterAngle", "Cone angle"]),
        ];
        for (half_rad, theirs, names) in sides {
            if names.iter().any(|name| ufbx::find_prop(&light.element.props, name).is_some()) {
                judge.count("cone of a light", 1);
                judge.compare(half_rad.to_degrees() * 2.0, theirs, || format!("{} of {name}", names[0]));
            }
        }
    }
}

fn judge(bytes: &[u8]) -> Option<Judge> {
    let options = ufbx::LoadOpts { ignore_missing_external_files: true, ..Default::default() };
    let theirs = ufbx::load_memory(bytes, options).ok()?;
    let mut judge = Judge::default();
    let scene = match common::scene_of(bytes) {
        Ok(scene) => scene,
        Err(error) => {
            judge.differences.push(error);
            return Some(judge);
        }
    };
    let places = Places::new(&scene, &theirs);
    cameras(&mut judge, &places, &theirs);
    lights(&mut judge, &places, &theirs);
    let rest = Pose::rest(&scene);
    weights(&mut judge, &places, &rest, &theirs, "at rest");
    for (index, stack) in theirs.anim_stacks.iter().enumerate() {
        let Some(clip) = scene.clips.get(index) else {
            judge.differences.push(format!("{}: there is no clip {index}", stack.element.name));
            continue;
        };
        let (start, end) = (stack.time_begin, stack.time_end);
        let times: Vec<f64> = (0..TIMES).map(|i| start + (end - start) * (i as f64 + 0.37) / TIMES as f64).collect();
        properties(&mut judge, &places, clip, stack, &times);
        if theirs.blend_channels.is_empty() {
            continue;
        }
        for time in times {
            let Ok(evaluated) = ufbx::evaluate_scene(&theirs, &stack.anim, time, Default::default()) else { continue };
            let mut pose = rest.clone();
            pose.apply_clip(clip, time);
            weights(&mut judge, &places, &pose, &evaluated, &format!("of {} at {time}", stack.element.name));
        }
    }
    Some(judge)
}

#[test]
fn animated_numbers_are_those_of_ufbx() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let (mut wrong, mut files) = (Vec::new(), 0);
    for sample in common::corpus().into_iter().filter(|s| !s.is_fuzz()) {
        let Some(judged) = judge(&sample.bytes) else { continue };
        files += 1;
        judged.counts.into_iter().for_each(|(what, n)| *counts.entry(what).or_default() += n);
        if !judged.differences.is_empty() {
            println!("{}: {} differences", sample.name, judged.differences.len());
            judged.differences.iter().take(4).for_each(|d| println!("    {}", d.chars().take(300).collect::<String>()));
            wrong.push(sample.name.clone());
        }
    }
    for (what, n) in &counts {
        println!("{what}: {n}");
    }
    println!("{files} files, {} deviate, {} of them known", wrong.len(), EXCEPTIONS.len());
    let known: Vec<&str> = EXCEPTIONS.iter().map(|(name, _)| *name).collect();
    assert_eq!(wrong, known);
    let counts: Vec<(&str, usize)> = counts.iter().map(|(what, n)| (what.as_str(), *n)).collect();
    assert!(files == 0 || (files, &*counts) == (FILES, &COUNTS), "files are no longer compared: {files} {counts:?}");
}
