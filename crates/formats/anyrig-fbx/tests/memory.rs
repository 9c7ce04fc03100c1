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

fn many(count: usize, line: &dyn Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

fn file(objects: &str, links: &str) -> String {
    format!("{HEAD}{objects}}}\nConnections: {{\n{links}}}\n")
}

const TRIANGLE: &str = "{Vertices:0,0,0,1,0,0,0,1,0\nPolygonVertexIndex:0,1,-3}\n";

/// Few bytes that name something large again and again: without a bound they need gigabytes, or minutes.
fn repetitions() -> Vec<(&'static str, String)> {
    let long = "n".repeat(200_000);
    let links = |count: usize, link: &dyn Fn(usize) -> String| many(count, &|i| format!("C:{}\n", link(i)));
    let named = |class: &str, sort: &str| format!("{class}:1,\"\",\"{sort}\"\nModel:2,\"{long}\",\"\"\n");
    let into_one = |count: usize| links(count, &|_| "\"OO\",2,1".to_owned());
    let roles = links(2000, &|i| format!("\"OP\",2,1,\"{}\"", i % 2));
    let numbers = "0,".repeat(100_000);
    let picked = format!(
        "SelectionNode:1,\"\",\"\"{{VertexIndexArray:*100000{{a:{numbers}0}}}}\n{}",
        many(2000, &|i| format!("SelectionSet:{},\"\",\"\"\n", i + 10))
    );
    let group = format!(
        "NodeAttribute:1,\"\",\"LodGroup\"{{Properties70:{{P:\"a\",\"\",\"\",\"\",\"{long}\"}}}}\n{}",
        many(2000, &|i| format!("Model:{},\"\",\"\"\n", i + 10))
    );
    let each = |count: usize| links(count, &|i| format!("\"OO\",1,{}", i + 10));
    let user = format!("Model:1,\"\",\"\"{{Properties70:{{P:\"a\",\"\",\"\",\"U\",{}0}}}}\n", "0,".repeat(5_000_000));
    vec![
        ("members", file(&named("SelectionSet", ""), &into_one(2000))),
        ("layered models", file(&named("CollectionExclusive", ""), &into_one(2000))),
        ("roles", file(&named("Constraint", ""), &roles)),
        ("selections", file(&picked, &each(2000))),
        ("levels", file(&group, &each(2000))),
        ("cameras", file(&named("NodeAttribute", "Camera"), &links(300_000, &|_| "\"OO\",1,2".to_owned()))),
        ("many cameras", {
            let cameras = many(2000, &|i| format!("NodeAttribute:{},\"\",\"Camera\"\n", i + 10));
            file(&format!("Model:1,\"{long}\",\"\"\n{cameras}"), &links(2000, &|i| format!("\"OO\",{},1", i + 10)))
        }),
        ("meshes", {
            let meshes = many(2000, &|i| format!("Geometry:{},\"\",\"Mesh\"{TRIANGLE}", i + 10));
            file(&format!("Model:1,\"{long}\",\"\"\n{meshes}"), &links(2000, &|i| format!("\"OO\",{},1", i + 10)))
        }),
        ("user values", file(&user, "")),
        ("unused textures", {
            let texture = format!("Texture:1,\"\",\"\"{{RelativeFilename:\"{long}\"}}\nMaterial:2,\"\",\"\"\n");
            file(&texture, &links(5000, &|i| format!("\"OP\",1,2,\"p{i}\"")))
        }),
        ("children", {
            let children = "\"a\",".repeat(1_500_000);
            format!("; FBX 5.0.0 project file\nVersion: 5000\nModel:\"a\"{{Type:\"Null\"\nChildren:{children}\"a\"}}\n")
        }),
        ("sections", format!("{HEAD}}}\n{}", "Connections:{C:\"OO\",0,0}\n".repeat(300_000))),
    ]
}

/// From so many keys on they are as short as can be.
const PLAIN: usize = 100_000;

fn keys(count: usize) -> String {
    let times = if count > PLAIN { "0,".repeat(count) } else { many(count, &|i| format!("{i},")) };
    let values = if count > PLAIN { "0,".repeat(count) } else { many(count, &|i| format!("{},", i % 2 * 9999)) };
    format!(
        "KeyTime:*9{{a:{times}}}\nKeyValueFloat:*9{{a:{values}}}\nKeyAttrFlags:*1{{a:8}}\n\
         KeyAttrDataFloat:*4{{a:0,0,0,0}}\nKeyAttrRefCount:*1{{a:{count}}}"
    )
}

fn curve(id: usize, count: usize) -> String {
    format!("AnimationCurve:{id},\"\",\"\"{{{}}}\n", keys(count))
}

const STACK: &str = "AnimationStack:1,\"\",\"\"\nAnimationLayer:2,\"\",\"\"\n";

fn targets(count: usize) -> String {
    many(count, &|i| format!("Geometry:{},\"\",\"Shape\"{{Indexes:0\nVertices:1,0,0}}\n", i + 100))
}

/// A channel of so many shapes, moved by steep keys.
fn inbetweens(shapes: usize, steep: usize) -> String {
    let full = many(shapes, &|i| format!("{},", i + 1));
    let objects = format!(
        "{STACK}Geometry:3,\"\",\"Mesh\"{TRIANGLE}Model:4,\"\",\"\"\nDeformer:6,\"\",\"BlendShape\"\n\
         Deformer:7,\"\",\"BlendShapeChannel\"{{FullWeights:*9{{a:{full}}}}}\nAnimationCurveNode:8,\"\",\"\"\n\
         {}{}",
        targets(shapes),
        curve(5, steep)
    );
    let links = many(shapes, &|i| format!("C:\"OO\",{},7\n", i + 100));
    let wired = "C:\"OO\",2,1\nC:\"OO\",3,4\nC:\"OO\",6,3\nC:\"OO\",7,6\nC:\"OO\",8,2\n\
                 C:\"OP\",8,7,\"DeformPercent\"\nC:\"OP\",5,8,\"d|DeformPercent\"\n";
    file(&objects, &format!("{wired}{links}"))
}

/// The same of what moves and deforms.
fn motions() -> Vec<(&'static str, String)> {
    let links = |count: usize, link: &dyn Fn(usize) -> String| many(count, &|i| format!("C:{}\n", link(i)));
    let weights = "1,".repeat(50_000);
    let zeros = "0,".repeat(50_000);
    let deltas = "0,0,1,".repeat(50_000);
    let (stack, targets) = (STACK, targets(1000));
    vec![
        ("plain keys", {
            let nodes = "AnimationCurveNode:3,\"\",\"\"\nModel:4,\"\",\"\"\n";
            let wired = "C:\"OO\",2,1\nC:\"OO\",3,2\nC:\"OP\",3,4,\"Lcl Translation\"\nC:\"OP\",5,3,\"d|X\"\n";
            file(&format!("{stack}{nodes}{}", curve(5, 3_000_000)), wired)
        }),
        ("curves that are shared", {
            let nodes = many(2000, &|i| format!("AnimationCurveNode:{},\"\",\"\"\n", i + 10));
            let wired = links(2000, &|i| {
                format!("\"OO\",{0},2\nC:\"OP\",{0},4,\"Lcl Translation\"\nC:\"OP\",5,{0},\"d|X\"", i + 10)
            });
            let model = "Model:4,\"\",\"\"\n";
            file(&format!("{stack}{model}{nodes}{}", curve(5, 50_000)), &format!("C:\"OO\",2,1\n{wired}"))
        }),
        ("properties of one curve", {
            let named = format!("Video:4,\"{}\",\"\"\n", "n".repeat(100_000));
            let wired = links(3000, &|i| format!("\"OP\",3,4,\"p{i}\""));
            let nodes = "AnimationCurveNode:3,\"\",\"\"\n";
            let rest = "C:\"OO\",2,1\nC:\"OO\",3,2\nC:\"OP\",5,3,\"d|X\"\n";
            file(&format!("{stack}{nodes}{named}{}", curve(5, 1)), &format!("{rest}{wired}"))
        }),
        ("stacks of one layer", {
            let stacks = many(3000, &|i| format!("AnimationStack:{},\"\",\"\"\n", i + 10));
            let nodes = many(3000, &|i| format!("AnimationCurveNode:{},\"\",\"\"\n", i + 10_000));
            let wired = links(3000, &|i| {
                format!("\"OO\",2,{0}\nC:\"OO\",{1},2\nC:\"OP\",{1},4,\"Visibility\"", i + 10, i + 10_000)
            });
            file(&format!("AnimationLayer:2,\"\",\"\"\nModel:4,\"\",\"\"\n{stacks}{nodes}"), &wired)
        }),
        ("ranges of takes", {
            let stacks = many(25_000, &|i| format!("AnimationStack:{},\"s\",\"\"\n", i + 10));
            let takes = many(60_000, &|i| format!("Take:\"t{i}\"{{}}\n"));
            format!("{}Takes:{{\n{takes}}}\n", file(&stacks, ""))
        }),
        ("sorts of templates", {
            let templates = many(60_000, &|i| format!("PropertyTemplate:\"t{i}\"{{}}\n"));
            let definitions = format!("Definitions:{{ObjectType:\"Geometry\"{{\n{templates}}}}}\n");
            let objects = many(15_000, &|i| format!("Geometry:{},\"\",\"s\"\n", i + 10));
            format!("; FBX 7.4.0 project file\n{definitions}Objects:{{\n{objects}}}\n")
        }),
        ("in-between shapes", inbetweens(1000, 3000)),
        ("in-between shapes of many keys", inbetweens(2, 20_000)),
        ("shapes that are shared", {
            let each = many(50_000, &|i| format!("{i},"));
            let shape = format!("Geometry:5,\"\",\"Shape\"{{Indexes:*9{{a:{each}}}\nVertices:*9{{a:{deltas}}}}}\n");
            let channels = many(1000, &|i| format!("Deformer:{},\"\",\"BlendShapeChannel\"\n", i + 100));
            let mesh = format!(
                "Geometry:3,\"\",\"Mesh\"{{Vertices:*9{{a:{deltas}}}\nPolygonVertexIndex:0,1,-3}}\nModel:4,\"\",\"\"\n\
                 Deformer:6,\"\",\"BlendShape\"\n"
            );
            let wired = links(1000, &|i| format!("\"OO\",5,{0}\nC:\"OO\",{0},6", i + 100));
            file(&format!("{mesh}{shape}{channels}"), &format!("C:\"OO\",3,4\nC:\"OO\",6,3\n{wired}"))
        }),
        ("parts of shapes", {
            let faces = "0,1,-3,".repeat(2000);
            let slots = many(2000, &|i| format!("{i},"));
            let mesh = format!(
                "Geometry:3,\"\",\"Mesh\"{{Vertices:0,0,0,1,0,0,0,1,0\nPolygonVertexIndex:*9{{a:{faces}}}\n\
                 LayerElementMaterial:0{{MappingInformationType:\"ByPolygon\"\nMaterials:*9{{a:{slots}}}}}}}\n"
            );
            let materials = many(2000, &|i| format!("Material:{},\"\",\"\"\n", i + 10_000));
            let worn = links(2000, &|i| format!("\"OO\",{},4", i + 10_000));
            let channels = many(1000, &|i| format!("Deformer:{},\"\",\"BlendShapeChannel\"\n", i + 2000));
            let moving = links(1000, &|i| format!("\"OO\",{0},{1}\nC:\"OO\",{1},6", i + 100, i + 2000));
            let objects =
                format!("{mesh}{materials}Model:4,\"\",\"\"\nDeformer:6,\"\",\"BlendShape\"\n{channels}{targets}");
            file(&objects, &format!("C:\"OO\",3,4\nC:\"OO\",6,3\n{worn}{moving}"))
        }),
        ("skins that are shared", {
            let skin = format!(
                "Deformer:2,\"\",\"Skin\"\nDeformer:3,\"\",\"Cluster\"{{Indexes:*9{{a:{zeros}}}\nWeights:*9{{a:{weights}}}}}\n"
            );
            let bones = "Model:4,\"\",\"\"\nModel:5,\"\",\"\"\n";
            let meshes = many(2000, &|i| format!("Geometry:{},\"\",\"Mesh\"{TRIANGLE}", i + 10));
            let wired = links(2000, &|i| format!("\"OO\",2,{0}\nC:\"OO\",{0},5", i + 10));
            file(&format!("{skin}{bones}{meshes}"), &format!("C:\"OO\",3,2\nC:\"OO\",4,3\n{wired}"))
        }),
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
    for (name, text) in bombs().into_iter().chain(repetitions()).chain(motions()) {
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
