//! `anyrig inspect`.

use crate::args::{FileArgs, Global, InspectArgs};
use crate::failure::{Exit, Result};
use crate::motions::Motions;
use crate::rewrite::open_one;
use crate::source::FileSource;
use crate::ui::{Ink, Ui, clean, plural, size, table};
use anyrig::inspect::{
    CurveInfo, DomLine, IndexTable, Inspection, MeshChoice, MeshInfo, NodeInfo, Range, VertexTable, curves, dom,
    indices, vertices,
};
use anyrig::{Context, inspect, load};
use serde_json::json;

/// Deeper nodes are not indented further.
const DEEPEST_INDENT: usize = 40;

/// Elements of an array that the file's own tree shows: as many as a matrix has.
const DOM_ELEMENTS: usize = 16;

/// Runs the command.
pub fn run(args: &InspectArgs, global: &Global, ui: Ui) -> Result<Exit> {
    let (source, context) = opened(&args.file, global)?;
    if args.dom {
        let lines = dom(&source, args.file.from.as_deref(), DOM_ELEMENTS, &context)?;
        let indented =
            |line: &DomLine| format!("{}{}\n", "  ".repeat(line.depth.min(DEEPEST_INDENT)), clean(&line.text));
        ui.out(&lines.iter().map(indented).collect::<String>());
        return Ok(Exit::Done);
    }
    if args.vertices.is_some() || args.indices.is_some() || args.curves {
        let scene = load(&source, args.file.from.as_deref(), &context)?;
        ui.out(&query(args, &scene)?);
        return Ok(Exit::Done);
    }
    let inspection = inspect(&source, args.file.from.as_deref(), &context)?;
    let text = if args.json { json_of(&inspection) } else { text(&inspection, ui) };
    ui.out(&text);
    if !args.json {
        ui.err(&ui.report_lines(&inspection.report));
    }
    Ok(Exit::Done)
}

/// A file with the motions that go with it, and a context that has them.
pub fn opened(file: &FileArgs, global: &Global) -> Result<(FileSource, Context)> {
    let most = global.limits.limits().input_bytes;
    let source = open_one(&file.input, most)?;
    let motions = Motions::of_one(file.motion.choice(), &file.input, &source, file.from.as_deref(), most)?;
    let context = motions.attach(global.context());
    Ok((source, context))
}

fn query(args: &InspectArgs, scene: &anyrig::Scene) -> Result<String> {
    let choice = MeshChoice::new(args.mesh.clone(), args.part);
    if let Some(range) = &args.vertices {
        let found = vertices(scene, &choice, range.parse::<Range>()?)?;
        return Ok(if args.json { json_of(&found) } else { vertex_text(&found) });
    }
    if let Some(range) = &args.indices {
        let found = indices(scene, &choice, range.parse::<Range>()?)?;
        return Ok(if args.json { json_of(&found) } else { index_text(&found) });
    }
    let found = curves(scene, args.bone.as_deref())?;
    Ok(if args.json { json_of(&found) } else { curve_text(&found) })
}

pub fn json_of(value: &impl serde::Serialize) -> String {
    format!("{:#}\n", json!(value))
}

fn text(i: &Inspection, ui: Ui) -> String {
    let mut text = format!("{}: {} ({}), {}\n", ui.ink(Ink::Bold, &i.file), i.format_name, i.format, size(i.bytes));
    let version = if i.version.is_empty() { "not stated" } else { &i.version };
    text += &format!("  version {version}, {}\n", i.dialect);
    let s = &i.space;
    text += &format!("  {} up, {} front, {}-handed, {} m per unit\n", s.up, s.front, s.handedness, s.metres_per_unit);
    if let Some(b) = i.bounds {
        text += &format!("  from {} to {}\n", numbers(b.min), numbers(b.max));
    }
    text += &section(ui, "Counts");
    text += &counts(i);
    text += &section(ui, "Tree");
    for node in &i.tree {
        text += &tree_line(node);
    }
    text += &lists(i, ui);
    text
}

fn section(ui: Ui, title: &str) -> String {
    format!("\n{}\n", ui.ink(Ink::Bold, title))
}

