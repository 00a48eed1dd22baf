//! How many streams of events a principal may have open, as the API sees it.

use toolgate_core::{PrincipalId, Refusal};

/// A stream that is open; it counts as long as this lasts.
pub type StreamPlace = Box<dyn Send + Sync>;

/// Whoever implements it counts all streams of a principal together, whichever door they came through.
pub trait StreamQuota: Send + Sync {
    /// A place for one more stream.
    fn open_stream(&self, principal: &PrincipalId) -> Result<StreamPlace, Refusal>;
}
