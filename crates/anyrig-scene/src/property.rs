//! Numbers of materials, cameras and lights that curves may move.

use crate::listed::listed;
use crate::{Camera, Light, LightKind, Projection, TextureSlot};

listed! {
    /// What a curve moves of a material; see [`crate::Material`] for what each is.
    pub enum MaterialProperty {
        /// Those that are not of a texture.
        FACTORS: BaseColor Metallic Roughness NormalScale OcclusionStrength Emissive EmissiveStrength AlphaCutoff
            Clearcoat ClearcoatRoughness ClearcoatNormalScale SheenColor SheenRoughness Transmission DiffuseTransmission
            DiffuseTransmissionColor Thickness AttenuationDistance AttenuationColor Ior Specular SpecularColor
            Iridescence IridescenceIor IridescenceThicknessMin IridescenceThicknessMax AnisotropyStrength
            AnisotropyRotation Dispersion;
        and UvOffset(TextureSlot) UvRotation(TextureSlot) UvScale(TextureSlot)
    }
}

impl MaterialProperty {
    /// All properties, those of textures for each slot.
    pub fn all() -> Vec<Self> {
        let mut all = Self::FACTORS.to_vec();
        all.extend(
            TextureSlot::ALL.into_iter().flat_map(|s| [Self::UvOffset(s), Self::UvRotation(s), Self::UvScale(s)]),
        );
        all
    }

    /// Floats per key.
    pub fn width(self) -> usize {
        match self {
            Self::BaseColor => 4,
            Self::Emissive
            | Self::SheenColor
            | Self::DiffuseTransmissionColor
            | Self::AttenuationColor
            | Self::SpecularColor => 3,
            Self::UvOffset(_) | Self::UvScale(_) => 2,
            _ => 1,
        }
    }

    /// Whether it is a length in the scene's unit.
    pub fn is_length(self) -> bool {
        matches!(self, Self::Thickness | Self::AttenuationDistance)
    }
}

listed! {
    /// What a curve moves of a camera, width 1; see [`Projection`] for what each is.
    pub enum CameraProperty {
        /// All properties.
        ALL: FovY AspectRatio XMag YMag Near Far
    }
}

impl CameraProperty {
    /// Whether it is a length in the scene's unit.
    pub fn is_length(self) -> bool {
        matches!(self, Self::XMag | Self::YMag | Self::Near | Self::Far)
    }
}

impl Camera {
    /// Whether its projection has the property.
    pub fn has(&self, property: CameraProperty) -> bool {
        match self.projection {
            Projection::Perspective { .. } => !matches!(property, CameraProperty::XMag | CameraProperty::YMag),
            Projection::Orthographic { .. } => !matches!(property, CameraProperty::FovY | CameraProperty::AspectRatio),
        }
    }

    /// A property's number; `None` when the projection has no such property or leaves it open.
    pub fn number(&self, property: CameraProperty) -> Option<f64> {
        match (self.projection, property) {
            (Projection::Perspective { fov_y_rad, .. }, CameraProperty::FovY) => Some(fov_y_rad),
            (Projection::Perspective { aspect_ratio, .. }, CameraProperty::AspectRatio) => aspect_ratio,
            (Projection::Perspective { near, .. } | Projection::Orthographic { near, .. }, CameraProperty::Near) => {
                Some(near)
            }
            (Projection::Perspective { far, .. }, CameraProperty::Far) => far,
            (Projection::Orthographic { far, .. }, CameraProperty::Far) => Some(far),
            (Projection::Orthographic { x_mag, .. }, CameraProperty::XMag) => Some(x_mag),
            (Projection::Orthographic { y_mag, .. }, CameraProperty::YMag) => Some(y_mag),
            _ => None,
        }
    }

    /// Sets a property that the projection has; others change nothing.
    pub fn set_number(&mut self, property: CameraProperty, value: f64) {
        match (&mut self.projection, property) {
            (Projection::Perspective { fov_y_rad, .. }, CameraProperty::FovY) => *fov_y_rad = value,
            (Projection::Perspective { aspect_ratio, .. }, CameraProperty::AspectRatio) => *aspect_ratio = Some(value),
            (Projection::Perspective { near, .. } | Projection::Orthographic { near, .. }, CameraProperty::Near) => {
                *near = value;
            }
            (Projection::Perspective { far, .. }, CameraProperty::Far) => *far = Some(value),
            (Projection::Orthographic { far, .. }, CameraProperty::Far) => *far = value,
            (Projection::Orthographic { x_mag, .. }, CameraProperty::XMag) => *x_mag = value,
            (Projection::Orthographic { y_mag, .. }, CameraProperty::YMag) => *y_mag = value,
            _ => {}
        }
    }
}

