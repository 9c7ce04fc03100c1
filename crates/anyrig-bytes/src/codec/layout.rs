//! What the elements of a bulk array are made of.

use super::Field;
use super::field::kind;
use crate::{Endian, SharedBytes, Value, Writer};
use std::borrow::Cow;

/// Type of a number in a bulk array; little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Scalar {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
}

macro_rules! scalars {
    ($($variant:ident: $type:ident),*) => {
        impl Scalar {
            /// Size in bytes.
            pub fn size(self) -> usize {
                match self { $(Self::$variant => <$type as Field>::SIZE),* }
            }

            /// Name of the type.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => stringify!($type)),* }
            }

            /// The number as a value; `None` when fewer bytes are there.
            pub fn value(self, bytes: &[u8]) -> Option<Value> {
                match self { $(Self::$variant => bytes.first_chunk().map(|b| $type::from_le_bytes(*b).to_value())),* }
            }

            /// The number for comparisons; whole numbers above 2^53 are rounded. `None` when fewer bytes are there.
            pub fn number(self, bytes: &[u8]) -> Option<f64> {
                match self { $(Self::$variant => bytes.first_chunk().map(|b| $type::from_le_bytes(*b) as f64)),* }
            }

            fn encode(self, value: &Value, writer: &mut Writer) -> Result<(), String> {
                match self { $(Self::$variant => $type::from_value(value).map(|v| v.write(writer))),* }
            }
        }
    };
}
scalars!(U8: u8, I8: i8, U16: u16, I16: i16, U32: u32, I32: i32, U64: u64, I64: i64, F32: f32, F64: f64);

/// One or more numbers of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ItemField {
    /// Name; empty when the element is nothing else.
    pub name: Cow<'static, str>,
    /// Offset in the element, in bytes.
    pub offset: usize,
    /// Type of each number.
    pub scalar: Scalar,
    /// How many numbers; one is shown as itself, more as a list.
    pub width: usize,
}

impl ItemField {
    /// `width` numbers of a type, so many bytes from the element's start.
    pub fn new(name: impl Into<Cow<'static, str>>, offset: usize, scalar: Scalar, width: usize) -> Self {
        Self { name: name.into(), offset, scalar, width }
    }
}

/// The layout of the elements of a bulk array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ItemLayout {
    /// Bytes from one element to the next.
    pub stride: usize,
    /// What is in an element, by offset.
    pub fields: Vec<ItemField>,
}

impl ItemLayout {
    /// Elements with these fields, so many bytes apart.
    pub fn new(stride: usize, fields: Vec<ItemField>) -> Self {
        Self { stride, fields }
    }

    /// Elements that are `width` numbers each.
    pub fn of(scalar: Scalar, width: usize) -> Self {
        Self::default().with("", scalar, width)
    }

    /// The same layout with one more field at its end.
    #[must_use]
    pub fn with(mut self, name: impl Into<Cow<'static, str>>, scalar: Scalar, width: usize) -> Self {
        let offset = self.stride;
        self.fields.push(ItemField { name: name.into(), offset, scalar, width });
        self.stride = offset.saturating_add(scalar.size().saturating_mul(width));
        self
    }

    /// True when the fields cover every byte of an element once, so that an array can be spelled by its elements.
    pub fn is_complete(&self) -> bool {
        let mut end = 0;
        let seamless = self.fields.iter().all(|field| {
            let fits = field.offset == end;
            end += field.size();
            fits
        });
        seamless && end == self.stride && end > 0
    }

    /// Number of whole elements in so many bytes.
    pub fn count(&self, bytes: usize) -> usize {
        // The last element need not fill its stride.
        let used = self.fields.iter().map(|f| f.offset + f.size()).max().unwrap_or(0);
        match (self.stride, bytes.checked_sub(used)) {
            (1.., Some(rest)) if used > 0 => rest / self.stride + 1,
            _ => 0,
        }
    }

    /// The only field, when elements have no named ones.
    fn single(&self) -> Option<&ItemField> {
        match self.fields.as_slice() {
            [only] if only.name.is_empty() => Some(only),
            _ => None,
        }
    }

    /// An element as a value; `None` when there is none at that index.
    pub fn item(&self, bytes: &[u8], index: usize) -> Option<Value> {
        let start = index.checked_mul(self.stride)?;
        let bytes = bytes.get(start..)?;
        match self.single() {
            Some(field) => field.value(bytes),
            None => {
                let member = |f: &ItemField| Some((f.name.to_string(), f.value(bytes)?));
                self.fields.iter().map(member).collect::<Option<_>>().map(Value::Object)
            }
        }
    }

