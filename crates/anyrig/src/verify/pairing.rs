//! Which written primitive is which exported one.

use super::motion::differs;
use super::shown::{Primitive, Shown};
use anyrig_bytes::{Context, Place, Result};
use anyrig_scene::glam::DVec3;
use std::collections::{BTreeMap, BTreeSet};

/// A primitive of the written scene and the corner of it that the first exported corner became.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Partner {
    index: u32,
    turn: u8,
}

/// The partner of each exported primitive.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Pairing {
    /// They have the same order.
    InOrder,
    /// By where they lie at rest; loose ones have none.
    ByPlace(Vec<Option<u32>>, Vec<u8>),
}

/// Texture coordinates of the corners of all primitives.
pub(super) type TextureCorners<'a> = &'a [[[f32; 2]; 3]];

/// How far texture coordinates may lie apart.
const UV_TOLERANCE: f32 = 1e-5;

impl Pairing {
    /// Matches in order if that fits, else each with one that lies at the same place and has the same texture
    /// coordinates.
    ///
    /// # Errors
    /// The first primitive without a partner; [`anyrig_bytes::ErrorKind::LimitExceeded`];
    /// [`anyrig_bytes::ErrorKind::Cancelled`].
    pub(super) fn at_rest(sides: &Sides<'_>, context: &Context) -> Result<Self> {
        let (a, b) = (sides.a, sides.b);
        if a.primitives.len() != b.primitives.len() {
            return Err(differs(format!("at rest: {}", counts(a, b))));
        }
        let in_order = (0..a.primitives.len()).all(|i| a.primitives[i].is_loose || sides.fits(i, i, 0));
        if in_order { Ok(Self::InOrder) } else { sides.by_place(context) }
    }

    /// The first corner that is too far from where it should be.
    pub(super) fn difference(&self, a: &Shown, b: &Shown, tolerance: f64) -> Option<String> {
        if a.primitives.len() != b.primitives.len() {
            return Some(counts(a, b));
        }
        for (i, primitive) in a.primitives.iter().enumerate().filter(|(_, p)| !p.is_loose) {
            let (partner, turn) = self.partner(i)?;
            let partner = b.primitives.get(partner)?;
            let (from, to) = (a.corners(primitive), turned(b.corners(partner), turn));
            if let Some(corner) = (0..3).find(|c| !near(from[*c], to[*c], tolerance)) {
                let (from, to) = (from[corner], to[corner]);
                let apart = from.distance(to);
                return Some(format!(
                    "corner {corner} of face {i} is {apart:e} off ({tolerance:e} are allowed): {from} became {to}"
                ));
            }
        }
        None
    }

    fn partner(&self, index: usize) -> Option<(usize, u8)> {
        match self {
            Self::InOrder => Some((index, 0)),
            Self::ByPlace(partners, turns) => {
                Some(((*partners.get(index)?)? as usize, turns.get(index).copied().unwrap_or(0)))
            }
        }
    }
}

fn counts(a: &Shown, b: &Shown) -> String {
    format!("{} triangles, lines and points became {}", a.primitives.len(), b.primitives.len())
}

/// Written so that what is not a number is far.
fn near(a: DVec3, b: DVec3, tolerance: f64) -> bool {
    (a - b).abs().max_element() <= tolerance
}

fn turned<T: Copy>(corners: [T; 3], turn: u8) -> [T; 3] {
    std::array::from_fn(|i| corners[(i + usize::from(turn)) % 3])
}

/// A cell of a grid in space, and a span of [`uv_sum`].
type Cell = ([i64; 3], i64);

/// The written primitives whose centres lie in each cell and that have no partner yet. Primitives at one place are told
/// apart by their texture coordinates, so that many of them cost no more than a few.
type Cells = BTreeMap<Cell, BTreeSet<u32>>;

/// What a primitive takes in [`Cells`] at the most, about.
const BYTES_PER_PRIMITIVE: u64 = 128;

/// Length of a span of sums: a few times what equal coordinates near 1 differ by.
const UV_SPAN: f64 = 32.0 * UV_TOLERANCE as f64;

/// Both scenes at rest, the exported and the written one.
pub(super) struct Sides<'a> {
    pub(super) a: &'a Shown,
    pub(super) b: &'a Shown,
    pub(super) uv_a: TextureCorners<'a>,
    pub(super) uv_b: TextureCorners<'a>,
    /// How far corners may lie apart.
    pub(super) tolerance: f64,
    /// How far texture coordinates may lie apart because they were approximated.
    pub(super) uv_error: f64,
}

