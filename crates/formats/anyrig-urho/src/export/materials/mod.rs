//! Materials to `Materials/*.xml`.

mod rbfx;
mod stock;

use super::skeleton::Plan;
use super::textures::{Textures, Wish};
use super::{file, tell};
use crate::codes;
use crate::dialect::MaterialStyle;
use crate::document::{MaterialList, Tag, XmlFile, XmlKind};
use anyrig_bytes::maths::f32::sin_cos;
use anyrig_bytes::names::{UniqueNames, safe_file_name};
use anyrig_bytes::{Context, Report, Result};
use anyrig_scene::{ExportedFile, ImageId, Material, MaterialId, Sampler, Scene, TextureSlot, TextureUse, UvTransform};
use std::collections::{BTreeMap, BTreeSet};

/// The material of a geometry.
pub(super) type Slot = Option<MaterialId>;

/// The materials of a bundle.
pub(super) struct Materials {
    names: BTreeMap<MaterialId, String>,
    files: Vec<ExportedFile>,
    default: Option<String>,
    unique: UniqueNames,
    style: MaterialStyle,
}

/// Writes the materials that the plan's instances wear, and their textures.
pub(super) fn export(
    scene: &Scene,
    plan: &Plan,
    (style, stem): (MaterialStyle, &str),
    context: &Context,
) -> Result<(Materials, Vec<ExportedFile>)> {
    let used = used_materials(scene, plan);
    let wishes: Vec<Wish> = used.iter().flat_map(|id| wishes(scene, &scene.materials[*id], style)).collect();
    let mut textures = Textures::make(scene, &wishes, stem, context)?;
    let mut materials =
        Materials { names: BTreeMap::new(), files: Vec::new(), default: None, unique: UniqueNames::default(), style };
    let mut report = Report::default();
    for id in used {
        let material = &scene.materials[id];
        let name = materials.unique.claim(&safe_file_name(&material.name, &format!("Material_{}", id.index())));
        if !material.name.is_empty() && name != material.name {
            tell(&mut report, &codes::MATERIAL_RENAMED, &material.name, format!("now {name:?}"));
        }
        let mut writer = Writer { scene, material, name: &name, textures: &mut textures, report: &mut report };
        let xml = XmlFile::new(XmlKind::Material, writer.tags(style));
        materials.files.push(file("Materials", &name, "xml", xml.write()));
        materials.names.insert(id, name);
    }
    let unused = scene.materials.len() - materials.names.len();
    if unused > 0 {
        tell(&mut report, &codes::UNUSED_LEFT_OUT, "materials", format!("{unused} that no shown mesh wears"));
    }
    context.append(report);
    Ok((materials, textures.into_files()))
}

fn used_materials(scene: &Scene, plan: &Plan) -> BTreeSet<MaterialId> {
    let mut used = BTreeSet::new();
    for instance in plan.instances.iter().filter_map(|i| scene.nodes[i.node].mesh.as_ref()) {
        let slots = scene.meshes.get(instance.mesh).into_iter().flat_map(|m| &m.parts).map(|p| p.slot as usize);
        used.extend(slots.filter_map(|s| instance.materials.get(s).copied().flatten()));
    }
    used.retain(|id| scene.materials.contains(*id));
    used
}

impl Materials {
    /// The list of each geometry's material, one path a line.
    pub(super) fn list(&mut self, slots: &[Slot]) -> anyrig_bytes::Rope {
        let mut paths = Vec::new();
        for slot in slots {
            let name = slot.and_then(|id| self.names.get(&id).cloned()).unwrap_or_else(|| self.default_material());
            paths.push(format!("Materials/{name}.xml"));
        }
        MaterialList::new(paths.iter().map(String::as_str)).write()
    }

    /// A material for geometries that have none: white, rough, not metallic.
    fn default_material(&mut self) -> String {
        if let Some(name) = &self.default {
            return name.clone();
        }
        let name = self.unique.claim("DefaultMaterial");
        let tags = match self.style {
            MaterialStyle::Stock | MaterialStyle::StockWithMask => stock::default_tags(),
            MaterialStyle::Rbfx => rbfx::default_tags(),
        };
        let xml = XmlFile::new(XmlKind::Material, tags);
        self.files.push(file("Materials", &name, "xml", xml.write()));
        self.default = Some(name.clone());
        name
    }

