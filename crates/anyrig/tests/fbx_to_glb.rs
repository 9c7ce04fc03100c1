//! GLB made from every FBX file of the corpus, judged by ufbx: what the points of all meshes do, blended, skinned and
//! placed, at rest, at keys and between them. The GLB is evaluated by code of its own.
#![cfg(all(feature = "fbx", feature = "gltf"))]
#![allow(clippy::print_stdout, reason = "a judge says what it counted")]

mod disk;
#[path = "judge/mod.rs"]
mod gltf;

use anyrig::bytes::MemorySource;
use anyrig::scene::glam::{DMat3, DVec3};
use anyrig::{Context, ConvertRequest, Losses, convert};
use disk::{Disk, corpus, files};
use gltf::File;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Times per clip at odd places, and at keys.
const TIMES: usize = 10;
const KEYS: usize = 5;
/// Times in a GLB are of single precision: a jump may come this much late.
const AFTER_KEY_SECS: f64 = 1e-5;
/// Largest distance as a share of the model's size, of 99.9 % of the points and of all.
const MOST: f64 = 1e-3;
const ALL: f64 = 1e-2;
const FEW: f64 = 1e-3;

/// Files that deviate, each with the reason why.
const EXCEPTIONS: [(&str, &str); 6] = [
    ("ufbx/maya_dual_quaternion_7500_ascii.fbx", DUAL),
    ("ufbx/maya_dual_quaternion_scale_7500_ascii.fbx", DUAL),
    ("ufbx/synthetic_bind_to_root_7700_ascii.fbx", DUAL),
    ("ufbx/synthetic_cube_nan_6100_ascii.fbx", NO_NUMBERS),
    ("ufbx/synthetic_cube_nan_7400_ascii.fbx", NO_NUMBERS),
    (
        "ufbx/synthetic_unsafe_cube_7500_binary.fbx",
        "a name that is not UTF-8: ufbx puts U+FFFD in, ours reads a code page",
    ),
];
const DUAL: &str = "joints are blended as dual quaternions, which glTF cannot; the report says so";
const NO_NUMBERS: &str = "points that are no numbers there became 0 here; the report says so";

/// From the file's axes and unit to those of glTF: X right, Y up, Z to the front, metres.
fn gltf_from_file(scene: &ufbx::Scene) -> DMat3 {
    let axis = |axis: ufbx::CoordinateAxis, default: DVec3| match axis {
        ufbx::CoordinateAxis::PositiveX => DVec3::X,
        ufbx::CoordinateAxis::NegativeX => DVec3::NEG_X,
        ufbx::CoordinateAxis::PositiveY => DVec3::Y,
        ufbx::CoordinateAxis::NegativeY => DVec3::NEG_Y,
        ufbx::CoordinateAxis::PositiveZ => DVec3::Z,
        ufbx::CoordinateAxis::NegativeZ => DVec3::NEG_Z,
        ufbx::CoordinateAxis::Unknown => default,
    };
    let axes = &scene.settings.axes;
    let rows = [axis(axes.right, DVec3::X), axis(axes.up, DVec3::Y), axis(axes.front, DVec3::Z)];
    DMat3::from_cols(rows[0], rows[1], rows[2]).transpose() * scene.settings.unit_meters
}

fn vector(v: &ufbx::Vec3) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}

/// The control points of a node's mesh where they are shown, in the file's space.
fn shown(node: &ufbx::Node, mesh: &ufbx::Mesh) -> Vec<DVec3> {
    let m = &node.geometry_to_world;
    let columns = [[m.m00, m.m10, m.m20], [m.m01, m.m11, m.m21], [m.m02, m.m12, m.m22], [m.m03, m.m13, m.m23]];
    let [x, y, z, at] = columns.map(DVec3::from_array);
    let place = |p: DVec3| if mesh.skinned_is_local { x * p.x + y * p.y + z * p.z + at } else { p };
    mesh.skinned_position.values.iter().map(|p| place(vector(p))).collect()
}

fn size(points: impl Iterator<Item = DVec3>) -> f64 {
    let ends = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (low, high) = points.filter(|p| p.is_finite()).fold(ends, |(low, high), p| (low.min(p), high.max(p)));
    let size = (high - low).length();
    if size.is_finite() && size > 1e-9 { size } else { 1.0 }
}

/// A mesh at a node there, and one of the nodes here that may be the same.
struct Pair {
    typed_id: usize,
    node: usize,
    name: String,
    /// For each point here, those there that lie at the same place in the mesh, with the largest distance so far.
    points: Vec<Vec<(usize, f64)>>,
    worst: (f64, String),
}

