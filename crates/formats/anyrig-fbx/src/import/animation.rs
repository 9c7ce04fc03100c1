//! Animation stacks, layers, curve nodes and curves of version 7000 and later, and what takes share with them.

use super::booking::Work;
use super::curves::{self, constant, scaled};
use super::inbetween::{self, Room, Stops};
use super::nodes::{PARTS, has_rotation_space};
use super::objects::{End, ObjectId, Objects};
use super::{Import, MorphBinding, takes};
use crate::codes;
use crate::document::{FbxDocument, Node};
use anyrig_bytes::{Diagnostic, Result};
use anyrig_scene::{
    Channel, Clip, ClipLayer, Curve, LayerBlend, NodeId, Pivots, RotationBlend, ScaleBlend, Scene, Target,
    TransformPart,
};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Makes a clip of every stack or take.
pub(super) fn read(import: &mut Import<'_>) -> Result<()> {
    if import.objects.is_named() {
        takes::read(import)?;
        if import.objects.document().version_number() < 6000 {
            takes::read_inline(import)?;
        }
        give_pivots(&mut import.scene);
        return Ok(());
    }
    let stacks: Vec<ObjectId> = import.objects.of_class("AnimationStack").map(|o| o.id).collect();
    let ranges = take_ranges(import.objects.document());
    for stack in stacks {
        import.context.check_cancelled()?;
        let clip = stack_clip(import, stack, &ranges)?;
        import.scene.clips.push(clip);
    }
    tell_loose(import)?;
    give_pivots(&mut import.scene);
    Ok(())
}

/// Tells of motion that no stack plays.
fn tell_loose(import: &Import<'_>) -> Result<()> {
    let objects = &import.objects;
    for layer in objects.of_class("AnimationLayer") {
        import.context.check_cancelled()?;
        let mut nodes = objects.children(End::Object(layer.id)).filter(|o| o.class == "AnimationCurveNode");
        if !hangs_below(objects, layer.id, "AnimationStack") && nodes.any(|n| has_curves(objects, n.id)) {
            tell_unplayed(import, layer.id, &layer.name, "its layer belongs to no stack");
        }
    }
    for curve_node in objects.of_class("AnimationCurveNode").filter(|n| has_curves(objects, n.id)) {
        import.context.check_cancelled()?;
        let class_of = |end: End| match end {
            End::Object(object) => Some(&*objects.get(object).class),
            End::Root => None,
        };
        let targets =
            || objects.out_of(curve_node.id).filter(|c| c.property.is_some()).map(|c| class_of(c.destination));
        // What moves the weight of a layer hangs on its property alone.
        let is_weight = targets().any(|class| class == Some("AnimationLayer"));
        if targets().all(|class| class.is_none()) {
            tell_unplayed(import, curve_node.id, &curve_node.name, "it moves no property");
        } else if !is_weight && !hangs_below(objects, curve_node.id, "AnimationLayer") {
            tell_unplayed(import, curve_node.id, &curve_node.name, "it belongs to no layer of motion");
        }
    }
    for curve in objects.of_class("AnimationCurve").filter(|c| c.node.child("KeyTime").is_some()) {
        import.context.check_cancelled()?;
        let goes_to_node = objects.out_of(curve.id).any(|c| match c.destination {
            End::Object(object) => objects.get(object).class == "AnimationCurveNode",
            End::Root => false,
        });
        if !goes_to_node {
            tell_unplayed(import, curve.id, &curve.name, "it belongs to no curve node, which would name what it moves");
        }
    }
    Ok(())
}

fn has_curves(objects: &Objects<'_>, curve_node: ObjectId) -> bool {
    objects.property_sources(curve_node).any(|(_, o)| o.class == "AnimationCurve")
}

fn hangs_below(objects: &Objects<'_>, id: ObjectId, class: &str) -> bool {
    objects.parents(id).any(|parent| parent.class == class)
}

/// Says that motion is not played, with the place of the object that holds it.
fn tell_unplayed(import: &Import<'_>, object: ObjectId, name: &str, reason: &str) {
    import.context.push(Diagnostic::new(&codes::MOTION_LOST, name, reason).at(import.objects.place(object)));
}

