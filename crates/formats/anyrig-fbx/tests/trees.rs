//! Dumps, comparisons and edits by path.
#![allow(clippy::print_stdout)]

mod common;

use anyrig_bytes::codec::{Arrays, Assignment, Tree, diff, parse_json, to_json};
use anyrig_bytes::{Context, ErrorKind, MemorySource, SharedBytes, Source, Value};
use anyrig_fbx::{FbxDocument, FbxImporter, NewValue, NodeId};
use anyrig_scene::{Document, Importer};
use common::forge::{Forge, made};

const TEXT: &str = "; FBX 7.4.0 project file\nObjects:  {\n\tModel: 7, \"Model::a\", \"Mesh\" {\n\t\tVertices: *3 {\n\t\t\ta: 0.50,1,2\n\t\t} \n\t}\n\tEmpty: \n\tLeaf: 1, T\n}\n";

fn read(bytes: &[u8]) -> FbxDocument {
    FbxDocument::read(&bytes.into(), &Context::new()).expect("reads")
}

fn edited(bytes: &[u8], assignments: &[&str]) -> Result<Vec<u8>, anyrig_bytes::Error> {
    let mut document = read(bytes);
    let assignments: Vec<Assignment> = assignments.iter().map(|a| Assignment::parse(a).expect("a path")).collect();
    Document::edit(&mut document, &assignments, &Context::new())?;
    Ok(document.write()?.to_vec())
}

#[test]
fn every_binary_file_comes_back_from_its_dump() {
    let (mut files, mut bytes) = (0, 0);
    for sample in common::corpus().into_iter().filter(|s| s.is_binary() && !s.is_fuzz()) {
        let context = Context::new();
        let source = MemorySource::new("a.fbx", sample.bytes.clone());
        let Ok(document) = FbxImporter.document(&source, &context) else { continue };
        let dump = to_json(&document.tree(&context).expect("a tree"), Arrays::Base64).expect("spelled");
        let json = parse_json(&dump, &context).expect("JSON");
        let again = FbxImporter.load(&json, &document.dialect(), &context).expect("loads");
        assert!(again.write().expect("writes").to_shared() == SharedBytes::from(sample.bytes), "{}", sample.name);
        (files, bytes) = (files + 1, bytes + source.bytes().len());
    }
    println!("{files} files of {bytes} bytes");
}

#[test]
fn damaged_dumps_are_refused_with_a_place() {
    let f = Forge { version: 7400, big: false };
    let leaf = made("Leaf", vec![f.scalar(b'D', f.f64(0.5)), f.text(b'S', b"x")], vec![]);
    let document = read(&f.file(&[leaf]));
    let tree = Document::tree(&document, &Context::new()).expect("a tree");
    let text = String::from_utf8(to_json(&tree, Arrays::Elements).expect("spelled")).expect("UTF-8");
    let load = |text: &str| {
        let json = parse_json(text.as_bytes(), &Context::new()).expect("JSON");
        FbxImporter.load(&json, "FBX binary", &Context::new()).map(drop)
    };
    assert_eq!(load(&text), Ok(()));
    let error = load(&text.replace("0.5", "\"half\"")).expect_err("no number");
    assert_eq!(error.kind(), ErrorKind::Malformed);
    assert!(error.to_string().contains("/nodes/0/properties/0/value"), "{error}");
    assert!(load(&text.replace("\"name\": \"Leaf\"", "\"name\": \"Leaves\"")).is_err());
    let json = parse_json(text.as_bytes(), &Context::new()).expect("JSON");
    let of_text = FbxImporter.load(&json, "FBX ASCII", &Context::new()).map(drop);
    assert_eq!(of_text.map_err(|e| e.kind()), Err(ErrorKind::Unsupported));
    assert!(Document::tree(&read(TEXT.as_bytes()), &Context::new()).is_err());
}

#[test]
fn text_and_binary_of_one_scene_compare() {
    let f = Forge { version: 7400, big: true };
    let doubles: Vec<u8> = [0.5, 1.0, 2.0].into_iter().flat_map(|v| f.f64(v)).collect();
    let vertices = made("Vertices", vec![f.array(b'd', 3, 0, &doubles)], vec![]);
    let model = |id: i64| {
        made("Model", vec![f.scalar(b'L', f.i64(id)), f.text(b'S', b"Model::a"), f.text(b'S', b"Mesh")], vec![])
    };
    let with = |id: i64| {
        let mut model = model(id);
        model.children = vec![made("Vertices", vertices.properties.clone(), vec![])];
        model.null_record = true;
        let leaf = made("Leaf", vec![f.scalar(b'I', f.i32(1)), f.text(b'S', b"T")], vec![]);
        read(&f.file(&[made("Objects", vec![], vec![model, made("Empty", vec![], vec![]), leaf])]))
    };
    let tree = |document: &FbxDocument| document.comparison(&Context::new()).expect("a tree");
    let text = tree(&read(TEXT.as_bytes()));
    assert_eq!(diff(&text, &tree(&with(7)), 0.0), []);
    let found = diff(&text, &tree(&with(8)), 0.0);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].path.ends_with("properties[0]"), "{found:?}");
    let Some(Tree::List(nodes)) = text.get("nodes") else { panic!("{text:?}") };
    assert_eq!(nodes[0].get("name"), Some(&Tree::Leaf(Value::from("Objects"))));
}

