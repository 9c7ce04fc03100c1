//! Scenes to files for UrhoX.

mod clips;
mod geometry;
mod losses;
mod materials;
mod morphs;
mod pieces;
mod skeleton;
mod textures;
mod verify;
mod vertices;

pub(crate) use losses::CAPABILITIES;
pub(crate) use verify::verify;

use crate::document::{Model, ModelLayout};
use crate::options::UrhoxOptions;
use crate::{URHOX, codes};
use anyrig_bytes::names::safe_file_name;
use anyrig_bytes::{Context, Diagnostic, Error, Place, Report, Result, Rope};
use anyrig_passes as passes;
use anyrig_scene::{Domain, ExportedFile, Scene, Semantic, Space, Topology, UvOrigin, WrittenNumbers};

/// Most influences of a vertex: BLENDWEIGHTS and BLENDINDICES have four values each.
const MAX_INFLUENCES: u32 = 4;

/// Writes a validated scene.
pub(crate) fn export(mut scene: Scene, stem: &str, context: &Context) -> Result<Vec<ExportedFile>> {
    let options = options(context)?;
    let stem = safe_file_name(stem, "unnamed");
    context.append(losses::report(&scene, &options));
    prepare(&mut scene, &options, context)?;
    let plan = skeleton::plan(&scene, context);
    let clips = clips::export(&scene, &plan.skeleton, &options, context)?;
    if clips.is_empty() && !plan.instances.is_empty() && !shows_something(&scene, &plan) {
        let message = "nothing to convert: there is no geometry and no motion; the meshes have no faces with points";
        return Err(Error::unsupported(Place::whole(), message));
    }
    let (mut materials, textures) = materials::export(&scene, &plan, &stem, context)?;
    let mut files = Vec::new();
    if !plan.instances.is_empty() {
        let (model, slots) = model(&scene, plan, &options, context)?;
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
        let message = "the scene shows no mesh and has no motion; there is nothing to write for UrhoX";
        return Err(Error::unsupported(Place::whole(), message));
    }
    Ok(files)
}

/// Whether a part of a shown mesh has points.
fn shows_something(scene: &Scene, plan: &skeleton::Plan) -> bool {
    let meshes = plan.instances.iter().filter_map(|i| scene.nodes[i.node].mesh.as_ref()).map(|m| &scene.meshes[m.mesh]);
    meshes.flat_map(|mesh| &mesh.parts).any(|part| part.point_count > 0 && part.stream(&Semantic::Position).is_some())
}

/// The options, checked.
pub(crate) fn options(context: &Context) -> Result<UrhoxOptions> {
    let options: UrhoxOptions = context.options(URHOX.id)?;
    let positive = |value: f64| value.is_finite() && value > 0.0;
    if !positive(options.scale) {
        return Err(Error::usage(format!("scale is {}, it must be a number above 0", options.scale)));
    }
    if !positive(options.error) {
        return Err(Error::usage(format!("error is {}, it must be a number above 0", options.error)));
    }
    // A triangle alone may need twelve bones, and a blend index is a byte.
    if !(12..=256).contains(&options.max_bones) {
        return Err(Error::usage(format!("max-bones is {}, it must be 12 to 256", options.max_bones)));
    }
    Ok(options)
}

/// The space of the written numbers.
fn target_space(options: &UrhoxOptions) -> Space {
    let space = options.handedness.space();
    let uv_origin = if options.flip_v { UvOrigin::BottomLeft } else { UvOrigin::TopLeft };
    space.with_metres_per_unit(1.0 / options.scale).with_uv_origin(uv_origin)
}

/// What the written numbers are; baking and sampling each keep the error bound.
pub(crate) fn written_numbers(context: &Context) -> Result<WrittenNumbers> {
    let options = options(context)?;
    let mut numbers = WrittenNumbers::default();
    (numbers.space, numbers.motion_error) = (Some(target_space(&options)), 2.0 * options.error);
    Ok(numbers)
}

/// Everything that makes parts ready to be written, each part in parallel.
fn prepare(scene: &mut Scene, options: &UrhoxOptions, context: &Context) -> Result<()> {
    let space = target_space(options);
    if space != scene.space {
        // Their numbers would stay in the old space; the report has said so.
        scene.nodes.values_mut().for_each(|node| drop(node.extras.remove(crate::import::EXTRAS)));
    }
    let mut baking = passes::BakeOptions::default();
    baking.max_error = options.error;
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
    plan: skeleton::Plan,
    options: &UrhoxOptions,
    context: &Context,
) -> Result<(Model, Vec<materials::Slot>)> {
    let pieces = pieces::collect(scene, &plan, options, context)?;
    let layout = vertices::layout(&pieces, plan.skeleton.is_some());
    let mut vertex_buffer = vertices::write(&pieces, &layout, context)?;
    let index_buffer = geometry::write_indices(&pieces, vertex_buffer.vertex_count, context)?;
    let morphs = morphs::write(scene, &plan, &pieces, &mut vertex_buffer, context)?;
    let (bounding_box, centres) = geometry::bounds(&pieces);
    check_finite(&bounding_box, &centres)?;
    let slots = pieces.iter().map(|p| p.material).collect();
    let model = Model {
        layout: ModelLayout::Umd2,
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

/// Number of corners of a primitive.
fn corners_per_primitive(topology: &Topology) -> usize {
    match topology {
        Topology::Points => 1,
        Topology::Lines => 2,
        Topology::Triangles | Topology::Polygons { .. } => 3,
    }
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
