//! Edits change their own bytes and what depends on them, nothing else.

mod common;

use anyrig_bytes::codec::Span;
use anyrig_bytes::{Buffer, Context, SharedBytes};
use anyrig_fbx::{Decoder, Encoding, FbxDocument, NewNode, NewValue, NodeId};
use common::forge::{Forge, Made, made};

fn read(bytes: &[u8]) -> FbxDocument {
    FbxDocument::read(&bytes.into(), &Context::new()).expect("reads")
}

fn written(document: &FbxDocument) -> Vec<u8> {
    document.write().expect("writes").to_vec()
}

fn id(document: &FbxDocument, name: &str) -> NodeId {
    document.nodes().find(|n| n.is(name)).expect("is there").id()
}

fn scene(f: Forge) -> Vec<Made> {
    let doubles: Vec<u8> = (0..40).flat_map(|v| f.f64(v.into())).collect();
    let packed = anyrig_bytes::compress::deflate(&doubles);
    let vertices = made("Vertices", vec![f.array(b'd', 40, 1, &packed)], vec![]);
    let normals = made("Normals", vec![f.array(b'd', 40, 1, &packed)], vec![]);
    let plain = made("Plain", vec![f.array(b'i', 1, 0, &f.i32(5))], vec![]);
    let model = made("Model", vec![f.scalar(b'L', f.i64(7)), f.text(b'S', b"name")], vec![vertices, normals, plain]);
    let leaf = made("Leaf", vec![f.scalar(b'D', f.f64(0.5))], vec![]);
    vec![made("Objects", vec![], vec![model, leaf]), made("Takes", vec![f.text(b'S', b"")], vec![])]
}

/// Trace spans whose value or length differs, by the last part of the path.
fn changed(before: &FbxDocument, after: &FbxDocument) -> Vec<String> {
    let (before, after) = (before.trace().expect("traces"), after.trace().expect("traces"));
    assert_eq!(before.len(), after.len());
    let differs = |(a, b): &(Span, Span)| (a.len, &a.value) != (b.len, &b.value);
    before.into_iter().zip(after).filter(differs).map(|(a, _)| a.path).collect()
}

#[test]
fn a_number_changes_its_own_bytes() {
    for (version, big) in [(7400, false), (7700, false), (6100, true), (7500, true)] {
        let f = Forge { version, big };
        let bytes = f.file(&scene(f));
        let mut document = read(&bytes);
        document.set(id(&document, "Leaf"), 0, -2.0).expect("sets");
        let after = written(&document);
        let different: Vec<usize> = (0..bytes.len()).filter(|i| bytes[*i] != after[*i]).collect();
        assert_eq!(after.len(), bytes.len());
        assert!(different.len() <= 8 && different[different.len() - 1] - different[0] < 8, "{different:?}");
        let again = read(&after);
        assert_eq!(again.node(id(&again, "Leaf")).and_then(|n| n.f64(0)), Some(-2.0));
    }
}

#[test]
fn a_longer_text_moves_only_offsets_and_lengths() {
    for version in [7400, 7700] {
        let f = Forge { version, big: false };
        let bytes = f.file(&scene(f));
        let before = read(&bytes);
        let mut document = read(&bytes);
        document.set(id(&document, "Model"), 1, "a much longer name").expect("sets");
        let after = read(&written(&document));
        let paths = changed(&before, &after);
        let expected = [
            "nodes[0].end_offset",
            "nodes[0].nodes[0].end_offset",
            "nodes[0].nodes[0].property_bytes",
            "nodes[0].nodes[0].properties[1].length",
            "nodes[0].nodes[0].properties[1].value",
            "nodes[0].nodes[0].nodes[0].end_offset",
            "nodes[0].nodes[0].nodes[1].end_offset",
            "nodes[0].nodes[0].nodes[2].end_offset",
            "nodes[0].nodes[1].end_offset",
            "nodes[1].end_offset",
            "footer.padding",
        ];
        assert_eq!(paths, expected);
        assert_eq!(written(&after), written(&document));
    }
}

