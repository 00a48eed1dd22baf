//! The port to the proofs of the ledger.

use toolgate_core::Refusal;
use toolgate_core::id::CallId;
use toolgate_core::port::BoxFuture;

/// The proof of one call, as a file that `toolgate ledger check` reads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProvedCall {
    pub call: CallId,
    pub proof: Vec<u8>,
}

/// Proofs that calls are in the ledger.
pub trait ClaimProofs: Send + Sync {
    /// A proof for each call, under one signed checkpoint. `None` where no checkpoints are signed.
    fn prove<'a>(&'a self, calls: &'a [CallId]) -> BoxFuture<'a, Result<Option<Vec<ProvedCall>>, Refusal>>;
}
