//! Points before and after, eight at a time, on one thread or on several.

use super::motion::{Directions, Motion};
use super::{Kernel, SkinInput, SkinOutput};
use crate::skinning::lanes::{Lanes, Task, WIDTH, run};

/// So many points are one thread's work. A multiple of [`WIDTH`].
const GRAIN: usize = 8192;

/// What eight points do, from the number of the first.
pub(super) trait Deformer: Sync {
    type Motion<L: Lanes>: Motion<L>;
    /// Room for what is summed up point by point. In memory on purpose: the compiler would try to keep the sums of all
    /// eight points in registers at once.
    type Sums: Default;
    fn motion<L: Lanes>(&self, token: L::Token, first: usize, sums: &mut Self::Sums) -> Self::Motion<L>;
}

/// One attribute before and after, equally long.
struct Attribute<'a, const N: usize> {
    from: &'a [[f32; N]],
    to: &'a mut [[f32; N]],
}

impl<'a, const N: usize> Attribute<'a, N> {
    fn new(from: &'a [[f32; N]], to: &'a mut [[f32; N]], at_most: usize) -> Self {
        let len = from.len().min(to.len()).min(at_most);
        Self { from: &from[..len], to: &mut to[..len] }
    }

    fn split_at(self, point: usize) -> (Self, Self) {
        let point = point.min(self.from.len());
        let (from, from_rest) = self.from.split_at(point);
        let (to, to_rest) = self.to.split_at_mut(point);
        (Self { from, to }, Self { from: from_rest, to: to_rest })
    }

    /// Eight points, where that many are there.
    #[inline(always)]
    fn eight(&mut self, block: usize) -> Option<Eight<'_, N>> {
        let from = self.from.as_chunks().0.get(block)?;
        Some(Eight { from, to: self.to.as_chunks_mut().0.get_mut(block)? })
    }

    /// The points of a block that has fewer than eight, filled up with zeros; `None` when there are none.
    fn fewer(&self, block: usize) -> Option<Few<N>> {
        let rest = self.from.get(block * WIDTH..).filter(|rest| !rest.is_empty())?;
        let count = rest.len().min(WIDTH);
        let mut few = Few { from: [[0.0; N]; WIDTH], to: [[0.0; N]; WIDTH], count };
        few.from[..count].copy_from_slice(&rest[..count]);
        Some(few)
    }

    fn take(&mut self, block: usize, few: Option<&Few<N>>) {
        let Some(few) = few else { return };
        if let Some(to) = self.to.get_mut(block * WIDTH..block * WIDTH + few.count) {
            to.copy_from_slice(&few.to[..few.count]);
        }
    }
}

/// Eight points of one attribute.
struct Eight<'a, const N: usize> {
    from: &'a [[f32; N]; WIDTH],
    to: &'a mut [[f32; N]; WIDTH],
}

struct Few<const N: usize> {
    from: [[f32; N]; WIDTH],
    to: [[f32; N]; WIDTH],
    count: usize,
}

impl<const N: usize> Few<N> {
    fn eight(&mut self) -> Eight<'_, N> {
        Eight { from: &self.from, to: &mut self.to }
    }
}

/// A range of points with their attributes.
pub(super) struct Points<'a> {
    first: usize,
    positions: Attribute<'a, 3>,
    normals: Attribute<'a, 3>,
    tangents: Attribute<'a, 4>,
}

impl<'a> Points<'a> {
    pub(super) fn new(input: &SkinInput<'a>, out: &'a mut SkinOutput<'_>) -> Self {
        let positions = Attribute::new(input.positions, out.positions, usize::MAX);
        let count = positions.from.len();
        let normals = Attribute::new(input.normals, out.normals, count);
        Self { first: 0, positions, normals, tangents: Attribute::new(input.tangents, out.tangents, count) }
    }

    fn split_at(self, point: usize) -> (Self, Self) {
        let (positions, positions_rest) = self.positions.split_at(point);
        let (normals, normals_rest) = self.normals.split_at(point);
        let (tangents, tangents_rest) = self.tangents.split_at(point);
        let rest = Self {
            first: self.first + point,
            positions: positions_rest,
            normals: normals_rest,
            tangents: tangents_rest,
        };
        (Self { first: self.first, positions, normals, tangents }, rest)
    }

    /// Blocks that are full in every attribute that is there.
    fn full_blocks(&self) -> usize {
        let of = |len: usize| if len == 0 { usize::MAX } else { len / WIDTH };
        let directions = of(self.normals.from.len()).min(of(self.tangents.from.len()));
        directions.min(self.positions.from.len() / WIDTH)
    }
}

/// Moves all points, on the threads of the pool that this one belongs to.
pub(super) fn move_points<D: Deformer>(kernel: Kernel, deformer: &D, points: Points<'_>) {
    let blocks = points.positions.from.len().div_ceil(GRAIN);
    if blocks < 2 || rayon::current_num_threads() < 2 {
        return run(kernel, Move { deformer, points });
    }
    let (points, rest) = points.split_at(blocks / 2 * GRAIN);
    rayon::join(|| move_points(kernel, deformer, points), || move_points(kernel, deformer, rest));
}

struct Move<'a, 'p, D> {
    deformer: &'a D,
    points: Points<'p>,
}

impl<D: Deformer> Task for Move<'_, '_, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self, token: L::Token) {
        let mut sums = D::Sums::default();
        let full = self.points.full_blocks();
        let blocks = self.points.positions.from.len().div_ceil(WIDTH);
        for block in 0..full {
            let motion = self.deformer.motion::<L>(token, self.points.first + block * WIDTH, &mut sums);
            let Points { positions, normals, tangents, .. } = &mut self.points;
            let Some(positions) = positions.eight(block) else { break };
            move_block(token, &motion, (positions, normals.eight(block), tangents.eight(block)));
        }
        for block in full..blocks {
            let motion = self.deformer.motion::<L>(token, self.points.first + block * WIDTH, &mut sums);
            move_few(token, &motion, &mut self.points, block);
        }
    }
}

type Block<'a> = (Eight<'a, 3>, Option<Eight<'a, 3>>, Option<Eight<'a, 4>>);

#[inline(always)]
fn move_block<L: Lanes>(token: L::Token, motion: &impl Motion<L>, (positions, normals, tangents): Block<'_>) {
    *positions.to = L::to_points(motion.point(L::from_points(token, positions.from)));
    if normals.is_none() && tangents.is_none() {
        return;
    }
    let directions = Directions::new(token, motion.matrix());
    if let Some(normals) = normals {
        let moved = motion.turn(directions.normal(L::from_points(token, normals.from)));
        *normals.to = L::to_points(moved);
    }
    if let Some(tangents) = tangents {
        let [x, y, z, w] = directions.tangent(L::from_rows(token, tangents.from.each_ref()));
        let [x, y, z] = motion.turn([x, y, z]);
        *tangents.to = L::to_rows([x, y, z, w]);
    }
}

/// A block in which an attribute has fewer than eight points.
#[inline(always)]
fn move_few<L: Lanes>(token: L::Token, motion: &impl Motion<L>, points: &mut Points<'_>, block: usize) {
    let Some(mut positions) = points.positions.fewer(block) else { return };
    let (mut normals, mut tangents) = (points.normals.fewer(block), points.tangents.fewer(block));
    let eights = (positions.eight(), normals.as_mut().map(Few::eight), tangents.as_mut().map(Few::eight));
    move_block(token, motion, eights);
    points.positions.take(block, Some(&positions));
    points.normals.take(block, normals.as_ref());
    points.tangents.take(block, tangents.as_ref());
}