#[test]
fn only_the_edited_array_is_deflated_again() {
    let f = Forge { version: 7400, big: false };
    let bytes = f.file(&scene(f));
    let mut document = read(&bytes);
    let values: Buffer<f64> = (0..50).map(f64::from).collect();
    document.set(id(&document, "Vertices"), 0, values.clone()).expect("sets");
    document.set(id(&document, "Plain"), 0, Buffer::from(vec![1i32; 100])).expect("sets");
    let after = read(&written(&document));
    let context = Context::new();
    let mut decoder = Decoder::new(&context);
    let node = |name: &str| after.node(id(&after, name)).expect("is there");
    assert_eq!(node("Vertices").array::<f64>(&mut decoder), Ok(values));
    assert_eq!(node("Plain").array::<i32>(&mut decoder), Ok(vec![1; 100].into()));
    let trace = after.trace().expect("traces");
    let encoding = |path: &str| trace.iter().find(|s| s.path == path).map(|s| s.value.clone());
    assert_eq!(encoding("nodes[0].nodes[0].nodes[0].properties[0].encoding"), Some(1i64.into()));
    // What was raw stays raw.
    assert_eq!(encoding("nodes[0].nodes[0].nodes[2].properties[0].encoding"), Some(0i64.into()));
    let block = |bytes: &[u8], document: &FbxDocument| {
        let trace = document.trace().expect("traces");
        let span = trace.iter().find(|s| s.path == "nodes[0].nodes[0].nodes[1].properties[0].data").expect("is there");
        bytes[span.offset as usize..(span.offset + span.len) as usize].to_vec()
    };
    assert_eq!(block(&written(&document), &after), block(&bytes, &read(&bytes)));
}

fn note() -> NewNode {
    let version = NewNode::new("Version").with(100i32);
    let table = NewNode::new("Table").with(Buffer::from(vec![1.5f64, 2.0]));
    NewNode::new("Note")
        .with(5i64)
        .with("text \"q\"")
        .with_child(version)
        .with_child(NewNode::new("Empty"))
        .with_child(table)
}

#[test]
fn what_is_inserted_can_be_read_and_removed_again() {
    let forge = |version, big| {
        let f = Forge { version, big };
        f.file(&scene(f))
    };
    let ascii = |newline: &str, version: &str| {
        let text =
            "Objects:  {\n\tModel: 7, \"name\" {\n\t\tVertices: 1,2,3\n\t}\n\tLeaf: 0.5\n}\n; end\nTakes: \"\"\n";
        format!("; FBX {version} project file\n{text}").replace('\n', newline).into_bytes()
    };
    let files = [
        forge(7400, false),
        forge(7500, true),
        forge(6100, false),
        ascii("\n", "7.4.0"),
        ascii("\r\n", "7.4.0"),
        ascii("\n", "6.1.0"),
    ];
    for bytes in files {
        let parents = ["Objects", "Model", "Leaf", "Takes", ""];
        for (parent, first) in parents.iter().flat_map(|p| [(p, false), (p, true)]) {
            let mut document = read(&bytes);
            let parent_id = if parent.is_empty() { NodeId::ROOT } else { id(&document, parent) };
            let children = document.node(parent_id).expect("is there").children();
            let before = if first { children.clone().next().map(|n| n.id()) } else { None };
            let count = children.count();
            let had_list = count > 0;
            let inserted = document.insert(parent_id, before, note()).expect("inserts");
            let again = read(&written(&document));
            check_note(&again, parent, if first { 0 } else { count });
            assert_eq!(again.nodes().count(), document.nodes().count());
            document.remove(inserted).expect("removes");
            if had_list || document.encoding() == Encoding::Ascii {
                assert_eq!(written(&document), bytes, "{parent}");
            }
        }
    }
}

fn check_note(document: &FbxDocument, parent: &str, index: usize) {
    let note = document.nodes().find(|n| n.is("Note")).expect("is there");
    let above = note.parent().expect("has one");
    assert_eq!(above.name_text(), parent);
    assert_eq!(above.children().position(|n| n.is("Note")), Some(index));
    assert_eq!((note.i64(0), note.text(1).as_deref()), (Some(5), Some("text \"q\"")));
    let names: Vec<_> = note.children().map(|n| n.name_text().into_owned()).collect();
    assert_eq!(names, ["Version", "Empty", "Table"]);
    assert_eq!(note.child("Version").and_then(|n| n.i64(0)), Some(100));
    let context = Context::new();
    let table = note.child("Table").expect("is there").array::<f64>(&mut Decoder::new(&context));
    assert_eq!(table, Ok(vec![1.5, 2.0].into()));
}

const TEXT: &str = "; FBX 7.4.0 project file\r\n\r\nObjects:  {\r\n\tModel: 7 , \"name\" { ; remark\r\n\t\tVertices: *2 {\r\n\t\t\ta: 1.50, 2\r\n\t\t} \r\n\t}\r\n\tLeaf:   0.50\r\n}\r\n";

