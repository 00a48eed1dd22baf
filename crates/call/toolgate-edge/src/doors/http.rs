//! Streamable HTTP on `/mcp`: both eras on one endpoint.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http::header::HeaderName;
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use hyper::body::Incoming as Body;
use tokio_util::sync::CancellationToken;
use toolgate_catalog::FoundTool;
use toolgate_core::scope::Seat;
use toolgate_core::server::Era;
use toolgate_core::{RawJson, RpcError};
use toolgate_wire::message::{self, IncomingMessage};
use toolgate_wire::{MalformedMessage, ProtocolVersion, compose, header};

use crate::clients::client::Client;
use crate::clients::leash::Leash;
use crate::clients::session::ClientSession;
use crate::doors::body::{self, NextFrame, SessionStream};
use crate::doors::http_message::{
    HttpRequest, HttpResponse, accepts, check_media, empty, event_stream, invalid, json_response,
    not_allowed, read_body, rpc_refusal,
};
use crate::gateway::Gateway;
use crate::messages::frame::Frame;
use crate::messages::parts::{OwnedRequest, RequestHead};
use crate::metrics::RequestOutcome;
use crate::protocol::era;
use crate::protocol::exchange::Exchange;
use crate::protocol::incoming::{notified, resume_parked, too_many};
use crate::protocol::listen::Subscription;
use crate::protocol::opening;
use crate::protocol::parked::ResumeOutcome;
use crate::protocol::run::{self, ClientTies};

pub(crate) async fn mcp(gateway: &Arc<Gateway>, seat: Arc<Seat>, request: HttpRequest) -> HttpResponse {
    let (parts, body) = request.into_parts();
    let visit = McpRequest { gateway, seat, headers: parts.headers };
    match parts.method {
        Method::POST => visit.post(body).await,
        Method::GET => visit.get(),
        Method::DELETE => visit.delete(),
        _ => not_allowed(),
    }
}

/// One HTTP request to the MCP endpoint.
struct McpRequest<'g> {
    gateway: &'g Arc<Gateway>,
    seat: Arc<Seat>,
    headers: HeaderMap,
}

