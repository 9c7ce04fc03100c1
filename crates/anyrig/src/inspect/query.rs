//! Looking at single vertices, indices and curves.

use anyrig_bytes::{Error, Result};
use anyrig_scene::{
    CameraProperty, Domain, Interpolation, LightProperty, MaterialProperty, Mesh, MeshId, Part, Property, Scene,
    Target, TransformPart,
};
use serde::Serialize;
use std::str::FromStr;

/// A range of indices, cut to what exists. Written `A..B` (without B), `A..=B`, `A..`, `..B` or `A` alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first.
    pub start: usize,
    /// The one after the last.
    pub end: usize,
}

impl Range {
    /// Everything.
    pub const ALL: Self = Self { start: 0, end: usize::MAX };

    fn within(self, len: usize) -> std::ops::Range<usize> {
        let end = self.end.min(len);
        self.start.min(end)..end
    }
}

impl FromStr for Range {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || Error::usage(format!("`{text}` is no range; write it like 0..10, 5.., ..10, 3..=4 or 7"));
        let number = |t: &str| t.trim().parse::<usize>().map_err(|_| wrong());
        let or = |t: &str, default: usize| if t.trim().is_empty() { Ok(default) } else { number(t) };
        let range = match text.split_once("..") {
            None => {
                let only = number(text)?;
                Self { start: only, end: only.checked_add(1).ok_or_else(wrong)? }
            }
            Some((start, end)) => match end.strip_prefix('=') {
                Some(last) => Self { start: or(start, 0)?, end: number(last)?.checked_add(1).ok_or_else(wrong)? },
                None => Self { start: or(start, 0)?, end: or(end, usize::MAX)? },
            },
        };
        if range.start > range.end { Err(wrong()) } else { Ok(range) }
    }
}

/// Which part of which mesh.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MeshChoice {
    /// Index of a mesh, or else its name; the first mesh when `None`.
    pub mesh: Option<String>,
    /// Index of the part.
    pub part: usize,
}

impl MeshChoice {
    /// A part of a mesh.
    pub fn new(mesh: Option<String>, part: usize) -> Self {
        Self { mesh, part }
    }

    fn find<'a>(&self, scene: &'a Scene) -> Result<(&'a Mesh, &'a Part)> {
        let (mesh, part) = self.locate(scene)?;
        Ok((&scene.meshes[mesh], part))
    }

    /// The mesh and the part.
    pub(crate) fn locate<'a>(&self, scene: &'a Scene) -> Result<(MeshId, &'a Part)> {
        let (id, mesh) = match &self.mesh {
            None => scene.meshes.iter().next().ok_or_else(|| Error::usage("the file has no meshes"))?,
            Some(text) => {
                let by_index = || text.parse::<usize>().ok().and_then(|index| scene.meshes.iter().nth(index));
                let named = scene.meshes.iter().find(|(_, mesh)| mesh.name == *text);
                named.or_else(by_index).ok_or_else(|| self.no_mesh(scene, text))?
            }
        };
        let count = mesh.parts.len();
        let part = mesh.parts.get(self.part).ok_or_else(|| {
            Error::usage(format!(
                "mesh `{}` has {count} parts, counted from 0; there is no part {}",
                mesh.name, self.part
            ))
        })?;
        Ok((id, part))
    }

    fn no_mesh(&self, scene: &Scene, text: &str) -> Error {
        let names = scene.meshes.values().map(|m| m.name.as_str());
        let hint = crate::suggest::hint(text, names);
        Error::usage(format!("no mesh is called `{text}`{hint}; there are {}, counted from 0", scene.meshes.len()))
    }
}

/// Vertices of one part.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct VertexTable {
    /// Name of the mesh.
    pub mesh: String,
    /// Number of vertices of the whole part.
    pub count: usize,
    /// The asked ones.
    pub vertices: Vec<Vertex>,
}

/// One vertex.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Vertex {
    /// Index in the part.
    pub index: usize,
    /// Values by attribute.
    pub attributes: Vec<StreamValues>,
    /// Joints, as indices of the skin's joint list.
    pub joints: Vec<u32>,
    /// Weight of each joint.
    pub weights: Vec<f32>,
}

/// One attribute of one vertex.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StreamValues {
    /// Name of the attribute, such as `POSITION`.
    pub name: String,
    /// Its floats.
    pub values: Vec<f32>,
}

/// Vertices of a part of a validated scene.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] when there is no such mesh or part.
pub fn vertices(scene: &Scene, choice: &MeshChoice, range: Range) -> Result<VertexTable> {
    let (mesh, part) = choice.find(scene)?;
    let count = part.point_count as usize;
    let vertices = range.within(count).map(|index| vertex(part, index)).collect();
    Ok(VertexTable { mesh: mesh.name.clone(), count, vertices })
}

