//! The circumstances of a change of a pointer.

use toolgate_core::id::ApprovalId;

use crate::file::Actor;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveStamp {
    pub by: Actor,
    /// The approval that the call used up.
    pub approval: Option<ApprovalId>,
    pub reason: String,
    pub at_ms: i64,
}
