//! Reads UMD2 and UMD3 models and animations of the three layouts from plain slices, to the last byte. Written from the facts, not from the
//! crate, and shares no code with it.

pub struct Reader<'a> {
    bytes: &'a [u8],
    pub at: usize,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub fn take(&mut self, len: usize) -> &'a [u8] {
        let taken = &self.bytes[self.at..self.at + len];
        self.at += len;
        taken
    }

    pub fn u8(&mut self) -> u8 {
        self.take(1)[0]
    }

    pub fn u32(&mut self) -> u32 {
        let b = self.take(4);
        u32::from(b[0]) | u32::from(b[1]) << 8 | u32::from(b[2]) << 16 | u32::from(b[3]) << 24
    }

    pub fn f32(&mut self) -> f32 {
        f32::from_bits(self.u32())
    }

    pub fn floats<const N: usize>(&mut self) -> [f32; N] {
        std::array::from_fn(|_| self.f32())
    }

    pub fn until_nul(&mut self) -> String {
        let mut text = Vec::new();
        loop {
            match self.u8() {
                0 => return String::from_utf8(text).expect("UTF-8"),
                byte => text.push(byte),
            }
        }
    }

    pub fn done(&self) -> bool {
        self.at == self.bytes.len()
    }
}

#[derive(Debug, Default)]
pub struct Mdl {
    /// 0 for UMD2.
    pub version: u32,
    pub vertex_buffers: Vec<Vertices>,
    pub index_buffers: Vec<Vec<u32>>,
    pub index_sizes: Vec<u32>,
    pub geometries: Vec<Geometry>,
    pub morphs: Vec<Morph>,
    pub bones: Vec<Bone>,
    pub bounding_box: [f32; 6],
    pub centres: Vec<[f32; 3]>,
}

#[derive(Debug, Default)]
pub struct Vertices {
    pub descriptors: Vec<u32>,
    pub morph_range: [u32; 2],
    pub stride: usize,
    pub count: usize,
    pub data: Vec<u8>,
}

impl Vertices {
    /// The bytes of an element of a vertex.
    pub fn element(&self, vertex: usize, descriptor: u32) -> &[u8] {
        let sizes = [4, 4, 8, 12, 16, 4, 4];
        let mut offset = 0;
        for d in &self.descriptors {
            let size = sizes[(d & 0xff) as usize];
            if *d == descriptor {
                let start = vertex * self.stride + offset;
                return &self.data[start..start + size];
            }
            offset += size;
        }
        panic!("no element {descriptor:#x}");
    }

    pub fn floats<const N: usize>(&self, vertex: usize, descriptor: u32) -> [f32; N] {
        Reader::new(self.element(vertex, descriptor)).floats()
    }
}

#[derive(Debug, Default, PartialEq)]
pub struct Geometry {
    pub mapping: Vec<u32>,
    pub lods: Vec<(f32, [u32; 5])>,
}

#[derive(Debug, Default)]
pub struct Morph {
    pub name: String,
    pub initial_weight: f32,
    pub mask: u32,
    pub vertices: Vec<(u32, Vec<[f32; 3]>)>,
}

#[derive(Debug, Default)]
pub struct Bone {
    pub name: String,
    pub parent: u32,
    pub position: [f32; 3],
    pub rotation: [f32; 4],
    pub scale: [f32; 3],
    pub offset: [f32; 12],
    pub collision_mask: u8,
}

pub fn mdl(bytes: &[u8]) -> Mdl {
    let mut r = Reader::new(bytes);
    let mut mdl = Mdl::default();
    let magic = r.take(4);
    if magic == b"UMD3" {
        mdl.version = r.u32();
        assert_eq!(mdl.version, 2);
    } else {
        assert_eq!(magic, b"UMD2");
    }
    for _ in 0..r.u32() {
        mdl.vertex_buffers.push(vertices(&mut r));
    }
    for _ in 0..r.u32() {
        let (count, size) = (r.u32(), r.u32());
        let index = |r: &mut Reader<'_>| if size == 2 { u32::from(r.u8()) | u32::from(r.u8()) << 8 } else { r.u32() };
        mdl.index_buffers.push((0..count).map(|_| index(&mut r)).collect());
        mdl.index_sizes.push(size);
    }
    for _ in 0..r.u32() {
        let mapping = (0..r.u32()).map(|_| r.u32()).collect();
        let lods = (0..r.u32()).map(|_| (r.f32(), std::array::from_fn(|_| r.u32()))).collect();
        mdl.geometries.push(Geometry { mapping, lods });
    }
    for _ in 0..r.u32() {
        mdl.morphs.push(morph(&mut r, mdl.version));
    }
    for _ in 0..r.u32() {
        let bone = Bone {
            name: r.until_nul(),
            parent: r.u32(),
            position: r.floats(),
            rotation: r.floats(),
            scale: r.floats(),
            offset: r.floats(),
            collision_mask: r.u8(),
        };
        let extra = [0, 4, 24, 28][usize::from(bone.collision_mask)];
        r.take(extra);
        mdl.bones.push(bone);
    }
    mdl.bounding_box = r.floats();
    mdl.centres = mdl.geometries.iter().map(|_| r.floats()).collect();
    assert!(r.done(), "{} bytes left over", bytes.len() - r.at);
    mdl
}

