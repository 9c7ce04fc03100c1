//! What moves nodes beside clips: constraints, IK chains and springs.

mod constraints;
mod ik;
mod springs;

pub use constraints::{AppendFrom, Constraint, ConstraintKind, ConstraintSource, LookAt, WorldUp};
pub use ik::{AngleLimits, IkChain, IkLink, IkMethod};
pub use springs::{Collider, ColliderGroup, ColliderShape, ColliderSide, Spring, SpringJoint};

use crate::{Extras, NodeId};

/// What moves nodes beside clips. Clips come first, then constraints and IK chains together, each after what it depends
/// on, then springs (the order of VRM 1.0).
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Rig {
    /// Constraints.
    pub constraints: Vec<Constraint>,
    /// IK chains.
    pub ik_chains: Vec<IkChain>,
    /// Chains that swing.
    pub springs: Vec<Spring>,
    /// What springs collide with.
    pub collider_groups: Vec<ColliderGroup>,
    /// The colliders of the groups.
    pub colliders: Vec<Collider>,
}

impl Rig {
    /// True when nothing moves.
    pub fn is_empty(&self) -> bool {
        self.constraints.is_empty()
            && self.ik_chains.is_empty()
            && self.springs.is_empty()
            && self.collider_groups.is_empty()
            && self.colliders.is_empty()
    }

    /// All nodes that it names, some of them several times.
    pub fn nodes(&self) -> Vec<NodeId> {
        let constraints = self.constraints.iter().flat_map(|c| std::iter::once(c.node).chain(c.kind.sources()));
        let chains = self.ik_chains.iter().flat_map(IkChain::nodes);
        let springs = self.springs.iter().flat_map(|s| s.joints.iter().map(|j| j.node).chain(s.center));
        constraints.chain(chains).chain(springs).chain(self.colliders.iter().map(|c| c.node)).collect()
    }

    /// Nodes that constraints, IK chains and springs move.
    pub fn moved_nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        let links = self.ik_chains.iter().flat_map(|c| c.links.iter().map(|l| l.node));
        let joints = self.springs.iter().flat_map(|s| s.joints.iter().map(|j| j.node));
        self.constraints.iter().map(|c| c.node).chain(links).chain(joints)
    }

    /// Changes all nodes. What cannot do without one that goes is removed, a spring from there on; how many elements that
    /// were.
    pub fn map_nodes(&mut self, mut new: impl FnMut(NodeId) -> Option<NodeId>) -> u64 {
        let before = self.element_count();
        self.constraints.retain_mut(|c| replace(&mut c.node, &mut new) && c.kind.map_nodes(&mut new));
        self.ik_chains.retain_mut(|chain| chain.map_nodes(&mut new));
        for spring in &mut self.springs {
            spring.center = spring.center.and_then(&mut new);
            let stays = spring.joints.iter_mut().position(|joint| !replace(&mut joint.node, &mut new));
            spring.joints.truncate(stays.unwrap_or(spring.joints.len()));
        }
        self.springs.retain(|spring| !spring.joints.is_empty());
        let kept: Vec<bool> = self.colliders.iter_mut().map(|c| replace(&mut c.node, &mut new)).collect();
        self.retain_colliders(&kept);
        before - self.element_count()
    }

    /// Extras of all that is in it.
    pub fn extras(&self) -> impl Iterator<Item = &Extras> {
        let joints = self.springs.iter().flat_map(|s| s.joints.iter().map(|j| &j.extras));
        let springs = self.springs.iter().map(|s| &s.extras).chain(joints);
        let colliders = self.colliders.iter().map(|c| &c.extras).chain(self.collider_groups.iter().map(|g| &g.extras));
        let rules = self.constraints.iter().map(|c| &c.extras).chain(self.ik_chains.iter().map(|c| &c.extras));
        rules.chain(springs).chain(colliders)
    }

    /// As [`Rig::extras`], for writing.
    pub fn extras_mut(&mut self) -> impl Iterator<Item = &mut Extras> {
        let springs = self.springs.iter_mut().flat_map(|s| {
            let Spring { extras, joints, .. } = s;
            std::iter::once(extras).chain(joints.iter_mut().map(|j| &mut j.extras))
        });
        let groups = self.collider_groups.iter_mut().map(|g| &mut g.extras);
        let colliders = self.colliders.iter_mut().map(|c| &mut c.extras).chain(groups);
        let rules = self.constraints.iter_mut().map(|c| &mut c.extras);
        rules.chain(self.ik_chains.iter_mut().map(|c| &mut c.extras)).chain(springs).chain(colliders)
    }

    /// Keeps the marked colliders; groups name the same ones as before.
    pub(crate) fn retain_colliders(&mut self, kept: &[bool]) {
        if kept.iter().all(|kept| *kept) {
            return;
        }
        let mut next = 0;
        let new: Vec<Option<u32>> = kept
            .iter()
            .map(|kept| {
                next += u32::from(*kept);
                kept.then(|| next - 1)
            })
            .collect();
        let mut stays = kept.iter();
        self.colliders.retain(|_| stays.next() == Some(&true));
        for group in &mut self.collider_groups {
            group.colliders = group.colliders.iter().filter_map(|c| new.get(*c as usize).copied().flatten()).collect();
        }
    }

    fn element_count(&self) -> u64 {
        let joints: usize = self.springs.iter().map(|s| s.joints.len()).sum();
        (self.constraints.len() + self.ik_chains.len() + joints + self.colliders.len()) as u64
    }
}

