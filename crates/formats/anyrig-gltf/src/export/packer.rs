//! Accessors and buffer views: few, tight, aligned, and each shared buffer once.

use super::compress::Stored;
use crate::GltfOptions;
pub(super) use crate::document::component::Component;
use crate::document::component::columns_and_rows;
use crate::document::json::short;
use crate::document::{Accessor, BufferObject, BufferView, Index, Root, Sparse, SparseIndices, SparseValues};
use crate::meshopt::Filter;
use crate::options::{Meshopt, Quantize};
use anyrig_bytes::{Error, Place, Result, Rope, SharedBytes, Writer};
use std::collections::{BTreeMap, BTreeSet};

/// `ARRAY_BUFFER` (specification 5.11.5).
const TARGET_VERTICES: u32 = 34962;
/// `ELEMENT_ARRAY_BUFFER`.
const TARGET_INDICES: u32 = 34963;

/// What a buffer view is for. Kinds that are shared have one view for all their accessors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Indices of all parts.
    Indices(List),
    /// One attribute; a view of its own, with the distance of its elements when that is not their size.
    Vertices { stride: Option<usize> },
    /// Indices and values of sparse accessors.
    Sparse,
    /// Inverse bind matrices.
    Binds,
    /// Key times and values.
    Animation,
    /// Transforms of instances.
    Instances,
    /// An image; a view of its own.
    Image,
}

/// What indices are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum List {
    Triangles,
    Other,
}

impl Kind {
    fn is_shared(self) -> bool {
        matches!(self, Self::Indices(_) | Self::Sparse | Self::Binds | Self::Animation | Self::Instances)
    }

    fn target(self) -> Option<u32> {
        match self {
            Self::Indices(_) => Some(TARGET_INDICES),
            Self::Vertices { .. } => Some(TARGET_VERTICES),
            _ => None,
        }
    }
}

/// Elements for an accessor.
pub(super) struct Elements {
    pub(super) component: Component,
    pub(super) normalized: bool,
    /// `SCALAR`, `VEC2` …
    pub(super) shape: &'static str,
    pub(super) count: usize,
    pub(super) bounds: Option<Bounds>,
    pub(super) bytes: SharedBytes,
}

/// Elements made ready for a filter of the compression. What a reader makes of them are the elements that they go with.
pub(super) struct Coded {
    pub(super) filter: Filter,
    pub(super) bytes: SharedBytes,
}

/// Least and greatest value of each component.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bounds {
    pub(super) min: Vec<f32>,
    pub(super) max: Vec<f32>,
}

impl Bounds {
    /// Bounds of values of a width.
    pub(super) fn of(values: &[f32], width: usize) -> Self {
        let mut bounds = Self { min: vec![f32::INFINITY; width], max: vec![f32::NEG_INFINITY; width] };
        for element in values.chunks_exact(width) {
            for ((value, min), max) in element.iter().zip(&mut bounds.min).zip(&mut bounds.max) {
                *min = if *value < *min { *value } else { *min };
                *max = if *value > *max { *value } else { *max };
            }
        }
        bounds
    }

    /// Bounds of the same values with zeros beside them.
    pub(super) fn with_zeros(mut self) -> Self {
        self.min.iter_mut().for_each(|min| *min = min.min(0.0));
        self.max.iter_mut().for_each(|max| *max = max.max(0.0));
        self
    }
}

/// Values that replace zeros.
pub(super) struct SparseElements {
    pub(super) indices: Vec<u32>,
    pub(super) values: Vec<f32>,
}

/// Name of an accessor type by its width; `None` for widths that glTF does not have.
pub(super) fn shape(width: usize) -> Option<&'static str> {
    Some(match width {
        1 => "SCALAR",
        2 => "VEC2",
        3 => "VEC3",
        4 => "VEC4",
        9 => "MAT3",
        16 => "MAT4",
        _ => return None,
    })
}

