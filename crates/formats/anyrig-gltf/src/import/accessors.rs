//! Accessors: typed elements in buffer views (specification 3.6.2), decoded or borrowed.

use super::buffers::{Buffers, ViewBytes, no_bytes};
use super::packed::Content;
use super::{in_list, list, need};
pub(super) use crate::document::component::Component;
use crate::document::component::columns_and_rows;
use crate::document::json::At;
use crate::document::{Accessor, Index, Root};
use anyrig_bytes::{Buffer, Context, Error, Place, Result, SharedBytes};
use anyrig_scene::Storage;
use std::collections::BTreeMap;

/// Shape of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    columns: usize,
    rows: usize,
}

impl Shape {
    fn of(name: &str, at: &At<'_>) -> Result<Self> {
        let known = columns_and_rows(name);
        let (columns, rows) =
            known.ok_or_else(|| at.malformed(format!("{name:?} is not an accessor type of glTF 2.0")))?;
        Ok(Self { columns, rows })
    }

    /// Numbers per element.
    pub(super) fn width(self) -> usize {
        self.columns * self.rows
    }

    /// Columns of matrices start at multiples of four bytes (specification 3.6.2.4).
    fn column_bytes(self, component: Component) -> usize {
        let bytes = self.rows * component.size();
        if self.columns > 1 { bytes.next_multiple_of(4) } else { bytes }
    }

    fn element_bytes(self, component: Component) -> usize {
        self.column_bytes(component) * self.columns
    }
}

/// A checked accessor.
#[derive(Clone)]
pub(super) struct Layout {
    pub(super) component: Component,
    pub(super) shape: Shape,
    pub(super) normalized: bool,
    pub(super) count: usize,
    stride: usize,
    base: Base,
    sparse: Option<SparseLayout>,
}

#[derive(Clone)]
enum Base {
    /// No buffer view: all zeros.
    Zeros,
    /// From the first byte of the first element to the last byte of the last one.
    Bytes(Content),
    /// A buffer without bytes.
    Nothing,
}

#[derive(Clone)]
struct SparseLayout {
    component: Component,
    indices: SharedBytes,
    values: SharedBytes,
    count: usize,
}

impl Layout {
    /// How the numbers are stored, for the scene to remember.
    pub(super) fn storage(&self) -> Storage {
        match (self.component, self.normalized) {
            (Component::F32, _) => Storage::F32,
            (Component::I8, false) => Storage::I8,
            (Component::U8, false) => Storage::U8,
            (Component::I16, false) => Storage::I16,
            (Component::U16, false) => Storage::U16,
            (Component::U32, _) => Storage::U32,
            (Component::I8, true) => Storage::Snorm8,
            (Component::U8, true) => Storage::Unorm8,
            (Component::I16, true) => Storage::Snorm16,
            (Component::U16, true) => Storage::Unorm16,
        }
    }

    /// Bytes of an element.
    pub(super) fn element_size(&self) -> usize {
        self.shape.element_bytes(self.component)
    }

    fn is_tight(&self) -> bool {
        let plain = self.shape.column_bytes(self.component) == self.shape.rows * self.component.size();
        plain && self.stride == self.shape.element_bytes(self.component)
    }
}

/// Most numbers of an accessor that is all zeros. A few bytes of JSON can ask for any number of them, and everything
/// made from them (normals, tangents, files) costs many times as much.
const MOST_ZEROS: usize = 1 << 24;

/// Elements that differ from zero, for morph targets.
pub(super) struct SparseValues {
    pub(super) points: Vec<u32>,
    pub(super) values: Vec<f32>,
}

/// All accessors of a file, with what was decoded so far. One accessor gives one buffer, however often it is used.
pub(super) struct Accessors<'a> {
    layouts: Vec<Layout>,
    floats: BTreeMap<usize, Buffer<f32>>,
    wholes: BTreeMap<usize, Buffer<u32>>,
    context: &'a Context,
}

