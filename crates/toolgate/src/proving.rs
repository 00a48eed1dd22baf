//! Proofs of events under a signed checkpoint: for one call of the ledger, and for the calls that made a claim.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::bail;
use toolgate_claims::{ClaimProofs, ProvedCall};
use toolgate_core::event::RecordedEvent;
use toolgate_core::id::CallId;
use toolgate_core::port::BoxFuture;
use toolgate_core::{Refusal, codes};
use toolgate_proof::{CallProof, ProvenStream};
use toolgate_store::Store;

use crate::checkpoints::{SignedCheckpoint, sign_next};
use crate::config::Config;

/// Proofs for claims, where checkpoints are signed.
pub(crate) struct SignedProofs {
    pub(crate) config: Arc<Config>,
    pub(crate) store: Store,
}

impl ClaimProofs for SignedProofs {
    fn prove<'a>(&'a self, calls: &'a [CallId]) -> BoxFuture<'a, Result<Option<Vec<ProvedCall>>, Refusal>> {
        Box::pin(async move {
            if self.config.checkpoints.is_none() {
                return Ok(None);
            }
            match self.prove_all(calls).await {
                Ok(proofs) => Ok(Some(proofs)),
                Err(error) => {
                    let error = format!("{error:#}");
                    tracing::warn!(error, "calls of a claim cannot be proved");
                    let message = "the gateway could not prove the calls of the claim";
                    Err(Refusal::new(&codes::STORE_DOWN, message).hint("the gateway's log says why"))
                }
            }
        })
    }
}

impl SignedProofs {
    async fn prove_all(&self, calls: &[CallId]) -> anyhow::Result<Vec<ProvedCall>> {
        let mut found = Vec::with_capacity(calls.len());
        for call in calls {
            found.push((call, self.store.ledger_call(call).await?));
        }
        let signed = sign_next(&self.config, &self.store).await?;
        let mut proofs = Vec::with_capacity(found.len());
        for (call, events) in found.iter().filter(|(_, events)| !events.is_empty()) {
            let proof = serde_json::to_vec(&self.proof_of(&signed, call, events).await?)?;
            proofs.push(ProvedCall { call: (*call).clone(), proof });
        }
        Ok(proofs)
    }

    /// Proves one call under a checkpoint that is signed now. `None` if the database has no event of it.
    pub(crate) async fn prove_call(&self, call: &CallId) -> anyhow::Result<Option<CallProof>> {
        let events = self.store.ledger_call(call).await?;
        if events.is_empty() {
            return Ok(None);
        }
        let signed = sign_next(&self.config, &self.store).await?;
        self.proof_of(&signed, call, &events).await.map(Some)
    }

    async fn proof_of(
        &self,
        signed: &SignedCheckpoint,
        call: &CallId,
        events: &[RecordedEvent],
    ) -> anyhow::Result<CallProof> {
        let mut streams = Vec::new();
        for (stream, events) in by_stream(events) {
            streams.push(prove_stream(&self.store, signed, stream, &events).await?);
        }
        Ok(CallProof::new(call.as_str(), streams))
    }
}

/// Events by the stream that has them.
pub(crate) fn by_stream(events: &[RecordedEvent]) -> BTreeMap<&str, Vec<&RecordedEvent>> {
    let mut streams: BTreeMap<&str, Vec<&RecordedEvent>> = BTreeMap::new();
    for event in events {
        streams.entry(&event.stream).or_default().push(event);
    }
    streams
}

/// Proves events of a stream under a checkpoint. Nothing of their bodies is disclosed.
pub(crate) async fn prove_stream(
    store: &Store,
    signed: &SignedCheckpoint,
    stream: &str,
    events: &[&RecordedEvent],
) -> anyhow::Result<ProvenStream> {
    const NEWER: &str = "leave --checkpoint out, or give a newer one";
    let mut trees = signed.checkpoint.streams.iter().zip(&signed.notes);
    let Some((tree, note)) = trees.find(|(tree, _)| tree.stream == stream) else {
        bail!("the checkpoint does not have the stream {stream}\nhint: {NEWER}");
    };
    let numbers: BTreeSet<i64> = events.iter().map(|one| one.number).collect();
    if numbers.last().is_some_and(|last| u64::try_from(*last).is_ok_and(|last| last > tree.size)) {
        bail!("the call has events that were recorded after the checkpoint\nhint: {NEWER}");
    }
    let Some(proven) = store.prove_events(tree, &numbers).await? else {
        bail!(
            "the stream {stream} is not what the checkpoint says\n\
             hint: `toolgate ledger verify --against FILE` names what is wrong"
        );
    };
    Ok(ProvenStream { checkpoint: note.to_string(), events: proven })
}