/// Nodes whose angles or pivots are moved have pivots, also where they all are 0 at rest.
fn give_pivots(scene: &mut Scene) {
    for clip in &scene.clips {
        for target in clip.channels.iter().map(|c| &c.target) {
            let Target::Component { node, part, .. } = target else { continue };
            let node = &mut scene.nodes[*node];
            if node.pivots.is_none() && !matches!(part, TransformPart::Translation | TransformPart::Scale) {
                node.pivots = Some(Box::new(Pivots::from_trs(node.local.to_trs())));
            }
        }
    }
}

fn stack_clip(import: &mut Import<'_>, stack: ObjectId, ranges: &TakeRanges<'_>) -> Result<Clip> {
    let mut motion = Motion::new(Clip::new(import.objects.get(stack).name.clone()));
    let layers: Vec<ObjectId> = children_of_class(&import.objects, stack, "AnimationLayer");
    for (index, layer) in layers.into_iter().enumerate() {
        let described = clip_layer(import, layer)?;
        motion.clip.layers.push(described);
        for curve_node in children_of_class(&import.objects, layer, "AnimationCurveNode") {
            add_curve_node(import, &mut motion, curve_node, index)?;
        }
    }
    // One layer is played as it is.
    if motion.clip.layers.len() == 1 {
        motion.clip.layers.clear();
    }
    let objects = &import.objects;
    let time = |name: &str| objects.property(stack, name).and_then(super::NamedProperty::i64);
    let range = time("LocalStart").zip(time("LocalStop")).or_else(|| {
        // Stacks without a range of their own have it in the take of their name.
        ranges.get(objects.get(stack).name.as_str()).copied().flatten()
    });
    Ok(motion.finish(import, range))
}

/// The range of the first take of each name.
type TakeRanges<'a> = BTreeMap<Cow<'a, str>, Option<(i64, i64)>>;

fn take_ranges(document: &FbxDocument) -> TakeRanges<'_> {
    let mut ranges = TakeRanges::new();
    for take in document.root().children_named("Takes").flat_map(|t| t.children_named("Take")) {
        let Some(name) = take.text(0) else { continue };
        let range = || take.child("LocalTime").and_then(|range| Some((range.i64(0)?, range.i64(1)?)));
        ranges.entry(name).or_insert_with(range);
    }
    ranges
}

fn children_of_class(objects: &Objects<'_>, parent: ObjectId, class: &str) -> Vec<ObjectId> {
    objects.children(End::Object(parent)).filter(|o| o.class == class).map(|o| o.id).collect()
}

fn clip_layer(import: &mut Import<'_>, layer: ObjectId) -> Result<ClipLayer> {
    // Several stacks may share the layer, whose connections are looked through for each of them.
    let objects = &import.objects;
    let count = objects.into(End::Object(layer)).count();
    let bytes = size_of::<ClipLayer>() + objects.get(layer).name.len() + count * size_of::<ObjectId>();
    import.take_again(Work::Layer, layer, bytes)?;
    let objects = &import.objects;
    let blend = match objects.i64(layer, "BlendMode", 0) {
        0 => LayerBlend::Additive,
        2 => LayerBlend::OverridePassthrough,
        _ => LayerBlend::Override,
    };
    let mut described = ClipLayer::new(objects.get(layer).name.clone(), blend);
    let by_channel = objects.i64(layer, "RotationAccumulationMode", 0) != 0;
    described.rotations = if by_channel { RotationBlend::ByChannel } else { RotationBlend::ByLayer };
    let added = objects.i64(layer, "ScaleAccumulationMode", 0) != 0;
    described.scales = if added { ScaleBlend::Add } else { ScaleBlend::Multiply };
    described.weight = (objects.f64(layer, "Weight", 100.0) * PERCENT).clamp(0.0, 1.0);
    described.muted = objects.bool(layer, "Mute", false);
    described.solo = objects.bool(layer, "Solo", false);
    let weights =
        objects.property_sources(layer).find(|(name, o)| *name == "Weight" && o.class == "AnimationCurveNode");
    if let Some(curve_node) = weights.map(|(_, o)| o.id) {
        let vector = vector(import, curve_node)?;
        described.weight_curve = vector.curves.into_iter().flatten().next().map(|c| scaled(c, PERCENT as f32));
    }
    Ok(described)
}

