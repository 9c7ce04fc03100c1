//! Opening inputs: large files are mapped into memory, everything else is read.

use anyrig::SharedBytes;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Files above this size are mapped; below it reading is as fast and needs no trust in other programs.
const MAP_ABOVE_BYTES: u64 = 16 << 20;

/// Opens a file of at most `limit` bytes.
///
/// # Errors
/// Those of the operating system; [`io::ErrorKind::FileTooLarge`] above the limit; [`io::ErrorKind::IsADirectory`].
pub fn open(path: &Path, limit: u64) -> io::Result<SharedBytes> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    if metadata.len() > limit {
        return Err(too_large(metadata.len(), limit));
    }
    if metadata.is_file() && metadata.len() > MAP_ABOVE_BYTES {
        return map(&file);
    }
    read_all(file, limit)
}

/// Reads to the end, at most `limit` bytes.
///
/// # Errors
/// As [`open`].
pub fn read_all(reader: impl Read, limit: u64) -> io::Result<SharedBytes> {
    let mut bytes = Vec::new();
    reader.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(too_large(bytes.len() as u64, limit));
    }
    Ok(bytes.into())
}

fn too_large(size: u64, limit: u64) -> io::Error {
    let message = format!("{size} bytes or more are above the limit of {limit}; --limit-input raises it");
    io::Error::new(io::ErrorKind::FileTooLarge, message)
}

#[allow(unsafe_code, reason = "a memory map cannot be made without; see the comment at the block")]
fn map(file: &File) -> io::Result<SharedBytes> {
    // SAFETY: the map is private and read only, and lives as long as the bytes that share it. What cannot be ruled out
    // is another program that changes or cuts the file meanwhile: then readers see other bytes (they check every value
    // where they use it) or the system ends this process, which the user of such a race has to expect.
    let map = unsafe { memmap2::MmapOptions::new().map_copy_read_only(file)? };
    Ok(SharedBytes::from_owner(map))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_map_and_a_read_give_the_same_bytes() {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        let block: Vec<u8> = (0..=255).cycle().take(1 << 20).collect();
        for _ in 0..17 {
            file.write_all(&block).expect("space for it");
        }
        file.write_all(b"end").expect("space for it");
        let mapped = open(file.path(), u64::MAX).expect("readable");
        let read = read_all(File::open(file.path()).expect("there"), u64::MAX).expect("readable");
        assert!(mapped.len() as u64 > MAP_ABOVE_BYTES);
        assert!(mapped == read);
    }

    #[test]
    fn limits_and_folders() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a");
        std::fs::write(&path, [1, 2, 3]).expect("writable");
        assert_eq!(open(&path, 3).map(|b| b.len()).ok(), Some(3));
        assert_eq!(open(&path, 2).map_err(|e| e.kind()).err(), Some(io::ErrorKind::FileTooLarge));
        assert_eq!(read_all(&[0u8; 5][..], 4).map_err(|e| e.kind()).err(), Some(io::ErrorKind::FileTooLarge));
        assert!(open(folder.path(), 10).is_err());
    }
}
