//! Comparing what scenes show at rest and in clips.

use super::pairing::{Pairing, Sides};
use super::shown::{Shown, sheared, texture_coordinates};
use anyrig_animation::Pose;
use anyrig_bytes::{Context, Error, Place, Report, Result, Severity};
use anyrig_passes::BakeOptions;
use anyrig_scene::glam::DAffine3;
use anyrig_scene::{
    Channel, Clip, Feature, FormatInfo, InheritMode, Interpolation, NodeId, Scene, Support, Target, WrittenNumbers,
    walk,
};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// What floats lose: positions are rounded a few times on their way through joints, relative to the size and to where
/// they lie.
const OF_SIZE: f64 = 1e-5;
const OF_COORDINATE: f64 = 2e-6;

/// Key times are f32 in most files.
const TIME_ROUNDING: f64 = 2e-7;

/// How far lengths of clips may differ, in seconds or as a share.
const LENGTH_TOLERANCE: f64 = 1e-5;

/// A scene that was exported, and how nearly it should be in the files.
pub(super) struct Comparison<'a> {
    pub(super) exported: &'a Scene,
    /// What of it the target holds, in the space of the written numbers.
    pub(super) expected: &'a Scene,
    /// What exporting said.
    pub(super) told: &'a Report,
    pub(super) numbers: WrittenNumbers,
    pub(super) info: &'a FormatInfo,
}

/// A clip of one of the readings, or of the scene that they are compared with.
#[derive(Clone, Copy)]
struct Written<'a> {
    scene: &'a Scene,
    clip: &'a Clip,
}

pub(super) fn differs(message: String) -> Error {
    Error::malformed(Place::whole(), message)
}

