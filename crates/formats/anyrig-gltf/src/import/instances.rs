//! Instances of a node's mesh.

use super::extras::{keep, raw};
use super::{Loader, need};
use crate::document::json::At;
use crate::document::{Index, InstancingObject, Named, NodeObject, typed};
use anyrig_bytes::{Buffer, Result};
use anyrig_scene::glam::{DQuat, DVec3};
use anyrig_scene::{Instances, Semantic, Trs};

pub(super) const NAME: &str = "EXT_mesh_gpu_instancing";

impl Loader<'_> {
    pub(super) fn instances(&mut self, object: &NodeObject, at: &At<'_>) -> Result<Option<Box<Instances>>> {
        let Some(value) = object.extensions.as_ref().and_then(|e| e.get(NAME)) else { return Ok(None) };
        let at = at.key("extensions");
        let at = at.key(NAME);
        let object: InstancingObject = typed(value, &at, self.context)?;
        let attributes = need(object.attributes.as_ref(), &at, "attributes")?;
        let at_attributes = at.key("attributes");
        let count = self.instance_count(attributes, &at_attributes)?;
        // Accessors may be shared by any number of nodes.
        let uses = (count as u64).saturating_mul(attributes.0.len() as u64);
        self.context.take_elements(uses, || at.place())?;
        self.context.take_memory((count as u64).saturating_mul(size_of::<Trs>() as u64), || at.place())?;
        let mut out = Instances::new(vec![Trs::IDENTITY; count]);
        for (name, accessor) in &attributes.0 {
            let at = at_attributes.key(name);
            match name.as_str() {
                "TRANSLATION" => {
                    let values = self.vectors::<3>(*accessor, &at)?;
                    let set = |(trs, v): (&mut Trs, &[f32; 3])| trs.translation = DVec3::from(v.map(f64::from));
                    out.transforms.iter_mut().zip(values.as_chunks::<3>().0).for_each(set);
                }
                "ROTATION" => {
                    let values = self.vectors::<4>(*accessor, &at)?;
                    let set = |(trs, v): (&mut Trs, &[f32; 4])| trs.rotation = DQuat::from_array(v.map(f64::from));
                    out.transforms.iter_mut().zip(values.as_chunks::<4>().0).for_each(set);
                }
                "SCALE" => {
                    let values = self.vectors::<3>(*accessor, &at)?;
                    let set = |(trs, v): (&mut Trs, &[f32; 3])| trs.scale = DVec3::from(v.map(f64::from));
                    out.transforms.iter_mut().zip(values.as_chunks::<3>().0).for_each(set);
                }
                _ => out.streams.push(self.stream(Semantic::Custom(name.clone()), *accessor, &at)?),
            }
        }
        out.extras = keep(&raw!(object), &[], &at, self.context);
        Ok(Some(Box::new(out)))
    }

    /// All attributes have one element for each instance.
    fn instance_count(&self, attributes: &Named<Index>, at: &At<'_>) -> Result<usize> {
        let mut count = None;
        for (name, accessor) in &attributes.0 {
            let at = at.key(name);
            let own = self.accessors.layout(*accessor, &at)?.count;
            if *count.get_or_insert(own) != own {
                return Err(at.malformed(format!("it has {own} elements, the attributes before it have others")));
            }
        }
        Ok(count.unwrap_or(0))
    }

    fn vectors<const N: usize>(&mut self, accessor: Index, at: &At<'_>) -> Result<Buffer<f32>> {
        let width = self.accessors.layout(accessor, at)?.shape.width();
        if width != N {
            return Err(at.malformed(format!("it has {width} numbers per element, {N} are wanted")));
        }
        self.accessors.floats(accessor, at)
    }
}
