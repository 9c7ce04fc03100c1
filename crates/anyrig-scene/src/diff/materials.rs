//! Materials.

use super::{Differ, only_in};
use crate::{Extras, Material, MaterialProperty, TextureSlot, TextureUse};

/// The parts beyond the core that a material may have or lack, with what it carries there.
fn parts(m: &Material) -> [(&'static str, bool, Option<&Extras>); 10] {
    [
        ("clearcoat", m.clearcoat.is_some(), m.clearcoat.as_deref().map(|l| &l.extras)),
        ("sheen", m.sheen.is_some(), m.sheen.as_deref().map(|l| &l.extras)),
        ("transmission", m.transmission.is_some(), m.transmission.as_deref().map(|l| &l.extras)),
        (
            "diffuse_transmission",
            m.diffuse_transmission.is_some(),
            m.diffuse_transmission.as_deref().map(|l| &l.extras),
        ),
        ("volume", m.volume.is_some(), m.volume.as_deref().map(|l| &l.extras)),
        ("ior", m.ior.is_some(), None),
        ("specular", m.specular.is_some(), m.specular.as_deref().map(|l| &l.extras)),
        ("iridescence", m.iridescence.is_some(), m.iridescence.as_deref().map(|l| &l.extras)),
        ("anisotropy", m.anisotropy.is_some(), m.anisotropy.as_deref().map(|l| &l.extras)),
        ("dispersion", m.dispersion.is_some(), None),
    ]
}

impl Differ {
    pub(super) fn material(&mut self, a: &Material, b: &Material) {
        self.equal("name", &a.name, &b.name);
        self.equal("alpha_mode", &a.alpha_mode, &b.alpha_mode);
        self.equal("double_sided", &a.double_sided, &b.double_sided);
        self.equal("unlit", &a.unlit, &b.unlit);
        for ((name, in_a, extras_a), (_, in_b, extras_b)) in parts(a).into_iter().zip(parts(b)) {
            if in_a != in_b {
                self.tell(name, only_in(in_a));
            } else if let (Some(a), Some(b)) = (extras_a, extras_b) {
                self.within(name, |d| d.extras(a, b));
            }
        }
        // How a brightness is spread over colour and strength is a matter of spelling.
        self.numbers("emissive", &a.emission(), &b.emission(), self.tolerance.absolute);
        for property in MaterialProperty::FACTORS {
            self.factor(property, a, b);
        }
        for slot in TextureSlot::ALL {
            self.texture_use(slot.name(), a.texture(slot), b.texture(slot));
        }
        self.extras(&a.extras, &b.extras);
    }

    fn factor(&mut self, property: MaterialProperty, a: &Material, b: &Material) {
        if matches!(property, MaterialProperty::Emissive | MaterialProperty::EmissiveStrength) {
            return;
        }
        let name = snake(&format!("{property:?}"));
        match (a.numbers(property), b.numbers(property)) {
            (Some(x), Some(y)) => {
                let bound = if property.is_length() { self.distance } else { self.tolerance.absolute };
                self.numbers(&name, x, y, bound);
            }
            (None, None) => {}
            // A part that one lacks was told as a whole; what is left is open in one of them.
            (x, _) if property == MaterialProperty::AttenuationDistance && a.volume.is_some() && b.volume.is_some() => {
                self.tell(&name, only_in(x.is_some()));
            }
            _ => {}
        }
    }

    fn texture_use(&mut self, name: &str, a: Option<&TextureUse>, b: Option<&TextureUse>) {
        let name = format!("{}_texture", name.replace('-', "_"));
        let facts = |t: &TextureUse| (t.texture, t.uv_set, t.transform);
        self.equal(&name, &a.map(facts), &b.map(facts));
        if let (Some(a), Some(b)) = (a, b) {
            self.within(name, |d| d.extras(&a.extras, &b.extras));
        }
    }
}

/// `BaseColor` as `base_color`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for (i, c) in name.chars().enumerate() {
        if i > 0 && c.is_uppercase() {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::{AlphaMode, Clearcoat, Material, Scene, TextureId, TextureUse, Tolerance, Volume, diff};

    fn paths(a: &Material, b: &Material) -> Vec<String> {
        let scene = |m: &Material| {
            let mut scene = Scene::default();
            scene.materials.push(m.clone());
            scene
        };
        diff(&scene(a), &scene(b), Tolerance::EXACT).into_iter().map(|d| d.path).collect()
    }

    #[test]
    fn differences_of_materials_are_named() {
        type Change = fn(&mut Material);
        let mut base = Material::new("m");
        base.clearcoat =
            Some(Box::new(Clearcoat { texture: Some(TextureUse::new(TextureId::new(0))), ..Clearcoat::default() }));
        base.volume = Some(Box::default());
        let changes: [(&str, Change); 8] = [
            ("base_color", |m| m.base_color[3] = 0.5),
            ("emissive", |m| m.emissive[0] = 0.5),
            ("alpha_mode", |m| m.alpha_mode = AlphaMode::Blend),
            ("sheen", |m| m.sheen = Some(Box::default())),
            ("clearcoat_roughness", |m| m.clearcoat.as_mut().expect("set").roughness = 0.5),
            ("clearcoat_texture", |m| m.clearcoat.as_mut().expect("set").texture = None),
            ("attenuation_distance", |m| {
                m.volume = Some(Box::new(Volume { attenuation_distance: Some(1.0), ..Volume::default() }));
            }),
            ("dispersion", |m| m.dispersion = Some(0.1)),
        ];
        assert_eq!(paths(&base, &base), [""; 0]);
        for (path, change) in changes {
            let mut other = base.clone();
            change(&mut other);
            assert_eq!(paths(&base, &other), [format!("materials[0].{path}")]);
        }
    }

    #[test]
    fn a_brightness_may_be_spread_in_any_way() {
        let (mut a, mut b) = (Material::new("m"), Material::new("m"));
        (a.emissive, b.emissive, b.emissive_strength) = ([4.0, 2.0, 0.0], [1.0, 0.5, 0.0], 4.0);
        assert_eq!(paths(&a, &b), [""; 0]);
        b.emissive_strength = 2.0;
        assert_eq!(paths(&a, &b), ["materials[0].emissive"]);
    }
}
