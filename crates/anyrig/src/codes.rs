//! What jobs of several formats may have to say.

anyrig_bytes::codes! {
    LEFT_OVER: "convert.left-over", Note, "A file lies in an output folder that is written over, and this conversion did not make it; it is left alone.";
}
