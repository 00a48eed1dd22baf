//! Input beyond arguments: values from standard input, and secrets that a terminal must not show.

use std::io::{IsTerminal, Read};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};

/// The maximum length of a goal from standard input, in bytes.
const GOAL_BYTES_MAX: u64 = 100 << 10;
/// Stands for standard input.
const STDIN: &str = "-";

/// All of standard input, as text.
pub(super) fn read_stdin(bytes_max: u64) -> anyhow::Result<String> {
    let mut text = String::new();
    let read = std::io::stdin().lock().take(bytes_max + 1).read_to_string(&mut text);
    let read = read.context("could not read standard input")?;
    if read as u64 > bytes_max {
        bail!("standard input holds more than {bytes_max} bytes");
    }
    Ok(text)
}

/// A typed line.
pub(super) async fn ask(question: &str) -> anyhow::Result<String> {
    crate::output::write_talk(format_args!("{question}"));
    let line = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).map(|_| line)
    });
    Ok(line.await?.context("could not read from the terminal")?.trim().to_owned())
}

/// A secret: from a pipe literally, without the final line break; from a terminal without showing it.
pub(super) async fn secret(question: &str, bytes_max: u64) -> anyhow::Result<String> {
    let secret = match std::io::stdin().is_terminal() {
        false => {
            let text = read_stdin(bytes_max)?;
            text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n')).unwrap_or(&text).to_owned()
        }
        true => {
            let _silence = EchoOff::new();
            tokio::select! {
                line = ask(question) => line?,
                // The terminal must show typed text again, so every exit drops the silence.
                _ = tokio::signal::ctrl_c() => bail!("nothing was stored"),
            }
        }
    };
    if secret.is_empty() {
        bail!("there is no value\nhint: give it on standard input: `… < file`, or type it when asked");
    }
    Ok(secret)
}

/// While it lives, the terminal does not show typed text.
struct EchoOff;

impl EchoOff {
    fn new() -> Self {
        stty("-echo");
        Self
    }
}

impl Drop for EchoOff {
    fn drop(&mut self) {
        stty("echo");
        crate::output::write_talk(format_args!("\n"));
    }
}

/// Without `stty`, typed text is visible: that is better than not being able to type it.
fn stty(word: &str) {
    drop(Command::new("stty").arg(word).stdin(Stdio::inherit()).stderr(Stdio::null()).status());
}

/// The goal that was given, or that of standard input.
pub(super) fn read_goal(goal: String) -> anyhow::Result<String> {
    match goal.as_str() {
        STDIN => read_stdin(GOAL_BYTES_MAX),
        _ => Ok(goal),
    }
}
