//! Textures and videos: images with where they come from, how they lie on the surface and how they repeat.

use super::Import;
use super::files::base_name;
use super::objects::{End, ObjectId, Objects};
use crate::codes;
use crate::document::Node;
use anyrig_bytes::{Buffer, Diagnostic, Result, SharedBytes, maths::f64 as maths};
use anyrig_scene::{Image, ImageId, RotationOrder, Sampler, Texture, TextureId, UvTransform, Wrap};
use glam::{DAffine3, DVec3};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A texture as a material uses it.
#[derive(Clone, Debug)]
pub(super) struct Used {
    pub texture: TextureId,
    pub transform: Option<UvTransform>,
    /// The name of the set of texture coordinates; empty for the first. Any number of materials may use the texture.
    pub uv_set: Arc<str>,
}

/// Textures and images that were made.
#[derive(Debug, Default)]
pub(super) struct Textures {
    textures: BTreeMap<ObjectId, Option<Used>>,
    /// Where each texture on the way to a file leads.
    steps: BTreeMap<ObjectId, Step>,
    /// The first video of each name.
    videos: Option<BTreeMap<String, ObjectId>>,
    images: BTreeMap<ImageKey, ImageId>,
    embedded: Option<Embedded>,
}

/// What makes two textures show one image.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ImageKey {
    /// The video whose embedded file it is.
    Embedded(ObjectId),
    /// The first and the last path that name the file.
    Paths(String, String),
}

/// Embedded files.
#[derive(Debug, Default)]
struct Embedded {
    /// By the video that holds them.
    files: BTreeMap<ObjectId, SharedBytes>,
    /// The holder of the content of each video that has its own: of videos of one path and one content the first.
    own: BTreeMap<ObjectId, ObjectId>,
    /// The first holder of each path, in lower case, and of each last part of a path.
    by_path: BTreeMap<String, ObjectId>,
}

impl Embedded {
    fn add(&mut self, video: ObjectId, paths: &[String], bytes: SharedBytes) {
        let keys: Vec<String> =
            paths.iter().flat_map(|path| [path.to_lowercase(), base_name(path).to_lowercase()]).collect();
        let same =
            keys.iter().filter_map(|key| self.by_path.get(key)).find(|first| self.files.get(first) == Some(&bytes));
        let holder = same.copied().unwrap_or(video);
        self.own.insert(video, holder);
        for key in keys {
            self.by_path.entry(key).or_insert(holder);
        }
        self.files.entry(holder).or_insert(bytes);
    }

    /// Who holds the file of a texture: its own video, else another one of its path, since of several videos of one file
    /// only one may hold it.
    fn holder(&self, video: Option<ObjectId>, paths: &[String]) -> Option<ObjectId> {
        let own = video.and_then(|video| self.own.get(&video));
        let whole = || paths.iter().find_map(|path| self.by_path.get(&path.to_lowercase()));
        let base = || paths.iter().find_map(|path| self.by_path.get(&base_name(path).to_lowercase()));
        own.or_else(whole).or_else(base).copied()
    }
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
    let Some(object) = behind(import, object)? else { return Ok(None) };
    if let Some(known) = import.textures.textures.get(&object) {
        return Ok(known.clone());
    }
    let used = make(import, object)?;
    import.textures.textures.insert(object, used.clone());
    Ok(used)
}

/// The texture with a file that a layered or wrapping texture stands for.
fn behind(import: &mut Import<'_>, start: ObjectId) -> Result<Option<ObjectId>> {
    let mut at = start;
    for _ in 0..MAX_CHAIN {
        let step = match import.textures.steps.get(&at) {
            Some(known) => *known,
            None => {
                let step = step(import, at)?;
                import.textures.steps.insert(at, step);
                step
            }
        };
        match step {
            Step::File => return Ok(Some(at)),
            Step::To(next) => at = next,
            Step::Nothing => return Ok(None),
        }
    }
    Ok(None)
}

fn step(import: &mut Import<'_>, at: ObjectId) -> Result<Step> {
    if import.objects.get(at).class == "LayeredTexture" {
        return lowest_layer(import, at);
    }
    if video(import, at).is_some() || !paths(&import.objects, at).iter().all(String::is_empty) {
        return Ok(Step::File);
    }
    // 3ds Max puts a texture that changes normals before the one with the image.
    let next = import.objects.property_sources(at).find(|(_, o)| is_texture(&o.class));
    Ok(next.map_or(Step::Nothing, |(_, o)| Step::To(o.id)))
}

/// Layers are listed from the top down; the lowest one covers the surface.
fn lowest_layer(import: &mut Import<'_>, at: ObjectId) -> Result<Step> {
    let layers = import.objects.children(End::Object(at)).filter(|o| is_texture(&o.class));
    let (count, lowest) = layers.fold((0, Step::Nothing), |(count, _), layer| (count + 1, Step::To(layer.id)));
    if count > 1 {
        let (node, name) = (import.objects.get(at).node, import.objects.get(at).name.clone());
        let mut message = format!("of {count} layers the lowest one is shown");
        for list in ["BlendModes", "Alphas"] {
            message += &spelled(import, (node, list))?;
        }
        import.context.push(Diagnostic::new(&codes::TEXTURE_LAYERS, name, message).at(node.place()));
    }
    Ok(lowest)
}

