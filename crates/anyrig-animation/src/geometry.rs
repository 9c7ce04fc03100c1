//! What a scene looks like in a pose.

use crate::skinning::{JointDualQuat, JointMatrix, SkinInput, SkinOutput, Skinner};
use crate::{Evaluator, Pose, Shown, add_morphs, dual_quaternion_palette, matrix_palette};
use anyrig_bytes::{Buffer, Context, Place, Result};
use anyrig_scene::{Domain, Influences, MeshId, NodeId, Part, Scene, Semantic, SkinMethod};
use glam::{DAffine3, DVec3};
use std::convert::Infallible;

/// The points of one part as one node shows it, in scene space.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PosedPart {
    /// The node that shows it.
    pub node: NodeId,
    /// The mesh.
    pub mesh: MeshId,
    /// Index of the part in the mesh.
    pub part: usize,
    /// Which of the node's instances it is, on a node that has them.
    pub instance: Option<u32>,
    /// One position per point, morphed and skinned.
    pub positions: Vec<[f32; 3]>,
    /// One unit normal per point; empty when the part has none per point.
    pub normals: Vec<[f32; 3]>,
    /// One unit tangent per point, with its sign; empty when the part has none per point.
    pub tangents: Vec<[f32; 4]>,
}

/// All that a scene shows in a pose: every part of every visible mesh instance below [`Scene::shown_roots`], depth
/// first, parts in their order.
///
/// A mesh with a skin is moved by it where the part has influences, by the skin's own method; everything else by
/// `scene_from_node`. The memory is the points of all instances; for scenes from strangers see
/// [`posed_geometry_within`], or take the parts one by one with [`for_each_posed_part`].
pub fn posed_geometry(scene: &Scene, pose: &Pose) -> Vec<PosedPart> {
    let mut parts = Vec::new();
    for_each_posed_part(scene, pose, |part| parts.push(part));
    parts
}

/// As [`posed_geometry`], within the context's budgets.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::LimitExceeded`] when the points of all instances pass a limit.
pub fn posed_geometry_within(scene: &Scene, pose: &Pose, context: &Context) -> Result<Vec<PosedPart>> {
    let evaluator = Evaluator::new(scene);
    let (mut parts, mut points) = (0u64, 0u64);
    for shown in evaluator.shown_in(pose) {
        let own = &scene.meshes[shown.mesh].parts;
        parts = parts.saturating_add(own.len() as u64);
        points = points.saturating_add(own.iter().map(|p| p.positions().len() as u64).sum());
    }
    // Parts without points take room too.
    context.take_elements(points.saturating_add(parts), Place::whole)?;
    let bytes = points.saturating_mul(size_of::<[f32; 10]>() as u64);
    context.take_memory(bytes.saturating_add(parts.saturating_mul(size_of::<PosedPart>() as u64)), Place::whole)?;
    Ok(posed_geometry(scene, pose))
}

/// Calls back with each of [`posed_geometry`]'s parts, one at a time, so that only one is in memory.
pub fn for_each_posed_part(scene: &Scene, pose: &Pose, mut act: impl FnMut(PosedPart)) {
    let done: std::result::Result<(), Infallible> = try_for_each_posed_part(scene, pose, |part| {
        act(part);
        Ok(())
    });
    let Ok(()) = done;
}

/// As [`for_each_posed_part`], until the first error.
///
/// # Errors
/// That of the callback.
pub fn try_for_each_posed_part<E>(
    scene: &Scene,
    pose: &Pose,
    mut act: impl FnMut(PosedPart) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let evaluator = Evaluator::new(scene);
    let worlds = evaluator.worlds(pose);
    let mut mover = Mover::default();
    for shown in &evaluator.shown_in(pose) {
        mover.prepare(scene, &worlds, *shown);
        for part in 0..scene.meshes[shown.mesh].parts.len() {
            if let Some(posed) = mover.part(scene, pose, *shown, part) {
                act(posed)?;
            }
        }
    }
    Ok(())
}

