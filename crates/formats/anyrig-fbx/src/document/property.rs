//! One property of a node.

use super::arena::{NodeId, PropertyData};
use super::arrays::Decoder;
use super::binary::{PropertyRecord, property_record, skim_property};
use super::element::{Element, FromNumber};
use super::number::{self, Number};
use super::{FbxDocument, Form, ascii};
use anyrig_bytes::{Buffer, Place, Result, SharedBytes};
use std::borrow::Cow;

/// What a property is. Binary files state types, ASCII files only tell numbers, words, strings and arrays apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// `C`: a byte that is a truth value (0 and 1, or the letters `T`, `F`, `Y`, `W`) or a letter.
    Char,
    /// `B`: a byte.
    Byte,
    /// `Z`: a signed byte.
    I8,
    /// `Y`.
    I16,
    /// `I`.
    I32,
    /// `L`.
    I64,
    /// `F`.
    F32,
    /// `D`.
    F64,
    /// ASCII: a number; whole or not is told by its spelling.
    Number,
    /// ASCII: a bare word, for example `T`.
    Word,
    /// `S`, or a quoted string in ASCII.
    String,
    /// `R`: raw bytes. In ASCII these are strings of base64.
    Raw,
    /// `b`.
    BoolArray,
    /// `c`.
    ByteArray,
    /// `i`.
    I32Array,
    /// `l`.
    I64Array,
    /// `f`.
    F32Array,
    /// `d`.
    F64Array,
    /// ASCII: `*N { a: … }`.
    NumberArray,
}

impl Kind {
    pub(crate) fn of(tag: u8) -> Self {
        match tag {
            b'C' => Self::Char,
            b'B' => Self::Byte,
            b'Z' => Self::I8,
            b'Y' => Self::I16,
            b'I' => Self::I32,
            b'L' => Self::I64,
            b'F' => Self::F32,
            b'D' => Self::F64,
            b'R' => Self::Raw,
            b'b' => Self::BoolArray,
            b'c' => Self::ByteArray,
            b'i' => Self::I32Array,
            b'l' => Self::I64Array,
            b'f' => Self::F32Array,
            b'd' => Self::F64Array,
            ascii::tag::NUMBER => Self::Number,
            ascii::tag::WORD => Self::Word,
            ascii::tag::ARRAY => Self::NumberArray,
            // `S` and the ASCII string; readers let no other tag pass.
            _ => Self::String,
        }
    }

    /// True for arrays.
    pub fn is_array(self) -> bool {
        use Kind as K;
        matches!(
            self,
            K::BoolArray | K::ByteArray | K::I32Array | K::I64Array | K::F32Array | K::F64Array | K::NumberArray
        )
    }

    /// True for strings and raw bytes.
    pub fn is_text(self) -> bool {
        matches!(self, Self::String | Self::Raw)
    }

    /// True for single numbers, letters included.
    pub fn is_scalar(self) -> bool {
        !self.is_array() && !self.is_text()
    }
}

/// A property of a node.
#[derive(Clone, Copy)]
pub struct Property<'a> {
    pub(crate) document: &'a FbxDocument,
    pub(crate) node: NodeId,
    pub(crate) data: PropertyData,
}

impl<'a> Property<'a> {
    /// What it is.
    pub fn kind(&self) -> Kind {
        Kind::of(self.data.tag())
    }

    /// The number as a whole one; letters give their code. Fractions are cut towards zero, what is out of range goes to
    /// the nearest bound. `None` for strings and arrays.
    pub fn as_i64(&self) -> Option<i64> {
        self.number().map(i64::from_number)
    }

    /// As [`Property::as_i64`], in 32 bits.
    pub fn as_i32(&self) -> Option<i32> {
        self.as_i64().map(i32::from_int)
    }

    /// The number; letters give their code. `None` for strings and arrays.
    pub fn as_f64(&self) -> Option<f64> {
        self.number().map(f64::from_number)
    }

    /// A truth value: 0 and the letters `F` and `N` are false, other numbers and letters are true.
    pub fn as_bool(&self) -> Option<bool> {
        if let Some(letter) = self.as_char() {
            return Some(!matches!(letter, 0 | b'F' | b'N'));
        }
        self.as_f64().map(|value| value != 0.0)
    }

    /// The letter of a `C` property or the first one of a bare word in ASCII.
    pub fn as_char(&self) -> Option<u8> {
        match self.kind() {
            Kind::Char | Kind::Word => self.as_i64().map(u8::from_int),
            _ => None,
        }
    }

