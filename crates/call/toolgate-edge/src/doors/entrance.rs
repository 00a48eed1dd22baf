//! The way in over HTTP: every route, and what is checked before any of them.
//!
//! Written on hyper alone: six routes need no router, and boxing a future and a body for each layer would cost a small
//! call more than everything it is for.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::header as h;
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use toolgate_core::codes;
use toolgate_core::scope::{Credential, SessionRoute};
use toolgate_core::{Principal, Refusal, Role};

use crate::doors::body::OutBody;
use crate::doors::guard::{self, NotAdmitted, ProtectedResource};
use crate::doors::http::mcp;
use crate::doors::http_message::{
    EVENT_STREAM, HttpRequest, HttpResponse, empty, json_response, not_allowed, problem, problem_as, whole,
};
use crate::doors::patience::PatientBody;
use crate::doors::places::ConnectionUse;
use crate::doors::rest::ServedCallers;
use crate::doors::seats::{self, route_of};
use crate::doors::sse;
use crate::gateway::Gateway;

/// The caller who comes in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visitor {
    pub(crate) peer: SocketAddr,
    pub(crate) standing: ConnectionUse,
}

/// The one way in: Host, Origin and token are checked on every route.
pub(crate) async fn enter(gateway: &Arc<Gateway>, visitor: Visitor, request: HttpRequest) -> HttpResponse {
    let authority = request.uri().authority().map(|authority| authority.as_str());
    if let Err(refusal) = gateway.allowed.check(request.headers(), authority) {
        return refuse(gateway, &refusal);
    }
    let origin = request.headers().get(h::ORIGIN).cloned();
    let response = if request.method() == Method::OPTIONS {
        preflight(request.headers())
    } else {
        admit(gateway, visitor, request).await
    };
    match origin {
        None => response,
        Some(origin) => with_cors(response, origin),
    }
}

async fn admit(gateway: &Arc<Gateway>, visitor: Visitor, request: HttpRequest) -> HttpResponse {
    let beside = match (&gateway.rest, request.uri().path()) {
        // The way of almost every request.
        (None, _) | (_, "/mcp") => ServedCallers::Nothing,
        (Some(rest), path) => rest.serves(path),
    };
    let is_kept = visitor.standing == ConnectionUse::Kept;
    if is_open(visitor.peer, &request) {
        return serve(gateway, None, beside, request).await;
    }
    if beside == ServedCallers::Anyone {
        return if is_kept { no_place() } else { serve(gateway, None, beside, request).await };
    }
    match guard::authenticate(&gateway.credentials, request.headers()).await {
        Ok(credential) if is_kept && !looks_after(&credential) => no_place(),
        Ok(credential) => {
            let shown = request.headers().get(h::AUTHORIZATION).cloned();
            let response = serve(gateway, Some(credential), beside, request).await;
            while_good(gateway, shown.as_ref(), response)
        }
        Err(refusal) => refuse(gateway, &refusal),
    }
}

/// A stream ends when the secret it was opened with is revoked.
fn while_good(gateway: &Gateway, shown: Option<&HeaderValue>, response: HttpResponse) -> HttpResponse {
    let is_stream = response.headers().get(h::CONTENT_TYPE).is_some_and(|media| media == EVENT_STREAM);
    match shown.filter(|_| is_stream).and_then(guard::secret_of) {
        Some(secret) => {
            let (credentials, secret) = (gateway.credentials.clone(), secret.to_owned());
            response.map(|body| body.until(Box::pin(guard::until_revoked(credentials, secret))))
        }
        None => response,
    }
}

/// True if a caller may have a reserved place.
fn looks_after(credential: &Credential) -> bool {
    matches!(credential.principal.role, Role::Admin | Role::Operator)
}

