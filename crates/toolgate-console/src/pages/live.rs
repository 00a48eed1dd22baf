//! What happens, as it happens: the API's stream of events, as the person who looks may hear it.

use axum::Router;
use axum::extract::Query;
use axum::response::Response;
use axum::routing::get;
use http::HeaderMap;
use serde::Deserialize;

use crate::Context;
use crate::address::Address;
use crate::problem::Answered;
use crate::visit::Visit;

const LAST_EVENT_ID: &str = "last-event-id";

pub(crate) fn routes() -> Router<Context> {
    Router::new().route("/console/events", get(follow))
}

#[derive(Deserialize)]
struct FollowQuery {
    #[serde(default)]
    after: Option<String>,
}

async fn follow(visit: Visit, Query(query): Query<FollowQuery>, headers: HeaderMap) -> Answered<Response> {
    let last = headers.get(LAST_EVENT_ID).cloned();
    let kept = last.map(|last| HeaderMap::from_iter([(http::HeaderName::from_static(LAST_EVENT_ID), last)]));
    let address = Address::of(["events"]).maybe("after", query.after.as_deref());
    visit.pass_on(address, kept.unwrap_or_default()).await
}
