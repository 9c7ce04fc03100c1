//! One of what is there several times.

mod parts;
#[cfg(test)]
mod tests;

use crate::references::{NewIds, Pinned, numbered, pinned};
use crate::{Count, codes, counts};
use anyrig_bytes::{Context, Result};
use anyrig_scene::{Arena, ElementId, Id, Image, Material, Mesh, RootSet, Scene, Skin, Target, Texture};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};

/// When two elements count as equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Names {
    /// Only with equal names, so that every name stays.
    #[default]
    Matter,
    /// Whatever they are called; the first one's name stays, or if that has none, the next one's.
    Ignore,
}

/// Which elements become one where they are equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Equal {
    /// All.
    #[default]
    Merge,
    /// None.
    Keep,
}

/// What becomes of parts of one mesh that wear the same material.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Parts {
    /// They stay apart.
    Keep,
    /// They become one.
    #[default]
    Join,
}

/// What becomes of several root sets (glTF: scenes).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RootSets {
    /// They stay apart.
    #[default]
    Keep,
    /// They become one that shows all that any of them shows.
    Join,
}

/// Options of [`merge`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct MergeOptions {
    /// Equal images, textures, materials, meshes and skins. Default: `merge`.
    pub equal: Equal,
    /// Whether names count for that. Those of images never do: their content says what they are. Default: `matter`.
    pub names: Names,
    /// Parts of a mesh that wear the same material. Default: `join`.
    pub parts: Parts,
    /// Root sets. Default: `keep`.
    pub root_sets: RootSets,
}

/// How many elements [`merge`] made superfluous.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MergeStats {
    /// Images.
    pub images: u64,
    /// Textures.
    pub textures: u64,
    /// Materials.
    pub materials: u64,
    /// Meshes.
    pub meshes: u64,
    /// Skins.
    pub skins: u64,
    /// Parts.
    pub parts: u64,
    /// Root sets.
    pub root_sets: u64,
}

impl MergeStats {
    /// All kinds, in this order.
    pub fn counts(&self) -> [Count; 7] {
        [
            Count::new(self.images, "image", "images"),
            Count::new(self.textures, "texture", "textures"),
            Count::new(self.materials, "material", "materials"),
            Count::new(self.meshes, "mesh", "meshes"),
            Count::new(self.skins, "skin", "skins"),
            Count::new(self.parts, "part", "parts"),
            Count::new(self.root_sets, "root set", "root sets"),
        ]
    }
}

