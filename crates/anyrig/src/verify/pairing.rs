//! Which written primitive is which exported one.

use super::shown::{Primitive, Shown};
use anyrig_scene::glam::DVec3;
use std::collections::BTreeMap;

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
    /// The first primitive without a partner.
    pub(super) fn at_rest(
        (a, b): (&Shown, &Shown),
        (uv_a, uv_b): (TextureCorners<'_>, TextureCorners<'_>),
        tolerance: f64,
    ) -> Result<Self, String> {
        if a.primitives.len() != b.primitives.len() {
            return Err(counts(a, b));
        }
        let sides = Sides { a, b, uv_a, uv_b, tolerance };
        let in_order = (0..a.primitives.len()).all(|i| a.primitives[i].is_loose || sides.fits(i, i, 0));
        if in_order { Ok(Self::InOrder) } else { sides.by_place() }
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

/// Cells of a grid in space, and the written primitives whose centres lie in each.
type Cells = BTreeMap<[i64; 3], Vec<u32>>;

struct Sides<'a> {
    a: &'a Shown,
    b: &'a Shown,
    uv_a: TextureCorners<'a>,
    uv_b: TextureCorners<'a>,
    tolerance: f64,
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
        let apart = |c: usize, k: usize| (from[c][k] - to[c][k]).abs() <= UV_TOLERANCE * from[c][k].abs().max(1.0);
        (0..3).all(|c| (0..2).all(|k| from[c][k].is_nan() || apart(c, k)))
    }

    fn by_place(&self) -> Result<Pairing, String> {
        let size = (4.0 * self.tolerance).max(f64::MIN_POSITIVE);
        let mut cells = Cells::new();
        for (i, primitive) in self.b.primitives.iter().enumerate() {
            let centre = centre(self.b, primitive);
            cells.entry(cell(centre, size)).or_default().push(i as u32);
        }
        let (mut partners, mut turns) = (Vec::new(), Vec::new());
        for (i, primitive) in self.a.primitives.iter().enumerate() {
            if primitive.is_loose {
                partners.push(None);
                turns.push(0);
                continue;
            }
            let centre = centre(self.a, primitive);
            let Some(partner) = self.take(i, centre, size, &mut cells) else {
                return Err(self.missing(i, primitive));
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
        let mut best: Option<([i64; 3], usize, Partner)> = None;
        for (x, y, z) in range(low, high) {
            let Some(free) = cells.get(&[x, y, z]) else { continue };
            let found = free.iter().enumerate().find_map(|(place, index)| {
                let turn = (0..3).find(|turn| self.fits(a, *index as usize, *turn))?;
                Some((place, Partner { index: *index, turn }))
            });
            if let Some((place, partner)) = found
                && best.is_none_or(|(_, _, known)| partner.index < known.index)
            {
                best = Some(([x, y, z], place, partner));
            }
        }
        let (key, place, partner) = best?;
        if let Some(free) = cells.get_mut(&key) {
            free.remove(place);
        }
        Some(partner)
    }

    fn missing(&self, index: usize, primitive: &Primitive) -> String {
        let [p, q, r] = self.a.corners(primitive);
        let partner = self.b.primitives.get(index).map(|b| self.b.corners(b)).unwrap_or_default();
        format!(
            "face {index} with the corners {p}, {q}, {r} is nowhere within {:e}; the face of that number has {}, {}, {}",
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

fn range(low: [i64; 3], high: [i64; 3]) -> impl Iterator<Item = (i64, i64, i64)> {
    (low[0]..=high[0])
        .flat_map(move |x| (low[1]..=high[1]).flat_map(move |y| (low[2]..=high[2]).map(move |z| (x, y, z))))
}
