//! Diagnostics of this crate.

anyrig_bytes::codes! {
    TEXTURE_LEFT_OUT: "render.texture-left-out", Approximated, "A texture has no image that can be decoded; surfaces are drawn without it.";
    MISTAKE_UNSEEN: "render.mistake-unseen", Note, "The mistake that was asked for changes nothing in this picture, so that it cannot be recognised there.";
    NOTHING_SHOWN: "render.nothing-shown", Note, "The scene shows no surface; the picture is that of its joints, or the backdrop alone.";
}
