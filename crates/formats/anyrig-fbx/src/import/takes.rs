//! Motion in versions before 7000: takes with channels inside models, and key lists that mix numbers and letters.

use super::Import;
use super::animation::{Motion, Vector};
use super::curves::{self, Auto, Clamp, KeyShape, Keys, Kind, Side, Timing};
use super::nodes::{PARTS, set_transform};
use super::objects::{End, ObjectId};
use crate::codes;
use crate::document::{Kind as PropertyKind, Node};
use anyrig_bytes::{Diagnostic, Result};
use anyrig_scene::{Clip, Curve, Pivots};
use glam::DVec3;

/// Makes a clip of every take.
pub(super) fn read(import: &mut Import<'_>) -> Result<()> {
    let document = import.objects.document();
    let takes: Vec<Node<'_>> = document.root().children_named("Takes").flat_map(|t| t.children_named("Take")).collect();
    for take in takes {
        let clip = clip(import, take)?;
        import.scene.clips.push(clip);
    }
    Ok(())
}

fn clip(import: &mut Import<'_>, take: Node<'_>) -> Result<Clip> {
    let mut motion = Motion::new(Clip::new(take.text(0).unwrap_or_default()));
    for model in take.children().filter(|n| n.is("Model")) {
        let Some(End::Object(object)) = model.property(0).and_then(|p| import.objects.find(&p)) else {
            super::animation::tell_lost(import, model, "what it moves does not exist");
            continue;
        };
        for channel in model.children_named("Channel") {
            property_channel(import, &mut motion, object, channel)?;
        }
    }
    let range = take.child("LocalTime").and_then(|n| Some((n.i64(0)?, n.i64(1)?)));
    Ok(motion.finish(import, range))
}

/// Motion that stands in the models themselves, without a take.
pub(super) fn read_inline(import: &mut Import<'_>) -> Result<()> {
    let mut motion = Motion::new(Clip::new(""));
    let models: Vec<ObjectId> = import.objects.of_class("Model").map(|o| o.id).collect();
    for object in models {
        let node = import.objects.get(object).node;
        for channel in node.children_named("Channel") {
            property_channel(import, &mut motion, object, channel)?;
        }
    }
    let clip = motion.finish(import, None);
    if !clip.channels.is_empty() {
        import.scene.clips.push(clip);
    }
    Ok(())
}

fn property_channel(import: &mut Import<'_>, motion: &mut Motion, object: ObjectId, channel: Node<'_>) -> Result<()> {
    let Some(name) = channel.text(0) else { return Ok(()) };
    if name != "Transform" {
        return vector_channel(import, motion, object, (channel, &name));
    }
    for part in channel.children_named("Channel") {
        let name = match part.text(0).as_deref() {
            Some("T") => "Lcl Translation",
            Some("R") => "Lcl Rotation",
            Some("S") => "Lcl Scaling",
            _ => continue,
        };
        vector_channel(import, motion, object, (part, name))?;
    }
    Ok(())
}

fn vector_channel(
    import: &mut Import<'_>,
    motion: &mut Motion,
    object: ObjectId,
    (channel, name): (Node<'_>, &str),
) -> Result<()> {
    let has_keys = |node: &Node<'_>| node.child("Key").is_some() || node.child("Default").is_some();
    let parts: Vec<Node<'_>> = if has_keys(&channel) {
        vec![channel]
    } else {
        channel.children_named("Channel").filter(has_keys).take(3).collect()
    };
    if parts.is_empty() {
        return Ok(());
    }
    let mut vector = Vector { name: name.strip_suffix(" (Shape)").unwrap_or(name).to_owned(), ..Vector::default() };
    for (axis, part) in parts.into_iter().enumerate() {
        vector.defaults[axis] = part.child("Default").and_then(|n| n.f64(0)).filter(|v| v.is_finite()).unwrap_or(0.0);
        vector.curves[axis] = curve(import, part)?;
        vector.width = axis + 1;
    }
    if import.objects.document().version_number() < 6000 {
        rest_from_defaults(import, object, &vector);
    }
    motion.add(import, object, vector, 0)
}

/// Versions before 6000 have a model's transform nowhere but in the defaults of its channels; the first take counts.
fn rest_from_defaults(import: &mut Import<'_>, object: ObjectId, vector: &Vector) {
    let part = PARTS.iter().find(|(name, _)| *name == vector.name).map(|(_, part)| *part);
    let (Some(part), Some(node)) = (part, import.nodes.get(&object).copied()) else { return };
    let node = &mut import.scene.nodes[node];
    let known = import.objects.property(object, &vector.name).is_some();
    if vector.width < 3 || known || !import.rests.insert((object, part)) {
        return;
    }
    let mut pivots = node.pivots.as_deref().copied().unwrap_or_else(|| Pivots::from_trs(node.local.to_trs()));
    *pivots.part_mut(part) = DVec3::from_array(vector.defaults);
    set_transform(node, pivots);
}

/// The tokens of a key list.
struct Tokens<'a> {
    node: Node<'a>,
    properties: crate::document::Properties<'a>,
    /// Keys whose tangents are of a kind that is not known.
    unknown: u64,
}

