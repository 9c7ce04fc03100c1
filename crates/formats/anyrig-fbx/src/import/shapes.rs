//! Blend shapes: sparse deltas, in channels that move them. A channel may have several, each fully on at its own
//! percentage.

use super::Import;
use super::booking::Work;
use super::objects::{End, ObjectId, Objects};
use super::skins::unique;
use super::{MorphBinding, inbetween};
use crate::codes;
use crate::document::Node;
use anyrig_bytes::{Buffer, Diagnostic, Result};
use anyrig_scene::{DeltaStream, MorphTarget, NodeId, PartMorph, Semantic};

/// A channel of shapes, of either form.
struct Channel<'a> {
    name: String,
    /// The object that has the percentage: the channel, or the model with a property of the shape's name.
    owner: Owner,
    /// The percentage at rest.
    percent: f64,
    /// Each shape with the percentage at which it is fully on, ascending.
    shapes: Vec<Shape<'a>>,
    /// Percentages of points, which Blender keeps where others keep those of shapes: as many as a shape has points.
    points: Buffer<f64>,
}

/// One shape of a channel.
struct Shape<'a> {
    node: Node<'a>,
    name: String,
    /// The percentage at which it is fully on.
    full: f64,
    /// The object that several channels may share; `None` for a shape inside its geometry.
    object: Option<ObjectId>,
}

enum Owner {
    Channel(ObjectId),
    Named,
}

/// Makes the morph targets of all meshes.
pub(super) fn read(import: &mut Import<'_>) -> Result<()> {
    let geometries: Vec<ObjectId> = import.geometries.keys().copied().collect();
    for geometry in geometries {
        import.context.check_cancelled()?;
        for channel in connected(&import.objects, geometry) {
            let channel = channel_of(import, channel)?;
            add(import, geometry, channel)?;
        }
        for channel in inside(import, geometry) {
            add(import, geometry, channel)?;
        }
        other_deformers(import, geometry);
    }
    Ok(())
}

/// Channels that are objects.
fn connected(objects: &Objects<'_>, geometry: ObjectId) -> Vec<ObjectId> {
    let deformers = objects.children(End::Object(geometry)).filter(|o| o.subtype == "BlendShape").map(|o| o.id);
    let below = unique(deformers).into_iter().flat_map(|d| objects.children(End::Object(d)));
    unique(below.filter(|o| o.subtype == "BlendShapeChannel").map(|o| o.id))
}

fn channel_of<'a>(import: &mut Import<'a>, id: ObjectId) -> Result<Channel<'a>> {
    let object = import.objects.get(id);
    let (node, name) = (object.node, object.name.clone());
    let weights: Buffer<f64> =
        node.child("FullWeights").map_or_else(|| Ok(Buffer::default()), |n| n.array(&mut import.decoder))?;
    // Several geometries may share the channel.
    import.take_again(Work::Channel, id, size_of_val(&*weights) + name.len())?;
    let is_blender = import.is_blender();
    let full = |index: usize| {
        let stated = weights.get(index).copied().filter(|w| !is_blender && w.is_finite());
        stated.unwrap_or(FULL_PERCENT)
    };
    let connected = import.objects.children(End::Object(id)).filter(|o| o.subtype == "Shape" || o.class == "Shape");
    let mut shapes = Vec::new();
    for (index, object) in connected.enumerate() {
        import.take_product(size_of::<Shape<'_>>() + object.name.len(), id)?;
        let name = object.name.clone();
        shapes.push(Shape { node: object.node, name, full: full(index), object: Some(object.id) });
    }
    shapes.sort_by(|a, b| a.full.total_cmp(&b.full));
    let percent = percent(&import.objects, id);
    let points = if is_blender { weights.clone() } else { Buffer::default() };
    Ok(Channel { name, owner: Owner::Channel(id), percent, shapes, points })
}

const FULL_PERCENT: f64 = 100.0;

/// The percentage at rest: a property, or a node of the same name, which Blender writes.
fn percent(objects: &Objects<'_>, channel: ObjectId) -> f64 {
    let object = objects.get(channel);
    let own = object.node.child("DeformPercent").and_then(|n| n.f64(0)).filter(|v| v.is_finite());
    match own.filter(|_| object.properties.is_empty()) {
        Some(percent) => percent,
        None => objects.f64(channel, "DeformPercent", 0.0),
    }
}

