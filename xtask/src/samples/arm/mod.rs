//! The arm: a small binary FBX in which everything stands that a reader of skinned motion has to get right, written
//! node by node.
//!
//! - The mesh is modelled with Z upwards, and its node turns it upright: whoever moves skinned points by their node too
//!   lays the arm on its back.
//! - The joints' own axes come from pre-rotations, so that `Lcl Rotation` alone does not say how they stand.
//! - The file is saved with a bent elbow, but bound straight: `Lcl` values are no bind pose.
//! - The jaw is no part of the skin, and turns about a pivot away from its origin.

mod fbx;
mod motion;
mod paint;
mod rig;
mod shape;

use anyrig_bytes::Result;
use anyrig_fbx::{NewNode, NewValue};
use anyrig_scene::glam::DVec3;
use fbx::{Connections, branch, choice, color, integer, leaf, matrix, moving, number, object, ticks, vector};
use shape::Shape;

const ARM_GEOMETRY: i64 = 1001;
const JAW_GEOMETRY: i64 = 1002;
const ARM: i64 = 2001;
const JOINTS: [i64; 4] = [2002, 2003, 2004, 2005];
const JAW: i64 = 2006;
/// Attributes of the joints.
const ATTRIBUTES: [i64; 4] = [3001, 3002, 3003, 3004];
const SKIN: i64 = 4001;
const CLUSTERS: [i64; 4] = [4002, 4003, 4004, 4005];
const POSE: i64 = 5001;
const PAINT: i64 = 6001;
const STEEL: i64 = 6002;
const TEXTURE: i64 = 6003;
const IMAGE: i64 = 6004;

const TEXTURE_FILE: &str = "arm_paint.png";

/// The bytes of `arm.fbx`.
pub fn file() -> Result<Vec<u8>> {
    let mut connections = Connections::default();
    let objects = objects(&mut connections)?;
    let definitions = definitions(&objects);
    fbx::file(vec![
        header(),
        leaf("FileId", NewValue::Raw(fbx::FILE_ID.to_vec().into())),
        leaf("CreationTime", fbx::CREATION_TIME),
        leaf("Creator", CREATOR),
        settings(),
        documents(),
        NewNode::new("References"),
        definitions,
        branch("Objects", objects),
        connections.into_node(),
        motion::takes(),
    ])
}

const CREATOR: &str = "anyrig samples";

fn header() -> NewNode {
    let date = [
        ("Version", 1000),
        ("Year", 1970),
        ("Month", 1),
        ("Day", 1),
        ("Hour", 10),
        ("Minute", 0),
        ("Second", 0),
        ("Millisecond", 0),
    ];
    let date = branch("CreationTimeStamp", date.map(|(name, value)| leaf(name, value)));
    let version = leaf("FBXVersion", fbx::VERSION as i32);
    let parts = [leaf("FBXHeaderVersion", 1003), version, leaf("EncryptionType", 0), date, leaf("Creator", CREATOR)];
    branch("FBXHeaderExtension", parts)
}

/// Y up, Z to the viewer, X to the right, centimetres, 24 frames a second.
fn settings() -> NewNode {
    let axes = [("UpAxis", 1), ("FrontAxis", 2), ("CoordAxis", 0)];
    let axes = axes.into_iter().flat_map(|(name, axis)| [integer(name, axis), integer(&format!("{name}Sign"), 1)]);
    let rest = [
        number("UnitScaleFactor", 1.0),
        choice("TimeMode", 11),
        ticks("TimeSpanStart", 0),
        ticks("TimeSpanStop", motion::END),
    ];
    branch("GlobalSettings", [leaf("Version", 1000), branch("Properties70", axes.chain(rest))])
}

fn documents() -> NewNode {
    let clip = fbx::property("ActiveAnimStackName", ["KString", "", ""], [motion::NAME.into()]);
    let scene = NewNode::new("Document").with(9001i64).with("").with("Scene");
    let scene = scene.with_child(branch("Properties70", [clip])).with_child(leaf("RootNode", 0i64));
    branch("Documents", [leaf("Count", 1), scene])
}

/// How many objects there are of each class.
fn definitions(objects: &[NewNode]) -> NewNode {
    let mut counts: Vec<(&str, i32)> = vec![("GlobalSettings", 1)];
    for object in objects {
        match counts.iter_mut().find(|(class, _)| *class == object.name) {
            Some((_, count)) => *count += 1,
            None => counts.push((&object.name, 1)),
        }
    }
    let total = counts.iter().map(|(_, count)| count).sum::<i32>();
    let types = counts.iter().map(|(class, count)| leaf("ObjectType", *class).with_child(leaf("Count", *count)));
    branch("Definitions", [leaf("Version", 100), leaf("Count", total)].into_iter().chain(types))
}