impl Pair {
    /// The pair, when every point here is one there and every corner there has a point here.
    fn new(node: &ufbx::Node, mesh: &ufbx::Mesh, glb_node: usize, stored: &[DVec3], to_gltf: DMat3) -> Option<Self> {
        let there: Vec<DVec3> = mesh.vertices.iter().map(|v| to_gltf * vector(v)).collect();
        let near = 2e-6 * size(there.iter().copied());
        let mut order: Vec<usize> = (0..there.len()).filter(|i| there[*i].is_finite()).collect();
        order.sort_by(|a, b| there[*a].x.total_cmp(&there[*b].x));
        let mut points = Vec::new();
        for point in stored {
            let first = order.partition_point(|i| there[*i].x < point.x - near);
            let window = order[first..].iter().take_while(|i| there[**i].x <= point.x + near);
            points.push(window.filter(|i| there[**i].distance(*point) <= near).map(|i| (*i, 0.0)).collect::<Vec<_>>());
        }
        let found: BTreeSet<usize> = points.iter().flatten().map(|(i, _)| *i).collect();
        let faces = mesh.faces.iter().filter(|f| f.num_indices > 2);
        let range = |f: &ufbx::Face| f.index_begin as usize..(f.index_begin + f.num_indices) as usize;
        let corners = faces.flat_map(|f| mesh.vertex_indices.get(range(f)).unwrap_or_default());
        let is_whole = corners.map(|c| *c as usize).all(|c| found.contains(&c) || !there[c].is_finite());
        let name = node.element.name.to_string();
        let pair = Self {
            typed_id: node.element.typed_id as usize,
            node: glb_node,
            name,
            points,
            worst: (0.0, String::new()),
        };
        (is_whole && stored.iter().zip(&pair.points).all(|(_, found)| !found.is_empty())).then_some(pair)
    }

    fn compare(&mut self, there: &[DVec3], here: &[DVec3], (to_gltf, size): (DMat3, f64), when: &str) {
        for (candidates, point) in self.points.iter_mut().zip(here) {
            let mut nearest = f64::INFINITY;
            for (index, worst) in candidates {
                let apart = there.get(*index).map_or(f64::INFINITY, |p| (to_gltf * p).distance(*point) / size);
                *worst = if apart.is_nan() { f64::INFINITY } else { worst.max(apart) };
                nearest = nearest.min(*worst);
            }
            if nearest > self.worst.0 {
                self.worst = (nearest, when.to_owned());
            }
        }
    }

    /// The largest distance of each point.
    fn distances(&self) -> Vec<f64> {
        self.points.iter().map(|c| c.iter().map(|(_, worst)| *worst).fold(f64::INFINITY, f64::min)).collect()
    }
}

/// The name of a node without what helper nodes add.
fn base(name: &str) -> &str {
    [".geometry", ".scale", " mesh"].iter().fold(name, |name, suffix| name.strip_suffix(suffix).unwrap_or(name))
}

#[derive(Default, Debug)]
struct Counts {
    files: usize,
    animated: usize,
    moments: usize,
    meshes: usize,
    points: usize,
    /// Points beyond the bound of most.
    far: usize,
}

/// Times of a clip: odd ones, and right after some keys.
fn times(stack: &ufbx::AnimStack) -> Vec<f64> {
    let (start, end) = (stack.time_begin, stack.time_end);
    let between = |moment: usize| start + (end - start) * (moment as f64 + 0.37) / TIMES as f64;
    let mut times: Vec<f64> = (0..TIMES).map(between).collect();
    let props = stack.layers.iter().flat_map(|l| l.anim_values.iter());
    let curves = props.flat_map(|value| value.curves.iter().flatten());
    let mut keys: Vec<f64> = curves.flat_map(|c| c.keyframes.iter().map(|k| k.time)).collect();
    keys.retain(|time| *time >= start && *time < end);
    keys.sort_by(f64::total_cmp);
    keys.dedup();
    let step = (keys.len() / KEYS).max(1);
    times.extend(keys.into_iter().step_by(step).take(KEYS).map(|time| time + AFTER_KEY_SECS));
    times
}

