//! The ledger: pages of events, all of one call, bodies, and the verification.

use std::collections::BTreeSet;

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolgate_archive::{ArchiveVerification, SegmentTrouble};
use toolgate_core::codes;
use toolgate_core::event::{Position, RecordedEvent};
use toolgate_core::id::CallId;
use toolgate_core::{Digest, Principal, RawJson, Role};
use toolgate_store::{
    BodyCheck, LEDGER_PAGE_MAX, LedgerCut, LedgerFault, LedgerOrder, StoreError, ledger_event_json,
};
use utoipa::{IntoParams, ToSchema};

use super::answer::{json, whole};
use super::ledger_filter::{EventPlace, Selected, Selection, no_archive};
use crate::ApiContext;
use crate::checkpoints::{CheckpointFault, FolderCheckpoints};
use crate::problem::{ApiResult, Problem};
use crate::read::{bad_parameter, limit, word};

const PAGE_USUAL: usize = 100;
/// The number of bodies included with the events of one call; others can be fetched by their digests.
const CALL_BODIES_MAX: usize = 64;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct LedgerQuery {
    /// tc_…
    #[serde(default)]
    call: Option<String>,
    /// tool.call.completed, policy.decided, approval.requested, …
    #[serde(default)]
    kind: Option<String>,
    /// `next_cursor` of the previous page
    #[serde(default)]
    cursor: Option<String>,
    /// Maximum number of entries on the page
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 1000)]
    limit: Option<String>,
    /// newest (first, the default) or oldest
    #[serde(default)]
    order: Option<String>,
    /// database (the default) or archive: days that are over, also where the database no longer has them
    #[serde(default)]
    source: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LedgerPage {
    #[schema(value_type = Vec<Object>)]
    events: Vec<Value>,
    /// The cursor of the next page; absent if there is none yet. A page of the archive that has a next one may be short or
    /// empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// A call with all its events
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LedgerCall {
    call: String,
    /// Oldest first.
    #[schema(value_type = Vec<Object>)]
    events: Vec<Value>,
    /// Redacted arguments, results and `_meta` of the events, by `input`, `output` and `meta`, as far as they are kept.
    #[schema(value_type = Object)]
    bodies: serde_json::Map<String, Value>,
    /// Those that were changed in the database after they were written. They are not shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<String>)]
    changed: Vec<Digest>,
    /// True if the events are from the archive, because the database no longer has them. Their arguments and results are
    /// not kept any more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    archived: bool,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VerifiedView {
    /// True if every event is as it was written, and every body that is kept; and if all of it is what was signed.
    intact: bool,
    events: u64,
    streams: usize,
    /// The number of arguments and results that were checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    bodies: Option<u64>,
    /// The number of arguments and results that were erased on request.
    erased: u64,
    /// The streams whose first days were removed, with the number and the hash of the last event that is gone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>)]
    cuts: Vec<LedgerCut>,
    /// The number of signed checkpoints that the ledger was held against: those of the configured folder. None if no folder
    /// is configured; `toolgate ledger verify` takes others that it is given.
    checkpoints: u64,
    /// The files of that folder that the ledger could not be held against.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    checkpoint_faults: Vec<CheckpointFault>,
    /// The first event that is not as it was written, or whose arguments or result are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    fault: Option<LedgerFault>,
    /// The result for the archive, where it is switched on.
    #[serde(skip_serializing_if = "Option::is_none")]
    archive: Option<ArchiveVerifiedView>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ArchiveVerifiedView {
    segments: u64,
    /// The number of archived events that were checked.
    events: u64,
    faults: Vec<ArchiveFaultView>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ArchiveFaultView {
    /// The name of the damaged file.
    name: String,
    /// missing, changed, gap, index_damaged, …
    #[schema(value_type = String)]
    what: SegmentTrouble,
    message: String,
    hint: String,
}

/// List events
#[utoipa::path(get, path = "/ledger", tag = "ledger", params(Selection, LedgerQuery),
    responses((status = 200, description = "A page", body = LedgerPage)))]
pub(crate) async fn list(
    State(context): State<ApiContext>,
    Selected { by, own: query }: Selected<LedgerQuery>,
) -> ApiResult<Response> {
    let limit = limit(query.limit.as_deref(), PAGE_USUAL, LEDGER_PAGE_MAX)?;
    let (order, after) = (query.order()?, query.after()?);
    let place = EventPlace::read(query.source.as_deref())?;
    let Some(filter) = by.read_of_events(query.call.as_deref(), query.kind.as_deref())? else {
        return Ok(json(StatusCode::OK, &LedgerPage { events: Vec::new(), next_cursor: None }));
    };
    let (events, next) = match place {
        EventPlace::Database => {
            let events = context.store.ledger_page(&filter, after.as_ref(), limit, order).await?;
            // A full page may be the last one; then the next is empty.
            let next = events.last().filter(|_| events.len() == limit).map(|last| last.position.clone());
            (events, next)
        }
        EventPlace::Archive => {
            let archive = context.archive.as_ref().ok_or_else(no_archive)?;
            let page = archive.page(&filter, after.as_ref(), limit, order).await?;
            (page.events, page.next)
        }
    };
    let next_cursor = next.map(|next| next.to_string());
    let events = events.iter().map(ledger_event_json).collect();
    Ok(json(StatusCode::OK, &LedgerPage { events, next_cursor }))
}

impl LedgerQuery {
    fn order(&self) -> ApiResult<LedgerOrder> {
        let parse = |word: &str| match word {
            "newest" => Some(LedgerOrder::NewestFirst),
            "oldest" => Some(LedgerOrder::OldestFirst),
            _ => None,
        };
        let order = word("order", self.order.as_deref(), &["newest", "oldest"], parse)?;
        Ok(order.unwrap_or(LedgerOrder::NewestFirst))
    }

    fn after(&self) -> ApiResult<Option<Position>> {
        let Some(cursor) = self.cursor.as_deref() else { return Ok(None) };
        let bad = |_| bad_parameter("cursor", cursor, "a cursor that this list gave out");
        cursor.parse().map(Some).map_err(bad)
    }
}

/// Show a call
///
/// Returns all its events, with their arguments and results. A call that the database no longer has is looked for in the
/// archive, where that is switched on. Approvers see calls that asked for an approval, without results.
#[utoipa::path(get, path = "/ledger/{call_id}", tag = "ledger", params(("call_id" = String, Path, description = "tc_…")),
    responses((status = 200, description = "The call", body = LedgerCall), (status = 404, description = "Not found")))]
