//! `toolgate service`: the gateway as a service of the user, for people without root.

mod manager;
mod unit;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use serde_json::json;

use super::context::Context;
use crate::cli::{InstallServiceArgs, ServiceCommand};
use crate::config::Config;
use crate::environment;
use crate::lock;
use crate::output::{put, say, talk};
use unit::{MARK, UnitText};

const UNIT: &str = "toolgate.service";

pub(super) fn run(context: &Context, command: ServiceCommand) -> anyhow::Result<ExitCode> {
    match command {
        ServiceCommand::Install(args) => install(context, &args),
        ServiceCommand::Uninstall => uninstall(context),
        ServiceCommand::Status => status(context),
    }
}

fn install(context: &Context, args: &InstallServiceArgs) -> anyhow::Result<ExitCode> {
    // Read as the service will read it: a file that nobody agreed to starts nothing here, either.
    let config = context.config_as_written()?;
    let program = std::env::current_exe().context("could not find the path of this program")?;
    let text = UnitText { program: &program, config: config_file(context, &config), data: &config.data };
    let text = text.render()?;
    if args.print {
        put!("{text}");
        return Ok(ExitCode::SUCCESS);
    }
    refuse_running(&config)?;
    let path = unit_path()?;
    let before = existing(&path)?;
    write(&path, &text)?;
    if let Err(error) = manager::start(UNIT) {
        take_back(&path, before.as_deref());
        return Err(error);
    }
    say!("{} is installed and started", path.display());
    talk!("`toolgate service status` says how it is, `journalctl --user -u toolgate` what it logs.");
    if !manager::lingers() {
        talk!("It ends when you log out; `loginctl enable-linger` keeps it running.");
    }
    Ok(ExitCode::SUCCESS)
}

fn uninstall(context: &Context) -> anyhow::Result<ExitCode> {
    let path = unit_path()?;
    if existing(&path)?.is_none() {
        bail!("there is no {}\nhint: `toolgate service install` writes it", path.display());
    }
    manager::stop(UNIT)?;
    fs::remove_file(&path).with_context(|| format!("could not remove {}", path.display()))?;
    manager::reload()?;
    say!("{} is stopped and removed", path.display());
    if let Ok(config) = context.config_as_written() {
        talk!("{} stays as it is.", config.data.display());
    }
    Ok(ExitCode::SUCCESS)
}

fn status(context: &Context) -> anyhow::Result<ExitCode> {
    let path = unit_path()?;
    let is_installed = existing(&path)?.is_some();
    if !is_installed {
        bail!(
            "the service is not installed: there is no {}\nhint: `toolgate service install` writes it",
            path.display()
        );
    }
    let state = manager::state(UNIT)?;
    let runs_replaced = manager::runs_replaced_program(UNIT);
    if context.global.json {
        let told = json!({ "unit": path, "state": state, "program_was_replaced": runs_replaced });
        say!("{told}");
    } else {
        say!("{} is installed and {state}", path.display());
        if runs_replaced {
            talk!(
                "warning: its program was replaced after it started\nhint: `systemctl --user restart toolgate` runs the one that is installed"
            );
        }
    }
    Ok(if state == "active" { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The file that the service is to read; absolute.
fn config_file(context: &Context, config: &Config) -> Option<PathBuf> {
    config.source.as_ref().map(|file| context.cwd.join(file))
}

/// A gateway that was started by hand holds the data folder; the service would fail each time it starts.
fn refuse_running(config: &Config) -> anyhow::Result<()> {
    let Some(running) = lock::running(&config.data) else { return Ok(()) };
    if manager::main_process(UNIT) == Some(running.pid) {
        return Ok(());
    }
    bail!(
        "a gateway (pid {}) already runs on {}\nhint: stop it first, then install the service",
        running.pid,
        config.data.display()
    );
}

fn unit_path() -> anyhow::Result<PathBuf> {
    let settings = environment::folder("XDG_CONFIG_HOME")
        .or_else(|| environment::folder("HOME").map(|home| home.join(".config")))
        .context("there is no home folder for the unit\nhint: set HOME, or take `--print` and place the unit yourself")?;
    Ok(settings.join("systemd/user").join(UNIT))
}

/// The unit that is there, if it is one of ours.
fn existing(path: &Path) -> anyhow::Result<Option<String>> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("could not read {}", path.display())),
    };
    if !text.starts_with(MARK) {
        bail!(
            "{} was not written by `toolgate service`\nhint: move it away, or take `--print` and change it yourself",
            path.display()
        );
    }
    Ok(Some(text))
}

fn is_missing(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let folder = path.parent().expect("the unit lies in a folder");
    fs::create_dir_all(folder).and_then(|()| fs::write(path, text)).with_context(|| {
        format!(
            "could not write {}\nhint: `toolgate service install --print` prints the unit, which root can place in /etc/systemd/user",
            path.display()
        )
    })
}

/// After a start that failed, everything is as it was.
fn take_back(path: &Path, before: Option<&str>) {
    let taken_back = match before {
        Some(before) => fs::write(path, before),
        None => fs::remove_file(path),
    };
    if let Err(error) = taken_back {
        talk!("warning: {} stays: {error}", path.display());
    }
}
