//! Files of rbfx, and the small text files of all engines: documents made by hand from the facts.

mod support;

use anyrig_bytes::codec::{Arrays, Assignment, diff, parse_json, to_json};
use anyrig_bytes::{Attachment, Context, ErrorKind, MemorySource, Role, SharedBytes, Value};
use anyrig_scene::{Document, Importer, Interpolation, Property, Scene};
use anyrig_urho::document::{Animation, Model, ModelLayout, UrhoDocument, variant_type};
use anyrig_urho::{Dialect, UrhoImporter};
use std::sync::Arc;
use support::writer::{Out, uan2, umd3, variant};

fn read(bytes: &[u8]) -> anyrig_bytes::Result<UrhoDocument> {
    UrhoDocument::read(&bytes.to_vec().into(), &Context::new())
}

/// Reads, writes, dumps and loads; gives the document.
fn is_kept(bytes: &[u8]) -> UrhoDocument {
    let document = read(bytes).expect("reads");
    assert!(document.write().expect("writes").to_vec() == bytes);
    for arrays in [Arrays::Elements, Arrays::Base64] {
        let json = to_json(&document.tree(&Context::new()).expect("a tree"), arrays).expect("JSON");
        let json = parse_json(&json, &Context::new()).expect("valid JSON");
        let importer = UrhoImporter::new(Dialect::Rbfx);
        let loaded = importer.load(&json, &document.dialect(), &Context::new()).expect("loads");
        assert!(loaded.write().expect("writes").to_vec() == bytes);
    }
    document
}

fn trace_covers(document: &UrhoDocument, bytes: &[u8]) {
    let mut end = 0;
    for span in document.trace(&Context::new()).expect("traces") {
        assert_eq!(span.offset, end, "{}", span.path);
        end += span.len;
    }
    assert_eq!(end, bytes.len() as u64);
}

#[test]
fn umd3_models_are_read_field_by_field_and_kept() {
    for version in [1, 2] {
        let bytes = umd3(version);
        let document = is_kept(&bytes);
        trace_covers(&document, &bytes);
        assert_eq!((document.dialect(), document.version()), ("UMD3".to_owned(), format!("UMD3 {version}")));
        let UrhoDocument::Model(model) = document else { panic!("a model") };
        assert_eq!((model.layout, model.version), (ModelLayout::Umd3, version));
        assert_eq!(model.morphs[0].initial_weight, if version == 2 { 0.25 } else { 0.0 });
        assert_eq!(model.bones[1].collision.bounds, [[-1.0; 3], [1.0; 3]]);
        assert!(model.tail.is_empty() && model.centres == [[0.5, 0.5, 0.0]]);
    }
}

#[test]
fn uan2_animations_of_all_versions_are_kept() {
    for version in 1..=4 {
        let bytes = uan2(version);
        let document = is_kept(&bytes);
        trace_covers(&document, &bytes);
        assert_eq!(document.version(), format!("UAN2 {version}"));
        let UrhoDocument::Animation(animation) = document else { panic!("an animation") };
        assert_eq!((animation.name.as_utf8(), animation.tracks.len()), (Some("Wave"), 2));
        assert_eq!(animation.tracks[0].weight, if version == 3 { 0.5 } else { 0.0 });
        assert_eq!(animation.tracks[1].channel_weights, if version == 4 { [0.5, 1.0, 1.0] } else { [0.0; 3] });
        let variants = &animation.variant_tracks;
        if version == 1 {
            assert!(variants.is_empty());
            continue;
        }
        assert_eq!(variants.len(), 5);
        assert_eq!(variants[0].float_keys().collect::<Vec<_>>(), [(0.0, 0.25), (0.5, 1.0), (1.0, 0.0)]);
        assert_eq!(variants[1].tangents.len(), 24);
        assert_eq!(variants[2].texts[0].value.text.as_utf8(), Some("A"));
        let [incoming, outgoing] = &variants[3].text_tangents[0];
        assert_eq!((variants[3].texts[0].value.type_hash, incoming.type_hash, outgoing.type_hash), (0xdead_beef, 1, 2));
    }
}

