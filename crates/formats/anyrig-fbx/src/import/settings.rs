//! Axes, unit and time of a file.

use super::objects::Objects;
use super::properties::Properties;
use crate::codes;
use crate::document::FbxDocument;
use anyrig_bytes::Context;
use anyrig_scene::{Axis, Handedness, Space, UvOrigin, Winding};

/// What a file says about its numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Settings {
    /// Axes and unit.
    pub space: Space,
    /// Ticks in a second.
    pub ticks_per_second: f64,
    /// Frames in a second, for display only.
    pub frames_per_second: f64,
}

impl Settings {
    /// Reads `GlobalSettings` and the header.
    pub fn read(document: &FbxDocument, objects: &Objects<'_>, context: &Context) -> Self {
        let properties = global_properties(document, objects);
        let number = |name: &str| properties.get(name).and_then(|p| p.f64(0));
        let metres = number("UnitScaleFactor").filter(|v| *v > 0.0).unwrap_or(1.0) / CENTIMETRES_PER_METRE;
        Self {
            space: space(&properties, context).with_metres_per_unit(metres),
            ticks_per_second: ticks_per_second(document),
            frames_per_second: frames_per_second(document, &properties),
        }
    }

    /// Ticks as seconds.
    pub fn seconds(&self, ticks: i64) -> f64 {
        ticks as f64 / self.ticks_per_second
    }
}

const CENTIMETRES_PER_METRE: f64 = 100.0;

fn global_properties<'a>(document: &'a FbxDocument, objects: &Objects<'a>) -> Properties<'a> {
    let inside = document.child("Objects").and_then(|n| n.child("GlobalSettings"));
    let node = document.child("GlobalSettings").or(inside);
    let own = node.map(Properties::of).unwrap_or_default();
    if own.is_empty() {
        return objects.of_class("GlobalSettings").next().map(|o| o.properties.clone()).unwrap_or_default();
    }
    own
}

fn space(properties: &Properties<'_>, context: &Context) -> Space {
    let axis = |name: &str, default: i64| {
        let index = properties.get(name).and_then(super::properties::NamedProperty::i64).unwrap_or(default);
        let sign = properties.get(&format!("{name}Sign")).and_then(super::properties::NamedProperty::i64).unwrap_or(1);
        match (index, sign >= 0) {
            (0, true) => Some(Axis::PosX),
            (0, false) => Some(Axis::NegX),
            (1, true) => Some(Axis::PosY),
            (1, false) => Some(Axis::NegY),
            (2, true) => Some(Axis::PosZ),
            (2, false) => Some(Axis::NegZ),
            _ => None,
        }
    };
    let default = Space::GLTF.with_uv_origin(UvOrigin::BottomLeft).with_winding(Winding::CrossOutward);
    let (up, front, right) = (axis("UpAxis", 1), axis("FrontAxis", 2), axis("CoordAxis", 0));
    let (Some(up), Some(front), Some(right)) = (up, front, right) else {
        context.tell(&codes::AXES, "axes", "there are only X, Y and Z; Y up was taken");
        return default;
    };
    // The third axis points to the right of someone who looks at the front: up × front in a right-handed space.
    let turn = up.to_vector().cross(front.to_vector()).dot(right.to_vector());
    if turn == 0.0 {
        context.tell(&codes::AXES, "axes", "two of them are the same; Y up was taken");
        return default;
    }
    let handedness = if turn > 0.0 { Handedness::Right } else { Handedness::Left };
    default.with_axes(up, front).with_handedness(handedness)
}

/// Autodesk's two rates. The new one holds where the header is of version 1004 or later and `TCDefinition` stands there
/// with another value than 127, and in versions from 8000 on.
fn ticks_per_second(document: &FbxDocument) -> f64 {
    const OLD: f64 = 46_186_158_000.0;
    const NEW: f64 = 141_120_000.0;
    const OLD_DEFINITION: i64 = 127;
    let version = document.version_number();
    let header = document.child("FBXHeaderExtension").filter(|_| version >= 6000);
    let number = |node: Option<crate::document::Node<'_>>, name: &str| node?.child(name)?.i64(0);
    let recent = number(header, "FBXHeaderVersion").is_some_and(|v| v >= 1004);
    let definition = number(header.and_then(|h| h.child("OtherFlags")), "TCDefinition").filter(|_| recent);
    match definition {
        Some(OLD_DEFINITION) => OLD,
        Some(_) => NEW,
        None if version >= 8000 => NEW,
        None => OLD,
    }
}

/// `TimeMode` (facts of the SDK's `FbxTime::EMode`), or the frame rate that old versions spell out.
fn frames_per_second(document: &FbxDocument, properties: &Properties<'_>) -> f64 {
    const RATES: [f64; 19] = [
        30.0, 120.0, 100.0, 60.0, 50.0, 48.0, 30.0, 30.0, 29.97, 29.97, 25.0, 24.0, 1000.0, 23.976, 0.0, 96.0, 72.0,
        59.94, 119.88,
    ];
    const CUSTOM: usize = 14;
    let number = |name: &str| properties.get(name).and_then(|p| p.f64(0)).filter(|v| *v > 0.0);
    let mode = properties.get("TimeMode").and_then(super::properties::NamedProperty::i64);
    let Some(mode) = mode.and_then(|m| usize::try_from(m).ok()) else {
        let settings =
            document.child("Version5").and_then(|n| n.child("Settings")).or_else(|| document.child("Settings"));
        let rate = settings
            .and_then(|n| n.child("FrameRate"))
            .and_then(|n| n.f64(0).or_else(|| n.text(0).and_then(|t| t.trim().parse().ok())));
        return rate.filter(|r| r.is_finite() && *r > 0.0).unwrap_or(RATES[0]);
    };
    if mode == CUSTOM {
        return number("CustomFrameRate").unwrap_or(RATES[0]);
    }
    RATES.get(mode).copied().filter(|r| *r > 0.0).unwrap_or(RATES[0])
}
