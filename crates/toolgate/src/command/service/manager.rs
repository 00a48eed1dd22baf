//! systemd of the user, through `systemctl --user`.

use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use anyhow::{Context as _, bail};

use crate::environment;
use crate::output::printable;

/// Users whose services run while they are not logged in.
const LINGERING: &str = "/var/lib/systemd/linger";

pub(super) fn start(unit: &str) -> anyhow::Result<()> {
    reload()?;
    done(&["enable", unit])?;
    // A service that runs already takes the new unit and the new program.
    done(&["restart", unit])
}

pub(super) fn stop(unit: &str) -> anyhow::Result<()> {
    done(&["disable", "--now", unit])
}

pub(super) fn reload() -> anyhow::Result<()> {
    done(&["daemon-reload"])
}

/// `active`, `failed`, `inactive` and the like.
pub(super) fn state(unit: &str) -> anyhow::Result<String> {
    let output = asked(&["show", "--property=ActiveState", "--value", unit])?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        false => bail!("{}", not_possible(&output)),
    }
}

/// The process of the service, if it runs.
pub(super) fn main_process(unit: &str) -> Option<u32> {
    let output = asked(&["show", "--property=MainPID", "--value", unit]).ok()?;
    String::from_utf8_lossy(&output.stdout).trim().parse().ok().filter(|pid| *pid != 0)
}

/// True if the file that the service runs is not there any more: an upgrade put another in its place.
pub(super) fn runs_replaced_program(unit: &str) -> bool {
    let program = main_process(unit).and_then(|pid| std::fs::read_link(format!("/proc/{pid}/exe")).ok());
    program.is_some_and(|program| program.to_string_lossy().ends_with(" (deleted)"))
}

pub(super) fn lingers() -> bool {
    let user = environment::filled("USER").or_else(|| environment::filled("LOGNAME"));
    user.is_some_and(|user| Path::new(LINGERING).join(user).exists())
}

fn done(args: &[&str]) -> anyhow::Result<()> {
    let output = asked(args)?;
    match output.status.success() {
        true => Ok(()),
        false => bail!("{}", not_possible(&output)),
    }
}

fn asked(args: &[&str]) -> anyhow::Result<Output> {
    let mut command = Command::new("systemctl");
    command.arg("--user").args(args).stdin(Stdio::null());
    match command.output() {
        Ok(output) => Ok(output),
        Err(error) if error.kind() == ErrorKind::NotFound => bail!(
            "there is no systemd on this machine: `systemctl` is not on PATH\nhint: let what starts programs here run `toolgate serve`; `--print` shows the unit all the same"
        ),
        Err(error) => Err(error).context("could not run systemctl"),
    }
}

fn not_possible(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    format!(
        "systemd did not do it: {}\nhint: your own systemd must run: log in as yourself, not with `su`; `--print` shows the unit",
        printable(said.trim())
    )
}
