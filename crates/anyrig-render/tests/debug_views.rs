//! What the views of the inside show.

mod common;

use anyrig_bytes::{Context, ErrorKind, Limits};
use anyrig_render::{DebugView, PictureOptions, PictureSize, Renderer};
use anyrig_scene::glam::{DAffine3, DMat3, DVec3};
use anyrig_scene::{Influences, MeshInstance, Node, Part, Scene, Semantic, Skin, SkinId, Stream};
use common::{at, drawn, inside_out, picture, place, plain, show, square, unlit};

fn view(debug: DebugView) -> PictureOptions {
    let mut options = plain(64);
    options.debug = Some(debug);
    options
}

/// A square on two joints: the left points hang on the first, the right ones on the second.
fn skinned(influences: Influences) -> Scene {
    let mut scene = Scene::default();
    let mut part = square();
    part.influences = Some(influences);
    part.set_stream(Stream::new(Semantic::Tangent, 4, [1.0, 0.0, 0.0, 1.0].repeat(4)));
    let node = show(&mut scene, part, unlit([1.0; 4]));
    let mut joint = Node::new("one");
    joint.local = anyrig_scene::Trs { translation: DVec3::new(-0.5, 0.0, 0.0), ..anyrig_scene::Trs::IDENTITY }.into();
    let one = scene.add_node(joint, None);
    let mut joint = Node::new("two");
    joint.local = anyrig_scene::Trs { translation: DVec3::new(1.0, 0.3, 0.0), ..anyrig_scene::Trs::IDENTITY }.into();
    let two = scene.add_node(joint, Some(one));
    let bind = |x: f64, y: f64| DAffine3::from_translation(DVec3::new(-x, -y, 0.0));
    scene.skins.push(Skin::new("skin", vec![one, two], vec![bind(-0.5, 0.0), bind(0.5, 0.0)]));
    let instance: &mut MeshInstance = scene.nodes[node].mesh.as_mut().expect("it shows the square");
    instance.skin = Some(SkinId::new(0));
    scene
}

fn usual() -> Influences {
    Influences::fixed(1, vec![0, 1, 1, 0], vec![1.0; 4])
}

fn color(scene: &Scene, options: &PictureOptions, x: u32, y: u32) -> [i32; 3] {
    let [r, g, b, _] = at(&picture(scene.clone(), options), x, y);
    [r, g, b].map(i32::from)
}

fn is_red([r, g, b]: [i32; 3]) -> bool {
    r > 120 && r > 2 * g && r > 2 * b
}

fn is_blue([r, g, b]: [i32; 3]) -> bool {
    b > 120 && b > g && b > 2 * r
}

#[test]
fn every_view_differs_from_every_other() {
    let scene = skinned(usual());
    let mut all = vec![picture(scene.clone(), &plain(64))];
    all.extend(DebugView::ALL.map(|debug| picture(scene.clone(), &view(debug))));
    for (i, a) in all.iter().enumerate() {
        assert!(drawn(a).len() > 5, "view {i} shows something");
        assert!(all[i + 1..].iter().all(|b| a != b), "view {i}");
    }
}

#[test]
fn facing_is_red_where_winding_and_normals_disagree() {
    let scene_of = |part: Part| {
        let mut scene = Scene::default();
        show(&mut scene, part, unlit([1.0; 4]));
        scene
    };
    let options = view(DebugView::Facing);
    assert!(is_blue(color(&scene_of(square()), &options, 32, 32)));
    assert!(is_red(color(&scene_of(inside_out(square())), &options, 32, 32)));
    // A mirrored node turns both round.
    let mut mirrored = scene_of(square());
    let node = mirrored.nodes.id(0).expect("one node");
    place(&mut mirrored, node, DVec3::ZERO, DVec3::new(-1.0, 1.0, 1.0));
    assert!(is_blue(color(&mirrored, &options, 32, 32)));
}

#[test]
fn weights_of_one_joint_go_from_blue_to_red() {
    let scene = skinned(usual());
    let mut options = view(DebugView::Weights);
    options.bone = Some(2);
    let ends = |options: &PictureOptions| [10, 53].map(|x| color(&scene, options, x, 34));
    let [left, right] = ends(&options);
    assert!(is_blue(left) && is_red(right), "{left:?} {right:?}");
    options.bone = Some(1);
    let [left, right] = ends(&options);
    assert!(is_red(left) && is_blue(right), "{left:?} {right:?}");
    options.bone = None;
    assert_ne!(color(&scene, &options, 8, 32), color(&scene, &options, 56, 28));
}

