//! Rounds a scene to whole numbers of few bits (`KHR_mesh_quantization`), and says how far that moves what it shows.
//!
//! Positions become steps of a grid over the mesh. Where a mesh is skinned, the grid is undone by the inverse bind
//! matrices, so all meshes of a skin share one; where it is not, by the transform of the node that shows it. No node is
//! added, so that what refers to nodes stays right; a mesh for which neither works keeps its floats.

use super::animations::vector_bits;
use super::meshes::has_influences;
use super::squeeze::{Place, Squeeze, squeeze};
use super::streams::{has_directions, unit_vectors};
use crate::GltfOptions;
use crate::codes;
use crate::names::{EXTRAS, MEMBERS};
use crate::options::Quantize;
use anyrig_bytes::{Buffer, Context, maths};
use anyrig_scene::glam::{DAffine3, DVec3};
use anyrig_scene::{
    Interpolation, LocalTransform, Mesh, MeshId, MeshInstance, Node, NodeId, Part, Property, Scene, Semantic, SkinId,
    Storage, Stream, Target, Trs, USER,
};
use std::collections::{BTreeMap, BTreeSet};

/// Bits of each kind of number.
#[derive(Clone, Copy)]
struct Bits {
    /// Greatest step of the grid of positions; without one they stay.
    steps: Option<u32>,
    /// Storage and greatest whole number of normals and tangents, which stay without.
    direction: Option<(Storage, f32)>,
    /// Of colours.
    color: (Storage, f32),
    /// Of weights.
    weight: f32,
}

const CORE: Bits = Bits { steps: None, direction: None, color: (Storage::Unorm8, 255.0), weight: 255.0 };
const SMALL: Bits = Bits {
    steps: Some((1 << 14) - 1),
    direction: Some((Storage::Snorm8, 127.0)),
    color: CORE.color,
    weight: CORE.weight,
};
const FINE: Bits = Bits {
    steps: Some((1 << 16) - 1),
    direction: Some((Storage::Snorm16, 32767.0)),
    color: (Storage::Unorm16, 65535.0),
    weight: 65535.0,
};

/// Greatest step of a morph target's deltas, which have a sign.
const MOST_DELTA: f32 = 32767.0;

/// Least step of a grid: what undoes it must stay a number that single precision holds.
const LEAST_STEP: f64 = 1e-30;

/// How far the numbers that undo a grid are off, as a share of the largest coordinate: they are written in single
/// precision, and two of them make a position.
const UNDO_ERROR: f64 = 2.0 / 16_777_216.0;

/// The grid of positions: a position is `least + step × whole`.
#[derive(Clone, Copy, Debug)]
struct Grid {
    least: DVec3,
    step: f64,
    /// How far a position moves at most.
    error: f64,
}

impl Grid {
    fn to_affine(self) -> DAffine3 {
        DAffine3::from_translation(self.least) * DAffine3::from_scale(DVec3::splat(self.step))
    }

    fn whole(&self, position: &[f32], steps: u32) -> [f32; 3] {
        let least = self.least.to_array();
        std::array::from_fn(|axis| {
            let value = position.get(axis).copied().unwrap_or(0.0);
            ((f64::from(value) - least[axis]) / self.step).round().clamp(0.0, f64::from(steps)) as f32
        })
    }
}

/// How far a point may move in any pose, as a share of the scene's size. Four weights that are off by less than one of
/// their steps move it by two steps of what its joints are apart; positions, morph targets and rotations add to it, whose
/// steps are finer than those of weights of eight bits.
pub(super) fn error(how: Quantize) -> f64 {
    match how {
        Quantize::Off | Quantize::Keep => 0.0,
        Quantize::Core | Quantize::Small => 0.01,
        Quantize::Fine => 2e-3,
    }
}