listed! {
    /// What a curve moves of a light; see [`Light`] for what each is.
    pub enum LightProperty {
        /// All properties.
        ALL: Color Intensity Range InnerCone OuterCone
    }
}

impl LightProperty {
    /// Floats per key.
    pub fn width(self) -> usize {
        if self == Self::Color { 3 } else { 1 }
    }

    /// Whether it is a length in the scene's unit.
    pub fn is_length(self) -> bool {
        self == Self::Range
    }
}

impl Light {
    /// Whether its kind has the property.
    pub fn has(&self, property: LightProperty) -> bool {
        let is_cone = matches!(property, LightProperty::InnerCone | LightProperty::OuterCone);
        !is_cone || matches!(self.kind, LightKind::Spot { .. })
    }

    /// A property's numbers; `None` when the kind has no such property or leaves it open.
    pub fn numbers(&self, property: LightProperty) -> Option<Vec<f64>> {
        match (property, self.kind) {
            (LightProperty::Color, _) => Some(self.color.to_vec()),
            (LightProperty::Intensity, _) => Some(vec![self.intensity]),
            (LightProperty::Range, _) => self.range.map(|range| vec![range]),
            (LightProperty::InnerCone, LightKind::Spot { inner_cone_rad, .. }) => Some(vec![inner_cone_rad]),
            (LightProperty::OuterCone, LightKind::Spot { outer_cone_rad, .. }) => Some(vec![outer_cone_rad]),
            _ => None,
        }
    }

    /// Sets a property that the kind has, from as many numbers as its width; others change nothing.
    pub fn set_numbers(&mut self, property: LightProperty, values: &[f64]) {
        match (property, &mut self.kind, values) {
            (LightProperty::Color, _, [r, g, b]) => self.color = [*r, *g, *b],
            (LightProperty::Intensity, _, [value]) => self.intensity = *value,
            (LightProperty::Range, _, [value]) => self.range = Some(*value),
            (LightProperty::InnerCone, LightKind::Spot { inner_cone_rad, .. }, [value]) => *inner_cone_rad = *value,
            (LightProperty::OuterCone, LightKind::Spot { outer_cone_rad, .. }, [value]) => *outer_cone_rad = *value,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_camera_has_can_be_set_and_read() {
        let perspective = Projection::Perspective { fov_y_rad: 1.0, aspect_ratio: None, near: 0.1, far: None };
        let orthographic = Projection::Orthographic { x_mag: 1.0, y_mag: 1.0, near: 0.1, far: 9.0 };
        for (projection, wanted) in [(perspective, 4), (orthographic, 4)] {
            let mut camera = Camera::new("c", projection);
            let had: Vec<_> = CameraProperty::ALL.into_iter().filter(|p| camera.has(*p)).collect();
            assert_eq!(had.len(), wanted);
            for (i, property) in CameraProperty::ALL.into_iter().enumerate() {
                camera.set_number(property, i as f64 + 2.0);
            }
            for (i, property) in CameraProperty::ALL.into_iter().enumerate() {
                let expected = had.contains(&property).then_some(i as f64 + 2.0);
                assert_eq!(camera.number(property), expected, "{property:?}");
            }
        }
    }

    #[test]
    fn what_a_light_has_can_be_set_and_read() {
        for (kind, wanted) in [(LightKind::Point, 3), (LightKind::Spot { inner_cone_rad: 0.1, outer_cone_rad: 0.2 }, 5)]
        {
            let mut light = Light::new("l", kind);
            for property in LightProperty::ALL {
                light.set_numbers(property, &vec![0.5; property.width()]);
                light.set_numbers(property, &[1.0; 7]);
            }
            let had = LightProperty::ALL.into_iter().filter(|p| light.has(*p));
            let had: Vec<_> = had.map(|p| light.numbers(p).expect("set")).collect();
            assert_eq!(had.len(), wanted);
            assert!(had.iter().flatten().all(|v| *v == 0.5));
        }
    }
}
