//! Keys of eight tracks side by side, and what lies between them.

use super::timeline::Located;
use crate::lanes::{Arc, Lanes, Values, WIDTH, arc_weights, dot4};
use crate::rotation::unit_or;
use glam::DQuat;
use std::array;

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
            Keys::Own { lanes, values, is_cubic } => {
                let located = lanes.map(|lane| located[lane.timeline as usize]);
                let starts: [usize; WIDTH] = array::from_fn(|i| {
                    let floats = if *is_cubic { CUBIC } else { self.part.floats() };
                    lanes[i].start + located[i].key as usize * floats
                });
                let shares = L::load(token, &array::from_fn(|i| self.share(i, located[i])));
                if *is_cubic {
                    let secs = L::load(token, &located.map(|l| l.secs));
                    cubic(token, self.part, |at| rows::<L>(token, values, starts, at), (shares, secs))
                } else {
                    let keys = |at| rows::<L>(token, values, starts, at);
                    match self.part {
                        Part::Rotation => {
                            let [square, scale, ..] = keys(4);
                            along(token, (keys(0), keys(6)), shares, (square, scale))
                        }
                        _ => straight(token, (keys(0), keys(4)), shares),
                    }
                }
            }
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
        let load = |at: usize| L::load(token, &keys[at]);
        match self.part {
            Part::Rotation => {
                let ends = ([0, 1, 2, 3].map(load), [6, 7, 8, 9].map(load));
                along(token, ends, share, (load(4), load(5)))
            }
            _ => {
                let zero = L::splat(token, 0.0);
                let ends = ([load(0), load(1), load(2), zero], [load(3), load(4), load(5), zero]);
                straight(token, ends, share)
            }
        }
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
    let row = |start: usize| values.get(start + at..).and_then(<[f32]>::first_chunk).unwrap_or(&[0.0; 4]);
    L::from_rows(token, starts.map(row))
}

/// `(1 - t) * a + t * b`.
#[inline(always)]
fn straight<L: Lanes>(token: L::Token, (a, b): ([L; 4], [L; 4]), share: L) -> [L; 4] {
    let rest = L::splat(token, 1.0) - share;
    [0, 1, 2, 3].map(|i| rest * a[i] + share * b[i])
}

#[inline(always)]
fn along<L: Lanes>(token: L::Token, (a, b): ([L; 4], [L; 4]), share: L, (square, scale): (L, L)) -> [L; 4] {
    let (of_a, of_b) = arc_weights(token, share, square, scale);
    [0, 1, 2, 3].map(|i| a[i] * of_a + b[i] * of_b)
}

/// glTF 2.0 specification, appendix C.5. Where a rotation has no direction, the earlier key's.
#[inline(always)]
fn cubic<L: Lanes>(token: L::Token, part: Part, keys: impl Fn(usize) -> [L; 4], (t, secs): (L, L)) -> [L; 4] {
    let (from, leaving, arriving, to) = (keys(4), keys(8), keys(CUBIC), keys(CUBIC + 4));
    let of = |value| L::splat(token, value);
    let (t2, t3) = (t * t, t * t * t);
    let to_share = of(3.0) * t2 - of(2.0) * t3;
    let from_share = of(1.0) - to_share;
    let (leaving_share, arriving_share) = (secs * (t3 - of(2.0) * t2 + t), secs * (t3 - t2));
    let blended = [0, 1, 2, 3].map(|i| {
        ((from_share * from[i] + leaving_share * leaving[i]) + to_share * to[i]) + arriving_share * arriving[i]
    });
    if part != Part::Rotation {
        return blended;
    }
    let has_direction = L::is_normal(token, dot4(blended, blended));
    [0, 1, 2, 3].map(|i| L::select(has_direction, blended[i], from[i]))
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
