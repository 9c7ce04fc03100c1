//! What the colours of a view mean, as a strip of swatches and words below the picture.

use super::{DebugView, GHOST, bones, color_of_part, hairs, skin};
use crate::color::{encode, heat, of_number};
use crate::draw::PictureSize;
use crate::font;
use crate::renderer::PictureOptions;
use crate::shade::FACING;
use crate::sheet::Sheet;
use anyrig_animation::{Evaluator, Pose};
use anyrig_bytes::Result;
use anyrig_image::Rgba8Image;
use anyrig_scene::Scene;
use glam::Vec3;

/// A colour with its meaning; words alone where it is not about one colour.
struct Entry {
    swatch: Option<[u8; 3]>,
    text: String,
}

/// Entries laid out in lines.
pub(crate) struct Legend {
    lines: Vec<Vec<Entry>>,
    /// Pixels of a dot of the letters.
    dot: u32,
    height: u32,
}

/// Dots around the strip, between its lines, from a swatch to its words, and from there to the next swatch.
const RIM: u32 = 5;
const LEADING: u32 = 4;
const GAP: u32 = 3;
const APART: u32 = 12;

/// A legend takes no more than this part of a picture's height, and narrower pictures have none.
const MOST: u32 = 4;
const NARROWEST: u32 = 192;

/// Letters of a name that are shown.
const NAME: usize = 18;

impl Legend {
    /// What a picture's view needs; `None` where it needs nothing, or has no room.
    pub fn of(options: &PictureOptions, scene: &Scene) -> Option<Self> {
        let PictureSize { width, height } = options.size;
        if !options.legend || width.min(height) < NARROWEST {
            return None;
        }
        // Large pictures are looked at from further away.
        let dot = (width.min(height) / 512).max(1);
        let entries = entries(options.debug?, scene, options.bone);
        let (most, room) = (height / MOST / dot, (width / dot).saturating_sub(2 * RIM));
        let lines = flowed(entries, (room, most.saturating_sub(2 * RIM) / line_height()));
        let rows = u32::try_from(lines.len()).ok().filter(|rows| *rows > 0)?;
        Some(Self { lines, dot, height: (2 * RIM + rows * line_height() - LEADING) * dot })
    }

    /// The options of the picture above the strip.
    pub fn above(&self, options: &PictureOptions) -> PictureOptions {
        let size = PictureSize { height: options.size.height - self.height, ..options.size };
        PictureOptions { size, ..options.clone() }
    }

    /// The picture with the strip below it.
    pub fn below(&self, picture: &Rgba8Image, options: &PictureOptions) -> Result<Rgba8Image> {
        let mut sheet = Sheet::new(options.size, options.background)?;
        sheet.lay(picture, 0, 0);
        let dot = self.dot;
        for (row, line) in self.lines.iter().enumerate() {
            let top = picture.height() + (RIM + row as u32 * line_height()) * dot;
            let mut left = RIM * dot;
            for entry in line {
                if let Some(color) = entry.swatch {
                    sheet.fill((left, top), font::HEIGHT * dot, color);
                    left += (font::HEIGHT + GAP) * dot;
                }
                sheet.write(&entry.text, (left, top), dot);
                left += (font::width(&entry.text) + APART) * dot;
            }
        }
        Ok(sheet.finish())
    }
}

fn line_height() -> u32 {
    font::HEIGHT + LEADING
}

/// The first entries, and how many there are in all.
struct Entries {
    first: Vec<Entry>,
    count: usize,
}

/// More never fit, and there may be as many as a scene has joints.
const FIRST: usize = 400;

impl Entries {
    fn of<T>(all: &[T], entry: impl FnMut(&T) -> Entry) -> Self {
        Self { first: all.iter().take(FIRST).map(entry).collect(), count: all.len() }
    }
}

impl FromIterator<Entry> for Entries {
    fn from_iter<I: IntoIterator<Item = Entry>>(entries: I) -> Self {
        let first: Vec<Entry> = entries.into_iter().collect();
        Self { count: first.len(), first }
    }
}

/// Lines that are no wider than the room and no more than there may be; what does not fit is counted at the end.
fn flowed(entries: Entries, (room, most_lines): (u32, u32)) -> Vec<Vec<Entry>> {
    let Entries { first, count } = entries;
    let (shown, mut left) = (first.len(), 0);
    let mut lines: Vec<Vec<Entry>> = Vec::new();
    for (index, entry) in first.into_iter().enumerate() {
        let width = entry.swatch.map_or(0, |_| font::HEIGHT + GAP) + font::width(&entry.text);
        let fits = left > 0 && left + APART + width <= room;
        if !fits {
            if lines.len() as u32 >= most_lines {
                end(&mut lines, count - index);
                return lines;
            }
            lines.push(Vec::new());
            left = 0;
        }
        left += width + if fits { APART } else { 0 };
        if let Some(line) = lines.last_mut() {
            line.push(entry);
        }
    }
    if shown < count {
        end(&mut lines, count - shown);
    }
    lines
}

/// Puts the number of what is left out in the place of the last entry.
fn end(lines: &mut [Vec<Entry>], left_out: usize) {
    if let Some(last) = lines.last_mut().and_then(|line| line.last_mut()) {
        *last = words(format!("and {} more", left_out + 1));
    }
}

fn words(text: impl Into<String>) -> Entry {
    Entry { swatch: None, text: text.into() }
}

fn swatch(color: [u8; 3], text: impl Into<String>) -> Entry {
    Entry { swatch: Some(color), text: text.into() }
}

