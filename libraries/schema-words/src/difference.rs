//! Changes between two schemas, or between two definitions of a tool, in words that a reviewer reads.

mod change;
mod keywords;
mod properties;
mod summary;
mod tool;
mod walk;

pub use change::{ChangeKind, SchemaChange, SchemaDifference, SchemaNoun};
pub use tool::tool_difference;

use serde_json::Value;

/// The changes from an old schema to a new one.
pub fn schema_difference(old: &Value, new: &Value, noun: SchemaNoun) -> SchemaDifference {
    SchemaDifference::of(walk::changes(old, new, noun), noun)
}

#[cfg(test)]
mod tests;
