//! Live events: the API's stream of events with the user's rights. It ends with the login.

use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Query;
use axum::response::Response;
use axum::routing::get;
use futures_util::StreamExt;
use http::HeaderMap;
use serde::Deserialize;

use crate::PageContext;
use crate::address::PageAddress;
use crate::problem::PageResult;
use crate::visit::PageVisit;

const LAST_EVENT_ID: &str = "last-event-id";
/// The interval for checking that the listener is still logged in.
const LOOK_EVERY: Duration = Duration::from_millis(500);

pub(crate) fn routes() -> Router<PageContext> {
    Router::new().route("/console/events", get(follow))
}

#[derive(Deserialize)]
struct FollowQuery {
    #[serde(default)]
    after: Option<String>,
}

async fn follow(
    visit: PageVisit,
    Query(query): Query<FollowQuery>,
    headers: HeaderMap,
) -> PageResult<Response> {
    let last = headers.get(LAST_EVENT_ID).cloned();
    let kept = last.map(|last| HeaderMap::from_iter([(http::HeaderName::from_static(LAST_EVENT_ID), last)]));
    let address = PageAddress::of(["events"]).maybe("after", query.after.as_deref());
    let secret = visit.context.cookies.secret(&headers);
    let response = visit.pass_on(address, kept.unwrap_or_default()).await?;
    Ok(response.map(|body| {
        let events = body.into_data_stream();
        Body::from_stream(events.take_until(Box::pin(until_logged_out(visit.context, secret))))
    }))
}

/// Returns once a login has ended. While the store is down, the login counts as valid.
async fn until_logged_out(context: PageContext, secret: Option<String>) {
    let Some(secret) = secret else { return };
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        if let Ok(None) = context.logins.who(secret.clone()).await {
            return;
        }
    }
}
