//! What making tangents costs, beside the library that computes them: `bench-tangents FILE.glb [RUNS]`.
//!
//! Both sides see the same mesh in the same process, one thread, run after run in turn. The library's own side only
//! stores what it is given, a tangent for each corner; ours ends with one tangent for each point. Prints one line of
//! `name=value` with medians in seconds of processor time.
#![allow(clippy::print_stdout, reason = "a program for people and scripts")]

use anyrig_benches::{measure, median};
use anyrig_bytes::{Context, MemorySource};
use anyrig_passes::{TangentOptions, generate_tangents};
use anyrig_scene::{Importer, Part, Scene, Semantic, Stream};
use bevy_mikktspace::{Geometry, TangentSpace};
use std::error::Error;
use std::hint::black_box;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: bench-tangents FILE.glb [RUNS]")?;
    let runs: usize = arguments.next().map_or(Ok(9), |text| text.parse())?;
    let source = MemorySource::new(path.as_str(), std::fs::read(&path)?);
    let scene = anyrig_gltf::Glb.import(&source, &Context::new())?;

    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        ours.push(measure(|| ours_once(&scene))?.cpu_secs);
        theirs.push(measure(|| theirs_once(&scene))?.cpu_secs);
    }
    let (ours, theirs) = (median(ours), median(theirs));
    println!("ours_secs={ours:.4} mikktspace_secs={theirs:.4} ratio={:.3}", ours / theirs);
    Ok(())
}

fn parts(scene: &Scene) -> impl Iterator<Item = &Part> {
    scene.meshes.values().flat_map(|mesh| &mesh.parts)
}

fn ours_once(scene: &Scene) -> Result<(), Box<dyn Error>> {
    for part in parts(scene) {
        let mut part = part.clone();
        black_box(generate_tangents(&mut part, &scene.space, TangentOptions::default())?);
        if part.stream(&Semantic::Tangent).is_none() {
            return Err("no tangents were made".into());
        }
    }
    Ok(())
}

fn theirs_once(scene: &Scene) -> Result<(), Box<dyn Error>> {
    for part in parts(scene) {
        let mut corners = Corners::new(part).ok_or("a part is not indexed triangles with normals and UV")?;
        bevy_mikktspace::generate_tangents(&mut corners).map_err(|e| format!("{e:?}"))?;
        black_box(&corners.tangents);
    }
    Ok(())
}

/// The plainest use of the library.
struct Corners<'a> {
    corners: &'a [u32],
    positions: &'a [[f32; 3]],
    normals: &'a [[f32; 3]],
    tex_coords: &'a [[f32; 2]],
    tangents: Vec<[f32; 4]>,
}

impl<'a> Corners<'a> {
    fn new(part: &'a Part) -> Option<Self> {
        let corners = part.corners.as_ref()?.as_slice();
        Some(Self {
            corners,
            positions: part.positions(),
            normals: part.stream(&Semantic::Normal).and_then(Stream::arrays)?,
            tex_coords: part.stream(&Semantic::TexCoord(0)).and_then(Stream::arrays)?,
            tangents: vec![[0.0; 4]; corners.len()],
        })
    }

    fn point(&self, face: usize, corner: usize) -> usize {
        self.corners[face * 3 + corner] as usize
    }
}

impl Geometry for Corners<'_> {
    fn num_faces(&self) -> usize {
        self.corners.len() / 3
    }

    fn num_vertices_of_face(&self, _face: usize) -> usize {
        3
    }

    fn position(&self, face: usize, corner: usize) -> [f32; 3] {
        self.positions[self.point(face, corner)]
    }

    fn normal(&self, face: usize, corner: usize) -> [f32; 3] {
        self.normals[self.point(face, corner)]
    }

    fn tex_coord(&self, face: usize, corner: usize) -> [f32; 2] {
        self.tex_coords[self.point(face, corner)]
    }

    fn set_tangent(&mut self, tangent: Option<TangentSpace>, face: usize, corner: usize) {
        self.tangents[face * 3 + corner] = tangent.map_or([0.0; 4], |t| t.tangent_encoded());
    }
}