impl Tokens<'_> {
    fn number(&mut self) -> Option<f64> {
        self.properties.next()?.as_f64().filter(|v| v.is_finite())
    }

    fn ticks(&mut self) -> Option<i64> {
        self.properties.next()?.as_i64()
    }

    /// A letter; binary files have them as the numbers of their codes.
    fn letter(&mut self) -> Option<u8> {
        let property = self.properties.next()?;
        match property.kind() {
            PropertyKind::String => property.bytes()?.first().copied(),
            _ => u8::try_from(property.as_i64()?).ok(),
        }
    }
}

fn curve(import: &mut Import<'_>, channel: Node<'_>) -> Result<Option<Curve>> {
    let Some(list) = channel.child("Key") else { return Ok(None) };
    let version = channel.child("KeyVer").and_then(|n| n.i64(0)).filter(|v| *v > 0);
    let version = version.unwrap_or_else(|| match import.objects.document().version_number() {
        0..5000 => 4003,
        5000..6000 => 4004,
        _ => 4005,
    });
    let count = channel.child("KeyCount").and_then(|n| n.i64(0)).and_then(|c| usize::try_from(c).ok()).unwrap_or(0);
    // A key has three tokens at least.
    let count = count.min(list.property_count() / 3 + 1);
    import.context.take_elements(count as u64, || list.place())?;
    let (mut times, mut values, mut shapes) = (Vec::with_capacity(count), Vec::with_capacity(count), Vec::new());
    let mut tokens = Tokens { node: list, properties: list.properties(), unknown: 0 };
    for _ in 0..count {
        let (Some(time), Some(value)) = (tokens.ticks(), tokens.number()) else { break };
        let Some(shape) = tokens.shape(version) else { break };
        times.push(time);
        values.push(value as f32);
        match shapes.last_mut() {
            Some((end, last)) if *last == shape => *end = times.len(),
            _ => shapes.push((times.len(), shape)),
        }
    }
    if tokens.properties.len() > 0 || times.len() != count {
        curves::tell_broken(import.context, tokens.node, "its keys are not of a known form; those before count");
    }
    if tokens.unknown > 0 {
        let line = Diagnostic::new(&codes::UNKNOWN_TANGENT, channel.path(), "they do not overshoot");
        import.context.push(line.times(tokens.unknown).at(list.place()));
    }
    if times.is_empty() {
        return Ok(None);
    }
    let ticks_per_second = import.settings.ticks_per_second;
    let (times, values) = (times.into(), values.into());
    let outside = curves::extrapolations(channel);
    Keys { times, values, shapes, ticks_per_second, outside }.solve(import, list).map(Some)
}

/// Tangents whose rule is not known are made automatically, without overshooting.
const UNKNOWN: Kind = Kind::Auto(Auto { timing: Timing::Independent, clamp: Clamp::Progressive });

impl Tokens<'_> {
    fn shape(&mut self, version: i64) -> Option<KeyShape> {
        match self.letter()? {
            b'L' => Some(KeyShape::plain(Kind::Linear)),
            b'C' if version < 4004 => Some(KeyShape::plain(Kind::Step)),
            b'C' => match self.letter()? {
                b'n' => Some(KeyShape::plain(Kind::StepNext)),
                _ => Some(KeyShape::plain(Kind::Step)),
            },
            b'U' => self.cubic(version),
            _ => None,
        }
    }

    fn cubic(&mut self, version: i64) -> Option<KeyShape> {
        let mut shape = KeyShape::plain(UNKNOWN);
        let weights = match self.letter()? {
            b's' | b'b' => {
                shape.kind = Kind::User;
                shape.right.slope = self.number()? as f32;
                shape.next_left.slope = self.number()? as f32;
                usize::from(version != 4003)
            }
            b'a' => usize::from(version > 4004),
            b'p' | b'q' => {
                self.unknown += 1;
                self.skip(2)?;
                if version <= 4004 { 1 } else { 2 }
            }
            b't' => {
                shape.kind = Kind::Tcb([self.number()?, self.number()?, self.number()?]);
                0
            }
            b'd' => {
                self.unknown += 1;
                self.number()?;
                1
            }
            _ => return None,
        };
        for _ in 0..weights {
            self.weights(&mut shape)?;
        }
        Some(shape)
    }

    /// Leaves out numbers whose meaning is not known.
    fn skip(&mut self, count: usize) -> Option<()> {
        (0..count).try_for_each(|_| self.number().map(|_| ()))
    }

    fn weights(&mut self, shape: &mut KeyShape) -> Option<()> {
        let weight = |side: &mut Side, value: f64| side.weight = value as f32;
        match self.letter()? {
            b'n' | b'c' => {}
            b'a' => {
                weight(&mut shape.right, self.number()?);
                weight(&mut shape.next_left, self.number()?);
            }
            b'l' => weight(&mut shape.next_left, self.number()?),
            b'r' => weight(&mut shape.right, self.number()?),
            _ => return None,
        }
        Some(())
    }
}