fn judge(path: &Path, counts: &mut Counts) -> Result<(), String> {
    let bytes = std::fs::read(path).expect("readable");
    let options =
        ufbx::LoadOpts { evaluate_skinning: true, ignore_missing_external_files: true, ..ufbx::LoadOpts::default() };
    let Ok(theirs) = ufbx::load_memory(&bytes, options) else { return Ok(()) };
    let conversion = convert(&Disk::open(path), &ConvertRequest::new("glb"), &Context::new());
    let conversion = conversion.map_err(|e| format!("{e}"))?;
    let glb = File::open(&conversion.files[0].content.to_vec(), |_| None).ok_or("the GLB cannot be read")?;
    counts.files += 1;
    let to_gltf = gltf_from_file(&theirs);
    let meshes: Vec<(&ufbx::Node, &ufbx::Mesh)> =
        (&theirs.nodes).into_iter().filter_map(|n| Some((n, n.mesh.as_deref()?))).collect();
    let size = size(meshes.iter().flat_map(|(node, mesh)| shown(node, mesh)).map(|p| to_gltf * p));
    let mut here: BTreeMap<usize, (Vec<DVec3>, Vec<DVec3>)> = gathered(&glb, None);
    let mut pairs = Vec::new();
    let mut wanted = Vec::new();
    for (node, mesh) in &meshes {
        // A skinned mesh is evaluated at its first node there.
        let is_first =
            mesh.element.instances.iter().next().is_some_and(|n| n.element.typed_id == node.element.typed_id);
        let has_faces = mesh.faces.iter().any(|f| f.num_indices > 0);
        if !has_faces || !mesh.skin_deformers.is_empty() && !is_first {
            continue;
        }
        wanted.push((node.element.typed_id as usize, node.element.name.to_string()));
        let same = |n: &usize| base(glb.node_name(*n)) == base(&node.element.name);
        let fitting = here.iter().filter(|(n, _)| same(n));
        pairs.extend(fitting.filter_map(|(n, (stored, _))| Pair::new(node, mesh, *n, stored, to_gltf)));
    }
    let mut look = |scene: &ufbx::Scene, moment: Option<(usize, f64)>, when: &str| {
        here = gathered(&glb, moment);
        for pair in &mut pairs {
            let node = &scene.nodes[pair.typed_id];
            let Some(mesh) = node.mesh.as_deref() else { continue };
            pair.compare(&shown(node, mesh), &here[&pair.node].1, (to_gltf, size), when);
        }
    };
    look(&theirs, None, "at rest");
    let names: Vec<&str> = glb.clip_names().collect();
    let mut animations = names.into_iter().enumerate();
    for stack in &theirs.anim_stacks {
        let mut ahead = animations.clone();
        let found = ahead.find(|(_, name)| *name == &*stack.element.name);
        let Some((animation, _)) = found else {
            if moves(stack) {
                return Err(format!("the clip {} is missing", stack.element.name));
            }
            continue;
        };
        animations = ahead;
        counts.animated += 1;
        for time in times(stack) {
            let options = ufbx::EvaluateOpts { evaluate_skinning: true, ..ufbx::EvaluateOpts::default() };
            let Ok(evaluated) = ufbx::evaluate_scene(&theirs, &stack.anim, time, options) else { continue };
            counts.moments += 1;
            let moment = Some((animation, time - stack.time_begin));
            look(&evaluated, moment, &format!("{} at {time}", stack.element.name));
        }
    }
    verdict(&wanted, &pairs, counts)
}

/// Whether a stack moves nodes or shapes: glTF has clips for both.
fn moves(stack: &ufbx::AnimStack) -> bool {
    stack.layers.iter().flat_map(|layer| layer.anim_props.iter()).any(|prop| {
        let is_shape = prop.element.type_ == ufbx::ElementType::BlendChannel;
        let is_place = prop.element.type_ == ufbx::ElementType::Node && prop.prop_name.starts_with("Lcl ");
        (is_shape || is_place) && prop.anim_value.curves.iter().any(Option::is_some)
    })
}

/// The points of each node's primitives, stored and shown.
fn gathered(glb: &File, moment: Option<(usize, f64)>) -> BTreeMap<usize, (Vec<DVec3>, Vec<DVec3>)> {
    let mut all: BTreeMap<usize, (Vec<DVec3>, Vec<DVec3>)> = BTreeMap::new();
    for primitive in glb.primitives(moment) {
        let (stored, shown) = all.entry(primitive.node).or_default();
        stored.extend(primitive.stored.into_iter().map(DVec3::from_array));
        // Points that no joint holds lie at the origin, as they do there.
        shown.extend(primitive.shown.into_iter().map(|p| p.map_or(DVec3::ZERO, DVec3::from_array)));
    }
    all
}

