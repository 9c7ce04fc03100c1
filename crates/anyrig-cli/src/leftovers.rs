//! What lies in an output folder that is written over and is not of this conversion.
//!
//! The user may have put it there, or an earlier conversion with other clips or textures did. Nobody can tell for
//! certain, and nothing of the user's may be deleted: so it is named, and left alone.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Files directly in the subfolders of an output folder, and those beside the main file with its stem, that are neither
/// among `written` nor an input; by name.
pub fn find(folder: &Path, written: &[PathBuf], inputs: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let ours: BTreeSet<PathBuf> = written.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let is_other = |path: &PathBuf| {
        path.is_file() && path.canonicalize().is_ok_and(|path| !ours.contains(&path) && !inputs.contains(&path))
    };
    let main_stem = written.first().and_then(|main| main.file_stem());
    let mut found = Vec::new();
    for entry in entries(folder) {
        if entry.is_dir() && !is_hidden(&entry) {
            found.extend(entries(&entry).into_iter().filter(|path| is_other(path) && !is_hidden(path)));
        } else if entry.file_stem() == main_stem && is_other(&entry) {
            found.push(entry);
        }
    }
    found.sort();
    found
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let all = folder.read_dir().into_iter().flatten();
    all.filter_map(|entry| entry.ok().map(|e| e.path())).collect()
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}