/// One part of a shown mesh; `worlds` are those of [`Evaluator::worlds`]. `None` when the part does not exist.
pub fn posed_part(scene: &Scene, pose: &Pose, worlds: &[DAffine3], shown: Shown, part: usize) -> Option<PosedPart> {
    let mut mover = Mover::default();
    mover.prepare(scene, worlds, shown);
    mover.part(scene, pose, shown, part)
}

/// As [`posed_part`], with a palette of the caller's in place of the skin's own (`scene_from_mesh` for each joint): to
/// look at what another rule does. Parts without influences stand as they do there.
pub fn posed_part_by(
    scene: &Scene,
    pose: &Pose,
    worlds: &[DAffine3],
    shown: Shown,
    (part, palette): (usize, &[DAffine3]),
) -> Option<PosedPart> {
    let mut mover = Mover::default();
    mover.prepare(scene, worlds, shown);
    mover.replace_palette(palette);
    mover.part(scene, pose, shown, part)
}

/// The largest distance between equally numbered points of two geometries; `None` when they do not have the same
/// numbers of parts and points. 0 when there are no points; infinite when a distance is not a number.
pub fn largest_distance(a: &[PosedPart], b: &[PosedPart]) -> Option<f64> {
    let same = a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.positions.len() == b.positions.len());
    let pairs = a.iter().zip(b).flat_map(|(a, b)| a.positions.iter().zip(&b.positions));
    let distances = pairs.map(|(a, b)| to_f64(*a).distance(to_f64(*b)));
    same.then(|| distances.fold(0.0, |most, d| if d.is_nan() { f64::INFINITY } else { d.max(most) }))
}

/// The largest distance between equally numbered points of two scenes that should move alike: at rest, and at the
/// start, the quarters and the end of each clip of `a`, with the clip of the same number in `b`.
///
/// In the scenes' unit, so both must be in the same space. `None` when they differ in the numbers of clips, shown parts
/// or points. Compare it with [`crate::scene_size`].
pub fn motion_distance(a: &Scene, b: &Scene) -> Option<f64> {
    if a.clips.len() != b.clips.len() {
        return None;
    }
    let (rest_a, rest_b) = (Pose::rest(a), Pose::rest(b));
    let mut most = largest_distance(&posed_geometry(a, &rest_a), &posed_geometry(b, &rest_b))?;
    let (mut pose_a, mut pose_b) = (rest_a.clone(), rest_b.clone());
    for (clip_a, clip_b) in a.clips.iter().zip(&b.clips) {
        for quarter in 0..=4 {
            let time_secs = clip_a.start_secs + (clip_a.end_secs() - clip_a.start_secs) * f64::from(quarter) / 4.0;
            pose_a.copy_from(&rest_a);
            pose_b.copy_from(&rest_b);
            pose_a.apply_clip(clip_a, time_secs);
            pose_b.apply_clip(clip_b, time_secs);
            most = most.max(largest_distance(&posed_geometry(a, &pose_a), &posed_geometry(b, &pose_b))?);
        }
    }
    Some(most)
}

fn to_f64(position: [f32; 3]) -> DVec3 {
    DVec3::from_array(position.map(f64::from))
}

/// How the current mesh instance is moved, with memory that is used again for the next one.
#[derive(Default)]
pub(crate) struct Mover {
    scene_from_node: JointMatrix,
    skinning: Skinning,
    skinner: Skinner,
    matrices: Vec<JointMatrix>,
    dual_quats: Vec<JointDualQuat>,
}

#[derive(Clone, Copy, Default)]
enum Skinning {
    #[default]
    None,
    Linear,
    DualQuaternion,
}

impl Mover {
    pub(crate) fn prepare(&mut self, scene: &Scene, worlds: &[DAffine3], shown: Shown) {
        self.scene_from_node = JointMatrix::new(scene_from_mesh_at(scene, worlds, shown));
        self.skinning = Skinning::None;
        let Some(skin) = shown.skin.and_then(|id| scene.skins.get(id)) else { return };
        match skin.method {
            SkinMethod::Linear => {
                matrix_palette(skin, worlds, &mut self.matrices);
                self.skinning = Skinning::Linear;
            }
            SkinMethod::DualQuaternion => {
                dual_quaternion_palette(skin, worlds, &mut self.dual_quats);
                self.skinning = Skinning::DualQuaternion;
            }
        }
    }

