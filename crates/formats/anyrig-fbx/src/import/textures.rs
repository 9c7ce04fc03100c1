//! Textures and videos: images with where they come from, how they lie on the surface and how they repeat.

use super::Import;
use super::files::base_name;
use super::objects::{End, ObjectId, Objects};
use crate::codes;
use anyrig_bytes::{Diagnostic, Result, SharedBytes, maths::f64 as maths};
use anyrig_scene::{Image, ImageId, RotationOrder, Sampler, Texture, TextureId, UvTransform, Wrap};
use glam::{DAffine3, DVec3};
use std::collections::BTreeMap;

/// A texture as a material uses it.
#[derive(Clone, Debug)]
pub(super) struct Used {
    pub texture: TextureId,
    pub transform: Option<UvTransform>,
    /// The name of the set of texture coordinates; empty for the first.
    pub uv_set: String,
}

/// Textures and images that were made.
#[derive(Debug, Default)]
pub(super) struct Textures {
    textures: BTreeMap<ObjectId, Option<Used>>,
    /// Where each texture on the way to a file leads.
    steps: BTreeMap<ObjectId, Step>,
    /// The first video of each name.
    videos: Option<BTreeMap<String, ObjectId>>,
    /// Images by the paths that name them.
    images: BTreeMap<(String, String), ImageId>,
    /// Embedded files by the path that names them, in lower case, and by their last part.
    embedded: Option<BTreeMap<String, SharedBytes>>,
}

/// What stands behind a texture.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A file.
    File,
    /// Another texture.
    To(ObjectId),
    Nothing,
}

/// How deep textures may stand behind others.
const MAX_CHAIN: usize = 8;

/// The texture of a `Texture` or a `LayeredTexture`; `None` when there is no image behind it.
pub(super) fn texture(import: &mut Import<'_>, object: ObjectId) -> Result<Option<Used>> {
    let Some(object) = behind(import, object) else { return Ok(None) };
    if let Some(known) = import.textures.textures.get(&object) {
        return Ok(known.clone());
    }
    let used = make(import, object)?;
    import.textures.textures.insert(object, used.clone());
    Ok(used)
}

/// The texture with a file that a layered or wrapping texture stands for.
fn behind(import: &mut Import<'_>, start: ObjectId) -> Option<ObjectId> {
    let mut at = start;
    for _ in 0..MAX_CHAIN {
        let step = match import.textures.steps.get(&at) {
            Some(known) => *known,
            None => {
                let step = step(import, at);
                import.textures.steps.insert(at, step);
                step
            }
        };
        match step {
            Step::File => return Some(at),
            Step::To(next) => at = next,
            Step::Nothing => return None,
        }
    }
    None
}

fn step(import: &mut Import<'_>, at: ObjectId) -> Step {
    if import.objects.get(at).class == "LayeredTexture" {
        return lowest_layer(import, at);
    }
    if video(import, at).is_some() || !paths(&import.objects, at).iter().all(String::is_empty) {
        return Step::File;
    }
    // 3ds Max puts a texture that changes normals before the one with the image.
    let next = import.objects.property_sources(at).find(|(_, o)| is_texture(&o.class));
    next.map_or(Step::Nothing, |(_, o)| Step::To(o.id))
}

/// Layers are listed from the top down; the lowest one covers the surface.
fn lowest_layer(import: &Import<'_>, at: ObjectId) -> Step {
    let objects = &import.objects;
    let layers = objects.children(End::Object(at)).filter(|o| is_texture(&o.class));
    let (count, lowest) = layers.fold((0, Step::Nothing), |(count, _), layer| (count + 1, Step::To(layer.id)));
    if count > 1 {
        let message = format!("of {count} layers the lowest one is shown");
        let line = Diagnostic::new(&codes::TEXTURE_LAYERS, objects.get(at).name.clone(), message);
        import.context.push(line.at(objects.place(at)));
    }
    lowest
}

pub(super) fn is_texture(class: &str) -> bool {
    class == "Texture" || class == "LayeredTexture"
}

/// The relative and the absolute path that a texture or a video states.
fn paths(objects: &Objects<'_>, id: ObjectId) -> [String; 2] {
    let node = objects.get(id).node;
    let text = |names: &[&str], property: &str| {
        let own = names.iter().find_map(|name| node.child(name)?.text(0)).filter(|t| !t.is_empty());
        own.or_else(|| objects.text(id, property)).unwrap_or_default().into_owned()
    };
    let [relative, absolute] = [text(&["RelativeFilename"], "RelPath"), text(&["FileName", "Filename"], "Path")];
    if relative.is_empty() && absolute.is_empty() {
        return [relative, bitmap_node(objects, id).unwrap_or_default()];
    }
    [relative, absolute]
}

