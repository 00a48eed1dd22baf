//! Writing planned servers into the configuration file, once a person has agreed.

use std::io::{IsTerminal, Write};
use std::path::Path;

use anyhow::{Context as _, bail};

use crate::command::context::Context;
use crate::config::Config;
use crate::import::{self, ImportPlan};
use crate::output::talk;
use crate::{consent, lock};

/// The text of the file; `None` if there is none yet.
pub(super) fn current_text(target: &Path) -> anyhow::Result<Option<String>> {
    match std::fs::read_to_string(target) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("could not read {}", target.display())),
    }
}

/// Asks, unless `yes`, and writes. False if nobody agreed.
pub(super) fn write(
    context: &Context,
    config: &Config,
    plan: &ImportPlan,
    yes: bool,
) -> anyhow::Result<bool> {
    if !yes {
        if context.global.json || !std::io::stdin().is_terminal() {
            bail!(
                "nothing was written: there is no terminal to ask at\nhint: `--yes` writes it without a question"
            );
        }
        if !confirmed()? {
            talk!("Nothing was written.");
            return Ok(false);
        }
    }
    let backup = import::apply(plan)?;
    // Adding servers implies agreement to the file.
    if context.whereabouts().unnamed_file().is_some_and(|file| !consent::is_agreed(&file))
        && let Err(error) = consent::agree(&plan.target)
    {
        tracing::debug!(%error, "the next command asks whether the file is wanted");
    }
    let kept = backup
        .map(|backup| format!("; what was there before is in {}", backup.display()))
        .unwrap_or_default();
    talk!("Wrote {}{kept}.", plan.target.display());
    if lock::running(&config.data).is_some() {
        talk!("The gateway that runs takes it up within a second; `toolgate servers list` says how they do.");
    }
    Ok(true)
}

fn confirmed() -> anyhow::Result<bool> {
    std::io::stderr().write_all(b"Write this? [y/N] ")?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}
