//! Files on disk as sources: the main one, and others in and below its folder.

use crate::failure::{Failure, Result};
use crate::open::{open, read_all};
use anyrig::bytes::{ErrorKind, normal_relative_name};
use anyrig::{Error, Place, SharedBytes, Source};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A file, and its folder as the only place where it may refer to.
#[derive(Debug)]
pub struct FileSource {
    name: String,
    bytes: SharedBytes,
    /// Canonical; `None` for standard input, which has nothing beside it.
    folder: Option<PathBuf>,
    limit: u64,
    used: Mutex<Vec<PathBuf>>,
}

impl FileSource {
    /// A file with what lies in and below its folder.
    pub fn open(path: &Path, limit: u64) -> Result<Self> {
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        Self::open_in(folder, path, limit)
    }

    /// A file that refers to others by their names from another folder.
    pub fn open_in(folder: &Path, path: &Path, limit: u64) -> Result<Self> {
        let bytes = open(path, limit).map_err(|e| Failure::io(path, "read", &e))?;
        let folder = folder.canonicalize().map_err(|e| Failure::io(folder, "read", &e))?;
        let used = path.canonicalize().map_err(|e| Failure::io(path, "read", &e))?;
        let name = path.file_name().unwrap_or(OsStr::new("unnamed")).to_string_lossy().into_owned();
        Ok(Self { name, bytes, folder: Some(folder), limit, used: Mutex::new(vec![used]) })
    }

    /// Standard input.
    pub fn stdin(limit: u64) -> Result<Self> {
        let bytes = read_all(io::stdin().lock(), limit).map_err(|e| Failure::io(Path::new("-"), "read", &e))?;
        Ok(Self { name: "stdin".to_owned(), bytes, folder: None, limit, used: Mutex::default() })
    }

    /// Canonical paths of the files that were read so far.
    pub fn used(&self) -> Vec<PathBuf> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn path_of(&self, folder: &Path, name: &str) -> anyrig::Result<Option<PathBuf>> {
        let place = || Place::element(format!("{name:?}"));
        // On Windows a colon opens another stream of a file.
        if cfg!(windows) && name.contains(':') {
            return Err(Error::unsupported(place(), "not a file name"));
        }
        let path = match folder.join(name).canonicalize() {
            Ok(path) => path,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(Error::io(place(), format!("cannot be read: {error}"))),
        };
        if !path.starts_with(folder) {
            let message = "a link leads out of the model's folder, which is not followed; put the file itself there";
            return Err(Error::unsupported(place(), message));
        }
        if !path.is_file() {
            return Err(Error::unsupported(place(), "it is no file"));
        }
        Ok(is_spelled_so(folder, name).then_some(path))
    }
}

/// Whether each part of the name is spelled in the folder as here. Systems that ignore case would find more, and the
/// result would depend on the system.
fn is_spelled_so(folder: &Path, name: &str) -> bool {
    if !cfg!(any(windows, target_os = "macos")) {
        return true;
    }
    let mut folder = folder.to_path_buf();
    name.split('/').all(|part| {
        let found =
            folder.read_dir().is_ok_and(|mut all| all.any(|e| e.is_ok_and(|e| e.file_name() == OsStr::new(part))));
        folder.push(part);
        found
    })
}

impl Source for FileSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn bytes(&self) -> &SharedBytes {
        &self.bytes
    }

    fn resolve(&self, relative_name: &str) -> anyrig::Result<Option<SharedBytes>> {
        let name = normal_relative_name(relative_name)?;
        let Some(folder) = &self.folder else { return Ok(None) };
        let Some(path) = self.path_of(folder, &name)? else { return Ok(None) };
        let bytes = open(&path, self.limit).map_err(|error| {
            let kind =
                if error.kind() == io::ErrorKind::FileTooLarge { ErrorKind::LimitExceeded } else { ErrorKind::Io };
            Error::new(kind, Place::whole().in_file(&name), format!("the file {name:?} cannot be read: {error}"))
        })?;
        self.used.lock().unwrap_or_else(PoisonError::into_inner).push(path);
        Ok(Some(bytes))
    }

    fn find(&self, relative_name: &str) -> anyrig::Result<Option<(String, SharedBytes)>> {
        let name = normal_relative_name(relative_name)?;
        if let Some(bytes) = self.resolve(&name)? {
            return Ok(Some((name, bytes)));
        }
        let Some(spelled) = self.folder.as_deref().and_then(|folder| spelled_otherwise(folder, &name)) else {
            return Ok(None);
        };
        Ok(self.resolve(&spelled)?.map(|bytes| (spelled, bytes)))
    }
}