const PERCENT: f64 = 0.01;

fn add_curve_node(import: &mut Import<'_>, motion: &mut Motion, curve_node: ObjectId, layer: usize) -> Result<()> {
    let targets: Vec<(ObjectId, String)> = import
        .objects
        .out_of(curve_node)
        .filter_map(|c| match (c.destination, &c.property) {
            (End::Object(object), Some(property)) => Some((object, property.clone().into_owned())),
            _ => None,
        })
        .collect();
    // Several layers may share it.
    let bytes = targets.iter().map(|(_, name)| size_of::<(ObjectId, String)>() + name.len()).sum::<usize>();
    import.take_again(Work::CurveNode, curve_node, size_of::<Vector>() + bytes)?;
    let Some((last, others)) = targets.split_last() else { return Ok(()) };
    let vector = vector(import, curve_node)?;
    for (object, name) in others {
        import.take_product(vector.bytes(), curve_node)?;
        add_target(import, motion, (*object, Vector { name: name.clone(), ..vector.clone() }), layer)?;
    }
    add_target(import, motion, (last.0, Vector { name: last.1.clone(), ..vector }), layer)
}

fn add_target(
    import: &Import<'_>,
    motion: &mut Motion,
    (object, vector): (ObjectId, Vector),
    layer: usize,
) -> Result<()> {
    if import.objects.get(object).class == "AnimationLayer" {
        Ok(())
    } else {
        motion.add(import, object, vector, layer)
    }
}

/// The curves of one property: up to three, with the values that stand where a curve is missing.
#[derive(Clone, Debug, Default)]
pub(super) struct Vector {
    /// The property.
    pub name: String,
    pub curves: [Option<Curve>; 3],
    pub defaults: [f64; 3],
    /// Number of components.
    pub width: usize,
}

impl Vector {
    /// What a copy needs.
    fn bytes(&self) -> usize {
        self.curves.iter().flatten().map(copy_bytes).sum()
    }
}

/// What a copy of a curve needs; times and values are shared until they are changed.
fn copy_bytes(curve: &Curve) -> usize {
    size_of_val(curve.segments.as_slice())
}

fn vector(import: &mut Import<'_>, curve_node: ObjectId) -> Result<Vector> {
    let mut vector = Vector::default();
    let objects = &import.objects;
    let own = |name: &str| objects.get(curve_node).properties.get(name).and_then(|p| p.f64(0));
    let by_axis = ["d|X", "d|Y", "d|Z"].map(own);
    vector.width = by_axis.iter().rposition(Option::is_some).map_or(0, |axis| axis + 1);
    vector.defaults = by_axis.map(|value| value.unwrap_or(0.0));
    if vector.width == 0 {
        let single = objects.get(curve_node).properties.iter().find(|p| p.name().starts_with("d|"));
        vector.defaults[0] = single.and_then(|p| p.f64(0)).unwrap_or(0.0);
        vector.width = 1;
    }
    let connected: Vec<(usize, ObjectId)> = objects
        .property_sources(curve_node)
        .filter(|(_, o)| o.class == "AnimationCurve")
        .map(|(name, o)| {
            let axis = match name {
                "d|Y" | "Y" => 1,
                "d|Z" | "Z" => 2,
                _ => 0,
            };
            (axis, o.id)
        })
        .collect();
    // Of several curves of one component the last one counts.
    for (axis, curve) in connected.into_iter().rev() {
        vector.width = vector.width.max(axis + 1);
        if vector.curves[axis].is_none() {
            vector.curves[axis] = curves::read(import, curve)?;
        } else {
            let name = &import.objects.get(curve_node).name;
            tell_unplayed(import, curve, name, "another curve moves the same component; the last one counts");
        }
    }
    Ok(vector)
}

