#![doc = include_str!("../README.md")]

// The entrance, and what the registry needs.
mod known;
mod port;
mod registry;
mod setup;

// State and work of the process.
mod desk;
mod poll;
mod publish;
mod state;

// Servers.
mod health;
mod leases;
mod published;
mod registration;
mod roster;

// Tools: pinned, compared and reviewed.
mod diff;
mod pins;
mod records;
mod traits;

// Settings, agents and aliases.
mod alias;
mod definitions;
mod policy_texts;
mod settings;
mod source;

// Events and hints.
mod events;
mod nearest;

#[cfg(test)]
mod tests;

pub use definitions::{DefinitionKind, DefinitionProblem, DefinitionSource, DefinitionsInForce};
pub use known::{
    CurrentSetting, DisabledServer, InstanceView, KnownServer, Lease, NewSettingValue, PastSetting,
    SettingContext, ToolDiff, ToolVersion, VersionComparison, VersionStanding,
};
pub use policy_texts::PolicyTexts;
pub use port::{
    AgentCatalog, InstanceVitals, LatencyReport, PolicyControl, ServerControl, ToolVitals, VitalsReport,
};
pub use published::{
    AddWishes, BadPublication, BadPublishedName, ContainerRuntime, LeftOutInput, OriginFinding,
    OriginStanding, PublicationStatus, PublishedEntry, PublishedFinds, PublishedName, PublishedOrigin,
    PublishedPage, PublishedSecret, PublishedServer, PublishedTransport, PublishedWay, WayRefusal,
    difference,
};
pub use records::Records;
pub use registry::Registry;
pub use settings::SETTING_KEYS;
pub use setup::RegistrySetup;
pub use source::{
    AliasSpec, Drift, FileSecret, FileState, NewTools, OnFinding, Registration, ReviewRules, ReviewVerdict,
    ServerEntry, ServerSource,
};
pub use toolgate_core::{Refusal, RefusalKind};
