//! `anyrig optimize`.

use crate::args::{CareArgs, ConvertArgs, Global, MotionArgs, PlaceArgs, ViaArg, parse_pair};
use crate::convert::{Call, Group, canonical_inputs};
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

const EXAMPLES: &str = "\
Examples:
  anyrig optimize Fox.glb                             into Fox_optimized.glb
  anyrig optimize 'models/**/*.glb' -o small/         a batch
  anyrig optimize Fox.glb -o Fox_lod1.glb --simplify 0.5
  anyrig optimize Fox.glb -o small/ --skip reorder,merge
  anyrig optimize Fox.glb -o small/ --only reduce-keys -O keys-rotation-rad=0.001
  anyrig optimize Fox.glb -o small/ -O rest-channels=remove -O unread-attributes=remove
  anyrig optimize Fox.glb -o core/ -O quantize=core   fewer bits, without an extension
  anyrig optimize Fox.glb --dry-run                   what would it give?

Passes, in their order: prune, merge, limit-influences (with --max-influences), weld, simplify (with --simplify), reorder, \
reduce-keys, share. By default nothing is lost: only what nothing uses, what is there twice (points whose normals differ by \
rounding too), and keys of motions that stay within 0.00001 m and 0.00005 rad without them. A file that would not become \
smaller, or would lose something, is written as it was, unless another format is asked for or options of one: then a larger \
file is written, and told. The output has the format of the input, unless --to or the ending of -o says otherwise; a .gltf \
gets its data in files beside it, or with -O resources=embedded in itself.
The files are staged and read again as by `anyrig convert`; an input is never overwritten.";

/// Make files smaller that look and move the same
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "flags of a command line are what they are")]
#[command(after_help = EXAMPLES)]
pub struct OptimizeArgs {
    /// Files, globs (*, ?, **) or - for standard input
    #[arg(required_unless_present = "list_options", value_name = "INPUT")]
    pub inputs: Vec<OsString>,
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Target, instead of the input's own format
    #[arg(short, long, value_name = "TARGET")]
    pub to: Option<String>,
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
    #[command(flatten)]
    pub care: CareArgs,
    /// Write what each pass did, and everything repaired, approximated or lost, to a JSON file
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,
    /// Print that report instead of words
    #[arg(long, conflicts_with = "report")]
    pub json: bool,
    /// Do all but write
    #[arg(long)]
    pub dry_run: bool,
    /// List the options of all passes with their defaults, and do nothing
    #[arg(long)]
    pub list_options: bool,
}

impl OptimizeArgs {
    /// The conversion that this is.
    fn to_convert(&self) -> Result<ConvertArgs> {
        let mut pairs = self.options.clone();
        let given = options::take(&mut pairs, &option_schema())?;
        let flags = [
            ("--simplify", "simplify-ratio", self.simplify.is_some()),
            ("--max-influences", "max-influences", self.max_influences.is_some()),
        ];
        if let Some((flag, option, _)) = flags.iter().find(|(_, key, is_set)| *is_set && given.get(key).is_some()) {
            return Err(Failure::usage(format!("{flag} is short for -O {option}=...; leave one of both away")));
        }
        let context = Context::new();
        let context = if given.is_null() { context } else { context.with_options(OPTIONS, given) };
        let mut optimize = OptimizeOptions::of(&context)?;
        let named = |names: &[String]| names.iter().map(|n| PassName::named(n)).collect::<anyrig::Result<Vec<_>>>();
        optimize.only.extend(named(&self.only)?);
        optimize.skip.extend(named(&self.skip)?);
        optimize.simplify_ratio = self.simplify.unwrap_or(optimize.simplify_ratio);
        optimize.max_influences = self.max_influences.unwrap_or(optimize.max_influences);
        if self.max_influences == Some(0) {
            return Err(Failure::usage("--max-influences is 1 or more; without it any number stays"));
        }
        optimize.check()?;
        Ok(ConvertArgs {
            inputs: self.inputs.clone(),
            place: self.place.clone(),
            to: self.to.clone(),
            motion: MotionArgs { motions: Vec::new(), no_motion: true },
            keep_space: false,
            options: pairs,
            handedness: None,
            flip_v: false,
            scale: None,
            variant: None,
            via: ViaArg::Scene,
            care: self.care.clone(),
            report: if self.json { Some(PathBuf::from("-")) } else { self.report.clone() },
            dry_run: self.dry_run,
            bake: None,
            optimize: Some(optimize),
        })
    }
}

/// Runs the command.
pub fn run(args: &OptimizeArgs, global: &Global, ui: Ui) -> Result<Exit> {
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
    let mut call = Call { registry: &registry, args: &convert, global, ui, protected };
    outputs::check_batch(&convert, inputs.len() > 1)?;
    let (by_target, mut groups) = by_target(&call, inputs)?;
    for (exporter, inputs) in by_target {
        let group = call.run_group(exporter, inputs)?;
        call.protected.extend(group.protected.iter().cloned());
        groups.push(group);
    }
    call.finish(groups)
}

type ByTarget<'a> = Vec<(&'a dyn Exporter, Vec<Input>)>;

/// Inputs by what they become: what was asked for, else what they are. In a batch those that can become nothing have
/// failed, and hold up no other.
fn by_target<'a>(call: &Call<'a>, inputs: Vec<Input>) -> Result<(ByTarget<'a>, Vec<Group>)> {
    let args = call.args;
    let decides = |output: &OsString| {
        let extension = Path::new(output).extension().and_then(|e| e.to_str()).map(str::to_lowercase);
        extension.is_some_and(|e| call.registry.exporters_for_extension(&e).len() == 1)
    };
    if args.to.is_some() || args.place.output.as_ref().is_some_and(|o| decides(o) && !Path::new(o).is_dir()) {
        return Ok((vec![(outputs::target(call.registry, args)?, inputs)], Vec::new()));
    }
    let batch = inputs.len() > 1;
    let (mut groups, mut failed): (ByTarget<'a>, Vec<Group>) = (Vec::new(), Vec::new());
    for input in inputs {
        let exporter = match exporter_of(call, &input) {
            Ok(exporter) => exporter,
            Err(failure) if batch => {
                failed.push(call.failed(&input, failure.message));
                continue;
            }
            Err(failure) => return Err(failure),
        };
        match groups.iter_mut().find(|(other, _)| other.info().id == exporter.info().id) {
            Some((_, group)) => group.push(input),
            None => groups.push((exporter, vec![input])),
        }
    }
    Ok((groups, failed))
}

fn exporter_of<'a>(call: &Call<'a>, input: &Input) -> Result<&'a dyn Exporter> {
    let info: &'static FormatInfo = match (&call.args.place.from, input) {
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
        Outcome::Larger => {
            let sizes = format!("{} became {}", size(before), size(after));
            format!("{sizes}, which is larger; with another format or options of one the input is not kept")
        }
        Outcome::Optimized => format!("{} became {}", size(before), size(after)),
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
