//! What pictures of small scenes show, pixel by pixel.

mod common;

use anyrig_bytes::{Context, ErrorKind, Limits};
use anyrig_image::Rgba8Image;
use anyrig_render::{Mistake, PictureOptions, PictureSize, PoseChoice, Renderer, Rgba, View};
use anyrig_scene::glam::{DAffine3, DQuat, DVec3};
use anyrig_scene::{
    AlphaMode, Axis, Channel, Clip, Curve, Handedness, Influences, Interpolation, Node, Property, Sampler, Scene,
    Semantic, Skin, SkinId, Space, Stream, Trs, Wrap,
};
use common::{BACKDROP, RED, at, drawn, material_of, picture, place, plain, show, square, texture, unlit, usual};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

#[test]
fn an_unlit_square_has_exactly_its_colour_and_fills_all_but_the_margin() {
    let mut scene = Scene::default();
    show(&mut scene, square(), unlit([1.0, 0.0, 0.0, 1.0]));
    let image = picture(scene, &plain(100));
    assert_eq!((at(&image, 50, 50), at(&image, 2, 2)), (RED, BACKDROP));
    let all = drawn(&image);
    // 6 % of 100 pixels stay free on each side.
    assert_eq!((all.first(), all.last(), all.len()), (Some(&(6, 6)), Some(&(93, 93)), 88 * 88));
    assert!(all.iter().all(|(x, y)| at(&image, *x, *y) == RED), "no seam between the two triangles");
}

#[test]
fn blended_alpha_mixes_light() {
    let mut scene = Scene::default();
    show(&mut scene, square(), unlit([1.0, 0.0, 0.0, 0.5]));
    material_of(&mut scene, 0).alpha_mode = AlphaMode::Blend;
    let mut options = plain(32);
    options.background = Rgba([255, 255, 255, 255]);
    // Half of the light of 255 is the light of code 188.
    assert_eq!(at(&picture(scene.clone(), &options), 16, 16), [255, 188, 188, 255]);
    options.background = Rgba::TRANSPARENT;
    assert_eq!(at(&picture(scene, &options), 16, 16), [255, 0, 0, 128]);
}

#[test]
fn blended_squares_lie_over_each_other_from_back_to_front() {
    let mut scene = Scene::default();
    // The nearer one comes first in the file.
    for (z, color) in [(0.1, [0.0, 1.0, 0.0, 0.5]), (0.0, [1.0, 0.0, 0.0, 0.5])] {
        let node = show(&mut scene, square(), unlit(color));
        place(&mut scene, node, DVec3::new(0.0, 0.0, z), DVec3::ONE);
    }
    scene.materials.values_mut().for_each(|m| m.alpha_mode = AlphaMode::Blend);
    let mut options = plain(32);
    options.background = Rgba([0, 0, 0, 255]);
    // Red half, then green half over it: a quarter of red, half of green.
    assert_eq!(at(&picture(scene, &options), 16, 16), [137, 188, 0, 255]);
}

#[test]
fn a_mask_cuts_holes() {
    let mut scene = Scene::default();
    show(&mut scene, square(), unlit([1.0, 0.0, 0.0, 1.0]));
    let mut used = texture(&mut scene, 2, &[[255; 4], [255, 255, 255, 0]]);
    let mut sampler = Sampler::default();
    (sampler.wrap_u, sampler.wrap_v) = (Wrap::ClampToEdge, Wrap::ClampToEdge);
    scene.textures[used.texture].sampler = Some(sampler);
    used.uv_set = 0;
    let material = material_of(&mut scene, 0);
    material.base_color_texture = Some(used);
    material.alpha_mode = AlphaMode::Mask { cutoff: 0.5 };
    let image = picture(scene, &plain(64));
    assert_eq!((at(&image, 16, 32), at(&image, 48, 32)), (RED, BACKDROP));
}

