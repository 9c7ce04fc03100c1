//! Setting single fields by their paths.

use super::field::bytes_from_value;
use super::layout::{encoded, patched};
use super::path::{FieldPath, Missing, Step, resolve, sign_after_path};
use super::{Codec, Field, ItemLayout, Record, TextForm, text_from_value, to_rope, tree};
use crate::text::RawText;
use crate::{Error, Place, Result, SharedBytes, Value};
use std::borrow::Cow;

/// A field and what it is to be.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Assignment {
    /// Which field.
    pub path: FieldPath,
    /// The value as it was spelled; texts may be written without quotes.
    pub text: String,
    /// Whether a new member may be made, in formats that have free ones.
    pub missing: Missing,
}

impl Assignment {
    /// Reads `PATH=VALUE`. The value is JSON; what is not JSON is a text.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Usage`] when there is no `=`, or no path before it.
    pub fn parse(text: &str) -> Result<Self> {
        let at = sign_after_path(text)
            .ok_or_else(|| Error::usage(format!("`{text}` is not PATH=VALUE, such as bones[3].parent=2")))?;
        let (path, value) = text.split_at(at);
        let path = FieldPath::parse(path.trim())?;
        Ok(Self { path, text: value.get(1..).unwrap_or_default().to_owned(), missing: Missing::Refuse })
    }

    /// The value as it was spelled, cut where it is too long for a line.
    pub fn shown(&self) -> Cow<'_, str> {
        const MOST_SHOWN: usize = 80;
        match self.text.char_indices().nth(MOST_SHOWN) {
            Some((end, _)) => Cow::Owned(format!("{}…", self.text.get(..end).unwrap_or_default())),
            None => Cow::Borrowed(&self.text),
        }
    }

    /// The value: JSON, else a text.
    pub fn value(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| Value::String(self.text.clone()))
    }

    /// The value of a text field: what is not a JSON text or a tagged object is taken as it is spelled.
    fn text_value(&self) -> Value {
        match self.value() {
            value @ (Value::String(_) | Value::Object(_)) => value,
            _ => Value::String(self.text.clone()),
        }
    }
}

/// Sets fields of a record, all or none. Only values change; elements are neither added nor removed.
///
/// # Errors
/// [`crate::ErrorKind::Usage`] for a path that leads nowhere (naming the nearest) and for a value of the wrong type or
/// range; malformed when the result contradicts itself.
pub fn edit<T: Record>(record: &mut T, assignments: &[Assignment]) -> Result<()> {
    let mut edited = record.clone();
    for assignment in assignments {
        let tree = tree(&edited)?;
        let path = resolve(&tree, &assignment.path, Missing::Refuse)?;
        let mut codec = EditCodec { assignment, path, at: Vec::new(), done: false };
        edited.walk(&mut codec)?;
        if !codec.done {
            let message = format!("`{}` is no single value; set what is inside it", assignment.path);
            return Err(Error::usage(message));
        }
        to_rope(&edited, |codec, record| record.walk(codec)).map_err(|e| {
            let why =
                format!("`{}={}` would contradict the rest of the file: {e}", assignment.path, assignment.shown());
            Error::malformed(Place::element(assignment.path.to_string()), why)
        })?;
    }
    *record = edited;
    Ok(())
}

/// Replaces one value during a walk.
struct EditCodec<'e> {
    assignment: &'e Assignment,
    path: FieldPath,
    at: Vec<Step>,
    done: bool,
}

impl EditCodec<'_> {
    /// The steps of the path below a field of the open record; `None` when the path leads elsewhere.
    fn below(&self, name: &str) -> Option<&[Step]> {
        let rest = self.path.0.strip_prefix(self.at.as_slice())?;
        match rest.split_first()? {
            (Step::Name(first), below) if first == name => Some(below),
            _ => None,
        }
    }

    fn wrong(&self, why: impl std::fmt::Display) -> Error {
        Error::usage(format!("`{}` cannot be `{}`: {why}", self.assignment.path, self.assignment.shown()))
    }

    /// Replaces a value, or a number within it.
    fn replace(&mut self, old: impl FnOnce() -> Value, below: &[Step]) -> Result<Value> {
        self.done = true;
        let new = self.assignment.value();
        if below.is_empty() {
            return Ok(new);
        }
        let mut value = old();
        let mut part = &mut value;
        for step in below {
            part = match (part, step) {
                (Value::Array(items), Step::Index(index)) => items.get_mut(*index),
                _ => None,
            }
            .ok_or_else(|| self.wrong("there is no such number in this field"))?;
        }
        *part = new;
        Ok(value)
    }

    fn item(&mut self, bytes: &SharedBytes, layout: &ItemLayout, below: &[Step]) -> Result<SharedBytes> {
        let Some((Step::Index(index), below)) = below.split_first() else {
            return Err(self.wrong("a bulk array is set element by element"));
        };
        let start = index.checked_mul(layout.stride).unwrap_or(usize::MAX);
        let (new, at) = match below {
            // An element that is one field, or a number of it.
            below if layout.fields.len() == 1 && !matches!(below.first(), Some(Step::Name(_))) => {
                let value = self.replace(|| layout.item(bytes, *index).unwrap_or_default(), below)?;
                (encoded(|w| layout.encode(&value, w)), 0)
            }
            [] => {
                let value = self.replace(Value::default, &[])?;
                (encoded(|w| layout.encode(&value, w)), 0)
            }
            [Step::Name(name), below @ ..] => {
                let field = layout.fields.iter().find(|f| f.name == *name);
                let field = field.ok_or_else(|| self.wrong("there is no such field in the element"))?;
                let old = || bytes.get(start..).and_then(|item| field.value(item)).unwrap_or_default();
                let value = self.replace(old, below)?;
                (encoded(|w| field.encode(&value, w)), field.offset)
            }
            _ => return Err(self.wrong("name a field of the element")),
        };
        let new = new.map_err(|e| self.wrong(e))?;
        start
            .checked_add(at)
            .and_then(|at| patched(bytes, at, &new))
            .ok_or_else(|| self.wrong("there is no such element"))
    }
}

