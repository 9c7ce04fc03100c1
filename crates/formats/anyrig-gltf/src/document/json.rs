//! From JSON values to typed objects and back: with the place of every fault, with unknown members kept, with booked
//! memory.
//!
//! Typed reading goes over [`Value`], not over serde's derive, because a fault must name its JSON pointer, whole numbers
//! may be spelt `1.0`, and every object keeps the members that it has no field for.

use anyrig_bytes::{Context, Error, Place, Result, Value};
use std::fmt::Write;

/// Members of an object in file order.
pub type Members = Vec<(String, Value)>;

/// A step of a JSON pointer; the steps form a list on the stack, so that a place costs nothing until it is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) enum At<'a> {
    Root,
    Key(&'a At<'a>, &'a str),
    Index(&'a At<'a>, usize),
}

impl<'a> At<'a> {
    pub(crate) fn key(&'a self, key: &'a str) -> Self {
        At::Key(self, key)
    }

    pub(crate) fn index(&'a self, index: usize) -> Self {
        At::Index(self, index)
    }

    /// The pointer as RFC 6901 writes it.
    pub(crate) fn pointer(&self) -> String {
        let mut steps = Vec::new();
        let mut here = *self;
        loop {
            match here {
                At::Root => break,
                At::Key(before, key) => {
                    steps.push(key.replace('~', "~0").replace('/', "~1"));
                    here = *before;
                }
                At::Index(before, index) => {
                    steps.push(index.to_string());
                    here = *before;
                }
            }
        }
        steps.iter().rev().fold(String::new(), |mut text, step| {
            // Writing to a string cannot fail.
            let _ = write!(text, "/{step}");
            text
        })
    }

    pub(crate) fn place(&self) -> Place {
        Place::json(self.pointer())
    }

    pub(crate) fn malformed(&self, message: impl Into<String>) -> Error {
        Error::malformed(self.place(), message)
    }
}