/// Rounds what a scene that is ready for writing holds; nothing for `Off` and `Keep`. Gives the extension without which
/// textures would lie elsewhere, where one came to be needed.
pub(super) fn quantize(scene: &mut Scene, options: &GltfOptions, context: &Context) -> Option<&'static str> {
    let bits = match options.quantize {
        Quantize::Off | Quantize::Keep => return None,
        Quantize::Core => CORE,
        Quantize::Small => SMALL,
        Quantize::Fine => FINE,
    };
    let grids = bits.steps.map_or_else(BTreeMap::new, |steps| grids(scene, steps, context));
    let directions = if options.filters() { Directions::ByFilter } else { Directions::Each };
    let squeezed = if options.quantize.extends() { squeeze(scene) } else { BTreeMap::new() };
    let needs = (!squeezed.is_empty()).then_some("KHR_texture_transform");
    let mut rounder = Rounder { bits, directions, squeezed, known: BTreeMap::new(), context };
    for index in 0..scene.meshes.len() {
        let id = MeshId::new(index);
        let Some(mesh) = scene.meshes.get_mut(id) else { continue };
        let grid = grids.get(&id).copied();
        let message = rounder.mesh(mesh, index, grid);
        if !message.is_empty() {
            context.tell(&codes::QUANTIZED, format!("mesh {index}"), message);
        }
    }
    let message = motion_bounds(scene, options).words();
    if !message.is_empty() {
        context.tell(&codes::QUANTIZED, "animations", message);
    }
    undo(scene, &grids);
    needs
}

/// How far rotations of 16 bits turn: half a step in each of four numbers, of which the angle is twice.
const ROTATION_DEGREES: f64 = 0.0035;

/// What the quaternion filter adds: half a step in each of three numbers, which are scaled by √2 and move the fourth, at
/// least 1/2, by √3 times as much.
const FILTERED_ROTATION_DEGREES: f64 = 0.0079;

/// How far the keys of clips move.
fn motion_bounds(scene: &Scene, options: &GltfOptions) -> Bounds {
    let mut bounds = Bounds::default();
    // A number of so many bits is off by less than its greatest × 2^(2 - bits).
    let share = 4.0 / f64::from(1u32 << vector_bits(options.quantize));
    for channel in scene.clips.iter().flat_map(|c| &c.channels) {
        // Cubic curves keep their floats, but one of a single key is written as a constant.
        if channel.curve.interpolation == Interpolation::CubicHermite && channel.curve.len() > 1 {
            continue;
        }
        let Target::Node { property, .. } = channel.target else { continue };
        let far = || f64::from(channel.curve.values.iter().fold(0.0f32, |most, v| most.max(v.abs()))) * share;
        match property {
            Property::Rotation if options.filters() => {
                bounds.add(Moved::new("rotations", FILTERED_ROTATION_DEGREES, " degrees"));
            }
            Property::Rotation => bounds.add(Moved::new("rotations", ROTATION_DEGREES, " degrees")),
            Property::Translation if options.filters() => bounds.add(Moved::new("translations", far(), " units")),
            Property::Scale if options.filters() => bounds.add(Moved::new("scales", far(), "")),
            Property::Translation | Property::Scale | Property::MorphWeights => {}
        }
    }
    bounds
}

/// Puts the grids into inverse bind matrices and nodes.
fn undo(scene: &mut Scene, grids: &BTreeMap<MeshId, Grid>) {
    let mut skins: BTreeMap<SkinId, Grid> = BTreeMap::new();
    let nodes: Vec<NodeId> = scene.nodes.ids().collect();
    for id in nodes {
        let shown = scene.nodes[id].mesh.as_ref().map(|instance| (instance.mesh, moving_skin(scene, instance)));
        let Some((mesh, skin)) = shown else { continue };
        let Some(grid) = grids.get(&mesh) else { continue };
        match skin {
            Some(skin) => drop(skins.insert(skin, *grid)),
            None => scene.nodes[id].local = after(scene.nodes[id].local, *grid),
        }
    }
    for (skin, grid) in skins {
        if let Some(skin) = scene.skins.get_mut(skin) {
            skin.inverse_binds.iter_mut().for_each(|bind| *bind *= grid.to_affine());
        }
    }
}

