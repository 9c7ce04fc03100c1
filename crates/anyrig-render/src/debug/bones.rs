//! Joints: as octahedra, and as arrows along their axes.

use crate::color::{light, of_number};
use crate::marks::Mark;
use crate::renderer::Scenery;
use anyrig_scene::{NodeId, Scene};
use glam::{DAffine3, Vec3};

/// Width of an octahedron as a share of its length.
const WAIST: f32 = 0.1;

/// All joints of all skins, in the order of the nodes; without skins every node that has no mesh but a parent or a child
/// of that kind.
pub(crate) fn joints(scene: &Scene) -> Vec<NodeId> {
    let mut is_joint = vec![false; scene.nodes.len()];
    for joint in scene.skins.values().flat_map(|skin| &skin.joints) {
        if let Some(slot) = is_joint.get_mut(joint.index()) {
            *slot = true;
        }
    }
    if !is_joint.contains(&true) {
        for (id, node) in scene.nodes.iter() {
            let is_plain = node.mesh.is_none() && node.camera.is_none() && node.light.is_none();
            is_joint[id.index()] = is_plain && (node.parent.is_some() || !node.children.is_empty());
        }
    }
    scene.nodes.ids().filter(|id| is_joint[id.index()]).collect()
}

fn place(worlds: &[DAffine3], node: NodeId) -> Vec3 {
    worlds[node.index()].translation.as_vec3()
}

pub(super) fn octahedra(scenery: &mut Scenery<'_>, chosen: Option<usize>) {
    let joints = joints(scenery.scene);
    let mut is_joint = vec![false; scenery.scene.nodes.len()];
    joints.iter().for_each(|id| is_joint[id.index()] = true);
    for id in joints {
        let head = place(&scenery.worlds, id);
        let color = if chosen == Some(id.index()) { light(CHOSEN) } else { of_number(id.index()) };
        let tails: Vec<Vec3> = scenery.scene.nodes[id]
            .children
            .iter()
            .filter(|child| is_joint.get(child.index()) == Some(&true))
            .map(|child| place(&scenery.worlds, *child))
            .collect();
        if tails.is_empty() {
            // Nobody says where the last bone of a chain ends.
            let stub = scenery.size * 0.02;
            let up = scenery.worlds[id.index()].transform_vector3(glam::DVec3::Y).as_vec3();
            octahedron(scenery, head, head + crate::shade::unit_or(up, Vec3::Y) * stub, color);
        }
        for tail in tails {
            octahedron(scenery, head, tail, color);
        }
        scenery.marks.above.push(Mark::Dot { at: head, size: 3.0, color: light([30, 34, 44]).extend(1.0) });
    }
}

fn octahedron(scenery: &mut Scenery<'_>, head: Vec3, tail: Vec3, color: Vec3) {
    let along = tail - head;
    let length = along.length();
    // Bones without a length have no direction.
    if !(length > 0.0 && length.is_finite()) {
        return;
    }
    let (right, up) = (along / length).any_orthonormal_pair();
    let waist = (length * WAIST).min(scenery.size * 0.02);
    let middle = head + along * 0.15;
    let ring = [right, up, -right, -up].map(|side| middle + side * waist);
    for i in 0..4 {
        let (a, b) = (ring[i], ring[(i + 1) % 4]);
        for points in [[head, b, a], [tail, a, b]] {
            scenery.marks.above.push(Mark::Triangle { points, color: color.extend(1.0) });
        }
    }
}

/// X, Y and Z.
pub(super) const AXES: [[u8; 3]; 3] = [[225, 50, 45], [40, 160, 60], [45, 90, 225]];

/// A bone that is asked about.
pub(super) const CHOSEN: [u8; 3] = [235, 40, 30];

pub(super) fn axes(scenery: &mut Scenery<'_>, chosen: Option<usize>) {
    let colors = AXES.map(light);
    let length = scenery.size * 0.04;
    let mut joints = joints(scenery.scene);
    if let Some(chosen) = chosen {
        joints = vec![NodeId::new(chosen)];
    }
    let all = joints.iter().flat_map(|id| [(*id, true), (*id, false)]).collect::<Vec<_>>();
    for (id, at_rest) in all {
        let world = if at_rest { scenery.rest_worlds[id.index()] } else { scenery.worlds[id.index()] };
        let (from, matrix) = (world.translation.as_vec3(), world.matrix3.as_mat3());
        for (axis, color) in [matrix.x_axis, matrix.y_axis, matrix.z_axis].into_iter().zip(colors) {
            // An axis that is scaled to nothing has no direction.
            let Some(direction) = axis.try_normalize() else { continue };
            let to = from + direction * length;
            let (width, alpha) = if at_rest { (1.0, 0.35) } else { (2.0, 1.0) };
            scenery.marks.above.push(Mark::Line { from, to, width, color: color.extend(alpha) });
            if !at_rest {
                scenery.marks.above.push(Mark::Dot { at: to, size: 4.0, color: color.extend(1.0) });
            }
        }
    }
}
