//! A server behind a URL: the address, the headers of every request, and the meaning of its HTTP answers.

mod first_answer;
pub(crate) mod open;
pub(crate) mod pair;
mod session;
pub(crate) mod sessions;
pub(crate) mod stateless;

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use toolgate_core::FaultKind;
use toolgate_core::port::{NoKey, ServerError};
use toolgate_core::server::{InstanceSpec, TransportSpec};
use toolgate_outbound::{Resolver, excerpt};
use toolgate_wire::IncomingMessage;

use crate::answer;
use crate::client::{BadAddress, BodyError, SendError, ServerClient, ServerResponse, shown};
use crate::context::ServerContext;
use crate::keys::{SecretTemplate, SecretUser, ServerKeys, TokenSource, wants_credential};
use crate::message::OutgoingMessage;
use crate::pending::ServerAnswer;

const EXCERPT_CHARS: usize = 300;

/// The address and the headers.
#[derive(Clone)]
pub(crate) struct Endpoint {
    pub(crate) client: Arc<ServerClient>,
    pub(crate) url: url::Url,
    target: Uri,
    /// The configured headers without secrets and those that never change.
    headers: HeaderMap,
    keys: Arc<ServerKeys>,
}

impl Endpoint {
    pub(crate) fn new(ctx: &ServerContext) -> Result<Self, BadAddress> {
        let TransportSpec::Http { instances, headers } = &ctx.spec.transport else {
            return Err(BadAddress::Url { url: "a process".into() });
        };
        // The specification of a member names its own instance and no other.
        let instance = instances.first();
        let url = instance.map_or("", |instance| &instance.url);
        let parsed = url::Url::parse(url).map_err(|_| BadAddress::Url { url: shown(url) })?;
        let client = client(ctx, &parsed)?;
        let (mut headers, mut secret) = configured_headers(headers)?;
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(instance) = instance.filter(|instance| instance.wants_token) {
            show_token(instance, &headers, &mut secret);
        }
        let keyring = ctx.house.keyring.clone();
        let keys =
            ServerKeys::new(ctx.name().clone(), parsed.to_string(), keyring, secret, TokenSource::SignIn);
        Ok(Self { client, target: target(&parsed)?, url: parsed, headers, keys })
    }

    /// An API that does not speak MCP, at this address.
    pub(crate) fn of_api(
        ctx: &ServerContext,
        url: &url::Url,
        headers: &BTreeMap<String, String>,
        tokens: TokenSource,
    ) -> Result<Self, BadAddress> {
        let (headers, secret) = configured_headers(headers)?;
        let keyring = ctx.house.keyring.clone();
        let keys = ServerKeys::new(ctx.name().clone(), url.to_string(), keyring, secret, tokens);
        Ok(Self { client: client(ctx, url)?, target: target(url)?, url: url.clone(), headers, keys })
    }

    /// The same server at another path.
    pub(crate) fn at(&self, url: url::Url) -> Result<Self, BadAddress> {
        Ok(Self { target: target(&url)?, url, ..self.clone() })
    }

    pub(crate) fn headers(&self) -> HeaderMap {
        self.headers.clone()
    }

    pub(crate) async fn bearer_token(&self, who: SecretUser<'_>) -> Result<Option<String>, NoKey> {
        self.keys.bearer_token(who).await
    }

    pub(crate) async fn post(
        &self,
        who: SecretUser<'_>,
        headers: HeaderMap,
        message: OutgoingMessage,
    ) -> Result<ServerResponse, SendError> {
        self.send(who, Method::POST, headers, message).await
    }

    pub(crate) async fn get(
        &self,
        who: SecretUser<'_>,
        mut headers: HeaderMap,
    ) -> Result<ServerResponse, SendError> {
        headers.remove(header::CONTENT_TYPE);
        headers.insert(header::ACCEPT, HeaderValue::from_static("text/event-stream"));
        self.send(who, Method::GET, headers, Bytes::new().into()).await
    }

    pub(crate) async fn delete(
        &self,
        who: SecretUser<'_>,
        mut headers: HeaderMap,
    ) -> Result<ServerResponse, SendError> {
        headers.remove(header::CONTENT_TYPE);
        self.send(who, Method::DELETE, headers, Bytes::new().into()).await
    }

    pub(crate) async fn send(
        &self,
        who: SecretUser<'_>,
        method: Method,
        headers: HeaderMap,
        message: OutgoingMessage,
    ) -> Result<ServerResponse, SendError> {
        if self.keys.are_none() {
            return self.client.send(method, self.target.clone(), headers, message).await;
        }
        Box::pin(self.send_with_keys(who, method, headers, message)).await
    }

    /// Sends without any credential.
    pub(crate) async fn send_openly(
        &self,
        method: Method,
        headers: HeaderMap,
        message: OutgoingMessage,
    ) -> Result<ServerResponse, SendError> {
        self.client.send(method, self.target.clone(), headers, message).await
    }

