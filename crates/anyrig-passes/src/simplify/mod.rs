//! Fewer triangles of nearly the same shape.

mod attributes;
mod collapse;
mod quadric;
#[cfg(test)]
mod tests;

use crate::check::check_part;
use crate::point_columns::PointColumns;
use crate::shared_points::Renumbering;
use crate::{codes, to_render_mesh};
use anyrig_bytes::{Context, Diagnostic, Error, Place, Report, Result};
use anyrig_scene::{Domain, Part, Scene, Topology};
use collapse::Simplifier;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What becomes of open borders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Borders {
    /// They are simplified along themselves.
    #[default]
    Simplify,
    /// Their points stay, for parts that must fit to others.
    Keep,
}

/// Options of [`simplify()`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct SimplifyOptions {
    /// Share of a part's triangles that shall stay, above 0 and up to 1. Default: 0.5.
    pub ratio: f64,
    /// Largest error, as a share of the part's size (the diagonal of its box). Where it is reached before the ratio, more
    /// triangles stay. Default: 0.01.
    pub max_error: f64,
    /// What becomes of open borders. Default: `simplify`.
    pub borders: Borders,
}

impl Default for SimplifyOptions {
    fn default() -> Self {
        Self { ratio: 0.5, max_error: 0.01, borders: Borders::default() }
    }
}

