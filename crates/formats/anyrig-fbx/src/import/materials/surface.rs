//! One material: from the names of its sort to the core.

use super::super::textures::{self, Used};
use super::Import;
use super::parts;
use super::shaders::{Affixes, Bindings, Names, Shader, bindings, shading_model};
use crate::codes;
use crate::document::Node;
use crate::import::NamedProperty;
use crate::import::objects::{ObjectId, Objects};
use anyrig_bytes::{Diagnostic, Result, Value};
use anyrig_scene::{AlphaMode, Material, TextureSlot, TextureUse};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) struct Made {
    pub material: Material,
    /// Slots whose texture asks for a set of texture coordinates by name.
    pub uv_sets: Vec<(TextureSlot, Arc<str>)>,
}

/// Makes a material; `sources` are its textures with the properties that they are connected to.
pub(super) fn make(import: &mut Import<'_>, object: ObjectId, sources: &[(String, ObjectId)]) -> Result<Made> {
    let shader = Shader::of(&import.objects, object);
    let mut maker = Maker {
        names: shader.names(),
        bindings: bindings(import, object)?,
        object,
        sources,
        used: vec![false; sources.len()],
        uv_sets: Vec::new(),
    };
    let mut material = Material::new(import.objects.get(object).name.clone());
    (material.metallic, material.roughness) = maker.metallic_roughness(import, shader);
    let base = maker.rgb(&import.objects, maker.names.base_color).unwrap_or([1.0; 3]);
    let factor = maker.number(&import.objects, maker.names.base_factor).unwrap_or(1.0);
    material.base_color_texture = maker.texture(import, TextureSlot::BaseColor, maker.names.base_color)?;
    let replaced = material.base_color_texture.is_some() && !maker.names.multiplies;
    let tint = if replaced { [1.0; 3] } else { base };
    let alpha = maker.alpha(import, shader);
    let [r, g, b] = tint.map(|c| (c * factor) as f32);
    material.base_color = [r, g, b, alpha as f32];
    maker.emission(import, &mut material)?;
    maker.metallic_roughness_texture(import, &mut material)?;
    maker.normal(import, &mut material)?;
    material.occlusion_texture = maker.texture(import, TextureSlot::Occlusion, maker.names.occlusion)?;
    let strength = maker.number(&import.objects, maker.names.occlusion_strength);
    if let (Some(_), Some(strength)) = (&material.occlusion_texture, strength) {
        material.occlusion_strength = strength.clamp(0.0, 1.0) as f32;
    }
    material.double_sided = maker.flag(&import.objects, maker.names.double_sided);
    material.unlit = maker.flag(&import.objects, maker.names.unlit)
        || shading_model(&import.objects, object).eq_ignore_ascii_case("constant");
    let see_through = maker.transparency_texture(import, shader, &material)?;
    if alpha < 1.0 || see_through {
        material.alpha_mode = AlphaMode::Blend;
    }
    parts::read(&maker, &import.objects, shader, &mut material);
    parts::textures(&mut maker, import, shader, &mut material)?;
    parts::tell(&maker, import, shader);
    maker.rest(import, &mut material)?;
    Ok(Made { material, uv_sets: maker.uv_sets })
}

pub(super) struct Maker<'s> {
    names: &'static Names,
    bindings: Arc<Bindings>,
    pub(super) object: ObjectId,
    sources: &'s [(String, ObjectId)],
    /// Which sources found a place.
    used: Vec<bool>,
    uv_sets: Vec<(TextureSlot, Arc<str>)>,
}

