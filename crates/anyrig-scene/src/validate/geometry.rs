//! Streams, corners, influences and morph deltas.

use super::{all_finite, make_finite};
use crate::codes::{FACES_REMOVED, INFLUENCE_SHAPE, MORPH_SHAPE, NOT_FINITE, STREAM_SHAPE, WEIGHTS};
use crate::{Domain, Influences, Layout, Part, Scene, Semantic, Stream, Topology, weights};
use anyrig_bytes::{Buffer, Context, Diagnostic};
use std::collections::BTreeSet;

pub(super) fn repair(scene: &mut Scene, context: &Context) {
    let joints = joints_per_mesh(scene);
    for (index, mesh) in scene.meshes.as_mut_slice().iter_mut().enumerate() {
        let targets = mesh.morphs.len();
        for (number, part) in mesh.parts.iter_mut().enumerate() {
            let subject = format!("mesh {index} part {number}");
            corners(part, &subject, context);
            streams(part, &subject, context);
            influences(part, joints[index], &subject, context);
            morphs(part, targets, &subject, context);
        }
    }
}

/// The number of joints of the smallest skin that each mesh is shown with.
fn joints_per_mesh(scene: &Scene) -> Vec<Option<usize>> {
    let mut joints: Vec<Option<usize>> = vec![None; scene.meshes.len()];
    for instance in scene.nodes.values().filter_map(|n| n.mesh.as_ref()) {
        let Some(skin) = instance.skin.and_then(|s| scene.skins.get(s)) else { continue };
        let slot = &mut joints[instance.mesh.index()];
        *slot = Some(slot.map_or(skin.joints.len(), |n| n.min(skin.joints.len())));
    }
    joints
}

fn corners(part: &mut Part, subject: &str, context: &Context) {
    let removed = match part.topology.clone() {
        Topology::Points => keep_faces(part, 1),
        Topology::Lines => keep_faces(part, 2),
        Topology::Triangles => keep_faces(part, 3),
        Topology::Polygons { offsets } => keep_polygons(part, &offsets),
    };
    if removed > 0 {
        let message = "they were incomplete or used points that do not exist";
        context.push(Diagnostic::new(&FACES_REMOVED, subject, message).times(removed));
    }
}

/// Removes faces of a fixed size with corners out of range; gives how many.
fn keep_faces(part: &mut Part, size: usize) -> u64 {
    let points = part.point_count;
    let Some(corners) = &mut part.corners else {
        // An unindexed part cannot be out of range; an incomplete face needs a list to be cut off.
        let rest = points as usize % size;
        if rest > 0 {
            part.corners = Some((0..points - rest as u32).collect());
        }
        return u64::from(rest > 0);
    };
    let complete = corners.len().is_multiple_of(size);
    if complete && corners.iter().fold(true, |ok, c| ok & (*c < points)) {
        return 0;
    }
    let faces = corners.len().div_ceil(size);
    let kept: Vec<u32> =
        corners.chunks_exact(size).filter(|face| face.iter().all(|c| *c < points)).flatten().copied().collect();
    let removed = faces - kept.len() / size;
    *corners = kept.into();
    removed as u64
}

fn keep_polygons(part: &mut Part, offsets: &Buffer<u32>) -> u64 {
    let corners = part.corners.clone().unwrap_or_else(|| (0..part.point_count).collect());
    let whole = offsets.first() == Some(&0)
        && offsets.last().is_some_and(|last| *last as usize == corners.len())
        && offsets.is_sorted();
    if whole && corners.iter().all(|c| *c < part.point_count) {
        return 0;
    }
    let (mut new_offsets, mut new_corners) = (vec![0u32], Vec::new());
    for range in offsets.windows(2) {
        let face = corners.get(range[0] as usize..range[1] as usize).unwrap_or(&[]);
        if !face.is_empty() && face.iter().all(|c| *c < part.point_count) {
            new_corners.extend_from_slice(face);
            new_offsets.push(new_corners.len() as u32);
        }
    }
    let removed = (offsets.len() - 1.min(offsets.len())).saturating_sub(new_offsets.len() - 1).max(1);
    part.topology = Topology::Polygons { offsets: new_offsets.into() };
    part.corners = Some(new_corners.into());
    removed as u64
}

