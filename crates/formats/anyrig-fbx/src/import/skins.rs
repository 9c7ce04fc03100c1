//! Skins: clusters of points that follow a bone.
//!
//! A cluster's `Transform` already takes the mesh's node at bind time to the bone, so the inverse bind is that, times the
//! transform between geometry and node. A skinned mesh ignores its node; points that no cluster holds follow the node,
//! which becomes a joint for them.

use super::Import;
use super::booking::Work;
use super::objects::{End, Object, ObjectId, Objects};
use crate::codes;
use crate::document::Node;
use anyrig_animation::{Evaluator, Pose};
use anyrig_bytes::{Buffer, Diagnostic, Result, Value};
use anyrig_scene::{Influences, NodeId, Skin, SkinMethod};
use glam::{DAffine3, DMat3, DVec3};
use std::collections::{BTreeMap, BTreeSet};

/// How weights that do not sum to 1 are meant (`FbxCluster::ELinkMode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// They are divided by their sum.
    Normalize,
    /// What they lack stays on the mesh's node.
    Rest,
}

/// A cluster, of either object model.
struct Cluster<'a> {
    node: Node<'a>,
    /// The object that several skins may share; `None` before version 6000.
    object: Option<ObjectId>,
    name: String,
    bone: Option<Bone>,
}

#[derive(Clone, Copy)]
enum Bone {
    Root,
    Model(ObjectId),
}

/// One influence while they are collected.
#[derive(Clone, Copy)]
struct Weight {
    point: u32,
    joint: u32,
    weight: f32,
}

/// Makes the skins of all meshes.
pub(super) fn read(import: &mut Import<'_>) -> Result<()> {
    let geometries: Vec<ObjectId> = import.geometries.keys().copied().collect();
    let mut rest = Rest::default();
    for geometry in geometries {
        import.context.check_cancelled()?;
        skin(import, geometry, &mut rest)?;
    }
    Ok(())
}

/// World transforms at rest, and poses that the file states: made once and only when needed.
#[derive(Default)]
struct Rest<'a> {
    worlds: Option<Vec<DAffine3>>,
    poses: Option<BTreeMap<ObjectId, Node<'a>>>,
}

impl<'a> Rest<'a> {
    fn world(&mut self, import: &Import<'_>, node: NodeId) -> DAffine3 {
        let worlds =
            self.worlds.get_or_insert_with(|| Evaluator::new(&import.scene).worlds(&Pose::rest(&import.scene)));
        worlds.get(node.index()).copied().unwrap_or(DAffine3::IDENTITY)
    }

    /// What the file's bind poses say of a model; the first one counts.
    fn pose(&mut self, import: &mut Import<'a>, model: ObjectId) -> Result<Option<DAffine3>> {
        let poses = self.poses.get_or_insert_with(|| poses(&import.objects));
        let Some(node) = poses.get(&model).copied() else { return Ok(None) };
        affine(import, node)
    }
}

/// Whether a pose is that of bind time. Rest poses only serve the program that wrote them.
pub(super) fn is_bind_pose(pose: &Object<'_>) -> bool {
    let kind = pose.node.child("Type").and_then(|n| n.text(0));
    pose.subtype == "BindPose" || kind.as_deref() == Some("BindPose")
}

/// The matrices of all bind poses.
fn poses<'a>(objects: &Objects<'a>) -> BTreeMap<ObjectId, Node<'a>> {
    let mut found = BTreeMap::new();
    for pose in objects.of_class("Pose").filter(|pose| is_bind_pose(pose)) {
        for entry in pose.node.children_named("PoseNode") {
            let end = entry.child("Node").and_then(|n| n.property(0)).and_then(|p| objects.find(&p));
            if let (Some(End::Object(model)), Some(matrix)) = (end, entry.child("Matrix")) {
                found.entry(model).or_insert(matrix);
            }
        }
    }
    found
}

