//! Everything that was repaired, approximated or lost on the way, as data.

use crate::Place;
use serde::{Serialize, Serializer};
use std::fmt;

/// How much a diagnostic matters to the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing changed.
    Note,
    /// The input was wrong and was put right.
    Repaired,
    /// The result says nearly the same.
    Approximated,
    /// Something of the input is not in the result.
    Lost,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Note => "note",
            Self::Repaired => "repaired",
            Self::Approximated => "approximated",
            Self::Lost => "lost",
        })
    }
}

/// One row of a crate's table of diagnostics. Ids are `crate.kebab-words` and are never reused.
#[derive(Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Code {
    /// For example `gltf.weights-normalised`.
    pub id: &'static str,
    /// Every diagnostic of this code has this severity.
    pub severity: Severity,
    /// One sentence for the documentation.
    pub meaning: &'static str,
}

impl Code {
    /// A row of the table.
    pub const fn new(id: &'static str, severity: Severity, meaning: &'static str) -> Self {
        Self { id, severity, meaning }
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id)
    }
}

/// One thing that was noticed, possibly many times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The row of the table.
    pub code: &'static Code,
    /// The code's severity, repeated for readers of the JSON.
    pub severity: Severity,
    /// Where it was first seen.
    #[serde(skip_serializing_if = "Place::is_empty")]
    pub place: Place,
    /// The element concerned: a name or a field path.
    pub subject: String,
    /// What exactly happened to it.
    pub message: String,
    /// How often.
    pub count: u64,
}

impl Diagnostic {
    /// A diagnostic that was seen once.
    pub fn new(code: &'static Code, subject: impl Into<String>, message: impl Into<String>) -> Self {
        let (subject, message) = (subject.into(), message.into());
        Self { code, severity: code.severity, place: Place::whole(), subject, message, count: 1 }
    }

    /// The same diagnostic at a place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = place;
        self
    }

    /// The same diagnostic, seen `count` times.
    #[must_use]
    pub fn times(mut self, count: u64) -> Self {
        self.count = count;
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.severity, self.code.id, self.subject)?;
        if !self.message.is_empty() {
            write!(f, ": {}", self.message)?;
        }
        if self.count > 1 {
            write!(f, " (×{})", self.count)?;
        }
        Ok(())
    }
}

/// An ordered list of diagnostics; repetitions are merged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Report {
    diagnostics: Vec<Diagnostic>,
}

impl Report {
    /// After this many different subjects of one code, further ones are counted in one line.
    pub const SUBJECTS_PER_CODE: usize = 16;
    /// The subject of the line that counts the rest.
    pub const OTHERS: &'static str = "(others)";

    /// Adds a diagnostic: the same code, subject and message count up; many subjects of one code roll up.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let mut same_code = 0;
        for known in self.diagnostics.iter_mut().filter(|d| d.code.id == diagnostic.code.id) {
            if known.subject == Self::OTHERS
                || (known.subject == diagnostic.subject && known.message == diagnostic.message)
            {
                known.count += diagnostic.count;
                return;
            }
            same_code += 1;
        }
        if same_code < Self::SUBJECTS_PER_CODE {
            self.diagnostics.push(diagnostic);
            return;
        }
        let rest = Diagnostic { subject: Self::OTHERS.to_owned(), place: Place::whole(), ..diagnostic };
        self.diagnostics.push(rest);
    }

    /// Adds all of another report, in its order.
    pub fn append(&mut self, other: Self) {
        other.diagnostics.into_iter().for_each(|d| self.push(d));
    }

    /// The diagnostics in the order in which they were first seen.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The worst severity, if there is any diagnostic.
    pub fn worst(&self) -> Option<Severity> {
        self.diagnostics.iter().map(|d| d.severity).max()
    }

    /// True when nothing was noticed.
    pub fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// How often a code was seen.
    pub fn count_of(&self, id: &str) -> u64 {
        self.diagnostics.iter().filter(|d| d.code.id == id).map(|d| d.count).sum()
    }

    /// Names the file in every place that has none yet.
    pub fn set_file(&mut self, file: &str) {
        for d in self.diagnostics.iter_mut().filter(|d| d.place.file.is_empty()) {
            file.clone_into(&mut d.place.file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static CODE: Code = Code::new("test.thing", Severity::Lost, "A thing is lost.");

    #[test]
    fn merges_repetitions_and_rolls_up_subjects() {
        let mut report = Report::default();
        report.push(Diagnostic::new(&CODE, "a", "x"));
        report.push(Diagnostic::new(&CODE, "a", "x").times(2));
        assert_eq!(report.diagnostics().len(), 1);
        assert_eq!(report.diagnostics()[0].count, 3);
        for i in 0..100 {
            report.push(Diagnostic::new(&CODE, format!("n{i}"), "x"));
        }
        assert_eq!(report.diagnostics().len(), Report::SUBJECTS_PER_CODE + 1);
        assert_eq!(report.count_of("test.thing"), 103);
        assert_eq!(report.worst(), Some(Severity::Lost));
    }
}
