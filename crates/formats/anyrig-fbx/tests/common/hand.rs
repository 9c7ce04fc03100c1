//! Small ASCII files by hand.

use anyrig_bytes::{Context, MemorySource, Report};
use anyrig_fbx::FbxImporter;
use anyrig_scene::{Importer, Part, Scene};

pub const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

pub fn read_version(version: &str, objects: &str, connections: &str) -> (Scene, Report) {
    let text = format!(
        "; FBX {version} project file\nCreator: \"by hand\"\nObjects: {{\n{objects}}}\nConnections: {{\n{connections}}}\n"
    );
    let source = MemorySource::new("Hand.fbx", text.into_bytes())
        .with_file("Textures/skin.png", PNG)
        .with_file("hand.fbm/other.jpg", b"\xff\xd8\xff".as_slice())
        .with_file("wall_normal.png", PNG);
    let context = Context::new();
    let scene = FbxImporter.import(&source, &context).expect("reads");
    (scene, context.take_report())
}

pub fn read(objects: &str, connections: &str) -> (Scene, Report) {
    read_version("7.4.0", objects, connections)
}

pub fn array(name: &str, values: &str) -> String {
    format!("{name}: *{} {{ a: {values} }}\n", values.split(',').count())
}

pub fn model(id: u32) -> String {
    format!("Model: {id}, \"Model::m{id}\", \"Mesh\" {{ Properties70: {{ }} }}\n")
}

pub fn oo(source: u32, destination: u32) -> String {
    format!("C: \"OO\",{source},{destination}\n")
}

pub fn op(source: u32, destination: u32, property: &str) -> String {
    format!("C: \"OP\",{source},{destination},\"{property}\"\n")
}

/// A unit square of two triangles and what else is given.
pub fn square(rest: &str) -> String {
    let vertices = array("Vertices", "0,0,0,1,0,0,1,1,0,0,1,0");
    let polygons = array("PolygonVertexIndex", "0,1,-3,0,2,-4");
    format!("Geometry: 2, \"Geometry::g\", \"Mesh\" {{\n{vertices}{polygons}{rest}}}\n")
}

pub fn layer(element: &str, mapping: &str, rest: &str) -> String {
    format!("{element}: 0 {{ Name: \"n\" MappingInformationType: \"{mapping}\"\n{rest}}}\n")
}

pub fn shown() -> String {
    oo(1, 0) + &oo(2, 1)
}

pub fn first_part(scene: &Scene) -> &Part {
    &scene.meshes.as_slice()[0].parts[0]
}

#[track_caller]
pub fn assert_told(report: &Report, id: &str, count: u64) {
    assert_eq!(report.count_of(id), count, "{id}: {:#?}", report.diagnostics());
}
