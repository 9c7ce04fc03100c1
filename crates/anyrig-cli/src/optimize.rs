//! `anyrig optimize`.

use crate::args::{ConvertArgs, Global, VerifyArg, ViaArg, parse_pair};
use crate::convert::{Call, canonical_inputs};
use crate::failure::{Exit, Failure, Result};
use crate::formats::option_list;
use crate::inputs::{self, Input};
use crate::outputs;
use crate::source::FileSource;
use crate::ui::{Ui, Volume, clean, size};
use anyrig::optimize::{OPTIONS, option_schema};
use anyrig::{Context, Exporter, FormatInfo, Optimization, OptimizeOptions, Outcome, PassName, Registry, options};
use clap::Args;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const EXAMPLES: &str = "\
Examples:
  anyrig optimize Fox.glb                             into Fox_optimized.glb
  anyrig optimize 'models/**/*.glb' -o small/         a batch
  anyrig optimize Fox.glb -o Fox_lod1.glb --simplify 0.5
  anyrig optimize Fox.glb -o small/ --skip reorder,merge
  anyrig optimize Fox.glb -o small/ --only reduce-keys -O keys-rotation-rad=0.001
  anyrig optimize Fox.glb -o small/ -O rest-channels=remove -O unread-attributes=remove
  anyrig optimize Fox.glb --dry-run                   what would it give?

Passes, in their order: prune, merge, limit-influences (with --max-influences), weld, simplify (with --simplify), reorder,
reduce-keys, share. By default nothing is lost: only what nothing uses, what is there twice, and keys of motions that stay
within 0.00001 m and 0.00005 rad without them. A file that would not become smaller, or would lose something, is written
as it was. The output has the format of the input, unless --to or the ending of -o says otherwise; a .gltf gets its data
in files beside it, or with -O resources=embedded in itself.
The files are staged and read again as by `anyrig convert`; an input is never overwritten.";

/// Make files smaller that look and move the same
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "flags of a command line are what they are")]
#[command(after_help = EXAMPLES)]
pub struct OptimizeArgs {
    /// Files, globs (*, ?, **) or - for standard input
    #[arg(required_unless_present = "list_options", value_name = "INPUT")]
    pub inputs: Vec<OsString>,
    /// Output folder; or output file, for one input and a known ending; or - for standard output
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<OsString>,
    /// Name of the output without ending, instead of the input's
    #[arg(short, long)]
    pub name: Option<String>,
    /// Target, instead of the input's own format
    #[arg(short, long, value_name = "TARGET")]
    pub to: Option<String>,
    /// How to read the inputs, instead of by their content
    #[arg(short, long, value_name = "FORMAT")]
    pub from: Option<String>,
    /// Run only these passes
    #[arg(long, value_name = "PASS", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Leave these passes out
    #[arg(long, value_name = "PASS", value_delimiter = ',')]
    pub skip: Vec<String>,
    /// Short for -O simplify-ratio=...: keep this share of the triangles, such as 0.5
    #[arg(long, value_name = "RATIO")]
    pub simplify: Option<f64>,
    /// Short for -O max-influences=...: at most so many joints per point
    #[arg(long, value_name = "COUNT")]
    pub max_influences: Option<u32>,
    /// An option of a pass, or of the target; --list-options lists those of passes
    #[arg(short = 'O', long = "option", value_name = "KEY=VALUE", value_parser = parse_pair)]
    pub options: Vec<(String, String)>,
    /// How closely the output is read again
    #[arg(long, value_enum, default_value_t)]
    pub verify: VerifyArg,
    /// Make a loss an error (exit code 3); nothing is written then
    #[arg(long)]
    pub strict: bool,
    /// Write what each pass did, and everything repaired, approximated or lost, to a JSON file
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,
    /// Print that report instead of words
    #[arg(long, conflicts_with = "report")]
    pub json: bool,
    /// Threads; the output does not depend on it
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Do all but write
    #[arg(long)]
    pub dry_run: bool,
    /// Overwrite outputs; an input is never overwritten
    #[arg(long)]
    pub force: bool,
    /// List the options of all passes with their defaults, and do nothing
    #[arg(long)]
    pub list_options: bool,
}

impl OptimizeArgs {
    /// The conversion that this is.
    fn to_convert(&self) -> Result<ConvertArgs> {
        let mut pairs = self.options.clone();
        let given = options::take(&mut pairs, &option_schema())?;
        let context = Context::new();
        let context = if given.is_null() { context } else { context.with_options(OPTIONS, given) };
        let mut optimize = OptimizeOptions::of(&context)?;
        let named = |names: &[String]| names.iter().map(|n| PassName::named(n)).collect::<anyrig::Result<Vec<_>>>();
        optimize.only.extend(named(&self.only)?);
        optimize.skip.extend(named(&self.skip)?);
        optimize.simplify_ratio = self.simplify.unwrap_or(optimize.simplify_ratio);
        optimize.max_influences = self.max_influences.unwrap_or(optimize.max_influences);
        Ok(ConvertArgs {
            inputs: self.inputs.clone(),
            output: self.output.clone(),
            name: self.name.clone(),
            to: self.to.clone(),
            from: self.from.clone(),
            motions: Vec::new(),
            no_motion: true,
            keep_space: false,
            options: pairs,
            handedness: None,
            flip_v: false,
            scale: None,
            variant: None,
            via: ViaArg::Scene,
            verify: self.verify,
            strict: self.strict,
            report: if self.json { Some(PathBuf::from("-")) } else { self.report.clone() },
            jobs: self.jobs,
            dry_run: self.dry_run,
            force: self.force,
            optimize: Some(optimize),
        })
    }
}

