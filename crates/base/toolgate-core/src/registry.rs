//! What the registry keeps of a tool: the definition that was pinned, what the server offers instead, and where that leaves it.

use std::sync::Arc;

use crate::{CanonicalName, Digest, PrincipalId, RawJson, ServerName};

/// `active → drifted → quarantined → retired`, and back to `active` when somebody accepts or the server returns to what was
/// pinned.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolStatus {
    /// The pinned definition is what agents see and call.
    Active,
    /// Some instances offer another definition; those that still offer the pinned one serve it.
    Drifted,
    /// Nobody sees or calls it until somebody has looked at it.
    Quarantined,
    /// The server does not offer it any more.
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

    /// Whether agents see and call the pinned definition.
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

/// Something in a definition that looks as if it were meant for the model and not for the reader.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize)]
pub struct Finding {
    pub kind: FindingKind,
    /// Where: `description`, `inputSchema.properties.path.description`.
    pub place: String,
    /// What was found, made visible and cut short.
    pub excerpt: String,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// Characters that people do not see and models read.
    InvisibleCharacters,
    /// A sentence that tells the model what to do beyond using the tool.
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
    /// What the server itself calls it.
    pub own: Arc<str>,
    pub name: CanonicalName,
    pub status: ToolStatus,
    /// Why it is not simply active.
    pub reason: Option<String>,
    /// What was pinned: at first sight, or when somebody accepted a change. A tool that waits for its first review has
    /// here what was seen first, and is quarantined.
    pub pinned: Definition,
    /// What the server offers instead.
    pub candidate: Option<Definition>,
    /// Of what agents would see if the candidate were accepted, or see now if there is none.
    pub findings: Vec<Finding>,
    /// The version somebody said no to: it is not asked about again.
    pub rejected: Option<Digest>,
    pub first_seen_ms: i64,
    pub last_seen_ms: i64,
    pub reviewed_by: Option<PrincipalId>,
    pub reviewed_at_ms: Option<i64>,
    /// How often the definition changed since `changes_since_ms`.
    pub changes: u32,
    pub changes_since_ms: i64,
}

/// A name by which agents call something, and whose it is for good.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WireName {
    pub kind: NamedKind,
    pub name: String,
    /// The server of the owner.
    pub server: ServerName,
    pub owner: CanonicalName,
}

/// What has names of the gateway's making. A tool and a prompt may be called the same.
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