impl<'a> Accessors<'a> {
    /// Checks every accessor of the file against its buffer views.
    pub(super) fn new(root: &Root, buffers: &Buffers, context: &'a Context) -> Result<Self> {
        let at = At::Root;
        let at = at.key("accessors");
        let count = root.accessors.as_ref().map_or(0, Vec::len);
        context.take_memory(count as u64 * size_of::<Layout>() as u64, || at.place())?;
        let layouts = list(root.accessors.as_ref()).map(|(i, a)| layout(a, buffers, &at.index(i), context));
        let layouts = layouts.collect::<Result<_>>()?;
        Ok(Self { layouts, floats: BTreeMap::new(), wholes: BTreeMap::new(), context })
    }

    /// The checked accessor that an index names.
    pub(super) fn layout(&self, index: Index, at: &At<'_>) -> Result<&Layout> {
        let index = in_list(index, self.layouts.len(), at, "accessor")?;
        self.layouts.get(index).ok_or_else(|| at.malformed("no such accessor"))
    }

    /// The numbers as floats; normalised whole numbers become 0 to 1 or -1 to 1 (specification 3.11).
    pub(super) fn floats(&mut self, index: Index, at: &At<'_>) -> Result<Buffer<f32>> {
        let layout = self.layout(index, at)?;
        if let Some(known) = self.floats.get(&(index as usize)) {
            return Ok(known.clone());
        }
        let decoded = self.decode_floats(layout, &place(index))?;
        self.floats.insert(index as usize, decoded.clone());
        Ok(decoded)
    }

    /// The numbers as whole ones, for indices and joints; the accessor must not be of floats.
    pub(super) fn wholes(&mut self, index: Index, at: &At<'_>) -> Result<Buffer<u32>> {
        let layout = self.layout(index, at)?;
        if let Some(known) = self.wholes.get(&(index as usize)) {
            return Ok(known.clone());
        }
        let decoded = self.decode_wholes(layout, &place(index))?;
        self.wholes.insert(index as usize, decoded.clone());
        Ok(decoded)
    }

    /// Only the elements that a sparse accessor without buffer view replaces; `None` for other accessors.
    pub(super) fn sparse_over_zeros(&self, index: Index, at: &At<'_>) -> Result<Option<SparseValues>> {
        let layout = self.layout(index, at)?;
        let (Base::Zeros, Some(sparse)) = (&layout.base, &layout.sparse) else { return Ok(None) };
        self.book(sparse.count, layout.shape.width() + 1, &place(index))?;
        let points = sparse_points(layout, sparse, &place(index))?;
        let mut values = vec![0.0; sparse.count * layout.shape.width()];
        let element = layout.shape.element_bytes(layout.component);
        decode(layout, &sparse.values, element, &mut values, to_float(layout));
        Ok(Some(SparseValues { points, values }))
    }

    /// The least and the greatest number of each component as they are stored, before normalisation; `None` for no
    /// elements.
    pub(super) fn stored_bounds(&self, index: Index, at: &At<'_>) -> Result<Option<(Vec<f64>, Vec<f64>)>> {
        let layout = Layout { normalized: false, ..self.layout(index, at)?.clone() };
        let width = layout.shape.width();
        let unsigned = matches!(layout.component, Component::U8 | Component::U16 | Component::U32);
        // An f32 does not hold every u32.
        let numbers: Box<dyn Iterator<Item = f64>> = if unsigned {
            let wholes = self.decode_wholes(&layout, &place(index))?;
            Box::new((0..wholes.len()).map(move |i| wholes.get(i).map_or(0.0, |n| f64::from(*n))))
        } else {
            let floats = self.decode_floats(&layout, &place(index))?;
            Box::new((0..floats.len()).map(move |i| floats.get(i).map_or(0.0, |n| f64::from(*n))))
        };
        let (mut least, mut greatest) = (vec![f64::INFINITY; width], vec![f64::NEG_INFINITY; width]);
        for (i, number) in numbers.enumerate() {
            let component = i % width;
            least.iter_mut().skip(component).take(1).for_each(|n| *n = n.min(number));
            greatest.iter_mut().skip(component).take(1).for_each(|n| *n = n.max(number));
        }
        Ok((layout.count > 0).then_some((least, greatest)))
    }

