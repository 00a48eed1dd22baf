//! A tool as a row holds it, and the change of one.

use toolgate_core::registry::ToolRow;
use toolgate_core::tool::{Effects, FileStrategy, SlotForm};
use toolgate_core::{CanonicalName, Digest};

/// Descriptions of a tool for display and search. No decision depends on them.
#[derive(Clone, PartialEq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct ToolTraits {
    pub capabilities: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effects: Option<Effects>,
    pub idempotent: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_strategy: Option<FileStrategy>,
    /// Used if one strategy is not enough.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<SlotForm>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<f64>,
    pub aliases: Vec<String>,
    /// The name for agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wire_name: Option<String>,
}

/// A tool as it was read.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredTool {
    pub row: ToolRow,
    pub traits: ToolTraits,
    /// The number of writes of the row: 1 at first sight.
    pub row_version: u64,
}

/// The new content of a row.
#[derive(Clone, PartialEq, Debug)]
pub struct ToolRowChange {
    pub row: ToolRow,
    pub traits: ToolTraits,
    /// The version of the row that this is based on; `None` for a tool without a row.
    pub after: Option<u64>,
}

impl ToolRowChange {
    pub fn first(row: ToolRow, traits: ToolTraits) -> Self {
        Self { row, traits, after: None }
    }

    /// The row version it has once it is written.
    pub fn row_version(&self) -> u64 {
        self.after.unwrap_or_default() + 1
    }
}

/// A name may have any length and any characters; its digest fits every index.
pub(super) fn key(name: &CanonicalName) -> String {
    Digest::of(name.as_str()).to_string()
}
