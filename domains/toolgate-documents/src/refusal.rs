//! The refusals of this crate.

use toolgate_core::{Digest, Refusal, codes};
use toolgate_store::StoreError;

/// The store is down. The cause may name hosts and statements: it is for the log.
pub(crate) fn down(error: &StoreError) -> Refusal {
    tracing::warn!(%error, "documents cannot be read or kept");
    Refusal::new(&codes::STORE_DOWN, "the gateway's store is not available")
}

pub(crate) fn invalid(message: impl Into<String>, field: &'static str) -> Refusal {
    Refusal::new(&codes::INVALID_ARGUMENTS, message).field(field)
}

/// An artifact that is no DocIR, or one that cannot be read.
pub(crate) fn no_docir(digest: Digest, why: impl std::fmt::Display) -> Refusal {
    Refusal::new(&codes::UNREADABLE_DOCUMENT, format!("{digest} is no DocIR: {why}"))
        .hint("name the docir that document.parse gave")
}
