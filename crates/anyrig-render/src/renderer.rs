//! Scenes made ready for pictures, and the pictures.

use crate::color::Rgba;
use crate::debug::legend::Legend;
use crate::debug::{self, DebugView};
use crate::description::{Lighting, Surface};
use crate::draw::{Figure, Picture, PictureSize};
use crate::drawable::Drawable;
use crate::framing::{Extent, View, robust_box};
use crate::marks::Marks;
use crate::mistakes::Mistake;
use crate::posing::{PoseChoice, bind_pose};
use crate::prepare;
use crate::shade::Materials;
use crate::texture::Texture;
use crate::{codes, head, vrm};
use anyrig_animation::{Evaluator, Look, Pose, PosedPart, for_each_posed_part};
use anyrig_bytes::{Context, Error, Place, Result};
use anyrig_image::Rgba8Image;
use anyrig_scene::{Clip, MaterialId, NodeId, Scene, Target};
use glam::{DAffine3, DVec3, Vec3};
use rayon::prelude::*;

/// Moments of a clip that a picture of it is framed by.
const MOMENTS: usize = 17;

/// Points that are posed for framing, over all moments; large models are looked at less often.
const FRAMED_POINTS: usize = 6_000_000;

/// What a picture shows, and how.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PictureOptions {
    /// In pixels. Default: 512 × 512.
    pub size: PictureSize,
    /// From where. Default: [`View::ThreeQuarter`].
    pub view: View,
    /// Default: [`PoseChoice::Rest`].
    pub pose: PoseChoice,
    /// What is inside, instead of what it looks like.
    pub debug: Option<DebugView>,
    /// Index of the node that `debug` is about, for views of one joint.
    pub bone: Option<usize>,
    /// Whether a strip below a debug view says what its colours mean, in pictures of 192 pixels or more each way. Default:
    /// true.
    pub legend: bool,
    /// Behind everything. Default: [`Rgba::BACKDROP`].
    pub background: Rgba,
    /// Whether a floor takes the figure's shadow. Debug views have none. Default: true.
    pub ground: bool,
    /// Samples along each side of a pixel, 1 to 4. Default: 2.
    pub samples: u32,
}

impl Default for PictureOptions {
    fn default() -> Self {
        Self {
            size: PictureSize::square(512),
            view: View::default(),
            pose: PoseChoice::default(),
            debug: None,
            bone: None,
            legend: true,
            background: Rgba::default(),
            ground: true,
            samples: 2,
        }
    }
}

/// A scene that pictures are taken of.
#[derive(Debug)]
pub struct Renderer {
    scene: Scene,
    /// The scene's geometry without what only shading needs, to find out quickly where points are.
    outline: Scene,
    textures: Vec<Texture>,
    rest: Pose,
    point_count: usize,
    mistake: Option<Mistake>,
}

/// One moment of a scene, ready to be drawn or turned into a debug view.
pub(crate) struct Scenery<'a> {
    pub scene: &'a Scene,
    pub drawables: Vec<Drawable<'a>>,
    pub ghost: Vec<Drawable<'a>>,
    pub marks: Marks,
    /// Diagonal of the figure's box.
    pub size: f32,
    /// `scene_from_node` of every node.
    pub worlds: Vec<DAffine3>,
    /// The same at rest.
    pub rest_worlds: Vec<DAffine3>,
    renderer: &'a Renderer,
}

impl<'a> Scenery<'a> {
    /// The geometry in its bind pose.
    pub fn bound(&self) -> Vec<Drawable<'a>> {
        self.renderer.drawables(&bind_pose(self.scene, &self.renderer.rest))
    }
}

