//! The command line.

use crate::motions::Choice;
use anyrig::{Context, Limits, Losses, OptimizeOptions, Verify, Via};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const MAIN_EXAMPLES: &str = "\
Examples:
  anyrig convert Fox.glb --to urhox          writes Fox_UrhoX/
  anyrig convert *.gltf -o packed/ --to glb  a batch
  anyrig optimize Fox.glb -o small/          smaller, the same to look at
  anyrig inspect Fox.glb                     what is in it
  anyrig render Fox.glb -o Fox.png           what it looks like
  anyrig formats urhox --options             what can be set

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 losses under --strict.";

/// Convert 3D characters and their motions between tools and engines, and look into their files
#[derive(Debug, Parser)]
#[command(name = "anyrig", version, after_help = MAIN_EXAMPLES, arg_required_else_help = true)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

/// What holds for every command.
#[derive(Clone, Debug, Args)]
pub struct Global {
    /// Print errors only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print notes too
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// When to colour; auto respects NO_COLOR
    #[arg(long, value_name = "WHEN", value_enum, default_value_t, global = true)]
    pub color: Color,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Set by a signal
    #[arg(skip)]
    pub cancel: Arc<AtomicBool>,
}

impl Global {
    /// A job's context: within the limits, and stopped by a signal.
    pub fn context(&self) -> Context {
        Context::new().with_limits(self.limits.limits()).with_cancel(Arc::clone(&self.cancel))
    }
}

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    Always,
    Never,
}

/// What reading a file may use. Generous by default.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub struct LimitArgs {
    /// Largest input file, and largest file that it refers to, such as 500M or 8G
    #[arg(long, value_name = "SIZE", value_parser = parse_size, global = true)]
    pub limit_input: Option<u64>,
    /// Memory that a file may ask for, such as 500M or 8G
    #[arg(long, value_name = "SIZE", value_parser = parse_size, global = true)]
    pub limit_memory: Option<u64>,
    /// Nodes, vertices, keys and the like in all
    #[arg(long, value_name = "COUNT", global = true)]
    pub limit_elements: Option<u64>,
    /// Levels of the tree of nodes, and of values in one another in text files
    #[arg(long, value_name = "COUNT", global = true)]
    pub limit_depth: Option<u32>,
    /// Pixels of one image that is decoded or drawn; images that pass untouched are not counted
    #[arg(long, value_name = "COUNT", global = true)]
    pub limit_pixels: Option<u64>,
}

impl LimitArgs {
    /// The default limits with what was given.
    pub fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        limits.input_bytes = self.limit_input.unwrap_or(limits.input_bytes);
        limits.memory_bytes = self.limit_memory.unwrap_or(limits.memory_bytes);
        limits.elements = self.limit_elements.unwrap_or(limits.elements);
        limits.depth = self.limit_depth.unwrap_or(limits.depth);
        limits.pixels = self.limit_pixels.unwrap_or(limits.pixels);
        limits
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Convert(ConvertArgs),
    Optimize(crate::optimize::OptimizeArgs),
    Inspect(InspectArgs),
    Explain(crate::explain::ExplainArgs),
    Render(crate::render::RenderArgs),
    Validate(ValidateArgs),
    Formats(FormatsArgs),
    Dissect(crate::dissect::DissectArgs),
    Diff(crate::diff::DiffArgs),
    Edit(crate::edit::EditArgs),
    Dump(crate::dump::DumpArgs),
    Load(crate::dump::LoadArgs),
    /// Print the licences of the third-party code in this program
    Licenses,
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page of the program or of one command
    Man {
        /// The command
        command: Option<String>,
    },
}

const CONVERT_EXAMPLES: &str = "\
Examples:
  anyrig convert Fox.glb --to urhox                   into Fox_UrhoX/
  anyrig convert Fox.glb --to urhox -o assets -n Fox  into assets/, as Fox.mdl
  anyrig convert Fox.gltf -o Fox.glb                  the ending decides
  anyrig convert 'models/**/*.glb' --to urhox -o out  a batch: out/<stem>_UrhoX/ each
  anyrig convert Fox.glb --to urhox -O max-bones=32 --scale 0.01
  anyrig convert Fox.glb --to urhox --dry-run         what would be lost?
  anyrig convert Fox.mdl --motion Animations/Walk.ani --motion Animations/Run.ani --to glb
  anyrig convert - --to glb -o - < in.gltf > out.glb

Without -o: urhox goes into the folder <stem>_UrhoX/ (urho3d: _Urho3D, rbfx: _rbfx), other targets into the current \
folder.
Files are written under temporary names and moved when all are whole; Ctrl-C leaves nothing behind.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 losses under --strict. A batch goes on after a failure; its exit code is \
1 when any input failed, else 3 when any had losses under --strict.";

