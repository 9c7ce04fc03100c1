//! Passes that a user of the library calls, on a whole character and through every target.
#![cfg(all(feature = "gltf", feature = "urho"))]

use anyrig::animation::{Pose, PosedPart, largest_distance, posed_geometry, scene_size};
use anyrig::passes::{BakeNodesOptions, ResampleOptions, bake_node_transforms, bone_keys, clip_keys};
use anyrig::scene::glam::{DAffine3, DQuat, DVec3};
use anyrig::scene::walk::rest_world_transforms;
use anyrig::scene::{Node, Scene, Trs};
use anyrig::{Context, MemorySource, Registry, load};
use std::path::Path;

fn mannequin() -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/mannequin.glb");
    let source = MemorySource::new("mannequin.glb", std::fs::read(path).expect("the sample"));
    load(&source, None, &Context::new()).expect("reads")
}

/// The mannequin as a thing that stands somewhere, turned and twice as large.
fn statue() -> Scene {
    let mut scene = mannequin();
    scene.clips.clear();
    for node in scene.nodes.values_mut() {
        if let Some(instance) = &mut node.mesh {
            instance.skin = None;
        }
    }
    scene.meshes.values_mut().flat_map(|mesh| &mut mesh.parts).for_each(|part| part.influences = None);
    scene.skins = Default::default();
    let roots = scene.shown_roots();
    let mut place = Node::new("place");
    let rotation = DQuat::from_xyzw(0.0, 0.6, 0.0, 0.8);
    place.local = Trs { translation: DVec3::new(1.0, 2.0, 3.0), rotation, scale: DVec3::splat(2.0) }.into();
    place.children.clone_from(&roots);
    let place = scene.nodes.push(place);
    roots.iter().for_each(|root| scene.nodes[*root].parent = Some(place));
    scene.root_sets.iter_mut().for_each(|set| set.roots = vec![place]);
    scene
}

fn picture(scene: &Scene) -> Vec<PosedPart> {
    let mut parts = posed_geometry(scene, &Pose::rest(scene));
    parts.sort_by(|a, b| a.positions[0][0].total_cmp(&b.positions[0][0]));
    parts
}

#[test]
fn baked_nodes_look_the_same_and_stay_so_in_every_target() {
    let before = statue();
    let mut baked = before.clone();
    let context = Context::new();
    bake_node_transforms(&mut baked, BakeNodesOptions::default(), &context).expect("sound");
    let sound = baked.clone();
    anyrig::scene::validate(&mut baked, &context);
    assert!(baked == sound, "{:?}", context.report());
    // Two nodes show the same mesh, and each needs one of its own now.
    let report = context.report();
    assert_eq!((report.diagnostics().len(), report.count_of("passes.instance-duplicated")), (1, 1), "{report:?}");
    let shows =
        |scene: &Scene| scene.nodes.iter().filter(|(_, n)| n.mesh.is_some()).map(|(id, _)| id).collect::<Vec<_>>();
    let (old_worlds, worlds) = (rest_world_transforms(&before), rest_world_transforms(&baked));
    assert!(shows(&before).iter().all(|id| old_worlds[id.index()] != DAffine3::IDENTITY));
    assert!(shows(&baked).iter().all(|id| worlds[id.index()] == DAffine3::IDENTITY));
    assert_eq!(shows(&before).len(), shows(&baked).len());
    let near = 1e-5 * scene_size(&baked);
    let distance = largest_distance(&picture(&before), &picture(&baked)).expect("the same parts");
    assert!(distance < near, "{distance}");

    let registry = Registry::standard();
    for exporter in registry.exporters() {
        let context = Context::new();
        let files = exporter.export(baked.clone(), "statue", &context).expect("exports");
        let told = context.take_report();
        let fits = registry.verify_read_back(exporter, (&baked, &told), &files, &context);
        assert_eq!(fits, Ok(()), "{}", exporter.info().id);
    }
}

#[test]
fn the_keys_of_one_bone_are_those_that_all_bones_have() {
    let scene = mannequin();
    let (options, context) = (ResampleOptions::default(), Context::new());
    let mut moved = 0;
    for clip in &scene.clips {
        let all = clip_keys(&scene, clip, &options, &context).expect("sound");
        for node in scene.nodes.ids() {
            let one = bone_keys(&scene, clip, node, &options, &context).expect("sound");
            assert_eq!(one.as_ref(), all.get(&node));
            let Some(keys) = one else { continue };
            moved += 1;
            // Each key is where the clip has the bone.
            for key in &keys.keys {
                let local = Pose::of_clip(&scene, clip, key.time_secs).local(node).to_trs();
                let there = DVec3::from(key.translation.map(f64::from));
                assert!(there.distance(local.translation) < 1e-5, "{} at {}", scene.nodes[node].name, key.time_secs);
            }
        }
    }
    assert!(moved > 10);
}
