//! Additional inputs of a job.

use crate::{Result, SharedBytes, Source, normal_relative_name};
use std::fmt;
use std::sync::Arc;

/// What an additional input is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// A motion for the primary model.
    Motion,
    /// A motion that nobody named, but that lies where motions of the primary model usually are. One that does not fit
    /// the model is left out.
    FoundMotion,
    /// A skeleton for a motion that has none.
    Skeleton,
    /// The rest pose.
    Rest,
    /// A file whose character data serve as a model.
    Template,
    /// Licence and author data.
    Meta,
}

/// An additional input.
#[derive(Clone)]
#[non_exhaustive]
pub struct Attachment {
    /// What it is for.
    pub role: Role,
    /// Its name as the user knows it. One that lies below the primary file's folder may be named from there.
    pub name: String,
    /// Its bytes.
    pub bytes: SharedBytes,
    origin: Option<Arc<dyn Source + Send>>,
}

impl Attachment {
    /// An input with a role. What belongs to it is looked for beside the primary file, see [`Attachment::beside`].
    pub fn new(role: Role, name: impl Into<String>, bytes: impl Into<SharedBytes>) -> Self {
        Self { role, name: name.into(), bytes: bytes.into(), origin: None }
    }

    /// An input that has a folder of its own, in which what belongs to it is looked for.
    pub fn of_source(role: Role, name: impl Into<String>, source: Arc<dyn Source + Send>) -> Self {
        Self { role, name: name.into(), bytes: source.bytes().clone(), origin: Some(source) }
    }

    /// The input as a source of its own. Other files are found where it comes from; where that is not known, in the
    /// folder that its name says, from that of the primary file.
    pub fn beside<'a>(&'a self, primary: &'a dyn Source) -> AttachedSource<'a> {
        AttachedSource { attachment: self, primary }
    }
}

impl fmt::Debug for Attachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { role, name, bytes, origin } = self;
        let origin = origin.as_ref().map(|o| o.name());
        let mut shown = f.debug_struct("Attachment");
        shown.field("role", role).field("name", name).field("bytes", bytes).field("origin", &origin).finish()
    }
}

/// An additional input with what lies beside it; see [`Attachment::beside`].
#[derive(Clone, Copy)]
pub struct AttachedSource<'a> {
    attachment: &'a Attachment,
    primary: &'a dyn Source,
}

impl AttachedSource<'_> {
    /// A name from the primary file's folder; `None` for what lies elsewhere.
    fn beside_primary(&self, relative_name: &str) -> Result<Option<String>> {
        let Ok(own) = normal_relative_name(&self.attachment.name) else { return Ok(None) };
        let Some((folder, _)) = own.rsplit_once('/') else { return Ok(Some(relative_name.to_owned())) };
        // Behind a folder an absolute name or a drive would look like a relative one. A name may leave the folder,
        // though, as long as it stays in that of the primary file.
        let first = relative_name.split(['/', '\\']).next().unwrap_or_default();
        if first.is_empty() || first.contains(':') {
            normal_relative_name(relative_name)?;
        }
        Ok(Some(format!("{folder}/{relative_name}")))
    }
}

impl fmt::Debug for AttachedSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AttachedSource").field("attachment", self.attachment).finish_non_exhaustive()
    }
}

impl Source for AttachedSource<'_> {
    fn name(&self) -> &str {
        let name = self.attachment.name.as_str();
        name.rsplit(['/', '\\']).next().unwrap_or(name)
    }

    fn bytes(&self) -> &SharedBytes {
        &self.attachment.bytes
    }

    fn resolve(&self, relative_name: &str) -> Result<Option<SharedBytes>> {
        match &self.attachment.origin {
            Some(origin) => origin.resolve(relative_name),
            None => self.beside_primary(relative_name)?.map_or(Ok(None), |name| self.primary.resolve(&name)),
        }
    }

    fn find(&self, relative_name: &str) -> Result<Option<(String, SharedBytes)>> {
        match &self.attachment.origin {
            Some(origin) => origin.find(relative_name),
            None => self.beside_primary(relative_name)?.map_or(Ok(None), |name| self.primary.find(&name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemorySource;

    #[test]
    fn what_belongs_to_an_attachment_lies_beside_it() {
        let model = MemorySource::new("m.mdl", vec![]).with_file("a.xml", vec![1]).with_file("t/a.xml", vec![2]);
        let elsewhere = MemorySource::new("a.ani", vec![9]).with_file("a.xml", vec![3]);
        let found = |attachment: &Attachment| {
            let source = attachment.beside(&model);
            assert_eq!((source.name(), source.stem()), ("a.ani", "a"));
            let spelled = source.find("A.XML").expect("a good name").map(|(_, bytes)| bytes.to_vec());
            let resolved = source.resolve("a.xml").expect("a good name").map(|bytes| bytes.to_vec());
            assert_eq!(resolved, spelled);
            resolved
        };
        let named = |name: &str| Attachment::new(Role::Motion, name, vec![9]);
        assert_eq!(found(&named("a.ani")), Some(vec![1]));
        assert_eq!(found(&named("t/a.ani")), Some(vec![2]));
        assert_eq!(found(&named("t\\a.ani")), Some(vec![2]));
        assert_eq!(found(&named("u/a.ani")), None);
        // Not below the model's folder, so nothing is known of its own.
        assert_eq!(found(&named("/home/a.ani")), None);
        let own = Attachment::of_source(Role::Motion, "t/a.ani", Arc::new(elsewhere));
        assert_eq!((found(&own), own.bytes.to_vec()), (Some(vec![3]), vec![9]));
        for name in ["/a.xml", "\\a.xml", "C:\\a.xml", "http://a.xml", ""] {
            let below = named("t/a.ani");
            assert!(below.beside(&model).resolve(name).is_err() && below.beside(&model).find(name).is_err(), "{name}");
        }
        assert_eq!(
            named("t/a.ani").beside(&model).resolve("../a.xml").expect("still below").map(|b| b.to_vec()),
            Some(vec![1])
        );
        assert!(
            own.beside(&model).resolve("../a.xml").is_err() && named("a.ani").beside(&model).resolve("/a").is_err()
        );
    }
}
