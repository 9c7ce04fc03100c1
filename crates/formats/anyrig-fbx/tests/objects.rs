//! Objects, settings, nodes and motion of small files, by hand.

use anyrig_animation::Pose;
use anyrig_bytes::{Context, ErrorKind, Result};
use anyrig_fbx::FbxDocument;
use anyrig_fbx::import::{End, Objects, Settings, import};
use anyrig_scene::{
    Axis, Feature, Handedness, InheritMode, LayerBlend, NodeId, RotationOrder, Scene, Target, TransformPart, features,
};
use glam::DVec3;

const TICKS: i64 = 46_186_158_000;

fn document(body: &str) -> FbxDocument {
    let text = format!("; FBX 7.4.0 project file\n{body}");
    FbxDocument::read(&text.as_bytes().into(), &Context::new()).expect("reads")
}

fn imported(body: &str) -> (Result<Scene>, Context) {
    let context = Context::new();
    (import(&document(body), &context), context)
}

fn scene(body: &str) -> Scene {
    imported(body).0.expect("imports")
}

fn model(id: i64, name: &str, properties: &str) -> String {
    format!("Model: {id}, \"Model::{name}\", \"Null\" {{ Properties70: {{ {properties} }} }}\n")
}

fn file(objects: &str, connections: &str) -> String {
    format!("Objects: {{\n{objects}}}\nConnections: {{\n{connections}}}\n")
}

#[test]
fn axes_of_every_sign() {
    let settings = |up: (i64, i64), front: (i64, i64), right: (i64, i64)| {
        let line = |name: &str, value: i64| format!("P: \"{name}\", \"int\", \"Integer\", \"\",{value}\n");
        let mut body = "GlobalSettings: { Properties70: {\n".to_owned();
        for (name, (axis, sign)) in [("UpAxis", up), ("FrontAxis", front), ("CoordAxis", right)] {
            body += &line(name, axis);
            body += &line(&format!("{name}Sign"), sign);
        }
        body += "P: \"UnitScaleFactor\", \"double\", \"Number\", \"\",2.54\n} }\n";
        let (document, context) = (document(&body), Context::new());
        let objects = Objects::read(&document, &context).expect("reads");
        (Settings::read(&document, &objects, &context), context)
    };
    let (maya, _) = settings((1, 1), (2, 1), (0, 1));
    assert_eq!((maya.space.up, maya.space.front), (Axis::PosY, Axis::PosZ));
    assert_eq!((maya.space.handedness, maya.space.metres_per_unit), (Handedness::Right, 0.0254));
    let (max, _) = settings((2, 1), (1, -1), (0, 1));
    assert_eq!((max.space.up, max.space.front, max.space.handedness), (Axis::PosZ, Axis::NegY, Handedness::Right));
    // Every combination of distinct axes: half of the signs make a left-handed space.
    let mut left = 0;
    for (up, front, right) in [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)] {
        for signs in 0..8 {
            let sign = |bit: i64| if signs & bit == 0 { 1 } else { -1 };
            let (found, context) = settings((up, sign(1)), (front, sign(2)), (right, sign(4)));
            assert!(context.report().is_empty());
            left += usize::from(found.space.handedness == Handedness::Left);
        }
    }
    assert_eq!(left, 24);
    for wrong in [settings((1, 1), (1, 1), (0, 1)), settings((7, 1), (2, 1), (0, 1))] {
        assert_eq!(wrong.1.report().count_of("fbx.axes"), 1);
        assert_eq!(wrong.0.space.up, Axis::PosY);
    }
}

#[test]
fn ticks_follow_the_header() {
    let rate = |header: &str| {
        let (document, context) = (document(header), Context::new());
        let objects = Objects::read(&document, &context).expect("reads");
        Settings::read(&document, &objects, &context).ticks_per_second
    };
    let header = |version: i64, definition: i64| {
        format!("FBXHeaderExtension: {{ FBXHeaderVersion: {version}\nOtherFlags: {{ TCDefinition: {definition} }} }}\n")
    };
    assert_eq!(rate("Objects: { }\n"), TICKS as f64);
    assert_eq!(rate(&header(1003, 0)), TICKS as f64);
    assert_eq!(rate(&header(1004, 127)), TICKS as f64);
    assert_eq!(rate(&header(1004, 0)), 141_120_000.0);
}