fn no_place() -> HttpResponse {
    let mut response =
        problem(&Refusal::new(&codes::CONNECTIONS_FULL, "the gateway has reached its limit of connections"));
    response.headers_mut().insert(h::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// Every route. What needs a credential has one here.
async fn serve(
    gateway: &Arc<Gateway>,
    credential: Option<Credential>,
    beside: ServedCallers,
    request: HttpRequest,
) -> HttpResponse {
    let path = request.uri().path();
    if let (Some(rest), true) = (&gateway.rest, beside != ServedCallers::Nothing) {
        return rest.serve(credential, request.map(PatientBody::new)).await.map(OutBody::Rest);
    }
    if let (Some(credential), Some(route)) = (&credential, route_of(path)) {
        return match credential.principal.role.may_call_tools() {
            true => serve_mcp(gateway, credential, &route, request).await,
            false => wrong_role(&credential.principal),
        };
    }
    match (path, credential) {
        ("/sse" | sse::MESSAGES_PATH, Some(credential)) if !credential.principal.role.may_call_tools() => {
            wrong_role(&credential.principal)
        }
        ("/sse", Some(credential)) if request.method() == Method::GET => {
            match gateway.seat(&credential, &SessionRoute::Default).await {
                Ok(_) => sse::open(gateway, credential),
                Err(refusal) => not_seated(&refusal),
            }
        }
        (sse::MESSAGES_PATH, Some(credential)) if request.method() == Method::POST => {
            sse::message(gateway, &credential, request).await
        }
        ("/metrics", credential) => metrics(gateway, credential.as_ref().map(|one| &one.principal)).await,
        ("/healthz", _) => whole(StatusCode::OK, "text/plain", Bytes::from_static(b"ok\n")),
        ("/readyz", _) => ready(gateway),
        (path, _) if path.starts_with(ProtectedResource::PATH) => resource_metadata(gateway),
        ("/sse" | sse::MESSAGES_PATH, _) => not_allowed(),
        _ => problem(
            &Refusal::new(&codes::NOT_FOUND, "there is nothing here")
                .hint("the MCP endpoint is /mcp, or /mcp/{agent}"),
        ),
    }
}

async fn serve_mcp(
    gateway: &Arc<Gateway>,
    credential: &Credential,
    route: &SessionRoute,
    request: HttpRequest,
) -> HttpResponse {
    match gateway.seat(credential, route).await {
        Ok(seat) => mcp(gateway, seat, request).await,
        Err(refusal) => not_seated(&refusal),
    }
}

fn not_seated(refusal: &Refusal) -> HttpResponse {
    problem_as(seats::status_of(refusal), refusal)
}

fn wrong_role(principal: &Principal) -> HttpResponse {
    let message = format!("a token of the role {} calls no tools", principal.role.as_str());
    let hint = "`toolgate token create --role agent` makes one that does";
    problem(&Refusal::new(&codes::WRONG_ROLE, message).hint(hint))
}

/// Routes that need no token: health for supervisors, and numbers for a scraper on this very machine.
fn is_open(peer: SocketAddr, request: &HttpRequest) -> bool {
    match request.uri().path() {
        "/healthz" | "/readyz" => true,
        path if path.starts_with(ProtectedResource::PATH) => true,
        "/metrics" => {
            let headers = request.headers();
            // A page in a browser says where it comes from, and a proxy for whom it asks.
            let for_others =
                [h::ORIGIN, h::REFERER, h::FORWARDED, h::VIA].iter().any(|name| headers.contains_key(name))
                    || headers
                        .keys()
                        .any(|name| name.as_str().starts_with("x-forwarded-") || name == "x-real-ip");
            let local = peer.ip().is_loopback() && guard::names_loopback(headers);
            !headers.contains_key(h::AUTHORIZATION) && !for_others && local
        }
        _ => false,
    }
}

fn refuse(gateway: &Gateway, why: &NotAdmitted) -> HttpResponse {
    gateway.hub.metrics.refused();
    let mut response = problem(&why.refusal);
    if response.status() == StatusCode::UNAUTHORIZED || why.error.is_some() {
        response.headers_mut().insert(h::WWW_AUTHENTICATE, challenge(gateway, why));
    }
    response
}

/// Tells a client what it needs, and where to get it.
fn challenge(gateway: &Gateway, why: &NotAdmitted) -> HeaderValue {
    let mut text = "Bearer realm=\"toolgate\"".to_owned();
    let mut add = |name: &str, value: &str| text.push_str(&format!(", {name}=\"{}\"", quotable(value)));
    if let Some(error) = why.error {
        add("error", error);
        add("error_description", &why.refusal.message);
    }
    if let Some(resource) = &gateway.protected_resource {
        add("scope", &resource.scopes);
        add("resource_metadata", &resource.metadata_url);
    }
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("Bearer realm=\"toolgate\""))
}

/// A text as it may stand between quotes in a header.
fn quotable(text: &str) -> String {
    text.chars().filter(|c| matches!(c, ' '..='~') && !matches!(c, '"' | '\\')).collect()
}

/// The origin was allowed, so whatever headers its page wants to send are: some are named by tools.
fn preflight(asked: &HeaderMap) -> HttpResponse {
    let mut response = empty(StatusCode::NO_CONTENT);
    let headers = response.headers_mut();
    headers.insert(
        h::ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static("GET, POST, PUT, PATCH, DELETE, OPTIONS"),
    );
    if let Some(wanted) = asked.get(h::ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.insert(h::ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
    }
    headers.insert(h::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    response
}

/// Pages whose origin was allowed may read the answer.
fn with_cors(mut response: HttpResponse, origin: HeaderValue) -> HttpResponse {
    let headers = response.headers_mut();
    headers.insert(h::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(
        h::ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static("mcp-session-id, www-authenticate"),
    );
    headers.append(h::VARY, HeaderValue::from_static("origin"));
    response
}

fn resource_metadata(gateway: &Gateway) -> HttpResponse {
    match &gateway.protected_resource {
        Some(resource) => json_response(StatusCode::OK, resource.document.clone()),
        None => problem(
            &Refusal::new(&codes::NOT_FOUND, "this gateway takes no OAuth access tokens")
                .hint("`[oauth]` in toolgate.toml names an issuer"),
        ),
    }
}

async fn metrics(gateway: &Gateway, principal: Option<&Principal>) -> HttpResponse {
    if principal.is_some_and(|principal| !matches!(principal.role, Role::Admin | Role::Operator)) {
        return problem(
            &Refusal::new(&codes::WRONG_ROLE, "metrics are for admins and operators")
                .hint("use a token made with `--role operator`"),
        );
    }
    gateway.numbers.refresh().await;
    let text = gateway.hub.metrics.render(gateway.hub.session_count(), &*gateway.numbers);
    whole(StatusCode::OK, "application/openmetrics-text; version=1.0.0; charset=utf-8", text.into())
}

fn ready(gateway: &Gateway) -> HttpResponse {
    if gateway.shutdown.is_cancelled() {
        return problem(
            &Refusal::new(&codes::SHUTTING_DOWN, "shutting down")
                .hint("another instance can take the traffic"),
        );
    }
    if !gateway.pipeline.is_recording() {
        return problem(
            &Refusal::new(&codes::STORE_DOWN, "calls cannot be recorded at the moment, so none is sent")
                .hint("another instance can take the traffic; the log says what is wrong with the store"),
        );
    }
    json_response(StatusCode::OK, Bytes::from_static(b"{\"ready\":true}\n"))
}
