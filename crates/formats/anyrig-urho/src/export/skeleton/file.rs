//! Bones in the file's terms.

use super::affine::inverse;
use super::{Bone, Skeleton};
use crate::document::{Bone as FileBone, Collision};
use anyrig_bytes::Value;
use anyrig_scene::glam::{DAffine3, DVec3};

impl Skeleton {
    /// The bones in the file's terms.
    pub(in crate::export) fn to_bones(&self) -> Vec<FileBone> {
        self.bones.iter().enumerate().map(|(i, bone)| bone.to_file(i)).collect()
    }
}

impl Bone {
    fn to_file(&self, own_index: usize) -> FileBone {
        let [x, y, z, w] = self.rest.rotation.to_array().map(|v| v as f32);
        let inverse_rest = || inverse(&self.rest_world).unwrap_or(DAffine3::IDENTITY);
        let offset = self.offset.unwrap_or_else(inverse_rest);
        let m = offset.matrix3.to_cols_array_2d();
        let t = offset.translation.to_array();
        let (collision_mask, collision) = self.collision.unwrap_or_default();
        FileBone {
            name: self.name.as_str().into(),
            parent: self.parent.unwrap_or(own_index) as u32,
            position: floats(self.rest.translation),
            rotation: [w, x, y, z],
            scale: floats(self.rest.scale),
            offset_matrix: std::array::from_fn(|i| {
                let (row, column) = (i / 4, i % 4);
                (if column == 3 { t[row] } else { m[column][row] }) as f32
            }),
            collision_mask,
            collision,
        }
    }
}

fn floats(v: DVec3) -> [f32; 3] {
    v.to_array().map(|v| v as f32)
}

/// The collision shape that an importer of this crate left.
pub(super) fn collision(value: &Value) -> Option<(u8, Collision)> {
    let mask = u8::try_from(value.get("collision_mask")?.as_i64()?).ok()? & 3;
    let number = |v: &Value| v.as_f64().map(|f| f as f32);
    let mut shape = Collision::default();
    if mask & 1 != 0 {
        shape.radius = number(value.get("radius")?)?;
    }
    if mask & 2 != 0 {
        let corners = value.get("bounds")?.as_array()?;
        for (corner, target) in corners.iter().zip(&mut shape.bounds) {
            let numbers = corner.as_array()?;
            target.iter_mut().zip(numbers).for_each(|(t, n)| *t = number(n).unwrap_or(0.0));
        }
    }
    Some((mask, shape))
}
