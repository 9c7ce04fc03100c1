//! Binary FBX 7.4 in few words: the frame of a file, nodes, and the entries of `Properties70`.

use anyrig_bytes::{Context, Result};
use anyrig_fbx::{Encoding, FbxDocument, NewNode, NewValue, NodeId};
use anyrig_scene::glam::{DAffine3, DMat4, DVec3};

/// The last version whose node headers count in 32 bits.
pub const VERSION: u32 = 7400;

/// `CreationTime` of a file that is to be the same whenever it is made, with what follows from it: `FileId`, and the
/// id in the footer. Both are functions of the time that Autodesk's library checks.
pub const CREATION_TIME: &str = "1970-01-01 10:00:00:000";
pub const FILE_ID: [u8; 16] =
    [0x28, 0xb3, 0x2a, 0xeb, 0xb6, 0x24, 0xcc, 0xc2, 0xbf, 0xc8, 0xb0, 0x2a, 0xa9, 0x2b, 0xfc, 0xf1];
const FOOTER_ID: [u8; 16] =
    [0xfa, 0xbc, 0xab, 0x09, 0xd0, 0xc8, 0xd4, 0x66, 0xb1, 0x76, 0xfb, 0x83, 0x1c, 0xf7, 0x26, 0x7e];
const FOOTER_END: [u8; 16] =
    [0xf8, 0x5a, 0x8c, 0x6a, 0xde, 0xf5, 0xd9, 0x7e, 0xec, 0xe9, 0x0c, 0xe3, 0x75, 0x8f, 0x29, 0x0b];

/// The bytes of a file of these nodes.
pub fn file(nodes: Vec<NewNode>) -> Result<Vec<u8>> {
    let mut document = FbxDocument::read(&empty().into(), &Context::new())?;
    for node in nodes {
        document.insert(NodeId::ROOT, None, node)?;
    }
    Ok(document.write()?.to_vec())
}

/// Header, an empty list of nodes, footer.
fn empty() -> Vec<u8> {
    let mut bytes = b"Kaydara FBX Binary  \0\x1a\0".to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend([0; 13]);
    bytes.extend(FOOTER_ID);
    // At least one zero, up to a multiple of 16, and four more.
    let padding = 16 - bytes.len() % 16;
    bytes.extend(vec![0; padding + 4]);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend([0; 120]);
    bytes.extend(FOOTER_END);
    bytes
}

/// A node with one value.
pub fn leaf(name: &str, value: impl Into<NewValue>) -> NewNode {
    NewNode::new(name).with(value)
}

/// A node with children.
pub fn branch(name: &str, children: impl IntoIterator<Item = NewNode>) -> NewNode {
    let mut node = NewNode::new(name);
    node.children.extend(children);
    node
}

/// An object: its number, its name with the class, its kind, and what is in it.
pub fn object(
    (class, id): (&str, i64),
    (name, kind): (&str, &str),
    children: impl IntoIterator<Item = NewNode>,
) -> NewNode {
    // Attributes of nodes, deformers and the like have other words in their names than their nodes.
    let in_name = match class {
        "Deformer" if kind == "Cluster" => "SubDeformer",
        "AnimationStack" => "AnimStack",
        "AnimationLayer" => "AnimLayer",
        "AnimationCurveNode" => "AnimCurveNode",
        "AnimationCurve" => "AnimCurve",
        other => other,
    };
    let mut node = NewNode::new(class).with(id).with(NewValue::object_name(Encoding::Binary, name, in_name)).with(kind);
    node.children.extend(children);
    node
}

/// An entry of `Properties70`: name, type, label, flags, values.
pub fn property(name: &str, [kind, label, flags]: [&str; 3], values: impl IntoIterator<Item = NewValue>) -> NewNode {
    let mut node = NewNode::new("P").with(name).with(kind).with(label).with(flags);
    node.values.extend(values);
    node
}

pub fn integer(name: &str, value: i32) -> NewNode {
    property(name, ["int", "Integer", ""], [value.into()])
}

pub fn number(name: &str, value: f64) -> NewNode {
    property(name, ["double", "Number", ""], [value.into()])
}

pub fn choice(name: &str, value: i32) -> NewNode {
    property(name, ["enum", "", ""], [value.into()])
}

pub fn ticks(name: &str, value: i64) -> NewNode {
    property(name, ["KTime", "Time", ""], [value.into()])
}

/// Three numbers that do not move.
pub fn vector(name: &str, value: DVec3) -> NewNode {
    property(name, ["Vector3D", "Vector", ""], value.to_array().map(NewValue::from))
}

/// Three numbers that curves may move: `Lcl Translation` and the like, whose type is their name.
pub fn moving(name: &str, value: DVec3) -> NewNode {
    property(name, [name, "", "A"], value.to_array().map(NewValue::from))
}

pub fn color(name: &str, value: [f64; 3]) -> NewNode {
    property(name, ["Color", "", "A"], value.map(NewValue::from))
}

/// Sixteen numbers, column after column; no zero of them is negative.
pub fn matrix(name: &str, value: DAffine3) -> NewNode {
    let numbers: Vec<f64> = DMat4::from(value).to_cols_array().iter().map(|v| v + 0.0).collect();
    leaf(name, NewValue::F64Array(numbers.into()))
}

/// The connections of a file.
#[derive(Debug, Default)]
pub struct Connections(Vec<NewNode>);

impl Connections {
    /// Puts an object below another one; 0 is the scene.
    pub fn put(&mut self, child: i64, parent: i64) {
        self.0.push(NewNode::new("C").with("OO").with(child).with(parent));
    }

    /// Lets an object drive a property of another one.
    pub fn drive(&mut self, source: i64, target: i64, property: &str) {
        self.0.push(NewNode::new("C").with("OP").with(source).with(target).with(property));
    }

    pub fn into_node(self) -> NewNode {
        branch("Connections", self.0)
    }
}