/// The widths that a semantic may have.
fn width_fits(stream: &Stream) -> bool {
    match stream.semantic {
        Semantic::Position | Semantic::Normal => stream.width == 3,
        Semantic::Tangent => stream.width == 4,
        Semantic::TexCoord(_) => stream.width == 2,
        Semantic::Color(_) => matches!(stream.width, 3 | 4),
        Semantic::Custom(_) => (1..=16).contains(&stream.width),
    }
}

fn streams(part: &mut Part, subject: &str, context: &Context) {
    let (points, corners, faces) = (part.point_count as usize, part.corner_count(), part.face_count());
    let mut seen = BTreeSet::new();
    part.streams.retain(|stream| {
        let elements = match stream.domain {
            Domain::Point => points,
            Domain::Corner => corners,
            Domain::Face => faces,
        };
        let fits = width_fits(stream) && elements.checked_mul(stream.width.into()) == Some(stream.values.len());
        let keep = fits && seen.insert(stream.semantic.clone());
        if !keep {
            let message = format!("{} has {} values of width {}", stream.semantic, stream.values.len(), stream.width);
            context.tell(&STREAM_SHAPE, subject, message);
        }
        keep
    });
    for stream in part.streams.iter_mut().filter(|s| !all_finite(&s.values)) {
        let count = make_finite(stream.values.make_mut(), 0.0);
        context.push(Diagnostic::new(&NOT_FINITE, subject, format!("{} became 0", stream.semantic)).times(count));
    }
}

fn influences(part: &mut Part, joints: Option<usize>, subject: &str, context: &Context) {
    let Some(influences) = &mut part.influences else { return };
    if !has_one_row_per_point(influences, part.point_count as usize) {
        part.influences = None;
        return context.tell(&INFLUENCE_SHAPE, subject, "there is not one row per point");
    }
    let joints = joints.map_or(u32::MAX, |n| n as u32);
    let bad = rows(influences).filter(|row| !row_is_right(influences, row.clone(), joints)).count();
    if bad == 0 {
        return;
    }
    let without_joint = influences.joints.iter().filter(|j| **j >= joints).count();
    if without_joint > 0 {
        let message = "influences of joints that do not exist were removed";
        context.push(Diagnostic::new(&WEIGHTS, subject, message).times(without_joint as u64));
    }
    let all: Vec<_> = rows(influences).collect();
    let weights = influences.weights.make_mut();
    let indexes = influences.joints.make_mut();
    for row in all {
        repair_row(&mut weights[row.clone()], &mut indexes[row], joints);
    }
    context.push(Diagnostic::new(&WEIGHTS, subject, "weights were normalised").times(bad as u64));
}

fn has_one_row_per_point(influences: &Influences, points: usize) -> bool {
    if influences.joints.len() != influences.weights.len() {
        return false;
    }
    match &influences.layout {
        Layout::Fixed(n) => points.checked_mul(*n as usize) == Some(influences.weights.len()),
        Layout::Offsets(offsets) => {
            offsets.len() == points + 1
                && offsets.first() == Some(&0)
                && offsets.last().is_some_and(|last| *last as usize == influences.weights.len())
                && offsets.is_sorted()
        }
    }
}

fn rows(influences: &Influences) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    (0..influences.point_count()).map(|point| influences.row_range(point))
}

fn row_is_right(influences: &Influences, row: std::ops::Range<usize>, joints: u32) -> bool {
    let weights = &influences.weights[row.clone()];
    let in_range = influences.joints[row].iter().all(|j| *j < joints);
    let positive = weights.iter().fold(true, |all, w| all & (*w >= 0.0));
    in_range && positive && (weights::sums_to_one(weights) || weights.iter().all(|w| *w == 0.0))
}

