//! The claims of one gateway process: what the tools work on.

use std::sync::Arc;

use toolgate_core::Refusal;
use toolgate_core::claim::{Claim, ClaimType};
use toolgate_core::governance::Clock;
use toolgate_core::id::ClaimId;
use toolgate_documents::Documents;
use toolgate_files::Files;
use toolgate_runs::Runs;
use toolgate_store::{Books, Store};
use toolgate_substrate::Substrate;

use crate::general;
use crate::ports::ClaimProofs;
use crate::refusal::{down, unknown, unknown_type};

pub struct ClaimsSetup {
    pub store: Store,
    pub books: Arc<Books>,
    pub clock: Arc<dyn Clock>,
    pub files: Arc<Files>,
    pub documents: Arc<Documents>,
    pub substrate: Arc<Substrate>,
    pub runs: Arc<Runs>,
    pub proofs: Arc<dyn ClaimProofs>,
}

/// The state of the tools `claim.*`.
pub struct Claims {
    pub(crate) store: Store,
    pub(crate) books: Arc<Books>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) files: Arc<Files>,
    pub(crate) documents: Arc<Documents>,
    pub(crate) substrate: Arc<Substrate>,
    pub(crate) runs: Arc<Runs>,
    pub(crate) proofs: Arc<dyn ClaimProofs>,
}

impl Claims {
    pub fn new(setup: ClaimsSetup) -> Arc<Self> {
        let ClaimsSetup { store, books, clock, files, documents, substrate, runs, proofs } = setup;
        Arc::new(Self { store, books, clock, files, documents, substrate, runs, proofs })
    }

    pub(crate) async fn claim(&self, id: &str) -> Result<Claim, Refusal> {
        let found = self.store.claim(&ClaimId::new(id)).await.map_err(|error| down(&error))?;
        found.ok_or_else(|| unknown(id))
    }

    /// A type by its name: one that was registered, or the one that comes with the gateway.
    pub(crate) async fn kind(&self, name: &str) -> Result<ClaimType, Refusal> {
        let found = self.store.claim_type(name).await.map_err(|error| down(&error))?;
        found.or_else(|| general::named(name)).ok_or_else(|| unknown_type(name))
    }
}