/// The skin that moves what a node shows; the one of the others is not written.
fn moving_skin(scene: &Scene, instance: &MeshInstance) -> Option<SkinId> {
    let has_joints = |skin: &SkinId| scene.skins.get(*skin).is_some_and(|s| !s.joints.is_empty());
    let moves = scene.meshes.get(instance.mesh).is_some_and(has_influences);
    instance.skin.filter(|skin| moves && has_joints(skin))
}

/// A node's transform that undoes the grid first.
fn after(local: LocalTransform, grid: Grid) -> LocalTransform {
    match local {
        LocalTransform::Trs(trs) => {
            let translation = trs.translation + trs.rotation * (trs.scale * grid.least);
            LocalTransform::Trs(Trs { translation, scale: trs.scale * grid.step, ..trs })
        }
        LocalTransform::Matrix(affine) => LocalTransform::Matrix(affine * grid.to_affine()),
    }
}

/// The grid of each mesh whose positions can be rounded.
fn grids(scene: &Scene, steps: u32, context: &Context) -> BTreeMap<MeshId, Grid> {
    let fixed = fixed_nodes(scene);
    let mut groups = Groups::new(scene.meshes.len());
    let mut users: Vec<Vec<(NodeId, Option<SkinId>)>> = vec![Vec::new(); scene.meshes.len()];
    let mut first_of_skin: BTreeMap<SkinId, usize> = BTreeMap::new();
    for (id, node) in scene.nodes.iter() {
        let Some(instance) = &node.mesh else { continue };
        let index = instance.mesh.index();
        let Some(users) = users.get_mut(index) else { continue };
        let skin = moving_skin(scene, instance);
        users.push((id, skin));
        if let Some(skin) = skin {
            groups.join(*first_of_skin.entry(skin).or_insert(index), index);
        }
    }
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for index in 0..users.len() {
        members.entry(groups.find(index)).or_default().push(index);
    }
    let mut grids = BTreeMap::new();
    for group in members.into_values() {
        let mut shown = group.iter().flat_map(|m| users.get(*m).into_iter().flatten().map(move |u| (*m, u)));
        if shown.clone().next().is_none() {
            continue;
        }
        let can_undo = shown.all(|(mesh, (node, skin))| match skin {
            Some(_) => scene.meshes[MeshId::new(mesh)].parts.iter().all(|p| p.influences.is_some()),
            None => !fixed.contains(node),
        });
        let grid = grid_of(group.iter().map(|m| &scene.meshes[MeshId::new(*m)]), steps);
        match grid.filter(|_| can_undo) {
            Some(grid) => grids.extend(group.iter().map(|m| (MeshId::new(*m), grid))),
            None => group.iter().for_each(|m| context.tell(&codes::NOT_QUANTIZED, format!("mesh {m}"), "")),
        }
    }
    grids
}

/// One grid over all positions of some meshes; `None` when there are none.
fn grid_of<'m>(meshes: impl Iterator<Item = &'m Mesh>, steps: u32) -> Option<Grid> {
    let (mut least, mut most) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for position in meshes.flat_map(|m| &m.parts).flat_map(Part::positions) {
        let position = DVec3::from_array(position.map(f64::from));
        (least, most) = (least.min(position), most.max(position));
    }
    let extent = (most - least).max_element();
    if !extent.is_finite() {
        return None;
    }
    // Without extent all positions are the same, which a grid of any step has.
    let step = if extent > 0.0 { (extent / f64::from(steps)).max(LEAST_STEP) } else { 1.0 };
    let rounding = if extent > 0.0 { step * HALF_DIAGONAL } else { 0.0 };
    let farthest = least.abs().max(most.abs()).length();
    Some(Grid { least, step, error: rounding + farthest * UNDO_ERROR })
}