impl Comparison<'_> {
    /// Compares with what was read back: one scene, or several of one clip each.
    ///
    /// # Errors
    /// What differs.
    pub(super) fn run(&self, readings: &[Scene], context: &Context) -> Result<()> {
        let Some(first) = readings.first() else { return Ok(()) };
        let written: Vec<Written<'_>> =
            readings.iter().flat_map(|scene| scene.clips.iter().map(move |clip| Written { scene, clip })).collect();
        let pairs = self.clip_pairs(&written)?;
        let loose = if self.approximated() && self.gives_up(Feature::MatrixTransforms) {
            sheared(self.expected)
        } else {
            Vec::new()
        };
        let rest = Pose::rest_within(self.expected, &context.apart())?;
        let shown = Shown::of(self.expected, &rest, &loose, context)?;
        if shown.primitives.is_empty() {
            return self.nodes(&pairs, context);
        }
        let rest_of_first = Pose::rest_within(first, &context.apart())?;
        let read = Shown::of(first, &rest_of_first, &[], context)?;
        let (size, coordinate) = shown.extent();
        let rest_error = if self.approximated() { self.numbers.rest_error * size } else { 0.0 };
        let tolerance = OF_SIZE * size + OF_COORDINATE * coordinate + rest_error;
        let uv_a = texture_coordinates(self.expected, (&rest, self.numbers.tex_coords), context)?;
        let uv_b = texture_coordinates(first, (&rest_of_first, self.numbers.tex_coords), context)?;
        let uv_error = if self.approximated() { self.numbers.tex_coord_error } else { 0.0 };
        let sides = Sides { a: &shown, b: &read, uv_a: &uv_a, uv_b: &uv_b, tolerance, uv_error };
        let pairing = Pairing::at_rest(&sides, context)?;
        drop((shown, read, uv_a, uv_b));
        for (clip, written) in pairs {
            let posed = PosedClip { comparison: self, clip, written, loose: &loose, pairing: &pairing, tolerance };
            posed.compare(context)?;
        }
        Ok(())
    }

    fn approximated(&self) -> bool {
        self.told.worst() >= Some(Severity::Approximated)
    }

    fn gives_up(&self, feature: Feature) -> bool {
        self.info.support(feature) != Support::Holds
    }

    /// Which written clip is which of the scene's. They are in the same order; what is missing was told.
    fn clip_pairs<'a>(&self, written: &[Written<'a>]) -> Result<Vec<(usize, Written<'a>)>> {
        let clips = &self.expected.clips;
        let Some(mut missing) = clips.len().checked_sub(written.len()) else {
            return Err(differs(format!("{} clips became {}", clips.len(), written.len())));
        };
        let mut pairs = Vec::new();
        let mut rest = written.iter().peekable();
        for (number, clip) in clips.iter().enumerate() {
            let next = rest.peek().map(|w| w.clip.name.as_str());
            // One that moves nothing may go without a name that tells it from the next.
            let goes = clip.channels.is_empty() || next != Some(clip.name.as_str()) && self.is_told_lost(clip, number);
            if missing > 0 && goes {
                missing -= 1;
                continue;
            }
            let Some(found) = rest.next() else {
                return Err(differs(format!("clip {number} `{}` is not in the files, and no line says so", clip.name)));
            };
            pairs.push((number, *found));
        }
        match rest.next() {
            None => Ok(pairs),
            Some(more) => Err(differs(format!("a clip `{}` came from nowhere", more.clip.name))),
        }
    }

    fn is_told_lost(&self, clip: &Clip, number: usize) -> bool {
        let lost = self.told.diagnostics().iter().filter(|d| d.severity == Severity::Lost);
        let by_number = format!("clip {number}");
        let names = |subject: &str| subject == by_number || subject == Report::OTHERS || subject == clip.name;
        lost.map(|d| d.subject.as_str()).any(names)
    }

    /// Where nodes stand, for scenes that show nothing.
    fn nodes(&self, pairs: &[(usize, Written<'_>)], context: &Context) -> Result<()> {
        let scene = with_full_inheritance(self.expected, context)?;
        let size = walk::rest_world_transforms(&scene).into_iter().map(|w| w.translation.length());
        let size = size.fold(0.0, f64::max);
        for (number, written) in pairs {
            let clip = &scene.clips[*number];
            for time_secs in times(clip) {
                context.check_cancelled()?;
                self.nodes_at(Written { scene: &scene, clip }, *written, time_secs, size)?;
            }
        }
        Ok(())
    }

    fn nodes_at(&self, wanted: Written<'_>, written: Written<'_>, time_secs: f64, size: f64) -> Result<()> {
        let Written { scene, clip } = wanted;
        let error = if self.approximated() { 4.0 * self.numbers.motion_error } else { 0.0 };
        let (own, found) = (named_nodes(scene), named_nodes(written.scene));
        let common: BTreeSet<&str> = found.keys().copied().filter(|name| own.contains_key(name)).collect();
        let pose = Pose::of_clip(scene, clip, time_secs);
        let read = Pose::of_clip(written.scene, written.clip, time_secs - clip.start_secs + written.clip.start_secs);
        for name in &common {
            let wanted = relative(scene, &pose, own[name], &common);
            let got = relative(written.scene, &read, found[name], &common);
            let reach = wanted.translation.abs().max_element().max(size);
            let tolerance = (OF_SIZE + error) * reach;
            let same = near(wanted.matrix3.to_cols_array(), got.matrix3.to_cols_array(), OF_SIZE + error)
                && near(wanted.translation.to_array(), got.translation.to_array(), tolerance);
            if !same {
                let message = format!("clip `{}` at {time_secs} s: node `{name}` stands elsewhere", clip.name);
                return Err(differs(message));
            }
        }
        Ok(())
    }
}

/// Where a node keeps its scale from its children, targets have one more node, which bears the scale: what the node stands
/// for by itself is then another transform. Such scenes get these nodes too, with far smaller errors than targets have.
fn with_full_inheritance<'a>(scene: &'a Scene, context: &Context) -> Result<Cow<'a, Scene>> {
    if scene.nodes.values().all(|node| node.inherit == InheritMode::Full) {
        return Ok(Cow::Borrowed(scene));
    }
    let mut plain = scene.clone();
    let mut options = BakeOptions::default();
    options.max_error *= 1e-2;
    anyrig_passes::bake_motion(&mut plain, &options, &context.apart())?;
    Ok(Cow::Owned(plain))
}

fn near<const N: usize>(a: [f64; N], b: [f64; N], tolerance: f64) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance * a.abs().max(1.0))
}

/// Nodes by name, those aside whose name another one has too.
fn named_nodes(scene: &Scene) -> BTreeMap<&str, NodeId> {
    let mut by_name: BTreeMap<&str, Option<NodeId>> = BTreeMap::new();
    for (id, node) in scene.nodes.iter().filter(|(_, n)| !n.name.is_empty()) {
        by_name.entry(node.name.as_str()).and_modify(|known| *known = None).or_insert(Some(id));
    }
    by_name.into_iter().filter_map(|(name, id)| id.map(|id| (name, id))).collect()
}

/// A node's transform against the next one above it that has its name in both scenes.
fn relative(scene: &Scene, pose: &Pose, node: NodeId, common: &BTreeSet<&str>) -> DAffine3 {
    let mut transform = pose.local(node).to_affine();
    let mut above = scene.nodes[node].parent;
    while let Some(id) = above.filter(|id| !common.contains(scene.nodes[*id].name.as_str())) {
        transform = pose.local(id).to_affine() * transform;
        above = scene.nodes[id].parent;
    }
    transform
}