/// Convert files; several inputs and globs are a batch
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "flags of a command line are what they are")]
#[command(after_help = CONVERT_EXAMPLES)]
pub struct ConvertArgs {
    /// Files, globs (*, ?, **) or - for standard input
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<OsString>,
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Target; without it the ending of the output decides
    #[arg(short, long, value_name = "TARGET")]
    pub to: Option<String>,
    #[command(flatten)]
    pub motion: MotionArgs,
    /// An option of the target or the source format; `anyrig formats NAME --options` lists them
    #[arg(short = 'O', long = "option", value_name = "KEY=VALUE", value_parser = parse_pair)]
    pub options: Vec<(String, String)>,
    /// Short for -O handedness=...; for targets that have it: urhox, urho3d, rbfx
    #[arg(long, value_name = "none|reflect-x|reflect-z")]
    pub handedness: Option<String>,
    /// Short for -O flip-v=true: turns texture coordinates upside down; for targets that have it: urhox, urho3d, rbfx
    #[arg(long)]
    pub flip_v: bool,
    /// Short for -O scale=...: a factor on all lengths; for targets that have it: urhox, urho3d, rbfx
    #[arg(long, value_name = "FACTOR")]
    pub scale: Option<String>,
    /// Keep all numbers: the axes and the unit of the source count as Y up, Z to the front, right-handed, in metres,
    /// whatever it says; for inputs whose axes or unit are stated wrongly
    #[arg(long)]
    pub keep_space: bool,
    /// Short for -O variant=...: the material variant that is taken, by name or number; for sources that have them: gltf
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,
    /// The way: auto writes the document back where format and dialect stay the same and no option changes the scene
    #[arg(long, value_enum, default_value_t)]
    pub via: ViaArg,
    #[command(flatten)]
    pub care: CareArgs,
    /// Write everything repaired, approximated or lost to a JSON file
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,
    /// Print the plan and the losses to expect; write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// What `anyrig optimize` wants in between
    #[arg(skip)]
    pub optimize: Option<OptimizeOptions>,
}

/// How inputs are read, and where their outputs go.
#[derive(Clone, Debug, Args)]
pub struct PlaceArgs {
    /// Output folder; or output file, for one input and a known ending; or - for standard output
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<OsString>,
    /// Name of the output without ending, instead of the input's
    #[arg(short, long)]
    pub name: Option<OsString>,
    /// How to read the inputs, instead of by their content
    #[arg(short, long, value_name = "FORMAT")]
    pub from: Option<String>,
}

/// Motions in files of their own.
#[derive(Clone, Debug, Default, Args)]
pub struct MotionArgs {
    /// A motion of its own file for the model, such as an .ani for an .mdl; each becomes a clip
    #[arg(long = "motion", value_name = "FILE")]
    pub motions: Vec<PathBuf>,
    /// Do not look for motions beside the model. Without --motion, an .mdl gets the .ani files that move its bones:
    /// Animations/*.ani, STEM.ani and STEM_*.ani
    #[arg(long, conflicts_with = "motions")]
    pub no_motion: bool,
}

impl MotionArgs {
    /// Which motions the models get.
    pub fn choice(&self) -> Choice<'_> {
        match (self.motions.as_slice(), self.no_motion) {
            (_, true) => Choice::None,
            ([], false) => Choice::Usual,
            (files, false) => Choice::Files(files),
        }
    }
}

/// One file, with the motions that go with it.
#[derive(Clone, Debug, Args)]
pub struct FileArgs {
    /// The file, or - for standard input
    #[arg(value_name = "FILE")]
    pub input: PathBuf,
    /// How to read it, instead of by its content
    #[arg(short, long, value_name = "FORMAT")]
    pub from: Option<String>,
    #[command(flatten)]
    pub motion: MotionArgs,
}

/// What must hold of outputs before they are kept, and how they are made.
#[derive(Clone, Debug, Args)]
pub struct CareArgs {
    /// How closely the output is read again
    #[arg(long, value_enum, default_value_t)]
    pub verify: VerifyArg,
    /// Make a loss an error (exit code 3); nothing is written then
    #[arg(long)]
    pub strict: bool,
    /// Threads; the output does not depend on it
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Overwrite outputs; an input is never overwritten
    #[arg(long)]
    pub force: bool,
}

impl ConvertArgs {
    /// All options of formats, the shortcuts first.
    pub fn option_pairs(&self) -> Vec<(String, String)> {
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let mut pairs = Vec::new();
        pairs.extend(self.handedness.as_deref().map(|h| pair("handedness", h)));
        pairs.extend(self.flip_v.then(|| pair("flip-v", "true")));
        pairs.extend(self.scale.as_deref().map(|s| pair("scale", s)));
        pairs.extend(self.variant.as_deref().map(|v| pair("variant", v)));
        pairs.extend(self.options.iter().cloned());
        pairs
    }