/// 3ds Max keeps the path of a bitmap that an OSL shader looks up among the shader's parameters.
fn bitmap_node(objects: &Objects<'_>, id: ObjectId) -> Option<String> {
    let is_path = |name: &str| name.starts_with("3dsMax|") && name.to_lowercase().ends_with("|filename");
    let path = objects.get(id).properties.iter().find(|p| is_path(p.name()))?.text()?;
    Some(path.into_owned())
}

/// The video of a texture: the connected one, else the one of the stated name.
fn video(import: &mut Import<'_>, texture: ObjectId) -> Option<ObjectId> {
    let objects = &import.objects;
    let connected = objects.children(End::Object(texture)).find(|o| o.class == "Video").map(|o| o.id);
    connected.or_else(|| {
        let media = objects.get(texture).node.child("Media")?.property(0)?;
        let (name, _) = media.name_and_class()?;
        let videos = import.textures.videos.get_or_insert_with(|| videos_by_name(objects));
        videos.get(&*name).copied()
    })
}

fn videos_by_name(objects: &Objects<'_>) -> BTreeMap<String, ObjectId> {
    let mut videos = BTreeMap::new();
    for video in objects.of_class("Video").filter(|v| !v.name.is_empty()) {
        videos.entry(video.name.clone()).or_insert(video.id);
    }
    videos
}

fn make(import: &mut Import<'_>, object: ObjectId) -> Result<Option<Used>> {
    let Some(image) = image(import, object)? else { return Ok(None) };
    let objects = &import.objects;
    let mut texture = Texture::default();
    texture.name.clone_from(&objects.get(object).name);
    texture.image = Some(image);
    let mut sampler = Sampler::default();
    let wrap = |name: &str| if objects.i64(object, name, 0) == 1 { Wrap::ClampToEdge } else { Wrap::Repeat };
    (sampler.wrap_u, sampler.wrap_v) = (wrap("WrapModeU"), wrap("WrapModeV"));
    texture.sampler = Some(sampler);
    let uv_set = objects.text(object, "UVSet").filter(|name| name != "default").unwrap_or_default().into_owned();
    let transform = transform(import, object);
    Ok(Some(Used { texture: import.scene.textures.push(texture), transform, uv_set }))
}

/// How texture coordinates are changed: the inverse of how the texture is laid onto the surface.
fn transform(import: &Import<'_>, object: ObjectId) -> Option<UvTransform> {
    let objects = &import.objects;
    let vector = |name: &str, default: DVec3| objects.vec3(object, name, default);
    let about = |pivot: DVec3, change: DAffine3| {
        DAffine3::from_translation(pivot) * change * DAffine3::from_translation(-pivot)
    };
    let rotation = RotationOrder::Xyz.to_quat(vector("Rotation", DVec3::ZERO));
    let scaled = about(vector("TextureScalingPivot", DVec3::ZERO), DAffine3::from_scale(vector("Scaling", DVec3::ONE)));
    let turned = about(vector("TextureRotationPivot", DVec3::ZERO), DAffine3::from_quat(rotation));
    let laid = DAffine3::from_translation(vector("Translation", DVec3::ZERO)) * turned * scaled;
    let swapped = objects.bool(object, "UVSwap", false);
    if laid == DAffine3::IDENTITY && !swapped {
        return None;
    }
    let (x, y) = (laid.matrix3.x_axis.truncate(), laid.matrix3.y_axis.truncate());
    let determinant = x.perp_dot(y);
    let subject = || objects.get(object).name.clone();
    if !(determinant.abs() > f64::MIN_POSITIVE && laid.is_finite()) {
        import.context.tell(&codes::UV_TRANSFORM, subject(), "it has no inverse and was left out");
        return None;
    }
    // Columns of the inverse.
    let inverse = [[y.y / determinant, -x.y / determinant], [-y.x / determinant, x.x / determinant]];
    let offset = laid.translation;
    let moved = |row: usize| -(inverse[0][row] * offset.x + inverse[1][row] * offset.y);
    let length = |column: [f64; 2]| (column[0] * column[0] + column[1] * column[1]).sqrt();
    let turn = inverse[0][0] * inverse[1][1] - inverse[0][1] * inverse[1][0];
    let scale = [length(inverse[0]), length(inverse[1]) * if turn < 0.0 { -1.0 } else { 1.0 }];
    let skew = (inverse[0][0] * inverse[1][0] + inverse[0][1] * inverse[1][1]).abs() / (scale[0] * scale[1]).abs();
    if skew > SKEW_TOLERANCE || swapped {
        import.context.tell(&codes::UV_TRANSFORM, subject(), "it is skewed or swaps U and V, which was left out");
    }
    // The first column of the rotation is (cos, -sin): the scene counts angles where V grows downwards.
    let rotation_rad = -maths::atan2(inverse[0][1], inverse[0][0]);
    let transform = UvTransform {
        offset: [moved(0) as f32, moved(1) as f32],
        rotation_rad: rotation_rad as f32,
        scale: scale.map(|s| s as f32),
    };
    (transform != UvTransform::default()).then_some(transform)
}

