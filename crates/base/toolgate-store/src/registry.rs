//! The data of the registry: pinned tools, registered instances, settings, sealed secrets. The `Store` reads
//! it; changes are methods of the `Books`, which write the ledger event in the same transaction. Each change
//! increments the revision of its topic.

mod instances;
mod names;
mod origins;
mod settings;
mod tools;
mod vault;

use toolgate_core::{RawJson, ServerName};

use crate::StoreError;

pub use instances::{
    Join, Joined, RegisterError, RegisteredServer, Registering, RegistrationLimits, StoredInstance,
};
pub use names::NAMES_PER_SERVER_MAX;
pub use origins::{SecretOrigin, Whose};
pub use settings::{Setting, WriteSettingError};
pub use tools::{
    StoredTool, StoredVersion, ToolRowChange, ToolRowFilter, ToolRowPage, ToolRowsWritten, ToolTraits,
    VERSIONS_PER_TOOL_MAX,
};
pub use vault::SealedSecret;

/// Names the data that cannot be read.
pub(crate) fn unreadable(doing: &'static str, what: &'static str) -> StoreError {
    StoreError::Unreadable { doing, what }
}

fn read_server(name: &str, doing: &'static str) -> Result<ServerName, StoreError> {
    ServerName::new(name).map_err(|_| unreadable(doing, "server name"))
}

pub(crate) fn read_raw(text: String, doing: &'static str, what: &'static str) -> Result<RawJson, StoreError> {
    RawJson::parse(text.into_bytes().into()).map_err(|_| unreadable(doing, what))
}

/// A counter. Databases have no unsigned ones.
pub(crate) fn read_count(stored: i64) -> u64 {
    u64::try_from(stored).unwrap_or_default()
}

pub(crate) fn stored_count(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