fn vertices(r: &mut Reader<'_>) -> Vertices {
    let count = r.u32() as usize;
    let descriptors: Vec<u32> = (0..r.u32()).map(|_| r.u32()).collect();
    let morph_range = [r.u32(), r.u32()];
    let stride = descriptors.iter().map(|d| [4, 4, 8, 12, 16, 4, 4][(d & 0xff) as usize]).sum();
    let data = r.take(count * stride).to_vec();
    Vertices { descriptors, morph_range, stride, count, data }
}

fn morph(r: &mut Reader<'_>, version: u32) -> Morph {
    let name = r.until_nul();
    let initial_weight = if version >= 2 { r.f32() } else { 0.0 };
    assert_eq!(r.u32(), 1, "one vertex buffer");
    assert_eq!(r.u32(), 0, "the first vertex buffer");
    let mask = r.u32();
    let attributes = [1, 2, 0x80].iter().filter(|bit| mask & **bit != 0).count();
    let vertices = (0..r.u32()).map(|_| (r.u32(), (0..attributes).map(|_| r.floats()).collect())).collect();
    Morph { name, initial_weight, mask, vertices }
}

#[derive(Debug, Default)]
pub struct Ani {
    pub name: String,
    pub length: f32,
    pub tracks: Vec<Track>,
    pub floats: Vec<FloatTrack>,
}

/// A track of one float, of rbfx.
#[derive(Debug, Default, PartialEq)]
pub struct FloatTrack {
    pub path: String,
    pub interpolation: u8,
    /// Time, value.
    pub keys: Vec<[f32; 2]>,
}

#[derive(Debug, Default)]
pub struct Track {
    pub name: String,
    pub interpolation: u8,
    /// 1 position, 2 rotation, 4 scale.
    pub mask: u8,
    /// Time, translation, rotation (w, x, y, z), scale; NaN where the mask has none.
    pub keys: Vec<[f32; 11]>,
}

pub fn ani(bytes: &[u8]) -> Ani {
    let mut r = Reader::new(bytes);
    assert_eq!(r.take(4), b"UANI");
    assert_eq!(r.u32(), 2);
    let mut ani = Ani { length: r.f32(), ..Ani::default() };
    for _ in 0..r.u32() {
        let len = r.u32() as usize;
        let name = String::from_utf8(r.take(len).to_vec()).expect("UTF-8");
        let interpolation = r.u8();
        let keys = (0..r.u32()).map(|_| r.floats()).collect();
        ani.tracks.push(Track { name, interpolation, mask: 7, keys });
    }
    assert_eq!((r.u32(), r.u32()), (0, 0), "no triggers, no metadata");
    assert!(r.done(), "{} bytes left over", bytes.len() - r.at);
    ani
}

/// The layout of Urho3D.
pub fn classic(bytes: &[u8]) -> Ani {
    let mut r = Reader::new(bytes);
    assert_eq!(r.take(4), b"UANI");
    let ani = named(&mut r, false);
    assert!(r.done(), "{} bytes left over", bytes.len() - r.at);
    ani
}

/// Version 4 of the layout of rbfx, as far as it is written.
pub fn uan2(bytes: &[u8]) -> Ani {
    let mut r = Reader::new(bytes);
    assert_eq!(r.take(4), b"UAN2");
    assert_eq!(r.u32(), 4);
    let mut ani = named(&mut r, true);
    for _ in 0..r.u32() {
        let path = r.until_nul();
        assert_eq!(r.u8(), 3, "floats");
        let interpolation = r.u8();
        let (_tension, weight) = (r.f32(), r.f32());
        assert_eq!(weight, 1.0);
        let keys = (0..r.u32()).map(|_| r.floats()).collect();
        ani.floats.push(FloatTrack { path, interpolation, keys });
    }
    assert!(r.done(), "{} bytes left over", bytes.len() - r.at);
    ani
}

fn named(r: &mut Reader<'_>, weights: bool) -> Ani {
    let mut ani = Ani { name: r.until_nul(), length: r.f32(), ..Ani::default() };
    for _ in 0..r.u32() {
        let mut track = Track { name: r.until_nul(), mask: r.u8(), interpolation: 1, keys: Vec::new() };
        if weights {
            assert_eq!(r.floats(), [1.0; 3]);
        }
        for _ in 0..r.u32() {
            let mut key = [f32::NAN; 11];
            key[0] = r.f32();
            for (bit, from, to) in [(1, 1, 4), (2, 4, 8), (4, 8, 11)] {
                if track.mask & bit != 0 {
                    key[from..to].iter_mut().for_each(|v| *v = r.f32());
                }
            }
            track.keys.push(key);
        }
        ani.tracks.push(track);
    }
    ani
}
