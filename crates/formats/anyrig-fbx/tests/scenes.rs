//! Meshes, skins, blend shapes and data of small files, by hand: what they become and what is told.

mod common;

use anyrig_animation::Pose;
use anyrig_bytes::{Context, ErrorKind, MemorySource, Report, Value};
use anyrig_fbx::FbxImporter;
use anyrig_scene::{Domain, Importer, Node, Scene, Semantic, SkinMethod, Topology, USER};
use common::hand::{array, assert_told, first_part, layer, model, oo, op, read, read_version, shown, square};
use glam::DVec3;

#[test]
fn broken_faces_and_layers_are_repaired_and_told() {
    let polygons = array("PolygonVertexIndex", "0,1,-3,0,9,-3,1,-3,-4,0,1,2,3");
    let normals = layer("LayerElementNormal", "ByVertice", &array("Normals", "0,0,2,0,0,1,0,0,1,0,0,1"));
    let uvs = layer("LayerElementUV", "ByPolygonVertex", &(array("UV", "0,0,0.5,1") + &array("UVIndex", "0,1,-1,0")));
    let colors = layer("LayerElementColor", "ByEdge", &array("Colors", "1,1,1,1"));
    let vertices = array("Vertices", "0,0,0,1,0,0,1,1,0,0,1,0,7");
    let geometry = format!(
        "Geometry: 2, \"Geometry::g\", \"Mesh\" {{\n{vertices}{polygons}{normals}{uvs}{colors}LayerElementUserData: 0 {{ }}\n}}\n"
    );
    let (scene, report) = read(&(model(1) + &geometry), &shown());
    let parts = &scene.meshes.as_slice()[0].parts;
    let kinds: Vec<&Topology> = parts.iter().map(|p| &p.topology).collect();
    assert_eq!(kinds, [&Topology::Polygons { offsets: vec![0, 3, 7].into() }, &Topology::Lines, &Topology::Points]);
    assert_eq!(parts[0].corners.as_deref(), Some(&[0, 1, 2, 0, 1, 2, 3][..]));
    let uv = parts[0].stream(&Semantic::TexCoord(0)).expect("kept");
    assert_eq!((uv.domain, &uv.values[..8]), (Domain::Corner, &[0.0, 0.0, 0.5, 1.0, 0.5, 1.0, 0.5, 1.0][..]));
    let normal = parts[0].stream(&Semantic::Normal).expect("kept");
    assert_eq!((normal.domain, &normal.values[..3]), (Domain::Point, &[0.0, 0.0, 1.0][..]));
    for (id, count) in [("fbx.faces", 1), ("fbx.short-faces", 2), ("fbx.normals", 1), ("fbx.layer-lost", 2)] {
        assert_told(&report, id, count);
    }
    // One coordinate that makes no point, and ten corners without an entry.
    assert_told(&report, "fbx.layer-range", 11);
}

#[test]
fn polygons_wear_their_materials_and_smooth_edges_make_normals() {
    let materials = layer("LayerElementMaterial", "ByPolygon", &array("Materials", "1,5"));
    let smoothing = layer("LayerElementSmoothing", "ByPolygon", &array("Smoothing", "1,1"));
    let tangents = layer("LayerElementTangent", "ByPolygonVertex", &array("Tangents", &["1,0,0"; 6].join(",")));
    let binormals = layer("LayerElementBinormal", "ByPolygonVertex", &array("Binormals", &["0,-1,0"; 6].join(",")));
    let second = tangents.replace("LayerElementTangent: 0", "LayerElementTangent: 1");
    let hole = layer("LayerElementHole", "ByPolygon", &array("Hole", "0,1"));
    let crease = array("Edges", "0,2") + &layer("LayerElementEdgeCrease", "ByEdge", &array("EdgeCrease", "0,0.5"));
    let rest = [materials, smoothing, tangents, binormals, second, hole, crease, "Smoothness: 2\n".to_owned()].concat();
    let material = |id: u32| format!("Material: {id}, \"Material::w{id}\", \"\" {{ ShadingModel: \"lambert\" }}\n");
    let connections = shown() + &oo(5, 1) + &oo(6, 1);
    let (scene, report) = read(&(model(1) + &square(&rest) + &material(5) + &material(6)), &connections);
    let mesh = &scene.meshes.as_slice()[0];
    let slots: Vec<_> = mesh.parts.iter().map(|p| (p.slot, p.corners.as_deref().expect("indexed"))).collect();
    assert_eq!(slots, [(0, &[0, 2, 3][..]), (1, &[0, 1, 2][..])]);
    let worn = &scene.nodes.as_slice()[0].mesh.as_ref().expect("shown").materials;
    let names: Vec<_> = worn.iter().flatten().map(|m| scene.materials[*m].name.as_str()).collect();
    assert_eq!(names, ["w5", "w6"]);
    let values = |semantic| mesh.parts[0].stream(&semantic).expect("made").values.to_vec();
    assert_eq!(values(Semantic::Normal), [0.0, 0.0, 1.0].repeat(3));
    assert_eq!(values(Semantic::Tangent), [1.0, 0.0, 0.0, -1.0].repeat(3));
    assert!(mesh.extras.get("fbx.edge_creases").is_some() && mesh.extras.get("fbx.subdivision").is_some());
    for id in ["fbx.material-index", "fbx.normals-made", "fbx.tangent-sets", "fbx.holes", "fbx.subdivision"] {
        assert_told(&report, id, 1);
    }
}

