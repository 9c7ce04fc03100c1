//! What each engine gets: layouts, handedness, masks of channels, morphs in motion, materials. An independent parser
//! reads what was written.

mod support;

use anyrig_bytes::{Attachment, Context, ErrorKind, Limits, MemorySource, Role, Value};
use anyrig_image::{Rgba8Image, decode_rgba8, encode_png};
use anyrig_scene::glam::{DAffine3, DQuat, DVec3};
use anyrig_scene::{
    AlphaMode, Channel, Clip, Curve, DeltaStream, Exporter, Image, Importer, Influences, Interpolation, Material, Mesh,
    MeshInstance, MorphTarget, Node, NodeId, Part, PartMorph, Property, Scene, Semantic, Skin, Stream, Texture,
    TextureUse, Trs,
};
use anyrig_urho::{Dialect, UrhoExporter, UrhoImporter};
use support::pose::{assert_close, scene_corners, written_corners};
use support::{content, export_as, parser};

const LEFT_HANDED: [Dialect; 2] = [Dialect::Urho3d, Dialect::Rbfx];

struct Rig {
    scene: Scene,
    joints: [NodeId; 2],
    shown: NodeId,
}

/// An arm to the left of a figure that faces +Z, in glTF's space: left is +X.
fn rig() -> Rig {
    let mut scene = Scene::default();
    let turned = DQuat::from_xyzw(0.0, 0.0, 0.6, 0.8);
    let mut add = |name: &str, parent, translation: [f64; 3], rotation| {
        let mut node = Node::new(name);
        node.local = Trs { translation: translation.into(), rotation, scale: DVec3::ONE }.into();
        scene.add_node(node, parent)
    };
    let shoulder = add("shoulder", None, [0.5, 1.0, 0.25], turned);
    let elbow = add("elbow", Some(shoulder), [1.0, 0.0, 0.5], DQuat::from_xyzw(0.6, 0.0, 0.0, 0.8));
    let mut part = Part::default();
    part.point_count = 6;
    let positions =
        [[0.5, 1.0, 0.0], [1.5, 1.0, 0.0], [0.5, 2.0, 0.0], [1.5, 1.0, 0.5], [2.5, 1.0, 0.5], [1.5, 2.0, 0.75f32]];
    part.set_stream(Stream::new(Semantic::Position, 3, positions.concat()));
    let uvs = [[0.0, 1.0], [1.0, 1.0], [0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0f32]];
    part.set_stream(Stream::new(Semantic::TexCoord(0), 2, uvs.concat()));
    part.influences = Some(Influences::fixed(
        2,
        [0, 1].repeat(6),
        [[1.0, 0.0], [0.5, 0.5], [1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [0.25, 0.75f32]].concat(),
    ));
    let delta = |values: Vec<f32>| {
        PartMorph::new(vec![DeltaStream::new(Semantic::Position, 3, values).at_points(vec![1u32, 2])])
    };
    part.morphs = vec![delta(vec![0.5, 0.0, 0.0, 0.0, 0.5, 0.0]), delta(vec![0.0, 0.0, 1.0, 0.0, 0.0, 1.0])];
    let mut mesh = Mesh::default();
    mesh.morphs = vec![MorphTarget::new("grow"), MorphTarget::new("bend")];
    mesh.parts.push(part);
    let binds = vec![DAffine3::from_translation(DVec3::new(-0.5, -1.0, 0.0)), DAffine3::from_translation(DVec3::NEG_X)];
    let skin = scene.skins.push(Skin::new("", vec![shoulder, elbow], binds));
    let mut instance = MeshInstance::new(scene.meshes.push(mesh));
    instance.skin = Some(skin);
    let mut node = Node::new("arm");
    node.mesh = Some(instance);
    let shown = scene.add_node(node, None);
    Rig { scene, joints: [shoulder, elbow], shown }
}

fn turn(node: NodeId, interpolation: Interpolation) -> Channel {
    let values = vec![0.0, 0.0, 0.6, 0.8, 0.0, 0.6, 0.0, 0.8, 0.6, 0.0, 0.0, 0.8];
    Channel::new(node, Property::Rotation, Curve::new(interpolation, 4, vec![0.0, 0.5, 1.0], values))
}

fn animation(dialect: Dialect, bytes: &[u8]) -> parser::Ani {
    match dialect {
        Dialect::UrhoX => parser::ani(bytes),
        Dialect::Urho3d => parser::classic(bytes),
        Dialect::Rbfx => parser::uan2(bytes),
    }
}

fn mirrored(points: &[DVec3]) -> Vec<DVec3> {
    points.iter().map(|p| DVec3::new(-p.x, p.y, p.z)).collect()
}

/// The corners of each triangle in one order, whichever way round they go.
fn unwound(points: &[DVec3]) -> Vec<DVec3> {
    let mut sorted = points.to_vec();
    let key = |p: &DVec3| [p.x, p.y, p.z].map(|v| (v * 1e4).round() as i64);
    sorted.chunks_exact_mut(3).for_each(|t| t.sort_by_key(key));
    sorted
}

fn option(key: &str, value: &str) -> Value {
    let mut options = Value::Null;
    options.set(key, value);
    options
}

#[test]
fn poses_are_mirrored_once_for_left_handed_engines() {
    let Rig { mut scene, joints, .. } = rig();
    let mut clip = Clip::new("Wave");
    clip.channels = joints.map(|j| turn(j, Interpolation::Linear)).to_vec();
    scene.clips.push(clip);
    for dialect in [Dialect::UrhoX, Dialect::Urho3d, Dialect::Rbfx] {
        let context = Context::new();
        let files = export_as(dialect, scene.clone(), &context);
        let mdl = parser::mdl(&content(&files, "Model.mdl"));
        assert_eq!(mdl.version, if dialect == Dialect::Rbfx { 2 } else { 0 });
        let ani = animation(dialect, &content(&files, "Animations/Wave.ani"));
        let as_the_engine = |points: Vec<DVec3>| match dialect {
            Dialect::UrhoX => points,
            Dialect::Urho3d | Dialect::Rbfx => mirrored(&points),
        };
        let compare = |key: Option<usize>| {
            let wanted = as_the_engine(scene_corners(&scene, key.map(|key| (0, key))));
            let written = written_corners(&mdl, key.map(|key| (&ani, key)));
            assert_close(&unwound(&written), &unwound(&wanted), &format!("{dialect:?} {key:?}"));
        };
        compare(None);
        (0..3).for_each(|key| compare(Some(key)));
        let reflected = u64::from(dialect == Dialect::UrhoX);
        assert_eq!(context.report().count_of("urho.reflected"), reflected, "{dialect:?}");
    }
}

#[test]
fn handedness_none_says_that_the_model_shows_reflected() {
    for dialect in LEFT_HANDED {
        let id = if dialect == Dialect::Rbfx { "rbfx" } else { "urho3d" };
        let context = Context::new().with_options(id, option("handedness", "none"));
        let Rig { scene, .. } = rig();
        let files = export_as(dialect, scene.clone(), &context);
        let written = written_corners(&parser::mdl(&content(&files, "Model.mdl")), None);
        assert_close(&written, &scene_corners(&scene, None), id);
        assert_eq!(context.report().count_of("urho.reflected"), 1);
        // Whoever knows how it was made reads it back as it was.
        let context = Context::new().with_options(id, option("handedness", "none"));
        let source = MemorySource::new("Model.mdl", content(&files, "Model.mdl"));
        let again = UrhoImporter::new(dialect).import(&source, &context).expect("imports");
        assert_eq!(again.space, scene.space);
    }
}

#[test]
fn fronts_and_tangents_are_those_of_stock_models() {
    for dialect in [Dialect::UrhoX, Dialect::Urho3d, Dialect::Rbfx] {
        let files = export_as(dialect, rig().scene, &Context::new());
        let mdl = parser::mdl(&content(&files, "Model.mdl"));
        let (buffer, indices) = (&mdl.vertex_buffers[0], &mdl.index_buffers[0]);
        let vector = |v: [f32; 3]| DVec3::from_array(v.map(f64::from));
        for triangle in indices.chunks_exact(3) {
            let at = |i: usize| triangle[i] as usize;
            let [a, b, c] = [0, 1, 2].map(|i| vector(buffer.floats::<3>(at(i), 0x003)));
            let normal = vector(buffer.floats::<3>(at(0), 0x103));
            assert!((b - a).cross(c - a).dot(normal) > 0.0, "{dialect:?}");
            let [ua, ub, uc] = [0, 1, 2].map(|i| buffer.floats::<2>(at(i), 0x402).map(f64::from));
            let (d1, d2) = ([ub[0] - ua[0], ub[1] - ua[1]], [uc[0] - ua[0], uc[1] - ua[1]]);
            let down = ((c - a) * d1[0] - (b - a) * d2[0]) / (d1[0] * d2[1] - d2[0] * d1[1]);
            let [x, y, z, w] = buffer.floats::<4>(at(0), 0x304).map(f64::from);
            assert!((normal.cross(DVec3::new(x, y, z)) * w).dot(down) > 0.0, "{dialect:?}");
        }
    }
}

#[test]
fn tracks_hold_only_the_channels_that_move() {
    let Rig { mut scene, joints, .. } = rig();
    let mut clip = Clip::new("Part");
    clip.channels.push(turn(joints[0], Interpolation::Linear));
    let moved = Curve::new(Interpolation::Linear, 3, vec![0.0, 1.0], vec![1.0, 0.0, 0.5, 2.0, 0.0, 0.5]);
    clip.channels.push(Channel::new(joints[1], Property::Translation, moved));
    scene.clips.push(clip);
    for dialect in LEFT_HANDED {
        let files = export_as(dialect, scene.clone(), &Context::new());
        let ani = animation(dialect, &content(&files, "Animations/Part.ani"));
        assert_eq!((ani.name.as_str(), ani.length), ("Part", 1.0));
        let masks: Vec<_> = ani.tracks.iter().map(|t| (t.name.as_str(), t.mask, t.keys.len())).collect();
        assert_eq!(masks, [("shoulder", 2, 3), ("elbow", 1, 2)]);
        assert_eq!(ani.tracks[1].keys[1][1..4], [-2.0, 0.0, 0.5]);
    }
}

#[test]
fn steps_become_ramps_where_only_lines_are() {
    let Rig { mut scene, joints, .. } = rig();
    let mut clip = Clip::new("Step");
    clip.channels.push(turn(joints[0], Interpolation::Step));
    scene.clips.push(clip);
    let files = export_as(Dialect::UrhoX, scene.clone(), &Context::new());
    let kept = parser::ani(&content(&files, "Animations/Step.ani"));
    assert_eq!((kept.tracks[0].interpolation, kept.tracks[0].keys.len()), (0, 3));
    for dialect in LEFT_HANDED {
        let context = Context::new();
        let files = export_as(dialect, scene.clone(), &context);
        let ani = animation(dialect, &content(&files, "Animations/Step.ani"));
        let keys = &ani.tracks[0].keys;
        let times: Vec<f32> = keys.iter().map(|k| k[0]).collect();
        assert_eq!(times.len(), 5);
        assert!((times[1] - 0.4999).abs() < 1e-5 && times[2] == 0.5 && keys[0][4..8] == keys[1][4..8], "{times:?}");
        assert_eq!(context.report().count_of("urho.curves-sampled"), 1);
    }
}

fn weights(node: NodeId, interpolation: Interpolation) -> Channel {
    let values = vec![0.0, 1.0, 1.0, 0.5, 0.25, 0.0];
    Channel::new(node, Property::MorphWeights, Curve::new(interpolation, 2, vec![0.0, 0.5, 1.0], values))
}

#[test]
fn rbfx_moves_morphs_and_rests_them() {
    for interpolation in [Interpolation::Linear, Interpolation::Step] {
        let Rig { mut scene, shown, .. } = rig();
        scene.nodes[shown].mesh.as_mut().expect("a mesh").morph_weights = vec![0.125, 0.0];
        let mut clip = Clip::new("Face");
        clip.channels.push(weights(shown, interpolation));
        scene.clips.push(clip);
        let context = Context::new();
        let files = export_as(Dialect::Rbfx, scene.clone(), &context);
        let (mdl, ani) = (content(&files, "Model.mdl"), content(&files, "Animations/Face.ani"));
        let rest: Vec<f32> = parser::mdl(&mdl).morphs.iter().map(|m| m.initial_weight).collect();
        assert_eq!(rest, [0.125, 0.0]);
        let floats = parser::uan2(&ani).floats;
        let track = |index: usize, keys: [[f32; 2]; 3]| parser::FloatTrack {
            path: format!("@AnimatedModel/Morphs/{index}"),
            interpolation: u8::from(interpolation == Interpolation::Linear),
            keys: keys.to_vec(),
        };
        let wanted = [track(0, [[0.0, 0.0], [0.5, 1.0], [1.0, 0.25]]), track(1, [[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]])];
        assert_eq!(floats, wanted);
        assert!(
            context.report().count_of("urho.morph-rest-weight") == 0 && context.report().count_of("urho.not-held") == 0
        );
        // And back: the same weights at the same times.
        let motion = Attachment::new(Role::Motion, "Face.ani", ani);
        let context = Context::new().with_attachment(motion);
        let again = UrhoImporter::new(Dialect::Rbfx).import(&MemorySource::new("Model.mdl", mdl), &context);
        let again = again.expect("imports");
        let channel =
            again.clips[0].channels.iter().find(|c| c.node_target().is_some_and(|t| t.1 == Property::MorphWeights));
        let curve = &channel.expect("weights").curve;
        assert_eq!((curve.interpolation, curve.width), (interpolation, 2));
        assert_eq!(curve.values.as_slice(), [0.0, 1.0, 1.0, 0.5, 0.25, 0.0]);
        let context = Context::new();
        export_as(Dialect::Urho3d, scene, &context);
        assert_eq!(context.report().count_of("urho.morph-rest-weight"), 1);
        let lost = context.report().diagnostics().iter().any(|d| d.subject == "morph-animation");
        assert!(lost);
    }
}

#[test]
fn motion_without_a_mesh_gives_clips_only() {
    for dialect in [Dialect::UrhoX, Dialect::Urho3d, Dialect::Rbfx] {
        let Rig { mut scene, joints, shown } = rig();
        scene.nodes[shown].mesh = None;
        let mut clip = Clip::new("Wave");
        clip.channels = joints.map(|j| turn(j, Interpolation::Linear)).to_vec();
        scene.clips.push(clip);
        let files = export_as(dialect, scene, &Context::new());
        assert_eq!(files.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["Animations/Wave.ani"]);
        let bytes = content(&files, "Animations/Wave.ani");
        let again = support::import("Wave.ani", bytes, dialect, &Context::new()).expect("imports");
        assert_eq!(again.clips[0].channels.len(), if dialect == Dialect::UrhoX { 6 } else { 2 });
    }
}

fn png(pixel: [u8; 4]) -> Vec<u8> {
    encode_png(&Rgba8Image::new(1, 1, pixel.to_vec()).expect("one pixel")).expect("encodes")
}

/// The arm in a material whose maps are one pixel each.
fn dressed(images: &[Vec<u8>], dress: impl Fn(&mut Material, &[Option<TextureUse>])) -> Scene {
    let Rig { mut scene, shown, .. } = rig();
    let mut uses = Vec::new();
    for bytes in images {
        let mut image = Image::default();
        image.bytes = Some(bytes.clone().into());
        let mut texture = Texture::default();
        texture.image = Some(scene.images.push(image));
        uses.push(Some(TextureUse::new(scene.textures.push(texture))));
    }
    let mut material = Material::new("skin");
    dress(&mut material, &uses);
    let material = scene.materials.push(material);
    scene.nodes[shown].mesh.as_mut().expect("a mesh").materials = vec![Some(material)];
    scene
}

#[test]
fn maps_packed_at_the_larger_sides_keep_the_limits() {
    let thin = |width, height| {
        let image = Rgba8Image::new(width, height, vec![9; width as usize * height as usize * 4]).expect("an image");
        encode_png(&image).expect("encodes")
    };
    let scene = dressed(&[thin(1000, 1), thin(1, 1000)], |m, uses| {
        m.metallic_roughness_texture = uses[0].clone();
        m.occlusion_texture = uses[1].clone();
    });
    let export = |change: fn(&mut Limits)| {
        let mut limits = Limits::default();
        change(&mut limits);
        let context = Context::new().with_limits(limits);
        UrhoExporter::new(Dialect::Rbfx).export(scene.clone(), "m", &context).map(|files| files.len())
    };
    export(|limits| limits.memory_bytes = 13_000_000).expect("a million pixels, three times");
    for change in [|l: &mut Limits| l.pixels = 999_999, |l: &mut Limits| l.memory_bytes = 11_000_000] {
        assert_eq!(export(change).expect_err("too many").kind(), ErrorKind::LimitExceeded);
    }
}

#[test]
fn wide_curves_of_weights_are_sampled_component_by_component() {
    let Rig { mut scene, shown, .. } = rig();
    let values = vec![
        [0.0, 0.0],
        [0.0, 0.0],
        [0.0, 2.0], // in, value, out of the first key
        [0.0, 2.0],
        [1.0, 0.0],
        [0.0, 0.0],
    ];
    let curve = Curve::new(Interpolation::CubicHermite, 2, vec![0.0, 1.0], values.into_flattened());
    let mut clip = Clip::new("Face");
    clip.channels.push(Channel::new(shown, Property::MorphWeights, curve));
    scene.clips.push(clip);
    let context = Context::new();
    let files = export_as(Dialect::Rbfx, scene.clone(), &context);
    let floats = parser::uan2(&content(&files, "Animations/Face.ani")).floats;
    assert_eq!(context.report().count_of("urho.curves-sampled"), 2);
    // 3t² - 2t³, and 2t (1 - t) (1 - 2t): each at the times that it bends at.
    let wanted: [fn(f32) -> f32; 2] = [|t| (3.0 - 2.0 * t) * t * t, |t| 2.0 * t * (1.0 - t) * (1.0 - 2.0 * t)];
    for (track, wanted) in floats.iter().zip(wanted) {
        assert!(track.keys.len() > 10);
        assert!(track.keys.iter().all(|[t, weight]| (weight - wanted(*t)).abs() < 1e-3), "{track:?}");
    }
    let mut limits = Limits::default();
    limits.memory_bytes = 100;
    let context = Context::new().with_limits(limits);
    let error = UrhoExporter::new(Dialect::Rbfx).export(scene, "m", &context).expect_err("no room");
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
}

fn material_xml(dialect: Dialect, scene: Scene, context: &Context) -> (String, Vec<anyrig_scene::ExportedFile>) {
    let files = export_as(dialect, scene, context);
    (String::from_utf8(content(&files, "Materials/skin.xml")).expect("UTF-8"), files)
}

#[test]
fn rbfx_materials_are_lit_in_gamma_space_with_packed_properties() {
    let scene = || {
        dressed(&[png([1, 2, 3, 255]), png([9, 100, 200, 255]), png([128, 0, 0, 255])], |m, uses| {
            m.base_color = [0.214_041_14, 1.0, 0.0, 0.5];
            m.base_color_texture = uses[0].clone();
            m.normal_texture = uses[0].clone();
            m.normal_scale = 0.75;
            m.metallic_roughness_texture = uses[1].clone();
            m.occlusion_texture = uses[2].clone();
            m.occlusion_strength = 0.5;
            (m.roughness, m.metallic) = (0.25, 0.5);
            m.emissive = [0.214_041_14, 0.0, 0.0];
            m.alpha_mode = AlphaMode::Mask { cutoff: 0.25 };
            m.double_sided = true;
        })
    };
    let context = Context::new();
    let (xml, files) = material_xml(Dialect::Rbfx, scene(), &context);
    for line in [
        "<technique name=\"Techniques/LitOpaqueNormalMap.xml\"/>",
        "<shader vsdefines=\"PBR ALPHAMASK\" psdefines=\"PBR ALPHAMASK\"/>",
        "<texture unit=\"diffuse\" name=\"Textures/Model_tex0.png\"/>",
        "<texture unit=\"normal\" name=\"Textures/Model_tex0.png\"/>",
        "<texture unit=\"specular\" name=\"Textures/Model_tex1_properties.png\"/>",
        "<parameter name=\"MatDiffColor\" value=\"0.5 1 0 0.5\"/>",
        "<parameter name=\"MatEmissiveColor\" value=\"0.5 0 0\"/>",
        "<parameter name=\"AlphaCutoff\" value=\"0.25\"/>",
        "<parameter name=\"Roughness\" value=\"0.25\"/>",
        "<parameter name=\"Metallic\" value=\"0.5\"/>",
        "<parameter name=\"NormalScale\" value=\"0.75\"/>",
        "<cull value=\"none\"/>",
    ] {
        assert!(xml.contains(line), "{line} in {xml}");
    }
    assert!(!xml.contains("emissive\" name"), "{xml}");
    let packed =
        decode_rgba8(&content(&files, "Textures/Model_tex1_properties.png"), &Context::new()).expect("decodes");
    // Occlusion 128 at half strength: 255 - 127 / 2.
    assert_eq!(packed.pixels(), [[100, 200, 0, 191]]);
    assert_eq!(context.report().count_of("urho.gamma-color"), 0);
    assert!(!context.report().diagnostics().iter().any(|d| d.subject == "alpha-mask"));

    // And back.
    let mut source = MemorySource::new("Materials.xml", xml.into_bytes());
    for file in files.iter().filter(|f| f.name.starts_with("Textures/")) {
        source = source.with_file(&file.name, file.content.to_vec());
    }
    let context = Context::new();
    let again = UrhoImporter::new(Dialect::Rbfx).import(&source, &context).expect("imports");
    let material = again.materials.values().next().expect("a material");
    let close = |a: f32, b: f32| assert!((a - b).abs() < 1e-5, "{a} {b}");
    close(material.base_color[0], 0.214_041_14);
    assert_eq!(material.base_color[1..], [1.0, 0.0, 0.5]);
    close(material.emissive[0], 0.214_041_14);
    assert_eq!((material.roughness, material.metallic, material.normal_scale), (0.25, 0.5, 0.75));
    assert_eq!(material.alpha_mode, AlphaMode::Mask { cutoff: 0.25 });
    assert!(material.double_sided && material.occlusion_texture == material.metallic_roughness_texture);
    let texture = material.occlusion_texture.as_ref().expect("occlusion").texture;
    let image = again.textures[texture].image.and_then(|i| again.images[i].bytes.clone()).expect("bytes");
    assert_eq!(decode_rgba8(&image, &Context::new()).expect("decodes").pixels(), [[191, 100, 200, 255]]);
    assert_eq!(context.report().count_of("urho.old-technique"), 0);
}

#[test]
fn rbfx_techniques_follow_alpha_light_and_normal_maps() {
    let cases: [(AlphaMode, bool, bool, &str); 6] = [
        (AlphaMode::Opaque, false, false, "LitOpaque"),
        (AlphaMode::Opaque, false, true, "LitOpaqueNormalMap"),
        (AlphaMode::Blend, false, false, "LitTransparentFade"),
        (AlphaMode::Blend, false, true, "LitTransparentFadeNormalMap"),
        (AlphaMode::Opaque, true, true, "UnlitOpaque"),
        (AlphaMode::Blend, true, false, "UnlitTransparent"),
    ];
    for (alpha_mode, unlit, normal, technique) in cases {
        let scene = dressed(&[png([1; 4])], |m, uses| {
            (m.alpha_mode, m.unlit) = (alpha_mode, unlit);
            m.normal_texture = uses[0].clone().filter(|_| normal);
        });
        let (xml, _) = material_xml(Dialect::Rbfx, scene, &Context::new());
        assert!(xml.contains(&format!("\"Techniques/{technique}.xml\"")), "{technique}: {xml}");
        assert_eq!(xml.contains("PBR"), !unlit);
        let source = MemorySource::new("m.xml", xml.into_bytes());
        let again = UrhoImporter::new(Dialect::Rbfx).import(&source, &Context::new()).expect("imports");
        let material = again.materials.values().next().expect("a material");
        assert_eq!((material.alpha_mode, material.unlit), (alpha_mode, unlit));
    }
}

#[test]
fn rbfx_keeps_the_map_that_can_be_read() {
    for broken in [1, 0] {
        let mut images = vec![png([9, 100, 200, 255]), png([128, 0, 0, 255])];
        images[broken] = b"no image".to_vec();
        let scene = dressed(&images, |m, uses| {
            m.metallic_roughness_texture = uses[0].clone();
            m.occlusion_texture = uses[1].clone();
        });
        let context = Context::new();
        let files = export_as(Dialect::Rbfx, scene, &context);
        let name = format!("Textures/Model_tex{}_properties.png", 1 - broken);
        let packed = decode_rgba8(&content(&files, &name), &Context::new()).expect("decodes");
        let wanted = if broken == 1 { [100, 200, 0, 255] } else { [255, 255, 0, 128] };
        assert_eq!(packed.pixels(), [wanted]);
        assert_eq!(context.report().count_of("urho.image-unreadable"), 1);
    }
}

#[test]
fn urho3d_tests_alpha_by_a_define() {
    for (cutoff, told) in [(0.5, 0), (0.25, 1)] {
        let scene = dressed(&[], |m, _| m.alpha_mode = AlphaMode::Mask { cutoff });
        let context = Context::new();
        let (xml, _) = material_xml(Dialect::Urho3d, scene, &context);
        assert!(
            xml.contains("\"Techniques/PBR/PBRNoTexture.xml\"") && xml.contains("<shader psdefines=\"ALPHAMASK\"/>")
        );
        assert_eq!(context.report().diagnostics().iter().filter(|d| d.subject == "alpha-mask").count(), told);
        let source = MemorySource::new("m.xml", xml.into_bytes());
        let again = UrhoImporter::new(Dialect::Urho3d).import(&source, &Context::new()).expect("imports");
        assert_eq!(again.materials.values().next().map(|m| m.alpha_mode), Some(AlphaMode::Mask { cutoff: 0.5 }));
    }
}
