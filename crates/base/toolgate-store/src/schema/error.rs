//! The refusals of a change of a schema.

use toolgate_core::schema::{CompatibilityMode, SchemaKind, SchemaState};

use crate::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum SchemaChangeError {
    #[error("there is no such version of a schema")]
    Unknown,
    /// The name has these.
    #[error("the schema is a {} with the compatibility {}", kind.as_str(), mode.as_str())]
    OtherName { kind: SchemaKind, mode: CompatibilityMode },
    #[error("the version is {}", state.as_str())]
    State { state: SchemaState },
    /// Another version is active than was seen, or none.
    #[error("another version is active now")]
    Stale { active: Option<u64> },
    #[error("a schema has at most {max} versions")]
    TooManyVersions { max: u64 },
    #[error(transparent)]
    Store(#[from] StoreError),
}
