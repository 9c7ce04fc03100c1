//! Where in the input something was found.

use serde::Serialize;
use std::fmt;

/// A position inside one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum At {
    /// The file as a whole.
    #[default]
    Whole,
    /// A byte offset from the start of the file.
    Byte(u64),
    /// A position in a text file; both count from 1.
    LineColumn {
        /// Line, from 1.
        line: u32,
        /// Column in characters, from 1.
        column: u32,
    },
    /// A JSON pointer (RFC 6901), for example `/meshes/0/primitives/1`.
    JsonPointer(String),
}

/// A place in the input: file, position, and the name of the element that was being read.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[non_exhaustive]
pub struct Place {
    /// File name as the user knows it; empty when there is only one input.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// Position in that file.
    pub at: At,
    /// Field path or element name, for example `bones[3].parent`; empty when unknown.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub element: String,
}

impl Place {
    /// The input as a whole.
    pub fn whole() -> Self {
        Self::default()
    }

    /// A byte offset.
    pub fn byte(offset: u64) -> Self {
        Self { at: At::Byte(offset), ..Self::default() }
    }

    /// A JSON pointer.
    pub fn json(pointer: impl Into<String>) -> Self {
        Self { at: At::JsonPointer(pointer.into()), ..Self::default() }
    }

    /// A line and a column, both from 1.
    pub fn line_column(line: u32, column: u32) -> Self {
        Self { at: At::LineColumn { line, column }, ..Self::default() }
    }

    /// A named element of the scene or the file, without a position.
    pub fn element(name: impl Into<String>) -> Self {
        Self { element: name.into(), ..Self::default() }
    }

    /// The same place in the named file.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.file = file.into();
        self
    }

    /// The same place with the element's name.
    #[must_use]
    pub fn named(mut self, element: impl Into<String>) -> Self {
        self.element = element.into();
        self
    }

    /// True when the place says nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if !self.file.is_empty() {
            parts.push(self.file.clone());
        }
        match &self.at {
            At::Whole => {}
            At::Byte(offset) => parts.push(format!("byte {offset} (0x{offset:x})")),
            At::LineColumn { line, column } => parts.push(format!("line {line}, column {column}")),
            At::JsonPointer(pointer) if pointer.is_empty() => parts.push("JSON root".to_owned()),
            At::JsonPointer(pointer) => parts.push(pointer.clone()),
        }
        if !self.element.is_empty() {
            parts.push(self.element.clone());
        }
        f.write_str(&parts.join(": "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_file_position_and_element() {
        let place = Place::byte(26).in_file("a.mdl").named("bones[3].parent");
        assert_eq!(place.to_string(), "a.mdl: byte 26 (0x1a): bones[3].parent");
        assert_eq!(Place::json("").to_string(), "JSON root");
        assert_eq!(Place::line_column(2, 7).to_string(), "line 2, column 7");
        assert!(Place::whole().is_empty());
    }
}
