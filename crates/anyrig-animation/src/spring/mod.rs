//! Spring bones by the rules of VRM 1.0.

mod colliders;

use crate::order::dependencies_first;
use crate::places::{Places, inverse};
use crate::rotation::arc;
use crate::{Pose, codes};
use anyrig_bytes::{Context, Place, Result};
use anyrig_scene::{NodeId, Scene, Spring, SpringJoint, Trs};
use colliders::Ball;
use glam::{DAffine3, DVec3};

/// The springs of a scene in motion, one step after the other.
///
/// Every joint turns so that its tail, the next joint of its spring, follows by inertia (Verlet), goes back to its rest
/// direction, falls, and stays out of colliders: `VRMC_springBone` 1.0. Joints come after those above them and above
/// their colliders, otherwise in file order. What clips do to a joint's own rotation has no effect; they move the whole.
///
/// Results depend on the length of the step: take equal ones, most often of [`SpringSimulation::STEP_SECS`].
///
/// ```
/// use anyrig_animation::{Pose, SpringSimulation};
/// # fn main() -> anyrig_bytes::Result<()> {
/// # let (scene, context) = (anyrig_scene::Scene::default(), anyrig_bytes::Context::new());
/// let rest = Pose::rest(&scene);
/// let mut springs = SpringSimulation::new(&scene, &context)?;
/// let mut pose = rest.clone();
/// for frame in 0..60 {
///     pose.copy_from(&rest); // … and the clips and constraints of the frame
///     springs.step(&mut pose, SpringSimulation::STEP_SECS);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct SpringSimulation<'a> {
    scene: &'a Scene,
    places: Places<'a>,
    /// In the order in which they turn.
    joints: Vec<Joint<'a>>,
}

#[derive(Clone, Debug)]
struct Joint<'a> {
    settings: &'a SpringJoint,
    spring: &'a Spring,
    rest: Trs,
    tail: NodeId,
    /// The tail at rest, in the joint's space: its place, and its direction.
    tail_place: DVec3,
    axis: DVec3,
    /// Where the tail is and was a step before, in the space of the spring's center.
    now: DVec3,
    before: DVec3,
}

impl<'a> SpringSimulation<'a> {
    /// The step for which VRM's values are made, in seconds.
    pub const STEP_SECS: f64 = 1.0 / 60.0;

