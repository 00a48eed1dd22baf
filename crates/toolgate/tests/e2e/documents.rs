//! Documents on the real binary with its engine: parsed once, read as tables, told apart, and those that cannot be read are named.

mod batches;
mod classes;
pub(crate) mod hostile;
mod parsing;
mod refused;
mod tables;
