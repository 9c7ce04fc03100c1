//! Memory by an allocator that counts: at most 64 MiB and sixteen times the file, whatever the file says. One test, since
//! others would be counted too.
#![allow(clippy::print_stdout)]

mod common;

use anyrig_bytes::{Context, SharedBytes};
use anyrig_fbx::{FbxDocument, import};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const FREE_BYTES: usize = 64 << 20;
const TIMES_FILE: usize = 16;

/// The most memory that reading and importing needs beyond what was there before.
fn peak(bytes: Vec<u8>) -> usize {
    let bytes = SharedBytes::from(bytes);
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let context = Context::new();
    if let Ok(document) = FbxDocument::read(&bytes, &context) {
        // Whether it succeeds is judged elsewhere.
        drop(import::import(&document, &context));
    }
    MEMORY.peak_usage().saturating_sub(before)
}

#[track_caller]
fn check(name: &str, bytes: Vec<u8>) -> f64 {
    let (len, peak) = (bytes.len(), peak(bytes));
    let allowed = FREE_BYTES + TIMES_FILE * len;
    assert!(peak <= allowed, "{name}: {peak} bytes for a file of {len}");
    peak as f64 / allowed as f64
}

const HEAD: &str = "; FBX 7.4.0 project file\nObjects: {\n";

/// Texts that say as much as possible in few bytes.
fn bombs() -> Vec<(&'static str, String)> {
    let many = |count: usize, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
    let objects = |class: &str, rest: &str| {
        format!("{HEAD}{}}}\n", many(300_000, &|i| format!("{class}:{},\"\",\"\"{rest}\n", i + 1)))
    };
    let all_shown = |children: usize, parents: usize, class: &str, rest: &str| {
        let list = many(children, &|i| format!("{class}:{},\"\",\"{rest}\"\n", i + 1));
        let models = many(parents, &|i| format!("Model:{},\"\",\"\"\n", i + 1_000_000));
        let links =
            many(children.max(parents), &|i| format!("C:\"OO\",{},{}\n", i % children + 1, i % parents + 1_000_000));
        format!("{HEAD}{list}{models}}}\nConnections: {{\n{links}}}\n")
    };
    let mesh = "Geometry:1,\"\",\"Mesh\"{Vertices:0,0,0,1,0,0,0,1,0\nPolygonVertexIndex:0,1,-3}\n";
    let clusters = many(3000, &|i| format!("Deformer:{},\"\",\"Cluster\"{{Indexes:0\nWeights:1}}\n", i + 10));
    let shown = many(3000, &|i| format!("Model:{},\"\",\"\"\n", i + 100_000));
    let links = many(3000, &|i| format!("C:\"OO\",{0},2\nC:\"OO\",{1},{0}\nC:\"OO\",1,{1}\n", i + 10, i + 100_000));
    let skins = format!(
        "{HEAD}{mesh}Deformer:2,\"\",\"Skin\"\n{clusters}{shown}}}\nConnections: {{\nC:\"OO\",2,1\n{links}}}\n"
    );
    let worn = many(3000, &|i| format!("Material:{},\"\",\"\"\n", i + 10));
    let wearing = many(3000, &|i| format!("C:\"OO\",{},1\nC:\"OO\",1,{}\n", i + 10, i + 100_000));
    let clothes = format!("{HEAD}{mesh}{worn}{shown}}}\nConnections: {{\n{wearing}}}\n");
    let channels = many(3000, &|i| format!("Deformer:{},\"\",\"BlendShapeChannel\"\n", i + 10));
    let targets = many(3000, &|i| format!("Geometry:{},\"\",\"Shape\"{{Indexes:0\nVertices:1,0,0}}\n", i + 20_000));
    let moving =
        many(3000, &|i| format!("C:\"OO\",{0},2\nC:\"OO\",{1},{0}\nC:\"OO\",1,{2}\n", i + 10, i + 20_000, i + 100_000));
    let shapes = format!(
        "{HEAD}{mesh}Deformer:2,\"\",\"BlendShape\"\n{channels}{targets}{shown}}}\nConnections: {{\nC:\"OO\",2,1\n{moving}}}\n"
    );
    let faces = format!(
        "{HEAD}Geometry:1,\"\",\"Mesh\"{{Vertices:*9{{a:0,0,0,1,0,0,0,1,0}}\nPolygonVertexIndex:*9{{a:{}}}}}\nModel:2,\"\",\"\"}}\nConnections: {{C:\"OO\",1,2}}\n",
        "0,1,-3,".repeat(1_000_000)
    );
    vec![
        ("nodes", format!("{HEAD}}}\n{}", "a:".repeat(5_000_000))),
        ("values", format!("{HEAD}a:{}0}}\n", "0,".repeat(5_000_000))),
        ("lists", format!("{HEAD}{}}}\n", "a:{}".repeat(2_000_000))),
        ("models", objects("Model", "")),
        ("materials", objects("Material", "")),
        ("textures", objects("Texture", "{FileName:\"a\"}")),
        ("curves", objects("AnimationCurve", "")),
        ("layers", objects("AnimationStack", "")),
        ("constraints", objects("Constraint", "")),
        ("instances", all_shown(1, 200_000, "Geometry", "Mesh")),
        ("wardrobes", all_shown(2000, 2000, "Material", "")),
        ("skins", skins),
        ("clothes", clothes),
        ("faces of many", shapes),
        ("faces", faces),
    ]
}

#[test]
fn memory_is_bounded_by_the_size_of_the_file() {
    let mut most = (0.0, String::new());
    let mut look = |name: &str, bytes: Vec<u8>| {
        let share = check(name, bytes);
        if share > most.0 {
            most = (share, name.to_owned());
        }
        share
    };
    for (name, text) in bombs() {
        let share = look(name, text.into_bytes());
        println!("{name}: {:.0} % of what is allowed", share * 100.0);
    }
    let mut files = 0;
    for sample in common::corpus() {
        look(&sample.name, sample.bytes);
        files += 1;
    }
    println!("{files} files, at most {:.0} % of what is allowed: {}", most.0 * 100.0, most.1);
}
