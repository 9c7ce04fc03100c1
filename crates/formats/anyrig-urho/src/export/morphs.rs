//! Morph targets.

use super::pieces::Piece;
use super::skeleton::Plan;
use crate::codes;
use crate::document::{Morph, MorphBuffer, VertexBuffer, morph_mask};
use anyrig_bytes::names::UniqueNames;
use anyrig_bytes::{Context, Place, Result};
use anyrig_scene::{DeltaStream, MorphTarget, PartMorph, Scene, Semantic};
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
    let mut of_instance: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, piece) in pieces.iter().enumerate() {
        of_instance.entry(piece.instance).or_default().push(number);
    }
    let data = |morph: &Wanted| MorphData::collect(&moved_pieces(pieces, &of_instance, &morph.targets), context);
    let done: Vec<Result<MorphData>> = wanted.par_iter().map(data).collect();
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
pub(super) fn wanted(scene: &Scene, plan: &Plan, context: &Context) -> Result<Vec<Wanted>> {
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
        let morphs = mesh.map_or(&[][..], |m| m.morphs.as_slice());
        book(morphs, context)?;
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for (target, morph) in morphs.iter().enumerate() {
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
    Ok(wanted)
}

/// Books what the morphs of one instance may add: a name, which is also remembered to keep it unique, and a target.
fn book(morphs: &[MorphTarget], context: &Context) -> Result<()> {
    const TARGET_BYTES: usize = 64;
    const NAME_BYTES: usize = 32;
    context.check_cancelled()?;
    let bytes = |m: &MorphTarget| size_of::<Wanted>() + TARGET_BYTES + 3 * (NAME_BYTES + m.name.len());
    context.take_memory(morphs.iter().map(|m| bytes(m) as u64).sum(), || Place::element("morphs"))
}

/// The pieces that a morph may move, and how, in the order of their vertices.
fn moved_pieces<'a>(
    pieces: &'a [Piece],
    of_instance: &BTreeMap<usize, Vec<usize>>,
    targets: &BTreeMap<usize, usize>,
) -> Vec<(&'a Piece, &'a PartMorph)> {
    let numbers = |instance: &usize| of_instance.get(instance).map(Vec::as_slice).unwrap_or_default();
    let with_target = |(instance, target): (&usize, &usize)| {
        let target = *target;
        numbers(instance).iter().map(move |number| (*number, target))
    };
    let mut found: Vec<(usize, usize)> = targets.iter().flat_map(with_target).collect();
    found.sort_unstable();
    let morph = |(number, target): (usize, usize)| {
        let piece = pieces.get(number)?;
        Some((piece, piece.part.morphs.get(target)?))
    };
    found.into_iter().filter_map(morph).collect()
}

struct MorphData {
    buffer: MorphBuffer,
    range: Option<(u32, u32)>,
}

impl MorphData {
    fn collect(parts: &[(&Piece, &PartMorph)], context: &Context) -> Result<Self> {
        context.check_cancelled()?;
        let has = |semantic: &Semantic| parts.iter().any(|(_, morph)| Column::of(morph, semantic).is_some());
        let element_mask = ATTRIBUTES.iter().filter(|(_, semantic)| has(semantic)).fold(0, |mask, (bit, _)| mask | bit);
        let mut buffer = MorphBuffer { element_mask, ..MorphBuffer::default() };
        for (piece, morph) in parts {
            context.check_cancelled()?;
            buffer.vertex_count += Moved::of(piece, morph).count() as u32;
        }
        let bytes = buffer.vertex_count as usize * buffer.stride();
        context.take_memory(bytes as u64, || Place::element("morphs"))?;
        let mut data = Vec::with_capacity(bytes);
        let mut range: Option<(u32, u32)> = None;
        for (piece, morph) in parts {
            context.check_cancelled()?;
            for (vertex, deltas) in Moved::of(piece, morph) {
                let index = piece.first_vertex + vertex as u32;
                range = Some((range.map_or(index, |(first, _)| first), index));
                data.extend_from_slice(&index.to_le_bytes());
                for (delta, _) in deltas.iter().zip(ATTRIBUTES).filter(|(_, (bit, _))| element_mask & bit != 0) {
                    delta.iter().for_each(|v| data.extend_from_slice(&v.to_le_bytes()));
                }
            }
        }
        buffer.data = data.into();
        Ok(Self { buffer, range })
    }
}

/// The deltas of one attribute, from the point on that a walk has come to.
struct Column<'a> {
    delta: &'a DeltaStream,
    at: usize,
}