/// Identity of a buffer in memory, and how it is written. Only for buffers that live as long as the packer: those of the
/// scene. It is compared, never ordered into an output.
pub(super) type Key = (usize, usize, u64);

#[derive(Default)]
pub(super) struct Packer {
    accessors: Vec<Accessor>,
    views: Vec<View>,
    /// The view of a kind, and of elements of a size and for a filter where views are compressed.
    shared: BTreeMap<(Kind, usize, u8), usize>,
    known: BTreeMap<Key, Index>,
    meshopt: Meshopt,
    quantize: Quantize,
    filters: bool,
    /// Names of extensions without which the data cannot be read.
    required: BTreeSet<&'static str>,
}

/// A buffer view in the making.
pub(super) struct View {
    pub(super) kind: Kind,
    /// Bytes of an element, without padding.
    pub(super) element: usize,
    pub(super) rope: Rope,
    /// The same elements, ready for a filter.
    pub(super) coded: Option<(Filter, Rope)>,
}

impl View {
    /// From one element to the next.
    pub(super) fn stride(&self) -> usize {
        if let Kind::Vertices { stride: Some(stride) } = self.kind { stride } else { self.element }
    }
}

impl Packer {
    pub(super) fn new(options: &GltfOptions) -> Self {
        Self { meshopt: options.meshopt, quantize: options.quantize, filters: options.filters(), ..Self::default() }
    }

    /// Whether numbers are made ready for filters, where there is one for them.
    pub(super) fn filters(&self) -> bool {
        self.filters
    }

    /// How buffer views are compressed.
    pub(super) fn meshopt(&self) -> Meshopt {
        self.meshopt
    }

    /// Whether attributes may be whole numbers of all kinds, and how many bits they should have.
    pub(super) fn quantize(&self) -> Quantize {
        self.quantize
    }

    /// Notes an extension without which the data cannot be read.
    pub(super) fn require(&mut self, extension: &'static str) {
        self.required.insert(extension);
    }

    /// The accessor of a buffer that was packed before.
    pub(super) fn known(&self, key: Key) -> Option<Index> {
        self.known.get(&key).copied()
    }

    /// Remembers a buffer's accessor.
    pub(super) fn remember(&mut self, key: Key, accessor: Index) {
        self.known.insert(key, accessor);
    }

    /// Adds elements and gives their accessor.
    pub(super) fn add(&mut self, kind: Kind, elements: Elements) -> Index {
        self.add_coded(kind, elements, None)
    }

    /// Adds elements that may also be ready for a filter.
    pub(super) fn add_coded(&mut self, kind: Kind, elements: Elements, coded: Option<Coded>) -> Index {
        let element = width_of(elements.shape) * elements.component.size();
        let (view, offset) = self.append((kind, element), &elements.bytes, coded);
        let accessor = Accessor {
            buffer_view: Some(view),
            byte_offset: (offset > 0).then_some(offset),
            normalized: elements.normalized.then_some(true),
            ..accessor(elements.component, elements.shape, elements.count, elements.bounds)
        };
        self.push(accessor)
    }

    /// Adds an accessor of zeros, some of which may be replaced.
    pub(super) fn add_zeros(
        &mut self,
        shape: &'static str,
        count: usize,
        bounds: Option<Bounds>,
        sparse: Option<SparseElements>,
    ) -> Index {
        let mut zeros = accessor(Component::F32, shape, count, bounds);
        zeros.sparse = sparse.filter(|s| !s.indices.is_empty()).map(|sparse| self.sparse(sparse));
        self.push(zeros)
    }