#[test]
fn what_cannot_be_shown_is_told() {
    let nurbs = "Geometry: 2, \"Geometry::g\", \"NurbsSurface\" { }\n";
    let (scene, report) = read(&(model(1) + nurbs), &shown());
    assert!(scene.meshes.is_empty());
    assert_told(&report, "fbx.geometry-lost", 1);
    let points = format!("Geometry: 2, \"Geometry::g\", \"Mesh\" {{ {} }}\n", array("Vertices", "0,0,0"));
    let (_, report) = read(&(model(1) + &points), &shown());
    assert_told(&report, "fbx.no-faces", 1);
    let line = format!(
        "Geometry: 2, \"Geometry::g\", \"Line\" {{ {}{} }}\n",
        array("Points", "0,0,0,1,0,0,1,1,0"),
        array("PointsIndex", "0,1,-3,0,-8")
    );
    let (scene, report) = read(&(model(1) + &line), &shown());
    assert_eq!(first_part(&scene).corners.as_deref(), Some(&[0, 1, 1, 2][..]));
    assert_told(&report, "fbx.faces", 1);
}

#[test]
fn geometry_that_no_model_shows_is_told() {
    for connections in [oo(1, 0), oo(1, 0) + &oo(2, 0)] {
        let (scene, report) = read(&(model(1) + &square("")), &connections);
        assert!(scene.meshes.is_empty());
        assert_told(&report, "fbx.geometry-unused", 1);
    }
    assert_told(&read(&(model(1) + &square("")), &shown()).1, "fbx.geometry-unused", 0);
}

#[test]
fn properties_that_are_not_finite_are_told() {
    let model = "Model: 1, \"Model::a\", \"Null\" { Properties70: {\nP: \"Lcl Translation\", \"\", \"\", \"A\",nan,1e999,-inf\n\
         P: \"Lcl Scaling\", \"\", \"\", \"A\",2,2,2\nP: \"GeometricScaling\", \"\", \"\", \"A\",1,1e999,1\n} }\n";
    let (scene, report) = read(model, &oo(1, 0));
    let local = scene.nodes.as_slice()[0].local.to_trs();
    assert_eq!((local.translation, local.scale), (DVec3::ZERO, DVec3::splat(2.0)));
    assert_told(&report, "fbx.property-number", 2);
}

const IDENTITY: &str = "1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1";

fn cluster(id: u32, rest: &str) -> String {
    format!("Deformer: {id}, \"SubDeformer::c{id}\", \"Cluster\" {{\n{rest}}}\n")
}