impl Maker<'_> {
    /// The names under which the file may have a parameter.
    fn spellings(&self, name: &str, affixes: Affixes) -> Vec<Cow<'_, str>> {
        let Names { prefix, .. } = self.names;
        let Affixes { before, after } = affixes;
        let plain = format!("{before}{name}{after}");
        let bound = self.bindings.get(&plain).map(|name| Cow::Borrowed(name.as_str()));
        let usual = [format!("{prefix}{plain}"), format!("Maya|{plain}"), plain];
        bound.into_iter().chain(usual.map(Cow::Owned)).collect()
    }

    fn property<'o, 'a>(&self, objects: &'o Objects<'a>, names: &[&str]) -> Option<&'o NamedProperty<'a>> {
        let none = Affixes { before: "", after: "" };
        let all = names.iter().flat_map(|name| self.spellings(name, none));
        all.into_iter().find_map(|name| objects.property(self.object, &name))
    }

    pub(super) fn number(&self, objects: &Objects<'_>, names: &[&str]) -> Option<f64> {
        objects.finite(self.object, self.property(objects, names)?)
    }

    pub(super) fn rgb(&self, objects: &Objects<'_>, names: &[&str]) -> Option<[f64; 3]> {
        let property = self.property(objects, names)?;
        let first = objects.finite(self.object, property)?;
        if property.has_non_finite() {
            objects.note(self.object, property);
        }
        Some([first, property.f64(1).unwrap_or(first), property.f64(2).unwrap_or(first)])
    }

    pub(super) fn flag(&self, objects: &Objects<'_>, names: &[&str]) -> bool {
        self.property(objects, names).and_then(NamedProperty::bool).unwrap_or(false)
    }

    /// The source that is connected to one of the names and turned on.
    fn source(&mut self, objects: &Objects<'_>, names: &[&str]) -> Option<(usize, ObjectId)> {
        for name in names {
            let on = self.names.texture_on;
            let has_switch = !on.before.is_empty() || !on.after.is_empty();
            let off = has_switch
                && self.spellings(name, on).iter().any(|spelling| !objects.bool(self.object, spelling, true));
            let spellings = self.spellings(name, self.names.texture);
            let found = self.sources.iter().position(|(property, _)| spellings.iter().any(|name| name == property));
            if let Some(index) = found {
                self.used[index] = true;
                if !off {
                    return Some((index, self.sources[index].1));
                }
            }
        }
        None
    }

    pub(super) fn texture(
        &mut self,
        import: &mut Import<'_>,
        slot: TextureSlot,
        names: &[&str],
    ) -> Result<Option<TextureUse>> {
        let Some((_, source)) = self.source(&import.objects, names) else { return Ok(None) };
        let used = textures::texture(import, source)?;
        used.map(|used| self.place(import, slot, used)).transpose()
    }

    fn place(&mut self, import: &Import<'_>, slot: TextureSlot, used: Used) -> Result<TextureUse> {
        let mut texture = TextureUse::new(used.texture);
        texture.transform = used.transform;
        if !used.uv_set.is_empty() {
            import.take_product(used.uv_set.len(), self.object)?;
            texture.extras.set_bookkeeping("fbx.uv_set", used.uv_set.to_string());
            self.uv_sets.push((slot, used.uv_set));
        }
        Ok(texture)
    }

    fn metallic_roughness(&self, import: &Import<'_>, shader: Shader) -> (f32, f32) {
        let objects = &import.objects;
        if shader.is_classic() {
            let shininess = self.number(objects, &["Shininess", "ShininessExponent"]);
            let roughness = match (shader, shininess) {
                // What Blender writes, and what other readers assume: shininess is (10 (1 - roughness))².
                (Shader::Phong, Some(shininess)) => 1.0 - shininess.max(0.0).sqrt() * 0.1,
                _ => 1.0,
            };
            let metallic = if import.is_blender() { self.number(objects, &["ReflectionFactor"]) } else { None };
            return (metallic.unwrap_or(0.0).clamp(0.0, 1.0) as f32, roughness.clamp(0.0, 1.0) as f32);
        }
        let metallic = self.number(objects, self.names.metallic).unwrap_or(0.0);
        let stated = self.number(objects, self.names.roughness);
        let roughness = match (self.is_glossy(objects, shader), stated) {
            (true, Some(gloss)) => 1.0 - gloss,
            (_, stated) => stated.unwrap_or(1.0),
        };
        (metallic.clamp(0.0, 1.0) as f32, roughness.clamp(0.0, 1.0) as f32)
    }

    fn is_glossy(&self, objects: &Objects<'_>, shader: Shader) -> bool {
        // The two ways of 3ds Max: a flag, or 1 for glossiness and 2 for roughness.
        let value = self.number(objects, self.names.is_glossy);
        shader == Shader::MaxSpecGloss && value.is_none() || value.is_some_and(|v| (0.5..1.5).contains(&v))
    }

    fn emission(&mut self, import: &mut Import<'_>, material: &mut Material) -> Result<()> {
        let color = self.rgb(&import.objects, self.names.emissive).unwrap_or([0.0; 3]);
        let factor = self.number(&import.objects, self.names.emissive_factor).unwrap_or(1.0);
        material.emissive_texture = self.texture(import, TextureSlot::Emissive, self.names.emissive)?;
        let replaced = material.emissive_texture.is_some() && !self.names.multiplies;
        let color = if replaced { [1.0; 3] } else { color };
        material.emissive = color.map(|c| (c * factor).max(0.0) as f32);
        Ok(())
    }

    /// One texture serves when roughness and metallic come from one image, or when nothing is metallic.
    fn metallic_roughness_texture(&mut self, import: &mut Import<'_>, material: &mut Material) -> Result<()> {
        let roughness = self.source(&import.objects, self.names.roughness);
        let metallic = self.source(&import.objects, self.names.metallic);
        let shader = Shader::of(&import.objects, self.object);
        let is_glossy = self.is_glossy(&import.objects, shader);
        let first = roughness.or(metallic);
        let Some((_, source)) = first else { return Ok(()) };
        let used = textures::texture(import, source)?;
        let other = match (roughness, metallic) {
            (Some(_), Some((_, metallic))) => textures::texture(import, metallic)?,
            _ => None,
        };
        let image = |used: &Used| import.scene.textures[used.texture].image;
        let Some(used) = used else { return Ok(()) };
        let same = other.as_ref().is_some_and(|other| image(other) == image(&used));
        let fits = match (roughness.is_some(), metallic.is_some()) {
            (true, true) => same,
            (true, false) => material.metallic == 0.0,
            _ => false,
        };
        if !fits || is_glossy {
            for (index, _) in [roughness, metallic].into_iter().flatten() {
                self.used[index] = false;
            }
            return Ok(());
        }
        if metallic.is_some() && !self.names.multiplies {
            material.metallic = 1.0;
        }
        if !self.names.multiplies {
            material.roughness = 1.0;
        }
        material.metallic_roughness_texture = Some(self.place(import, TextureSlot::MetallicRoughness, used)?);
        Ok(())
    }

    fn normal(&mut self, import: &mut Import<'_>, material: &mut Material) -> Result<()> {
        material.normal_texture = self.texture(import, TextureSlot::Normal, self.names.normal)?;
        if material.normal_texture.is_none() {
            self.bump_as_normal(import, material)?;
        }
        let scale = self.number(&import.objects, self.names.normal_scale);
        if let (Some(_), Some(scale)) = (&material.normal_texture, scale) {
            material.normal_scale = scale as f32;
        }
        Ok(())
    }

    fn bump_as_normal(&mut self, import: &mut Import<'_>, material: &mut Material) -> Result<()> {
        // Some exporters connect normal maps as bump maps; the file's name tells.
        let Some(index) = self.sources.iter().position(|(name, _)| name == "Bump") else { return Ok(()) };
        let Some(used) = textures::texture(import, self.sources[index].1)? else { return Ok(()) };
        let image = import.scene.textures[used.texture].image.map(|id| &import.scene.images[id]);
        let file = image.and_then(|i| i.uri.as_deref().or(i.extras.get("fbx.file").and_then(Value::as_str)));
        if file.is_some_and(names_normals) {
            self.used[index] = true;
            material.normal_texture = Some(self.place(import, TextureSlot::Normal, used)?);
            let message = "the bump map was taken as a normal map, because its file is called so";
            import.context.tell(&codes::BUMP_AS_NORMAL, material.name.clone(), message);
        }
        Ok(())
    }

    fn alpha(&self, import: &Import<'_>, shader: Shader) -> f64 {
        let objects = &import.objects;
        if !shader.is_classic() {
            let opacity = self.rgb(objects, self.names.opacity).unwrap_or([1.0; 3]);
            return (opacity.iter().sum::<f64>() / 3.0).clamp(0.0, 1.0);
        }
        let own = &objects.get(self.object).properties;
        if let Some(opacity) = own.get("Opacity").and_then(|p| p.f64(0)) {
            return opacity.clamp(0.0, 1.0);
        }
        let factor = objects.f64(self.object, "TransparencyFactor", 1.0);
        let color = objects.vec3(self.object, "TransparentColor", glam::DVec3::ZERO);
        let alpha = 1.0 - factor * (color.x + color.y + color.z) / 3.0;
        // Many files say so of surfaces that are opaque; one that cannot be seen at all would not be there.
        if alpha <= 0.0 {
            let message = format!("TransparencyFactor {factor} times TransparentColor leaves nothing");
            import.context.tell(&codes::TRANSPARENCY, objects.get(self.object).name.clone(), message);
            return 1.0;
        }
        alpha.min(1.0)
    }

    /// Whether a texture makes the surface transparent: the alpha of the base colour is, when both are one image.
    fn transparency_texture(&mut self, import: &mut Import<'_>, shader: Shader, material: &Material) -> Result<bool> {
        let names: &[&str] = if shader.is_classic() {
            &["TransparentColor", "TransparencyFactor", "Opacity"]
        } else {
            self.names.opacity
        };
        let Some((index, source)) = self.source(&import.objects, names) else { return Ok(false) };
        let used = textures::texture(import, source)?;
        let image = |texture| import.scene.textures.get(texture).and_then(|t| t.image);
        let base = material.base_color_texture.as_ref().and_then(|t| image(t.texture));
        let same = used.and_then(|used| image(used.texture)).is_some_and(|image| base == Some(image));
        self.used[index] = same;
        Ok(same)
    }

    /// Keeps what found no place.
    fn rest(&self, import: &mut Import<'_>, material: &mut Material) -> Result<()> {
        let mut unused = Members::default();
        for (index, (property, source)) in self.sources.iter().enumerate() {
            if self.used[index] {
                continue;
            }
            let used = textures::texture(import, *source)?;
            let Some(image) = used.and_then(|used| import.scene.textures[used.texture].image) else { continue };
            let image = &import.scene.images[image];
            let file = image.uri.clone().unwrap_or_else(|| image.name.clone());
            // Many properties may name one file, and each is told with the name of the material.
            import.take_product(Members::bytes(property) + file.len() + material.name.len(), self.object)?;
            let message = format!("{property}: {file}");
            let line = Diagnostic::new(&codes::TEXTURE_UNUSED, material.name.clone(), message);
            import.context.push(line.at(import.objects.place(self.object)));
            unused.set(property, file.into());
        }
        if !unused.list.is_empty() {
            material.extras.set("fbx.textures", Value::Object(unused.list));
        }
        import.attach_user_data(self.object, &mut material.extras)?;
        let objects = &import.objects;
        let model = shading_model(objects, self.object);
        if !model.is_empty() {
            // It may be that of the template, which all materials share.
            import.take_product(model.len(), self.object)?;
            material.extras.set_bookkeeping("fbx.shading_model", model);
        }
        if let Some(all) = import.data(self.object, |_| true)? {
            material.extras.set_bookkeeping("fbx.properties", all);
        }
        Ok(())
    }
}

