//! The refusals of this crate.

use toolgate_core::id::WorkId;
use toolgate_core::{Refusal, codes};
use toolgate_store::StoreError;

/// The store is down. The cause may name hosts and statements: it is for the log.
pub(crate) fn down(error: &StoreError) -> Refusal {
    tracing::warn!(%error, "long work cannot be read or changed");
    Refusal::new(&codes::STORE_DOWN, "the gateway's store is not available")
}

pub(crate) fn unknown_work(id: &WorkId) -> Refusal {
    Refusal::new(&codes::UNKNOWN_WORK, format!("there is no work {id}"))
}

pub(crate) fn cancelled() -> Refusal {
    Refusal::new(&codes::WORK_CANCELLED, "the work was cancelled: its run has ended")
}

pub(crate) fn given_up(attempts: u64) -> Refusal {
    Refusal::new(&codes::WORK_GIVEN_UP, format!("the work was given up after {attempts} attempts"))
}
