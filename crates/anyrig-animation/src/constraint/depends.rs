//! Which rule follows which.

use super::Rule;
use crate::codes;
use anyrig_bytes::Context;
use anyrig_scene::walk::{Descent, parents_first};
use anyrig_scene::{AppendFrom, ConstraintKind, LookAt, NodeId, Scene, WorldUp};
use std::collections::BTreeMap;

/// What a rule has to know of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    /// Its local transform.
    Local,
    /// Where it stands in the scene, however it is turned.
    Place,
    /// How it stands in the scene.
    World,
}

impl<'a> Rule<'a> {
    /// The nodes that it moves.
    fn moved(self) -> Vec<NodeId> {
        match self {
            Self::Constraint(constraint) => vec![constraint.node],
            Self::Chain(chain) => chain.links.iter().map(|l| l.node).collect(),
        }
    }

    fn moves_places(self) -> bool {
        match self {
            Self::Constraint(constraint) => match constraint.kind {
                ConstraintKind::Parent { .. } | ConstraintKind::Position { .. } => true,
                ConstraintKind::Append { translation, .. } => translation != 0.0,
                _ => false,
            },
            Self::Chain(_) => false,
        }
    }

    /// What it follows, its own nodes aside.
    fn needs(self) -> Vec<(NodeId, Need)> {
        let Self::Constraint(constraint) = self else { return self.needs_of_chain() };
        let need = match &constraint.kind {
            ConstraintKind::Roll { .. } | ConstraintKind::Rotation { .. } | ConstraintKind::Scale { .. } => Need::Local,
            ConstraintKind::Append { from: AppendFrom::Local, .. } => Need::Local,
            ConstraintKind::Aim { .. } | ConstraintKind::Position { .. } => Need::Place,
            ConstraintKind::Append { from: AppendFrom::Scene, .. } => Need::World,
            ConstraintKind::Parent { .. } | ConstraintKind::Orientation { .. } => Need::World,
            ConstraintKind::LookAt(look) => return needs_of_look(look),
        };
        constraint.kind.sources().into_iter().map(|node| (node, need)).collect()
    }

    /// Goal and pole. Between the links and the effector nothing else may come late.
    fn needs_of_chain(self) -> Vec<(NodeId, Need)> {
        let Self::Chain(chain) = self else { return Vec::new() };
        let links: Vec<NodeId> = self.moved();
        chain.nodes().filter(|node| !links.contains(node)).map(|node| (node, Need::Place)).collect()
    }
}

fn needs_of_look(look: &LookAt) -> Vec<(NodeId, Need)> {
    let mut needs: Vec<_> = look.sources.iter().map(|s| (s.node, Need::Place)).collect();
    match look.world_up {
        WorldUp::Node(node) => needs.push((node, Need::Place)),
        WorldUp::NodeDirection { node, .. } => needs.push((node, Need::World)),
        WorldUp::Scene(_) | WorldUp::None => {}
    }
    needs
}

/// Leaves out rules that would chase themselves: what they follow moves with what they move.
pub(super) fn without_own_sources<'a>(scene: &Scene, rules: Vec<Rule<'a>>, context: &Context) -> Vec<Rule<'a>> {
    let descent = Descent::new(scene);
    let mut number = 0;
    let chases = |rule: &Rule<'_>| match rule {
        Rule::Constraint(constraint) => rule.needs().into_iter().any(|(node, need)| {
            node == constraint.node || need != Need::Local && descent.is_below(node, constraint.node)
        }),
        Rule::Chain(chain) => {
            let top = chain.links.last().map(|l| l.node);
            top.is_none_or(|top| chain.goal == top || descent.is_below(chain.goal, top))
        }
    };
    let mut rules = rules;
    rules.retain(|rule| {
        let stays = !chases(rule);
        if !stays {
            context.tell(&codes::OWN_SOURCE, format!("rule {number}"), "");
        }
        number += 1;
        stays
    });
    rules
}

/// The rules that each rule follows.
pub(super) struct Dependencies {
    /// The rules that move each node that is moved, in order.
    movers: BTreeMap<NodeId, Vec<usize>>,
    /// The nearest moved node at or above each node.
    nearest: Vec<Option<NodeId>>,
    of_rules: Vec<Vec<usize>>,
}

impl Dependencies {
    pub(super) fn new(scene: &Scene, rules: &[Rule<'_>]) -> Self {
        let mut movers: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
        for (index, rule) in rules.iter().enumerate() {
            rule.moved().into_iter().for_each(|node| movers.entry(node).or_default().push(index));
        }
        let mut nearest: Vec<Option<NodeId>> = vec![None; scene.nodes.len()];
        for node in parents_first(scene) {
            let above = scene.nodes[node].parent.and_then(|p| nearest.get(p.index()).copied().flatten());
            nearest[node.index()] = movers.contains_key(&node).then_some(node).or(above);
        }
        let mut found = Self { movers, nearest, of_rules: Vec::new() };
        found.of_rules = rules.iter().enumerate().map(|(index, rule)| found.of(scene, rules, (index, *rule))).collect();
        found
    }

    pub(super) fn of_rules(&self) -> &[Vec<usize>] {
        &self.of_rules
    }

    fn of(&self, scene: &Scene, rules: &[Rule<'_>], of: (usize, Rule<'_>)) -> Vec<usize> {
        let (index, rule) = of;
        let parent = |node: NodeId| scene.nodes.get(node).and_then(|n| n.parent);
        let mut found = Vec::new();
        for (node, need) in rule.needs() {
            match need {
                Need::Local => found.extend(self.last_mover(index, node, |_| true)),
                Need::Place => {
                    found.extend(self.last_mover(index, node, |mover| rules[mover].moves_places()));
                    found.extend(self.above(scene, index, parent(node)));
                }
                Need::World => found.extend(self.above(scene, index, Some(node))),
            }
        }
        for node in rule.moved() {
            found.extend(self.last_mover(index, node, |_| true));
            found.extend(self.above(scene, index, parent(node)));
        }
        found
    }

    /// The last of the rules that move a node, which follows the others; for one of them the one before it.
    fn last_mover(&self, index: usize, node: NodeId, wanted: impl Fn(usize) -> bool) -> Option<usize> {
        let movers = self.movers.get(&node)?.as_slice();
        // In the order of the rules, as they were pushed; there may be many on one node.
        let first = movers.partition_point(|mover| *mover < index);
        let before = if movers.get(first) == Some(&index) { first } else { movers.len() };
        movers[..before].iter().rev().copied().find(|mover| wanted(*mover))
    }

    /// The last rule of the nearest moved node from a node upwards that the rule does not move alone or first. Those
    /// further up are followed by it.
    fn above(&self, scene: &Scene, index: usize, from: Option<NodeId>) -> Option<usize> {
        let mut next = from;
        while let Some(node) = next.and_then(|n| self.nearest.get(n.index()).copied().flatten()) {
            if let Some(mover) = self.last_mover(index, node, |_| true) {
                return Some(mover);
            }
            next = scene.nodes[node].parent;
        }
        None
    }
}
