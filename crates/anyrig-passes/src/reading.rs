//! Which attributes the materials read.

use anyrig_scene::{Extras, Material, MaterialId, MeshId, Part, Scene, Semantic};
use std::collections::BTreeMap;

/// What the materials of a part read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Reads {
    /// Number of the last set of texture coordinates, plus one.
    uv_sets: u32,
    tangents: bool,
}

impl Reads {
    const ALL: Self = Self { uv_sets: u32::MAX, tangents: true };

    fn of(material: &Material) -> Self {
        // What extends a material may read anything.
        let mut extras = std::iter::once(&material.extras).chain(material.part_extras());
        if !extras.all(is_plain) || material.texture_uses().any(|(_, used)| !is_plain(&used.extras)) {
            return Self::ALL;
        }
        // Maps of normals, that of a clearcoat too, lie in the space of tangents, and so do the directions of a grain.
        let tangents =
            material.anisotropy.is_some() || material.texture_uses().any(|(role, _)| role.contains("normal"));
        let uv_sets = material.texture_uses().map(|(_, used)| used.uv_set.saturating_add(1)).max().unwrap_or(0);
        Self { uv_sets, tangents }
    }

    fn and(self, other: Self) -> Self {
        Self { uv_sets: self.uv_sets.max(other.uv_sets), tangents: self.tangents || other.tangents }
    }

    fn reads(self, semantic: &Semantic) -> bool {
        match semantic {
            Semantic::TexCoord(set) => *set < self.uv_sets,
            Semantic::Tangent => self.tangents,
            Semantic::Color(set) => *set == 0,
            Semantic::Position | Semantic::Normal | Semantic::Custom(_) => true,
        }
    }
}

/// What a node's materials read.
struct Worn {
    slots: Vec<Reads>,
    /// Of slots that have a material in variants only.
    others: Reads,
}

fn is_plain(extras: &Extras) -> bool {
    extras.is_empty()
}

/// Removes texture coordinates and tangents that no material reads, wherever a part is shown, and colours behind the
/// first set, with their morph deltas. Sets below one that is read stay, so that sets keep their numbers. The number of
/// attributes that went.
pub(crate) fn remove_unread_streams(scene: &mut Scene) -> u64 {
    let reads = reads_of_slots(scene);
    let mut count = 0;
    for (index, mesh) in scene.meshes.as_mut_slice().iter_mut().enumerate() {
        let Some(shown) = reads.get(&MeshId::new(index)) else { continue };
        for part in &mut mesh.parts {
            let all = shown.iter().map(|worn| worn.slots.get(part.slot as usize).copied().unwrap_or(worn.others));
            count += remove_unread(part, all.fold(Reads::default(), Reads::and));
        }
    }
    count
}

/// For each mesh that is shown: for each node that shows it, what the material of each slot reads, also in variants.
fn reads_of_slots(scene: &Scene) -> BTreeMap<MeshId, Vec<Worn>> {
    let of = |material: &Option<MaterialId>| {
        let known = material.and_then(|m| scene.materials.get(m));
        known.map_or_else(Reads::default, Reads::of)
    };
    let mut reads: BTreeMap<MeshId, Vec<Worn>> = BTreeMap::new();
    for instance in scene.nodes.values().filter_map(|n| n.mesh.as_ref()) {
        let mut worn = Worn { slots: instance.materials.iter().map(of).collect(), others: Reads::default() };
        for choice in &instance.variants {
            let slot = worn.slots.get_mut(choice.slot as usize).unwrap_or(&mut worn.others);
            *slot = slot.and(of(&Some(choice.material)));
        }
        reads.entry(instance.mesh).or_default().push(worn);
    }
    reads
}

fn remove_unread(part: &mut Part, reads: Reads) -> u64 {
    // What extends a part may change its material.
    if !is_plain(&part.extras) {
        return 0;
    }
    let before = part.streams.len();
    part.streams.retain(|s| reads.reads(&s.semantic));
    for morph in &mut part.morphs {
        morph.deltas.retain(|d| reads.reads(&d.semantic));
    }
    (before - part.streams.len()) as u64
}
