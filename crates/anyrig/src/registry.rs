//! The formats that are known, and finding the right one.

use crate::suggest::hint;
use anyrig_bytes::{Error, ErrorKind, Place, Result, Source};
use anyrig_scene::{Exporter, Hint, Importer, Score};
use std::sync::Arc;

/// How many bytes a probe sees.
const HEAD_BYTES: usize = 4096;

/// Importers and exporters, in order of preference.
#[derive(Clone, Default)]
pub struct Registry {
    importers: Vec<Arc<dyn Importer>>,
    exporters: Vec<Arc<dyn Exporter>>,
}

impl Registry {
    /// A registry without formats.
    pub fn empty() -> Self {
        Self::default()
    }

    /// All formats that this build has features for.
    pub fn standard() -> Self {
        let mut registry = Self::empty();
        crate::formats::add_standard(&mut registry);
        registry
    }

    /// Adds a format to read. Of two that know a file equally well the earlier one reads it.
    pub fn add_importer(&mut self, importer: impl Importer + 'static) {
        self.importers.push(Arc::new(importer));
    }

    /// Adds a target to write.
    pub fn add_exporter(&mut self, exporter: impl Exporter + 'static) {
        self.exporters.push(Arc::new(exporter));
    }

    /// All importers.
    pub fn importers(&self) -> impl Iterator<Item = &dyn Importer> {
        self.importers.iter().map(AsRef::as_ref)
    }

    /// All exporters.
    pub fn exporters(&self) -> impl Iterator<Item = &dyn Exporter> {
        self.exporters.iter().map(AsRef::as_ref)
    }

    /// The importer of a name: its own id, or that of a target whose extensions it reads (`glb` for glTF).
    ///
    /// # Errors
    /// [`ErrorKind::Usage`] with the nearest name.
    pub fn importer(&self, id: &str) -> Result<&dyn Importer> {
        let wanted = id.to_lowercase();
        let reads = |i: &&dyn Importer| i.info().extensions.contains(&wanted.as_str());
        let found = self.importers().find(|i| i.info().id == wanted).or_else(|| self.importers().find(reads));
        found.ok_or_else(|| {
            let ids: Vec<_> = self.importers().map(|i| i.info().id).collect();
            unknown("format to read", id, &ids)
        })
    }

    /// The exporter of a target.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`] with the nearest name.
    pub fn exporter(&self, id: &str) -> Result<&dyn Exporter> {
        let wanted = id.to_lowercase();
        self.exporters().find(|e| e.info().id == wanted).ok_or_else(|| {
            let ids: Vec<_> = self.exporters().map(|e| e.info().id).collect();
            unknown("target", id, &ids)
        })
    }

    /// All exporters that write files of an extension (lower case, without the dot).
    pub fn exporters_for_extension(&self, extension: &str) -> Vec<&dyn Exporter> {
        self.exporters().filter(|e| e.info().extensions.contains(&extension)).collect()
    }

    /// The importer that knows the source best: by content, its extension only settles ties and doubtful cases.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] when no importer knows it; [`ErrorKind::Truncated`] when it is empty.
    pub fn detect(&self, source: &dyn Source) -> Result<&dyn Importer> {
        let bytes = source.bytes().as_slice();
        let place = || Place::whole().in_file(source.name());
        if bytes.is_empty() {
            return Err(Error::truncated(place(), "the file is empty"));
        }
        let head = bytes.get(..HEAD_BYTES).unwrap_or(bytes);
        let extension = extension_of(source.name());
        let hint = Hint::new(extension.as_deref());
        let mut best: Option<(Rank, &dyn Importer)> = None;
        for importer in self.importers() {
            let named = extension.as_deref().is_some_and(|e| importer.info().extensions.contains(&e));
            let rank = Rank { score: importer.score(head, hint), named };
            if rank.score > Score::No && best.is_none_or(|(b, _)| rank > b) {
                best = Some((rank, importer));
            }
        }
        best.map(|(_, importer)| importer).ok_or_else(|| {
            let ids: Vec<_> = self.importers().map(|i| i.info().id).collect();
            let message = format!(
                "not a format that anyrig knows; it reads {}, and --from FORMAT says which it is",
                ids.join(", ")
            );
            Error::unsupported(place(), message)
        })
    }

    /// The named importer, else the one that knows the source best.
    pub(crate) fn importer_for(&self, from: Option<&str>, source: &dyn Source) -> Result<&dyn Importer> {
        from.map_or_else(|| self.detect(source), |id| self.importer(id))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    score: Score,
    named: bool,
}

/// The extension in lower case, without the dot.
pub(crate) fn extension_of(name: &str) -> Option<String> {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    name.rsplit_once('.').map(|(_, extension)| extension.to_lowercase()).filter(|e| !e.is_empty())
}

fn unknown(what: &str, id: &str, ids: &[&str]) -> Error {
    let message = format!("no {what} is called `{id}`{}; there are: {}", hint(id, ids.iter().copied()), ids.join(", "));
    Error::new(ErrorKind::Usage, Place::whole(), message)
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let importers: Vec<_> = self.importers().map(|i| i.info().id).collect();
        let exporters: Vec<_> = self.exporters().map(|e| e.info().id).collect();
        f.debug_struct("Registry").field("importers", &importers).field("exporters", &exporters).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_lower_case_and_of_the_last_part() {
        assert_eq!(extension_of("a.b.GLB").as_deref(), Some("glb"));
        assert_eq!(extension_of("folder.x/file"), None);
        assert_eq!(extension_of("file."), None);
    }

    #[test]
    fn an_empty_registry_knows_nothing_and_says_so() {
        let registry = Registry::empty();
        assert_eq!(registry.exporter("glb").err().map(|e| e.kind()), Some(ErrorKind::Usage));
        let source = anyrig_bytes::MemorySource::new("a.glb", vec![1]);
        assert_eq!(registry.detect(&source).err().map(|e| e.kind()), Some(ErrorKind::Unsupported));
    }
}