pub(crate) async fn call(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path(id): Path<String>,
) -> ApiResult<Response> {
    let named_id = CallId::new(id.as_str());
    let events = context.store.ledger_call(&named_id).await?;
    if events.is_empty() {
        return archived_call(&context, &principal, &named_id).await;
    }
    check_reader(&principal, &events, &named_id)?;
    let (mut bodies, mut changed) = (serde_json::Map::new(), Vec::new());
    for digest in named(&principal, &events) {
        match context.store.ledger_body(&digest).await {
            Ok(Some(body)) => drop(bodies.insert(digest.to_string(), body.decode().unwrap_or_default())),
            Ok(None) => {}
            Err(StoreError::BodyChanged { digest }) => changed.push(digest),
            Err(error) => return Err(error.into()),
        }
    }
    let events = events.iter().map(ledger_event_json).collect();
    Ok(json(StatusCode::OK, &LedgerCall { call: id, events, bodies, changed, archived: false }))
}

/// A call that only the archive has, which keeps no arguments and results.
async fn archived_call(context: &ApiContext, principal: &Principal, id: &CallId) -> ApiResult<Response> {
    let events = match &context.archive {
        Some(archive) => archive.call(id).await?,
        None => Vec::new(),
    };
    if events.is_empty() {
        return Err(no_call(id));
    }
    check_reader(principal, &events, id)?;
    let events = events.iter().map(ledger_event_json).collect();
    let (call, bodies) = (id.to_string(), serde_json::Map::new());
    Ok(json(StatusCode::OK, &LedgerCall { call, events, bodies, changed: Vec::new(), archived: true }))
}

fn no_call(id: &CallId) -> Box<Problem> {
    Problem::not_found(format!("the ledger has no call {id}"))
}

