//! Faces, their attributes, skins and morphs.

use super::{Facts, place, wide};
use anyrig::animation::{Pose, PosedPart, posed_geometry};
use anyrig::scene::{Domain, Feature, MeshInstance, Part, Scene, Semantic, SkinMethod, Stream, Topology};

/// A part as a node shows it.
pub struct Shown<'a> {
    pub part: &'a Part,
    pub instance: &'a MeshInstance,
    pub posed: PosedPart,
}

impl Shown<'_> {
    pub fn place_of(&self, point: usize) -> String {
        place(wide(self.posed.positions[point]))
    }
}

/// All that a scene shows at rest, every morph at 0.
pub fn shown(scene: &Scene) -> Vec<Shown<'_>> {
    let mut pose = Pose::rest(scene);
    for node in scene.nodes.ids() {
        pose.weights_mut(node).fill(0.0);
    }
    let with_part = |posed: PosedPart| {
        let instance = scene.nodes[posed.node].mesh.as_ref().expect("it shows one");
        Shown { part: &scene.meshes[posed.mesh].parts[posed.part], instance, posed }
    };
    posed_geometry(scene, &pose).into_iter().map(with_part).collect()
}

pub fn add(scene: &Scene, facts: &mut Facts) {
    for shown in shown(scene) {
        faces(&shown, facts);
        attributes(&shown, facts);
        influences(scene, &shown, facts);
        morphs(scene, &shown, facts);
    }
    for skin in scene.skins.values().filter(|s| s.method != SkinMethod::Linear) {
        facts.add(Feature::DualQuaternionSkinning, skin.name.clone(), []);
    }
}

fn faces(shown: &Shown<'_>, facts: &mut Facts) {
    let at = |corner: usize| shown.place_of(shown.part.point_of(corner));
    let corners = 0..shown.part.corner_count();
    match &shown.part.topology {
        Topology::Points => corners.for_each(|c| facts.add(Feature::Points, at(c), [])),
        Topology::Lines => {
            let line = |l: usize| format!("{} to {}", at(2 * l), at(2 * l + 1));
            (0..corners.len() / 2).for_each(|l| facts.add(Feature::Lines, line(l), []));
        }
        Topology::Triangles => surface(shown, facts),
        Topology::Polygons { offsets } => {
            surface(shown, facts);
            for face in offsets.windows(2) {
                facts.add(Feature::Polygons, at(face[0] as usize), [f64::from(face[1] - face[0])]);
            }
        }
    }
}

/// The points of faces with their directions.
fn surface(shown: &Shown<'_>, facts: &mut Facts) {
    for corner in 0..shown.part.corner_count() {
        let point = shown.part.point_of(corner);
        let normal = shown.posed.normals.get(point).copied().unwrap_or_default();
        let tangent = shown.posed.tangents.get(point).copied().unwrap_or_default();
        let directions = wide(normal).into_iter().chain(wide(tangent));
        facts.add(Feature::Meshes, format!("point {}", shown.place_of(point)), directions);
    }
}

fn attributes(shown: &Shown<'_>, facts: &mut Facts) {
    for stream in &shown.part.streams {
        let Some((feature, name)) = meaning(&stream.semantic) else { continue };
        for corner in 0..shown.part.corner_count() {
            let point = shown.part.point_of(corner);
            let mut values = value(stream, if stream.domain == Domain::Point { point } else { corner });
            let is_color = matches!(feature, Feature::Colors | Feature::SecondColors);
            if is_color {
                values.resize(4, 1.0);
            }
            // What formats put in where a vertex must have a value.
            let filler = is_color && values == [1.0; 4] || feature == Feature::SecondTexCoords && values == [0.0; 2];
            if !filler {
                facts.add(feature, format!("{name} at {}", shown.place_of(point)), values);
            }
        }
    }
}

fn meaning(semantic: &Semantic) -> Option<(Feature, String)> {
    let feature = match semantic {
        Semantic::Position | Semantic::Normal | Semantic::Tangent => return None,
        Semantic::TexCoord(0) => Feature::TexCoords,
        Semantic::TexCoord(_) => Feature::SecondTexCoords,
        Semantic::Color(0) => Feature::Colors,
        Semantic::Color(_) => Feature::SecondColors,
        Semantic::Custom(_) => Feature::CustomAttributes,
    };
    Some((feature, semantic.to_string()))
}

fn value(stream: &Stream, element: usize) -> Vec<f64> {
    let width = usize::from(stream.width);
    stream.values[element * width..(element + 1) * width].iter().map(|v| f64::from(*v)).collect()
}

/// Joints and weights of each point. A part that hangs on one joint as a whole stands on it like on its node.
fn influences(scene: &Scene, shown: &Shown<'_>, facts: &mut Facts) {
    let (Some(influences), Some(skin)) = (&shown.part.influences, shown.instance.skin) else { return };
    let joints = &scene.skins[skin].joints;
    let of_point = |point: usize| {
        let (joint, weight) = influences.of(point);
        let mut used: Vec<(String, f64)> = joint
            .iter()
            .zip(weight)
            .filter(|(_, w)| **w != 0.0)
            .map(|(j, w)| (scene.nodes[joints[*j as usize]].name.clone(), f64::from(*w)))
            .collect();
        used.sort_by(|a, b| a.0.cmp(&b.0));
        used
    };
    let all: Vec<_> = (0..shown.part.point_count as usize).map(of_point).collect();
    if all.iter().all(|p| p.len() == 1 && p[0].0 == all[0][0].0) {
        return;
    }
    for (point, used) in all.into_iter().enumerate() {
        let feature = if used.len() > 4 { Feature::MoreThanFourInfluences } else { Feature::Skins };
        let names: Vec<&str> = used.iter().map(|(name, _)| name.as_str()).collect();
        let text = format!("point {} on {}", shown.place_of(point), names.join(", "));
        facts.add(feature, text, used.iter().map(|(_, weight)| *weight));
    }
}

fn morphs(scene: &Scene, shown: &Shown<'_>, facts: &mut Facts) {
    let mesh = &scene.meshes[shown.posed.mesh];
    for (morph, target) in shown.part.morphs.iter().zip(&mesh.morphs) {
        for delta in &morph.deltas {
            let feature = match delta.semantic {
                Semantic::TexCoord(_) => Feature::MorphTexCoords,
                Semantic::Color(_) => Feature::MorphColors,
                _ => Feature::Morphs,
            };
            let width = usize::from(delta.width);
            for (element, values) in delta.values.chunks_exact(width).enumerate() {
                if values.iter().any(|v| *v != 0.0) {
                    let at = shown.place_of(delta.point_of(element));
                    let text = format!("{} of {} at {at}", delta.semantic, target.name);
                    facts.add(feature, text, values.iter().map(|v| f64::from(*v)));
                }
            }
        }
    }
    let rest = Pose::rest(scene);
    for (target, weight) in mesh.morphs.iter().zip(rest.weights(shown.posed.node)) {
        if *weight != 0.0 {
            facts.add(Feature::MorphRestWeights, target.name.clone(), [f64::from(*weight)]);
        }
    }
}
