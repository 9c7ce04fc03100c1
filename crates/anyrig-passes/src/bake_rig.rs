//! What constraints, IK chains and springs do, as curves.

use crate::{BakeOptions, bake_motion, codes};
use anyrig_animation::{ClipHints, Pose, RigSolver, SpringSimulation};
use anyrig_bytes::{Context, Diagnostic, Error, Place, Result};
use anyrig_scene::{Channel, Clip, Curve, Interpolation, NodeId, Property, Rig, Scene, Trs};
use glam::{DQuat, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What becomes of springs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Springs {
    /// Their motion becomes curves.
    #[default]
    Bake,
    /// They stay springs, which swing in the program that plays the result.
    Keep,
}

/// Options of [`bake_rig`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct BakeRigOptions {
    /// Keys per second; steps of springs too, whose motion depends on it. Default: 60.
    pub rate: f64,
    /// What becomes of springs. Default: `bake`.
    pub springs: Springs,
    /// How long springs hang in a clip's first pose before it begins, in seconds, so that it does not begin with a jolt.
    /// Default: 1.
    pub settle_secs: f64,
}

impl Default for BakeRigOptions {
    fn default() -> Self {
        Self { rate: 60.0, springs: Springs::Bake, settle_secs: 1.0 }
    }
}

impl BakeRigOptions {
    fn check(&self) -> Result<()> {
        let is_rate = self.rate > 0.0 && self.rate.is_finite();
        let is_time = self.settle_secs >= 0.0 && self.settle_secs.is_finite();
        match (is_rate, is_time) {
            (false, _) => Err(Error::usage(format!("{} is no number of keys per second", self.rate))),
            (_, false) => Err(Error::usage(format!("{} is no time to settle in", self.settle_secs))),
            _ => Ok(()),
        }
    }
}

/// What [`bake_rig`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BakeRigStats {
    /// Nodes that constraints, IK chains or springs moved.
    pub nodes: u64,
    /// Clips that got curves for them.
    pub clips: u64,
    /// Keys of all new curves.
    pub keys: u64,
}

/// Puts what constraints, IK chains and springs do into the clips, for targets that have no place for them; the rig is gone
/// then, springs only if the options want it.
///
/// Each clip is played at [`BakeRigOptions::rate`] from its start to its end, both of which get a key. Nodes that the rig
/// moves get linear curves (great arcs for rotations) of what leaves the rest pose, in place of those that the clip had;
/// [`crate::reduce_keys()`] leaves out keys that are not needed. Everything else stays as it is, but for what [`bake_motion`]
/// does to clips that are no plain ones, which comes first. The rest pose stays. In a scene without clips nothing moves, so
/// that the rig is lost, which is told (`passes.rig-without-clips`).
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] for a rate or a time that is none; [`anyrig_bytes::ErrorKind::LimitExceeded`] when
/// keys pass the limit of elements or memory; [`anyrig_bytes::ErrorKind::Cancelled`].
pub fn bake_rig(scene: &mut Scene, options: &BakeRigOptions, context: &Context) -> Result<BakeRigStats> {
    options.check()?;
    let kept = if options.springs == Springs::Keep { taken_springs(&mut scene.rig) } else { Rig::default() };
    let mut stats = BakeRigStats::default();
    let moved: BTreeSet<NodeId> = scene.rig.moved_nodes().collect();
    if !moved.is_empty() {
        if scene.clips.is_empty() {
            let told = Diagnostic::new(&codes::RIG_WITHOUT_CLIPS, "rig", "there is no motion that could hold it");
            context.push(told.times(moved.len() as u64));
        }
        bake_motion(scene, &BakeOptions::default(), context)?;
        stats.nodes = moved.len() as u64;
        let clips = baked_clips(scene, &moved.into_iter().collect::<Vec<_>>(), options, context)?;
        for (clip, channels) in scene.clips.iter_mut().zip(clips) {
            stats.clips += u64::from(!channels.is_empty());
            stats.keys += channels.iter().map(|c| c.curve.len() as u64).sum::<u64>();
            clip.channels.extend(channels);
        }
    }
    scene.rig = kept;
    Ok(stats)
}

/// The springs with all that belongs to them; the rest stays.
fn taken_springs(rig: &mut Rig) -> Rig {
    let mut springs = std::mem::take(rig);
    std::mem::swap(&mut rig.constraints, &mut springs.constraints);
    std::mem::swap(&mut rig.ik_chains, &mut springs.ik_chains);
    springs
}

