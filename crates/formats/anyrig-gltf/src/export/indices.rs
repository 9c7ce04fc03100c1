//! Corner lists become index accessors.

use super::packer::{Component, Elements, Kind, List, Packer};
use crate::document::Index;
use crate::options::Meshopt;
use anyrig_bytes::{Buffer, SharedBytes};

/// Marks index accessors among the keys of buffers.
const AS_INDICES: u64 = 1 << 32;

/// The smallest component that holds the indices. The greatest value of each type restarts primitives and is not allowed
/// (specification 3.7.2.1).
fn smallest(most: u32) -> Component {
    match most {
        0..0xFF => Component::U8,
        0xFF..0xFFFF => Component::U16,
        _ => Component::U32,
    }
}

/// The accessor of a corner list; equal memory is written once.
pub(super) fn add(corners: &Buffer<u32>, list: List, packer: &mut Packer) -> Index {
    let key = (corners.as_ptr() as usize, corners.len(), AS_INDICES | list as u64);
    if let Some(known) = packer.known(key) {
        return known;
    }
    let component = match smallest(corners.iter().fold(0, |a, b| a.max(*b))) {
        // Bytes cannot be compressed.
        Component::U8 if packer.meshopt() != Meshopt::Off => Component::U16,
        component => component,
    };
    let bytes = match component {
        Component::U8 => SharedBytes::from(corners.iter().map(|c| *c as u8).collect::<Vec<u8>>()),
        Component::U16 => SharedBytes::from_owner(Shorts(corners.iter().map(|c| *c as u16).collect())),
        _ => corners.to_bytes(),
    };
    let elements =
        Elements { component, normalized: false, shape: "SCALAR", count: corners.len(), bounds: None, bytes };
    let index = packer.add(Kind::Indices(list), elements);
    packer.remember(key, index);
    index
}

/// 16-bit numbers as bytes.
pub(super) struct Shorts(pub(super) Vec<u16>);

impl AsRef<[u8]> for Shorts {
    fn as_ref(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restart_values_are_never_used() {
        assert_eq!(smallest(254), Component::U8);
        assert_eq!(smallest(255), Component::U16);
        assert_eq!(smallest(65534), Component::U16);
        assert_eq!(smallest(65535), Component::U32);
    }
}
