//! Everything that a point has, side by side, to compare points.

use crate::WeldOptions;
use anyrig_scene::{DeltaStream, Domain, Influences, Part, Semantic, Stream};
use std::cmp::Ordering;

/// The attributes, influences and morph deltas of a checked part's points.
pub(crate) struct PointColumns<'a> {
    points: usize,
    streams: Vec<&'a Stream>,
    influences: Option<&'a Influences>,
    deltas: Vec<&'a DeltaStream>,
    /// Point `p` has the moves `starts[p]..starts[p + 1]`.
    move_starts: Vec<u32>,
    /// Index of the delta stream, and of the element in it; ascending for each point. Elements of zeros are left out.
    moves: Vec<(u32, u32)>,
}

impl<'a> PointColumns<'a> {
    pub(crate) fn of(part: &'a Part) -> Self {
        let points = part.point_count as usize;
        let deltas: Vec<&DeltaStream> = part.morphs.iter().flat_map(|m| &m.deltas).collect();
        let mut starts = vec![0u32; points + 1];
        for (_, _, point) in moving(&deltas) {
            starts[point + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut moves = vec![(0, 0); starts.last().map_or(0, |n| *n as usize)];
        for (delta, element, point) in moving(&deltas) {
            moves[next[point] as usize] = (delta, element);
            next[point] += 1;
        }
        let streams = part.streams.iter().filter(|s| s.domain == Domain::Point).collect();
        Self { points, streams, influences: part.influences.as_ref(), deltas, move_starts: starts, moves }
    }

    /// What the lists of moves take at the most, in bytes; to be booked before [`Self::of`].
    pub(crate) fn bytes_of_moves(part: &Part) -> u64 {
        let elements: u64 = part.morphs.iter().flat_map(|m| &m.deltas).map(|d| d.len() as u64).sum();
        // A point has its start in two lists.
        let of_points = u64::from(part.point_count).saturating_add(1).saturating_mul(2 * size_of::<u32>() as u64);
        elements.saturating_mul(size_of::<(u32, u32)>() as u64).saturating_add(of_points)
    }

    pub(crate) fn point_count(&self) -> usize {
        self.points
    }

    /// Zero for a part without positions.
    pub(crate) fn position(&self, point: usize) -> [f32; 3] {
        let stream = self.streams.iter().find(|s| s.semantic == Semantic::Position);
        let element = stream.and_then(|s| s.arrays::<3>()).and_then(|p| p.get(point));
        element.copied().unwrap_or_default()
    }

    fn element(stream: &Stream, point: usize) -> &[f32] {
        let width = usize::from(stream.width);
        &stream.values[point * width..(point + 1) * width]
    }

    /// The moves of a point: delta stream, and element in it.
    pub(crate) fn moves_of(&self, point: usize) -> &[(u32, u32)] {
        &self.moves[self.move_starts[point] as usize..self.move_starts[point + 1] as usize]
    }

    fn delta_values(&self, (delta, element): (u32, u32)) -> &'a [f32] {
        element_of(self.deltas[delta as usize], element as usize)
    }

    /// What a move does to positions; `None` for one of another attribute.
    pub(crate) fn position_delta(&self, place: (u32, u32)) -> Option<glam::DVec3> {
        let values = match self.deltas[place.0 as usize].semantic {
            Semantic::Position => self.delta_values(place).first_chunk::<3>()?,
            _ => return None,
        };
        Some(glam::DVec3::from_array(values.map(f64::from)))
    }

    /// Joint and weight of each influence that acts.
    pub(crate) fn influences_of(&self, point: usize) -> impl Iterator<Item = (u32, f32)> {
        let (joints, weights) = self.influences.map_or((&[][..], &[][..]), |i| i.of(point));
        joints.iter().copied().zip(weights.iter().copied()).filter(|(_, weight)| *weight != 0.0)
    }

    /// All numbers of a point as bits, in one order for all points.
    fn words(&self, point: usize) -> impl Iterator<Item = u32> {
        let streams = self.streams.iter().flat_map(move |s| Self::element(s, point)).map(|v| v.to_bits());
        let influences = self.influences_of(point).flat_map(|(joint, weight)| [joint, weight.to_bits()]);
        let moves = self.moves_of(point).iter().flat_map(move |place| {
            let values = self.delta_values(*place).iter().map(|v| v.to_bits());
            std::iter::once(place.0).chain(values)
        });
        streams.chain(influences).chain(moves)
    }

    pub(crate) fn compare(&self, a: usize, b: usize) -> Ordering {
        self.words(a).cmp(self.words(b))
    }

    /// Equal for equal points (FNV-1a over words, mixed at the end).
    pub(crate) fn hash(&self, point: usize) -> u64 {
        let mixed = self.words(point).fold(0xcbf2_9ce4_8422_2325u64, |hash, word| {
            (hash ^ u64::from(word)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
        });
        (mixed ^ (mixed >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// True when two points differ in nothing by more than the tolerances.
    pub(crate) fn is_near(&self, a: usize, b: usize, options: &WeldOptions) -> bool {
        let streams = self.streams.iter().all(|stream| {
            let (a, b) = (Self::element(stream, a), Self::element(stream, b));
            is_near_element(&stream.semantic, a, b, options)
        });
        streams && self.weight_difference(a, b) <= options.weight && self.is_moved_alike(a, b, options)
    }

    fn weight_difference(&self, a: usize, b: usize) -> f64 {
        let of = |point, joint| -> f64 {
            self.influences_of(point).filter(|(j, _)| *j == joint).map(|(_, weight)| f64::from(weight)).sum()
        };
        let joints = |point| self.influences_of(point).map(|(joint, _)| joint);
        let mut all: Vec<u32> = joints(a).chain(joints(b)).collect();
        all.sort_unstable();
        all.dedup();
        all.into_iter().map(|joint| (of(a, joint) - of(b, joint)).abs()).sum()
    }

    fn is_moved_alike(&self, a: usize, b: usize, options: &WeldOptions) -> bool {
        let (mut a, mut b) = (self.moves_of(a), self.moves_of(b));
        let still = [0.0f32; 16];
        loop {
            let next = match (a.first(), b.first()) {
                (None, None) => return true,
                (Some(a), Some(b)) => a.0.min(b.0),
                (Some(one), None) | (None, Some(one)) => one.0,
            };
            let stream = self.deltas[next as usize];
            let take = |list: &mut &[(u32, u32)]| match list.split_first() {
                Some((place, rest)) if place.0 == next => {
                    *list = rest;
                    self.delta_values(*place)
                }
                _ => still.get(..usize::from(stream.width)).unwrap_or(&[]),
            };
            let (values_a, values_b) = (take(&mut a), take(&mut b));
            let largest = |tolerance: f64| differ(values_a, values_b) <= tolerance;
            let near = match stream.semantic {
                Semantic::Position => distance(values_a, values_b) <= options.position,
                Semantic::Normal | Semantic::Tangent => distance(values_a, values_b) <= options.direction_rad,
                Semantic::TexCoord(_) => largest(options.tex_coord),
                Semantic::Color(_) => largest(options.color),
                Semantic::Custom(_) => largest(0.0),
            };
            if !near || values_a.len() != values_b.len() {
                return false;
            }
        }
    }
}

/// Delta stream, element and point of everything that moves, stream after stream.
fn moving<'a>(deltas: &'a [&'a DeltaStream]) -> impl Iterator<Item = (u32, u32, usize)> + 'a {
    deltas.iter().enumerate().flat_map(|(index, delta)| {
        let moves = move |element: &usize| element_of(delta, *element).iter().any(|v| *v != 0.0);
        let elements = (0..delta.len()).filter(moves);
        elements.map(move |element| (index as u32, element as u32, delta.point_of(element)))
    })
}

fn element_of(delta: &DeltaStream, element: usize) -> &[f32] {
    let width = usize::from(delta.width);
    &delta.values[element * width..(element + 1) * width]
}

fn is_near_element(semantic: &Semantic, a: &[f32], b: &[f32], options: &WeldOptions) -> bool {
    match semantic {
        Semantic::Position => distance(a, b) <= options.position,
        // A chord is shorter than its arc, and equal bits have none.
        Semantic::Normal => distance(a, b) <= chord(options.direction_rad),
        Semantic::Tangent => distance(&a[..3], &b[..3]) <= chord(options.direction_rad) && a[3] == b[3],
        Semantic::TexCoord(_) => differ(a, b) <= options.tex_coord,
        Semantic::Color(_) => differ(a, b) <= options.color,
        Semantic::Custom(_) => a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits()),
    }
}

/// Distance of two unit vectors at an angle.
fn chord(angle_rad: f64) -> f64 {
    2.0 * anyrig_bytes::maths::f64::sin(angle_rad.min(std::f64::consts::PI) / 2.0)
}

fn distance(a: &[f32], b: &[f32]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| {
        let difference = f64::from(*a) - f64::from(*b);
        difference * difference
    });
    squares.sum::<f64>().sqrt()
}

/// The largest difference of a component.
fn differ(a: &[f32], b: &[f32]) -> f64 {
    let differences = a.iter().zip(b).map(|(a, b)| (f64::from(*a) - f64::from(*b)).abs());
    differences.fold(0.0, f64::max)
}