/// Makes one of equal images, textures, materials, meshes and skins, one part of a mesh's parts with the same material,
/// and one root set of several, as the options want it. The scene looks and moves the same.
///
/// Elements are equal when all that they hold is, extras included; of equal ones the first stays. Lists that carried data
/// may refer to by number stay as they are, as in [`crate::prune()`]. Images are equal by media type and bytes. No name is
/// made up and none is given twice; where the one that stays has a name, another name that goes is told
/// (`passes.name-gone`). Parts are joined when topology, kinds of attributes, influences and moving morph targets agree and
/// neither has extras; where a material blends, only neighbours are, so that what is drawn in order stays in order. What
/// became one is told by kind (`passes.merged`).
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Malformed`] when a part was not validated; [`anyrig_bytes::ErrorKind::Cancelled`];
/// [`anyrig_bytes::ErrorKind::LimitExceeded`] when joined parts pass the memory limit.
pub fn merge(scene: &mut Scene, options: &MergeOptions, context: &Context) -> Result<MergeStats> {
    context.check_cancelled()?;
    let mut stats = MergeStats::default();
    if options.equal == Equal::Merge {
        let used = vec![true; scene.meshes.len()];
        merge_equal(scene, options.names, pinned(scene, &used), &mut stats, context)?;
    }
    if options.parts == Parts::Join {
        stats.parts = parts::join(scene, context)?;
    }
    if options.root_sets == RootSets::Join {
        stats.root_sets = join_root_sets(scene);
    }
    counts::tell(&stats.counts(), &codes::MERGED, "equal ones became one", context);
    Ok(stats)
}

/// One kind after the other, because what refers to equal elements becomes equal itself.
fn merge_equal(
    scene: &mut Scene,
    names: Names,
    pinned: Pinned,
    stats: &mut MergeStats,
    context: &Context,
) -> Result<()> {
    macro_rules! merge {
        ($list:ident, $word:literal, $key:expr) => {{
            context.check_cancelled()?;
            let kind = Kind { word: $word, list: |s| &mut s.$list, ids: |i| &mut i.$list };
            stats.$list = merge_kind(scene, &kind, $key, context);
        }};
    }
    if !pinned.textures {
        merge!(images, "image", image_key);
        merge!(textures, "texture", |t: &Texture| with_name(t, names));
    }
    if pinned.all {
        return Ok(());
    }
    // Of equal materials, one may move and the other stand still.
    if !moves_materials(scene) {
        merge!(materials, "material", |m: &Material| with_name(m, names));
    }
    merge!(meshes, "mesh", |m: &Mesh| with_name(m, names));
    merge!(skins, "skin", |s: &Skin| with_name(s, names));
    Ok(())
}

fn moves_materials(scene: &Scene) -> bool {
    let of_material = |target: &Target| {
        matches!(target, Target::Material { .. } | Target::Named { element: ElementId::Material(_), .. })
    };
    scene.clips.iter().flat_map(|c| &c.channels).any(|c| of_material(&c.target))
}

/// A kind of element: its word, its list, and the new ids of the list.
struct Kind<T> {
    word: &'static str,
    list: fn(&mut Scene) -> &mut Arena<T>,
    ids: fn(&mut NewIds) -> &mut Vec<Option<Id<T>>>,
}

/// Makes one of those whose keys are equal; how many went.
fn merge_kind<T: Element>(scene: &mut Scene, kind: &Kind<T>, key: impl Fn(&T) -> T, context: &Context) -> u64 {
    let mut new = NewIds::same(scene);
    let list = (kind.list)(scene);
    let first = first_equal(list, key);
    let gone: Vec<usize> = (0..first.len()).filter(|i| first[*i] != *i).collect();
    if gone.is_empty() {
        return 0;
    }
    for index in &gone {
        pass_name_on(list.as_mut_slice(), (*index, first[*index]), kind.word, context);
    }
    *(kind.ids)(&mut new) = numbered(&vec![true; first.len()], |i| first[i]);
    new.apply(scene);
    gone.len() as u64
}

/// Gives the name of an element that goes to the one that stays, if that has none; else tells which name goes.
fn pass_name_on<T: Element>(list: &mut [T], (gone, kept): (usize, usize), word: &str, context: &Context) {
    let name = std::mem::take(list[gone].name_mut());
    if list[kept].name_mut().is_empty() {
        *list[kept].name_mut() = name;
        return;
    }
    let kept = list[kept].label();
    let label = if name.is_empty() { list[gone].label() } else { &name };
    if !label.is_empty() && label != kept {
        context.tell(&codes::NAME_GONE, format!("{word} {label:?}"), format!("it is the same as {kept:?}"));
    }
}

/// The element without its name where names do not matter.
fn with_name<T: Element>(item: &T, names: Names) -> T {
    let mut item = item.clone();
    if names == Names::Ignore {
        item.name_mut().clear();
    }
    item
}

fn image_key(image: &Image) -> Image {
    let mut key = image.clone();
    // An image without content is known by its name only.
    if image.bytes.is_some() {
        key.name.clear();
        key.uri = None;
    }
    key
}

/// How many elements of one hash are compared.
const MOST_COMPARED: usize = 16;

/// For each element the first one of an equal key.
fn first_equal<T: Element>(arena: &Arena<T>, key: impl Fn(&T) -> T) -> Vec<usize> {
    let mut known: BTreeMap<u64, Vec<(usize, T)>> = BTreeMap::new();
    let mut first: Vec<usize> = (0..arena.len()).collect();
    for (index, item) in arena.values().enumerate() {
        let key = key(item);
        let mut hasher = DefaultHasher::new();
        // The text shows the sign of zeros, which the comparison does not see.
        format!("{key:?}").hash(&mut hasher);
        key.contents(&mut hasher);
        let equal_hash = known.entry(hasher.finish()).or_default();
        match equal_hash.iter().find(|(_, other)| *other == key) {
            Some((other, _)) => first[index] = *other,
            None if equal_hash.len() < MOST_COMPARED => equal_hash.push((index, key)),
            None => {}
        }
    }
    first
}

/// What can be found equal.
trait Element: Clone + PartialEq + Debug {
    fn name_mut(&mut self) -> &mut String;

    /// What users know it by; may be empty.
    fn label(&self) -> &str;

    /// What its text leaves out.
    fn contents(&self, _: &mut DefaultHasher) {}
}

macro_rules! named_elements {
    ($($kind:ty)*) => {$(
        impl Element for $kind {
            fn name_mut(&mut self) -> &mut String {
                &mut self.name
            }

            fn label(&self) -> &str {
                &self.name
            }
        }
    )*};
}

named_elements!(Texture Material Skin);

impl Element for Image {
    fn name_mut(&mut self) -> &mut String {
        &mut self.name
    }

    fn label(&self) -> &str {
        if self.name.is_empty() { self.uri.as_deref().unwrap_or("") } else { &self.name }
    }

    fn contents(&self, hasher: &mut DefaultHasher) {
        self.bytes.as_ref().map(anyrig_bytes::SharedBytes::as_slice).hash(hasher);
    }
}

impl Element for Mesh {
    fn name_mut(&mut self) -> &mut String {
        &mut self.name
    }

    fn label(&self) -> &str {
        &self.name
    }

    fn contents(&self, hasher: &mut DefaultHasher) {
        for part in &self.parts {
            for stream in &part.streams {
                hasher.write(bytemuck::cast_slice(&stream.values));
            }
            part.corners.iter().for_each(|c| hasher.write(bytemuck::cast_slice(c)));
            for delta in part.morphs.iter().flat_map(|m| &m.deltas) {
                hasher.write(bytemuck::cast_slice(&delta.values));
            }
            part.influences.iter().for_each(|i| hasher.write(bytemuck::cast_slice(&i.weights)));
        }
    }
}

/// The number of sets that went. The first one's name and extras stay when it is shown first, else those of the default.
fn join_root_sets(scene: &mut Scene) -> u64 {
    if scene.root_sets.len() < 2 {
        return 0;
    }
    let kept = scene.default_root_set.filter(|i| *i < scene.root_sets.len()).unwrap_or(0);
    let mut seen = std::collections::BTreeSet::new();
    let roots = scene.root_sets.iter().flat_map(|s| s.roots.iter().copied()).filter(|r| seen.insert(*r)).collect();
    let gone = scene.root_sets.len() as u64 - 1;
    let mut joined: RootSet = scene.root_sets.swap_remove(kept);
    joined.roots = roots;
    scene.root_sets = vec![joined];
    scene.default_root_set = scene.default_root_set.map(|_| 0);
    gone
}