/// The channels that each clip gets; those that they replace are gone from the clips.
fn baked_clips(
    scene: &mut Scene,
    moved: &[NodeId],
    options: &BakeRigOptions,
    context: &Context,
) -> Result<Vec<Vec<Channel>>> {
    let mut all = Vec::new();
    {
        let mut player = Player {
            rest: Pose::rest_within(scene, context)?,
            rules: RigSolver::new(scene, context)?,
            springs: SpringSimulation::new(scene, context)?,
            options,
        };
        for clip in &scene.clips {
            all.push(player.play(clip, moved, context)?);
        }
    }
    let moved: BTreeSet<NodeId> = moved.iter().copied().collect();
    for clip in &mut scene.clips {
        clip.channels.retain(|c| c.target.moved_node().is_none_or(|node| !moved.contains(&node)));
    }
    Ok(all)
}

struct Player<'a> {
    rest: Pose,
    rules: RigSolver<'a>,
    springs: SpringSimulation<'a>,
    options: &'a BakeRigOptions,
}

impl Player<'_> {
    fn play(&mut self, clip: &Clip, moved: &[NodeId], context: &Context) -> Result<Vec<Channel>> {
        let times = times(clip, self.options.rate, context)?;
        let samples = (times.len() as u64).saturating_mul(moved.len() as u64);
        context.take_elements(samples, Place::whole)?;
        context.take_memory(samples.saturating_mul(size_of::<Trs>() as u64), Place::whole)?;
        let mut tracks: Vec<Vec<Trs>> = moved.iter().map(|_| Vec::with_capacity(times.len())).collect();
        let mut hints = ClipHints::new(clip);
        let mut pose = self.rest.clone();
        self.settle(clip, &mut pose, context)?;
        for (i, time_secs) in times.iter().enumerate() {
            context.check_cancelled()?;
            pose.copy_from(&self.rest);
            pose.apply_clip_hinted(clip, *time_secs, &mut hints);
            self.rules.solve(&mut pose);
            match i {
                // They came to it while they settled.
                0 => self.springs.hold(&mut pose),
                _ => self.springs.step(&mut pose, time_secs - times[i - 1]),
            }
            tracks.iter_mut().zip(moved).for_each(|(track, node)| track.push(pose.local(*node).to_trs()));
        }
        let channels = moved.iter().zip(&tracks).flat_map(|(node, track)| self.channels(clip, *node, (&times, track)));
        Ok(channels.collect())
    }

    /// Brings the springs to the clip's first pose and lets them hang there.
    fn settle(&mut self, clip: &Clip, pose: &mut Pose, context: &Context) -> Result<()> {
        pose.apply_clip(clip, clip.start_secs);
        self.rules.solve(pose);
        let first = pose.clone();
        self.springs.reset(pose);
        let secs = 1.0 / self.options.rate;
        let steps = (self.options.settle_secs * self.options.rate).ceil();
        context.take_elements(steps as u64, Place::whole)?;
        for _ in 0..steps as u64 {
            context.check_cancelled()?;
            pose.copy_from(&first);
            self.springs.step(pose, secs);
        }
        Ok(())
    }

    /// Curves for what leaves the rest pose, or what the clip has a curve for already.
    fn channels(&self, clip: &Clip, node: NodeId, track: (&[f64], &[Trs])) -> Vec<Channel> {
        let (times, track) = track;
        let rest = self.rest.local(node).to_trs();
        let moves = |property: Property| clip.channels.iter().any(|c| c.node_target() == Some((node, property)));
        let mut channels = Vec::new();
        let mut add = |property: Property, leaves: bool, values: Vec<f32>| {
            if leaves || moves(property) {
                let width = property.width().unwrap_or(1);
                let curve = Curve::new(Interpolation::Linear, width, times.to_vec(), values);
                channels.push(Channel::new(node, property, curve));
            }
        };
        let vector =
            |of: fn(&Trs) -> DVec3| -> Vec<f32> { track.iter().flat_map(|t| of(t).as_vec3().to_array()).collect() };
        let leaves = |of: fn(&Trs) -> DVec3| track.iter().any(|t| of(t) != of(&rest));
        add(Property::Translation, leaves(|t| t.translation), vector(|t| t.translation));
        let turns = track.iter().any(|t| t.rotation != rest.rotation);
        add(Property::Rotation, turns, rotations(track));
        add(Property::Scale, leaves(|t| t.scale), vector(|t| t.scale));
        channels
    }
}

