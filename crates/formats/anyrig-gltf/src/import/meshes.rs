//! Meshes: primitives become parts, attributes become streams and influences.

use super::accessors::{Component, Layout as Accessor};
use super::draco;
use super::extras::{keep, raw};
use super::{Loader, in_list, list, need};
use crate::codes;
use crate::document::json::At;
use crate::document::{Index, MeshObject, Named, Primitive};
use crate::names::EXTRAS;
use anyrig_bytes::{Buffer, Diagnostic, Result, Value};
use anyrig_passes::expand;
use anyrig_scene::{Influences, Layout, MaterialId, Mesh, MorphTarget, Part, Semantic, Storage, Stream, Topology};

/// What an attribute name means.
pub(super) enum Attribute {
    Stream(Semantic),
    Joints(u32),
    Weights(u32),
}

impl Attribute {
    /// Names of specification 3.7.2.1; a set number has no leading zeros. All others are custom.
    pub(super) fn of(name: &str) -> Self {
        match name {
            "POSITION" => return Self::Stream(Semantic::Position),
            "NORMAL" => return Self::Stream(Semantic::Normal),
            "TANGENT" => return Self::Stream(Semantic::Tangent),
            _ => {}
        }
        let custom = || Self::Stream(Semantic::Custom(name.to_owned()));
        let Some((word, digits)) = name.rsplit_once('_') else { return custom() };
        let set = digits.parse::<u32>().ok().filter(|n| n.to_string() == digits);
        match (word, set) {
            ("TEXCOORD", Some(set)) => Self::Stream(Semantic::TexCoord(set)),
            ("COLOR", Some(set)) => Self::Stream(Semantic::Color(set)),
            ("JOINTS", Some(set)) => Self::Joints(set),
            ("WEIGHTS", Some(set)) => Self::Weights(set),
            _ => custom(),
        }
    }
}

/// What the numbers of an attribute are: values of points, or what a morph target adds to them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    Values,
    Deltas,
}

/// Checks the width of an attribute's elements.
pub(super) fn check_width(semantic: &Semantic, width: usize, numbers: Numbers, at: &At<'_>) -> Result<()> {
    let wanted: &[usize] = match semantic {
        Semantic::Position | Semantic::Normal => &[3],
        Semantic::Tangent if numbers == Numbers::Deltas => &[3],
        Semantic::Tangent => &[4],
        Semantic::TexCoord(_) => &[2],
        Semantic::Color(_) => &[3, 4],
        Semantic::Custom(_) => return Ok(()),
    };
    if wanted.contains(&width) {
        return Ok(());
    }
    Err(at.malformed(format!("{semantic} has {width} numbers per element; glTF 2.0 wants {wanted:?}")))
}

