//! From a document to a scene. The arenas have the indexes of the file's lists.

mod accessors;
mod animations;
mod buffers;
mod cameras;
mod draco;
mod extras;
mod glossiness;
mod images;
mod instances;
mod materials;
mod meshes;
mod morphs;
mod nodes;
mod packed;
mod pointers;
mod required;
pub(crate) mod rules;
mod skins;
mod surfaces;
mod variants;
mod vrm;

use self::accessors::Accessors;
use crate::document::json::At;
use crate::document::{GltfDocument, Index, Root};
use crate::names::REQUIRED;
use crate::read::read;
use crate::uri;
use anyrig_bytes::{Context, Error, Result, Severity, SharedBytes, Source};
use anyrig_scene::{MaterialId, MeshId, NodeId, Scene, Space, VariantMaterial};
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// Reads a source into a validated scene.
pub(crate) fn import(source: &dyn Source, context: &Context) -> Result<Scene> {
    let document = read(source, context)?;
    scene_of(&document, source, context).map_err(|e| e.in_file(source.name()))
}

/// Reads a source into a document, with the files that belong to it.
pub(crate) fn document(source: &dyn Source, context: &Context) -> Result<GltfDocument> {
    let mut document = read(source, context)?;
    let attachments = attachments(document.root(), source).map_err(|e| e.in_file(source.name()))?;
    document.set_attachments(attachments);
    Ok(document)
}

/// Files beside the primary one that exist, each once, in the order in which they are named. What cannot be found or
/// may not be followed is left to whoever reads the content.
fn attachments(root: &Root, source: &dyn Source) -> Result<Vec<(String, SharedBytes)>> {
    let buffers = root.buffers.iter().flatten().filter_map(|b| b.uri.as_deref());
    let images = root.images.iter().flatten().filter_map(|i| i.uri.as_deref());
    let mut files: Vec<(String, SharedBytes)> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for reference in buffers.chain(images) {
        let Some(Ok(name)) = uri::external_name(reference, &At::Root) else { continue };
        if !seen.insert(name.clone()) {
            continue;
        }
        if let Some(bytes) = source.resolve(&name).ok().flatten() {
            files.push((name, bytes));
        }
    }
    Ok(files)
}

/// Reads a written file back: every count, offset and reference. Whatever import would have to repair or to
/// leave out is a fault.
pub(crate) fn verify(file_name: &str, source: &dyn Source, context: &Context) -> Result<()> {
    let extension = file_name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    if !matches!(extension.as_str(), "glb" | "gltf") {
        return Ok(());
    }
    let own = context.bare();
    import(source, &own).map_err(|e| e.in_file(file_name))?;
    let report = own.take_report();
    match report.diagnostics().iter().find(|d| matches!(d.severity, Severity::Repaired | Severity::Lost)) {
        None => Ok(()),
        Some(fault) => Err(Error::malformed(fault.place.clone(), fault.to_string()).in_file(file_name)),
    }
}

fn scene_of(document: &GltfDocument, source: &dyn Source, context: &Context) -> Result<Scene> {
    let root = document.root();
    let carried = required::check(root, context)?;
    let buffers = buffers::load(document, source, context)?;
    let mut loader = Loader {
        root,
        source,
        context,
        accessors: Accessors::new(root, &buffers, context)?,
        buffers,
        scene: Scene::new(Space::GLTF),
        mesh_materials: Vec::new(),
        mesh_variants: Vec::new(),
        shown_by: OnceCell::new(),
        glossy_maps: BTreeMap::new(),
        scratch: context.apart(),
    };
    loader.images()?;
    loader.textures()?;
    loader.materials()?;
    loader.variants()?;
    loader.cameras()?;
    loader.lights()?;
    loader.meshes()?;
    loader.nodes()?;
    loader.scenes()?;
    loader.skins()?;
    loader.animations()?;
    let read = loader.rig()?;
    loader.file_extras(&read);
    if !carried.is_empty() {
        loader.scene.extras.set(REQUIRED, carried);
    }
    let mut scene = loader.scene;
    extras::drop_lost(&mut scene, &extras::lost_names(root), context)?;
    anyrig_scene::validate(&mut scene, context);
    if let Some(variant) = crate::GltfOptions::of(context)?.variant {
        anyrig_passes::pick_variant(&mut scene, &variant)?;
    }
    Ok(scene)
}

/// Everything that the parts of the import share.
struct Loader<'a> {
    root: &'a Root,
    source: &'a dyn Source,
    context: &'a Context,
    buffers: buffers::Buffers,
    accessors: Accessors<'a>,
    scene: Scene,
    /// The material of each part of each mesh; nodes take them over.
    mesh_materials: Vec<Vec<Option<MaterialId>>>,
    /// What the parts of each mesh wear in variants; nodes take them over.
    mesh_variants: Vec<Vec<VariantMaterial>>,
    /// The nodes that show each mesh by its own morph weights, found once for all pointers.
    shown_by: OnceCell<BTreeMap<MeshId, Vec<NodeId>>>,
    /// Textures that were made from specular-glossiness ones.
    glossy_maps: BTreeMap<glossiness::Key, glossiness::Maps>,
    /// Books pixels that are gone again once a surface is converted. What is kept of them is booked on the job.
    scratch: Context,
}

/// The items of a root list, with their places.
fn list<'r, T>(items: Option<&'r Vec<T>>) -> impl Iterator<Item = (usize, &'r T)> + use<'r, T> {
    items.into_iter().flatten().enumerate()
}

/// A member that the specification demands.
fn need<T>(member: Option<T>, at: &At<'_>, key: &str) -> Result<T> {
    member.ok_or_else(|| at.key(key).malformed("this member is required by glTF 2.0 and is missing"))
}

/// Checks an index against the length of the list that it is for.
fn in_list(index: Index, len: usize, at: &At<'_>, what: &str) -> Result<usize> {
    let index = index as usize;
    if index < len {
        return Ok(index);
    }
    Err(at.malformed(format!("{what} {index} does not exist; the file has {len}")))
}
