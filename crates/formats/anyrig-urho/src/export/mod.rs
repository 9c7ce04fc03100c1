//! Scenes to files for one of the engines.

pub(crate) mod capabilities;
mod clips;
mod geometry;
mod losses;
mod materials;
mod morph_tracks;
mod morphs;
mod pieces;
mod skeleton;
mod textures;
mod verify;
mod vertices;

pub(crate) use morph_tracks::MORPHS_PATH;
pub(crate) use verify::verify;

use crate::codes;
use crate::dialect::Dialect;
use crate::document::Model;
use crate::lods;
use crate::options::{HandednessOption, UrhoOptions};
use anyrig_bytes::names::safe_file_name;
use anyrig_bytes::{Context, Diagnostic, Error, Place, Report, Result, Rope};
use anyrig_passes as passes;
use anyrig_scene::{Domain, ExportedFile, Scene, Space, UvOrigin, WrittenNumbers};

/// Most influences of a vertex: BLENDWEIGHTS and BLENDINDICES have four values each.
const MAX_INFLUENCES: u32 = 4;

/// For which engine, and how.
struct Target {
    dialect: Dialect,
    options: UrhoOptions,
}

impl Target {
    fn handedness(&self) -> HandednessOption {
        self.options.handedness(self.dialect)
    }

    /// The space of the written numbers.
    fn space(&self) -> Space {
        let uv_origin = if self.options.flip_v { UvOrigin::BottomLeft } else { UvOrigin::TopLeft };
        self.handedness().space().with_metres_per_unit(1.0 / self.options.scale).with_uv_origin(uv_origin)
    }
}

/// Writes a validated scene.
pub(crate) fn export(dialect: Dialect, mut scene: Scene, stem: &str, context: &Context) -> Result<Vec<ExportedFile>> {
    let target = Target { dialect, options: UrhoOptions::of(dialect, context)? };
    let stem = safe_file_name(stem, "unnamed");
    context.append(losses::report(&scene, &target));
    prepare(&mut scene, &target, context)?;
    let plan = skeleton::plan(&scene, context);
    let wanted = morphs::wanted(&scene, &plan, context)?;
    let clips = clips::export(&scene, (&plan, &wanted), &target, context)?;
    if clips.is_empty() && !plan.instances.is_empty() && !shows_something(&scene, &plan) {
        let message = "nothing to convert: there is no geometry and no motion; the meshes have no faces with points";
        return Err(Error::unsupported(Place::whole(), message));
    }
    let (mut materials, textures) = materials::export(&scene, &plan, (dialect.materials(), &stem), context)?;
    let mut files = Vec::new();
    if !plan.instances.is_empty() {
        let (model, slots) = model(&scene, (plan, wanted), &target, context)?;
        drop(scene);
        files.push(ExportedFile::new(format!("{stem}.mdl"), model.write()?));
        if slots.len() > 1 {
            files.push(ExportedFile::new(format!("{stem}.txt"), materials.list(&slots)));
        }
    }
    files.extend(clips);
    files.extend(textures);
    files.extend(materials.into_files());
    if files.is_empty() {
        let name = dialect.info().name;
        let message = format!("the scene shows no mesh and has no motion; there is nothing to write for {name}");
        return Err(Error::unsupported(Place::whole(), message));
    }
    Ok(files)
}

/// Whether a part of a shown mesh has faces.
fn shows_something(scene: &Scene, plan: &skeleton::Plan) -> bool {
    let meshes = plan.instances.iter().filter_map(|i| scene.nodes[i.node].mesh.as_ref()).map(|m| &scene.meshes[m.mesh]);
    meshes.flat_map(|mesh| &mesh.parts).any(|part| part.face_count() > 0 && !part.positions().is_empty())
}

/// What the written numbers are; baking and sampling each keep the error bound.
pub(crate) fn written_numbers(dialect: Dialect, context: &Context) -> Result<WrittenNumbers> {
    let target = Target { dialect, options: UrhoOptions::of(dialect, context)? };
    let mut numbers = WrittenNumbers::default();
    (numbers.space, numbers.motion_error) = (Some(target.space()), 2.0 * target.options.error);
    Ok(numbers)
}

