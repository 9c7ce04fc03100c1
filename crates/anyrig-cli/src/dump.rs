//! `anyrig dump` and `anyrig load`.

use crate::args::Global;
use crate::failure::{Exit, Result};
use crate::rewrite::{Output, check_ending, open_one, output, write};
use crate::stage::Existing;
use crate::ui::{Ui, Volume, size};
use anyrig::Registry;
use anyrig::bytes::Rope;
use anyrig::bytes::codec::Arrays;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const DUMP_EXAMPLES: &str = "\
Examples:
  anyrig dump Fox.mdl > Fox.json                 everything that the file holds, by name
  anyrig dump Fox.mdl --arrays base64 -o Fox.json
  anyrig load Fox.json -o Fox2.mdl               the same bytes again

Numbers that JSON cannot spell are {\"$f32\": \"7fc00000\"}, texts that are not UTF-8 {\"$hex\": \"835a\"}, bytes without \
known structure {\"$base64\": \"…\"} or {\"$hex\": \"…\"}. Nothing is lost; load takes every spelling.";

/// Write everything that a binary file holds as JSON
#[derive(Debug, Args)]
#[command(after_help = DUMP_EXAMPLES)]
pub struct DumpArgs {
    /// The file, or - for standard input
    #[arg(value_name = "FILE")]
    pub input: PathBuf,
    /// How to read it, instead of by its content
    #[arg(short, long, value_name = "FORMAT")]
    pub from: Option<String>,
    /// Output file, or - for standard output
    #[arg(short, long, value_name = "FILE.json", default_value = "-")]
    pub output: PathBuf,
    /// How to spell bulk arrays
    #[arg(long, value_enum, default_value_t)]
    pub arrays: ArraysArg,
    /// Overwrite the output; an input is never overwritten
    #[arg(long)]
    pub force: bool,
}

/// How bulk arrays are spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ArraysArg {
    /// Element by element, where the structure is known
    #[default]
    Elements,
    /// As base64: short, but not for people
    Base64,
}

const LOAD_EXAMPLES: &str = "\
Examples:
  anyrig dump Fox.mdl -o Fox.json && anyrig load Fox.json -o Fox2.mdl
  anyrig load - -o Fox.mdl < Fox.json

A dump that was damaged is refused with the JSON pointer of what is wrong, such as /document/bones/3/parent. Counts that \
stand before arrays (vertex_count, key_count) must be those of the arrays.";

/// Make a binary file from its dump
#[derive(Debug, Args)]
#[command(after_help = LOAD_EXAMPLES)]
pub struct LoadArgs {
    /// The dump, or - for standard input
    #[arg(value_name = "FILE.json")]
    pub input: PathBuf,
    /// Output file, or - for standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Overwrite the output; an input is never overwritten
    #[arg(long)]
    pub force: bool,
}

/// Runs `dump`.
pub fn dump(args: &DumpArgs, global: &Global) -> Result<Exit> {
    let limits = global.limits.limits();
    let source = open_one(&args.input, limits.input_bytes)?;
    let context = global.context();
    let arrays = match args.arrays {
        ArraysArg::Elements => Arrays::Elements,
        ArraysArg::Base64 => Arrays::Base64,
    };
    let json = Registry::standard().dump(&source, args.from.as_deref(), arrays, &context)?;
    write(output(&args.output, Existing::unless_forced(args.force)), &Rope::from(json), &source)?;
    Ok(Exit::Done)
}

/// Runs `load`.
pub fn load(args: &LoadArgs, global: &Global, ui: Ui) -> Result<Exit> {
    let limits = global.limits.limits();
    let source = open_one(&args.input, limits.input_bytes)?;
    let context = global.context();
    let registry = Registry::standard();
    let made = registry.load_dump(&source, &context)?;
    check_ending(&args.output, (&registry, &made))?;
    let place = output(&args.output, Existing::unless_forced(args.force));
    write(place, &made.content, &source)?;
    if ui.volume > Volume::Quiet && matches!(place, Output::File(..)) {
        ui.out(&format!("{}: {}, {}\n", args.output.display(), made.format, size(made.content.len())));
    }
    Ok(Exit::Done)
}
