//! A glTF file as JSON and buffers, and its accessors as numbers.

use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Extensions that say where points are, and that this judge does not know.
const UNKNOWN: [&str; 7] = [
    "EXT_mesh_gpu_instancing",
    "EXT_meshopt_compression",
    "KHR_animation_pointer",
    "KHR_draco_mesh_compression",
    "KHR_meshopt_compression",
    "KHR_node_visibility",
    "MSFT_lod",
];

/// The numbers of an accessor.
pub(super) type Numbers = Rc<Vec<f64>>;

/// A file with its buffers.
pub struct File {
    pub(super) json: Value,
    buffers: Vec<Vec<u8>>,
    /// Accessors that were read.
    known: RefCell<BTreeMap<usize, Numbers>>,
}

impl File {
    /// Reads a `.glb` or `.gltf`; `resolve` gives files beside it. `None` for what cannot be read.
    pub fn open(bytes: &[u8], resolve: impl Fn(&str) -> Option<Vec<u8>>) -> Option<Self> {
        let (text, mut binary) = if bytes.starts_with(b"glTF") { chunks(bytes)? } else { (bytes, None) };
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let json: Value = serde_json::from_slice(text).ok()?;
        let content = |buffer: &Value| match buffer["uri"].as_str() {
            None => binary.take().map(<[u8]>::to_vec),
            Some(uri) => match uri.strip_prefix("data:") {
                Some(data) => base64(data.split_once(";base64,")?.1),
                None => resolve(&unescaped(uri)?),
            },
        };
        let buffers = at(&json, "buffers").iter().map(content).collect::<Option<_>>()?;
        Some(Self { json, buffers, known: RefCell::default() })
    }

    /// Whether the judge knows all that says where points are.
    pub fn is_plain(&self) -> bool {
        let used = self.list("extensionsUsed").iter().chain(self.list("extensionsRequired"));
        !used.filter_map(Value::as_str).any(|name| UNKNOWN.contains(&name))
    }

    /// A list of the root; empty when there is none.
    pub(super) fn list(&self, name: &str) -> &[Value] {
        at(&self.json, name)
    }

    /// Number of elements of an accessor; 0 for what is no index.
    pub(super) fn count(&self, index: &Value) -> usize {
        number(index).and_then(|i| number(&self.list("accessors")[i]["count"])).unwrap_or(0)
    }

    /// All numbers of an accessor; none for what is no index.
    pub(super) fn accessor(&self, index: &Value) -> Numbers {
        let Some(index) = number(index) else { return Rc::default() };
        if let Some(known) = self.known.borrow().get(&index) {
            return Rc::clone(known);
        }
        let read = Rc::new(self.read(&self.list("accessors")[index]));
        self.known.borrow_mut().insert(index, Rc::clone(&read));
        read
    }

    fn read(&self, accessor: &Value) -> Vec<f64> {
        let width = match accessor["type"].as_str() {
            Some("VEC2") => 2,
            Some("VEC3") => 3,
            Some("VEC4") => 4,
            Some("MAT4") => 16,
            _ => 1,
        };
        let count = number(&accessor["count"]).unwrap_or(0);
        let mut values = match &accessor["bufferView"] {
            Value::Null => vec![0.0; count * width],
            view => self.elements(view, accessor, accessor, count, width),
        };
        let sparse = &accessor["sparse"];
        if let Some(changed) = number(&sparse["count"]) {
            let (indices, of) = (&sparse["indices"], &sparse["values"]);
            let points = self.elements(&indices["bufferView"], indices, indices, changed, 1);
            let new = self.elements(&of["bufferView"], of, accessor, changed, width);
            for (element, point) in points.into_iter().enumerate() {
                let to = point as usize * width;
                values[to..to + width].copy_from_slice(&new[element * width..(element + 1) * width]);
            }
        }
        values
    }