#[test]
fn textures_stand_upright_and_repeat() {
    let colors = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 0, 255]];
    let corners = |scale: f32| {
        let mut scene = Scene::default();
        let mut part = square();
        let uvs: Vec<f32> = [0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0].iter().map(|v| v * scale).collect();
        part.set_stream(Stream::new(Semantic::TexCoord(0), 2, uvs));
        show(&mut scene, part, unlit([1.0; 4]));
        let used = texture(&mut scene, 2, &colors);
        let mut sampler = Sampler::default();
        sampler.mag = Some(anyrig_scene::Filter::Nearest);
        scene.textures[used.texture].sampler = Some(sampler);
        material_of(&mut scene, 0).base_color_texture = Some(used);
        let image = picture(scene, &plain(100));
        [(10, 10), (89, 10), (10, 89), (89, 89)].map(|(x, y)| at(&image, x, y))
    };
    assert_eq!(corners(1.0), colors);
    // One and a half of it: the right and the lower half begin anew.
    assert_eq!(corners(1.5), [colors[0], colors[0], colors[0], colors[0]]);
}

#[test]
fn back_faces_are_seen_where_the_material_says_so() {
    let seen = |double_sided: bool, azimuth_degrees: f64| {
        let mut scene = Scene::default();
        show(&mut scene, square(), unlit([1.0, 0.0, 0.0, 1.0]));
        material_of(&mut scene, 0).double_sided = double_sided;
        let mut options = plain(32);
        options.view = View::From { azimuth_degrees, elevation_degrees: 0.0 };
        at(&picture(scene, &options), 16, 16) == RED
    };
    assert_eq!([seen(false, 0.0), seen(false, 180.0), seen(true, 180.0)], [true, false, true]);
}

#[test]
fn mirrored_nodes_show_their_outside() {
    let mut scene = Scene::default();
    let node = show(&mut scene, square(), unlit([1.0, 0.0, 0.0, 1.0]));
    place(&mut scene, node, DVec3::ZERO, DVec3::new(-1.0, 1.0, 1.0));
    assert_eq!(at(&picture(scene, &plain(32)), 16, 16), RED);
}

#[test]
fn hidden_nodes_and_colliders_are_not_drawn() {
    for (name, visible) in [("node", false), ("UCX_Body_01", true)] {
        let mut scene = Scene::default();
        let node = show(&mut scene, square(), unlit([1.0, 0.0, 0.0, 1.0]));
        name.clone_into(&mut scene.nodes[node].name);
        scene.nodes[node].visible = visible;
        assert!(drawn(&picture(scene, &plain(32))).is_empty(), "{name}");
    }
}

#[test]
fn the_figure_faces_the_viewer_in_any_space() {
    // Z up, faces -Y, left-handed, 1 cm: the square stands in the plane of X and Z.
    let mut scene = Scene::new(
        Space::GLTF.with_axes(Axis::PosZ, Axis::NegY).with_handedness(Handedness::Left).with_metres_per_unit(0.01),
    );
    let mut part = square();
    let positions = vec![1.0, 0.0, -1.0, -1.0, 0.0, -1.0, -1.0, 0.0, 1.0, 1.0, 0.0, 1.0];
    part.set_stream(Stream::new(Semantic::Position, 3, positions));
    part.set_stream(Stream::new(Semantic::Normal, 3, [0.0, -1.0, 0.0].repeat(4)));
    // A red dot at the upper left corner of what the viewer sees.
    let pixels = [RED, [0, 0, 255, 255], [0, 0, 255, 255], [0, 0, 255, 255]];
    show(&mut scene, part, unlit([1.0; 4]));
    let used = texture(&mut scene, 2, &pixels);
    let mut sampler = Sampler::default();
    sampler.mag = Some(anyrig_scene::Filter::Nearest);
    scene.textures[used.texture].sampler = Some(sampler);
    let material = material_of(&mut scene, 0);
    (material.base_color_texture, material.double_sided) = (Some(used), true);
    let image = picture(scene, &plain(64));
    let is_red = |x: u32, y: u32| at(&image, x, y)[0] > 200 && at(&image, x, y)[2] < 100;
    assert_eq!([is_red(14, 14), is_red(50, 14), is_red(14, 50)], [true, false, false]);
}