/// A typed value that can be read from JSON.
pub(crate) trait FromJson: Sized {
    fn from_json(value: Value, at: &At<'_>, context: &Context) -> Result<Self>;
}

/// A typed value that can be written as JSON.
pub(crate) trait ToJson {
    fn to_json(&self) -> Value;
}

fn mismatch<T>(at: &At<'_>, wanted: &str, found: &Value) -> Result<T> {
    let kind = match found {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Int(_) | Value::UInt(_) | Value::Float(_) => "a number",
        Value::String(_) => "a text",
        Value::Bytes(_) | Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    let shown = match found {
        Value::Int(n) => format!(" ({n})"),
        Value::Float(n) => format!(" ({n})"),
        _ => String::new(),
    };
    Err(at.malformed(format!(
        "{wanted} expected, {kind}{shown} found; the file was not written by the rules of glTF 2.0"
    )))
}

/// A whole number from 0, also when it is spelt `1.0`.
fn whole(value: &Value) -> Option<u64> {
    match *value {
        Value::Int(n) => u64::try_from(n).ok(),
        Value::UInt(n) => Some(n),
        // 2^53: whole numbers up to there are exact in an f64.
        Value::Float(n) if (0.0..=9_007_199_254_740_992.0).contains(&n) && n.fract() == 0.0 => Some(n as u64),
        _ => None,
    }
}

impl FromJson for u64 {
    fn from_json(value: Value, at: &At<'_>, _: &Context) -> Result<Self> {
        whole(&value).map_or_else(|| mismatch(at, "a whole number from 0", &value), Ok)
    }
}

impl FromJson for u32 {
    fn from_json(value: Value, at: &At<'_>, _: &Context) -> Result<Self> {
        let number = whole(&value).and_then(|n| Self::try_from(n).ok());
        number.map_or_else(|| mismatch(at, "a whole number from 0", &value), Ok)
    }
}

impl FromJson for f64 {
    fn from_json(value: Value, at: &At<'_>, _: &Context) -> Result<Self> {
        value.as_f64().map_or_else(|| mismatch(at, "a number", &value), Ok)
    }
}

impl FromJson for bool {
    fn from_json(value: Value, at: &At<'_>, _: &Context) -> Result<Self> {
        if let Value::Bool(b) = value { Ok(b) } else { mismatch(at, "true or false", &value) }
    }
}

impl FromJson for String {
    fn from_json(value: Value, at: &At<'_>, _: &Context) -> Result<Self> {
        if let Value::String(text) = value { Ok(text) } else { mismatch(at, "a text", &value) }
    }
}

impl FromJson for Value {
    fn from_json(value: Value, _: &At<'_>, _: &Context) -> Result<Self> {
        Ok(value)
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(value: Value, at: &At<'_>, context: &Context) -> Result<Self> {
        let Value::Array(items) = value else { return mismatch(at, "a list", &value) };
        context.take_memory(items.len() as u64 * size_of::<T>() as u64, || at.place())?;
        items.into_iter().enumerate().map(|(i, item)| T::from_json(item, &at.index(i), context)).collect()
    }
}

impl<const N: usize> FromJson for [f64; N] {
    fn from_json(value: Value, at: &At<'_>, context: &Context) -> Result<Self> {
        let list = Vec::<f64>::from_json(value, at, context)?;
        Self::try_from(list).map_err(|list| at.malformed(format!("{N} numbers expected, {} found", list.len())))
    }
}

/// An object whose members keep their names; for `extensions` and `attributes`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Named<T>(pub Vec<(String, T)>);

impl<T> Named<T> {
    /// The member of that name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.0.iter().rev().find(|(k, _)| k == name).map(|(_, v)| v)
    }
}

impl<T: FromJson> FromJson for Named<T> {
    fn from_json(value: Value, at: &At<'_>, context: &Context) -> Result<Self> {
        let Value::Object(members) = value else { return mismatch(at, "an object", &value) };
        context.take_memory(members.len() as u64 * size_of::<(String, T)>() as u64, || at.place())?;
        let read =
            |(key, value): (String, Value)| T::from_json(value, &at.key(&key), context).map(|v| (key.clone(), v));
        members.into_iter().map(read).collect::<Result<_>>().map(Self)
    }
}

/// Takes an object apart; anything else is an error.
pub(crate) fn members(value: Value, at: &At<'_>) -> Result<Members> {
    if let Value::Object(members) = value { Ok(members) } else { mismatch(at, "an object", &value) }
}

impl ToJson for u64 {
    fn to_json(&self) -> Value {
        i64::try_from(*self).map_or(Value::UInt(*self), Value::Int)
    }
}

impl ToJson for u32 {
    fn to_json(&self) -> Value {
        Value::Int((*self).into())
    }
}

impl ToJson for f64 {
    /// Whole numbers are written without a point.
    fn to_json(&self) -> Value {
        if self.fract() == 0.0 && self.abs() < 1e15 && !(*self == 0.0 && self.is_sign_negative()) {
            return Value::Int(*self as i64);
        }
        Value::Float(*self)
    }
}

impl ToJson for bool {
    fn to_json(&self) -> Value {
        Value::Bool(*self)
    }
}

impl ToJson for String {
    fn to_json(&self) -> Value {
        Value::String(self.clone())
    }
}

impl ToJson for Value {
    fn to_json(&self) -> Value {
        self.clone()
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn to_json(&self) -> Value {
        Value::Array(self.iter().map(ToJson::to_json).collect())
    }
}

impl<const N: usize> ToJson for [f64; N] {
    fn to_json(&self) -> Value {
        Value::Array(self.iter().map(ToJson::to_json).collect())
    }
}

impl<T: ToJson> ToJson for Named<T> {
    fn to_json(&self) -> Value {
        Value::Object(self.0.iter().map(|(k, v)| (k.clone(), v.to_json())).collect())
    }
}

/// An `f32` as the shortest decimal that reads back as the same `f32`.
pub(crate) fn short(value: f32) -> f64 {
    let shortest = value.to_string().parse::<f64>().unwrap_or_else(|_| value.into());
    if shortest as f32 == value { shortest } else { value.into() }
}

/// Makes typed objects: one optional field per known member, then `extensions`, `extras`, and all other members.
macro_rules! objects {
    ($(
        $(#[$meta:meta])*
        $name:ident {
            $($(#[$field_meta:meta])* $field:ident $key:literal: $type:ty,)*
        }
    )*) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq)]
        #[non_exhaustive]
        pub struct $name {
            $($(#[$field_meta])* pub $field: Option<$type>,)*
            /// Extensions by name, in file order.
            pub extensions: Option<Named<Value>>,
            /// Application data.
            pub extras: Option<Value>,
            /// Members that have no field, in file order.
            pub other: Members,
        }

        impl FromJson for $name {
            fn from_json(value: Value, at: &At<'_>, context: &Context) -> Result<Self> {
                let mut object = Self::default();
                for (key, value) in members(value, at)? {
                    let here = at.key(&key);
                    let again = match key.as_str() {
                        $($key => object.$field.replace(<$type>::from_json(value, &here, context)?).is_some(),)*
                        "extensions" => object.extensions.replace(Named::from_json(value, &here, context)?).is_some(),
                        "extras" => object.extras.replace(value).is_some(),
                        _ => {
                            object.other.push((key, value));
                            continue;
                        }
                    };
                    if again {
                        context.push(Diagnostic::new(&codes::DUPLICATE_KEY, here.pointer(), "the last one counts").at(here.place()));
                    }
                }
                Ok(object)
            }
        }

        impl ToJson for $name {
            fn to_json(&self) -> Value {
                let mut members = Members::new();
                $(if let Some(value) = &self.$field {
                    members.push(($key.to_owned(), value.to_json()));
                })*
                members.extend(self.other.iter().cloned());
                if let Some(extensions) = &self.extensions {
                    members.push(("extensions".to_owned(), extensions.to_json()));
                }
                if let Some(extras) = &self.extras {
                    members.push(("extras".to_owned(), extras.clone()));
                }
                Value::Object(members)
            }
        }
    )*};
}
pub(crate) use objects;

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        serde_json::from_str(text).expect("test JSON")
    }

    #[test]
    fn whole_numbers_may_be_spelt_with_a_point() {
        let context = Context::new();
        for (text, wanted) in [("3", Some(3)), ("3.0", Some(3)), ("3.5", None), ("-1", None), ("4294967296", None)] {
            assert_eq!(u32::from_json(value(text), &At::Root, &context).ok(), wanted, "{text}");
        }
        assert_eq!(u64::from_json(value("4294967296"), &At::Root, &context), Ok(1 << 32));
    }

    #[test]
    fn faults_name_their_pointer() {
        let (nodes, context) = (At::Root, Context::new());
        let nodes = nodes.key("a/b");
        let third = nodes.index(3);
        let error = <[f64; 3]>::from_json(value("[1,2]"), &third, &context).expect_err("two numbers");
        assert_eq!(error.place(), &Place::json("/a~1b/3"));
        let error = Vec::<f64>::from_json(value("[1,\"x\"]"), &third, &context).expect_err("a text");
        assert_eq!(error.place(), &Place::json("/a~1b/3/1"));
    }

    #[test]
    fn f32_values_are_written_short() {
        assert_eq!(short(0.8), 0.8);
        assert_eq!(short(f32::MIN_POSITIVE) as f32, f32::MIN_POSITIVE);
        assert_eq!(2.0f64.to_json(), Value::Int(2));
        assert_eq!((-0.0f64).to_json(), Value::Float(-0.0));
    }
}
