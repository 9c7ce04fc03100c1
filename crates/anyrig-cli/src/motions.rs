//! Motions in files of their own, attached to a model.

use crate::failure::{Failure, Result};
use crate::source::FileSource;
use anyrig::bytes::{Attachment, Role};
use anyrig::{Context, Source};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Motion files that were read.
#[derive(Debug, Default)]
pub struct Motions {
    attachments: Vec<Attachment>,
    /// Canonical, of all that was read.
    pub used: Vec<PathBuf>,
}

impl Motions {
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
            motions.used.extend(source.used());
            let attachment = Attachment::new(Role::Motion, source.name(), source.bytes().clone());
            motions.attachments.push(attachment);
        }
        Ok(motions)
    }

    /// The context with all of them.
    pub fn attach(&self, context: Context) -> Context {
        self.attachments.iter().cloned().fold(context, Context::with_attachment)
    }
}
