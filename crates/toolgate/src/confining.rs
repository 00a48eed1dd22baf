//! Who keeps servers from what is the gateway's: this program itself, started once more for each of them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context;
use toolgate_core::server::{Sandbox, TransportSpec};
use toolgate_files::Place;
use toolgate_sandbox::{Confiner, Ground};
use toolgate_upstream::INHERITED;

use crate::config::{Config, ServerEntry, VaultSettings};

/// This very program, whatever has become of the file that it was started from.
const LAUNCHER: &str = "/proc/self/exe";
const SUBCOMMAND: &str = "confine";

pub(crate) fn confiner(config: &Config) -> anyhow::Result<Confiner> {
    let launcher = (PathBuf::from(LAUNCHER), vec![SUBCOMMAND.to_owned()]);
    let cwd = std::env::current_dir().context("could not find the working folder")?;
    let ground = Ground { own: own(config), guarded: guarded(config), home: std::env::home_dir(), cwd };
    Ok(Confiner::new(launcher, ground, config.sandbox))
}

/// Tells what this machine cannot keep servers from, where there are any to be kept from it.
pub(crate) fn warn(config: &Config, confiner: &Confiner) {
    let is_started = |server: &ServerEntry| {
        server.enabled
            && matches!(&server.spec.transport, TransportSpec::Stdio { sandbox: Sandbox::On(_), .. })
    };
    if config.servers.iter().any(is_started) {
        for lacking in confiner.means().lacking() {
            tracing::warn!(
                "servers cannot be confined in full: {lacking}; `toolgate doctor` says how each one is"
            );
        }
    }
}

/// What this machine can do, as the gateway asks for it.
pub(crate) fn tried() -> String {
    serde_json::to_string(&toolgate_sandbox::probe()).expect("it is plain data")
}

/// What servers inherit of this process's environment.
pub(crate) fn inherited() -> BTreeMap<String, String> {
    std::env::vars().filter(|(name, _)| INHERITED.contains(&name.as_str())).collect()
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
    let policy = config.policy.folder.clone();
    let kept = [Some(config.data.clone()), config.source.clone(), key, files, policy].into_iter().flatten();
    kept.chain(config.secret_files()).chain(config.key_files.iter().cloned()).collect()
}

/// What the gateway runs because it lies where it lies.
fn guarded(config: &Config) -> Vec<PathBuf> {
    config.capability_servers.folder.clone().into_iter().chain(std::env::current_exe().ok()).collect()
}