/// How a file's name is spelled on disk, without regard to case; of several spellings the first by name.
fn spelled_otherwise(folder: &Path, name: &str) -> Option<String> {
    let mut at = folder.to_path_buf();
    let mut parts = Vec::new();
    for part in name.split('/') {
        let lower = part.to_lowercase();
        let names = at.read_dir().ok()?.filter_map(|e| e.ok()?.file_name().into_string().ok());
        let same = names.filter(|n| n.to_lowercase() == lower);
        // The exact spelling first.
        let found = same.min_by(|a, b| (a != part).cmp(&(b != part)).then(a.cmp(b)))?;
        at.push(&found);
        parts.push(found);
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let model = folder.path().join("模型 é");
        fs::create_dir_all(model.join("t")).expect("writable");
        fs::write(folder.path().join("secret"), "s").expect("writable");
        fs::write(model.join("a.gltf"), "main").expect("writable");
        fs::write(model.join("t/貼圖.png"), "png").expect("writable");
        folder
    }

    #[test]
    fn finds_what_lies_below_and_nothing_else() {
        let folder = folder();
        let source = FileSource::open(&folder.path().join("模型 é/a.gltf"), 100).expect("readable");
        assert_eq!((source.name(), &**source.bytes()), ("a.gltf", &b"main"[..]));
        assert_eq!(source.resolve("t/貼圖.png").map(|b| b.map(|b| b.to_vec())), Ok(Some(b"png".to_vec())));
        assert_eq!(source.used().len(), 2);
        assert_eq!(source.resolve("t/none.png"), Ok(None));
        assert_eq!(source.resolve("T/貼圖.png"), Ok(None));
        let found = |name: &str| source.find(name).map(|f| f.map(|(name, _)| name));
        assert_eq!(found("T/貼圖.PNG"), Ok(Some("t/貼圖.png".to_owned())));
        assert_eq!((found("T/none.png"), found("../SECRET").is_err()), (Ok(None), true));
        for bad in ["../secret", "/etc/passwd", "t/../../secret", "file:///etc/passwd"] {
            assert!(source.resolve(bad).is_err(), "{bad}");
        }
        assert!(source.resolve("t").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_that_leave_the_folder_are_refused() {
        use std::os::unix::fs::symlink;
        let folder = folder();
        let model = folder.path().join("模型 é");
        symlink("../secret", model.join("out")).expect("a link");
        symlink("t/貼圖.png", model.join("in.png")).expect("a link");
        symlink("..", model.join("up")).expect("a link");
        let source = FileSource::open(&model.join("a.gltf"), 100).expect("readable");
        assert_eq!(source.resolve("out").map_err(|e| e.kind()), Err(ErrorKind::Unsupported));
        assert_eq!(source.resolve("up/secret").map_err(|e| e.kind()), Err(ErrorKind::Unsupported));
        assert!(source.resolve("in.png").is_ok_and(|b| b.is_some()));
    }

    #[test]
    fn files_beside_obey_the_limit_too() {
        let folder = folder();
        fs::write(folder.path().join("模型 é/big.bin"), [0; 101]).expect("writable");
        let source = FileSource::open(&folder.path().join("模型 é/a.gltf"), 100).expect("readable");
        assert_eq!(source.resolve("big.bin").map_err(|e| e.kind()), Err(ErrorKind::LimitExceeded));
    }
}