/// Each node there takes the best of its pairs, each node here is taken once.
fn verdict(wanted: &[(usize, String)], pairs: &[Pair], counts: &mut Counts) -> Result<(), String> {
    let mut taken = BTreeSet::new();
    for (id, name) in wanted {
        let own = pairs.iter().filter(|p| p.typed_id == *id && !taken.contains(&p.node));
        let Some(best) = own.min_by(|a, b| a.worst.0.total_cmp(&b.worst.0)) else {
            return Err(format!("nothing shows `{name}`"));
        };
        taken.insert(best.node);
        let distances = best.distances();
        let far = distances.iter().filter(|d| **d > MOST).count();
        let worst = distances.iter().copied().fold(0.0, f64::max);
        (counts.meshes, counts.points, counts.far) =
            (counts.meshes + 1, counts.points + distances.len(), counts.far + far);
        if far as f64 > FEW * distances.len() as f64 || worst > ALL {
            let (_, when) = &best.worst;
            return Err(format!("`{}`: {worst:e} {when}, {far} of {} points", best.name, distances.len()));
        }
    }
    Ok(())
}

#[test]
fn points_of_every_glb_are_those_of_ufbx() {
    let Some(corpus) = corpus() else { return };
    let mut counts = Counts::default();
    let mut wrong = Vec::new();
    for path in files(&corpus.join("fbx"), &["fbx"]) {
        if path.iter().any(|part| part == "fuzz") {
            continue;
        }
        let name = path.strip_prefix(corpus.join("fbx")).expect("below").to_string_lossy().into_owned();
        if let Err(why) = judge(&path, &mut counts) {
            println!("{name}: {why}");
            wrong.push(name);
        }
    }
    println!("{counts:?}, {} deviate, {} of them known", wrong.len(), EXCEPTIONS.len());
    for (name, reason) in EXCEPTIONS {
        println!("exception: {name}: {reason}");
    }
    assert!(counts.files > 400 && counts.moments > 1000, "{counts:?}");
    let known: Vec<&str> = EXCEPTIONS.iter().map(|(name, _)| *name).collect();
    assert_eq!(wrong, known);
}

/// A scene as programs write it: user properties, shading models, kinds of nodes, file names of their own. None of that
/// is a loss, and what the user attached is where users of glTF look for it.
#[test]
fn plain_files_lose_nothing_and_keep_what_users_attached() {
    let user = "P: \"health\", \"int\", \"Integer\", \"A+U\",7\nP: \"tag\", \"KString\", \"\", \"U\", \"hero\"\n";
    let text = format!(
        "; FBX 7.4.0 project file\nCreator: \"by hand\"\nObjects: {{\n\
         Model: 1, \"Model::m\", \"Mesh\" {{ Properties70: {{ {user} }} }}\n\
         Geometry: 2, \"Geometry::g\", \"Mesh\" {{ Vertices: *9 {{ a: 0,0,0,1,0,0,0,1,0 }}\n\
         PolygonVertexIndex: *3 {{ a: 0,1,-3 }}\nLayerElementUV: 0 {{ Name: \"map1\"\n\
         MappingInformationType: \"ByPolygonVertex\"\nUV: *6 {{ a: 0,0,1,0,0,1 }}\n}} }}\n\
         Material: 3, \"Material::w\", \"\" {{ ShadingModel: \"phong\"\nProperties70: {{\n\
         P: \"DiffuseColor\", \"Color\", \"\", \"A\",1,0,0\nP: \"friction\", \"double\", \"Number\", \"U\",0.5\n}} }}\n\
         NodeAttribute: 4, \"NodeAttribute::c\", \"Camera\" {{ }}\n}}\n\
         Connections: {{\nC: \"OO\",1,0\nC: \"OO\",2,1\nC: \"OO\",3,1\nC: \"OO\",4,1\n}}\n"
    );
    let source = MemorySource::new("plain.fbx", text.into_bytes());
    let mut request = ConvertRequest::new("glb");
    request.losses = Losses::Refuse;
    let done = convert(&source, &request, &Context::new()).expect("nothing is lost");
    let text = String::from_utf8_lossy(&done.files[0].content.to_vec()).into_owned();
    for wanted in [r#""extras":{"health":7,"tag":"hero"}"#, r#""extras":{"friction":0.5}"#] {
        assert!(text.contains(wanted), "{wanted} is missing in {text}");
    }
}
