//! Where the head is.

use anyrig_scene::{NodeId, Scene};

/// The node that moves the head: of all whose name says `head`, the one nearest to the root, joints first.
pub(crate) fn find(scene: &Scene) -> Option<NodeId> {
    let mut is_joint = vec![false; scene.nodes.len()];
    for joint in scene.skins.values().flat_map(|s| &s.joints).filter(|j| j.index() < scene.nodes.len()) {
        is_joint[joint.index()] = true;
    }
    let named: Vec<NodeId> = anyrig_scene::walk::parents_first(scene)
        .into_iter()
        .filter(|id| says_head(&scene.nodes[*id].name) && scene.nodes[*id].mesh.is_none())
        .collect();
    named.iter().find(|id| is_joint[id.index()]).or(named.first()).copied()
}

/// Whether one word of a name is `head`, and none says that it is only its end.
fn says_head(name: &str) -> bool {
    if name.contains('頭') {
        return !name.contains('先');
    }
    let words = words(name);
    words.iter().any(|w| w == "head")
        && !words.iter().any(|w| ["end", "top", "nub", "tip", "hat", "ik"].contains(&w.as_str()))
}

/// Words in small letters: parted by other signs than letters, and where a capital follows a small letter.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for c in name.chars() {
        if !c.is_alphabetic() || (after_small && c.is_uppercase()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphabetic()) {
            word.extend(c.to_lowercase());
        }
        after_small = c.is_lowercase();
    }
    words
}

/// For each node whether it is the given one or hangs on it.
pub(crate) fn below(scene: &Scene, top: NodeId) -> Vec<bool> {
    let mut is_below = vec![false; scene.nodes.len()];
    anyrig_scene::walk::depth_first(scene, [top]).iter().for_each(|id| is_below[id.index()] = true);
    is_below
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_many_tools() {
        for name in [
            "Head",
            "mixamorig:Head",
            "Bip01 Head",
            "b_Head_05",
            "J_Bip_C_Head",
            "頭",
            "DEF-head",
            "headJoint",
            "head.x",
        ] {
            assert!(says_head(name), "{name}");
        }
        for name in ["HeadTop_End", "Forehead", "head_end", "Bip01 HeadNub", "ahead", "Hips", "頭先", "headlight"] {
            assert!(!says_head(name), "{name}");
        }
    }
}
