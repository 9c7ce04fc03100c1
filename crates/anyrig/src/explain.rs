//! The numbers behind one vertex: from the mesh at bind, over its morphs and its joints, to where it is shown.

use crate::inspect::MeshChoice;
use crate::suggest::hint;
use anyrig_animation::{Evaluator, Pose, Shown, node_from_mesh, posed_part, scene_from_mesh};
use anyrig_bytes::{Error, Result};
use anyrig_scene::glam::{DAffine3, DMat4, DVec3};
use anyrig_scene::{Clip, MeshId, NodeId, Part, PartMorph, Scene, Semantic, Skin, SkinMethod};
use serde::Serialize;

/// Which vertex, and when.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ExplainRequest {
    /// The part that the vertex is in.
    pub mesh: MeshChoice,
    /// Index of the vertex in its part.
    pub vertex: usize,
    /// Name or index of a clip; the rest pose when `None`.
    pub clip: Option<String>,
    /// When in the clip, in seconds; its start when `None`.
    pub time_secs: Option<f64>,
}

impl ExplainRequest {
    /// A vertex of the first part of the first mesh, at rest.
    pub fn new(vertex: usize) -> Self {
        Self { vertex, ..Self::default() }
    }
}

/// How a vertex comes to where it is. Positions are in the scene's unit and axes; matrices are four rows of four, which
/// multiply a column from the left.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// Name of the mesh.
    pub mesh: String,
    /// Index of the part.
    pub part: usize,
    /// Index of the vertex in the part.
    pub vertex: usize,
    /// The node that shows the mesh; the first, where several do.
    pub node: String,
    /// How many times the mesh is shown.
    pub shown: usize,
    /// Name of the clip, if one plays.
    pub clip: Option<String>,
    /// When, in seconds.
    pub time_secs: f64,
    /// Where the mesh has it, before morphs, in the mesh's own space.
    pub in_mesh: [f64; 3],
    /// The morph targets that move it.
    pub morphs: Vec<MorphShare>,
    /// `in_mesh` and all morphs.
    pub morphed: [f64; 3],
    /// What moves it: `rigid`, `linear` or `dual-quaternion`.
    pub method: &'static str,
    /// The joints that move it; for a rigid mesh the one node, with weight 1.
    pub influences: Vec<InfluenceShare>,
    /// The sum of the weights; 1 in a sound file.
    pub weight_sum: f64,
    /// `Σ weight · moved`: where linear blending puts it.
    pub linear: [f64; 3],
    /// Where it is shown, by the mesh's own method.
    pub shown_at: [f64; 3],
}

/// What one morph target adds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MorphShare {
    /// Name of the target.
    pub name: String,
    /// Its weight now.
    pub weight: f64,
    /// How far it moves the vertex at weight 1.
    pub delta: [f64; 3],
}

/// What one joint does.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct InfluenceShare {
    /// Index in the skin's list of joints.
    pub joint: usize,
    /// Name of the joint's node.
    pub name: String,
    /// The names from the top down to the joint; of a longer chain the last 64.
    pub chain: Vec<String>,
    /// How many names the chain leaves out at the top.
    pub chain_left_out: usize,
    /// Its weight.
    pub weight: f64,
    /// The inverse bind: from the mesh to the joint at bind time.
    pub joint_from_mesh: [[f64; 4]; 4],
    /// Where the joint is now.
    pub scene_from_joint: [[f64; 4]; 4],
    /// The palette's entry: `scene_from_joint · joint_from_mesh`.
    pub scene_from_mesh: [[f64; 4]; 4],
    /// The vertex as the joint sees it at bind time: `joint_from_mesh · morphed`.
    pub in_joint: [f64; 3],
    /// Where this joint alone would put it: `scene_from_mesh · morphed`.
    pub moved: [f64; 3],
}

