//! The bundles of all Urho engines, posed by a reader and a skinner that share no code with the program, against the
//! source's own motion: the same vertices at five times in each clip, mirrored once where the engine is left-handed.

mod common;
mod urho;

use anyrig::animation::{Pose, posed_geometry};
use anyrig::scene::glam::{DMat4, DQuat, DVec3};
use anyrig::scene::{Property, Scene, Target};
use anyrig::{Context, MemorySource};
use common::{corpus, folder, run};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const ENGINES: [&str; 3] = ["urhox", "urho3d", "rbfx"];

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/mannequin.glb")
}

fn load(path: &Path) -> Scene {
    let source = MemorySource::new("source.glb", fs::read(path).expect("readable"));
    anyrig::load(&source, None, &Context::new()).expect("loads")
}

struct Bundle {
    folder: tempfile::TempDir,
    model: urho::Model,
    report: String,
}

fn convert(source: &Path, engine: &str, more: &[&str]) -> Bundle {
    let folder = folder();
    let arguments = ["convert", source.to_str().expect("text"), "--to", engine, "-o", "out", "-n", "m"];
    let done = run(folder.path(), &[&arguments[..], &["--verify", "full", "--report", "report.json"], more].concat());
    done.exits(0);
    let report = fs::read_to_string(folder.path().join("report.json")).expect("a report");
    let model = urho::model(&fs::read(folder.path().join("out/m.mdl")).expect("a model"));
    Bundle { folder, model, report }
}

impl Bundle {
    fn animation(&self, engine: &str, name: &str) -> urho::Animation {
        let bytes = fs::read(self.folder.path().join(format!("out/Animations/{name}.ani"))).expect("an animation");
        if engine == "urhox" { urho::animation(&bytes) } else { urho::named_animation(&bytes) }
    }
}

fn vector(v: [f32; 3]) -> DVec3 {
    DVec3::from_array(v.map(f64::from))
}

fn rotation([w, x, y, z]: [f32; 4]) -> DQuat {
    let rotation = DQuat::from_xyzw(x.into(), y.into(), z.into(), w.into());
    rotation / rotation.length()
}

/// The keys around a time, and how far it is between them.
fn around(times: &[f32], time: f64) -> (usize, usize, f64) {
    let after = times.iter().position(|t| f64::from(*t) > time).unwrap_or(times.len());
    let (before, after) = (after.saturating_sub(1), after.min(times.len() - 1));
    let (a, b) = (f64::from(times[before]), f64::from(times[after]));
    (before, after, if b > a { ((time - a) / (b - a)).clamp(0.0, 1.0) } else { 0.0 })
}

/// Local transform of a bone: the track's channels, the rest pose for those that it does not hold.
fn local(bone: &urho::Bone, track: Option<&urho::Track>, time: f64) -> DMat4 {
    let mut trs = (vector(bone.position), rotation(bone.rotation_wxyz), vector(bone.scale));
    if let Some(track) = track {
        let times: Vec<f32> = track.keys.iter().map(|k| k.time_secs).collect();
        let (before, after, mut share) = around(&times, time);
        if track.interpolation == 0 {
            share = 0.0;
        }
        let (a, b) = (&track.keys[before], &track.keys[after]);
        if track.mask & 1 != 0 {
            trs.0 = vector(a.translation).lerp(vector(b.translation), share);
        }
        if track.mask & 2 != 0 {
            trs.1 = rotation(a.rotation_wxyz).slerp(rotation(b.rotation_wxyz), share);
        }
        if track.mask & 4 != 0 {
            trs.2 = vector(a.scale).lerp(vector(b.scale), share);
        }
    }
    DMat4::from_scale_rotation_translation(trs.2, trs.1, trs.0)
}