fn skin<'a>(import: &mut Import<'a>, geometry: ObjectId, rest: &mut Rest<'a>) -> Result<()> {
    let deformers = skin_deformers(&import.objects, geometry);
    let deformer = deformers.first().copied();
    if deformers.len() > 1 {
        let name = import.objects.get(geometry).name.clone();
        let line = Diagnostic::new(&codes::SKIN_LOST, name, "the mesh has several skins; the first one counts");
        import.context.push(line.at(import.objects.place(geometry)));
    }
    let clusters = clusters(import, geometry, deformer)?;
    let Some(made) = import.geometries.get(&geometry) else { return Ok(()) };
    if clusters.is_empty() {
        return Ok(());
    }
    let (mesh, shown) = (made.mesh, made.shown.clone());
    let points = import.scene.meshes[mesh].parts.first().map_or(0, |p| p.point_count);
    let (mut weights, modes) = weights(import, &clusters, points)?;
    let needs_node = normalize(&mut weights, &modes, points, clusters.len() as u32);
    let influences = influences(&weights, points);
    for part in &mut import.scene.meshes[mesh].parts {
        part.influences = Some(influences.clone());
    }
    for (model, node) in shown {
        let mut skin = bind(import, &clusters, (model, node), rest)?;
        if needs_node {
            // The node's own transform is in its world; only the geometry's is left.
            skin.joints.push(node);
            skin.inverse_binds.push(geometric(import, node));
        }
        if let Some(deformer) = deformer {
            method(import, deformer, &mut skin)?;
        }
        let id = import.scene.skins.push(skin);
        if let Some(instance) = &mut import.scene.nodes[node].mesh {
            instance.skin = Some(id);
        }
    }
    Ok(())
}

/// Skins are connected to the geometry, before version 7000 to the model, which then is the geometry.
fn skin_deformers(objects: &Objects<'_>, geometry: ObjectId) -> Vec<ObjectId> {
    let deformers = objects.children(End::Object(geometry)).filter(|o| o.class == "Deformer");
    unique(deformers.filter(|o| o.subtype == "Skin").map(|o| o.id))
}

/// Each object once, in order: some files make a connection twice.
pub(super) fn unique(objects: impl Iterator<Item = ObjectId>) -> Vec<ObjectId> {
    let mut seen = BTreeSet::new();
    objects.filter(|id| seen.insert(*id)).collect()
}

/// The clusters that have a bone.
fn clusters<'a>(import: &mut Import<'a>, geometry: ObjectId, deformer: Option<ObjectId>) -> Result<Vec<Cluster<'a>>> {
    let mut all: Vec<Cluster<'a>> = Vec::new();
    let connected = deformer.into_iter().flat_map(|d| import.objects.children(End::Object(d)));
    for id in unique(connected.filter(|o| o.subtype == "Cluster").map(|o| o.id)) {
        let objects = &import.objects;
        let bytes = objects.into(End::Object(id)).count() * size_of::<End>() + objects.get(id).name.len();
        import.take_again(Work::Clusters, id, bytes + size_of::<Cluster<'_>>())?;
        let objects = &import.objects;
        let cluster = objects.get(id);
        let mut ends = objects.into(End::Object(cluster.id)).filter(|c| c.property.is_none()).map(|c| c.source);
        let bone = ends.find_map(|end| match end {
            End::Root => Some(Bone::Root),
            End::Object(id) => (objects.get(id).class == "Model").then_some(Bone::Model(id)),
        });
        all.push(Cluster { node: cluster.node, object: Some(id), name: cluster.name.clone(), bone });
    }
    let objects = &import.objects;
    if objects.document().version_number() < 6000 {
        for node in objects.get(geometry).node.children_named("Link") {
            let Some(property) = node.property(0) else { continue };
            let bone = objects.find(&property).map(|end| match end {
                End::Root => Bone::Root,
                End::Object(id) => Bone::Model(id),
            });
            let name = property.name_and_class().map(|(name, _)| name.into_owned()).unwrap_or_default();
            all.push(Cluster { node, object: None, name, bone });
        }
    }
    all.retain(|cluster| {
        if cluster.bone.is_none() {
            let line = Diagnostic::new(&codes::BROKEN_CLUSTER, cluster.name.clone(), "it follows no bone");
            import.context.push(line.at(cluster.node.place()));
        }
        cluster.bone.is_some()
    });
    Ok(all)
}