#[test]
fn templates_stand_behind_objects_and_the_last_of_equal_properties_counts() {
    let vector = |name: &str, x: i64| format!("P: \"{name}\", \"{name}\", \"\", \"A\",{x},0,0\n");
    let objects = model(1, "a", &(vector("Lcl Translation", 1) + &vector("Lcl Translation", 2)));
    let definitions = format!(
        "Definitions: {{ ObjectType: \"Model\" {{ PropertyTemplate: \"FbxNode\" {{ Properties70: {{\n{}{}}} }} }} }}\n",
        vector("Lcl Translation", 9),
        vector("Lcl Rotation", 90)
    );
    let body = definitions + &file(&objects, "");
    let found = scene(&body);
    let pivots = found.nodes[NodeId::new(0)].pivots.as_deref().copied().expect("turned");
    assert_eq!((pivots.translation.x, pivots.rotation_deg.x), (2.0, 90.0));
}

#[test]
fn the_whole_chain_is_read() {
    let vector =
        |name: &str, x: i64| format!("P: \"{name}\", \"Vector3D\", \"Vector\", \"\",{x},{},{}\n", x + 1, x + 2);
    let names = ["RotationOffset", "RotationPivot", "PreRotation", "PostRotation", "ScalingOffset", "ScalingPivot"];
    let mut properties: String = names.iter().enumerate().map(|(i, name)| vector(name, 10 * (i as i64 + 1))).collect();
    properties += "P: \"RotationOrder\", \"enum\", \"\", \"\",4\nP: \"InheritType\", \"enum\", \"\", \"\",2\n";
    properties += "P: \"GeometricScaling\", \"Vector3D\", \"Vector\", \"\",2,2,2\nP: \"Visibility\", \"Visibility\", \"\", \"A\",0\n";
    let active = |on: i64| format!("{properties}P: \"RotationActive\", \"bool\", \"\", \"\",{on}\n");
    let found = scene(&file(&(model(1, "on", &active(1)) + &model(2, "off", &active(0))), ""));
    let (on, off) = (&found.nodes[NodeId::new(0)], &found.nodes[NodeId::new(1)]);
    let pivots = on.pivots.as_deref().expect("has pivots");
    assert_eq!(pivots.rotation_order, RotationOrder::Zxy);
    assert_eq!((pivots.pre_rotation_deg.x, pivots.post_rotation_deg.y, pivots.scaling_pivot.z), (30.0, 41.0, 62.0));
    assert_eq!((on.inherit, on.visible), (InheritMode::IgnoreParentScale, false));
    assert_eq!(on.geometric.as_deref().map(|g| g.scale), Some(DVec3::splat(2.0)));
    let pivots = off.pivots.as_deref().expect("has pivots");
    assert_eq!((pivots.pre_rotation_deg, pivots.rotation_order), (DVec3::ZERO, RotationOrder::Xyz));
    assert_eq!(pivots.rotation_pivot.x, 20.0, "pivots count all the same");
}

#[test]
fn connections_make_the_hierarchy() {
    let objects = model(1, "root", "") + &model(2, "b", "") + &model(3, "a", "") + &model(4, "loose", "");
    let lines = "C: \"OO\",1,0\nC: \"OO\",3,1\nC: \"OO\",2,1\nC: \"OO\",2,3\nC: \"OO\",99,1\n";
    let (found, context) = imported(&file(&objects, lines));
    let found = found.expect("imports");
    let names = |ids: &[NodeId]| ids.iter().map(|n| found.nodes[*n].name.as_str()).collect::<Vec<_>>();
    assert_eq!(names(&found.nodes[NodeId::new(0)].children), ["a", "b"], "in the order of the connections");
    assert_eq!(names(&found.root_sets[0].roots), ["root", "loose"]);
    assert_eq!(context.report().count_of("fbx.second-parent"), 1);
    assert_eq!(context.report().count_of("fbx.dangling-connection"), 1);
}

