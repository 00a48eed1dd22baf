//! The surroundings of every command: its options, its folder and its configuration.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::looking::SpareFolder;
use crate::cli::Global;
use crate::config::{Config, ConfigHints, ReferenceMode};
use crate::consent;
use crate::environment;
use crate::local::{CatalogueNeed, LocalApi};
use crate::table::OutputReader;

/// The surroundings of every command.
pub(crate) struct Context {
    pub(crate) global: Global,
    pub(crate) cwd: PathBuf,
    /// There for commands that only look.
    spare: Option<SpareFolder>,
}

impl Context {
    pub(super) fn new(global: Global, only_looks: bool) -> anyhow::Result<Self> {
        let cwd = std::env::current_dir().context("could not find the working folder")?;
        Ok(Self { global, cwd, spare: only_looks.then(SpareFolder::default) })
    }

    /// The data folder that a command which only looks did not find.
    pub(super) fn missing_data(&self) -> Option<&Path> {
        self.spare.as_ref().and_then(SpareFolder::missing)
    }

    pub(super) fn load(&self, references: ReferenceMode<'_>) -> anyhow::Result<Config> {
        consent::see_to(&self.whereabouts())?;
        self.read(references)
    }

    pub(super) fn read(&self, references: ReferenceMode<'_>) -> anyhow::Result<Config> {
        let config = Config::load(&self.whereabouts(), references)?;
        match &self.spare {
            Some(spare) => spare.stand_in(config),
            None => Ok(config),
        }
    }

    pub(crate) fn whereabouts(&self) -> ConfigHints<'_> {
        ConfigHints {
            config: self.global.config.as_deref(),
            data: self.global.data.as_deref(),
            cwd: &self.cwd,
            env: &environment::variable,
        }
    }

    /// The reader of a command's output.
    pub(crate) fn reader(&self) -> OutputReader {
        if self.global.json { OutputReader::Program } else { OutputReader::of_stdout() }
    }

    /// The configuration, with its references to the environment replaced.
    pub(crate) fn config(&self) -> anyhow::Result<Config> {
        self.load(ReferenceMode::Resolve(&environment::variable))
    }

    /// The configuration as written, for commands that start nothing.
    pub(crate) fn config_as_written(&self) -> anyhow::Result<Config> {
        self.load(ReferenceMode::Keep)
    }

    /// The same for commands that only show its content: a file that is merely read needs no agreement.
    pub(crate) fn config_to_read(&self) -> anyhow::Result<Config> {
        self.read(ReferenceMode::Keep)
    }

    /// Asks the REST API of the running gateway, or of one that lives as long as the command.
    pub(crate) async fn ask<T>(
        &self,
        catalogue: CatalogueNeed,
        ask: impl AsyncFnOnce(&mut LocalApi) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        // The future of assembling a gateway is large.
        let mut api = Box::pin(LocalApi::open(self.config()?, catalogue)).await?;
        let outcome = ask(&mut api).await;
        api.close().await;
        outcome
    }
}
