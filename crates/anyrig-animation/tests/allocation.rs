//! A frame allocates nothing, by an allocator that counts. One test, since others would be counted too.

use anyrig_animation::{
    JointDualQuat, JointMatrix, JointSdef, Player, SdefPoint, SkinInput, SkinOutput, Skinner, Tracks,
};
use anyrig_scene::{
    Channel, Clip, Curve, ExtrapolationMode, Influences, Interpolation, Mesh, MeshInstance, MorphTarget, Node,
    Property, Scene, Skin, Target,
};
use glam::{DAffine3, DVec3};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// More than one thread's share.
const POINTS: usize = 50_000;

/// The most memory that some work needs beyond what was there before.
fn needed(work: impl FnOnce()) -> usize {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    work();
    MEMORY.peak_usage() - before
}

/// Two nodes: one that turns, one whose morph comes and whose translation goes on beyond its keys.
fn waving() -> (Scene, Clip) {
    let mut scene = Scene::default();
    let mut mesh = Mesh::default();
    mesh.morphs.push(MorphTarget::new("smile"));
    let mut node = Node::new("face");
    node.mesh = Some(MeshInstance::new(scene.meshes.push(mesh)));
    let (face, arm) = (scene.add_node(node, None), scene.add_node(Node::new("arm"), None));
    let mut clip = Clip::new("wave");
    let curve = |width, values: &[f32]| Curve::new(Interpolation::Linear, width, vec![0.0, 0.4], values.to_vec());
    clip.channels.push(Channel::on(Target::Morph { node: face, target: 0 }, curve(1, &[0.0, 1.0])));
    clip.channels.push(Channel::new(face, Property::Translation, curve(3, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0])));
    clip.channels[1].curve.after.mode = ExtrapolationMode::Slope;
    clip.channels.push(Channel::new(arm, Property::Rotation, curve(4, &[0.0, 0.0, 0.0, 1.0, 0.6, 0.0, 0.0, 0.8])));
    (scene, clip)
}

#[test]
fn frames_after_the_first_allocate_nothing() {
    let positions = vec![[1.0, 2.0, 3.0]; POINTS];
    let normals = vec![[0.0, 1.0, 0.0]; POINTS];
    let tangents = vec![[1.0, 0.0, 0.0, 1.0]; POINTS];
    let (mut to, mut turned, mut along) = (positions.clone(), normals.clone(), tangents.clone());
    let influences = Influences::fixed(4, [0, 1, 2, 1].repeat(POINTS), vec![0.25; 4 * POINTS]);
    let input = SkinInput::new(&positions, &influences).with_normals(&normals).with_tangents(&tangents);
    let affines: Vec<DAffine3> = (0..3).map(|i| DAffine3::from_translation(DVec3::X * f64::from(i))).collect();
    let matrices: Vec<_> = affines.iter().copied().map(JointMatrix::new).collect();
    let dual_quats: Vec<_> = affines.iter().copied().map(JointDualQuat::new).collect();
    let sdef: Vec<_> = affines.iter().copied().map(JointSdef::new).collect();
    let points = [SdefPoint::default(); 20];
    let mut skinner = Skinner::new();
    let (scene, clip) = waving();
    let tracks = Tracks::new(&scene, &clip);
    let mut player = Player::new(&tracks);
    let skin = Skin::new("skin", scene.nodes.iter().map(|(id, _)| id).collect(), Vec::new());
    let (mut palette, mut time_secs) = (Vec::new(), 0.0);
    let mut frame = || {
        time_secs += 0.05;
        player.play(time_secs);
        player.seek(1.0 - time_secs);
        player.palette(&skin, &mut palette);
        let mut out = SkinOutput::new(&mut to).with_normals(&mut turned).with_tangents(&mut along);
        skinner.linear(&input, &matrices, &mut out);
        skinner.dual_quaternion(&input, &dual_quats, &mut out);
        skinner.sdef(&input, &points, &sdef, &mut out);
        skinner.rigid(&input, &matrices[1], &mut out);
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
    pool.install(|| {
        assert!(needed(&mut frame) > 0, "the palettes of the first frame are counted");
        assert_eq!(needed(|| (0..10).for_each(|_| frame())), 0);
    });
}
