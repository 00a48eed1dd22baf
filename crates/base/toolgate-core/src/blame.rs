//! The party at fault for a failure, and the kind of a refusal: every error code says both.

/// The party at fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Blame {
    Caller,
    Server,
    Gateway,
}

/// The kind of refusal; the API turns it into a status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RefusalKind {
    /// The request makes no sense.
    Invalid,
    /// The caller may not do this.
    Forbidden,
    NotFound,
    /// It conflicts with the current state.
    Conflict,
    /// It was changed meanwhile.
    Stale,
    /// It existed and is gone.
    Gone,
    TooMany,
    /// The store is down.
    Down,
}