fn sliding() -> Scene {
    let mut scene = Scene::default();
    let node = show(&mut scene, square(), unlit([0.0, 0.0, 0.0, 1.0]));
    let mut clip = Clip::new("slide");
    let keys = vec![0.0, 0.0, 0.0, 9.0, 4.0, -3.0];
    let curve = Curve::new(Interpolation::Linear, 3, vec![0.0, 1.0], keys);
    clip.channels.push(Channel::new(node, Property::Translation, curve));
    scene.clips.push(clip);
    scene
}

#[test]
fn a_moving_figure_stays_inside_the_picture_all_the_time() {
    for view in [View::Front, View::ThreeQuarter, View::Side] {
        let mut columns = Vec::new();
        for step in 0..=10 {
            let mut options = plain(64);
            options.view = view;
            options.size = PictureSize { width: 80, height: 64 };
            options.pose = PoseChoice::Clip { clip: 0, time_secs: Some(f64::from(step) / 10.0) };
            let mut scene = sliding();
            material_of(&mut scene, 0).double_sided = true;
            let all = drawn(&picture(scene, &options));
            let inside = |(x, y): &(u32, u32)| (4..76).contains(x) && (3..61).contains(y);
            assert!(all.iter().all(inside), "{view:?} {step}");
            columns.extend(all.first().map(|(x, _)| *x));
        }
        // Not framed anew at each time.
        assert!(view == View::Side || columns.first() < columns.last(), "{columns:?}");
    }
}

#[test]
fn threads_do_not_matter() {
    let mut scene = Scene::default();
    for i in 0..40 {
        let mut material = anyrig_scene::Material::new("m");
        material.base_color = [0.2 + 0.02 * i as f32, 0.5, 0.9 - 0.02 * i as f32, 0.5 + 0.01 * i as f32];
        material.alpha_mode = if i % 2 == 0 { AlphaMode::Opaque } else { AlphaMode::Blend };
        let node = show(&mut scene, square(), material);
        let i = f64::from(i);
        place(&mut scene, node, DVec3::new(i % 7.0, i % 5.0, i % 3.0), DVec3::new(1.0, 1.0 + i % 2.0, 1.0));
    }
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| picture(scene.clone(), &usual(150)))
    };
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(5));
}

#[test]
fn a_figure_stands_in_its_shadow() {
    let mut scene = Scene::default();
    let node = show(&mut scene, square(), unlit([1.0, 0.0, 0.0, 1.0]));
    place(&mut scene, node, DVec3::Y, DVec3::new(0.3, 1.0, 1.0));
    let mut options = usual(64);
    let with = picture(scene.clone(), &options);
    options.ground = false;
    let without = picture(scene, &options);
    let darker: Vec<u32> =
        (0..64 * 64).filter(|i| with.pixels()[*i as usize][1] < without.pixels()[*i as usize][1]).collect();
    assert!(darker.len() > 100, "{}", darker.len());
    assert!(darker.iter().all(|i| i / 64 > 30), "only on the floor");
}