/// Up to version 7100 shapes stand inside their geometry, and a property of their name is their percentage.
fn inside<'a>(import: &Import<'a>, geometry: ObjectId) -> Vec<Channel<'a>> {
    let objects = &import.objects;
    let shapes = objects.get(geometry).node.children_named("Shape");
    if objects.document().version_number() > LAST_INSIDE {
        tell_inside(import, geometry, shapes.count() as u64);
        return Vec::new();
    }
    let channel = |node: Node<'a>| {
        let name = node.text(0).unwrap_or_default().into_owned();
        let percent = objects.f64(geometry, &name, 0.0);
        let shapes = vec![Shape { node, name: name.clone(), full: FULL_PERCENT, object: None }];
        Channel { name, owner: Owner::Named, percent, shapes, points: Buffer::default() }
    };
    shapes.map(channel).collect()
}

/// The last version whose shapes stand inside their geometry.
const LAST_INSIDE: u32 = 7100;

fn tell_inside(import: &Import<'_>, geometry: ObjectId, count: u64) {
    if count > 0 {
        let object = import.objects.get(geometry);
        let message =
            format!("inside the geometry `{}`, where only files up to version {LAST_INSIDE} have them", object.name);
        let line = Diagnostic::new(&codes::OBJECTS_LOST, "Shape", message);
        import.context.push(line.times(count).at(object.node.place()));
    }
}

fn add(import: &mut Import<'_>, geometry: ObjectId, channel: Channel<'_>) -> Result<()> {
    let Some(made) = import.geometries.get(&geometry) else { return Ok(()) };
    let (mesh, shown) = (made.mesh, made.shown.clone());
    let parts = &import.scene.meshes[mesh].parts;
    let (points, part_count) = (parts.first().map_or(0, |p| p.point_count), parts.len());
    let first = import.scene.meshes[mesh].morphs.len() as u32;
    let targets: Vec<(u32, f64)> =
        channel.shapes.iter().enumerate().map(|(i, shape)| (first + i as u32, shape.full)).collect();
    let weights = rest_weights(channel.percent, &targets);
    for (shape, weight) in channel.shapes.iter().zip(weights) {
        // Parts share the deltas, but each has a list of them; and names are given to several targets.
        let name = if channel.shapes.len() == 1 || shape.name.is_empty() { &channel.name } else { &shape.name };
        import.take_product(part_count.saturating_mul(PART_BYTES) + name.len(), geometry)?;
        let morph = deltas(import, shape, points, &channel.points)?;
        let mut target = MorphTarget::new(name.clone());
        target.default_weight = weight as f32;
        let mesh = &mut import.scene.meshes[mesh];
        mesh.morphs.push(target);
        mesh.parts.iter_mut().for_each(|part| part.morphs.push(morph.clone()));
    }
    remember(import, geometry, channel, targets, &shown)
}

/// What a part needs for each morph target at most, beside the deltas.
const PART_BYTES: usize = 2 * (size_of::<PartMorph>() + 2 * size_of::<DeltaStream>());

/// The weight of each target at rest.
fn rest_weights(percent: f64, targets: &[(u32, f64)]) -> Vec<f64> {
    match targets {
        [(_, full)] if *full != 0.0 => vec![percent / full],
        all => {
            let stops = inbetween::Stops::new(all.iter().map(|(_, full)| *full));
            (0..all.len()).map(|index| stops.weight(percent, index)).collect()
        }
    }
}

/// Tells animation what moves the targets.
fn remember(
    import: &mut Import<'_>,
    geometry: ObjectId,
    channel: Channel<'_>,
    targets: Vec<(u32, f64)>,
    shown: &[(ObjectId, NodeId)],
) -> Result<()> {
    if targets.is_empty() {
        return Ok(());
    }
    // One that is named is kept for the model and for the geometry.
    let each = 2 * (size_of::<MorphBinding>() + size_of_val(targets.as_slice()) + channel.name.len());
    import.take_product(shown.len().saturating_mul(each), geometry)?;
    for (model, node) in shown {
        let binding = MorphBinding { node: *node, targets: targets.clone() };
        match channel.owner {
            Owner::Channel(id) => import.morphs.entry(id).or_default().push(binding),
            Owner::Named => {
                let mut owners = vec![*model];
                if geometry != *model {
                    owners.push(geometry);
                }
                for owner in owners {
                    import.named_morphs.entry((owner, channel.name.clone())).or_default().push(binding.clone());
                }
            }
        }
    }
    Ok(())
}