fn vertex(part: &Part, index: usize) -> Vertex {
    let of_points = part.streams.iter().filter(|s| s.domain == Domain::Point);
    let attributes = of_points.map(|stream| {
        let width = usize::from(stream.width);
        let values = stream.values.get(index * width..(index + 1) * width).unwrap_or_default();
        StreamValues { name: stream.semantic.to_string(), values: values.to_vec() }
    });
    let (joints, weights) = part.influences.as_ref().map_or((&[][..], &[][..]), |i| i.of(index));
    Vertex { index, attributes: attributes.collect(), joints: joints.to_vec(), weights: weights.to_vec() }
}

/// Indices of one part.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct IndexTable {
    /// Name of the mesh.
    pub mesh: String,
    /// Number of indices of the whole part.
    pub count: usize,
    /// Position of the first asked one.
    pub start: usize,
    /// The vertex of each corner.
    pub indices: Vec<usize>,
}

/// Indices of a part of a validated scene; an unindexed part has 0, 1, 2 …
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] when there is no such mesh or part.
pub fn indices(scene: &Scene, choice: &MeshChoice, range: Range) -> Result<IndexTable> {
    let (mesh, part) = choice.find(scene)?;
    let range = range.within(part.corner_count());
    let start = range.start;
    let indices = range.map(|corner| part.point_of(corner)).collect();
    Ok(IndexTable { mesh: mesh.name.clone(), count: part.corner_count(), start, indices })
}

/// One curve.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CurveInfo {
    /// Index of the clip.
    pub clip: usize,
    /// Name of the clip.
    pub clip_name: String,
    /// Name of the node, material, camera or light, or the path of another target.
    pub target: String,
    /// `translation`, `rotation`, `scale`, `morph-weights`, `visibility`, a property of a material, camera or light, or
    /// `other`.
    pub property: &'static str,
    /// `step`, `linear` or `cubic`.
    pub interpolation: &'static str,
    /// Ticks in a second, when the file counts in ticks.
    pub ticks_per_second: Option<f64>,
    /// The keys.
    pub keys: Vec<KeyInfo>,
}

/// One key.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct KeyInfo {
    /// Time as the file counts it, when it counts in ticks.
    pub tick: Option<i64>,
    /// Time.
    pub seconds: f64,
    /// The value, for cubic curves without its tangents.
    pub value: Vec<f32>,
}

/// The curves of all clips of a validated scene, or those that move nodes of one name.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] when no node has the name.
pub fn curves(scene: &Scene, bone: Option<&str>) -> Result<Vec<CurveInfo>> {
    if let Some(bone) = bone
        && !scene.nodes.values().any(|n| n.name == bone)
    {
        let hint = crate::suggest::hint(bone, scene.nodes.values().map(|n| n.name.as_str()));
        return Err(Error::usage(format!("no bone or node is called `{bone}`{hint}")));
    }
    let mut curves = Vec::new();
    for (index, clip) in scene.clips.iter().enumerate() {
        let wanted =
            clip.channels.iter().filter_map(|c| curve(scene, c)).filter(|c| bone.is_none_or(|b| c.target == b));
        curves.extend(wanted.map(|c| CurveInfo { clip: index, clip_name: clip.name.clone(), ..c }));
    }
    Ok(curves)
}

fn curve(scene: &Scene, channel: &anyrig_scene::Channel) -> Option<CurveInfo> {
    let (target, property) = match &channel.target {
        Target::Node { node, property } => (scene.nodes.get(*node)?.name.clone(), property_name(*property)),
        Target::Component { node, part, axis } => (scene.nodes.get(*node)?.name.clone(), component_name(*part, *axis)),
        Target::Morph { node, .. } => (scene.nodes.get(*node)?.name.clone(), "morph weight"),
        Target::Visibility { node } => (scene.nodes.get(*node)?.name.clone(), "visibility"),
        Target::Material { material, property } => {
            (scene.materials.get(*material)?.name.clone(), material_property_name(*property))
        }
        Target::Camera { camera, property } => {
            (scene.cameras.get(*camera)?.name.clone(), camera_property_name(*property))
        }
        Target::Light { light, property } => (scene.lights.get(*light)?.name.clone(), light_property_name(*property)),
        Target::Named { property, .. } => (property.clone(), "named"),
        Target::Other(path) => (path.clone(), "other"),
    };
    let curve = &channel.curve;
    let ticks = curve.ticks.as_ref();
    let key = |(i, seconds): (usize, &f64)| KeyInfo {
        tick: ticks.and_then(|t| t.times.get(i).copied()),
        seconds: *seconds,
        value: curve.value(i).to_vec(),
    };
    Some(CurveInfo {
        clip: 0,
        clip_name: String::new(),
        target,
        property,
        interpolation: match curve.interpolation {
            Interpolation::Step => "step",
            Interpolation::Linear => "linear",
            Interpolation::CubicHermite => "cubic",
            Interpolation::PerKey => "per key",
        },
        ticks_per_second: ticks.map(|t| t.per_second),
        keys: curve.times_secs.iter().enumerate().map(key).collect(),
    })
}