/// Runs the command.
pub fn run(args: &OptimizeArgs, global: &Global, ui: Ui, cancel: &Arc<AtomicBool>) -> Result<Exit> {
    if args.list_options {
        let all = options::describe(&option_schema());
        ui.out(&if args.json { format!("{:#}\n", serde_json::json!(all)) } else { option_list(&all, ui) });
        return Ok(Exit::Done);
    }
    let registry = Registry::standard();
    let convert = args.to_convert()?;
    let mut ui = ui;
    if args.json {
        ui.volume = Volume::Quiet;
    }
    let inputs = inputs::find(&args.inputs)?;
    // Of all groups: what one writes may be what another reads later, or has written.
    let protected = canonical_inputs(inputs.iter());
    let mut call = Call { registry: &registry, args: &convert, global, ui, cancel, protected };
    let mut groups = Vec::new();
    for (exporter, inputs) in by_target(&call, inputs)? {
        let group = call.run_group(exporter, inputs)?;
        call.protected.extend(group.protected.iter().cloned());
        groups.push(group);
    }
    call.finish(groups)
}

type ByTarget<'a> = Vec<(&'a dyn Exporter, Vec<Input>)>;

/// Inputs by what they become: what was asked for, else what they are.
fn by_target<'a>(call: &Call<'a>, inputs: Vec<Input>) -> Result<ByTarget<'a>> {
    let args = call.args;
    let decides = |output: &OsString| {
        let extension = Path::new(output).extension().and_then(|e| e.to_str()).map(str::to_lowercase);
        extension.is_some_and(|e| call.registry.exporters_for_extension(&e).len() == 1)
    };
    if args.to.is_some() || args.output.as_ref().is_some_and(|o| decides(o) && !Path::new(o).is_dir()) {
        return Ok(vec![(outputs::target(call.registry, args)?, inputs)]);
    }
    let batch = inputs.len() > 1;
    let mut groups: ByTarget<'a> = Vec::new();
    for input in inputs {
        let exporter = match (exporter_of(call, &input), groups.first()) {
            (Ok(exporter), _) => exporter,
            // It fails in its turn, with the others of the batch.
            (Err(_), Some((first, _))) if batch => *first,
            (Err(failure), _) => return Err(failure),
        };
        match groups.iter_mut().find(|(other, _)| other.info().id == exporter.info().id) {
            Some((_, group)) => group.push(input),
            None => groups.push((exporter, vec![input])),
        }
    }
    Ok(groups)
}

fn exporter_of<'a>(call: &Call<'a>, input: &Input) -> Result<&'a dyn Exporter> {
    let info: &'static FormatInfo = match (&call.args.from, input) {
        (Some(id), _) => call.registry.importer(id)?.info(),
        (None, Input::File(path)) => {
            let source = FileSource::open(path, call.global.limits.limits().input_bytes)?;
            call.registry.detect(&source)?.info()
        }
        (None, Input::Stdin) => return Err(Failure::usage("say with --to TARGET what standard input becomes")),
        (None, Input::Missing(_, message)) => return Err(Failure::failed(message)),
    };
    call.registry.exporter(info.id).map_err(|_| {
        let name = input.display();
        Failure::usage(format!("{name}: `{}` is read but not written; say with --to TARGET what it becomes", info.id))
    })
}

/// Sizes, in a few words.
pub fn headline(optimization: &Optimization) -> String {
    let (before, after) = (optimization.bytes_before, optimization.bytes_after);
    match optimization.outcome {
        Outcome::Optimized if after < before => {
            let share = (before - after) as f64 / before as f64 * 100.0;
            format!("{} became {}, {share:.1} % smaller", size(before), size(after))
        }
        Outcome::NotSmaller => format!("{}, as it was: nothing smaller came out", size(after)),
        Outcome::WouldLose => {
            let first = optimization.losses.first().map(String::as_str).unwrap_or_default();
            let more = match optimization.losses.len() {
                0 | 1 => String::new(),
                n => format!(" and {} more", n - 1),
            };
            let loss = clean(first);
            format!(
                "{}, as it was: it would lose something ({loss}{more}); -O on-loss=accept accepts that",
                size(after)
            )
        }
        Outcome::Optimized | Outcome::Larger => format!("{} became {}", size(before), size(after)),
    }
}

/// A line for each pass that changed something.
pub fn lines(optimization: &Optimization) -> String {
    if !matches!(optimization.outcome, Outcome::Optimized | Outcome::Larger) {
        return String::new();
    }
    let steps = optimization.steps.iter().filter(|s| !s.summary.is_empty());
    steps.map(|s| format!("  {:<16} {}\n", s.pass.to_string(), s.summary)).collect()
}
