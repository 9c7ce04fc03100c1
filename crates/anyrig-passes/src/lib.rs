//! Passes: named functions from scene to scene. Importers and exporters contain none of this; they call it.
//!
//! All passes expect a scene that [`anyrig_scene::validate()`] has seen. On one that it has not they may return an error,
//! but they do not panic. What they repair, approximate or lose stands in the report, by the [`codes`].
//!
//! | pass                     | what it does                                                                    |
//! | ------------------------ | ------------------------------------------------------------------------------- |
//! | [`to_space`]             | axes, handedness, unit, winding, UV origin of everything                        |
//! | [`expand`]               | strips, loops and fans into lists                                               |
//! | [`triangulate`]          | polygons into triangles                                                         |
//! | [`to_render_mesh`]       | corner and face attributes into point attributes                                |
//! | [`generate_normals`]     | smooth normals by position                                                      |
//! | [`generate_tangents`]    | MikkTSpace tangents                                                             |
//! | [`split_by_bones`]       | corner lists that use at most so many joints each                               |
//! | [`limit_influences`]     | at most so many influences per point                                            |
//! | [`limit_all_influences`] | the same on a whole scene, told                                                  |
//! | [`normalise_weights`]    | influences that sum to 1                                                        |
//! | [`bake_motion`]          | pivots, inherit modes, layers and segments into plain transforms and curves     |
//! | [`keep_channels`]        | clips without what a target has no word for                                     |
//! | [`bake_rig`]             | what constraints, IK chains and springs do into curves                          |
//! | [`bake_node_transforms`] | static node transforms into the vertices                                        |
//! | [`transform_part`]       | the same for one part and any transform                                         |
//! | [`expand_instances`]     | instances into nodes of their own                                               |
//! | [`join_skin_roots`]      | one root above the joints of each skin                                          |
//! | [`pick_variant`]         | one choice of materials                                                         |
//! | [`resample`]             | any curve into linear keys within an error bound                                |
//! | [`clip_keys`]            | translation, rotation and scale keys of a node on common times                  |
//! | [`decompose`]            | matrices into translation, rotation, scale                                      |
//! | [`weld`]                 | equal points into one                                                           |
//! | [`reorder`]              | triangles and points in the order that graphics hardware likes                  |
//! | [`simplify()`]           | fewer triangles of nearly the same shape                                        |
//! | [`reduce_keys`]          | curves without the keys that they hardly need                                   |
//! | [`prune()`]              | without what nothing needs                                                      |
//! | [`merge()`]              | one of equal resources, one part of those with one material, one root set       |
//! | [`share_equal_buffers`]  | one memory for equal lists                                                      |
//! | [`split`]                | a scene into several: by mesh, material, root or clip                           |
//! | [`rescale`]              | everything so many times as large                                               |

pub mod codes;
pub mod expand;

mod bake_motion;
mod bake_nodes;
mod bake_rig;
mod bone_keys;
mod bones;
mod channels;
mod check;
mod counts;
mod cut;
mod decompose;
mod extras;
mod gather;
mod influences;
mod instances;
mod join_roots;
mod merge;
mod normals;
mod parallel;
mod point_columns;
mod prune;
mod reading;
mod reduce_keys;
mod references;
mod render_mesh;
mod reorder;
mod resample;
mod rescale;
mod share;
mod shared_points;
mod simplify;
mod space;
mod split;
mod tangents;
mod transform_part;
mod triangulate;
mod turn;
mod variants;
mod weld;

pub use bake_motion::{BakeOptions, bake_motion, needs_baking};
pub use bake_nodes::{Animated, BakeNodesOptions, bake_node_transforms};
pub use bake_rig::{BakeRigOptions, BakeRigStats, Springs, bake_rig};
pub use bone_keys::{BoneKey, BoneKeys, Sampling, bone_keys, clip_keys};
pub use bones::{BoneSplit, split_by_bones, used_joints};
pub use channels::keep_channels;
pub use counts::Count;
pub use cut::cut_before;
pub use decompose::{DecomposeOptions, Shear, decompose};
pub use influences::{LimitStats, limit_all_influences, limit_influences, normalise_weights};
pub use instances::expand_instances;
pub use join_roots::join_skin_roots;
pub use merge::{Equal, MergeOptions, MergeStats, Names, Parts, RootSets, merge};
pub use normals::{NormalOptions, NormalStats, NormalWeight, generate_missing_normals, generate_normals};
pub use parallel::{PartPlace, for_each_part};
pub use prune::{PruneOptions, PruneStats, Unneeded, prune};
pub use reduce_keys::{ReduceKeysOptions, ReduceKeysStats, reduce_keys};
pub use render_mesh::to_render_mesh;
pub use reorder::{ReorderStats, reorder};
pub use resample::{CurveKind, ResampleOptions, Resampled, Steps, resample};
pub use rescale::rescale;
pub use share::{ShareStats, share_equal_buffers};
pub use simplify::{Borders, SimplifyOptions, SimplifyStats, simplify, simplify_part};
pub use space::{Mirror, SpaceOptions, flip_v, to_space, to_space_with};
pub use split::{Piece, SplitBy, split};
pub use tangents::{TangentMethod, TangentOptions, TangentStats, generate_missing_tangents, generate_tangents};
pub use transform_part::{transform_part, transformed_bytes};
pub use triangulate::{triangulate, triangulate_part};
pub use variants::pick_variant;
pub use weld::{WeldOptions, WeldStats, weld, weld_part};
