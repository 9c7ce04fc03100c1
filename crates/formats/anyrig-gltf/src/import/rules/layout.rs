//! Rules for buffers, buffer views and accessors.

use super::{Rules, list};
use crate::document::json::At;
use crate::document::{Accessor, Index, Primitive};
use std::collections::BTreeMap;

/// What a buffer view is used for (specification 3.6.1).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Usage {
    Vertices,
    Indices,
    InverseBinds,
    Other,
}

/// `ARRAY_BUFFER` and `ELEMENT_ARRAY_BUFFER`.
const TARGETS: [(u32, Usage); 2] = [(34962, Usage::Vertices), (34963, Usage::Indices)];

impl Rules<'_> {
    pub(super) fn layout(&mut self) {
        let root = self.root;
        let at = At::Root;
        let (at_views, at_buffers, at_accessors) = (at.key("bufferViews"), at.key("buffers"), at.key("accessors"));
        for (i, _) in list(root.buffers.as_ref()).filter(|(_, b)| b.byte_length == Some(0)) {
            self.add("VALUE_NOT_IN_RANGE", &at_buffers.index(i).key("byteLength"));
        }
        for (i, view) in list(root.buffer_views.as_ref()) {
            let at = at_views.index(i);
            if view.byte_length == Some(0) {
                self.add("VALUE_NOT_IN_RANGE", &at.key("byteLength"));
            }
            if let Some(stride) = view.byte_stride {
                self.stride(stride, view.byte_length.unwrap_or(0), &at.key("byteStride"));
            }
        }
        for (i, accessor) in list(root.accessors.as_ref()) {
            self.accessor_layout(accessor, &at_accessors.index(i));
        }
        self.usages();
    }

    /// Specification 5.11.4.
    fn stride(&mut self, stride: u64, length: u64, at: &At<'_>) {
        if !(4..=252).contains(&stride) {
            self.add("VALUE_NOT_IN_RANGE", at);
        } else if !stride.is_multiple_of(4) {
            self.add("VALUE_MULTIPLE_OF", at);
        }
        if stride > length {
            self.add("BUFFER_VIEW_TOO_BIG_BYTE_STRIDE", at);
        }
    }

    /// Specification 3.6.2.4.
    fn accessor_layout(&mut self, accessor: &Accessor, at: &At<'_>) {
        if accessor.count == Some(0) {
            self.add("VALUE_NOT_IN_RANGE", &at.key("count"));
        }
        let component = match accessor.component_type {
            Some(5122 | 5123) => 2,
            Some(5125 | 5126) => 4,
            _ => 1,
        };
        if accessor.normalized == Some(true) && component == 4 {
            self.add("ACCESSOR_NORMALIZED_INVALID", &at.key("normalized"));
        }
        let Some(view) = accessor.buffer_view.and_then(|v| self.view(v)) else { return };
        let (offset, start) = (accessor.byte_offset.unwrap_or(0), view.byte_offset.unwrap_or(0));
        if offset % component != 0 {
            self.add("ACCESSOR_OFFSET_ALIGNMENT", &at.key("byteOffset"));
        }
        if offset.wrapping_add(start) % component != 0 {
            self.add("ACCESSOR_TOTAL_OFFSET_ALIGNMENT", at);
        }
        if accessor.kind.as_deref().is_some_and(|kind| kind.starts_with("MAT")) && offset % 4 != 0 {
            self.add("ACCESSOR_MATRIX_ALIGNMENT", &at.key("byteOffset"));
        }
    }

    fn usages(&mut self) {
        let root = self.root;
        let of_target = |target: u32| TARGETS.iter().find(|(number, _)| *number == target).map(|(_, usage)| *usage);
        let stated = list(root.buffer_views.as_ref()).filter_map(|(i, v)| Some((i, of_target(v.target?)?)));
        let mut known: BTreeMap<usize, Usage> = stated.collect();
        let at = At::Root;
        let (meshes, skins, images) = (at.key("meshes"), at.key("skins"), at.key("images"));
        for (i, image) in list(root.images.as_ref()) {
            let (at, Some(view)) = (images.index(i), image.buffer_view) else { continue };
            let at = at.key("bufferView");
            self.usage(&mut known, view, Usage::Other, &at);
            if self.view(view).is_some_and(|v| v.byte_stride.is_some()) {
                self.add("IMAGE_BUFFER_VIEW_WITH_BYTESTRIDE", &at);
            }
        }
        for (i, mesh) in list(root.meshes.as_ref()) {
            let at = meshes.index(i);
            let at = at.key("primitives");
            for (p, primitive) in list(mesh.primitives.as_ref()) {
                self.primitive_usages(&mut known, primitive, &at.index(p));
            }
        }
        for (i, skin) in list(root.skins.as_ref()) {
            let (at, Some(accessor)) = (skins.index(i), skin.inverse_bind_matrices) else { continue };
            let at = at.key("inverseBindMatrices");
            self.accessor_usage(&mut known, accessor, Usage::InverseBinds, &at);
            if self.stride_of(accessor).is_some() {
                self.add("SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE", &at);
            }
        }
        self.sparse_usages();
    }

    fn primitive_usages(&mut self, known: &mut BTreeMap<usize, Usage>, primitive: &Primitive, at: &At<'_>) {
        if let Some(indices) = primitive.indices {
            let at = at.key("indices");
            self.accessor_usage(known, indices, Usage::Indices, &at);
            if self.stride_of(indices).is_some() {
                self.add("MESH_PRIMITIVE_INDICES_ACCESSOR_WITH_BYTESTRIDE", &at);
            }
        }
        let at = at.key("attributes");
        for (name, accessor) in primitive.attributes.iter().flat_map(|a| &a.0) {
            self.accessor_usage(known, *accessor, Usage::Vertices, &at.key(name));
        }
    }

    fn accessor_usage(&mut self, known: &mut BTreeMap<usize, Usage>, accessor: Index, usage: Usage, at: &At<'_>) {
        let Some(view) = self.accessor(accessor).and_then(|a| a.buffer_view) else { return };
        self.usage(known, view, usage, at);
    }

    fn usage(&mut self, known: &mut BTreeMap<usize, Usage>, view: Index, usage: Usage, at: &At<'_>) {
        if *known.entry(view as usize).or_insert(usage) != usage {
            self.add("BUFFER_VIEW_TARGET_OVERRIDE", at);
        }
    }

    fn sparse_usages(&mut self) {
        let at = At::Root;
        let at = at.key("accessors");
        for (i, accessor) in list(self.root.accessors.as_ref()) {
            let (at, Some(sparse)) = (at.index(i), &accessor.sparse) else { continue };
            let at = at.key("sparse");
            if sparse.count == Some(0) {
                self.add("VALUE_NOT_IN_RANGE", &at.key("count"));
            }
            let indices = sparse.indices.as_ref().and_then(|s| s.buffer_view);
            let values = sparse.values.as_ref().and_then(|s| s.buffer_view);
            for (key, view) in [("indices", indices), ("values", values)] {
                if view.and_then(|v| self.view(v)).is_some_and(|v| v.byte_stride.is_some()) {
                    self.add("BUFFER_VIEW_INVALID_BYTE_STRIDE", &at.key(key).key("bufferView"));
                }
            }
        }
    }

    /// The stated bounds of every accessor against its numbers as they are stored (specification 3.6.2.5).
    pub(super) fn bounds(&mut self) {
        let at = At::Root;
        let at = at.key("accessors");
        for (i, accessor) in list(self.root.accessors.as_ref()) {
            let (Ok(index), at) = (Index::try_from(i), at.index(i)) else { continue };
            if accessor.buffer_view.is_none() {
                continue;
            }
            let Ok(Some((least, greatest))) = self.accessors.stored_bounds(index, &at) else { continue };
            // Bounds of floats are rounded to floats before they are compared.
            let is_float = accessor.component_type == Some(5126);
            let stated = |bound: f64| if is_float { f64::from(bound as f32) } else { bound };
            for (c, (bound, actual)) in accessor.max.iter().flatten().zip(&greatest).enumerate() {
                let at = at.key("max");
                self.bound(stated(*bound), *actual, "ACCESSOR_MAX_MISMATCH", &at.index(c));
                if *actual > stated(*bound) {
                    self.add("ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND", &at.index(c));
                }
            }
            for (c, (bound, actual)) in accessor.min.iter().flatten().zip(&least).enumerate() {
                let at = at.key("min");
                self.bound(stated(*bound), *actual, "ACCESSOR_MIN_MISMATCH", &at.index(c));
                if *actual < stated(*bound) {
                    self.add("ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND", &at.index(c));
                }
            }
        }
    }

    fn bound(&mut self, stated: f64, actual: f64, code: &'static str, at: &At<'_>) {
        if stated != actual {
            self.add(code, at);
        }
    }
}