fn counts(i: &Inspection) -> String {
    let c = i.counts;
    let all = [
        (c.nodes, "nodes"),
        (c.meshes, "meshes"),
        (c.parts, "parts"),
        (c.vertices, "vertices"),
        (c.triangles, "triangles"),
        (c.joints, "joints"),
        (c.skins, "skins"),
        (c.clips, "clips"),
        (c.materials, "materials"),
        (c.textures, "textures"),
        (c.images, "images"),
        (c.morph_targets, "morph targets"),
        (c.cameras, "cameras"),
        (c.lights, "lights"),
    ];
    let rows: Vec<_> = all.iter().map(|(n, what)| vec![format!("  {what}"), n.to_string()]).collect();
    table(&rows)
}

fn tree_line(node: &NodeInfo) -> String {
    let mut marks = Vec::new();
    marks.extend(node.mesh.map(|m| format!("mesh {m}")));
    marks.extend(node.skin.map(|s| format!("skin {s}")));
    marks.extend(node.joint.then(|| "joint".to_owned()));
    marks.extend(node.camera.then(|| "camera".to_owned()));
    marks.extend(node.light.then(|| "light".to_owned()));
    marks.extend(node.instances.map(|n| plural(n, "instance")));
    marks.extend((node.visibility == "hidden").then(|| "hidden".to_owned()));
    let marks = if marks.is_empty() { String::new() } else { format!("  [{}]", marks.join(", ")) };
    format!("  {}{}{marks}\n", "  ".repeat(node.depth.min(DEEPEST_INDENT)), named(&node.name))
}

fn lists(i: &Inspection, ui: Ui) -> String {
    let sections = [
        ("Bones", bones(i)),
        ("Meshes", i.meshes.iter().enumerate().map(|(n, mesh)| mesh_text(n, mesh)).collect()),
        ("Clips", clips(i)),
        ("Materials", materials(i)),
        ("Material variants", rows(&i.variants, |name| vec![named(name)])),
        ("Images", images(i)),
    ];
    let shown = sections.into_iter().filter(|(_, text)| !text.is_empty());
    shown.map(|(title, text)| section(ui, title) + &text).collect()
}

/// A table with a numbered line for each item.
fn rows<T>(items: &[T], cells: impl Fn(&T) -> Vec<String>) -> String {
    let numbered = |(n, item): (usize, &T)| [vec![format!("  {n}")], cells(item)].concat();
    table(&items.iter().enumerate().map(numbered).collect::<Vec<_>>())
}

fn bones(i: &Inspection) -> String {
    let parent = |p: Option<usize>| p.and_then(|p| i.bones.get(p)).map_or("-".to_owned(), |b| named(&b.name));
    rows(&i.bones, |b| vec![named(&b.name), format!("parent {}", parent(b.parent)), numbers(b.position)])
}

fn clips(i: &Inspection) -> String {
    rows(&i.clips, |c| {
        let what = format!("{}, {}", plural(c.channels, "curve"), plural(c.keys, "key"));
        vec![named(&c.name), format!("{} s", c.seconds), format!("{} moved", plural(c.nodes, "node")), what]
    })
}

fn materials(i: &Inspection) -> String {
    rows(&i.materials, |m| {
        let textures: Vec<_> = m.textures.iter().map(|(role, t)| format!("{role} texture {t}")).collect();
        let mut marks = vec![m.alpha.to_owned()];
        marks.extend(m.double_sided.then(|| "double-sided".to_owned()));
        marks.extend(m.unlit.then(|| "unlit".to_owned()));
        marks.extend(m.parts.iter().map(|part| (*part).to_owned()));
        vec![named(&m.name), marks.join(", "), textures.join(", ")]
    })
}

fn images(i: &Inspection) -> String {
    rows(&i.images, |image| {
        let bytes = image.bytes.map_or("not found".to_owned(), |b| size(b as u64));
        let place = image.uri.clone().unwrap_or_else(|| "embedded".to_owned());
        let kind = image.media_type.clone().unwrap_or_else(|| "unknown type".to_owned());
        vec![named(&image.name), kind, bytes, place]
    })
}