/// Explains one vertex of a validated scene.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] when there is no such part, vertex or clip, when the time is not finite, or when
/// nothing shows the mesh.
pub fn explain(scene: &Scene, request: &ExplainRequest) -> Result<Explanation> {
    let (mesh_id, part) = request.mesh.locate(scene)?;
    if request.vertex >= part.positions().len() {
        let count = part.positions().len();
        return Err(Error::usage(format!(
            "the part has {count} vertices, counted from 0; there is no {}",
            request.vertex
        )));
    }
    let (pose, clip, time_secs) = pose(scene, request)?;
    let evaluator = Evaluator::new(scene);
    let all: Vec<Shown> = evaluator.shown_in(&pose).into_iter().filter(|shown| shown.mesh == mesh_id).collect();
    let name = scene.meshes[mesh_id].name.clone();
    let Some(first) = all.first().copied() else {
        return Err(Error::usage(format!("nothing shows mesh `{name}` at this time")));
    };
    let worlds = evaluator.worlds(&pose);
    let in_mesh = vector(part.positions()[request.vertex]);
    let morphs = morphs(scene, mesh_id, part, pose.weights(first.node), request.vertex);
    let morphed = morphs.iter().fold(in_mesh, |at, morph| at + morph.weight * DVec3::from_array(morph.delta));
    let posed = posed_part(scene, &pose, &worlds, first, request.mesh.part);
    let shown_at = posed.and_then(|part| part.positions.get(request.vertex).copied()).map_or(DVec3::NAN, vector);
    let skin = first.skin.map(|id| &scene.skins[id]).filter(|_| part.influences.is_some());
    let influences = match skin {
        Some(skin) => joints(scene, skin, part, &worlds, (request.vertex, morphed)),
        None => vec![rigid(scene, first, &worlds, morphed)],
    };
    let moved = influences.iter().map(|share| share.weight * DVec3::from_array(share.moved));
    Ok(Explanation {
        mesh: name,
        part: request.mesh.part,
        vertex: request.vertex,
        node: scene.nodes[first.node].name.clone(),
        shown: all.len(),
        clip: clip.map(|clip| clip.name.clone()),
        time_secs,
        in_mesh: in_mesh.to_array(),
        morphs,
        morphed: morphed.to_array(),
        method: match skin.map(|skin| skin.method) {
            None => "rigid",
            Some(SkinMethod::Linear) => "linear",
            Some(SkinMethod::DualQuaternion) => "dual-quaternion",
        },
        weight_sum: influences.iter().map(|share| share.weight).sum(),
        linear: moved.fold(DVec3::ZERO, |sum, share| sum + share).to_array(),
        influences,
        shown_at: shown_at.to_array(),
    })
}

fn pose<'a>(scene: &'a Scene, request: &ExplainRequest) -> Result<(Pose, Option<&'a Clip>, f64)> {
    if request.time_secs.is_some_and(|time| !time.is_finite()) {
        return Err(Error::usage("the time is to be a finite number of seconds"));
    }
    let Some(wanted) = &request.clip else { return Ok((Pose::rest(scene), None, 0.0)) };
    let clip = &scene.clips[clip_named(scene, wanted)?];
    let time_secs = request.time_secs.unwrap_or(clip.start_secs);
    Ok((Pose::of_clip(scene, clip, time_secs), Some(clip), time_secs))
}

/// The index of a clip by its name, or else by its number from 0.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] when there is no such clip, with the name that was probably meant.
pub fn clip_named(scene: &Scene, wanted: &str) -> Result<usize> {
    let count = scene.clips.len();
    let by_number = || wanted.parse::<usize>().ok().filter(|number| *number < count);
    scene.clips.iter().position(|clip| clip.name == wanted).or_else(by_number).ok_or_else(|| {
        let hint = hint(wanted, scene.clips.iter().map(|clip| clip.name.as_str()));
        Error::usage(format!("no clip is called `{wanted}`{hint}; there are {count}, counted from 0"))
    })
}