#[test]
fn text_edits_touch_their_own_tokens() {
    type Edit = fn(&mut FbxDocument);
    let cases: [(Edit, &str, &str); 6] = [
        (|d| d.set(id(d, "Leaf"), 0, 2.25).expect("sets"), "0.50\r", "2.25\r"),
        (|d| d.set(id(d, "Model"), 1, "a\n\"b\"").expect("sets"), "\"name\"", "\"a&lf;&quot;b&quot;\""),
        (|d| d.set(id(d, "Model"), 0, -1i64).expect("sets"), "7 ,", "-1 ,"),
        (
            |d| d.set(id(d, "Vertices"), 0, Buffer::from(vec![3.0f64, 0.1])).expect("sets"),
            "*2 {\r\n\t\t\ta: 1.50, 2\r\n\t\t}",
            "*2 {\r\n\t\t\ta: 3,0.1\r\n\t\t}",
        ),
        (|d| d.remove(id(d, "Leaf")).expect("removes"), "\tLeaf:   0.50\r\n", ""),
        (|d| d.remove(id(d, "Vertices")).expect("removes"), "\t\tVertices: *2 {\r\n\t\t\ta: 1.50, 2\r\n\t\t} \r\n", ""),
    ];
    for (edit, old, new) in cases {
        let mut document = read(TEXT.as_bytes());
        edit(&mut document);
        assert_eq!(TEXT.matches(old).count(), 1);
        assert_eq!(String::from_utf8(written(&document)).expect("text"), TEXT.replace(old, new));
        let trace = document.trace().expect("traces the changed text");
        assert_eq!(trace[0].value, "Objects".into());
    }
    let mut document = read(TEXT.as_bytes());
    let leaf = id(&document, "Leaf");
    for value in [1.0, 2.0, 3.5] {
        document.set(leaf, 0, value).expect("sets");
    }
    assert_eq!(document.node(leaf).and_then(|n| n.f64(0)), Some(3.5));
    assert_eq!(String::from_utf8(written(&document)).expect("text"), TEXT.replace("0.50\r", "3.5\r"));
}

#[test]
fn what_cannot_be_expressed_is_refused() {
    let f = Forge { version: 6100, big: false };
    let mut old = read(&f.file(&[made("A", vec![f.scalar(b'I', f.i32(1))], vec![])]));
    let a = id(&old, "A");
    assert!(old.set(a, 0, Buffer::from(vec![1i32])).is_err());
    assert!(old.set(a, 1, 1i32).is_err());
    assert!(old.insert(a, Some(a), NewNode::new("B")).is_err());
    assert!(old.insert(a, None, NewNode::new("B".repeat(256))).is_err());
    assert!(old.remove(NodeId::ROOT).is_err());
    let deep = (0..40).fold(NewNode::new("X"), |inner, _| NewNode::new("X").with_child(inner));
    assert!(old.insert(a, None, deep).is_err());
    assert_eq!(old.nodes().count(), 1);
    old.remove(a).expect("removes");
    assert!(old.remove(a).is_err());
    let mut text = read(TEXT.as_bytes());
    let model = id(&text, "Model");
    assert!(text.set(model, 1, "&quot;").is_err());
    assert!(text.insert(model, None, NewNode::new("a\"b")).is_err());
    assert_eq!(written(&text), TEXT.as_bytes());
}

#[test]
fn special_nodes_end_their_lists_as_the_format_wants() {
    let f = Forge { version: 7400, big: false };
    let mut document = read(&f.file(&[]));
    let name = NewValue::object_name(Encoding::Binary, "Take 001", "AnimStack");
    let stack = NewNode::new("AnimationStack").with(1i64).with(name).with("");
    document.insert(NodeId::ROOT, None, stack).expect("inserts");
    document
        .insert(NodeId::ROOT, None, NewNode::new("P").with(NewValue::Raw(SharedBytes::from(vec![1]))))
        .expect("inserts");
    document.insert(NodeId::ROOT, None, NewNode::new("References")).expect("inserts");
    let trace = document.trace().expect("traces");
    let ends: Vec<_> = trace.iter().filter(|s| s.path.ends_with("end_of_list.end_offset")).map(|s| &*s.path).collect();
    let expected = ["nodes[0].end_of_list.end_offset", "nodes[2].end_of_list.end_offset", "end_of_list.end_offset"];
    assert_eq!(ends, expected);
    let again = read(&written(&document));
    let stack = again.child("AnimationStack").expect("is there");
    assert_eq!(
        stack.property(1).and_then(|p| p.name_and_class()).map(|(_, c)| c.into_owned()),
        Some("AnimStack".into())
    );
}
