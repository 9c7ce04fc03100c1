//! What small files by hand say that nothing shows, or that is shown in another way than it stands: each is told.

mod common;

use anyrig_bytes::{Context, ErrorKind, MemorySource};
use anyrig_fbx::FbxImporter;
use anyrig_scene::{Importer, Projection, Semantic};
use common::hand::{array, assert_told, first_part, layer, model, oo, op, read, read_version, shown, square};
use std::collections::BTreeMap;

fn material(id: u32) -> String {
    format!("Material: {id}, \"Material::w{id}\", \"\" {{ ShadingModel: \"lambert\" }}\n")
}

/// Materials belong to the model, and a geometry may be shown by several of them.
#[test]
fn every_model_of_a_geometry_shows_its_own_materials() {
    let slots = layer("LayerElementMaterial", "ByPolygon", &array("Materials", "0,1"));
    let objects = [model(1), model(3), model(4), square(&slots), material(5), material(6)].concat();
    let links = [(1, 0), (3, 0), (4, 0), (2, 1), (2, 3), (2, 4), (5, 1), (5, 3), (6, 3)];
    let (scene, report) = read(&objects, &links.iter().map(|(a, b)| oo(*a, *b)).collect::<String>());
    let parts: Vec<u32> = scene.meshes.as_slice()[0].parts.iter().map(|part| part.slot).collect();
    assert_eq!(parts, [0, 1]);
    let worn = |node: usize| {
        let list = &scene.nodes.as_slice()[node].mesh.as_ref().expect("shown").materials;
        list.iter().flatten().map(|m| scene.materials[*m].name.as_str()).collect::<Vec<_>>()
    };
    assert_eq!([worn(0), worn(1), worn(2)], [vec!["w5", "w5"], vec!["w5", "w6"], vec![]]);
    assert_told(&report, "fbx.material-index", 1);
}

/// `TangentsW` is the fourth number of a tangent: the side that the binormal is on.
#[test]
fn tangents_have_the_side_that_their_fourth_number_says() {
    let tangents = array("Tangents", &["1,0,0"; 6].join(","));
    let signs = array("TangentsW", "-1,-1,-1,1,1,1");
    let normals = layer("LayerElementNormal", "AllSame", &array("Normals", "0,0,1"));
    let sides = |rest: &str| {
        let (scene, _) = read(&(model(1) + &square(&(normals.clone() + rest))), &shown());
        let stream = first_part(&scene).stream(&Semantic::Tangent).expect("kept").values.to_vec();
        stream.chunks(4).map(|t| t[3]).collect::<Vec<_>>()
    };
    let with_signs = layer("LayerElementTangent", "ByPolygonVertex", &(tangents.clone() + &signs));
    assert_eq!(sides(&with_signs), [-1.0, -1.0, -1.0, 1.0, 1.0, 1.0]);
    // Binormals say it exactly.
    let binormals = layer("LayerElementBinormal", "ByPolygonVertex", &array("Binormals", &["0,1,0"; 6].join(",")));
    assert_eq!(sides(&(with_signs + &binormals)), [1.0; 6]);
    assert_eq!(sides(&layer("LayerElementTangent", "ByPolygonVertex", &tangents)), [1.0; 6]);
}

