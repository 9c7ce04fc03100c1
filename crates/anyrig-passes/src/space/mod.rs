//! Another space for all numbers of a scene.

mod axes;
mod cameras;
#[cfg(test)]
mod chain_tests;
mod chains;
mod geometry;
mod motion;
mod once;
mod rig;
#[cfg(test)]
mod tests;
mod uv;
mod uv_curves;

pub(crate) use motion::multiply_curve;
pub use uv::flip_v;

use crate::codes;
use anyrig_bytes::{Context, Error, Result};
use anyrig_scene::{Axis, Handedness, LocalTransform, Projection, Scene, Space, Target, Trs};
use axes::SignedPermutation;
use geometry::Change;
use glam::{DAffine3, DMat3, DQuat, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which axis is reflected when the handedness changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mirror {
    /// The axis between the character's hands: X in a space with Y up and Z to the front. Up and front stay.
    #[default]
    Side,
    /// The axis that the character faces along: Z in a space with Y up and Z to the front. The result faces the other
    /// way, and its [`Space::front`] says so.
    Front,
}

/// Options of [`to_space_with`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct SpaceOptions {
    /// Which axis is reflected when the handedness changes. Default: `side`.
    pub mirror: Mirror,
}

impl SpaceOptions {
    /// Options with this mirror.
    pub fn mirrored(mirror: Mirror) -> Self {
        Self { mirror }
    }
}

/// Brings all numbers of a scene into another space, with default options. See [`to_space_with`].
///
/// # Errors
/// Those of [`to_space_with`].
pub fn to_space(scene: &mut Scene, target: Space, context: &Context) -> Result<()> {
    to_space_with(scene, target, SpaceOptions::default(), context)
}

/// Brings all numbers of a scene into another space. The scene looks the same as before to one who knows its space.
///
/// With `B` the change of basis, which maps up to up, front to front and the character's left to its left, and `u` the
/// ratio of the units:
/// - local transforms and inverse binds become `B M B⁻¹` with translations times `u`; a translation, rotation and scale
///   stays one, and no scale appears in it. Pivots, geometric transforms and curves follow, those on single numbers and
///   the tangents and slopes of cubic ones too;
/// - positions become `u B p`, normals and tangents `B n`; morph deltas alike. The tangents' w turns round when `B`
///   mirrors, since it is defined on the numbers;
/// - corners 1 and 2 of each triangle change places (polygons keep their first corner and turn the rest round) when `B`
///   mirrors and the windings are equal, or does not and they differ;
/// - V becomes `1 - v` when the UV origin differs, texture transforms and UV morphs follow;
/// - offsets, directions, limits and radii of constraints, IK chains and springs follow, lengths per second too;
/// - distances of cameras, lights and volumes are multiplied with `u`, and so are curves on them. Candela and lux stay: they are physical quantities;
/// - a camera or light looks along its node's -Z. Where `B` turns -Z or +Y elsewhere, its node is turned back if it
///   carries nothing else and has no pivots; otherwise it moves to a helper node below (`passes.view-helper-node`).
///
/// `B` only changes the places and signs of numbers, so axes and handedness are changed without any rounding, and back
/// again to the same bits, the outer rotations of pivots aside. Buffers that were shared stay shared. Curves on unknown
/// targets, those on outer rotations where axes change places, and extras keep their numbers
/// (`passes.other-curves-kept`).
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] when a space's up and front lie on one axis or its unit is no positive number;
/// [`anyrig_bytes::ErrorKind::Malformed`] when a mesh part was not validated; [`anyrig_bytes::ErrorKind::LimitExceeded`];
/// [`anyrig_bytes::ErrorKind::Cancelled`], after which the scene is of no use.
pub fn to_space_with(scene: &mut Scene, target: Space, options: SpaceOptions, context: &Context) -> Result<()> {
    let source = scene.space;
    check(&source)?;
    check(&target)?;
    let mut target = target;
    if source.handedness != target.handedness && options.mirror == Mirror::Front {
        target.front = opposite(target.front);
    }
    let basis = SignedPermutation::between(&source, &target);
    let unit = source.metres_per_unit / target.metres_per_unit;
    let turn_faces = basis.mirrors() != (source.winding != target.winding);
    let change = Change { basis, unit, turn_faces, flip_v: source.uv_origin != target.uv_origin };
    // Before anything changes, so that an error leaves the scene as it was.
    let clips = if change.flip_v { uv_curves::flipped(scene, context)? } else { Vec::new() };
    geometry::change_meshes(scene, &change, context)?;
    if change.flip_v {
        uv_curves::put(scene, clips);
        uv::flip_transforms(scene);
    }
    if !basis.is_identity() || unit != 1.0 {
        change_nodes(scene, &change);
        rig::change(&mut scene.rig, &change);
        motion::change_clips(scene, &change);
        change_distances(scene, unit);
        tell_other_curves(scene, &change, context);
        cameras::turn_views(scene, &basis, context)?;
    }
    scene.space = target;
    Ok(())
}

