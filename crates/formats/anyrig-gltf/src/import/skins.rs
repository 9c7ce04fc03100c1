//! Skins.

use super::accessors::Component;
use super::extras::{keep, raw};
use super::{Loader, in_list, list, need};
use crate::codes;
use crate::document::SkinObject;
use crate::document::json::At;
use anyrig_bytes::{Error, Result};
use anyrig_scene::glam::DAffine3;
use anyrig_scene::{NodeId, Skin};

impl Loader<'_> {
    pub(super) fn skins(&mut self) -> Result<()> {
        let at = At::Root;
        let at = at.key("skins");
        for (i, skin) in list(self.root.skins.as_ref()) {
            let skin = self.skin(skin, &at.index(i))?;
            self.scene.skins.push(skin);
        }
        Ok(())
    }

    fn skin(&mut self, object: &SkinObject, at: &At<'_>) -> Result<Skin> {
        let nodes = self.scene.nodes.len();
        let given = need(object.joints.as_ref(), at, "joints")?;
        let at_joints = at.key("joints");
        let joint = |(i, j): (usize, &u32)| in_list(*j, nodes, &at_joints.index(i), "node").map(NodeId::new);
        let joints: Vec<NodeId> = given.iter().enumerate().map(joint).collect::<Result<_>>()?;
        self.context.take_memory(joints.len() as u64 * size_of::<DAffine3>() as u64, || at.place())?;
        let binds = match object.inverse_bind_matrices {
            Some(accessor) => self.inverse_binds(accessor, joints.len(), &at.key("inverseBindMatrices"))?,
            None => vec![DAffine3::IDENTITY; joints.len()],
        };
        let mut out = Skin::new(object.name.clone().unwrap_or_default(), joints, binds);
        let skeleton = object.skeleton.map(|s| in_list(s, nodes, &at.key("skeleton"), "node")).transpose()?;
        out.skeleton = skeleton.map(NodeId::new);
        out.extras = keep(&raw!(object), &[], at, self.context);
        Ok(out)
    }

    fn inverse_binds(&mut self, accessor: u32, joints: usize, at: &At<'_>) -> Result<Vec<DAffine3>> {
        let layout = self.accessors.layout(accessor, at)?;
        if layout.component != Component::F32 || layout.shape.width() != 16 {
            return Err(at.malformed("inverse bind matrices must be 4×4 matrices of floats"));
        }
        if layout.count < joints {
            let message = format!("{} inverse bind matrices for {joints} joints", layout.count);
            return Err(Error::malformed(at.place(), message));
        }
        let numbers = self.accessors.floats(accessor, at)?;
        let (matrices, _) = numbers.as_chunks::<16>();
        let mut wrong_rows = false;
        let affine = |m: &[f32; 16]| {
            let m = m.map(f64::from);
            wrong_rows |= [m[3], m[7], m[11], m[15]] != [0.0, 0.0, 0.0, 1.0];
            DAffine3::from_cols_array(&[m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10], m[12], m[13], m[14]])
        };
        let binds: Vec<DAffine3> = matrices.iter().take(joints).map(affine).collect();
        if wrong_rows {
            self.repaired(&codes::MATRIX_LAST_ROW, at, "");
        }
        Ok(binds)
    }
}
