//! Signed checkpoints of the ledger, and files that prove one call.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use serde::{Deserialize, Serialize};
use toolgate_core::codes;
use toolgate_core::id::CallId;
use toolgate_core::moment::rfc3339;
use toolgate_proof::StreamRoot;
use toolgate_store::SignedRootMatch;
use utoipa::{IntoParams, ToSchema};

use super::answer::json;
use crate::ApiContext;
use crate::checkpoints::{CheckpointFault, CheckpointPlace, KeptCheckpoint};
use crate::problem::{ApiResult, Problem};
use crate::read::{Query, limit};

/// Each one is held against the whole ledger before it.
const PAGE_USUAL: usize = 10;
const PAGE_MAX: usize = 100;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct CheckpointsQuery {
    /// `next_cursor` of the previous page
    #[serde(default)]
    cursor: Option<String>,
    /// Maximum number of entries on the page
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 100)]
    limit: Option<String>,
}

/// Signed checkpoints
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct CheckpointsPage {
    /// True if `[checkpoints]` is configured: checkpoints are signed, and calls can be proved.
    configured: bool,
    /// The public key that signs, for those who check.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "example.com/toolgate+1f2e3d4c+AbQ…")]
    key: Option<String>,
    /// The time between two checkpoints.
    #[serde(skip_serializing_if = "Option::is_none")]
    every_seconds: Option<u64>,
    /// The places where they are written.
    places: Vec<CheckpointPlace>,
    /// Those in the configured folder, newest first. Other places are not read.
    checkpoints: Vec<CheckpointView>,
    /// The files of this page that cannot be used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    faults: Vec<CheckpointFault>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// A signed checkpoint
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Checkpoint)]
pub(crate) struct CheckpointView {
    /// The name of its file.
    file: String,
    at: String,
    /// False if a stream is no longer what was signed.
    agrees: bool,
    streams: Vec<CheckpointStreamView>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CheckpointStreamView {
    stream: String,
    /// The number of events that it had.
    size: u64,
    /// The root of its Merkle tree.
    root: String,
    /// same, different, or removed: the days that were signed are no longer in the database.
    state: &'static str,
}

/// List the signed checkpoints of the ledger
///
/// Each is held against the ledger. `GET /ledger/verify` checks every event as well.
#[utoipa::path(get, path = "/ledger/checkpoints", tag = "ledger", params(CheckpointsQuery),
    responses((status = 200, description = "A page", body = CheckpointsPage)))]
pub(crate) async fn checkpoints(
    State(context): State<ApiContext>,
    Query(query): Query<CheckpointsQuery>,
) -> ApiResult<Response> {
    let limit = limit(query.limit.as_deref(), PAGE_USUAL, PAGE_MAX)?;
    let Some(signer) = &context.signer else {
        return Ok(json(StatusCode::OK, &CheckpointsPage::default()));
    };
    let (schedule, kept) = (signer.schedule(), signer.kept(query.cursor, limit).await);
    let mut checkpoints = Vec::with_capacity(kept.checkpoints.len());
    for one in kept.checkpoints {
        checkpoints.push(compared(&context, one).await?);
    }
    let page = CheckpointsPage {
        configured: true,
        key: schedule.key,
        every_seconds: Some(schedule.every_seconds),
        places: schedule.places,
        checkpoints,
        faults: kept.faults,
        next_cursor: kept.next,
    };
    Ok(json(StatusCode::OK, &page))
}

async fn compared(context: &ApiContext, one: KeptCheckpoint) -> ApiResult<CheckpointView> {
    let mut streams = Vec::with_capacity(one.checkpoint.streams.len());
    let mut agrees = true;
    for signed in one.checkpoint.streams {
        let found = context.store.ledger_has(&signed).await?;
        agrees &= !matches!(found, SignedRootMatch::Different);
        streams.push(CheckpointStreamView::of(signed, &found));
    }
    Ok(CheckpointView { file: one.file, at: rfc3339(one.checkpoint.at_ms), agrees, streams })
}

impl CheckpointStreamView {
    fn of(signed: StreamRoot, found: &SignedRootMatch) -> Self {
        let state = match found {
            SignedRootMatch::Same => "same",
            SignedRootMatch::Different => "different",
            SignedRootMatch::Removed => "removed",
        };
        Self { stream: signed.stream, size: signed.size, root: signed.root.to_string(), state }
    }
}

/// Prove a call
///
/// Returns a file that proves the events of one call under a checkpoint that is signed now, and shows no other. `toolgate ledger check`
/// checks it with the public key alone. Arguments and result are not in it; `toolgate ledger prove --disclose` adds them.
#[utoipa::path(get, path = "/ledger/{call_id}/proof", tag = "ledger", params(("call_id" = String, Path, description = "tc_…")),
    responses((status = 200, description = "The proof, as a file", body = Object),
        (status = 404, description = "Not found, or only in the archive"),
        (status = 409, description = "No key for checkpoints is configured"),
        (status = 500, description = "The key cannot be read, or the ledger is no longer what was signed before")))]
pub(crate) async fn prove(State(context): State<ApiContext>, Path(id): Path<String>) -> ApiResult<Response> {
    let Some(signer) = &context.signer else {
        let detail = "no call can be proved: the configuration has no `[checkpoints]`";
        return Err(Problem::new(&codes::CHECKPOINTS_OFF, detail));
    };
    let call = CallId::new(id.as_str());
    let proof = signer.prove(&call).await?.ok_or_else(|| unknown(&call))?;
    let name: String = id.chars().filter(|one| one.is_ascii_alphanumeric() || *one == '_').collect();
    let headers = [
        (CONTENT_TYPE, "application/json".to_owned()),
        (CONTENT_DISPOSITION, format!("attachment; filename=\"{name}.proof\"")),
    ];
    let body = serde_json::to_vec(&proof).expect("our own types serialise");
    Ok((headers, body).into_response())
}

fn unknown(call: &CallId) -> Box<Problem> {
    Problem::not_found(format!("the database has no call {call}"))
        .hint("calls that only the archive has cannot be proved one by one; its segments verify as a whole")
}