    fn book(&self, count: usize, width: usize, place: &Place) -> Result<()> {
        let numbers = (count as u64).saturating_mul(width as u64);
        self.context.take_elements(numbers, || place.clone())?;
        self.context.take_memory(numbers.saturating_mul(4), || place.clone())
    }

    /// Gives an accessor its elements: tightly packed, in its component type and shape. Sparse values still lie on top.
    #[cfg(feature = "draco")]
    pub(super) fn provide(&mut self, index: Index, elements: SharedBytes) {
        let Some(layout) = self.layouts.get_mut(index as usize) else { return };
        layout.stride = layout.shape.element_bytes(layout.component);
        layout.base = Base::Bytes(Content::Plain(elements));
        self.floats.remove(&(index as usize));
        self.wholes.remove(&(index as usize));
    }

    fn decode_floats(&self, layout: &Layout, place: &Place) -> Result<Buffer<f32>> {
        if let (Component::F32, Base::Bytes(content), None, true) =
            (layout.component, &layout.base, &layout.sparse, layout.is_tight())
        {
            self.context.take_elements(layout.count as u64, || place.clone())?;
            return Ok(Buffer::from_le_bytes(&self.bytes(content, place)?));
        }
        self.decoded(layout, place, to_float(layout))
    }

    fn decode_wholes(&self, layout: &Layout, place: &Place) -> Result<Buffer<u32>> {
        if let (Component::U32, Base::Bytes(content), None, true) =
            (layout.component, &layout.base, &layout.sparse, layout.is_tight())
        {
            self.context.take_elements(layout.count as u64, || place.clone())?;
            return Ok(Buffer::from_le_bytes(&self.bytes(content, place)?));
        }
        self.decoded(layout, place, to_whole(layout.component))
    }

    /// The bytes behind an accessor, decoded where they are compressed.
    fn bytes(&self, content: &Content, place: &Place) -> Result<SharedBytes> {
        content.bytes(self.context)?.ok_or_else(|| nothing(place))
    }

    fn decoded<T: Copy + Default>(&self, layout: &Layout, place: &Place, convert: Convert<T>) -> Result<Buffer<T>> {
        let width = layout.shape.width();
        self.book(layout.count, width, place)?;
        if matches!(layout.base, Base::Zeros) && layout.count * width > MOST_ZEROS {
            let message = format!(
                "{} elements without a byte in the file; that many zeros are not made. Give the accessor a buffer view",
                layout.count
            );
            return Err(Error::limit(place.clone(), message));
        }
        let mut numbers = vec![T::default(); layout.count * width];
        match &layout.base {
            Base::Zeros => {}
            Base::Bytes(content) => {
                decode(layout, &self.bytes(content, place)?, layout.stride, &mut numbers, convert);
            }
            Base::Nothing => return Err(nothing(place)),
        }
        if let Some(sparse) = &layout.sparse {
            self.book(sparse.count, width + 1, place)?;
            let points = sparse_points(layout, sparse, place)?;
            let mut values = vec![T::default(); sparse.count * width];
            decode(layout, &sparse.values, layout.shape.element_bytes(layout.component), &mut values, convert);
            for (point, value) in points.iter().zip(values.chunks_exact(width)) {
                // `sparse_points` has checked that the point is below the count.
                numbers[*point as usize * width..][..width].copy_from_slice(value);
            }
        }
        Ok(numbers.into())
    }
}

fn nothing(place: &Place) -> Error {
    let error = no_bytes(&At::Root);
    Error::new(error.kind(), place.clone(), error.message())
}

fn place(index: Index) -> Place {
    Place::json(format!("/accessors/{index}"))
}

