//! Who keeps servers from what is the gateway's: this program itself, started once more for each of them.

use std::path::PathBuf;

use anyhow::Context;
use toolgate_files::Place;
use toolgate_sandbox::{Confiner, Demand, Ground, Means};

use crate::config::{Config, VaultSettings};

/// This very program, whatever has become of the file that it was started from.
const LAUNCHER: &str = "/proc/self/exe";
const SUBCOMMAND: &str = "confine";

pub(crate) fn confiner(config: &Config) -> anyhow::Result<Confiner> {
    let launcher = (PathBuf::from(LAUNCHER), vec![SUBCOMMAND.to_owned()]);
    let means = Means::ask(&launcher.0, &launcher.1);
    let cwd = std::env::current_dir().context("could not find the working folder")?;
    let ground = Ground { own: own(config), home: std::env::home_dir(), cwd };
    Ok(Confiner { launcher, ground, means, demand: Demand::Wanted })
}

/// What this machine can do, as the gateway asks for it.
pub(crate) fn tried() -> String {
    serde_json::to_string(&toolgate_sandbox::probe()).expect("it is plain data")
}

/// What the gateway keeps, wherever it lies.
fn own(config: &Config) -> Vec<PathBuf> {
    let key = match &config.vault {
        VaultSettings::File(path) => Some(path.clone()),
        VaultSettings::Generated | VaultSettings::Environment(_) => None,
    };
    let files = match &config.files.place {
        Place::Folder(folder) => Some(folder.clone()),
        Place::S3(_) => None,
    };
    [config.data.clone()].into_iter().chain(config.source.clone()).chain(key).chain(files).collect()
}
