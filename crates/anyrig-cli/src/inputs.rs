//! Which files the words on the command line mean.

use crate::failure::{Failure, Result};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// One input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    Stdin,
    File(PathBuf),
    /// A word that means no file; the message says why. It fails in its turn, the batch goes on.
    Missing(PathBuf, String),
}

impl Input {
    /// As the user knows it.
    pub fn display(&self) -> String {
        match self {
            Self::Stdin => "-".to_owned(),
            Self::File(path) | Self::Missing(path, _) => path.display().to_string(),
        }
    }
}

/// Finds the inputs in the order of the words, those of a glob in alphabetical order, each file once.
///
/// A word that is a file means that file, also with `*` in its name. Only `*`, `?` and `**` are special.
pub fn find(words: &[OsString]) -> Result<Vec<Input>> {
    let mut inputs = Vec::new();
    let mut seen = BTreeSet::new();
    for word in words {
        for input in expand(word)? {
            let new = match &input {
                Input::File(path) => seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())),
                Input::Stdin if inputs.contains(&Input::Stdin) => {
                    return Err(Failure::usage("standard input (-) can be read only once"));
                }
                Input::Stdin | Input::Missing(..) => true,
            };
            if new {
                inputs.push(input);
            }
        }
    }
    Ok(inputs)
}

fn expand(word: &OsString) -> Result<Vec<Input>> {
    let path = Path::new(word);
    if word == "-" {
        return Ok(vec![Input::Stdin]);
    }
    if word.is_empty() {
        return Err(Failure::usage("the name of an input is empty"));
    }
    if path.is_dir() {
        let message = format!("{0} is a folder; name its files, for example '{0}/**/*.glb'", path.display());
        return Err(Failure::usage(message));
    }
    if path.exists() {
        return Ok(vec![Input::File(path.to_path_buf())]);
    }
    let missing = |why: &str| vec![Input::Missing(path.to_path_buf(), format!("{}: {why}", path.display()))];
    match word.to_str().filter(|text| text.contains(['*', '?'])) {
        None => Ok(missing("there is no such file; check the name")),
        Some(pattern) => {
            let files = matching(pattern)?;
            if files.is_empty() {
                let why = "no file has a name like this";
                // ** stands for folders only.
                let is_folders = path.file_name().is_some_and(|last| last == "**");
                let hint =
                    if is_folders { format!("; '{}/*' takes all files below", path.display()) } else { String::new() };
                return Ok(missing(&format!("{why}{hint}")));
            }
            Ok(files.into_iter().map(Input::File).collect())
        }
    }
}

/// The files that a pattern means. Only names are matched with the glob crate: its own walk ends the program at a name
/// that is no text, and knows `[...]`, while here brackets are plain characters, as they often are in names of models.
fn matching(pattern: &str) -> Result<Vec<PathBuf>> {
    let path = Path::new(pattern);
    let mut folders: BTreeSet<PathBuf> = BTreeSet::from([PathBuf::new()]);
    let parts: Vec<Component<'_>> = path.components().collect();
    let Some((last, parents)) = parts.split_last() else { return Ok(Vec::new()) };
    for part in parents {
        folders = step(&folders, *part, pattern)?;
    }
    let found = step(&folders, *last, pattern)?;
    Ok(found.into_iter().filter(|path| path.is_file()).collect())
}

/// What one part of a pattern leads to from some folders; each once, in the order of the names.
fn step(folders: &BTreeSet<PathBuf>, part: Component<'_>, pattern: &str) -> Result<BTreeSet<PathBuf>> {
    let Component::Normal(name) = part else {
        return Ok(folders.iter().map(|folder| folder.join(part)).collect());
    };
    let name = name.to_string_lossy();
    if name == "**" {
        return Ok(folders.iter().flat_map(|folder| with_all_below(folder)).collect());
    }
    if !name.contains(['*', '?']) {
        return Ok(folders.iter().map(|folder| folder.join(&*name)).filter(|path| path.exists()).collect());
    }
    let plain = name.replace('[', "\u{1}").replace(']', "[]]").replace('\u{1}', "[[]");
    let matcher = glob::Pattern::new(&plain).map_err(|e| Failure::usage(format!("{pattern}: {}", e.msg)))?;
    let options =
        glob::MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: true };
    let fits = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        matcher.matches_with(&name, options)
    };
    Ok(folders.iter().flat_map(|folder| entries(folder)).filter(fits).collect())
}

