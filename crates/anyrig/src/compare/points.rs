//! Points at rest, with their weights: in order when both scenes have as many, else by their places.

use super::numbers::{Numbers, told};
use super::pairs::Nearest;
use super::scenes::Bounds;
use anyrig_animation::{Pose, posed_geometry_within};
use anyrig_bytes::codec::FieldDifference;
use anyrig_bytes::{Context, Result};
use anyrig_scene::{Domain, Part, Scene, Semantic};
use std::collections::BTreeMap;

/// All points that a scene shows, part after part.
#[derive(Default)]
struct Points<'s> {
    /// In scene space, at rest.
    positions: Vec<[f32; 3]>,
    /// The parts as they are shown.
    parts: Vec<Shown<'s>>,
}

/// A part that a node shows.
struct Shown<'s> {
    /// Where its points begin.
    start: usize,
    part: &'s Part,
    /// The names of its joints.
    joints: Vec<&'s str>,
    /// The node.
    node: &'s str,
}

/// What moves a point.
enum Movers<'s> {
    /// Joints, with their weights by name; several joints of one name count together.
    Joints(BTreeMap<&'s str, f64>),
    /// The node that shows it.
    Node(&'s str),
}

impl<'s> Points<'s> {
    fn of(scene: &'s Scene, context: &Context) -> Result<Self> {
        let mut points = Self::default();
        for posed in posed_geometry_within(scene, &Pose::rest(scene), context)? {
            let Some(part) = scene.meshes[posed.mesh].parts.get(posed.part) else { continue };
            let skin = scene.nodes[posed.node].mesh.as_ref().and_then(|m| m.skin).and_then(|s| scene.skins.get(s));
            let joints =
                skin.map_or_else(Vec::new, |s| s.joints.iter().map(|j| scene.nodes[*j].name.as_str()).collect());
            let (start, node) = (points.positions.len(), scene.nodes[posed.node].name.as_str());
            points.parts.push(Shown { start, part, joints, node });
            points.positions.extend(posed.positions);
        }
        Ok(points)
    }

    /// The part of a point, and its index in it.
    fn part(&self, point: usize) -> Option<(&Shown<'s>, usize)> {
        let after = self.parts.partition_point(|shown| shown.start <= point);
        let shown = self.parts.get(after.checked_sub(1)?)?;
        Some((shown, point - shown.start))
    }

    fn movers(&self, point: usize) -> Movers<'s> {
        let mut weights = BTreeMap::new();
        let Some((shown, local)) = self.part(point) else { return Movers::Joints(weights) };
        let Some(influences) = shown.part.influences.as_ref().filter(|_| !shown.joints.is_empty()) else {
            return Movers::Node(shown.node);
        };
        let (indexes, shares) = influences.of(local);
        for (index, share) in indexes.iter().zip(shares).filter(|(_, share)| **share != 0.0) {
            if let Some(name) = shown.joints.get(*index as usize) {
                *weights.entry(*name).or_insert(0.0) += f64::from(*share);
            }
        }
        Movers::Joints(weights)
    }

    fn uv(&self, point: usize) -> Option<[f64; 2]> {
        let (shown, local) = self.part(point)?;
        let stream = shown.part.stream(&Semantic::TexCoord(0)).filter(|s| s.domain == Domain::Point && s.width == 2)?;
        let values = stream.values.get(local * 2..local * 2 + 2)?;
        Some([values[0].into(), values[1].into()])
    }
}

/// Compares positions, texture coordinates and weights.
pub(super) fn compare(
    a: &Scene,
    b: &Scene,
    bounds: Bounds,
    (found, notes): (&mut Vec<FieldDifference>, &mut Vec<String>),
    context: &Context,
) -> Result<()> {
    let (points_a, points_b) = (Points::of(a, context)?, Points::of(b, context)?);
    let (count_a, count_b) = (points_a.positions.len(), points_b.positions.len());
    let triangles = |points: &Points<'_>| points.parts.iter().map(|shown| shown.part.triangle_count()).sum::<usize>();
    let (triangles_a, triangles_b) = (triangles(&points_a), triangles(&points_b));
    if triangles_a != triangles_b {
        found.push(told("triangles", format!("{triangles_a} against {triangles_b}")));
    }
    if count_a == count_b {
        let in_order = pairs_in_order(&points_a, &points_b, bounds);
        if in_order.apart == 0 {
            found.extend(in_order.found);
            return Ok(());
        }
        // Most are elsewhere when only their order differs; few when some were moved, and one that was moved onto another
        // has a nearest all the same.
        if 2 * in_order.apart > count_a {
            let by_place = nearest_pairs(&points_a, &points_b, bounds, context)?;
            if 2 * by_place.apart < in_order.apart {
                notes.push("vertices were matched by their places, since their order differs".to_owned());
                found.extend(by_place.found);
                return Ok(());
            }
        }
        found.extend(in_order.found);
        return Ok(());
    }
    found.push(told("vertices", format!("{count_a} against {count_b}")));
    if count_a > 0 && count_b > 0 {
        notes.push("vertices were matched by their places, since the two have different numbers of them".to_owned());
        found.extend(nearest_pairs(&points_a, &points_b, bounds, context)?.found);
    }
    Ok(())
}

