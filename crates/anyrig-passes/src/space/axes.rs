//! Changes of basis that only move and negate numbers.

use super::left;
use anyrig_scene::Space;
use glam::DVec3;

/// `new[i] = sign[i] * old[from[i]]`. Exact for any number, zeros included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SignedPermutation {
    from: [usize; 3],
    negative: [bool; 3],
}

impl SignedPermutation {
    /// Maps a space's up, front and left to those of another one. The spaces' up and front are at right angles.
    pub(super) fn between(source: &Space, target: &Space) -> Self {
        let pairs = [
            (source.up.to_vector(), target.up.to_vector()),
            (source.front.to_vector(), target.front.to_vector()),
            (left(source), left(target)),
        ];
        let mut basis = Self { from: [0, 1, 2], negative: [false; 3] };
        for (old, new) in pairs {
            let (old_axis, old_sign) = signed_axis(old);
            let (new_axis, new_sign) = signed_axis(new);
            basis.from[new_axis] = old_axis;
            basis.negative[new_axis] = old_sign != new_sign;
        }
        basis
    }

    pub(super) fn is_identity(&self) -> bool {
        *self == Self { from: [0, 1, 2], negative: [false; 3] }
    }

    /// True when axes change places.
    pub(super) fn permutes(&self) -> bool {
        self.from != [0, 1, 2]
    }

    /// The old axis of each new one.
    pub(super) fn from(&self) -> [usize; 3] {
        self.from
    }

    /// True when the determinant is -1.
    pub(super) fn mirrors(&self) -> bool {
        let odd = !matches!(self.from, [0, 1, 2] | [1, 2, 0] | [2, 0, 1]);
        self.negative.into_iter().fold(odd, |sign, negative| sign != negative)
    }

    fn pick<T: Copy + std::ops::Neg<Output = T>>(&self, old: [T; 3]) -> [T; 3] {
        std::array::from_fn(|i| {
            let value = old[self.from[i]];
            if self.negative[i] { -value } else { value }
        })
    }

    /// A position or direction.
    pub(super) fn vector(&self, v: DVec3) -> DVec3 {
        self.pick(v.to_array()).into()
    }

    /// As [`Self::vector`], in single precision.
    pub(super) fn vector_f32(&self, v: [f32; 3]) -> [f32; 3] {
        self.pick(v)
    }

    /// The axis part of a rotation: turns round when the basis mirrors.
    pub(super) fn axial(&self, v: DVec3) -> DVec3 {
        if self.mirrors() { -self.vector(v) } else { self.vector(v) }
    }

    /// As [`Self::axial`], in single precision.
    pub(super) fn axial_f32(&self, v: [f32; 3]) -> [f32; 3] {
        let turned = self.vector_f32(v);
        if self.mirrors() { turned.map(|v| -v) } else { turned }
    }

    /// A scale: factors change places, not signs.
    pub(super) fn scale(&self, v: DVec3) -> DVec3 {
        let old = v.to_array();
        self.from.map(|i| old[i]).into()
    }

    /// As [`Self::scale`], in single precision.
    pub(super) fn scale_f32(&self, v: [f32; 3]) -> [f32; 3] {
        self.from.map(|i| v[i])
    }

    /// The columns of `M B⁻¹` from those of `M`.
    pub(super) fn columns(&self, columns: [DVec3; 3]) -> [DVec3; 3] {
        self.pick(columns)
    }
}

fn signed_axis(v: DVec3) -> (usize, bool) {
    let axis = if v.x != 0.0 {
        0
    } else if v.y != 0.0 {
        1
    } else {
        2
    };
    (axis, v[axis] < 0.0)
}
