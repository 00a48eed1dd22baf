//! The registry's record of a tool: the pinned definition, the server's current one if it differs, and the
//! resulting status.

use std::sync::Arc;

use crate::{CanonicalName, Digest, PrincipalId, RawJson, ServerName};

/// `active → drifted → quarantined → retired`, and back to `active` when a person accepts or the server
/// returns to the pinned definition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolStatus {
    /// Agents see and call the pinned definition.
    Active,
    /// Some instances offer another definition; those that still offer the pinned one serve it.
    Drifted,
    /// Hidden from agents, and not callable, until a person has reviewed it.
    Quarantined,
    /// The server no longer offers it.
    Retired,
}

impl ToolStatus {
    pub const ALL: [ToolStatus; 4] =
        [ToolStatus::Active, ToolStatus::Drifted, ToolStatus::Quarantined, ToolStatus::Retired];

    pub fn as_str(self) -> &'static str {
        match self {
            ToolStatus::Active => "active",
            ToolStatus::Drifted => "drifted",
            ToolStatus::Quarantined => "quarantined",
            ToolStatus::Retired => "retired",
        }
    }

    pub fn parse(text: &str) -> Option<ToolStatus> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }

    /// True if agents see and call the pinned definition.
    pub fn is_served(self) -> bool {
        matches!(self, ToolStatus::Active | ToolStatus::Drifted)
    }
}

/// A definition exactly as a server gave it, and its version.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Definition {
    pub json: RawJson,
    pub version: Digest,
}

/// A passage in a definition that seems to address the model instead of the reader.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize)]
pub struct DefinitionFinding {
    pub kind: FindingKind,
    /// The position: `description`, `inputSchema.properties.path.description`.
    pub place: String,
    /// The suspicious text, made visible and shortened.
    pub excerpt: String,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// Characters that people do not see and models read.
    InvisibleCharacters,
    /// A sentence that instructs the model beyond using the tool.
    Instruction,
    /// It speaks of a tool of another server.
    ForeignTool,
    /// A name with letters of another script that look like those one expects.
    LookAlikeLetters,
}

/// One tool in the registry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToolRow {
    pub server: ServerName,
    /// The server's own name for it.
    pub own: Arc<str>,
    pub name: CanonicalName,
    pub status: ToolStatus,
    /// The reason why it is not simply active.
    pub reason: Option<String>,
    /// The pinned definition: from first sight, or accepted by a person. For a tool that waits for its first
    /// review this is the definition seen first, and the tool is quarantined.
    pub pinned: Definition,
    /// The definition that the server offers instead.
    pub candidate: Option<Definition>,
    /// The findings in the definition that agents would see if the candidate were accepted, or see now if
    /// there is none.
    pub findings: Vec<DefinitionFinding>,
    /// The version that a reviewer rejected: it needs no second review.
    pub rejected: Option<Digest>,
    pub first_seen_ms: i64,
    pub last_seen_ms: i64,
    pub reviewed_by: Option<PrincipalId>,
    pub reviewed_at_ms: Option<i64>,
    /// The number of changes of the definition since `changes_since_ms`.
    pub changes: u32,
    pub changes_since_ms: i64,
}

/// An agents' name of something, and its permanent owner.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WireName {
    pub kind: NamedKind,
    pub name: String,
    /// The server of the owner.
    pub server: ServerName,
    pub owner: CanonicalName,
}

/// The kinds of things that the gateway names. A tool and a prompt may share a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NamedKind {
    Tool,
    Prompt,
}

impl NamedKind {
    const ALL: [NamedKind; 2] = [NamedKind::Tool, NamedKind::Prompt];

    pub fn as_str(self) -> &'static str {
        match self {
            NamedKind::Tool => "tool",
            NamedKind::Prompt => "prompt",
        }
    }

    pub fn parse(text: &str) -> Option<NamedKind> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}
