//! The axes and the unit of a source: converted, or kept as numbers.
#![cfg(all(feature = "fbx", feature = "gltf"))]

use anyrig::scene::glam::DVec3;
use anyrig::{Axes, Context, ConvertRequest, ErrorKind, MemorySource, Road, Via, convert, load};

/// A node at (1, 2, 3) in a file with Z up, in centimetres.
fn source() -> MemorySource {
    let setting = |name: &str, value: &str| format!("P: \"{name}\", \"int\", \"Integer\", \"\",{value}\n");
    let settings =
        [("UpAxis", "2"), ("FrontAxis", "1"), ("FrontAxisSign", "-1"), ("CoordAxis", "0"), ("UnitScaleFactor", "1")];
    let settings: String = settings.iter().map(|(name, value)| setting(name, value)).collect();
    let text = format!(
        "; FBX 7.4.0 project file\nGlobalSettings: {{ Properties70: {{\n{settings}}} }}\nObjects: {{\n\
         Model: 1, \"Model::n\", \"Null\" {{ Properties70: {{ P: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",1,2,3 }} }}\n}}\n\
         Connections: {{ C: \"OO\",1,0\n}}\n"
    );
    MemorySource::new("n.fbx", text.into_bytes())
}

fn place(axes: Axes) -> DVec3 {
    let mut request = ConvertRequest::new("glb");
    request.axes = axes;
    let done = convert(&source(), &request, &Context::new()).expect("converts");
    assert_eq!(done.road, Road::Scene);
    let glb = MemorySource::new("n.glb", done.files[0].content.to_shared());
    let scene = load(&glb, None, &Context::new()).expect("reads");
    let node = scene.nodes.values().find(|n| n.name == "n").expect("written");
    node.local.to_trs().translation
}

#[test]
fn numbers_are_converted_or_kept() {
    // Z up becomes Y up, and the front that was -Y becomes Z.
    assert!(place(Axes::Convert).distance(DVec3::new(0.01, 0.03, -0.02)) < 1e-8);
    assert_eq!(place(Axes::Keep), DVec3::new(1.0, 2.0, 3.0));
}

#[test]
fn what_is_written_untouched_keeps_its_axes_anyway() {
    let glb = convert(&source(), &ConvertRequest::new("glb"), &Context::new()).expect("converts");
    let glb = MemorySource::new("n.glb", glb.files[0].content.to_shared());
    let mut request = ConvertRequest::new("glb");
    request.axes = Axes::Keep;
    assert_eq!(convert(&glb, &request, &Context::new()).map(|c| c.road), Ok(Road::Scene));
    request.via = Via::Document;
    let error = convert(&glb, &request, &Context::new()).expect_err("two wishes");
    assert_eq!(error.kind(), ErrorKind::Usage);
}