impl McpRequest<'_> {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok().map(str::trim)
    }

    async fn post(self, body: Body) -> HttpResponse {
        if let Err(refusal) = check_media(&self.headers) {
            return refusal;
        }
        let bytes = match read_body(body, self.gateway.limits.request_bytes_max).await {
            Ok(bytes) => bytes,
            Err(refusal) => return refusal,
        };
        match message::parse(&bytes, self.gateway.limits.depth_max) {
            Err(MalformedMessage::Batch) => self.batch(&bytes).await,
            Err(malformed) => rpc_refusal(StatusCode::BAD_REQUEST, malformed.id(), &malformed.to_error()),
            Ok(incoming) => self.take(&bytes, incoming).await,
        }
    }

    async fn take(self, bytes: &Bytes, incoming: IncomingMessage<'_>) -> HttpResponse {
        match incoming {
            IncomingMessage::Request(request) => match OwnedRequest::read(bytes, &request) {
                Ok(owned) => self.request(&request, owned).await,
                Err(error) => rpc_refusal(StatusCode::BAD_REQUEST, Some(&RawJson::from(request.id)), &error),
            },
            IncomingMessage::Notification(notification) => {
                if self.era_of_header() == Some(Era::Modern) {
                    return empty(StatusCode::ACCEPTED);
                }
                match self.session() {
                    Ok(session) => {
                        notified(self.gateway, &session, &notification);
                        empty(StatusCode::ACCEPTED)
                    }
                    Err(refusal) => refusal,
                }
            }
            IncomingMessage::Response(response) => match (self.session(), response.id) {
                (Ok(session), Some(id)) => {
                    session.touch();
                    session.answered(id.get(), response.outcome.map(RawJson::from));
                    empty(StatusCode::ACCEPTED)
                }
                (Ok(_), None) => {
                    invalid(StatusCode::BAD_REQUEST, "an answer must have the id of what it answers")
                }
                (Err(refusal), _) => refusal,
            },
        }
    }

    async fn request(self, request: &message::Request<'_>, owned: OwnedRequest) -> HttpResponse {
        let says = owned.parts.meta.protocol_version.as_deref();
        if era::of_message(says, self.header(header::PROTOCOL_VERSION)) == Era::Modern {
            return self.modern(owned).await;
        }
        if owned.head.method == "initialize" {
            return self.initialize(request);
        }
        match self.session() {
            Ok(session) => self.legacy(session, owned).await,
            Err(refusal) => refusal,
        }
    }

    fn era_of_header(&self) -> Option<Era> {
        self.header(header::PROTOCOL_VERSION).and_then(ProtocolVersion::parse).map(ProtocolVersion::era)
    }

    /// The session of the older era that the headers name. Another caller's does not exist for this one.
    fn session(&self) -> Result<Arc<ClientSession>, HttpResponse> {
        if let Some(version) = self.header(header::PROTOCOL_VERSION)
            && ProtocolVersion::parse(version).is_none()
        {
            return Err(rpc_refusal(StatusCode::BAD_REQUEST, None, &era::unsupported_version(version)));
        }
        let Some(id) = self.header(header::SESSION_ID) else {
            return Err(invalid(
                StatusCode::BAD_REQUEST,
                "the header Mcp-Session-Id is missing; open a session with `initialize`, or send `_meta` of protocol version 2026-07-28",
            ));
        };
        let session = self.gateway.hub.session(id).filter(|session| session.client.sit(&self.seat));
        session.ok_or_else(|| {
            invalid(StatusCode::NOT_FOUND, "unknown session; open a new one with `initialize`")
        })
    }

    fn initialize(&self, request: &message::Request<'_>) -> HttpResponse {
        let started = Instant::now();
        let id = RawJson::from(request.id);
        match opening::initialize(self.gateway, &self.seat, request.params) {
            Err(error) => rpc_refusal(crowded_or_ok(&error), Some(&id), &error),
            Ok((session, result)) => {
                self.gateway.hub.metrics.request(
                    "initialize",
                    Era::Legacy,
                    RequestOutcome::Answered,
                    started.elapsed(),
                );
                let mut response =
                    json_response(StatusCode::OK, compose::response(id.as_str(), result.as_str()));
                let value = HeaderValue::from_str(&session.id).expect("session ids are base64url");
                response.headers_mut().insert(HeaderName::from_static(header::SESSION_ID), value);
                response
            }
        }
    }

    async fn legacy(self, session: Arc<ClientSession>, request: OwnedRequest) -> HttpResponse {
        match self.start_legacy(&session, request) {
            Ok(exchange) => self.answer(exchange, Some(session)).await,
            Err((id, error)) => rpc_refusal(StatusCode::OK, Some(&id), &error),
        }
    }

    fn start_legacy(
        &self,
        session: &Arc<ClientSession>,
        request: OwnedRequest,
    ) -> Result<Exchange, (RawJson, RpcError)> {
        let leash = session
            .begin(request.head.id.as_str(), self.gateway.limits.requests_per_client_max())
            .map_err(|error| (request.head.id.clone(), error))?;
        let ties = ClientTies { session: Some(session.clone()), leash };
        Ok(run::start(self.gateway, session.client.clone(), request, ties))
    }

    /// Several messages at once: only 2025-03-26 has them, and only inside a session.
    async fn batch(self, bytes: &Bytes) -> HttpResponse {
        let refused = || rpc_refusal(StatusCode::BAD_REQUEST, None, &MalformedMessage::Batch.to_error());
        let session = match self.header(header::SESSION_ID).map(|_| self.session()) {
            Some(Ok(session)) if session.client.version.allows_batches() => session,
            Some(Err(refusal)) => return refusal,
            _ => return refused(),
        };
        let messages = match message::parse_batch(bytes) {
            Ok(messages) => messages,
            Err(malformed) => return rpc_refusal(StatusCode::BAD_REQUEST, None, &malformed.to_error()),
        };
        if messages.len() > self.gateway.limits.requests_per_client_max() {
            return rpc_refusal(
                StatusCode::BAD_REQUEST,
                None,
                &too_many(self.gateway.limits.requests_per_client_max()),
            );
        }
        let mut exchanges = Vec::new();
        let mut answers: Vec<Bytes> = Vec::new();
        for one in messages {
            match message::parse(one.get().as_bytes(), self.gateway.limits.depth_max) {
                Ok(IncomingMessage::Request(request)) => {
                    let started = OwnedRequest::read(bytes, &request)
                        .map_err(|error| (RawJson::from(request.id), error))
                        .and_then(|owned| self.start_legacy(&session, owned));
                    match started {
                        Ok(exchange) => exchanges.push(exchange),
                        Err((id, error)) => answers.push(compose::error(Some(id.as_str()), &error)),
                    }
                }
                Ok(IncomingMessage::Notification(notification)) => {
                    notified(self.gateway, &session, &notification)
                }
                Ok(IncomingMessage::Response(response)) => {
                    if let Some(id) = response.id {
                        session.answered(id.get(), response.outcome.map(RawJson::from));
                    }
                }
                Err(malformed) => {
                    answers.push(compose::error(malformed.id().map(RawJson::as_str), &malformed.to_error()))
                }
            }
        }
        for exchange in exchanges {
            answers.push(body::last_answer(exchange, &session).await);
        }
        if answers.is_empty() {
            return empty(StatusCode::ACCEPTED);
        }
        let joined =
            answers.iter().map(|answer| String::from_utf8_lossy(answer)).collect::<Vec<_>>().join(",");
        json_response(StatusCode::OK, Bytes::from(format!("[{joined}]")))
    }

    async fn modern(self, mut request: OwnedRequest) -> HttpResponse {
        let client = match era::read_modern(&self.seat, &mut request, Some(&self.headers)) {
            Ok(client) => Arc::new(client),
            Err(error) => return rpc_refusal(StatusCode::BAD_REQUEST, Some(&request.head.id), &error),
        };
        if let Err(error) = self.check_param_headers(&mut request) {
            return rpc_refusal(StatusCode::BAD_REQUEST, Some(&request.head.id), &error);
        }
        if request.head.method == "subscriptions/listen" {
            return self.listen(&client, &request.head).await;
        }
        match resume_parked(self.gateway, &client, &request) {
            Some(Err(error)) => rpc_refusal(StatusCode::OK, Some(&request.head.id), &error),
            Some(Ok(ResumeOutcome::AskedAgain(response))) => json_response(StatusCode::OK, response.body),
            Some(Ok(ResumeOutcome::GoesOn(exchange))) => self.answer(*exchange, None).await,
            None => {
                let ties = ClientTies { session: None, leash: Leash::new(CancellationToken::new()) };
                let exchange = run::start(self.gateway, client, request, ties);
                self.answer(exchange, None).await
            }
        }
    }

    /// Holds `Mcp-Param-…` headers against the arguments they repeat, and keeps them for the server.
    fn check_param_headers(&self, request: &mut OwnedRequest) -> Result<(), RpcError> {
        if request.head.method != "tools/call" {
            return Ok(());
        }
        let received =
            self.headers.iter().filter(|(name, _)| name.as_str().starts_with(header::PARAM_PREFIX));
        request.param_headers = received
            .filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())))
            .collect();
        // Few catalogues have such a tool, and each call looks its own up later on.
        if !self.gateway.discovery.snapshot().has_param_headers() {
            return Ok(());
        }
        let view = self.gateway.discovery.view(&self.seat);
        let now_ms = self.gateway.pipeline.now_ms();
        let found = request.parts.target.as_deref().and_then(|name| view.find(name, now_ms));
        let Some(FoundTool { entry, .. }) = found else { return Ok(()) };
        if entry.param_headers.is_empty() {
            return Ok(());
        }
        let arguments = request.head.arguments();
        for one in &entry.param_headers {
            let named = |(name, _): &&(String, String)| one.header.eq_ignore_ascii_case(name);
            let mut received = request.param_headers.iter().filter(named).peekable();
            let fits = match (received.peek(), one.value(&arguments)) {
                (Some(_), Some(_)) => received.all(|(_, value)| one.matches(value, &arguments)),
                (None, None) => true,
                _ => false,
            };
            if !fits {
                let message = format!(
                    "the header {} does not repeat the argument \"{}\"",
                    one.header,
                    one.path.join(".")
                );
                return Err(RpcError::new(RpcError::HEADER_MISMATCH, message));
            }
        }
        Ok(())
    }

    async fn listen(&self, client: &Arc<Client>, request: &RequestHead) -> HttpResponse {
        match Subscription::open(self.gateway, client, request).await {
            Ok(subscription) => event_stream(body::of_subscription(self.gateway, subscription)),
            Err(error) => rpc_refusal(crowded_or_ok(&error), Some(&request.id), &error),
        }
    }

    /// Plain JSON if the answer comes first, a stream if anything else does or the answer takes its time.
    async fn answer(self, exchange: Exchange, session: Option<Arc<ClientSession>>) -> HttpResponse {
        let gateway = self.gateway;
        let era = exchange.client().era();
        let caller = exchange.caller().clone();
        let mut next: NextFrame = Box::pin(exchange.next());
        let (first, next) = match tokio::time::timeout(body::KEEP_ALIVE, &mut next).await {
            Ok((Frame::Response(answer), _)) => {
                let status = if era == Era::Modern { status_of(answer.error_code) } else { StatusCode::OK };
                return json_response(status, answer.body);
            }
            Ok((Frame::Message(message), Some(rest))) => (Some(message), Box::pin(rest.next()) as NextFrame),
            Ok((Frame::Message(message), None)) => return json_response(StatusCode::OK, message),
            Err(_) => (None, next),
        };
        event_stream(match session {
            Some(session) => body::of_session_call(gateway, &session, &caller, first, next),
            None => body::of_call(gateway, first, next),
        })
    }

    fn get(self) -> HttpResponse {
        if self.era_of_header() == Some(Era::Modern) {
            return not_allowed();
        }
        if !accepts(&self.headers, "text/event-stream") {
            return invalid(StatusCode::NOT_ACCEPTABLE, "this is a stream: accept text/event-stream");
        }
        let session = match self.session() {
            Ok(session) => session,
            Err(refusal) => return refusal,
        };
        session.touch();
        let Some(last) = self.header(header::LAST_EVENT_ID) else {
            // Only now can the client be asked for its roots outside a call, so only now are servers told to ask.
            if session.client.abilities.roots {
                self.gateway.servers.roots_changed();
            }
            return event_stream(body::of_log(self.gateway, &session, SessionStream::Push, None));
        };
        let place =
            last.split_once('-').and_then(|(stream, seen)| Some((stream.parse().ok()?, seen.parse().ok()?)));
        let stream = place.and_then(|(number, seen)| match number {
            0 => Some((SessionStream::Push, seen)),
            number => Some((SessionStream::Request(number, session.stream(number)?), seen)),
        });
        match stream {
            Some((stream, seen)) => event_stream(body::of_log(self.gateway, &session, stream, Some(seen))),
            None => invalid(
                StatusCode::BAD_REQUEST,
                "the header Last-Event-ID is not one that this session gave out",
            ),
        }
    }

    fn delete(self) -> HttpResponse {
        if self.era_of_header() == Some(Era::Modern) {
            return not_allowed();
        }
        match self.session() {
            Ok(session) => {
                self.gateway.hub.remove_session(&session.id, &*self.gateway.servers);
                empty(StatusCode::NO_CONTENT)
            }
            Err(refusal) => refusal,
        }
    }
}

/// The status of what is refused with an error of JSON-RPC: a caller that has too much is told so by HTTP too.
fn crowded_or_ok(error: &RpcError) -> StatusCode {
    if error.code == RpcError::TOO_MANY { StatusCode::TOO_MANY_REQUESTS } else { StatusCode::OK }
}

/// The HTTP status that the newer era gives an error.
fn status_of(error_code: Option<i64>) -> StatusCode {
    match error_code {
        Some(RpcError::METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
        Some(RpcError::HEADER_MISMATCH | RpcError::MISSING_CAPABILITY | RpcError::UNSUPPORTED_VERSION) => {
            StatusCode::BAD_REQUEST
        }
        Some(RpcError::INVALID_REQUEST | RpcError::PARSE) => StatusCode::BAD_REQUEST,
        Some(RpcError::TOO_MANY) => StatusCode::TOO_MANY_REQUESTS,
        _ => StatusCode::OK,
    }
}
