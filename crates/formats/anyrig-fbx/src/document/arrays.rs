//! Decoding of arrays, on demand.

use super::ahead::Ahead;
use super::arena::PropertyData;
use super::binary::{PropertyRecord, read_property};
use super::element::{Element, FromNumber};
use super::node::Node;
use super::number::{self, Number};
use super::property::{Kind, Property, scalar};
use super::{FbxDocument, Form, ascii, base64};
use anyrig_bytes::compress::Inflater;
use anyrig_bytes::{Buffer, Context, Endian, Error, Place, Result, SharedBytes};

/// Decodes arrays within a context's limits. Keep one per thread: setting up the inflater costs more than a small array.
#[derive(Debug)]
pub struct Decoder<'c> {
    context: &'c Context,
    inflater: Inflater,
    ahead: Option<&'c Ahead<'c>>,
}

/// Deflate packs at most 1032 bytes into one; streams have some bytes around that.
const MAX_RATIO: u64 = 1032;

impl<'c> Decoder<'c> {
    /// A decoder that books what it allocates in a context.
    pub fn new(context: &'c Context) -> Self {
        Self { context, inflater: Inflater::default(), ahead: None }
    }

    /// The same decoder, which takes what others inflate.
    pub(crate) fn with_ahead(mut self, ahead: &'c Ahead<'c>) -> Self {
        self.ahead = Some(ahead);
        self
    }

    pub(crate) fn property<T: Element>(&mut self, property: &Property<'_>) -> Result<Buffer<T>> {
        let kind = property.kind();
        if kind.is_text() {
            return Err(Error::malformed(property.place(), "a string stands where numbers are needed"));
        }
        if kind == Kind::NumberArray {
            return self.text_array(property);
        }
        if kind.is_array() {
            return self.binary_array(property);
        }
        let number = property.number().ok_or_else(|| Error::malformed(property.place(), "this is not a number"))?;
        Ok(Buffer::from(vec![T::from_number(number)]))
    }

    pub(crate) fn node<T: Element>(&mut self, node: &Node<'_>) -> Result<Buffer<T>> {
        if let (1, Some(only)) = (node.property_count(), node.property(0)) {
            return self.property(&only);
        }
        if !node.is_list_of_scalars() {
            let wrong = node.properties().find(|p| !p.kind().is_scalar());
            let place = wrong.map_or_else(|| node.place(), |p| p.place());
            return Err(Error::malformed(place, "something else stands in a list of numbers"));
        }
        self.book::<T>(node.property_count(), || node.place())?;
        let document = node.document();
        let mut values = Vec::with_capacity(node.property_count());
        let mut record = PropertyRecord::default();
        for data in node.raw_properties() {
            let number = list_number(document, *data, &mut record);
            let number = number.ok_or_else(|| {
                let place = document.place_of(data.address(), node.id());
                Error::malformed(place, "this is not a number")
            })?;
            values.push(T::from_number(number));
        }
        Ok(values.into())
    }

    pub(crate) fn float_bits(&mut self, node: &Node<'_>) -> Result<Buffer<u32>> {
        if node.property(0).is_some_and(|p| matches!(p.kind(), Kind::F32Array | Kind::F32)) {
            return Ok(self.node::<f32>(node)?.iter().map(|v| v.to_bits()).collect());
        }
        let bits = |value: &f64| {
            let is_bits = value.fract() == 0.0 && (-2_147_483_648.0..4_294_967_296.0).contains(value);
            // Spelled `-0`, a zero has a sign that no bits have.
            if is_bits && *value != 0.0 { *value as i64 as u32 } else { (*value as f32).to_bits() }
        };
        Ok(self.node::<f64>(node)?.iter().map(bits).collect())
    }

    pub(crate) fn content(&mut self, node: &Node<'_>) -> Result<SharedBytes> {
        let Some(first) = node.property(0) else { return Ok(SharedBytes::default()) };
        if first.kind().is_array() {
            return Ok(self.property::<u8>(&first)?.to_bytes());
        }
        match node.document().form {
            Form::Binary(_) => first
                .shared_bytes()
                .ok_or_else(|| Error::malformed(first.place(), "a number stands where a block of bytes is needed")),
            Form::Ascii(_) => self.base64(node),
        }
    }

