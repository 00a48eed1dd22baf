//! A server's statements about a tool beyond MCP: from its registration, or in the `_meta` of the definition.
//! In both cases they become part of the definition under [`EXTRA_META`], and are pinned with it.

use std::time::Duration;

use serde_json::Value;

use super::{Effects, FileSlot, FileStrategy, SecretSlot, SlotForm};
use crate::scope::MountNeed;

/// The member of a definition's `_meta` that has it.
pub const EXTRA_META: &str = "dev.toolgate/tool";

/// Every member is optional.
#[derive(Clone, PartialEq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolExtra {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<String>,
    /// The mounts that a session needs for the tool to be useful.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mounts: Vec<MountNeed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effects: Option<Effects>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_strategy: Option<FileStrategy>,
    /// The same for each argument that takes a file, if one strategy is not enough.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<SlotForm>,
    /// The arguments that take the handle of a credential.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<SecretSlot>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<f64>,
    /// The time for which a result may be reused for the same arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_seconds: Option<f64>,
    /// Old flat names, or names such as `documents.text.extract`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadExtra(String);

impl ToolExtra {
    pub const CAPABILITIES_MAX: usize = 32;
    pub const ALIASES_MAX: usize = 16;
    pub const MOUNTS_MAX: usize = 16;
    const NAME_CHARS_MAX: usize = 128;
    const SECONDS_MAX: f64 = 24.0 * 3600.0;

    /// The extra information of a definition, if any.
    pub fn of(definition: &Value) -> Result<Option<ToolExtra>, BadExtra> {
        let Some(extra) = definition.get("_meta").and_then(|meta| meta.get(EXTRA_META)) else {
            return Ok(None);
        };
        let extra: ToolExtra =
            serde_json::from_value(extra.clone()).map_err(|error| BadExtra(error.to_string()))?;
        extra.checked().map(Some)
    }

    /// Within its limits.
    pub fn checked(self) -> Result<Self, BadExtra> {
        let bad = |what: String| Err(BadExtra(what));
        if self.capabilities.len() > Self::CAPABILITIES_MAX {
            return bad(format!("more than {} capabilities", Self::CAPABILITIES_MAX));
        }
        if self.mounts.len() > Self::MOUNTS_MAX {
            return bad(format!("more than {} mounts", Self::MOUNTS_MAX));
        }
        if self.aliases.len() > Self::ALIASES_MAX {
            return bad(format!("more than {} aliases", Self::ALIASES_MAX));
        }
        if let Err(error) = FileSlot::all(self.files.clone()) {
            return bad(error.to_string());
        }
        if let Err(error) = SecretSlot::check(&self.secrets, &self.slots()) {
            return bad(error.to_string());
        }
        let names = self.capabilities.iter().chain(&self.aliases);
        for name in names {
            if name.is_empty()
                || name.chars().count() > Self::NAME_CHARS_MAX
                || name.contains(|c: char| c.is_control() || c.is_whitespace())
            {
                return bad(format!(
                    "{name:?} is not a name of 1 to {} characters without blanks",
                    Self::NAME_CHARS_MAX
                ));
            }
        }
        for (what, seconds) in
            [("timeout_seconds", self.timeout_seconds), ("cache_seconds", self.cache_seconds)]
        {
            if seconds.is_some_and(|seconds| !(seconds > 0.0 && seconds <= Self::SECONDS_MAX)) {
                return bad(format!("{what} is not between 0 and {}", Self::SECONDS_MAX));
            }
        }
        Ok(self)
    }

    /// The arguments that take files.
    pub fn slots(&self) -> Vec<FileSlot> {
        match self.file_strategy {
            Some(strategy) if self.files.is_empty() => vec![FileSlot::of(strategy)],
            _ => FileSlot::all(self.files.clone()).unwrap_or_default(),
        }
    }

    pub fn timeout(&self) -> Option<Duration> {
        self.timeout_seconds.map(Duration::from_secs_f64)
    }

    pub fn cache(&self) -> Option<Duration> {
        self.cache_seconds.map(Duration::from_secs_f64)
    }
}
