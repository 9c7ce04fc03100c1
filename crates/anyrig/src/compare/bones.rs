//! Bones by name, at rest.

use super::numbers::{Numbers, told};
use super::scenes::Bounds;
use anyrig_animation::{Evaluator, Pose};
use anyrig_bytes::codec::FieldDifference;
use anyrig_scene::glam::DAffine3;
use anyrig_scene::{NodeId, Scene, Target};
use std::collections::{BTreeMap, BTreeSet};

/// The joints of all skins and the animated nodes of a scene.
pub(super) struct Bones {
    /// By name; of several with one name the first.
    pub(super) by_name: BTreeMap<String, NodeId>,
    /// Names in the order of the nodes.
    pub(super) order: Vec<String>,
    nodes: BTreeSet<NodeId>,
    worlds: Vec<DAffine3>,
    /// Whether there is a skeleton; files with motions only have bones without places at rest.
    has_skins: bool,
}

impl Bones {
    pub(super) fn of(scene: &Scene) -> Self {
        let joints = scene.skins.values().flat_map(|s| s.joints.iter().copied());
        let animated = scene.clips.iter().flat_map(|c| &c.channels).filter_map(|c| match c.target {
            Target::Node { node, .. } | Target::Component { node, .. } => Some(node),
            _ => None,
        });
        let nodes: BTreeSet<NodeId> = joints.chain(animated).filter(|n| scene.nodes.contains(*n)).collect();
        let (mut by_name, mut order) = (BTreeMap::new(), Vec::new());
        for node in &nodes {
            let name = &scene.nodes[*node].name;
            by_name.entry(name.clone()).or_insert_with(|| {
                order.push(name.clone());
                *node
            });
        }
        let worlds = Evaluator::new(scene).worlds(&Pose::rest(scene));
        Self { by_name, order, nodes, worlds, has_skins: !scene.skins.is_empty() }
    }

    /// The bones of two scenes. What is a bone in one and only a node in the other counts as a bone there too: a format of
    /// skinned models alone hangs rigid parts on bones, where another one has plain nodes.
    pub(super) fn of_both(a: &Scene, b: &Scene, notes: &mut Vec<String>) -> (Self, Self) {
        let (mut bones_a, mut bones_b) = (Self::of(a), Self::of(b));
        let in_b = bones_b.adopt(b, &bones_a);
        let in_a = bones_a.adopt(a, &bones_b);
        for (count, with, without) in [(in_b, "first", "second"), (in_a, "second", "first")] {
            if count > 0 {
                notes.push(match count {
                    1 => format!("a plain node of the {without} counts as a bone, which it is in the {with}"),
                    _ => format!("{count} plain nodes of the {without} count as bones, which they are in the {with}"),
                });
            }
        }
        (bones_a, bones_b)
    }

    /// Takes the nodes in that are bones elsewhere; gives their number.
    fn adopt(&mut self, scene: &Scene, others: &Self) -> usize {
        let mut nodes: BTreeMap<&str, NodeId> = BTreeMap::new();
        for (id, node) in scene.nodes.iter().filter(|(_, node)| !node.name.is_empty()) {
            nodes.entry(&node.name).or_insert(id);
        }
        let mut count = 0;
        for name in &others.order {
            let Some(node) = nodes.get(name.as_str()).filter(|_| !self.by_name.contains_key(name)) else { continue };
            self.by_name.insert(name.clone(), *node);
            self.order.push(name.clone());
            self.nodes.insert(*node);
            count += 1;
        }
        count
    }

    /// The way down to a bone: from below the nearest bone above that has one of the names, which is given too, else from
    /// the root. Nodes that only one of two files has lie within the way.
    pub(super) fn way<'s>(
        &self,
        scene: &'s Scene,
        node: NodeId,
        is_common: impl Fn(&str) -> bool,
    ) -> (Vec<NodeId>, Option<&'s str>) {
        let mut way = vec![node];
        let above = std::iter::successors(scene.nodes[node].parent, |n| scene.nodes[*n].parent);
        for id in above.take(scene.nodes.len()) {
            let name = scene.nodes[id].name.as_str();
            if self.nodes.contains(&id) && is_common(name) {
                way.reverse();
                return (way, Some(name));
            }
            way.push(id);
        }
        way.reverse();
        (way, None)
    }

    fn world(&self, node: NodeId) -> DAffine3 {
        self.worlds.get(node.index()).copied().unwrap_or_default()
    }

    /// The name of the nearest bone above.
    fn parent<'s>(&self, scene: &'s Scene, node: NodeId) -> &'s str {
        let above = std::iter::successors(scene.nodes[node].parent, |n| scene.nodes[*n].parent);
        above.take(scene.nodes.len()).find(|n| self.nodes.contains(n)).map_or("", |n| &scene.nodes[n].name)
    }
}

/// Compares names, and where both scenes have skeletons, or neither has one, parents and places.
pub(super) fn compare(
    (a, bones_a): (&Scene, &Bones),
    (b, bones_b): (&Scene, &Bones),
    bounds: Bounds,
    (found, notes): (&mut Vec<FieldDifference>, &mut Vec<String>),
) {
    let at_rest = bones_a.has_skins == bones_b.has_skins;
    if !at_rest {
        let which = if bones_a.has_skins { "second" } else { "first" };
        notes.push(format!("bones were compared by name and in motion only: the {which} has no skeleton"));
    }
    if bones_a.order.len() != bones_b.order.len() {
        found.push(told("bones", format!("{} against {}", bones_a.order.len(), bones_b.order.len())));
    }
    for name in &bones_a.order {
        let path = format!("bones[{name}]");
        let Some((x, y)) = bones_a.by_name.get(name).zip(bones_b.by_name.get(name)) else {
            found.push(told(path, "only in the first"));
            continue;
        };
        if !at_rest {
            continue;
        }
        let parents = (bones_a.parent(a, *x), bones_b.parent(b, *y));
        if parents.0 != parents.1 {
            let spelled = |parent: &str| if parent.is_empty() { "no bone".to_owned() } else { format!("{parent:?}") };
            let message = format!("{} against {}", spelled(parents.0), spelled(parents.1));
            found.push(told(format!("{path}.parent"), message));
        }
        let (x, y) = (bones_a.world(*x), bones_b.world(*y));
        let mut places = Numbers::new(bounds.length);
        places.add_all(x.translation.to_array(), y.translation.to_array(), || format!("{path}.rest_position"));
        found.extend(places.finish(format!("{path}.rest_position")));
        // Rotation and scale at once, and without the two signs of a quaternion.
        let mut axes = Numbers::new(bounds.other);
        let (x, y) = (x.matrix3.to_cols_array(), y.matrix3.to_cols_array());
        axes.add_all(x, y, || format!("{path}.rest_axes"));
        found.extend(axes.finish(format!("{path}.rest_axes")));
    }
    for name in bones_b.order.iter().filter(|n| !bones_a.by_name.contains_key(*n)) {
        found.push(told(format!("bones[{name}]"), "only in the second"));
    }
}