fn layout(accessor: &Accessor, buffers: &Buffers, at: &At<'_>, context: &Context) -> Result<Layout> {
    let component = Component::of(need(accessor.component_type, at, "componentType")?, &at.key("componentType"))?;
    let shape = Shape::of(need(accessor.kind.as_deref(), at, "type")?, &at.key("type"))?;
    let count = need(accessor.count, at, "count")?;
    let count = usize::try_from(count).ok().filter(|c| u32::try_from(*c).is_ok());
    let count = count.ok_or_else(|| Error::limit(at.key("count").place(), "more than 4294967295 elements"))?;
    let element = shape.element_bytes(component);
    let mut layout = Layout {
        component,
        shape,
        normalized: accessor.normalized.unwrap_or(false) && !matches!(component, Component::F32 | Component::U32),
        count,
        stride: element,
        base: Base::Zeros,
        sparse: None,
    };
    if let Some(view) = accessor.buffer_view {
        let view = buffers.view(view, &at.key("bufferView"))?;
        layout.stride = view.stride.filter(|s| *s > 0).unwrap_or(element);
        layout.base = base(view, accessor, &layout, at)?;
    }
    if let Some(sparse) = &accessor.sparse {
        let at = at.key("sparse");
        let find = Find { buffers, context };
        layout.sparse = Some(sparse_layout(sparse, &layout, &find, &at)?);
    }
    Ok(layout)
}

fn base(view: &ViewBytes, accessor: &Accessor, layout: &Layout, at: &At<'_>) -> Result<Base> {
    let element = layout.shape.element_bytes(layout.component);
    let start = accessor.byte_offset.unwrap_or(0);
    let length = match layout.count.checked_sub(1) {
        None => Some(0),
        Some(steps) => layout.stride.checked_mul(steps).and_then(|l| l.checked_add(element)),
    };
    let range = usize::try_from(start).ok().and_then(|s| Some(s..s.checked_add(length?)?));
    let range = range.filter(|r| r.end <= view.length).ok_or_else(|| {
        let (count, have) = (layout.count, view.length);
        at.malformed(format!("{count} elements from byte {start} on do not fit into the buffer view of {have} bytes"))
    })?;
    Ok(view.content.slice(range).map_or(Base::Nothing, Base::Bytes))
}

fn sparse_layout(
    sparse: &crate::document::Sparse,
    layout: &Layout,
    find: &Find<'_>,
    at: &At<'_>,
) -> Result<SparseLayout> {
    let count = need(sparse.count, at, "count")?;
    let count = usize::try_from(count).ok().filter(|c| *c <= layout.count).ok_or_else(|| {
        at.key("count").malformed(format!("{count} elements are to be replaced, but there are only {}", layout.count))
    })?;
    let (indices, values) =
        (need(sparse.indices.as_ref(), at, "indices")?, need(sparse.values.as_ref(), at, "values")?);
    let at_indices = at.key("indices");
    let component = need(indices.component_type, &at_indices, "componentType")?;
    let component = Component::of(component, &at_indices.key("componentType"))?;
    if !matches!(component, Component::U8 | Component::U16 | Component::U32) {
        return Err(at_indices.key("componentType").malformed("sparse indices must be unsigned whole numbers"));
    }
    let at_values = at.key("values");
    let index_bytes = find.tight(indices.buffer_view, indices.byte_offset, (count, component.size()), &at_indices)?;
    let element = layout.shape.element_bytes(layout.component);
    let value_bytes = find.tight(values.buffer_view, values.byte_offset, (count, element), &at_values)?;
    Ok(SparseLayout { component, indices: index_bytes, values: value_bytes, count })
}

/// Where the elements of sparse accessors are found.
struct Find<'a> {
    buffers: &'a Buffers,
    context: &'a Context,
}

