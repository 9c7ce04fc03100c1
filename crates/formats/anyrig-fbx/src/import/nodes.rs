//! Models: hierarchy, the transform chain, visibility, user properties.

use super::Import;
use super::objects::{End, ObjectId, Objects};
use crate::codes;
use anyrig_bytes::{Diagnostic, Error, Result};
use anyrig_scene::{ElementId, InheritMode, LocalTransform, Node, NodeId, Pivots, RotationOrder, TransformPart, Trs};
use glam::DVec3;

/// Makes a node of every model, with its transform, and links them.
pub(super) fn read(import: &mut Import<'_>) -> Result<()> {
    let models: Vec<ObjectId> = import.objects.of_class("Model").map(|o| o.id).collect();
    import.context.take_elements(models.len() as u64, anyrig_bytes::Place::whole)?;
    for model in &models {
        let node = node(import, *model)?;
        let id = import.scene.nodes.push(node);
        import.nodes.insert(*model, id);
        import.elements.insert(*model, ElementId::Node(id));
    }
    let mut roots = Vec::new();
    for child in import.objects.children(End::Root).filter_map(|o| import.nodes.get(&o.id)) {
        roots.push(*child);
    }
    for model in &models {
        link_children(import, *model);
    }
    order_roots(import, &roots);
    refuse_cycles(import, &models)
}

fn link_children(import: &mut Import<'_>, model: ObjectId) {
    let Some(parent) = import.nodes.get(&model).copied() else { return };
    let children: Vec<(NodeId, ObjectId)> =
        import.objects.children(End::Object(model)).filter_map(|o| Some((*import.nodes.get(&o.id)?, o.id))).collect();
    for (child, object) in children {
        let node = &mut import.scene.nodes[child];
        if node.parent == Some(parent) {
            continue;
        }
        if node.parent.is_some() {
            let line = Diagnostic::new(&codes::SECOND_PARENT, node.name.clone(), "it stays with the first one");
            import.context.push(line.at(import.objects.place(object)));
            continue;
        }
        node.parent = Some(parent);
        import.scene.nodes[parent].children.push(child);
    }
}

/// Roots in the order of their connections; models that are connected to nothing follow in file order.
fn order_roots(import: &mut Import<'_>, connected: &[NodeId]) {
    let scene = &mut import.scene;
    let mut seen = vec![false; scene.nodes.len()];
    let mut roots = Vec::new();
    for root in connected.iter().copied().chain(scene.nodes.ids()) {
        if scene.nodes[root].parent.is_none() && !std::mem::replace(&mut seen[root.index()], true) {
            roots.push(root);
        }
    }
    scene.root_sets.push(anyrig_scene::RootSet::new("", roots));
}

fn refuse_cycles(import: &Import<'_>, models: &[ObjectId]) -> Result<()> {
    let reached = anyrig_scene::walk::parents_first(&import.scene);
    if reached.len() == import.scene.nodes.len() {
        return Ok(());
    }
    let mut below_root = vec![false; import.scene.nodes.len()];
    reached.iter().for_each(|id| below_root[id.index()] = true);
    let lost = models.iter().find(|m| import.nodes.get(m).is_some_and(|n| !below_root[n.index()]));
    let place = lost.map(|m| import.objects.place(*m)).unwrap_or_default();
    let name = lost.map(|m| import.objects.get(*m).name.clone()).unwrap_or_default();
    let message = format!("the model `{name}` is its own ancestor; correct the connections between models");
    Err(Error::malformed(place, message))
}

fn node(import: &Import<'_>, id: ObjectId) -> Result<Node> {
    let objects = &import.objects;
    let object = objects.get(id);
    let mut node = Node::new(object.name.clone());
    set_transform(&mut node, pivots(objects, id));
    node.inherit = match objects.i64(id, "InheritType", 1) {
        0 => InheritMode::ComponentWise,
        2 => InheritMode::IgnoreParentScale,
        _ => InheritMode::Full,
    };
    let geometric = geometric(objects, id);
    node.geometric = (geometric != Trs::IDENTITY).then(|| Box::new(geometric));
    // A number that is cut to a whole one: 0.5 does not show the node.
    node.visible = objects.i64(id, "Visibility", 1) != 0 && objects.bool(id, "Show", true);
    if !object.subtype.is_empty() {
        node.extras.set_bookkeeping("fbx.type", object.subtype.clone().into_owned());
    }
    import.attach_user_data(id, &mut node.extras)?;
    if let Some(hidden) = import.data(id, |property| property.is_user() && !property.is_attached())? {
        node.extras.set_bookkeeping("fbx.hidden_properties", hidden);
    }
    Ok(node)
}

