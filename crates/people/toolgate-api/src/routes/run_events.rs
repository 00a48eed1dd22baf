//! The events of one run, as server-sent events: from its beginning to its end.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt as _;
use futures_util::stream;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use toolgate_core::event::{EventFilter, EventKind, Position};
use toolgate_core::id::RunId;
use toolgate_core::run::Run;
use toolgate_core::scope::Credential;
use toolgate_store::LedgerOrder;
use utoipa::IntoParams;

use super::events::{LAST_EVENT_ID, after, no_seat, streaming};
use super::run_access::find;
use crate::ApiContext;
use crate::events::{LivePiece, PieceStream, StreamFilter};
use crate::problem::ApiResult;
use crate::progress;
use crate::read::Query;

/// In the place of an id: the end of the ledger.
const NOW: &str = "now";

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunEventsQuery {
    /// `id` of the last known event, or `now` for what happens from now on; without it, the stream starts with the beginning of the run
    #[serde(default)]
    after: Option<String>,
}

/// Follow the events of a run
///
/// Server-sent events as at `/events`, from the beginning of the run to `run.ended`, which is the last: a
/// client that reconnects with its `last-event-id` gets 204. Agents do not get policy decisions. While the gateway that drives the run
/// is the one that answers, pieces of the model's answer come between the events as they arrive, without an `id`: `model.text` and
/// `model.thinking` with `{turn, text}`, `model.call` with `{turn, tool}`. `model.again` with `{turn}` says that the answer broke off: its
/// pieces so far do not count, and the model is asked again. Only the answer that is whole is kept. While the gateway that makes a call
/// of a turn is the one that answers, what the server reports of its progress comes in the same way: `tool.call.progress` with
/// `{call, id, progress, total, message}`, where `id` is the one that the call was sent with. Long messages are cut, and a reader that
/// is too slow misses some.
#[utoipa::path(get, path = "/runs/{id}/events", tag = "runs",
    params(("id" = String, Path, description = "run_…"), RunEventsQuery,
        ("last-event-id" = Option<String>, Header, description = "The `id` of the last event received; takes precedence over `after`")),
    responses((status = 200, description = "The stream", body = String, content_type = "text/event-stream"),
        (status = 204, description = "The run has ended, and the last event is known"),
        (status = 400, description = "The position does not exist"),
        (status = 404, description = "Not found, or not visible to the caller"),
        (status = 429, description = "The limit of open streams is reached, of all or of the caller (`[[quotas]] streams_max`)")))]
pub(crate) async fn follow(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Query(query): Query<RunEventsQuery>,
) -> ApiResult<Response> {
    let run = find(&context, &credential, &RunId::new(id)).await?;
    let after = match query.after.as_deref() {
        Some(NOW) if !headers.contains_key(LAST_EVENT_ID) => None,
        id => Some(after(&headers, id)?.unwrap_or_else(Position::start)),
    };
    if run.state.is_final() && is_last(&context, &run, after.as_ref()).await? {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let watched = run.id.clone();
    let wish = StreamFilter::run(run.id, credential.principal.role);
    let place = context.streams.open_stream(&credential.principal.id)?;
    let pieces = pieces(&context, &watched);
    let body = context.0.feed.listen_with(after, wish, place, Some(pieces)).await.map_err(no_seat)?;
    Ok(streaming(body))
}

/// What is told of a run while it happens.
fn pieces(context: &ApiContext, run: &RunId) -> PieceStream {
    let reports = progress::watch(&context.0.progress, run).map(LivePiece::Progress);
    match context.driven.watch(run) {
        None => reports.boxed(),
        Some(said) => stream::select(said.map(LivePiece::Model), reports).boxed(),
    }
}

/// True if a run that has ended has no event after this one, or after now.
async fn is_last(context: &ApiContext, run: &Run, after: Option<&Position>) -> ApiResult<bool> {
    let Some(after) = after else { return Ok(true) };
    let filter =
        EventFilter { run: Some(run.id.clone()), kind: Some(EventKind::RunEnded), ..EventFilter::default() };
    let ended = context.store.ledger_page(&filter, None, 1, LedgerOrder::NewestFirst).await?;
    Ok(ended.first().is_some_and(|ended| after.covers(&ended.stream, ended.number, ended.time)))
}
