//! `anyrig formats`.

use crate::args::FormatsArgs;
use crate::failure::{Exit, Failure, Result};
use crate::ui::{Ink, Ui, table};
use anyrig::options::OptionInfo;
use anyrig::{FormatSummary, Registry, Value, nearest};
use serde_json::json;

/// Runs the command.
pub fn run(args: &FormatsArgs, ui: Ui) -> Result<Exit> {
    let formats = Registry::standard().formats();
    let Some(id) = &args.format else {
        let text = if args.json { json_of(&formats) } else { list(&formats, ui) };
        ui.out(&text);
        return Ok(Exit::Done);
    };
    let wanted = id.to_lowercase();
    let format = formats.iter().find(|f| f.id == wanted).ok_or_else(|| {
        let ids: Vec<_> = formats.iter().map(|f| f.id).collect();
        let hint = nearest(id, ids.iter().copied()).map_or_else(String::new, |n| format!("; did you mean `{n}`?"));
        Failure::usage(format!("no format is called `{id}`{hint}; there are: {}", ids.join(", ")))
    })?;
    ui.out(&match (args.json, args.options) {
        (true, false) => json_of(format),
        (true, true) => json_of(&format.options),
        (false, false) => one(format, ui),
        (false, true) => options(format, ui),
    });
    Ok(Exit::Done)
}

fn json_of(value: &impl serde::Serialize) -> String {
    format!("{:#}\n", json!(value))
}

fn list(formats: &[FormatSummary], ui: Ui) -> String {
    let mut rows = vec![["format", "read", "write", "files", "versions", "name"].map(str::to_owned).to_vec()];
    for format in formats {
        rows.push(vec![
            format.id.to_owned(),
            yes(format.read),
            yes(format.write),
            dotted(format),
            format.versions.to_owned(),
            format.name.to_owned(),
        ]);
    }
    let note = "`anyrig formats NAME` says what a format holds, and with --options what can be set.";
    format!("{}\n{}\n", table(&rows), ui.ink(Ink::Dim, note))
}

fn one(format: &FormatSummary, ui: Ui) -> String {
    let mut text = format!("{}: {}\n", ui.ink(Ink::Bold, format.id), format.name);
    text += &table(&[
        vec!["  files".to_owned(), dotted(format)],
        vec!["  versions".to_owned(), format.versions.to_owned()],
        vec!["  media type".to_owned(), format.media_type.unwrap_or("none").to_owned()],
        vec!["  read".to_owned(), yes(format.read)],
        vec!["  write".to_owned(), yes(format.write)],
        vec!["  options".to_owned(), format.options.len().to_string()],
    ]);
    if !format.write {
        return text + "\nIt is only read: the report of each file names what of it has no place in a scene.\n";
    }
    text += "\nWhat becomes of a scene:\n";
    let rows: Vec<_> = format
        .capabilities
        .iter()
        .map(|row| vec![format!("  {}", row.feature), row.support.to_owned(), row.note.to_owned()])
        .collect();
    text + &table(&rows)
}

fn options(format: &FormatSummary, ui: Ui) -> String {
    if format.options.is_empty() {
        return format!("{} has no options\n", format.id);
    }
    option_list(&format.options, ui)
}

/// Options with their values, defaults and descriptions.
pub fn option_list(options: &[OptionInfo], ui: Ui) -> String {
    let mut text = String::new();
    for option in options {
        let values = if option.choices.is_empty() { option.kind.clone() } else { option.choices.join(", ") };
        let default = match &option.default {
            Value::Null => "none".to_owned(),
            Value::String(text) => text.clone(),
            other => serde_json::to_string(other).unwrap_or_default(),
        };
        text += &format!("{} ({values}; default {default})\n", ui.ink(Ink::Bold, &option.key));
        for line in option.description.lines() {
            text += &format!("    {line}\n");
        }
    }
    let example = options.first().map_or("KEY", |o| o.key.as_str());
    text + &ui.ink(Ink::Dim, &format!("\nSet them with -O KEY=VALUE, as in: -O {example}=...\n"))
}

fn dotted(format: &FormatSummary) -> String {
    format.extensions.iter().map(|e| format!(".{e}")).collect::<Vec<_>>().join(" ")
}

fn yes(is: bool) -> String {
    if is { "yes".to_owned() } else { "no".to_owned() }
}
