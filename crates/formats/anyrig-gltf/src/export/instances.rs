//! Instances of a node's mesh.

use super::packer::{Component, Elements, Kind, shape};
use super::{Saver, extras, raw_extension, streams};
use crate::codes;
use crate::document::{Index, InstancingObject, Named};
use anyrig_bytes::names::UniqueNames;
use anyrig_bytes::{SharedBytes, Value};
use anyrig_scene::{Instances, NodeId, Semantic, Trs};

pub(super) const NAME: &str = "EXT_mesh_gpu_instancing";

impl Saver<'_> {
    /// The extension's object. Attributes that change nothing are left out, but for one that tells the number.
    pub(super) fn instances(&mut self, id: NodeId, instances: &Instances) -> Value {
        let mut attributes = Named::default();
        let all = &instances.transforms;
        let differs = |part: fn(&Trs) -> [f64; 4]| all.iter().any(|t| part(t) != part(&Trs::IDENTITY));
        let translation = |t: &Trs| t.translation.extend(0.0).to_array();
        let scale = |t: &Trs| t.scale.extend(0.0).to_array();
        let rotation = |t: &Trs| t.rotation.to_array();
        let (turns, scales) = (differs(rotation), differs(scale));
        if differs(translation) || !turns && !scales {
            attributes.0.push(("TRANSLATION".to_owned(), self.vectors(all, 3, translation)));
        }
        if turns {
            attributes.0.push(("ROTATION".to_owned(), self.vectors(all, 4, rotation)));
        }
        if scales {
            attributes.0.push(("SCALE".to_owned(), self.vectors(all, 3, scale)));
        }
        self.instance_attributes(id, instances, &mut attributes);
        let mut object = InstancingObject { attributes: Some(attributes), ..InstancingObject::default() };
        extras::restore!(object, &instances.extras);
        raw_extension(&object)
    }

    fn vectors(&mut self, all: &[Trs], width: usize, part: impl Fn(&Trs) -> [f64; 4]) -> Index {
        let floats = all.iter().flat_map(|t| part(t).into_iter().take(width).map(|v| (v as f32).to_le_bytes()));
        let bytes: Vec<u8> = floats.flatten().collect();
        let elements = Elements {
            component: Component::F32,
            normalized: false,
            shape: shape(width).unwrap_or("SCALAR"),
            count: all.len(),
            bounds: None,
            bytes: SharedBytes::from(bytes),
        };
        self.packer.add(Kind::Instances, elements)
    }

    fn instance_attributes(&mut self, id: NodeId, instances: &Instances, attributes: &mut Named<Index>) {
        let subject = format!("instances of node {}", id.index());
        let mut unique = UniqueNames::default();
        for stream in &instances.streams {
            let name = match &stream.semantic {
                Semantic::Custom(name) if name.starts_with('_') => name.clone(),
                other => format!("_{other}"),
            };
            match streams::add(stream, &subject, &mut self.packer, self.context) {
                Some(accessor) => attributes.0.push((unique.claim(&name), accessor)),
                None => self.context.tell(&codes::ATTRIBUTE_DROPPED, subject.clone(), name),
            }
        }
    }
}