/// Gives a node its transform; pivots only where translation and scale do not say everything.
pub(super) fn set_transform(node: &mut Node, pivots: Pivots) {
    node.local = LocalTransform::Trs(pivots.to_trs());
    node.pivots = (!is_plain(&pivots)).then(|| Box::new(pivots));
}

/// The name of each part of the chain in files.
pub(super) const PARTS: [(&str, TransformPart); 9] = [
    ("Lcl Translation", TransformPart::Translation),
    ("RotationOffset", TransformPart::RotationOffset),
    ("RotationPivot", TransformPart::RotationPivot),
    ("PreRotation", TransformPart::PreRotation),
    ("Lcl Rotation", TransformPart::Rotation),
    ("PostRotation", TransformPart::PostRotation),
    ("ScalingOffset", TransformPart::ScalingOffset),
    ("ScalingPivot", TransformPart::ScalingPivot),
    ("Lcl Scaling", TransformPart::Scale),
];

/// The transform chain of a model. Where the rotation space is off, pre-rotation, post-rotation and order do not count.
fn pivots(objects: &Objects<'_>, id: ObjectId) -> Pivots {
    let mut pivots = Pivots::IDENTITY;
    for (name, part) in PARTS {
        *pivots.part_mut(part) = objects.vec3(id, name, Pivots::IDENTITY.part(part));
    }
    if !has_rotation_space(objects, id) {
        (pivots.pre_rotation_deg, pivots.post_rotation_deg) = (DVec3::ZERO, DVec3::ZERO);
        return pivots;
    }
    pivots.rotation_order = match objects.i64(id, "RotationOrder", 0) {
        1 => RotationOrder::Xzy,
        2 => RotationOrder::Yzx,
        3 => RotationOrder::Yxz,
        4 => RotationOrder::Zxy,
        5 => RotationOrder::Zyx,
        6 => RotationOrder::SphericXyz,
        _ => RotationOrder::Xyz,
    };
    pivots
}

pub(super) fn has_rotation_space(objects: &Objects<'_>, id: ObjectId) -> bool {
    objects.bool(id, "RotationActive", true) && !objects.bool(id, "RotationSpaceForLimitOnly", false)
}

/// True when translation and scale say everything.
fn is_plain(pivots: &Pivots) -> bool {
    let (translation, scale) = (pivots.translation, pivots.scale);
    *pivots == Pivots { translation, scale, ..Pivots::IDENTITY }
}

fn geometric(objects: &Objects<'_>, id: ObjectId) -> Trs {
    let rotation = objects.vec3(id, "GeometricRotation", DVec3::ZERO);
    Trs {
        translation: objects.vec3(id, "GeometricTranslation", DVec3::ZERO),
        rotation: RotationOrder::Xyz.to_quat(rotation),
        scale: objects.vec3(id, "GeometricScaling", DVec3::ONE),
    }
}

/// Puts a helper node below a node, for what looks along another axis than the scene's -Z. `source` is what it is for.
pub(super) fn helper(
    import: &mut Import<'_>,
    (parent, source): (NodeId, ObjectId),
    suffix: &str,
    local: Trs,
) -> Result<NodeId> {
    let name = &import.scene.nodes[parent].name;
    // Connections are short, nodes and names may be long.
    import.take_product(HELPER_BYTES + name.len(), source)?;
    let mut node = Node::new([name, " ", suffix].concat());
    node.local = local.into();
    Ok(import.scene.add_node(node, Some(parent)))
}

/// What a helper node needs beside its name.
const HELPER_BYTES: usize = 2 * size_of::<Node>();
