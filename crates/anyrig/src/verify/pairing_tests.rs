use super::super::shown::texture_coordinates;
use super::*;
use anyrig_animation::Pose;
use anyrig_bytes::{ErrorKind, Limits};
use anyrig_scene::{Domain, Mesh, MeshInstance, Node, Part, Scene, Semantic, Stream, TexCoords};

/// Triangles that all lie at one place, with one texture coordinate for all corners of each.
fn layers(uvs: impl Iterator<Item = f32>) -> Scene {
    in_plane(uvs.map(|u| [u, 0.5]))
}

fn in_plane(uvs: impl Iterator<Item = [f32; 2]>) -> Scene {
    let uvs: Vec<f32> = uvs.flat_map(|uv| [uv; 3]).flatten().collect();
    let mut part = Part::default();
    part.point_count = 3;
    part.corners = Some([0u32, 1, 2].repeat(uvs.len() / 6).into());
    part.set_stream(Stream::new(Semantic::Position, 3, vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]));
    part.set_stream(Stream::new(Semantic::TexCoord(0), 2, uvs).on(Domain::Corner));
    let (mut scene, mut mesh, mut node) = (Scene::default(), Mesh::default(), Node::new("n"));
    mesh.parts.push(part);
    node.mesh = Some(MeshInstance::new(scene.meshes.push(mesh)));
    scene.add_node(node, None);
    scene
}

fn paired(a: &Scene, b: &Scene, context: &Context) -> Result<Pairing> {
    let (rest_a, rest_b) = (Pose::rest(a), Pose::rest(b));
    let (shown_a, shown_b) = (Shown::of(a, &rest_a, &[], context)?, Shown::of(b, &rest_b, &[], context)?);
    let uv_a = texture_coordinates(a, (&rest_a, TexCoords::AsStored), context)?;
    let uv_b = texture_coordinates(b, (&rest_b, TexCoords::AsStored), context)?;
    Pairing::at_rest(
        &Sides { a: &shown_a, b: &shown_b, uv_a: &uv_a, uv_b: &uv_b, tolerance: 1e-5, uv_error: 0.0 },
        context,
    )
}

const MANY: u32 = 200_000;

/// Looking at all that lie at a place for each of them would take minutes.
#[test]
fn many_faces_at_one_place_find_their_own() {
    let uv = |i: u32| [(i % 500) as f32, (i / 500) as f32];
    let (a, b) = (in_plane((0..MANY).map(uv)), in_plane((0..MANY).rev().map(uv)));
    let Ok(Pairing::ByPlace(partners, turns)) = paired(&a, &b, &Context::new()) else { panic!("not by place") };
    assert!(partners.iter().enumerate().all(|(i, p)| *p == Some(MANY - 1 - i as u32)));
    assert!(turns.iter().all(|t| *t == 0));
}

/// Of those that are equal the first that is free is taken, so that what moves apart later stays in order.
#[test]
fn many_equal_faces_are_taken_in_their_order() {
    let a = layers(std::iter::repeat_n(0.0, MANY as usize).chain([1.0]));
    let b = layers(std::iter::once(1.0).chain(std::iter::repeat_n(0.0, MANY as usize)));
    let Ok(Pairing::ByPlace(partners, _)) = paired(&a, &b, &Context::new()) else { panic!("not by place") };
    assert!(partners[..MANY as usize].iter().enumerate().all(|(i, p)| *p == Some(i as u32 + 1)));
    assert_eq!(partners[MANY as usize], Some(0));
}

#[test]
fn coordinates_on_both_sides_of_a_span_meet() {
    for edge in [0.0f32, 1.0, 1000.0, -3.0] {
        let near = |sign: f32| edge + sign * 4e-6 * edge.abs().max(1.0);
        let (a, b) = (layers([near(-1.0), 7.0].into_iter()), layers([7.0, near(1.0)].into_iter()));
        assert!(paired(&a, &b, &Context::new()).is_ok(), "{edge}");
    }
    let error = paired(&layers([0.0, 7.0].into_iter()), &layers([7.0, 0.1].into_iter()), &Context::new());
    assert!(error.is_err_and(|e| e.message().contains("at rest: face 0")));
}

#[test]
fn what_is_shown_is_booked_and_can_be_stopped() {
    let scene = layers((0..1000).map(|i| i as f32));
    let within = |bytes: u64| {
        let mut limits = Limits::default();
        limits.memory_bytes = bytes;
        Context::new().with_limits(limits)
    };
    let kind = |context: &Context| paired(&scene, &scene, context).map_err(|e| e.kind());
    // A thousand primitives of 16 bytes, and three points; their texture coordinates take 24.
    assert_eq!(kind(&within(16_000)), Err(ErrorKind::LimitExceeded));
    assert_eq!(kind(&within(16_036)), Err(ErrorKind::LimitExceeded));
    assert_eq!(kind(&within(24_000)), Ok(Pairing::InOrder), "each list has room of its own");
    let stopped = Context::new().with_cancel(std::sync::Arc::new(true.into()));
    assert_eq!(kind(&stopped), Err(ErrorKind::Cancelled));
    let turned = layers((0..1000).rev().map(|i| i as f32));
    let error = paired(&scene, &turned, &within(24_000)).map_err(|e| e.kind());
    assert_eq!(error, Err(ErrorKind::LimitExceeded), "places are booked too");
}
