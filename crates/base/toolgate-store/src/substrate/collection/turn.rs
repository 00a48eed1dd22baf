//! The terms of a collection, and the turn to carry it out.

/// The moments that a collection goes by, in milliseconds since 1970.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CollectionTerms {
    pub now_ms: i64,
    /// Everything that was touched since then stays.
    pub untouched_since_ms: i64,
    /// Moves of pointers since then keep their manifests.
    pub moves_since_ms: i64,
}

/// The turn of this gateway to collect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CollectionTurn {
    /// Marks of this generation count.
    pub generation: i64,
    /// Counts the looks for roots.
    pub(super) round: i64,
}
