//! Vertex streams, morph deltas and corners.

use super::axes::SignedPermutation;
use super::once::Once;
use crate::check::check_part;
use crate::turn::{turn_faces_with, turned_faces};
use anyrig_bytes::{Context, Place, Result};
use anyrig_scene::{DeltaStream, Part, Scene, Semantic, Topology};
use std::collections::BTreeSet;

/// What changes.
pub(super) struct Change {
    pub(super) basis: SignedPermutation,
    /// Old unit in new units.
    pub(super) unit: f64,
    /// Whether faces are turned round.
    pub(super) turn_faces: bool,
    /// Whether V becomes 1 - v.
    pub(super) flip_v: bool,
}

/// What happens to a list of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Work {
    Position,
    Direction,
    Tangent,
    TexCoord,
    TexCoordDelta,
}

impl Work {
    fn on_stream(semantic: &Semantic) -> Option<Self> {
        match semantic {
            Semantic::Position => Some(Self::Position),
            Semantic::Normal => Some(Self::Direction),
            Semantic::Tangent => Some(Self::Tangent),
            Semantic::TexCoord(_) => Some(Self::TexCoord),
            Semantic::Color(_) | Semantic::Custom(_) => None,
        }
    }

    fn on_delta(delta: &DeltaStream) -> Option<Self> {
        match delta.semantic {
            Semantic::Position => Some(Self::Position),
            Semantic::Normal | Semantic::Tangent => Some(Self::Direction),
            Semantic::TexCoord(_) if delta.width == 2 => Some(Self::TexCoordDelta),
            _ => None,
        }
    }
}

#[derive(Default)]
struct Converted {
    floats: Once<f32, Work>,
    /// The kind is the address of the faces' offsets; 0 for triangles, which have none.
    corners: Once<u32, usize>,
}

/// # Errors
/// [`anyrig_bytes::ErrorKind::Malformed`] when a part was not validated; [`anyrig_bytes::ErrorKind::LimitExceeded`];
/// [`anyrig_bytes::ErrorKind::Cancelled`], which leaves some parts changed and others not.
pub(super) fn change_meshes(scene: &mut Scene, change: &Change, context: &Context) -> Result<()> {
    // All of them first, so that an error leaves the scene as it was.
    scene.meshes.values().flat_map(|m| &m.parts).try_for_each(check_part)?;
    let parts = scene.meshes.values().flat_map(|m| &m.parts);
    context.take_memory(new_bytes(parts, change), || Place::element("vertices in another space"))?;
    let mut converted = Converted::default();
    for part in scene.meshes.values_mut().flat_map(|m| &mut m.parts) {
        context.check_cancelled()?;
        for stream in &mut part.streams {
            if let Some(work) = Work::on_stream(&stream.semantic).filter(|w| change.does(*w)) {
                stream.values = converted.floats.convert(work, &stream.values, |v| change.floats(work, v));
            }
        }
        for delta in part.morphs.iter_mut().flat_map(|m| &mut m.deltas) {
            if let Some(work) = Work::on_delta(delta).filter(|w| change.does(*w)) {
                delta.values = converted.floats.convert(work, &delta.values, |v| change.floats(work, v));
            }
        }
        if change.turn_faces {
            let corners = part.corners.clone().unwrap_or_default();
            turn_faces_with(part, |topology| {
                let faces = match topology {
                    Topology::Polygons { offsets } => offsets.as_ptr().addr(),
                    _ => 0,
                };
                converted.corners.convert(faces, &corners, |c| turned_faces(topology, c, 1))
            });
        }
    }
    Ok(())
}

/// What the converted buffers will take; shared ones count once.
fn new_bytes<'a>(parts: impl Iterator<Item = &'a Part>, change: &Change) -> u64 {
    let mut seen = BTreeSet::new();
    let mut values = 0;
    for part in parts {
        let streams = part.streams.iter().map(|s| (Work::on_stream(&s.semantic), &s.values));
        let deltas = part.morphs.iter().flat_map(|m| &m.deltas).map(|d| (Work::on_delta(d), &d.values));
        for (work, floats) in streams.chain(deltas) {
            let Some(work) = work.filter(|w| change.does(*w)) else { continue };
            if seen.insert((work, floats.as_ptr().addr(), floats.len())) {
                values += floats.len() as u64;
            }
        }
        if change.turn_faces {
            values += part.corner_count() as u64;
        }
    }
    values * size_of::<f32>() as u64
}

/// Only V becomes 1 - v.
pub(super) fn change_uvs(scene: &mut Scene, context: &Context) -> Result<()> {
    let basis = SignedPermutation::between(&scene.space, &scene.space);
    change_meshes(scene, &Change { basis, unit: 1.0, turn_faces: false, flip_v: true }, context)
}

impl Change {
    fn does(&self, work: Work) -> bool {
        match work {
            Work::Position => !self.basis.is_identity() || self.unit != 1.0,
            Work::Direction | Work::Tangent => !self.basis.is_identity(),
            Work::TexCoord | Work::TexCoordDelta => self.flip_v,
        }
    }

    fn floats(&self, work: Work, values: &[f32]) -> Vec<f32> {
        let mut values = values.to_vec();
        match work {
            Work::Position => self.positions(&mut values),
            Work::Direction => {
                values.as_chunks_mut::<3>().0.iter_mut().for_each(|v| *v = self.basis.vector_f32(*v));
            }
            Work::Tangent => {
                let mirrors = self.basis.mirrors();
                for tangent in values.as_chunks_mut::<4>().0 {
                    let [x, y, z, w] = *tangent;
                    let [x, y, z] = self.basis.vector_f32([x, y, z]);
                    *tangent = [x, y, z, if mirrors { -w } else { w }];
                }
            }
            Work::TexCoord => values.iter_mut().skip(1).step_by(2).for_each(|v| *v = 1.0 - *v),
            Work::TexCoordDelta => values.iter_mut().skip(1).step_by(2).for_each(|v| *v = -*v),
        }
        values
    }

    /// Positions and their deltas, translations and their curves.
    pub(super) fn positions(&self, values: &mut [f32]) {
        for position in values.as_chunks_mut::<3>().0 {
            *position = self.basis.vector_f32(*position);
            if self.unit != 1.0 {
                *position = position.map(|v| (f64::from(v) * self.unit) as f32);
            }
        }
    }
}
