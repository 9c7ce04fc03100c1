//! Skins.

use super::packer::{Component, Elements, Kind};
use super::{Saver, extras, named, some};
use crate::codes;
use crate::document::{Index, SkinObject};
use anyrig_bytes::{Buffer, Result};
use anyrig_scene::glam::DAffine3;
use anyrig_scene::{NodeId, Scene, Skin};

impl Saver<'_> {
    pub(super) fn skins(&mut self) -> Result<()> {
        let mut objects = Vec::new();
        let places = Places::new(self.scene);
        for (id, skin) in self.scene.skins.iter() {
            if skin.joints.is_empty() {
                self.context.tell(&codes::SKIN_DROPPED, format!("skin {}", id.index()), "");
                self.skin_indexes.push(None);
                continue;
            }
            objects.push(self.skin(skin, &places, &format!("skin {}", id.index())));
            self.skin_indexes.push(Some(objects.len() as Index - 1));
        }
        self.root.skins = some(objects);
        Ok(())
    }

    fn skin(&mut self, skin: &Skin, places: &Places, subject: &str) -> SkinObject {
        // A skeleton node must be above all joints (specification 5.28.2); it has no effect, so another one is left out.
        let skeleton = skin.skeleton.filter(|s| skin.joints.iter().all(|j| places.is_at_or_below(*j, *s)));
        if skeleton != skin.skeleton {
            self.context.tell(&codes::SKELETON_DROPPED, subject, "");
        }
        let mut object = SkinObject {
            name: named(&skin.name),
            skeleton: skeleton.map(|n| n.index() as Index),
            joints: Some(skin.joints.iter().map(|j| j.index() as Index).collect()),
            ..SkinObject::default()
        };
        extras::restore!(object, &skin.extras);
        if skin.inverse_binds.iter().any(|b| *b != DAffine3::IDENTITY) {
            let floats: Buffer<f32> = skin.inverse_binds.iter().flat_map(columns).collect();
            let elements = Elements {
                component: Component::F32,
                normalized: false,
                shape: "MAT4",
                count: skin.inverse_binds.len(),
                bounds: None,
                bytes: floats.to_bytes(),
            };
            object.inverse_bind_matrices = Some(self.packer.add(Kind::Binds, elements));
        }
        object
    }
}

/// Where nodes stand in a walk through the hierarchy: a subtree is a range.
struct Places {
    ranges: Vec<(usize, usize)>,
}

impl Places {
    fn new(scene: &Scene) -> Self {
        let order = anyrig_scene::walk::parents_first(scene);
        let mut ranges = vec![(0, 0); scene.nodes.len()];
        for (place, id) in order.iter().enumerate() {
            ranges[id.index()] = (place, place);
        }
        for id in order.iter().rev() {
            if let Some(parent) = scene.nodes[*id].parent {
                let last = ranges[id.index()].1;
                let of_parent = &mut ranges[parent.index()].1;
                *of_parent = last.max(*of_parent);
            }
        }
        Self { ranges }
    }

    fn is_at_or_below(&self, node: NodeId, top: NodeId) -> bool {
        let (Some((place, _)), Some((first, last))) = (self.ranges.get(node.index()), self.ranges.get(top.index()))
        else {
            return false;
        };
        (first..=last).contains(&place)
    }
}

/// A 4×4 matrix, column after column.
fn columns(affine: &DAffine3) -> [f32; 16] {
    let m = affine.to_cols_array().map(|v| v as f32);
    [m[0], m[1], m[2], 0.0, m[3], m[4], m[5], 0.0, m[6], m[7], m[8], 0.0, m[9], m[10], m[11], 1.0]
}
