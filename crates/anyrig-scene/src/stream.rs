//! Attribute streams of a mesh part.

use anyrig_bytes::Buffer;
use std::fmt;

/// What a stream means.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Semantic {
    /// Position, width 3, in the scene's unit.
    Position,
    /// Unit normal, width 3.
    Normal,
    /// Unit tangent, width 4. The fourth value w is ±1: `cross(normal, tangent) * w`, computed on the numbers, points
    /// where the texture goes up (towards smaller V when the UV origin is top left). Width 3 in morph deltas.
    Tangent,
    /// Texture coordinates of a set, width 2.
    TexCoord(u32),
    /// Linear colour of a set, width 3 or 4.
    Color(u32),
    /// Anything else, by the source's name.
    Custom(String),
}

impl fmt::Display for Semantic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Position => f.write_str("POSITION"),
            Self::Normal => f.write_str("NORMAL"),
            Self::Tangent => f.write_str("TANGENT"),
            Self::TexCoord(set) => write!(f, "TEXCOORD_{set}"),
            Self::Color(set) => write!(f, "COLOR_{set}"),
            Self::Custom(name) => f.write_str(name),
        }
    }
}

/// What a stream has one element for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Domain {
    /// A point (vertex).
    #[default]
    Point,
    /// A corner of a face.
    Corner,
    /// A face.
    Face,
}

/// How the source stored the values, so that a target with the same form can keep it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Storage {
    #[default]
    F32,
    Half,
    U8,
    I8,
    U16,
    I16,
    U32,
    Unorm8,
    Snorm8,
    Unorm16,
    Snorm16,
}

/// One attribute: `width` floats for each element of its domain. Cloning shares the values.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Stream {
    /// What it means.
    pub semantic: Semantic,
    /// What it has one element for.
    pub domain: Domain,
    /// Floats per element, 1 to 16.
    pub width: u8,
    /// `width` values per element, element after element.
    pub values: Buffer<f32>,
    /// How the source stored them.
    pub storage: Storage,
}

impl Stream {
    /// A stream of one element per point, stored as f32.
    pub fn new(semantic: Semantic, width: u8, values: impl Into<Buffer<f32>>) -> Self {
        Self { semantic, domain: Domain::Point, width, values: values.into(), storage: Storage::F32 }
    }

    /// The same values for the elements of another domain.
    #[must_use]
    pub fn on(mut self, domain: Domain) -> Self {
        self.domain = domain;
        self
    }

    /// The same stream, noted as stored in another way by its source.
    #[must_use]
    pub fn stored_as(mut self, storage: Storage) -> Self {
        self.storage = storage;
        self
    }

    /// The same attribute with other values.
    #[must_use]
    pub fn with_values(mut self, values: impl Into<Buffer<f32>>) -> Self {
        self.values = values.into();
        self
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.values.len() / usize::from(self.width.max(1))
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The elements as arrays; `None` when the width is not `N`.
    pub fn arrays<const N: usize>(&self) -> Option<&[[f32; N]]> {
        (usize::from(self.width) == N).then(|| self.values.as_slice().as_chunks::<N>().0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_only_of_the_right_width() {
        let stream = Stream::new(Semantic::TexCoord(0), 2, vec![0.0, 1.0, 2.0, 3.0]);
        assert_eq!(stream.len(), 2);
        assert_eq!(stream.arrays::<2>(), Some(&[[0.0, 1.0], [2.0, 3.0]][..]));
        assert_eq!(stream.arrays::<3>(), None);
        assert_eq!(Semantic::TexCoord(1).to_string(), "TEXCOORD_1");
    }
}