    /// The bytes of a string or a raw block, without quotes and with `&quot;`, `&lf;` and `&cr;` resolved in ASCII; the
    /// letters of a bare word.
    pub fn bytes(&self) -> Option<Cow<'a, [u8]>> {
        let at = || self.document.arena.bytes_at(self.data.address());
        match (&self.document.form, self.kind()) {
            (Form::Ascii(_), Kind::String) => Some(ascii::unescape(ascii::string_body(at()))),
            (Form::Ascii(_), Kind::Word) => Some(Cow::Borrowed(number::token(at()))),
            (Form::Binary(_), Kind::String | Kind::Raw) => self.skim(&mut PropertyRecord::default()).map(Cow::Borrowed),
            _ => None,
        }
    }

    /// The bytes of a string or a raw block as a range that shares the file, where it can.
    pub fn shared_bytes(&self) -> Option<SharedBytes> {
        match (&self.document.form, self.kind()) {
            (Form::Binary(_), Kind::String | Kind::Raw) => self.record().ok().map(|record| record.data),
            _ => self.bytes().map(|bytes| bytes.into_owned().into()),
        }
    }

    /// The text of a string, decoded; see [`FbxDocument::decode`].
    pub fn text(&self) -> Option<Cow<'a, str>> {
        if !matches!(self.kind(), Kind::String | Kind::Word) {
            return None;
        }
        Some(match self.bytes()? {
            Cow::Borrowed(bytes) => self.document.decode(bytes),
            Cow::Owned(bytes) => Cow::Owned(self.document.decode(&bytes).into_owned()),
        })
    }

    /// Name and class of an object: `Name`, NUL, 0x01, `Class` in binary files, `Class::Name` in ASCII ones. Without
    /// such a separator the class is empty.
    pub fn name_and_class(&self) -> Option<(Cow<'a, str>, Cow<'a, str>)> {
        let bytes = self.bytes()?;
        let (name, class) = match self.document.form {
            Form::Binary(_) => match memchr::memmem::find(&bytes, b"\0\x01") {
                Some(at) => (bytes.get(..at)?, bytes.get(at + 2..)?),
                None => (&*bytes, &[][..]),
            },
            Form::Ascii(_) => match memchr::memmem::find(&bytes, b"::") {
                Some(at) => (bytes.get(at + 2..)?, bytes.get(..at)?),
                None => (&*bytes, &[][..]),
            },
        };
        let owned = |bytes: &[u8]| Cow::Owned(self.document.decode(bytes).into_owned());
        Some((owned(name), owned(class)))
    }

    /// Decodes an array; a single number is an array of one.
    ///
    /// # Errors
    /// Malformed or truncated when the array is broken or this is a string; beyond the limits.
    pub fn array<T: Element>(&self, decoder: &mut Decoder<'_>) -> Result<Buffer<T>> {
        decoder.property(self)
    }

    /// Where it lies: a byte offset, or line and column in ASCII, with the path of its node.
    pub fn place(&self) -> Place {
        self.document.place_of(self.data.address(), self.node)
    }

    /// The number of a scalar, whole or not.
    pub(crate) fn number(&self) -> Option<Number> {
        let kind = self.kind();
        if !kind.is_scalar() {
            return None;
        }
        match kind {
            Kind::Number => number::parse(number::token(self.document.arena.bytes_at(self.data.address()))),
            Kind::Word => self.document.arena.bytes_at(self.data.address()).first().map(|b| Number::Int((*b).into())),
            _ => {
                let mut record = PropertyRecord::default();
                self.skim(&mut record)?;
                Some(scalar(&record))
            }
        }
    }

    pub(crate) fn record(&self) -> Result<PropertyRecord> {
        property_record(&self.document.arena, self.data, self.document.byte_order())
    }

    /// Fills the record's numbers, and gives the bytes of a text, a block or an array.
    pub(crate) fn skim(&self, record: &mut PropertyRecord) -> Option<&'a [u8]> {
        skim_property(&self.document.arena, self.data, self.document.byte_order(), record)
    }
}

impl std::fmt::Debug for Property<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.number(), self.text()) {
            (Some(Number::Int(value)), _) => write!(f, "{:?}({value})", self.kind()),
            (Some(Number::Float(value)), _) => write!(f, "{:?}({value})", self.kind()),
            (None, Some(text)) => write!(f, "{:?}({text:?})", self.kind()),
            (None, None) => write!(f, "{:?}", self.kind()),
        }
    }
}

/// The number of a record that is a scalar.
pub(crate) fn scalar(record: &PropertyRecord) -> Number {
    match record.kind {
        b'Z' => Number::Int(i64::from(record.byte as i8)),
        b'Y' => Number::Int(record.short.into()),
        b'I' => Number::Int(record.int.into()),
        b'L' => Number::Int(record.long),
        b'F' => Number::Float(record.float.into()),
        b'D' => Number::Float(record.double),
        _ => Number::Int(record.byte.into()),
    }
}
