//! Breaches of the rules of glTF that import reads over, because they do no harm to what is read. Other readers may
//! mind, so whoever validates a file hears of them, by the codes of the Khronos validator (see
//! [`crate::conformance`]).
//!
//! Only rows of the outcome [`Outcome::Tolerate`] lead to a line here: of all others, import itself tells.

mod animations;
mod extensions;
mod file;
mod images;
mod layout;
mod meshes;
mod nodes;

use super::accessors::Accessors;
use super::{buffers, list};
use crate::codes;
use crate::conformance::{Outcome, row};
use crate::document::json::At;
use crate::document::{GltfDocument, Index, Root, text};
use crate::read::read;
use anyrig_bytes::{Buffer, Code, Context, Diagnostic, Place, Result, Source, Value};

/// Puts a line into the report for each kind of breach that import reads over.
///
/// # Errors
/// Those of import.
pub(crate) fn check(source: &dyn Source, context: &Context) -> Result<()> {
    // What reading has to say was said by import already.
    let apart = context.apart();
    let document = read(source, &apart)?;
    let json = text::parse(document.json_text(), &apart)?;
    let buffers = buffers::load(&document, source, &apart).map_err(|e| e.in_file(source.name()))?;
    let accessors = Accessors::new(document.root(), &buffers, &apart).map_err(|e| e.in_file(source.name()))?;
    let found = Findings::default();
    let mut rules =
        Rules { document: &document, root: document.root(), json, source, context: &apart, accessors, found };
    rules.file();
    rules.extensions();
    rules.layout();
    rules.bounds();
    rules.images(&buffers);
    rules.meshes();
    rules.nodes()?;
    rules.animations();
    rules.found.tell(context);
    Ok(())
}

/// What the rules look at, and what they found.
struct Rules<'a> {
    document: &'a GltfDocument,
    root: &'a Root,
    /// The whole text, extensions included.
    json: Value,
    source: &'a dyn Source,
    context: &'a Context,
    accessors: Accessors<'a>,
    found: Findings,
}

impl Rules<'_> {
    fn add(&mut self, code: &'static str, at: &At<'_>) {
        self.found.add(code, at);
    }

    /// The stated distance of elements of an accessor's view.
    fn stride_of(&self, accessor: Index) -> Option<u64> {
        let view = self.accessor(accessor)?.buffer_view?;
        self.view(view)?.byte_stride
    }

    /// The numbers of an accessor that has bytes; zeros that nothing stands for break no rule.
    fn floats(&mut self, index: Index, at: &At<'_>) -> Option<Buffer<f32>> {
        self.accessor(index)?.buffer_view?;
        self.accessors.floats(index, at).ok()
    }

    fn accessor(&self, index: Index) -> Option<&crate::document::Accessor> {
        self.root.accessors.as_ref()?.get(index as usize)
    }

    fn view(&self, index: Index) -> Option<&crate::document::BufferView> {
        self.root.buffer_views.as_ref()?.get(index as usize)
    }
}

/// One kind of breach.
struct Finding {
    code: &'static str,
    reason: &'static str,
    /// JSON pointer of the first place.
    pointer: String,
    count: u64,
}

/// Breaches by kind, in the order in which they were found.
#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, code: &'static str, at: &At<'_>) {
        let pointer = at.pointer();
        let Some(row) = row(code, &pointer).filter(|row| row.outcome == Outcome::Tolerate) else { return };
        match self.0.iter_mut().find(|f| f.code == code) {
            Some(known) => known.count += 1,
            None => self.0.push(Finding { code, reason: row.reason, pointer, count: 1 }),
        }
    }

    fn tell(self, context: &Context) {
        for finding in self.0 {
            let Finding { code, reason, pointer, count } = finding;
            let subject = if pointer.is_empty() { "file".to_owned() } else { pointer.clone() };
            let message = format!("{code}: {reason}");
            context.push(Diagnostic::new(group(code), subject, message).at(Place::json(pointer)).times(count));
        }
    }
}

/// The diagnostic that a rule belongs to. A report rolls many lines of one code up into one, so no group has more rules
/// than [`anyrig_bytes::Report::SUBJECTS_PER_CODE`].
fn group(code: &str) -> &'static Code {
    let begins = |prefixes: &[&str]| prefixes.iter().any(|p| code.starts_with(p));
    let of_values =
        ["ACCESSOR_M", "ACCESSOR_ELEMENT", "ACCESSOR_VECTOR3", "ACCESSOR_INVALID", "ACCESSOR_INDEX", "ACCESSOR_J"];
    if code.ends_with("ALIGNMENT")
        || code.ends_with("UNALIGNED")
        || code.ends_with("STRIDE")
        || begins(&["BUFFER_VIEW"])
    {
        &codes::RULE_LAYOUT
    } else if begins(&["ANIMATION", "ACCESSOR_ANIMATION"]) {
        &codes::RULE_ANIMATION
    } else if begins(&of_values) {
        &codes::RULE_VALUES
    } else if begins(&["MESH"]) {
        &codes::RULE_MESH
    } else if begins(&["NODE", "SKIN"]) {
        &codes::RULE_NODE
    } else if begins(&["IMAGE", "TEXTURE"]) {
        &codes::RULE_IMAGE
    } else {
        &codes::RULE_FILE
    }
}
