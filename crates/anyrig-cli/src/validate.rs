//! `anyrig validate`.

use crate::args::{Global, ValidateArgs};
use crate::failure::{Exit, Failure, Result};
use crate::inputs::{self, Input};
use crate::source::FileSource;
use crate::ui::{Ink, Ui, Volume, clean, ink_of, table};
use anyrig::{Report, Severity, validate_file};
use serde_json::json;

/// Runs the command: exit code 0 when every file can be read, else 1.
pub fn run(args: &ValidateArgs, global: &Global, ui: Ui) -> Result<Exit> {
    let mut exit = Exit::Done;
    let mut files = Vec::new();
    for input in inputs::find(&args.inputs)? {
        global.context().check_cancelled()?;
        let (report, result) = validate(&input, args, global);
        let failure = result.err();
        exit = exit.max(failure.as_ref().map_or(Exit::Done, |f| f.exit));
        if args.json {
            files.push(json!({
                "file": input.display(),
                "readable": failure.is_none(),
                "error": failure.map(|f| f.message),
                "report": report,
            }));
            continue;
        }
        if ui.volume > Volume::Quiet {
            ui.out(&text(&input, &report, failure.as_ref(), ui));
        }
        if let Some(failure) = failure {
            ui.failure(&failure);
        }
    }
    if args.json {
        ui.out(&format!("{:#}\n", json!({ "files": files })));
    }
    Ok(exit)
}

fn validate(input: &Input, args: &ValidateArgs, global: &Global) -> (Report, Result<()>) {
    let limits = global.limits.limits();
    let source = match input {
        Input::Stdin => FileSource::stdin(limits.input_bytes),
        Input::File(path) => FileSource::open(path, limits.input_bytes),
        Input::Missing(_, message) => Err(Failure::failed(message)),
    };
    let source = match source {
        Ok(source) => source,
        Err(failure) => return (Report::default(), Err(failure)),
    };
    let context = global.context();
    let result = validate_file(&source, args.from.as_deref(), &context);
    (context.take_report(), result.map(drop).map_err(Failure::from))
}

fn text(input: &Input, report: &Report, failure: Option<&Failure>, ui: Ui) -> String {
    let verdict = match (failure, report.worst()) {
        (Some(_), _) => ui.ink(Ink::Red, "cannot be read"),
        (None, None) => ui.ink(Ink::Green, "nothing to complain about"),
        (None, Some(Severity::Note)) => ui.ink(Ink::Green, "readable, with notes"),
        (None, Some(_)) => ui.ink(Ink::Yellow, "readable, but not all is as it should be"),
    };
    let mut text = format!("{}: {verdict}\n", ui.ink(Ink::Bold, &clean(&input.display())));
    let mut rows = Vec::new();
    for severity in [Severity::Lost, Severity::Approximated, Severity::Repaired, Severity::Note] {
        for d in report.diagnostics().iter().filter(|d| d.severity == severity) {
            let times = if d.count > 1 { format!("×{}", d.count) } else { String::new() };
            let cells = [d.code.id.to_owned(), times, clean(&d.subject), clean(&d.message)];
            rows.push([vec![format!("  {severity}")], cells.to_vec()].concat());
        }
    }
    let lines = table(&rows);
    for line in lines.lines() {
        let severity =
            report.diagnostics().iter().map(|d| d.severity).find(|s| line.trim_start().starts_with(&s.to_string()));
        let head = severity.map(|s| (s.to_string(), ink_of(s)));
        let painted = head.map(|(word, ink)| line.replacen(&word, &ui.ink(ink, &word), 1));
        text += &painted.unwrap_or_else(|| line.to_owned());
        text.push('\n');
    }
    text
}
