//! What is imported and exported comes back the same.
#![allow(clippy::print_stdout, reason = "sweeps say what they counted")]

mod helpers;

use anyrig_bytes::{Context, MemorySource, Value};
use anyrig_gltf::{Glb, Gltf, OPTIONS, names};
use anyrig_scene::{ExportedFile, Exporter, Id, Material, Node, RootSet, Scene, Tolerance, USER, diff};
use helpers::{Disk, corpus, files, import};

const TOLERANCE: Tolerance = Tolerance::within(1e-6, 1e-6);

/// The written files as a source.
fn source_of(files: &[ExportedFile]) -> MemorySource {
    let main = files.first().expect("a main file");
    let source = MemorySource::new(main.name.clone(), main.content.to_shared());
    files[1..].iter().fold(source, |source, file| source.with_file(file.name.clone(), file.content.to_shared()))
}

/// Keeps exports for other programs to look at, when the environment names a folder.
fn keep(name: &str, files: &[ExportedFile]) {
    let Some(folder) = std::env::var_os("ANYRIG_KEEP_EXPORTS") else { return };
    let folder = std::path::Path::new(&folder).join(name);
    std::fs::create_dir_all(&folder).expect("writable");
    for file in files {
        std::fs::write(folder.join(&file.name), file.content.to_vec()).expect("writable");
    }
}

/// What export adds on purpose: a root set where the file has none.
fn with_root_set(mut scene: Scene) -> Scene {
    // The generator is another one.
    scene.extras.remove(names::ASSET);
    if scene.root_sets.is_empty() && !scene.nodes.is_empty() {
        let roots = scene.roots().collect();
        scene.root_sets.push(RootSet::new("", roots));
        scene.default_root_set = Some(0);
    }
    scene
}

#[test]
fn scenes_come_back_through_both_forms() {
    let Some(folder) = corpus() else { return };
    let (mut same, mut reported, mut wrong) = (0, 0, Vec::new());
    for path in files(&folder) {
        let name = path.strip_prefix(&folder).expect("inside").display().to_string();
        let Ok(scene) = import(&Disk::open(&path), &Context::new()) else { continue };
        let stem = name.replace(['/', '.'], "_");
        for exporter in [&Glb as &dyn Exporter, &Gltf] {
            let context = Context::new();
            let files = exporter.export(scene.clone(), &stem, &context).expect("exportable");
            keep(exporter.info().id, &files);
            let source = source_of(&files);
            if let Err(e) = exporter.verify(&files[0].name, &source, &Context::new()) {
                wrong.push(format!("{name}: {e}"));
            }
            let mut again = import(&source, &Context::new()).expect("readable");
            again.extras.remove(names::ASSET);
            // Some notes tell of another spelling: a root above joints, a curve of one key.
            if !context.report().is_empty() {
                reported += 1;
                continue;
            }
            same += 1;
            let differences = diff(&with_root_set(scene.clone()), &again, TOLERANCE);
            let relevant: Vec<_> = differences.iter().filter(|d| !is_container(&d.path)).take(3).collect();
            if !relevant.is_empty() {
                wrong.push(format!("{name} as {}: {relevant:?}", exporter.info().id));
            }
        }
    }
    println!("{same} came back the same, {reported} with reported differences");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(same > 500, "only {same} scenes were compared");
}

/// Where an image lies is a matter of the container.
fn is_container(path: &str) -> bool {
    path.starts_with("images") && path.ends_with("uri")
}

#[test]
fn exports_are_deterministic_and_embedding_gives_one_file() {
    let Some(folder) = corpus() else { return };
    let source = Disk::open(&folder.join("gltf/bevy/animated/Fox.glb"));
    let scene = import(&source, &Context::new()).expect("readable");
    let export = || Glb.export(scene.clone(), "Fox", &Context::new()).expect("exportable")[0].content.to_vec();
    assert!(export() == export());
    let mut options = Value::Null;
    options.set("resources", "embedded");
    let context = Context::new().with_options(OPTIONS, options);
    let files = Gltf.export(scene.clone(), "Fox", &context).expect("exportable");
    assert_eq!(files.len(), 1);
    let again = import(&source_of(&files), &Context::new()).expect("readable");
    let image = |scene: &Scene| scene.images[Id::new(0)].bytes.clone();
    assert_eq!(image(&scene), image(&again));
    assert!(image(&again).is_some());
    let files = Gltf.export(scene, "Fox", &Context::new()).expect("exportable");
    let names: Vec<_> = files.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["Fox.gltf", "Fox.bin", "image0.png"]);
}

/// What users attached stands in the extras of its element, beside what the file had there; a list leaves no room.
#[test]
fn what_users_attached_becomes_extras() {
    let object = |members: &[(&str, i64)]| {
        Value::Object(members.iter().map(|(name, value)| ((*name).to_owned(), Value::Int(*value))).collect())
    };
    let mut scene = Scene::default();
    let mut node = |kept: Option<Value>, name: &str| {
        let mut node = Node::new(name);
        node.extras.set(USER, object(&[("health", 7), ("kept", 2)]));
        node.extras.set_bookkeeping("tool.row", 3);
        kept.into_iter().for_each(|kept| node.extras.set(names::EXTRAS, kept));
        scene.add_node(node, None);
    };
    node(None, "plain");
    node(Some(object(&[("kept", 1)])), "both");
    node(Some(Value::Array(vec![1.into()])), "full");
    let mut material = Material::new("m");
    material.extras.set(USER, object(&[("friction", 1)]));
    scene.materials.push(material);
    scene.root_sets.push(RootSet::new("", scene.roots().collect()));
    let context = Context::new();
    let files = Glb.export(scene, "user", &context).expect("exportable");
    assert_eq!(context.report().count_of("gltf.extras-dropped"), 1, "{:?}", context.report());
    let again = import(&source_of(&files), &Context::new()).expect("readable");
    let extras = |node: usize| again.nodes.as_slice()[node].extras.get(names::EXTRAS).cloned();
    assert_eq!(extras(0), Some(object(&[("health", 7), ("kept", 2)])));
    assert_eq!(extras(1), Some(object(&[("kept", 1), ("health", 7)])));
    assert_eq!(extras(2), Some(Value::Array(vec![1.into()])));
    assert_eq!(again.materials.as_slice()[0].extras.get(names::EXTRAS), Some(&object(&[("friction", 1)])));
}