/// The deltas of a shape, points ascending, each once.
fn deltas(import: &mut Import<'_>, shape: &Shape<'_>, points: u32, shares: &[f64]) -> Result<PartMorph> {
    let node = shape.node;
    let (Some(indexes), Some(vertices)) = (node.child("Indexes"), node.child("Vertices")) else {
        return Ok(PartMorph::default());
    };
    let indexes: Buffer<i32> = indexes.array(&mut import.decoder)?;
    let mut positions: Buffer<f32> = vertices.array(&mut import.decoder)?;
    let mut normals: Buffer<f32> =
        node.child("Normals").map_or_else(|| Ok(Buffer::default()), |n| n.array(&mut import.decoder))?;
    if shares.len() == indexes.len() && shares.iter().any(|s| *s != FULL_PERCENT) {
        [&mut positions, &mut normals].into_iter().for_each(|values| take_share(values.make_mut(), shares));
    }
    import.context.take_memory(indexes.len() as u64 * 32, || node.place())?;
    if let Some(object) = shape.object {
        import.take_again(Work::Deltas, object, indexes.len().max(positions.len() / 3) * 32)?;
    }
    let count = indexes.len().min(positions.len() / 3);
    let mut order: Vec<(u32, u32)> = Vec::with_capacity(count);
    for (element, index) in indexes.iter().take(count).enumerate() {
        if let Some(point) = u32::try_from(*index).ok().filter(|p| *p < points) {
            order.push((point, element as u32));
        }
    }
    if !order.is_sorted_by_key(|(point, _)| *point) {
        order.sort_by_key(|(point, _)| *point);
    }
    let before = order.len();
    // Deltas of one point add up, as where each is applied in turn; few files have such.
    let mut out = Deltas::default();
    for (point, element) in order {
        out.push(point, element as usize, &positions, &normals);
    }
    let wrong = indexes.len().max(positions.len().div_ceil(3)) - before;
    if wrong > 0 {
        let message = "deltas of points that do not exist were left out";
        let line = Diagnostic::new(&codes::SHAPE_POINTS, node.path(), message).times(wrong as u64);
        import.context.push(line.at(node.place()));
    }
    Ok(out.finish(normals.len() == positions.len()))
}

/// Points of a shape that follow it only in part.
fn take_share(values: &mut [f32], shares: &[f64]) {
    for (value, share) in values.as_chunks_mut::<3>().0.iter_mut().zip(shares) {
        let factor = if share.is_finite() { (share / FULL_PERCENT) as f32 } else { 1.0 };
        *value = value.map(|v| v * factor);
    }
}

#[derive(Default)]
struct Deltas {
    points: Vec<u32>,
    positions: Vec<f32>,
    normals: Vec<f32>,
}

impl Deltas {
    fn push(&mut self, point: u32, element: usize, positions: &[f32], normals: &[f32]) {
        let three = |values: &[f32]| {
            let [x, y, z] = [0, 1, 2].map(|i| values.get(element * 3 + i).copied().unwrap_or(0.0));
            [x, y, z]
        };
        let (position, normal) = (three(positions), three(normals));
        if self.points.last() == Some(&point) {
            let at = self.positions.len() - 3;
            for i in 0..3 {
                self.positions[at + i] += position[i];
                self.normals[at + i] += normal[i];
            }
            return;
        }
        self.points.push(point);
        self.positions.extend(position);
        self.normals.extend(normal);
    }

    fn finish(self, has_normals: bool) -> PartMorph {
        let points = Buffer::from(self.points);
        let stream = |semantic, values: Vec<f32>| DeltaStream::new(semantic, 3, values).at_points(points.clone());
        let moves_normals = has_normals && self.normals.iter().any(|v| *v != 0.0);
        let mut deltas = vec![stream(Semantic::Position, self.positions)];
        if moves_normals {
            deltas.push(stream(Semantic::Normal, self.normals));
        }
        PartMorph::new(deltas)
    }
}

/// Deformers that are neither skins nor blend shapes: vertex caches.
fn other_deformers(import: &Import<'_>, geometry: ObjectId) {
    let objects = &import.objects;
    for deformer in objects.children(End::Object(geometry)).filter(|o| o.class == "Deformer") {
        if deformer.subtype != "Skin" && deformer.subtype != "BlendShape" {
            let message = format!("{} of {}", deformer.subtype, objects.get(geometry).name);
            let line = Diagnostic::new(&codes::DEFORMER_LOST, deformer.name.clone(), message);
            import.context.push(line.at(deformer.node.place()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deltas_of_one_point_add_up() {
        let positions = [1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0];
        let mut deltas = Deltas::default();
        for (point, element) in [(4, 2), (4, 0), (7, 1)] {
            deltas.push(point, element, &positions, &[]);
        }
        let morph = deltas.finish(false);
        assert_eq!(morph.deltas.len(), 1);
        assert_eq!(morph.deltas[0].points.as_deref(), Some(&[4, 7][..]));
        assert_eq!(&*morph.deltas[0].values, &[1.0, 0.0, 3.0, 0.0, 2.0, 0.0]);
    }
}
