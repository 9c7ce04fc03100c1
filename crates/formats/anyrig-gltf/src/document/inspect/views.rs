//! Buffers by their views and accessors.

use super::super::component::{Component, columns_and_rows};
use super::super::{Accessor, BufferView, Root};
use anyrig_bytes::codec::{ItemField, ItemLayout, Scalar, SpanKind};
use anyrig_bytes::{SharedBytes, Value};
use std::collections::BTreeMap;

/// A part of a buffer that something refers to.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) buffer: usize,
    /// Offset in the buffer.
    pub(super) offset: u64,
    pub(super) len: u64,
    /// `bufferViews[3] (accessor 5: POSITION of meshes[0].primitives[0])`.
    pub(super) path: String,
    /// What it is for, without the numbers of view and accessor.
    pub(super) label: String,
    pub(super) kind: SpanKind,
}

/// What lies in a view.
struct Use {
    label: String,
    accessor: Option<usize>,
    /// Offset in the view.
    offset: u64,
    layout: Option<(ItemLayout, u64)>,
}

/// All pieces of all buffers by buffer and offset. Views that are not used are pieces too; so are parts of views that no
/// accessor reads.
pub(super) fn pieces(root: &Root, buffers: &[Option<SharedBytes>]) -> Vec<Piece> {
    let mut uses = uses(root);
    let mut pieces = Vec::new();
    for (index, view) in root.buffer_views.iter().flatten().enumerate() {
        let of_view = uses.remove(&index).unwrap_or_default();
        let within = |(buffer, offset, len): (usize, u64, u64)| {
            let size = buffers.get(buffer)?.as_ref()?.len() as u64;
            let (start, end) = (offset.min(size), offset.saturating_add(len).min(size));
            Some(View { index, buffer, start, end, stride: view.byte_stride })
        };
        if let Some((place, what)) = compressed(view) {
            pieces.extend(within(place).map(|packed| packed.opaque(&what, &of_view)));
        }
        // Of a compressed view this is what stands in for it where readers cannot decompress.
        if let Some(plain) = within(place_of(view)) {
            plain.pieces(of_view, &mut pieces);
        }
    }
    pieces.retain(|p| p.len > 0);
    pieces.sort_by_key(|p| (p.buffer, p.offset));
    pieces
}

fn place_of(view: &BufferView) -> (usize, u64, u64) {
    let buffer = view.buffer.map_or(usize::MAX, |b| b as usize);
    (buffer, view.byte_offset.unwrap_or(0), view.byte_length.unwrap_or(0))
}

/// The compressed bytes of a view (EXT_meshopt_compression, KHR_meshopt_compression), and how they are compressed.
fn compressed(view: &BufferView) -> Option<((usize, u64, u64), String)> {
    let extensions = view.extensions.as_ref()?;
    let found = ["EXT_meshopt_compression", "KHR_meshopt_compression"].iter().find_map(|name| extensions.get(name))?;
    let number = |key: &str| found.get(key).and_then(Value::as_i64).and_then(|n| u64::try_from(n).ok());
    let words = ["mode", "filter"].iter().filter_map(|key| found.get(key).and_then(Value::as_str));
    let words: Vec<&str> = words.filter(|word| *word != "NONE").collect();
    let what = format!("compressed by meshopt, {}", words.join(" "));
    let place = (usize::try_from(number("buffer")?).ok()?, number("byteOffset").unwrap_or(0), number("byteLength")?);
    Some((place, what))
}

struct View {
    index: usize,
    buffer: usize,
    start: u64,
    end: u64,
    stride: Option<u64>,
}

impl View {
    fn piece(&self, range: std::ops::Range<u64>, (number, label): (&str, String), kind: SpanKind) -> Piece {
        let path = format!("bufferViews[{}] ({number}{label})", self.index);
        let (start, end) = (range.start.min(self.end), range.end.min(self.end));
        Piece { buffer: self.buffer, offset: start, len: end.saturating_sub(start), path, label, kind }
    }

    fn opaque(&self, what: &str, uses: &[Use]) -> Piece {
        let mut labels: Vec<&str> = uses.iter().map(|u| u.label.as_str()).collect();
        labels.truncate(3);
        let joined = if labels.is_empty() { what.to_owned() } else { format!("{what}: {}", labels.join(", ")) };
        self.piece(self.start..self.end, ("", joined), SpanKind::Opaque)
    }

    fn pieces(&self, mut uses: Vec<Use>, pieces: &mut Vec<Piece>) {
        if uses.is_empty() {
            pieces.push(self.piece(
                self.start..self.end,
                ("", format!("not used, view {}", self.index)),
                SpanKind::Unknown,
            ));
            return;
        }
        uses.sort_by_key(|u| u.offset);
        let mut end = self.start;
        for group in groups(uses, self.stride) {
            let piece = self.group(group);
            self.unused(end..piece.offset, pieces);
            end = end.max(piece.offset + piece.len);
            pieces.push(piece);
        }
        self.unused(end..self.end, pieces);
    }

