#![doc = include_str!("../README.md")]

use std::process::Stdio;

use tokio::process::{ChildStdin, ChildStdout, Command};

/// Starts a program and gives what it writes and what it reads, as a client's transport takes them. It ends when its
/// input does, and at the latest with the runtime that started it.
///
/// # Panics
/// If the program cannot be started: a test has nothing else to do then.
#[expect(clippy::disallowed_methods, reason = "the child is waited for until the test's runtime ends")]
pub fn speak_with(mut command: Command) -> (ChildStdout, ChildStdin) {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().expect("the program starts");
    let output = child.stdout.take().expect("its output is a pipe");
    let input = child.stdin.take().expect("its input is a pipe");
    tokio::spawn(async move { child.wait().await });
    (output, input)
}