#[test]
fn skins_bind_by_what_the_file_says_and_loose_points_follow_the_node() {
    let skin = format!(
        "Deformer: 3, \"Deformer::s\", \"Skin\" {{ SkinningType: \"Blend\"\n{}{} }}\nDeformer: 4, \"Deformer::t\", \"Skin\" {{ }}\n",
        array("Indexes", "0,1"),
        array("BlendWeights", "1,0.5")
    );
    let moved = "1,0,0,0,0,1,0,0,0,0,1,0,0,0,7,1";
    let first = cluster(
        10,
        &(array("Indexes", "0,1,9,1")
            + &array("Weights", "1,0.25,1,-1")
            + &array("Transform", moved)
            + "Mode: \"Additive\"\n"),
    );
    // Without `Transform`: the inverse of where the bone was, times where the mesh is.
    let link = array("TransformLink", "1,0,0,0,0,1,0,0,0,0,1,0,0,2,0,1") + &array("Transform", "1,0,0");
    let second = cluster(11, &(array("Indexes", "2") + &array("Weights", "0.5") + &link));
    let broken = cluster(12, &(array("Indexes", "3") + &array("Weights", "1") + &array("Transform", IDENTITY)));
    let cache = "Deformer: 13, \"Deformer::v\", \"VertexCacheDeformer\" { }\n";
    let placed = model(1).replace(
        "{ }",
        "{ P: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",5,0,0\nP: \"GeometricTranslation\", \"Vector3D\", \"Vector\", \"\",0,0,1 }",
    );
    let objects = [placed, square(""), model(20), model(21), skin, first, second, broken, cache.to_owned()].concat();
    let links = [(20, 0), (21, 0), (3, 2), (4, 2), (13, 2), (10, 3), (11, 3), (12, 3), (20, 10), (21, 11)];
    let connections = shown() + &links.iter().map(|(a, b)| oo(*a, *b)).collect::<String>();
    let (scene, report) = read(&objects, &connections);
    let skin = &scene.skins.as_slice()[0];
    let joints: Vec<&str> = skin.joints.iter().map(|j| scene.nodes[*j].name.as_str()).collect();
    assert_eq!(joints, ["m20", "m21", "m1"]);
    let offsets: Vec<DVec3> = skin.inverse_binds.iter().map(|b| b.translation).collect();
    let expected = [DVec3::new(0.0, 0.0, 8.0), DVec3::new(5.0, -2.0, 1.0), DVec3::new(0.0, 0.0, 1.0)];
    assert_eq!(offsets, expected);
    assert_eq!(skin.method, SkinMethod::DualQuaternion);
    let influences = first_part(&scene).influences.as_ref().expect("skinned");
    let rows: Vec<_> = (0..4).map(|p| influences.of(p)).collect();
    assert_eq!(rows[0], (&[0][..], &[1.0][..]));
    assert_eq!(rows[1], (&[2, 0][..], &[0.75, 0.25][..]));
    assert_eq!((rows[2], rows[3]), ((&[1][..], &[1.0][..]), (&[2][..], &[1.0][..])));
    for (id, count) in [("fbx.skin-lost", 1), ("fbx.broken-cluster", 1), ("fbx.cluster-weights", 2)] {
        assert_told(&report, id, count);
    }
    for id in ["fbx.additive-cluster", "fbx.bind-matrix", "fbx.blended-skin", "fbx.deformer-lost"] {
        assert_told(&report, id, 1);
    }
}

#[test]
fn what_relates_models_stays_as_data() {
    let constraint = "Constraint: 10, \"Constraint::c\", \"Position From Positions\" { Properties70: {\n\
        P: \"m20.Weight\", \"Number\", \"\", \"A\",50\n } }\nConstraint: 11, \"Constraint::who\", \"Character\" { }\n";
    let hidden = "CollectionExclusive: 12, \"DisplayLayer::far\", \"DisplayLayer\" { Properties70: {\n\
        P: \"Show\", \"bool\", \"\", \"\",0\n } }\nCollectionExclusive: 13, \"DisplayLayer::near\", \"DisplayLayer\" { }\n";
    let set = format!(
        "SelectionSet: 14, \"SelectionSet::s\", \"\" {{ }}\nSelectionNode: 15, \"SelectionNode::n\", \"\" {{\n{}}}\n",
        array("PolygonIndexArray", "3,4")
    );
    let levels = "NodeAttribute: 16, \"NodeAttribute::\", \"LodGroup\" { Properties70: {\n\
        P: \"Thresholds|Level0\", \"Distance\", \"\", \"\",64, \"cm\"\n } }\n";
    let objects = [model(1), model(20), constraint.to_owned(), hidden.to_owned(), set, levels.to_owned()].concat();
    let links = [(1, 0), (20, 1), (1, 12), (15, 14), (20, 15), (16, 1)];
    let connections = links.iter().map(|(a, b)| oo(*a, *b)).collect::<String>()
        + &op(1, 10, "Constrained Object")
        + &op(20, 10, "Source");
    let (scene, report) = read(&objects, &connections);
    for (id, count) in [("fbx.constraint", 1), ("fbx.display-layer", 1), ("fbx.levels", 1)] {
        assert_told(&report, id, count);
    }
    let kept = |namespace: &str, index: usize| {
        let all = scene.extras.get(namespace).and_then(Value::as_array).expect("kept");
        all.get(index).cloned().expect("so many")
    };
    let constraint = kept("fbx.constraints", 0);
    let roles = constraint.get("objects").and_then(Value::as_array).expect("roles");
    let role = |index: usize| (roles[index].get("role").cloned(), roles[index].get("names").cloned());
    let named = |name: &str| Some(Value::Array(vec![name.into()]));
    assert_eq!(role(0), (Some("Constrained Object".into()), named("m1")));
    assert_eq!(role(1), (Some("Source".into()), named("m20")));
    assert_eq!(constraint.get("properties").and_then(|p| p.get("m20.Weight")).and_then(Value::as_f64), Some(50.0));
    assert_eq!(kept("fbx.display_layers", 0).get("models").cloned(), named("m1"));
    let members = kept("fbx.selection_sets", 0);
    let member = members.get("members").and_then(Value::as_array).and_then(|m| m.first()).expect("one");
    assert_eq!(member.get("models").cloned(), named("m20"));
    assert_eq!(member.get("faces"), Some(&Value::Array(vec![3.0.into(), 4.0.into()])));
    let levels = scene.nodes.as_slice()[0].extras.get("fbx.lod_group").expect("kept");
    assert_eq!(levels.get("Thresholds|Level0").and_then(Value::as_f64), Some(64.0));
}

