//! Adds a format to a registry: `sticks`, a text of one joint a line, `NAME PARENT X Y Z`, `-` for no parent.
//!
//! `cargo run --example add_a_format` converts this project's sample to it and reads it back.
#![allow(clippy::print_stdout, reason = "a program for people at a terminal")]

use anyrig::bytes::{Code, Rope};
use anyrig::scene::glam::DVec3;
use anyrig::scene::{
    Capability, Document, ExportedFile, Exporter, Feature, FormatInfo, Hint, Importer, LocalTransform, Node, NodeId,
    Scene, Score, Space, Support, Trs, features, validate, walk,
};
use anyrig::{
    Context, ConvertRequest, Diagnostic, Error, MemorySource, Place, Registry, Report, Result, Severity, SharedBytes,
    Source,
};
use std::collections::BTreeMap;

/// The first line; a probe knows the format by it.
const HEADER: &str = "sticks 1";

const fn drops(feature: Feature, what_becomes_of_it: &'static str) -> Capability {
    Capability::new(feature, Support::Drops(what_becomes_of_it))
}

// Features without a row are held; a real format has a row for all that it cannot hold.
static STICKS: FormatInfo =
    FormatInfo::new("sticks", "Stick figures", &["sticks"]).with_versions("1").with_capabilities(&[
        drops(Feature::Meshes, "only joints are kept"),
        drops(Feature::Skins, "only joints are kept"),
        drops(Feature::Materials, "only joints are kept"),
        drops(Feature::Clips, "only the rest pose is kept"),
        drops(Feature::Cameras, "only their nodes are kept"),
        drops(Feature::Lights, "only their nodes are kept"),
    ]);

static DROPPED: Code = Code::new("sticks.dropped", Severity::Lost, "The format has no word for this.");

/// Reads and writes the format; a type without state is enough.
struct Sticks;

impl Importer for Sticks {
    fn info(&self) -> &'static FormatInfo {
        &STICKS
    }

    fn score(&self, head: &[u8], hint: Hint<'_>) -> Score {
        match head.starts_with(HEADER.as_bytes()) {
            true => Score::Certain,
            false if hint.extension == Some("sticks") => Score::Extension,
            false => Score::No,
        }
    }

    fn import(&self, source: &dyn Source, context: &Context) -> Result<Scene> {
        let mut scene = read(&text_of(source)?, context).map_err(|e| e.in_file(source.name()))?;
        // Every importer ends so: repairs go into the report, and later code indexes freely.
        validate(&mut scene, context);
        Ok(scene)
    }

    fn document(&self, source: &dyn Source, _context: &Context) -> Result<Box<dyn Document>> {
        text_of(source)?;
        Ok(Box::new(Text(source.bytes().clone())))
    }
}

impl Exporter for Sticks {
    fn info(&self) -> &'static FormatInfo {
        &STICKS
    }

    fn export(&self, scene: Scene, stem: &str, context: &Context) -> Result<Vec<ExportedFile>> {
        context.append(losses(&scene));
        let mut text = format!("{HEADER}\n");
        for id in walk::parents_first(&scene) {
            let node = &scene.nodes[id];
            let parent = node.parent.map_or_else(|| "-".to_owned(), |parent| name_of(&scene, parent));
            let DVec3 { x, y, z } = node.local.to_trs().translation;
            text.push_str(&format!("{} {parent} {x} {y} {z}\n", name_of(&scene, id)));
        }
        Ok(vec![ExportedFile::new(format!("{stem}.sticks"), text.into_bytes())])
    }

    fn verify(&self, _file_name: &str, source: &dyn Source, context: &Context) -> Result<()> {
        read(&text_of(source)?, context).map(|_| ())
    }
}

/// What sticks cannot hold.
fn losses(scene: &Scene) -> Report {
    let mut report = Report::default();
    for (feature, count) in features(scene) {
        if let Support::Drops(what) = STICKS.support(feature) {
            report.push(Diagnostic::new(&DROPPED, feature.to_string(), what).times(count));
        }
    }
    report
}

/// The byte-exact document of so small a format is its text.
struct Text(SharedBytes);

impl Document for Text {
    fn dialect(&self) -> String {
        HEADER.to_owned()
    }

    fn version(&self) -> String {
        "1".to_owned()
    }

    fn write(&self) -> Result<Rope> {
        Ok(self.0.clone().into())
    }
}

fn text_of(source: &dyn Source) -> Result<String> {
    let text = String::from_utf8(source.bytes().to_vec());
    text.map_err(|e| Error::malformed(Place::byte(e.utf8_error().valid_up_to() as u64), "the text is not UTF-8"))
}

/// Names that are one word and differ, since lines refer to parents by name.
fn name_of(scene: &Scene, id: NodeId) -> String {
    format!("{}#{}", scene.nodes[id].name.replace(char::is_whitespace, "_"), id.index())
}

fn read(text: &str, context: &Context) -> Result<Scene> {
    let mut lines = text.lines();
    if lines.next() != Some(HEADER) {
        return Err(Error::malformed(Place::whole(), format!("the first line is not `{HEADER}`")));
    }
    let mut scene = Scene::new(Space::GLTF);
    let mut known = BTreeMap::new();
    for (index, line) in lines.enumerate() {
        let number = index + 2;
        let place = || Place::element(format!("line {number}"));
        // Whatever a file may repeat is booked, so that limits hold.
        context.take_elements(1, place)?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, parent, x, y, z] = words[..] else {
            return Err(Error::malformed(place(), "a joint is `NAME PARENT X Y Z`"));
        };
        let parent = match parent {
            "-" => None,
            parent => Some(*known.get(parent).ok_or_else(|| {
                Error::malformed(place(), format!("{parent} is not known here; parents come before their children"))
            })?),
        };
        let [x, y, z] = [x, y, z].map(|number| number.parse::<f64>().ok());
        let (Some(x), Some(y), Some(z)) = (x, y, z) else {
            return Err(Error::malformed(place(), "a coordinate is not a number"));
        };
        let mut node = Node::new(name);
        node.local = LocalTransform::Trs(Trs { translation: DVec3::new(x, y, z), ..Trs::IDENTITY });
        known.insert(name, scene.add_node(node, parent));
    }
    Ok(scene)
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let mut registry = Registry::standard();
    registry.add_importer(Sticks);
    registry.add_exporter(Sticks);

    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/mannequin.glb");
    let source = MemorySource::new("mannequin.glb", std::fs::read(sample)?);
    let sticks = registry.convert(&source, &ConvertRequest::new("sticks"), &Context::new())?;
    for diagnostic in sticks.report.diagnostics() {
        println!("{diagnostic}");
    }

    let [file] = sticks.files.as_slice() else { return Err("one file was expected".into()) };
    print!("{}", String::from_utf8_lossy(&file.content.to_vec()));

    // Nothing names the format here: the registry knows it by its first line.
    let source = MemorySource::new("unnamed", file.content.to_shared());
    let scene = registry.load(&source, None, &Context::new())?;
    println!("{} joints came back", scene.nodes.len());
    Ok(())
}
