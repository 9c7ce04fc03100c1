//! What new faces give at a point instead of its own attributes.

use crate::point_columns::PointColumns;
use anyrig_scene::{Domain, Part, Semantic, Stream};
use glam::DVec3;

/// How much a difference of an attribute counts, as a share of the part's size for a difference of 1: a normal that is
/// half a radian off, or a texture coordinate or joint weight that is 0.02 off, is as bad as a point that lies one percent
/// of the size off.
const NORMAL: f64 = 0.02;
const TEX_COORD: f64 = 0.5;
const COLOR: f64 = 0.1;
const WEIGHT: f64 = 0.5;

pub(super) struct Attributes<'a> {
    columns: PointColumns<'a>,
    /// Streams that count, with their factor.
    streams: Vec<(&'a Stream, f64)>,
    size: f64,
    /// Kept between calls.
    weights: Vec<(u32, f64)>,
    moves: Vec<(u32, DVec3)>,
}

impl<'a> Attributes<'a> {
    pub(super) fn of(part: &'a Part, size: f64) -> Self {
        let factor = |stream: &Stream| match stream.semantic {
            Semantic::Normal => Some(NORMAL),
            Semantic::TexCoord(_) => Some(TEX_COORD),
            Semantic::Color(_) => Some(COLOR),
            // Positions are measured themselves, tangents follow from texture coordinates, and nobody knows what else is.
            Semantic::Position | Semantic::Tangent | Semantic::Custom(_) => None,
        };
        let of_points = part.streams.iter().filter(|s| s.domain == Domain::Point);
        let streams = of_points.filter_map(|s| factor(s).map(|f| (s, f * size))).collect();
        Self { columns: PointColumns::of(part), streams, size, weights: Vec::new(), moves: Vec::new() }
    }

    /// Whether two points at one place move alike: equal influences and morph deltas of positions.
    pub(super) fn move_alike(&mut self, a: u32, b: u32) -> bool {
        self.mix(a, &[(b, 1.0)]);
        self.weights.iter().all(|(_, w)| *w == 0.0) && self.moves.iter().all(|(_, v)| *v == DVec3::ZERO)
    }

    /// The squared error of the attributes at a point, when a mixture of others takes its place.
    pub(super) fn error(&mut self, point: u32, mixture: [(u32, f64); 3]) -> f64 {
        let mut squares = 0.0;
        for (stream, factor) in &self.streams {
            let error = factor * stream_error(stream, point, &mixture);
            squares += error * error;
        }
        self.mix(point, &mixture);
        // Half of the sum of differences is the weight that went elsewhere.
        let weight = self.weights.iter().map(|(_, w)| w.abs()).sum::<f64>() / 2.0 * WEIGHT * self.size;
        let moved = self.moves.iter().map(|(_, v)| v.length_squared()).fold(0.0, f64::max);
        squares + weight * weight + moved
    }

    /// Differences of joint weights and of deltas of positions.
    fn mix(&mut self, point: u32, mixture: &[(u32, f64)]) {
        self.weights.clear();
        self.moves.clear();
        for (p, share) in std::iter::once((point, -1.0)).chain(mixture.iter().copied()) {
            for (joint, weight) in self.columns.influences_of(p as usize) {
                let add = f64::from(weight) * share;
                match self.weights.iter_mut().find(|(j, _)| *j == joint) {
                    Some((_, sum)) => *sum += add,
                    None => self.weights.push((joint, add)),
                }
            }
            for place in self.columns.moves_of(p as usize) {
                let Some(delta) = self.columns.position_delta(*place) else { continue };
                let add = delta * share;
                match self.moves.iter_mut().find(|(stream, _)| *stream == place.0) {
                    Some((_, sum)) => *sum += add,
                    None => self.moves.push((place.0, add)),
                }
            }
        }
    }
}

fn stream_error(stream: &Stream, point: u32, mixture: &[(u32, f64); 3]) -> f64 {
    let width = usize::from(stream.width);
    let at = |point: u32, i: usize| f64::from(stream.values[point as usize * width + i]);
    let mixed = |i: usize| mixture.iter().map(|(p, share)| at(*p, i) * share).sum::<f64>();
    if stream.semantic == Semantic::Normal {
        let (own, new) = (DVec3::from_array([0, 1, 2].map(|i| at(point, i))), DVec3::from_array([0, 1, 2].map(mixed)));
        return own.distance(new.try_normalize().unwrap_or(DVec3::ZERO));
    }
    (0..width).map(|i| (at(point, i) - mixed(i)).abs()).fold(0.0, f64::max)
}