#[test]
fn the_shadow_begins_at_the_feet() {
    let mut scene = Scene::default();
    // A small plate on the floor and a large one above it, as feet and shoulders are, seen from before and above.
    for (height, scale) in [(0.0, 0.15), (1.6, 0.6)] {
        let mut material = unlit([1.0, 0.0, 0.0, 1.0]);
        material.double_sided = true;
        let node = show(&mut scene, square(), material);
        let rotation = DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2);
        scene.nodes[node].local = Trs { translation: DVec3::Y * height, rotation, scale: DVec3::splat(scale) }.into();
    }
    let mut options = usual(96);
    options.view = View::From { azimuth_degrees: 0.0, elevation_degrees: 20.0 };
    let with = picture(scene.clone(), &options);
    options.ground = false;
    let without = picture(scene, &options);
    let feet = drawn(&without).iter().map(|(_, y)| *y).max().expect("a plate");
    let dark = |x: u32, y: u32| i32::from(at(&without, x, y)[1]) - i32::from(at(&with, x, y)[1]);
    let row = |y: u32| (0..96).map(|x| dark(x, y)).max().unwrap_or(0);
    // The floor about the feet is darker than any that lies further behind them.
    let about = row(feet + 1);
    let behind = (0..feet - 12).map(row).max().unwrap_or(0);
    assert!(about > behind, "{about} {behind}");
}

/// Two joints, one above the other, that hold a square; the upper one is turned a little.
fn bent() -> Scene {
    let mut scene = Scene::default();
    let mut part = square();
    part.influences = Some(Influences::fixed(2, vec![0, 1, 0, 1, 0, 1, 0, 1], [0.6, 0.4].repeat(4)));
    let node = show(&mut scene, part, unlit([1.0, 0.0, 0.0, 1.0]));
    place(&mut scene, node, DVec3::new(3.0, 0.0, 0.0), DVec3::ONE);
    let joint = |at: DVec3, turn: f64| {
        let mut joint = Node::new("joint");
        let rotation = DQuat::from_rotation_z(turn);
        joint.local = Trs { translation: at, rotation, ..Trs::IDENTITY }.into();
        joint
    };
    let low = scene.add_node(joint(DVec3::new(0.5, -1.0, 0.0), 0.2), None);
    let high = scene.add_node(joint(DVec3::new(0.0, 1.0, 0.0), 0.4), Some(low));
    let binds = [DVec3::new(0.0, 1.0, 0.0), DVec3::ZERO].map(DAffine3::from_translation);
    scene.skins.push(Skin::new("skin", vec![low, high], binds.to_vec()));
    scene.nodes[node].mesh.as_mut().expect("a mesh").skin = Some(SkinId::new(0));
    let mut clip = Clip::new("rise");
    let curve = Curve::new(Interpolation::Linear, 3, vec![0.0, 1.0], vec![0.5, -1.0, 0.0, 0.5, 2.0, 0.0]);
    clip.channels.push(Channel::new(low, Property::Translation, curve));
    scene.clips.push(clip);
    scene
}

fn mistaken(scene: Scene, mistake: Mistake, options: &PictureOptions) -> (Rgba8Image, u64) {
    let context = Context::new();
    let renderer = Renderer::new(scene, &context).and_then(|renderer| renderer.with_mistake(mistake, &context));
    let image = renderer.and_then(|renderer| renderer.picture(options, &context)).expect("a picture");
    (image, context.report().count_of("render.mistake-unseen"))
}

#[test]
fn every_mistake_looks_different_and_stays_in_the_picture() {
    let mut options = plain(96);
    options.pose = PoseChoice::Clip { clip: 0, time_secs: Some(0.8) };
    let mut all = vec![picture(bent(), &options)];
    for mistake in Mistake::ALL {
        let (image, unseen) = mistaken(bent(), mistake, &options);
        assert_eq!(unseen, 0, "{mistake}");
        let seen = drawn(&image);
        assert!(seen.len() > 20, "{mistake}");
        assert!(seen.iter().all(|(x, y)| (3..93).contains(x) && (3..93).contains(y)), "{mistake}");
        assert!(all.iter().all(|other| *other != image), "{mistake}");
        all.push(image);
    }
}

#[test]
fn mistakes_that_do_not_show_are_told() {
    let mut scene = bent();
    let node = scene.nodes.id(0).expect("the square's");
    place(&mut scene, node, DVec3::ZERO, DVec3::ONE);
    let mut still = plain(48);
    still.pose = PoseChoice::Clip { clip: 0, time_secs: Some(0.0) };
    for (mistake, options) in [(Mistake::DoubleTransform, plain(48)), (Mistake::WrongTicks, still)] {
        let right = picture(scene.clone(), &options);
        assert_eq!(mistaken(scene.clone(), mistake, &options), (right, 1), "{mistake}");
    }
}

