//! What `dump`, `load` and `edit` share: one input, one output.

use crate::failure::{Failure, Result};
use crate::source::FileSource;
use crate::stage::{Existing, write_one};
use anyrig::bytes::Rope;
use anyrig::{Registry, Rewritten};
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// A file, or standard input for `-`.
pub fn open_one(path: &Path, limit: u64) -> Result<FileSource> {
    if path == Path::new("-") { FileSource::stdin(limit) } else { FileSource::open(path, limit) }
}

/// Where an output goes.
#[derive(Clone, Copy, Debug)]
pub enum Output<'a> {
    Stdout,
    /// A new file, or with force an existing one, but never an input.
    File(&'a Path, Existing),
    /// The input itself; one that is write-protected only when existing files are replaced.
    InPlace(&'a Path, Existing),
}

/// `-` is standard output.
pub fn output(path: &Path, existing: Existing) -> Output<'_> {
    if path == Path::new("-") { Output::Stdout } else { Output::File(path, existing) }
}

/// Refuses an output whose ending is that of other files than this one.
///
/// # Errors
/// Wrong usage, with the right ending.
pub fn check_ending(output: &Path, (registry, made): (&Registry, &Rewritten)) -> Result<()> {
    let Some(ending) = output.extension().and_then(|e| e.to_str()).map(str::to_lowercase) else { return Ok(()) };
    let is_known = registry.importers().any(|i| i.info().extensions.contains(&ending.as_str()));
    match made.extension {
        Some(own) if is_known && own != ending => {
            let (output, format) = (output.display(), made.format);
            Err(Failure::usage(format!("{output}: this is a .{own} file ({format}), not a .{ending} file; change -o")))
        }
        _ => Ok(()),
    }
}

/// Writes a file under a temporary name and moves it to its place.
pub fn write(output: Output<'_>, content: &Rope, source: &FileSource) -> Result<()> {
    match output {
        Output::Stdout => {
            let mut out = io::stdout().lock();
            let written = content.write_to(&mut out).and_then(|()| out.flush());
            match written {
                // Whoever reads has had enough.
                Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                written => written.map_err(|e| Failure::io(Path::new("-"), "write", &e)),
            }
        }
        Output::File(place, existing) => write_one(place, content, existing, &source.used().into_iter().collect()),
        Output::InPlace(place, existing) => {
            // A link stays a link; what it leads to is replaced.
            let place = place.canonicalize().map_err(|e| Failure::io(place, "write", &e))?;
            let permissions = fs::metadata(&place).map(|m| m.permissions());
            if existing == Existing::Keep && permissions.as_ref().is_ok_and(fs::Permissions::readonly) {
                let message = format!("{} is write-protected; --force replaces it all the same", place.display());
                return Err(Failure::failed(message));
            }
            write_one(&place, content, Existing::Replace, &BTreeSet::new())?;
            let kept = permissions.and_then(|p| fs::set_permissions(&place, p));
            kept.map_err(|e| Failure::io(&place, "keep the permissions of", &e))
        }
    }
}