/// The codes of a colour that is light.
fn codes(light: Vec3) -> [u8; 3] {
    let [r, g, b, _] = encode(light.extend(1.0));
    [r, g, b]
}

fn entries(view: DebugView, scene: &Scene, bone: Option<usize>) -> Entries {
    let of_axes =
        |words: [&'static str; 3]| bones::AXES.into_iter().zip(words).map(|(color, text)| swatch(color, text));
    let no_skin = || swatch(skin::NO_SKIN, "no skin");
    match view {
        DebugView::Points => parts(scene),
        DebugView::Wire => Entries::from_iter([]),
        DebugView::Bones => {
            let chosen = bone.and_then(|bone| scene.nodes.as_slice().get(bone));
            let chosen = chosen.map(|node| swatch(bones::CHOSEN, short(&node.name)));
            chosen.map_or_else(|| joints(scene), |chosen| Entries::from_iter([chosen]))
        }
        DebugView::Axes => {
            of_axes(["X", "Y", "Z"]).chain([words("thick: in this pose"), words("thin: at rest")]).collect()
        }
        DebugView::Weights if bone.is_some() => {
            let steps = [(0.0, "0"), (0.25, "0.25"), (0.5, "0.5"), (0.75, "0.75"), (1.0, "1")];
            steps.map(|(weight, text)| swatch(codes(heat(weight)), text)).into_iter().chain([no_skin()]).collect()
        }
        DebugView::Weights => joints(scene),
        DebugView::Influences => {
            skin::COUNTS.into_iter().map(|(color, text)| swatch(color, text)).chain([no_skin()]).collect()
        }
        DebugView::Normals => {
            of_axes(["red: X", "green: Y", "blue: Z"]).chain([words("dark -1, half 0, bright 1")]).collect()
        }
        DebugView::Tangents => {
            let hairs = hairs::SIGNS.into_iter().zip(["hair: w is 1", "hair: w is -1"]);
            let hairs = hairs.map(|(color, text)| swatch(color, text));
            hairs.chain([words("surface: X, Y, Z as red, green, blue"), swatch(skin::NO_SKIN, "none")]).collect()
        }
        DebugView::Facing => {
            let texts = ["front", "back", "winding against normals"];
            FACING.into_iter().zip(texts).map(|(color, text)| swatch(color, text)).collect()
        }
        DebugView::UvChecker => ["8 squares are 1 of U or V", "hues go along U"].map(words).into_iter().collect(),
        DebugView::BindGhost => {
            [swatch(GHOST, "bind pose"), words("in its own colours: this pose")].into_iter().collect()
        }
    }
}

/// A name as far as there is room.
fn short(name: &str) -> String {
    if name.chars().count() <= NAME {
        return name.to_owned();
    }
    name.chars().take(NAME - 2).chain("..".chars()).collect()
}

fn joints(scene: &Scene) -> Entries {
    Entries::of(&bones::joints(scene), |id| swatch(codes(of_number(id.index())), short(&scene.nodes[*id].name)))
}

/// Parts in the order in which they are drawn.
fn parts(scene: &Scene) -> Entries {
    let shown = Evaluator::new(scene).shown_in(&Pose::rest(scene));
    let (mut first, mut count) = (Vec::new(), 0);
    for mesh in shown.iter().map(|s| &scene.meshes[s.mesh]) {
        for part in (0..mesh.parts.len()).take(FIRST - first.len().min(FIRST)) {
            let name = short(&mesh.name);
            let text = if mesh.parts.len() > 1 { format!("{name} {part}") } else { name };
            first.push(swatch(codes(color_of_part(count + part)), text));
        }
        count += mesh.parts.len();
    }
    Entries { first, count }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::light;

    fn texts(lines: &[Vec<Entry>]) -> Vec<Vec<&str>> {
        lines.iter().map(|line| line.iter().map(|e| e.text.as_str()).collect()).collect()
    }

    #[test]
    fn entries_flow_into_lines_and_are_counted_where_they_end() {
        let all = || ["one", "two", "three", "four", "five"].map(words).into_iter().collect::<Entries>();
        // 17, 17, 29, 23, 23 dots wide, 12 apart.
        assert_eq!(texts(&flowed(all(), (46, 9))), [vec!["one", "two"], vec!["three"], vec!["four"], vec!["five"]]);
        assert_eq!(texts(&flowed(all(), (46, 2))), [vec!["one", "two"], vec!["and 3 more"]]);
        assert_eq!(texts(&flowed(all(), (1000, 1))).len(), 1);
        assert!(flowed(all(), (46, 0)).is_empty());
        let many = Entries::of(&[7; FIRST + 5], |_| words("a"));
        assert_eq!(texts(&flowed(many, (u32::MAX, 1)))[0].last(), Some(&"and 6 more"));
    }

    #[test]
    fn every_view_but_the_wires_says_what_its_colours_mean() {
        for view in DebugView::ALL {
            let found = entries(view, &Scene::default(), None);
            // Of joints and parts only those that are there.
            let needs_some = [DebugView::Wire, DebugView::Points, DebugView::Bones, DebugView::Weights];
            assert_eq!(found.first.is_empty(), needs_some.contains(&view), "{view}");
        }
    }

    #[test]
    fn colours_are_those_of_the_view() {
        assert_eq!(codes(light(GHOST)), GHOST);
        assert_eq!(short("a name of more than eighteen"), "a name of more t..");
    }
}
