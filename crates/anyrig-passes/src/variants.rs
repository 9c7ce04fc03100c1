//! Choices of materials.

use anyrig_bytes::{Error, Result};
use anyrig_scene::Scene;

/// Dresses the scene as one of its variants, by name or else by number, and forgets the others: slots that have a
/// material in it wear that, all others keep theirs.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] that lists the variants, when there is none of that name or number.
pub fn pick_variant(scene: &mut Scene, name: &str) -> Result<()> {
    let by_number = || name.parse::<usize>().ok().filter(|i| *i < scene.variants.len());
    let Some(variant) = scene.variants.iter().position(|v| v.name == name).or_else(by_number) else {
        let names: Vec<_> = scene.variants.iter().map(|v| v.name.as_str()).collect();
        let there_are =
            if names.is_empty() { "the file has none".to_owned() } else { format!("there are: {}", names.join(", ")) };
        return Err(Error::usage(format!("no material variant is called `{name}`; {there_are}")));
    };
    for instance in scene.nodes.values_mut().filter_map(|n| n.mesh.as_mut()) {
        for choice in std::mem::take(&mut instance.variants) {
            if choice.variant as usize != variant {
                continue;
            }
            let slot = choice.slot as usize;
            if instance.materials.len() <= slot && slot < MAX_SLOTS {
                instance.materials.resize(slot + 1, None);
            }
            if let Some(worn) = instance.materials.get_mut(slot) {
                *worn = Some(choice.material);
            }
        }
    }
    scene.variants.clear();
    Ok(())
}

/// No mesh has that many parts; a number from nowhere must not cost memory.
const MAX_SLOTS: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_bytes::ErrorKind;
    use anyrig_scene::{Material, Mesh, MeshInstance, Node, NodeId, Variant, VariantMaterial};

    fn scene() -> Scene {
        let mut scene = Scene::default();
        let mesh = scene.meshes.push(Mesh::default());
        let [red, blue, gold] = ["red", "blue", "gold"].map(|n| scene.materials.push(Material::new(n)));
        scene.variants = vec![Variant::new("summer"), Variant::new("winter")];
        let mut instance = MeshInstance::new(mesh);
        instance.materials = vec![Some(red)];
        instance.variants = vec![VariantMaterial::new(0, 1, blue), VariantMaterial::new(2, 1, gold)];
        let mut node = Node::new("n");
        node.mesh = Some(instance);
        scene.add_node(node, None);
        scene
    }

    #[test]
    fn a_variant_dresses_the_scene() {
        let wears = |variant: &str| {
            let mut scene = scene();
            pick_variant(&mut scene, variant).expect("known");
            let instance = scene.nodes[NodeId::new(0)].mesh.clone().expect("shows");
            assert!(scene.variants.is_empty() && instance.variants.is_empty());
            instance.materials.iter().map(|m| m.map(|m| m.index())).collect::<Vec<_>>()
        };
        assert_eq!(wears("summer"), [Some(0)]);
        assert_eq!(wears("winter"), [Some(1), None, Some(2)]);
        assert_eq!(wears("1"), wears("winter"));
    }

    #[test]
    fn an_unknown_variant_is_told_with_those_that_there_are() {
        let error = pick_variant(&mut scene(), "spring").expect_err("unknown");
        assert_eq!(error.kind(), ErrorKind::Usage);
        assert!(error.message().ends_with("there are: summer, winter"), "{error}");
        assert!(pick_variant(&mut Scene::default(), "0").is_err());
    }
}