impl<'a> Column<'a> {
    fn of(morph: &'a PartMorph, semantic: &Semantic) -> Option<Self> {
        morph.delta(semantic).filter(|d| d.width >= 3).map(|delta| Self { delta, at: 0 })
    }

    /// The next point that moves.
    fn point(&self) -> Option<usize> {
        (self.at < self.delta.len()).then(|| self.delta.point_of(self.at))
    }

    fn skip_to(&mut self, point: usize) {
        self.at = match &self.delta.points {
            None => self.at.max(point),
            Some(points) => self.at + points[self.at..].partition_point(|p| (*p as usize) < point),
        };
    }

    /// The delta of a point at or before the next one.
    fn take(&mut self, point: usize) -> [f32; 3] {
        if self.point() != Some(point) {
            return [0.0; 3];
        }
        let first = self.at * usize::from(self.delta.width);
        self.at += 1;
        self.delta.values.get(first..).and_then(<[f32]>::first_chunk).copied().unwrap_or_default()
    }
}

/// The vertices of a piece that a morph moves, and their deltas. Points without deltas and points of other pieces are
/// skipped and not looked at: a mesh may have very many targets that move next to nothing.
struct Moved<'a> {
    piece: &'a Piece,
    columns: [Option<Column<'a>>; 3],
    vertex: usize,
}

impl<'a> Moved<'a> {
    fn of(piece: &'a Piece, morph: &'a PartMorph) -> Self {
        Self { piece, columns: ATTRIBUTES.map(|(_, semantic)| Column::of(morph, &semantic)), vertex: 0 }
    }

    /// Goes to the first vertex whose point is this one or behind it; gives that point.
    fn advance_to(&mut self, point: usize) -> Option<usize> {
        let Some(points) = &self.piece.points else {
            self.vertex = point;
            return Some(point).filter(|point| *point < self.piece.vertex_count());
        };
        self.vertex += points.get(self.vertex..)?.partition_point(|p| (*p as usize) < point);
        points.get(self.vertex).map(|point| *point as usize)
    }
}

impl Iterator for Moved<'_> {
    type Item = (usize, [[f32; 3]; 3]);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let point = self.columns.iter().flatten().filter_map(Column::point).min()?;
            let here = self.advance_to(point)?;
            if here > point {
                self.columns.iter_mut().flatten().for_each(|column| column.skip_to(here));
                continue;
            }
            let deltas = self.columns.each_mut().map(|c| c.as_mut().map_or([0.0; 3], |column| column.take(point)));
            if deltas.as_flattened().iter().any(|v| *v != 0.0) {
                return Some((self.vertex, deltas));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_moved_vertices_of_the_piece_are_found() {
        let sparse = |semantic, points: Vec<u32>| {
            let values: Vec<f32> = points.iter().flat_map(|p| [*p as f32, 1.0, 0.0]).collect();
            DeltaStream::new(semantic, 3, values).at_points(points)
        };
        let mut dense = DeltaStream::new(Semantic::Tangent, 3, vec![0.0; 30]);
        dense.values.make_mut()[3 * 4] = 0.5;
        let positions = sparse(Semantic::Position, vec![1, 3, 4, 8]);
        let normals = sparse(Semantic::Normal, vec![0, 3, 9]);
        let sparse_only = PartMorph::new(vec![positions.clone(), normals.clone()]);
        let all = PartMorph::new(vec![positions, normals, dense]);
        let moved = |points: Option<Vec<u32>>, morph: &PartMorph| {
            let piece = Piece::of_points(10, points);
            let found = Moved::of(&piece, morph).map(|(vertex, d)| (vertex, d.map(|d| d[0])));
            found.collect::<Vec<_>>()
        };
        let whole = moved(None, &all);
        let vertices: Vec<usize> = whole.iter().map(|(vertex, _)| *vertex).collect();
        assert_eq!(vertices, [0, 1, 3, 4, 8, 9]);
        assert_eq!((whole[2].1, whole[3].1), ([3.0, 3.0, 0.0], [4.0, 0.0, 0.5]));
        let own = Some(vec![2, 3, 4, 7, 9]);
        assert_eq!(moved(own.clone(), &all), [(1, [3.0, 3.0, 0.0]), (2, [4.0, 0.0, 0.5]), (4, [0.0, 9.0, 0.0])]);
        assert_eq!(moved(own, &sparse_only), [(1, [3.0, 3.0, 0.0]), (2, [4.0, 0.0, 0.0]), (4, [0.0, 9.0, 0.0])]);
        assert_eq!(moved(None, &PartMorph::default()), []);
    }
}
