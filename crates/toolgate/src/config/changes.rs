//! The parts of a new configuration that take effect only after a restart.

use std::path::PathBuf;
use std::time::Duration;

use toolgate_engine::EngineSettings;
use toolgate_files::{FilesSettings, ResultSettings, StoragePlace};

use super::{Config, engine};

/// Servers go by it at once.
const EGRESS: &str = "[network], for webhooks, mail, meters, traces, stored files and the issuer,";

impl Config {
    /// The tables and keys in which `after` differs from this configuration, which the gateway started with,
    /// and that take effect only after a restart.
    pub(crate) fn restart_needed(&self, after: &Config) -> Vec<&'static str> {
        let tables = [
            ("listen", self.listen != after.listen),
            ("data", self.data != after.data),
            ("allowed_hosts", self.allowed_hosts != after.allowed_hosts),
            ("allowed_origins", self.allowed_origins != after.allowed_origins),
            ("[store]", self.store != after.store),
            ("[approvals] link", self.approvals.link != after.approvals.link),
            ("[validation]", self.output_check != after.output_check),
            ("[ledger]", self.ledger != after.ledger),
            ("[checkpoints]", self.checkpoints != after.checkpoints),
            ("[registry] url", self.registry.is_elsewhere(&after.registry)),
            ("[registry] check_every_seconds", self.registry.check_every != after.registry.check_every),
            ("[[redact]]", self.redact != after.redact),
            (EGRESS, self.egress != after.egress && after.tells_others()),
            ("[[webhooks]]", self.webhooks != after.webhooks),
            ("[metering]", self.metering != after.metering),
            ("[otlp]", self.otlp != after.otlp),
            ("[mail]", self.mail != after.mail),
            ("[limits]", self.limits != after.limits),
            ("[sandbox]", self.sandbox != after.sandbox),
            ("[vault]", self.vault != after.vault),
            ("[[secrets]]", self.secrets != after.secrets),
            ("[openbao]", self.openbao != after.openbao),
            ("[oauth]", self.oauth != after.oauth),
            ("[search]", self.search != after.search),
            ("[engine]", self.of_engine() != after.of_engine()),
            ("public_url", self.files.public_url != after.files.public_url),
            ("[files]", self.of_files() != after.of_files()),
            ("[results]", self.of_results() != after.of_results()),
            ("[runs]", self.runs != after.runs),
            ("[agent_loop]", self.agent_loop != after.agent_loop),
            ("[substrate]", self.substrate != after.substrate),
            ("[index]", self.index != after.index),
            ("[knowledge]", self.knowledge != after.knowledge),
            ("[console]", self.console != after.console),
        ];
        tables.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
    }

    /// True if there is a receiver whose connections are made at the start.
    fn tells_others(&self) -> bool {
        let stored_elsewhere = matches!(self.files.place, StoragePlace::S3(_));
        let anchored = self.checkpoints.as_ref().is_some_and(|settings| !settings.urls.is_empty());
        let told = !self.webhooks.is_empty() || self.metering.is_some() || self.otlp.is_some();
        let told = told || self.mail.is_some();
        told || anchored || stored_elsewhere || self.oauth.is_some()
    }

    /// The settings of `[files]` alone.
    fn of_files(&self) -> FilesSettings {
        let usual = FilesSettings::default();
        FilesSettings {
            public_url: None,
            egress: usual.egress,
            results: usual.results,
            ref_keep: usual.ref_keep,
            ..FilesSettings::clone(&self.files)
        }
    }

    /// The settings of `[engine]` alone: its usual folder goes with the data folder.
    fn of_engine(&self) -> EngineSettings {
        let mut settings = EngineSettings::clone(&self.engine);
        if settings.folder == engine::usual_folder(&self.data) {
            settings.folder = PathBuf::new();
        }
        settings
    }

    fn of_results(&self) -> (ResultSettings, Duration) {
        (self.files.results, self.files.ref_keep)
    }
}
