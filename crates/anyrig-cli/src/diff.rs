//! `anyrig diff`.

use crate::args::{Global, MotionArgs};
use crate::failure::{Exit, Failure, Result};
use crate::motions::{Choice, Motions};
use crate::rewrite::open_one;
use crate::source::FileSource;
use crate::ui::{Ink, Ui, Volume, clean, plural};
use anyrig::bytes::Role;
use anyrig::compare::{CompareAs, CompareSpace, ComparedFile};
use anyrig::{CompareRequest, Comparison, Registry};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  anyrig diff old.mdl new.mdl                      field by field
  anyrig diff old.glb new.glb --exit-code -q       only whether they differ
  anyrig diff Fox.glb Fox_UrhoX/Fox.mdl            as scenes, by the names of bones and clips
  anyrig diff Fox.fbx other-tool/Fox.glb --tolerance 1e-3 --json

Is B what another tool made of A? Two formats are compared as scenes: B is brought into the space of A (axes, handedness, \
unit; --keep-space compares the plain numbers); bones are matched by name and compared at rest; vertices are matched by \
their order when there are as many and most lie where their partners do, else each with the nearest one; weights are \
compared by the names of joints; clips are matched by name and compared from their starts on at the key times of both; \
motions in files beside a model count as its clips, as for `anyrig convert`. Each line tells how many numbers differ, \
the first, and the largest difference. So a parser is checked against another program: convert the file there, and \
compare.

Lengths in scenes may differ by the tolerance times the size of A, all other numbers by the tolerance (1e-5 by default).
Files of one format must be equal to the bit unless a tolerance is given.
Exit codes: 0 done, also when something differs; with --exit-code 1 when something differs; 1 failed, 2 wrong usage.";

/// Show what differs between two files, of one format or of two
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct DiffArgs {
    /// The first file, or - for standard input
    #[arg(value_name = "A")]
    pub a: PathBuf,
    /// The second file, or - for standard input
    #[arg(value_name = "B")]
    pub b: PathBuf,
    /// How to read both, instead of by their content
    #[arg(short, long, value_name = "FORMAT", conflicts_with_all = ["from_a", "from_b"])]
    pub from: Option<String>,
    /// How to read the first
    #[arg(long, value_name = "FORMAT")]
    pub from_a: Option<String>,
    /// How to read the second
    #[arg(long, value_name = "FORMAT")]
    pub from_b: Option<String>,
    #[command(flatten)]
    pub motion: MotionArgs,
    /// In which terms to compare
    #[arg(long = "as", value_name = "TERMS", value_enum, default_value_t)]
    pub terms: Terms,
    /// Compare the numbers of B as they are, whatever its axes and unit
    #[arg(long)]
    pub keep_space: bool,
    /// How far numbers may lie apart
    #[arg(long, value_name = "NUMBER")]
    pub tolerance: Option<f64>,
    /// Print JSON with stable keys
    #[arg(long)]
    pub json: bool,
    /// End with 1 when something differs
    #[arg(long)]
    pub exit_code: bool,
}

/// In which terms two files are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Terms {
    /// Those of their format when it is one, else as scenes
    #[default]
    Auto,
    /// Field by field
    Document,
    /// As scenes, by names
    Scene,
    /// As scenes, everything by its index
    Index,
}

/// Runs the command.
pub fn run(args: &DiffArgs, global: &Global, ui: Ui) -> Result<Exit> {
    let limits = global.limits.limits();
    if args.a == Path::new("-") && args.b == Path::new("-") {
        return Err(Failure::usage("standard input (-) can be read only once"));
    }
    let a = open_one(&args.a, limits.input_bytes)?;
    let b = open_one(&args.b, limits.input_bytes)?;
    let registry = Registry::standard();
    let context = global.context();
    let mut request = CompareRequest::default();
    request.from_a = args.from_a.clone().or_else(|| args.from.clone());
    request.from_b = args.from_b.clone().or_else(|| args.from.clone());
    request.tolerance = args.tolerance;
    request.space = if args.keep_space { CompareSpace::Keep } else { CompareSpace::Convert };
    request.compare_as = match args.terms {
        Terms::Auto => CompareAs::Auto,
        Terms::Document => CompareAs::Document,
        Terms::Scene => CompareAs::Scene,
        Terms::Index => CompareAs::SceneByIndex,
    };
    let motions_a = motions(args, (&args.a, &a), request.from_a.as_deref(), (&registry, global))?;
    let motions_b = motions(args, (&args.b, &b), request.from_b.as_deref(), (&registry, global))?;
    if !args.motion.motions.is_empty() && motions_a.is_empty() && motions_b.is_empty() {
        return Err(Failure::usage("--motion is for models whose motions lie in files of their own, such as .mdl"));
    }
    (request.motions_a, request.motions_b) = (motions_a.attachments(), motions_b.attachments());
    let comparison = registry.compare(&a, &b, &request, &context)?;
    if args.json {
        let json = serde_json::to_string_pretty(&comparison);
        ui.out(&json.map_err(|e| Failure::failed(format!("cannot be written as JSON: {e}")))?);
        ui.out("\n");
    } else if ui.volume > Volume::Quiet {
        ui.out(&text(&comparison, ui));
    }
    let differs = args.exit_code && !comparison.differences.is_empty();
    Ok(if differs { Exit::Failed } else { Exit::Done })
}

/// The motions of one side: those that `anyrig convert` would give it.
fn motions(
    args: &DiffArgs,
    (path, source): (&Path, &FileSource),
    from: Option<&str>,
    (registry, global): (&Registry, &Global),
) -> Result<Motions> {
    let importer = from.map_or_else(|| registry.detect(source), |id| registry.importer(id))?;
    let limit = global.limits.limits().input_bytes;
    match args.motion.choice() {
        Choice::Files(files) if importer.attachment_roles().contains(&Role::Motion) => Motions::read(files, limit),
        Choice::Usual if path != Path::new("-") => Ok(Motions::beside(path, importer, limit)),
        Choice::Files(_) | Choice::Usual | Choice::None => Ok(Motions::default()),
    }
}

fn text(c: &Comparison, ui: Ui) -> String {
    let file = |letter: &str, file: &ComparedFile| {
        format!("{} {} ({})\n", ui.ink(Ink::Bold, letter), clean(&file.file), file.format)
    };
    let mut text = file("A", &c.a) + &file("B", &c.b);
    let terms = if c.road == "document" { "field by field" } else { "as scenes" };
    text += &ui.ink(Ink::Dim, &format!("compared {terms}, tolerance {:?}\n", c.tolerance));
    for note in &c.notes {
        text += &ui.ink(Ink::Dim, &format!("{}\n", clean(note)));
    }
    for difference in &c.differences {
        let (path, message) = (clean(&difference.path), clean(&difference.message));
        text += &format!("  {}: {message}\n", ui.ink(Ink::Cyan, &path));
    }
    text + &match c.differences.len() {
        0 => ui.ink(Ink::Green, "no differences\n"),
        count => ui.ink(Ink::Yellow, &format!("{}\n", plural(count, "difference"))),
    }
}
