//! `cargo xtask samples`: makes the small assets of `samples/`, and large ones of the same kind for benchmarks.
//!
//! The mannequin and the arm are this project's own design, built by rule from the tables in these files; CC0.

mod arm;
mod bind;
mod body;
mod charts;
mod grid;
mod mark;
mod mesh;
mod motion;
mod paint;
mod rig;
mod scene;
#[cfg(test)]
mod tests;
mod tube;

use anyrig_bytes::{Context, Report};
use anyrig_scene::{ExportedFile, Exporter, Scene, validate};
use mesh::Tangents;
use scene::Dense;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Name of the small samples, without ending.
const STEM: &str = "mannequin";

/// What the arguments ask for.
#[derive(Debug)]
enum Task {
    /// Write the samples.
    Write,
    /// Fail where the committed samples are not what would be written.
    Check,
    /// Write a large body.
    Dense(Dense, PathBuf),
}

/// Runs the command with the arguments after `samples`.
pub fn run(arguments: &[&str]) -> Result<(), String> {
    match parse(arguments)? {
        Task::Write => {
            let folder = samples_folder()?;
            for (name, content) in small_files()? {
                write(&folder.join(name), &content)?;
            }
            Ok(())
        }
        Task::Check => check(&samples_folder()?),
        Task::Dense(dense, out) => {
            let scene = scene::dense(dense).map_err(|e| e.to_string())?;
            let stem = out.file_stem().and_then(|s| s.to_str()).unwrap_or(STEM);
            let target = out.extension().and_then(|e| e.to_str()).unwrap_or("glb");
            for (index, file) in export(scene, target, stem)?.into_iter().enumerate() {
                let path = if index == 0 { out.clone() } else { out.with_file_name(&file.name) };
                write(&path, &file.content.to_vec())?;
            }
            Ok(())
        }
    }
}

fn parse(arguments: &[&str]) -> Result<Task, String> {
    let mut dense = Dense { triangles: 0, meshes: 1, tangents: Tangents::Stored };
    let mut out = None;
    let mut rest = arguments.iter();
    let number = |option: &str, text: Option<&&str>| -> Result<usize, String> {
        let number = text.and_then(|t| t.parse().ok()).filter(|n| *n > 0);
        number.ok_or_else(|| format!("{option} needs a number"))
    };
    while let Some(option) = rest.next() {
        match *option {
            "--check" if arguments.len() == 1 => return Ok(Task::Check),
            "--triangles" => dense.triangles = number(option, rest.next())?,
            "--meshes" => dense.meshes = number(option, rest.next())?,
            "--no-tangents" => dense.tangents = Tangents::Missing,
            "--out" => out = rest.next().map(PathBuf::from),
            _ => return Err(format!("samples does not know {option} here")),
        }
    }
    match (dense.triangles, out) {
        (0, None) if arguments.is_empty() => Ok(Task::Write),
        (1.., Some(out)) => Ok(Task::Dense(dense, out)),
        _ => Err("a large body needs --triangles N and --out FILE.glb".to_owned()),
    }
}

fn samples_folder() -> Result<PathBuf, String> {
    let chores = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = chores.parent().ok_or("xtask lies in the workspace")?;
    Ok(root.join("samples"))
}

/// All generated files of `samples/` by name.
fn small_files() -> Result<BTreeMap<String, Vec<u8>>, String> {
    let scene = scene::small().map_err(|e| e.to_string())?;
    let mut files = BTreeMap::new();
    for target in ["glb", "gltf"] {
        for file in export(scene.clone(), target, STEM)? {
            files.insert(file.name, file.content.to_vec());
        }
    }
    files.insert("arm.fbx".to_owned(), arm::file().map_err(|e| e.to_string())?);
    Ok(files)
}

/// Validates and exports; whatever is repaired or lost is a fault of the generator.
fn export(mut scene: Scene, target: &str, stem: &str) -> Result<Vec<ExportedFile>, String> {
    let context = Context::new();
    validate(&mut scene, &context);
    let exporter: Box<dyn Exporter> = match target {
        "glb" => Box::new(anyrig_gltf::Glb),
        "gltf" => Box::new(anyrig_gltf::Gltf),
        _ => return Err(format!("samples are written as glb or gltf, not as {target}")),
    };
    let files = exporter.export(scene, stem, &context).map_err(|e| e.to_string())?;
    complain(&context.take_report())?;
    Ok(files)
}

fn complain(report: &Report) -> Result<(), String> {
    let lines: Vec<String> = report.diagnostics().iter().map(ToString::to_string).collect();
    if lines.is_empty() { Ok(()) } else { Err(format!("a sample is not clean:\n{}", lines.join("\n"))) }
}

fn check(folder: &Path) -> Result<(), String> {
    let expected = small_files()?;
    let mut wrong: Vec<String> = expected
        .iter()
        .filter(|(name, content)| fs::read(folder.join(name)).ok().as_ref() != Some(content))
        .map(|(name, _)| format!("samples/{name} is not what the generator makes"))
        .collect();
    let found = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for entry in found.filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name != "README.md" && !expected.contains_key(&name) {
            wrong.push(format!("samples/{name} is not made by the generator"));
        }
    }
    wrong.sort();
    if wrong.is_empty() { Ok(()) } else { Err(format!("{}\nrun cargo xtask samples", wrong.join("\n"))) }
}

fn write(path: &Path, content: &[u8]) -> Result<(), String> {
    let result = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, content));
    result.map_err(|e| format!("{}: {e}", path.display()))
}