    fn sparse(&mut self, elements: SparseElements) -> Sparse {
        let count = elements.indices.len() as u64;
        let most = elements.indices.last().copied().unwrap_or(0);
        let (component, bytes) = match most {
            0..=0xFF => (Component::U8, elements.indices.iter().map(|i| *i as u8).collect()),
            0x100..=0xFFFF => {
                (Component::U16, elements.indices.iter().flat_map(|i| (*i as u16).to_le_bytes()).collect())
            }
            _ => (Component::U32, bytemuck::cast_slice(&elements.indices).to_vec()),
        };
        let (view, offset) = self.append((Kind::Sparse, 0), &SharedBytes::from(bytes), None);
        let indices = SparseIndices {
            buffer_view: Some(view),
            byte_offset: (offset > 0).then_some(offset),
            component_type: Some(component as u32),
            ..SparseIndices::default()
        };
        let bytes = bytemuck::cast_slice(&elements.values).to_vec();
        let (view, offset) = self.append((Kind::Sparse, 0), &SharedBytes::from(bytes), None);
        let values = SparseValues { buffer_view: Some(view), byte_offset: Some(offset), ..SparseValues::default() };
        Sparse { count: Some(count), indices: Some(indices), values: Some(values), ..Sparse::default() }
    }

    /// Adds a buffer view with an image.
    pub(super) fn add_image(&mut self, bytes: &SharedBytes) -> Index {
        self.append((Kind::Image, 0), bytes, None).0
    }

    fn push(&mut self, accessor: Accessor) -> Index {
        self.accessors.push(accessor);
        self.accessors.len() as Index - 1
    }

    /// Appends bytes to the view of a kind, at a multiple of four. Views that are compressed hold elements of one size and
    /// for one filter, and one list of indices.
    fn append(&mut self, (kind, element): (Kind, usize), bytes: &SharedBytes, coded: Option<Coded>) -> (Index, u64) {
        let filter = coded.as_ref().map_or(Filter::None, |c| c.filter);
        let key = (kind, if self.meshopt == Meshopt::Off { 0 } else { element }, filter as u8);
        let is_shared = match kind {
            Kind::Indices(_) => self.meshopt == Meshopt::Off,
            kind => kind.is_shared(),
        };
        let view = match self.shared.get(&key).copied().filter(|_| is_shared) {
            Some(view) => view,
            None => {
                let coded = coded.as_ref().map(|c| (c.filter, Rope::default()));
                self.views.push(View { kind, element, rope: Rope::default(), coded });
                self.shared.insert(key, self.views.len() - 1);
                self.views.len() - 1
            }
        };
        let Some(View { rope, coded: ready, .. }) = self.views.get_mut(view) else { return (0, 0) };
        let offset = push_aligned(rope, bytes.clone());
        if let Some(((_, rope), coded)) = ready.as_mut().zip(coded) {
            push_aligned(rope, coded.bytes);
        }
        (view as Index, offset)
    }

    /// Puts accessors, views and buffers into the root, and gives the bytes of the first buffer. The second one, if any,
    /// stands in for what is compressed and has none.
    ///
    /// # Errors
    /// When there are more elements than glTF can number.
    pub(super) fn finish(mut self, root: &mut Root) -> Result<Rope> {
        if self.accessors.len() > u32::MAX as usize {
            return Err(Error::unsupported(Place::whole(), "more accessors than glTF can number"));
        }
        let (mut writer, mut stand_in) = (Writer::default(), 0);
        let mut views = Vec::new();
        for view in std::mem::take(&mut self.views) {
            writer.pad(4, 0);
            let start = writer.position();
            let stride = if let Kind::Vertices { stride } = view.kind { stride } else { None };
            let mut object = BufferView {
                buffer: Some(0),
                byte_offset: (start > 0).then_some(start),
                byte_length: Some(view.rope.len()),
                byte_stride: stride.map(|s| s as u64),
                target: view.kind.target(),
                ..BufferView::default()
            };
            match Stored::of(&view, self.meshopt) {
                Some(stored) => {
                    stored.describe(&mut object, start, stand_in);
                    stand_in += view.rope.len().next_multiple_of(4);
                    self.required.insert(stored.extension);
                    writer.bytes(&stored.bytes);
                }
                None => view.rope.pieces().iter().for_each(|piece| writer.shared(piece)),
            }
            views.push(object);
        }
        writer.pad(4, 0);
        let bin = writer.finish();
        let mut buffers = Vec::new();
        if !bin.is_empty() {
            buffers.push(BufferObject { byte_length: Some(bin.len()), ..BufferObject::default() });
        }
        if stand_in > 0 {
            buffers.push(super::compress::stand_in(stand_in, self.meshopt));
        }
        root.buffers = super::some(buffers);
        root.buffer_views = super::some(views);
        root.accessors = super::some(self.accessors);
        self.required.into_iter().for_each(|name| declare(root, name));
        Ok(bin)
    }
}

