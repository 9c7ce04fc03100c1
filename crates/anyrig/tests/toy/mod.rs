//! A format of the tests: `TOY1` or `TOY2`, then a line `x y z` for each corner of the triangles.

use anyrig::bytes::{Code, Rope};
use anyrig::scene::{
    Capability, Document, Feature, Hint, Mesh, MeshInstance, Node, OptionSchema, Part, Score, Semantic, Stream, Support,
};
use anyrig::{
    Context, Error, ExportedFile, Exporter, FormatInfo, Importer, Place, Result, Scene, Severity, SharedBytes, Source,
};

const CAPABILITIES: &[Capability] = &[Capability::new(Feature::Clips, Support::Drops("toys stand still"))];

fn schema() -> String {
    r#"{"properties": {"scale": {"type": "number", "default": 1.0}}}"#.to_owned()
}

#[derive(serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Options {
    scale: f32,
}

impl Default for Options {
    fn default() -> Self {
        Self { scale: 1.0 }
    }
}

pub static TOY: FormatInfo = FormatInfo::new("toy", "Toy", &["toy"])
    .with_versions("1")
    .with_capabilities(CAPABILITIES)
    .with_options(OptionSchema::new("toy", schema));

pub static LOST: Code = Code::new("toy.lost", Severity::Lost, "A toy loses something.");

/// Reads and writes toys, badly where a test wants it.
#[derive(Clone, Copy, Default)]
pub struct Toy {
    /// Written files miss their last line.
    pub forgets: bool,
    /// Exporting tells of a loss.
    pub loses: bool,
    /// Written files have this name instead of their own.
    pub bad_name: Option<&'static str>,
}

fn corners(source: &dyn Source) -> Result<Vec<f32>> {
    let malformed = |what: &str| Error::malformed(Place::whole(), what);
    let text = std::str::from_utf8(source.bytes()).map_err(|_| malformed("no text"))?;
    let numbers = text.split_whitespace().skip(1).map(|w| w.parse::<f32>().map_err(|_| malformed("no number")));
    numbers.collect()
}

impl Importer for Toy {
    fn info(&self) -> &'static FormatInfo {
        &TOY
    }

    fn score(&self, head: &[u8], hint: Hint<'_>) -> Score {
        match (head.starts_with(b"TOY"), hint.extension) {
            (true, _) => Score::Certain,
            (false, Some("toy")) => Score::Extension,
            _ => Score::No,
        }
    }

    fn import(&self, source: &dyn Source, context: &Context) -> Result<Scene> {
        let values = corners(source)?;
        if source.name().contains("lossy") {
            context.tell(&LOST, "source", "was lossy");
        }
        let mut part = Part::default();
        part.point_count = (values.len() / 3) as u32;
        part.set_stream(Stream::new(Semantic::Position, 3, values));
        let mut mesh = Mesh::default();
        mesh.parts.push(part);
        let mut scene = Scene::default();
        let mut node = Node::new("toy");
        node.mesh = Some(MeshInstance::new(scene.meshes.push(mesh)));
        scene.add_node(node, None);
        Ok(scene)
    }

    fn document(&self, source: &dyn Source, _: &Context) -> Result<Box<dyn Document>> {
        Ok(Box::new(ToyDocument { bytes: source.bytes().clone(), beside: source.resolve("skin.png")? }))
    }
}

struct ToyDocument {
    bytes: SharedBytes,
    beside: Option<SharedBytes>,
}

impl Document for ToyDocument {
    fn dialect(&self) -> String {
        String::from_utf8_lossy(self.bytes.get(..4).unwrap_or_default()).into_owned()
    }

    fn version(&self) -> String {
        self.dialect().replace("TOY", "")
    }

    fn write(&self) -> Result<Rope> {
        Ok(self.bytes.clone().into())
    }

    fn attachments(&self) -> Vec<(String, SharedBytes)> {
        self.beside.iter().map(|b| ("skin.png".to_owned(), b.clone())).collect()
    }
}

impl Exporter for Toy {
    fn info(&self) -> &'static FormatInfo {
        &TOY
    }

    fn keeps(&self, source: &FormatInfo, dialect: &str) -> bool {
        source.id == "toy" && dialect == "TOY1"
    }

    fn export(&self, scene: Scene, stem: &str, context: &Context) -> Result<Vec<ExportedFile>> {
        let options: Options = context.options("toy")?;
        if self.loses {
            context.tell(&LOST, "colour", "toys are grey");
        }
        let points = scene.meshes.values().flat_map(|m| &m.parts).flat_map(Part::positions);
        let mut lines: Vec<String> = points.map(|p| p.map(|v| (v * options.scale).to_string()).join(" ")).collect();
        if self.forgets {
            lines.truncate(lines.len().saturating_sub(3));
        }
        let name = self.bad_name.map_or_else(|| format!("{stem}.toy"), str::to_owned);
        Ok(vec![ExportedFile::new(name, format!("TOY1\n{}\n", lines.join("\n")).into_bytes())])
    }

    fn verify(&self, _: &str, source: &dyn Source, _: &Context) -> Result<()> {
        let corners = corners(source)?.len();
        if corners % 9 == 0 { Ok(()) } else { Err(Error::truncated(Place::whole(), "no whole triangles")) }
    }
}