impl Sides<'_> {
    /// Whether a primitive became another, the first corner the given one.
    fn fits(&self, a: usize, b: usize, turn: u8) -> bool {
        let (Some(from), Some(to)) = (self.a.primitives.get(a), self.b.primitives.get(b)) else { return false };
        let (corners_a, corners_b) = (self.a.corners(from), turned(self.b.corners(to), turn));
        from.size == to.size
            && (0..3).all(|c| near(corners_a[c], corners_b[c], self.tolerance))
            && self.same_texture(a, b, turn)
    }

    fn same_texture(&self, a: usize, b: usize, turn: u8) -> bool {
        let (Some(from), Some(to)) = (self.uv_a.get(a), self.uv_b.get(b)) else { return true };
        let to = turned(*to, turn);
        let apart = |c: usize, k: usize| (from[c][k] - to[c][k]).abs() <= self.uv_reach(from[c][k]);
        (0..3).all(|c| (0..2).all(|k| from[c][k].is_nan() || apart(c, k)))
    }

    /// How far a texture coordinate may lie from another.
    fn uv_reach(&self, value: f32) -> f32 {
        UV_TOLERANCE * value.abs().max(1.0) + self.uv_error as f32
    }

    fn by_place(&self, context: &Context) -> Result<Pairing> {
        let bytes = (self.b.primitives.len() as u64).saturating_mul(BYTES_PER_PRIMITIVE);
        context.apart().take_memory(bytes, || Place::element("faces by their places"))?;
        let size = (4.0 * self.tolerance).max(f64::MIN_POSITIVE);
        let mut cells = Cells::new();
        for (i, primitive) in self.b.primitives.iter().enumerate() {
            let centre = centre(self.b, primitive);
            let span = self.uv_b.get(i).map_or(0, |uvs| uv_span(uv_sum(uvs)));
            cells.entry((cell(centre, size), span)).or_default().insert(i as u32);
        }
        let (mut partners, mut turns) = (Vec::new(), Vec::new());
        for (i, primitive) in self.a.primitives.iter().enumerate() {
            context.check_cancelled()?;
            if primitive.is_loose {
                partners.push(None);
                turns.push(0);
                continue;
            }
            let centre = centre(self.a, primitive);
            let Some(partner) = self.take(i, centre, size, &mut cells) else {
                return Err(differs(self.missing(i, primitive)));
            };
            partners.push(Some(partner.index));
            turns.push(partner.turn);
        }
        Ok(Pairing::ByPlace(partners, turns))
    }

    /// The first free primitive near a centre that fits, which then is no longer free.
    fn take(&self, a: usize, centre: DVec3, size: f64, cells: &mut Cells) -> Option<Partner> {
        let reach = DVec3::splat(self.tolerance);
        let (low, high) = (cell(centre - reach, size), cell(centre + reach, size));
        let (first, last) = self.uv_spans(a);
        let mut best: Option<(Cell, Partner)> = None;
        for place in range(low, high) {
            for (key, free) in cells.range((place, first)..=(place, last)) {
                let found = free.iter().find_map(|index| {
                    let turn = (0..3).find(|turn| self.fits(a, *index as usize, *turn))?;
                    Some(Partner { index: *index, turn })
                });
                if let Some(partner) = found.filter(|f| best.is_none_or(|(_, known)| f.index < known.index)) {
                    best = Some((*key, partner));
                }
            }
        }
        let (key, partner) = best?;
        if let Some(free) = cells.get_mut(&key) {
            free.remove(&partner.index);
            if free.is_empty() {
                cells.remove(&key);
            }
        }
        Some(partner)
    }

    /// The first and the last span in which partners of a primitive may be; all where it has no texture coordinates.
    fn uv_spans(&self, a: usize) -> (i64, i64) {
        let Some(uvs) = self.uv_a.get(a).filter(|_| a < self.uv_b.len()) else { return (i64::MIN, i64::MAX) };
        let sum = uv_sum(uvs);
        if sum.is_nan() {
            return (i64::MIN, i64::MAX);
        }
        let reach = uv_sum(&uvs.map(|uv| uv.map(|v| self.uv_reach(v))));
        // Twice as far, since the numbers that are compared are rounded.
        (uv_span(sum - 2.0 * reach), uv_span(sum + 2.0 * reach))
    }

    fn missing(&self, index: usize, primitive: &Primitive) -> String {
        let [p, q, r] = self.a.corners(primitive);
        let partner = self.b.primitives.get(index).map(|b| self.b.corners(b)).unwrap_or_default();
        format!(
            "at rest: face {index} with the corners {p}, {q}, {r} is nowhere within {:e}; the face of that number has {}, {}, {}",
            self.tolerance, partner[0], partner[1], partner[2]
        )
    }
}

fn centre(shown: &Shown, primitive: &Primitive) -> DVec3 {
    let [a, b, c] = shown.corners(primitive);
    (a + b + c) / 3.0
}

fn cell(point: DVec3, size: f64) -> [i64; 3] {
    // Saturates where a cell has no number; then many share one.
    (point / size).floor().to_array().map(|v| v as i64)
}

fn range(low: [i64; 3], high: [i64; 3]) -> impl Iterator<Item = [i64; 3]> {
    (low[0]..=high[0])
        .flat_map(move |x| (low[1]..=high[1]).flat_map(move |y| (low[2]..=high[2]).map(move |z| [x, y, z])))
}

/// What V counts against U, so that what lies on a diagonal has different sums.
const V_WEIGHT: f64 = 1.7;

/// The same whichever corner comes first.
fn uv_sum(uvs: &[[f32; 2]; 3]) -> f64 {
    uvs.iter().map(|[u, v]| f64::from(*u) + V_WEIGHT * f64::from(*v)).sum()
}

/// Saturates as [`cell`] does; the lowest for what is not a number.
fn uv_span(sum: f64) -> i64 {
    if sum.is_nan() { i64::MIN } else { (sum / UV_SPAN).floor() as i64 }
}

#[cfg(test)]
#[path = "pairing_tests.rs"]
mod tests;