/// Unit quaternions, each on the side of the one before, so that no player takes the long way.
fn rotations(track: &[Trs]) -> Vec<f32> {
    let mut before = track.first().map_or(DQuat::IDENTITY, |t| t.rotation);
    let mut values = Vec::with_capacity(track.len() * 4);
    for trs in track {
        let rotation = if trs.rotation.dot(before) < 0.0 { -trs.rotation } else { trs.rotation };
        values.extend(rotation.to_array().map(|c| c as f32));
        before = rotation;
    }
    values
}

/// From the start to the end of a clip, in steps of the rate; the last one may be shorter.
fn times(clip: &Clip, rate: f64, context: &Context) -> Result<Vec<f64>> {
    let (start, end) = (clip.start_secs, clip.end_secs());
    let steps = ((end - start).max(0.0) * rate - 1e-6).ceil().max(0.0);
    context.take_elements(steps as u64, Place::whole)?;
    context.take_memory((steps as u64).saturating_mul(8), Place::whole)?;
    let mut times: Vec<f64> = (0..steps as u64).map(|step| start + step as f64 / rate).collect();
    times.push(end.max(start));
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_animation::Evaluator;
    use anyrig_bytes::{ErrorKind, Limits};
    use anyrig_scene::{Constraint, ConstraintKind, IkChain, IkLink, Node, Spring, SpringJoint, TransformPart};

    fn id(index: usize) -> NodeId {
        NodeId::new(index)
    }

    /// A chain of 0 to 3, and 4 beside it; a clip that turns 0 and moves 4.
    fn scene() -> Scene {
        let mut scene = Scene::default();
        let node = |translation: DVec3| {
            let mut node = Node::new("n");
            node.local = Trs { translation, ..Trs::IDENTITY }.into();
            node
        };
        let mut parent = None;
        for _ in 0..4 {
            parent = Some(scene.add_node(node(DVec3::NEG_Y), parent));
        }
        scene.add_node(node(DVec3::X), None);
        let mut clip = Clip::new("c");
        let half = 0.5_f32.sqrt();
        let turn =
            Curve::new(Interpolation::Linear, 4, vec![0.5, 1.25], vec![0.0, 0.0, 0.0, 1.0, half, 0.0, 0.0, half]);
        clip.channels.push(Channel::new(id(0), Property::Rotation, turn));
        let walk = Curve::new(Interpolation::Linear, 3, vec![0.5, 1.25], vec![1.0, 0.0, 0.0, 2.0, -1.0, 0.0]);
        clip.channels.push(Channel::new(id(4), Property::Translation, walk));
        clip.start_secs = 0.5;
        scene.clips.push(clip);
        scene
    }

    fn baked(scene: &Scene, options: &BakeRigOptions) -> (Scene, BakeRigStats) {
        let (mut scene, context) = (scene.clone(), Context::new());
        let stats = bake_rig(&mut scene, options, &context).expect("within limits");
        let lines = context.report();
        assert!(lines.is_empty(), "{lines:?}");
        anyrig_scene::validate(&mut scene, &context);
        assert!(context.report().is_empty(), "{:?}", context.report());
        (scene, stats)
    }

    fn with_rules() -> Scene {
        let mut scene = scene();
        scene.rig.constraints.push(Constraint::new(id(4), ConstraintKind::Rotation { source: id(0) }));
        let links = [2, 1].map(|n| IkLink::new(id(n))).to_vec();
        scene.rig.ik_chains.push(IkChain::new(id(4), id(3), links));
        scene
    }

    #[test]
    fn the_baked_clip_plays_what_the_rules_do() {
        let scene = with_rules();
        let (plain, stats) = baked(&scene, &BakeRigOptions::default());
        assert!(plain.rig.is_empty());
        assert_eq!((stats.nodes, stats.clips), (3, 1));
        let context = Context::new();
        let mut rules = RigSolver::new(&scene, &context).expect("within limits");
        for step in 0..=90 {
            let secs = f64::from(step) / 120.0;
            let mut pose = Pose::of_clip(&scene, &scene.clips[0], 0.5 + secs);
            rules.solve(&mut pose);
            let expected = Evaluator::new(&scene).worlds(&pose);
            // Baked clips start at 0.
            let found = Evaluator::new(&plain).worlds(&Pose::of_clip(&plain, &plain.clips[0], secs));
            let bound = if step % 2 == 0 { 1e-6 } else { 1e-3 };
            for (a, b) in expected.iter().zip(&found) {
                assert!(a.abs_diff_eq(*b, bound), "{step}: {a} against {b}");
            }
        }
        assert_eq!(plain.clips[0].end_secs(), 0.75);
    }

    #[test]
    fn only_what_leaves_its_rest_gets_a_curve() {
        let (plain, _) = baked(&with_rules(), &BakeRigOptions::default());
        let mut targets: Vec<_> = plain.clips[0].channels.iter().filter_map(Channel::node_target).collect();
        targets.sort_unstable();
        let wanted = [
            (0, Property::Rotation),
            (1, Property::Rotation),
            (2, Property::Rotation),
            (4, Property::Translation),
            (4, Property::Rotation),
        ];
        assert_eq!(targets, wanted.map(|(node, property)| (id(node), property)));
    }

    fn with_springs() -> Scene {
        let mut scene = scene();
        let mut joints = [1, 2, 3].map(|n| SpringJoint::new(id(n))).to_vec();
        joints.iter_mut().for_each(|j| (j.gravity_power, j.gravity_dir) = (1.0, DVec3::X));
        scene.rig.springs.push(Spring::new("s", joints));
        scene
    }

    #[test]
    fn springs_begin_at_rest_in_the_first_pose_and_swing() {
        let (plain, stats) = baked(&with_springs(), &BakeRigOptions { settle_secs: 20.0, ..Default::default() });
        assert_eq!((stats.nodes, stats.keys), (3, 2 * 46));
        let place = |secs: f64, node: usize| {
            Evaluator::new(&plain).worlds(&Pose::of_clip(&plain, &plain.clips[0], secs))[node].translation
        };
        // Stiffness downwards and gravity along X are equally strong.
        let hangs = (place(0.0, 2) - place(0.0, 1)).distance(DVec3::new(0.5_f64.sqrt(), -(0.5_f64.sqrt()), 0.0));
        assert!(hangs < 1e-3, "{hangs}");
        // The first turns towards +Z; the last joint lags.
        let (first, last) = (place(0.75, 1) - place(0.75, 0), place(0.75, 3) - place(0.75, 2));
        assert!((first.distance(last) > 0.1) && (last.length() - 1.0).abs() < 1e-6, "{first} {last}");
        let (kept, stats) = baked(&with_springs(), &BakeRigOptions { springs: Springs::Keep, ..Default::default() });
        assert_eq!((kept.rig.springs.len(), stats), (1, BakeRigStats::default()));
        assert_eq!(kept, with_springs());
    }

    #[test]
    fn curves_on_single_numbers_are_replaced_too() {
        let mut scene = with_rules();
        let curve = Curve::new(Interpolation::Linear, 1, vec![0.5, 1.25], vec![0.0, 1.0]);
        let target = anyrig_scene::Target::Component { node: id(4), part: TransformPart::Translation, axis: 2 };
        scene.clips[0].channels.push(Channel::on(target, curve));
        let (plain, _) = baked(&scene, &BakeRigOptions::default());
        let end = Pose::of_clip(&plain, &plain.clips[0], 0.75).local(id(4)).to_trs().translation;
        assert!(end.distance(DVec3::new(2.0, -1.0, 1.0)) < 1e-6, "{end}");
    }

    #[test]
    fn without_a_clip_the_rig_is_lost_and_told() {
        let mut scene = with_rules();
        scene.clips.clear();
        let context = Context::new();
        bake_rig(&mut scene, &BakeRigOptions::default(), &context).expect("within limits");
        assert!(scene.rig.is_empty());
        assert_eq!(context.report().count_of("passes.rig-without-clips"), 3);
    }

    #[test]
    fn numbers_that_make_no_sense_are_refused_and_many_keys_limited() {
        let bad = [
            BakeRigOptions { rate: 0.0, ..Default::default() },
            BakeRigOptions { rate: f64::NAN, ..Default::default() },
            BakeRigOptions { settle_secs: -1.0, ..Default::default() },
        ];
        for options in bad {
            let error = bake_rig(&mut with_rules(), &options, &Context::new()).expect_err("no number");
            assert_eq!(error.kind(), ErrorKind::Usage);
        }
        let mut limits = Limits::default();
        limits.elements = 100_000;
        let context = Context::new().with_limits(limits);
        let options = BakeRigOptions { rate: 1e9, ..Default::default() };
        let error = bake_rig(&mut with_springs(), &options, &context).expect_err("a billion keys");
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    }
}
