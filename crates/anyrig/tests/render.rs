//! Pictures of the samples, compared byte by byte with those that were looked at.
//!
//! `ANYRIG_DRAW=1 cargo test --package anyrig --test render` draws them anew into `tests/render/`; look at them before
//! you commit them.

#![cfg(feature = "render")]

use anyrig::image::{Rgba8Image, decode_rgba8, encode_png};
use anyrig::render::{DebugView, Mistake, PictureOptions, PictureSize, PoseChoice, Renderer, View};
use anyrig::{Context, Limits, MemorySource, Scene, load};
use std::fs;
use std::path::{Path, PathBuf};

const SIDE: u32 = 128;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/render")
}

fn sample(name: &str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(name);
    let source = MemorySource::new(name, fs::read(path).expect("a sample"));
    load(&source, None, &Context::new()).expect("readable")
}

fn mannequin() -> Scene {
    sample("mannequin.glb")
}

fn renderer(scene: Scene) -> Renderer {
    Renderer::new(scene, &Context::new()).expect("drawable")
}

fn options() -> PictureOptions {
    let mut options = PictureOptions::default();
    options.size = PictureSize::square(SIDE);
    options
}

fn all() -> Vec<(String, PictureOptions)> {
    let mut walking = options();
    walking.pose = PoseChoice::Clip { clip: 0, time_secs: Some(0.25) };
    let mut face = options();
    face.view = View::Face;
    let mut all = vec![("rest".to_owned(), options()), ("walk".to_owned(), walking.clone()), ("face".to_owned(), face)];
    for view in DebugView::ALL {
        let mut debug = walking.clone();
        debug.debug = Some(view);
        all.push((view.name().to_owned(), debug));
    }
    all
}

/// Compares a picture with the one that was looked at, or draws that anew.
fn check(name: &str, picture: &Rgba8Image) {
    let png = encode_png(picture).expect("encodable");
    let path = folder().join(format!("{name}.png"));
    if std::env::var_os("ANYRIG_DRAW").is_some() {
        fs::create_dir_all(folder()).expect("writable");
        fs::write(&path, &png).expect("writable");
    }
    let wanted = fs::read(&path).expect("drawn before");
    if png != wanted {
        let known = decode_rgba8(&wanted, &Context::new()).expect("a PNG");
        let differing = picture.pixels().iter().zip(known.pixels()).filter(|(a, b)| a != b).count();
        panic!("{name}.png: {differing} pixels differ; ANYRIG_DRAW=1 draws it anew, then look at it");
    }
}

#[test]
fn pictures_are_those_that_were_looked_at() {
    let (renderer, context) = (renderer(mannequin()), Context::new());
    for (name, options) in all() {
        check(&name, &renderer.picture(&options, &context).expect("a picture"));
    }
}

/// The arm in the middle of its motion, where the elbow stands at a right angle. docs/from-bytes-to-motion.md shows these.
fn reaching() -> PictureOptions {
    let mut options = options();
    options.size = PictureSize::square(224);
    options.pose = PoseChoice::Clip { clip: 0, time_secs: Some(1.0) };
    options
}

#[test]
fn the_arm_of_the_chapter_is_the_one_that_was_looked_at() {
    let scene = sample("arm.fbx");
    let elbow = scene.nodes.values().position(|node| node.name == "Elbow");
    let (renderer, context) = (renderer(scene), Context::new());
    check("arm", &renderer.picture(&reaching(), &context).expect("a picture"));
    for (debug, bone) in [(DebugView::Axes, None), (DebugView::Weights, elbow), (DebugView::BindGhost, None)] {
        let mut options = reaching();
        (options.debug, options.bone) = (Some(debug), bone);
        check(&format!("arm-{debug}"), &renderer.picture(&options, &context).expect("a picture"));
    }
}