/// Sizes by the engine's list of types.
#[test]
fn values_of_every_fixed_size_are_kept() {
    let sizes = [
        (0, 0),
        (1, 4),
        (2, 1),
        (3, 4),
        (4, 8),
        (5, 12),
        (6, 16),
        (7, 16),
        (8, 16),
        (11, 4),
        (16, 16),
        (17, 8),
        (18, 4),
        (19, 36),
        (20, 48),
        (21, 64),
        (22, 8),
        (24, 16),
        (25, 12),
        (26, 8),
    ];
    for kind in 0..=40u8 {
        let size = sizes.iter().find(|(k, _)| *k == kind).map(|(_, size)| *size);
        for interpolation in 0..4u8 {
            let mut out = Out::default();
            out.bytes(b"UAN2").words(&[4]).text("").floats(&[1.0]).words(&[0, 1]);
            variant(&mut out, 4, "x", kind, interpolation);
            out.words(&[2]);
            let size = size.unwrap_or(4);
            let tangents = if interpolation == 3 { 2 * 2 * size } else { 0 };
            out.bytes(&vec![kind; 2 * (4 + size) + tangents]);
            if sizes.iter().any(|(k, _)| *k == kind) {
                is_kept(&out.0);
            } else if kind != variant_type::TEXT && kind != variant_type::RESOURCE {
                let error = read(&out.0).expect_err("a type without a known layout");
                assert_eq!(error.kind(), ErrorKind::Unsupported);
                assert!(error.place().element.contains("variant_tracks[0]"), "{error}");
            }
        }
    }
}

#[test]
fn unknown_versions_are_named() {
    for (bytes, words) in [(umd3(3), "UMD3"), (umd3(0), "UMD3"), (uan2(5), "UAN2"), (uan2(0), "UAN2")] {
        let error = read(&bytes).expect_err("no such version");
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.message().contains(words), "{error}");
    }
}

#[test]
fn every_prefix_is_an_error_with_a_place_or_kept() {
    let xml =
        b"<?xml version=\"1.0\"?>\n<animation><trigger time=\"1\" type=\"Int\" value=\"3\"/></animation>".to_vec();
    for bytes in [umd3(1), umd3(2), uan2(1), uan2(2), uan2(3), uan2(4), xml, b"a.xml\r\nb.xml\n".to_vec()] {
        let mut errors = 0;
        for len in 0..bytes.len() {
            match read(&bytes[..len]) {
                // The centres of a model may be missing, and lists and texts may end anywhere.
                Ok(document) => assert!(document.write().expect("writes").to_vec() == bytes[..len], "{len}"),
                Err(error) => {
                    assert!(error.kind() != ErrorKind::Usage, "{len}: {error}");
                    errors += 1;
                }
            }
        }
        assert!(errors > 0);
    }
}

fn with_motion(version: u32) -> (Scene, Context) {
    let motion = Attachment::new(Role::Motion, "Wave.ani", uan2(version));
    let context = Context::new().with_attachment(motion);
    let scene = support::import("m.mdl", umd3(2), Dialect::Rbfx, &context).expect("imports");
    (scene, context)
}

#[test]
fn a_scene_has_morph_weights_byte_weights_and_morph_motion() {
    let (scene, context) = with_motion(4);
    let mesh = scene.meshes.values().next().expect("a mesh");
    assert_eq!((mesh.morphs[0].name.as_str(), mesh.morphs[0].default_weight), ("smile", 0.25));
    let influences = mesh.parts[0].influences.as_ref().expect("weights");
    let (joints, weights) = influences.of(1);
    assert_eq!(joints[..2], [0, 1]);
    assert!((weights[0] - 0.8).abs() < 1e-6 && (weights[1] - 0.2).abs() < 1e-6, "{weights:?}");
    let clip = &scene.clips[0];
    let morph =
        clip.channels.iter().find(|c| c.node_target().is_some_and(|t| t.1 == Property::MorphWeights)).expect("a morph");
    assert_eq!(morph.curve.interpolation, Interpolation::Linear);
    assert_eq!(morph.curve.times_secs.as_slice(), [0.0, 0.5, 1.0]);
    assert_eq!(morph.curve.values.as_slice(), [0.25, 1.0, 0.0]);
    let report = context.report();
    assert_eq!(report.count_of("urho.property-track-lost"), 4);
    assert_eq!(report.count_of("urho.track-weight"), 2);
}

#[test]
fn rbfx_knows_its_own_files_best() {
    let score = |dialect, bytes: &[u8]| {
        let hint = anyrig_scene::Hint::default();
        UrhoImporter::new(dialect).score(bytes, hint)
    };
    for bytes in [umd3(2), uan2(4), b"<material><technique name=\"Techniques/LitOpaque.xml\"/></material>".to_vec()] {
        assert!(score(Dialect::Rbfx, &bytes) > score(Dialect::Urho3d, &bytes));
        assert!(score(Dialect::Urho3d, &bytes) > anyrig_scene::Score::No);
    }
    let stock = b"<material><technique name=\"Techniques/DiffUnlit.xml\"/></material>";
    assert_eq!(score(Dialect::Rbfx, stock), score(Dialect::Urho3d, stock));
}

