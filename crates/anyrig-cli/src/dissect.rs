//! `anyrig dissect`.

use crate::args::Global;
use crate::failure::{Exit, Failure, Result};
use crate::rewrite::open_one;
use crate::stage::{Existing, write_one};
use crate::ui::{Ink, Ui, clean};
use anyrig::bytes::Rope;
use anyrig::dissect::{ByteKind, DissectedSpan, html};
use anyrig::{DissectRequest, Dissection, Source, Value, dissect};
use clap::Args;
use std::ops::Range;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  anyrig dissect Fox.mdl                             offset, length, field and value of every byte
  anyrig dissect Fox.mdl --path bones[3]             one record
  anyrig dissect Fox.glb --range 0..64               what lies there
  anyrig dissect Fox.mdl --path index_buffers --elements 30
  anyrig dissect Fox.glb --html Fox.html             a page for a browser
  anyrig dissect Fox.ani --json | jq '.shares'

Bytes of unknown meaning and bytes that no reader looks at stand out; their shares are those of the whole file.";

/// Characters of a value that are shown.
const SHOWN_CHARS: usize = 120;

/// Show what every byte of a binary file is
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct DissectArgs {
    /// The file, or - for standard input
    #[arg(value_name = "FILE")]
    pub input: PathBuf,
    /// How to read it, instead of by its content
    #[arg(short, long, value_name = "FORMAT")]
    pub from: Option<String>,
    /// Only what overlaps these bytes, such as 0..64 or 0x20..0x40
    #[arg(long, value_name = "A..B", value_parser = parse_range)]
    pub range: Option<Range<u64>>,
    /// Only this field and what is in it, such as `bones[3]`
    #[arg(long, value_name = "PATH")]
    pub path: Option<String>,
    /// How many elements of an array to show
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub elements: usize,
    /// Print JSON with stable keys
    #[arg(long)]
    pub json: bool,
    /// Write one page for a browser, which needs nothing else
    #[arg(long, value_name = "FILE.html", conflicts_with = "json")]
    pub html: Option<PathBuf>,
    /// Overwrite the page
    #[arg(long, requires = "html")]
    pub force: bool,
}

/// Runs the command.
pub fn run(args: &DissectArgs, global: &Global, ui: Ui) -> Result<Exit> {
    let limits = global.limits.limits();
    let source = open_one(&args.input, limits.input_bytes)?;
    let context = global.context();
    let mut request = DissectRequest::default();
    request.from.clone_from(&args.from);
    request.range.clone_from(&args.range);
    request.path.clone_from(&args.path);
    request.elements = args.elements;
    let dissection = dissect(&source, &request, &context)?;
    if let Some(place) = &args.html {
        let existing = Existing::unless_forced(args.force);
        let page = Rope::from(html(&dissection, source.bytes()).into_bytes());
        write_one(place, &page, existing, &source.used().into_iter().collect())?;
        ui.out(&summary(&dissection, ui));
        return Ok(Exit::Done);
    }
    if args.json {
        let json = serde_json::to_string_pretty(&dissection);
        ui.out(&json.map_err(|e| Failure::failed(format!("cannot be written as JSON: {e}")))?);
        ui.out("\n");
    } else {
        ui.out(&text(&dissection, ui));
    }
    Ok(Exit::Done)
}

fn summary(d: &Dissection, ui: Ui) -> String {
    let share = |count: u64| if d.bytes == 0 { 0.0 } else { count as f64 * 100.0 / d.bytes as f64 };
    let standing_out = |count: u64, what: &str, ink: Ink| {
        let text = format!("{:.2} % {what} ({count} bytes)", share(count));
        if count > 0 { ui.ink(ink, &text) } else { text }
    };
    format!(
        "{}: {} ({}), {} bytes\n  {:.2} % named, {}, {}\n",
        ui.ink(Ink::Bold, &clean(&d.file)),
        d.dialect,
        d.format,
        d.bytes,
        share(d.shares.named),
        standing_out(d.shares.unknown, "of unknown meaning", Ink::Yellow),
        standing_out(d.shares.unread, "unread", Ink::Red),
    )
}

fn text(d: &Dissection, ui: Ui) -> String {
    let mut text = summary(d, ui);
    // Long paths of a few fields do not push all values aside.
    let width = d.spans.iter().map(|s| s.path.chars().count()).filter(|w| *w <= 60).max().unwrap_or(0);
    text += &ui.ink(Ink::Dim, &format!("\n{:>10}  {:>10}  {:width$}  value\n", "offset", "length", "field"));
    for span in &d.spans {
        let (path, ink) = match span.kind {
            ByteKind::Unread => ("! unread".to_owned(), Some(Ink::Red)),
            ByteKind::Unknown => (format!("? {}", span.path), Some(Ink::Yellow)),
            ByteKind::Padding => (span.path.clone(), Some(Ink::Dim)),
            _ => (span.path.clone(), None),
        };
        let line = format!("{:#10x}  {:>10}  {:width$}  {}", span.offset, span.len, clean(&path), clean(&value(span)));
        text += &ink.map_or_else(|| line.trim_end().to_owned(), |ink| ui.ink(ink, line.trim_end()));
        text.push('\n');
    }
    text
}

fn value(span: &DissectedSpan) -> String {
    let json = |value: &Value| serde_json::to_string(value).unwrap_or_default();
    match (span.count, span.stride) {
        (Some(count), Some(stride)) => {
            let elements: Vec<String> = span.elements.iter().map(json).collect();
            let more = if count > elements.len() as u64 { " …" } else { "" };
            format!("{count} × {stride} bytes: {}{more}", elements.join(" "))
        }
        _ if span.value.is_null() => match span.kind {
            ByteKind::Opaque => "bytes".to_owned(),
            ByteKind::Text => "text".to_owned(),
            _ => String::new(),
        },
        _ => {
            let text = json(&span.value);
            match text.char_indices().nth(SHOWN_CHARS) {
                Some((cut, _)) => format!("{}…", &text[..cut]),
                None => text,
            }
        }
    }
}

fn parse_range(text: &str) -> Result<Range<u64>, String> {
    let wrong = || "write it like 0..64 or 0x20..0x40, the end not included".to_owned();
    let (start, end) = text.split_once("..").ok_or_else(wrong)?;
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    let start = if start.is_empty() { 0 } else { number(start).map_err(|_| wrong())? };
    let end = if end.is_empty() { u64::MAX } else { number(end).map_err(|_| wrong())? };
    if start < end { Ok(start..end) } else { Err("the end must lie behind the start".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        assert_eq!(parse_range("0..64"), Ok(0..64));
        assert_eq!(parse_range("0x20..0x40"), Ok(32..64));
        assert_eq!(parse_range("5.."), Ok(5..u64::MAX));
        for bad in ["", "5", "5..5", "6..5", "a..b", "-1..2", "0x..1"] {
            assert!(parse_range(bad).is_err(), "{bad:?}");
        }
    }
}