/// All weights above 0, and the mode of each cluster.
fn weights(import: &mut Import<'_>, clusters: &[Cluster<'_>], points: u32) -> Result<(Vec<Weight>, Vec<Mode>)> {
    let (mut all, mut modes) = (Vec::new(), Vec::new());
    for (joint, cluster) in clusters.iter().enumerate() {
        modes.push(mode(import, cluster));
        let array = |name: &str| cluster.node.child(name);
        let (Some(indexes), Some(values)) = (array("Indexes"), array("Weights")) else { continue };
        let indexes = indexes.array::<i32>(&mut import.decoder)?;
        let values = values.array::<f32>(&mut import.decoder)?;
        let bytes = indexes.len().max(values.len()) * size_of::<Weight>();
        import.context.take_memory(bytes as u64, || cluster.node.place())?;
        if let Some(object) = cluster.object {
            // They are kept in rows beside the list.
            import.take_again(Work::Weights, object, bytes * 2)?;
        }
        let mut wrong = indexes.len().abs_diff(values.len());
        for (index, weight) in indexes.iter().zip(values.iter()) {
            let point = u32::try_from(*index).ok().filter(|p| *p < points);
            match point {
                Some(point) if *weight > 0.0 && weight.is_finite() => {
                    all.push(Weight { point, joint: joint as u32, weight: *weight });
                }
                Some(_) if *weight == 0.0 => {}
                _ => wrong += 1,
            }
        }
        if wrong > 0 {
            let message = "weights below 0, or of points that do not exist, were left out";
            let line = Diagnostic::new(&codes::CLUSTER_WEIGHTS, cluster.name.clone(), message);
            import.context.push(line.times(wrong as u64).at(cluster.node.place()));
        }
    }
    // Stable, so that equal weights stay in the order of their clusters.
    all.sort_by(|a, b| a.point.cmp(&b.point).then(b.weight.total_cmp(&a.weight)));
    Ok((all, modes))
}

fn mode(import: &Import<'_>, cluster: &Cluster<'_>) -> Mode {
    let text = cluster.node.child("Mode").or_else(|| cluster.node.child("LinkMode")).and_then(|n| n.text(0));
    match text.as_deref() {
        Some("Total1" | "TotalOne") => Mode::Rest,
        Some("Additive") => {
            let line = Diagnostic::new(&codes::ADDITIVE_CLUSTER, cluster.name.clone(), "it is blended with the others");
            import.context.push(line.at(cluster.node.place()));
            Mode::Rest
        }
        _ => Mode::Normalize,
    }
}

/// Less than this of a point's weight may be missing by rounding.
const ROUNDING: f64 = 1e-3;

/// Makes each point's weights sum to 1; tells whether some need the mesh's node, as joint number `node`.
fn normalize(weights: &mut Vec<Weight>, modes: &[Mode], points: u32, node: u32) -> bool {
    let mut extra = Vec::new();
    let mut expected = 0;
    for row in weights.chunk_by_mut(|a, b| a.point == b.point) {
        let Some(first) = row.first().map(|w| w.point) else { continue };
        extra.extend((expected..first).map(|point| Weight { point, joint: node, weight: 1.0 }));
        expected = first + 1;
        let sum: f64 = row.iter().map(|w| f64::from(w.weight)).sum();
        let keeps_rest = row.iter().any(|w| modes.get(w.joint as usize) == Some(&Mode::Rest));
        if keeps_rest && sum < 1.0 - ROUNDING {
            extra.push(Weight { point: first, joint: node, weight: (1.0 - sum) as f32 });
        } else {
            row.iter_mut().for_each(|w| w.weight = (f64::from(w.weight) / sum) as f32);
        }
    }
    extra.extend((expected..points).map(|point| Weight { point, joint: node, weight: 1.0 }));
    let needs_node = !extra.is_empty();
    if needs_node {
        weights.extend(extra);
        weights.sort_by(|a, b| a.point.cmp(&b.point).then(b.weight.total_cmp(&a.weight)));
    }
    needs_node
}