    pub(super) fn into_files(self) -> Vec<ExportedFile> {
        self.files
    }
}

/// One material on its way.
struct Writer<'a> {
    scene: &'a Scene,
    material: &'a Material,
    name: &'a str,
    textures: &'a mut Textures,
    report: &'a mut Report,
}

impl Writer<'_> {
    fn tags(&mut self, style: MaterialStyle) -> Vec<Tag> {
        let mut tags = match style {
            MaterialStyle::Stock | MaterialStyle::StockWithMask => stock::tags(self, style),
            MaterialStyle::Rbfx => rbfx::tags(self),
        };
        if let Some(transform) = self.uv_transform() {
            tags.extend(uv_parameters(transform));
        }
        if self.material.double_sided {
            tags.push(Tag::empty("cull").with("value", "none"));
            tags.push(Tag::empty("shadowcull").with("value", "none"));
        }
        tags
    }

    /// A texture of a unit, when there is a wish for it.
    fn texture(&mut self, unit: &str, wish: Option<Wish>, sampled: &Option<TextureUse>) -> Option<Tag> {
        let path = self.textures.take(wish?, sampler(self.scene, sampled), self.report)?;
        Some(Tag::empty("texture").with("unit", unit).with("name", &path))
    }

    /// The engine has one change of texture coordinates per material.
    fn uv_transform(&mut self) -> Option<UvTransform> {
        let material = self.material;
        let core = || TextureSlot::CORE.into_iter().filter_map(|slot| material.texture(slot));
        let mut uses = core();
        if core().any(|t| t.uv_set != 0) {
            self.tell("all maps use the first set of texture coordinates");
        }
        let first = uses.next()?.transform;
        if uses.any(|t| t.transform.unwrap_or_default() != first.unwrap_or_default()) {
            self.tell("all maps use the first map's change of texture coordinates");
        }
        first.filter(|t| *t != UvTransform::default())
    }

    fn tell(&mut self, message: &str) {
        tell(self.report, &codes::TECHNIQUE, self.name, message);
    }
}

/// The wishes for all maps of a material in a style.
fn wishes(scene: &Scene, material: &Material, style: MaterialStyle) -> Vec<Wish> {
    match style {
        MaterialStyle::Stock | MaterialStyle::StockWithMask => stock::Maps::of(scene, material).wishes().collect(),
        MaterialStyle::Rbfx => rbfx::Maps::of(scene, material).wishes().collect(),
    }
}

/// The image behind a texture, when there is one.
fn image_of(scene: &Scene, texture: &Option<TextureUse>) -> Option<ImageId> {
    let texture = texture.as_ref().and_then(|t| scene.textures.get(t.texture));
    texture.and_then(|t| t.image).filter(|i| scene.images.contains(*i))
}

fn sampler<'a>(scene: &'a Scene, texture: &Option<TextureUse>) -> Option<&'a Sampler> {
    texture.as_ref().and_then(|t| scene.textures.get(t.texture)).and_then(|t| t.sampler.as_ref())
}

fn technique(name: &str) -> Tag {
    Tag::empty("technique").with("name", &format!("Techniques/{name}.xml"))
}

fn parameter(name: &str, values: &[f32]) -> Tag {
    let values: Vec<String> = values.iter().map(f32::to_string).collect();
    Tag::empty("parameter").with("name", name).with("value", &values.join(" "))
}

/// `u' = dot(uv, UOffset.xy) + UOffset.w`, the same for v. The rotation is counter-clockwise as seen on the image, whose
/// V grows downwards.
fn uv_parameters(transform: UvTransform) -> [Tag; 2] {
    let UvTransform { offset: [x, y], rotation_rad, scale: [u, v] } = transform;
    let (sin, cos) = if rotation_rad == 0.0 { (0.0, 1.0) } else { sin_cos(rotation_rad) };
    [parameter("UOffset", &[cos * u, sin * v, 0.0, x]), parameter("VOffset", &[-sin * u + 0.0, cos * v, 0.0, y])]
}