    /// A refused credential may be replaced and the request repeated, once: a refused request has had no
    /// effect.
    async fn send_with_keys(
        &self,
        who: SecretUser<'_>,
        method: Method,
        mut headers: HeaderMap,
        message: OutgoingMessage,
    ) -> Result<ServerResponse, SendError> {
        let shown = self.keys.shown(who).await?;
        shown.put_on(&mut headers);
        let again = (method.clone(), headers.clone(), message.clone());
        let answered = self.client.send(method, self.target.clone(), headers, message).await?;
        let (method, mut headers, message) = again;
        if shown.are_values_refused_by(&answered) {
            let Some(others) = self.keys.instead_of_values(who).await? else { return Ok(answered) };
            answered.finish();
            others.put_on(&mut headers);
            return self.client.send(method, self.target.clone(), headers, message).await;
        }
        if !shown.is_refused_by(&answered) {
            return Ok(answered);
        }
        let challenge = answered.header("www-authenticate").map(str::to_owned);
        answered.finish();
        self.keys.instead_of(&shown, who, challenge.as_deref()).await?.put_on(&mut headers);
        self.client.send(method, self.target.clone(), headers, message).await
    }
}

fn client(ctx: &ServerContext, url: &url::Url) -> Result<Arc<ServerClient>, BadAddress> {
    let resolver = Resolver::system(ctx.spec.reach);
    ServerClient::new(url, resolver, &ctx.spec.egress, ctx.tasks.clone())
}

type SecretHeaders = Vec<(HeaderName, SecretTemplate)>;

fn target(url: &url::Url) -> Result<Uri, BadAddress> {
    let text = match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    text.parse().map_err(|_| BadAddress::Url { url: shown(url.as_str()) })
}

/// An instance is shown the token that it provided, unless the operator configured a credential.
fn show_token(instance: &InstanceSpec, headers: &HeaderMap, secret: &mut SecretHeaders) {
    let is_said = |(name, _): &(HeaderName, SecretTemplate)| *name == header::AUTHORIZATION;
    if !headers.contains_key(header::AUTHORIZATION) && !secret.iter().any(is_said) {
        let name = InstanceSpec::token_name(&instance.id);
        secret.push((header::AUTHORIZATION, SecretTemplate::bearer(name)));
    }
}

/// The headers of every request, and those that have secrets in them.
fn configured_headers(
    configured: &BTreeMap<String, String>,
) -> Result<(HeaderMap, SecretHeaders), BadAddress> {
    let mut headers = HeaderMap::with_capacity(16);
    let mut secret = SecretHeaders::new();
    for (name, value) in configured {
        let bad = |reason: String| BadAddress::Header { name: name.clone(), reason };
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|error| bad(error.to_string()))?;
        let template = SecretTemplate::parse(value).map_err(|error| bad(error.to_string()))?;
        if template.has_secrets() {
            secret.push((key, template));
            continue;
        }
        let mut value = HeaderValue::from_str(value)
            .map_err(|_| bad("its value has characters no header allows".into()))?;
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    if !headers.contains_key(header::USER_AGENT) {
        headers.insert(
            header::USER_AGENT,
            HeaderValue::from_static(concat!("toolgate/", env!("CARGO_PKG_VERSION"))),
        );
    }
    Ok((headers, secret))
}

/// The fault of a request that could not be sent. The supervisor is asked to check the server.
pub(crate) fn send_fault(ctx: &ServerContext, error: SendError) -> ServerError {
    match error {
        SendError::NoKey(NoKey(reason)) => return ctx.fault(FaultKind::Unauthorized { reason }),
        SendError::Unread(error) => return ctx.unread(error),
        _ => ctx.signals.suspect(),
    }
    match error {
        SendError::Lost(reason) => ctx.lost(reason),
        unsent => ctx.down(unsent.to_string()),
    }
}

/// The fault of an answer that only asks for a credential, regardless of its body.
pub(crate) fn unauthorized(ctx: &ServerContext, answered: &ServerResponse) -> Option<ServerError> {
    if !wants_credential(answered) {
        return None;
    }
    ctx.signals.suspect();
    let status = answered.status.as_u16();
    let challenge = answered.header("www-authenticate").map(|text| excerpt(text.as_bytes(), EXCERPT_CHARS));
    let asks = challenge.map(|text| format!(" and asks for {text}")).unwrap_or_default();
    Some(ctx.fault(FaultKind::Unauthorized { reason: format!("it answered HTTP {status}{asks}") }))
}

pub(crate) fn body_fault(ctx: &ServerContext, error: BodyError) -> ServerError {
    match error {
        BodyError::TooLarge => ctx.too_large(),
        BodyError::Unread(error) => ctx.unread(error),
        BodyError::Lost(reason) => ctx.lost(reason),
    }
}

/// The answer to the request `id` in a whole body. Errors of the protocol come with any status; an
/// unsuccessful status without one is no answer.
pub(crate) fn judge(ctx: &ServerContext, status: StatusCode, body: &Bytes, id: u64) -> ServerAnswer {
    if status.is_success() && !body.is_empty() {
        return answer::of_body(ctx, body, id);
    }
    if let Ok(IncomingMessage::Response(response)) = toolgate_wire::parse(body, ctx.limits().depth_max)
        && let Err(error) = response.outcome
    {
        return Err(ServerError::Rpc(error));
    }
    if status.is_success() {
        return Err(ctx.garbled(format!("it took the request with HTTP {} and no answer", status.as_u16())));
    }
    ctx.signals.suspect();
    Err(ctx.fault(FaultKind::Refused { status: status.as_u16(), body: excerpt(body, EXCERPT_CHARS) }))
}

pub(crate) fn timed_out(ctx: &ServerContext, after: std::time::Duration) -> ServerError {
    ctx.fault(FaultKind::TimedOut { after })
}
