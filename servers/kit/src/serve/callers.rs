//! The words of a gateway about its callers: for whom a call is, and which callers have ended.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http_body_util::{BodyExt, Limited};
use rmcp::model::{CustomNotification, ExperimentalCapabilities};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Map, Value};

use super::server::KitServer;
use crate::resident::Caller;

/// The capability of a server that wants to know its callers, and the member of a call's `_meta` that names one.
const CALLER: &str = "dev.toolgate/caller";
/// The member of a call's `_meta` with its id.
const CALL: &str = "dev.toolgate/call";
/// The notification about a session or a run that has ended.
const CALLER_ENDED: &str = "notifications/dev.toolgate/caller_ended";
const METHOD_HEADER: &str = "mcp-method";
const SESSION_HEADER: &str = "mcp-session-id";
const NOTIFICATION_BYTES_MAX: usize = 16 << 10;

pub(super) fn wishes() -> ExperimentalCapabilities {
    [(CALLER.to_owned(), Map::new())].into()
}

pub(super) fn caller_of(context: &RequestContext<RoleServer>) -> Caller {
    let named = context.meta.get(CALLER).cloned().unwrap_or_default();
    serde_json::from_value(named).unwrap_or_default()
}

/// The id of a call, which a gateway tells connectors.
pub(super) fn call_of(context: &RequestContext<RoleServer>) -> Option<String> {
    context.meta.get(CALL)?.as_str().map(str::to_owned)
}

impl KitServer {
    /// Takes note of a notification. The work that it causes goes on by itself.
    pub(super) fn hear(&self, notification: CustomNotification) {
        if notification.method == CALLER_ENDED {
            self.caller_ended(notification.params.unwrap_or_default());
        }
    }

    fn caller_ended(&self, params: Value) {
        let Some(residence) = &self.capability.residence else { return };
        match serde_json::from_value::<Caller>(params) {
            Ok(caller) if caller.session.is_some() != caller.run.is_some() => {
                self.calls.spawn(residence.ended(caller));
            }
            _ => tracing::warn!("a notification about an ended caller does not name one session or one run"),
        }
    }
}

/// Hears notifications of the newer era, which the SDK takes and drops. It is asked first, since it checks where they come from.
pub(super) async fn overhear(State(server): State<Arc<KitServer>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let is_heard = headers.get(METHOD_HEADER).is_some_and(|method| method == CALLER_ENDED);
    if !is_heard || headers.contains_key(SESSION_HEADER) {
        return next.run(request).await;
    }
    let (head, body) = request.into_parts();
    let Ok(read) = Limited::new(body, NOTIFICATION_BYTES_MAX).collect().await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let message = read.to_bytes();
    let taken = next.run(Request::from_parts(head, Body::from(message.clone()))).await;
    if taken.status() == StatusCode::ACCEPTED {
        let mut message: Value = serde_json::from_slice(&message).unwrap_or_default();
        server.caller_ended(message["params"].take());
    }
    taken
}
