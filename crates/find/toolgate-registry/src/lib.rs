#![doc = include_str!("../README.md")]

mod alias;
mod definitions;
mod desk;
mod diff;
mod events;
mod health;
mod known;
mod leases;
mod nearest;
mod pins;
mod poll;
mod port;
mod publish;
mod records;
mod registration;
mod registry;
mod roster;
mod settings;
mod setup;
mod source;
mod state;
mod traits;

#[cfg(test)]
mod tests;

pub use definitions::{Defined, DefinitionKind, DefinitionProblem, DefinitionSource};
pub use known::{
    Compared, InstanceView, KnownServer, Lease, Setting, SettingContext, Standing, ToolDiff, ToolVersion,
};
pub use port::{InstanceVitals, Latency, Machinery, Shelf, ToolVitals, Vitals};
pub use records::Records;
pub use registry::Registry;
pub use settings::SETTING_KEYS;
pub use setup::Setup;
pub use source::{
    AliasSpec, Drift, FileSecret, FileState, NewTools, OnFinding, Registration, Review, ServerEntry, Source,
    Verdict,
};
pub use toolgate_core::{Refusal, RefusalKind};