fn mesh_text(index: usize, mesh: &MeshInfo) -> String {
    let mut text = format!("  {index} {}\n", named(&mesh.name));
    for (n, part) in mesh.parts.iter().enumerate() {
        let list = if part.indexed {
            plural(part.indices, "index").replace("indexs", "indices")
        } else {
            "unindexed".to_owned()
        };
        let joints = if part.max_influences > 0 {
            format!(", up to {} a vertex", plural(part.max_influences, "joint"))
        } else {
            String::new()
        };
        let attributes = part.attributes.join(" ");
        let vertices = if part.vertices == 1 { "1 vertex".to_owned() } else { format!("{} vertices", part.vertices) };
        let triangles = plural(part.triangles, "triangle");
        text += &format!("    part {n}: {}, {vertices}, {list}, {triangles}{joints}; {attributes}\n", part.topology);
    }
    if !mesh.morph_targets.is_empty() {
        let names: Vec<_> = mesh.morph_targets.iter().map(|n| named(n)).collect();
        text += &format!("    morph targets: {}\n", names.join(", "));
    }
    text
}

fn vertex_text(found: &VertexTable) -> String {
    let mut text =
        format!("{} of {} of mesh {}\n", found.vertices.len(), vertex_count(found.count), named(&found.mesh));
    for vertex in &found.vertices {
        text += &format!("{}", vertex.index);
        for attribute in &vertex.attributes {
            text += &format!("  {} {}", attribute.name, floats(&attribute.values));
        }
        if !vertex.joints.is_empty() {
            text += &format!("  JOINTS {:?}  WEIGHTS {}", vertex.joints, floats(&vertex.weights));
        }
        text.push('\n');
    }
    text
}

fn vertex_count(count: usize) -> String {
    if count == 1 { "1 vertex".to_owned() } else { format!("{count} vertices") }
}

/// Three to a line, as triangles read best.
fn index_text(found: &IndexTable) -> String {
    let mut text = format!("{} of {} indices of mesh {}\n", found.indices.len(), found.count, named(&found.mesh));
    for (line, three) in found.indices.chunks(3).enumerate() {
        let words: Vec<_> = three.iter().map(usize::to_string).collect();
        text += &format!("{}: {}\n", found.start + 3 * line, words.join(" "));
    }
    text
}

fn curve_text(found: &[CurveInfo]) -> String {
    let mut text = String::new();
    for curve in found {
        let (clip, target) = (named(&curve.clip_name), named(&curve.target));
        let ticks = curve.ticks_per_second.map_or_else(String::new, |t| format!(", {t} ticks per second"));
        let keys = plural(curve.keys.len(), "key");
        text += &format!("{clip}: {target} {}, {}, {keys}{ticks}\n", curve.property, curve.interpolation);
        for key in &curve.keys {
            let tick = key.tick.map_or_else(String::new, |t| format!("tick {t}  "));
            text += &format!("  {tick}{} s  {}\n", key.seconds, floats(&key.value));
        }
    }
    if found.is_empty() {
        text += "no curves\n";
    }
    text
}

pub fn named(name: &str) -> String {
    if name.is_empty() { "(unnamed)".to_owned() } else { clean(name) }
}

pub fn numbers(values: [f64; 3]) -> String {
    format!("({})", short(values).join(", "))
}

/// What is this much smaller than the largest number beside it is left over by rounding.
const ROUNDING: f64 = 1e-13;

/// Numbers that belong together. Six significant digits are enough to look at; --json has all.
pub fn short<const N: usize>(values: [f64; N]) -> [String; N] {
    let largest = values.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
    values.map(|value| {
        if value.abs() < largest * ROUNDING {
            return "0".to_owned();
        }
        format!("{value:.5e}").parse::<f64>().unwrap_or(value).to_string()
    })
}

fn floats(values: &[f32]) -> String {
    let words: Vec<_> = values.iter().map(f32::to_string).collect();
    format!("({})", words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_no_number_to_look_at() {
        assert_eq!(numbers([2.2e-16, 10.0, -1e-15]), "(0, 10, 0)");
        assert_eq!(numbers([0.1234567, -2.0, 1e-9]), "(0.123457, -2, 0.000000001)");
        // Small numbers among themselves are numbers.
        assert_eq!(numbers([1e-20, 0.0, 2e-20]), "(0.00000000000000000001, 0, 0.00000000000000000002)");
    }
}