    /// Has no effect on a mesh without skin.
    fn replace_palette(&mut self, palette: &[DAffine3]) {
        let entries = palette.iter().copied();
        match self.skinning {
            Skinning::None => {}
            Skinning::Linear => self.matrices = entries.map(JointMatrix::new).collect(),
            Skinning::DualQuaternion => self.dual_quats = entries.map(JointDualQuat::new).collect(),
        }
    }

    pub(crate) fn part(&mut self, scene: &Scene, pose: &Pose, shown: Shown, index: usize) -> Option<PosedPart> {
        let part = scene.meshes.get(shown.mesh)?.parts.get(index)?;
        let weights = pose.weights(shown.node);
        let mut at_mesh = PosedPart {
            node: shown.node,
            mesh: shown.mesh,
            part: index,
            instance: shown.instance,
            positions: morphed(part, &Semantic::Position, weights),
            normals: morphed(part, &Semantic::Normal, weights),
            tangents: morphed(part, &Semantic::Tangent, weights),
        };
        at_mesh.normals.truncate(at_mesh.positions.len());
        at_mesh.tangents.truncate(at_mesh.positions.len());
        let mut posed = at_mesh.clone();
        self.move_points(part, &at_mesh, &mut posed);
        Some(posed)
    }

    fn move_points(&mut self, part: &Part, from: &PosedPart, to: &mut PosedPart) {
        let none = Influences::fixed(0, Buffer::default(), Buffer::default());
        let influences = part.influences.as_ref();
        let input = SkinInput {
            positions: &from.positions,
            normals: &from.normals,
            tangents: &from.tangents,
            influences: influences.unwrap_or(&none),
        };
        let mut out = SkinOutput { positions: &mut to.positions, normals: &mut to.normals, tangents: &mut to.tangents };
        match self.skinning {
            Skinning::Linear if influences.is_some() => self.skinner.linear(&input, &self.matrices, &mut out),
            Skinning::DualQuaternion if influences.is_some() => {
                self.skinner.dual_quaternion(&input, &self.dual_quats, &mut out);
            }
            _ => self.skinner.rigid(&input, &self.scene_from_node, &mut out),
        }
    }
}

/// Where a mesh without skin is shown.
pub(crate) fn scene_from_mesh_at(scene: &Scene, worlds: &[DAffine3], shown: Shown) -> DAffine3 {
    worlds.get(shown.node.index()).copied().unwrap_or_default() * node_from_mesh(scene, shown)
}

/// Where a mesh without skin stands at its node: the instance's own transform, and the one that FBX calls geometric.
#[must_use]
pub fn node_from_mesh(scene: &Scene, shown: Shown) -> DAffine3 {
    let node = scene.nodes.get(shown.node);
    let geometric = node.and_then(|n| n.geometric.as_deref());
    let instance_from_mesh = geometric.map_or(DAffine3::IDENTITY, |g| g.to_affine());
    let instances = node.and_then(|n| n.instances.as_deref());
    let instance = shown.instance.and_then(|i| instances?.transforms.get(i as usize));
    instance.map_or(DAffine3::IDENTITY, |i| i.to_affine()) * instance_from_mesh
}

/// A point attribute with the part's morphs added; empty when the part has none of this width per point.
fn morphed<const N: usize>(part: &Part, semantic: &Semantic, weights: &[f32]) -> Vec<[f32; N]> {
    let stream = part.stream(semantic).filter(|s| s.domain == Domain::Point);
    let mut values = stream.and_then(|s| s.arrays::<N>()).map(<[_]>::to_vec).unwrap_or_default();
    add_morphs(part, semantic, weights, values.as_flattened_mut(), N);
    values
}
