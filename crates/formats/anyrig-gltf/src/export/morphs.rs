//! Morph targets of a part: dense, sparse or zero, whichever is smallest.

use super::Saver;
use super::packer::{Bounds, Component, Elements, Kind, SparseElements, shape};
use super::streams::{self, Form};
use crate::codes;
use crate::document::{Index, Named};
use crate::options::SparseMorphs;
use anyrig_bytes::Buffer;
use anyrig_scene::{DeltaStream, Part, PartMorph, Semantic};
use std::borrow::Cow;

/// What the JSON of a sparse accessor takes more than that of a dense one, about.
const SPARSE_JSON_BYTES: usize = 200;

impl Saver<'_> {
    /// The targets of a part, as many as its mesh has; `names` maps attributes to how the part calls them.
    pub(super) fn targets(
        &mut self,
        part: &Part,
        count: usize,
        names: &[(Semantic, String)],
        subject: &str,
    ) -> Vec<Named<Index>> {
        let still = PartMorph::default();
        let mut targets = Vec::new();
        for index in 0..count {
            let morph = part.morphs.get(index).unwrap_or(&still);
            let mut target = Named::default();
            for delta in &morph.deltas {
                let name = names.iter().find(|(s, _)| *s == delta.semantic).map(|(_, name)| name);
                match name.zip(shape(delta.width.into())) {
                    Some((name, shape)) => target.0.push((name.clone(), self.delta(delta, part, shape))),
                    None => self.context.tell(&codes::DELTAS_DROPPED, subject, delta.semantic.to_string()),
                }
            }
            // A target must move something (specification 5.24.4); a still one moves by zeros.
            if let (true, Some((semantic, name))) = (target.0.is_empty(), names.first()) {
                let zeros = self.zeros(semantic, part.point_count as usize);
                target.0.push((name.clone(), zeros));
            }
            targets.push(target);
        }
        targets
    }

    fn zeros(&mut self, semantic: &Semantic, points: usize) -> Index {
        let width = match semantic {
            Semantic::TexCoord(_) => 2,
            Semantic::Color(_) => 4,
            _ => 3,
        };
        let bounds = bounds(semantic, &[], width).map(Bounds::with_zeros);
        self.packer.add_zeros(shape(width).unwrap_or("VEC3"), points, bounds, None)
    }

    fn delta(&mut self, delta: &DeltaStream, part: &Part, shape: &'static str) -> Index {
        let (width, points) = (usize::from(delta.width), part.point_count as usize);
        let moved = moved(delta, width);
        let values_bytes = moved.len() * width * 4;
        let index_bytes = match moved.last() {
            Some((_, point)) if *point > 0xFFFF => 4,
            Some((_, point)) if *point > 0xFF => 2,
            _ => 1,
        };
        let sparse_bytes = SPARSE_JSON_BYTES + values_bytes + moved.len() * index_bytes;
        let is_rounded = self.options.quantize.extends() && self.options.quantize.rounds();
        let form = streams::delta_form(&delta.semantic, &delta.values).filter(|_| is_rounded && width == 3);
        // Three bytes or three of two bytes, each element at a multiple of four.
        let element_bytes = form.map_or(width * 4, |f| (width * f.component.size()).next_multiple_of(4));
        let pays = self.options.sparse_morphs == SparseMorphs::Auto && sparse_bytes < points * element_bytes;
        if moved.is_empty() || pays {
            let values: Vec<f32> = moved.iter().flat_map(|(e, _)| element(delta, *e, width)).copied().collect();
            let mut bounds = bounds(&delta.semantic, &values, width);
            if moved.len() < points {
                bounds = bounds.map(Bounds::with_zeros);
            }
            let sparse = SparseElements { indices: moved.iter().map(|(_, point)| *point).collect(), values };
            return self.packer.add_zeros(shape, points, bounds, Some(sparse));
        }
        self.dense(delta, points, (shape, form))
    }

    fn dense(&mut self, delta: &DeltaStream, points: usize, (shape, form): (&'static str, Option<Form>)) -> Index {
        let width = usize::from(delta.width);
        let key = (delta.values.as_ptr() as usize, delta.values.len(), dense_tag(delta));
        if let Some(known) = self.packer.known(key).filter(|_| delta.points.is_none()) {
            return known;
        }
        let values: Cow<'_, [f32]> = match &delta.points {
            None => Cow::Borrowed(&delta.values),
            Some(list) => {
                let mut all = vec![0.0; points * width];
                for (element, point) in delta.values.chunks_exact(width).zip(list.iter()) {
                    all[*point as usize * width..][..width].copy_from_slice(element);
                }
                Cow::Owned(all)
            }
        };
        let bounds = bounds(&delta.semantic, &values, width);
        let (mut component, mut normalized, mut padded) = (Component::F32, false, None);
        let bytes = match (form, values) {
            (Some(form), values) => {
                let (stride, bytes) = streams::packed(&values, width, form);
                (component, normalized, padded) = (form.component, form.normalized, Some(stride));
                self.packer.require(streams::QUANTIZATION);
                bytes
            }
            (None, Cow::Borrowed(_)) => delta.values.to_bytes(),
            (None, Cow::Owned(values)) => Buffer::from(values).to_bytes(),
        };
        let elements = Elements { component, normalized, shape, count: points, bounds, bytes };
        let index = self.packer.add(Kind::Vertices { stride: padded }, elements);
        if delta.points.is_none() {
            self.packer.remember(key, index);
        }
        index
    }
}

/// Marks dense deltas among the keys of buffers; positions have bounds and are told apart.
fn dense_tag(delta: &DeltaStream) -> u64 {
    3 << 32 | u64::from(delta.semantic == Semantic::Position) << 8 | u64::from(delta.width)
}

fn element(delta: &DeltaStream, element: usize, width: usize) -> &[f32] {
    delta.values.get(element * width..(element + 1) * width).unwrap_or_default()
}

/// Elements that are not zero, with their points, ascending.
fn moved(delta: &DeltaStream, width: usize) -> Vec<(usize, u32)> {
    let elements = delta.values.chunks_exact(width.max(1)).enumerate();
    let moved = elements.filter(|(_, values)| values.iter().any(|v| *v != 0.0));
    moved.map(|(e, _)| (e, delta.point_of(e) as u32)).collect()
}

fn bounds(semantic: &Semantic, values: &[f32], width: usize) -> Option<Bounds> {
    (*semantic == Semantic::Position).then(|| Bounds::of(values, width))
}
