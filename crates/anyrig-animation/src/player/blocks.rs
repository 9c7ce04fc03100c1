//! Keys of eight tracks side by side, and what lies between them.

use super::timeline::Located;
use crate::rotation::unit_or;
use crate::skinning::lanes::{Arc, Lanes, Values, WIDTH, arc_weights, dot4, eight};
use glam::DQuat;

/// What a track moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Translation,
    Rotation,
    Scale,
}

/// Between two keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    Step,
    Linear,
    /// Each key is in-tangent, value, out-tangent.
    Cubic,
}

/// The keys of one part of one node.
#[derive(Clone, Debug)]
pub(super) struct Track {
    pub timeline: u32,
    pub shape: Shape,
    /// As in [`anyrig_scene::Curve::values`], for at least two keys.
    pub values: Vec<f32>,
}

/// The translation, rotation and scale of eight nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Locals {
    pub translation: [Values; 3],
    pub rotation: [Values; 4],
    pub scale: [Values; 3],
}

/// Tracks of one part of eight nodes, not all of which need to have one.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// Which eight nodes.
    pub nodes: usize,
    part: Part,
    /// Of the lanes that have a track, those whose key holds.
    steps: [bool; WIDTH],
    /// The lanes that have a track.
    used: [bool; WIDTH],
    keys: Keys,
}

#[derive(Clone, Debug)]
enum Keys {
    /// One timeline for all: numbers lane by lane, [`Part::shared_floats`] for each key.
    Shared { timeline: u32, values: Vec<Values> },
    /// Each lane its own keys, one after the other, [`Part::floats`] or twelve numbers each.
    Own { lanes: [Lane; WIDTH], values: Vec<f32>, is_cubic: bool },
}

#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    timeline: u32,
    start: usize,
}

impl Part {
    /// Numbers of a straight key: x y z and nothing, or a quaternion and the arc to the next one.
    const fn floats(self) -> usize {
        match self {
            Self::Translation | Self::Scale => 4,
            Self::Rotation => 6,
        }
    }

    /// The same without the nothing.
    const fn shared_floats(self) -> usize {
        match self {
            Self::Translation | Self::Scale => 3,
            Self::Rotation => 6,
        }
    }

    fn width(self) -> usize {
        if self == Self::Rotation { 4 } else { 3 }
    }
}

/// Numbers of a cubic key: in-tangent, value and out-tangent of four each.
const CUBIC: usize = 12;
/// With fewer tracks of one timeline than this, room for eight would be wasted.
const FEWEST_SHARED: usize = 4;

impl Block {
    /// The blocks that hold a part of eight nodes.
    pub(super) fn of(nodes: usize, part: Part, tracks: [Option<&Track>; WIDTH]) -> Vec<Self> {
        let is_cubic = |track: &&Track| track.shape == Shape::Cubic;
        let straight = tracks.map(|track| track.filter(|t| !is_cubic(t)));
        let cubic = tracks.map(|track| track.filter(is_cubic));
        let mut blocks = Vec::new();
        if let Some(first) = straight.iter().flatten().next() {
            let alike = |t: &&Track| (t.timeline, t.shape) == (first.timeline, first.shape);
            let count = straight.iter().flatten().count();
            let keys = if count >= FEWEST_SHARED && straight.iter().flatten().all(alike) {
                shared(part, straight, first)
            } else {
                own(part, straight)
            };
            blocks.push(Self::new(nodes, part, straight, keys));
        }
        if cubic.iter().any(Option::is_some) {
            blocks.push(Self::new(nodes, part, cubic, cubic_keys(part, cubic)));
        }
        blocks
    }

    fn new(nodes: usize, part: Part, tracks: [Option<&Track>; WIDTH], keys: Keys) -> Self {
        let steps = tracks.map(|track| track.is_some_and(|t| t.shape == Shape::Step));
        Self { nodes, part, steps, used: tracks.map(|track| track.is_some()), keys }
    }

    /// Puts what the tracks say into the nodes' transforms.
    #[inline(always)]
    pub(super) fn sample<L: Lanes>(&self, token: L::Token, located: &[Located], locals: &mut Locals) {
        let [x, y, z, w] = match &self.keys {
            Keys::Shared { timeline, values } => self.shared::<L>(token, located[*timeline as usize], values),
            Keys::Own { lanes, values, is_cubic } => self.own::<L>(token, (lanes, located), values, *is_cubic),
        };
        match self.part {
            Part::Translation => self.put(&mut locals.translation, [x, y, z]),
            Part::Rotation => self.put(&mut locals.rotation, [x, y, z, w]),
            Part::Scale => self.put(&mut locals.scale, [x, y, z]),
        }
    }

