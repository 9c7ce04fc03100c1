//! What goes to the screen.

use crate::args::{Color, Global};
use crate::failure::Failure;
use anyrig::{Report, Severity};
use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

/// How much is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Volume {
    /// Errors only.
    Quiet,
    Normal,
    /// Notes too.
    Verbose,
}

/// A colour of the terminal's sixteen.
#[derive(Clone, Copy, Debug)]
pub enum Ink {
    Red,
    Yellow,
    Cyan,
    Green,
    Dim,
    Bold,
}

impl Ink {
    fn code(self) -> &'static str {
        match self {
            Self::Red => "1;31",
            Self::Yellow => "33",
            Self::Cyan => "36",
            Self::Green => "32",
            Self::Dim => "2",
            Self::Bold => "1",
        }
    }
}

static OUTPUT_FAILURE: OnceLock<Failure> = OnceLock::new();

/// Why something that was asked for could not be printed.
pub fn output_failure() -> Option<Failure> {
    OUTPUT_FAILURE.get().cloned()
}

/// The screen as the user wants it.
#[derive(Clone, Copy, Debug)]
pub struct Ui {
    pub volume: Volume,
    colour_out: bool,
    colour_err: bool,
    /// Standard output carries data, so that words go to standard error.
    data_on_stdout: bool,
}

impl Ui {
    pub fn new(global: &Global) -> Self {
        let volume = match (global.quiet, global.verbose) {
            (true, _) => Volume::Quiet,
            (false, true) => Volume::Verbose,
            (false, false) => Volume::Normal,
        };
        let colour = |terminal: bool| match global.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && !is_set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|t| t != "dumb"),
        };
        Self {
            volume,
            colour_out: colour(io::stdout().is_terminal()),
            colour_err: colour(io::stderr().is_terminal()),
            data_on_stdout: false,
        }
    }

    /// The same, with standard output left to data.
    pub fn with_data_on_stdout(self) -> Self {
        Self { data_on_stdout: true, colour_out: self.colour_err, ..self }
    }

    /// Text in a colour, for standard output.
    pub fn ink(&self, ink: Ink, text: &str) -> String {
        paint(self.colour_out, ink, text)
    }

    /// Text in a colour, for standard error.
    pub fn ink_err(&self, ink: Ink, text: &str) -> String {
        paint(self.colour_err, ink, text)
    }

    /// Prints what was asked for. A closed pipe is no failure of ours; others are kept for [`output_failure`].
    pub fn out(&self, text: &str) {
        let result = if self.data_on_stdout {
            io::stderr().lock().write_all(text.as_bytes())
        } else {
            let mut out = io::stdout().lock();
            out.write_all(text.as_bytes()).and_then(|()| out.flush())
        };
        match result {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe && !self.data_on_stdout => {
                // The first one tells most.
                drop(OUTPUT_FAILURE.set(Failure::io(Path::new("standard output"), "write", &error)));
            }
            _ => {}
        }
    }

    /// Prints beside the results.
    pub fn err(&self, text: &str) {
        drop(io::stderr().lock().write_all(text.as_bytes()));
    }

    pub fn failure(&self, failure: &Failure) {
        self.err(&format!("{} {}\n", self.ink_err(Ink::Red, "error:"), clean(&failure.message)));
    }

    /// The lines of a report that the volume lets through, worst first, and a count of the rest.
    pub fn report_lines(&self, report: &Report) -> String {
        let least = match self.volume {
            Volume::Quiet => return String::new(),
            Volume::Normal => Severity::Repaired,
            Volume::Verbose => Severity::Note,
        };
        let mut lines = String::new();
        for severity in [Severity::Lost, Severity::Approximated, Severity::Repaired, Severity::Note] {
            let of_severity = report.diagnostics().iter().filter(|d| d.severity == severity && severity >= least);
            for diagnostic in of_severity {
                let text = clean(&diagnostic.to_string());
                let (head, rest) = text.split_once(':').unwrap_or((&text, ""));
                let mut place = clean(&diagnostic.place.to_string());
                if !place.is_empty() {
                    place = format!(" ({place})");
                }
                lines +=
                    &format!("  {}:{rest}{}\n", self.ink_err(ink_of(severity), head), self.ink_err(Ink::Dim, &place));
            }
        }
        let hidden = report.diagnostics().iter().filter(|d| d.severity < least).count();
        if hidden > 0 {
            lines += &self.ink_err(Ink::Dim, &format!("  {} (-v shows them)\n", plural(hidden, "note")));
        }
        lines
    }
}