    /// `place` has the offset in the view, `kind` the number type.
    fn elements(&self, view: &Value, place: &Value, kind: &Value, count: usize, width: usize) -> Vec<f64> {
        let view = &self.list("bufferViews")[number(view).expect("a view")];
        let buffer = &self.buffers[number(&view["buffer"]).expect("a buffer")];
        let component = number(&kind["componentType"]).expect("a type");
        let size = [1, 1, 2, 2, 4, 4, 4][component - 5120];
        let stride = number(&view["byteStride"]).unwrap_or(size * width);
        let start = number(&view["byteOffset"]).unwrap_or(0) + number(&place["byteOffset"]).unwrap_or(0);
        let is_fraction = kind["normalized"].as_bool().unwrap_or(false);
        let one = |i: usize| {
            let from = start + i / width * stride + i % width * size;
            let value = decoded(component, &buffer[from..from + size]);
            // Specification 3.6.2.2, table of normalised integers (3.11 for animations).
            match component {
                _ if !is_fraction => value,
                5120 => (value / 127.0).max(-1.0),
                5121 => value / 255.0,
                5122 => (value / 32767.0).max(-1.0),
                5123 => value / 65535.0,
                _ => value,
            }
        };
        (0..count * width).map(one).collect()
    }
}

fn decoded(component: usize, bytes: &[u8]) -> f64 {
    let two = || [bytes[0], bytes[1]];
    let four = || [bytes[0], bytes[1], bytes[2], bytes[3]];
    match component {
        5120 => f64::from(i8::from_le_bytes([bytes[0]])),
        5121 => f64::from(bytes[0]),
        5122 => f64::from(i16::from_le_bytes(two())),
        5123 => f64::from(u16::from_le_bytes(two())),
        5125 => f64::from(u32::from_le_bytes(four())),
        _ => f64::from(f32::from_le_bytes(four())),
    }
}

/// JSON text and binary chunk of a GLB (specification 4.4).
fn chunks(bytes: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
    let (mut text, mut binary, mut rest) = (None, None, bytes.get(12..)?);
    while rest.len() >= 8 {
        let length = u32::from_le_bytes([rest[0], rest[1], rest[2], rest[3]]) as usize;
        let data = rest.get(8..8 + length)?;
        match &rest[4..8] {
            b"JSON" => text = text.or(Some(data)),
            b"BIN\0" => binary = binary.or(Some(data)),
            _ => {}
        }
        rest = &rest[8 + length..];
    }
    Some((text?, binary))
}

/// A list that is a member; empty when there is none.
pub(super) fn at<'a>(object: &'a Value, name: &str) -> &'a [Value] {
    object[name].as_array().map_or(&[], Vec::as_slice)
}

/// A whole number that is not negative.
pub(super) fn number(value: &Value) -> Option<usize> {
    // Some writers spell whole numbers as 4.0.
    value.as_f64().filter(|v| *v >= 0.0 && v.fract() == 0.0).map(|v| v as usize)
}

pub(super) fn numbers(value: &Value) -> Option<Vec<f64>> {
    value.as_array()?.iter().map(Value::as_f64).collect()
}

/// RFC 4648, section 4.
fn base64(text: &str) -> Option<Vec<u8>> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => Some(u32::from(c - b'A')),
        b'a'..=b'z' => Some(u32::from(c - b'a') + 26),
        b'0'..=b'9' => Some(u32::from(c - b'0') + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let (mut bits, mut count, mut bytes) = (0u32, 0, Vec::new());
    for c in text.trim_end_matches('=').bytes() {
        bits = (bits << 6) | digit(c)?;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    Some(bytes)
}

/// `%20` and the like (RFC 3986, section 2.1).
fn unescaped(uri: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = uri.bytes();
    while let Some(c) = rest.next() {
        if c != b'%' {
            bytes.push(c);
            continue;
        }
        let code = [rest.next()?, rest.next()?];
        bytes.push(u8::from_str_radix(std::str::from_utf8(&code).ok()?, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}
