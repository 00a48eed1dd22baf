//! The engine beside the gateway, with what this program knows of its surroundings. It is started at the first need.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolgate_core::governance::Clock;
use toolgate_engine::{EngineLink, EngineSettings, EngineSetup};
use toolgate_files::Blobs;

use crate::config::Config;
use crate::confining;

/// Variables that capability servers are told too.
const MODEL_VARIABLE: &str = "TOOLGATE_MODEL";
const OCR_VARIABLE: &str = "CAPABILITY_OCR_MODELS";

pub(crate) fn link(config: &Config, blobs: &Blobs, clock: Arc<dyn Clock>) -> anyhow::Result<Arc<EngineLink>> {
    link_in(config, config.engine.folder.clone(), blobs, clock)
}

/// The same with another folder, for an engine beside that of the running gateway.
pub(crate) fn link_in(
    config: &Config,
    folder: PathBuf,
    blobs: &Blobs,
    clock: Arc<dyn Clock>,
) -> anyhow::Result<Arc<EngineLink>> {
    Ok(EngineLink::new(EngineSetup {
        settings: EngineSettings { folder, ..settings(config) },
        beside: beside(config),
        env: confining::inherited(),
        blobs: blobs.clone(),
        confiner: Some(confining::engine_confiner(config)?),
        clock,
    }))
}

/// Makes its folder before any server starts: a place that is not there cannot be hidden from them.
pub(crate) fn make_folder(config: &Config) {
    let folder = &config.engine.folder;
    if let Err(error) = DirBuilder::new().recursive(true).mode(0o700).create(folder) {
        tracing::warn!(folder = %folder.display(), %error, "the folder of the engine cannot be made; `[engine] folder` names another");
    }
}

/// Models that are not named for the engine are those that search and capability servers have.
fn settings(config: &Config) -> EngineSettings {
    let told = |name: &str| config.capability_servers.env.get(name).map(PathBuf::from);
    let mut settings = EngineSettings::clone(&config.engine);
    settings.model = settings.model.or_else(|| config.search.model.clone()).or_else(|| told(MODEL_VARIABLE));
    settings.ocr = settings.ocr.or_else(|| told(OCR_VARIABLE));
    settings
}

/// The folders of this program and of the capability servers.
fn beside(config: &Config) -> Vec<PathBuf> {
    let program = std::env::current_exe().ok();
    let own = program.as_deref().and_then(Path::parent).map(Path::to_owned);
    own.into_iter().chain(config.capability_servers.folder.clone()).collect()
}
