//! Local transforms.

use glam::{DAffine3, DMat3, DQuat, DVec3};

/// Translation, rotation, scale; applied to a point in the order scale, rotate, translate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trs {
    /// In the scene's unit.
    pub translation: DVec3,
    /// A unit quaternion.
    pub rotation: DQuat,
    /// Factor per axis; may be negative.
    pub scale: DVec3,
}

impl Trs {
    /// No change.
    pub const IDENTITY: Self = Self { translation: DVec3::ZERO, rotation: DQuat::IDENTITY, scale: DVec3::ONE };

    /// The transform as an affine matrix.
    pub fn to_affine(self) -> DAffine3 {
        DAffine3::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }

    /// Takes an affine matrix apart; `None` when it is sheared or singular beyond `tolerance`.
    ///
    /// A mirrored matrix gets its negative sign on X. The tolerance bounds the cosine between the columns.
    pub fn from_affine(affine: DAffine3, tolerance: f64) -> Option<Self> {
        let nearest = Self::nearest_to_affine(affine);
        let m = affine.matrix3;
        let directions = [m.x_axis, m.y_axis, m.z_axis].map(|column| length_and_direction(column).1);
        let ([Some(x), Some(y), Some(z)], true) = (directions, affine.is_finite()) else { return None };
        let shear = x.dot(y).abs().max(y.dot(z).abs()).max(z.dot(x).abs());
        (shear <= tolerance).then_some(nearest)
    }

    /// The nearest transform without shear: column lengths as scale, the columns made orthogonal one after another as
    /// rotation. Zero columns are replaced so that the result is finite for finite input.
    pub fn nearest_to_affine(affine: DAffine3) -> Self {
        let m = affine.matrix3;
        let [(x_scale, x), (y_scale, y), (z_scale, z)] = [m.x_axis, m.y_axis, m.z_axis].map(length_and_direction);
        let handedness = DMat3::from_cols(x.unwrap_or_default(), y.unwrap_or_default(), z.unwrap_or_default());
        let mirror = if handedness.determinant() < 0.0 { -1.0 } else { 1.0 };
        let scale = DVec3::new(x_scale * mirror, y_scale, z_scale);
        let rotation = orthogonal(x.map(|x| x * mirror), y, z);
        let rotation = DQuat::from_mat3(&rotation);
        let length = rotation.length();
        let rotation = if length > 0.0 && length.is_finite() { rotation / length } else { DQuat::IDENTITY };
        Self { translation: affine.translation, rotation, scale }
    }
}

/// Length and direction of a column; no direction when it is zero or not finite. Finite for finite input.
fn length_and_direction(column: DVec3) -> (f64, Option<DVec3>) {
    let length = column.length();
    // Where squares neither overflow nor vanish.
    if (1e-100..1e100).contains(&length) {
        return (length, Some(column / length));
    }
    let largest = column.abs().max_element();
    if !(column.is_finite() && largest > 0.0) {
        return (0.0, None);
    }
    let near_one = column / largest;
    let length = near_one.length();
    ((length * largest).min(f64::MAX), Some(near_one / length))
}

/// A right-handed orthonormal basis near the given directions; any of them may be missing.
fn orthogonal(x: Option<DVec3>, y: Option<DVec3>, z: Option<DVec3>) -> DMat3 {
    let x = x.or_else(|| y.zip(z).and_then(|(y, z)| y.cross(z).try_normalize()));
    let x = x.or_else(|| y.or(z).map(DVec3::any_orthonormal_vector)).unwrap_or(DVec3::X);
    let y = y.and_then(|y| (y - x * x.dot(y)).try_normalize());
    let y = y.or_else(|| z.and_then(|z| z.cross(x).try_normalize())).unwrap_or_else(|| x.any_orthonormal_vector());
    DMat3::from_cols(x, y, x.cross(y))
}

impl Default for Trs {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// A node's transform relative to its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LocalTransform {
    /// Translation, rotation, scale.
    Trs(Trs),
    /// Any affine matrix, for sources that give one (it may be sheared).
    Matrix(DAffine3),
}

impl LocalTransform {
    /// The transform as an affine matrix.
    pub fn to_affine(self) -> DAffine3 {
        match self {
            Self::Trs(trs) => trs.to_affine(),
            Self::Matrix(affine) => affine,
        }
    }

    /// The transform as translation, rotation, scale; the nearest one for a sheared matrix.
    pub fn to_trs(self) -> Trs {
        match self {
            Self::Trs(trs) => trs,
            Self::Matrix(affine) => Trs::nearest_to_affine(affine),
        }
    }
}

impl Default for LocalTransform {
    fn default() -> Self {
        Self::Trs(Trs::IDENTITY)
    }
}

impl From<Trs> for LocalTransform {
    fn from(trs: Trs) -> Self {
        Self::Trs(trs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirrored_matrices_come_apart_and_together() {
        let rotation = DQuat::from_xyzw(0.5, 0.5, -0.5, 0.5);
        for scale in [DVec3::new(-2.0, 3.0, 0.5), DVec3::new(2.0, -3.0, 0.5), DVec3::splat(-1.0), DVec3::ONE] {
            let affine = DAffine3::from_scale_rotation_translation(scale, rotation, DVec3::new(1.0, 2.0, 3.0));
            let trs = Trs::from_affine(affine, 1e-12).expect("no shear");
            assert!(trs.to_affine().abs_diff_eq(affine, 1e-12), "{scale}");
        }
    }

    #[test]
    fn lengths_of_any_size_stay_finite_and_keep_their_sign() {
        for size in [5e-324, 1e-200, 1e200, f64::MAX] {
            let matrix3 = DMat3::from_cols(DVec3::Y * size, DVec3::X * size, DVec3::Z * size);
            let trs = Trs::nearest_to_affine(DAffine3 { matrix3, translation: DVec3::ZERO });
            assert_eq!(trs.scale, DVec3::new(-size, size, size));
            assert!((trs.rotation * DVec3::X).abs_diff_eq(DVec3::NEG_Y, 1e-12), "{size}");
        }
        let matrix3 = DMat3::from_cols(DVec3::MAX, DVec3::MAX, DVec3::MAX);
        assert!(Trs::nearest_to_affine(DAffine3 { matrix3, translation: DVec3::ZERO }).scale.is_finite());
    }

    #[test]
    fn shear_is_refused_and_degenerate_input_stays_finite() {
        let mut sheared = DAffine3::IDENTITY;
        sheared.matrix3.y_axis = DVec3::new(0.3, 1.0, 0.0);
        assert_eq!(Trs::from_affine(sheared, 1e-6), None);
        for columns in 0..8u8 {
            let column = |bit: u8, v: DVec3| if columns & bit == 0 { DVec3::ZERO } else { v };
            let matrix3 = DMat3::from_cols(column(1, DVec3::X), column(2, DVec3::Y), column(4, DVec3::Z));
            let trs = Trs::nearest_to_affine(DAffine3 { matrix3, translation: DVec3::ZERO });
            assert!(trs.rotation.is_finite() && trs.rotation.is_normalized(), "{columns}");
        }
    }
}
