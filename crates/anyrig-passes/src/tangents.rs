//! Tangents by MikkTSpace.

use crate::check::{check_part, point_values};
use crate::{codes, for_each_part};
use anyrig_bytes::{Context, Diagnostic, Error, Result, maths};
use anyrig_scene::{Part, Scene, Semantic, Space, Stream, Topology, UvOrigin, Winding};
use bevy_mikktspace::{Geometry, Ops, TangentSpace};
use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Options of [`generate_tangents`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct TangentOptions {
    /// The set of texture coordinates that tangents follow. Default: 0.
    pub uv_set: u32,
}

/// Where tangents came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TangentMethod {
    /// MikkTSpace.
    #[default]
    MikkTSpace,
    /// There are no texture coordinates: the X axis laid into the plane of the normal (the Z axis where the normal is
    /// near X), w = 1.
    WithoutTexCoords,
}

/// What [`generate_tangents`] met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TangentStats {
    /// Where the tangents came from.
    pub method: TangentMethod,
    /// Points whose corners had different tangents; they got the mean.
    pub averaged_points: u32,
}

/// Makes tangents per point (see [`anyrig_scene::Semantic::Tangent`]) and sets the part's tangent stream. Points are
/// neither welded, split nor reordered.
///
/// MikkTSpace gives a tangent to each corner. Where the corners of one point disagree, the point gets the sign w that
/// more of its corners have (the first corner's when even), and the mean of their tangents laid into the plane of its
/// normal. Points that MikkTSpace gives nothing, or that no corner uses, get the fallback of
/// [`TangentMethod::WithoutTexCoords`].
///
/// MikkTSpace's own sign says whether `cross(normal, tangent)` points towards larger V, for triangles whose cross
/// product points outwards. A UV origin at the top left turns it round, and so does the other winding.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] when the part has no triangles, or no positions or normals per point, or texture
/// coordinates that are not per point; [`anyrig_bytes::ErrorKind::Malformed`] when it was not validated.
pub fn generate_tangents(part: &mut Part, space: &Space, options: TangentOptions) -> Result<TangentStats> {
    if part.topology != Topology::Triangles {
        return Err(Error::usage("tangents are made from triangles; triangulate polygons first"));
    }
    check_part(part)?;
    let positions = point_values::<3>(part, &Semantic::Position);
    let Some((positions, normals)) = positions.zip(point_values::<3>(part, &Semantic::Normal)) else {
        return Err(Error::usage("tangents need a position and a normal per point"));
    };
    let uv = Semantic::TexCoord(options.uv_set);
    let (tangents, stats) = match point_values::<2>(part, &uv) {
        Some(uvs) => {
            let corners = part.corners.as_deref();
            let mut mesh = Mesh { corners, positions, normals, uvs, sign: sign(space), tangents: Vec::new() };
            mesh.run(part.face_count());
            let by_corner = mesh.tangents;
            to_points(part, normals, by_corner)
        }
        None if part.stream(&uv).is_some() => {
            return Err(Error::usage("tangents need texture coordinates per point; make a render mesh first"));
        }
        None => {
            let method = TangentMethod::WithoutTexCoords;
            (normals.iter().map(fallback).collect(), TangentStats { method, ..TangentStats::default() })
        }
    };
    part.set_stream(Stream::new(Semantic::Tangent, 4, tangents.into_flattened()));
    Ok(stats)
}

/// Makes tangents for every triangle part that has positions and normals but no tangents, parts in parallel, and reports it.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Malformed`] when a part was not validated; [`anyrig_bytes::ErrorKind::LimitExceeded`];
/// [`anyrig_bytes::ErrorKind::Cancelled`].
pub fn generate_missing_tangents(scene: &mut Scene, options: TangentOptions, context: &Context) -> Result<()> {
    let space = scene.space;
    for_each_part(scene, context, |place, part, report| {
        let has = |semantic| point_values::<3>(part, &semantic).is_some();
        let ready = has(Semantic::Position) && has(Semantic::Normal);
        if part.topology != Topology::Triangles || !ready || part.stream(&Semantic::Tangent).is_some() {
            return Ok(());
        }
        // One for each corner, and their means at the points.
        place.take_memory(
            context,
            part.corner_count().saturating_add(part.positions().len()),
            size_of::<[f32; 4]>(),
        )?;
        let stats = generate_tangents(part, &space, options)?;
        let code = match stats.method {
            TangentMethod::MikkTSpace => &codes::TANGENTS_GENERATED,
            TangentMethod::WithoutTexCoords => &codes::TANGENTS_WITHOUT_UV,
        };
        report.push(Diagnostic::new(code, place.to_string(), ""));
        if stats.averaged_points > 0 {
            let count = u64::from(stats.averaged_points);
            report.push(Diagnostic::new(&codes::TANGENTS_AVERAGED, place.to_string(), "").times(count));
        }
        Ok(())
    })
}

/// What MikkTSpace's sign is multiplied with.
fn sign(space: &Space) -> f32 {
    let v_grows_up = space.uv_origin == UvOrigin::BottomLeft;
    let outward = space.winding == Winding::CrossOutward;
    if v_grows_up == outward { 1.0 } else { -1.0 }
}

/// The part as MikkTSpace sees it.
struct Mesh<'a> {
    corners: Option<&'a [u32]>,
    positions: &'a [[f32; 3]],
    normals: &'a [[f32; 3]],
    uvs: &'a [[f32; 2]],
    sign: f32,
    /// Per corner; w is 0 where there is none.
    tangents: Vec<[f32; 4]>,
}