#[test]
fn bad_weights_need_memory_for_new_ones() {
    let kind = |bytes: u64| {
        let mut limits = Limits::default();
        limits.memory_bytes = bytes;
        let context = Context::new().with_limits(limits);
        let renderer = Renderer::new(bent(), &Context::new()).expect("a sound scene");
        renderer.with_mistake(Mistake::BadWeights, &context).map(drop).map_err(|e| e.kind())
    };
    assert_eq!((kind(31), kind(32)), (Err(ErrorKind::LimitExceeded), Ok(())));
}

#[test]
fn nothing_gives_the_backdrop_and_says_so() {
    let mut nan = square();
    nan.set_stream(Stream::new(Semantic::Position, 3, vec![f32::NAN; 12]));
    let mut broken = Scene::default();
    show(&mut broken, nan, unlit([1.0; 4]));
    for scene in [Scene::default(), broken] {
        let context = Context::new();
        let renderer = Renderer::new(scene, &context).expect("nothing wrong");
        let image = renderer.picture(&plain(40), &context).expect("a picture of nothing");
        assert!(drawn(&image).is_empty());
        assert_eq!(context.report().count_of("render.nothing-shown"), 1);
    }
}

#[test]
fn flat_scales_and_single_points_do_no_harm() {
    for scale in [DVec3::ZERO, DVec3::new(1.0, 0.0, 1.0), DVec3::splat(1e-30), DVec3::splat(1e30)] {
        let mut scene = Scene::default();
        let node = show(&mut scene, square(), anyrig_scene::Material::new("lit"));
        place(&mut scene, node, DVec3::new(3.0, 2.0, 1.0), scale);
        let image = picture(scene, &usual(24));
        assert_eq!(image.pixels().len(), 24 * 24, "{scale}");
    }
}

#[test]
fn times_and_angles_that_are_no_numbers_do_no_harm() {
    for wild in [f64::NAN, f64::INFINITY, -1e300] {
        let mut options = usual(24);
        options.pose = PoseChoice::Clip { clip: 0, time_secs: Some(wild) };
        picture(sliding(), &options);
        options.view = View::From { azimuth_degrees: wild, elevation_degrees: wild };
        picture(sliding(), &options);
        options.pose = PoseChoice::Clip { clip: 9, time_secs: None };
        picture(sliding(), &options);
    }
}

#[test]
fn textures_that_cannot_be_decoded_are_told() {
    let mut scene = Scene::default();
    show(&mut scene, square(), unlit([1.0, 0.0, 0.0, 1.0]));
    let used = texture(&mut scene, 1, &[[0, 255, 0, 255]]);
    let image = scene.textures[used.texture].image.expect("it has one");
    scene.images[image].bytes = Some(vec![1, 2, 3].into());
    material_of(&mut scene, 0).base_color_texture = Some(used);
    let context = Context::new();
    let renderer = Renderer::new(scene, &context).expect("a scene without its texture");
    assert_eq!(context.report().count_of("render.texture-left-out"), 1);
    assert_eq!(at(&renderer.picture(&plain(32), &context).expect("a picture"), 16, 16), RED);
}