#[test]
fn influences_show_what_is_wrong() {
    let options = view(DebugView::Influences);
    let shown = |influences: Influences| color(&skinned(influences), &options, 32, 30);
    let [r, g, b] = shown(usual());
    assert!(b > g && g > r, "one joint is light blue");
    let none = Influences::fixed(1, vec![0; 4], vec![0.0; 4]);
    assert!(is_red(shown(none)));
    let [r, g, b] = shown(Influences::fixed(1, vec![0; 4], vec![0.7; 4]));
    assert!(r > 2 * g && b > 2 * g, "a wrong sum is magenta");
    let [r, g, b] = shown(Influences::fixed(5, vec![0; 20], vec![0.2; 20]));
    assert!(r > g && g > 2 * b, "five are orange");
}

#[test]
fn normals_and_tangents_are_their_directions() {
    let scene = skinned(usual());
    let near = |found: [i32; 3], wanted: [i32; 3]| found.iter().zip(wanted).all(|(f, w)| (f - w).abs() < 30);
    // Half, half and all of the way, a little darker for the light; away from the hairs at the corners.
    let normal = color(&scene, &view(DebugView::Normals), 32, 12);
    assert!(near(normal, [123, 123, 244]), "{normal:?}");
    let tangent = color(&scene, &view(DebugView::Tangents), 40, 18);
    assert!(near(tangent, [244, 123, 123]), "{tangent:?}");
}

#[test]
fn wires_are_dark_lines_on_light() {
    let mut scene = Scene::default();
    show(&mut scene, square(), unlit([1.0; 4]));
    let options = view(DebugView::Wire);
    // The diagonal from the lower left to the upper right, and beside it.
    let (on, off) = (color(&scene, &options, 32, 31), color(&scene, &options, 20, 20));
    assert!(on[0] + 60 < off[0], "{on:?} {off:?}");
}

#[test]
fn the_checker_has_eight_squares_to_a_unit() {
    let mut scene = Scene::default();
    show(&mut scene, square(), unlit([1.0; 4]));
    let image = picture(scene, &view(DebugView::UvChecker));
    // Along a line through the middle of a row of squares.
    let y = 4 + 3;
    let mut changes = 0;
    for x in 5..59 {
        let (a, b) = (at(&image, x, y), at(&image, x + 1, y));
        changes += usize::from((0..3).any(|c| a[c].abs_diff(b[c]) > 20));
    }
    assert!((7..=14).contains(&changes), "{changes}");
}

#[test]
fn joints_are_drawn_over_the_figure() {
    let scene = skinned(usual());
    for debug in [DebugView::Bones, DebugView::Axes] {
        let mut pale = view(DebugView::Wire);
        pale.debug = Some(debug);
        let image = picture(scene.clone(), &pale);
        let colorful = image.pixels().iter().filter(|p| p[0].abs_diff(p[1]).max(p[1].abs_diff(p[2])) > 60).count();
        assert!(colorful > 10, "{debug}: {colorful}");
    }
}

#[test]
fn a_skeleton_without_a_mesh_is_drawn_as_joints() {
    let mut scene = Scene::default();
    let hips = scene.add_node(Node::new("hips"), None);
    let mut knee = Node::new("knee");
    knee.local = anyrig_scene::Trs { translation: DVec3::new(0.0, -1.0, 0.0), ..anyrig_scene::Trs::IDENTITY }.into();
    scene.add_node(knee, Some(hips));
    let context = Context::new();
    let renderer = Renderer::new(scene, &context).expect("a sound scene");
    let image = renderer.picture(&plain(64), &context).expect("a picture");
    let rows: Vec<u32> = drawn(&image).iter().map(|(_, y)| *y).collect();
    assert!(rows.len() > 100 && rows[0] < 10 && rows[rows.len() - 1] > 50, "from top to bottom");
    assert_eq!(context.report().count_of("render.nothing-shown"), 1);
}

