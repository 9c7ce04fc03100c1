//! The skeleton: joint names, rest positions in metres, and the nodes between and around them.

use anyrig_scene::glam::{DAffine3, DQuat, DVec3};
use anyrig_scene::{LocalTransform, Node, NodeId, Scene, Skin, SkinId, Trs};

/// A joint at rest.
#[derive(Clone, Debug)]
pub struct Joint {
    /// The humanoid name, as VRM and most tools know it, in upper camel case.
    pub name: String,
    /// Index of the parent joint.
    pub parent: Option<usize>,
    /// `model_from_joint` at rest.
    pub model_from_joint: DAffine3,
}

/// All joints, parents before children. The character faces +Z, its left is +X.
#[derive(Clone, Debug)]
pub struct Rig {
    joints: Vec<Joint>,
}

/// Name, parent, position in metres, and the point that the joint's own +Y looks at (`None`: straight up).
type Row = (&'static str, &'static str, [f64; 3], Option<[f64; 3]>);

const TRUNK: [Row; 6] = [
    ("Hips", "", [0.0, 0.95, 0.0], None),
    ("Spine", "Hips", [0.0, 1.05, -0.005], None),
    ("Chest", "Spine", [0.0, 1.17, -0.01], None),
    ("UpperChest", "Chest", [0.0, 1.30, -0.01], None),
    ("Neck", "UpperChest", [0.0, 1.46, -0.015], None),
    ("Head", "Neck", [0.0, 1.545, 0.0], None),
];

/// The left side; the right one is its mirror image. Limb joints look at their child, as tools with bones write them.
const SIDE: [Row; 10] = [
    ("Shoulder", "UpperChest", [0.03, 1.425, -0.01], Some([0.17, 1.415, -0.015])),
    ("UpperArm", "Shoulder", [0.17, 1.415, -0.015], Some([0.43, 1.41, -0.025])),
    ("LowerArm", "UpperArm", [0.43, 1.41, -0.025], Some([0.675, 1.41, -0.015])),
    ("Hand", "LowerArm", [0.675, 1.41, -0.015], Some([0.765, 1.41, -0.01])),
    ("ThumbProximal", "Hand", [0.705, 1.40, 0.015], Some([0.75, 1.395, 0.055])),
    ("MiddleProximal", "Hand", [0.765, 1.41, -0.01], Some([0.85, 1.41, -0.01])),
    ("UpperLeg", "Hips", [0.09, 0.91, 0.0], Some([0.095, 0.50, 0.01])),
    ("LowerLeg", "UpperLeg", [0.095, 0.50, 0.01], Some([0.10, 0.09, -0.02])),
    ("Foot", "LowerLeg", [0.10, 0.09, -0.02], Some([0.10, 0.03, 0.09])),
    ("Toes", "Foot", [0.10, 0.03, 0.09], Some([0.10, 0.03, 0.15])),
];

impl Rig {
    /// The mannequin's rig at rest: a T-pose, 1.76 m tall.
    pub fn new() -> Self {
        let mut rig = Self { joints: Vec::new() };
        for (name, parent, at, look_at) in TRUNK {
            rig.push(name.to_owned(), parent, DVec3::from(at), look_at.map(DVec3::from));
        }
        for (side, sign) in [("Left", 1.0), ("Right", -1.0)] {
            let mirror = DVec3::new(sign, 1.0, 1.0);
            for (name, parent, at, look_at) in SIDE {
                let parent = if ["UpperChest", "Hips"].contains(&parent) {
                    parent.to_owned()
                } else {
                    format!("{side}{parent}")
                };
                let look_at = look_at.map(|p| DVec3::from(p) * mirror);
                rig.push(format!("{side}{name}"), &parent, DVec3::from(at) * mirror, look_at);
            }
        }
        rig
    }

    fn push(&mut self, name: String, parent: &str, at: DVec3, look_at: Option<DVec3>) {
        let parent = (!parent.is_empty()).then(|| self.index(parent));
        let rotation = look_at.map_or(DQuat::IDENTITY, |target| turn_from_up(target - at));
        let model_from_joint = DAffine3::from_rotation_translation(rotation, at);
        self.joints.push(Joint { name, parent, model_from_joint });
    }

    /// All joints, parents before children.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// The index of a joint that the tables above name.
    pub fn index(&self, name: &str) -> usize {
        self.joints.iter().position(|j| j.name == name).unwrap_or_else(|| panic!("the rig has no joint {name}"))
    }

    /// `parent_from_joint` at rest.
    pub fn local(&self, joint: usize) -> DAffine3 {
        let joint = &self.joints[joint];
        let model_from_parent = joint.parent.map_or(DAffine3::IDENTITY, |p| self.joints[p].model_from_joint);
        model_from_parent.inverse() * joint.model_from_joint
    }