#[test]
fn objects_that_nothing_takes_are_told_by_class() {
    let objects = [
        model(1),
        square(""),
        "Audio: 10, \"Audio::a\", \"\" { }\nAudio: 11, \"Audio::b\", \"\" { }\n".to_owned(),
        "AudioLayer: 12, \"AudioLayer::l\", \"\" { }\nControlSetPlug: 13, \"ControlSetPlug::c\", \"\" { }\n".to_owned(),
        "Pose: 14, \"Pose::p\", \"RestPose\" { }\nPose: 15, \"Pose::q\", \"BindPose\" { }\n".to_owned(),
        "NodeAttribute: 16, \"NodeAttribute::c\", \"Camera\" { }\nNodeAttribute: 17, \"NodeAttribute::n\", \"Null\" { }\n"
            .to_owned(),
        square("").replace("Geometry: 2", "Geometry: 18"),
        "Cache: 19, \"Cache::c\", \"\" { }\nTexture: 20, \"Texture::t\", \"\" { }\n".to_owned(),
        "SceneInfo: 21, \"SceneInfo::i\", \"UserData\" { }\n".to_owned(),
    ];
    let (_, report) = read(&objects.concat(), &(shown() + &oo(11, 12)));
    let told = report.diagnostics().iter().filter(|d| d.code.id == "fbx.objects-lost");
    let told: Vec<(&str, u64)> = told.map(|d| (d.subject.as_str(), d.count)).collect();
    let all = [
        ("Audio", 2),
        ("AudioLayer", 1),
        ("Cache", 1),
        ("ControlSetPlug", 1),
        ("Geometry", 1),
        ("NodeAttribute", 1),
        ("Pose", 1),
        ("Texture", 1),
    ];
    assert_eq!(told, all);
    let (_, report) = read(&(model(1) + &square("")), &shown());
    assert_told(&report, "fbx.objects-lost", 0);
}

/// Up to version 7100 shapes stand inside their geometry.
#[test]
fn shapes_inside_a_newer_geometry_are_told() {
    let shape = "Shape: \"up\" { Indexes: *1 { a: 1 }\n Vertices: *3 { a: 0,0,3 }\n }\n";
    for (version, targets, lost) in [("7.1.0", 1, 0), ("7.4.0", 0, 1)] {
        let (scene, report) = read_version(version, &(model(1) + &square(shape)), &shown());
        assert_eq!(scene.meshes.as_slice()[0].morphs.len(), targets, "{version}");
        assert_told(&report, "fbx.objects-lost", lost);
    }
}

#[test]
fn connections_that_are_left_out_say_what_they_connect() {
    let connections = shown() + "C: \"OO\",77,1\nC: \"XX\",2,1\nC: \"PP\",1,\"a\",3,\"b\"\n";
    let (_, report) = read(&(model(1) + &model(3) + &square("")), &connections);
    let subject = |id: &str| report.diagnostics().iter().find(|d| d.code.id == id).map(|d| d.subject.clone());
    assert_eq!(subject("fbx.dangling-connection").as_deref(), Some("OO, 77, 1"));
    assert_eq!(subject("fbx.connection-kind").as_deref(), Some("XX, 2, 1"));
    // Its value would be that of the other property (ufbx evaluates it so).
    assert_eq!(subject("fbx.driven-property").as_deref(), Some("m3: b"));
    for id in ["fbx.dangling-connection", "fbx.connection-kind", "fbx.driven-property"] {
        assert_told(&report, id, 1);
    }
}

#[test]
fn a_model_that_does_not_inherit_visibility_is_told_where_that_counts() {
    let with = |id: u32, property: &str| {
        let entry = format!("{{ P: \"{property}\", \"\", \"\", \"\",0\n }}");
        model(id).replace("{ }", &entry)
    };
    let own = with(2, "Visibility Inheritance");
    let (_, report) = read(&(model(1) + &own), &(oo(1, 0) + &oo(2, 1)));
    assert_told(&report, "fbx.visibility", 0);
    let (_, report) = read(&(with(1, "Visibility") + &own + &model(3)), &(oo(1, 0) + &oo(2, 1) + &oo(3, 1)));
    assert_told(&report, "fbx.visibility", 1);
}

#[test]
fn texts_of_other_versions_are_refused_as_binary_files_are() {
    let read = |version: &str| {
        let text = format!("; FBX {version} project file\nObjects: {{ }}\n");
        FbxImporter.import(&MemorySource::new("a.fbx", text.into_bytes()), &Context::new()).map(drop)
    };
    for version in ["1.0.0", "1.9.9", "8.0.1", "9.9.0"] {
        let error = read(version).expect_err(version);
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
        assert!(error.to_string().contains("line 1"), "{error}");
    }
    assert!(read("8.0.0").is_ok() && read("2.0.0").is_ok());
}