#[test]
fn limits_and_the_wish_to_stop_hold() {
    let kind = |context: &Context, options: &PictureOptions| {
        let mut scene = Scene::default();
        show(&mut scene, square(), unlit([1.0; 4]));
        let renderer = Renderer::new(scene, context);
        renderer.and_then(|renderer| renderer.picture(options, context)).map(drop).map_err(|e| e.kind())
    };
    let mut limits = Limits::default();
    limits.pixels = 32 * 32 - 1;
    assert_eq!(kind(&Context::new().with_limits(limits), &plain(32)), Err(ErrorKind::LimitExceeded));
    let mut limits = Limits::default();
    limits.memory_bytes = 300;
    assert_eq!(kind(&Context::new().with_limits(limits), &plain(32)), Err(ErrorKind::LimitExceeded));
    for side in [0, PictureSize::LONGEST + 1] {
        assert_eq!(kind(&Context::new(), &plain(side)), Err(ErrorKind::Usage));
    }
    let stopped = Context::new().with_cancel(Arc::new(AtomicBool::new(true)));
    assert_eq!(kind(&stopped, &plain(32)), Err(ErrorKind::Cancelled));
}

#[test]
fn a_face_needs_a_head() {
    let mut scene = Scene::default();
    show(&mut scene, square(), unlit([1.0, 0.0, 0.0, 1.0]));
    let hat = show(&mut scene, square(), unlit([0.0, 0.0, 1.0, 1.0]));
    place(&mut scene, hat, DVec3::new(0.0, 3.0, 0.0), DVec3::splat(0.2));
    let mut options = plain(32);
    options.view = View::Face;
    let context = Context::new();
    let error = Renderer::new(scene.clone(), &context).and_then(|r| r.picture(&options, &context)).map(drop);
    assert_eq!(error.map_err(|e| e.kind()), Err(ErrorKind::Usage));
    let head = scene.add_node(Node::new("mixamorig:Head"), None);
    scene.nodes[hat].parent = Some(head);
    scene.nodes[head].children.push(hat);
    let image = picture(scene, &options);
    assert_eq!(at(&image, 16, 16), [0, 0, 255, 255]);
}

#[test]
fn a_sheet_has_a_row_for_each_clip() {
    let context = Context::new();
    let mut scene = sliding();
    scene.clips.push(Clip::new("still"));
    let renderer = Renderer::new(scene, &context).expect("a sound scene");
    let sheet = renderer.contact_sheet(&plain(40), &context).expect("a sheet");
    assert_eq!((sheet.width(), sheet.height()), (160, 2 * (40 + 22)));
    // Each row has a label above four pictures.
    for (top, bottom) in [(0, 22), (22, 62), (62, 84), (84, 124)] {
        assert!(drawn(&sheet).iter().any(|(_, y)| (top..bottom).contains(y)), "{top}");
    }
    let none = Renderer::new(Scene::default(), &context).and_then(|r| r.contact_sheet(&plain(40), &context));
    assert_eq!(none.map(drop).map_err(|e| e.kind()), Err(ErrorKind::Usage));
}

#[test]
fn more_clips_than_a_sheet_holds_are_refused_with_what_fits() {
    let context = Context::new();
    let mut scene = sliding();
    scene.clips = vec![Clip::new("still"); 77];
    let renderer = Renderer::new(scene, &context).expect("a sound scene");
    let error = renderer.contact_sheet(&plain(192), &context).expect_err("too many");
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert!(error.message().contains("77 clips") && error.message().contains("76 at"), "{error}");
    assert!(error.message().contains("--size 190 or less"), "{error}");
}

#[test]
fn a_turntable_goes_all_round() {
    let mut scene = Scene::default();
    let node = show(&mut scene, square(), unlit([1.0, 0.0, 0.0, 1.0]));
    place(&mut scene, node, DVec3::new(5.0, 0.0, 0.0), DVec3::ONE);
    let context = Context::new();
    let renderer = Renderer::new(scene, &context).expect("a sound scene");
    let frames = renderer.turntable(&plain(32), 4, &context).expect("four pictures");
    // Seen from before, edge-on, from behind (where it has no face), edge-on.
    let seen: Vec<bool> = frames.iter().map(|f| drawn(f).len() > 100).collect();
    assert_eq!(seen, [true, false, false, false]);
    assert_eq!(at(&frames[0], 16, 16), RED, "it turns about its own middle");
}
