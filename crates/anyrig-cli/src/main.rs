//! The anyrig program: converts characters and motions, and shows and checks what is in their files.

mod args;
mod convert;
mod diff;
mod dissect;
mod dump;
mod edit;
mod explain;
mod failure;
mod formats;
mod inputs;
mod inspect;
mod leftovers;
mod motions;
mod open;
mod optimize;
mod outputs;
mod progress;
mod render;
mod rewrite;
mod source;
mod stage;
mod summary;
mod ui;
mod validate;

use crate::args::{Cli, Command};
use crate::failure::{Exit, Failure, Result};
use crate::ui::Ui;
use clap::{CommandFactory, Parser};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Made by `cargo xtask licenses`; see build.rs.
const THIRD_PARTY: &str = include_str!(concat!(env!("OUT_DIR"), "/third_party.txt"));

fn main() -> ExitCode {
    let cli = Cli::parse();
    let ui = Ui::new(&cli.global);
    stop_on_signal(&cli.global.cancel);
    let exit = run(&cli, ui).unwrap_or_else(|failure| {
        ui.failure(&failure);
        failure.exit
    });
    let exit = match ui::output_failure() {
        Some(failure) if exit == Exit::Done => {
            ui.failure(&failure);
            failure.exit
        }
        _ => exit,
    };
    ExitCode::from(exit.code())
}

/// The first signal asks the work to stop, which removes what was begun; a second one ends the program at once and may
/// leave a folder `.anyrig-*.tmp` behind.
fn stop_on_signal(cancel: &Arc<AtomicBool>) {
    let cancel = Arc::clone(cancel);
    let handler = move || {
        if cancel.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    };
    // Without a handler a signal ends the program as usual.
    drop(ctrlc::set_handler(handler));
}

fn run(cli: &Cli, ui: Ui) -> Result<Exit> {
    match &cli.command {
        Command::Convert(args) => convert::run(args, &cli.global, ui),
        Command::Optimize(args) => optimize::run(args, &cli.global, ui),
        Command::Inspect(args) => inspect::run(args, &cli.global, ui),
        Command::Explain(args) => explain::run(args, &cli.global, ui),
        Command::Render(args) => render::run(args, &cli.global, ui),
        Command::Validate(args) => validate::run(args, &cli.global, ui),
        Command::Formats(args) => formats::run(args, ui),
        Command::Dissect(args) => dissect::run(args, &cli.global, ui),
        Command::Diff(args) => diff::run(args, &cli.global, ui),
        Command::Edit(args) => edit::run(args, &cli.global, ui),
        Command::Dump(args) => dump::dump(args, &cli.global),
        Command::Load(args) => dump::load(args, &cli.global, ui),
        Command::Licenses => {
            ui.out(THIRD_PARTY);
            Ok(Exit::Done)
        }
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "anyrig", &mut text);
            ui.out(&String::from_utf8_lossy(&text));
            Ok(Exit::Done)
        }
        Command::Man { command } => manual(command.as_deref(), ui),
    }
}

fn manual(command: Option<&str>, ui: Ui) -> Result<Exit> {
    let mut all = Cli::command();
    all.build();
    let source = format!("{} {}", all.get_name(), all.get_version().unwrap_or_default());
    let chosen = match command {
        None => all,
        Some(name) => {
            let names: Vec<&str> = all.get_subcommands().map(clap::Command::get_name).collect();
            let found = all.find_subcommand(name).cloned();
            let hint = || anyrig::nearest(name, names.iter().copied());
            let hint = hint().map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            found.ok_or_else(|| Failure::usage(format!("there is no command `{name}`{hint}")))?
        }
    };
    let mut text = Vec::new();
    // Subcommands have no version of their own.
    let rendered = clap_mangen::Man::new(chosen).source(source).manual("User Commands").render(&mut text);
    rendered.map_err(|e| Failure::failed(format!("cannot make the manual page: {e}")))?;
    ui.out(&String::from_utf8_lossy(&text));
    Ok(Exit::Done)
}
