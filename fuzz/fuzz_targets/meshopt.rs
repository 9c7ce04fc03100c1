#![no_main]

use anyrig_gltf::meshopt::{Filter, Layout, Mode};

const MODES: [Mode; 3] = [Mode::Attributes, Mode::Triangles, Mode::Indices];
const FILTERS: [Filter; 5] =
    [Filter::None, Filter::Octahedral, Filter::Quaternion, Filter::Exponential, Filter::Color];

// A stream that decodes gives as many bytes as its layout states.
libfuzzer_sys::fuzz_target!(|input: (u8, u8, u16, u16, &[u8])| {
    let (mode, filter, count, stride, stream) = input;
    let layout = Layout {
        mode: MODES[usize::from(mode) % MODES.len()],
        filter: FILTERS[usize::from(filter) % FILTERS.len()],
        count: usize::from(count),
        stride: usize::from(stride % 260),
    };
    if let Ok(bytes) = layout.decode(stream) {
        assert_eq!(Some(bytes.len()), layout.bytes());
    }
});