/// The targets that have a weight now and move the vertex.
fn morphs(scene: &Scene, mesh: MeshId, part: &Part, weights: &[f32], vertex: usize) -> Vec<MorphShare> {
    let share = |(index, (morph, weight)): (usize, (&PartMorph, &f32))| {
        let delta = morph.delta(&Semantic::Position)?;
        let row = match &delta.points {
            None => vertex,
            Some(points) => points.binary_search(&u32::try_from(vertex).ok()?).ok()?,
        };
        let width = usize::from(delta.width);
        let values = delta.values.get(row * width..(row + 1) * width)?;
        let value = |axis: usize| values.get(axis).copied().map_or(0.0, f64::from);
        let name = scene.meshes[mesh].morphs.get(index).map_or_else(String::new, |target| target.name.clone());
        Some(MorphShare { name, weight: (*weight).into(), delta: [value(0), value(1), value(2)] })
    };
    let all = part.morphs.iter().zip(weights).enumerate();
    all.filter(|(_, (_, weight))| **weight != 0.0).filter_map(share).collect()
}

fn joints(
    scene: &Scene,
    skin: &Skin,
    part: &Part,
    worlds: &[DAffine3],
    (vertex, morphed): (usize, DVec3),
) -> Vec<InfluenceShare> {
    let palette: Vec<DAffine3> = scene_from_mesh(skin, worlds).collect();
    let Some((joints, weights)) = part.influences.as_ref().map(|influences| influences.of(vertex)) else {
        return Vec::new();
    };
    let used = joints.iter().zip(weights).filter(|(_, weight)| **weight != 0.0);
    let share = |(joint, weight): (&u32, &f32)| {
        let index = *joint as usize;
        let node = *skin.joints.get(index)?;
        let joint_from_mesh = skin.inverse_binds.get(index).copied().unwrap_or_default();
        let entry = palette.get(index).copied().unwrap_or_default();
        let (chain, chain_left_out) = chain(scene, node);
        Some(InfluenceShare {
            joint: index,
            name: scene.nodes[node].name.clone(),
            chain,
            chain_left_out,
            weight: (*weight).into(),
            joint_from_mesh: rows(joint_from_mesh),
            scene_from_joint: rows(worlds.get(node.index()).copied().unwrap_or_default()),
            scene_from_mesh: rows(entry),
            in_joint: joint_from_mesh.transform_point3(morphed).to_array(),
            moved: entry.transform_point3(morphed).to_array(),
        })
    };
    used.filter_map(share).collect()
}

/// A mesh without skin follows its node alone.
fn rigid(scene: &Scene, shown: Shown, worlds: &[DAffine3], morphed: DVec3) -> InfluenceShare {
    let scene_from_node = worlds.get(shown.node.index()).copied().unwrap_or_default();
    let node_from_mesh = node_from_mesh(scene, shown);
    let entry = scene_from_node * node_from_mesh;
    let (chain, chain_left_out) = chain(scene, shown.node);
    InfluenceShare {
        joint: 0,
        name: scene.nodes[shown.node].name.clone(),
        chain,
        chain_left_out,
        weight: 1.0,
        joint_from_mesh: rows(node_from_mesh),
        scene_from_joint: rows(scene_from_node),
        scene_from_mesh: rows(entry),
        in_joint: node_from_mesh.transform_point3(morphed).to_array(),
        moved: entry.transform_point3(morphed).to_array(),
    }
}

/// Names that a chain has at most: a vertex of many joints deep in a tree would have each name of it many times.
const CHAIN: usize = 64;

/// The names from the top down to a node, and how many more there are above. Validated scenes have no cycles.
fn chain(scene: &Scene, node: NodeId) -> (Vec<String>, usize) {
    let mut up = std::iter::successors(Some(node), |id| scene.nodes[*id].parent);
    let mut names: Vec<String> = up.by_ref().take(CHAIN).map(|id| scene.nodes[id].name.clone()).collect();
    names.reverse();
    (names, up.count())
}

fn rows(affine: DAffine3) -> [[f64; 4]; 4] {
    DMat4::from(affine).transpose().to_cols_array_2d()
}

fn vector(values: [f32; 3]) -> DVec3 {
    DVec3::from_array(values.map(f64::from))
}