fn objects(connections: &mut Connections) -> Result<Vec<NewNode>> {
    let (tube, jaw) = (shape::tube(), shape::jaw());
    let mut all = vec![geometry(ARM_GEOMETRY, "ArmShape", &tube), geometry(JAW_GEOMETRY, "JawShape", &jaw)];
    all.push(model((ARM, "Mesh"), "Arm", [moving("Lcl Rotation", rig::MESH_ROTATION)]));
    for (index, joint) in rig::JOINTS.iter().enumerate() {
        all.push(joint_model(index, joint));
        all.push(object(
            ("NodeAttribute", ATTRIBUTES[index]),
            (joint.name, "LimbNode"),
            [leaf("TypeFlags", "Skeleton")],
        ));
        connections.put(JOINTS[index], if index == 0 { 0 } else { JOINTS[index - 1] });
        connections.put(ATTRIBUTES[index], JOINTS[index]);
    }
    all.push(model((JAW, "Mesh"), "Jaw", [vector("RotationPivot", shape::HINGE)]));
    all.extend(skin(&tube));
    all.push(bind_pose());
    all.extend(materials(paint::texture()?));
    connections.put(ARM, 0);
    connections.put(JAW, JOINTS[rig::WRIST]);
    for (child, parent) in
        [(ARM_GEOMETRY, ARM), (JAW_GEOMETRY, JAW), (PAINT, ARM), (STEEL, JAW), (IMAGE, TEXTURE), (SKIN, ARM_GEOMETRY)]
    {
        connections.put(child, parent);
    }
    connections.drive(TEXTURE, PAINT, "DiffuseColor");
    for (cluster, joint) in CLUSTERS.into_iter().zip(JOINTS) {
        connections.put(cluster, SKIN);
        connections.put(joint, cluster);
    }
    all.extend(motion::objects(JOINTS, JAW, connections));
    Ok(all)
}

fn model((id, kind): (i64, &str), name: &str, properties: impl IntoIterator<Item = NewNode>) -> NewNode {
    // `RSrs`: a plain product of matrices.
    let properties = [choice("InheritType", 1)].into_iter().chain(properties);
    object(("Model", id), (name, kind), [leaf("Version", 232), branch("Properties70", properties)])
}

fn joint_model(index: usize, joint: &rig::Joint) -> NewNode {
    let mut properties = vec![moving("Lcl Translation", joint.translation)];
    for (value, entry) in [
        (joint.pre_rotation, vector("PreRotation", joint.pre_rotation)),
        (joint.rotation, moving("Lcl Rotation", joint.rotation)),
    ] {
        properties.extend((value != DVec3::ZERO).then_some(entry));
    }
    model((JOINTS[index], "LimbNode"), joint.name, properties)
}

fn geometry(id: i64, name: &str, shape: &Shape) -> NewNode {
    let points = shape.points.iter().flat_map(|p| p.to_array()).collect::<Vec<f64>>();
    let normals = shape.normals.iter().flat_map(|n| n.to_array()).map(|v| v + 0.0).collect::<Vec<f64>>();
    let uvs = shape.uvs.iter().flat_map(|uv| uv.to_array()).collect::<Vec<f64>>();
    let element = |name: &str, mapping: &str, reference: &str| {
        let parts = [leaf("Version", 101), leaf("Name", "")];
        let parts = parts.into_iter().chain([leaf("MappingInformationType", mapping)]);
        let parts = parts.chain([leaf("ReferenceInformationType", reference)]);
        parts.fold(leaf(name, 0), NewNode::with_child)
    };
    let listed = ["LayerElementNormal", "LayerElementUV", "LayerElementMaterial"];
    let listed = listed.map(|kind| branch("LayerElement", [leaf("Type", kind), leaf("TypedIndex", 0)]));
    let layer = [leaf("Version", 100)].into_iter().chain(listed).fold(leaf("Layer", 0), NewNode::with_child);
    object(
        ("Geometry", id),
        (name, "Mesh"),
        [
            leaf("GeometryVersion", 124),
            leaf("Vertices", NewValue::F64Array(points.into())),
            leaf("PolygonVertexIndex", NewValue::I32Array(shape.polygons.clone().into())),
            element("LayerElementNormal", "ByPolygonVertex", "Direct")
                .with_child(leaf("Normals", NewValue::F64Array(normals.into()))),
            element("LayerElementUV", "ByPolygonVertex", "IndexToDirect")
                .with_child(leaf("UV", NewValue::F64Array(uvs.into())))
                .with_child(leaf("UVIndex", NewValue::I32Array(shape.uv_indices.clone().into()))),
            element("LayerElementMaterial", "AllSame", "IndexToDirect")
                .with_child(leaf("Materials", NewValue::I32Array(vec![0].into()))),
            layer,
        ],
    )
}

