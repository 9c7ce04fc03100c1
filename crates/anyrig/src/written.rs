//! Written files as a source, and rules for their names.

use anyrig_bytes::{Error, Place, Result, SharedBytes, Source};
use anyrig_scene::ExportedFile;
use std::collections::BTreeSet;

/// One of several written files as the primary file of a source. The others are found by their names as written, so
/// from the folder of the main file.
#[derive(Clone, Debug)]
pub struct WrittenFiles<'a> {
    files: &'a [ExportedFile],
    name: &'a str,
    bytes: SharedBytes,
}

impl<'a> WrittenFiles<'a> {
    /// The file of an index as the primary one; `None` when there is no such file.
    pub fn new(files: &'a [ExportedFile], primary: usize) -> Option<Self> {
        let file = files.get(primary)?;
        Some(Self { files, name: &file.name, bytes: file.content.to_shared() })
    }
}

impl Source for WrittenFiles<'_> {
    fn name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(self.name)
    }

    fn bytes(&self) -> &SharedBytes {
        &self.bytes
    }

    fn resolve(&self, relative_name: &str) -> Result<Option<SharedBytes>> {
        check_name(relative_name)?;
        Ok(self.files.iter().find(|f| f.name == relative_name).map(|f| f.content.to_shared()))
    }
}

/// Checks that files can be written below one folder: no name leaves it, none is there twice, also where case is
/// ignored, and none is the folder of another.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Unsupported`] naming the file.
pub(crate) fn check_names(files: &[ExportedFile]) -> Result<()> {
    let mut names = BTreeSet::new();
    for file in files {
        check_name(&file.name)?;
        if !names.insert(file.name.to_lowercase()) {
            return Err(refuse(&file.name, "two files of the output would have this name"));
        }
    }
    let folder_of = |name: &str| name.match_indices('/').map(|(i, _)| name[..i].to_owned()).collect::<Vec<_>>();
    for file in files {
        if folder_of(&file.name.to_lowercase()).iter().any(|folder| names.contains(folder)) {
            return Err(refuse(&file.name, "its folder has the name of another file of the output"));
        }
    }
    Ok(())
}

fn check_name(name: &str) -> Result<()> {
    let bad = |part: &str| part.is_empty() || part == "." || part == ".." || part.contains(['\\', ':', '\0']);
    if name.split('/').any(bad) {
        return Err(refuse(name, "only names below the output folder are written"));
    }
    Ok(())
}

fn refuse(name: &str, why: &str) -> Error {
    Error::unsupported(Place::element(format!("{name:?}")), why)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Result<()> {
        check_names(&names.iter().map(|n| ExportedFile::new(*n, vec![])).collect::<Vec<_>>())
    }

    #[test]
    fn names_stay_below_the_folder_and_differ() {
        assert_eq!(names(&["Fox.mdl", "Animations/Walk.ani", "Animations/Run.ani"]), Ok(()));
        for bad in ["../a", "/a", "a//b", "a/./b", "C:/a", "a\\..\\b", "", "a:stream", "a\0"] {
            assert!(names(&[bad]).is_err(), "{bad:?}");
        }
        assert!(names(&["a.PNG", "A.png"]).is_err());
        assert!(names(&["Textures/a.png", "textures"]).is_err());
    }

    #[test]
    fn other_files_are_found_by_their_written_names() {
        let files = [ExportedFile::new("a.gltf", vec![1]), ExportedFile::new("t/b.bin", vec![2, 3])];
        let source = WrittenFiles::new(&files, 1).expect("there are two");
        assert_eq!((source.name(), source.bytes().len()), ("b.bin", 2));
        assert_eq!(source.resolve("a.gltf").map(|b| b.map(|b| b.len())), Ok(Some(1)));
        assert_eq!(source.resolve("c"), Ok(None));
        assert!(source.resolve("../a.gltf").is_err());
        assert!(WrittenFiles::new(&files, 2).is_none());
    }
}