/// A clip while its channels come together.
pub(super) struct Motion {
    pub clip: Clip,
}

impl Motion {
    pub fn new(clip: Clip) -> Self {
        Self { clip }
    }

    /// Adds the curves of a property of an object.
    pub fn add(&mut self, import: &Import<'_>, object: ObjectId, vector: Vector, layer: usize) -> Result<()> {
        let place = Spot { import, object, layer };
        if let Some(bindings) = morphs(import, object, &vector.name) {
            return self.add_morphs(place, bindings, vector);
        }
        let node = import.nodes.get(&object).copied();
        let part = PARTS.iter().find(|(name, _)| *name == vector.name).map(|(_, part)| *part);
        match (node, part) {
            (Some(node), Some(part)) => self.add_part(place, node, part, vector),
            (Some(node), None) if vector.name == "Visibility" => {
                let [curve, ..] = vector.curves;
                let curve = curve.unwrap_or_else(|| constant(vector.defaults[0]));
                self.push(place, Target::Visibility { node }, curve)
            }
            _ => self.add_named(place, vector),
        }
    }

    fn add_part(&mut self, place: Spot<'_, '_>, node: NodeId, part: TransformPart, vector: Vector) -> Result<()> {
        let import = place.import;
        let without_effect = matches!(part, TransformPart::PreRotation | TransformPart::PostRotation);
        if without_effect && !has_rotation_space(&import.objects, place.object) {
            return Ok(());
        }
        let rest = import.scene.nodes[node].pivots.as_ref().map_or_else(
            || {
                let trs = import.scene.nodes[node].local.to_trs();
                match part {
                    TransformPart::Translation => trs.translation,
                    TransformPart::Scale => trs.scale,
                    _ => glam::DVec3::ZERO,
                }
            },
            |pivots| pivots.part(part),
        );
        for (axis, curve) in vector.curves.into_iter().enumerate() {
            let default = vector.defaults[axis];
            let given = axis < vector.width || vector.width > 1;
            let curve = match curve {
                Some(curve) => curve,
                // Above the lowest layer a value acts even where it equals the rest.
                None if given && (place.layer > 0 || default != rest[axis]) => constant(default),
                None => continue,
            };
            self.push(place, Target::Component { node, part, axis: axis as u8 }, curve)?;
        }
        Ok(())
    }

    fn add_named(&mut self, place: Spot<'_, '_>, vector: Vector) -> Result<()> {
        let Spot { import, object, .. } = place;
        let is_user = import.objects.property(object, &vector.name).is_some_and(super::NamedProperty::is_user);
        let attribute = import.attributes.get(&object).filter(|_| !is_user);
        let element = attribute.or(import.elements.get(&object)).copied();
        let several = vector.width > 1;
        for (axis, curve) in vector.curves.into_iter().enumerate() {
            let Some(curve) = curve else { continue };
            let suffix = if several { ["|X", "|Y", "|Z"][axis] } else { "" };
            let owner = import.objects.get(object);
            import.take_product(vector.name.len() + owner.name.len(), object)?;
            let property = format!("fbx.{}{suffix}", vector.name);
            let target = match element {
                Some(element) => Target::Named { element, property },
                None => Target::Other(format!("fbx:{}/{}/{property}", owner.class, owner.name)),
            };
            self.push(place, target, curve)?;
        }
        Ok(())
    }

