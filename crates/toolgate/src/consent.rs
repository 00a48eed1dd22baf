//! Configuration files that were found, not named: one may be in the current folder, and decides which
//! programs are started. It counts once the user has agreed to it or started a gateway from it by name, and
//! the agreement is stored by path, since the content of a folder changes as people work in it.

use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, IsTerminal, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::bail;
use toolgate_core::server::TransportSpec;

use crate::config::{Config, ConfigHints, FILE_NAME, ReferenceMode};
use crate::environment;
use crate::output::{printable, talk, write_talk};

const FOLDER: &str = "toolgate";
const FILE: &str = "agreed";
/// The number of programs that a question names.
const SHOWN_MAX: usize = 20;

/// True if a found file may be used.
pub(crate) fn is_agreed(file: &Path) -> bool {
    let (Some(list), Some(line)) = (list(), line(file)) else { return false };
    fs::read_to_string(list).is_ok_and(|kept| kept.lines().any(|one| one == line))
}

/// Ensures that the file to read was named or agreed to. Asks if there is a person.
pub(crate) fn see_to(at: &ConfigHints<'_>) -> anyhow::Result<()> {
    let Some(file) = at.unnamed_file().filter(|file| !is_agreed(file)) else { return Ok(()) };
    let shown = file.display();
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        bail!(
            "{shown} is not used: you have not agreed to it, and a configuration starts programs as you\n\
             hint: read it, then name it: `--config {shown}`; or run the same command in a terminal, which asks once"
        );
    }
    if !asked(at, &file)? {
        bail!("{shown} is not used\nhint: stand in another folder, or name another file with `--config`");
    }
    if let Err(error) = agree(&file) {
        talk!("warning: that could not be kept, so it will be asked again: {error}");
    }
    Ok(())
}

/// Remembers a file that a gateway was started from by its name, so that commands in its folder find that
/// gateway. A file with another name is never found automatically.
pub(crate) fn keep_named(at: &ConfigHints<'_>) {
    let Some(file) = at.config.map(|file| at.cwd.join(file)) else { return };
    if file.file_name().is_none_or(|name| name != FILE_NAME) || is_agreed(&file) {
        return;
    }
    if let Err(error) = agree(&file) {
        tracing::debug!(%error, "could not keep that this configuration is wanted; commands in its folder will ask");
    }
}

/// Remembers that the user agreed to this file.
pub(crate) fn agree(file: &Path) -> io::Result<()> {
    let nowhere = || io::Error::other("there is no home folder, or the path has a line break");
    let (list, line) = (list().ok_or_else(nowhere)?, line(file).ok_or_else(nowhere)?);
    if let Some(folder) = list.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let mut kept = OpenOptions::new().append(true).create(true).mode(0o600).open(list)?;
    kept.write_all(format!("{line}\n").as_bytes())
}

fn asked(at: &ConfigHints<'_>, file: &Path) -> anyhow::Result<bool> {
    talk!("{} is a configuration that you have not used before.", printable(&file.display().to_string()));
    match programs(at) {
        Some(programs) if programs.is_empty() => talk!("It starts no programs."),
        Some(programs) => {
            talk!("It starts these programs as you:");
            for program in programs.iter().take(SHOWN_MAX) {
                talk!("  {}", printable(program).replace('\n', " "));
            }
            if programs.len() > SHOWN_MAX {
                talk!("  and {} more", programs.len() - SHOWN_MAX);
            }
        }
        None => talk!("It cannot be read as it is; what is wrong is told next."),
    }
    write_talk(format_args!("Use it, now and whenever you are in this folder? [y/N] "));
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// The commands in a file, as written.
fn programs(at: &ConfigHints<'_>) -> Option<Vec<String>> {
    let config = Config::load(at, ReferenceMode::Keep).ok()?;
    let enabled = config.servers.iter().filter(|server| server.enabled);
    let command = |transport: &TransportSpec| match transport {
        TransportSpec::Stdio { command, args, .. } => Some(format!("{command} {}", args.join(" "))),
        TransportSpec::Http { .. } | TransportSpec::Api(_) => None,
    };
    Some(enabled.filter_map(|server| command(&server.spec.transport)).collect())
}

/// The stored form of a file: its real path.
fn line(file: &Path) -> Option<String> {
    let real = fs::canonicalize(file).ok()?;
    let text = real.to_str()?.to_owned();
    (!text.contains(['\n', '\r'])).then_some(text)
}

/// The place of the list: with the user, not with data that may have come from elsewhere.
fn list() -> Option<PathBuf> {
    let state = environment::folder("XDG_STATE_HOME");
    let state = state.or_else(|| std::env::home_dir().map(|home| home.join(".local/state")))?;
    Some(state.join(FOLDER).join(FILE))
}