impl Find<'_> {
    /// So many elements of so many bytes, side by side.
    fn tight(
        &self,
        view: Option<Index>,
        offset: Option<u64>,
        (count, size): (usize, usize),
        at: &At<'_>,
    ) -> Result<SharedBytes> {
        let view = need(view, at, "bufferView")?;
        let bytes = self.buffers.bytes(view, &at.key("bufferView"), self.context)?;
        let range = usize::try_from(offset.unwrap_or(0)).ok().and_then(|start| {
            let end = count.checked_mul(size)?.checked_add(start)?;
            Some(start..end)
        });
        range
            .and_then(|r| bytes.slice(r))
            .ok_or_else(|| at.malformed("the sparse elements do not fit into the buffer view"))
    }
}

/// The replaced elements; ascending and in range (specification 3.6.2.3).
fn sparse_points(layout: &Layout, sparse: &SparseLayout, place: &Place) -> Result<Vec<u32>> {
    let size = sparse.component.size();
    let read = |bytes: &[u8]| bytes.iter().rev().fold(0u32, |n, b| n << 8 | u32::from(*b));
    let points: Vec<u32> = sparse.indices.chunks_exact(size).take(sparse.count).map(read).collect();
    let ascending = points.is_sorted_by(|a, b| a < b);
    if !ascending || points.last().is_some_and(|last| *last as usize >= layout.count) {
        let message = format!("sparse indices must ascend and be below {}", layout.count);
        return Err(Error::malformed(place.clone().named("sparse.indices"), message));
    }
    Ok(points)
}

type Convert<T> = fn(&[u8; 4]) -> T;

/// Reads all numbers of elements that lie `stride` bytes apart.
fn decode<T: Copy>(layout: &Layout, bytes: &[u8], stride: usize, out: &mut [T], convert: Convert<T>) {
    let (shape, size) = (layout.shape, layout.component.size());
    let column_bytes = shape.column_bytes(layout.component);
    for (element, numbers) in out.chunks_exact_mut(shape.width()).enumerate() {
        for (column, numbers) in numbers.chunks_exact_mut(shape.rows).enumerate() {
            let start = element * stride + column * column_bytes;
            let Some(source) = bytes.get(start..start + shape.rows * size) else { return };
            decode_run(source, size, numbers, convert);
        }
    }
}

fn decode_run<T: Copy>(source: &[u8], size: usize, out: &mut [T], convert: Convert<T>) {
    for (number, raw) in out.iter_mut().zip(source.chunks_exact(size)) {
        let mut wide = [0u8; 4];
        wide.iter_mut().zip(raw).for_each(|(to, from)| *to = *from);
        *number = convert(&wide);
    }
}

/// The conversions of specification 3.11.
fn to_float(layout: &Layout) -> Convert<f32> {
    match (layout.component, layout.normalized) {
        (Component::F32, _) => |b| f32::from_le_bytes(*b),
        (Component::U32, _) => |b| u32::from_le_bytes(*b) as f32,
        (Component::U16, false) => |b| f32::from(u16::from_le_bytes([b[0], b[1]])),
        (Component::I16, false) => |b| f32::from(i16::from_le_bytes([b[0], b[1]])),
        (Component::U8, false) => |b| f32::from(b[0]),
        (Component::I8, false) => |b| f32::from(b[0] as i8),
        (Component::U16, true) => |b| f32::from(u16::from_le_bytes([b[0], b[1]])) / 65535.0,
        (Component::I16, true) => |b| (f32::from(i16::from_le_bytes([b[0], b[1]])) / 32767.0).max(-1.0),
        (Component::U8, true) => |b| f32::from(b[0]) / 255.0,
        (Component::I8, true) => |b| (f32::from(b[0] as i8) / 127.0).max(-1.0),
    }
}

/// Whole numbers; callers have refused floats and signed ones.
fn to_whole(component: Component) -> Convert<u32> {
    match component {
        Component::U8 | Component::I8 => |b| u32::from(b[0]),
        Component::U16 | Component::I16 => |b| u32::from(u16::from_le_bytes([b[0], b[1]])),
        Component::U32 | Component::F32 => |b| u32::from_le_bytes(*b),
    }
}
