//! Calls under ids of their clients: a call that is sent twice runs once.

use serde_json::json;
use toolgate_core::codes;
use toolgate_core::id::RunId;
use toolgate_core::{Blame, Digest, RawJson, Refusal};
use toolgate_store::{BatchCall, StoreError};

use super::Runs;
use crate::checks;
use crate::desk::{LateEvent, RunDesk};
use crate::refusal::{down, unknown_run};
use crate::view::CallClaim;

impl Runs {
    /// Claims a call that a client sends under this id, or finds its result. `request` is the digest of the
    /// whole request.
    pub async fn claim(&self, run: &RunId, client_id: &str, request: Digest) -> Result<CallClaim, Refusal> {
        claim(&self.desk, run, client_id, request).await
    }

    /// Stores the result of a claimed call. If the store is down, that happens when it is back.
    pub async fn record(&self, run: &RunId, client_id: &str, result: RawJson) {
        let late = LateEvent::Recorded { run: run.clone(), client_id: client_id.to_owned(), result };
        self.desk.write_down(late).await;
    }

    /// Stores the result of a claimed call that has not ended, such as one that waits for a person. Sent
    /// again, it is claimed again.
    pub async fn put_off(&self, run: &RunId, client_id: &str, result: RawJson) {
        let late = LateEvent::PutOff { run: run.clone(), client_id: client_id.to_owned(), result };
        self.desk.write_down(late).await;
    }

    /// Closes the calls that another gateway, which died for good, left open under its stream.
    pub async fn close_left_open(&self, stream: &str) -> Result<(), StoreError> {
        forget(&self.desk, stream).await
    }

    /// The result of a claimed call of a run that the gateways drive. Waits, for a limited time, for one that runs in a living
    /// gateway; one of a dead gateway is given up, and its outcome is unknown.
    pub async fn recorded_or_lost(&self, run: &RunId, client_id: &str) -> RawJson {
        let RunDesk { store, stream, .. } = &*self.desk;
        let lost = store.give_up_batch_call(run, client_id, &unknown(), stream).await;
        if let Err(error) = lost {
            tracing::debug!(%error, "it is not known whether the gateway of a call lives");
        }
        // A gateway that dies from now on is noticed by those that go on, which close its calls.
        self.recorded(run, client_id).await
    }

    /// The result of a call that nobody makes any more, as above; `None` if it was never claimed.
    pub async fn left_behind(&self, run: &RunId, client_id: &str) -> Result<Option<RawJson>, Refusal> {
        let known = self.desk.store.batch_call(run, client_id).await.map_err(|error| down(&error))?;
        match known {
            Some(_) => Ok(Some(self.recorded_or_lost(run, client_id).await)),
            None => Ok(None),
        }
    }

    /// The result of a claimed call. Waits, for a limited time, for one that runs; then it says so.
    pub async fn recorded(&self, run: &RunId, client_id: &str) -> RawJson {
        recorded(&self.desk, run, client_id).await
    }
}

pub(super) async fn claim(
    desk: &RunDesk,
    run: &RunId,
    client_id: &str,
    request: Digest,
) -> Result<CallClaim, Refusal> {
    checks::client_id(client_id)?;
    let down = |error| down(&error);
    let (stream, now_ms) = (&desk.stream, desk.clock.now_ms());
    if let Some(known) = desk.store.batch_call(run, client_id).await.map_err(down)? {
        let take_up = desk.store.take_up_batch_call(run, client_id, request, stream);
        let is_taken_up = known.result.is_some() && take_up.await.map_err(down)?;
        return Ok(match known {
            BatchCall { result: Some(kept), .. } if is_taken_up => CallClaim::Again(kept),
            known => claim_of(known, request),
        });
    }
    if desk.store.run(run).await.map_err(down)?.is_none() {
        return Err(unknown_run(run));
    }
    if desk.store.claim_batch_call(run, client_id, request, stream, now_ms).await.map_err(down)? {
        return Ok(CallClaim::Run);
    }
    let known = desk.store.batch_call(run, client_id).await.map_err(down)?;
    Ok(claim_of(known.expect("what could not be claimed is there, and is never deleted"), request))
}

/// Waits, for a limited time, for a call that runs; then it says so.
pub(super) async fn recorded(desk: &RunDesk, run: &RunId, client_id: &str) -> RawJson {
    let mut limit = desk.clock.sleep(desk.limits.recording);
    loop {
        // Before the check: a result recorded from now on is heard.
        let mut bell = desk.bells.hear(run);
        match Box::pin(desk.store.batch_call(run, client_id)).await {
            Ok(Some(BatchCall { result: Some(result), .. })) => return result,
            Ok(None) => return unknown(),
            // It is running, or the store is down.
            Ok(Some(_)) | Err(_) => {}
        }
        tokio::select! {
            rung = bell.changed() => rung.expect("the sender is kept while there are receivers"),
            () = desk.clock.sleep(desk.limits.poll) => {}
            () = &mut limit => return still_running(),
        }
    }
}

/// The id has another call.
pub(super) fn reused(client_id: &str) -> Refusal {
    let message = format!("another call was made in this run under the id {client_id:?}");
    Refusal::new(&codes::CALL_ID_REUSED, message)
}

fn claim_of(known: BatchCall, request: Digest) -> CallClaim {
    match known {
        BatchCall { request: before, .. } if before != request => CallClaim::Mismatch,
        BatchCall { result: Some(result), .. } => CallClaim::Recorded(result),
        BatchCall { result: None, .. } => CallClaim::Running,
    }
}

/// Closes everything that a dead process of this stream left open.
pub(super) async fn forget(desk: &RunDesk, stream: &str) -> Result<(), StoreError> {
    let calls = desk.store.forget_run_calls(stream, desk.clock.now_ms()).await?;
    let claimed = desk.store.forget_batch_calls(stream, &unknown()).await?;
    if calls + claimed > 0 {
        tracing::warn!(
            stream,
            calls,
            claimed,
            "calls in runs were under way when the gateway stopped: their end is not known"
        );
    }
    Ok(())
}

/// The result of a call whose gateway died.
fn unknown() -> RawJson {
    envelope(
        "unknown",
        json!({
            "code": codes::CALL_UNKNOWN,
            "fault": Blame::Gateway,
            "retry": false,
            "message": "the gateway stopped while the call was in progress: it is not known whether it ran",
            "hint": "look at what it may have changed before you repeat it, under another id",
        }),
    )
}

fn still_running() -> RawJson {
    envelope(
        "running",
        json!({
            "code": codes::CALL_RUNNING,
            "fault": Blame::Caller,
            "retry": true,
            "message": "the call was sent before under this id, and is still under way",
            "hint": "send it again under the same id, and it waits for the result",
        }),
    )
}

fn envelope(status: &str, error: serde_json::Value) -> RawJson {
    json!({ "status": status, "data": null, "refs": [], "warnings": [], "error": error }).into()
}
