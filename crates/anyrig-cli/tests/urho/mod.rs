//! A reader of `.mdl` and `.ani` for tests: written from the fact sheet alone, sharing no code with the crate that
//! writes them. It panics on whatever is not as described.
#![allow(dead_code, reason = "each test uses some of it")]

/// Reads little-endian values one after another.
pub struct Bytes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Bytes<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    fn take(&mut self, count: usize) -> &'a [u8] {
        let taken = &self.bytes[self.at..self.at + count];
        self.at += count;
        taken
    }

    fn u8(&mut self) -> u8 {
        self.take(1)[0]
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take(4).try_into().expect("four bytes"))
    }

    fn f32(&mut self) -> f32 {
        f32::from_bits(self.u32())
    }

    fn f32s<const N: usize>(&mut self) -> [f32; N] {
        std::array::from_fn(|_| self.f32())
    }

    fn text_with_nul(&mut self) -> String {
        let length = self.bytes[self.at..].iter().position(|b| *b == 0).expect("a NUL");
        let text = String::from_utf8(self.take(length).to_vec()).expect("UTF-8");
        self.at += 1;
        text
    }

    fn text_with_length(&mut self) -> String {
        let length = self.u32() as usize;
        String::from_utf8(self.take(length).to_vec()).expect("UTF-8")
    }

    fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }
}

pub struct Model {
    pub vertex_buffers: Vec<VertexBuffer>,
    pub index_buffers: Vec<(u32, Vec<u32>)>,
    pub geometries: Vec<Geometry>,
    pub morphs: Vec<Morph>,
    pub bones: Vec<Bone>,
    pub low: [f32; 3],
    pub high: [f32; 3],
    pub centres: Vec<[f32; 3]>,
}

pub struct VertexBuffer {
    pub elements: Vec<u32>,
    pub vertices: Vec<Vec<u8>>,
}

impl VertexBuffer {
    /// The bytes of an element of one vertex.
    pub fn element(&self, vertex: usize, descriptor: u32) -> &[u8] {
        let mut start = 0;
        for element in &self.elements {
            let size = size_of_type(*element & 0xff);
            if *element == descriptor {
                return &self.vertices[vertex][start..start + size];
            }
            start += size;
        }
        panic!("no element {descriptor:#x}");
    }

    pub fn floats(&self, vertex: usize, descriptor: u32) -> Vec<f32> {
        let bytes = self.element(vertex, descriptor).chunks_exact(4);
        bytes.map(|b| f32::from_le_bytes(b.try_into().expect("four bytes"))).collect()
    }
}

pub struct Geometry {
    pub bone_map: Vec<u32>,
    pub primitive: u32,
    pub vertex_buffer: u32,
    pub index_buffer: u32,
    pub start: u32,
    pub count: u32,
}

/// What a morph moves in the only vertex buffer: vertex and position delta.
pub struct Morph {
    pub name: String,
    pub rest_weight: f32,
    pub deltas: Vec<(u32, [f32; 3])>,
}

pub struct Bone {
    pub name: String,
    pub parent: u32,
    pub position: [f32; 3],
    pub rotation_wxyz: [f32; 4],
    pub scale: [f32; 3],
    pub offset: [f32; 12],
    pub mask: u8,
}

fn size_of_type(kind: u32) -> usize {
    [4, 4, 8, 12, 16, 4, 4][kind as usize]
}

/// Reads a UMD2 or UMD3 model to its last byte.
pub fn model(bytes: &[u8]) -> Model {
    let mut b = Bytes::new(bytes);
    let magic = b.take(4);
    let has_rest_weights = magic == b"UMD3";
    if has_rest_weights {
        assert_eq!(b.u32(), 2);
    } else {
        assert_eq!(magic, b"UMD2");
    }
    let vertex_buffers = (0..b.u32()).map(|_| vertex_buffer(&mut b)).collect();
    let index_buffers = (0..b.u32())
        .map(|_| {
            let (count, size) = (b.u32(), b.u32());
            let index = |b: &mut Bytes<'_>| match size {
                2 => u32::from(u16::from_le_bytes(b.take(2).try_into().expect("two bytes"))),
                4 => b.u32(),
                _ => panic!("index size {size}"),
            };
            (size, (0..count).map(|_| index(&mut b)).collect())
        })
        .collect();
    let geometries: Vec<_> = (0..b.u32()).map(|_| geometry(&mut b)).collect();
    let morphs = (0..b.u32()).map(|_| morph(&mut b, has_rest_weights)).collect();
    let bones = (0..b.u32()).map(|_| bone(&mut b)).collect();
    let (low, high) = (b.f32s(), b.f32s());
    let centres = geometries.iter().map(|_| b.f32s()).collect();
    assert!(b.is_at_end(), "{} bytes are left", bytes.len() - b.at);
    Model { vertex_buffers, index_buffers, geometries, morphs, bones, low, high, centres }
}

fn vertex_buffer(b: &mut Bytes<'_>) -> VertexBuffer {
    let count = b.u32();
    let elements: Vec<u32> = (0..b.u32()).map(|_| b.u32()).collect();
    let _morph_range = (b.u32(), b.u32());
    let stride = elements.iter().map(|e| size_of_type(e & 0xff)).sum();
    let vertices = (0..count).map(|_| b.take(stride).to_vec()).collect();
    VertexBuffer { elements, vertices }
}

