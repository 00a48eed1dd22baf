//! The part of a configuration that the registry uses: everything that can change while the gateway runs.

use std::sync::Arc;

use toolgate_catalog::{ServerSettings, ToolNameFilter};
use toolgate_core::address::Reach;
use toolgate_core::model::{KnownModel, ModelDefinition};
use toolgate_credentials::OutsideSecret;
use toolgate_registry::{FileSecret, FileState, ServerSource};

use super::server_entry::ServerEntry;
use super::{Config, ToolRule};

impl Config {
    pub(crate) fn file_state(&self) -> FileState {
        let enabled = self.servers.iter().filter(|server| server.enabled);
        FileState {
            servers: enabled.map(|server| self.registry_entry(server)).collect(),
            rules: self.tools.iter().map(ToolRule::catalog_rule).collect(),
            aliases: self.aliases.clone(),
            agents: self.agents.clone(),
            capabilities: self.capabilities.clone(),
            models: self.models.iter().map(|definition| self.known_model(definition)).collect(),
            review: self.review,
            addresses: self.network,
            secrets: self.secrets.iter().map(file_secret).collect(),
            // The gateway's identity is shown only to servers that the operator named.
            egress: Arc::new(self.egress.anonymous()),
        }
    }

    /// The operator wrote the address down.
    fn known_model(&self, definition: &ModelDefinition) -> KnownModel {
        KnownModel { definition: definition.clone(), reach: Reach::Anywhere, egress: self.egress.clone() }
    }

    fn registry_entry(&self, server: &ServerEntry) -> toolgate_registry::ServerEntry {
        let mut spec = server.spec.clone();
        // The operator wants the server, but did not write its addresses.
        if server.registered || server.published.is_some() {
            spec.reach = Reach::Within(self.network);
        }
        toolgate_registry::ServerEntry {
            spec,
            settings: server.catalog_settings(),
            drift: server.drift,
            new_tools: server.new_tools,
            source: server.source(),
            published: server.published.clone(),
        }
    }
}

fn file_secret(secret: &OutsideSecret) -> FileSecret {
    let OutsideSecret { server, name, origins, .. } = secret.clone();
    FileSecret { server, name, origins }
}

impl ServerEntry {
    pub(crate) fn source(&self) -> ServerSource {
        if self.registered { ServerSource::Expected } else { ServerSource::File }
    }

    pub(crate) fn catalog_settings(&self) -> ServerSettings {
        ServerSettings {
            name: self.spec.name.clone(),
            prefix: self.prefix,
            filter: ToolNameFilter::new(
                self.filter.allow.iter().map(String::as_str),
                self.filter.deny.iter().map(String::as_str),
            ),
            hints: self.hints,
            asks: self.asks,
        }
    }
}

impl ToolRule {
    pub(crate) fn catalog_rule(&self) -> toolgate_catalog::ToolRule {
        let handling = &self.handling;
        toolgate_catalog::ToolRule {
            effects: self.effects,
            audit: self.audit,
            idempotent: self.idempotent,
            output_check: self.output,
            timeout: handling.timeout,
            concurrency_max: handling.concurrency_max,
            rate: handling.rate,
            cache: handling.cache,
            formats: handling.formats,
            capabilities: handling.capabilities.to_vec(),
            needs: handling.needs.to_vec(),
            examples: handling.examples.to_vec(),
            files: self.files.clone(),
            ..toolgate_catalog::ToolRule::new(&self.name)
        }
    }
}
