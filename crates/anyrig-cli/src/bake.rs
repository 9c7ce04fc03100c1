//! `anyrig bake`.

use crate::args::{ConvertArgs, Global};
use crate::convert;
use crate::failure::{Exit, Result};
use crate::ui::Ui;
use anyrig::passes::{BakeRigOptions, Springs};
use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  anyrig bake avatar.glb -o plain.glb                 constraints, IK and springs as keys
  anyrig bake avatar.glb --to urhox                   for an engine that knows none of them
  anyrig bake avatar.glb -o plain.glb --rate 30 --springs keep

Every clip is played from its start to its end; springs hang in its first pose for a second before it begins. Keys that \
are not needed within 0.00001 m and 0.00005 rad are left out. All else is as with `anyrig convert`.";

/// Turn what constraints, IK chains and springs do into keys of the clips
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct BakeArgs {
    #[command(flatten)]
    pub convert: ConvertArgs,
    /// Keys per second before those that are not needed are left out; steps of springs too
    #[arg(long, value_name = "PER_SECOND", default_value_t = BakeRigOptions::default().rate)]
    pub rate: f64,
    /// What becomes of springs
    #[arg(long, value_enum, default_value_t)]
    pub springs: SpringsArg,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum SpringsArg {
    /// Their motion becomes keys
    #[default]
    Bake,
    /// They stay springs
    Keep,
}

/// Runs the command.
pub fn run(args: &BakeArgs, global: &Global, ui: Ui) -> Result<Exit> {
    let mut options = BakeRigOptions::default();
    options.rate = args.rate;
    options.springs = match args.springs {
        SpringsArg::Bake => Springs::Bake,
        SpringsArg::Keep => Springs::Keep,
    };
    let convert = ConvertArgs { bake: Some(options), ..args.convert.clone() };
    convert::run(&convert, global, ui)
}