/// Nodes whose own transform must stay what it is: it moves more than the mesh, or is moved.
fn fixed_nodes(scene: &Scene) -> BTreeSet<NodeId> {
    let is_fixed = |node: &Node| {
        let says_more = node.extras.carried().any(|(namespace, _)| !matches!(namespace, EXTRAS | MEMBERS | USER));
        let moves_more = node.camera.is_some() || node.light.is_some() || node.instances.is_some();
        !node.children.is_empty() || moves_more || says_more
    };
    let mut fixed: BTreeSet<NodeId> = scene.nodes.iter().filter(|(_, n)| is_fixed(n)).map(|(id, _)| id).collect();
    for skin in scene.skins.values() {
        fixed.extend(skin.joints.iter().chain(&skin.skeleton));
    }
    for channel in scene.clips.iter().flat_map(|c| &c.channels) {
        match &channel.target {
            Target::Node { property: Property::MorphWeights, .. } => {}
            Target::Node { node, .. } => drop(fixed.insert(*node)),
            Target::Other(pointer) => {
                let index = pointer.strip_prefix("/nodes/").and_then(|p| p.split('/').next()?.parse().ok());
                fixed.extend(index.map(NodeId::new));
            }
            _ => {}
        }
    }
    fixed
}

/// What must be treated alike, by numbers.
pub(super) struct Groups(Vec<usize>);

impl Groups {
    pub(super) fn new(len: usize) -> Self {
        Self((0..len).collect())
    }

    /// Paths are halved on the way, so that long chains are walked once.
    pub(super) fn find(&mut self, mut index: usize) -> usize {
        while self.0[index] != index {
            self.0[index] = self.0[self.0[index]];
            index = self.0[index];
        }
        index
    }

    /// The group of the lower number takes the other.
    pub(super) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b)] = a.min(b);
    }
}

/// Rounded buffers by the memory, the length and the kind of those that they were made from, so that what was shared
/// stays shared. The old ones are kept, so that no new one takes their place.
type Known = BTreeMap<Key, (Buffer<f32>, Buffer<f32>)>;
type Key = (usize, usize, u64);

/// √3 / 2: how far half a step on each of three axes moves a point, in steps.
const HALF_DIAGONAL: f64 = 0.866_025_403_784_438_6;

/// What rounds normals and tangents.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Directions {
    /// Each number becomes the nearest whole one, here.
    Each,
    /// The octahedral filter, when they are written.
    ByFilter,
}

/// How far the octahedral filter turns a direction, in steps of its numbers as radians. Half a step on both axes of an
/// octahedron's face moves a point by √6 / 2, and its middle lies 1 / √3 from the centre.
const OCTAHEDRAL_TURN: f64 = 2.121_320_343_559_642_5;

struct Rounder<'a> {
    bits: Bits,
    directions: Directions,
    /// Texture coordinates that were brought into 0 to 1.
    squeezed: BTreeMap<Place, Squeeze>,
    known: Known,
    context: &'a Context,
}

/// How far numbers of a kind move at most.
#[derive(Clone, Copy)]
struct Moved {
    what: &'static str,
    most: f64,
    unit: &'static str,
}

impl Moved {
    const fn new(what: &'static str, most: f64, unit: &'static str) -> Self {
        Self { what, most, unit }
    }
}

/// What moves in a mesh, by how much at most.
#[derive(Default)]
struct Bounds(BTreeMap<(&'static str, &'static str), f64>);

impl Bounds {
    fn add(&mut self, moved: Moved) {
        let most = self.0.entry((moved.what, moved.unit)).or_insert(0.0);
        *most = most.max(moved.most);
    }

    fn words(&self) -> String {
        let all = self.0.iter().map(|((what, unit), most)| format!("{what} within {}{unit}", at_most(*most)));
        all.collect::<Vec<_>>().join(", ")
    }
}