#[test]
fn a_ghost_shows_where_the_figure_was_bound() {
    // The second joint stands 0.3 above its bind: the ghost's right side lies lower.
    let image = picture(skinned(usual()), &view(DebugView::BindGhost));
    let bluish = |x, y| {
        let [r, _, b, _] = at(&image, x, y);
        b > r.saturating_add(20)
    };
    let lowest = |x: u32| (0..64).rev().find(|y| bluish(x, *y));
    assert!(lowest(56).is_some(), "the ghost is seen below the right side");
}

#[test]
fn a_ghost_in_the_figure_s_own_place_has_one_tint() {
    let mut scene = skinned(Influences::fixed(1, vec![1; 4], vec![1.0; 4]));
    // As it was bound, but for a lean that is no more than rounding: its left half lies behind the ghost.
    let two = scene.skins.as_slice()[0].joints[1];
    scene.nodes[two].local = anyrig_scene::Trs { translation: DVec3::X, ..anyrig_scene::Trs::IDENTITY }.into();
    let lean = DAffine3::from_mat3(DMat3::from_cols(DVec3::new(1.0, 0.0, 1e-5), DVec3::Y, DVec3::Z));
    let skin = scene.skins.values_mut().next().expect("one skin");
    skin.inverse_binds[1] = DAffine3::from_translation(DVec3::X * -0.5) * lean;
    let image = picture(scene, &view(DebugView::BindGhost));
    let [left, right] = [20, 44].map(|x| at(&image, x, 32));
    assert!((0..3).all(|c| left[c].abs_diff(right[c]) < 8), "{left:?} {right:?}");
}

#[test]
fn half_a_weight_is_green_between_blue_and_red() {
    let mut options = view(DebugView::Weights);
    options.bone = Some(2);
    // The square's left points have none of the joint, its right ones all: half way the weight is a half.
    let [r, g, b] = color(&skinned(usual()), &options, 32, 36);
    assert!(g > 150 && g > 2 * r && g > 2 * b, "{r} {g} {b}");
}

#[test]
fn a_strip_below_large_views_says_what_colours_mean() {
    let scene = skinned(usual());
    let large = |debug: DebugView, legend: bool| {
        let mut options = plain(256);
        (options.debug, options.legend) = (Some(debug), legend);
        picture(scene.clone(), &options)
    };
    for debug in DebugView::ALL {
        let (with, without) = (large(debug, true), large(debug, false));
        assert_eq!((with.width(), with.height()), (256, 256));
        // Letters stand in the lowest line, where the margin is otherwise.
        let low = |image: &anyrig_image::Rgba8Image| drawn(image).iter().any(|(_, y)| (244..251).contains(y));
        assert!(!low(&without), "{debug}");
        assert_eq!(low(&with), debug != DebugView::Wire, "{debug}");
    }
    // The swatches are the view's own colours.
    let facing = large(DebugView::Facing, true);
    assert!([[70, 120, 215, 255], [150, 90, 190, 255], [225, 40, 40, 255]].iter().all(|c| facing.pixels().contains(c)));
    assert_eq!(picture(scene.clone(), &view(DebugView::Facing)).height(), 64);
}

#[test]
fn a_joint_that_does_not_exist_and_too_many_points_are_errors() {
    let kind = |options: &PictureOptions, limits: Limits| {
        let context = Context::new().with_limits(limits);
        let renderer = Renderer::new(skinned(usual()), &context).expect("a sound scene");
        renderer.picture(options, &context).map(drop).map_err(|e| e.kind())
    };
    let mut options = view(DebugView::Axes);
    options.bone = Some(99);
    assert_eq!(kind(&options, Limits::default()), Err(ErrorKind::Usage));
    // Enough to prepare the scene and for one pixel, but not for the dots of four points.
    let mut limits = Limits::default();
    limits.memory_bytes = 600;
    let mut small = view(DebugView::Points);
    small.size = PictureSize::square(1);
    assert_eq!(kind(&small, limits), Err(ErrorKind::LimitExceeded));
}

#[test]
fn views_of_scenes_without_what_they_show_are_no_failure() {
    for debug in DebugView::ALL {
        picture(Scene::default(), &view(debug));
        let mut bare = Scene::default();
        let mut part = square();
        part.streams.retain(|s| s.semantic == Semantic::Position);
        show(&mut bare, part, unlit([1.0; 4]));
        picture(bare, &view(debug));
    }
}
