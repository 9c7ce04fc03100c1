//! Clips played fast, in `f32`.

mod blocks;
mod compose;
mod timeline;
mod tracks;

pub use tracks::Tracks;

use crate::skinning::lanes::{Lanes, Task, run};
use crate::{ClipHints, JointMatrix, Kernel, Pose};
use anyrig_scene::{NodeId, Skin};
use blocks::Locals;
use compose::{Matrices, compose, matrices};
use glam::DAffine3;
use timeline::{Cursor, Located};

/// Plays [`Tracks`]: where all nodes are at a time, as `f32` matrices.
///
/// It holds one frame and the cursors, and allocates nothing after it was made (scenes with nodes that do not inherit
/// scale fully aside). Key times and the shares between them are `f64`, rotations go along great arcs; what comes out
/// differs from [`Pose`] and [`crate::Evaluator`] by the rounding of `f32` alone. Every [`Kernel`] gives the same bits.
#[derive(Clone, Debug)]
pub struct Player<'t> {
    tracks: &'t Tracks,
    kernel: Kernel,
    cursors: Vec<Cursor>,
    located: Vec<Located>,
    locals: Vec<Locals>,
    matrices: Vec<Matrices>,
    worlds: Vec<JointMatrix>,
    pose: Pose,
    hints: ClipHints,
    slow_worlds: Vec<DAffine3>,
}

impl<'t> Player<'t> {
    /// A player at the clip's first keys, with the best kernel of this processor.
    pub fn new(tracks: &'t Tracks) -> Self {
        Self::with_kernel(tracks, Kernel::best())
    }

    /// As [`Player::new`], with a kernel of one's own choice; plain arithmetic where the processor does not have it.
    pub fn with_kernel(tracks: &'t Tracks, kernel: Kernel) -> Self {
        let slow = tracks.slow.as_ref();
        let all = slow.and_then(|slow| slow.all.as_ref());
        let mut player = Self {
            tracks,
            kernel,
            cursors: vec![Cursor::default(); tracks.timelines.len()],
            located: vec![Located::default(); tracks.timelines.len()],
            locals: tracks.locals.clone(),
            matrices: tracks.matrices.clone(),
            worlds: vec![JointMatrix::IDENTITY; tracks.node_count],
            pose: tracks.rest.clone(),
            hints: slow.map(|slow| ClipHints::new(&slow.clip)).unwrap_or_default(),
            slow_worlds: vec![DAffine3::IDENTITY; all.map_or(0, |_| tracks.node_count)],
        };
        player.seek(f64::NEG_INFINITY);
        player
    }

    /// Goes to a time near the last one, most often a little later: keys are looked for from where the last call left
    /// them. The frame is that of [`Player::seek`].
    pub fn play(&mut self, time_secs: f64) {
        let timelines = self.tracks.timelines.iter().zip(&mut self.cursors);
        for ((timeline, cursor), located) in timelines.zip(&mut self.located) {
            *located = cursor.again(time_secs).unwrap_or_else(|| timeline.play(time_secs, cursor));
        }
        self.frame(time_secs);
    }

    /// Goes to any time; keys are found by a search. A time that is not a number counts as before the first key.
    pub fn seek(&mut self, time_secs: f64) {
        for (timeline, located) in self.tracks.timelines.iter().zip(&mut self.located) {
            *located = timeline.search(time_secs);
        }
        self.frame(time_secs);
    }

    /// `scene_from_node` of every node, indexed by node. Defined as by [`crate::Evaluator::worlds_into`]: a node whose
    /// transform overflows stands where its parent does.
    pub fn worlds(&self) -> &[JointMatrix] {
        &self.worlds
    }

    /// The weight of each morph target of the node's mesh; empty when it shows none.
    pub fn weights(&self, node: NodeId) -> &[f32] {
        self.pose.weights(node)
    }

    /// Whether a node is shown, if all above it are.
    pub fn is_visible(&self, node: NodeId) -> bool {
        self.pose.is_visible(node)
    }

    /// The palette of a skin at this frame, for [`crate::Skinner::linear`]; see [`crate::scene_from_mesh`]. Reuses the
    /// vector's memory.
    pub fn palette(&self, skin: &Skin, palette: &mut Vec<JointMatrix>) {
        palette.clear();
        palette.extend(skin.joints.iter().enumerate().map(|(i, joint)| {
            let scene_from_joint = self.worlds.get(joint.index()).copied().unwrap_or_default().to_affine();
            let product = scene_from_joint * skin.inverse_binds.get(i).copied().unwrap_or_default();
            JointMatrix::new(if product.is_finite() { product } else { DAffine3::IDENTITY })
        }));
    }

    fn frame(&mut self, time_secs: f64) {
        self.slow_nodes(time_secs);
        let Self { tracks, located, locals, matrices, worlds, .. } = self;
        if self.slow_worlds.is_empty() {
            run(self.kernel, Frame { tracks, located, locals, matrices, worlds });
        }
    }

    fn slow_nodes(&mut self, time_secs: f64) {
        let Some(slow) = &self.tracks.slow else { return };
        self.pose.copy_from(&self.tracks.rest);
        self.pose.apply_clip_hinted(&slow.clip, time_secs, &mut self.hints);
        if let Some(evaluator) = &slow.all {
            evaluator.worlds_into(&self.pose, &mut self.slow_worlds);
            for (world, slow) in self.worlds.iter_mut().zip(&self.slow_worlds) {
                *world = JointMatrix::new(*slow);
            }
            return;
        }
        for (node, at) in &slow.nodes {
            let local = JointMatrix::new(self.pose.local(*node).to_affine());
            tracks::put_local(&mut self.matrices, *at, &local);
        }
    }
}

/// One frame of all fast nodes, and the world matrices of all.
struct Frame<'a> {
    tracks: &'a Tracks,
    located: &'a [Located],
    locals: &'a mut [Locals],
    matrices: &'a mut [Matrices],
    worlds: &'a mut [JointMatrix],
}

impl Task for Frame<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, token: L::Token) {
        for block in &self.tracks.blocks {
            if let Some(locals) = self.locals.get_mut(block.nodes) {
                block.sample::<L>(token, self.located, locals);
            }
        }
        for (locals, found) in self.locals.iter().zip(self.matrices.iter_mut()) {
            *found = matrices::<L>(token, locals);
        }
        compose(&self.tracks.steps, self.matrices, self.worlds);
    }
}
