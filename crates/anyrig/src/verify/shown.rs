//! What a scene shows in a pose, as points, lines and triangles.

use anyrig_animation::{Evaluator, PointBox, Pose, PosedPart, try_for_each_posed_part};
use anyrig_bytes::{Context, Error, Place, Result, maths};
use anyrig_scene::glam::{DAffine3, DVec3};
use anyrig_scene::{Domain, Influences, NodeId, Part, Scene, Semantic, TexCoords, Topology, Trs, UvTransform, walk};

/// A point, a line or a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Primitive {
    /// Its points; the last one is repeated where there are fewer than three.
    pub(super) corners: [u32; 3],
    /// Number of corners.
    pub(super) size: u8,
    /// Whether formats differ in where it stands: no joint holds it.
    pub(super) is_loose: bool,
}

/// All primitives that a scene shows in a pose, polygons as fans, in the order of hierarchy, parts and faces. Triangles of
/// what a mirroring node shows are turned round, as engines show them, so that their fronts compare.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Shown {
    points: Vec<[f32; 3]>,
    pub(super) primitives: Vec<Primitive>,
}

impl Shown {
    /// `loose` has a flag for each node: what hangs on it is not compared. Each of these lists has the memory of a whole
    /// job for itself, since no more than a few are there at a time.
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::LimitExceeded`] when all points and primitives take more than the memory limit;
    /// [`anyrig_bytes::ErrorKind::Cancelled`].
    pub(super) fn of(scene: &Scene, pose: &Pose, loose: &[bool], context: &Context) -> Result<Self> {
        let (mut shown, fronts, apart) = (Self::default(), Fronts::of(scene), context.apart());
        try_for_each_posed_part(scene, pose, |posed| {
            apart.check_cancelled()?;
            let Some(part) = scene.meshes.get(posed.mesh).and_then(|m| m.parts.get(posed.part)) else { return Ok(()) };
            let bytes = primitive_count(part).saturating_mul(size_of::<Primitive>() as u64);
            apart.take_memory(bytes, || place(&posed))?;
            apart.take_memory((posed.positions.len() * size_of::<[f32; 3]>()) as u64, || place(&posed))?;
            let end = shown.points.len() + posed.positions.len();
            if u32::try_from(end).is_err() {
                return Err(Error::limit(place(&posed), "there are more points than can be numbered"));
            }
            let first = shown.points.len() as u32;
            let binding = Binding::of(scene, posed.node, part, loose);
            for_each_primitive(part, fronts.winding(&posed, part), |size, corners| {
                let points = corners.map(|c| part.point_of(c));
                if points.iter().all(|p| *p < posed.positions.len()) {
                    let is_loose = points.iter().any(|p| binding.is_loose(*p));
                    let corners = points.map(|p| first + p as u32);
                    shown.primitives.push(Primitive { corners, size, is_loose });
                }
            });
            shown.points.extend(posed.positions);
            Ok(())
        })?;
        Ok(shown)
    }

    /// The corners of a primitive.
    pub(super) fn corners(&self, primitive: &Primitive) -> [DVec3; 3] {
        let point = |corner: u32| self.points.get(corner as usize).copied().unwrap_or([f32::NAN; 3]);
        primitive.corners.map(|c| DVec3::from_array(point(c).map(f64::from)))
    }

    /// The diagonal of the box around all points, and the largest coordinate.
    pub(super) fn extent(&self) -> (f64, f64) {
        let all = PointBox::of_positions(&self.points);
        if all.is_empty() {
            return (0.0, 0.0);
        }
        (all.diagonal(), all.low.abs().max(all.high.abs()).max_element())
    }
}

/// The first texture coordinates of each corner, for each of [`Shown::primitives`] in the rest pose; not a number where
/// a part has none.
///
/// # Errors
/// As [`Shown::of`].
pub(super) fn texture_coordinates(
    scene: &Scene,
    (pose, which): (&Pose, TexCoords),
    context: &Context,
) -> Result<Vec<[[f32; 2]; 3]>> {
    let (mut all, fronts, apart) = (Vec::new(), Fronts::of(scene), context.apart());
    try_for_each_posed_part(scene, pose, |posed| {
        apart.check_cancelled()?;
        let Some(part) = scene.meshes.get(posed.mesh).and_then(|m| m.parts.get(posed.part)) else { return Ok(()) };
        let bytes = primitive_count(part).saturating_mul(size_of::<[[f32; 2]; 3]>() as u64);
        apart.take_memory(bytes, || place(&posed))?;
        let stream = part.stream(&Semantic::TexCoord(0)).filter(|s| s.domain != Domain::Face);
        let values = stream.and_then(|s| s.arrays::<2>()).unwrap_or(&[]);
        let by_corner = stream.is_some_and(|s| s.domain == Domain::Corner);
        let seen = seen_by(scene, &posed, part).filter(|_| which == TexCoords::AsSeen);
        let see = |uv: [f32; 2]| seen.map_or(uv, |transform| moved(uv, transform));
        for_each_primitive(part, fronts.winding(&posed, part), |_, corners| {
            if corners.iter().all(|c| part.point_of(*c) < posed.positions.len()) {
                let at = |c: usize| if by_corner { c } else { part.point_of(c) };
                all.push(corners.map(|c| values.get(at(c)).copied().map_or([f32::NAN; 2], see)));
            }
        });
        Ok(())
    })?;
    Ok(all)
}

/// The transform of the first texture that reads the first coordinates of a part.
fn seen_by(scene: &Scene, posed: &PosedPart, part: &Part) -> Option<UvTransform> {
    let instance = scene.nodes.get(posed.node)?.mesh.as_ref()?;
    let material = scene.materials.get(instance.materials.get(part.slot as usize).copied().flatten()?)?;
    material.texture_uses().find(|(_, used)| used.uv_set == 0).and_then(|(_, used)| used.transform)
}

/// Texture coordinates as a transform moves them, counter-clockwise as seen where V grows downwards.
fn moved(uv: [f32; 2], transform: UvTransform) -> [f32; 2] {
    let (sin, cos) = maths::f64::sin_cos(f64::from(transform.rotation_rad));
    let scaled = |axis: usize| f64::from(uv[axis]) * f64::from(transform.scale[axis]);
    let offset = transform.offset.map(f64::from);
    let (u, v) = (scaled(0), scaled(1));
    [(offset[0] + cos * u + sin * v) as f32, (offset[1] - sin * u + cos * v) as f32]
}

fn place(posed: &PosedPart) -> Place {
    Place::element(format!("node {} mesh {} part {}", posed.node.index(), posed.mesh.index(), posed.part))
}

/// How often [`for_each_primitive`] calls back.
fn primitive_count(part: &Part) -> u64 {
    let count = match part.topology {
        Topology::Points | Topology::Lines => part.face_count(),
        Topology::Triangles | Topology::Polygons { .. } => part.triangle_count(),
    };
    count as u64
}

/// In which order a triangle's corners show its front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Winding {
    AsStored,
    TurnedRound,
}

/// Which nodes mirror what they show, at rest.
struct Fronts<'a> {
    scene: &'a Scene,
    scene_from_node: Vec<DAffine3>,
}

impl<'a> Fronts<'a> {
    fn of(scene: &'a Scene) -> Self {
        Self { scene, scene_from_node: Evaluator::new(scene).worlds(&Pose::rest(scene)) }
    }

    /// Joints place skinned points, so there the node's own mirroring shows nowhere.
    fn winding(&self, posed: &PosedPart, part: &Part) -> Winding {
        let Some(node) = self.scene.nodes.get(posed.node) else { return Winding::AsStored };
        let is_skinned = part.influences.is_some() && node.mesh.as_ref().is_some_and(|i| i.skin.is_some());
        if is_skinned {
            return Winding::AsStored;
        }
        let instance = posed.instance.and_then(|i| node.instances.as_ref()?.transforms.get(i as usize));
        let node_from_instance = instance.map_or(DAffine3::IDENTITY, |trs| trs.to_affine());
        let scene_from_node = self.scene_from_node.get(posed.node.index()).copied().unwrap_or_default();
        let determinant = (scene_from_node * node_from_instance).matrix3.determinant();
        if determinant < 0.0 { Winding::TurnedRound } else { Winding::AsStored }
    }
}

/// Calls back with the size and the corner numbers of each primitive.
fn for_each_primitive(part: &Part, winding: Winding, mut act: impl FnMut(u8, [usize; 3])) {
    let mut face = |[a, b, c]: [usize; 3]| match winding {
        Winding::AsStored => act(3, [a, b, c]),
        Winding::TurnedRound => act(3, [a, c, b]),
    };
    match &part.topology {
        Topology::Triangles => (0..part.corner_count() / 3).for_each(|t| face([3 * t, 3 * t + 1, 3 * t + 2])),
        Topology::Polygons { offsets } => {
            for polygon in offsets.windows(2) {
                let (start, end) = (polygon[0] as usize, polygon[1] as usize);
                (start + 2..end).for_each(|corner| face([start, corner - 1, corner]));
            }
        }
        Topology::Points => (0..part.corner_count()).for_each(|c| act(1, [c; 3])),
        Topology::Lines => (0..part.corner_count() / 2).for_each(|l| act(2, [2 * l, 2 * l + 1, 2 * l + 1])),
    }
}

/// How the points of a shown part hang on nodes.
enum Binding<'a> {
    Loose,
    Rigid,
    Skinned(&'a Influences),
}

impl<'a> Binding<'a> {
    fn of(scene: &'a Scene, node: NodeId, part: &'a Part, loose: &[bool]) -> Self {
        let is_loose = |node: NodeId| loose.get(node.index()) == Some(&true);
        let instance = scene.nodes.get(node).and_then(|n| n.mesh.as_ref());
        let skin = instance.and_then(|i| i.skin).and_then(|s| scene.skins.get(s));
        let mesh = instance.and_then(|i| scene.meshes.get(i.mesh));
        let influenced = mesh.is_some_and(|m| m.parts.iter().any(|p| p.influences.is_some()));
        match (skin.filter(|s| influenced && !s.joints.is_empty()), &part.influences) {
            (Some(skin), Some(_)) if skin.joints.iter().any(|j| is_loose(*j)) => Self::Loose,
            (Some(_), Some(influences)) => Self::Skinned(influences),
            (Some(_), None) => Self::Loose,
            (None, _) if is_loose(node) => Self::Loose,
            (None, _) => Self::Rigid,
        }
    }

    fn is_loose(&self, point: usize) -> bool {
        match self {
            Self::Loose => true,
            Self::Rigid => false,
            Self::Skinned(i) => point >= i.point_count() || i.of(point).1.iter().all(|w| *w == 0.0),
        }
    }
}

/// For each node whether it, or one above it, has a sheared transform at rest.
pub(super) fn sheared(scene: &Scene) -> Vec<bool> {
    let mut sheared = vec![false; scene.nodes.len()];
    for id in walk::parents_first(scene) {
        let node = &scene.nodes[id];
        let above = node.parent.is_some_and(|p| sheared[p.index()]);
        let is_matrix = matches!(node.local, anyrig_scene::LocalTransform::Matrix(_));
        sheared[id.index()] = above || is_matrix && Trs::from_affine(node.local.to_affine(), 1e-6).is_none();
    }
    sheared
}
