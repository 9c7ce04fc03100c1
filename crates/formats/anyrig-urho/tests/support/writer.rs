//! Writes UMD3 models and UAN2 animations byte by byte. Written from the facts, not from the crate, and shares no code
//! with it: the corpus has none of them.

#[derive(Default)]
pub struct Out(pub Vec<u8>);

impl Out {
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    pub fn words(&mut self, words: &[u32]) -> &mut Self {
        words.iter().for_each(|w| self.0.extend_from_slice(&w.to_le_bytes()));
        self
    }

    pub fn floats(&mut self, floats: &[f32]) -> &mut Self {
        floats.iter().for_each(|f| self.0.extend_from_slice(&f.to_bits().to_le_bytes()));
        self
    }

    pub fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes()).bytes(&[0])
    }
}

/// One triangle in the order of elements that rbfx writes, on two bones, with a morph that rests at 0.25.
pub fn umd3(version: u32) -> Vec<u8> {
    let mut out = Out::default();
    out.bytes(b"UMD3").words(&[version]);
    // POSITION NORMAL TANGENT BLENDWEIGHTS (bytes) BLENDINDICES TEXCOORD COLOR.
    out.words(&[1, 3, 7, 0x003, 0x103, 0x304, 0x606, 0x705, 0x402, 0x506, 0, 3]);
    for corner in 0..3u8 {
        out.floats(&[f32::from(corner % 2), f32::from(corner / 2), 0.0]);
        out.floats(&[0.0, 0.0, 1.0]).floats(&[1.0, 0.0, 0.0, -1.0]);
        out.bytes(&[255 - 51 * corner, 51 * corner, 0, 0]).bytes(&[0, 1, 0, 0]);
        out.floats(&[f32::from(corner) / 2.0, 0.5]).bytes(&[255, 128, 0, 255]);
    }
    out.words(&[1, 3, 2]).bytes(&[0, 0, 1, 0, 2, 0]);
    // One geometry that maps two bones, one level of detail.
    out.words(&[1, 2, 0, 1, 1]).floats(&[0.0]).words(&[0, 0, 0, 0, 3]);
    out.words(&[1]).text("smile");
    if version >= 2 {
        out.floats(&[0.25]);
    }
    out.words(&[1, 0, 1, 2]);
    for vertex in [0, 2] {
        out.words(&[vertex]).floats(&[0.0, 0.5, 0.0]);
    }
    out.words(&[2]);
    for (name, parent, x) in [("root", 0, 0.0), ("tip", 0, 1.0)] {
        out.text(name).words(&[parent]).floats(&[x, 0.0, 0.0]).floats(&[1.0, 0.0, 0.0, 0.0]).floats(&[1.0; 3]);
        out.floats(&[1.0, 0.0, 0.0, -x, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        out.bytes(&[3]).floats(&[0.5]).floats(&[-1.0, -1.0, -1.0, 1.0, 1.0, 1.0]);
    }
    out.floats(&[0.0, 0.0, 0.0, 1.0, 1.0, 0.0]).floats(&[0.5, 0.5, 0.0]);
    out.0
}

/// Two bone tracks and, where the version has them, a morph track, a vector on a spline, a text and a resource.
pub fn uan2(version: u32) -> Vec<u8> {
    let mut out = Out::default();
    out.bytes(b"UAN2").words(&[version]).text("Wave").floats(&[1.0]);
    out.words(&[2]);
    let weights = |out: &mut Out| {
        let of_channels: &[f32] = match version {
            3 => &[0.5],
            4 => &[0.5, 1.0, 1.0],
            _ => &[],
        };
        out.floats(of_channels);
    };
    out.text("root").bytes(&[1]);
    weights(&mut out);
    out.words(&[2]).floats(&[0.0, 0.0, 0.0, 0.0]).floats(&[1.0, 2.0, 0.0, 0.0]);
    out.text("tip").bytes(&[7]);
    weights(&mut out);
    out.words(&[1]).floats(&[0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    if version < 2 {
        return out.0;
    }
    out.words(&[5]);
    variant(&mut out, version, "@AnimatedModel/Morphs/0", 3, 1);
    out.words(&[3]).floats(&[0.0, 0.25]).floats(&[0.5, 1.0]).floats(&[1.0, 0.0]);
    variant(&mut out, version, "Lamp/@/Position", 5, 3);
    out.words(&[1]).floats(&[0.0, 1.0, 2.0, 3.0]).floats(&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
    variant(&mut out, version, "Sign/@Text3D/Text", 9, 0);
    out.words(&[2]).floats(&[0.0]).text("A").floats(&[0.5]).text("");
    variant(&mut out, version, "@AnimatedModel/Material", 12, 3);
    out.words(&[1]).floats(&[0.0]).words(&[0xdead_beef]).text("a.xml");
    out.words(&[1]).text("in").words(&[2]).text("out");
    variant(&mut out, version, "@/Enabled", 2, 0);
    out.words(&[1]).floats(&[0.75]).bytes(&[1]);
    out.0
}

pub fn variant(out: &mut Out, version: u32, path: &str, kind: u8, interpolation: u8) {
    out.text(path).bytes(&[kind, interpolation]).floats(&[0.5]);
    if version >= 3 {
        out.floats(&[1.0]);
    }
}
