//! Where the bytes of an input come from. Formats never touch the file system.

use crate::{Error, Place, Result, SharedBytes};
use std::collections::BTreeMap;

/// One primary file and what it refers to by relative name.
pub trait Source: Sync {
    /// Name of the primary file as the user knows it, without its folder.
    fn name(&self) -> &str;

    /// The primary file's bytes.
    fn bytes(&self) -> &SharedBytes;

    /// A file beside the primary one. `Ok(None)` when there is no such file.
    ///
    /// The name is relative, with `/` between folders, already percent-decoded.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unsupported`] when the name is absolute or leaves the folder; [`crate::ErrorKind::Io`] when
    /// reading fails; [`crate::ErrorKind::LimitExceeded`] when the file is too large.
    fn resolve(&self, relative_name: &str) -> Result<Option<SharedBytes>>;

    /// As [`Source::resolve`], but without regard to the case of letters, for formats whose files come from systems that
    /// ignore it; also gives the name as it is spelled here. An exact match comes first, then the first one by name.
    ///
    /// # Errors
    /// As [`Source::resolve`].
    fn find(&self, relative_name: &str) -> Result<Option<(String, SharedBytes)>> {
        let name = normal_relative_name(relative_name)?;
        Ok(self.resolve(&name)?.map(|bytes| (name, bytes)))
    }

    /// The primary file's name without its extension; empty names become `unnamed`.
    fn stem(&self) -> &str {
        let name = self.name();
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        if stem.is_empty() { "unnamed" } else { stem }
    }
}

/// A source whose files are all in memory.
#[derive(Clone, Debug, Default)]
pub struct MemorySource {
    name: String,
    bytes: SharedBytes,
    beside: BTreeMap<String, SharedBytes>,
}

impl MemorySource {
    /// A source of one file.
    pub fn new(name: impl Into<String>, bytes: impl Into<SharedBytes>) -> Self {
        Self { name: name.into(), bytes: bytes.into(), beside: BTreeMap::new() }
    }

    /// Adds a file beside the primary one.
    #[must_use]
    pub fn with_file(mut self, relative_name: impl Into<String>, bytes: impl Into<SharedBytes>) -> Self {
        self.beside.insert(relative_name.into(), bytes.into());
        self
    }
}

impl Source for MemorySource {
    fn name(&self) -> &str {
        &self.name
    }

    fn bytes(&self) -> &SharedBytes {
        &self.bytes
    }

    fn resolve(&self, relative_name: &str) -> Result<Option<SharedBytes>> {
        Ok(self.beside.get(&normal_relative_name(relative_name)?).cloned())
    }

    fn find(&self, relative_name: &str) -> Result<Option<(String, SharedBytes)>> {
        let name = normal_relative_name(relative_name)?;
        if let Some(bytes) = self.beside.get(&name) {
            return Ok(Some((name, bytes.clone())));
        }
        let lower = name.to_lowercase();
        let same = self.beside.iter().find(|(known, _)| known.to_lowercase() == lower);
        Ok(same.map(|(known, bytes)| (known.clone(), bytes.clone())))
    }
}

/// Brings a relative name into its normal form (`/` between parts, no `.` parts) and refuses the rest.
///
/// # Errors
/// [`crate::ErrorKind::Unsupported`] for absolute names, drive letters, schemes, `..` that leaves the folder, and NUL.
pub fn normal_relative_name(name: &str) -> Result<String> {
    let refuse = |why: &str| Err(Error::unsupported(Place::element(format!("{name:?}")), why.to_owned()));
    let unified = name.replace('\\', "/");
    if unified.is_empty() || unified.contains('\0') {
        return refuse("not a file name");
    }
    if unified.starts_with('/') {
        return refuse("absolute paths are not followed; put the file beside the model and refer to it relatively");
    }
    if unified.split('/').next().is_some_and(|first| first.contains(':')) {
        return refuse("only files beside the model are read, no drives and no network addresses");
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in unified.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.pop().is_none() => {
                return refuse("the name leaves the model's folder, which is not followed");
            }
            ".." => {}
            part => parts.push(part),
        }
    }
    if parts.is_empty() { refuse("not a file name") } else { Ok(parts.join("/")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_leave_the_folder_are_refused() {
        let bad =
            ["", "/etc/passwd", "../a", "a/../../b", "C:\\a", "http://x/y", "\\\\host\\share", "a\0b", ".", "a/.."];
        for name in bad {
            assert!(normal_relative_name(name).is_err(), "{name:?}");
        }
        let good =
            [("a.bin", "a.bin"), ("./t/../a.png", "a.png"), ("t\\表.png", "t/表.png"), ("t/a:b.png", "t/a:b.png")];
        for (name, normal) in good {
            assert_eq!(normal_relative_name(name).as_deref(), Ok(normal));
        }
    }

    #[test]
    fn resolves_by_normal_form() {
        let source = MemorySource::new("a.b.gltf", vec![1]).with_file("t/x.png", vec![2]);
        assert_eq!(source.stem(), "a.b");
        assert_eq!(source.resolve("./t/x.png").map(|f| f.map(|b| b.len())), Ok(Some(1)));
        assert_eq!(source.resolve("y.png"), Ok(None));
        assert_eq!(source.resolve("T/X.PNG"), Ok(None));
        assert_eq!(source.find("T\\X.PNG").map(|f| f.map(|(name, _)| name)), Ok(Some("t/x.png".to_owned())));
    }
}