impl Loader<'_> {
    pub(super) fn meshes(&mut self) -> Result<()> {
        let at = At::Root;
        let at = at.key("meshes");
        for (i, object) in list(self.root.meshes.as_ref()) {
            self.context.check_cancelled()?;
            let mesh = self.mesh(object, &at.index(i))?;
            self.scene.meshes.push(mesh);
        }
        Ok(())
    }

    fn mesh(&mut self, object: &MeshObject, at: &At<'_>) -> Result<Mesh> {
        let mut out = Mesh::default();
        out.name = object.name.clone().unwrap_or_default();
        out.extras = keep(&raw!(object), &[], at, self.context);
        let primitives = need(object.primitives.as_ref(), at, "primitives")?;
        self.context.take_memory(primitives.len() as u64 * size_of::<Part>() as u64, || at.place())?;
        let at_primitives = at.key("primitives");
        let (mut materials, mut variants) = (Vec::new(), Vec::new());
        for (i, primitive) in primitives.iter().enumerate() {
            let at = at_primitives.index(i);
            let mut part = self.part(primitive, &at)?;
            part.slot = i as u32;
            materials.push(self.material_of(primitive, &at)?);
            variants.extend(self.variants_of(primitive, part.slot, &at)?);
            out.parts.push(part);
        }
        self.mesh_materials.push(materials);
        self.mesh_variants.push(variants);
        self.morph_targets(object, &mut out, at)?;
        Ok(out)
    }

    fn material_of(&self, primitive: &Primitive, at: &At<'_>) -> Result<Option<MaterialId>> {
        let materials = self.scene.materials.len();
        let index = primitive.material.map(|m| in_list(m, materials, &at.key("material"), "material"));
        Ok(index.transpose()?.map(MaterialId::new))
    }

    /// Names and rest weights of the targets; parts with fewer targets get still ones.
    fn morph_targets(&mut self, object: &MeshObject, out: &mut Mesh, at: &At<'_>) -> Result<()> {
        let most = out.parts.iter().map(|p| p.morphs.len()).max().unwrap_or(0);
        if out.parts.iter().any(|p| p.morphs.len() != most) {
            self.repaired(&codes::TARGET_COUNT, at, &format!("the largest number is {most}"));
            let slots = (out.parts.len() as u64).saturating_mul(most as u64);
            self.context.take_memory(slots.saturating_mul(24), || at.place())?;
            out.parts.iter_mut().for_each(|p| p.morphs.resize_with(most, Default::default));
        }
        let mut names = target_names(&mut out.extras);
        for part in &mut out.parts {
            let of_part = target_names(&mut part.extras);
            names = if names.is_empty() { of_part } else { names };
        }
        let weights = match &object.weights {
            Some(weights) => self.weights(weights, most, &at.key("weights")),
            None => vec![0.0; most],
        };
        self.context.take_memory(most.saturating_mul(size_of::<MorphTarget>()) as u64, || at.place())?;
        let mut names = names.into_iter();
        let target = |default_weight| {
            let mut target = MorphTarget::new(names.next().unwrap_or_default());
            target.default_weight = default_weight;
            target
        };
        out.morphs = weights.into_iter().map(target).collect();
        Ok(())
    }

    fn part(&mut self, primitive: &Primitive, at: &At<'_>) -> Result<Part> {
        let attributes = need(primitive.attributes.as_ref(), at, "attributes")?;
        let mut part = Part::default();
        let unpacked = self.unpack(primitive, at)?;
        part.extras = keep(&raw!(primitive), &[super::variants::NAME, draco::EXTENSION], at, self.context);
        let at_attributes = at.key("attributes");
        part.point_count = self.point_count(attributes, &at_attributes)?;
        // Accessors may be shared by any number of parts; each use is work for whoever walks over the parts.
        let streams = attributes.0.len() as u64;
        self.context.take_elements(u64::from(part.point_count).saturating_mul(streams), || at.place())?;
        let mut influences = Vec::new();
        for (name, accessor) in &attributes.0 {
            let at = at_attributes.key(name);
            match Attribute::of(name) {
                Attribute::Stream(semantic) => part.streams.push(self.stream(semantic, *accessor, &at)?),
                Attribute::Joints(set) => influences.push((set, true, *accessor)),
                Attribute::Weights(set) => influences.push((set, false, *accessor)),
            }
        }
        part.influences = self.influences(&influences, part.point_count, &at_attributes)?;
        match unpacked {
            // A strip is packed as the triangles that it makes.
            Some(corners) => (part.topology, part.corners) = (Topology::Triangles, Some(corners)),
            None => self.topology(primitive, &mut part, at)?,
        }
        part.morphs = self.part_morphs(primitive, part.point_count, at)?;
        Ok(part)
    }

    /// All attributes of a part have as many elements as it has points.
    fn point_count(&self, attributes: &Named<Index>, at: &At<'_>) -> Result<u32> {
        let mut points = None;
        for (name, accessor) in &attributes.0 {
            let at = at.key(name);
            let count = self.accessors.layout(*accessor, &at)?.count;
            if *points.get_or_insert(count) != count {
                return Err(at.malformed(format!("it has {count} elements, the attributes before it have others")));
            }
        }
        let points = points.unwrap_or(0);
        u32::try_from(points).map_err(|_| at.malformed("too many points"))
    }

    pub(super) fn stream(&mut self, semantic: Semantic, accessor: Index, at: &At<'_>) -> Result<Stream> {
        let layout = self.accessors.layout(accessor, at)?;
        let (width, storage) = (layout.shape.width(), layout.storage());
        check_width(&semantic, width, Numbers::Values, at)?;
        let values = self.accessors.floats(accessor, at)?;
        // An f32 holds whole numbers up to 2^24.
        if storage == Storage::U32
            && self.accessors.wholes(accessor, at)?.iter().any(|v| *v as f32 as f64 != f64::from(*v))
        {
            self.context.push(Diagnostic::new(&codes::INTEGER_ROUNDED, at.pointer(), "").at(at.place()));
        }
        let mut stream = Stream::new(semantic, width as u8, values);
        stream.storage = storage;
        Ok(stream)
    }

    fn topology(&mut self, primitive: &Primitive, part: &mut Part, at: &At<'_>) -> Result<()> {
        let corners = primitive.indices.map(|i| self.corners(i, &at.key("indices"))).transpose()?;
        let mode = primitive.mode.unwrap_or(4);
        let count = corners.as_ref().map_or(u64::from(part.point_count), |c| c.len() as u64);
        self.context.take_elements(count, || at.place())?;
        let expand: fn(Option<&[u32]>, u32) -> Vec<u32> = match mode {
            0 | 1 | 4 => {
                part.corners = corners;
                part.topology =
                    [Topology::Points, Topology::Lines, Topology::Triangles][(mode as usize).min(2)].clone();
                return Ok(());
            }
            2 => expand::line_loop,
            3 => expand::line_strip,
            5 => expand::triangle_strip,
            6 => expand::triangle_fan,
            other => return Err(at.key("mode").malformed(format!("{other} is not a primitive mode"))),
        };
        self.context.take_memory(count.saturating_mul(12), || at.place())?;
        part.topology = if mode < 4 { Topology::Lines } else { Topology::Triangles };
        part.corners = Some(expand(corners.as_deref(), part.point_count).into());
        Ok(())
    }

    fn corners(&mut self, accessor: Index, at: &At<'_>) -> Result<Buffer<u32>> {
        let layout = self.accessors.layout(accessor, at)?;
        let unsigned = matches!(layout.component, Component::U8 | Component::U16 | Component::U32);
        if !unsigned || layout.shape.width() != 1 {
            return Err(at.malformed("indices must be unsigned whole numbers, one per element"));
        }
        self.accessors.wholes(accessor, at)
    }

    /// All sets of joints and weights, side by side per point.
    fn influences(
        &mut self,
        attributes: &[(u32, bool, Index)],
        points: u32,
        at: &At<'_>,
    ) -> Result<Option<Influences>> {
        let mut sets: Vec<(u32, Option<Index>, Option<Index>)> = Vec::new();
        for (set, joints, accessor) in attributes {
            let known = sets.iter().position(|s| s.0 == *set).unwrap_or_else(|| {
                sets.push((*set, None, None));
                sets.len() - 1
            });
            let slot = if *joints { &mut sets[known].1 } else { &mut sets[known].2 };
            *slot = Some(*accessor);
        }
        sets.sort_by_key(|s| s.0);
        let (mut joints, mut weights) = (Vec::new(), Vec::new());
        for (set, of_joints, of_weights) in sets {
            let (Some(j), Some(w)) = (of_joints, of_weights) else {
                self.repaired(&codes::UNPAIRED_INFLUENCES, at, &format!("set {set}"));
                continue;
            };
            joints.push(self.joints(j, &at.key(&format!("JOINTS_{set}")))?);
            weights.push(self.joint_weights(w, &at.key(&format!("WEIGHTS_{set}")))?);
        }
        let sets = joints.len();
        if sets == 0 {
            return Ok(None);
        }
        let layout = Layout::Fixed(4 * sets as u32);
        let numbers = (points as u64).saturating_mul(4 * sets as u64);
        if sets > 1 {
            self.context.take_elements(numbers, || at.place())?;
            self.context.take_memory(numbers.saturating_mul(8), || at.place())?;
        }
        Ok(Some(Influences::new(layout, side_by_side(joints), side_by_side(weights))))
    }

    fn joints(&mut self, accessor: Index, at: &At<'_>) -> Result<Buffer<u32>> {
        let layout = self.accessors.layout(accessor, at)?;
        let unsigned = matches!(layout.component, Component::U8 | Component::U16 | Component::U32);
        check_four(layout, unsigned, at, "joints must be four unsigned whole numbers per element")?;
        self.accessors.wholes(accessor, at)
    }

    fn joint_weights(&mut self, accessor: Index, at: &At<'_>) -> Result<Buffer<f32>> {
        let layout = self.accessors.layout(accessor, at)?;
        let fraction = layout.normalized || layout.component == Component::F32;
        check_four(layout, fraction, at, "weights must be four floats or normalised whole numbers per element")?;
        self.accessors.floats(accessor, at)
    }
}