impl SimplifyOptions {
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::Usage`] for a ratio or error without meaning.
    fn check(&self) -> Result<()> {
        if !(self.ratio > 0.0 && self.ratio <= 1.0) {
            return Err(Error::usage(format!(
                "a share of {} of the triangles is none; it is above 0, up to 1",
                self.ratio
            )));
        }
        if !(self.max_error >= 0.0 && self.max_error.is_finite()) {
            return Err(Error::usage(format!("{} is no error bound for simplifying; it is 0 or more", self.max_error)));
        }
        Ok(())
    }
}

/// What [`simplify()`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SimplifyStats {
    /// Triangles before.
    pub triangles_before: u64,
    /// Triangles afterwards.
    pub triangles_after: u64,
    /// The largest error of any part, as a share of its size.
    pub max_error: f64,
}

/// Simplifies every part of triangles until only a share of them is left, or the next step would err too much.
///
/// One edge after another is collapsed into one of its ends, the one that errs least first, so the points that stay keep
/// all they have to the bit: positions, attributes, influences and morph deltas. Points that differ in an attribute only
/// (seams of texture coordinates, hard edges) move together and along their seam; open borders move along themselves;
/// points where parts of one mesh meet stay. Faces do not turn over, and no hole opens or closes.
///
/// The error of a step is the larger one of two distances: that of the end that stays from the planes of all faces that
/// it stands for, by their area (Garland and Heckbert 1997), and that of the point that goes from the new faces; and in
/// addition what the new faces give at that point instead of its own normal, texture coordinate, colour, joint weights
/// and morph deltas. So shapes stay also where they bend and morph.
///
/// Attributes on corners and faces become those of points first ([`to_render_mesh`]). Polygons, lines and points are left
/// alone. Each simplified part is told (`passes.simplified`).
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] for options without meaning; [`anyrig_bytes::ErrorKind::Malformed`] when a part was
/// not validated (nothing is changed then); [`anyrig_bytes::ErrorKind::Cancelled`];
/// [`anyrig_bytes::ErrorKind::LimitExceeded`] when the lists that this takes pass the memory limit.
pub fn simplify(scene: &mut Scene, options: &SimplifyOptions, context: &Context) -> Result<SimplifyStats> {
    options.check()?;
    scene.meshes.values().flat_map(|m| &m.parts).try_for_each(check_part)?;
    let mut total = SimplifyStats::default();
    for (index, mesh) in scene.meshes.as_mut_slice().iter_mut().enumerate() {
        let meeting = meeting_places(&mesh.parts);
        let (id, name) = (anyrig_scene::MeshId::new(index), mesh.name.as_str());
        let work = |(number, part): (usize, &mut Part)| -> Result<(SimplifyStats, Report)> {
            let place = crate::PartPlace { mesh: id, mesh_name: name, part: number }.to_string();
            let stats = simplify_checked(part, options, &meeting, (&place, context))?;
            let mut report = Report::default();
            let gone = stats.triangles_before - stats.triangles_after;
            if gone > 0 {
                let message = format!(
                    "{} triangles became {}, {:.3} % of the size away",
                    stats.triangles_before,
                    stats.triangles_after,
                    stats.max_error * 100.0
                );
                report.push(Diagnostic::new(&codes::SIMPLIFIED, place, message).times(gone));
            }
            Ok((stats, report))
        };
        let done: Vec<_> = mesh.parts.par_iter_mut().enumerate().map(work).collect();
        for result in done {
            let (stats, report) = result?;
            context.append(report);
            total.triangles_before += stats.triangles_before;
            total.triangles_after += stats.triangles_after;
            total.max_error = total.max_error.max(stats.max_error);
        }
    }
    Ok(total)
}

/// As [`simplify()`] for one part by itself, for example to make levels of detail of it.
///
/// # Errors
/// As there.
pub fn simplify_part(part: &mut Part, options: &SimplifyOptions, context: &Context) -> Result<SimplifyStats> {
    options.check()?;
    check_part(part)?;
    simplify_checked(part, options, &[], ("", context))
}

/// The bits of a position; zeros of both signs are one place.
pub(super) type PlaceBits = [u32; 3];

fn bits(position: [f32; 3]) -> PlaceBits {
    position.map(|v| (v + 0.0).to_bits())
}

/// Positions that more than one part has, ascending.
fn meeting_places(parts: &[Part]) -> Vec<PlaceBits> {
    if parts.len() < 2 {
        return Vec::new();
    }
    let of_part = |(number, part): (usize, &Part)| {
        let mut used = vec![false; part.point_count as usize];
        (0..part.corner_count()).for_each(|c| used[part.point_of(c)] = true);
        let places = part.positions().iter().zip(used).filter(|(_, used)| *used).map(|(p, _)| (bits(*p), number));
        places.collect::<Vec<_>>()
    };
    let mut places: Vec<(PlaceBits, usize)> = parts.iter().enumerate().flat_map(of_part).collect();
    places.sort_unstable();
    places.dedup();
    let several = places.chunk_by(|a, b| a.0 == b.0).filter(|run| run.len() > 1);
    several.filter_map(|run| run.first()).map(|(place, _)| *place).collect()
}

/// What the lists of a simplification take for each point and each corner, about.
const BYTES_PER_POINT: u64 = 320;

fn simplify_checked(
    part: &mut Part,
    options: &SimplifyOptions,
    meeting: &[PlaceBits],
    (place, context): (&str, &Context),
) -> Result<SimplifyStats> {
    context.check_cancelled()?;
    let triangles = part.triangle_count() as u64;
    let untouched = SimplifyStats { triangles_before: triangles, triangles_after: triangles, max_error: 0.0 };
    if part.topology != Topology::Triangles || part.positions().is_empty() || triangles == 0 || options.ratio == 1.0 {
        return Ok(if part.topology == Topology::Triangles { untouched } else { SimplifyStats::default() });
    }
    let bytes = (part.corner_count() as u64 + u64::from(part.point_count)).saturating_mul(BYTES_PER_POINT);
    context.take_memory(bytes, || Place::element(place))?;
    let whole =
        if part.streams.iter().all(|s| s.domain == Domain::Point) { part.clone() } else { to_render_mesh(part)? };
    context.take_memory(PointColumns::bytes_of_moves(&whole), || Place::element(place))?;
    let target = (triangles as f64 * options.ratio).ceil() as usize;
    let mut simplifier = Simplifier::new(&whole, options, meeting);
    simplifier.run(target, context)?;
    let (corners, max_error) = simplifier.finish();
    if corners.len() == whole.corner_count() {
        return Ok(untouched);
    }
    let triangles_after = corners.len() as u64 / 3;
    let mut simple = whole;
    simple.corners = Some(corners.into());
    Renumbering::in_order_of_use(&[&mut simple]).apply(&mut [&mut simple]);
    *part = simple;
    Ok(SimplifyStats { triangles_before: triangles, triangles_after, max_error })
}