fn influences(weights: &[Weight], points: u32) -> Influences {
    let mut offsets = Vec::with_capacity(points as usize + 1);
    let mut at = 0;
    offsets.push(0u32);
    for point in 0..points {
        while weights.get(at).is_some_and(|w| w.point == point) {
            at += 1;
        }
        offsets.push(at as u32);
    }
    Influences::ragged(
        offsets,
        weights.iter().map(|w| w.joint).collect::<Vec<_>>(),
        weights.iter().map(|w| w.weight).collect::<Vec<_>>(),
    )
}

fn geometric(import: &Import<'_>, node: NodeId) -> DAffine3 {
    import.scene.nodes[node].geometric.as_ref().map_or(DAffine3::IDENTITY, |g| g.to_affine())
}

fn bind<'a>(
    import: &mut Import<'a>,
    clusters: &[Cluster<'a>],
    (model, node): (ObjectId, NodeId),
    rest: &mut Rest<'a>,
) -> Result<Skin> {
    let name = import.objects.get(model).name.clone();
    let bytes = clusters.len() * (size_of::<DAffine3>() + size_of::<NodeId>()) + name.len();
    import.take_product(bytes, model)?;
    let geometric = geometric(import, node);
    let (mut joints, mut inverse_binds) = (Vec::new(), Vec::new());
    for cluster in clusters {
        let bone = match cluster.bone {
            Some(Bone::Model(id)) => import.nodes.get(&id).copied(),
            _ => Some(root(import)),
        };
        let Some(bone) = bone else { continue };
        let stated = matrix(import, cluster, "Transform")?.filter(|m| *m != ZERO);
        let bone_from_node = match stated {
            Some(matrix) => matrix,
            None => {
                let world_from_bone = bone_at_bind(import, cluster, bone, rest)?;
                let world_from_node = rest.pose(import, model)?.unwrap_or_else(|| rest.world(import, node));
                inverse(world_from_bone) * world_from_node
            }
        };
        joints.push(bone);
        inverse_binds.push(bone_from_node * geometric);
    }
    Ok(Skin::new(name, joints, inverse_binds))
}

/// The bone's place at bind time: what the cluster says, else the bind pose, else where it stands.
fn bone_at_bind<'a>(
    import: &mut Import<'a>,
    cluster: &Cluster<'a>,
    bone: NodeId,
    rest: &mut Rest<'a>,
) -> Result<DAffine3> {
    if let Some(matrix) = matrix(import, cluster, "TransformLink")?.filter(|m| *m != ZERO) {
        return Ok(matrix);
    }
    if let Some(Bone::Model(id)) = cluster.bone
        && let Some(matrix) = rest.pose(import, id)?
    {
        return Ok(matrix);
    }
    Ok(rest.world(import, bone))
}

const ZERO: DAffine3 = DAffine3 { matrix3: DMat3::ZERO, translation: DVec3::ZERO };

fn matrix(import: &mut Import<'_>, cluster: &Cluster<'_>, name: &str) -> Result<Option<DAffine3>> {
    let Some(node) = cluster.node.child(name) else { return Ok(None) };
    affine(import, node)
}

const MATRIX_LEN: usize = 16;

/// Sixteen numbers, column after column; `None` when they are fewer or not finite.
fn affine(import: &mut Import<'_>, node: Node<'_>) -> Result<Option<DAffine3>> {
    let values: Buffer<f64> = node.array(&mut import.decoder)?;
    // One that is asked for by many nodes costs each of them its whole length.
    import.take_product_at(size_of_val(values.get(MATRIX_LEN..).unwrap_or_default()), || node.place())?;
    let at = |i: usize| values.get(i).copied().unwrap_or(f64::NAN);
    let column = |i: usize| DVec3::new(at(i * 4), at(i * 4 + 1), at(i * 4 + 2));
    let matrix = DAffine3 { matrix3: DMat3::from_cols(column(0), column(1), column(2)), translation: column(3) };
    if matrix.is_finite() {
        return Ok(Some(matrix));
    }
    let line = Diagnostic::new(&codes::BIND_MATRIX, node.path(), "the matrix is incomplete; another source was taken");
    import.context.push(line.at(node.place()));
    Ok(None)
}