#[test]
fn layers_without_a_place_stay_as_data() {
    let edges = array("Edges", "0,2,4");
    let seen = layer("LayerElementVisibility", "ByEdge", &array("Visibility", "1,0,1"));
    let groups = layer("LayerElementPolygonGroup", "ByPolygon", &array("PolygonGroup", "7,9"));
    let uv = |element: &str, name: &str, u: &str| {
        layer(element, "AllSame", &array("UV", &format!("{u},0"))).replace("\"n\"", &format!("\"{name}\""))
    };
    let uvs = [
        uv("LayerElementUV", "a", "0.25"),
        uv("LayerElementEmissiveUV", "a", "0.5"),
        uv("LayerElementBumpUV", "b", "0.75"),
    ];
    let (scene, report) = read(&(model(1) + &square(&(edges + &seen + &groups + &uvs.concat()))), &shown());
    assert_told(&report, "fbx.layer-lost", 0);
    let mesh = &scene.meshes.as_slice()[0];
    let numbers = |values: &[f64]| Value::Array(values.iter().map(|v| Value::from(*v)).collect());
    assert_eq!(mesh.extras.get("fbx.polygon_groups"), Some(&numbers(&[7.0, 9.0])));
    assert_eq!(mesh.extras.get("fbx.hidden_edges"), Some(&Value::Array(vec![numbers(&[0.0, 2.0])])));
    // The one for glow repeats the first set, the one for bumps is a set of its own.
    let u = |set| first_part(&scene).stream(&Semantic::TexCoord(set)).map(|s| s.values[0]);
    assert_eq!((u(0), u(1), u(2)), (Some(0.25), Some(0.75), None));
}

#[test]
fn defects_may_be_refused() {
    let polygons = square("").replace("0,1,-3", "0,9,-3");
    let body = format!("Objects: {{\n{}{polygons}}}\nConnections: {{\n{}}}\n", model(1), shown());
    let source = MemorySource::new("Hand.fbx", format!("; FBX 7.4.0 project file\n{body}").into_bytes());
    let with = |defects: &str| {
        let mut options = Value::Null;
        options.set("defects", defects);
        FbxImporter.import(&source, &Context::new().with_options("fbx", options))
    };
    assert!(with("repair").is_ok());
    let error = with("refuse").expect_err("a corner names no point");
    assert_eq!(error.kind(), ErrorKind::Malformed);
    assert!(error.message().contains("does not exist") && error.to_string().contains("line"), "{error}");
    assert_eq!(with("ignore").map_err(|e| e.kind()).map(drop), Err(ErrorKind::Usage));
    let sound =
        MemorySource::new("Hand.fbx", format!("; FBX 7.4.0 project file\nObjects: {{\n{} }}\n", model(1)).into_bytes());
    let mut options = Value::Null;
    options.set("defects", "refuse");
    assert!(FbxImporter.import(&sound, &Context::new().with_options("fbx", options)).is_ok());
}