fn check(space: &Space) -> Result<()> {
    if space.up.to_vector().dot(space.front.to_vector()) != 0.0 {
        return Err(Error::usage(format!(
            "{:?} cannot be up and {:?} the front: they lie on one axis",
            space.up, space.front
        )));
    }
    if !(space.metres_per_unit > 0.0 && space.metres_per_unit.is_finite()) {
        return Err(Error::usage(format!("a unit of {} metres is no unit", space.metres_per_unit)));
    }
    Ok(())
}

fn opposite(axis: Axis) -> Axis {
    match axis {
        Axis::PosX => Axis::NegX,
        Axis::NegX => Axis::PosX,
        Axis::PosY => Axis::NegY,
        Axis::NegY => Axis::PosY,
        Axis::PosZ => Axis::NegZ,
        Axis::NegZ => Axis::PosZ,
    }
}

/// The character's left, as a signed axis: up × front where the axes are right-handed.
fn left(space: &Space) -> DVec3 {
    let cross = space.up.to_vector().cross(space.front.to_vector());
    if space.handedness == Handedness::Right { cross } else { -cross }
}

impl Change {
    fn affine(&self, affine: DAffine3) -> DAffine3 {
        let m = affine.matrix3;
        // B M B⁻¹: rows are permuted by B, and so are columns.
        let columns = [m.x_axis, m.y_axis, m.z_axis].map(|column| self.basis.vector(column));
        let columns = self.basis.columns(columns);
        DAffine3 {
            matrix3: DMat3::from_cols(columns[0], columns[1], columns[2]),
            translation: self.scaled(self.basis.vector(affine.translation)),
        }
    }

    fn trs(&self, trs: Trs) -> Trs {
        let [x, y, z, w] = trs.rotation.to_array();
        let turned = self.basis.axial(DVec3::new(x, y, z));
        Trs {
            translation: self.scaled(self.basis.vector(trs.translation)),
            rotation: DQuat::from_xyzw(turned.x, turned.y, turned.z, w),
            scale: self.basis.scale(trs.scale),
        }
    }

    fn scaled(&self, v: DVec3) -> DVec3 {
        if self.unit == 1.0 { v } else { v * self.unit }
    }
}

fn change_nodes(scene: &mut Scene, change: &Change) {
    for node in scene.nodes.values_mut() {
        node.local = match node.local {
            LocalTransform::Trs(trs) => LocalTransform::Trs(change.trs(trs)),
            LocalTransform::Matrix(affine) => LocalTransform::Matrix(change.affine(affine)),
        };
        if let Some(pivots) = node.pivots.as_deref_mut() {
            *pivots = change.pivots(pivots);
        }
        if let Some(geometric) = node.geometric.as_deref_mut() {
            *geometric = change.trs(*geometric);
        }
    }
    for instances in scene.nodes.values_mut().filter_map(|n| n.instances.as_deref_mut()) {
        instances.transforms.iter_mut().for_each(|trs| *trs = change.trs(*trs));
    }
    for skin in scene.skins.values_mut() {
        skin.inverse_binds.iter_mut().for_each(|bind| *bind = change.affine(*bind));
    }
}

fn change_distances(scene: &mut Scene, unit: f64) {
    if unit == 1.0 {
        return;
    }
    for camera in scene.cameras.values_mut() {
        match &mut camera.projection {
            Projection::Perspective { near, far, .. } => {
                *near *= unit;
                far.iter_mut().for_each(|far| *far *= unit);
            }
            Projection::Orthographic { x_mag, y_mag, near, far } => {
                [x_mag, y_mag, near, far].into_iter().for_each(|v| *v *= unit);
            }
        }
    }
    scene.lights.values_mut().filter_map(|l| l.range.as_mut()).for_each(|range| *range *= unit);
    for volume in scene.materials.values_mut().filter_map(|m| m.volume.as_deref_mut()) {
        for length in volume.attenuation_distance.iter_mut().chain([&mut volume.thickness]) {
            *length = (f64::from(*length) * unit) as f32;
        }
    }
}

fn tell_other_curves(scene: &Scene, change: &Change, context: &Context) {
    for clip in &scene.clips {
        for channel in &clip.channels {
            let what = match &channel.target {
                Target::Other(path) => path.clone(),
                Target::Component { node, part, axis } if change.component(*part, *axis).is_none() => {
                    let name = scene.nodes.get(*node).map_or("", |n| n.name.as_str());
                    format!("{part:?} of node {name:?}: an outer rotation, whose order of axes is fixed")
                }
                _ => continue,
            };
            context.tell(&codes::OTHER_CURVES_KEPT, clip.name.clone(), what);
        }
    }
}