fn check_four(layout: &Accessor, right_numbers: bool, at: &At<'_>, message: &str) -> Result<()> {
    if layout.shape.width() == 4 && right_numbers { Ok(()) } else { Err(at.malformed(message)) }
}

/// Rows of four from each set; one set stays as it is.
fn side_by_side<T: bytemuck::Pod>(mut sets: Vec<Buffer<T>>) -> Buffer<T> {
    if sets.len() == 1 {
        return sets.pop().unwrap_or_default();
    }
    let rows = sets.iter().map(|s| s.len() / 4).min().unwrap_or(0);
    let row = |i: usize| sets.iter().flat_map(move |s| s[i * 4..i * 4 + 4].iter().copied());
    (0..rows).flat_map(row).collect()
}

/// Takes the morph target names out of extras, where writers by convention put them.
fn target_names(extras: &mut anyrig_scene::Extras) -> Vec<String> {
    let Some(Value::Object(mut members)) = extras.get(EXTRAS).cloned() else { return Vec::new() };
    let Some(position) = members.iter().position(|(k, _)| k == "targetNames") else { return Vec::new() };
    let text = |v: &Value| v.as_str().map(str::to_owned);
    let names = members[position].1.as_array().and_then(|a| a.iter().map(text).collect::<Option<Vec<_>>>());
    let Some(names) = names else { return Vec::new() };
    members.remove(position);
    if members.is_empty() {
        extras.remove(EXTRAS);
    } else {
        extras.set(EXTRAS, Value::Object(members));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_attributes() {
        let stream = |name: &str| match Attribute::of(name) {
            Attribute::Stream(semantic) => Some(semantic),
            _ => None,
        };
        assert_eq!(stream("TEXCOORD_12"), Some(Semantic::TexCoord(12)));
        assert_eq!(stream("TEXCOORD_00"), Some(Semantic::Custom("TEXCOORD_00".to_owned())));
        assert_eq!(stream("_BATCHID"), Some(Semantic::Custom("_BATCHID".to_owned())));
        assert!(matches!(Attribute::of("JOINTS_1"), Attribute::Joints(1)));
        assert!(matches!(Attribute::of("WEIGHTS_0"), Attribute::Weights(0)));
    }

    #[test]
    fn sets_lie_side_by_side() {
        let sets = vec![Buffer::from(vec![1u32, 2, 3, 4, 5, 6, 7, 8]), Buffer::from(vec![9, 9, 9, 9, 8, 8, 8, 8])];
        assert_eq!(&*side_by_side(sets), &[1, 2, 3, 4, 9, 9, 9, 9, 5, 6, 7, 8, 8, 8, 8, 8]);
    }
}
