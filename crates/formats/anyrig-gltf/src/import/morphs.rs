//! Morph targets of a part.

use super::Loader;
use super::meshes::{Attribute, Numbers, check_width};
use crate::document::json::At;
use crate::document::{Index, Primitive};
use anyrig_bytes::Result;
use anyrig_scene::{DeltaStream, PartMorph, Semantic};

impl Loader<'_> {
    pub(super) fn part_morphs(&mut self, primitive: &Primitive, points: u32, at: &At<'_>) -> Result<Vec<PartMorph>> {
        let Some(targets) = &primitive.targets else { return Ok(Vec::new()) };
        let at = at.key("targets");
        // One that moves nothing takes two bytes of the file, and a place in the scene all the same.
        self.context.take_elements(targets.len() as u64, || at.place())?;
        self.context.take_memory(size_of_val(targets.as_slice()) as u64, || at.place())?;
        let mut morphs = Vec::with_capacity(targets.len());
        for (i, target) in targets.iter().enumerate() {
            let at = at.index(i);
            let mut morph = PartMorph::default();
            for (name, accessor) in &target.0 {
                let at = at.key(name);
                let semantic = match Attribute::of(name) {
                    Attribute::Stream(semantic) => semantic,
                    Attribute::Joints(_) | Attribute::Weights(_) => Semantic::Custom(name.clone()),
                };
                morph.deltas.push(self.delta(semantic, *accessor, points, &at)?);
            }
            morphs.push(morph);
        }
        Ok(morphs)
    }

    /// Sparse deltas over zeros stay sparse.
    fn delta(&mut self, semantic: Semantic, accessor: Index, points: u32, at: &At<'_>) -> Result<DeltaStream> {
        let layout = self.accessors.layout(accessor, at)?;
        let (width, count) = (layout.shape.width(), layout.count);
        check_width(&semantic, width, Numbers::Deltas, at)?;
        if count != points as usize {
            return Err(at.malformed(format!("it has {count} elements, the part has {points} points")));
        }
        self.context.take_elements(count as u64, || at.place())?;
        let width = width as u8;
        Ok(match self.accessors.sparse_over_zeros(accessor, at)? {
            Some(sparse) => DeltaStream::new(semantic, width, sparse.values).at_points(sparse.points),
            None => DeltaStream::new(semantic, width, self.accessors.floats(accessor, at)?),
        })
    }
}