pub fn ink_of(severity: Severity) -> Ink {
    match severity {
        Severity::Lost => Ink::Red,
        Severity::Approximated => Ink::Yellow,
        Severity::Repaired => Ink::Cyan,
        Severity::Note => Ink::Dim,
    }
}

/// Text from a file on one line, without control characters, which could make a terminal do things, and without those
/// that turn the order of letters round.
pub fn clean(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let shown = |c: char| match c {
        '\n' => ' ',
        c if c.is_control() || turns(c) => '\u{fffd}',
        c => c,
    };
    text.chars().map(shown).collect()
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

fn paint(on: bool, ink: Ink, text: &str) -> String {
    if on && !text.is_empty() { format!("\x1b[{}m{text}\x1b[0m", ink.code()) } else { text.to_owned() }
}

/// `1 note`, `2 notes`.
pub fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Bytes for people: `998 B`, `1.2 MB`; powers of 1000.
pub fn size(bytes: u64) -> String {
    let units = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1000.0;
    let mut unit = 0;
    while value >= 999.95 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{value:.1} {}", units[unit])
}

/// A table with two blanks between columns; the last column is not padded. Widths count characters, double-width ones
/// twice.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width_of = |column: usize| rows.iter().filter_map(|r| r.get(column)).map(|c| width(c)).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width_of).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            line += cell;
            if column + 1 < row.len() {
                line += &" ".repeat(widths[column] - width(cell) + 2);
            }
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

fn width(text: &str) -> usize {
    // East Asian wide ranges, near enough for a table.
    let wide = |c: char| matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' | '\u{ffe0}'..='\u{ffe6}' | '\u{20000}'..='\u{3fffd}');
    text.chars().map(|c| if wide(c) { 2 } else { 1 }).sum()
}

/// Lets parallel jobs finish in any order and act in the order of their numbers, as early as possible.
pub struct Ordered<T> {
    state: Mutex<(usize, BTreeMap<usize, T>)>,
}

impl<T> Ordered<T> {
    pub fn new() -> Self {
        Self { state: Mutex::new((0, BTreeMap::new())) }
    }

    /// Takes what job `index` has to say, and acts on all that is next in turn.
    pub fn finish(&self, index: usize, item: T, mut act: impl FnMut(T)) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.1.insert(index, item);
        loop {
            let next = state.0;
            let Some(item) = state.1.remove(&next) else { return };
            act(item);
            state.0 += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_counts_for_people() {
        let sizes: Vec<_> = [0, 999, 1000, 130_698, 999_949, 999_950, 5_000_000_000].map(size).to_vec();
        assert_eq!(sizes, ["0 B", "999 B", "1.0 kB", "130.7 kB", "999.9 kB", "1.0 MB", "5.0 GB"]);
        assert_eq!(plural(1, "note"), "1 note");
        assert_eq!(plural(0, "note"), "0 notes");
    }

    #[test]
    fn names_stay_on_their_line() {
        assert_eq!(clean("a\nb\tc\u{1b}[31m\u{202e}gpj.exe 表"), "a b\u{fffd}c\u{fffd}[31m\u{fffd}gpj.exe 表");
    }

    #[test]
    fn tables_line_up() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let text = table(&[row(["a", "bb", "c"]), row(["表", "", "d"])]);
        assert_eq!(text, "a   bb  c\n表      d\n");
    }

    #[test]
    fn jobs_speak_in_their_order() {
        let ordered = Ordered::new();
        let said = Mutex::new(Vec::new());
        for index in [2, 0, 3, 1] {
            ordered.finish(index, index, |i| said.lock().expect("one thread").push(i));
        }
        assert_eq!(*said.lock().expect("one thread"), [0, 1, 2, 3]);
    }
}
