//! Events: the ledger, live, as server-sent events.

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName};
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use toolgate_core::Principal;
use toolgate_core::codes;
use toolgate_core::event::Position;
use utoipa::IntoParams;

use crate::ApiContext;
use crate::events::{EventBody, EventKinds, NoSeat, StreamFilter, UnknownKind};
use crate::problem::{ApiResult, Problem};
use crate::read::{Query, bad_parameter};
use crate::similar::hint_of;

pub(super) const LAST_EVENT_ID: &str = "last-event-id";
/// Asks buffering proxies not to collect answers before they pass them on.
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct EventsQuery {
    /// Prefixes of kinds, separated by commas: `registry,approval,run,server,setting`. `run` includes
    /// decisions and calls
    #[serde(default)]
    kinds: Option<String>,
    /// `id` of the last known event, or `0` to begin with the first; without it, the stream starts with the
    /// next event
    #[serde(default)]
    after: Option<String>,
}

/// Follow events
///
/// Server-sent events: `id` is the event's position in the ledger, `event` its kind, `data` the event as in
/// `GET /ledger`. Approvers see approvals and questions only. A stream ends after a quarter of an hour, or
/// when it is not read; a client that reconnects with `last-event-id` misses nothing.
#[utoipa::path(get, path = "/events", tag = "events",
    params(EventsQuery, ("last-event-id" = Option<String>, Header, description = "The `id` of the last event received; takes precedence over `after`")),
    responses((status = 200, description = "The stream", body = String, content_type = "text/event-stream"),
        (status = 400, description = "The kind or the position does not exist"),
        (status = 429, description = "The limit of open streams is reached, of all or of the caller (`[[quotas]] streams_max`)")))]
pub(crate) async fn follow(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    headers: HeaderMap,
    Query(query): Query<EventsQuery>,
) -> ApiResult<Response> {
    let kinds =
        EventKinds::read(query.kinds.as_deref(), principal.role).map_err(|unknown| no_kind(&unknown))?;
    let after = after(&headers, query.after.as_deref())?;
    let place = context.streams.open_stream(&principal.id)?;
    let body = context.0.feed.listen(after, StreamFilter::all(kinds), place).await.map_err(no_seat)?;
    Ok(streaming(body))
}

pub(super) fn streaming(body: EventBody) -> Response {
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-store"), (BUFFERING, "no")];
    (StatusCode::OK, headers, Body::new(body)).into_response()
}

/// A reconnecting client sends the header, so it is newer than the address it began with.
pub(super) fn after(headers: &HeaderMap, parameter: Option<&str>) -> ApiResult<Option<Position>> {
    let header = headers.get(LAST_EVENT_ID).map(|value| value.to_str().unwrap_or_default());
    let (name, value) = match header {
        Some(header) => (LAST_EVENT_ID, Some(header)),
        None => ("after", parameter),
    };
    let Some(value) = value else { return Ok(None) };
    value.parse().map(Some).map_err(|_| bad_parameter(name, value, "the id of an event"))
}

fn no_kind(unknown: &UnknownKind) -> Box<Problem> {
    match unknown {
        UnknownKind::Nowhere(kind) => bad_parameter("kinds", kind, "a beginning of any kind of event")
            .hint(hint_of(kind, &EventKinds::words())),
        UnknownKind::NotForRole(kind) => {
            let detail = format!("a token of role approver does not see the events {kind:?}");
            Problem::new(&codes::WRONG_ROLE, detail)
                .hint("ask for `approval` or `input`, or use a token of role auditor, operator or admin")
        }
    }
}

pub(super) fn no_seat(why: NoSeat) -> Box<Problem> {
    match why {
        NoSeat::TooMany { max } => {
            let detail = format!("{max} event streams are open, and no more are allowed");
            Problem::new(&codes::TOO_MANY_STREAMS, detail)
        }
        NoSeat::Unknown { newest } => {
            Problem::new(&codes::EVENT_UNKNOWN, "this ledger has no event at this position")
                .with("newest", newest.to_string())
        }
        NoSeat::Store(error) => error.into(),
    }
}