    /// The springs at rest. Joints without length do not swing (`animation.still-joint`); where joints depend on each other
    /// in a ring, through their colliders, it is cut (`animation.cycle`).
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::LimitExceeded`] when the joints times the colliders that they may meet pass the limit of
    /// elements.
    pub fn new(scene: &'a Scene, context: &Context) -> Result<Self> {
        let mut found = Vec::new();
        let rest = Pose::rest_transforms(scene);
        let mut places = Places::new(scene);
        for (number, spring) in scene.rig.springs.iter().enumerate() {
            context.check_cancelled()?;
            let colliders = collider_nodes(scene, spring).count().max(1);
            context.take_elements((colliders as u64).saturating_mul(spring.joints.len() as u64), Place::whole)?;
            for pair in spring.joints.windows(2) {
                match joint(spring, pair, &rest, &mut places) {
                    Some(joint) => found.push(joint),
                    None => context.tell(&codes::STILL_JOINT, format!("spring {number}"), ""),
                }
            }
        }
        let joints = ordered(scene, found, context);
        let mut simulation = Self { scene, places, joints };
        simulation.reset(&mut rest.clone());
        Ok(simulation)
    }

    /// Brings the joints of a pose to their rest rotations and all tails to rest there: before a motion starts, and after
    /// a jump.
    pub fn reset(&mut self, pose: &mut Pose) {
        self.places.forget_all();
        for joint in &mut self.joints {
            let node = joint.settings.node;
            if let Some(trs) = pose.trs_mut(node) {
                trs.rotation = joint.rest.rotation;
            }
            self.places.changed(node);
            let tail = self.places.world(pose, node).transform_point3(joint.tail_place);
            let (_, center_from_scene) = center(&mut self.places, pose, joint.spring.center);
            joint.now = center_from_scene.transform_point3(tail);
            joint.before = joint.now;
        }
    }

    /// Goes on by a time in seconds and turns the joints of the pose, which holds what clips and constraints did. A time
    /// that is not above 0 changes nothing. The pose is finite wherever it was.
    pub fn step(&mut self, pose: &mut Pose, secs: f64) {
        if !(secs > 0.0 && secs.is_finite()) {
            return;
        }
        self.places.forget_all();
        for index in 0..self.joints.len() {
            self.turn(index, pose, secs);
        }
    }

    /// Turns the joints of a pose to where their tails are, without going on.
    pub fn hold(&mut self, pose: &mut Pose) {
        self.places.forget_all();
        for index in 0..self.joints.len() {
            self.face(index, pose);
        }
    }

    /// Moves the tail of a joint on, and the joint with it.
    fn turn(&mut self, index: usize, pose: &mut Pose, secs: f64) {
        let Some(joint) = self.joints.get_mut(index) else { return };
        let node = joint.settings.node;
        let head = self.places.world(pose, node).translation;
        let length = self.places.world(pose, joint.tail).translation.distance(head);
        let rest_direction = scene_from_rest(joint, &mut self.places, pose).transform_vector3(joint.axis);
        let rest_direction = rest_direction.normalize_or_zero();
        let (scene_from_center, center_from_scene) = center(&mut self.places, pose, joint.spring.center);
        let swung = joint.now + (joint.now - joint.before) * (1.0 - joint.settings.drag.clamp(0.0, 1.0));
        let fall = joint.settings.gravity_dir * joint.settings.gravity_power;
        let drawn = (rest_direction * joint.settings.stiffness + fall) * secs;
        let bone = Bone { head, length, rest_direction };
        let wanted = bone.at_length(scene_from_center.transform_point3(swung) + drawn);
        let tail = bone.collide(self.scene, &mut self.places, pose, (joint, wanted));
        if tail.is_finite() {
            (joint.before, joint.now) = (joint.now, center_from_scene.transform_point3(tail));
        }
        self.face(index, pose);
    }

    /// Turns a joint to where its tail is.
    fn face(&mut self, index: usize, pose: &mut Pose) {
        let Some(joint) = self.joints.get(index) else { return };
        let (scene_from_center, _) = center(&mut self.places, pose, joint.spring.center);
        let tail = scene_from_center.transform_point3(joint.now);
        let rest_from_scene = inverse(scene_from_rest(joint, &mut self.places, pose));
        let direction = rest_from_scene.and_then(|m| m.transform_point3(tail).try_normalize());
        let turned = direction.map(|d| joint.rest.rotation * arc(joint.axis, d));
        let node = joint.settings.node;
        if let Some(trs) = pose.trs_mut(node) {
            trs.rotation = turned.filter(|q| q.is_finite()).unwrap_or(joint.rest.rotation);
        }
        self.places.changed(node);
    }
}

/// `scene_from_joint` as it would be with the joint turned as at rest.
fn scene_from_rest(joint: &Joint<'_>, places: &mut Places<'_>, pose: &Pose) -> DAffine3 {
    let node = joint.settings.node;
    let at_rest = Trs { rotation: joint.rest.rotation, ..pose.local(node).to_trs() };
    places.frame(pose, node).world(at_rest)
}

/// A joint in a step.
struct Bone {
    head: DVec3,
    length: f64,
    rest_direction: DVec3,
}

impl Bone {
    /// The point in the same direction that lies as far away as the tail does.
    fn at_length(&self, point: DVec3) -> DVec3 {
        let direction = (point - self.head).try_normalize().unwrap_or(self.rest_direction);
        self.head + direction * self.length
    }

    /// The tail pushed by one collider after the other.
    fn collide(&self, scene: &Scene, places: &mut Places<'_>, pose: &Pose, moved: (&Joint<'_>, DVec3)) -> DVec3 {
        let (joint, mut tail) = moved;
        let radius = joint.settings.hit_radius;
        for collider in colliders(scene, joint.spring) {
            let outward = (tail - self.head).normalize_or_zero();
            let push = Ball { center: tail, radius, outward }.push(collider.shape, places.world(pose, collider.node));
            if push != DVec3::ZERO {
                tail = self.at_length(tail + push);
            }
        }
        tail
    }
}

/// `None` for a joint without length.
fn joint<'a>(spring: &'a Spring, pair: &'a [SpringJoint], rest: &Pose, places: &mut Places<'_>) -> Option<Joint<'a>> {
    let [settings, tail] = pair else { return None };
    let from_scene = inverse(places.world(rest, settings.node))?;
    let tail_place = from_scene.transform_point3(places.world(rest, tail.node).translation);
    let axis = tail_place.try_normalize()?;
    Some(Joint {
        settings,
        spring,
        rest: rest.local(settings.node).to_trs(),
        tail: tail.node,
        tail_place,
        axis,
        now: DVec3::ZERO,
        before: DVec3::ZERO,
    })
}

/// `scene_from_center` and back; the scene itself where there is no center, or one without extent.
fn center(places: &mut Places<'_>, pose: &Pose, center: Option<NodeId>) -> (DAffine3, DAffine3) {
    let world = center.map(|node| places.world(pose, node));
    world.and_then(|world| Some((world, inverse(world)?))).unwrap_or_default()
}

fn colliders<'a>(scene: &'a Scene, spring: &'a Spring) -> impl Iterator<Item = &'a anyrig_scene::Collider> {
    let groups = spring.collider_groups.iter().filter_map(|g| scene.rig.collider_groups.get(*g as usize));
    groups.flat_map(|g| &g.colliders).filter_map(|c| scene.rig.colliders.get(*c as usize))
}

fn collider_nodes<'a>(scene: &'a Scene, spring: &'a Spring) -> impl Iterator<Item = NodeId> + 'a {
    colliders(scene, spring).map(|c| c.node)
}

/// The joints, each after those above it and above its colliders.
fn ordered<'a>(scene: &'a Scene, joints: Vec<Joint<'a>>, context: &Context) -> Vec<Joint<'a>> {
    let above = NearestJoint::new(scene, &joints);
    let mut dependencies: Vec<Vec<usize>> = joints.iter().map(|j| above.strictly(scene, j.settings.node)).collect();
    // What a spring's colliders hang from is the same for all of its joints: it stands behind the joints, once.
    let mut shared: Vec<(*const Spring, usize)> = Vec::new();
    for index in 0..joints.len() {
        let spring: *const Spring = joints[index].spring;
        let known = shared.last().filter(|(of, _)| std::ptr::eq(*of, spring)).map(|(_, place)| *place);
        let place = known.unwrap_or_else(|| {
            let nodes = collider_nodes(scene, joints[index].spring);
            dependencies.push(nodes.flat_map(|node| above.of(node)).collect());
            shared.push((spring, dependencies.len() - 1));
            dependencies.len() - 1
        });
        dependencies[index].push(place);
    }
    let found = dependencies_first(&dependencies);
    if !found.cut.is_empty() {
        context.tell(&codes::CYCLE, "springs", "joints and their colliders hang from each other");
    }
    let mut joints: Vec<Option<Joint<'_>>> = joints.into_iter().map(Some).collect();
    found.order.into_iter().filter_map(|index| joints.get_mut(index)?.take()).collect()
}

/// The joints on the nearest node that has some, at or above each node.
struct NearestJoint {
    by_node: Vec<Option<NodeId>>,
    joints: std::collections::BTreeMap<NodeId, Vec<usize>>,
}

impl NearestJoint {
    fn new(scene: &Scene, joints: &[Joint<'_>]) -> Self {
        let mut nearest = Self { by_node: vec![None; scene.nodes.len()], joints: std::collections::BTreeMap::new() };
        for (index, joint) in joints.iter().enumerate() {
            nearest.joints.entry(joint.settings.node).or_default().push(index);
        }
        for node in anyrig_scene::walk::parents_first(scene) {
            let above = scene.nodes[node].parent.and_then(|p| nearest.by_node.get(p.index()).copied().flatten());
            let own = nearest.joints.contains_key(&node).then_some(node);
            nearest.by_node[node.index()] = own.or(above);
        }
        nearest
    }

    fn of(&self, node: NodeId) -> Vec<usize> {
        let at = self.by_node.get(node.index()).copied().flatten();
        at.and_then(|at| self.joints.get(&at)).cloned().unwrap_or_default()
    }

    fn strictly(&self, scene: &Scene, node: NodeId) -> Vec<usize> {
        scene.nodes.get(node).and_then(|n| n.parent).map_or_else(Vec::new, |parent| self.of(parent))
    }
}

#[cfg(test)]
mod tests;
