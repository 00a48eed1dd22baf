#![doc = include_str!("../README.md")]

mod context;
mod definition;
mod described;
mod domain;
mod mounts;
mod reply;
mod schema;
mod set;

pub use context::ToolContext;
pub use definition::{MountRule, ToolDefinition, midnight_ms};
pub use domain::Domain;
pub use mounts::unknown_pointer;
pub use reply::ToolReply;
pub use set::DomainSet;

#[cfg(test)]
mod tests;
