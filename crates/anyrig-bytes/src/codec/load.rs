//! Filling values from a dump.

use super::field::{bytes_from_value, kind};
use super::{Codec, Field, ItemLayout, Record, TextForm, text_from_value};
use crate::text::RawText;
use crate::{Context, Endian, Error, ErrorKind, Place, Result, SharedBytes, Value, Writer};

/// Reads the JSON text of a dump, with booked memory. Nesting is limited to 128 levels.
///
/// # Errors
/// Malformed or truncated with line and column; limits.
pub fn parse_json(text: &[u8], context: &Context) -> Result<Value> {
    // Every value but the first follows one of these; those within texts make the bound loose, never wrong.
    let values = 1 + text.iter().filter(|b| matches!(b, b',' | b'[' | b'{' | b':')).count() as u64;
    context.take_elements(values, Place::whole)?;
    let each = size_of::<(String, Value)>() as u64;
    context.take_memory(values.saturating_mul(each).saturating_add(text.len() as u64), Place::whole)?;
    serde_json::from_slice(text).map_err(|error| {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let place = Place::line_column(number(error.line()), number(error.column()));
        let kind = if error.is_eof() { ErrorKind::Truncated } else { ErrorKind::Malformed };
        let why = error.to_string();
        let why = why.split(" at line ").next().unwrap_or_default();
        Error::new(kind, place, format!("the dump is not valid JSON: {why}"))
    })
}

/// Fills a record from a dump. `start` holds what is not in the dump, such as which layout the record has.
///
/// # Errors
/// Malformed with a JSON pointer: a member that is missing or unknown, of a wrong type, out of range, or an array whose
/// length contradicts its count.
pub fn load<T: Record>(dump: &Value, start: T) -> Result<T> {
    let mut codec = LoadCodec::new(dump);
    let mut record = start;
    record.walk(&mut codec)?;
    codec.finish()?;
    Ok(record)
}

/// Fills values from the JSON of a dump.
#[derive(Debug)]
pub struct LoadCodec<'v> {
    open: Vec<Open<'v>>,
    /// What entering or leaving a record found wrong.
    fault: Option<Error>,
}

#[derive(Debug)]
struct Open<'v> {
    steps: String,
    value: &'v Value,
    /// Which members were asked for.
    used: Vec<bool>,
}

impl<'v> Open<'v> {
    fn new(steps: String, value: &'v Value) -> Self {
        let members = if let Value::Object(members) = value { members.len() } else { 0 };
        Self { steps, value, used: vec![false; members] }
    }
}

const NOTHING: &Value = &Value::Null;

impl<'v> LoadCodec<'v> {
    /// A codec at the root of a dump.
    pub fn new(dump: &'v Value) -> Self {
        Self { open: vec![Open::new(String::new(), dump)], fault: None }
    }

    /// Ends the load.
    ///
    /// # Errors
    /// As [`load`].
    pub fn finish(mut self) -> Result<()> {
        while !self.open.is_empty() {
            self.leave();
        }
        self.fault.map_or(Ok(()), Err)
    }

    fn pointer(&self, name: &str) -> String {
        let mut pointer: String = self.open.iter().map(|open| open.steps.as_str()).collect();
        if !name.is_empty() {
            pointer += &step(name);
        }
        pointer
    }

    fn wrong(&self, name: &str, message: impl Into<String>) -> Error {
        Error::malformed(Place::json(self.pointer(name)), message)
    }

    /// A member of the open record; `None` when it is not there.
    fn find(&mut self, name: &str) -> Result<Option<&'v Value>> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        let Some(open) = self.open.last_mut() else { return Ok(None) };
        let value: &'v Value = open.value;
        let Value::Object(members) = value else {
            return Err(self.wrong("", format!("an object is wanted here, this is {}", kind(value))));
        };
        let Some(position) = members.iter().position(|(key, _)| key == name) else { return Ok(None) };
        if let Some(used) = open.used.get_mut(position) {
            *used = true;
        }
        Ok(members.get(position).map(|(_, value)| value))
    }

    fn member(&mut self, name: &str) -> Result<&'v Value> {
        self.find(name)?.ok_or_else(|| self.wrong(name, "this member is missing"))
    }

    /// The record or the element that is entered.
    fn inner(&mut self, name: &str, index: Option<usize>) -> Result<&'v Value> {
        let value = self.member(name)?;
        let Some(index) = index else { return Ok(value) };
        let item = value.as_array().and_then(|items| items.get(index));
        item.ok_or_else(|| {
            self.wrong(name, format!("a list with an element {index} is wanted, this is {}", kind(value)))
        })
    }

    fn list_len(&mut self, name: &str) -> Result<usize> {
        let value = self.member(name)?;
        let len = value.as_array().map(<[_]>::len);
        len.ok_or_else(|| self.wrong(name, format!("a list is wanted, this is {}", kind(value))))
    }

    /// The bytes under a tag, of a certain number.
    fn tagged(&self, name: &str, value: &Value, len: Option<usize>) -> Result<SharedBytes> {
        let Some(bytes) = bytes_from_value(value) else {
            let message = format!("{{\"$hex\": \"…\"}} or {{\"$base64\": \"…\"}} is wanted, this is {}", kind(value));
            return Err(self.wrong(name, message));
        };
        let bytes = bytes.map_err(|e| self.wrong(name, e))?;
        match len {
            Some(len) if len != bytes.len() => {
                Err(self.wrong(name, format!("{len} bytes are wanted by the counts before, these are {}", bytes.len())))
            }
            _ => Ok(bytes.into()),
        }
    }
}

