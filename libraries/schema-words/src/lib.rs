#![doc = include_str!("../README.md")]

mod compatibility;
mod difference;
mod equality;
mod inclusion;
mod judge;
mod keywords;
mod kinds;
mod numbers;
mod prove;
mod quoted;
mod sample;
mod shape;
mod tree;

pub use compatibility::{CompatibilityFinding, CompatibilityRule, DataDirection, compatibility};
pub use difference::{
    ChangeKind, SchemaChange, SchemaDifference, SchemaNoun, schema_difference, tool_difference,
};
pub use inclusion::{Counterexample, Inclusion, inclusion};
pub use prove::ProofGap;
pub use shape::{SCHEMA_BYTES_MAX, SCHEMA_DEPTH_MAX, SCHEMA_PARTS_MAX, SchemaFlaw, canonical, check_shape};