fn morph_weights(model: &urho::Model, animation: Option<&urho::Animation>, time: f64) -> Vec<f64> {
    let weight = |(index, morph): (usize, &urho::Morph)| {
        let path = format!("@AnimatedModel/Morphs/{index}");
        let Some(track) = animation.and_then(|a| a.floats.iter().find(|t| t.path == path)) else {
            return f64::from(morph.rest_weight);
        };
        let times: Vec<f32> = track.keys.iter().map(|k| k[0]).collect();
        let (before, after, share) = around(&times, time);
        let share = if track.interpolation == 0 { 0.0 } else { share };
        let [a, b] = [before, after].map(|key| f64::from(track.keys[key][1]));
        a + (b - a) * share
    };
    model.morphs.iter().enumerate().map(weight).collect()
}

/// Skinned positions of all corners, geometry after geometry.
fn corners(model: &urho::Model, animation: Option<&urho::Animation>, time: f64) -> Vec<DVec3> {
    let tracks: BTreeMap<&str, &urho::Track> =
        animation.map(|a| a.tracks.iter().map(|t| (t.name.as_str(), t)).collect()).unwrap_or_default();
    let locals: Vec<DMat4> = model.bones.iter().map(|b| local(b, tracks.get(b.name.as_str()).copied(), time)).collect();
    let skinning: Vec<DMat4> = (0..model.bones.len())
        .map(|bone| {
            let (mut at, mut world) = (bone, locals[bone]);
            while model.bones[at].parent as usize != at {
                at = model.bones[at].parent as usize;
                world = locals[at] * world;
            }
            let m = model.bones[bone].offset.map(f64::from);
            let rows = [m[0], m[4], m[8], 0.0, m[1], m[5], m[9], 0.0, m[2], m[6], m[10], 0.0, m[3], m[7], m[11], 1.0];
            world * DMat4::from_cols_array(&rows)
        })
        .collect();
    let buffer = &model.vertex_buffers[0];
    let position = |vertex: usize| {
        let p = buffer.floats(vertex, 0x003);
        DVec3::new(p[0].into(), p[1].into(), p[2].into())
    };
    let mut positions: Vec<DVec3> = (0..buffer.vertices.len()).map(position).collect();
    for (morph, weight) in model.morphs.iter().zip(morph_weights(model, animation, time)) {
        morph.deltas.iter().for_each(|(vertex, delta)| positions[*vertex as usize] += vector(*delta) * weight);
    }
    let skinned = |geometry: &urho::Geometry, vertex: usize| {
        let (weights, indices) = (buffer.floats(vertex, 0x604), buffer.element(vertex, 0x705));
        let moved = weights.iter().zip(indices).map(|(weight, index)| {
            skinning[geometry.bone_map[usize::from(*index)] as usize].transform_point3(positions[vertex])
                * f64::from(*weight)
        });
        moved.fold(DVec3::ZERO, |sum, p| sum + p)
    };
    let mut corners = Vec::new();
    for geometry in &model.geometries {
        let indices = &model.index_buffers[geometry.index_buffer as usize].1;
        let range = geometry.start as usize..(geometry.start + geometry.count) as usize;
        corners.extend(indices[range].iter().map(|index| skinned(geometry, *index as usize)));
    }
    corners
}

/// The same by the program's own evaluation of the source, without morphs in motion where the engine has none.
fn source_corners(scene: &Scene, clip: Option<usize>, time: f64, engine: &str) -> Vec<DVec3> {
    let pose = clip.map_or_else(
        || Pose::rest(scene),
        |clip| {
            let mut clip = scene.clips[clip].clone();
            if engine != "rbfx" {
                clip.channels.retain(|c| {
                    !matches!(c.target, Target::Morph { .. } | Target::Node { property: Property::MorphWeights, .. })
                });
            }
            Pose::of_clip(scene, &clip, time)
        },
    );
    let mut corners = Vec::new();
    for posed in posed_geometry(scene, &pose) {
        let part = &scene.meshes[posed.mesh].parts[posed.part];
        corners.extend((0..part.corner_count()).map(|c| vector(posed.positions[part.point_of(c)])));
    }
    corners
}

