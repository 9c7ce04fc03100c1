//! From a document to a scene.
//!
//! The road: [`Objects`] (both object models as one list with connections) and [`Settings`], then rooms that each fill
//! their part of the scene and of what [`Import`] remembers: nodes, cameras and lights, geometry, skins, blend shapes,
//! materials, textures, and at last animation, which needs to know where everything went.
//!
//! What the scene has no word for stays as extras. What users attached to models, geometry, materials, cameras and lights is
//! [`anyrig_scene::USER`] data of their elements, unless a program hides it. Carried are constraints, display layers,
//! selection sets, levels of detail, creases, holes, groups of polygons, settings of subdivision, textures without a place,
//! points between two methods of skinning and kinds of lights that the scene does not have. Bookkeeping is how the file
//! spells what the scene says: properties, shading models, kinds of nodes, names of sets of texture coordinates and of
//! embedded files, which diagonals an editor draws, how the strength of a light falls off; and who wrote the file and how
//! many frames its time line shows.
//!
//! The scene keeps the file's own space, units and transform chain; `anyrig_passes` bakes what a target cannot hold.

mod animation;
mod booking;
mod cameras;
mod curves;
mod files;
mod geometry;
mod groups;
mod inbetween;
mod leftovers;
mod materials;
mod nodes;
mod objects;
mod properties;
mod settings;
mod shapes;
mod skins;
mod takes;
mod textures;

pub use objects::{Connection, End, Object, ObjectId, Objects};
pub use properties::{NamedProperty, Properties};
pub use settings::Settings;

use crate::document::{Ahead, Decoder, FbxDocument};
use anyrig_bytes::{Context, Result, Source};
use anyrig_scene::{ElementId, NodeId, Scene, TransformPart, validate};
use std::collections::{BTreeMap, BTreeSet};

/// What the rooms share while a scene is made.
#[derive(Debug)]
pub struct Import<'a> {
    /// Where limits, report and options are.
    pub context: &'a Context,
    /// All objects.
    pub objects: Objects<'a>,
    /// Axes, unit and time.
    pub settings: Settings,
    /// The scene so far.
    pub scene: Scene,
    /// Decodes arrays.
    pub decoder: Decoder<'a>,
    /// The node of each `Model`.
    pub nodes: BTreeMap<ObjectId, NodeId>,
    /// The element that each object became, for animation of its properties. Models are among them.
    pub elements: BTreeMap<ObjectId, ElementId>,
    /// Before version 7000 cameras and lights are part of their model; most of what moves its properties is for them.
    pub attributes: BTreeMap<ObjectId, ElementId>,
    /// The morph targets of each `BlendShapeChannel`.
    pub morphs: BTreeMap<ObjectId, Vec<MorphBinding>>,
    /// In versions before 7000 the weight of a blend shape is a property of the model, by the shape's name.
    pub named_morphs: BTreeMap<(ObjectId, String), Vec<MorphBinding>>,
    /// In versions before 6000: the parts of transforms that a take has said.
    rests: BTreeSet<(ObjectId, TransformPart)>,
    /// The meshes, by the object that holds their geometry.
    geometries: BTreeMap<ObjectId, geometry::Geometry>,
    materials: materials::Materials,
    wardrobe: materials::Wardrobe,
    textures: textures::Textures,
    /// Where textures are looked for.
    files: files::Files<'a>,
    /// What one part of the file multiplies with another.
    booking: booking::Booking,
    /// The node that stands for the root of the scene, when a cluster follows it.
    root_joint: Option<NodeId>,
}

/// Morph targets that a blend shape channel moves, at one node that shows them.
///
/// With one target its weight is `percent / full_percent`. With several (in-betweens) the weights are piecewise linear:
/// at a target's full percentage it alone has weight 1, halfway to its neighbour both have one half; below the first
/// one the way goes from 0, beyond the last one it goes on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MorphBinding {
    /// The node that shows the mesh.
    pub node: NodeId,
    /// Index of each target in the mesh and the percentage at which it is fully on, ascending by percentage.
    pub targets: Vec<(u32, f64)>,
}

impl<'a> Import<'a> {
    /// Reads objects and settings; the scene is still empty.
    ///
    /// # Errors
    /// Beyond the limits.
    pub fn new(document: &'a FbxDocument, context: &'a Context) -> Result<Self> {
        let objects = Objects::read(document, context)?;
        let settings = Settings::read(document, &objects, context);
        let wardrobe = materials::Wardrobe::new(&objects);
        let mut scene = Scene::new(settings.space);
        if let Some(creator) = document.child("Creator").and_then(|n| n.text(0)) {
            scene.extras.set_bookkeeping("generator", creator.into_owned());
        }
        scene.extras.set_bookkeeping("fbx.frames_per_second", settings.frames_per_second);
        Ok(Self {
            context,
            objects,
            settings,
            scene,
            decoder: Decoder::new(context),
            nodes: BTreeMap::new(),
            elements: BTreeMap::new(),
            attributes: BTreeMap::new(),
            morphs: BTreeMap::new(),
            named_morphs: BTreeMap::new(),
            rests: BTreeSet::new(),
            geometries: BTreeMap::new(),
            materials: materials::Materials::default(),
            wardrobe,
            textures: textures::Textures::default(),
            files: files::Files::new(None),
            booking: booking::Booking::default(),
            root_joint: None,
        })
    }

    /// Blender writes some things in ways of its own.
    fn is_blender(&self) -> bool {
        let generator = self.scene.extras.get("generator").and_then(anyrig_bytes::Value::as_str);
        generator.is_some_and(|text| text.contains("Blender"))
    }
}

/// Makes a validated scene of a document.
///
/// # Errors
/// A hierarchy in which a node is its own ancestor, broken arrays, or beyond the limits.
pub fn import(document: &FbxDocument, context: &Context) -> Result<Scene> {
    import_beside(document, None, context)
}

/// As [`import`], with files beside the document, which textures are looked for among.
///
/// # Errors
/// As [`import`].
pub fn import_beside<'a>(
    document: &'a FbxDocument,
    source: Option<&'a dyn Source>,
    context: &'a Context,
) -> Result<Scene> {
    let ahead = Ahead::new(document, context);
    ahead.during(|| import_with(document, source, (context, &ahead)))
}

fn import_with<'a>(
    document: &'a FbxDocument,
    source: Option<&'a dyn Source>,
    (context, ahead): (&'a Context, &'a Ahead<'a>),
) -> Result<Scene> {
    let mut import = Import::new(document, context)?;
    import.decoder = Decoder::new(context).with_ahead(ahead).for_all_of(document);
    import.files = files::Files::new(source);
    nodes::read(&mut import)?;
    cameras::read(&mut import)?;
    geometry::read(&mut import)?;
    skins::read(&mut import)?;
    shapes::read(&mut import)?;
    materials::read(&mut import)?;
    animation::read(&mut import)?;
    groups::read(&mut import)?;
    leftovers::tell(&import);
    import.objects.tell_not_finite(context);
    let mut scene = import.scene;
    validate(&mut scene, context);
    Ok(scene)
}
