//! The older HTTP+SSE pair (2024-11-05): `GET /sse` opens a stream that names where to post messages.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::{Query, Request, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use tokio::sync::mpsc;
use toolgate_core::{Principal, PrincipalId};
use toolgate_wire::sse;

use crate::body;
use crate::gateway::{Gateway, random_id};
use crate::http::{empty, event_stream, problem, read_body};
use crate::pipe::Pipe;

pub(crate) const MESSAGES_PATH: &str = "/messages";

/// Open pairs, by the id in the URL that the client posts to.
#[derive(Default)]
pub(crate) struct Pairs(Mutex<HashMap<String, (PrincipalId, Arc<Pipe>)>>);

impl Pairs {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, (PrincipalId, Arc<Pipe>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) async fn open(State(gateway): State<Arc<Gateway>>, request: Request) -> Response {
    let Some(principal) = request.extensions().get::<Principal>().cloned() else {
        return problem(StatusCode::UNAUTHORIZED, "a token is required", "send `Authorization: Bearer <token>`");
    };
    let (out, messages) = mpsc::channel(gateway.limits.backlog_max);
    let pipe = Pipe::new(&gateway, principal.id.clone(), out);
    let id = random_id();
    if gateway.pairs.lock().len() >= gateway.limits.sessions_max {
        return problem(StatusCode::SERVICE_UNAVAILABLE, "too many sessions are open", "try again later");
    }
    gateway.pairs.lock().insert(id.clone(), (principal.id, pipe.clone()));
    let endpoint = format!("{MESSAGES_PATH}?sessionId={id}");
    let opening = sse::encode(None, Some("endpoint"), endpoint.as_bytes());
    let on_end = {
        let gateway = gateway.clone();
        move || {
            gateway.pairs.lock().remove(&id);
            pipe.close();
        }
    };
    event_stream(body::of_messages(&gateway, opening, messages, on_end))
}

#[derive(Deserialize)]
pub(crate) struct Target {
    #[serde(rename = "sessionId")]
    session_id: String,
}

pub(crate) async fn message(
    State(gateway): State<Arc<Gateway>>,
    Query(target): Query<Target>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let caller = parts.extensions.get::<Principal>().map(|principal| principal.id.clone());
    let pipe = gateway.pairs.lock().get(&target.session_id).filter(|(owner, _)| Some(owner) == caller.as_ref()).map(|(_, pipe)| pipe.clone());
    let Some(pipe) = pipe else {
        return problem(StatusCode::NOT_FOUND, "unknown session", "open one with GET /sse");
    };
    match read_body(body, gateway.limits.request_bytes_max).await {
        Ok(bytes) => {
            pipe.receive(bytes).await;
            empty(StatusCode::ACCEPTED)
        }
        Err(refusal) => refusal,
    }
}