/// The largest distance between corners of equally numbered triangles, whichever way round these go.
fn distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    assert_eq!(a.len(), b.len());
    assert!(!a.is_empty());
    let orders = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
    let triangles = a.chunks_exact(3).zip(b.chunks_exact(3));
    let of_triangle = |(a, b): (&[DVec3], &[DVec3])| {
        let turned = |order: &[usize; 3]| (0..3).map(|i| a[i].distance(b[order[i]])).fold(0.0, f64::max);
        orders.iter().map(turned).fold(f64::INFINITY, f64::min)
    };
    triangles.map(of_triangle).fold(0.0, f64::max)
}

/// Poses of a bundle and of its source, with the larger tolerance where curves were sampled.
fn compare(path: &Path, tolerance: f64) -> usize {
    let scene = load(path);
    let size = anyrig::animation::scene_size(&scene);
    let mut poses = 0;
    for engine in ENGINES {
        let bundle = convert(path, engine, &[]);
        let in_engine = |points: Vec<DVec3>| -> Vec<DVec3> {
            let mirror = DVec3::new(if engine == "urhox" { 1.0 } else { -1.0 }, 1.0, 1.0);
            points.into_iter().map(|p| p * mirror).collect()
        };
        let check = |clip: Option<usize>, animation: Option<&urho::Animation>, time: f64| {
            let wanted = in_engine(source_corners(&scene, clip, time, engine));
            let far = distance(&corners(&bundle.model, animation, time), &wanted);
            assert!(far <= tolerance * size, "{engine}, clip {clip:?} at {time} s: {far} of {size}");
        };
        check(None, None, 0.0);
        for (index, clip) in scene.clips.iter().enumerate() {
            let animation = bundle.animation(engine, &clip.name);
            for quarter in 0..5 {
                check(Some(index), Some(&animation), clip.end_secs() * f64::from(quarter) / 4.0);
                poses += 1;
            }
        }
    }
    poses
}

#[test]
fn the_sample_moves_alike_in_all_engines() {
    assert_eq!(compare(&sample(), 1e-3), 3 * 2 * 5);
}

#[test]
fn fox_moves_alike_in_all_engines() {
    let Some(corpus) = corpus() else { return };
    assert_eq!(compare(&corpus.join("gltf/bevy/animated/Fox.glb"), 1e-5), 3 * 3 * 5);
}

/// The mark lies on the left upper arm of a figure that faces +Z. In a left-handed space that is where x is negative.
#[test]
fn the_mark_stays_on_its_side() {
    let cases: [(&str, &[&str], f32); 6] = [
        ("urho3d", &[], -1.0),
        ("rbfx", &[], -1.0),
        ("urhox", &["--handedness", "reflect-x"], -1.0),
        ("urho3d", &["--handedness", "none"], 1.0),
        ("rbfx", &["--handedness", "none"], 1.0),
        ("urhox", &[], 1.0),
    ];
    for (engine, options, side) in cases {
        let bundle = convert(&sample(), engine, options);
        // The suit; the visor has a chart of its own, which may use the same coordinates.
        let suit = bundle.model.geometries.iter().max_by_key(|g| g.count).expect("geometries");
        let buffer = &bundle.model.vertex_buffers[suit.vertex_buffer as usize];
        let is_mark = |vertex: &usize| {
            let uv = buffer.floats(*vertex, 0x402);
            (0.5..0.75).contains(&uv[0]) && (0.75..1.0).contains(&uv[1])
        };
        let indices = &bundle.model.index_buffers[suit.index_buffer as usize].1;
        let of_suit = &indices[suit.start as usize..(suit.start + suit.count) as usize];
        let marks: std::collections::BTreeSet<usize> = of_suit.iter().map(|i| *i as usize).filter(is_mark).collect();
        assert_eq!(marks.len(), 7 + 7 + 7 * 4, "a front, a back and four walls, as the sample's generator makes them");
        assert!(marks.iter().all(|v| buffer.floats(*v, 0x003)[0] * side > 0.1), "{engine} {options:?}");
        // It still faces +Z: the front of the body's box is as far as before.
        let (low, high) = (bundle.model.low[2], bundle.model.high[2]);
        let scene = load(&sample());
        let deepest = |fold: fn(f64, f64) -> f64, start: f64| {
            source_corners(&scene, None, 0.0, engine).iter().map(|p| p.z).fold(start, fold)
        };
        assert!((f64::from(high) - deepest(f64::max, f64::NEG_INFINITY)).abs() < 0.3, "{low} {high}");
        let reflected = bundle.report.contains("urho.reflected");
        assert_eq!(reflected, side > 0.0, "{engine} {options:?}: {}", bundle.report);
    }
}

