//! Where points stand: once by the scene's own terms, once by what was written. Both computed here, without the crate.

use super::parser::{Ani, Bone, Mdl};
use anyrig_scene::glam::{DAffine3, DMat3, DQuat, DVec3};
use anyrig_scene::walk::{depth_first, rest_world_transforms};
use anyrig_scene::{NodeId, Property, Scene};
use std::collections::BTreeMap;

/// Positions of all corners as the scene shows them at rest, or at a key of a clip.
pub fn scene_corners(scene: &Scene, key: Option<(usize, usize)>) -> Vec<DVec3> {
    let mut posed = scene.clone();
    if let Some((clip, key)) = key {
        for channel in &scene.clips[clip].channels {
            let Some((node, property)) = channel.node_target() else { continue };
            let value: Vec<f64> = channel.curve.value(key).iter().map(|v| f64::from(*v)).collect();
            let mut local = posed.nodes[node].local.to_trs();
            match property {
                Property::Translation => local.translation = DVec3::new(value[0], value[1], value[2]),
                Property::Rotation => local.rotation = DQuat::from_xyzw(value[0], value[1], value[2], value[3]),
                Property::Scale => local.scale = DVec3::new(value[0], value[1], value[2]),
                Property::MorphWeights => {}
            }
            posed.nodes[node].local = local.into();
        }
    }
    let worlds = rest_world_transforms(&posed);
    let mut corners = Vec::new();
    for id in depth_first(scene, scene.shown_roots()) {
        corners.extend(node_corners(scene, id, &worlds));
    }
    corners
}

fn node_corners(scene: &Scene, id: NodeId, worlds: &[DAffine3]) -> Vec<DVec3> {
    let Some(instance) = &scene.nodes[id].mesh else { return Vec::new() };
    let mut corners = Vec::new();
    for part in &scene.meshes[instance.mesh].parts {
        for corner in 0..part.corner_count() {
            let point = part.point_of(corner);
            let p = part.positions()[point].map(f64::from);
            let p = DVec3::new(p[0], p[1], p[2]);
            corners.push(match (instance.skin, &part.influences) {
                (Some(skin), Some(influences)) => {
                    let skin = &scene.skins[skin];
                    let (joints, weights) = influences.of(point);
                    let moved = joints.iter().zip(weights).map(|(j, w)| {
                        let joint = skin.joints[*j as usize];
                        let matrix = worlds[joint.index()] * skin.inverse_binds[*j as usize];
                        matrix.transform_point3(p) * f64::from(*w)
                    });
                    // Without any weight a point stays where the mesh has it.
                    let still = weights.iter().all(|w| *w == 0.0);
                    if still { p } else { moved.fold(DVec3::ZERO, |sum, p| sum + p) }
                }
                _ => worlds[id.index()].transform_point3(p),
            });
        }
    }
    corners
}

/// Positions of all corners of a written model, at rest or at a key of a written animation.
pub fn written_corners(mdl: &Mdl, key: Option<(&Ani, usize)>) -> Vec<DVec3> {
    let tracks: BTreeMap<&str, [f32; 11]> = key.map_or_else(BTreeMap::new, |(ani, key)| {
        ani.tracks.iter().map(|t| (t.name.as_str(), t.keys[key.min(t.keys.len() - 1)])).collect()
    });
    // The engine has one root, the last bone that is its own parent, and plays no track outside of it.
    let own_parent = |(i, bone): (usize, &Bone)| (bone.parent as usize == i).then_some(i);
    let engine_root = mdl.bones.iter().enumerate().filter_map(own_parent).next_back();
    let root_of = |mut bone: usize| {
        while mdl.bones[bone].parent as usize != bone {
            bone = mdl.bones[bone].parent as usize;
        }
        bone
    };
    let track = |i: usize, b: &Bone| tracks.get(b.name.as_str()).filter(|_| Some(root_of(i)) == engine_root);
    let locals: Vec<DAffine3> = mdl
        .bones
        .iter()
        .enumerate()
        .map(|(i, b)| match track(i, b) {
            Some(k) => {
                // What a track does not hold stays at rest.
                let held = |key: &'_ [f32], rest: &'_ [f32]| if key[0].is_nan() { rest.to_vec() } else { key.to_vec() };
                local(&held(&k[1..4], &b.position), &held(&k[4..8], &b.rotation), &held(&k[8..11], &b.scale))
            }
            None => local(&b.position, &b.rotation, &b.scale),
        })
        .collect();
    let world = |bone: usize| {
        let (mut at, mut world) = (bone, locals[bone]);
        while mdl.bones[at].parent as usize != at {
            at = mdl.bones[at].parent as usize;
            world = locals[at] * world;
        }
        world
    };
    let skinning: Vec<DAffine3> = (0..mdl.bones.len()).map(|b| world(b) * offset(&mdl.bones[b].offset)).collect();
    let mut corners = Vec::new();
    for geometry in &mdl.geometries {
        let (_, [_, vb, ib, start, count]) = geometry.lods[0];
        let buffer = &mdl.vertex_buffers[vb as usize];
        for index in &mdl.index_buffers[ib as usize][start as usize..(start + count) as usize] {
            let vertex = *index as usize;
            let p = buffer.floats::<3>(vertex, 0x003).map(f64::from);
            let p = DVec3::new(p[0], p[1], p[2]);
            if mdl.bones.is_empty() {
                corners.push(p);
                continue;
            }
            let indices = buffer.element(vertex, 0x705);
            let weights = buffer.floats::<4>(vertex, 0x604);
            let moved = indices.iter().zip(weights).map(|(local, weight)| {
                let bone = geometry.mapping[usize::from(*local)] as usize;
                skinning[bone].transform_point3(p) * f64::from(weight)
            });
            corners.push(moved.fold(DVec3::ZERO, |sum, p| sum + p));
        }
    }
    corners
}

fn local(t: &[f32], r: &[f32], s: &[f32]) -> DAffine3 {
    let v = |v: &[f32]| DVec3::new(v[0].into(), v[1].into(), v[2].into());
    let r: Vec<f64> = r.iter().map(|r| f64::from(*r)).collect();
    DAffine3::from_scale_rotation_translation(v(s), DQuat::from_xyzw(r[1], r[2], r[3], r[0]), v(t))
}

fn offset(m: &[f32; 12]) -> DAffine3 {
    let m = m.map(f64::from);
    let column = |i: usize| DVec3::new(m[i], m[4 + i], m[8 + i]);
    DAffine3 { matrix3: DMat3::from_cols(column(0), column(1), column(2)), translation: column(3) }
}

pub fn assert_close(a: &[DVec3], b: &[DVec3], what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    assert!(!a.is_empty(), "{what}: nothing to compare");
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        assert!((*a - *b).length() < 1e-4, "{what}: corner {i}: {a} {b}");
    }
}