/// A number of two digits that is not below the other one.
fn at_most(number: f64) -> String {
    let text = format!("{number:.1e}");
    let is_below = text.parse::<f64>().is_ok_and(|shown| shown < number);
    // One more in the last digit: a twentieth to a hundredth of the number.
    if is_below { format!("{:.1e}", number + number * 0.05) } else { text }
}

impl Rounder<'_> {
    /// Rounds a mesh, and says within what.
    fn mesh(&mut self, mesh: &mut Mesh, index: usize, grid: Option<Grid>) -> String {
        let mut bounds = Bounds::default();
        let mut kept = BTreeSet::new();
        for (number, part) in mesh.parts.iter_mut().enumerate() {
            let subject = format!("mesh {index} part {number}");
            for stream in &mut part.streams {
                match self.stream(stream, &subject, grid.map(|g| (g, index))) {
                    Some(moved) => bounds.add(self.as_seen(moved, stream, (index, number))),
                    None if matches!(stream.semantic, Semantic::TexCoord(_) | Semantic::Color(_)) => {
                        kept.insert(stream.semantic.to_string());
                    }
                    None => {}
                }
            }
            for delta in part.morphs.iter_mut().flat_map(|m| &mut m.deltas) {
                if let Some((values, moved)) = self.deltas(&delta.semantic, &delta.values, grid) {
                    delta.values = values;
                    bounds.add(moved);
                }
            }
            if part.influences.is_some() {
                bounds.add(Moved::new("weights", f64::from(1.0 / self.bits.weight), ""));
            }
        }
        if !kept.is_empty() {
            let message = kept.into_iter().collect::<Vec<_>>().join(", ");
            self.context.tell(&codes::RANGE_NOT_QUANTIZED, format!("mesh {index}"), message);
        }
        bounds.words()
    }

    /// How far what is seen moves: stored texture coordinates may stand for a wider range.
    fn as_seen(&self, moved: Moved, stream: &Stream, (mesh, part): (usize, usize)) -> Moved {
        let Semantic::TexCoord(set) = stream.semantic else { return moved };
        let squeeze = self.squeezed.get(&(mesh, part, set));
        squeeze.map_or(moved, |squeeze| Moved { most: squeeze.error(moved.most), ..moved })
    }

    /// Rounds a stream; gives what it is called and how far its numbers move at most.
    fn stream(&mut self, stream: &mut Stream, subject: &str, grid: Option<(Grid, usize)>) -> Option<Moved> {
        let key = key(stream, grid);
        let Bits { steps, direction, color, .. } = self.bits;
        match stream.semantic.clone() {
            Semantic::Position => {
                let (grid, steps) = (grid?.0, steps?);
                let whole = |s: &Stream| s.values.chunks_exact(3).flat_map(|p| grid.whole(p, steps)).collect();
                self.set(stream, key, Storage::U16, whole);
                Some(Moved::new("positions", grid.error, " units"))
            }
            Semantic::Normal | Semantic::Tangent => {
                let (storage, most) = direction?;
                let what = if stream.semantic == Semantic::Normal { "normals" } else { "tangents" };
                let context = self.context;
                let by_filter = self.directions == Directions::ByFilter && has_directions(stream);
                let exact = |s: &Stream| exact_directions(&unit_vectors(s, subject, context), s.width.into());
                let rounded = |s: &Stream| directions(exact(s), s.width.into(), most);
                let made = |s: &Stream| if by_filter { exact(s) } else { rounded(s) };
                self.set(stream, key, storage, made);
                let turn = maths::f64::asin(HALF_DIAGONAL / f64::from(most) + UNDO_ERROR);
                let more = if by_filter { OCTAHEDRAL_TURN / f64::from(most) + UNDO_ERROR } else { 0.0 };
                Some(Moved::new(what, (turn + more).to_degrees(), " degrees"))
            }
            Semantic::TexCoord(_) if are_fractions(&stream.values) => {
                self.set(stream, key, Storage::Unorm16, |s| fractions(&s.values, 65535.0));
                Some(Moved::new("texture coordinates", half_of(65535.0), ""))
            }
            Semantic::Color(_) if are_fractions(&stream.values) => {
                self.set(stream, key, color.0, |s| fractions(&s.values, color.1));
                Some(Moved::new("colours", half_of(color.1), ""))
            }
            Semantic::TexCoord(_) | Semantic::Color(_) | Semantic::Custom(_) => None,
        }
    }

    /// Gives a stream its rounded values, made once for equal memory.
    fn set(&mut self, stream: &mut Stream, key: Key, storage: Storage, make: impl FnOnce(&Stream) -> Vec<f32>) {
        let old = stream.values.clone();
        let new = match self.known.get(&key) {
            Some((_, new)) => new.clone(),
            None => Buffer::from(make(stream)),
        };
        self.known.insert(key, (old, new.clone()));
        (stream.storage, stream.values) = (storage, new);
    }

    /// Deltas as they must be beside rounded attributes, those of positions in steps of the grid, and how far they move
    /// at a weight of 1; `None` where they stay as they are.
    fn deltas(&self, semantic: &Semantic, values: &Buffer<f32>, grid: Option<Grid>) -> Option<(Buffer<f32>, Moved)> {
        match (semantic, grid) {
            (Semantic::Position, Some(grid)) => {
                let steps: Vec<f32> = values.iter().map(|v| (f64::from(*v) / grid.step) as f32).collect();
                let fits = steps.iter().all(|s| s.round().abs() <= MOST_DELTA);
                let most = if fits { grid.step * HALF_DIAGONAL } else { 0.0 };
                let farthest = values.iter().fold(0.0f32, |most, v| most.max(v.abs()));
                let moved = Moved::new("morph targets", most + f64::from(farthest) * UNDO_ERROR, " units");
                Some((if fits { steps.iter().map(|s| s.round()).collect() } else { steps.into() }, moved))
            }
            (Semantic::Normal | Semantic::Tangent, _) if values.iter().all(|v| v.abs() <= 1.0) => {
                let most = self.bits.direction?.1;
                Some((fractions(values, most).into(), Moved::new("directions of morph targets", half_of(most), "")))
            }
            _ => None,
        }
    }
}

