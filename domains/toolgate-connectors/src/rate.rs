//! The rate that a provider has left, as it said last.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RateRemainder {
    /// Requests that it still takes.
    pub remaining: Option<u64>,
    pub resets_at_ms: Option<i64>,
    pub seen_at_ms: i64,
}