impl Codec for EditCodec<'_> {
    const READS: bool = false;

    fn field<T: Field>(&mut self, name: &'static str, value: &mut T) -> Result<()> {
        let Some(below) = self.below(name).map(<[_]>::to_vec) else { return Ok(()) };
        let new = self.replace(|| value.to_value(), &below)?;
        *value = T::from_value(&new).map_err(|e| self.wrong(e))?;
        Ok(())
    }

    fn magic<const N: usize>(&mut self, name: &'static str, _value: &mut [u8; N]) -> Result<()> {
        match self.below(name) {
            Some(_) => Err(self.wrong("it says which layout the file has; `anyrig convert` makes another one")),
            None => Ok(()),
        }
    }

    fn text(&mut self, name: &'static str, form: TextForm, value: &mut RawText) -> Result<()> {
        if self.below(name).is_none() {
            return Ok(());
        }
        self.done = true;
        let new = text_from_value(&self.assignment.text_value()).map_err(|e| self.wrong(e))?;
        if form == TextForm::NulTerminated && new.contains(&0) {
            return Err(self.wrong("a NUL would end the text"));
        }
        value.0 = new;
        Ok(())
    }

    fn blob(&mut self, name: &'static str, len: usize, value: &mut SharedBytes) -> Result<()> {
        if self.below(name).is_none() {
            return Ok(());
        }
        self.done = true;
        let Some(bytes) = bytes_from_value(&self.assignment.value()) else {
            return Err(self.wrong("bytes are written as {\"$hex\": \"…\"} or {\"$base64\": \"…\"}"));
        };
        let bytes = bytes.map_err(|e| self.wrong(e))?;
        if bytes.len() != len {
            return Err(self.wrong(format!("{len} bytes are wanted, these are {}", bytes.len())));
        }
        *value = bytes.into();
        Ok(())
    }

    fn text_blob(&mut self, name: &'static str, _len: usize, value: &mut SharedBytes) -> Result<()> {
        if self.below(name).is_none() {
            return Ok(());
        }
        self.done = true;
        *value = text_from_value(&self.assignment.text_value()).map_err(|e| self.wrong(e))?.into();
        Ok(())
    }

    fn items(
        &mut self,
        name: &'static str,
        (_, stride): (usize, usize),
        value: &mut SharedBytes,
        layout: impl FnOnce() -> ItemLayout,
    ) -> Result<()> {
        let Some(below) = self.below(name).map(<[_]>::to_vec) else { return Ok(()) };
        if below.is_empty() {
            let len = value.len();
            return self.blob(name, len, value);
        }
        let layout = layout();
        if layout.stride != stride {
            return Err(self.wrong("the elements of this array are not known"));
        }
        *value = self.item(value, &layout, &below)?;
        Ok(())
    }

    fn count(&mut self, name: &'static str, count: usize, _min_size: usize) -> Result<usize> {
        match self.below(name) {
            Some(_) => Err(self.wrong("it follows from the number of elements; `anyrig dump` and `load` change that")),
            None => Ok(count),
        }
    }

    fn list_count(&mut self, _name: &'static str, count: usize, _min_size: usize) -> Result<usize> {
        Ok(count)
    }

    fn enter(&mut self, name: &'static str, index: Option<usize>) {
        self.at.push(Step::Name(name.to_owned()));
        self.at.extend(index.map(Step::Index));
    }

    fn leave(&mut self) {
        if let Some(Step::Index(_)) = self.at.pop() {
            self.at.pop();
        }
    }

    fn remaining(&self) -> Option<usize> {
        None
    }

    fn place(&self) -> Place {
        Place::element(FieldPath(self.at.clone()).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_value_is_cut_where_it_is_shown() {
        let long = Assignment::parse(&format!("a={}", "é".repeat(500))).expect("an assignment");
        assert_eq!(long.shown(), format!("{}…", "é".repeat(80)));
        let short = Assignment::parse(r#"nodes["a]=b"].name=q=1"#).expect("an assignment");
        assert_eq!((short.path.to_string().as_str(), &*short.shown()), (r#"nodes["a]=b"].name"#, "q=1"));
    }
}
