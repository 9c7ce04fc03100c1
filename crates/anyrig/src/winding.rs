//! Triangles whose winding and normals name different sides as their front.

use crate::codes;
use anyrig_bytes::{Context, Diagnostic, Result};
use anyrig_scene::glam::DVec3;
use anyrig_scene::{Domain, Mesh, Part, Scene, Semantic, Topology, Winding};
use std::ops::Range;

/// Cosine below which a normal counts as one of the back: normals that lie nearly in the face say nothing.
const AGAINST: f64 = -0.1;

/// Tells how many triangles of each mesh are turned against their normals: engines that leave out back faces show holes
/// there, and `anyrig render --debug facing` shows them red.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Cancelled`].
pub(crate) fn check(scene: &Scene, context: &Context) -> Result<()> {
    let outward = if scene.space.winding == Winding::CrossOutward { 1.0 } else { -1.0 };
    for (id, mesh) in scene.meshes.iter() {
        context.check_cancelled()?;
        let count = count(mesh, outward);
        if count > 0 {
            let subject = if mesh.name.is_empty() { format!("mesh {}", id.index()) } else { mesh.name.clone() };
            context.push(Diagnostic::new(&codes::WINDING_DISAGREES, subject, "").times(count));
        }
    }
    Ok(())
}

fn count(mesh: &Mesh, outward: f64) -> u64 {
    mesh.parts.iter().map(|part| count_of_part(part, outward)).sum()
}

fn count_of_part(part: &Part, outward: f64) -> u64 {
    let against = |(face, corners): (usize, Range<usize>)| {
        let triangles = corners.len().saturating_sub(2) as u64;
        if triangles > 0 && is_against(part, (face, corners), outward) { triangles } else { 0 }
    };
    match &part.topology {
        Topology::Points | Topology::Lines => 0,
        Topology::Triangles => (0..part.corner_count() / 3).map(|face| against((face, 3 * face..3 * face + 3))).sum(),
        Topology::Polygons { offsets } => {
            let faces = offsets.as_slice().windows(2).map(|pair| pair[0] as usize..pair[1] as usize);
            faces.enumerate().map(against).sum()
        }
    }
}

/// Whether all normals of a face point out of the other side than the winding's.
fn is_against(part: &Part, (face, mut corners): (usize, Range<usize>), outward: f64) -> bool {
    let Some(stream) = part.stream(&Semantic::Normal) else { return false };
    let Some(normals) = stream.arrays::<3>() else { return false };
    let positions = part.positions();
    let point = |corner: usize| part.corners.as_ref().map_or(Some(corner), |c| c.get(corner).map(|p| *p as usize));
    let vector = |values: &[f32; 3]| DVec3::from_array(values.map(f64::from));
    let position = |corner: usize| point(corner).and_then(|p| positions.get(p)).map(vector);
    let normal = |corner: usize| {
        let element = match stream.domain {
            Domain::Point => point(corner)?,
            Domain::Corner => corner,
            Domain::Face => face,
        };
        normals.get(element).map(vector)
    };
    let Some(out) = area(corners.clone(), position).and_then(|area| (area * outward).try_normalize()) else {
        return false;
    };
    corners.all(|corner| normal(corner).is_some_and(|n| n.dot(out) < AGAINST * n.length()))
}

/// Twice the area of a face, along the side that its corners turn around: the sum of a fan, which holds for hollow
/// polygons too, where single triangles of the fan are turned over.
fn area(mut corners: Range<usize>, position: impl Fn(usize) -> Option<DVec3>) -> Option<DVec3> {
    let first = position(corners.next()?)?;
    let mut last = position(corners.next()?)? - first;
    let mut area = DVec3::ZERO;
    for corner in corners {
        let next = position(corner)? - first;
        area += last.cross(next);
        last = next;
    }
    Some(area)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_scene::{Space, Stream};

    fn scene(domain: Domain, normals: &[[f32; 3]]) -> Scene {
        let mut part = Part::default();
        part.point_count = 4;
        // Two triangles in the plane of X and Y; by the numbers the first faces +Z and the second -Z.
        part.corners = Some(vec![0, 1, 2, 1, 2, 3].into());
        let positions = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0];
        part.set_stream(Stream::new(Semantic::Position, 3, positions));
        part.set_stream(Stream::new(Semantic::Normal, 3, normals.as_flattened().to_vec()).on(domain));
        let mut mesh = Mesh::default();
        "cloth".clone_into(&mut mesh.name);
        mesh.parts = vec![part];
        let mut scene = Scene::default();
        scene.meshes.push(mesh);
        scene
    }

    fn told(scene: &Scene) -> u64 {
        let context = Context::new();
        check(scene, &context).expect("nobody stops it");
        context.report().count_of("validate.winding-disagrees")
    }

    #[test]
    fn triangles_against_their_normals_are_counted() {
        let up = [0.0, 0.0, 1.0];
        assert_eq!(told(&scene(Domain::Point, &[up; 4])), 1);
        assert_eq!(told(&scene(Domain::Corner, &[up; 6])), 1);
        assert_eq!(told(&scene(Domain::Face, &[up, [0.0, 0.0, -1.0]])), 0);
        assert_eq!(told(&scene(Domain::Face, &[[0.0, 0.0, -1.0], up])), 2);
        // The other winding turns it round, and normals in the face say nothing.
        let mut inward = scene(Domain::Face, &[up; 2]);
        inward.space = Space::GLTF.with_winding(Winding::CrossInward);
        assert_eq!(told(&inward), 1);
        assert_eq!(told(&scene(Domain::Point, &[[1.0, 0.0, 0.0]; 4])), 0);
    }

    #[test]
    fn polygons_are_counted_as_their_triangles() {
        // A hollow arrowhead and a triangle, both anticlockwise seen from +Z; the fan of the arrowhead's first corner
        // has a triangle that is turned over.
        let polygons = |normals: &[[f32; 3]]| {
            let mut scene = scene(Domain::Face, normals);
            let part = &mut scene.meshes.values_mut().next().expect("a mesh").parts[0];
            let positions = [[2.0f32, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.0, 0.0], [0.0, -1.0, 0.0]];
            part.set_stream(Stream::new(Semantic::Position, 3, positions.as_flattened().to_vec()));
            part.corners = Some(vec![1, 2, 3, 0, 0, 1, 2].into());
            part.topology = Topology::Polygons { offsets: vec![0, 4, 7].into() };
            scene
        };
        let (up, down) = ([0.0, 0.0, 1.0], [0.0, 0.0, -1.0]);
        assert_eq!(told(&polygons(&[up, up])), 0);
        assert_eq!((told(&polygons(&[down, up])), told(&polygons(&[up, down]))), (2, 1));
    }

    #[test]
    fn normals_need_not_be_of_length_one() {
        let tilted = |length: f32| [0.995 * length, 0.0, -0.0998 * length];
        // Nearly in the face, whatever the length.
        assert_eq!(told(&scene(Domain::Face, &[tilted(8.0), [0.0, 0.0, -1.0]])), 0);
        assert_eq!(told(&scene(Domain::Face, &[[0.0, 0.0, -0.01], [0.0, 0.0, -1.0]])), 1);
    }

    #[test]
    fn broken_and_missing_normals_count_as_right() {
        let mut short = scene(Domain::Point, &[[0.0, 0.0, 1.0]]);
        assert_eq!(told(&short), 0);
        short.meshes.values_mut().for_each(|m| m.parts[0].streams.truncate(1));
        assert_eq!(told(&short), 0);
    }
}
