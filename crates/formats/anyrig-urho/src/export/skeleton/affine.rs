//! Affine maps that 32-bit floats will hold.

use anyrig_scene::glam::DAffine3;

pub(super) fn is_identity(affine: &DAffine3) -> bool {
    *affine == DAffine3::IDENTITY
}

pub(super) fn inverse(affine: &DAffine3) -> Option<DAffine3> {
    let m = affine.matrix3;
    let size = m.x_axis.length() * m.y_axis.length() * m.z_axis.length();
    // Columns that span nearly nothing: the inverse would be noise.
    let sound = affine.is_finite() && size > 0.0 && m.determinant().abs() > size * 1e-9;
    let inverse = affine.inverse();
    (sound && inverse.is_finite()).then_some(inverse)
}

/// Equal up to what 32-bit floats lose.
pub(super) fn close(a: &DAffine3, b: &DAffine3) -> bool {
    let size = a.to_cols_array().iter().fold(1.0f64, |size, v| size.max(v.abs()));
    a.abs_diff_eq(*b, size * 1e-5)
}
