//! The first signal stops every command.
#![cfg(unix)]

mod common;

use common::{folder, triangle};
use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Runs a command on standard input, and signals it before the input ends; `None` when the signal came before the program
/// was ready for it.
fn stopped(arguments: &[&str], wait: Duration) -> Option<Output> {
    let at = folder();
    let mut command = Command::new(env!("CARGO_BIN_EXE_anyrig"));
    command.args(arguments).current_dir(at.path());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    sleep(wait);
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("there is kill");
    assert!(status.success());
    // The flag is set on another thread.
    sleep(wait / 2);
    let mut stdin = child.stdin.take().expect("it is piped");
    drop(stdin.write_all(&triangle("", "")));
    drop(stdin);
    let output = child.wait_with_output().expect("the program ends");
    output.status.code().is_some().then_some(output)
}

#[test]
fn every_command_stops_at_the_first_signal() {
    let commands: [&[&str]; 7] = [
        &["convert", "-", "--to", "urhox"],
        &["optimize", "-", "--to", "glb", "-o", "out/"],
        &["inspect", "-"],
        &["validate", "-"],
        &["dissect", "-"],
        &["dump", "-"],
        &["edit", "-", "--set", "nodes[0].name=x", "-o", "-"],
    ];
    for arguments in commands {
        let waits = (0..6).map(|doubled| Duration::from_millis(100 << doubled));
        let output = waits.into_iter().find_map(|wait| stopped(arguments, wait)).expect("ready in seconds");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        assert!(said.contains("cancelled") || said.contains("stop"), "{arguments:?}: {said}");
    }
}