fn property_name(property: Property) -> &'static str {
    match property {
        Property::Translation => "translation",
        Property::Rotation => "rotation",
        Property::Scale => "scale",
        Property::MorphWeights => "morph-weights",
    }
}

fn material_property_name(property: MaterialProperty) -> &'static str {
    match property {
        MaterialProperty::BaseColor => "base-color",
        MaterialProperty::Metallic => "metallic",
        MaterialProperty::Roughness => "roughness",
        MaterialProperty::NormalScale => "normal-scale",
        MaterialProperty::OcclusionStrength => "occlusion-strength",
        MaterialProperty::Emissive => "emissive",
        MaterialProperty::EmissiveStrength => "emissive-strength",
        MaterialProperty::AlphaCutoff => "alpha-cutoff",
        MaterialProperty::Clearcoat => "clearcoat",
        MaterialProperty::ClearcoatRoughness => "clearcoat-roughness",
        MaterialProperty::ClearcoatNormalScale => "clearcoat-normal-scale",
        MaterialProperty::SheenColor => "sheen-color",
        MaterialProperty::SheenRoughness => "sheen-roughness",
        MaterialProperty::Transmission => "transmission",
        MaterialProperty::DiffuseTransmission => "diffuse-transmission",
        MaterialProperty::DiffuseTransmissionColor => "diffuse-transmission-color",
        MaterialProperty::Thickness => "thickness",
        MaterialProperty::AttenuationDistance => "attenuation-distance",
        MaterialProperty::AttenuationColor => "attenuation-color",
        MaterialProperty::Ior => "ior",
        MaterialProperty::Specular => "specular",
        MaterialProperty::SpecularColor => "specular-color",
        MaterialProperty::Iridescence => "iridescence",
        MaterialProperty::IridescenceIor => "iridescence-ior",
        MaterialProperty::IridescenceThicknessMin => "iridescence-thickness-min",
        MaterialProperty::IridescenceThicknessMax => "iridescence-thickness-max",
        MaterialProperty::AnisotropyStrength => "anisotropy-strength",
        MaterialProperty::AnisotropyRotation => "anisotropy-rotation",
        MaterialProperty::Dispersion => "dispersion",
        MaterialProperty::UvOffset(_) => "uv-offset",
        MaterialProperty::UvRotation(_) => "uv-rotation",
        MaterialProperty::UvScale(_) => "uv-scale",
    }
}

fn camera_property_name(property: CameraProperty) -> &'static str {
    match property {
        CameraProperty::FovY => "fov-y",
        CameraProperty::AspectRatio => "aspect-ratio",
        CameraProperty::XMag => "x-mag",
        CameraProperty::YMag => "y-mag",
        CameraProperty::Near => "near",
        CameraProperty::Far => "far",
    }
}

fn light_property_name(property: LightProperty) -> &'static str {
    match property {
        LightProperty::Color => "color",
        LightProperty::Intensity => "intensity",
        LightProperty::Range => "range",
        LightProperty::InnerCone => "inner-cone",
        LightProperty::OuterCone => "outer-cone",
    }
}

/// Name of one number of a transform.
fn component_name(part: TransformPart, axis: u8) -> &'static str {
    let names = match part {
        TransformPart::Translation => ["translation.x", "translation.y", "translation.z"],
        TransformPart::RotationOffset => ["rotation-offset.x", "rotation-offset.y", "rotation-offset.z"],
        TransformPart::RotationPivot => ["rotation-pivot.x", "rotation-pivot.y", "rotation-pivot.z"],
        TransformPart::PreRotation => ["pre-rotation.x", "pre-rotation.y", "pre-rotation.z"],
        TransformPart::Rotation => ["rotation.x", "rotation.y", "rotation.z"],
        TransformPart::PostRotation => ["post-rotation.x", "post-rotation.y", "post-rotation.z"],
        TransformPart::ScalingOffset => ["scaling-offset.x", "scaling-offset.y", "scaling-offset.z"],
        TransformPart::ScalingPivot => ["scaling-pivot.x", "scaling-pivot.y", "scaling-pivot.z"],
        TransformPart::Scale => ["scale.x", "scale.y", "scale.z"],
    };
    names.get(usize::from(axis)).copied().unwrap_or("other")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_read_as_rust_writes_them() {
        let range = |text: &str| text.parse::<Range>().map(|r| (r.start, r.end)).ok();
        assert_eq!(range("2..5"), Some((2, 5)));
        assert_eq!(range("2..=5"), Some((2, 6)));
        assert_eq!(range("2.."), Some((2, usize::MAX)));
        assert_eq!(range("..5"), Some((0, 5)));
        assert_eq!(range("7"), Some((7, 8)));
        for bad in ["", "a..b", "5..2", "-1..2", "1..=", "1,2"] {
            assert_eq!(range(bad), None, "{bad:?}");
        }
        assert_eq!(Range { start: 5, end: 9 }.within(3), 3..3);
    }
}
