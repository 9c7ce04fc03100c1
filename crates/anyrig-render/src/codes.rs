//! Diagnostics of this crate.

anyrig_bytes::codes! {
    TEXTURE_LEFT_OUT: "render.texture-left-out", Approximated, "A texture has no image that can be decoded; surfaces are drawn without it.";
    NOTHING_SHOWN: "render.nothing-shown", Note, "The scene shows no surface; the picture is that of its joints, or the backdrop alone.";
}