    fn base64(&mut self, node: &Node<'_>) -> Result<SharedBytes> {
        let mut decoder = base64::Decoder::default();
        for property in node.properties() {
            let pushed = property.bytes().filter(|_| property.kind() == Kind::String).and_then(|b| {
                self.context.take_memory(b.len() as u64, || property.place()).ok()?;
                decoder.push(&b)
            });
            pushed.ok_or_else(|| Error::malformed(property.place(), "the embedded file is not base64 text"))?;
        }
        let last = || node.properties().last().map_or_else(|| node.place(), |p| p.place());
        let bytes = decoder.finish();
        bytes.map(Into::into).ok_or_else(|| Error::malformed(last(), "the embedded file is not base64 text"))
    }

    fn book<T>(&self, count: usize, place: impl FnOnce() -> Place) -> Result<()> {
        self.context.take_memory((count as u64).saturating_mul(size_of::<T>() as u64), place)
    }

    fn binary_array<T: Element>(&mut self, property: &Property<'_>) -> Result<Buffer<T>> {
        let place = || property.place();
        let mut record = PropertyRecord::default();
        let array =
            Stored::of(property, &mut record).ok_or_else(|| Error::malformed(place(), "the array is broken"))?;
        let len = array.checked_len().map_err(|message| Error::malformed(place(), message))?;
        if array.holds::<T>() && array.record.encoding == 0 && array.endian == Endian::Little {
            // Only copied, and so booked, when it does not lie on a multiple of its size; booked as if.
            self.book::<u8>(len, place)?;
            return Ok(Buffer::from_le_bytes(&property.record()?.data));
        }
        self.book::<T>(array.count(), place)?;
        if array.record.encoding == 0 {
            return Ok(array.raw().into());
        }
        // What helpers inflate ahead of the booking stays below a bound of its own.
        let ready = self.ahead.and_then(|ahead| ahead.take::<T>(property, &mut self.inflater));
        ready.map_or_else(|| array.inflate(&mut self.inflater, place), Ok).map(Buffer::from)
    }

    fn text_array<T: Element>(&mut self, property: &Property<'_>) -> Result<Buffer<T>> {
        let document = property.document;
        let address = property.data.address();
        let array = ascii::array_body(document.arena.bytes_at(address));
        let at = |offset: usize| document.place_of(address + offset as u64, property.node);
        let body = array.text;
        // The count is a hint; what is allocated is bounded by the text, in which each number has a separator.
        let mut values: Vec<T> = Vec::with_capacity(array.announced.min(body.len() / 2 + 1));
        let mut rest = ascii::skip_separators(body);
        while !rest.is_empty() {
            let offset = array.offset + body.len() - rest.len();
            let Some((value, len)) = T::from_text(rest).filter(|(_, len)| *len > 0) else {
                let message = format!("{:?} is not a number", String::from_utf8_lossy(ascii::shown(rest)));
                return Err(Error::malformed(at(offset), message));
            };
            values.push(value);
            rest = ascii::skip_separators(rest.get(len..).unwrap_or_default());
        }
        self.book::<T>(values.len(), || property.place())?;
        Ok(values.into())
    }
}

/// The number of elements that a deflated array announces, when it can hold so many.
pub(crate) fn announced(property: &Property<'_>) -> Option<usize> {
    let kind = property.kind();
    if !kind.is_array() || kind == Kind::NumberArray {
        return None;
    }
    let mut record = PropertyRecord::default();
    let array = Stored::of(property, &mut record)?;
    array.checked_len().ok().filter(|_| array.record.encoding == 1).map(|_| array.count())
}

/// The elements of a deflated array that can hold what it announces. `None` when it is broken.
pub(crate) fn inflated<T: Element>(property: &Property<'_>, inflater: &mut Inflater) -> Option<Vec<T>> {
    Stored::of(property, &mut PropertyRecord::default())?.inflate(inflater, Place::whole).ok()
}

/// The number of one property of a list.
fn list_number(document: &FbxDocument, data: PropertyData, record: &mut PropertyRecord) -> Option<Number> {
    match data.tag() {
        ascii::tag::NUMBER => number::parse(number::token(document.arena.bytes_at(data.address()))),
        ascii::tag::WORD => document.arena.bytes_at(data.address()).first().map(|b| Number::Int((*b).into())),
        _ => {
            read_property(&document.arena, data, document.byte_order(), record).ok()?;
            Some(scalar(record))
        }
    }
}

/// An array of a binary file.
struct Stored<'a> {
    /// Its numbers; it holds no bytes.
    record: &'a PropertyRecord,
    data: &'a [u8],
    endian: Endian,
}