fn geometry(b: &mut Bytes<'_>) -> Geometry {
    let bone_map = (0..b.u32()).map(|_| b.u32()).collect();
    assert_eq!(b.u32(), 1, "one level of detail");
    let _distance = b.f32();
    let (primitive, vertex_buffer, index_buffer, start, count) = (b.u32(), b.u32(), b.u32(), b.u32(), b.u32());
    Geometry { bone_map, primitive, vertex_buffer, index_buffer, start, count }
}

fn morph(b: &mut Bytes<'_>, has_rest_weight: bool) -> Morph {
    let name = b.text_with_nul();
    let rest_weight = if has_rest_weight { b.f32() } else { 0.0 };
    let mut deltas = Vec::new();
    for _ in 0..b.u32() {
        let (buffer, mask, count) = (b.u32(), b.u32(), b.u32());
        assert_eq!(buffer, 0);
        for _ in 0..count {
            let vertex = b.u32();
            let vectors: Vec<[f32; 3]> =
                [1, 2, 0x80].iter().filter(|bit| mask & **bit != 0).map(|_| b.f32s()).collect();
            if mask & 1 != 0 {
                deltas.push((vertex, vectors[0]));
            }
        }
    }
    Morph { name, rest_weight, deltas }
}

fn bone(b: &mut Bytes<'_>) -> Bone {
    let bone = Bone {
        name: b.text_with_nul(),
        parent: b.u32(),
        position: b.f32s(),
        rotation_wxyz: b.f32s(),
        scale: b.f32s(),
        offset: b.f32s(),
        mask: b.u8(),
    };
    if bone.mask & 1 != 0 {
        b.f32();
    }
    if bone.mask & 2 != 0 {
        b.f32s::<6>();
    }
    bone
}

pub struct Animation {
    pub length_secs: f32,
    pub tracks: Vec<Track>,
    /// Of rbfx: by the path of a property.
    pub floats: Vec<FloatTrack>,
}

pub struct FloatTrack {
    pub path: String,
    /// 0 step, 1 linear.
    pub interpolation: u8,
    /// Time and value.
    pub keys: Vec<[f32; 2]>,
}

pub struct Track {
    pub name: String,
    /// 0 step, 1 linear.
    pub interpolation: u8,
    /// 1 translation, 2 rotation, 4 scale; keys hold 0 for the others.
    pub mask: u8,
    pub keys: Vec<Key>,
}

#[derive(Clone, Copy)]
pub struct Key {
    pub time_secs: f32,
    pub translation: [f32; 3],
    pub rotation_wxyz: [f32; 4],
    pub scale: [f32; 3],
}

fn key(b: &mut Bytes<'_>) -> Key {
    Key { time_secs: b.f32(), translation: b.f32s(), rotation_wxyz: b.f32s(), scale: b.f32s() }
}

/// Reads an UrhoX animation to its last byte.
pub fn animation(bytes: &[u8]) -> Animation {
    let mut b = Bytes::new(bytes);
    assert_eq!(b.take(4), b"UANI");
    assert_eq!(b.u32(), 2);
    let length_secs = b.f32();
    let tracks = (0..b.u32())
        .map(|_| Track {
            name: b.text_with_length(),
            interpolation: b.u8(),
            mask: 7,
            keys: (0..b.u32()).map(|_| key(&mut b)).collect(),
        })
        .collect();
    assert_eq!((b.u32(), b.u32()), (0, 0), "no triggers, no metadata");
    assert!(b.is_at_end(), "{} bytes are left", bytes.len() - b.at);
    Animation { length_secs, tracks, floats: Vec::new() }
}

/// Reads an animation of Urho3D or, of version 4, of rbfx to its last byte.
pub fn named_animation(bytes: &[u8]) -> Animation {
    let mut b = Bytes::new(bytes);
    let is_rbfx = match b.take(4) {
        b"UAN2" => b.u32() == 4,
        magic => {
            assert_eq!(magic, b"UANI");
            false
        }
    };
    b.text_with_nul();
    let length_secs = b.f32();
    let tracks = (0..b.u32()).map(|_| masked_track(&mut b, is_rbfx)).collect();
    let floats = if is_rbfx { (0..b.u32()).map(|_| float_track(&mut b)).collect() } else { Vec::new() };
    assert!(b.is_at_end(), "{} bytes are left", bytes.len() - b.at);
    Animation { length_secs, tracks, floats }
}

fn masked_track(b: &mut Bytes<'_>, has_weights: bool) -> Track {
    let (name, mask) = (b.text_with_nul(), b.u8());
    if has_weights {
        assert_eq!(b.f32s(), [1.0; 3]);
    }
    let keys = (0..b.u32()).map(|_| {
        let mut key = Key { time_secs: b.f32(), translation: [0.0; 3], rotation_wxyz: [0.0; 4], scale: [0.0; 3] };
        if mask & 1 != 0 {
            key.translation = b.f32s();
        }
        if mask & 2 != 0 {
            key.rotation_wxyz = b.f32s();
        }
        if mask & 4 != 0 {
            key.scale = b.f32s();
        }
        key
    });
    Track { name, interpolation: 1, mask, keys: keys.collect() }
}

fn float_track(b: &mut Bytes<'_>) -> FloatTrack {
    let path = b.text_with_nul();
    assert_eq!(b.u8(), 3, "floats");
    let interpolation = b.u8();
    let (_tension, weight) = (b.f32(), b.f32());
    assert_eq!(weight, 1.0);
    FloatTrack { path, interpolation, keys: (0..b.u32()).map(|_| b.f32s()).collect() }
}