#[test]
fn xml_and_lists_are_edited_by_name_and_compared() {
    let text = "<?xml version=\"1.0\"?>\r\n<material>\r\n\t<technique name='A.xml' quality=\"1\" />\r\n</material>";
    let mut document = is_kept(text.as_bytes());
    assert_eq!(document.dialect(), "Urho material XML");
    let before = document.comparison(&Context::new()).expect("a tree");
    let set = |document: &mut UrhoDocument, assignment: &str| {
        document.edit(&[Assignment::parse(assignment).expect("PATH=VALUE")], &Context::new())
    };
    set(&mut document, "tokens[technique].attributes[name].value=B.xml").expect("edits");
    assert_eq!(document.write().expect("writes").to_vec(), text.replace("A.xml", "B.xml").as_bytes());
    let after = document.comparison(&Context::new()).expect("a tree");
    assert_eq!(diff(&before, &after, 0.0).len(), 1);
    let error = set(&mut document, "tokens[technique].attributes[name].value='/><b/><c d='").expect_err("breaks out");
    assert_eq!(error.kind(), ErrorKind::Malformed);

    let mut list = is_kept(b"a.xml\r\nb.xml");
    set(&mut list, "lines[1].material=c.xml").expect("edits");
    assert_eq!(list.write().expect("writes").to_vec(), b"a.xml\r\nc.xml");
    assert!(set(&mut list, "lines[0].material=\"x\\ny\"").is_err());
}

fn triggers(xml: Option<&str>, json: Option<&str>) -> (Scene, Context) {
    let mut source = MemorySource::new("walk.ani", uan2(1));
    for (name, text) in [("walk.xml", xml), ("walk.json", json)] {
        if let Some(text) = text {
            source = source.with_file(name, text.as_bytes().to_vec());
        }
    }
    let context = Context::new();
    let scene = UrhoImporter::new(Dialect::Rbfx).import(&source, &context).expect("imports");
    (scene, context)
}

#[test]
fn triggers_beside_an_animation_go_into_the_clip_and_out_again() {
    let xml = "<?xml version=\"1.0\"?>\n<animation>\n\t<trigger time=\"0.25\" type=\"String\" value=\"left &amp; right\"/>\n\
        \t<trigger normalizedtime=\"0.5\" type=\"Vector3\" value=\"1 2 3\"/>\n</animation>\n";
    let json = r#"{"triggers": [{"time": 0.25, "type": "String", "value": "left & right"},
        {"normalizedTime": 0.5, "type": "Vector3", "value": "1 2 3"}]}"#;
    let wanted = xml.replace("normalizedtime", "time");
    for (scene, _) in [triggers(Some(xml), None), triggers(None, Some(json))] {
        for dialect in [Dialect::Urho3d, Dialect::Rbfx] {
            let files = support::export_as(dialect, scene.clone(), &Context::new());
            let written = support::content(&files, "Animations/Wave.xml");
            assert_eq!(String::from_utf8(written).expect("UTF-8"), wanted);
        }
        let context = Context::new();
        let files = support::export_as(Dialect::UrhoX, scene, &context);
        assert!(!files.iter().any(|f| f.name == "Animations/Wave.xml"));
        assert!(context.report().diagnostics().iter().any(|d| d.message.contains("triggers") && d.count == 2));
    }
    let (_, context) = triggers(Some("<animation><trigger"), None);
    assert_eq!(context.report().count_of("urho.triggers-unread"), 1);
    let (scene, context) = triggers(Some("<material/>"), None);
    assert!(context.report().count_of("urho.triggers-unread") == 0 && scene.clips[0].extras.is_empty());
}

/// The triggers of a scene's only clip: time, type, value.
fn trigger_list(scene: &Scene) -> Vec<(f64, String, String)> {
    assert_eq!(scene.clips.len(), 1);
    let list = scene.clips[0].extras.get("urho").and_then(|e| e.get("triggers")).and_then(Value::as_array);
    let text = |v: &Value, key: &str| v.get(key).and_then(Value::as_str).expect("a text").to_owned();
    let time = |v: &Value| v.get("time_secs").and_then(Value::as_f64).expect("a time");
    list.unwrap_or_default().iter().map(|v| (time(v), text(v, "type"), text(v, "value"))).collect()
}

