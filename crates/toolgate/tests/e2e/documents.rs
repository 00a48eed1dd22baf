//! Documents on the real binary with its engine: parsed once, read as tables, told apart, and those that cannot be read are named.

mod batches;
mod classes;
pub(crate) mod hostile;
mod office;
mod parsing;
mod refused;
mod scanned;
mod tables;
mod thousand;