    /// Bytes of the view that no accessor reads.
    fn unused(&self, range: std::ops::Range<u64>, pieces: &mut Vec<Piece>) {
        if range.is_empty() {
            return;
        }
        // An accessor is at most aligned to 4 bytes (specification 3.6.2.4).
        let (kind, what) = match range.end - range.start {
            0..4 => (SpanKind::Padding, "padding"),
            _ => (SpanKind::Unknown, "read by no accessor"),
        };
        let label = format!("{what}, view {} from {}", self.index, range.start - self.start);
        pieces.push(self.piece(range, ("", label), kind));
    }

    fn group(&self, group: Vec<Use>) -> Piece {
        let offset = group.first().map_or(0, |u| u.offset);
        let numbers: Vec<String> = group.iter().filter_map(|u| u.accessor).map(|n| n.to_string()).collect();
        let number = match numbers.len() {
            0 => String::new(),
            1 => format!("accessor {}: ", numbers.concat()),
            _ => format!("accessors {}: ", numbers.join(", ")),
        };
        let labels: Vec<&str> = group.iter().map(|u| u.label.as_str()).collect();
        let label = labels.join(", ");
        let start = self.start.saturating_add(offset);
        let Some(count) = group.iter().find_map(|u| u.layout.as_ref().map(|(_, count)| *count)) else {
            return self.piece(start..self.end, (&number, label), SpanKind::Opaque);
        };
        let layout = merged(&group, offset, self.stride);
        // The last element need not fill its stride, but where the view has the bytes they belong to it.
        let len = (layout.stride as u64).saturating_mul(count);
        self.piece(start..start.saturating_add(len), (&number, label), SpanKind::Array(layout))
    }
}

/// Accessors that lie interleaved, or at the very same place, are one group.
fn groups(uses: Vec<Use>, stride: Option<u64>) -> Vec<Vec<Use>> {
    let mut groups: Vec<Vec<Use>> = Vec::new();
    for next in uses {
        let together = groups.last().and_then(|g| g.first()).is_some_and(|first| {
            let count = |u: &Use| u.layout.as_ref().map(|(_, count)| *count);
            let near = match stride {
                Some(stride) => next.offset < first.offset.saturating_add(stride),
                None => next.offset == first.offset,
            };
            near && count(first) == count(&next) && count(first).is_some()
        });
        match groups.last_mut() {
            Some(group) if together => group.push(next),
            _ => groups.push(vec![next]),
        }
    }
    groups
}

/// One layout of all accessors of a group.
fn merged(group: &[Use], start: u64, stride: Option<u64>) -> ItemLayout {
    let one = group.len() == 1;
    let mut fields: Vec<ItemField> = Vec::new();
    let mut tight = 0;
    for (layout, at) in group.iter().filter_map(|u| Some((&u.layout.as_ref()?.0, u))) {
        tight = tight.max(layout.stride);
        for field in &layout.fields {
            let offset = field.offset + usize::try_from(at.offset - start).unwrap_or(usize::MAX);
            let name = if one { String::new() } else { at.label.split(' ').next().unwrap_or_default().to_owned() };
            if !fields.iter().any(|f| f.name == name && f.offset == offset) {
                fields.push(ItemField::new(name, offset, field.scalar, field.width));
            }
        }
    }
    let stride = stride.and_then(|s| usize::try_from(s).ok()).filter(|s| *s > 0).unwrap_or(tight);
    ItemLayout::new(stride, fields)
}

/// What refers to each view.
fn uses(root: &Root) -> BTreeMap<usize, Vec<Use>> {
    let mut all: BTreeMap<usize, Vec<Use>> = BTreeMap::new();
    let labels = accessor_labels(root);
    for (index, accessor) in root.accessors.iter().flatten().enumerate() {
        let label = labels.get(&index).cloned().unwrap_or_else(|| format!("not used, accessor {index}"));
        accessor_uses(index, accessor, &label, &mut all);
    }
    let plain = |label: String| Use { label, accessor: None, offset: 0, layout: None };
    for (index, image) in root.images.iter().flatten().enumerate() {
        let Some(view) = image.buffer_view else { continue };
        let named = image.name.as_ref().map_or_else(String::new, |n| format!(" {n:?}"));
        let kind = image.mime_type.as_ref().map_or_else(String::new, |m| format!(", {m}"));
        all.entry(view as usize).or_default().push(plain(format!("image {index}{named}{kind}")));
    }
    for (mesh, object) in root.meshes.iter().flatten().enumerate() {
        for (number, primitive) in object.primitives.iter().flatten().enumerate() {
            let draco = primitive.extensions.as_ref().and_then(|e| e.get("KHR_draco_mesh_compression"));
            let view = draco.and_then(|d| d.get("bufferView")).and_then(Value::as_i64);
            let Some(view) = view.and_then(|v| usize::try_from(v).ok()) else { continue };
            let label = format!("compressed by Draco: meshes[{mesh}].primitives[{number}]");
            all.entry(view).or_default().push(plain(label));
        }
    }
    all
}