/// True for names of files that hold normals, by the words that artists use.
fn names_normals(file: &str) -> bool {
    let file = file.to_lowercase();
    let stem = file.rsplit_once('.').map_or(file.as_str(), |(stem, _)| stem);
    stem.contains("normal") || stem.contains("nrm") || stem.ends_with("_n") || stem.ends_with("_norm")
}

/// Members of an object as [`Value::set`] sets them, for lists that may be long.
#[derive(Default)]
struct Members {
    list: Vec<(String, Value)>,
    places: BTreeMap<String, usize>,
}

impl Members {
    /// The most that a member needs beside its value.
    fn bytes(name: &str) -> usize {
        2 * (size_of::<(String, Value)>() + size_of::<(String, usize)>() + name.len())
    }

    fn set(&mut self, name: &str, value: Value) {
        if let Some((_, known)) = self.places.get(name).and_then(|place| self.list.get_mut(*place)) {
            *known = value;
            return;
        }
        self.places.insert(name.to_owned(), self.list.len());
        self.list.push((name.to_owned(), value));
    }
}

/// A material of the old form, whose values are nodes of a model.
pub(super) fn inline(import: &Import<'_>, model: ObjectId, node: Node<'_>) -> Result<Material> {
    let name = node.property(0).and_then(|p| p.name_and_class()).map(|(name, _)| name.into_owned());
    let mut material = Material::new(name.unwrap_or_default());
    let number = |name: &str, index: usize| node.child(name)?.f64(index).filter(|v| v.is_finite());
    let rgb = |name: &str, default: f32| [0, 1, 2].map(|i| number(name, i).map_or(default, |v| v as f32));
    let alpha = number("Alpha", 0).unwrap_or(1.0).clamp(0.0, 1.0) as f32;
    let [r, g, b] = rgb("Diffuse", 1.0);
    material.base_color = [r, g, b, alpha];
    material.emissive = rgb("Emissive", 0.0).map(|v| v.max(0.0));
    material.metallic = 0.0;
    let shininess = number("Shininess", 0).unwrap_or(0.0).max(0.0);
    material.roughness = (1.0 - shininess.sqrt() * 0.1).clamp(0.0, 1.0) as f32;
    if alpha < 1.0 {
        material.alpha_mode = AlphaMode::Blend;
    }
    let mut all = Members::default();
    for child in node.children() {
        let name = child.name_text();
        let text = child.text(0);
        let bytes = child.property_count() * size_of::<Value>() + text.as_ref().map_or(0, |text| text.len());
        import.take_product(Members::bytes(&name) + bytes, model)?;
        let mut values = Vec::with_capacity(child.property_count());
        values.extend(child.properties().filter_map(|p| p.as_f64()).filter(|v| v.is_finite()).map(Value::from));
        match (values.len(), text) {
            (0, Some(text)) => all.set(&name, text.into_owned().into()),
            (0, None) => {}
            _ => all.set(&name, Value::Array(values)),
        }
    }
    if !all.list.is_empty() {
        material.extras.set_bookkeeping("fbx.properties", Value::Object(all.list));
    }
    Ok(material)
}

#[cfg(test)]
mod tests {
    use super::names_normals;

    #[test]
    fn files_that_hold_normals_are_told_by_their_names() {
        assert!(names_normals("Textures/Skin_Normal.png") && names_normals("wall_n.tga") && names_normals("a_nrm.png"));
        assert!(!names_normals("brown.png") && !names_normals("pattern.png"));
    }
}
