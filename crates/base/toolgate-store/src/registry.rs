//! The data of the registry: pinned tools, registered instances, settings, sealed secrets. The `Store` reads
//! it; changes are methods of the `Books`, which write the ledger event in the same transaction. Each change
//! increments the revision of its topic.

pub(crate) mod columns;
mod instances;
mod names;
mod origins;
mod outdated;
mod settings;
mod tools;
mod vault;

pub(crate) use columns::{read_count, read_raw, stored_count, unreadable};
pub use instances::{
    JoinKind, JoinedInstance, NewInstance, RegisterError, RegisteredServer, RegistrationLimits,
    StoredInstance,
};
pub use names::NAMES_PER_SERVER_MAX;
pub use origins::{SecretOrigin, SecretOwner};
pub use outdated::OutdatedServer;
pub use settings::{SETTING_VERSIONS_MAX, SettingVersion, SettingWrite, StoredSetting, WriteSettingError};
pub use tools::{
    StoredTool, StoredVersion, ToolRowChange, ToolRowFilter, ToolRowPage, ToolRowsWritten, ToolTraits,
    VERSIONS_PER_TOOL_MAX,
};
pub use vault::SealedSecret;
