//! Number types and shapes of accessor elements (specification 3.6.2.2 and 3.6.2.3): the one table of both.

use super::json::At;
use anyrig_bytes::Result;

/// Number type of a component; as a number it is its code in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Component {
    I8 = 5120,
    U8 = 5121,
    I16 = 5122,
    U16 = 5123,
    U32 = 5125,
    F32 = 5126,
}

impl Component {
    const ALL: [Self; 6] = [Self::I8, Self::U8, Self::I16, Self::U16, Self::U32, Self::F32];

    pub(crate) fn from_code(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|component| *component as u32 == code)
    }

    /// As [`Component::from_code`], with the error of a file that has another code.
    pub(crate) fn of(code: u32, at: &At<'_>) -> Result<Self> {
        Self::from_code(code).ok_or_else(|| at.malformed(format!("{code} is not a component type of glTF 2.0")))
    }

    /// Bytes of a number.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }
}

/// Columns and rows of an accessor type.
pub(crate) fn columns_and_rows(name: &str) -> Option<(usize, usize)> {
    Some(match name {
        "SCALAR" => (1, 1),
        "VEC2" => (1, 2),
        "VEC3" => (1, 3),
        "VEC4" => (1, 4),
        "MAT2" => (2, 2),
        "MAT3" => (3, 3),
        "MAT4" => (4, 4),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_the_specification_and_no_others() {
        let sizes = [(5120, 1), (5121, 1), (5122, 2), (5123, 2), (5125, 4), (5126, 4)];
        for (code, size) in sizes {
            let component = Component::from_code(code).expect("known");
            assert_eq!((component as u32, component.size()), (code, size));
        }
        assert!([0, 5119, 5124, 5127, u32::MAX].into_iter().all(|code| Component::from_code(code).is_none()));
    }
}