#[test]
fn values_are_set_by_path() {
    let path = "nodes[Objects].nodes[Model]";
    let set = |what: &str| String::from_utf8(edited(TEXT.as_bytes(), &[what]).expect("sets")).expect("text");
    assert_eq!(set(&format!("{path}.properties[0]=9")), TEXT.replace("Model: 7", "Model: 9"));
    assert_eq!(set(&format!("{path}.properties[1].value=Model::b")), TEXT.replace("Model::a", "Model::b"));
    assert_eq!(set("nodes[0].nodes[Leaf].properties[1]=Y"), TEXT.replace("1, T", "1, Y"));
    let moved = set(&format!("{path}.nodes[Vertices].properties[0][1]=-4"));
    assert!(moved.contains("0.5,-4,2"), "{moved}");
    let f = Forge { version: 7500, big: false };
    let file = f.file(&[made("Leaf", vec![f.scalar(b'I', f.i32(1)), f.text(b'S', b"x")], vec![])]);
    let after =
        read(&edited(&file, &["nodes[Leaf].properties[0]=-3", "nodes[0].properties[1]=long name"]).expect("sets"));
    let leaf = after.child("Leaf").expect("there");
    assert_eq!((leaf.i64(0), leaf.text(1).as_deref()), (Some(-3), Some("long name")));
    for (wrong, kind) in [
        ("nodes[Leaf].properties[0]=4000000000", ErrorKind::Usage),
        ("nodes[Leaf].properties[0]=x", ErrorKind::Usage),
        ("nodes[Leaf].properties[2]=1", ErrorKind::Usage),
        ("nodes[Leaf].name=\"Tree\"", ErrorKind::Usage),
        ("nodes[Loaf].properties[0]=1", ErrorKind::Usage),
    ] {
        assert_eq!(edited(&file, &[wrong]).map_err(|e| e.kind()), Err(kind), "{wrong}");
    }
    // All or none.
    let mut document = read(&file);
    let both = ["nodes[0].properties[0]=5", "nodes[0].properties[9]=5"].map(|a| Assignment::parse(a).expect("a path"));
    assert!(Document::edit(&mut document, &both, &Context::new()).is_err());
    assert_eq!(document.write().expect("writes").to_vec(), file);
}

#[test]
fn a_node_may_get_more_or_fewer_values() {
    let id =
        |document: &FbxDocument, name: &str| document.nodes().find(|n| n.is(name)).map_or(NodeId::ROOT, |n| n.id());
    let with = |name: &str, values: Vec<NewValue>| {
        let mut document = read(TEXT.as_bytes());
        let node = id(&document, name);
        document.set(node, 0, 5i64).ok();
        document.set_values(node, values).expect("sets");
        let text = String::from_utf8(document.write().expect("writes").to_vec()).expect("text");
        read(text.as_bytes());
        text
    };
    assert_eq!(
        with("Leaf", vec![1i64.into(), 2.5.into(), "x".into()]),
        TEXT.replace("Leaf: 1, T", "Leaf: 1, 2.5, \"x\"")
    );
    assert_eq!(with("Model", vec![3i64.into()]), TEXT.replace("Model: 7, \"Model::a\", \"Mesh\" {", "Model: 3 {"));
    assert_eq!(with("Empty", vec![3i64.into(), 4i64.into()]), TEXT.replace("Empty: ", "Empty: 3, 4 "));
    let none = with("Leaf", vec![]);
    assert_eq!(read(none.as_bytes()).nodes().find(|n| n.is("Leaf")).map(|n| n.property_count()), Some(0));
    let list = edited(TEXT.as_bytes(), &["nodes[Objects].nodes[Leaf].properties=[7, \"Y\", 1.5]"]).expect("sets");
    assert_eq!(String::from_utf8(list).expect("text"), TEXT.replace("1, T", "7, Y, 1.5"));
    for version in [6100, 7400, 7700] {
        let f = Forge { version, big: false };
        let mut document = read(&f.file(&[made("A", vec![f.scalar(b'I', f.i32(1))], vec![made("B", vec![], vec![])])]));
        let a = id(&document, "A");
        document.set_values(a, vec![NewValue::I32(4), NewValue::F64(0.5), "t".into()]).expect("sets");
        let again = read(&document.write().expect("writes").to_vec());
        let a = again.child("A").expect("there");
        assert_eq!((a.property_count(), a.i64(0), a.f64(1), a.children().count()), (3, Some(4), Some(0.5), 1));
        document.set_values(id(&document, "A"), vec![]).expect("sets");
        assert_eq!(read(&document.write().expect("writes").to_vec()).child("A").map(|a| a.property_count()), Some(0));
    }
    assert!(read(TEXT.as_bytes()).set_values(NodeId::ROOT, vec![]).is_err());
}
