//! The table that ends a batch.

use crate::failure::Exit;
use crate::ui::{clean, plural, table};
use anyrig::{Report, Severity};

/// What became of one input.
pub struct Row {
    input: String,
    exit: Exit,
    report: String,
    output: String,
    is_plan: bool,
}

impl Row {
    /// An input, how it ended, what was noticed, and what was written or why not.
    pub fn new(input: String, exit: Exit, report: &Report, output: String) -> Self {
        Self { input, exit, report: counts(report), output: shorten(&output, exit), is_plan: false }
    }

    /// Whether nothing was to be written.
    pub fn of_plan(self, is_plan: bool) -> Self {
        Self { is_plan, ..self }
    }

    fn cells(&self) -> Vec<String> {
        let result = match (self.exit, self.is_plan) {
            (Exit::Done, true) => "planned",
            (Exit::Done, false) => "done",
            (Exit::Losses, _) => "losses",
            (Exit::Failed | Exit::Usage, _) => "failed",
        };
        vec![clean(&self.input), result.to_owned(), self.report.clone(), clean(&self.output)]
    }
}

/// The rows, and of how many inputs what was asked for is done; `done_to_them` says what that is.
pub fn text(rows: &[&Row], done_to_them: &str) -> String {
    let head = ["input", "result", "report", "output"].map(str::to_owned).to_vec();
    let all: Vec<_> = std::iter::once(head).chain(rows.iter().map(|row| row.cells())).collect();
    let done = rows.iter().filter(|row| row.exit == Exit::Done).count();
    format!("\n{}{done} of {} {done_to_them}\n", table(&all), plural(rows.len(), "input"))
}

fn counts(report: &Report) -> String {
    let of = |severity| report.diagnostics().iter().filter(|d| d.severity == severity).count();
    let all = [Severity::Lost, Severity::Approximated, Severity::Repaired, Severity::Note];
    let word = |severity: Severity, count| match severity {
        Severity::Note => plural(count, "note"),
        other => format!("{count} {other}"),
    };
    let words: Vec<_> = all.into_iter().filter(|s| of(*s) > 0).map(|s| word(s, of(s))).collect();
    words.join(", ")
}

/// Messages are cut to a line, paths are not.
fn shorten(message: &str, exit: Exit) -> String {
    if exit == Exit::Done {
        return message.to_owned();
    }
    let line = message.lines().next().unwrap_or_default();
    if line.chars().count() <= 60 { line.to_owned() } else { line.chars().take(59).chain(['…']).collect() }
}
