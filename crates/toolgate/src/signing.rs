//! The signing of the ledger, for REST: the places of its checkpoints, those in the folder, and proofs of calls.

use std::sync::Arc;

use toolgate_api::{CheckpointPlace, FolderPage, LedgerSigner, SigningSchedule};
use toolgate_core::id::CallId;
use toolgate_core::port::BoxFuture;
use toolgate_core::{Refusal, codes};
use toolgate_proof::CallProof;
use toolgate_store::Store;

use crate::checkpoints::{AnchorBoard, ConfiguredFolder, signing_key};
use crate::config::Config;
use crate::failure;
use crate::proving::SignedProofs;

/// The key and the places of `[checkpoints]`.
pub(crate) struct ConfiguredSigner {
    proofs: SignedProofs,
    folder: Option<ConfiguredFolder>,
    board: Arc<AnchorBoard>,
    key: Option<String>,
    every_seconds: u64,
}

impl ConfiguredSigner {
    /// `None` if no checkpoints are configured.
    pub(crate) async fn of(config: &Config, store: &Store, board: &Arc<AnchorBoard>) -> Option<Self> {
        let settings = config.checkpoints.as_ref()?;
        let key = signing_key(config).await.ok().map(|key| key.public().to_string());
        Some(Self {
            proofs: SignedProofs { config: Arc::new(config.clone()), store: store.clone() },
            folder: ConfiguredFolder::of(config, store).await,
            board: board.clone(),
            key,
            every_seconds: settings.every.as_secs(),
        })
    }
}

impl LedgerSigner for ConfiguredSigner {
    fn schedule(&self) -> SigningSchedule {
        let places = self.board.read().map(|(name, waiting)| CheckpointPlace {
            name: name.to_owned(),
            waiting: u64::try_from(waiting).unwrap_or(u64::MAX),
        });
        SigningSchedule { key: self.key.clone(), every_seconds: self.every_seconds, places: places.collect() }
    }

    fn kept(&self, before: Option<String>, limit: usize) -> BoxFuture<'_, FolderPage> {
        Box::pin(async move {
            match &self.folder {
                Some(folder) => folder.page(before, limit).await,
                None => FolderPage::default(),
            }
        })
    }

    fn prove<'a>(&'a self, call: &'a CallId) -> BoxFuture<'a, Result<Option<CallProof>, Refusal>> {
        Box::pin(async move { self.proofs.prove_call(call).await.map_err(|error| refused(&error)) })
    }
}

/// Those who read the ledger may know why it is not signed.
fn refused(error: &anyhow::Error) -> Refusal {
    let text = failure::render(error);
    tracing::warn!(error = text, "a call could not be proved");
    let (message, hint) = text.split_once("\nhint: ").unwrap_or((text.as_str(), ""));
    Refusal::new(&codes::CALL_UNPROVED, message).hint(hint)
}
