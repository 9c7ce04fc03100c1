//! Materials to `Materials/*.xml`.

use super::skeleton::Plan;
use super::textures::{Textures, Wish};
use super::{file, tell};
use crate::codes;
use crate::document::{MaterialXml, Tag};
use anyrig_bytes::maths::f32::sin_cos;
use anyrig_bytes::names::{UniqueNames, safe_file_name};
use anyrig_bytes::{Context, Report, Result};
use anyrig_scene::{
    AlphaMode, ExportedFile, Feature, Material, MaterialId, Sampler, Scene, TextureSlot, TextureUse, UvTransform,
};
use std::collections::{BTreeMap, BTreeSet};

/// The material of a geometry.
pub(super) type Slot = Option<MaterialId>;

/// The materials of a bundle.
pub(super) struct Materials {
    names: BTreeMap<MaterialId, String>,
    files: Vec<ExportedFile>,
    default: Option<String>,
    unique: UniqueNames,
}

/// Writes the materials that the plan's instances wear, and their textures.
pub(super) fn export(
    scene: &Scene,
    plan: &Plan,
    stem: &str,
    context: &Context,
) -> Result<(Materials, Vec<ExportedFile>)> {
    let used = used_materials(scene, plan);
    let wishes: Vec<Wish> = used.iter().flat_map(|id| Maps::of(scene, &scene.materials[*id]).wishes()).collect();
    let mut textures = Textures::make(scene, &wishes, stem, context)?;
    let mut materials =
        Materials { names: BTreeMap::new(), files: Vec::new(), default: None, unique: UniqueNames::default() };
    let mut report = Report::default();
    for id in used {
        let material = &scene.materials[id];
        let name = materials.unique.claim(&safe_file_name(&material.name, &format!("Material_{}", id.index())));
        if !material.name.is_empty() && name != material.name {
            tell(&mut report, &codes::MATERIAL_RENAMED, &material.name, format!("now {name:?}"));
        }
        let mut writer = Writer { scene, material, name: &name, textures: &mut textures, report: &mut report };
        let xml = writer.write();
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
    pub(super) fn list(&mut self, slots: &[Slot]) -> Vec<u8> {
        let mut text = String::new();
        for slot in slots {
            let name = match slot.and_then(|id| self.names.get(&id)) {
                Some(name) => name.clone(),
                None => self.default_material(),
            };
            text.push_str(&format!("Materials/{name}.xml\n"));
        }
        text.into_bytes()
    }

    /// A material for geometries that have none: white, rough, not metallic.
    fn default_material(&mut self) -> String {
        if let Some(name) = &self.default {
            return name.clone();
        }
        let name = self.unique.claim("DefaultMaterial");
        let tags = [
            technique("PBR/PBRNoTexture"),
            parameter("MatDiffColor", &[1.0; 4]),
            parameter("Roughness", &[1.0]),
            parameter("Metallic", &[0.0]),
        ];
        self.files.push(file("Materials", &name, "xml", MaterialXml::with_root("material", tags).write()));
        self.default = Some(name.clone());
        name
    }

    pub(super) fn into_files(self) -> Vec<ExportedFile> {
        self.files
    }
}

/// The maps of a material as wishes; missing where it has none.
#[derive(Default)]
struct Maps {
    diffuse: Option<Wish>,
    normal: Option<Wish>,
    rough_metal: Option<Wish>,
    occlusion: Option<Wish>,
    emissive: Option<Wish>,
}

impl Maps {
    fn of(scene: &Scene, material: &Material) -> Self {
        let image = |texture: &Option<TextureUse>| {
            let texture = texture.as_ref().and_then(|t| scene.textures.get(t.texture));
            texture.and_then(|t| t.image).filter(|i| scene.images.contains(*i))
        };
        let diffuse = image(&material.base_color_texture).map(Wish::Plain);
        if material.unlit {
            return Self { diffuse, ..Self::default() };
        }
        Self {
            diffuse,
            normal: image(&material.normal_texture).map(Wish::Plain),
            rough_metal: image(&material.metallic_roughness_texture).map(|image| Wish::RoughMetal {
                image,
                roughness: material.roughness.to_bits(),
                metallic: material.metallic.to_bits(),
            }),
            occlusion: image(&material.occlusion_texture)
                .filter(|_| material.occlusion_strength != 0.0)
                .map(|image| Wish::Occlusion { image, strength: material.occlusion_strength.to_bits() }),
            emissive: image(&material.emissive_texture).map(Wish::Plain),
        }
    }

    fn wishes(&self) -> impl Iterator<Item = Wish> + use<> {
        let maps = [self.diffuse, self.normal, self.rough_metal, self.occlusion, self.emissive];
        let fillers = [Wish::White, Wish::Black].into_iter();
        maps.into_iter().flatten().chain(fillers)
    }

    /// Without the maps that could not be read.
    fn readable(mut self, textures: &Textures) -> Self {
        let maps =
            [&mut self.diffuse, &mut self.normal, &mut self.rough_metal, &mut self.occlusion, &mut self.emissive];
        maps.into_iter().for_each(|map| *map = map.filter(|wish| textures.has(*wish)));
        self
    }
}

struct Writer<'a> {
    scene: &'a Scene,
    material: &'a Material,
    name: &'a str,
    textures: &'a mut Textures,
    report: &'a mut Report,
}