/// The first numbers of a list, for a message: few layers lie on each other.
fn spelled(import: &mut Import<'_>, (node, name): (Node<'_>, &str)) -> Result<String> {
    let Some(list) = node.child(name) else { return Ok(String::new()) };
    let numbers: Buffer<f32> = list.array(&mut import.decoder)?;
    let numbers = numbers.iter().take(MOST_SPELLED).map(f32::to_string).collect::<Vec<_>>().join(", ");
    Ok(format!("; {name} {numbers}"))
}

const MOST_SPELLED: usize = 16;

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
    if let Some(all) = import.data(object, |_| true)? {
        texture.extras.set_bookkeeping("fbx.properties", all);
    }
    let objects = &import.objects;
    if let Some(source) = objects.get(object).node.child("Texture_Alpha_Source").and_then(|n| n.text(0)) {
        texture.extras.set_bookkeeping("fbx.alpha_source", source.into_owned());
    }
    let uv_set = objects.text(object, "UVSet").filter(|name| name != "default").unwrap_or_default();
    // It may be that of the template, which all textures share.
    import.take_product(uv_set.len(), object)?;
    let uv_set = uv_set.into();
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
    let name = import.objects.get(video.unwrap_or(texture)).name.clone();
    let mut all: Vec<String> = paths(&import.objects, texture).into();
    if let Some(video) = video {
        all.extend(paths(&import.objects, video));
    }
    // Several textures may share a video, and all of them what their template says.
    import.take_product(KEPT_COPIES * text_bytes(&all, &name), texture)?;
    all.retain(|path| !path.is_empty());
    if let (true, Some(video)) = (all.is_empty(), video) {
        all.push(unnamed(video));
    }
    let [first, ..] = all.as_slice() else { return Ok(None) };
    let holder = holder(import, video, &all)?;
    let last = all.last().unwrap_or(first);
    let key = holder.map_or_else(|| ImageKey::Paths(first.clone(), last.clone()), ImageKey::Embedded);
    if let Some(known) = import.textures.images.get(&key) {
        return Ok(Some(*known));
    }
    let mut image = match holder.and_then(|holder| import.textures.embedded.as_ref()?.files.get(&holder)) {
        Some(bytes) => embedded_image(first, bytes.clone()),
        None => file_image(import, texture, &all)?,
    };
    image.name = name;
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

/// How often the paths and the name of an image are kept at most, in the image and to find it again.
const KEPT_COPIES: usize = 3;

fn text_bytes(paths: &[String], name: &str) -> usize {
    paths.iter().map(String::len).sum::<usize>() + name.len()
}

fn embedded_image(path: &str, bytes: SharedBytes) -> Image {
    let mut image = Image::default();
    if !path.starts_with(UNNAMED) {
        image.extras.set_bookkeeping("fbx.file", base_name(path));
    }
    image.bytes = Some(bytes);
    image
}

/// The image of a file beside the document.
fn file_image(import: &Import<'_>, texture: ObjectId, paths: &[String]) -> Result<Image> {
    let mut image = Image::default();
    let first = paths.first().map_or("", |path| base_name(path));
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    match import.files.search(&paths)? {
        Some(found) => {
            if found.is_other_kind {
                import.context.tell(&codes::TEXTURE_FILE, first, format!("{} was taken", found.name));
            }
            let reason = no_image(&found.bytes);
            if let Some(reason) = reason {
                let line = Diagnostic::new(&codes::TEXTURE_CONTENT, found.name.clone(), reason);
                import.context.push(line.at(import.objects.place(texture)));
            }
            (image.uri, image.bytes) = (Some(found.name), reason.is_none().then_some(found.bytes));
        }
        None => {
            let line = Diagnostic::new(&codes::TEXTURE_MISSING, first, "put it beside the FBX file");
            import.context.push(line.at(import.objects.place(texture)));
            image.uri = Some(first.to_owned());
        }
    }
    Ok(image)
}

/// The video that holds the embedded file of a texture.
fn holder(import: &mut Import<'_>, video: Option<ObjectId>, paths: &[String]) -> Result<Option<ObjectId>> {
    let embedded = match import.textures.embedded.take() {
        Some(known) => known,
        None => all_embedded(import)?,
    };
    let holder = embedded.holder(video, paths);
    import.textures.embedded = Some(embedded);
    Ok(holder)
}

/// Stands for the path of a video that states none. No file has such a name.
fn unnamed(video: ObjectId) -> String {
    format!("{UNNAMED}{}", video.index())
}

const UNNAMED: &str = "video:";

fn all_embedded(import: &mut Import<'_>) -> Result<Embedded> {
    let mut known = Embedded::default();
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
        import.take_product(KEPT_COPIES * text_bytes(&all, ""), video)?;
        all.retain(|path| !path.is_empty());
        known.add(video, &all, bytes);
    }
    Ok(known)
}
