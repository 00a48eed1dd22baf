//! The entry of the configuration that a published server becomes.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::name::PublishedOrigin;

/// A server for the configuration: how it is started or reached, what it wants, and what was left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PublishedEntry {
    pub transport: PublishedTransport,
    /// Secrets that it does not work without.
    pub secrets: Vec<PublishedSecret>,
    /// Inputs without a value that it can do without.
    pub left_out: Vec<LeftOutInput>,
    /// The digest of the package, if the registry names one.
    pub digest: Option<String>,
    /// Facts that a person should know before adding it.
    pub notes: Vec<String>,
}

/// In values of `env` and `headers`, `${vault:NAME}` stands for a secret, and nothing else begins with `${`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PublishedTransport {
    Command { command: String, args: Vec<String>, env: BTreeMap<String, String> },
    Url { url: String, headers: BTreeMap<String, String> },
}

/// A secret by its name in the vault.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct PublishedSecret {
    pub name: String,
    /// The publisher's words.
    pub description: String,
}

/// An input that got no value.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct LeftOutInput {
    pub name: String,
    pub description: String,
    pub secret: bool,
}

/// The reason why a server cannot be had in one way, and what would help.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{says}\nhint: {hint}")]
pub struct WayRefusal {
    pub says: String,
    pub hint: String,
}

impl WayRefusal {
    pub(super) fn new(says: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { says: says.into(), hint: hint.into() }
    }
}

impl PublishedEntry {
    /// The entry of the setting `mcp_servers`, with the strictest rules that there are. `None` for a command, which can be
    /// set in the operator's file only.
    pub fn setting(&self, name: &str, origin: &PublishedOrigin) -> Option<Value> {
        let PublishedTransport::Url { url, headers } = &self.transport else { return None };
        let mut entry = json!({
            "name": name,
            "url": url,
            "trust_annotations": false,
            "elicitation": false,
            "sampling": false,
            "drift": "quarantine",
            "new_tools": "review_all",
            "published": origin,
        });
        if !headers.is_empty() {
            entry["headers"] = json!(headers);
        }
        Some(entry)
    }
}
