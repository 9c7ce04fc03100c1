//! Motions in files of their own, attached to a model.

use crate::failure::{Failure, Result};
use crate::source::FileSource;
use anyrig::bytes::{Attachment, Role};
use anyrig::{Context, Importer, Registry, Source};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The codes under which readers tell of motions that were found beside a model end in this.
const FOUND: &str = ".motion-found";

/// Which motions a model gets.
#[derive(Clone, Copy, Debug)]
pub enum Choice<'a> {
    /// These.
    Files(&'a [PathBuf]),
    /// Those that lie where motions of the model usually are.
    Usual,
    /// None.
    None,
}

/// Motion files that were read.
#[derive(Debug, Default)]
pub struct Motions {
    attachments: Vec<Attachment>,
    sources: Vec<Arc<FileSource>>,
}

impl Motions {
    /// Those that one input gets.
    ///
    /// # Errors
    /// Those of [`Motions::read`]; an input of no known format.
    pub fn of_one(
        choice: Choice<'_>,
        input: &Path,
        source: &FileSource,
        from: Option<&str>,
        limit: u64,
    ) -> Result<Self> {
        match choice {
            Choice::Files(files) => Self::read(files, limit),
            Choice::Usual if input != Path::new("-") => {
                let registry = Registry::standard();
                let importer = from.map_or_else(|| registry.detect(source), |id| registry.importer(id))?;
                Ok(Self::beside(input, importer, limit))
            }
            Choice::Usual | Choice::None => Ok(Self::default()),
        }
    }

    /// Reads all of them; their names become those of the clips, so no two may be equal.
    ///
    /// # Errors
    /// Those of the system; wrong usage for one name twice.
    pub fn read(paths: &[PathBuf], limit: u64) -> Result<Self> {
        let mut motions = Self::default();
        let mut taken: BTreeMap<String, &Path> = BTreeMap::new();
        for path in paths {
            let source = FileSource::open(path, limit)?;
            if let Some(other) = taken.insert(source.stem().to_owned(), path) {
                let (a, b) = (other.display(), path.display());
                return Err(Failure::usage(format!("--motion {a} and {b} would be clips of one name; rename a file")));
            }
            let name = source.name().to_owned();
            motions.add(source, Role::Motion, name);
        }
        Ok(motions)
    }

    /// Reads those that lie where the importer says that motions of a model usually are. What cannot be read is left
    /// out: nobody asked for it. Of two that would be clips of one name the first counts.
    pub fn beside(model: &Path, importer: &dyn Importer, limit: u64) -> Self {
        let mut motions = Self::default();
        let mut taken = std::collections::BTreeSet::new();
        for pattern in importer.usual_motions() {
            // A motion is no model; it has none beside it.
            if Path::new(pattern).extension() == model.extension() {
                return Self::default();
            }
            for (path, name) in matching(model, pattern) {
                let Ok(source) = FileSource::open(&path, limit) else { continue };
                if taken.insert(source.stem().to_lowercase()) {
                    motions.add(source, Role::FoundMotion, name);
                }
            }
        }
        motions
    }

    fn add(&mut self, source: FileSource, role: Role, name: String) {
        let source = Arc::new(source);
        self.sources.push(Arc::clone(&source));
        self.attachments.push(Attachment::of_source(role, name, source));
    }

    /// Canonical paths of all motions, and of what was read beside them so far.
    pub fn used(&self) -> Vec<PathBuf> {
        self.sources.iter().flat_map(|source| source.used()).collect()
    }

    /// The context with all of them.
    pub fn attach(&self, context: Context) -> Context {
        self.attachments().into_iter().fold(context, Context::with_attachment)
    }

    /// All of them.
    pub fn attachments(&self) -> Vec<Attachment> {
        self.attachments.clone()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.attachments.is_empty()
    }
}

/// How many motions were found beside the model and used, for people who did not ask for them.
pub fn found_in(report: &anyrig::Report) -> u64 {
    report.diagnostics().iter().filter(|d| d.code.id.ends_with(FOUND)).map(|d| d.count).sum()
}

/// Files below the model's folder that fit a pattern, by name; without regard to case, as the engines' own tools run on
/// systems without one.
fn matching(model: &Path, pattern: &str) -> Vec<(PathBuf, String)> {
    let stem = model.file_stem().unwrap_or_default().to_string_lossy();
    let (folder, file) = pattern.rsplit_once('/').unwrap_or(("", pattern));
    let file = file.replace("{stem}", &stem).to_lowercase();
    let (before, after) = file.split_once('*').map_or((file.as_str(), None), |(a, b)| (a, Some(b)));
    let fits = |name: &str| {
        let name = name.to_lowercase();
        match after {
            None => name == before,
            Some(after) => {
                name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
            }
        }
    };
    let parent = model.parent().unwrap_or(Path::new("")).join(folder);
    let parent = if parent.as_os_str().is_empty() { PathBuf::from(".") } else { parent };
    let entries = parent.read_dir().into_iter().flatten().filter_map(std::result::Result::ok);
    let named = entries.filter_map(|e| Some((e.path(), e.file_name().into_string().ok()?)));
    let mut found: Vec<_> = named.filter(|(path, name)| fits(name) && path.is_file()).collect();
    found.sort();
    let relative = |name: String| if folder.is_empty() { name } else { format!("{folder}/{name}") };
    found.into_iter().map(|(path, name)| (path, relative(name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn files_that_fit_a_pattern() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = folder.path();
        fs::create_dir(at.join("Animations")).expect("writable");
        fs::create_dir(at.join("Animations/folder.ani")).expect("writable");
        for file in [
            "Fox.mdl",
            "fox.ANI",
            "Fox_Run.ani",
            "Foxy.ani",
            "Animations/b.ani",
            "Animations/a.ani",
            "Animations/a.txt",
        ] {
            fs::write(at.join(file), "").expect("writable");
        }
        let of = |pattern: &str| -> Vec<String> {
            matching(&at.join("Fox.mdl"), pattern).into_iter().map(|(_, name)| name).collect()
        };
        assert_eq!(of("{stem}.ani"), ["fox.ANI"]);
        assert_eq!(of("{stem}_*.ani"), ["Fox_Run.ani"]);
        assert_eq!(of("Animations/*.ani"), ["Animations/a.ani", "Animations/b.ani"]);
        assert!(of("None/*.ani").is_empty());
    }
}
