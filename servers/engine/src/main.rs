//! Filled in by the next change.
fn main() {}