/// For an approver there are only calls that asked people.
fn check_reader(principal: &Principal, events: &[RecordedEvent], id: &CallId) -> ApiResult<()> {
    let asked_people = events.iter().any(|recorded| recorded.event.approval.is_some());
    match principal.role {
        Role::Approver if !asked_people => Err(no_call(id)),
        _ => Ok(()),
    }
}

/// The bodies that this reader may have: an approver decides on arguments, and does not read results.
fn named(principal: &Principal, events: &[RecordedEvent]) -> Vec<Digest> {
    let reads_results = principal.role != Role::Approver;
    let named = events.iter().flat_map(|recorded| {
        let results = recorded.event.output.filter(|_| !reads_results);
        recorded.event.bodies().filter(move |body| Some(*body) != results)
    });
    let once: BTreeSet<Digest> = named.collect();
    once.into_iter().take(CALL_BODIES_MAX).collect()
}

/// Show a body
///
/// Returns redacted arguments, a redacted result or redacted `_meta`, byte for byte as the event committed to it. `digest` is
/// `input`, `output` or `meta` of an event.
#[utoipa::path(get, path = "/ledger/bodies/{digest}", tag = "ledger", params(("digest" = String, Path, description = "sha256:…")),
    responses((status = 200, description = "The body", body = Object), (status = 404, description = "Not found, or no longer kept"),
        (status = 500, description = "It was changed after it was written, and is not shown")))]
pub(crate) async fn body(
    State(context): State<ApiContext>,
    Path(digest): Path<String>,
) -> ApiResult<Response> {
    let digest: Digest = digest.parse().map_err(|bad: toolgate_core::digest::BadDigest| {
        Problem::new(&codes::PARAMETER_INVALID, format!("{digest:?}: {bad}"))
    })?;
    let found = context.store.ledger_body(&digest).await?;
    let gone = || {
        Problem::not_found(format!("there is no body {digest}"))
            .hint("it was larger than what is kept, its time is over, or it was erased")
    };
    Ok(whole(StatusCode::OK, found.map(RawJson::into_bytes).ok_or_else(gone)?))
}

/// Verify the ledger
///
/// Checks every event and every body, and names the first event that was edited, dropped, reordered or inserted, or whose
/// arguments or result were edited or are missing. Then checks every segment of the archive, and names those that are
/// damaged or missing. Where a folder for checkpoints is configured, the ledger must be what its checkpoints say; otherwise an
/// attacker who has the sealing key is noticed only by `toolgate ledger verify --against`.
#[utoipa::path(get, path = "/ledger/verify", tag = "ledger",
    responses((status = 200, description = "The result", body = VerifiedView)))]
pub(crate) async fn verify(State(context): State<ApiContext>) -> ApiResult<Response> {
    let signed = match &context.checkpoints {
        Some(folder) => folder.read().await,
        None => FolderCheckpoints::default(),
    };
    let checkpoints = &signed.checkpoints;
    let verified = context.store.verify_ledger_against(checkpoints, BodyCheck::Rehash, |_| {}).await?;
    context.0.pulse.take_verification(&verified, context.clock.now_ms());
    let archive = match &context.archive {
        Some(archive) => Some(ArchiveVerifiedView::of(archive.verify(|_| {}).await?)),
        None => None,
    };
    let is_archived = archive.as_ref().is_none_or(|found| found.faults.is_empty());
    let view = VerifiedView {
        intact: verified.fault.is_none() && signed.faults.is_empty() && is_archived,
        events: verified.events,
        streams: verified.streams,
        bodies: verified.bodies,
        erased: verified.erased,
        cuts: verified.cuts,
        checkpoints: checkpoints.len() as u64,
        checkpoint_faults: signed.faults,
        fault: verified.fault,
        archive,
    };
    Ok(json(StatusCode::OK, &view))
}

impl ArchiveVerifiedView {
    fn of(verified: ArchiveVerification) -> Self {
        let faults = verified.faults.into_iter().map(|fault| ArchiveFaultView {
            message: fault.to_string(),
            hint: fault.what.hint().to_owned(),
            what: fault.what,
            name: fault.name,
        });
        Self { segments: verified.segments, events: verified.events, faults: faults.collect() }
    }
}
