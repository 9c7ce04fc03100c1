//! What moves the points, as colours.

use crate::color::{light, of_number};
use crate::drawable::{Drawable, PointColors};
use anyrig_scene::{Influences, Scene, Skin};
use glam::{Vec3, Vec4};

/// Weights may be this far from a sum of 1.
const SLACK: f32 = 1e-3;

pub(super) const NO_SKIN: [u8; 3] = [170, 172, 176];

/// The influences of a drawable's points and the skin whose joints they name.
fn skin_of<'s>(scene: &'s Scene, drawable: &Drawable<'_>) -> Option<(&'s Skin, &'s Influences)> {
    let instance = scene.nodes.get(drawable.node)?.mesh.as_ref()?;
    let part = scene.meshes.get(drawable.mesh)?.parts.get(drawable.part)?;
    Some((scene.skins.get(instance.skin?)?, part.influences.as_ref()?))
}

/// Joints and weights of a point, those of weight 0 left out; empty when they are out of range.
fn row(influences: &Influences, point: usize) -> impl Iterator<Item = (usize, f32)> + '_ {
    let range = if point < influences.point_count() { influences.row_range(point) } else { 0..0 };
    let joints = influences.joints.as_slice().get(range.clone()).unwrap_or(&[]);
    let weights = influences.weights.as_slice().get(range).unwrap_or(&[]);
    joints.iter().map(|j| *j as usize).zip(weights.iter().copied()).filter(|(_, weight)| *weight != 0.0)
}

fn grey(drawable: &Drawable<'_>) -> Vec<Vec4> {
    vec![light(NO_SKIN).extend(1.0); drawable.positions.len()]
}

/// Of one bone on a scale from blue to red; of all, each in its own colour.
pub(super) fn weights(scene: &Scene, drawable: &Drawable<'_>, bone: Option<usize>) -> PointColors<'static> {
    match (skin_of(scene, drawable), bone) {
        (Some((skin, influences)), Some(bone)) => {
            let is_bone = |joint: usize| node_of(skin, joint) == bone;
            let weight = |point: usize| row(influences, point).filter(|(j, _)| is_bone(*j)).map(|(_, w)| w).sum();
            PointColors::Heat((0..drawable.positions.len()).map(weight).collect())
        }
        (Some((skin, influences)), None) => {
            let mixed = |point: usize| {
                row(influences, point).fold(Vec3::ZERO, |sum, (j, w)| sum + of_number(node_of(skin, j)) * w)
            };
            PointColors::Own((0..drawable.positions.len()).map(|point| mixed(point).extend(1.0)).collect())
        }
        // Rigid parts move with their node alone.
        (None, Some(bone)) if hangs_on(scene, drawable, bone) => PointColors::Heat(vec![1.0; drawable.positions.len()]),
        (None, _) => PointColors::Own(grey(drawable)),
    }
}

fn node_of(skin: &Skin, joint: usize) -> usize {
    skin.joints.get(joint).map_or(usize::MAX, |id| id.index())
}

fn hangs_on(scene: &Scene, drawable: &Drawable<'_>, bone: usize) -> bool {
    let mut node = Some(drawable.node);
    // As many steps as there are nodes, should the tree be none.
    for _ in 0..scene.nodes.len() {
        let Some(id) = node else { return false };
        if id.index() == bone {
            return true;
        }
        node = scene.nodes.get(id).and_then(|n| n.parent);
    }
    false
}

/// Colours by the number of joints, and of what is wrong with them.
pub(super) const COUNTS: [([u8; 3], &str); 7] = [
    ([200, 222, 250], "1 joint"),
    ([140, 180, 235], "2"),
    ([85, 135, 215], "3"),
    ([35, 85, 180], "4"),
    ([245, 150, 30], "more"),
    ([225, 30, 30], "none"),
    ([225, 40, 200], "sum is not 1"),
];

/// By the number of joints, and what is wrong with them.
pub(super) fn influences(scene: &Scene, drawable: &Drawable<'_>) -> Vec<Vec4> {
    let Some((_, influences)) = skin_of(scene, drawable) else { return grey(drawable) };
    let color = |point: usize| {
        let (count, sum) = row(influences, point).fold((0, 0.0), |(count, sum), (_, w)| (count + 1, sum + w));
        let kind = match count {
            0 => 5,
            _ if (sum - 1.0f32).abs() > SLACK || sum.is_nan() => 6,
            _ => (count - 1).min(4),
        };
        COUNTS[kind].0
    };
    (0..drawable.positions.len()).map(|point| light(color(point)).extend(1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_any_layout() {
        let fixed = Influences::fixed(2, vec![0, 1, 2, 0], vec![0.5, 0.5, 1.0, 0.0]);
        let of = |i: &Influences, point| row(i, point).collect::<Vec<_>>();
        assert_eq!(of(&fixed, 0), [(0, 0.5), (1, 0.5)]);
        assert_eq!((of(&fixed, 1), of(&fixed, 2)), (vec![(2, 1.0)], vec![]));
        let ragged = Influences::ragged(vec![0, 0, 3], vec![4, 5, 6], vec![0.25, 0.25, 0.5]);
        assert_eq!((of(&ragged, 0).len(), of(&ragged, 1).len(), of(&ragged, 9).len()), (0, 3, 0));
    }
}