/// What a way of matching points finds.
struct Paired {
    found: Vec<FieldDifference>,
    /// How many points of one side have none of the other at their place.
    apart: usize,
}

fn pairs_in_order(a: &Points<'_>, b: &Points<'_>, bounds: Bounds) -> Paired {
    let mut apart = 0;
    let (mut places, mut uvs, mut weights) =
        (Numbers::new(bounds.length), Numbers::new(bounds.other), Numbers::new(bounds.other));
    for (index, (x, y)) in a.positions.iter().zip(&b.positions).enumerate() {
        places.add_all(x.map(f64::from), y.map(f64::from), || format!("vertices[{index}].position"));
        let is_near = x.iter().zip(y).all(|(x, y)| (f64::from(*x) - f64::from(*y)).abs() <= bounds.length);
        apart += usize::from(!is_near);
        if let Some((x, y)) = a.uv(index).zip(b.uv(index)) {
            uvs.add_all(x, y, || format!("vertices[{index}].tex_coord"));
        }
        add_weights(&mut weights, a.movers(index), b.movers(index), index);
    }
    let found =
        [places.finish("vertices.position"), uvs.finish("vertices.tex_coord"), weights.finish("vertices.weights")];
    Paired { found: found.into_iter().flatten().collect(), apart }
}

/// The weights of a point that a node moves, where it may as well hang on the joint of that name alone.
fn as_joints<'n>(node: &'n str, joints: &BTreeMap<&str, f64>) -> BTreeMap<&'n str, f64> {
    if joints.contains_key(node) { BTreeMap::from([(node, 1.0)]) } else { BTreeMap::new() }
}

fn add_weights(numbers: &mut Numbers, a: Movers<'_>, b: Movers<'_>, index: usize) {
    let (a, b) = match (a, b) {
        (Movers::Joints(a), Movers::Joints(b)) => (a, b),
        (Movers::Node(node), Movers::Joints(b)) => (as_joints(node, &b), b),
        (Movers::Joints(a), Movers::Node(node)) => {
            let b = as_joints(node, &a);
            (a, b)
        }
        (Movers::Node(_), Movers::Node(_)) => return,
    };
    for (name, weight) in &a {
        numbers.add(*weight, b.get(name).copied().unwrap_or(0.0), || format!("vertices[{index}].weights[{name}]"));
    }
    for (name, weight) in b.iter().filter(|(name, _)| !a.contains_key(*name)) {
        numbers.add(0.0, *weight, || format!("vertices[{index}].weights[{name}]"));
    }
}

/// The points at each place of a scene, in order.
type Places = BTreeMap<[u32; 3], Vec<usize>>;

/// A place as a key; both zeros are one.
fn key(position: [f32; 3]) -> [u32; 3] {
    position.map(|value| (value + 0.0).to_bits())
}

fn places(points: &Points<'_>) -> Places {
    let mut places = Places::new();
    for (index, position) in points.positions.iter().enumerate() {
        places.entry(key(*position)).or_default().push(index);
    }
    places
}

