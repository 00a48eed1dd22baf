//! The answers of the registry.

use std::sync::Arc;

use serde_json::Value;
use toolgate_catalog::Alias;
use toolgate_core::registry::{Definition, ToolRow};
use toolgate_core::{CanonicalName, Digest, PrincipalId, ServerName};

use crate::port::PolicyControl;
use crate::published::PublishedOrigin;
use crate::source::{FileState, ServerSource};

/// A setting. One that was never changed has version 0 and its default value.
#[derive(Clone, PartialEq, Debug)]
pub struct CurrentSetting {
    pub key: &'static str,
    pub value: Value,
    pub version: u64,
    pub updated_at_ms: Option<i64>,
    pub updated_by: Option<PrincipalId>,
}

/// A value that a setting has or had.
#[derive(Clone, PartialEq, Debug)]
pub struct PastSetting {
    pub version: u64,
    pub value: Value,
    /// The reason that was given with it.
    pub reason: Option<String>,
    pub set_at_ms: i64,
    pub set_by: PrincipalId,
}

/// A new value of a setting.
#[derive(Clone, PartialEq, Debug)]
pub struct NewSettingValue {
    pub value: Value,
    /// The version that it must still have.
    pub expected: Option<u64>,
    pub reason: Option<String>,
}

impl NewSettingValue {
    /// A value for whatever version there is, without a reason.
    pub fn plain(value: Value) -> Self {
        Self { value, expected: None, reason: None }
    }
}

/// A place in the catalogue, for as long as it is renewed.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct Lease {
    pub server: ServerName,
    pub instance_id: String,
    pub lease_seconds: f64,
    /// The interval for heartbeats.
    pub heartbeat_seconds: f64,
}

/// A server of the roster.
#[derive(Clone, PartialEq, Debug)]
pub struct KnownServer {
    pub name: ServerName,
    pub source: ServerSource,
    pub instances: Vec<InstanceView>,
    /// The entry of a registry that it was made from.
    pub published: Option<PublishedOrigin>,
    /// Set if it is neither started nor contacted.
    pub disabled: Option<DisabledServer>,
}

/// A server that somebody disabled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DisabledServer {
    pub reason: Option<String>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct InstanceView {
    pub id: String,
    /// Without parts that may be secret.
    pub url: String,
    pub version: Option<String>,
    /// The rest of its lease; `None` if it needs none.
    pub lease_left_seconds: Option<f64>,
}

/// The changes between the pinned definition and the current offer.
#[derive(Clone, PartialEq, Debug)]
pub struct ToolDiff {
    pub tool: ToolRow,
    /// A unified diff of both, each written out readably with its keys sorted.
    pub text: String,
    /// The pinned one as the diff shows it; empty if the tool was never reviewed.
    pub pinned: String,
    /// The offer, as the diff shows it.
    pub offered: String,
    /// The changes in words: one sentence, and each of them. Empty if the tool was never reviewed.
    pub summary: String,
    pub changes: Vec<String>,
}

/// A definition that a tool was seen with.
#[derive(Clone, PartialEq, Debug)]
pub struct ToolVersion {
    pub definition: Definition,
    pub first_seen_ms: i64,
    pub standing: VersionStanding,
}

/// The relation of a version to its tool now.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum VersionStanding {
    /// The version that agents see, unless the tool is withheld.
    Pinned,
    /// The version that the server offers instead.
    Offered,
    /// A rejected version.
    Rejected,
    Past,
}

impl VersionStanding {
    pub fn as_str(self) -> &'static str {
        match self {
            VersionStanding::Pinned => "pinned",
            VersionStanding::Offered => "offered",
            VersionStanding::Rejected => "rejected",
            VersionStanding::Past => "past",
        }
    }
}

/// The differences between two versions of a tool.
#[derive(Clone, PartialEq, Debug)]
pub struct VersionComparison {
    pub tool: ToolRow,
    pub from: Digest,
    pub to: Digest,
    /// A unified diff of both, each written out readably with its keys sorted.
    pub text: String,
    /// The changes in one sentence.
    pub summary: String,
}

/// The data that a new value of a setting must be consistent with.
#[derive(Clone, Debug, Default)]
pub struct SettingContext {
    pub file: FileState,
    /// Servers that registered.
    pub registered: Vec<ServerName>,
    /// Every alias in effect but those of the settings.
    pub aliases: Vec<Alias>,
    /// Every tool that is known.
    pub tools: Vec<CanonicalName>,
    /// Whoever judges calls; without it, policies are not compiled.
    pub policies: Option<Arc<dyn PolicyControl>>,
}