impl<'a> Stored<'a> {
    /// The array of a property, read into a record.
    fn of(property: &Property<'a>, record: &'a mut PropertyRecord) -> Option<Self> {
        let data = property.skim(record)?;
        Some(Self { record, data, endian: property.document.byte_order() })
    }

    /// Number of elements.
    fn count(&self) -> usize {
        self.record.count as usize
    }

    fn element_size(&self) -> u64 {
        match self.record.kind {
            b'd' | b'l' => 8,
            b'f' | b'i' => 4,
            _ => 1,
        }
    }

    /// Number of bytes of all elements, once it is clear that so many can be there.
    fn checked_len(&self) -> Result<usize, String> {
        let (record, stored) = (self.record, self.data.len() as u64);
        let len = u64::from(record.count) * self.element_size();
        match record.encoding {
            0 if len != stored => Err(format!("{} elements take {len} bytes, the array has {stored}", record.count)),
            1 if len > (stored + 1) * MAX_RATIO => {
                Err(format!("{len} bytes are announced, more than the {stored} compressed ones can hold"))
            }
            0 | 1 => usize::try_from(len).map_err(|_| format!("{len} bytes are more than this machine can address")),
            other => Err(format!("the array encoding {other} is not known; 0 (raw) and 1 (zlib) are")),
        }
    }

    /// True when elements need no conversion but perhaps of their byte order.
    fn holds<T: Element>(&self) -> bool {
        T::CODE == self.record.kind || (T::CODE == b'b' && self.record.kind == b'c')
    }

    /// The elements of an array that is not deflated.
    fn raw<T: Element>(&self) -> Vec<T> {
        if self.holds::<T>() {
            let mut values = bytemuck::allocation::pod_collect_to_vec::<u8, T>(self.data);
            self.put_in_order(&mut values);
            return values;
        }
        let mut values = Vec::with_capacity(self.count());
        self.convert(self.data, &mut values);
        values
    }

    /// Inflates an array that can hold what it announces. Each piece is converted while it is at hand, so that the bytes
    /// never lie in memory as a whole beside the elements.
    fn inflate<T: Element>(&self, inflater: &mut Inflater, place: impl Fn() -> Place) -> Result<Vec<T>> {
        let (packed, count) = (self.data, self.count());
        if !self.holds::<T>() {
            let mut values = Vec::with_capacity(count);
            let len = count * self.element_size() as usize;
            inflater.inflate_pieces(packed, len, place, |piece| self.convert(piece, &mut values))?;
            return Ok(values);
        }
        let mut values: Vec<T> = bytemuck::allocation::zeroed_vec(count);
        inflater.inflate_into(packed, bytemuck::cast_slice_mut::<T, u8>(&mut values), place)?;
        self.put_in_order(&mut values);
        Ok(values)
    }

    /// Gives elements that hold the bytes of the file the byte order of the machine, bit by bit.
    fn put_in_order<T: Element>(&self, values: &mut [T]) {
        if self.endian == Endian::Big {
            bytemuck::cast_slice_mut::<T, u8>(values).chunks_exact_mut(size_of::<T>()).for_each(<[u8]>::reverse);
        }
    }

    /// Adds the elements that bytes stand for.
    fn convert<T: Element>(&self, bytes: &[u8], values: &mut Vec<T>) {
        let big = self.endian == Endian::Big;
        fn each<const N: usize, T>(bytes: &[u8], values: &mut Vec<T>, value: impl Fn([u8; N]) -> T) {
            values.extend(bytes.as_chunks::<N>().0.iter().map(|chunk| value(*chunk)));
        }
        match self.record.kind {
            b'd' if big => each(bytes, values, |b| T::from_float(f64::from_be_bytes(b))),
            b'd' => each(bytes, values, |b| T::from_float(f64::from_le_bytes(b))),
            b'f' if big => each(bytes, values, |b| T::from_float(f32::from_be_bytes(b).into())),
            b'f' => each(bytes, values, |b| T::from_float(f32::from_le_bytes(b).into())),
            b'i' if big => each(bytes, values, |b| T::from_int(i32::from_be_bytes(b).into())),
            b'i' => each(bytes, values, |b| T::from_int(i32::from_le_bytes(b).into())),
            b'l' if big => each(bytes, values, |b| T::from_int(i64::from_be_bytes(b))),
            b'l' => each(bytes, values, |b| T::from_int(i64::from_le_bytes(b))),
            _ => values.extend(bytes.iter().map(|b| T::from_int((*b).into()))),
        }
    }
}
