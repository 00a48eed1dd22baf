//! The quota of a principal's open streams, from the view of the API.

use toolgate_core::{PrincipalId, Refusal};

/// An open stream; it counts while this lives.
pub type StreamPlace = Box<dyn Send + Sync>;

/// Implementations count all streams of a principal together, through any door.
pub trait StreamQuota: Send + Sync {
    /// A place for one more stream.
    fn open_stream(&self, principal: &PrincipalId) -> Result<StreamPlace, Refusal>;
}