/// Everything that makes parts ready to be written, each part in parallel.
fn prepare(scene: &mut Scene, target: &Target, context: &Context) -> Result<()> {
    let space = target.space();
    if space != scene.space {
        // Numbers of collision shapes would stay in the old space; the report has said so.
        let factor = scene.space.metres_per_unit / space.metres_per_unit;
        scene.nodes.values_mut().for_each(|node| lods::rescale(node, factor));
    }
    let mut baking = passes::BakeOptions::default();
    baking.max_error = target.options.error;
    passes::keep_channels(scene, |target| target.is_of_pose());
    passes::bake_motion(scene, &baking, context)?;
    passes::expand_instances(scene, context)?;
    passes::to_space(scene, space, context)?;
    passes::triangulate(scene, context)?;
    passes::for_each_part(scene, context, |place, part, report| {
        if part.streams.iter().any(|s| s.domain != Domain::Point) {
            *part = passes::to_render_mesh(part)?;
        }
        let stats = passes::limit_influences(part, MAX_INFLUENCES);
        if stats.points > 0 {
            let message = format!("at most {:.1} % of a point's weight", stats.max_dropped_share * 100.0);
            report.push(Diagnostic::new(&codes::INFLUENCES_LIMITED, place.to_string(), message).times(stats.points));
        }
        Ok(())
    })?;
    passes::generate_missing_normals(scene, passes::NormalOptions::default(), context)?;
    passes::generate_missing_tangents(scene, passes::TangentOptions::default(), context)
}

/// Builds the model; also the material slot of each geometry.
fn model(
    scene: &Scene,
    (plan, wanted): (skeleton::Plan, Vec<morphs::Wanted>),
    target: &Target,
    context: &Context,
) -> Result<(Model, Vec<materials::Slot>)> {
    let pieces = pieces::collect(scene, &plan, &target.options, context)?;
    let elements = vertices::layout(&pieces, plan.skeleton.is_some());
    let mut vertex_buffer = vertices::write(&pieces, &elements, context)?;
    let index_buffer = geometry::write_indices(&pieces, vertex_buffer.vertex_count, context)?;
    let morphs = morphs::write(wanted, &pieces, &mut vertex_buffer, context)?;
    let (bounding_box, centres) = geometry::bounds(&pieces);
    check_finite(&bounding_box, &centres)?;
    let slots = pieces.iter().filter(|p| p.level.is_none()).map(|p| p.material).collect();
    let (layout, version) = target.dialect.model_layout();
    let model = Model {
        layout,
        version,
        geometries: geometry::geometries(&pieces),
        vertex_buffers: vec![vertex_buffer],
        index_buffers: vec![index_buffer],
        morphs,
        bones: plan.skeleton.as_ref().map(skeleton::Skeleton::to_bones).unwrap_or_default(),
        bounding_box,
        centres,
        ..Model::default()
    };
    Ok((model, slots))
}

/// Products of finite numbers may still be beyond what a vertex can hold.
fn check_finite(bounding_box: &[[f32; 3]; 2], centres: &[[f32; 3]]) -> Result<()> {
    if bounding_box.iter().chain(centres).flatten().all(|v| v.is_finite()) {
        return Ok(());
    }
    let message =
        "positions become larger than 32-bit floats hold; the transforms multiply up, or `scale` is too large";
    Err(Error::unsupported(Place::whole(), message))
}

fn file(folder: &str, name: &str, extension: &str, content: impl Into<Rope>) -> ExportedFile {
    ExportedFile::new(format!("{folder}/{name}.{extension}"), content)
}

/// Adds a diagnostic to a report.
fn tell(
    report: &mut Report,
    code: &'static anyrig_bytes::Code,
    subject: impl Into<String>,
    message: impl Into<String>,
) {
    report.push(Diagnostic::new(code, subject, message));
}