/// Appends bytes at a multiple of four, and says where.
fn push_aligned(rope: &mut Rope, bytes: SharedBytes) -> u64 {
    rope.push(vec![0u8; (rope.len().next_multiple_of(4) - rope.len()) as usize]);
    let offset = rope.len();
    rope.push(bytes);
    offset
}

/// Puts an extension into the lists of those that are used and required, in their order.
fn declare(root: &mut Root, name: &str) {
    for list in [&mut root.extensions_used, &mut root.extensions_required] {
        let list = list.get_or_insert_default();
        if let Err(place) = list.binary_search_by(|known| known.as_str().cmp(name)) {
            list.insert(place, name.to_owned());
        }
    }
}

/// Numbers of an element of a shape.
fn width_of(shape: &str) -> usize {
    columns_and_rows(shape).map_or(1, |(columns, rows)| columns * rows)
}

fn accessor(component: Component, shape: &'static str, count: usize, bounds: Option<Bounds>) -> Accessor {
    let numbers = |values: Vec<f32>| values.into_iter().map(short).collect::<Vec<_>>();
    let (min, max) = bounds.map(|b| (numbers(b.min), numbers(b.max))).unzip();
    Accessor {
        component_type: Some(component as u32),
        count: Some(count as u64),
        kind: Some(shape.to_owned()),
        min,
        max,
        ..Accessor::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(byte: u8) -> Elements {
        Elements {
            component: Component::U8,
            normalized: false,
            shape: "SCALAR",
            count: 1,
            bounds: None,
            bytes: vec![byte].into(),
        }
    }

    #[test]
    fn views_of_a_kind_are_shared_and_all_is_aligned() {
        let mut packer = Packer::default();
        packer.add(Kind::Indices(List::Triangles), scalar(1));
        packer.add(Kind::Vertices { stride: Some(4) }, scalar(2));
        packer.add(Kind::Indices(List::Triangles), scalar(3));
        packer.add(Kind::Vertices { stride: Some(4) }, scalar(4));
        let mut root = Root::default();
        let bin = packer.finish(&mut root).expect("small");
        assert_eq!(bin.to_vec(), [1, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0]);
        let views = root.buffer_views.expect("views");
        let at: Vec<_> = views.iter().map(|v| (v.byte_offset.unwrap_or(0), v.byte_length, v.byte_stride)).collect();
        assert_eq!(at, [(0, Some(5), None), (8, Some(1), Some(4)), (12, Some(1), Some(4))]);
        let offsets: Vec<_> = root.accessors.iter().flatten().map(|a| (a.buffer_view, a.byte_offset)).collect();
        assert_eq!(offsets, [(Some(0), None), (Some(1), None), (Some(0), Some(4)), (Some(2), None)]);
    }

    #[test]
    fn bounds_see_zeros_beside_sparse_values() {
        let values = [1.0, -2.0, 3.0, 4.0];
        assert_eq!(Bounds::of(&values, 2), Bounds { min: vec![1.0, -2.0], max: vec![3.0, 4.0] });
        assert_eq!(Bounds::of(&values, 2).with_zeros(), Bounds { min: vec![0.0, -2.0], max: vec![3.0, 4.0] });
    }
}
