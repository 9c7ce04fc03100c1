//! Morph targets.

use super::pieces::Piece;
use super::skeleton::Plan;
use crate::codes;
use crate::document::{Morph, MorphBuffer, VertexBuffer, morph_mask};
use anyrig_bytes::names::UniqueNames;
use anyrig_bytes::{Context, Error, Place, Result};
use anyrig_scene::{PartMorph, Scene, Semantic};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The deltas that the target holds, in the order of a morph vertex.
const ATTRIBUTES: [(u32, Semantic); 3] = [
    (morph_mask::POSITION, Semantic::Position),
    (morph_mask::NORMAL, Semantic::Normal),
    (morph_mask::TANGENT, Semantic::Tangent),
];

/// Writes the morphs of all instances and sets the range of the vertices that they move.
pub(super) fn write(
    wanted: Vec<Wanted>,
    pieces: &[Piece],
    buffer: &mut VertexBuffer,
    context: &Context,
) -> Result<Vec<Morph>> {
    let done: Vec<Result<MorphData>> =
        wanted.par_iter().map(|morph| MorphData::collect(pieces, &morph.targets, context)).collect();
    let mut morphs = Vec::new();
    let mut range: Option<(u32, u32)> = None;
    for (Wanted { name, rest_weight, .. }, data) in wanted.into_iter().zip(done) {
        let data = data?;
        if let Some((first, last)) = data.range {
            range = Some(range.map_or((first, last), |(f, l)| (f.min(first), l.max(last))));
        }
        let (name, initial_weight) = (name.as_str().into(), rest_weight);
        morphs.push(Morph { name, initial_weight, buffers: vec![data.buffer] });
    }
    if let Some((first, last)) = range {
        buffer.morph_range_start = first;
        buffer.morph_range_count = last - first + 1;
    }
    Ok(morphs)
}

/// A morph that will be written.
pub(super) struct Wanted {
    name: String,
    /// Which morph target of which instance it moves.
    pub(super) targets: BTreeMap<usize, usize>,
    /// Its weight where nothing moves it.
    rest_weight: f32,
}

impl Wanted {
    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

/// Morphs are driven by name, so those of one name on several meshes become one; within a mesh they stay apart.
pub(super) fn wanted(scene: &Scene, plan: &Plan, context: &Context) -> Vec<Wanted> {
    let mut names = UniqueNames::default();
    let mut wanted: Vec<Wanted> = Vec::new();
    // By name, and the how manieth of that name within its mesh.
    let mut known: BTreeMap<(&str, usize), usize> = BTreeMap::new();
    for (index, instance) in plan.instances.iter().enumerate() {
        let shown = scene.nodes[instance.node].mesh.as_ref();
        let mesh = shown.and_then(|m| scene.meshes.get(m.mesh));
        let rest_weight = |target: usize, default: f32| {
            let own = shown.map(|m| m.morph_weights.as_slice()).unwrap_or_default();
            own.get(target).copied().unwrap_or(default)
        };
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for (target, morph) in mesh.iter().flat_map(|m| &m.morphs).enumerate() {
            let own = morph.name.as_str();
            let rest_weight = rest_weight(target, morph.default_weight);
            if own.is_empty() {
                let name = names.claim(&format!("Morph_{target}"));
                wanted.push(Wanted { name, targets: BTreeMap::from([(index, target)]), rest_weight });
                continue;
            }
            let times = seen.entry(own).or_insert(0);
            let key = (own, *times);
            *times += 1;
            if let Some(morph) = known.get(&key).and_then(|at| wanted.get_mut(*at)) {
                morph.targets.insert(index, target);
                if morph.rest_weight != rest_weight {
                    let message = format!("{rest_weight} on one mesh, {} on another", morph.rest_weight);
                    context.tell(&codes::MORPH_REST_WEIGHT, own, message);
                }
                continue;
            }
            let name = names.claim(&own.replace('\0', "_"));
            if name != own {
                context.tell(&codes::MORPH_RENAMED, own, format!("now {name:?}"));
            }
            known.insert(key, wanted.len());
            wanted.push(Wanted { name, targets: BTreeMap::from([(index, target)]), rest_weight });
        }
    }
    wanted
}

struct MorphData {
    buffer: MorphBuffer,
    range: Option<(u32, u32)>,
}

impl MorphData {
    fn collect(pieces: &[Piece], targets: &BTreeMap<usize, usize>, context: &Context) -> Result<Self> {
        context.check_cancelled()?;
        let morph = |piece: &Piece| targets.get(&piece.instance).copied();
        let parts = || pieces.iter().filter_map(|p| p.part.morphs.get(morph(p)?).map(|m| (p, m)));
        let has = |semantic: &Semantic| parts().any(|(_, m)| m.delta(semantic).is_some_and(|d| d.width >= 3));
        let mut element_mask = 0;
        for (bit, _) in ATTRIBUTES.iter().filter(|(_, semantic)| has(semantic)) {
            element_mask |= bit;
        }
        let mut data = Vec::new();
        let mut range: Option<(u32, u32)> = None;
        let mut vertex_count = 0u32;
        for (piece, morph) in parts() {
            let dense = Dense::of(morph, piece.part.point_count as usize);
            for vertex in 0..piece.vertex_count() {
                let Some(deltas) = dense.of_point(piece.point_of(vertex)) else { continue };
                let index = piece.first_vertex + vertex as u32;
                range = Some((range.map_or(index, |(first, _)| first), index));
                vertex_count += 1;
                data.extend_from_slice(&index.to_le_bytes());
                for (delta, _) in deltas.iter().zip(ATTRIBUTES).filter(|(_, (bit, _))| element_mask & bit != 0) {
                    delta.iter().for_each(|v| data.extend_from_slice(&v.to_le_bytes()));
                }
            }
        }
        let bytes = data.len() as u64;
        context.take_memory(bytes, || Place::element("morphs")).map_err(|e: Error| e)?;
        let buffer = MorphBuffer { vertex_buffer: 0, element_mask, vertex_count, data: data.into() };
        Ok(Self { buffer, range })
    }
}

/// The deltas of every point of a part.
struct Dense(Vec<[[f32; 3]; 3]>);

impl Dense {
    fn of(morph: &PartMorph, point_count: usize) -> Self {
        let mut dense = vec![[[0.0; 3]; 3]; point_count];
        for (slot, (_, semantic)) in ATTRIBUTES.iter().enumerate() {
            let Some(delta) = morph.delta(semantic).filter(|d| d.width >= 3) else { continue };
            for (element, value) in delta.values.chunks_exact(usize::from(delta.width)).enumerate() {
                if let Some(point) = dense.get_mut(delta.point_of(element)) {
                    point[slot].copy_from_slice(&value[..3]);
                }
            }
        }
        Self(dense)
    }

    /// `None` when the point does not move.
    fn of_point(&self, point: usize) -> Option<&[[f32; 3]; 3]> {
        self.0.get(point).filter(|deltas| deltas.iter().flatten().any(|v| *v != 0.0))
    }
}