fn accessor_uses(index: usize, accessor: &Accessor, label: &str, all: &mut BTreeMap<usize, Vec<Use>>) {
    let count = accessor.count.unwrap_or(0);
    let layout = layout(accessor.component_type, accessor.kind.as_deref());
    let used = |label: String, offset: Option<u64>, layout: Option<ItemLayout>, count: u64| Use {
        label,
        accessor: Some(index),
        offset: offset.unwrap_or(0),
        layout: layout.map(|l| (l, count)),
    };
    if let Some(view) = accessor.buffer_view {
        let this = used(label.to_owned(), accessor.byte_offset, layout.clone(), count);
        all.entry(view as usize).or_default().push(this);
    }
    let Some(sparse) = &accessor.sparse else { return };
    let count = sparse.count.unwrap_or(0);
    if let Some((indices, view)) = sparse.indices.as_ref().and_then(|i| Some((i, i.buffer_view?))) {
        let scalar = self::layout(indices.component_type, Some("SCALAR"));
        let this = used(format!("sparse indices of {label}"), indices.byte_offset, scalar, count);
        all.entry(view as usize).or_default().push(this);
    }
    if let Some((values, view)) = sparse.values.as_ref().and_then(|v| Some((v, v.buffer_view?))) {
        let this = used(format!("sparse values of {label}"), values.byte_offset, layout, count);
        all.entry(view as usize).or_default().push(this);
    }
}

/// What each accessor is for: its first use, and how many more there are.
fn accessor_labels(root: &Root) -> BTreeMap<usize, String> {
    let mut labels: BTreeMap<usize, (String, usize)> = BTreeMap::new();
    let mut note = |accessor: Option<u32>, label: String| {
        let Some(accessor) = accessor else { return };
        labels.entry(accessor as usize).and_modify(|(_, more)| *more += 1).or_insert((label, 0));
    };
    for (mesh, object) in root.meshes.iter().flatten().enumerate() {
        for (number, primitive) in object.primitives.iter().flatten().enumerate() {
            let of = format!("of meshes[{mesh}].primitives[{number}]");
            for (name, accessor) in primitive.attributes.iter().flat_map(|a| &a.0) {
                note(Some(*accessor), format!("{name} {of}"));
            }
            note(primitive.indices, format!("indices {of}"));
            for (target, deltas) in primitive.targets.iter().flatten().enumerate() {
                for (name, accessor) in &deltas.0 {
                    note(Some(*accessor), format!("{name} {of}.targets[{target}]"));
                }
            }
        }
    }
    for (index, skin) in root.skins.iter().flatten().enumerate() {
        note(skin.inverse_bind_matrices, format!("inverseBindMatrices of skins[{index}]"));
    }
    for (index, animation) in root.animations.iter().flatten().enumerate() {
        for (number, sampler) in animation.samplers.iter().flatten().enumerate() {
            note(sampler.input, format!("input of animations[{index}].samplers[{number}]"));
            note(sampler.output, format!("output of animations[{index}].samplers[{number}]"));
        }
    }
    let with_more = |(label, more): (String, usize)| match more {
        0 => label,
        more => format!("{label} and {more} more"),
    };
    labels.into_iter().map(|(accessor, label)| (accessor, with_more(label))).collect()
}

/// The layout of a tightly packed accessor; matrix columns begin at multiples of 4 bytes (specification 3.6.2.4).
fn layout(component_type: Option<u32>, kind: Option<&str>) -> Option<ItemLayout> {
    let scalar = match Component::from_code(component_type?)? {
        Component::I8 => Scalar::I8,
        Component::U8 => Scalar::U8,
        Component::I16 => Scalar::I16,
        Component::U16 => Scalar::U16,
        Component::U32 => Scalar::U32,
        Component::F32 => Scalar::F32,
    };
    let (columns, rows) = columns_and_rows(kind?)?;
    let column = rows * scalar.size();
    let pitch = if columns > 1 { column.next_multiple_of(4) } else { column };
    if pitch == column {
        return Some(ItemLayout::of(scalar, columns * rows));
    }
    let field = |c: usize| ItemField::new(format!("column{c}"), c * pitch, scalar, rows);
    Some(ItemLayout::new(columns * pitch, (0..columns).map(field).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_of_bytes_have_padded_columns() {
        let layout = layout(Some(5121), Some("MAT3")).expect("known");
        assert_eq!((layout.stride, layout.fields.len(), layout.is_complete()), (12, 3, false));
        assert_eq!(super::layout(Some(5126), Some("MAT4")).map(|l| l.stride), Some(64));
        assert!(super::layout(Some(5124), Some("SCALAR")).is_none());
    }
}
