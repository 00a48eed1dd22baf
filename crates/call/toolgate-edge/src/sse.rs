//! The older HTTP+SSE pair (2024-11-05): `GET /sse` opens a stream that names where to post messages.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::StatusCode;
use tokio::sync::mpsc;
use toolgate_core::scope::{Credential, Route};
use toolgate_wire::sse;

use crate::body;
use crate::gateway::{Gateway, random_id};
use crate::message::{Request, Response, empty, event_stream, problem, read_body};
use crate::pipe::{Pipe, Place};

pub(crate) const MESSAGES_PATH: &str = "/messages";
const SESSION_KEY: &str = "sessionId";

/// Open pairs, by the id in the URL that the client posts to.
#[derive(Default)]
pub(crate) struct Pairs(Mutex<HashMap<String, (Credential, Arc<Pipe>)>>);

impl Pairs {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, (Credential, Arc<Pipe>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) fn open(gateway: &Arc<Gateway>, credential: Credential) -> Response {
    if gateway.pairs.lock().len() >= gateway.limits.sessions_max {
        return problem(
            StatusCode::SERVICE_UNAVAILABLE,
            "too_many_sessions",
            "too many sessions are open",
            "try again later",
        );
    }
    let (out, messages) = mpsc::channel(gateway.limits.backlog_max);
    let pipe = Pipe::new(gateway, Place { credential: credential.clone(), route: Route::Default }, out);
    let id = random_id();
    gateway.pairs.lock().insert(id.clone(), (credential, pipe.clone()));
    let endpoint = format!("{MESSAGES_PATH}?{SESSION_KEY}={id}");
    let opening = sse::encode(None, Some("endpoint"), endpoint.as_bytes());
    let on_end = {
        let (gateway, pipe) = (gateway.clone(), pipe.clone());
        move || {
            gateway.pairs.lock().remove(&id);
            pipe.close();
        }
    };
    event_stream(body::of_messages(gateway, opening, messages, pipe, on_end))
}

pub(crate) async fn message(gateway: &Arc<Gateway>, credential: &Credential, request: Request) -> Response {
    let query = request.uri().query().unwrap_or_default();
    let id = query.split('&').find_map(|pair| pair.strip_prefix(SESSION_KEY)?.strip_prefix('='));
    let Some(id) = id else {
        return problem(
            StatusCode::BAD_REQUEST,
            "no_session",
            "no session is named",
            "post to the address that GET /sse gives out",
        );
    };
    let pairs = gateway.pairs.lock().get(id).cloned();
    let Some((_, pipe)) = pairs.filter(|(owner, _)| owner == credential) else {
        return problem(
            StatusCode::NOT_FOUND,
            "unknown_session",
            "unknown session",
            "open one with GET /sse",
        );
    };
    match read_body(request.into_body(), gateway.limits.request_bytes_max).await {
        Ok(bytes) => {
            pipe.receive(bytes).await;
            empty(StatusCode::ACCEPTED)
        }
        Err(refusal) => refusal,
    }
}