    /// Whether an option was given by its own flag.
    pub fn is_shortcut(&self, key: &str) -> bool {
        match key {
            "handedness" => self.handedness.is_some(),
            "flip-v" => self.flip_v,
            "scale" => self.scale.is_some(),
            "variant" => self.variant.is_some(),
            _ => false,
        }
    }

    /// What `--strict` means.
    pub fn losses(&self) -> Losses {
        if self.care.strict { Losses::Refuse } else { Losses::Report }
    }
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum ViaArg {
    #[default]
    Auto,
    Document,
    Scene,
}

impl From<ViaArg> for Via {
    fn from(via: ViaArg) -> Self {
        match via {
            ViaArg::Auto => Self::Auto,
            ViaArg::Document => Self::Document,
            ViaArg::Scene => Self::Scene,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum VerifyArg {
    Full,
    #[default]
    Structure,
    None,
}

impl From<VerifyArg> for Verify {
    fn from(verify: VerifyArg) -> Self {
        match verify {
            VerifyArg::Full => Self::Full,
            VerifyArg::Structure => Self::Structure,
            VerifyArg::None => Self::None,
        }
    }
}

const INSPECT_EXAMPLES: &str = "\
Examples:
  anyrig inspect Fox.glb
  anyrig inspect Fox.glb --json
  anyrig inspect Fox.glb --vertices 0..10 --mesh fox
  anyrig inspect Fox.glb --curves --bone b_Hip_01";

/// Show what is in a file: tree, counts, bones, clips, materials
#[derive(Debug, Args)]
#[command(after_help = INSPECT_EXAMPLES)]
pub struct InspectArgs {
    #[command(flatten)]
    pub file: FileArgs,
    /// Print JSON with stable keys
    #[arg(long)]
    pub json: bool,
    /// Vertices of one part, such as 0..10
    #[arg(long, value_name = "A..B", group = "query")]
    pub vertices: Option<String>,
    /// Indices of one part, such as 0..30
    #[arg(long, value_name = "A..B", group = "query")]
    pub indices: Option<String>,
    /// Curves with their keys in ticks and seconds
    #[arg(long, group = "query")]
    pub curves: bool,
    /// With --curves: only those of the bones and nodes of this name
    #[arg(long, value_name = "NAME", requires = "curves")]
    pub bone: Option<String>,
    /// Mesh by name or index, for --vertices and --indices
    #[arg(long, value_name = "MESH", requires = "query")]
    pub mesh: Option<String>,
    /// Part of the mesh by index
    #[arg(long, value_name = "INDEX", default_value_t = 0)]
    pub part: usize,
}

/// Say what is wrong with files, and what anyrig does about it
#[derive(Debug, Args)]
pub struct ValidateArgs {
    /// Files, globs (*, ?, **) or - for standard input
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<OsString>,
    /// How to read them, instead of by their content
    #[arg(short, long, value_name = "FORMAT")]
    pub from: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// List formats, what they hold, and their options
#[derive(Debug, Args)]
pub struct FormatsArgs {
    /// One format
    pub format: Option<String>,
    /// List its options with their defaults
    #[arg(long, requires = "format")]
    pub options: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

pub fn parse_pair(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write it as KEY=VALUE")?;
    if key.is_empty() { Err("the key is missing".to_owned()) } else { Ok((key.to_owned(), value.to_owned())) }
}

fn parse_size(text: &str) -> Result<u64, String> {
    let upper = text.trim().to_uppercase();
    let digits = upper.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match upper[digits.len()..].trim_end_matches('B').trim_end_matches('I') {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        "T" => 1u64 << 40,
        _ => return Err("write a size like 800000, 500M or 8G".to_owned()),
    };
    let number: u64 = digits.trim().parse().map_err(|_| "write a size like 800000, 500M or 8G")?;
    number.checked_mul(unit).ok_or_else(|| "the size is too large".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    /// Clap breaks lines at a width of its own: a line that ends inside a sentence would be broken twice.
    #[test]
    fn epilogues_are_broken_once() {
        const WIDTH: usize = 100;
        let mut all = Cli::command();
        all.build();
        let subcommands: Vec<clap::Command> = all.get_subcommands().cloned().collect();
        for command in subcommands.iter().chain([&all]) {
            let epilogue = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in epilogue.lines().filter(|l| !l.is_empty()) {
                let is_example = line.starts_with("  ");
                let is_whole = if is_example { line.chars().count() <= WIDTH } else { line.ends_with(['.', ':']) };
                assert!(is_whole, "{}: {line}", command.get_name());
            }
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(parse_size("12"), Ok(12));
        assert_eq!(parse_size("2k"), Ok(2048));
        assert_eq!(parse_size("3 MiB"), Ok(3 << 20));
        assert_eq!(parse_size("1GB"), Ok(1 << 30));
        for bad in ["", "x", "1Q", "-1", "99999999999T"] {
            assert!(parse_size(bad).is_err(), "{bad:?}");
        }
    }
}
