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

pub use definitions::{DefinitionKind, DefinitionProblem, DefinitionSource, DefinitionsInForce};
pub use known::{
    CurrentSetting, InstanceView, KnownServer, Lease, SettingContext, ToolDiff, ToolVersion,
    VersionComparison, VersionStanding,
};
pub use port::{AgentCatalog, InstanceVitals, LatencyReport, ServerControl, ToolVitals, VitalsReport};
pub use records::Records;
pub use registry::Registry;
pub use settings::SETTING_KEYS;
pub use setup::RegistrySetup;
pub use source::{
    AliasSpec, Drift, FileSecret, FileState, NewTools, OnFinding, Registration, ReviewRules, ReviewVerdict,
    ServerEntry, ServerSource,
};
pub use toolgate_core::{Refusal, RefusalKind};