#[test]
fn a_cluster_may_follow_the_root() {
    let skin = "Deformer: 3, \"Deformer::s\", \"Skin\" { }\n";
    let one =
        cluster(10, &(array("Indexes", "0,1,2,3") + &array("Weights", "1,1,1,1") + &array("Transform", IDENTITY)));
    let connections = shown() + &oo(3, 2) + &oo(10, 3) + &oo(0, 10);
    let (scene, _) = read(&(model(1) + &square("") + skin + &one), &connections);
    let skin = &scene.skins.as_slice()[0];
    let root: &Node = &scene.nodes[skin.joints[0]];
    assert_eq!((skin.joints.len(), root.parent, root.name.as_str()), (1, None, "RootNode"));
}

#[test]
fn shapes_of_a_channel_have_their_percentages() {
    let shape = |id: u32, points: &str, deltas: &str| {
        let arrays = array("Indexes", points) + &array("Vertices", deltas);
        format!("Geometry: {id}, \"Geometry::s{id}\", \"Shape\" {{\n{arrays}}}\n")
    };
    let channel = format!(
        "Deformer: 4, \"SubDeformer::smile\", \"BlendShapeChannel\" {{ Properties70: {{ P: \"DeformPercent\", \"Number\", \"\", \"A\",75 }}\n{} }}\n",
        array("FullWeights", "100,50,3,4")
    );
    let deformer = "Deformer: 3, \"Deformer::b\", \"BlendShape\" { }\n";
    let objects = [
        model(1),
        square(""),
        deformer.to_owned(),
        channel,
        shape(5, "2,0,8", "0,0,1,0,0,2,9,9,9"),
        shape(6, "1", "1,0,0"),
    ];
    let connections = shown() + &oo(3, 2) + &oo(4, 3) + &oo(5, 4) + &oo(6, 4);
    let (scene, report) = read(&objects.concat(), &connections);
    let mesh = &scene.meshes.as_slice()[0];
    let targets: Vec<_> = mesh.morphs.iter().map(|m| (m.name.as_str(), m.default_weight)).collect();
    assert_eq!(targets, [("s6", 0.5), ("s5", 0.5)]);
    let delta = mesh.parts[0].morphs[1].delta(&Semantic::Position).expect("kept");
    assert_eq!((delta.points.as_deref(), &*delta.values), (Some(&[0, 2][..]), &[0.0, 0.0, 2.0, 0.0, 0.0, 1.0][..]));
    assert_told(&report, "fbx.shape-points", 1);
}

/// A channel with shapes at 50 and 100 percent, moved by a curve.
fn inbetweens(curve: &str) -> (Scene, Report) {
    let shape = |id: u32| {
        let arrays = array("Indexes", "0") + &array("Vertices", "0,0,1");
        format!("Geometry: {id}, \"Geometry::s{id}\", \"Shape\" {{\n{arrays}}}\n")
    };
    let channel =
        format!("Deformer: 4, \"SubDeformer::c\", \"BlendShapeChannel\" {{\n{}}}\n", array("FullWeights", "50,100"));
    let objects = [
        model(1),
        square(""),
        "Deformer: 3, \"Deformer::b\", \"BlendShape\" { }\n".to_owned(),
        channel,
        shape(5),
        shape(6),
        "AnimationStack: 7, \"AnimStack::a\", \"\" { }\nAnimationLayer: 8, \"AnimLayer::l\", \"\" { }\n".to_owned(),
        "AnimationCurveNode: 9, \"AnimCurveNode::D\", \"\" { }\n".to_owned(),
        format!("AnimationCurve: 10, \"AnimCurve::\", \"\" {{\n{curve}}}\n"),
    ];
    let connections = [
        shown(),
        oo(3, 2) + &oo(4, 3) + &oo(5, 4) + &oo(6, 4),
        oo(8, 7) + &oo(9, 8) + &op(9, 4, "DeformPercent") + &op(10, 9, "d|DeformPercent"),
    ];
    read(&objects.concat(), &connections.concat())
}

const SECOND: i64 = 46_186_158_000;

