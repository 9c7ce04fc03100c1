//! Chores of the workspace: `cargo xtask tidy`, `check`, `licenses`, `diagnostics` and `samples`. CONTRIBUTING.md says when to call which.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for people at a terminal")]

mod check;
mod diagnostics;
mod licenses;
mod samples;
mod tidy;
mod workspace;

use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask COMMAND

  tidy                 layering, file hygiene, and what else a compiler does not see
  check                the inner loop: format, tidy, clippy, all tests, each with its time
  licenses             write THIRD_PARTY.txt from the crates that the program ships
  licenses --check     fail where THIRD_PARTY.txt is stale or a licence is not on the list
  diagnostics          write docs/diagnostics.md from the crates' tables
  diagnostics --check  fail where it is stale or a diagnostic stands in no test
  samples              write the files of samples/
  samples --check      fail where they are not what would be written
  samples --triangles N --out FILE.glb [--meshes M] [--no-tangents]
                       write a large body for benchmarks";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["tidy"] => tidy::run(),
        ["check"] => check::run(),
        ["licenses"] => licenses::run(licenses::Mode::Write),
        ["licenses", "--check"] => licenses::run(licenses::Mode::Check),
        ["diagnostics"] => diagnostics::write(),
        ["diagnostics", "--check"] => diagnostics::check(),
        ["samples", arguments @ ..] => samples::run(arguments),
        [] | ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("no such command: {}\n\n{USAGE}", words.join(" "));
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