#[test]
fn cycles_are_refused_with_a_place() {
    let objects = model(1, "a", "") + &model(2, "b", "");
    let (found, _) = imported(&file(&objects, "C: \"OO\",1,2\nC: \"OO\",2,1\n"));
    let error = found.expect_err("a cycle");
    assert_eq!(error.kind(), ErrorKind::Malformed);
    assert!(error.message().contains("its own ancestor") && !error.place().is_empty());
}

#[test]
fn of_two_objects_with_one_id_the_first_is_connected() {
    let objects = model(-5, "first", "") + &model(-5, "second", "");
    let document = document(&file(&objects, "C: \"OO\",-5,0\n"));
    let context = Context::new();
    let objects = Objects::read(&document, &context).expect("reads");
    let roots: Vec<&str> = objects.children(End::Root).map(|o| o.name.as_str()).collect();
    assert_eq!((roots, objects.len()), (vec!["first"], 2));
    assert_eq!(context.report().count_of("fbx.duplicate-id"), 1);
}

fn curve(id: i64, values: &str, flags: i64) -> String {
    format!(
        "AnimationCurve: {id}, \"AnimCurve::\", \"\" {{ KeyTime: *2 {{ a: {TICKS},{} }}\nKeyValueFloat: *2 {{ a: {values} }}\n\
         KeyAttrFlags: *1 {{ a: {flags} }}\nKeyAttrDataFloat: *4 {{ a: 0,0,0,0 }}\nKeyAttrRefCount: *1 {{ a: 2 }}\n\
         Post-Extrapolation: {{ Type: R\nRepetition: 2 }} }}\n",
        3 * TICKS
    )
}

#[test]
fn stacks_layers_and_curves() {
    let mut objects = model(1, "n", "");
    objects += "AnimationStack: 10, \"AnimStack::walk\", \"\" { }\n";
    objects += "AnimationLayer: 11, \"AnimLayer::base\", \"\" { }\n";
    objects += "AnimationLayer: 12, \"AnimLayer::top\", \"\" { Properties70: { P: \"Weight\", \"Number\", \"\", \"A\",50\n\
                P: \"BlendMode\", \"enum\", \"\", \"\",2\nP: \"ScaleAccumulationMode\", \"enum\", \"\", \"\",1 } }\n";
    let node = |id: i64, x: i64| {
        let default = |axis: &str, v: i64| format!("P: \"d|{axis}\", \"Number\", \"\", \"A\",{v}\n");
        format!(
            "AnimationCurveNode: {id}, \"AnimCurveNode::T\", \"\" {{ Properties70: {{\n{}{}{}}} }}\n",
            default("X", x),
            default("Y", 7),
            default("Z", 0)
        )
    };
    objects += &(node(20, 0) + &node(21, 4) + &curve(30, "0,2", 4) + &curve(31, "10,20", 4));
    let lines = "C: \"OO\",1,0\nC: \"OO\",11,10\nC: \"OO\",12,10\nC: \"OO\",20,11\nC: \"OO\",21,12\n\
                 C: \"OP\",20,1, \"Lcl Translation\"\nC: \"OP\",21,1, \"Lcl Translation\"\nC: \"OP\",30,20, \"d|X\"\n\
                 C: \"OP\",31,21, \"d|X\"\n";
    let found = scene(&file(&objects, lines));
    let clip = &found.clips[0];
    assert_eq!(
        (clip.name.as_str(), clip.start_secs, clip.end_secs()),
        ("walk", 1.0, 3.0),
        "no range: where the keys are"
    );
    assert_eq!((clip.layers[1].blend, clip.layers[1].weight), (LayerBlend::OverridePassthrough, 0.5));
    let node = NodeId::new(0);
    let base: Vec<&Target> = clip.channels.iter().filter(|c| c.layer == 0).map(|c| &c.target).collect();
    let target = |axis| Target::Component { node, part: TransformPart::Translation, axis };
    assert_eq!(base, [&target(0), &target(1)], "a default that differs from the rest has a curve too");
    let x = |time: f64| Pose::of_clip(&found, clip, time).local(node).to_trs().translation;
    // Base 1 and top 15 half and half; Y: 7 in both.
    assert_eq!(x(2.0), DVec3::new(8.0, 7.0, 0.0));
    // Repeated twice, then it holds.
    assert_eq!((x(4.0).x, x(99.0).x), (8.0, 11.0));
    assert!(features(&found).contains_key(&Feature::LayeredClips));
}

