//! From a scene to a document and its files.
//!
//! Lists keep the scene's order and indexes wherever glTF allows it, so that carried extensions that refer to nodes,
//! meshes, materials, textures or images stay right.

mod animations;
mod cameras;
mod compress;
mod extras;
mod files;
mod images;
mod indices;
mod influences;
mod instances;
mod losses;
mod materials;
mod meshes;
mod morphs;
mod nodes;
mod packer;
mod prepare;
mod quantize;
mod skins;
mod squeeze;
mod stale;
mod streams;
mod surfaces;
mod variants;

use self::packer::Packer;
use crate::document::json::ToJson;
use crate::document::{Asset, Index, Members, Named, Root, SceneObject};
use crate::names::{ASSET, REQUIRED};
use crate::options::Names;
use crate::{Form, GltfOptions};
use anyrig_bytes::{Context, Result, Value};
use anyrig_scene::{ExportedFile, MeshId, Scene, TexCoords, WrittenNumbers};
use std::collections::BTreeSet;

/// Writes a validated scene.
pub(crate) fn export(mut scene: Scene, stem: &str, form: Form, context: &Context) -> Result<Vec<ExportedFile>> {
    let options = GltfOptions::of(context)?;
    context.append(losses::predict(&scene));
    prepare::prepare(&mut scene, context)?;
    stale::drop_stale(&mut scene, context);
    if options.names == Names::Strip {
        prepare::strip_names(&mut scene, context);
    }
    let needs = quantize::quantize(&mut scene, &options, context);
    let mut saver = Saver::new(&scene, &options, context);
    needs.into_iter().for_each(|extension| saver.packer.require(extension));
    let mut files = files::Files::new(form, &options, stem);
    saver.images(&mut files)?;
    saver.textures();
    saver.materials();
    saver.variants();
    saver.cameras();
    saver.lights();
    saver.meshes()?;
    saver.skins()?;
    saver.nodes();
    saver.scenes();
    saver.animations()?;
    saver.file();
    let Saver { root, packer, .. } = saver;
    files.finish(root, packer)
}

/// How far what is shown may lie from the scene: by nothing at rest, unless numbers are rounded.
pub(crate) fn written_numbers(context: &Context) -> Result<WrittenNumbers> {
    let mut numbers = WrittenNumbers::default();
    let how = GltfOptions::of(context)?.quantize;
    numbers.rest_error = quantize::error(how);
    if how.extends() && how.rounds() {
        (numbers.tex_coords, numbers.tex_coord_error) = (TexCoords::AsSeen, squeeze::MOST_ERROR);
    }
    Ok(numbers)
}

/// Everything that the parts of the export share.
struct Saver<'a> {
    scene: &'a Scene,
    options: &'a GltfOptions,
    context: &'a Context,
    root: Root,
    packer: Packer,
    /// Which glTF mesh shows a mesh with which materials. The first ones are in the scene's order.
    mesh_indexes: Vec<(MeshId, meshes::Dress, Index)>,
    /// The glTF image of each image; `None` for those without content.
    image_indexes: Vec<Option<Index>>,
    /// The glTF skin of each skin; `None` for those that glTF does not allow.
    skin_indexes: Vec<Option<Index>>,
    required: BTreeSet<String>,
}

impl<'a> Saver<'a> {
    fn new(scene: &'a Scene, options: &'a GltfOptions, context: &'a Context) -> Self {
        Self {
            scene,
            options,
            context,
            root: Root::default(),
            packer: Packer::new(options),
            mesh_indexes: Vec::new(),
            image_indexes: Vec::new(),
            skin_indexes: Vec::new(),
            required: BTreeSet::new(),
        }
    }

    fn scenes(&mut self) {
        self.root.scene = self.scene.default_root_set.map(|i| i as Index);
        let mut scenes = Vec::new();
        for set in &self.scene.root_sets {
            let roots: Vec<Index> = set.roots.iter().map(|n| n.index() as Index).collect();
            let mut object = SceneObject { name: named(&set.name), nodes: some(roots), ..SceneObject::default() };
            extras::restore!(object, &set.extras);
            scenes.push(object);
        }
        // Without root sets all roots are shown, which glTF can only say by a scene.
        if scenes.is_empty() && !self.scene.nodes.is_empty() {
            let roots: Vec<Index> = self.scene.roots().map(|n| n.index() as Index).collect();
            scenes.push(SceneObject { nodes: some(roots), ..SceneObject::default() });
            self.root.scene = Some(0);
        }
        self.root.scenes = some(scenes);
    }

    /// What concerns the file as a whole; comes last, when all extensions are known.
    fn file(&mut self) {
        let mut asset = Asset { version: Some("2.0".to_owned()), ..Asset::default() };
        asset.generator = Some(self.options.generator.clone()).filter(|g| !g.is_empty());
        if let Some(kept) = self.scene.extras.get(ASSET) {
            asset.copyright = kept.get("copyright").and_then(Value::as_str).map(str::to_owned);
            asset.extras = kept.get("extras").cloned();
            asset.extensions = extras::named(kept.get("extensions"));
            asset.other = extras::object(kept.get("members"));
        }
        self.root.asset = Some(asset);
        let own = self.root.extensions.take();
        let root = &mut self.root;
        extras::restore!(root, &self.scene.extras);
        for (name, value) in own.into_iter().flat_map(|l| l.0) {
            extras::add(&mut self.root.extensions, &name, value);
        }
        let used = extras::used(&self.root.to_json());
        let carried = self.scene.extras.get(REQUIRED).and_then(Value::as_array).unwrap_or_default();
        let carried = carried.iter().filter_map(Value::as_str).filter(|name| used.contains(*name));
        self.required.extend(carried.map(str::to_owned));
        self.root.extensions_required = some(self.required.iter().cloned().collect());
        self.root.extensions_used = some(used.into_iter().collect());
    }
}

/// A name, absent when empty.
fn named(name: &str) -> Option<String> {
    (!name.is_empty()).then(|| name.to_owned())
}

/// A list, absent when empty: glTF allows no empty lists.
fn some<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}

/// A value, absent when it is the default.
fn unless<T: PartialEq>(value: T, default: &T) -> Option<T> {
    (value != *default).then_some(value)
}

/// A typed extension as a raw value.
fn raw_extension(object: &impl ToJson) -> Value {
    object.to_json()
}

/// An empty object.
fn empty_object() -> Value {
    Value::Object(Members::new())
}

/// Adds an extension to an object's extensions.
fn extend(extensions: &mut Option<Named<Value>>, name: &str, value: Value) {
    extras::add(extensions, name, value);
}
