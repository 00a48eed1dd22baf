#![doc = include_str!("../README.md")]

mod checks;
mod refusal;
mod review;
mod schemas;
mod shown;
mod source;
mod tools;

pub use review::difference;
pub use schemas::{SchemaSetup, SchemaVersions};
pub use tools::domain;
