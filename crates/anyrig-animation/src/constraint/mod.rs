//! Constraints and IK chains: what moves nodes after the clips, each in its turn.

mod append;
mod depends;
#[cfg(test)]
mod tests;
mod tool;
mod vrm;

use crate::ik::{MOST_ITERATIONS, Reach};
use crate::order::dependencies_first;
use crate::places::{Places, inverse};
use crate::{Pose, codes};
use anyrig_bytes::{Context, Place, Result};
use anyrig_scene::{Constraint, ConstraintKind, IkChain, NodeId, Scene, Trs};
use depends::Dependencies;
use glam::{DAffine3, DQuat, DVec3};

/// Something that moves nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rule<'a> {
    Constraint(&'a Constraint),
    Chain(&'a IkChain),
}

/// The constraints and IK chains of a scene, in the order in which they act.
///
/// A rule comes after those that move what it follows, and what that hangs from, and after those that move what its own
/// nodes hang from. Where nothing else decides, constraints come before IK chains, both in the scene's order; rules that
/// move one node act in it. Springs come last: [`crate::SpringSimulation`].
///
/// ```
/// use anyrig_animation::{Evaluator, Pose, RigSolver};
/// # fn main() -> anyrig_bytes::Result<()> {
/// # let (scene, context) = (anyrig_scene::Scene::default(), anyrig_bytes::Context::new());
/// let (evaluator, mut pose) = (Evaluator::new(&scene), Pose::rest(&scene));
/// let mut rig = RigSolver::new(&scene, &context)?;
/// // … clips move the pose
/// rig.solve(&mut pose);
/// let worlds = evaluator.worlds(&pose);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct RigSolver<'a> {
    places: Places<'a>,
    rest: Pose,
    rest_worlds: Vec<DAffine3>,
    rules: Vec<Rule<'a>>,
}

impl<'a> RigSolver<'a> {
    /// Orders the rules of a scene.
    ///
    /// A rule that follows what it moves itself is left out (`animation.own-source`). Where rules depend on each other in
    /// a ring, one of them acts on what another one did not do yet (`animation.cycle`). A two-bone chain of another number
    /// of links is solved as [`anyrig_scene::IkMethod::Ccd`] (`animation.unfit-chain`).
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::LimitExceeded`] when a chain's iterations times the square of its links pass the limit of
    /// elements; [`anyrig_bytes::ErrorKind::Cancelled`].
    pub fn new(scene: &'a Scene, context: &Context) -> Result<Self> {
        context.check_cancelled()?;
        let rest = Pose::rest_transforms(scene);
        let constraints = scene.rig.constraints.iter().map(Rule::Constraint);
        let rules: Vec<Rule<'_>> = constraints.chain(scene.rig.ik_chains.iter().map(Rule::Chain)).collect();
        let rules = depends::without_own_sources(scene, rules, context);
        for (number, chain) in scene.rig.ik_chains.iter().enumerate() {
            book(number, chain, context)?;
        }
        let dependencies = Dependencies::new(scene, &rules);
        let found = dependencies_first(dependencies.of_rules());
        for rule in &found.cut {
            context.tell(&codes::CYCLE, format!("rule {rule}"), "it follows something that follows it");
        }
        let rules = found.order.into_iter().filter_map(|index| rules.get(index).copied()).collect();
        let rest_worlds = crate::Evaluator::new(scene).worlds(&rest);
        Ok(Self { places: Places::new(scene), rest, rest_worlds, rules })
    }

    /// Moves the nodes of a pose that have rules. Nodes without one keep what they have, and where a rule has no answer,
    /// because something has no direction or no extent, its node does. What was finite stays finite.
    pub fn solve(&mut self, pose: &mut Pose) {
        self.places.forget_all();
        for rule in &self.rules {
            match rule {
                Rule::Constraint(constraint) => {
                    let (places, rest) = (&mut self.places, (&self.rest, self.rest_worlds.as_slice()));
                    let weight = constraint.weight.clamp(0.0, 1.0);
                    Act { node: constraint.node, weight, pose, places, rest }.apply(&constraint.kind);
                }
                Rule::Chain(chain) => Reach { chain, pose, places: &mut self.places, rest: &self.rest }.solve(),
            }
        }
    }
}

/// What a chain may cost, before it is asked to.
fn book(number: usize, chain: &IkChain, context: &Context) -> Result<()> {
    let links = chain.links.len() as u64;
    let most = links.saturating_mul(links).saturating_mul(chain.iterations.min(MOST_ITERATIONS).into());
    context.take_elements(most, Place::whole)?;
    if matches!(chain.method, anyrig_scene::IkMethod::TwoBone { .. }) && links != 2 {
        context.tell(&codes::UNFIT_CHAIN, format!("IK chain {number}"), format!("it has {links}"));
    }
    Ok(())
}

/// A constraint at work on its node.
struct Act<'r, 'p, 's> {
    node: NodeId,
    weight: f64,
    pose: &'p mut Pose,
    places: &'r mut Places<'s>,
    rest: (&'r Pose, &'r [DAffine3]),
}

impl Act<'_, '_, '_> {
    fn apply(&mut self, kind: &ConstraintKind) {
        match kind {
            ConstraintKind::Roll { source, axis } => self.roll(*source, *axis),
            ConstraintKind::Aim { source, axis } => self.aim(*source, *axis),
            ConstraintKind::Rotation { source } => self.rotation(*source),
            ConstraintKind::Append { source, rotation, translation, from } => {
                self.append(*source, (*rotation, *translation), *from);
            }
            ConstraintKind::Parent { sources } => self.parent(sources),
            ConstraintKind::Position { sources, offset, axes } => self.position(sources, *offset, *axes),
            ConstraintKind::Orientation { sources, offset } => self.orientation(sources, *offset),
            ConstraintKind::Scale { sources, offset, axes } => self.scale(sources, *offset, *axes),
            ConstraintKind::LookAt(look) => self.look_at(look),
        }
    }

    fn local(&self, node: NodeId) -> Trs {
        self.pose.local(node).to_trs()
    }

    fn rest(&self, node: NodeId) -> Trs {
        self.rest.0.local(node).to_trs()
    }

    fn rest_world(&self, node: NodeId) -> DAffine3 {
        self.rest.1.get(node.index()).copied().unwrap_or_default()
    }

    fn world(&mut self, node: NodeId) -> DAffine3 {
        self.places.world(self.pose, node)
    }

    fn place(&mut self, node: NodeId) -> DVec3 {
        self.world(node).translation
    }

    fn place_of_node(&mut self) -> DVec3 {
        self.place(self.node)
    }

    /// `scene_from_parent` of the node.
    fn parent_world(&mut self) -> DAffine3 {
        self.places.frame(self.pose, self.node).world(Trs::IDENTITY)
    }

    fn parent_rotation(&mut self) -> DQuat {
        Trs::nearest_to_affine(self.parent_world()).rotation
    }

    /// A place of the scene in the parent's space.
    fn in_parent(&mut self, place: DVec3) -> Option<DVec3> {
        inverse(self.parent_world()).map(|parent_from_scene| parent_from_scene.transform_point3(place))
    }

    /// Sets the node's transform, if it is finite.
    fn set(&mut self, trs: Trs) {
        if !(trs.translation.is_finite() && trs.rotation.is_finite() && trs.scale.is_finite()) {
            return;
        }
        if let Some(own) = self.pose.trs_mut(self.node) {
            *own = trs;
        }
        self.places.changed(self.node);
    }
}