#[test]
fn a_motion_alone_becomes_motions_alone() {
    let bundle = convert(&sample(), "urho3d", &[]);
    let at = bundle.folder.path();
    let walk = at.join("out/Animations/Walk.ani");
    let walk = walk.to_str().expect("text");
    let inspected = run(at, &["inspect", walk, "--json"]).exits(0);
    let inspected: serde_json::Value = serde_json::from_slice(&inspected.stdout).expect("JSON");
    assert_eq!(inspected["clips"].as_array().map(Vec::len), Some(1));
    for engine in ENGINES {
        run(at, &["convert", walk, "--to", engine, "-o", engine]).exits(0);
        // Of the same engine it stays the same document, which needs no folder of its own.
        let wanted = if engine == "urho3d" { "Walk.ani" } else { "Animations/Walk.ani" };
        assert_eq!(common::files(&at.join(engine)), [wanted]);
    }
    // Back from rbfx: the same keys, since both layouts hold masks.
    run(at, &["convert", "rbfx/Animations/Walk.ani", "--to", "urho3d", "-o", "back"]).exits(0);
    let read = |path: &str| urho::named_animation(&fs::read(at.join(path)).expect("there"));
    let (before, after) = (read("out/Animations/Walk.ani"), read("back/Animations/Walk.ani"));
    assert_eq!(before.tracks.len(), after.tracks.len());
    for track in &before.tracks {
        let other = after.tracks.iter().find(|t| t.name == track.name).expect("a track of that name");
        assert_eq!((track.mask, track.keys.len()), (other.mask, other.keys.len()));
        for (a, b) in track.keys.iter().zip(&other.keys) {
            assert_eq!((a.time_secs, a.rotation_wxyz, a.translation), (b.time_secs, b.rotation_wxyz, b.translation));
        }
    }
}

#[test]
fn models_of_each_engine_are_read_as_such() {
    for engine in ENGINES {
        let bundle = convert(&sample(), engine, &[]);
        let at = bundle.folder.path();
        let back = ["convert", "out/m.mdl", "--from", engine, "--to", "glb", "-o", "back.glb"];
        let motions = ["--motion", "out/Animations/Walk.ani", "--motion", "out/Animations/Wave.ani"];
        run(at, &[&back[..], &motions, &["--verify", "full"]].concat()).exits(0);
        let (source, again) = (load(&sample()), load(&at.join("back.glb")));
        // The same skinned vertices as in the source, in glTF's own space.
        for (clip, name) in ["Walk", "Wave"].into_iter().enumerate() {
            assert_eq!(again.clips[clip].name, name);
            let index = source.clips.iter().position(|c| c.name == name).expect("a clip");
            for quarter in 0..5 {
                let time = source.clips[index].end_secs() * f64::from(quarter) / 4.0;
                let wanted = source_corners(&source, Some(index), time, engine);
                let found = source_corners(&again, Some(clip), time, "rbfx");
                let far = distance(&found, &wanted);
                assert!(far < 2e-3, "{engine}, {name} at {time} s: {far}");
            }
        }
    }
}
