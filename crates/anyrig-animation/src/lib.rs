//! Plays anyrig's scenes: from curves to moved points.
//!
//! The road of a frame, each step usable alone:
//!
//! ```text
//! Clip, time ─ curve ─► values ─ layers ─► Pose ─ rules, springs ─► Pose ─ world ─► node and joint transforms
//!   ─ morph, skinning ─► points
//! ```
//!
//! - [`sample`], [`KeyHint`]: values of a curve at a time (glTF 2.0 specification, appendix C).
//! - [`Pose`], [`Layer`]: local transforms and morph weights of all nodes, from clips that are laid over each other.
//! - Inside a clip, its own layers, Euler angles, pivots, single morph weights and visibility; [`number_at`] for what a
//!   pose has no place for.
//! - [`Look`]: materials, cameras and lights as a clip moves them.
//! - [`RigSolver`]: what constraints and IK chains do to a pose.
//! - [`SpringSimulation`]: what springs add to a pose, step by step.
//! - [`Tracks`], [`Player`]: the same in `f32` and many times as fast, for clips that are played again and again.
//! - [`Evaluator`]: world transforms and joint palettes, without allocation per frame.
//! - [`add_morphs`], [`Skinner`]: kernels on slices. Every [`Kernel`] gives the same bits, and [`mod@reference`] holds the
//!   same sums in plain `f64` to test against.
//! - [`posed_geometry`], [`scene_size`], [`motion_distance`]: what a scene looks like in a pose, and how far apart two
//!   scenes move.
//!
//! # A frame without allocation
//! ```
//! use anyrig_animation::{ClipHints, Evaluator, Pose, Skinner, matrix_palette};
//! # let mut scene = anyrig_scene::Scene::default();
//! # scene.clips.push(anyrig_scene::Clip::new("walk"));
//! # scene.skins.push(anyrig_scene::Skin::default());
//! let (evaluator, rest) = (Evaluator::new(&scene), Pose::rest(&scene));
//! let (mut pose, mut worlds, mut palette) = (rest.clone(), evaluator.worlds(&rest), Vec::new());
//! let (mut hints, mut skinner) = (ClipHints::new(&scene.clips[0]), Skinner::new());
//! for frame in 0..60 {
//!     pose.copy_from(&rest);
//!     pose.apply_clip_hinted(&scene.clips[0], f64::from(frame) / 30.0, &mut hints);
//!     evaluator.worlds_into(&pose, &mut worlds);
//!     for skin in scene.skins.values() {
//!         matrix_palette(skin, &worlds, &mut palette);
//!         // … `skinner.linear` with the palette, for every part that wears the skin
//! #       let _ = &mut skinner;
//!     }
//! }
//! ```
//!
//! # Spaces
//! A *world* transform is `scene_from_node`. A palette entry is `scene_from_mesh`: `scene_from_joint * joint_from_mesh`
//! (the inverse bind). So skinned points come out in scene space, and the transform of the node that shows the mesh has
//! no effect on them (glTF 2.0 specification, 3.7.3.1). Points of other meshes are moved by `scene_from_node`.
//!
//! # Input that is not as it should be
//! Nothing here panics on a scene that [`anyrig_scene::validate()`] has not seen: what is out of range counts as absent.
//! Each function says what then comes out; it is finite as long as the true value fits its type.

mod channels;
pub mod codes;
mod constraint;
mod curve;
mod extrapolation;
mod geometry;
mod ik;
mod layers;
mod look;
mod morph;
mod order;
mod places;
mod player;
mod pose;
mod rotation;
mod segment;
mod size;
mod skinning;
mod spring;
mod world;

pub use channels::{number_at, numbers_at};
pub use constraint::RigSolver;
pub use curve::{ClipHints, KeyHint, Sample, sample, sample_hinted};
pub use geometry::{
    PosedPart, for_each_posed_part, largest_distance, motion_distance, node_from_mesh, posed_geometry,
    posed_geometry_within, posed_part, posed_part_by, try_for_each_posed_part,
};
pub use layers::{Blend, Layer};
pub use look::Look;
pub use morph::{add_delta, add_morphs};
pub use player::{Player, Tracks};
pub use pose::Pose;
pub use rotation::{SLERP_MIN_ANGLE_RAD, slerp};
pub use size::{PointBox, scene_size};
pub use skinning::lanes::Kernel;
pub use skinning::{JointDualQuat, JointMatrix, JointSdef, SdefPoint, SkinInput, SkinOutput, Skinner, reference};
pub use spring::SpringSimulation;
pub use world::{Evaluator, Shown, dual_quaternion_palette, matrix_palette, scene_from_mesh, sdef_palette};