const SKEW_TOLERANCE: f64 = 1e-6;

/// The image of a texture: embedded, from a file, or only a name when the file is not there.
fn image(import: &mut Import<'_>, texture: ObjectId) -> Result<Option<ImageId>> {
    let video = video(import, texture);
    let mut all: Vec<String> = paths(&import.objects, texture).into();
    let name = import.objects.get(video.unwrap_or(texture)).name.clone();
    if let Some(video) = video {
        all.extend(paths(&import.objects, video));
    }
    all.retain(|path| !path.is_empty());
    if let (true, Some(video)) = (all.is_empty(), video) {
        all.push(unnamed(video));
    }
    let Some(first) = all.first().cloned() else { return Ok(None) };
    let key = (first.clone(), all.last().cloned().unwrap_or_default());
    if let Some(known) = import.textures.images.get(&key) {
        return Ok(Some(*known));
    }
    let mut image = Image::default();
    image.name = name;
    if let Some(bytes) = embedded(import, &all)? {
        if !first.starts_with("video:") {
            image.extras.set_bookkeeping("fbx.file", base_name(&first));
        }
        image.bytes = Some(bytes);
    } else {
        let paths: Vec<&str> = all.iter().map(String::as_str).collect();
        match import.files.search(&paths)? {
            Some(found) => {
                if found.is_other_kind {
                    import.context.tell(&codes::TEXTURE_FILE, base_name(&first), format!("{} was taken", found.name));
                }
                let reason = no_image(&found.bytes);
                if let Some(reason) = reason {
                    let line = Diagnostic::new(&codes::TEXTURE_CONTENT, found.name.clone(), reason);
                    import.context.push(line.at(import.objects.place(texture)));
                }
                (image.uri, image.bytes) = (Some(found.name), reason.is_none().then_some(found.bytes));
            }
            None => {
                let line = Diagnostic::new(&codes::TEXTURE_MISSING, base_name(&first), "put it beside the FBX file");
                import.context.push(line.at(import.objects.place(texture)));
                image.uri = Some(base_name(&first).to_owned());
            }
        }
    }
    let kind = image.bytes.as_deref().and_then(anyrig_image::sniff);
    image.mime_type = kind.map(|k| k.media_type().to_owned());
    let id = import.scene.images.push(image);
    import.textures.images.insert(key, id);
    Ok(Some(id))
}

/// Why a file cannot be an image, where that is certain.
fn no_image(bytes: &[u8]) -> Option<&'static str> {
    let is_fbx = || crate::probe(bytes, anyrig_scene::Hint::default()) == anyrig_scene::Score::Certain;
    if bytes.is_empty() {
        return Some("the file is empty; put the image in its place");
    }
    is_fbx().then_some("the file is an FBX file, no image; put the image beside it")
}

/// The embedded file of a path. Of several videos of one file only one may hold it.
fn embedded(import: &mut Import<'_>, paths: &[String]) -> Result<Option<SharedBytes>> {
    if import.textures.embedded.is_none() {
        import.textures.embedded = Some(all_embedded(import)?);
    }
    let Some(known) = &import.textures.embedded else { return Ok(None) };
    let whole = paths.iter().find_map(|path| known.get(&path.to_lowercase()));
    let base = || paths.iter().find_map(|path| known.get(&base_name(path).to_lowercase()));
    Ok(whole.or_else(base).cloned())
}

/// Stands for the path of a video that states none. No file has such a name.
fn unnamed(video: ObjectId) -> String {
    format!("video:{}", video.index())
}

fn all_embedded(import: &mut Import<'_>) -> Result<BTreeMap<String, SharedBytes>> {
    let mut known = BTreeMap::new();
    let videos: Vec<ObjectId> = import.objects.of_class("Video").map(|v| v.id).collect();
    for video in videos {
        let Some(content) = import.objects.get(video).node.child("Content") else { continue };
        let bytes = match content.content(&mut import.decoder) {
            Ok(bytes) => bytes,
            Err(error) if error.ends_job() => return Err(error),
            Err(error) => {
                let name = import.objects.get(video).name.clone();
                let line = Diagnostic::new(&codes::TEXTURE_CONTENT, name, error.message());
                import.context.push(line.at(content.place()));
                continue;
            }
        };
        if bytes.is_empty() {
            continue;
        }
        let mut all: Vec<String> = paths(&import.objects, video).into();
        all.retain(|path| !path.is_empty());
        if all.is_empty() {
            all.push(unnamed(video));
        }
        for path in &all {
            known.entry(path.to_lowercase()).or_insert_with(|| bytes.clone());
            known.entry(base_name(path).to_lowercase()).or_insert_with(|| bytes.clone());
        }
    }
    Ok(known)
}