/// Slope modes of old takes: `t` is tension, continuity and bias, `p` and `d` are of no known meaning.
#[test]
fn tangents_of_old_takes_are_those_of_their_mode_or_told() {
    let objects = "Model: \"Model::a\", \"Null\" { Properties60: { } }\n}\nTakes: {\nTake: \"t\" {\nModel: \"Model::a\" {\n\
        Channel: \"Transform\" { Channel: \"T\" { Channel: \"X\" { KeyVer: 4005\n KeyCount: 3\n Key: 0,0,U,MODE,46186158000,\
        1,U,MODE,92372316000,4,L\n }\n} } } }\n";
    let slopes = |mode: &str| {
        let text = objects.replace("MODE", mode);
        let (scene, report) = read_version("6.1.0", &text, "Connect: \"OO\", \"Model::a\", \"Model::Scene\"\n");
        let channel = &scene.clips[0].channels[0];
        assert_eq!(channel.curve.times_secs.len(), 3, "{mode}: {report:?}");
        let at = |time: f64| anyrig_animation::number_at(&scene.clips[0], &channel.target, 0.0, time);
        (at(0.75) - at(0.25), report.count_of("fbx.unknown-tangent"))
    };
    let (loose, told) = slopes("t,0,0,0");
    assert_eq!(told, 0);
    // Full tension flattens the curve at its keys, so it is steeper in between.
    let (tense, told) = slopes("t,1,1,0");
    assert!(told == 0 && (tense - loose).abs() > 0.01, "{tense} {loose}");
    assert_eq!(slopes("d,0,n").1, 2);
}

fn camera(properties: &[(&str, f64)]) -> Projection {
    let lines = properties.iter().map(|(name, value)| format!("P: \"{name}\", \"\", \"\", \"A\",{value}\n"));
    let attribute = format!(
        "NodeAttribute: 5, \"NodeAttribute::c\", \"Camera\" {{ Properties70: {{\n{}}} }}\n",
        lines.collect::<String>()
    );
    let (scene, _) = read(&(model(1) + &attribute), &(oo(1, 0) + &oo(5, 1)));
    scene.cameras.as_slice()[0].projection
}

/// The modes are those of the FBX SDK (`EAspectRatioMode`): with a fixed width or height the other side is its share.
#[test]
fn the_shape_of_a_picture_follows_its_mode() {
    let aspect = |mode: f64, width: f64, height: f64| {
        let all = [("AspectRatioMode", mode), ("AspectWidth", width), ("AspectHeight", height)];
        match camera(&all) {
            Projection::Perspective { aspect_ratio, .. } => aspect_ratio.expect("stated"),
            other => panic!("{other:?}"),
        }
    };
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
    for mode in [0.0, 1.0, 2.0] {
        near(aspect(mode, 1920.0, 1080.0), 16.0 / 9.0);
    }
    near(aspect(3.0, 1920.0, 0.5625), 16.0 / 9.0);
    near(aspect(4.0, 1.25, 800.0), 1.25);
    // Without sides the picture has the shape of the film: 0.816 by 0.612 inches.
    near(aspect(0.0, 0.0, 0.0), 4.0 / 3.0);
}