#[test]
fn curves_that_do_not_fit_are_told() {
    let broken = curve(30, "0,2", 4).replace("KeyAttrRefCount: *1 { a: 2 }", "KeyAttrRefCount: *1 { a: 1 }");
    let mut objects = model(1, "n", "") + &broken;
    objects += "AnimationStack: 10, \"AnimStack::s\", \"\" { }\nAnimationLayer: 11, \"AnimLayer::l\", \"\" { }\n";
    objects += "AnimationCurveNode: 20, \"AnimCurveNode::T\", \"\" { }\n";
    let lines = "C: \"OO\",11,10\nC: \"OO\",20,11\nC: \"OP\",20,1, \"Lcl Translation\"\nC: \"OP\",30,20, \"d|X\"\n";
    let (found, context) = imported(&file(&objects, lines));
    assert_eq!(found.expect("imports").clips[0].channels[0].curve.len(), 2);
    assert_eq!(context.report().count_of("fbx.curve-shape"), 1);
}

#[test]
fn old_connections_may_name_an_attribute_of_a_model() {
    let text = "; FBX 6.1.0 project file\nObjects: {\n\
        Model: \"Model::a\", \"Camera\" { NodeAttributeName: \"NodeAttribute::left\" }\n\
        Model: \"Model::b\", \"Camera\" { NodeAttributeName: \"NodeAttribute::both\" }\n}\n\
        Connections: {\nConnect: \"OO\", \"Model::a\", \"Model::Scene\"\n\
        Connect: \"OP\", \"NodeAttribute::left\", \"NodeAttribute::both\", \"LeftCamera\"\n}\n";
    let context = Context::new();
    let document = FbxDocument::read(&text.as_bytes().into(), &context).expect("reads");
    let objects = Objects::read(&document, &context).expect("reads");
    assert!(context.report().is_empty(), "{:?}", context.report());
    let both = objects.iter().find(|o| o.name == "b").expect("there").id;
    let sources: Vec<_> = objects.property_sources(both).map(|(name, o)| (name.to_owned(), o.name.clone())).collect();
    assert_eq!(sources, [("LeftCamera".to_owned(), "a".to_owned())]);
}

#[test]
fn takes_of_old_files() {
    let keys = |key: &str, count: usize| {
        format!("Channel: \"X\" {{ Default: 3\nKeyVer: 4005\nKeyCount: {count}\nKey: {key}\n }}\n")
    };
    let take = |model: &str, channel: &str| {
        format!(
            "Takes: {{ Take: \"t\" {{ LocalTime: 0,{TICKS}\nModel: \"{model}\" {{ Channel: \"Transform\" {{ Channel: \"T\" {{ {channel} }} }} }} }} }}\n"
        )
    };
    let read = |body: &str| {
        let text = format!("; FBX 6.1.0 project file\nObjects: {{ Model: \"Model::n\", \"Null\" {{ }} }}\n{body}");
        let context = Context::new();
        let document = FbxDocument::read(&text.as_bytes().into(), &context).expect("reads");
        (import(&document, &context).expect("imports"), context)
    };
    let all = format!(
        "0,1,L,{TICKS},2,C,n,{},3,U,s,0,0,n,{},4,U,a,n,{},5,U,t,1,2,3,{},6,C,s",
        2 * TICKS,
        3 * TICKS,
        4 * TICKS,
        5 * TICKS
    );
    let (found, context) = read(&take("Model::n", &keys(&all, 6)));
    assert!(context.report().is_empty(), "{:?}", context.report());
    let curve = &found.clips[0].channels[0].curve;
    assert_eq!(&*curve.values, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!((found.clips[0].end_secs(), curve.times_secs[5]), (1.0, 5.0));
    let (found, context) = read(&take("Model::n", &keys("0,1,L,9,2,X", 2)));
    assert_eq!(found.clips[0].channels[0].curve.len(), 1);
    assert_eq!(context.report().count_of("fbx.curve-shape"), 1);
    let (_, context) = read(&take("Model::gone", &keys("0,1,L", 1)));
    assert_eq!(context.report().count_of("fbx.motion-lost"), 1);
}
