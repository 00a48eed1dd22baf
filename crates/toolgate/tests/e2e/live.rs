//! The live catalogue from outside: servers that register, scale, drift and recover while the gateway runs. The workers
//! behind it are processes of their own, and each says which of them did the work.

mod drift;
mod file;
mod heartbeats;
mod registration;
mod rolling;
mod scaling;
mod settings;
mod site;
mod worker;