    /// The joint's local rotation when it is turned by `turn` away from rest. The turn is given in model axes as they
    /// are at rest, and is carried along by the parents: `Rx(-30°)` on a thigh swings it forward whatever the hips do.
    pub fn turned(&self, joint: usize, turn: DQuat) -> DQuat {
        let of = |joint: &Joint| DQuat::from_affine3(&joint.model_from_joint);
        let rest = of(&self.joints[joint]);
        let parent = self.joints[joint].parent.map_or(DQuat::IDENTITY, |p| of(&self.joints[p]));
        parent.inverse() * turn * rest
    }
}

/// The shortest turn that takes +Y to a direction.
fn turn_from_up(direction: DVec3) -> DQuat {
    let Some(to) = direction.try_normalize() else { return DQuat::IDENTITY };
    let half_way = DVec3::Y + to;
    let Some(half_way) = half_way.try_normalize() else { return DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0) };
    let axis = DVec3::Y.cross(half_way);
    DQuat::from_xyzw(axis.x, axis.y, axis.z, DVec3::Y.dot(half_way))
}

/// What the rig became in a scene.
#[derive(Clone, Debug)]
pub struct RigNodes {
    /// The node of each joint, in the rig's order.
    pub joints: Vec<NodeId>,
    /// The skin over all joints.
    pub skin: SkinId,
}

/// Adds the joints and the skin.
///
/// A node that is no joint stands between `Chest` and `UpperChest`, as exporters of some tools leave them there.
pub fn add_to(scene: &mut Scene, rig: &Rig) -> RigNodes {
    let armature = scene.add_node(Node::new("Armature"), None);
    let mut nodes: Vec<NodeId> = Vec::new();
    for (index, joint) in rig.joints().iter().enumerate() {
        let parent = joint.parent.map_or(armature, |p| nodes[p]);
        let local = rig.local(index);
        let node = if joint.name == "UpperChest" {
            let helper = moved_node("Chest_helper", local * DAffine3::from_translation(DVec3::new(0.0, -0.03, 0.02)));
            let helper = scene.add_node(helper, Some(parent));
            let rest = moved_node(&joint.name, DAffine3::from_translation(DVec3::new(0.0, 0.03, -0.02)));
            scene.add_node(rest, Some(helper))
        } else {
            scene.add_node(moved_node(&joint.name, local), Some(parent))
        };
        nodes.push(node);
    }
    let inverse_binds = rig.joints().iter().map(|j| j.model_from_joint.inverse()).collect();
    let mut skin = Skin::new("Mannequin", nodes.clone(), inverse_binds);
    skin.skeleton = Some(armature);
    RigNodes { joints: nodes, skin: scene.skins.push(skin) }
}

fn moved_node(name: &str, local: DAffine3) -> Node {
    let rotation = DQuat::from_affine3(&local);
    let rotation = rotation * (1.0 / rotation.length());
    let trs = Trs { translation: local.translation, rotation, scale: DVec3::ONE };
    let mut node = Node::new(name);
    node.local = LocalTransform::Trs(trs);
    node
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_scene::walk::rest_world_transforms;

    #[test]
    fn joints_rest_where_the_table_says() {
        let rig = Rig::new();
        assert_eq!(rig.joints().len(), 26);
        let mut scene = Scene::default();
        let nodes = add_to(&mut scene, &rig);
        let worlds = rest_world_transforms(&scene);
        for (joint, node) in rig.joints().iter().zip(&nodes.joints) {
            assert!(worlds[node.index()].abs_diff_eq(joint.model_from_joint, 1e-9), "{}", joint.name);
        }
        let left_hand = nodes.joints[rig.index("LeftHand")];
        assert!(worlds[left_hand.index()].translation.distance(DVec3::new(0.675, 1.41, -0.015)) < 1e-9);
    }

    #[test]
    fn turns_are_in_model_axes() {
        let rig = Rig::new();
        let thigh = rig.index("LeftUpperLeg");
        let quarter = DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2);
        let hips = rig.joints()[rig.index("Hips")].model_from_joint;
        let knee_from_thigh = rig.local(rig.index("LeftLowerLeg")).translation;
        let turned = DAffine3::from_rotation_translation(rig.turned(thigh, quarter), rig.local(thigh).translation);
        let knee = (hips * turned).transform_point3(knee_from_thigh);
        // A quarter turn about -X takes the leg from pointing down to pointing forward.
        assert!(knee.z > 0.4 && (knee.y - 0.91).abs() < 0.02, "{knee}");
    }

    #[test]
    fn straight_down_has_a_turn() {
        let down = turn_from_up(DVec3::NEG_Y);
        assert!((down * DVec3::Y).distance(DVec3::NEG_Y) < 1e-12);
        assert!((turn_from_up(DVec3::X) * DVec3::Y).distance(DVec3::X) < 1e-12);
    }
}
