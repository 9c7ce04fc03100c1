//! Finding the files that an FBX file names, as people expect it: paths are those of the author's computer, so the name
//! is looked for at the places where such files usually lie.

use anyrig_bytes::{Result, SharedBytes, Source};

/// Other extensions that a texture may have been converted to.
const EXTENSIONS: [&str; 10] = ["png", "jpg", "jpeg", "tga", "dds", "bmp", "webp", "tif", "tiff", "psd"];
/// Folders beside the file that textures are put into.
const FOLDERS: [&str; 4] = ["textures", "texture", "maps", "images"];
/// How many folders of the author's path may stand beside the file too.
const KEPT_FOLDERS: usize = 3;

/// The files beside the primary one.
#[derive(Clone, Copy)]
pub(super) struct Files<'a> {
    source: Option<&'a dyn Source>,
}

impl std::fmt::Debug for Files<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Files").field("name", &self.source.map(Source::name)).finish()
    }
}

/// A file that was found.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// Its name relative to the primary file.
    pub name: String,
    pub bytes: SharedBytes,
    /// True when it has another extension than the one that was looked for.
    pub is_other_kind: bool,
}

impl<'a> Files<'a> {
    pub fn new(source: Option<&'a dyn Source>) -> Self {
        Self { source }
    }

    /// Looks for a file by all paths that name it.
    ///
    /// # Errors
    /// Beyond the limits, or cancelled. What cannot be read counts as missing.
    pub fn search(&self, paths: &[&str]) -> Result<Option<Found>> {
        let Some(source) = self.source else { return Ok(None) };
        let names = candidates(paths, source.stem());
        for name in &names {
            if let Some((name, bytes)) = look(source, name)? {
                return Ok(Some(Found { name, bytes, is_other_kind: false }));
            }
        }
        for name in &names {
            let Some((stem, extension)) = name.rsplit_once('.').filter(|(s, e)| !s.is_empty() && !e.contains('/'))
            else {
                continue;
            };
            for other in EXTENSIONS.iter().filter(|other| !extension.eq_ignore_ascii_case(other)) {
                if let Some((name, bytes)) = look(source, &format!("{stem}.{other}"))? {
                    return Ok(Some(Found { name, bytes, is_other_kind: true }));
                }
            }
        }
        Ok(None)
    }
}

fn look(source: &dyn Source, name: &str) -> Result<Option<(String, SharedBytes)>> {
    match source.find(name) {
        Ok(found) => Ok(found),
        Err(error) if error.ends_job() => Err(error),
        // A path that cannot be followed from here is one of several.
        Err(_) => Ok(None),
    }
}

/// The names to try, each once, the most exact ones first.
fn candidates(paths: &[&str], stem: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut add = |name: String| {
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    };
    let split: Vec<Vec<&str>> = paths.iter().map(|p| parts(p)).collect();
    for (path, parts) in paths.iter().zip(&split) {
        if !is_absolute(path) {
            add(parts.join("/"));
        }
    }
    for parts in &split {
        for kept in (2..=KEPT_FOLDERS + 1).rev().filter(|kept| parts.len() >= *kept) {
            add(parts[parts.len() - kept..].join("/"));
        }
    }
    for base in split.iter().filter_map(|p| p.last()) {
        add((*base).to_owned());
        FOLDERS.iter().for_each(|folder| add(format!("{folder}/{base}")));
        add(format!("{stem}.fbm/{base}"));
    }
    names
}

fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '\\']) || path.get(1..2) == Some(":")
}

/// The parts of a path of any system, without what leads out of the folder or names a drive.
fn parts(path: &str) -> Vec<&str> {
    let mut parts: Vec<&str> =
        path.split(['/', '\\']).map(str::trim).filter(|p| !matches!(*p, "" | "." | "..")).collect();
    if parts.first().is_some_and(|first| first.contains(':')) {
        parts.remove(0);
    }
    parts
}

/// The last part of a path of any system.
pub(super) fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_bytes::MemorySource;

    fn found(beside: &str, paths: &[&str]) -> Option<(String, bool)> {
        let source = MemorySource::new("Robot.fbx", vec![0]).with_file(beside, vec![1]);
        let found = Files::new(Some(&source)).search(paths).expect("within limits");
        found.map(|f| (f.name, f.is_other_kind))
    }

    #[test]
    fn files_are_found_where_people_put_them() {
        let paths = ["..\\Art\\Tex\\Skin.TGA", "D:\\Work\\Robot\\Art\\Tex\\Skin.TGA"];
        let places =
            ["Art/Tex/Skin.TGA", "Tex/skin.tga", "Skin.TGA", "skin.tga", "Textures/SKIN.tga", "Robot.fbm/Skin.TGA"];
        for place in places {
            assert_eq!(found(place, &paths), Some((place.to_owned(), false)), "{place}");
        }
        assert_eq!(found("textures/skin.png", &paths), Some(("textures/skin.png".to_owned(), true)));
        assert_eq!(found("Elsewhere/Skin.TGA", &paths), None);
        assert_eq!(found("etc/passwd", &["/etc/passwd"]).map(|f| f.0).as_deref(), Some("etc/passwd"));
        assert_eq!(found("x.png", &["", "\\", "C:", ".."]), None);
        assert!(Files::new(None).search(&paths).expect("no source").is_none());
    }
}