impl Mesh<'_> {
    fn run(&mut self, triangles: usize) {
        self.tangents = vec![[0.0; 4]; triangles * 3];
        // Its error type has no values.
        let _ = bevy_mikktspace::generate_tangents::<Self, Deterministic>(self);
    }

    #[inline]
    fn point(&self, face: usize, vertex: usize) -> usize {
        let corner = face * 3 + vertex;
        self.corners.map_or(corner, |c| c[corner] as usize)
    }
}

impl Geometry<Deterministic> for Mesh<'_> {
    fn num_faces(&self) -> usize {
        self.tangents.len() / 3
    }
    fn num_vertices_of_face(&self, _face: usize) -> usize {
        3
    }
    fn position(&self, face: usize, vertex: usize) -> [f32; 3] {
        self.positions[self.point(face, vertex)]
    }
    fn normal(&self, face: usize, vertex: usize) -> [f32; 3] {
        self.normals[self.point(face, vertex)]
    }
    fn tex_coord(&self, face: usize, vertex: usize) -> [f32; 2] {
        self.uvs[self.point(face, vertex)]
    }
    fn set_tangent(&mut self, space: Option<TangentSpace>, face: usize, vertex: usize) {
        let Some(space) = space else { return };
        let [x, y, z, w] = space.tangent_encoded();
        let length_squared = x * x + y * y + z * z;
        // MikkTSpace gives unit vectors, or zero ones where a triangle is degenerate.
        if length_squared > 0.5 && length_squared < 2.0 {
            self.tangents[face * 3 + vertex] = [x, y, z, w * self.sign];
        }
    }
}

/// Same bits on every machine.
struct Deterministic;

impl Ops for Deterministic {
    #[inline]
    fn sqrt(x: f32) -> f32 {
        x.sqrt()
    }
    #[inline]
    fn acos(x: f32) -> f32 {
        // In double precision, as the C original computes it.
        maths::f64::acos(f64::from(x)) as f32
    }
}

fn to_points(part: &Part, normals: &[[f32; 3]], by_corner: Vec<[f32; 4]>) -> (Vec<[f32; 4]>, TangentStats) {
    let mut stats = TangentStats::default();
    let mut by_point = match &part.corners {
        None => by_corner,
        Some(corners) => {
            let (mut by_point, disagree) = first_of_each_point(corners, &by_corner, normals.len());
            stats.averaged_points = disagree.len() as u32;
            average(&mut by_point, &disagree, Corners { points: corners, tangents: &by_corner }, normals);
            by_point
        }
    };
    by_point.resize(normals.len(), [0.0; 4]);
    for (tangent, normal) in by_point.iter_mut().zip(normals).filter(|(t, _)| t[3] == 0.0) {
        *tangent = fallback(normal);
    }
    (by_point, stats)
}

#[derive(Clone, Copy)]
struct Corners<'a> {
    points: &'a [u32],
    tangents: &'a [[f32; 4]],
}

/// The first tangent of each point, and the points, ascending, that have another one too.
fn first_of_each_point(corners: &[u32], by_corner: &[[f32; 4]], points: usize) -> (Vec<[f32; 4]>, Vec<u32>) {
    let mut by_point = vec![[0.0f32; 4]; points];
    let mut disagree = Vec::new();
    for (point, tangent) in corners.iter().zip(by_corner).filter(|(_, t)| t[3] != 0.0) {
        let first = &mut by_point[*point as usize];
        if first[3] == 0.0 {
            *first = *tangent;
        } else if first != tangent {
            disagree.push(*point);
        }
    }
    disagree.sort_unstable();
    disagree.dedup();
    (by_point, disagree)
}

/// Tangents of one sign at a point.
#[derive(Clone, Copy, Default)]
struct Side {
    sum: DVec3,
    count: u32,
}

fn average(by_point: &mut [[f32; 4]], disagree: &[u32], corners: Corners<'_>, normals: &[[f32; 3]]) {
    if disagree.is_empty() {
        return;
    }
    let mut slot_of = vec![u32::MAX; by_point.len()];
    for (slot, point) in disagree.iter().enumerate() {
        slot_of[*point as usize] = slot as u32;
    }
    let mut sides = vec![[Side::default(); 2]; disagree.len()];
    for (point, tangent) in corners.points.iter().zip(corners.tangents).filter(|(_, t)| t[3] != 0.0) {
        if let Some(sides) = sides.get_mut(slot_of[*point as usize] as usize) {
            let side = &mut sides[usize::from(tangent[3] < 0.0)];
            side.sum += vector(*tangent);
            side.count += 1;
        }
    }
    for (point, [plus, minus]) in disagree.iter().zip(sides) {
        let first = by_point[*point as usize];
        let is_minus = minus.count > plus.count || (minus.count == plus.count && first[3] < 0.0);
        let (side, w) = if is_minus { (minus, -1.0) } else { (plus, 1.0) };
        let [x, y, z] = normals[*point as usize].map(f64::from);
        let normal = DVec3::new(x, y, z);
        let mean = (side.sum - normal * normal.dot(side.sum)).try_normalize();
        let [x, y, z] = mean.unwrap_or_else(|| vector(first)).as_vec3().to_array();
        by_point[*point as usize] = [x, y, z, w];
    }
}

fn vector(tangent: [f32; 4]) -> DVec3 {
    DVec3::new(tangent[0].into(), tangent[1].into(), tangent[2].into())
}

/// A unit tangent at right angles to a normal.
fn fallback(normal: &[f32; 3]) -> [f32; 4] {
    let normal = DVec3::from(normal.map(f64::from)).try_normalize().unwrap_or(DVec3::Y);
    let axis = if normal.x.abs() < 0.9 { DVec3::X } else { DVec3::Z };
    let tangent = (axis - normal * normal.dot(axis)).try_normalize().unwrap_or(axis);
    let [x, y, z] = tangent.as_vec3().to_array();
    [x, y, z, 1.0]
}

#[cfg(test)]
mod tests;
