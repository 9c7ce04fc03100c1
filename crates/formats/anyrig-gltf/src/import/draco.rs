//! Primitives that `KHR_draco_mesh_compression` compresses.
//!
//! The decoder is the crate `draco-core` behind the feature `draco`. What it gives is not trusted: numbers of points and
//! faces must be those of the accessors, faces must refer to points, whole numbers must fit the accessor's type.

use super::{Loader, need};
use crate::codes;
use crate::document::json::At;
use crate::document::{DracoPrimitive, Index, Primitive, typed};
use anyrig_bytes::{Buffer, Diagnostic, Result};

/// The name of the extension.
pub(super) const EXTENSION: &str = "KHR_draco_mesh_compression";

/// What a file needs that this build cannot decode.
#[cfg(not(feature = "draco"))]
pub(super) const REMEDY: &str =
    "use a build with the feature `draco`, or decompress it first, for example with gltf-pipeline";

impl Loader<'_> {
    /// Decodes a compressed primitive: its accessors get their elements, and its corners are given. `None` where there is
    /// nothing compressed, or where the plain data beside it is used.
    pub(super) fn unpack(&mut self, primitive: &Primitive, at: &At<'_>) -> Result<Option<Buffer<u32>>> {
        let Some(value) = primitive.extensions.as_ref().and_then(|e| e.get(EXTENSION)) else { return Ok(None) };
        let at = at.key("extensions");
        let at = at.key(EXTENSION);
        // The extension is defined for triangles and strips of them only.
        let is_defined = matches!(primitive.mode.unwrap_or(4), 4 | 5);
        if self.is_plain(primitive) && (!is_defined || cfg!(not(feature = "draco"))) {
            let told = Diagnostic::new(&codes::EXTENSION_FALLBACK, EXTENSION, "the unpacked data beside it is used");
            self.context.push(told.at(at.place()));
            return Ok(None);
        }
        if !is_defined {
            return Err(at.malformed("only triangles can be compressed so; the file was not written by the rules"));
        }
        let result = typed(value, &at, self.context).and_then(|object| self.unpacked(primitive, &object, &at));
        match result {
            Ok(corners) => Ok(Some(corners)),
            Err(error) if self.is_plain(primitive) && error.kind() == anyrig_bytes::ErrorKind::Malformed => {
                let told = Diagnostic::new(&codes::COMPRESSED_FAULT, at.pointer(), error.message());
                self.context.push(told.at(at.place()));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// True when every accessor of a primitive has elements of its own.
    fn is_plain(&self, primitive: &Primitive) -> bool {
        let attributes = primitive.attributes.iter().flat_map(|a| &a.0).map(|(_, accessor)| *accessor);
        let accessors = self.root.accessors.as_deref().unwrap_or_default();
        let is_plain =
            |index: Index| accessors.get(index as usize).is_none_or(|a| a.buffer_view.is_some() || a.count == Some(0));
        attributes.chain(primitive.indices).all(is_plain)
    }

    #[cfg(not(feature = "draco"))]
    fn unpacked(&mut self, _: &Primitive, object: &DracoPrimitive, at: &At<'_>) -> Result<Buffer<u32>> {
        need(object.buffer_view, at, "bufferView")?;
        Err(anyrig_bytes::Error::unsupported(at.place(), format!("{EXTENSION} is not decoded; {REMEDY}")))
    }

    #[cfg(feature = "draco")]
    fn unpacked(&mut self, primitive: &Primitive, object: &DracoPrimitive, at: &At<'_>) -> Result<Buffer<u32>> {
        let at_view = at.key("bufferView");
        let bytes = self.buffers.bytes(need(object.buffer_view, at, "bufferView")?, &at_view, self.context)?;
        let wanted = self.wanted(primitive, object, at)?;
        let corners = primitive.indices.map(|i| self.accessors.layout(i, at).map(|l| l.count)).transpose()?;
        let faces = corners.filter(|_| primitive.mode.unwrap_or(4) == 4).map(|corners| corners / 3);
        // A strip has about one corner a face.
        let most = Ceiling::of(&wanted, faces.or(corners));
        self.context.take_elements(most.elements(bytes.len()), || at.place())?;
        self.context.take_memory(most.memory(), || at.place())?;
        let mesh = decode::decode(&bytes, &most).map_err(|error| at.malformed(error))?;
        if faces.is_some_and(|faces| faces != mesh.faces()) {
            let (found, stated) = (mesh.faces(), faces.unwrap_or(0));
            return Err(at.malformed(format!("it decodes to {found} triangles, the indices accessor has {stated}")));
        }
        let mut elements = Vec::new();
        for wanted in &wanted {
            let at = at.key("attributes");
            elements.push(mesh.attribute(wanted).map_err(|message| at.key(wanted.name).malformed(message))?);
        }
        let corners = mesh.corners().map_err(|message| at.malformed(message))?;
        // Nothing is changed before all is known to be right.
        for (wanted, elements) in wanted.iter().zip(elements) {
            self.accessors.provide(wanted.accessor, elements);
        }
        Ok(corners)
    }

    /// The compressed attributes that the primitive has.
    #[cfg(feature = "draco")]
    fn wanted<'o>(&self, primitive: &Primitive, object: &'o DracoPrimitive, at: &At<'_>) -> Result<Vec<Wanted<'o>>> {
        let at = at.key("attributes");
        let mut wanted = Vec::new();
        for (name, unique_id) in object.attributes.iter().flat_map(|a| &a.0) {
            let at = at.key(name);
            let accessor = primitive.attributes.as_ref().and_then(|a| a.get(name));
            let accessor = *accessor.ok_or_else(|| at.malformed("the primitive has no attribute of this name"))?;
            let layout = self.accessors.layout(accessor, &at)?;
            wanted.push(Wanted {
                name,
                accessor,
                unique_id: *unique_id,
                component: layout.component,
                width: layout.shape.width(),
                count: layout.count,
            });
        }
        Ok(wanted)
    }
}

/// A compressed attribute, and the accessor that it is for.
#[cfg(feature = "draco")]
struct Wanted<'a> {
    name: &'a str,
    accessor: Index,
    unique_id: u32,
    component: super::accessors::Component,
    width: usize,
    count: usize,
}

/// What a stream may make. A few bytes of it can stand for any number of elements, so that nothing of its own counts but
/// what the accessors state: that much is booked, and beyond that the decoder refuses.
#[cfg(feature = "draco")]
struct Ceiling {
    /// Bytes that the accessors state.
    bytes: u64,
    faces: u64,
}

#[cfg(feature = "draco")]
impl Ceiling {
    /// Attributes that the primitive does not have, and numbers of more bytes than the accessors', make twice as much at
    /// most. Above that a few bytes and faces are allowed, so that a file that contradicts itself is told how.
    const SPARE_BYTES: u64 = 1 << 16;
    const SPARE_FACES: u64 = 1 << 10;
    /// Of a face: three corners, what lies opposite of each and the vertex of each, and the corners given to the part.
    const FACE_BYTES: u64 = 48;

    /// Without stated faces there are about two for each point.
    fn of(wanted: &[Wanted<'_>], faces: Option<usize>) -> Self {
        let bytes = wanted.iter().map(|w| (w.count as u64).saturating_mul(4 * w.width as u64));
        let points = wanted.iter().map(|w| w.count as u64).max().unwrap_or(0);
        let faces = faces.map_or(points.saturating_mul(3), |faces| faces as u64);
        Self { bytes: bytes.fold(0, u64::saturating_add), faces }
    }

    fn elements(&self, stream: usize) -> u64 {
        (self.bytes / 4).saturating_add(self.faces).saturating_add(stream as u64)
    }

    /// What the decoder makes, and the elements made from it.
    fn memory(&self) -> u64 {
        let faces = self.faces.saturating_add(Self::SPARE_FACES).saturating_mul(Self::FACE_BYTES);
        self.decoded_bytes().saturating_add(self.bytes).saturating_add(faces)
    }

    fn decoded_bytes(&self) -> u64 {
        self.bytes.saturating_mul(2).saturating_add(Self::SPARE_BYTES)
    }
}

#[cfg(feature = "draco")]
mod decode {
    use super::super::accessors::Component;
    use super::{Ceiling, Wanted};
    use anyrig_bytes::{Buffer, SharedBytes};
    use draco_core::{DataType, DecodeLimits, DecoderBuffer, ErrorKind, Mesh, MeshDecoder, PointAttribute, PointIndex};

    pub(super) struct Decoded(Mesh);

    pub(super) fn decode(bytes: &[u8], most: &Ceiling) -> Result<Decoded, String> {
        let limits = DecodeLimits::default()
            .with_max_points(most.decoded_bytes())
            .with_max_faces(most.faces.saturating_add(Ceiling::SPARE_FACES))
            .with_max_decoded_bytes(most.decoded_bytes());
        let mut buffer = DecoderBuffer::new(bytes).with_limits(limits);
        let mut mesh = Mesh::new();
        let decoded = MeshDecoder::new().decode(&mut buffer, &mut mesh);
        decoded.map_err(|error| match error.kind() {
            ErrorKind::LimitExceeded => format!("the compressed data holds more than the accessors state: {error}"),
            _ => format!("the compressed data cannot be decoded: {error}"),
        })?;
        Ok(Decoded(mesh))
    }

    impl Decoded {
        pub(super) fn faces(&self) -> usize {
            self.0.num_faces()
        }

        /// Three points a face.
        pub(super) fn corners(&self) -> Result<Buffer<u32>, String> {
            let corners: Vec<u32> = self.0.faces().iter().flatten().map(|p| p.0).collect();
            match corners.iter().find(|c| **c as usize >= self.0.num_points()) {
                Some(beyond) => Err(format!("a face has the point {beyond} of {}", self.0.num_points())),
                None => Ok(corners.into()),
            }
        }

        /// The elements for an accessor, tightly packed.
        pub(super) fn attribute(&self, wanted: &Wanted<'_>) -> Result<SharedBytes, String> {
            let attribute = self.0.attribute_by_unique_id(wanted.unique_id);
            let attribute = attribute.ok_or_else(|| format!("there is no attribute of id {}", wanted.unique_id))?;
            let (points, width) = (self.0.num_points(), usize::from(attribute.num_components()));
            if points != wanted.count || width != wanted.width {
                let (count, wide) = (wanted.count, wanted.width);
                return Err(format!("{points} elements of {width} numbers, the accessor has {count} of {wide}"));
            }
            let mut out = Vec::with_capacity(points * width * wanted.component.size());
            for point in 0..points {
                let element = element(attribute, point).ok_or("a point has no value")?;
                for number in element.chunks_exact(attribute.data_type().byte_length().max(1)) {
                    push(number, attribute, wanted.component, &mut out).ok_or("a value does not fit the accessor")?;
                }
            }
            Ok(out.into())
        }
    }

    fn element(attribute: &PointAttribute, point: usize) -> Option<&[u8]> {
        let index = attribute.mapped_index(PointIndex(u32::try_from(point).ok()?)).0 as usize;
        let size = attribute.data_type().byte_length() * usize::from(attribute.num_components());
        let start = index.checked_mul(usize::try_from(attribute.byte_stride()).ok()?)?;
        attribute.buffer().data().get(start..start.checked_add(size)?)
    }

    /// Converts a number; floats stay floats, whole numbers must fit.
    fn push(number: &[u8], attribute: &PointAttribute, to: Component, out: &mut Vec<u8>) -> Option<()> {
        let mut wide = [0u8; 8];
        wide.iter_mut().zip(number).for_each(|(to, from)| *to = *from);
        let unsigned = u64::from_le_bytes(wide);
        let (whole, most): (i64, f64) = match attribute.data_type() {
            DataType::Int8 => (i64::from(unsigned as i8), 127.0),
            DataType::Uint8 | DataType::Bool => (unsigned as i64, 255.0),
            DataType::Int16 => (i64::from(unsigned as i16), 32767.0),
            DataType::Uint16 => (unsigned as i64, 65535.0),
            DataType::Int32 => (i64::from(unsigned as i32), f64::from(i32::MAX)),
            DataType::Uint32 => (unsigned as i64, f64::from(u32::MAX)),
            DataType::Float32 if to == Component::F32 => {
                out.extend_from_slice(number);
                return Some(());
            }
            DataType::Float64 if to == Component::F32 => {
                out.extend_from_slice(&(f64::from_bits(unsigned) as f32).to_le_bytes());
                return Some(());
            }
            _ => return None,
        };
        match to {
            Component::I8 => out.extend_from_slice(&i8::try_from(whole).ok()?.to_le_bytes()),
            Component::U8 => out.push(u8::try_from(whole).ok()?),
            Component::I16 => out.extend_from_slice(&i16::try_from(whole).ok()?.to_le_bytes()),
            Component::U16 => out.extend_from_slice(&u16::try_from(whole).ok()?.to_le_bytes()),
            Component::U32 => out.extend_from_slice(&u32::try_from(whole).ok()?.to_le_bytes()),
            Component::F32 => {
                let scale = if attribute.normalized() { most } else { 1.0 };
                out.extend_from_slice(&((whole as f64 / scale) as f32).to_le_bytes());
            }
        }
        Some(())
    }
}