fn replace(node: &mut NodeId, new: &mut impl FnMut(NodeId) -> Option<NodeId>) -> bool {
    new(*node).is_some_and(|found| {
        *node = found;
        true
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn id(index: usize) -> NodeId {
        NodeId::new(index)
    }

    fn sphere(node: usize) -> Collider {
        let shape = ColliderShape::Sphere { offset: DVec3::ZERO, radius: 1.0, side: ColliderSide::Outside };
        Collider::new(id(node), shape)
    }

    fn rig() -> Rig {
        let mut rig = Rig::default();
        rig.constraints.push(Constraint::new(id(1), ConstraintKind::Rotation { source: id(2) }));
        let sources = [2, 3].map(|n| ConstraintSource::new(id(n))).to_vec();
        let mut look = LookAt::new(sources);
        look.world_up = WorldUp::Node(id(4));
        rig.constraints.push(Constraint::new(id(1), ConstraintKind::LookAt(Box::new(look))));
        rig.ik_chains.push(IkChain::new(id(4), id(3), vec![IkLink::new(id(2)), IkLink::new(id(1))]));
        let joints = [1, 2, 3].map(|n| SpringJoint::new(id(n))).to_vec();
        rig.springs.push(Spring { center: Some(id(0)), collider_groups: vec![0], ..Spring::new("s", joints) });
        rig.colliders = vec![sphere(2), sphere(0), sphere(4)];
        rig.collider_groups.push(ColliderGroup::new("g", vec![2, 0, 1]));
        rig
    }

    #[test]
    fn nodes_get_new_numbers() {
        let mut rig = rig();
        assert_eq!(rig.map_nodes(|node| Some(id(node.index() + 10))), 0);
        let mut nodes: Vec<usize> = rig.nodes().into_iter().map(NodeId::index).collect();
        nodes.sort_unstable();
        nodes.dedup();
        assert_eq!(nodes, [10, 11, 12, 13, 14]);
        assert_eq!(rig.nodes().len(), 17);
    }

    #[test]
    fn what_names_a_node_that_goes_goes_too() {
        let mut rig = rig();
        // The rotation, the IK chain, two joints from node 2 on, one collider.
        assert_eq!(rig.map_nodes(|node| (node.index() != 2).then_some(node)), 5);
        assert_eq!((rig.constraints.len(), rig.ik_chains.len(), rig.springs[0].joints.len()), (1, 0, 1));
        assert_eq!(rig.collider_groups[0].colliders, [1, 0], "the same nodes as before");
        assert_eq!(rig.map_nodes(|node| (node.index() != 4).then_some(node)), 1);
        let ConstraintKind::LookAt(look) = &rig.constraints[0].kind else { panic!("kept") };
        assert_eq!((look.world_up, look.sources.len()), (WorldUp::None, 1));
        rig.map_nodes(|_| None);
        assert!(rig.constraints.is_empty() && rig.springs.is_empty() && rig.colliders.is_empty());
        assert!(!rig.is_empty(), "the group stays where its number is");
    }
}
