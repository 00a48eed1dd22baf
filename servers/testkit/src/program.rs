//! Starting a server with an environment that says nothing to it.

use std::ffi::OsStr;
use std::process::Stdio;

use tokio::process::{ChildStdin, ChildStdout, Command};

/// The beginnings of variables that servers read.
const VARIABLES: [&str; 8] = [
    "BROWSER_",
    "CAPABILITY_",
    "CONNECTORS_",
    "TOOLGATE_",
    "MEDIA_TRANSFORM_",
    "SOCIAL_",
    "TEXT_ANALYSIS_",
    "VIDEO_SUBTITLE_",
];

/// The program, without the variables that would change what it does.
#[expect(clippy::disallowed_methods, reason = "a test takes away what its own environment has")]
pub fn clean(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if VARIABLES.iter().any(|prefix| text.starts_with(prefix)) {
            command.env_remove(&name);
        }
    }
    command.env_remove("RUST_BACKTRACE").kill_on_drop(true);
    command
}

/// The same for a server with one worker and these arguments.
pub fn server(program: impl AsRef<OsStr>, arguments: &[&str]) -> Command {
    let mut command = clean(program);
    command.args(["--workers", "1"]).args(arguments);
    command
}

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
