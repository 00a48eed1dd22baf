//! The cost of a list in tokens.

/// The cost of a list, and the cost if everything were listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CostTally {
    pub full: usize,
    pub listed: usize,
}
