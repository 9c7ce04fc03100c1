//! Makes binary files for tests, from the description of the container alone.

/// A node to be made: its name, its encoded properties with their number, its children.
pub struct Made {
    pub name: &'static str,
    pub properties: Vec<Vec<u8>>,
    pub children: Vec<Made>,
    pub null_record: bool,
}

pub fn made(name: &'static str, properties: Vec<Vec<u8>>, children: Vec<Made>) -> Made {
    let null_record = !children.is_empty() || properties.is_empty();
    Made { name, properties, children, null_record }
}

/// How numbers are laid down.
#[derive(Clone, Copy)]
pub struct Forge {
    pub version: u32,
    pub big: bool,
}

macro_rules! number {
    ($name:ident, $type:ty) => {
        pub fn $name(&self, value: $type) -> Vec<u8> {
            if self.big { value.to_be_bytes().to_vec() } else { value.to_le_bytes().to_vec() }
        }
    };
}

impl Forge {
    number!(u32, u32);
    number!(u64, u64);
    number!(i16, i16);
    number!(i32, i32);
    number!(i64, i64);
    number!(f32, f32);
    number!(f64, f64);

    pub fn scalar(&self, kind: u8, payload: Vec<u8>) -> Vec<u8> {
        [vec![kind], payload].concat()
    }

    pub fn text(&self, kind: u8, bytes: &[u8]) -> Vec<u8> {
        [vec![kind], self.u32(bytes.len() as u32), bytes.to_vec()].concat()
    }

    pub fn array(&self, kind: u8, count: u32, encoding: u32, data: &[u8]) -> Vec<u8> {
        [vec![kind], self.u32(count), self.u32(encoding), self.u32(data.len() as u32), data.to_vec()].concat()
    }

    fn word(&self, value: u64) -> Vec<u8> {
        if self.version >= 7500 { self.u64(value) } else { self.u32(value as u32) }
    }

    fn node(&self, node: &Made, at: u64) -> Vec<u8> {
        let properties = node.properties.concat();
        let head = if self.version >= 7500 { 25 } else { 13 };
        let mut inside = Vec::new();
        let start = at + head + node.name.len() as u64 + properties.len() as u64;
        for child in &node.children {
            inside.extend(self.node(child, start + inside.len() as u64));
        }
        if node.null_record {
            inside.extend(vec![0; head as usize]);
        }
        let mut out = self.word(start + inside.len() as u64);
        out.extend(self.word(node.properties.len() as u64));
        out.extend(self.word(properties.len() as u64));
        out.push(node.name.len() as u8);
        out.extend(node.name.as_bytes());
        out.extend(properties);
        out.extend(inside);
        out
    }

    /// A whole file with a footer in the order of Autodesk's library.
    pub fn file(&self, nodes: &[Made]) -> Vec<u8> {
        let mut out = b"Kaydara FBX Binary  \0\x1a".to_vec();
        out.push(u8::from(self.big));
        out.extend(self.u32(self.version));
        for node in nodes {
            let bytes = self.node(node, out.len() as u64);
            out.extend(bytes);
        }
        out.extend(vec![0; if self.version >= 7500 { 25 } else { 13 }]);
        out.extend([0xfa; 16]);
        out.push(0);
        while !out.len().is_multiple_of(16) {
            out.push(0);
        }
        out.extend([0; 4]);
        out.extend(self.u32(self.version));
        out.extend([0; 120]);
        out.extend([0xf8, 0x5a, 0x8c, 0x6a, 0xde, 0xf5, 0xd9, 0x7e, 0xec, 0xe9, 0x0c, 0xe3, 0x75, 0x8f, 0x29, 0x0b]);
        out
    }
}