#[track_caller]
fn assert_weights(scene: &Scene, time: f64, expected: [f32; 2]) {
    let mut pose = Pose::rest(scene);
    pose.apply_clip(&scene.clips[0], time);
    let weights = pose.weights(anyrig_scene::NodeId::new(0)).to_vec();
    let near = weights.iter().zip(expected).all(|(w, e): (&f32, f32)| (w - e).abs() < 1e-5 * e.abs().max(1.0));
    assert!(near && weights.len() == 2, "{time}: {weights:?}");
}

#[test]
fn motion_of_a_channel_moves_all_of_its_shapes() {
    let curve = array("KeyTime", &format!("0,{SECOND}"))
        + &array("KeyValueFloat", "0,100")
        + &array("KeyAttrFlags", "4")
        + &array("KeyAttrDataFloat", "0,0,0,0")
        + &array("KeyAttrRefCount", "2");
    let (scene, report) = inbetweens(&curve);
    assert_told(&report, "fbx.inbetween-curve", 1);
    for (time, expected) in [(0.25, [0.5, 0.0]), (0.5, [1.0, 0.0]), (0.75, [0.5, 0.5]), (1.0, [0.0, 1.0])] {
        assert_weights(&scene, time, expected);
    }
}

#[test]
fn a_small_file_with_many_steep_keys_of_inbetweens_is_read_with_fewer_lines() {
    const KEYS: i64 = 3000;
    let keys = |value: &dyn Fn(i64) -> i64| (0..KEYS).map(value).map(|v| v.to_string()).collect::<Vec<_>>().join(",");
    let curve = array("KeyTime", &keys(&|key| key * SECOND))
        + &array("KeyValueFloat", &keys(&|key| key % 2 * 9950))
        + &array("KeyAttrFlags", "8")
        + &array("KeyAttrDataFloat", "0,0,0,0")
        + &array("KeyAttrRefCount", &KEYS.to_string());
    let (scene, report) = inbetweens(&curve);
    let told: Vec<_> = report.diagnostics().iter().filter(|d| d.code.id == "fbx.inbetween-curve").collect();
    assert_eq!(told.iter().map(|d| d.count).collect::<Vec<_>>(), [1, KEYS as u64 - 1], "{told:#?}");
    // Keys are met all the same: beyond the last shape the weights go on.
    for key in [0, 1, 2, 1501, KEYS - 1] {
        let expected = if key % 2 == 0 { [0.0, 0.0] } else { [-197.0, 198.0] };
        assert_weights(&scene, key as f64, expected);
    }
}

#[test]
fn old_geometry_stands_in_the_model() {
    let model = "Model: \"Model::Box\", \"Mesh\" {\n Properties60: { Property: \"up\", \"Number\", \"AN\",25 }\n\
        Vertices: 0,0,0,1,0,0,1,1,0\n PolygonVertexIndex: 0,1,-3\n\
        LayerElementTexture: 0 { MappingInformationType: \"AllSame\" TextureId: 0 }\n\
        Shape: \"up\" { Indexes: 1\n Vertices: 0,0,3 }\n }\n\
        Material: \"Material::m\", \"\" { ShadingModel: \"phong\" }\n\
        Texture: \"Texture::t\", \"\" { FileName: \"C:\\x\\SKIN.png\" }\n";
    let connect = |a: &str, b: &str| format!("Connect: \"OO\", \"{a}\", \"{b}\"\n");
    let connections = connect("Model::Box", "Model::Scene")
        + &connect("Material::m", "Model::Box")
        + &connect("Texture::t", "Model::Box");
    let (scene, _) = read_version("6.1.0", model, &connections);
    let mesh = &scene.meshes.as_slice()[0];
    assert_eq!((mesh.morphs[0].name.as_str(), mesh.morphs[0].default_weight), ("up", 0.25));
    let used = scene.materials.as_slice()[0].base_color_texture.as_ref().expect("assigned");
    let image = scene.textures[used.texture].image.map(|i| &scene.images[i]).expect("found");
    assert_eq!(image.uri.as_deref(), Some("Textures/skin.png"));
    let without = connect("Model::Box", "Model::Scene") + &connect("Texture::t", "Model::Box");
    let (_, report) = read_version("6.1.0", model, &without);
    assert_told(&report, "fbx.texture-unused", 1);
}