fn step(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

impl Codec for LoadCodec<'_> {
    const READS: bool = true;

    fn field<T: Field>(&mut self, name: &'static str, value: &mut T) -> Result<()> {
        *value = T::from_value(self.member(name)?).map_err(|e| self.wrong(name, e))?;
        Ok(())
    }

    fn magic<const N: usize>(&mut self, name: &'static str, value: &mut [u8; N]) -> Result<()> {
        let text = text_from_value(self.member(name)?).map_err(|e| self.wrong(name, e))?;
        *value = text.try_into().map_err(|_| self.wrong(name, format!("a text of {N} bytes is wanted")))?;
        Ok(())
    }

    fn text(&mut self, name: &'static str, form: TextForm, value: &mut RawText) -> Result<()> {
        value.0 = text_from_value(self.member(name)?).map_err(|e| self.wrong(name, e))?;
        if form == TextForm::NulTerminated && value.0.contains(&0) {
            return Err(self.wrong(name, "the text holds a NUL, which this format cannot write"));
        }
        Ok(())
    }

    fn blob(&mut self, name: &'static str, len: usize, value: &mut SharedBytes) -> Result<()> {
        let found = self.member(name)?;
        *value = self.tagged(name, found, Some(len))?;
        Ok(())
    }

    fn text_blob(&mut self, name: &'static str, len: usize, value: &mut SharedBytes) -> Result<()> {
        let text = text_from_value(self.member(name)?).map_err(|e| self.wrong(name, e))?;
        if text.len() != len {
            return Err(self.wrong(name, format!("a text of {len} bytes is wanted, this one has {}", text.len())));
        }
        *value = text.into();
        Ok(())
    }

    fn items(
        &mut self,
        name: &'static str,
        (count, stride): (usize, usize),
        value: &mut SharedBytes,
        layout: impl FnOnce() -> ItemLayout,
    ) -> Result<()> {
        let found = self.member(name)?;
        let Some(items) = found.as_array() else {
            let len = count.checked_mul(stride).ok_or_else(|| self.wrong(name, "the count is too large"))?;
            *value = self.tagged(name, found, Some(len))?;
            return Ok(());
        };
        if items.len() != count {
            let message = format!("{count} elements are wanted by the count before, these are {}", items.len());
            return Err(self.wrong(name, message));
        }
        let layout = layout();
        if !layout.is_complete() || layout.stride != stride {
            return Err(self.wrong(name, "these elements cannot be listed one by one; write them as $hex or $base64"));
        }
        let mut writer = Writer::new(Endian::Little);
        for (index, item) in items.iter().enumerate() {
            let coded = layout.encode(item, &mut writer);
            coded.map_err(|e| Error::malformed(Place::json(format!("{}/{index}", self.pointer(name))), e))?;
        }
        *value = writer.finish().to_shared();
        Ok(())
    }

    fn count(&mut self, name: &'static str, _count: usize, _min_size: usize) -> Result<usize> {
        u32::from_value(self.member(name)?).map(|n| n as usize).map_err(|e| self.wrong(name, e))
    }

    fn list_count(&mut self, name: &'static str, _count: usize, _min_size: usize) -> Result<usize> {
        self.list_len(name)
    }

    fn trailing_count(&mut self, name: &'static str, _count: usize, most: usize, _size: usize) -> Result<usize> {
        if self.find(name)?.is_none() {
            return Ok(0);
        }
        let count = self.list_len(name)?;
        if count > most {
            return Err(self.wrong(name, format!("at most {most} elements are possible here, these are {count}")));
        }
        Ok(count)
    }

    fn rest(&mut self, name: &'static str, value: &mut SharedBytes) -> Result<()> {
        *value = match self.find(name)? {
            Some(found) => self.tagged(name, found, None)?,
            None => SharedBytes::default(),
        };
        Ok(())
    }

    fn enter(&mut self, name: &'static str, index: Option<usize>) {
        let value = match self.inner(name, index) {
            Ok(value) => value,
            Err(fault) => {
                self.fault.get_or_insert(fault);
                NOTHING
            }
        };
        let steps = step(name) + &index.map_or_else(String::new, |i| format!("/{i}"));
        self.open.push(Open::new(steps, value));
    }

    fn leave(&mut self) {
        if let Some(open) = self.open.last() {
            let unused = open.used.iter().position(|used| !used);
            if let (Some(position), Value::Object(members)) = (unused, open.value) {
                let name = members.get(position).map_or("", |(key, _)| key.as_str());
                let fault = self.wrong(name, "this member is not known here, or is there twice");
                self.fault.get_or_insert(fault);
            }
        }
        self.open.pop();
    }

    fn remaining(&self) -> Option<usize> {
        None
    }

    fn place(&self) -> Place {
        Place::json(self.pointer(""))
    }
}