/// The gate (`EGateFit`) says which side of the film a picture of another shape keeps.
#[test]
fn pictures_fit_the_film_as_the_gate_says() {
    let shown = |gate: f64, more: &[(&str, f64)]| {
        let film = [("FilmWidth", 2.0), ("FilmHeight", 1.0), ("AspectWidth", 4.0), ("AspectHeight", 1.0)];
        let mode = [("ApertureMode", 3.0), ("FocalLength", 25.4), ("GateFit", gate)];
        camera(&[&film[..], &mode[..], more].concat())
    };
    let half_height = |gate: f64, more: &[(&str, f64)]| match shown(gate, more) {
        Projection::Perspective { fov_y_rad, .. } => anyrig_bytes::maths::f64::tan(fov_y_rad * 0.5),
        other => panic!("{other:?}"),
    };
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
    // None, vertical, horizontal, fill (within the film), overscan (around the film), stretch.
    for (gate, expected) in [(0.0, 0.5), (1.0, 0.5), (2.0, 0.25), (3.0, 0.25), (4.0, 0.5), (5.0, 0.5)] {
        near(half_height(gate, &[]), expected);
    }
    near(half_height(1.0, &[("FilmSqueezeRatio", 2.0)]), 1.0);
    let flat = [("CameraProjectionType", 1.0), ("OrthoZoom", 2.0)];
    for (gate, expected) in [(0.0, [30.0, 30.0]), (1.0, [120.0, 30.0]), (2.0, [30.0, 7.5])] {
        let Projection::Orthographic { x_mag, y_mag, .. } = shown(gate, &flat) else { panic!("a flat camera") };
        assert_eq!([x_mag, y_mag], expected);
    }
}

#[test]
fn numbers_of_cameras_and_lights_that_are_not_finite_are_told() {
    let objects = model(1)
        + "NodeAttribute: 5, \"NodeAttribute::c\", \"Camera\" { Properties70: { P: \"NearPlane\", \"\", \"\", \"A\",nan\n } }\n\
           NodeAttribute: 6, \"NodeAttribute::l\", \"Light\" { Properties70: { P: \"Intensity\", \"\", \"\", \"A\",1e999\n\
           P: \"Color\", \"\", \"\", \"A\",1,nan,1\n } }\n";
    let (_, report) = read(&objects, &(oo(1, 0) + &oo(5, 1) + &oo(6, 1)));
    assert_told(&report, "fbx.property-number", 3);
}

#[test]
fn op_of_a_property_is_no_driver() {
    let (_, report) = read(&(model(1) + &model(2)), &(oo(1, 0) + &op(2, 1, "LookAtProperty")));
    assert_told(&report, "fbx.driven-property", 0);
}

/// ZBrush writes its sets under another class.
#[test]
fn sets_of_either_class_are_kept() {
    let set = |class: &str, id: u32| format!("{class}: {id}, \"SelectionSet::s{id}\", \"SelectionSet\" {{ }}\n");
    let (scene, report) = read(&(model(1) + &set("SelectionSet", 10) + &set("Collection", 11)), &oo(1, 0));
    let kept = scene.extras.get("fbx.selection_sets").and_then(anyrig_bytes::Value::as_array).expect("kept");
    let names: Vec<_> = kept.iter().filter_map(|set| set.get("name")?.as_str()).collect();
    assert_eq!(names, ["s10", "s11"]);
    assert_told(&report, "fbx.objects-lost", 0);
}

/// Classes of the corpus' objects that are left out, each with how many files have some.
const CLASSES: [(&str, usize); 9] = [
    ("Audio", 4),
    ("AudioLayer", 4),
    ("ControlSetPlug", 4),
    ("Geometry", 5),
    ("LayeredTexture", 3),
    ("NodeAttribute", 5),
    ("Object", 2),
    ("ObjectMetaData", 2),
    ("Texture", 4),
];

/// What the corpus leaves out is what is known to be: a class that a room stops reading comes up here.
#[test]
fn the_corpus_leaves_out_what_is_known() {
    let mut files: BTreeMap<String, usize> = BTreeMap::new();
    let samples = common::corpus();
    for sample in samples.iter().filter(|sample| !sample.is_fuzz()) {
        let context = Context::new();
        let source = MemorySource::new(sample.name.as_str(), sample.bytes.clone());
        if FbxImporter.import(&source, &context).is_err() {
            continue;
        }
        let report = context.take_report();
        for line in report.diagnostics().iter().filter(|d| d.code.id == "fbx.objects-lost") {
            *files.entry(line.subject.clone()).or_default() += 1;
        }
    }
    let files: Vec<(&str, usize)> = files.iter().map(|(class, count)| (class.as_str(), *count)).collect();
    assert!(samples.is_empty() || files == CLASSES, "{files:?}");
}