/// Start, quarters and end of a clip, each a little later: at a jump the value after it counts, whatever rounding does
/// to the key's time.
fn times(clip: &Clip) -> impl Iterator<Item = f64> {
    let (start, length) = (clip.start_secs, clip.end_secs() - clip.start_secs);
    (0..5).map(move |quarter| {
        let time_secs = start + length * f64::from(quarter) / 4.0;
        time_secs + 1e-6 + 2.0 * TIME_ROUNDING * time_secs.abs()
    })
}

/// A clip of the scene and the written one.
struct PosedClip<'a> {
    comparison: &'a Comparison<'a>,
    clip: usize,
    written: Written<'a>,
    loose: &'a [bool],
    pairing: &'a Pairing,
    /// At rest.
    tolerance: f64,
}

impl PosedClip<'_> {
    fn compare(&self, context: &Context) -> Result<()> {
        let scene = self.comparison.expected;
        let clip = &scene.clips[self.clip];
        self.lengths()?;
        let plain = is_plain(clip) && !anyrig_passes::needs_baking(scene);
        let sampled = self.comparison.approximated() && !plain;
        let joints = if sampled { 1 + depth(scene) } else { 0 };
        for time_secs in times(clip) {
            context.check_cancelled()?;
            let shown = self.shown(time_secs, context)?;
            let read_secs = time_secs - clip.start_secs + self.written.clip.start_secs;
            let pose = Pose::of_clip(self.written.scene, self.written.clip, read_secs);
            let read = Shown::of(self.written.scene, &pose, &[], context)?;
            let (size, coordinate) = shown.extent();
            let mut tolerance = self.tolerance.max(OF_SIZE * size + OF_COORDINATE * coordinate);
            tolerance += self.comparison.numbers.motion_error * joints as f64 * size.max(coordinate);
            let Some(mut difference) = self.pairing.difference(&shown, &read, tolerance) else { continue };
            // Of fast motion, rounded times show too.
            let step_secs = TIME_ROUNDING * time_secs.abs();
            let moved = self.moved(time_secs - step_secs, time_secs + step_secs, context)?;
            if moved > 0.0 {
                match self.pairing.difference(&shown, &read, tolerance + moved) {
                    None => continue,
                    Some(still) => difference = still,
                }
            }
            return Err(differs(format!("clip `{}` at {time_secs} s: {difference}", clip.name)));
        }
        Ok(())
    }

    fn shown(&self, time_secs: f64, context: &Context) -> Result<Shown> {
        let scene = self.comparison.expected;
        Shown::of(scene, &Pose::of_clip(scene, &scene.clips[self.clip], time_secs), self.loose, context)
    }

    /// The longest way of a corner between two times.
    fn moved(&self, from_secs: f64, to_secs: f64, context: &Context) -> Result<f64> {
        let (from, to) = (self.shown(from_secs, context)?, self.shown(to_secs, context)?);
        let ways = from.primitives.iter().zip(&to.primitives).flat_map(|(a, b)| {
            let (a, b) = (from.corners(a), to.corners(b));
            [0, 1, 2].map(|c| a[c].distance(b[c]))
        });
        Ok(ways.fold(0.0, f64::max))
    }

    /// A clip lasts as long as before, with or without what the target drops of it.
    fn lengths(&self) -> Result<()> {
        let Comparison { exported, expected, .. } = self.comparison;
        if self.comparison.gives_up(Feature::ClipLengths) && self.comparison.approximated() {
            return Ok(());
        }
        let length = |clip: &Clip| clip.end_secs() - clip.start_secs;
        let got = length(self.written.clip);
        let allowed = [length(&exported.clips[self.clip]), length(&expected.clips[self.clip])];
        if allowed.iter().any(|l| (l - got).abs() <= LENGTH_TOLERANCE * l.abs().max(1.0)) {
            return Ok(());
        }
        let name = &expected.clips[self.clip].name;
        Err(differs(format!("clip `{name}` of {} s became {got} s long", allowed[0])))
    }
}

/// Whether every target holds a clip's curves as they are: linear or step ones, on properties as a whole.
fn is_plain(clip: &Clip) -> bool {
    let plain = |channel: &Channel| {
        let kind = channel.curve.interpolation;
        let held = matches!(kind, Interpolation::Linear | Interpolation::Step) && channel.curve.holds_outside();
        held && matches!(channel.target, Target::Node { .. })
    };
    clip.layers.len() < 2 && clip.start_secs == 0.0 && clip.channels.iter().all(plain)
}

/// The largest number of nodes above each other.
fn depth(scene: &Scene) -> usize {
    let mut depths = vec![0; scene.nodes.len()];
    for id in walk::parents_first(scene) {
        depths[id.index()] = scene.nodes[id].parent.map_or(0, |p| depths[p.index()] + 1);
    }
    depths.into_iter().max().unwrap_or(0)
}
