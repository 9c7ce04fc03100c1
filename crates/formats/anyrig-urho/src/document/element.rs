//! Vertex elements: what a vertex is made of.

/// Type of a vertex element; the number in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum ElementType {
    Int = 0,
    Float = 1,
    Vector2 = 2,
    Vector3 = 3,
    Vector4 = 4,
    UByte4 = 5,
    UByte4Norm = 6,
}

impl ElementType {
    /// All types; the index is the number in the file.
    pub const ALL: [Self; 7] =
        [Self::Int, Self::Float, Self::Vector2, Self::Vector3, Self::Vector4, Self::UByte4, Self::UByte4Norm];

    /// Size in a vertex, in bytes.
    pub fn size(self) -> usize {
        match self {
            Self::Int | Self::Float | Self::UByte4 | Self::UByte4Norm => 4,
            Self::Vector2 => 8,
            Self::Vector3 => 12,
            Self::Vector4 => 16,
        }
    }

    /// Number of values.
    pub fn width(self) -> usize {
        match self {
            Self::Int | Self::Float => 1,
            Self::Vector2 => 2,
            Self::Vector3 => 3,
            Self::Vector4 | Self::UByte4 | Self::UByte4Norm => 4,
        }
    }
}

/// Meaning of a vertex element; the number in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum ElementSemantic {
    Position = 0,
    Normal = 1,
    Binormal = 2,
    Tangent = 3,
    TexCoord = 4,
    Color = 5,
    BlendWeights = 6,
    BlendIndices = 7,
    ObjectIndex = 8,
}

impl ElementSemantic {
    /// All meanings; the index is the number in the file.
    pub const ALL: [Self; 9] = [
        Self::Position,
        Self::Normal,
        Self::Binormal,
        Self::Tangent,
        Self::TexCoord,
        Self::Color,
        Self::BlendWeights,
        Self::BlendIndices,
        Self::ObjectIndex,
    ];
}

/// A vertex element as `UMD2` spells it: type in bits 0 to 7, meaning in 8 to 15, index in 16 to 23; the rest is unused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct VertexElement(pub u32);

impl VertexElement {
    /// An element of index 0.
    pub const fn new(semantic: ElementSemantic, kind: ElementType) -> Self {
        Self(kind as u32 | (semantic as u32) << 8)
    }

    /// The same element with another index.
    #[must_use]
    pub const fn with_index(self, index: u8) -> Self {
        Self(self.0 & 0xff00_ffff | (index as u32) << 16)
    }

    /// The type; `None` when the number is unknown.
    pub fn kind(self) -> Option<ElementType> {
        ElementType::ALL.get((self.0 & 0xff) as usize).copied()
    }

    /// The meaning; `None` when the number is unknown.
    pub fn semantic(self) -> Option<ElementSemantic> {
        ElementSemantic::ALL.get((self.0 >> 8 & 0xff) as usize).copied()
    }

    /// Which of several elements of one meaning it is.
    pub fn index(self) -> u32 {
        self.0 >> 16 & 0xff
    }
}

/// The elements that the bits of a `UMDL` mask stand for, in the order of the bits, which is their order in a vertex.
const LEGACY: [VertexElement; 14] = {
    use ElementSemantic as S;
    use ElementType as T;
    [
        VertexElement::new(S::Position, T::Vector3),
        VertexElement::new(S::Normal, T::Vector3),
        VertexElement::new(S::Color, T::UByte4Norm),
        VertexElement::new(S::TexCoord, T::Vector2),
        VertexElement::new(S::TexCoord, T::Vector2).with_index(1),
        VertexElement::new(S::TexCoord, T::Vector3),
        VertexElement::new(S::TexCoord, T::Vector3).with_index(1),
        VertexElement::new(S::Tangent, T::Vector4),
        VertexElement::new(S::BlendWeights, T::Vector4),
        VertexElement::new(S::BlendIndices, T::UByte4),
        VertexElement::new(S::TexCoord, T::Vector4).with_index(4),
        VertexElement::new(S::TexCoord, T::Vector4).with_index(5),
        VertexElement::new(S::TexCoord, T::Vector4).with_index(6),
        VertexElement::new(S::ObjectIndex, T::Int),
    ]
};

/// The elements of a `UMDL` mask. Bits above the fourteen known ones stand for nothing, as in the engine.
pub fn legacy_elements(mask: u32) -> impl Iterator<Item = VertexElement> {
    LEGACY.into_iter().enumerate().filter(move |(bit, _)| mask >> bit & 1 == 1).map(|(_, element)| element)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fox_vertex_is_spelled_as_in_the_facts() {
        use ElementSemantic as S;
        use ElementType as T;
        let elements = [
            VertexElement::new(S::Position, T::Vector3),
            VertexElement::new(S::Normal, T::Vector3),
            VertexElement::new(S::Color, T::UByte4Norm),
            VertexElement::new(S::TexCoord, T::Vector2),
            VertexElement::new(S::Tangent, T::Vector4),
            VertexElement::new(S::BlendWeights, T::Vector4),
            VertexElement::new(S::BlendIndices, T::UByte4),
        ];
        assert_eq!(elements.map(|e| e.0), [0x003, 0x103, 0x506, 0x402, 0x304, 0x604, 0x705]);
        assert_eq!(legacy_elements(0x38f).collect::<Vec<_>>(), elements);
        assert_eq!(elements.iter().filter_map(|e| e.kind()).map(ElementType::size).sum::<usize>(), 72);
    }

    #[test]
    fn numbers_of_the_file_are_read_back() {
        let element = VertexElement(0x0002_0402);
        assert_eq!(element.kind(), Some(ElementType::Vector2));
        assert_eq!(element.semantic(), Some(ElementSemantic::TexCoord));
        assert_eq!(element.index(), 2);
        assert_eq!(VertexElement(0x0907).kind(), None);
        assert_eq!(VertexElement(0x0903).semantic(), None);
    }
}
