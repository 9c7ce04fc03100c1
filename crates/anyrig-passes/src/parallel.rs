//! Work on parts, spread over threads.

use anyrig_bytes::{Context, Place, Report, Result};
use anyrig_scene::{MeshId, Part, Scene};
use rayon::prelude::*;

/// Which part a piece of work is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartPlace<'a> {
    /// The mesh.
    pub mesh: MeshId,
    /// Its name.
    pub mesh_name: &'a str,
    /// Index of the part in the mesh.
    pub part: usize,
}

impl PartPlace<'_> {
    /// Books memory for new values of the part: `count` elements of `bytes_each`.
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::LimitExceeded`] at the part.
    pub(crate) fn take_memory(&self, context: &Context, count: usize, bytes_each: usize) -> Result<()> {
        let bytes = (count as u64).saturating_mul(bytes_each as u64);
        context.take_memory(bytes, || Place::element(self.to_string()))
    }
}

/// `mesh "NAME" part 2`, with the mesh's index where it has no name.
impl std::fmt::Display for PartPlace<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.mesh_name.is_empty() {
            return write!(f, "mesh {} part {}", self.mesh.index(), self.part);
        }
        write!(f, "mesh \"{}\" part {}", self.mesh_name, self.part)
    }
}

/// Runs `work` on every part, in parallel. Each call has a report of its own; they are appended in the order of the
/// parts, so the result does not depend on the number of threads.
///
/// # Errors
/// The error of the first part that has one; [`anyrig_bytes::ErrorKind::Cancelled`]. The reports of all parts before it
/// are appended.
pub fn for_each_part(
    scene: &mut Scene,
    context: &Context,
    work: impl Fn(PartPlace<'_>, &mut Part, &mut Report) -> Result<()> + Sync,
) -> Result<()> {
    let mut items = Vec::new();
    for (index, mesh) in scene.meshes.as_mut_slice().iter_mut().enumerate() {
        let (id, name) = (MeshId::new(index), mesh.name.as_str());
        let parts = mesh.parts.iter_mut().enumerate();
        items.extend(parts.map(|(part, data)| (PartPlace { mesh: id, mesh_name: name, part }, data)));
    }
    let done: Vec<(Report, Result<()>)> = items
        .into_par_iter()
        .map(|(place, part)| {
            let mut report = Report::default();
            let result = context.check_cancelled().and_then(|()| work(place, part, &mut report));
            (report, result)
        })
        .collect();
    for (report, result) in done {
        context.append(report);
        result?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes;
    use anyrig_bytes::{Diagnostic, Error};
    use anyrig_scene::Mesh;

    fn scene() -> Scene {
        let mut scene = Scene::default();
        for name in ["a", "", "c"] {
            let mut mesh = Mesh::default();
            mesh.name = name.to_owned();
            mesh.parts = vec![Part::default(), Part::default()];
            scene.meshes.push(mesh);
        }
        scene
    }

    #[test]
    fn reports_come_in_the_order_of_the_parts() {
        let mut scene = scene();
        let context = Context::new();
        for_each_part(&mut scene, &context, |place, part, report| {
            part.slot = place.part as u32;
            report.push(Diagnostic::new(&codes::NORMALS_GENERATED, place.to_string(), ""));
            Ok(())
        })
        .expect("no part fails");
        let report = context.report();
        let subjects: Vec<_> = report.diagnostics().iter().map(|d| d.subject.as_str()).collect();
        let expected = ["mesh \"a\" part 0", "mesh \"a\" part 1", "mesh 1 part 0", "mesh 1 part 1"];
        assert_eq!(subjects[..4], expected);
        assert!(scene.meshes.values().all(|m| m.parts[1].slot == 1));
    }

    #[test]
    fn the_first_error_wins() {
        let error = for_each_part(&mut scene(), &Context::new(), |place, _, _| match place.mesh.index() {
            0 => Ok(()),
            i => Err(Error::usage(format!("part {} of mesh {i}", place.part))),
        })
        .expect_err("meshes 1 and 2 fail");
        assert_eq!(error.message(), "part 0 of mesh 1");
    }
}