/// Half a step of fractions, and what single precision adds to the number before and after.
fn half_of(most: f32) -> f64 {
    0.5 / f64::from(most) + UNDO_ERROR
}

fn key(stream: &Stream, grid: Option<(Grid, usize)>) -> Key {
    let kind = match stream.semantic {
        Semantic::Position => 0,
        Semantic::Normal => 1,
        Semantic::Tangent => 2,
        Semantic::TexCoord(_) => 3,
        _ => 4,
    };
    let of_mesh = grid.filter(|_| kind == 0).map_or(0, |(_, mesh)| mesh as u64);
    (stream.values.as_ptr() as usize, stream.values.len(), of_mesh << 8 | kind << 4 | u64::from(stream.width))
}

fn are_fractions(values: &[f32]) -> bool {
    values.iter().all(|v| (0.0..=1.0).contains(v))
}

/// Vectors of about unit length made exactly as long: what is a little longer has numbers above 1, which no fraction
/// holds. The fourth number of a tangent is a sign.
fn exact_directions(values: &[f32], width: usize) -> Vec<f32> {
    let mut exact = values.to_vec();
    for vector in exact.chunks_exact_mut(width.max(1)) {
        let axes = vector.get_mut(..3).unwrap_or_default();
        let length = axes.iter().map(|v| f64::from(*v) * f64::from(*v)).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
        axes.iter_mut().for_each(|v| *v = (f64::from(*v) / length) as f32);
    }
    exact
}

/// Vectors of unit length rounded to multiples of 1 / `most`.
fn directions(mut vectors: Vec<f32>, width: usize, most: f32) -> Vec<f32> {
    for vector in vectors.chunks_exact_mut(width.max(1)) {
        let axes = vector.get_mut(..3).unwrap_or_default();
        axes.iter_mut().for_each(|v| *v = (*v * most).round() / most);
    }
    vectors
}

