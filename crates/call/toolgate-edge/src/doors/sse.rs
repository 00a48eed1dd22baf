//! The older HTTP+SSE pair (2024-11-05): `GET /sse` opens a stream that names where to post messages.

use std::sync::Arc;

use http::StatusCode;
use tokio::sync::mpsc;
use toolgate_core::scope::{Credential, SessionRoute};
use toolgate_core::{Refusal, codes};
use toolgate_wire::sse;

use crate::doors::body;
use crate::doors::http_message::{
    HttpRequest, HttpResponse, empty, event_stream, problem, problem_as, read_body,
};
use crate::doors::pairs::MessageInlet;
use crate::doors::pipe::{Pipe, PipePeer};
use crate::gateway::Gateway;
use crate::messages::seal::random_id;

pub(crate) const MESSAGES_PATH: &str = "/messages";
const SESSION_KEY: &str = "sessionId";

pub(crate) fn open(gateway: &Arc<Gateway>, credential: Credential) -> HttpResponse {
    if gateway.pairs.count() >= gateway.limits.sessions_max {
        return problem_as(
            StatusCode::SERVICE_UNAVAILABLE,
            &Refusal::new(&codes::TOO_MANY_SESSIONS, "too many sessions are open").hint("try again later"),
        );
    }
    let (out, messages) = mpsc::channel(gateway.limits.backlog_max);
    let pipe =
        Pipe::new(gateway, PipePeer { credential: credential.clone(), route: SessionRoute::Default }, out);
    let id = random_id();
    gateway.pairs.add(id.clone(), credential, inlet_of(&pipe));
    let endpoint = format!("{MESSAGES_PATH}?{SESSION_KEY}={id}");
    let opening = sse::encode(None, Some("endpoint"), endpoint.as_bytes());
    let on_end = {
        let (gateway, pipe) = (gateway.clone(), pipe.clone());
        move || {
            gateway.pairs.remove(&id);
            pipe.close();
        }
    };
    event_stream(body::of_messages(gateway, opening, messages, pipe, on_end))
}

/// The sender of a message waits until the pipe has understood it.
fn inlet_of(pipe: &Arc<Pipe>) -> MessageInlet {
    let pipe = pipe.clone();
    Arc::new(move |message| {
        let pipe = pipe.clone();
        Box::pin(async move { pipe.receive(message).await })
    })
}

pub(crate) async fn message(
    gateway: &Arc<Gateway>,
    credential: &Credential,
    request: HttpRequest,
) -> HttpResponse {
    let query = request.uri().query().unwrap_or_default();
    let id = query.split('&').find_map(|pair| pair.strip_prefix(SESSION_KEY)?.strip_prefix('='));
    let Some(id) = id else {
        return problem(
            &Refusal::new(&codes::NO_SESSION, "no session is named")
                .hint("post to the address that GET /sse gives out"),
        );
    };
    let Some(take) = gateway.pairs.find(id, credential) else {
        return problem(
            &Refusal::new(&codes::UNKNOWN_SESSION, "unknown session").hint("open one with GET /sse"),
        );
    };
    match read_body(request.into_body(), gateway.limits.request_bytes_max).await {
        Ok(bytes) => {
            take(bytes).await;
            empty(StatusCode::ACCEPTED)
        }
        Err(refusal) => refusal,
    }
}
