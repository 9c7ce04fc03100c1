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
        if !is_plain(&material.extras) || material.texture_uses().any(|(_, used)| !is_plain(&used.extras)) {
            return Self::ALL;
        }
        let uv_sets = material.texture_uses().map(|(_, used)| used.uv_set.saturating_add(1)).max().unwrap_or(0);
        Self { uv_sets, tangents: material.normal_texture.is_some() }
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
        let Some(slots) = reads.get(&MeshId::new(index)) else { continue };
        for part in &mut mesh.parts {
            let all = slots.iter().map(|slot| slot.get(part.slot as usize).copied().unwrap_or_default());
            count += remove_unread(part, all.fold(Reads::default(), Reads::and));
        }
    }
    count
}

/// For each mesh that is shown: for each node that shows it, what the material of each slot reads.
fn reads_of_slots(scene: &Scene) -> BTreeMap<MeshId, Vec<Vec<Reads>>> {
    let of = |material: &Option<MaterialId>| {
        let known = material.and_then(|m| scene.materials.get(m));
        known.map_or_else(Reads::default, Reads::of)
    };
    let mut reads: BTreeMap<MeshId, Vec<Vec<Reads>>> = BTreeMap::new();
    for instance in scene.nodes.values().filter_map(|n| n.mesh.as_ref()) {
        reads.entry(instance.mesh).or_default().push(instance.materials.iter().map(of).collect());
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