/// Values rounded to multiples of 1 / `most`.
fn fractions(values: &[f32], most: f32) -> Vec<f32> {
    values.iter().map(|v| (v * most).round() / most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mesh(positions: &[f32]) -> Mesh {
        let mut part = Part::default();
        part.point_count = positions.len() as u32 / 3;
        part.set_stream(Stream::new(Semantic::Position, 3, positions.to_vec()));
        let mut mesh = Mesh::default();
        mesh.parts = vec![part];
        mesh
    }

    #[test]
    fn shown_bounds_are_not_below_real_ones() {
        let shown = |number: f64| at_most(number).parse::<f64>().expect("a number");
        for number in [0.0, 1.0, 0.1, 3.921e-3, 9.96e-5, 9.94e-5, 1.04e7, 1.0 / 3.0, f64::MIN_POSITIVE, 5.0e300] {
            assert!(shown(number) >= number && shown(number) <= number * 1.1, "{number}: {}", at_most(number));
        }
    }

    const STEPS: u32 = (1 << 14) - 1;

    #[test]
    fn grids_of_little_and_of_no_extent() {
        let grid = |positions: &[f32]| grid_of([mesh(positions)].iter(), STEPS).expect("there are points");
        let one = grid(&[5.0, 6.0, 7.0, 5.0, 6.0, 7.0]);
        assert_eq!((one.least, one.step), (DVec3::new(5.0, 6.0, 7.0), 1.0));
        assert!(one.error < 2e-6, "{one:?}");
        // Less than single precision has steps for.
        let tiny = grid(&[0.0, 0.0, 0.0, 1e-42, 0.0, 0.0]);
        assert!(tiny.step as f32 >= f32::MIN_POSITIVE && tiny.error < 1e-29, "{tiny:?}");
        assert_eq!(tiny.whole(&[1e-42, 0.0, 0.0], STEPS), [0.0; 3]);
        // Far away from the origin the position itself is what is coarse.
        let far = grid(&[1e6, 0.0, 0.0, 1e6 + 0.0625, 0.0, 0.0]);
        assert!(far.error > 0.05, "{far:?}");
    }

    #[test]
    fn vectors_that_are_a_little_long_are_rounded_like_others() {
        let directions = |values: &[f32], width, most| directions(exact_directions(values, width), width, most);
        let rounded = directions(&[0.0, 1.0003, 0.0, -0.6002, 0.0, -0.8003], 3, 32767.0);
        assert_eq!(&rounded[..3], [0.0, 1.0, 0.0]);
        assert!((rounded[3] + 0.6).abs() < 2e-5 && rounded.iter().all(|v| v.abs() <= 1.0), "{rounded:?}");
        let tangent = directions(&[1.0003, 0.0, 0.0, -1.0], 4, 127.0);
        assert_eq!(tangent, [1.0, 0.0, 0.0, -1.0]);
    }

    #[test]
    fn nodes_that_nobody_else_refers_to_are_free() {
        let mut scene = Scene::default();
        let node = scene.add_node(Node::new("n"), None);
        scene.nodes[node].extras.set_bookkeeping("tool.type", "Mesh");
        scene.nodes[node].extras.set(USER, 1);
        assert!(fixed_nodes(&scene).is_empty());
        scene.nodes[node].extras.set("tool.place", 1);
        assert!(fixed_nodes(&scene).contains(&node));
    }

    #[test]
    fn long_chains_of_groups_are_walked_once() {
        let count = 200_000;
        let mut groups = Groups::new(count);
        (1..count).rev().for_each(|index| groups.join(index - 1, index));
        // Each walk halves the way, so that eighteen of them make one step of 2^18.
        assert!((0..18).all(|_| groups.find(count - 1) == 0));
        assert_eq!(groups.0[groups.0[count - 1]], 0);
    }
}