#[test]
fn where_the_xml_cannot_be_used_triggers_come_from_the_json() {
    let json = r#"{"triggers": [{"time": 0.25, "type": "Int", "value": 3}]}"#;
    let wanted = [(0.25, "Int".to_owned(), "3".to_owned())];
    for (xml, unread) in [("<animation><trigger", 1), ("<material/>", 0), ("<animation", 1)] {
        let (scene, context) = triggers(Some(xml), Some(json));
        assert_eq!(
            (trigger_list(&scene).as_slice(), unread),
            (&wanted[..], context.report().count_of("urho.triggers-unread"))
        );
    }
    // One that can be used hides the other, as in the engine.
    let (scene, context) = triggers(Some("<animation/>"), Some(json));
    assert!(trigger_list(&scene).is_empty() && context.report().count_of("urho.triggers-unread") == 0);
    let (_, context) = triggers(None, Some("{\"triggers\": ["));
    assert_eq!(context.report().count_of("urho.triggers-unread"), 1);
}

/// One that would be `NaN` makes a scene differ from itself, and JSON has no word for it.
#[test]
fn triggers_without_a_finite_time_are_left_out_and_told() {
    let xml = "<animation><trigger time=\"nan\" type=\"Int\" value=\"1\"/><trigger normalizedtime=\"inf\"/>\
        <trigger type=\"Int\" value=\"2\"/><trigger time=\"soon\"/><trigger time=\"0.5\" type=\"Int\" value=\"3\"/></animation>";
    let json = r#"{"triggers": [{"type": "Int"}, {"time": "nan"}, {"time": null}, 7, {"time": 0.5, "type": "Int", "value": 3}]}"#;
    for (scene, context) in [triggers(Some(xml), None), triggers(None, Some(json))] {
        assert_eq!(trigger_list(&scene), [(0.5, "Int".to_owned(), "3".to_owned())]);
        assert_eq!(context.report().count_of("urho.trigger-without-time"), 4);
        assert_eq!(scene, scene.clone());
    }
}

/// In each of the places where an attached motion may come from.
#[test]
fn triggers_beside_an_attached_motion_go_into_its_clip() {
    let xml = |value: u32| format!("<animation><trigger time=\"0.5\" type=\"Int\" value=\"{value}\"/></animation>");
    let model = MemorySource::new("m.mdl", umd3(2))
        .with_file("Wave.xml", xml(1).into_bytes())
        .with_file("Animations/Wave.xml", xml(2).into_bytes());
    let elsewhere = MemorySource::new("Wave.ani", uan2(4)).with_file("Wave.xml", xml(3).into_bytes());
    for role in [Role::Motion, Role::FoundMotion] {
        let cases = [
            (Attachment::new(role, "Wave.ani", uan2(4)), Some("1")),
            (Attachment::new(role, "Animations/Wave.ani", uan2(4)), Some("2")),
            (Attachment::of_source(role, "Animations/Wave.ani", Arc::new(elsewhere.clone())), Some("3")),
            (Attachment::new(role, "/home/Wave.ani", uan2(4)), None),
        ];
        for (motion, wanted) in cases {
            let context = Context::new().with_attachment(motion);
            let scene = UrhoImporter::new(Dialect::Rbfx).import(&model, &context).expect("imports");
            let found = trigger_list(&scene);
            assert_eq!(found.first().map(|(_, _, value)| value.as_str()), wanted, "{role:?}");
            assert_eq!((scene.clips[0].name.as_str(), context.report().count_of("urho.triggers-unread")), ("Wave", 0));
        }
    }
}

#[test]
fn only_what_stands_alone_is_an_input() {
    let context = Context::new();
    for (name, text) in [("a.xml", "<animation/>"), ("a.json", "{\"triggers\": []}"), ("t.xml", "<texture/>")] {
        let error = support::import(name, text.as_bytes().to_vec(), Dialect::Rbfx, &context).expect_err(name);
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    }
    let source = MemorySource::new("m.txt", b"Materials/a.xml\n".to_vec())
        .with_file("Materials/a.xml", b"<material><technique name=\"Techniques/LitOpaque.xml\"/></material>".to_vec());
    let scene = UrhoImporter::new(Dialect::Rbfx).import(&source, &context).expect("imports");
    assert_eq!(scene.materials.values().map(|m| m.name.as_str()).collect::<Vec<_>>(), ["a"]);
}

#[test]
fn the_version_decides_what_a_dump_may_hold() {
    let mut model = Model::read(&SharedBytes::from(umd3(2)), &Context::new()).expect("reads");
    model.version = 1;
    let shorter = model.write().expect("writes").to_vec();
    assert!(shorter == umd3(1));
    let mut animation = Animation::read(&uan2(4).into(), &Context::new()).expect("reads");
    animation.version = 2;
    assert!(animation.write().expect("writes").to_vec() == uan2(2));
}
