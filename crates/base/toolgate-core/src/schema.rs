//! Schemas that the platform keeps: versions with a state, the promise between them, and the port that validates values against them.

use serde_json::Value;

use crate::id::SchemaId;
use crate::{Digest, PrincipalId, RawJson};

/// The use of a schema.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SchemaKind {
    /// Data of one shape.
    #[default]
    StructuredType,
    OntologyClass,
    RelationshipType,
    /// A list of values.
    Enum,
}

impl SchemaKind {
    pub const ALL: [SchemaKind; 4] = [
        SchemaKind::StructuredType,
        SchemaKind::OntologyClass,
        SchemaKind::RelationshipType,
        SchemaKind::Enum,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            SchemaKind::StructuredType => "structured_type",
            SchemaKind::OntologyClass => "ontology_class",
            SchemaKind::RelationshipType => "relationship_type",
            SchemaKind::Enum => "enum",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == text)
    }
}

/// `draft → active → deprecated | superseded`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SchemaState {
    /// Nobody relies on it yet.
    Draft,
    /// The one version of its name that counts.
    Active,
    /// It counted until somebody ended it.
    Deprecated,
    /// It counted until another version was promoted.
    Superseded,
}

impl SchemaState {
    pub const ALL: [SchemaState; 4] =
        [SchemaState::Draft, SchemaState::Active, SchemaState::Deprecated, SchemaState::Superseded];

    pub const fn as_str(self) -> &'static str {
        match self {
            SchemaState::Draft => "draft",
            SchemaState::Active => "active",
            SchemaState::Deprecated => "deprecated",
            SchemaState::Superseded => "superseded",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == text)
    }
}

/// The promise that a version keeps towards earlier ones of its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CompatibilityMode {
    None,
    /// Data of the version before fits the new one.
    #[default]
    Backward,
    /// Data of every version before does.
    BackwardTransitive,
    /// Data of the new version fits the one before.
    Forward,
    ForwardTransitive,
    /// Both.
    Full,
    FullTransitive,
}

impl CompatibilityMode {
    pub const ALL: [CompatibilityMode; 7] = [
        CompatibilityMode::None,
        CompatibilityMode::Backward,
        CompatibilityMode::BackwardTransitive,
        CompatibilityMode::Forward,
        CompatibilityMode::ForwardTransitive,
        CompatibilityMode::Full,
        CompatibilityMode::FullTransitive,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            CompatibilityMode::None => "none",
            CompatibilityMode::Backward => "backward",
            CompatibilityMode::BackwardTransitive => "backward_transitive",
            CompatibilityMode::Forward => "forward",
            CompatibilityMode::ForwardTransitive => "forward_transitive",
            CompatibilityMode::Full => "full",
            CompatibilityMode::FullTransitive => "full_transitive",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == text)
    }

    /// True if it is about every earlier version, not only the one before.
    pub fn is_transitive(self) -> bool {
        matches!(
            self,
            CompatibilityMode::BackwardTransitive
                | CompatibilityMode::ForwardTransitive
                | CompatibilityMode::FullTransitive
        )
    }
}

/// One version of a schema.
#[derive(Clone, PartialEq, Debug)]
pub struct SchemaRecord {
    pub id: SchemaId,
    pub namespace: String,
    pub name: String,
    /// 1 is the first of its name.
    pub version: u64,
    pub kind: SchemaKind,
    pub mode: CompatibilityMode,
    pub state: SchemaState,
    /// Of the definition with sorted members.
    pub digest: Digest,
    /// As it was registered.
    pub definition: RawJson,
    pub description: Option<String>,
    pub created_by: PrincipalId,
    pub created_at_ms: i64,
    /// The principal that brought it into its state.
    pub state_by: PrincipalId,
    pub state_since_ms: i64,
}

/// Validation against a schema of the caller's, as arguments of tools are validated.
pub trait SchemaValidator: Send + Sync {
    /// The reason why a schema, or a part of it, cannot be used.
    fn unusable(&self, schema: &RawJson) -> Option<String>;
    fn validate(&self, schema: &RawJson, value: &Value) -> ValueVerdict;
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ValueVerdict {
    Fits,
    Problems(Vec<ValueProblem>),
    /// It was not checked, or not in full, for this reason.
    Unchecked(String),
}

/// One problem of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValueProblem {
    /// A JSON pointer; the empty one is the whole value.
    pub path: String,
    pub problem: String,
    /// Empty if the problem is clear without it.
    pub expected: String,
    pub hint: Option<String>,
}