/// A folder and all below it but hidden ones. Links are not followed, so that rings of them end.
fn with_all_below(folder: &Path) -> Vec<PathBuf> {
    let mut all = vec![folder.to_path_buf()];
    let mut next = 0;
    while let Some(folder) = all.get(next).cloned() {
        next += 1;
        let is_shown = |path: &PathBuf| path.file_name().is_none_or(|n| !n.to_string_lossy().starts_with('.'));
        let is_folder = |path: &PathBuf| path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
        all.extend(entries(&folder).into_iter().filter(is_shown).filter(is_folder));
    }
    all
}

/// What lies directly in a folder; the empty path is the current one, whose entries have plain names.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let place = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let all = place.read_dir().into_iter().flatten().filter_map(std::result::Result::ok);
    all.map(|entry| folder.join(entry.file_name())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn names(folder: &Path, words: &[&str]) -> Vec<String> {
        let words: Vec<OsString> = words.iter().map(|w| folder.join(w).into_os_string()).collect();
        let inputs = find(&words).expect("no wrong usage");
        inputs.iter().map(|i| i.display().replace(&format!("{}/", folder.display()), "")).collect()
    }

    #[test]
    fn globs_literals_and_missing_files() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path();
        fs::create_dir_all(path.join("子/deep")).expect("writable");
        for file in ["b.glb", "a.glb", "a[1].glb", "x.png", ".hidden.glb", "子/c.glb", "子/deep/d.glb"] {
            fs::write(path.join(file), "").expect("writable");
        }
        assert_eq!(names(path, &["*.glb"]), ["a.glb", "a[1].glb", "b.glb"]);
        assert_eq!(names(path, &["a[1]*.glb"]), ["a[1].glb"]);
        assert_eq!(names(path, &["?.glb", "a.glb", "x.png"]), ["a.glb", "b.glb", "x.png"]);
        assert_eq!(names(path, &["**/d.glb", "子/*"]), ["子/deep/d.glb", "子/c.glb"]);
        let [Input::Missing(_, why)] = &find(&[path.join("子/**").into_os_string()]).expect("no wrong usage")[..]
        else {
            panic!("** alone is no file");
        };
        assert!(why.ends_with("子/**/*' takes all files below"), "{why}");
        let words = [path.join("none.glb").into_os_string(), path.join("*.fbx").into_os_string()];
        assert!(find(&words).expect("no wrong usage").iter().all(|i| matches!(i, Input::Missing(..))));
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_no_text_and_rings_of_links_stop_nothing() {
        use std::os::unix::ffi::OsStrExt;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path();
        fs::create_dir(path.join("sub")).expect("writable");
        std::os::unix::fs::symlink("..", path.join("sub/up")).expect("a link");
        for file in ["a.glb", "sub/b.glb"] {
            fs::write(path.join(file), "").expect("writable");
        }
        // Some file systems take no such name.
        let odd = fs::write(path.join(std::ffi::OsStr::from_bytes(b"c\xff.glb")), "").is_ok();
        let found = find(&[path.join("*.glb").into_os_string()]).expect("no wrong usage");
        assert_eq!(found.len(), if odd { 2 } else { 1 });
        assert_eq!(names(path, &["**/b.glb"]), ["sub/b.glb"]);
        assert_eq!(names(path, &["sub/../?.glb", "./sub/*.glb"]), ["sub/../a.glb", "sub/b.glb"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_with_a_star_in_its_name_is_that_file() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for file in ["*.glb", "a.glb"] {
            fs::write(folder.path().join(file), "").expect("writable");
        }
        assert_eq!(names(folder.path(), &["*.glb"]), ["*.glb"]);
    }

    #[test]
    fn folders_and_a_second_standard_input_are_wrong_usage() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        assert!(find(&[folder.path().as_os_str().to_owned()]).is_err());
        assert!(find(&["-".into(), "-".into()]).is_err());
    }
}
