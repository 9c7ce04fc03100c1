//! Scenes out of a fuzzer's bytes: legal in form, otherwise as wrong as can be.

use anyrig::scene::glam::{DAffine3, DQuat, DVec3};
use anyrig::scene::{
    Channel, Clip, Curve, DeltaStream, Influences, Interpolation, LocalTransform, Material, Mesh, MeshId, MeshInstance,
    MorphTarget, Node, NodeId, Part, PartMorph, Property, Scene, Semantic, Skin, SkinId, Space, Stream, Topology, Trs,
};
use arbitrary::Arbitrary;

/// What a scene is made of. Indexes are taken as they come, so many refer to nothing.
#[derive(Arbitrary, Debug)]
pub struct RoughScene {
    nodes: Vec<RoughNode>,
    parts: Vec<RoughPart>,
    joints: Vec<u8>,
    curves: Vec<RoughCurve>,
}

#[derive(Arbitrary, Debug)]
struct RoughNode {
    name: String,
    parent: Option<u8>,
    transform: RoughTransform,
    shows: Option<bool>,
}

#[derive(Arbitrary, Debug)]
enum RoughTransform {
    Trs { translation: [f64; 3], rotation: [f64; 4], scale: [f64; 3] },
    Matrix([f64; 12]),
}

#[derive(Arbitrary, Debug)]
struct RoughPart {
    topology: u8,
    points: u8,
    corners: Option<Vec<u32>>,
    offsets: Vec<u32>,
    values: Vec<f32>,
    streams: u8,
    joints: Vec<u32>,
    weights: Vec<f32>,
    per_point: u8,
    moved: Vec<u32>,
}

#[derive(Arbitrary, Debug)]
struct RoughCurve {
    node: u8,
    property: u8,
    interpolation: u8,
    times: Vec<f64>,
    values: Vec<f32>,
    width: u8,
}

impl RoughScene {
    /// The scene, not validated.
    pub fn build(&self) -> Scene {
        let mut scene = Scene::new(Space::GLTF);
        let material = scene.materials.push(Material::new("m"));
        let mut mesh = Mesh::default();
        mesh.morphs = vec![MorphTarget::new("a")];
        mesh.parts = self.parts.iter().map(RoughPart::build).collect();
        scene.meshes.push(mesh);
        let joints: Vec<NodeId> = self.joints.iter().map(|j| NodeId::new((*j).into())).collect();
        let binds = vec![DAffine3::IDENTITY; joints.len()];
        scene.skins.push(Skin::new("s", joints, binds));
        for rough in &self.nodes {
            let mut node = Node::new(rough.name.as_str());
            node.parent = rough.parent.map(|p| NodeId::new(p.into()));
            node.local = rough.transform.build();
            node.mesh = rough.shows.map(|skinned| {
                let mut instance = MeshInstance::new(MeshId::new(0));
                instance.skin = skinned.then(|| SkinId::new(0));
                instance.materials = vec![Some(material)];
                instance
            });
            scene.nodes.push(node);
        }
        // Both ways of a link, where the parent exists; rings stay.
        for index in 0..scene.nodes.len() {
            let child = NodeId::new(index);
            if let Some(parent) = scene.nodes[child].parent.filter(|p| scene.nodes.contains(*p)) {
                scene.nodes[parent].children.push(child);
            }
        }
        let mut clip = Clip::new("c");
        clip.channels = self.curves.iter().map(RoughCurve::build).collect();
        scene.clips.push(clip);
        scene
    }
}

impl RoughTransform {
    fn build(&self) -> LocalTransform {
        match self {
            Self::Trs { translation, rotation, scale } => LocalTransform::Trs(Trs {
                translation: DVec3::from(*translation),
                rotation: DQuat::from_array(*rotation),
                scale: DVec3::from(*scale),
            }),
            Self::Matrix(values) => LocalTransform::Matrix(DAffine3::from_cols_array(values)),
        }
    }
}

impl RoughPart {
    fn build(&self) -> Part {
        let mut part = Part::default();
        part.topology = match self.topology % 4 {
            0 => Topology::Points,
            1 => Topology::Lines,
            2 => Topology::Triangles,
            _ => Topology::Polygons { offsets: self.offsets.clone().into() },
        };
        part.point_count = self.points.into();
        part.corners = self.corners.clone().map(Into::into);
        let streams = [
            (Semantic::Position, 3),
            (Semantic::Normal, 3),
            (Semantic::Tangent, 4),
            (Semantic::TexCoord(0), 2),
            (Semantic::Color(0), 4),
            (Semantic::Custom("é".to_owned()), 1),
        ];
        for (bit, (semantic, width)) in streams.into_iter().enumerate() {
            if self.streams & (1 << bit) == 0 {
                continue;
            }
            // One bit makes the lengths right, so that not everything is thrown away at once.
            let wanted = usize::from(self.points) * usize::from(width);
            let right = self.streams & 0x80 != 0;
            let mut values = self.values.clone();
            if right {
                values.resize(wanted, 0.5);
            }
            part.set_stream(Stream::new(semantic, width, values));
        }
        if !self.joints.is_empty() {
            part.influences = Some(Influences::fixed(self.per_point.into(), self.joints.clone(), self.weights.clone()));
        }
        part.morphs = vec![PartMorph::new(vec![
            DeltaStream::new(Semantic::Position, 3, self.values.clone()).at_points(self.moved.clone()),
        ])];
        part
    }
}

impl RoughCurve {
    fn build(&self) -> Channel {
        let property = match self.property % 4 {
            0 => Property::Translation,
            1 => Property::Rotation,
            2 => Property::Scale,
            _ => Property::MorphWeights,
        };
        let interpolation = match self.interpolation % 3 {
            0 => Interpolation::Step,
            1 => Interpolation::Linear,
            _ => Interpolation::CubicHermite,
        };
        // A wrong width now and then, the right one otherwise.
        let width = if self.width < 8 { self.width.into() } else { property.width().unwrap_or(1) };
        let curve = Curve::new(interpolation, width, self.times.clone(), self.values.clone());
        Channel::new(NodeId::new(self.node.into()), property, curve)
    }
}
