//! The confinement of servers from the gateway's own data: this program itself, started once more for each of
//! them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context;
use toolgate_core::server::{Sandbox, TransportSpec};
use toolgate_files::StoragePlace;
use toolgate_sandbox::{Confiner, GatewayPaths};
use toolgate_upstream::INHERITED;

use crate::config::{Config, ServerEntry, VaultSettings};
use crate::environment;

/// This very program, even if its file has been replaced.
const LAUNCHER: &str = "/proc/self/exe";
const SUBCOMMAND: &str = "confine";

/// Of servers. They do not see the folder of the engine either, which has contents of everyone.
pub(crate) fn confiner(config: &Config) -> anyhow::Result<Confiner> {
    hiding(config, own(config).into_iter().chain([config.engine.folder.clone()]).collect())
}

/// Of the engine.
pub(crate) fn engine_confiner(config: &Config) -> anyhow::Result<Confiner> {
    hiding(config, own(config))
}

fn hiding(config: &Config, own: Vec<PathBuf>) -> anyhow::Result<Confiner> {
    let launcher = (PathBuf::from(LAUNCHER), vec![SUBCOMMAND.to_owned()]);
    let cwd = std::env::current_dir().context("could not find the working folder")?;
    let ground = GatewayPaths { own, guarded: guarded(config), home: std::env::home_dir(), cwd };
    Ok(Confiner::new(launcher, ground, config.sandbox))
}

/// Warns about missing confinement on this machine, if there are servers to confine.
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

/// The means of this machine, as the gateway sees them.
pub(crate) fn tried() -> String {
    serde_json::to_string(&toolgate_sandbox::probe()).expect("it is plain data")
}

/// The part of this process's environment that servers inherit.
pub(crate) fn inherited() -> BTreeMap<String, String> {
    environment::all().filter(|(name, _)| INHERITED.contains(&name.as_str())).collect()
}

/// The gateway's own data, in any place.
fn own(config: &Config) -> Vec<PathBuf> {
    let key = match &config.vault {
        VaultSettings::File(path) => Some(path.clone()),
        VaultSettings::Generated | VaultSettings::Environment(_) => None,
    };
    let files = match &config.files.place {
        StoragePlace::Folder(folder) => Some(folder.clone()),
        StoragePlace::S3(_) => None,
    };
    let policy = config.policy.folder.clone();
    let kept = [Some(config.data.clone()), config.source.clone(), key, files, policy].into_iter().flatten();
    kept.chain(config.secret_files()).chain(config.key_files.iter().cloned()).collect()
}

/// The programs that the gateway runs because of their place.
fn guarded(config: &Config) -> Vec<PathBuf> {
    config.capability_servers.folder.clone().into_iter().chain(std::env::current_exe().ok()).collect()
}