    fn add_morphs(&mut self, place: Spot<'_, '_>, bindings: &[MorphBinding], vector: Vector) -> Result<()> {
        let [percent, ..] = vector.curves;
        let percent = percent.unwrap_or_else(|| constant(vector.defaults[0]));
        // All nodes and meshes that the channel moves share the curves of its weights.
        let mut known: (&[(u32, f64)], Vec<Curve>) = (&[], Vec::new());
        for binding in bindings {
            let targets = binding.targets.as_slice();
            if !known.0.iter().map(|t| t.1).eq(targets.iter().map(|t| t.1)) {
                let made = weight_curves(place, &percent, targets)?;
                let subject = || format!("node {}", binding.node.index());
                if made.curves.len() > 1 {
                    let message = "weights of in-between shapes follow straight lines";
                    place.import.context.tell(&codes::INBETWEEN_CURVE, subject(), message);
                }
                if made.coarse > 0 {
                    let message = "for so many keys the file is too small to have as many lines as keep to them";
                    let line = Diagnostic::new(&codes::INBETWEEN_CURVE, subject(), message);
                    place.import.context.push(line.times(made.coarse));
                }
                known = (targets, made.curves);
            }
            for ((target, _), curve) in targets.iter().zip(&known.1) {
                place.import.take_product(copy_bytes(curve), place.object)?;
                self.push(place, Target::Morph { node: binding.node, target: *target }, curve.clone())?;
            }
        }
        Ok(())
    }

    /// Connections are short, so what each of them makes is booked.
    fn push(&mut self, place: Spot<'_, '_>, target: Target, curve: Curve) -> Result<()> {
        place.import.take_product(CHANNEL_BYTES, place.object)?;
        let mut channel = Channel::on(target, curve);
        channel.layer = place.layer;
        self.clip.channels.push(channel);
        Ok(())
    }

    /// Sets start and length: what the file says, or, where that is no range, where the keys lie.
    pub fn finish(mut self, import: &Import<'_>, range: Option<(i64, i64)>) -> Clip {
        let settings = &import.settings;
        let stated = range.filter(|(start, stop)| stop > start);
        let stated = stated.map(|(start, stop)| (settings.seconds(start), settings.seconds(stop)));
        let (start, stop) = stated.or_else(|| self.key_range()).unwrap_or((0.0, 0.0));
        self.clip.start_secs = start;
        self.clip.length_secs = Some(stop - start);
        self.clip
    }

    fn key_range(&self) -> Option<(f64, f64)> {
        let times = self.clip.channels.iter().filter(|c| c.curve.len() > 1);
        let ends = times.filter_map(|c| Some((curves::start_secs(&c.curve)?, *c.curve.times_secs.last()?)));
        ends.reduce(|all, one| (all.0.min(one.0), all.1.max(one.1)))
    }
}

/// What is moved, and by which layer.
#[derive(Clone, Copy)]
struct Spot<'s, 'a> {
    import: &'s Import<'a>,
    object: ObjectId,
    layer: usize,
}

/// What a channel needs beside its keys in a list that grows by doubling.
const CHANNEL_BYTES: usize = 2 * size_of::<Channel>();

/// The weight of each target from the percentage of all.
fn weight_curves(place: Spot<'_, '_>, percent: &Curve, targets: &[(u32, f64)]) -> Result<inbetween::Weights> {
    match targets {
        [(_, full)] if *full != 0.0 => {
            Ok(inbetween::Weights { curves: vec![scaled(percent.clone(), (1.0 / full) as f32)], coarse: 0 })
        }
        targets => {
            let stops = Stops::new(targets.iter().map(|(_, full)| *full));
            let book = |bytes| place.import.take_product(bytes, place.object);
            // The other half is for the keys themselves, and for channels that follow.
            let lines = usize::try_from(place.import.products_left() / 2).unwrap_or(usize::MAX);
            inbetween::curves(percent, &stops, &Room { book: &book, lines })
        }
    }
}

/// The morph targets that a property moves, when it moves any.
fn morphs<'i>(import: &'i Import<'_>, object: ObjectId, property: &str) -> Option<&'i [MorphBinding]> {
    if property == "DeformPercent" {
        return import.morphs.get(&object).map(Vec::as_slice);
    }
    import.named_morphs.get(&(object, property.to_owned())).map(Vec::as_slice)
}

/// Says that motion of something unknown was left out.
pub(super) fn tell_lost(import: &Import<'_>, node: Node<'_>, message: &str) {
    let subject = node.text(0).unwrap_or_default().into_owned();
    import.context.push(Diagnostic::new(&codes::MOTION_LOST, subject, message).at(node.place()));
}
