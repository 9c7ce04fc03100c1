//! Matrices into translation, rotation, scale.

use crate::codes;
use anyrig_bytes::{Context, Place, Result};
use anyrig_scene::{LocalTransform, Node, NodeId, Scene, Trs};
use glam::{DAffine3, DMat3, DQuat, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happens to a matrix with shear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Shear {
    /// It becomes the nearest translation, rotation and scale; reported as an approximation.
    #[default]
    Nearest,
    /// A helper node above carries a part of it, so that nothing changes; reported as a note. Nodes that a clip moves
    /// get the nearest transform all the same, since their curves replace it.
    HelperNode,
}

/// Options of [`decompose`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct DecomposeOptions {
    /// What happens to a matrix with shear. Default: `nearest`.
    pub shear: Shear,
    /// Columns count as orthogonal up to this cosine. Default: 1e-6.
    pub tolerance: f64,
}

impl Default for DecomposeOptions {
    fn default() -> Self {
        Self { shear: Shear::Nearest, tolerance: 1e-6 }
    }
}

/// Makes every node's local transform a translation, rotation and scale.
///
/// A matrix without shear just comes apart; a mirrored one gets its negative factor on X. With
/// [`Shear::HelperNode`] a sheared matrix `M` becomes `U S V` by singular values: a helper node `NAME.shear` between
/// node and parent has the rotation `U` and the scale `S`, the node keeps the rotation `V`. The helper takes the node's
/// place among its siblings and in the root sets.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::LimitExceeded`] when helper nodes pass the limit of elements.
pub fn decompose(scene: &mut Scene, options: DecomposeOptions, context: &Context) -> Result<()> {
    let animated = scene.moved_nodes();
    for id in scene.nodes.ids() {
        let LocalTransform::Matrix(affine) = scene.nodes[id].local else { continue };
        if let Some(trs) = without_shear(affine, options.tolerance) {
            scene.nodes[id].local = LocalTransform::Trs(trs);
            continue;
        }
        let name = scene.nodes[id].name.clone();
        if options.shear == Shear::HelperNode && !animated.contains(&id) {
            context.take_elements(1, Place::whole)?;
            insert_helper(scene, id, affine);
            context.tell(&codes::SHEAR_HELPER, name, "");
        } else {
            scene.nodes[id].local = LocalTransform::Trs(Trs::nearest_to_affine(affine));
            context.tell(&codes::SHEAR_DROPPED, name, "");
        }
    }
    Ok(())
}

/// `None` when the matrix is sheared. One that flattens space has none if its other columns are orthogonal.
fn without_shear(affine: DAffine3, tolerance: f64) -> Option<Trs> {
    let m = affine.matrix3;
    let cosine = |a: DVec3, b: DVec3| {
        let directions = a.try_normalize().zip(b.try_normalize());
        directions.map_or(0.0, |(a, b)| a.dot(b).abs())
    };
    let shear = cosine(m.x_axis, m.y_axis).max(cosine(m.y_axis, m.z_axis)).max(cosine(m.z_axis, m.x_axis));
    (shear <= tolerance).then(|| Trs::nearest_to_affine(affine))
}

fn insert_helper(scene: &mut Scene, id: NodeId, affine: DAffine3) {
    let (columns, rotation) = orthogonal_columns(affine.matrix3);
    let mut helper = Node::new(format!("{}.shear", scene.nodes[id].name));
    let stretched = DAffine3 { matrix3: columns, translation: affine.translation };
    helper.local = LocalTransform::Trs(Trs::nearest_to_affine(stretched));
    helper.parent = scene.nodes[id].parent;
    helper.children = vec![id];
    helper.visible = scene.nodes[id].visible;
    let parent = helper.parent;
    let helper = scene.nodes.push(helper);
    let siblings = parent.and_then(|p| scene.nodes.get_mut(p)).map(|p| &mut p.children);
    let lists = siblings.into_iter().chain(scene.root_sets.iter_mut().map(|s| &mut s.roots));
    for slot in lists.flatten().filter(|slot| **slot == id) {
        *slot = helper;
    }
    let node = &mut scene.nodes[id];
    node.parent = Some(helper);
    node.local = LocalTransform::Trs(Trs { rotation: unit(DQuat::from_mat3(&rotation)), ..Trs::IDENTITY });
}

fn unit(q: DQuat) -> DQuat {
    let length = q.length();
    if length > 0.0 && length.is_finite() { q / length } else { DQuat::IDENTITY }
}