/// Of the points at the place of the nearest, the one with the most alike texture coordinates: those along a seam share
/// their place.
fn counterpart(uv: Option<[f64; 2]>, (b, places): (&Points<'_>, &Places), nearest: usize) -> usize {
    let same = b.positions.get(nearest).and_then(|position| places.get(&key(*position)));
    let Some(([u, v], same)) = uv.zip(same) else { return nearest };
    let apart =
        |index: usize| b.uv(index).map_or(f64::INFINITY, |other| (other[0] - u).abs().max((other[1] - v).abs()));
    same.iter().copied().min_by(|x, y| apart(*x).total_cmp(&apart(*y))).unwrap_or(nearest)
}

/// Each point of one scene against the nearest of the other, both ways; texture coordinates and weights at the nearest.
fn nearest_pairs(a: &Points<'_>, b: &Points<'_>, bounds: Bounds, context: &Context) -> Result<Paired> {
    let (mut found, mut apart, mut lonely) = (Vec::new(), 0, 0);
    let mut weights = Numbers::new(bounds.other);
    let mut uvs = Numbers::new(bounds.other);
    let (index_a, index_b) = (Nearest::new(&a.positions), Nearest::new(&b.positions));
    let places_b = places(b);
    let mut far = Numbers::new(bounds.length);
    for (index, position) in a.positions.iter().enumerate() {
        check(index, context)?;
        let Some((nearest, distance)) = index_b.nearest(*position) else { continue };
        far.add(0.0, distance, || format!("vertices[{index}].distance"));
        apart += usize::from(distance > bounds.length);
        let uv = a.uv(index);
        let nearest = counterpart(uv, (b, &places_b), nearest);
        if let Some((x, y)) = uv.zip(b.uv(nearest)) {
            uvs.add_all(x, y, || format!("vertices[{index}].tex_coord"));
        }
        add_weights(&mut weights, a.movers(index), b.movers(nearest), index);
    }
    found.extend(far.finish("vertices.distance_to_second"));
    let mut far = Numbers::new(bounds.length);
    for (index, position) in b.positions.iter().enumerate() {
        check(index, context)?;
        if let Some((_, distance)) = index_a.nearest(*position) {
            lonely += usize::from(distance > bounds.length);
            far.add(0.0, distance, || format!("vertices[{index}].distance"));
        }
    }
    found.extend(far.finish("vertices.distance_to_first"));
    found.extend(uvs.finish("vertices.tex_coord"));
    found.extend(weights.finish("vertices.weights"));
    Ok(Paired { found, apart: apart.max(lonely) })
}

fn check(index: usize, context: &Context) -> Result<()> {
    if index.is_multiple_of(4096) { context.check_cancelled() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_scene::{Mesh, MeshInstance, Node, RootSet, Stream, Topology};

    /// Five points, of which the second and the third share their place: a seam.
    const SEAM: [[f32; 3]; 5] = [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [2.0, 2.0, 0.0]];
    const UVS: [[f32; 2]; 5] = [[0.0; 2], [1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [0.25, 0.75]];

    fn scene(positions: &[[f32; 3]], uvs: &[[f32; 2]]) -> Scene {
        let mut part = Part::default();
        part.topology = Topology::Points;
        part.point_count = u32::try_from(positions.len()).expect("few");
        part.set_stream(Stream::new(Semantic::Position, 3, positions.as_flattened().to_vec()));
        part.set_stream(Stream::new(Semantic::TexCoord(0), 2, uvs.as_flattened().to_vec()));
        let mut mesh = Mesh::default();
        mesh.parts = vec![part];
        let mut scene = Scene::default();
        let mut node = Node::new("shown");
        node.mesh = Some(MeshInstance::new(scene.meshes.push(mesh)));
        let id = scene.nodes.push(node);
        scene.root_sets = vec![RootSet::new("scene", vec![id])];
        scene
    }

    /// The paths of what differs, and whether points were matched by their places.
    fn differences(a: &Scene, b: &Scene) -> (Vec<String>, bool) {
        let (mut found, mut notes) = (Vec::new(), Vec::new());
        let bounds = Bounds { length: 1e-4, other: 1e-4 };
        compare(a, b, bounds, (&mut found, &mut notes), &Context::new()).expect("nobody stops it");
        (found.into_iter().map(|difference| difference.path).collect(), !notes.is_empty())
    }

    #[test]
    fn a_vertex_of_a_seam_moved_onto_another_is_found() {
        let mut moved = SEAM;
        moved[2] = moved[3];
        let found = differences(&scene(&SEAM, &UVS), &scene(&moved, &UVS));
        assert_eq!(found, (vec!["vertices.position".to_owned()], false));
    }

    #[test]
    fn texture_coordinates_are_compared_where_the_order_differs() {
        let (mut positions, mut uvs) = (SEAM, UVS);
        positions.rotate_left(1);
        uvs.rotate_left(1);
        assert_eq!(differences(&scene(&SEAM, &UVS), &scene(&positions, &uvs)), (Vec::new(), true));
        uvs[1] = [0.5, 0.625];
        let found = differences(&scene(&SEAM, &UVS), &scene(&positions, &uvs));
        assert_eq!(found, (vec!["vertices.tex_coord".to_owned()], true));
    }
}
