//! Cameras and lights look along their node's -Z with +Y up, whatever the scene's axes.

use super::axes::SignedPermutation;
use crate::codes;
use anyrig_bytes::{Context, Place, Result};
use anyrig_scene::{LocalTransform, Node, NodeId, Property, Scene, Trs};
use glam::{DAffine3, DMat3, DQuat, DVec3};
use std::collections::BTreeSet;

/// Turns the nodes of cameras and lights, so that they look where they looked before the change of basis.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::LimitExceeded`] when helper nodes pass the limit of elements.
pub(super) fn turn_views(scene: &mut Scene, basis: &SignedPermutation, context: &Context) -> Result<()> {
    let (backwards, up) = (basis.vector(DVec3::Z), basis.vector(DVec3::Y));
    if (backwards, up) == (DVec3::Z, DVec3::Y) {
        return Ok(());
    }
    let turn = Turn::new(DMat3::from_cols(up.cross(backwards), up, backwards));
    let views: Vec<NodeId> =
        scene.nodes.iter().filter(|(_, n)| n.camera.is_some() || n.light.is_some()).map(|(id, _)| id).collect();
    let joints: BTreeSet<NodeId> = scene.skins.values().flat_map(|s| s.joints.iter().copied()).collect();
    for id in views {
        let Some(node) = scene.nodes.get_mut(id) else { continue };
        let is_bare = node.children.is_empty() && node.mesh.is_none() && node.pivots.is_none();
        if is_bare && !joints.contains(&id) {
            node.local = turn.local(node.local);
            turn_curves(scene, id, &turn);
            continue;
        }
        context.take_elements(1, Place::whole)?;
        let mut helper = Node::new(format!("{}.view", node.name));
        (helper.camera, helper.light) = (node.camera.take(), node.light.take());
        helper.local = turn.local(LocalTransform::default());
        let name = node.name.clone();
        scene.add_node(helper, Some(id));
        context.tell(&codes::VIEW_HELPER, name, "the node carries more than a camera or light, or has pivots");
    }
    Ok(())
}

/// A rotation that moves axes onto axes.
struct Turn {
    matrix: DMat3,
    rotation: DQuat,
}

impl Turn {
    fn new(matrix: DMat3) -> Self {
        Self { matrix, rotation: DQuat::from_mat3(&matrix) }
    }

    /// The transform after this rotation.
    fn local(&self, local: LocalTransform) -> LocalTransform {
        match local {
            LocalTransform::Trs(trs) => LocalTransform::Trs(Trs {
                rotation: trs.rotation * self.rotation,
                scale: self.scale(trs.scale),
                translation: trs.translation,
            }),
            LocalTransform::Matrix(affine) => LocalTransform::Matrix(affine * DAffine3::from_mat3(self.matrix)),
        }
    }

    /// `S R = R S'`: the factors along the turned axes.
    fn scale(&self, scale: DVec3) -> DVec3 {
        let m = self.matrix;
        [m.x_axis, m.y_axis, m.z_axis].map(|axis| axis.abs().dot(scale)).into()
    }
}

fn turn_curves(scene: &mut Scene, id: NodeId, turn: &Turn) {
    for channel in scene.clips.iter_mut().flat_map(|c| &mut c.channels) {
        match channel.node_target() {
            Some((node, Property::Rotation)) if node == id => {
                for value in channel.curve.values.make_mut().as_chunks_mut::<4>().0 {
                    let turned = DQuat::from_array(value.map(f64::from)) * turn.rotation;
                    *value = turned.to_array().map(|v| v as f32);
                }
            }
            Some((node, Property::Scale)) if node == id => {
                for value in channel.curve.values.make_mut().as_chunks_mut::<3>().0 {
                    *value = turn.scale(DVec3::from(value.map(f64::from))).as_vec3().to_array();
                }
            }
            _ => {}
        }
    }
}
