//! The live catalogue from outside: servers that register, scale, drift and recover while the gateway runs.
//! The workers behind it are separate processes, and each reports which of them did the work.

mod aliases;
mod bad_registrations;
mod bound;
mod disabling;
mod drift;
mod events;
mod file;
mod heartbeats;
mod limits;
mod outside;
mod registration;
mod replicas;
mod rolling;
mod scaling;
mod schemas;
pub(crate) mod secrets;
mod settings;
pub(crate) mod site;
pub(crate) mod worker;