/// A singular bone cannot be inverted; its points then stay where they are.
fn inverse(affine: DAffine3) -> DAffine3 {
    let inverse = affine.inverse();
    if inverse.is_finite() { inverse } else { DAffine3::IDENTITY }
}

/// The node for clusters that follow the root of the scene.
fn root(import: &mut Import<'_>) -> NodeId {
    if let Some(root) = import.root_joint {
        return root;
    }
    let root = import.scene.add_node(anyrig_scene::Node::new("RootNode"), None);
    import.scene.root_sets.iter_mut().for_each(|set| set.roots.push(root));
    import.root_joint = Some(root);
    root
}

fn method(import: &mut Import<'_>, deformer: ObjectId, skin: &mut Skin) -> Result<()> {
    let node = import.objects.get(deformer).node;
    let kind = node.child("SkinningType").and_then(|n| n.text(0)).unwrap_or_default();
    match &*kind {
        "DualQuaternion" => skin.method = SkinMethod::DualQuaternion,
        "Blend" => {
            let values = node.child("BlendWeights").map(|n| n.array::<f64>(&mut import.decoder)).transpose()?;
            let values = values.unwrap_or_default();
            import.take_again(Work::BlendWeights, deformer, values.len() * 2 * size_of::<Value>())?;
            let mean = values.iter().filter(|v| v.is_finite()).sum::<f64>() / values.len().max(1) as f64;
            let all = |wanted: f64| values.iter().all(|v| *v == wanted);
            if mean > 0.5 {
                skin.method = SkinMethod::DualQuaternion;
            }
            if !all(0.0) && !all(1.0) {
                let indexes = node.child("Indexes").map(|n| n.array::<i32>(&mut import.decoder)).transpose()?;
                let indexes = indexes.unwrap_or_default();
                // A number takes many times its spelling.
                import.take_product((indexes.len() + values.len()) * size_of::<Value>(), deformer)?;
                let mut kept = Value::Null;
                kept.set("points", numbers(indexes.len(), indexes.iter().map(|i| f64::from(*i))));
                kept.set("weights", numbers(values.len(), values.iter().copied().filter(|v| v.is_finite())));
                skin.extras.set("fbx.dual_quaternion_blend", kept);
                let line =
                    Diagnostic::new(&codes::BLENDED_SKIN, skin.name.clone(), format!("all of it is {:?}", skin.method));
                import.context.push(line.at(node.place()));
            }
        }
        _ => {}
    }
    Ok(())
}

/// A list of at most so many numbers, which does not grow beyond what was booked for it.
fn numbers(most: usize, values: impl Iterator<Item = f64>) -> Value {
    let mut list = Vec::with_capacity(most);
    list.extend(values.map(Value::from));
    Value::Array(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(given: &[(u32, u32, f32)], modes: &[Mode]) -> (Vec<Vec<(u32, f32)>>, bool) {
        let mut weights: Vec<Weight> = given
            .iter()
            .map(|(point, joint, weight)| Weight { point: *point, joint: *joint, weight: *weight })
            .collect();
        let needs_node = normalize(&mut weights, modes, 4, 9);
        let influences = influences(&weights, 4);
        let row = |point| {
            let (joints, weights) = influences.of(point);
            joints.iter().copied().zip(weights.iter().copied()).collect()
        };
        ((0..4).map(row).collect(), needs_node)
    }

    #[test]
    fn weights_sum_to_one_and_loose_points_follow_the_node() {
        let given = [(0, 0, 3.0), (0, 1, 1.0), (2, 1, 0.25)];
        let (all, needs_node) = rows(&given, &[Mode::Normalize; 2]);
        assert_eq!(all, [vec![(0, 0.75), (1, 0.25)], vec![(9, 1.0)], vec![(1, 1.0)], vec![(9, 1.0)]]);
        assert!(needs_node);
        let (all, _) = rows(&given, &[Mode::Rest; 2]);
        assert_eq!(all[2], [(9, 0.75), (1, 0.25)]);
        let full: Vec<_> = (0..4).map(|p| (p, 0, 0.9996)).collect();
        assert_eq!(rows(&full, &[Mode::Rest]), (vec![vec![(0, 1.0)]; 4], false));
    }
}
