//! What jobs of several formats may have to say.

anyrig_bytes::codes! {
    LEFT_OVER: "convert.left-over", Note, "A file lies in an output folder that is written over, and this conversion did not make it; it is left alone.";
    WINDING_DISAGREES: "validate.winding-disagrees", Note, "Triangles are wound against their normals; programs that leave out back faces show holes there.";
}
