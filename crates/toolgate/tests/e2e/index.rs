//! Indexes on the real binary with its engine: what was ingested is found within the mounts of a session, every hit says where it stands,
//! and neither a kill nor damage leaves anything but time behind.

mod damaged;
pub(crate) mod encoder;
mod engine;
mod following;
mod incremental;
mod killed;
pub(crate) mod library;
mod meaning;
mod missing;
pub(crate) mod places;
mod profiles;
mod queries;
mod replicas;
mod scopes;
mod searching;
mod together;
mod traces;
mod without;
