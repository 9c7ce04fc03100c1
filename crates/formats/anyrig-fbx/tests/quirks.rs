//! What ASCII files do.

use anyrig_bytes::{Context, ErrorKind};
use anyrig_fbx::{Decoder, FbxDocument, Kind};

fn read(text: &str) -> FbxDocument {
    let document = FbxDocument::read(&text.as_bytes().into(), &Context::new()).expect("reads");
    assert_eq!(document.write().expect("writes").to_vec(), text.as_bytes());
    document
}

fn error(text: &str) -> String {
    let error = FbxDocument::read(&text.as_bytes().into(), &Context::new()).expect_err("is refused");
    error.to_string()
}

fn numbers(document: &FbxDocument, name: &str) -> Vec<f64> {
    let context = Context::new();
    let node = document.nodes().find(|n| n.is(name)).expect("is there");
    node.array::<f64>(&mut Decoder::new(&context)).expect("numbers").to_vec()
}

#[test]
fn versions_are_in_the_first_line_or_the_header_or_assumed() {
    assert_eq!(read("; FBX 6.1.0 project file\nObjects:  {\n}\n").version_number(), 6100);
    assert_eq!(read("\u{feff}; FBX 7.7.0 project file\nObjects: {}").version_number(), 7700);
    let in_header = "FBXHeaderExtension:  {\n\tFBXVersion: 7300\n}\n";
    assert_eq!(read(in_header).version_number(), 7300);
    let context = Context::new();
    let text = "FBXHeaderExtension:  {\n}\n";
    let document = FbxDocument::read(&text.as_bytes().into(), &context).expect("reads");
    assert_eq!(document.version_number(), 7400);
    assert_eq!(context.report().count_of("fbx.missing-version"), 1);
}

#[test]
fn names_may_be_quoted_and_strings_may_look_like_names() {
    let document =
        read("; FBX 6.1.0 project file\n\"Transport Tool Settings\":  {\n}\nModel: \"a:b\", \"c\" {\n}\n\"X\" : 1\n");
    let names: Vec<_> = document.root_children().map(|n| n.name_text().into_owned()).collect();
    assert_eq!(names, ["Transport Tool Settings", "Model", "X"]);
    let model = document.child("Model").expect("is there");
    assert_eq!(model.text(0).as_deref(), Some("a:b"));
    assert_eq!(document.child("X").and_then(|n| n.i64(0)), Some(1));
}

#[test]
fn object_names_split_at_the_first_colons() {
    let document =
        read("; FBX 7.4.0 project file\nModel: 1, \"Model::a::b &quot;c&quot;\", \"Mesh\"\nPose: \"plain\"\n");
    let name = document.child("Model").and_then(|n| n.property(1)).and_then(|p| p.name_and_class());
    assert_eq!(name.map(|(n, c)| (n.into_owned(), c.into_owned())), Some(("a::b \"c\"".into(), "Model".into())));
    let plain = document.child("Pose").and_then(|n| n.property(0)).and_then(|p| p.name_and_class());
    assert_eq!(plain.map(|(n, c)| (n.into_owned(), c.into_owned())), Some(("plain".into(), String::new())));
}

#[test]
fn arrays_take_their_count_as_a_hint() {
    let text = "; FBX 7.4.0 project file\nObjects: {\nV: *3 {\n\ta: 1,-2.5,\n3 ; four\n,4e1\n} \nW: *0 {\n}\nX: *2 { a: }\n}\n";
    let document = read(text);
    assert_eq!(numbers(&document, "V"), [1.0, -2.5, 3.0, 40.0]);
    assert_eq!(numbers(&document, "W"), [0.0; 0]);
    assert_eq!(numbers(&document, "X"), [0.0; 0]);
    let node = document.nodes().find(|n| n.is("V")).expect("is there");
    assert_eq!(node.property(0).map(|p| p.kind()), Some(Kind::NumberArray));
    assert_eq!(node.children().count(), 0);
}