fn repair_row(row: &mut [f32], joints: &mut [u32], joint_count: u32) {
    for (weight, joint) in row.iter_mut().zip(joints.iter_mut()) {
        // Written so that NaN counts as bad.
        if !(*weight >= 0.0 && weight.is_finite()) || *joint >= joint_count {
            *weight = 0.0;
        }
        if *joint >= joint_count {
            *joint = 0;
        }
    }
    if !weights::sums_to_one(row) {
        weights::normalise(row);
    }
}

fn morphs(part: &mut Part, targets: usize, subject: &str, context: &Context) {
    if !part.morphs.is_empty() && part.morphs.len() != targets {
        part.morphs.resize(targets, crate::PartMorph::default());
        context.tell(&MORPH_SHAPE, subject, format!("the mesh has {targets} targets"));
    }
    let points = part.point_count as usize;
    for (number, morph) in part.morphs.iter_mut().enumerate() {
        let mut seen = BTreeSet::new();
        morph.deltas.retain(|delta| {
            let right_points = delta
                .points
                .as_ref()
                .is_none_or(|p| p.is_sorted_by(|a, b| a < b) && p.last().is_none_or(|last| (*last as usize) < points));
            let elements = delta.points.as_ref().map_or(points, |p| p.len());
            let right_width = match delta.semantic {
                Semantic::Position | Semantic::Normal | Semantic::Tangent => delta.width == 3,
                _ => (1..=16).contains(&delta.width),
            };
            let fits = right_points && right_width && elements * usize::from(delta.width) == delta.values.len();
            let keep = fits && seen.insert(delta.semantic.clone());
            if !keep {
                context.tell(&MORPH_SHAPE, subject, format!("deltas of {} in target {number}", delta.semantic));
            }
            keep
        });
        for delta in morph.deltas.iter_mut().filter(|d| !all_finite(&d.values)) {
            let count = make_finite(delta.values.make_mut(), 0.0);
            let message = format!("deltas of {} in target {number} became 0", delta.semantic);
            context.push(Diagnostic::new(&NOT_FINITE, subject, message).times(count));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::repaired;
    use super::*;
    use crate::{DeltaStream, Mesh, MeshInstance, MorphTarget, Node, NodeId, PartMorph, Skin};

    fn scene_of(part: Part) -> Scene {
        let mut scene = Scene::default();
        scene.meshes.push(Mesh { parts: vec![part], ..Mesh::default() });
        scene
    }

    fn part(points: u32) -> Part {
        let mut part = Part { point_count: points, ..Part::default() };
        part.set_stream(Stream::new(Semantic::Position, 3, vec![0.5; points as usize * 3]));
        part
    }

    fn first(scene: &Scene) -> &Part {
        &scene.meshes.as_slice()[0].parts[0]
    }

    #[test]
    fn faces_out_of_range_go_and_the_others_stay() {
        let mut bad = part(4);
        bad.corners = Some(vec![0, 1, 2, 1, 9, 3, 3, 2, 1, 0].into());
        let mut scene = scene_of(bad);
        repaired(&mut scene, "scene.faces-removed");
        assert_eq!(first(&scene).corners.as_deref(), Some(&[0, 1, 2, 3, 2, 1][..]));
        let mut scene = scene_of(part(7));
        repaired(&mut scene, "scene.faces-removed");
        assert_eq!(first(&scene).triangle_count(), 2);
    }

    #[test]
    fn polygon_offsets_must_ascend() {
        let mut bad = part(5);
        bad.corners = Some(vec![0, 1, 2, 3, 4, 0, 9].into());
        bad.topology = Topology::Polygons { offsets: vec![0, 4, 7, 6].into() };
        let mut scene = scene_of(bad);
        repaired(&mut scene, "scene.faces-removed");
        assert_eq!(first(&scene).topology, Topology::Polygons { offsets: vec![0, 4].into() });
    }

    #[test]
    fn streams_of_the_wrong_shape_go() {
        let mut bad = part(3);
        bad.streams.push(Stream::new(Semantic::Normal, 3, vec![0.0; 6]));
        bad.streams.push(Stream::new(Semantic::TexCoord(0), 3, vec![0.0; 9]));
        bad.streams.push(Stream::new(Semantic::Position, 3, vec![0.0; 9]));
        let mut scene = scene_of(bad);
        repaired(&mut scene, "scene.stream-shape");
        assert_eq!(first(&scene).streams.len(), 1);
    }

    #[test]
    fn numbers_become_finite() {
        let mut bad = part(3);
        bad.set_stream(Stream::new(Semantic::Position, 3, vec![f32::NAN; 9]));
        let mut scene = scene_of(bad);
        repaired(&mut scene, "scene.not-finite");
        assert_eq!(first(&scene).positions(), [[0.0; 3]; 3]);
    }

    #[test]
    fn weights_are_normalised_and_joints_in_range() {
        let mut bad = part(3);
        bad.influences = Some(Influences {
            layout: Layout::Fixed(2),
            joints: vec![0, 1, 0, 7, 1, 0].into(),
            weights: vec![1.0, 1.0, 0.5, 0.5, f32::NAN, -1.0].into(),
        });
        let mut scene = scene_of(bad);
        let mut node = Node::new("n");
        node.mesh = Some(MeshInstance { skin: Some(crate::Id::new(0)), ..MeshInstance::new(crate::Id::new(0)) });
        scene.add_node(node, None);
        let joint = NodeId::new(0);
        scene.skins.push(Skin::new("s", vec![joint, joint], vec![glam::DAffine3::IDENTITY; 2]));
        let context = Context::new();
        crate::validate(&mut scene.clone(), &context);
        let said = context.report().diagnostics().iter().map(|d| (d.message.clone(), d.count)).collect::<Vec<_>>();
        let missing = "influences of joints that do not exist were removed".to_owned();
        assert_eq!(said, [(missing, 1), ("weights were normalised".to_owned(), 3)]);
        repaired(&mut scene, "scene.weights");
        let influences = first(&scene).influences.as_ref().expect("kept");
        assert_eq!(&*influences.weights, &[0.5, 0.5, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(&*influences.joints, &[0, 1, 0, 0, 1, 0]);
    }

    #[test]
    fn right_weights_are_not_copied() {
        let mut good = part(1);
        let weights = Buffer::from(vec![0.25f32, 0.75]);
        let joints = Buffer::from(vec![0u32, 1]);
        good.influences = Some(Influences { layout: Layout::Fixed(2), joints, weights: weights.clone() });
        let mut scene = scene_of(good);
        crate::validate(&mut scene, &Context::new());
        assert!(first(&scene).influences.as_ref().is_some_and(|i| i.weights.same_memory(&weights)));
    }

    #[test]
    fn influences_without_a_row_per_point_go() {
        let mut bad = part(3);
        let layout = Layout::Offsets(vec![0, 1, 1].into());
        bad.influences = Some(Influences { layout, joints: vec![0].into(), weights: vec![1.0].into() });
        repaired(&mut scene_of(bad), "scene.influence-shape");
    }

    #[test]
    fn morph_deltas_of_the_wrong_shape_go() {
        let mut bad = part(3);
        let delta = |points: Option<Vec<u32>>, values: usize| DeltaStream {
            semantic: Semantic::Position,
            width: 3,
            points: points.map(Buffer::from),
            values: vec![0.0; values].into(),
        };
        let morph = |d| PartMorph { deltas: vec![d] };
        bad.morphs = vec![morph(delta(Some(vec![1, 1]), 6)), morph(delta(Some(vec![5]), 3)), morph(delta(None, 9))];
        let mut scene = scene_of(bad);
        scene.meshes.as_mut_slice()[0].morphs = vec![MorphTarget::default(); 3];
        repaired(&mut scene, "scene.morph-shape");
        let left: Vec<_> = first(&scene).morphs.iter().map(|m| m.deltas.len()).collect();
        assert_eq!(left, [0, 0, 1]);
    }
}