/// What users attach goes with every kind of element, typed; what programs hide among it stays behind as bookkeeping.
#[test]
fn user_properties_are_data_of_their_element() {
    let user = |lines: &str| format!("Properties70: {{ {lines} }}");
    let all = "P: \"health\", \"int\", \"Integer\", \"U\",7\nP: \"is_boss\", \"bool\", \"\", \"A+U\",1\n\
               P: \"speed\", \"double\", \"Number\", \"AU\",2\nP: \"tag\", \"KString\", \"\", \"U\", \"hero\"\n\
               P: \"spawn\", \"Vector3D\", \"Vector\", \"U\",1,2.5,3\nP: \"MaxHandle\", \"int\", \"Integer\", \"UH\",2\n\
               P: \"raw\", \"Blob\", \"\", \"U\",4\nP: \"Show\", \"bool\", \"\", \"\",1\n";
    let one = user("P: \"a\", \"int\", \"Integer\", \"U\",1\n");
    let objects = [
        format!("Model: 1, \"Model::m\", \"Mesh\" {{ {} }}\n", user(all)),
        square(&one),
        format!("Material: 3, \"Material::w\", \"\" {{ {one} }}\n"),
        format!("NodeAttribute: 4, \"NodeAttribute::c\", \"Camera\" {{ {one} }}\n"),
        format!("NodeAttribute: 5, \"NodeAttribute::l\", \"Light\" {{ {one} }}\n"),
    ];
    let (scene, report) = read(&objects.concat(), &(shown() + &oo(3, 1) + &oo(4, 1) + &oo(5, 1)));
    assert_told(&report, "fbx.user-data", 1);
    let node = &scene.nodes.as_slice()[0].extras;
    let wanted = [
        ("health", Value::Int(7)),
        ("is_boss", Value::Bool(true)),
        ("spawn", Value::Array(vec![1.0.into(), 2.5.into(), 3.0.into()])),
        ("speed", Value::Float(2.0)),
        ("tag", "hero".into()),
    ];
    let wanted = Value::Object(wanted.into_iter().map(|(name, value)| (name.to_owned(), value)).collect());
    assert_eq!(node.get(USER), Some(&wanted));
    assert!(node.get("fbx.hidden_properties").is_some_and(|hidden| hidden.get("MaxHandle").is_some()));
    let others = [
        &scene.meshes.as_slice()[0].extras,
        &scene.materials.as_slice()[0].extras,
        &scene.cameras.as_slice()[0].extras,
        &scene.lights.as_slice()[0].extras,
    ];
    for extras in others.into_iter().chain([node]) {
        assert!(extras.get(USER).is_some(), "{extras:?}");
        assert_eq!(extras.carried().map(|(namespace, _)| namespace).collect::<Vec<_>>(), [USER]);
    }
    assert_eq!(scene.extras.carried().count(), 0);
}

/// What a layer says for elements that it is not read for is told, whichever layer it is, and so are further layers.
#[test]
fn layers_that_are_not_read_are_told() {
    let told = |rest: &str, id: &str, count: u64| {
        let (_, report) = read(&(model(1) + &square(rest)), &shown());
        assert_told(&report, id, count);
    };
    let lists = [
        ("LayerElementSmoothing", "Smoothing"),
        ("LayerElementMaterial", "Materials"),
        ("LayerElementPolygonGroup", "PolygonGroup"),
        ("LayerElementHole", "Hole"),
        ("LayerElementEdgeCrease", "EdgeCrease"),
        ("LayerElementVisibility", "Visibility"),
    ];
    for (element, values) in lists {
        let one = layer(element, "ByVertice", &array(values, "1,0,1,0"));
        told(&one, "fbx.layer-lost", 1);
        told(&(one.clone() + &one), "fbx.layer-lost", 2);
        told(&layer(element, "NoMappingInformation", &format!("{values}: *0 {{ a: }}\n")), "fbx.layer-lost", 0);
    }
    let edges = array("Edges", "0,2,4");
    for (element, values) in [lists[0], lists[4], lists[5]] {
        let on_edges = layer(element, "ByEdge", &array(values, "1,1"));
        told(&on_edges, "fbx.layer-lost", 1);
        told(&(edges.clone() + &on_edges), "fbx.layer-lost", 0);
        told(&(edges.clone() + &on_edges), "fbx.layer-range", 1);
    }
    let normals = layer("LayerElementNormal", "AllSame", &array("Normals", "0,0,1"));
    told(&(normals.clone() + &normals), "fbx.layer-lost", 1);
    told(&layer("LayerElementUV", "ByPolygonVertex", &array("UV", "1")), "fbx.layer-lost", 1);
}
