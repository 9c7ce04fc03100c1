//! JSON-like values with bytes: what extras and options are made of.

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A value that the scene has no word for. Objects keep their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// JSON `null`.
    #[default]
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number above `i64::MAX`.
    UInt(u64),
    /// Any other number.
    Float(f64),
    /// A text.
    String(String),
    /// Raw bytes; written to JSON as an array of numbers.
    Bytes(Vec<u8>),
    /// A list.
    Array(Vec<Value>),
    /// Members in order; keys are unique.
    Object(Vec<(String, Value)>),
}

impl Value {
    /// A member of an object.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// Sets a member; a value that is not an object becomes one.
    pub fn set(&mut self, key: &str, value: impl Into<Self>) {
        if !matches!(self, Self::Object(_)) {
            *self = Self::Object(Vec::new());
        }
        let Self::Object(members) = self else { return };
        match members.iter_mut().find(|(k, _)| k == key) {
            Some((_, old)) => *old = value.into(),
            None => members.push((key.to_owned(), value.into())),
        }
    }

    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The number as `f64`, if it is one.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Int(n) => Some(*n as f64),
            Self::UInt(n) => Some(*n as f64),
            Self::Float(n) => Some(*n),
            _ => None,
        }
    }

    /// The number as a whole one, if it is one.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Int(n) => Some(*n),
            _ => None,
        }
    }

    /// The list, if it is one.
    pub fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// True for `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Reads a typed value out of this one.
    ///
    /// # Errors
    /// The text of serde's complaint: an unknown key, a wrong type.
    pub fn parse<T: for<'de> Deserialize<'de>>(&self) -> Result<T, String> {
        let json = serde_json::to_value(self).map_err(|e| e.to_string())?;
        serde_json::from_value(json).map_err(|e| e.to_string())
    }
}

macro_rules! from {
    ($($type:ty => $variant:ident),*) => {$(
        impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Self::$variant(value.into())
            }
        }
    )*};
}
from!(bool => Bool, i32 => Int, u32 => Int, i64 => Int, f32 => Float, f64 => Float, &str => String, String => String,
      Vec<u8> => Bytes, Vec<Value> => Array);

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(b) => serializer.serialize_bool(*b),
            Self::Int(n) => serializer.serialize_i64(*n),
            Self::UInt(n) => serializer.serialize_u64(*n),
            Self::Float(n) => serializer.serialize_f64(*n),
            Self::String(text) => serializer.serialize_str(text),
            Self::Bytes(bytes) => bytes.serialize(serializer),
            Self::Array(items) => {
                let mut seq = serializer.serialize_seq(Some(items.len()))?;
                items.iter().try_for_each(|item| seq.serialize_element(item))?;
                seq.end()
            }
            Self::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                members.iter().try_for_each(|(k, v)| map.serialize_entry(k, v))?;
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E>(self, v: bool) -> Result<Value, E> {
        Ok(Value::Bool(v))
    }
    fn visit_i64<E>(self, v: i64) -> Result<Value, E> {
        Ok(Value::Int(v))
    }
    fn visit_u64<E>(self, v: u64) -> Result<Value, E> {
        Ok(i64::try_from(v).map_or(Value::UInt(v), Value::Int))
    }
    fn visit_f64<E>(self, v: f64) -> Result<Value, E> {
        Ok(Value::Float(v))
    }
    fn visit_str<E>(self, v: &str) -> Result<Value, E> {
        Ok(Value::String(v.to_owned()))
    }
    fn visit_string<E>(self, v: String) -> Result<Value, E> {
        Ok(Value::String(v))
    }
    fn visit_bytes<E>(self, v: &[u8]) -> Result<Value, E> {
        Ok(Value::Bytes(v.to_vec()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_round_trip_keeps_order_and_kinds() {
        let text = r#"{"z":1,"a":[null,true,-2,1.5,18446744073709551615,"x"],"m":{}}"#;
        let value: Value = serde_json::from_str(text).expect("valid JSON");
        assert_eq!(serde_json::to_string(&value).expect("writable"), text);
        assert_eq!(value.get("z"), Some(&Value::Int(1)));
        assert_eq!(value.get("a").and_then(Value::as_array).map(<[_]>::len), Some(6));
    }

    #[test]
    fn typed_reading_names_unknown_keys() {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Options {
            scale: f64,
        }
        let mut value = Value::Null;
        value.set("scale", 2.0);
        assert_eq!(value.parse::<Options>().map(|o| o.scale), Ok(2.0));
        value.set("sclae", 2.0);
        assert!(value.parse::<Options>().is_err_and(|e| e.contains("sclae")));
    }
}
