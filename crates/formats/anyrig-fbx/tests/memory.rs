//! Memory by an allocator that counts: at most 64 MiB and sixteen times the file, whatever the file says. One test, since
//! others would be counted too.
#![allow(clippy::print_stdout)]

mod common;

use anyrig_bytes::{Context, ErrorKind, Result, SharedBytes};
use anyrig_fbx::{FbxDocument, import};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const FREE_BYTES: usize = 64 << 20;
const TIMES_FILE: usize = 16;

/// The most memory that reading and importing needs beyond what was there before, and whether it succeeded.
fn peak(bytes: Vec<u8>) -> (usize, Result<()>) {
    let bytes = SharedBytes::from(bytes);
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let context = Context::new();
    let read = FbxDocument::read(&bytes, &context);
    let result = read.and_then(|document| import::import(&document, &context).map(drop));
    (MEMORY.peak_usage().saturating_sub(before), result)
}

/// What share of the allowed memory a file takes, and whether it was read.
#[track_caller]
fn check(name: &str, bytes: Vec<u8>) -> (f64, Result<()>) {
    let len = bytes.len();
    let (peak, result) = peak(bytes);
    let allowed = FREE_BYTES + TIMES_FILE * len;
    assert!(peak <= allowed, "{name}: {peak} bytes for a file of {len}");
    (peak as f64 / allowed as f64, result)
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

fn layer(element: &str, mapping: &str, rest: &str) -> String {
    format!("{element}:0{{MappingInformationType:\"{mapping}\"\n{rest}}}\n")
}

/// A mesh of triangles between three points, at a model that wears so many materials.
fn clad(triangles: usize, layers: &str, materials: usize) -> String {
    let indexes = "0,1,-3,".repeat(triangles - 1);
    let mesh = format!(
        "Geometry:1,\"\",\"Mesh\"{{Vertices:0,0,0,1,0,0,0,1,0\nPolygonVertexIndex:*9{{a:{indexes}0,1,-3}}\n{layers}}}\n"
    );
    let worn = many(materials, &|i| format!("Material:{},\"\",\"\"\n", i + 10));
    let wired = many(materials, &|i| format!("C:\"OO\",{},2\n", i + 10));
    file(&format!("{mesh}Model:2,\"\",\"\"\n{worn}"), &format!("C:\"OO\",1,2\n{wired}"))
}

/// Layers of a mesh that multiply with its corners and parts, and lists whose entries are larger than their spelling.
fn layers() -> Vec<(&'static str, String)> {
    let ones = |count: usize| "1,".repeat(count);
    let edges = 1_500_000;
    let points = 1_000_000;
    let slots = layer("LayerElementMaterial", "ByPolygon", &format!("Materials:{}0", many(1500, &|i| format!("{i},"))));
    vec![
        ("colours of many corners", {
            let color = layer("LayerElementColor", "ByPolygon", "Colors:0,0,0,0");
            clad(8000, &color.repeat(1500), 0)
        }),
        ("parts of many columns", {
            let uvs = many(1500, &|i| layer("LayerElementUV", "AllSame", &format!("Name:\"{i}\"\nUV:0,0")));
            clad(1500, &format!("{slots}{uvs}"), 1500)
        }),
        ("creased edges", {
            let creases = layer("LayerElementEdgeCrease", "ByEdge", &format!("EdgeCrease:*9{{a:{}1}}", ones(edges)));
            clad(1, &format!("Edges:*9{{a:{}0}}\n{creases}", "0,".repeat(edges)), 0)
        }),
        ("creased points", {
            let creases = format!("VertexCrease:*9{{a:{}1}}", ones(points));
            let creases = layer("LayerElementVertexCrease", "ByVertice", &creases);
            let vertices = "0,0,0,".repeat(points);
            let mesh = format!("Vertices:*9{{a:{vertices}0,0,0}}\nPolygonVertexIndex:0,1,-3\n{creases}");
            file(&format!("Geometry:1,\"\",\"Mesh\"{{{mesh}}}\nModel:2,\"\",\"\"\n"), "C:\"OO\",1,2\n")
        }),
        ("blended skins", {
            let weights = ones(2_000_000);
            let skin =
                format!("Deformer:3,\"\",\"Skin\"{{SkinningType:\"Blend\"\nBlendWeights:*9{{a:0,{weights}1}}}}\n");
            let objects = format!(
                "Geometry:1,\"\",\"Mesh\"{TRIANGLE}Model:2,\"\",\"\"\nModel:5,\"\",\"\"\n{skin}\
                 Deformer:4,\"\",\"Cluster\"{{Indexes:0\nWeights:1}}\n"
            );
            file(&objects, "C:\"OO\",1,2\nC:\"OO\",3,1\nC:\"OO\",4,3\nC:\"OO\",5,4\n")
        }),
    ]
}

/// An implementation with a table of so many entries, and materials that name it.
fn table(entries: usize) -> String {
    let entry = |i: usize| format!("Entry:\"a{i}\",\"FbxPropertyEntry\",\"b\",\"FbxSemanticEntry\"\n");
    format!("BindingTable:2,\"\",\"\"{{\n{}}}\n", many(entries, &entry))
}

fn implementations(count: usize) -> String {
    many(count, &|i| format!("Implementation:{},\"\",\"\"\n", i + 10_000))
}

fn materials(count: usize) -> String {
    many(count, &|i| format!("Material:{},\"\",\"\"\n", i + 20_000))
}

/// Texts and tables that many textures, materials and meshes share.
fn shared_texts() -> Vec<(&'static str, String)> {
    let long = "n".repeat(200_000);
    let set = |name: &str| {
        let uv_set = format!("Properties70:{{P:\"UVSet\",\"KString\",\"\",\"\",\"{name}\"}}");
        format!("Texture:1,\"\",\"\"{{RelativeFilename:\"a\"\n{uv_set}}}\n")
    };
    let painted = |count: usize| many(count, &|i| format!("C:\"OP\",1,{},\"DiffuseColor\"\n", i + 20_000));
    vec![
        ("video of many textures", {
            let textures = many(1000, &|i| format!("Texture:{},\"\",\"\"{{RelativeFilename:\"{i}\"}}\n", i + 10_000));
            let wired =
                many(1000, &|i| format!("C:\"OO\",1,{0}\nC:\"OP\",{0},{1},\"DiffuseColor\"\n", i + 10_000, i + 20_000));
            let video = format!("Video:1,\"{long}\",\"\"{{Filename:\"{long}\"}}\n");
            file(&format!("{video}{textures}{}", materials(1000)), &wired)
        }),
        ("set of many materials", file(&format!("{}{}", set(&long), materials(1000)), &painted(1000))),
        ("set of many meshes", {
            // Looking for the name costs its length each time.
            let uv = layer("LayerElementUV", "AllSame", "Name:\"a\"\nUV:0,0");
            let mesh = format!("{{Vertices:0,0,0,1,0,0,0,1,0\nPolygonVertexIndex:0,1,-3\n{uv}}}\n");
            let meshes = many(200, &|i| format!("Geometry:{},\"\",\"Mesh\"{mesh}", i + 10));
            let shown = many(200, &|i| format!("C:\"OO\",{},2\n", i + 10));
            let worn = many(100, &|i| format!("C:\"OO\",{},2\n", i + 20_000));
            let objects = format!("{}Model:2,\"\",\"\"\n{meshes}{}", set(&"n".repeat(50_000)), materials(100));
            file(&objects, &format!("{shown}{worn}{}", painted(100)))
        }),
        ("table of many implementations", {
            let wired = many(500, &|i| format!("C:\"OO\",2,{0}\nC:\"OO\",{0},{1}\n", i + 10_000, i + 20_000));
            file(&format!("{}{}{}", table(2000), implementations(500), materials(500)), &wired)
        }),
    ]
}

/// What many share and what is read once for all of them.
fn read_once() -> Vec<(&'static str, String)> {
    vec![("implementation of many materials", {
        let wired = many(1000, &|i| format!("C:\"OO\",10000,{}\n", i + 20_000));
        let objects = format!("{}{}{}", table(1000), implementations(1), materials(1000));
        file(&objects, &format!("C:\"OO\",2,10000\n{wired}"))
    })]
}

#[test]
fn memory_is_bounded_by_the_size_of_the_file() {
    let mut most = (0.0, String::new());
    let mut look = |name: &str, bytes: Vec<u8>| {
        let (share, result) = check(name, bytes);
        if share > most.0 {
            most = (share, name.to_owned());
        }
        result
    };
    for (name, text) in bombs().into_iter().chain(repetitions()).chain(motions()) {
        // Whether it succeeds is judged elsewhere.
        drop(look(name, text.into_bytes()));
    }
    // Also a bound on work, which no clock is needed for.
    for (name, text) in layers().into_iter().chain(shared_texts()) {
        let error = look(name, text.into_bytes()).expect_err(name);
        assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{name}: {error}");
        assert!(!error.place().is_empty(), "{name} is refused without a place");
    }
    for (name, text) in read_once() {
        look(name, text.into_bytes()).expect(name);
    }
    let mut files = 0;
    for sample in common::corpus() {
        drop(look(&sample.name, sample.bytes));
        files += 1;
    }
    println!("{files} files, at most {:.0} % of what is allowed: {}", most.0 * 100.0, most.1);
}
