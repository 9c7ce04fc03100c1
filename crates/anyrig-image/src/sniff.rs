//! What encoded bytes are, by content.

/// Kind of an encoded image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum Kind {
    Png,
    Jpeg,
    WebP,
    Ktx2,
    Dds,
    Tga,
    Bmp,
    Gif,
}

impl Kind {
    /// The media type, for example `image/png`. DDS and TGA have no registered one; theirs are those in common use.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::WebP => "image/webp",
            Self::Ktx2 => "image/ktx2",
            Self::Dds => "image/vnd-ms.dds",
            Self::Tga => "image/x-tga",
            Self::Bmp => "image/bmp",
            Self::Gif => "image/gif",
        }
    }

    /// The usual file extension without a dot, for example `png`.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::WebP => "webp",
            Self::Ktx2 => "ktx2",
            Self::Dds => "dds",
            Self::Tga => "tga",
            Self::Bmp => "bmp",
            Self::Gif => "gif",
        }
    }

    /// True when [`crate::decode_rgba8`] can decode it.
    pub fn is_decodable(self) -> bool {
        matches!(self, Self::Png | Self::Jpeg | Self::WebP | Self::Tga | Self::Bmp)
    }
}

/// Ends a TGA 2.0 file (Truevision TGA specification 2.0, "TGA file footer").
const TGA_FOOTER: &[u8] = b"TRUEVISION-XFILE.\0";

/// Tells the kind of encoded bytes by their signature; `None` when no signature fits. TGA files are told by the footer
/// of version 2.0; older ones have no magic and are told by a header all of whose fields make sense together.
pub fn sniff(bytes: &[u8]) -> Option<Kind> {
    let starts = |magic: &[u8]| bytes.starts_with(magic);
    if starts(b"\x89PNG\r\n\x1a\n") {
        return Some(Kind::Png);
    }
    if starts(b"\xff\xd8\xff") {
        return Some(Kind::Jpeg);
    }
    if starts(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return Some(Kind::WebP);
    }
    if starts(b"\xabKTX 20\xbb\r\n\x1a\n") {
        return Some(Kind::Ktx2);
    }
    if starts(b"DDS ") {
        return Some(Kind::Dds);
    }
    if starts(b"GIF87a") || starts(b"GIF89a") {
        return Some(Kind::Gif);
    }
    if is_bmp(bytes) {
        return Some(Kind::Bmp);
    }
    (bytes.ends_with(TGA_FOOTER) || is_old_tga(bytes)).then_some(Kind::Tga)
}

/// The header of a TGA file (Truevision TGA specification 2.0, "TGA file header"): the type, the colour map and the
/// depth fit each other, and what is not compressed is there as a whole.
fn is_old_tga(bytes: &[u8]) -> bool {
    let Some(header) = bytes.first_chunk::<18>() else { return false };
    let word = |at: usize| u64::from(u16::from_le_bytes([header[at], header[at + 1]]));
    let (map_kind, image_kind, depth, descriptor) = (header[1], header[2], header[16], header[17]);
    let (map_len, map_bits, width, height) = (word(5), header[7], word(12), word(14));
    let fits = match (image_kind, map_kind) {
        (1 | 9, 1) => depth == 8 && map_len > 0 && matches!(map_bits, 15 | 16 | 24 | 32),
        (2 | 10, 0) => matches!(depth, 15 | 16 | 24 | 32),
        (3 | 11, 0) => depth == 8,
        _ => false,
    };
    let no_map = map_kind == 1 || header[3..8].iter().all(|b| *b == 0);
    let start = 18 + u64::from(header[0]) + map_len * u64::from(map_bits.div_ceil(8));
    let least = if image_kind < 9 { width * height * u64::from(depth.div_ceil(8)) } else { 1 };
    fits && no_map && width > 0 && height > 0 && descriptor & 0xc0 == 0 && bytes.len() as u64 >= start + least
}

/// Two letters are a weak signature, so the size of the second header must be one that exists: 12 (OS/2 1.x), 16 or 64
/// (OS/2 2.x), 40, 52, 56, 108, 124 (Windows).
fn is_bmp(bytes: &[u8]) -> bool {
    let header = bytes.get(14..18).and_then(|b| b.first_chunk::<4>()).map(|b| u32::from_le_bytes(*b));
    bytes.starts_with(b"BM") && header.is_some_and(|size| matches!(size, 12 | 16 | 40 | 52 | 56 | 64 | 108 | 124))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_known_by_its_signature() {
        let mut tga = vec![0u8; 60];
        tga.extend_from_slice(TGA_FOOTER);
        // 2 × 3 pixels of 24 bits, not compressed.
        let mut old_tga = vec![0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 3, 0, 24, 0];
        old_tga.extend([9; 18]);
        let mut bmp = b"BM".to_vec();
        bmp.extend([0; 12]);
        bmp.extend(40u32.to_le_bytes());
        let cases: [(&[u8], Kind); 10] = [
            (&[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0], Kind::Png),
            (&[0xff, 0xd8, 0xff, 0xe0, 0, 0x10], Kind::Jpeg),
            (b"RIFF\x04\0\0\0WEBPVP8 ", Kind::WebP),
            (&[0xab, 0x4b, 0x54, 0x58, 0x20, 0x32, 0x30, 0xbb, 0x0d, 0x0a, 0x1a, 0x0a], Kind::Ktx2),
            (b"DDS |\0\0\0", Kind::Dds),
            (b"GIF89a", Kind::Gif),
            (b"GIF87a", Kind::Gif),
            (&bmp, Kind::Bmp),
            (&tga, Kind::Tga),
            (&old_tga, Kind::Tga),
        ];
        for (bytes, kind) in cases {
            assert_eq!(sniff(bytes), Some(kind), "{kind:?}");
        }
        assert_eq!(sniff(&old_tga[..old_tga.len() - 1]), None, "a pixel is missing");
        for junk in [&b""[..], b"BM", b"RIFF", b"RIFF\0\0\0\0WAVE", b"BM is how this text begins, no picture"] {
            assert_eq!(sniff(junk), None);
        }
    }

    #[test]
    fn names_are_distinct() {
        let kinds = [Kind::Png, Kind::Jpeg, Kind::WebP, Kind::Ktx2, Kind::Dds, Kind::Tga, Kind::Bmp, Kind::Gif];
        let distinct = |name: fn(Kind) -> &'static str| {
            kinds.iter().map(|k| name(*k)).collect::<std::collections::BTreeSet<_>>().len()
        };
        assert_eq!((distinct(Kind::media_type), distinct(Kind::extension)), (kinds.len(), kinds.len()));
    }
}
