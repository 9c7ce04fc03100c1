//! Brings a scene into a form that glTF can hold, by passes.

use super::animations::is_holdable;
use super::images::{is_shown, kind};
use crate::codes;
use anyrig_bytes::{Context, Diagnostic, Result};
use anyrig_image::{Kind, decode_rgba8, encode_png, sniff};
use anyrig_passes::{BakeOptions, DecomposeOptions, Shear};
use anyrig_scene::glam::DAffine3;
use anyrig_scene::{Domain, LocalTransform, Scene, Space, Topology, Trs};

/// Plain transforms and curves, space, triangles, point attributes, no shear, skins with a common root, images of kinds
/// that textures may show.
pub(super) fn prepare(scene: &mut Scene, context: &Context) -> Result<()> {
    anyrig_passes::keep_channels(scene, |target| target.is_of_pose() || is_holdable(target));
    anyrig_passes::bake_motion(scene, &BakeOptions::default(), context)?;
    anyrig_passes::to_space(scene, Space::GLTF, context)?;
    let parts = || scene.meshes.values().flat_map(|m| &m.parts);
    if parts().any(|p| matches!(p.topology, Topology::Polygons { .. })) {
        anyrig_passes::triangulate(scene, context)?;
    }
    for part in scene.meshes.values_mut().flat_map(|m| &mut m.parts) {
        if part.streams.iter().any(|s| s.domain != Domain::Point) {
            *part = anyrig_passes::to_render_mesh(part)?;
        }
    }
    if scene.nodes.values().any(|n| is_sheared(n.local)) {
        let mut options = DecomposeOptions::default();
        options.shear = Shear::HelperNode;
        anyrig_passes::decompose(scene, options, context)?;
    }
    common_roots(scene, context)?;
    images(scene, context)
}

/// Images of kinds that glTF has no word for become PNG where their pixels can be read.
fn images(scene: &mut Scene, context: &Context) -> Result<()> {
    for id in scene.images.ids() {
        let image = &mut scene.images[id];
        let Some(bytes) = &image.bytes else { continue };
        let (media_type, _) = kind(image);
        if is_shown(&media_type) || !sniff(bytes).is_some_and(Kind::is_decodable) {
            continue;
        }
        match decode_rgba8(bytes, context).and_then(|pixels| encode_png(&pixels)) {
            Ok(png) => {
                context.tell(&codes::IMAGE_CONVERTED, format!("image {}", id.index()), media_type);
                image.bytes = Some(png.into());
                image.mime_type = Some(Kind::Png.media_type().to_owned());
            }
            Err(error) if error.ends_job() => return Err(error),
            // A broken one stays as it is, and its textures tell that they go without it.
            Err(_) => {}
        }
    }
    Ok(())
}

/// Takes all names away, those of morph targets too.
pub(super) fn strip_names(scene: &mut Scene, context: &Context) {
    let mut count = 0;
    let mut strip = |name: &mut String| {
        count += u64::from(!name.is_empty());
        name.clear();
    };
    scene.nodes.values_mut().for_each(|n| strip(&mut n.name));
    scene.root_sets.iter_mut().for_each(|s| strip(&mut s.name));
    for mesh in scene.meshes.values_mut() {
        strip(&mut mesh.name);
        mesh.morphs.iter_mut().for_each(|m| strip(&mut m.name));
    }
    scene.skins.values_mut().for_each(|s| strip(&mut s.name));
    scene.materials.values_mut().for_each(|m| strip(&mut m.name));
    scene.textures.values_mut().for_each(|t| strip(&mut t.name));
    scene.images.values_mut().for_each(|i| strip(&mut i.name));
    scene.cameras.values_mut().for_each(|c| strip(&mut c.name));
    scene.lights.values_mut().for_each(|l| strip(&mut l.name));
    scene.clips.iter_mut().for_each(|c| strip(&mut c.name));
    scene.rig.springs.iter_mut().for_each(|s| strip(&mut s.name));
    scene.rig.collider_groups.iter_mut().for_each(|g| strip(&mut g.name));
    if count > 0 {
        context.push(Diagnostic::new(&codes::NAMES_STRIPPED, "names", "").times(count));
    }
}

/// True when translation, rotation and scale cannot express a matrix, which glTF demands (specification 5.25.6).
pub(super) fn is_sheared(local: LocalTransform) -> bool {
    let LocalTransform::Matrix(affine) = local else { return false };
    let nearest = Trs::nearest_to_affine(affine).to_affine();
    let size = largest(affine).max(f64::MIN_POSITIVE);
    largest(DAffine3::from_mat3(nearest.matrix3 - affine.matrix3)) > 1e-6 * size
}

fn largest(affine: DAffine3) -> f64 {
    let m = affine.matrix3;
    [m.x_axis, m.y_axis, m.z_axis].iter().map(|c| c.abs().max_element()).fold(0.0, f64::max)
}

/// The joints of a skin must have a common root (specification 3.7.3.2).
fn common_roots(scene: &mut Scene, context: &Context) -> Result<()> {
    for (skin, roots) in anyrig_passes::join_skin_roots(scene, context)? {
        context.tell(&codes::COMMON_ROOT, format!("skin {}", skin.index()), format!("{roots} roots"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_scene::glam::DVec3;

    #[test]
    fn shear_is_found_and_zero_scale_is_not_shear() {
        let scaled = DAffine3::from_scale(DVec3::new(2.0, 0.0, 1.0));
        assert!(!is_sheared(LocalTransform::Matrix(scaled)));
        let mut sheared = DAffine3::IDENTITY;
        sheared.matrix3.y_axis.x = 0.5;
        assert!(is_sheared(LocalTransform::Matrix(sheared)));
    }
}