/// The skin and its clusters: for each joint the points that it moves, and two matrices.
fn skin(tube: &Shape) -> Vec<NewNode> {
    let deformer = [leaf("Version", 101), leaf("Link_DeformAcuracy", 50.0), leaf("SkinningType", "Linear")];
    let mut all = vec![object(("Deformer", SKIN), ("ArmSkin", "Skin"), deformer)];
    let worlds = rig::bind_worlds();
    for (joint, (indices, weights)) in shape::weights(tube).into_iter().enumerate() {
        let parts = [
            leaf("Version", 100),
            leaf("Indexes", NewValue::I32Array(indices.into())),
            leaf("Weights", NewValue::F64Array(weights.into())),
            // From the mesh's node to the joint, when they were bound.
            matrix("Transform", worlds[joint].inverse() * rig::mesh_world()),
            // Where the joint stood.
            matrix("TransformLink", worlds[joint]),
        ];
        all.push(object(("Deformer", CLUSTERS[joint]), (rig::JOINTS[joint].name, "Cluster"), parts));
    }
    all
}

fn bind_pose() -> NewNode {
    let worlds = JOINTS.into_iter().zip(rig::bind_worlds());
    let all: Vec<NewNode> = [(ARM, rig::mesh_world())]
        .into_iter()
        .chain(worlds)
        .map(|(id, world)| branch("PoseNode", [leaf("Node", id), matrix("Matrix", world)]))
        .collect();
    let head = [leaf("Type", "BindPose"), leaf("Version", 100), leaf("NbPoseNodes", all.len() as i32)];
    object(("Pose", POSE), ("BindPose", "BindPose"), head.into_iter().chain(all))
}

fn materials(image: Vec<u8>) -> [NewNode; 4] {
    let material = |id: i64, name: &str, diffuse: [f64; 3], shininess: f64| {
        let properties = [
            color("DiffuseColor", diffuse),
            fbx::property("DiffuseFactor", ["Number", "", "A"], [1.0.into()]),
            color("SpecularColor", [0.2; 3]),
            fbx::property("Shininess", ["Number", "", "A"], [shininess.into()]),
        ];
        let parts = [
            leaf("Version", 102),
            leaf("ShadingModel", "phong"),
            leaf("MultiLayer", 0),
            branch("Properties70", properties),
        ];
        object(("Material", id), (name, ""), parts)
    };
    let paths = || [leaf("FileName", TEXTURE_FILE), leaf("RelativeFilename", TEXTURE_FILE)];
    let texture = [leaf("Type", "TextureVideoClip"), leaf("Version", 202), leaf("TextureName", "PaintTexture")];
    let video = [leaf("Type", "Clip"), leaf("UseMipMap", 0)];
    let content = leaf("Content", NewValue::Raw(image.into()));
    [
        material(PAINT, "Paint", [1.0; 3], 20.0),
        material(STEEL, "Steel", [0.55, 0.58, 0.62], 40.0),
        object(("Texture", TEXTURE), ("PaintTexture", ""), texture.into_iter().chain(paths())),
        object(("Video", IMAGE), ("PaintImage", "Clip"), video.into_iter().chain(paths()).chain([content])),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_bytes::maths::f64::sin;
    use anyrig_bytes::{Context, MemorySource};
    use anyrig_fbx::FbxImporter;
    use anyrig_scene::walk::rest_world_transforms;
    use anyrig_scene::{Importer, Scene, validate};

    fn scene() -> Scene {
        let source = MemorySource::new("arm.fbx", file().expect("it can be made"));
        let context = Context::new();
        let mut scene = FbxImporter.import(&source, &context).expect("it can be read");
        validate(&mut scene, &context);
        let report = context.take_report();
        assert!(report.is_empty(), "{:#?}", report.diagnostics());
        scene
    }

    #[test]
    fn reads_without_a_line_of_a_report() {
        let scene = scene();
        let counts = [scene.nodes.len(), scene.meshes.len(), scene.skins.len(), scene.clips.len(), scene.images.len()];
        assert_eq!(counts, [6, 2, 1, 1, 1]);
        assert_eq!(scene.clips[0].end_secs(), 2.0);
    }

    #[test]
    fn the_skin_was_bound_where_the_arm_is_straight() {
        let scene = scene();
        let skin = &scene.skins.as_slice()[0];
        for (inverse_bind, world) in skin.inverse_binds.iter().zip(rig::bind_worlds()) {
            assert!(inverse_bind.abs_diff_eq(world.inverse() * rig::mesh_world(), 1e-12));
        }
        // The elbow is bent in the file.
        let rest = rest_world_transforms(&scene);
        let wrist = skin.joints[rig::WRIST];
        let apart = rest[wrist.index()].translation.distance(rig::bind_worlds()[rig::WRIST].translation);
        assert!((apart - 60.0 * sin(10f64.to_radians())).abs() < 1e-9, "{apart}");
    }
}