    #[inline(always)]
    fn shared<L: Lanes>(&self, token: L::Token, located: Located, values: &[Values]) -> [L; 4] {
        let floats = self.part.shared_floats();
        let Some(keys) = values.get(located.key as usize * floats..).filter(|keys| keys.len() >= 2 * floats) else {
            return [L::splat(token, 0.0); 4];
        };
        // All lanes are of the same shape.
        let is_step = self.steps.iter().any(|step| *step);
        let share = L::splat(token, if is_step { located.share.floor() } else { located.share });
        if self.part == Part::Rotation {
            let (keys, _) = keys.as_chunks::<6>();
            let ([x, y, z, w, square, scale], [to_x, to_y, to_z, to_w, ..]) = (&keys[0], &keys[1]);
            let from = [L::load(token, x), L::load(token, y), L::load(token, z), L::load(token, w)];
            let to = [L::load(token, to_x), L::load(token, to_y), L::load(token, to_z), L::load(token, to_w)];
            return along(token, (from, to), share, (L::load(token, square), L::load(token, scale)));
        }
        let (keys, _) = keys.as_chunks::<3>();
        let ([x, y, z], [to_x, to_y, to_z]) = (&keys[0], &keys[1]);
        let zero = L::splat(token, 0.0);
        let from = [L::load(token, x), L::load(token, y), L::load(token, z), zero];
        let to = [L::load(token, to_x), L::load(token, to_y), L::load(token, to_z), zero];
        straight(token, (from, to), share)
    }

    #[inline(always)]
    fn own<L: Lanes>(
        &self,
        token: L::Token,
        (lanes, located): (&[Lane; WIDTH], &[Located]),
        values: &[f32],
        is_cubic: bool,
    ) -> [L; 4] {
        let floats = if is_cubic { CUBIC } else { self.part.floats() };
        let located = eight!(i => located[lanes[i].timeline as usize]);
        let starts = eight!(i => lanes[i].start + located[i].key as usize * floats);
        let shares = L::load(token, &eight!(i => self.share(i, located[i])));
        if is_cubic {
            let secs = L::load(token, &eight!(i => located[i].secs));
            return cubic(token, self.part, (values, starts), (shares, secs));
        }
        let from = rows::<L>(token, values, starts, 0);
        if self.part == Part::Rotation {
            let [square, scale, ..] = rows::<L>(token, values, starts, 4);
            return along(token, (from, rows::<L>(token, values, starts, 6)), shares, (square, scale));
        }
        straight(token, (from, rows::<L>(token, values, starts, 4)), shares)
    }

    #[inline(always)]
    fn share(&self, lane: usize, located: Located) -> f32 {
        if self.steps[lane] { located.share.floor() } else { located.share }
    }

    #[inline(always)]
    fn put<L: Lanes, const N: usize>(&self, to: &mut [Values; N], found: [L; N]) {
        for (to, found) in to.iter_mut().zip(found) {
            let found = found.to_array();
            if self.used == [true; WIDTH] {
                *to = found;
                continue;
            }
            for ((to, found), used) in to.iter_mut().zip(found).zip(self.used) {
                *to = if used { found } else { *to };
            }
        }
    }
}

/// Four numbers of each lane, so many behind where its key starts.
#[inline(always)]
fn rows<L: Lanes>(token: L::Token, values: &[f32], starts: [usize; WIDTH], at: usize) -> [L; 4] {
    L::from_rows(token, eight!(i => four(values, starts[i] + at)))
}

#[inline(always)]
fn four(values: &[f32], start: usize) -> &[f32; 4] {
    values.get(start..).and_then(<[f32]>::first_chunk).unwrap_or(&[0.0; 4])
}

/// `(1 - t) * a + t * b`.
#[inline(always)]
fn straight<L: Lanes>(token: L::Token, (a, b): ([L; 4], [L; 4]), share: L) -> [L; 4] {
    let rest = L::splat(token, 1.0) - share;
    mixed((a, rest), (b, share))
}

#[inline(always)]
fn mixed<L: Lanes>((a, of_a): ([L; 4], L), (b, of_b): ([L; 4], L)) -> [L; 4] {
    [a[0] * of_a + b[0] * of_b, a[1] * of_a + b[1] * of_b, a[2] * of_a + b[2] * of_b, a[3] * of_a + b[3] * of_b]
}