impl Renderer {
    /// Makes a scene ready: brings it into the space of glTF, cuts polygons into triangles, and decodes the textures that
    /// shown materials read. Where the extensions that travel with a scene of glTF are those of VRM, the figure is turned to
    /// the viewer (0.x) and its materials are drawn in two steps (MToon). Helpers that tools export as geometry (colliders and widgets, by their tools' name
    /// prefixes) are left out. Textures that cannot be decoded are left out and told.
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::Malformed`] where [`anyrig_scene::validate()`] has not seen the scene;
    /// [`anyrig_bytes::ErrorKind::LimitExceeded`]; [`anyrig_bytes::ErrorKind::Cancelled`].
    pub fn new(scene: Scene, context: &Context) -> Result<Self> {
        let prepared = prepare::run(scene, context)?;
        let rest = Pose::rest_within(&prepared.scene, context)?;
        let (scene, outline, textures) = (prepared.scene, prepared.outline, prepared.textures);
        Ok(Self { scene, outline, textures, rest, point_count: prepared.point_count, mistake: None })
    }

    /// The same, but that its pictures are made with a mistake. They are framed by what is right as well, so that what
    /// is in the wrong place is seen to be there.
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::LimitExceeded`].
    pub fn with_mistake(mut self, mistake: Mistake, context: &Context) -> Result<Self> {
        mistake.spoil(&mut self.scene, context)?;
        self.mistake = Some(mistake);
        Ok(self)
    }

    /// The scene as it is drawn.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Takes a picture. Of a scene that shows nothing it is the backdrop, and told.
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::Usage`] for a size of nothing, or for [`View::Face`] where there is no head;
    /// [`anyrig_bytes::ErrorKind::LimitExceeded`]; [`anyrig_bytes::ErrorKind::Cancelled`].
    pub fn picture(&self, options: &PictureOptions, context: &Context) -> Result<Rgba8Image> {
        let options = &self.shown_instead(options, context);
        let legend = Legend::of(options, &self.scene);
        let inner = &legend.as_ref().map_or_else(|| options.clone(), |legend| legend.above(options));
        let extent = self.extent(inner, Turning::No, context)?;
        let picture = self.take(inner, &extent, context)?;
        with_legend(picture, legend.as_ref(), (options, context))
    }

    /// The options, or those of the joints' view for a scene that has joints and nothing else to show, as files of
    /// motions are.
    pub(crate) fn shown_instead(&self, options: &PictureOptions, context: &Context) -> PictureOptions {
        if self.point_count > 0 || options.debug.is_some() {
            return options.clone();
        }
        let joints = debug::joints(&self.scene).len();
        let message = if joints > 0 { "its joints are drawn instead" } else { "" };
        context.tell(&codes::NOTHING_SHOWN, "scene", message);
        PictureOptions { debug: (joints > 0).then_some(DebugView::Bones), ..options.clone() }
    }

    /// Pictures all round the figure, the first from the view and each of the others a step further to the figure's left.
    /// The camera keeps its distance, so that the figure seems to turn.
    ///
    /// # Errors
    /// Those of [`Renderer::picture`].
    pub fn turntable(&self, options: &PictureOptions, frames: u32, context: &Context) -> Result<Vec<Rgba8Image>> {
        let options = &self.shown_instead(options, context);
        let frames = frames.max(1);
        let legend = Legend::of(options, &self.scene);
        let inner = &legend.as_ref().map_or_else(|| options.clone(), |legend| legend.above(options));
        let extent = self.extent(inner, Turning::Yes, context)?;
        let picture = |frame: u32| {
            let view = inner.view.turned(360.0 * f64::from(frame) / f64::from(frames));
            let picture = self.take(inner, &extent.seen_from(view), context)?;
            with_legend(picture, legend.as_ref(), (options, context))
        };
        (0..frames).map(picture).collect()
    }

    /// As [`Renderer::picture`], in the frame of an extent that was found before.
    pub(crate) fn take(&self, options: &PictureOptions, extent: &Extent, context: &Context) -> Result<Rgba8Image> {
        if extent.is_empty() && self.point_count > 0 {
            context.tell(&codes::NOTHING_SHOWN, "scene", "");
        }
        if options.bone.is_some_and(|bone| bone >= self.scene.nodes.len()) {
            return Err(Error::usage("the joint that the debug view is about does not exist"));
        }
        let pose = self.pose(options.pose);
        self.tell_unseen(&pose, options.pose, context);
        let camera = extent.camera();
        // What drawing takes is given back before the next picture; the pixels stay.
        options.size.book(context)?;
        let own = &context.apart();
        let mut scenery = self.scenery(&pose, extent);
        if let Some(view) = options.debug {
            let each = debug::BYTES_PER_POINT.saturating_mul(self.point_count as u64);
            own.take_memory(each, Place::whole)?;
            debug::apply(view, &mut scenery, options.bone);
        }
        let surfaces = self.surfaces(options.pose);
        let materials = Materials { surfaces: &surfaces, textures: &self.textures };
        let has_floor = options.ground && options.debug.is_none() && options.view != View::Face && !extent.is_empty();
        let figure = Figure { drawables: &scenery.drawables, materials, low: extent.low, high: extent.high };
        let picture = Picture {
            figure,
            ghost: std::mem::take(&mut scenery.ghost),
            marks: std::mem::take(&mut scenery.marks),
            camera,
            lighting: Lighting::studio(&camera),
            floor: has_floor.then_some(extent.low.y),
            background: options.background,
            size: options.size,
            samples: options.samples.clamp(1, 4),
        };
        picture.draw(own)
    }

    fn clip(&self, choice: PoseChoice) -> Option<&Clip> {
        match choice {
            PoseChoice::Clip { clip, .. } => self.scene.clips.get(clip),
            PoseChoice::Rest | PoseChoice::Bind => None,
        }
    }

    fn pose(&self, choice: PoseChoice) -> Pose {
        match (choice, self.clip(choice)) {
            (PoseChoice::Bind, _) => bind_pose(&self.scene, &self.rest),
            (PoseChoice::Clip { time_secs, .. }, Some(clip)) => self.posed(clip, self.shown_secs(clip, time_secs)),
            _ => self.rest.clone(),
        }
    }

    /// The moment of a clip that is drawn for the one that is asked for.
    fn shown_secs(&self, clip: &Clip, time_secs: Option<f64>) -> f64 {
        let time_secs = time_secs.unwrap_or(clip.start_secs);
        self.mistake.map_or(time_secs, |mistake| mistake.time_secs(clip.start_secs, time_secs))
    }

    fn posed(&self, clip: &Clip, time_secs: f64) -> Pose {
        let mut pose = self.rest.clone();
        pose.apply_clip(clip, time_secs);
        pose
    }

    /// The surfaces of all materials, and the one of parts that have none.
    fn surfaces(&self, choice: PoseChoice) -> Vec<Surface> {
        let moves = |clip: &&Clip| clip.channels.iter().any(|c| matches!(c.target, Target::Material { .. }));
        let look = self.clip(choice).filter(moves).map(|clip| {
            let time_secs = if let PoseChoice::Clip { time_secs, .. } = choice { time_secs } else { None };
            Look::of_clip(&self.scene, clip, self.shown_secs(clip, time_secs))
        });
        let of = |id: MaterialId| {
            let moved = look.as_ref().and_then(|look| look.material(id));
            let mut surface = Surface::new(Some(moved.unwrap_or(&self.scene.materials[id])), &self.scene);
            surface.shading = vrm::toon(&self.scene, id).unwrap_or(surface.shading);
            surface
        };
        let mut surfaces: Vec<Surface> = self.scene.materials.ids().map(of).collect();
        surfaces.push(Surface::new(None, &self.scene));
        surfaces
    }

    fn scenery(&self, pose: &Pose, extent: &Extent) -> Scenery<'_> {
        let evaluator = Evaluator::new(&self.scene);
        Scenery {
            scene: &self.scene,
            drawables: self.drawables(pose),
            ghost: Vec::new(),
            marks: Marks::default(),
            size: extent.size() as f32,
            worlds: evaluator.worlds(pose),
            rest_worlds: evaluator.worlds(&self.rest),
            renderer: self,
        }
    }

    fn drawables(&self, pose: &Pose) -> Vec<Drawable<'_>> {
        let worlds = Evaluator::new(&self.scene).worlds(pose);
        let drawable = |posed: PosedPart| {
            let part = &self.scene.meshes[posed.mesh].parts[posed.part];
            let (surface, mirrored) = (self.surface_of(&posed), prepare::is_mirrored(&self.scene, &posed, &worlds));
            let mut drawable = Drawable::new(part, posed);
            (drawable.surface, drawable.mirrored) = (surface, mirrored);
            drawable
        };
        let mut drawables = Vec::new();
        let take = |posed| drawables.push(drawable(posed));
        match self.mistake {
            None => for_each_posed_part(&self.scene, pose, take),
            Some(mistake) => mistake.for_each_posed_part(&self.scene, pose, take),
        }
        drawables
    }

    /// Tells of a mistake that leaves all points where they belong.
    fn tell_unseen(&self, pose: &Pose, choice: PoseChoice, context: &Context) {
        let Some(mistake) = self.mistake else { return };
        let mut wrong = Vec::new();
        mistake.for_each_posed_part(&self.scene, pose, |posed| wrong.push(posed.positions));
        let right_pose = match (choice, self.clip(choice)) {
            (PoseChoice::Clip { time_secs, .. }, Some(clip)) => self.posed(clip, time_secs.unwrap_or(clip.start_secs)),
            _ => pose.clone(),
        };
        let mut right = Vec::new();
        for_each_posed_part(&self.outline, &right_pose, |posed| right.push(posed.positions));
        if wrong == right {
            context.tell(&codes::MISTAKE_UNSEEN, mistake.name(), unseen_hint(mistake));
        }
    }

    fn surface_of(&self, posed: &PosedPart) -> usize {
        let slot = self.scene.meshes[posed.mesh].parts[posed.part].slot as usize;
        let instance = self.scene.nodes[posed.node].mesh.as_ref();
        let worn = instance.and_then(|i| i.materials.get(slot).copied().flatten());
        worn.map_or(self.scene.materials.len(), |id| id.index().min(self.scene.materials.len()))
    }

    /// How far the figure reaches in all that a picture of it may show.
    pub(crate) fn extent(&self, options: &PictureOptions, turning: Turning, context: &Context) -> Result<Extent> {
        if options.size.width == 0 || options.size.height == 0 {
            options.size.book(context)?;
        }
        let head = if options.view == View::Face { Some(self.head_nodes()?) } else { None };
        let (poses, joints) = (self.poses_to_frame(options), debug::joints(&self.scene));
        let around = |pivot: Option<DVec3>| -> Result<Extent> {
            let empty = Extent::new(options.view, options.size.aspect(), pivot);
            let of = |pose: &Pose| -> Result<Extent> {
                context.check_cancelled()?;
                let mut points = self.points(pose, head.as_deref());
                if matches!(options.debug, Some(DebugView::Bones | DebugView::Axes)) {
                    let worlds = Evaluator::new(&self.scene).worlds(pose);
                    points.extend(joints.iter().map(|id| worlds[id.index()].translation.as_vec3()));
                }
                let (low, high) = robust_box(&points);
                let mut extent = empty.clone();
                extent.add(points.into_iter().filter(|p| p.cmpge(low).all() && p.cmple(high).all()));
                Ok(extent)
            };
            let extents: Vec<Extent> = poses.par_iter().map(of).collect::<Result<_>>()?;
            Ok(extents.iter().fold(empty, Extent::with))
        };
        let still = around(None)?;
        if turning == Turning::No { Ok(still) } else { around(Some(still.middle())) }
    }

    /// The poses that the picture shows, and those that the rest of the clip goes through.
    fn poses_to_frame(&self, options: &PictureOptions) -> Vec<Pose> {
        let mut poses = vec![self.pose(options.pose)];
        match options.debug {
            Some(DebugView::BindGhost) => poses.push(bind_pose(&self.scene, &self.rest)),
            Some(DebugView::Axes) => poses.push(self.rest.clone()),
            _ => {}
        }
        let Some(clip) = self.clip(options.pose) else { return poses };
        let moments = (FRAMED_POINTS / self.point_count.max(1)).clamp(3, MOMENTS);
        let length = clip.end_secs() - clip.start_secs;
        let at = |i: usize| clip.start_secs + length * i as f64 / (moments - 1) as f64;
        poses.extend((0..moments).map(|i| self.posed(clip, at(i))));
        poses
    }

    fn points(&self, pose: &Pose, head: Option<&[bool]>) -> Vec<Vec3> {
        let mut points = Vec::new();
        let mut take = |posed: PosedPart| match head {
            None => points.extend(posed.positions.iter().map(|p| Vec3::from_array(*p))),
            Some(head) => points.extend(self.points_of_head(&posed, head)),
        };
        for_each_posed_part(&self.outline, pose, &mut take);
        if let Some(mistake) = self.mistake {
            mistake.for_each_posed_part(&self.scene, pose, take);
        }
        points
    }

    /// The points of a part that the head moves more than all else.
    fn points_of_head<'p>(&'p self, posed: &'p PosedPart, head: &'p [bool]) -> impl Iterator<Item = Vec3> + 'p {
        let skin = self.scene.nodes[posed.node].mesh.as_ref().and_then(|i| self.scene.skins.get(i.skin?));
        let influences = self.scene.meshes[posed.mesh].parts[posed.part].influences.as_ref();
        let skinned = skin.zip(influences);
        let is_head = move |point: usize| match skinned {
            None => head[posed.node.index()],
            Some((skin, influences)) => {
                let (joints, weights) = influences.of(point);
                let of_head =
                    |joint: u32| skin.joints.get(joint as usize).is_some_and(|id| head.get(id.index()) == Some(&true));
                joints.iter().zip(weights).filter(|(joint, _)| of_head(**joint)).map(|(_, w)| w).sum::<f32>() > 0.5
            }
        };
        posed.positions.iter().enumerate().filter(move |(i, _)| is_head(*i)).map(|(_, p)| Vec3::from_array(*p))
    }

    fn head_nodes(&self) -> Result<Vec<bool>> {
        let found: Option<NodeId> = head::find(&self.scene);
        let found = found
            .ok_or_else(|| Error::usage("no bone is called `head`, so there is no view of the face; take another"))?;
        Ok(head::below(&self.scene, found))
    }
}

fn with_legend(
    picture: Rgba8Image,
    legend: Option<&Legend>,
    (options, context): (&PictureOptions, &Context),
) -> Result<Rgba8Image> {
    match legend {
        Some(legend) => {
            options.size.book(context)?;
            legend.below(&picture, options)
        }
        None => Ok(picture),
    }
}

/// Where a mistake would be seen.
fn unseen_hint(mistake: Mistake) -> &'static str {
    match mistake {
        Mistake::DoubleTransform => "the node that shows the mesh stands where the scene does",
        Mistake::WrongTicks => "take a moment at which the figure has moved",
        _ => "take a figure with a skin, in another pose",
    }
}

/// Whether a figure is to turn before the camera.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turning {
    No,
    Yes,
}
