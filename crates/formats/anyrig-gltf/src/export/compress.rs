//! Buffer views compressed by `EXT_meshopt_compression` or `KHR_meshopt_compression`.

use super::packer::{Kind, List, View};
use crate::document::{BufferObject, BufferView, MeshoptView, Named};
use crate::meshopt::{self, Filter, Version};
use crate::options::Meshopt;
use anyrig_bytes::Value;

/// What the JSON of a compressed view takes more than that of a plain one, about.
const JSON_BYTES: usize = 160;

fn extension(meshopt: Meshopt) -> Option<(&'static str, Version)> {
    match meshopt {
        Meshopt::Off => None,
        Meshopt::Ext => Some(("EXT_meshopt_compression", Version::V0)),
        Meshopt::Khr => Some(("KHR_meshopt_compression", Version::V1)),
    }
}

/// A compressed view.
pub(super) struct Stored {
    pub(super) extension: &'static str,
    pub(super) bytes: Vec<u8>,
    mode: &'static str,
    filter: Filter,
    stride: usize,
    count: usize,
}

impl Stored {
    /// The view compressed, where that makes it smaller.
    pub(super) fn of(view: &View, meshopt: Meshopt) -> Option<Self> {
        let (extension, version) = extension(meshopt)?;
        let plain = view.rope.to_shared();
        let stride = view.stride();
        if stride == 0 || plain.is_empty() || !plain.len().is_multiple_of(stride) {
            return None;
        }
        let count = plain.len() / stride;
        let (mode, filter, bytes) = match view.kind {
            Kind::Sparse | Kind::Image => return None,
            Kind::Indices(List::Triangles) if count.is_multiple_of(3) => {
                ("TRIANGLES", Filter::None, meshopt::encode_triangles(&indices(&plain, stride)?))
            }
            Kind::Indices(_) => ("INDICES", Filter::None, meshopt::encode_indices(&indices(&plain, stride)?)?),
            Kind::Vertices { .. } | Kind::Binds | Kind::Animation | Kind::Instances => {
                let (filter, bytes) = attributes(view, version, &plain)?;
                ("ATTRIBUTES", filter, bytes)
            }
        };
        (bytes.len() + JSON_BYTES < plain.len()).then_some(Self { extension, bytes, mode, filter, stride, count })
    }

    /// Says in the view where its compressed bytes lie, and where in the stand-in its own would.
    pub(super) fn describe(&self, view: &mut BufferView, start: u64, stand_in: u64) {
        view.buffer = Some(1);
        view.byte_offset = (stand_in > 0).then_some(stand_in);
        let object = MeshoptView {
            buffer: Some(0),
            byte_offset: (start > 0).then_some(start),
            byte_length: Some(self.bytes.len() as u64),
            byte_stride: Some(self.stride as u64),
            count: Some(self.count as u64),
            mode: Some(self.mode.to_owned()),
            filter: filter_name(self.filter).map(str::to_owned),
            ..MeshoptView::default()
        };
        super::extend(&mut view.extensions, self.extension, super::raw_extension(&object));
    }
}

/// Elements as they are, or ready for their filter where that is smaller.
fn attributes(view: &View, version: Version, plain: &[u8]) -> Option<(Filter, Vec<u8>)> {
    let stride = view.stride();
    let bytes = meshopt::encode_attributes(version, plain, stride)?;
    let coded = view.coded.as_ref().and_then(|(filter, rope)| {
        let coded = rope.to_shared();
        debug_assert!(meshopt::filtered(*filter, stride, &coded) == plain, "a reader would see other numbers");
        Some((*filter, meshopt::encode_attributes(version, &coded, stride)?))
    });
    Some(coded.filter(|(_, coded)| coded.len() < bytes.len()).unwrap_or((Filter::None, bytes)))
}

fn filter_name(filter: Filter) -> Option<&'static str> {
    match filter {
        Filter::None => None,
        Filter::Octahedral => Some("OCTAHEDRAL"),
        Filter::Quaternion => Some("QUATERNION"),
        Filter::Exponential => Some("EXPONENTIAL"),
        Filter::Color => Some("COLOR"),
    }
}

fn indices(bytes: &[u8], stride: usize) -> Option<Vec<u32>> {
    match stride {
        2 => Some(bytes.as_chunks::<2>().0.iter().map(|b| u32::from(u16::from_le_bytes(*b))).collect()),
        4 => Some(bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect()),
        _ => None,
    }
}

/// The buffer that has no bytes and stands in for what is compressed.
pub(super) fn stand_in(length: u64, meshopt: Meshopt) -> BufferObject {
    let mut mark = Value::Null;
    mark.set("fallback", true);
    let extensions = extension(meshopt).map(|(name, _)| Named(vec![(name.to_owned(), mark)]));
    BufferObject { byte_length: Some(length), extensions, ..BufferObject::default() }
}