#[test]
fn lists_wrap_and_commas_may_lead() {
    let text = "; FBX 6.1.0 project file\nVertices: 1,2\n\t,3,\n4\nCreator: , \"me\"\nNext:\n";
    let document = read(text);
    assert_eq!(numbers(&document, "Vertices"), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(document.child("Creator").and_then(|n| n.text(0)).as_deref(), Some("me"));
    assert_eq!(document.child("Next").map(|n| n.property_count()), Some(0));
    assert_eq!(document.root_children().count(), 3);
}

#[test]
fn words_are_letters_and_curve_keys_mix_all() {
    let document = read("; FBX 6.1.0 project file\nShading: Y\nKey: 0,1.5,U,s,0,-0.5,n\nFlag: F\n");
    let key = document.child("Key").expect("is there");
    let kinds: Vec<_> = key.properties().map(|p| p.kind()).collect();
    use Kind::{Number as N, Word as W};
    assert_eq!(kinds, [N, N, W, W, N, N, W]);
    assert_eq!(key.property(2).and_then(|p| p.as_char()), Some(b'U'));
    assert_eq!(key.i64(2), Some(i64::from(b'U')));
    assert_eq!(document.child("Shading").and_then(|n| n.property(0)?.as_bool()), Some(true));
    assert_eq!(document.child("Flag").and_then(|n| n.property(0)?.as_bool()), Some(false));
}

#[test]
fn special_numbers_of_several_runtimes() {
    let text = "; FBX 6.1.0 project file\nA: 1.#QNAN,-1.#IND,1.#INF,-1.#INF00,nan,inf,-nan(ind)\n";
    let values = numbers(&read(text), "A");
    assert!([0, 1, 4, 6].iter().all(|i| values[*i].is_nan()), "{values:?}");
    assert_eq!([values[2], values[3], values[5]], [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY]);
    assert_eq!(error("; FBX 6.1.0 project file\nA: 1.0,1.#BAD\n"), "line 2, column 8: \"1.#BAD\" is not a number");
}

#[test]
fn packed_bits_are_whole_numbers() {
    let text = "; FBX 7.4.0 project file\nKeyAttrDataFloat: *5 {\n\ta: 0,-1.5,218434821,0,-1061158912\n}\n";
    let document = read(text);
    let context = Context::new();
    let node = document.child("KeyAttrDataFloat").expect("is there");
    let bits = node.float_bits(&mut Decoder::new(&context)).expect("numbers");
    assert_eq!(
        *bits,
        [0, (-1.5f32).to_bits(), 218_434_821, 0, (-6f32).to_bits()],
        "signed where the highest bit is set"
    );
}

#[test]
fn embedded_files_are_base64_in_pieces() {
    let text = "; FBX 7.4.0 project file\nContent: ,\n\t\"iQ==\",\n\t\"UE4=\",\"Rw0K\"\nEmpty: , \"\"\nBad: , \"?\"\n";
    let document = read(text);
    let context = Context::new();
    let mut decoder = Decoder::new(&context);
    let mut content = |name: &str| document.child(name).expect("is there").content(&mut decoder);
    assert_eq!(content("Content").map(|b| b.to_vec()), Ok(b"\x89PNG\r\n".to_vec()));
    assert_eq!(content("Empty").map(|b| b.len()), Ok(0));
    let bad = content("Bad").expect_err("not base64");
    assert_eq!(bad.place().to_string(), "line 6, column 8: Bad");
}

#[test]
fn whole_numbers_keep_all_their_digits() {
    let document =
        read("; FBX 7.4.0 project file\nT: 1924423250,-9223372036854775808,46186158000,18446744073709551615\n");
    let node = document.child("T").expect("is there");
    let ints: Vec<_> = node.properties().filter_map(|p| p.as_i64()).collect();
    assert_eq!(ints, [1_924_423_250, i64::MIN, 46_186_158_000, i64::MAX]);
}

#[test]
fn decimal_commas_are_named_as_such() {
    let settings =
        "; FBX 6.1.0 project file\nObjects:  {\n\tModel: \"Model::a\", \"Null\" {\n\t\tProperties60:  {\n\t\t\t";
    let end = "\n\t\t}\n\t}\n}\n";
    let cases = [
        "Property: \"Lcl Translation\", \"Lcl Translation\", \"A+\",-0,70710676908493,0,0",
        "Property: \"Shininess\", \"double\", \"\",2,34",
    ];
    for line in cases {
        let message = error(&format!("{settings}{line}{end}"));
        assert!(message.starts_with("line 5, column 4: Objects/Model/Properties60/Property: "), "{message}");
        assert!(message.contains("decimal commas"), "{message}");
    }
    // Whole numbers, bounds of a user property, and points elsewhere are no such sign.
    let fine = [
        "Property: \"Lcl Translation\", \"Lcl Translation\", \"A+\",1,2,3",
        "Property: \"Smile\", \"Number\", \"AU\",1,0,100",
        "Property: \"Odd\", \"Vector3D\", \"\",1,2,3,4.5",
    ];
    for line in fine {
        read(&format!("{settings}{line}{end}"));
    }
    let list = "; FBX 6.1.0 project file\nVertices: 0,70710676908493,0,5,1\n";
    assert!(error(list).contains("decimal commas"));
}

#[test]
fn faults_are_named_with_line_and_column() {
    let head = "; FBX 7.4.0 project file\n";
    let cases = [
        ("Objects: {\n\tA: 1", "line 3, column 6: Objects: the file ends inside a node: a closing brace is missing"),
        ("Objects: {}}", "line 2, column 12: a closing brace without an opening one"),
        ("Objects: {\n\tA: \"x", "line 3, column 5: Objects: the string has no closing quote"),
        ("Objects: 1 2", "line 2, column 12: \"2\" stands where a comma is needed"),
        (
            "Objects: {\n\tA 1\n}",
            "line 3, column 2: Objects: \"A\" is not followed by a colon, as the name of a node is",
        ),
        ("A: *2 { b: 1 }", "line 2, column 9: an array's numbers begin with `a:`"),
        ("A: *2 { a: 1,2\nB: *1 { a: 3 }", "line 3, column 2: only numbers may stand in an array"),
        ("A: *2 1,2", "line 2, column 7: an array's numbers stand in braces"),
        ("A: @", "line 2, column 4: \"@\" stands where a value is needed"),
        ("A: 1.2.3", "line 2, column 4: \"1.2.3\" is not a number"),
    ];
    for (text, message) in cases {
        assert_eq!(error(&format!("{head}{text}")), message);
    }
    let bad = read("; FBX 7.4.0 project file\nA: *3 {\n\ta: 1,2x,3\n}\n");
    let context = Context::new();
    let error = bad.child("A").expect("is there").array::<f64>(&mut Decoder::new(&context)).expect_err("broken");
    assert_eq!(error.to_string(), "line 3, column 7: A: \"2x\" is not a number");
    assert_eq!(error.kind(), ErrorKind::Malformed);
}

#[test]
fn other_texts_are_refused() {
    for text in ["", "hello", "hello: 1", "solid cube\nfacet normal 0 0 1", "{ \"asset\": { \"version\": \"2.0\" } }"] {
        assert!(FbxDocument::read(&text.as_bytes().into(), &Context::new()).is_err(), "{text}");
    }
}