#[test]
fn mistakes_look_as_they_did() {
    let context = Context::new();
    for mistake in Mistake::ALL {
        let renderer = renderer(sample("arm.fbx")).with_mistake(mistake, &context).expect("little memory");
        check(&format!("mistake-{mistake}"), &renderer.picture(&reaching(), &context).expect("a picture"));
    }
    assert!(context.report().is_empty(), "each of them shows");
}

/// Columns of the pixels of the mark and the pocket: in the upper half nothing else is so orange.
fn mark(image: &Rgba8Image) -> Vec<u32> {
    let is_orange = |p: &[u8; 4]| p[0] > 170 && p[1] > 60 && p[1] < 170 && p[2] < 70;
    let upper = &image.pixels()[..image.pixels().len() / 2];
    let all = upper.iter().enumerate().filter(|(_, p)| is_orange(p));
    all.map(|(i, _)| i as u32 % image.width()).collect()
}

#[test]
fn the_mark_is_on_the_left_arm() {
    let mut scene = mannequin();
    // The batons have tips of its colour.
    scene.nodes.values_mut().filter(|n| n.mesh.as_ref().is_some_and(|m| m.skin.is_none())).for_each(|n| n.mesh = None);
    let (renderer, context) = (renderer(scene), Context::new());
    let seen_at = |azimuth_degrees: f64| {
        let mut options = options();
        options.view = View::From { azimuth_degrees, elevation_degrees: 35.0 };
        mark(&renderer.picture(&options, &context).expect("a picture"))
    };
    let front = seen_at(0.0);
    assert!(front.len() > 5, "{}", front.len());
    assert!(front.iter().all(|x| *x > SIDE / 2), "its left is the viewer's right: {front:?}");
    let back = seen_at(180.0);
    assert!(back.len() > 2 && back.iter().all(|x| *x < SIDE / 2), "and from behind the viewer's left: {back:?}");
}

/// Numbers that look random and are the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }
}

#[test]
fn mutants_are_drawn_or_refused_but_never_panic() {
    let count = std::env::var("ANYRIG_MUTANTS").ok().and_then(|n| n.parse().ok()).unwrap_or(60u64);
    let bytes = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/mannequin.glb")).expect("a sample");
    // Behind the JSON are the numbers: what is wrong with them is seen when they are drawn.
    let json = 20 + u32::from_le_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]) as usize;
    let mut limits = Limits::default();
    (limits.memory_bytes, limits.elements) = (256 << 20, 1 << 22);
    let mut drawn = 0;
    for seed in 0..count {
        let (mut random, mut mutant) = (Random(seed), bytes.clone());
        for _ in 0..1 + random.below(40) {
            let start = if seed % 4 == 0 { 20 } else { json };
            let at = start + random.below(bytes.len() - start);
            mutant[at] = [0, 0x7f, 0x80, 0xff, random.below(256) as u8][random.below(5)];
        }
        let context = Context::new().with_limits(limits.clone());
        let source = MemorySource::new("mutant.glb", mutant);
        let Ok(renderer) = load(&source, None, &context).and_then(|scene| Renderer::new(scene, &context)) else {
            continue;
        };
        let mut options = options();
        options.size = PictureSize::square(24);
        options.view = [View::Front, View::Face, View::Side][random.below(3)];
        options.pose =
            [PoseChoice::Rest, PoseChoice::Bind, PoseChoice::Clip { clip: 1, time_secs: None }][random.below(3)];
        options.debug = [None, Some(DebugView::ALL[random.below(DebugView::ALL.len())])][random.below(2)];
        let mistake = Mistake::ALL.get(random.below(2 * Mistake::ALL.len())).copied();
        let renderer = match mistake {
            Some(mistake) => renderer.with_mistake(mistake, &context).expect("within the limits"),
            None => renderer,
        };
        drawn += u64::from(renderer.picture(&options, &context).is_ok());
    }
    assert!(drawn * 4 > count, "{drawn} of {count} were drawn");
}
