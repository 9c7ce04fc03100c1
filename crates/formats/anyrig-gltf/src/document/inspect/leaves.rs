//! Where each value lies in a JSON text.

use super::super::text::Scan;
use anyrig_bytes::codec::Span;
use anyrig_bytes::{Context, Place, Result};
use std::fmt::Write;

/// The values of a text that is valid JSON, in its order: numbers, texts, truth values, nulls, and lists of numbers as a
/// whole, each with the name before it.
pub(super) fn leaves(text: &[u8], context: &Context) -> Result<Vec<Span>> {
    let mut leaves = Leaves { scan: Scan::new(text), text, path: String::new(), spans: Vec::new(), booked: 0 };
    // The text was parsed before, which also bounds the nesting; what follows it are blanks.
    let _ = leaves.value(leaves.scan.position());
    context.take_elements(leaves.spans.len() as u64, Place::whole)?;
    context.take_memory(leaves.booked, Place::whole)?;
    Ok(leaves.spans)
}

struct Leaves<'a> {
    scan: Scan<'a>,
    text: &'a [u8],
    path: String,
    spans: Vec<Span>,
    booked: u64,
}

impl Leaves<'_> {
    /// Passes a value whose span begins at `start`: at its name, or at itself.
    fn value(&mut self, start: usize) -> Option<()> {
        match self.scan.byte()? {
            b'{' => self.object(),
            b'[' if !self.is_plain_list() => self.list(),
            _ => {
                let from = self.scan.position();
                self.scan.value()?;
                self.leaf(start, from);
                Some(())
            }
        }
    }

    fn object(&mut self) -> Option<()> {
        self.scan.step();
        while self.scan.byte()? != b'}' {
            let start = self.scan.position();
            let key = self.scan.text()?;
            self.scan.pass(b':')?;
            let len = self.path.len();
            self.name(&key);
            self.value(start)?;
            self.path.truncate(len);
            self.next()?;
        }
        self.scan.step();
        Some(())
    }

    fn list(&mut self) -> Option<()> {
        self.scan.step();
        let mut index = 0;
        while self.scan.byte()? != b']' {
            let len = self.path.len();
            // Writing to a string cannot fail.
            let _ = write!(self.path, "[{index}]");
            index += 1;
            self.value(self.scan.position())?;
            self.path.truncate(len);
            self.next()?;
        }
        self.scan.step();
        Some(())
    }

    /// Passes the comma after a value, when there is one.
    fn next(&mut self) -> Option<()> {
        self.scan.blanks();
        if self.scan.byte()? == b',' { self.scan.pass(b',') } else { Some(()) }
    }

    /// True for a list without objects, lists and texts in it.
    fn is_plain_list(&self) -> bool {
        let inside = self.text.get(self.scan.position() + 1..).unwrap_or_default();
        inside.iter().find(|b| matches!(b, b'{' | b'[' | b'"' | b']')) == Some(&b']')
    }

    fn name(&mut self, key: &str) {
        let plain = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !plain {
            let _ = write!(self.path, "[\"{key}\"]");
            return;
        }
        if !self.path.is_empty() {
            self.path.push('.');
        }
        self.path.push_str(key);
    }

    fn leaf(&mut self, start: usize, from: usize) {
        let end = self.scan.position();
        let value = self.text.get(from..end).and_then(|t| serde_json::from_slice(t).ok()).unwrap_or_default();
        self.booked += (size_of::<Span>() + self.path.len() + (end - from)) as u64;
        let (offset, len) = (start as u64, (end - start) as u64);
        self.spans.push(Span::new(offset, len, self.path.clone()).with_value(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_bytes::Value;

    #[test]
    fn every_value_has_its_place_and_path() {
        let text = " {\"a\" : [1.0, 2], \"b\":[{\"c d\":\"]}\", \"e\":null}, true, []], \"f\":{}, \"g\":-1e2}\n";
        let spans = leaves(text.as_bytes(), &Context::new()).expect("within limits");
        let found: Vec<(&str, &str)> =
            spans.iter().map(|s| (s.path.as_str(), &text[s.offset as usize..(s.offset + s.len) as usize])).collect();
        let wanted = [
            ("a", "\"a\" : [1.0, 2]"),
            ("b[0][\"c d\"]", "\"c d\":\"]}\""),
            ("b[0].e", "\"e\":null"),
            ("b[1]", "true"),
            ("b[2]", "[]"),
            ("g", "\"g\":-1e2"),
        ];
        assert_eq!(found, wanted);
        assert_eq!(spans[1].value, Value::from("]}"));
    }
}