    /// Writes an element that a dump or a person spelled. The layout must be complete.
    ///
    /// # Errors
    /// What is wanted instead, and in which field.
    pub(super) fn encode(&self, value: &Value, writer: &mut Writer) -> Result<(), String> {
        if let Some(field) = self.single() {
            return field.encode(value, writer);
        }
        let Value::Object(members) = value else {
            return Err(format!("an object with the members {} is wanted, this is {}", self.names(), kind(value)));
        };
        if members.len() != self.fields.len() {
            return Err(format!("exactly the members {} are wanted, this is {}", self.names(), kind(value)));
        }
        for (at, field) in self.fields.iter().enumerate() {
            let same_place = members.get(at).filter(|(key, _)| *key == field.name);
            let found = same_place.or_else(|| members.iter().find(|(key, _)| *key == field.name));
            let (_, value) = found.ok_or_else(|| format!("the member `{}` is missing", field.name))?;
            field.encode(value, writer).map_err(|e| format!("{}: {e}", field.name))?;
        }
        Ok(())
    }

    fn names(&self) -> String {
        self.fields.iter().map(|f| format!("`{}`", f.name)).collect::<Vec<_>>().join(", ")
    }
}

impl ItemField {
    /// Size in bytes.
    pub fn size(&self) -> usize {
        self.scalar.size().saturating_mul(self.width)
    }

    /// The numbers as a value, from the bytes of the element on.
    pub fn value(&self, item: &[u8]) -> Option<Value> {
        let bytes = item.get(self.offset..self.offset.checked_add(self.size())?)?;
        if self.width == 1 {
            return self.scalar.value(bytes);
        }
        bytes.chunks_exact(self.scalar.size()).map(|b| self.scalar.value(b)).collect::<Option<_>>().map(Value::Array)
    }

    /// Encodes the numbers.
    pub(super) fn encode(&self, value: &Value, writer: &mut Writer) -> Result<(), String> {
        if self.width == 1 {
            return self.scalar.encode(value, writer);
        }
        let items = value.as_array().filter(|items| items.len() == self.width);
        let items =
            items.ok_or_else(|| format!("a list of {} values is wanted, this is {}", self.width, kind(value)))?;
        items.iter().try_for_each(|item| self.scalar.encode(item, writer))
    }
}

/// A type whose arrays can be described.
pub trait Item {
    /// Type of each number.
    const SCALAR: Scalar;
    /// How many numbers one value has.
    const WIDTH: usize;
}

macro_rules! items {
    ($($type:ty => $variant:ident),*) => {$(
        impl Item for $type {
            const SCALAR: Scalar = Scalar::$variant;
            const WIDTH: usize = 1;
        }
    )*};
}
items!(u8 => U8, i8 => I8, u16 => U16, i16 => I16, u32 => U32, i32 => I32, u64 => U64, i64 => I64, f32 => F32,
       f64 => F64);

impl<T: Item, const N: usize> Item for [T; N] {
    const SCALAR: Scalar = T::SCALAR;
    const WIDTH: usize = T::WIDTH * N;
}

/// Bytes of an array with a part replaced.
pub(super) fn patched(bytes: &SharedBytes, at: usize, new: &[u8]) -> Option<SharedBytes> {
    let mut copy = bytes.to_vec();
    copy.get_mut(at..at.checked_add(new.len())?)?.copy_from_slice(new);
    Some(copy.into())
}

/// What a closure writes, little-endian.
pub(super) fn encoded(write: impl FnOnce(&mut Writer) -> Result<(), String>) -> Result<Vec<u8>, String> {
    let mut writer = Writer::new(Endian::Little);
    write(&mut writer)?;
    Ok(writer.finish().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vertex() -> ItemLayout {
        ItemLayout::default().with("position", Scalar::F32, 3).with("color", Scalar::U8, 4).with("id", Scalar::I16, 1)
    }

    #[test]
    fn elements_are_spelled_and_read_back() {
        let layout = vertex();
        assert_eq!((layout.stride, layout.is_complete()), (18, true));
        let bytes: Vec<u8> = (0..36).collect();
        let item = layout.item(&bytes, 1).expect("inside");
        assert_eq!(item.get("color").and_then(Value::as_array).map(|c| c[0].clone()), Some(Value::Int(30)));
        assert_eq!(encoded(|w| layout.encode(&item, w)).as_deref(), Ok(&bytes[18..]));
        assert_eq!(layout.item(&bytes, 2), None);
        assert_eq!((layout.count(36), layout.count(35), layout.count(0)), (2, 1, 0));
    }

    #[test]
    fn a_layout_with_gaps_is_not_complete() {
        let mut layout = vertex();
        layout.stride = 20;
        assert!(!layout.is_complete());
        assert_eq!(layout.count(38), 2);
    }

    #[test]
    fn wrong_elements_are_refused() {
        let mut item = vertex().item(&[0; 18], 0).expect("inside");
        item.set("id", 40_000);
        assert!(encoded(|w| vertex().encode(&item, w)).is_err_and(|e| e.contains("id")));
        item.set("extra", 1);
        assert!(encoded(|w| vertex().encode(&item, w)).is_err());
        assert!(encoded(|w| vertex().encode(&Value::Int(1), w)).is_err_and(|e| e.contains("`position`")));
    }
}