#[inline(always)]
fn along<L: Lanes>(token: L::Token, (a, b): ([L; 4], [L; 4]), share: L, (square, scale): (L, L)) -> [L; 4] {
    let (of_a, of_b) = arc_weights(token, share, square, scale);
    mixed((a, of_a), (b, of_b))
}

/// glTF 2.0 specification, appendix C.5. Where a rotation has no direction, the earlier key's.
#[inline(always)]
fn cubic<L: Lanes>(
    token: L::Token,
    part: Part,
    (values, starts): (&[f32], [usize; WIDTH]),
    (t, secs): (L, L),
) -> [L; 4] {
    let (from, leaving) = (rows::<L>(token, values, starts, 4), rows::<L>(token, values, starts, 8));
    let (arriving, to) = (rows::<L>(token, values, starts, CUBIC), rows::<L>(token, values, starts, CUBIC + 4));
    let (one, two, three) = (L::splat(token, 1.0), L::splat(token, 2.0), L::splat(token, 3.0));
    let (t2, t3) = (t * t, t * t * t);
    let to_share = three * t2 - two * t3;
    let (leaving_share, arriving_share) = (secs * (t3 - two * t2 + t), secs * (t3 - t2));
    let ends = mixed((from, one - to_share), (to, to_share));
    let tangents = mixed((leaving, leaving_share), (arriving, arriving_share));
    let blended = [ends[0] + tangents[0], ends[1] + tangents[1], ends[2] + tangents[2], ends[3] + tangents[3]];
    if part != Part::Rotation {
        return blended;
    }
    let has_direction = L::is_normal(token, dot4(blended, blended));
    [
        L::select(has_direction, blended[0], from[0]),
        L::select(has_direction, blended[1], from[1]),
        L::select(has_direction, blended[2], from[2]),
        L::select(has_direction, blended[3], from[3]),
    ]
}

/// The straight keys of a track; vectors are cut or filled up to so many numbers.
fn straight_keys(part: Part, track: &Track, floats: usize) -> Vec<f32> {
    let keys = track.values.chunks_exact(part.width());
    if part != Part::Rotation {
        return keys.flat_map(|key| [key[0], key[1], key[2], 0.0].into_iter().take(floats)).collect();
    }
    let unit = |key: &[f32]| {
        let read = DQuat::from_xyzw(key[0].into(), key[1].into(), key[2].into(), key[3].into());
        unit_or(read, DQuat::IDENTITY)
    };
    let mut found = Vec::with_capacity(keys.len() * Part::Rotation.floats());
    let mut keys = keys.map(unit);
    let mut last = keys.next();
    while let Some(from) = last {
        let (arc, to) = match keys.next() {
            Some(to) => {
                let (arc, to) = Arc::new(from, to);
                (arc, Some(to))
            }
            None => (Arc { square: 0.0, scale: 1.0 }, None),
        };
        found.extend(from.to_array().map(|c| c as f32));
        found.extend([arc.square, arc.scale]);
        last = to;
    }
    found
}

fn shared(part: Part, tracks: [Option<&Track>; WIDTH], first: &Track) -> Keys {
    let lanes = tracks.map(|track| straight_keys(part, track.unwrap_or(first), part.shared_floats()));
    let values = (0..lanes[0].len()).map(|i| lanes.each_ref().map(|lane| lane.get(i).copied().unwrap_or(0.0)));
    Keys::Shared { timeline: first.timeline, values: values.collect() }
}

fn own(part: Part, tracks: [Option<&Track>; WIDTH]) -> Keys {
    one_after_the_other(tracks, false, |track| straight_keys(part, track, part.floats()))
}

fn cubic_keys(part: Part, tracks: [Option<&Track>; WIDTH]) -> Keys {
    let four = |value: &[f32]| [value[0], value[1], value[2], value.get(3).copied().unwrap_or(0.0)];
    one_after_the_other(tracks, true, |track| track.values.chunks_exact(part.width()).flat_map(four).collect())
}

/// Lanes without a track read the first one's keys.
fn one_after_the_other(tracks: [Option<&Track>; WIDTH], is_cubic: bool, keys: impl Fn(&Track) -> Vec<f32>) -> Keys {
    let mut values = Vec::new();
    let found = tracks.map(|track| {
        let track = track?;
        let lane = Lane { timeline: track.timeline, start: values.len() };
        values.extend(keys(track));
        Some(lane)
    });
    let any = found.iter().flatten().next().copied().unwrap_or_default();
    Keys::Own { lanes: found.map(|lane| lane.unwrap_or(any)), values, is_cubic }
}