/// `M = B V` with a rotation `V` and columns of `B` that are orthogonal: one-sided Jacobi rotations (Hestenes 1958),
/// which need nothing but square roots.
fn orthogonal_columns(m: DMat3) -> (DMat3, DMat3) {
    // Three columns come to rest after a few rounds; the bound is for numbers that never do.
    const ROUNDS: usize = 32;
    let mut columns = [m.x_axis, m.y_axis, m.z_axis];
    let mut turned = [DVec3::X, DVec3::Y, DVec3::Z];
    for _ in 0..ROUNDS {
        let mut rested = true;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let (a, b) = (columns[p].length_squared(), columns[q].length_squared());
            let dot = columns[p].dot(columns[q]);
            if dot.abs() <= f64::EPSILON * a.sqrt() * b.sqrt() {
                continue;
            }
            rested = false;
            let zeta = (b - a) / (2.0 * dot);
            let tangent = if zeta < 0.0 { -1.0 } else { 1.0 } / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
            let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
            let sine = cosine * tangent;
            for vectors in [&mut columns, &mut turned] {
                let (old_p, old_q) = (vectors[p], vectors[q]);
                vectors[p] = old_p * cosine - old_q * sine;
                vectors[q] = old_p * sine + old_q * cosine;
            }
        }
        if rested {
            break;
        }
    }
    let [x, y, z] = columns;
    let [a, b, c] = turned;
    (DMat3::from_cols(x, y, z), DMat3::from_cols(a, b, c).transpose())
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_bytes::{ErrorKind, Limits};
    use anyrig_scene::walk::rest_world_transforms;
    use anyrig_scene::{Channel, Clip, Curve, Interpolation, Property, RootSet, validate};
    use proptest::prelude::*;

    fn affine(columns: [[f64; 3]; 3]) -> DAffine3 {
        DAffine3 { matrix3: DMat3::from_cols_array_2d(&columns), translation: DVec3::new(1.0, 2.0, 3.0) }
    }

    fn scene(matrix: DAffine3) -> (Scene, NodeId) {
        let mut scene = Scene::default();
        let mut node = Node::new("n");
        node.local = LocalTransform::Matrix(matrix);
        let id = scene.add_node(node, None);
        scene.add_node(Node::new("child"), Some(id));
        scene.root_sets.push(RootSet::new("all", vec![id]));
        (scene, id)
    }

    const SHEARED: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]];

    fn helper() -> DecomposeOptions {
        DecomposeOptions { shear: Shear::HelperNode, ..DecomposeOptions::default() }
    }

    #[test]
    fn matrices_without_shear_just_come_apart() {
        let flat = [[0.0, 2.0, 0.0], [-3.0, 0.0, 0.0], [0.0, 0.0, 0.0]];
        for columns in [[[0.0, 2.0, 0.0], [-3.0, 0.0, 0.0], [0.0, 0.0, -1.0]], flat] {
            let (mut scene, id) = scene(affine(columns));
            let context = Context::new();
            decompose(&mut scene, helper(), &context).expect("valid");
            assert!(matches!(scene.nodes[id].local, LocalTransform::Trs(_)));
            assert!(scene.nodes[id].local.to_affine().abs_diff_eq(affine(columns), 1e-12));
            assert!(context.report().is_empty() && scene.nodes.len() == 2);
        }
    }

    #[test]
    fn shear_is_dropped_and_told_or_kept_by_a_helper() {
        let (mut dropped, id) = scene(affine(SHEARED));
        let context = Context::new();
        decompose(&mut dropped, DecomposeOptions::default(), &context).expect("valid");
        assert_eq!(context.report().count_of("passes.shear-dropped"), 1);
        assert_eq!(dropped.nodes[id].local.to_trs().translation, DVec3::new(1.0, 2.0, 3.0));
        let (mut kept, id) = scene(affine(SHEARED));
        let before = rest_world_transforms(&kept);
        decompose(&mut kept, helper(), &context).expect("valid");
        assert_eq!(context.report().count_of("passes.shear-helper-node"), 1);
        let after = rest_world_transforms(&kept);
        assert!(before.iter().zip(&after).all(|(a, b)| a.abs_diff_eq(*b, 1e-12)));
        let parent = kept.nodes[id].parent.expect("the helper");
        assert_eq!((kept.root_sets[0].roots.as_slice(), kept.nodes[parent].name.as_str()), (&[parent][..], "n.shear"));
        let validated = kept.clone();
        validate(&mut kept, &context);
        assert_eq!(kept, validated);
    }

    #[test]
    fn animated_nodes_get_no_helper() {
        let (mut scene, id) = scene(affine(SHEARED));
        let mut clip = Clip::new("c");
        let curve = Curve::new(Interpolation::Linear, 3, vec![0.0], vec![1.0; 3]);
        clip.channels.push(Channel::new(id, Property::Scale, curve));
        scene.clips.push(clip);
        let context = Context::new();
        decompose(&mut scene, helper(), &context).expect("valid");
        assert_eq!((context.report().count_of("passes.shear-dropped"), scene.nodes.len()), (1, 2));
    }

    #[test]
    fn helpers_are_booked() {
        let mut limits = Limits::default();
        limits.elements = 0;
        let (mut scene, _) = scene(affine(SHEARED));
        let error = decompose(&mut scene, helper(), &Context::new().with_limits(limits)).expect_err("no elements");
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    }

    proptest! {
        #[test]
        fn helpers_keep_any_world(numbers in prop::array::uniform9(-3f64..3.0)) {
            let [a, b, c, d, e, f, g, h, i] = numbers;
            let (mut scene, _) = scene(affine([[a, b, c], [d, e, f], [g, h, i]]));
            let before = rest_world_transforms(&scene);
            decompose(&mut scene, helper(), &Context::new()).expect("valid");
            let after = rest_world_transforms(&scene);
            prop_assert!(before.iter().zip(&after).all(|(a, b)| a.abs_diff_eq(*b, 1e-9)));
            for node in scene.nodes.values() {
                let LocalTransform::Trs(trs) = node.local else { panic!("all come apart") };
                prop_assert!(trs.rotation.is_normalized());
            }
        }

        #[test]
        fn no_matrix_panics(numbers in prop::array::uniform9(prop::num::f64::ANY)) {
            let [a, b, c, d, e, f, g, h, i] = numbers;
            for options in [helper(), DecomposeOptions::default()] {
                let (mut scene, _) = scene(affine([[a, b, c], [d, e, f], [g, h, i]]));
                decompose(&mut scene, options, &Context::new()).expect("valid");
            }
        }
    }
}