impl Writer<'_> {
    fn write(&mut self) -> MaterialXml {
        let material = self.material;
        let mut maps = Maps::of(self.scene, material).readable(self.textures);
        let name = if material.unlit { self.unlit_technique(&maps) } else { self.technique(&mut maps) };
        let mut tags = vec![technique(&name)];
        self.add_textures(&maps, &mut tags);
        tags.push(parameter("MatDiffColor", &material.base_color));
        if matches!(maps.diffuse, Some(Wish::Plain(_))) && material.base_color[..3] != [1.0; 3] {
            tell(self.report, &codes::GAMMA_COLOR, self.name, "its colour tints a texture");
        }
        if !material.unlit {
            if material.emission() != [0.0; 3] {
                tags.push(parameter("MatEmissiveColor", &material.emission()));
            }
            // The engine adds these to the map, into which the factors have gone.
            let mapped = matches!(maps.rough_metal, Some(Wish::RoughMetal { .. }));
            if mapped && (material.roughness, material.metallic) != (1.0, 1.0) {
                let subject = Feature::MetallicRoughnessMaps.to_string();
                tell(self.report, &codes::APPROXIMATED, subject, "factors are multiplied in, 8 bits a channel");
            }
            let (roughness, metallic) = if mapped { (0.0, 0.0) } else { (material.roughness, material.metallic) };
            tags.push(parameter("Roughness", &[roughness]));
            tags.push(parameter("Metallic", &[metallic]));
        }
        if let Some(transform) = self.uv_transform() {
            tags.extend(uv_parameters(transform));
        }
        if material.double_sided {
            tags.push(Tag::empty("cull").with("value", "none"));
            tags.push(Tag::empty("shadowcull").with("value", "none"));
        }
        MaterialXml::with_root("material", tags)
    }

    fn alpha(&self) -> &'static str {
        if self.material.alpha_mode == AlphaMode::Opaque { "" } else { "Alpha" }
    }

    fn unlit_technique(&self, maps: &Maps) -> String {
        let texture = if maps.diffuse.is_some() { "Diff" } else { "NoTexture" };
        format!("{texture}Unlit{}", self.alpha())
    }

    /// The stock technique for the maps; where there is none, a map of one pixel fills the gap.
    fn technique(&mut self, maps: &mut Maps) -> String {
        if maps.occlusion.is_some() && maps.emissive.is_some() {
            self.tell("occlusion is left out: no stock technique has it together with an emissive map");
            maps.occlusion = None;
        }
        if maps.normal.is_some() && self.material.normal_scale != 1.0 {
            self.tell(&format!("the normal map counts fully, not times {}", self.material.normal_scale));
        }
        if maps.occlusion.is_some() && maps.rough_metal.is_none() {
            maps.rough_metal = Some(Wish::Black);
        }
        let part = |map: Option<Wish>, name: &'static str| if map.is_some() { name } else { "" };
        let alpha = self.alpha();
        if maps.rough_metal.is_some() {
            let (diffuse, normal) = (part(maps.diffuse, "Diff"), part(maps.normal, "Normal"));
            let last = format!("{}{}", part(maps.occlusion, "AO"), part(maps.emissive, "Emissive"));
            return format!("PBR/PBRMetallicRough{diffuse}{normal}Spec{last}{alpha}");
        }
        if maps.diffuse.is_none() && (maps.normal.is_some() || maps.emissive.is_some()) {
            maps.diffuse = Some(Wish::White);
        }
        if maps.diffuse.is_none() {
            return format!("PBR/PBRNoTexture{alpha}");
        }
        format!("PBR/PBRDiff{}{}{alpha}", part(maps.normal, "Normal"), part(maps.emissive, "Emissive"))
    }

    fn add_textures(&mut self, maps: &Maps, tags: &mut Vec<Tag>) {
        let m = self.material;
        let units = [
            ("diffuse", maps.diffuse, &m.base_color_texture),
            ("normal", maps.normal, &m.normal_texture),
            ("specular", maps.rough_metal, &m.metallic_roughness_texture),
            ("emissive", maps.occlusion, &m.occlusion_texture),
            ("emissive", maps.emissive, &m.emissive_texture),
        ];
        for (unit, wish, texture) in units {
            let Some(wish) = wish else { continue };
            let sampler = sampler(self.scene, texture);
            if let Some(path) = self.textures.take(wish, sampler, self.report) {
                tags.push(Tag::empty("texture").with("unit", unit).with("name", &path));
            }
        }
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
