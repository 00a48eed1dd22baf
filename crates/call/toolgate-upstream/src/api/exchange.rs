//! One request to an API, and its whole answer. A read follows redirects within the origin; a write follows none, and nothing
//! that is secret goes to another origin.

use std::collections::BTreeMap;

use bytes::Bytes;
use connector_file::RateLeft;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use openapi_tools::ApiRequest;
use toolgate_core::port::{NoKey, ServerError};
use toolgate_core::{FaultKind, RpcError};
use url::Url;

use super::address::{self, BadTarget};
use super::heard::HeardRate;
use super::masks::SecretMasks;
use super::origin::{ApiOrigin, RequestCredentials, SignedParts};
use crate::client::{ServerResponse, shown};
use crate::context::ServerContext;
use crate::http::{Endpoint, body_fault, send_fault};
use crate::keys::{SecretUser, TokenSource};

const REDIRECTS_MAX: usize = 5;

/// Headers that belong to the connection, whatever a document says.
const OF_THE_CONNECTION: [&str; 8] =
    ["host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer", "keep-alive"];

const ACCEPT: HeaderValue = HeaderValue::from_static("application/json, */*;q=0.8");

/// A request with its address.
pub(super) struct AddressedRequest<'a> {
    pub(super) request: &'a ApiRequest,
    pub(super) address: String,
    /// False if an answer named the address: then no secret goes along.
    pub(super) with_secrets: bool,
    /// The id of the call.
    pub(super) call: &'a str,
}

/// An answer that was read to its end.
pub(super) struct ApiAnswer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    /// A redirect that was not followed, in words.
    pub(super) redirect: Option<String>,
    pub(super) masks: SecretMasks,
}

impl ApiAnswer {
    pub(super) fn header(&self, name: &str) -> Option<String> {
        self.headers.get(name)?.to_str().ok().map(str::to_owned)
    }

    /// All headers of this name, as one list.
    pub(super) fn headers_of(&self, name: &str) -> String {
        let values = self.headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        values.collect::<Vec<_>>().join(", ")
    }
}

/// The way of the requests of one principal.
#[derive(Clone, Copy)]
pub(super) struct ApiRoute<'a> {
    pub(super) ctx: &'a ServerContext,
    pub(super) origin: &'a ApiOrigin,
    pub(super) who: SecretUser<'a>,
    pub(super) heard: &'a HeardRate,
}

impl ApiRoute<'_> {
    /// Notes what an answer said about the rate that is left.
    pub(super) fn hear(&self, rate: RateLeft) {
        self.heard.hear(rate, self.ctx.house.clock.now_ms());
    }

    pub(super) async fn exchange(&self, sent: &AddressedRequest<'_>) -> Result<ApiAnswer, ServerError> {
        let mut url = address::parsed(&sent.address).map_err(refused)?;
        let credentials = match sent.with_secrets && self.origin.covers(&url) {
            true => {
                Some(self.origin.credentials(self.ctx, self.who).await.map_err(|error| self.no_key(error))?)
            }
            false => None,
        };
        let method = Method::from_bytes(sent.request.method.as_str().as_bytes())
            .expect("the methods of documents are methods of HTTP");
        let mut redirect = None;
        for _ in 0..=REDIRECTS_MAX {
            let answered = self.send(&method, &url, credentials.as_ref(), sent).await?;
            match next_address(&method, &url, &answered) {
                RedirectStep::None => return self.read(answered, None, credentials).await,
                RedirectStep::Refused(words) => return self.read(answered, Some(words), credentials).await,
                RedirectStep::Follow(next) => {
                    answered.finish();
                    redirect = Some(url.to_string());
                    url = next;
                }
            }
        }
        let from = redirect.as_deref().map(shown).unwrap_or_default();
        Err(self.ctx.garbled(format!("{from} redirects more than {REDIRECTS_MAX} times")))
    }

    async fn send(
        &self,
        method: &Method,
        url: &Url,
        credentials: Option<&RequestCredentials>,
        sent: &AddressedRequest<'_>,
    ) -> Result<ServerResponse, ServerError> {
        let body = sent.request.body.as_ref().map(|body| Bytes::from(body.bytes.clone())).unwrap_or_default();
        let mut headers = headers_of(sent.request).map_err(refused_header)?;
        let Some(credentials) = credentials else {
            headers.entry(header::ACCEPT).or_insert(ACCEPT);
            let endpoint = Endpoint::of_api(self.ctx, url, &BTreeMap::new(), TokenSource::SignIn);
            let endpoint = endpoint.map_err(|bad| self.ctx.down(bad.to_string()))?;
            let answered = endpoint.send_openly(method.clone(), headers, body.into()).await;
            return answered.map_err(|error| send_fault(self.ctx, error));
        };
        for (name, value) in &self.origin.endpoint.headers() {
            headers.insert(name, value.clone());
        }
        headers.entry(header::ACCEPT).or_insert(ACCEPT);
        let parts = SignedParts { id: sent.call, now_ms: self.ctx.house.clock.now_ms(), body: &body };
        credentials.put_on(&mut headers, &parts).map_err(|error| self.no_key(error))?;
        let endpoint = self.origin.endpoint.at(with_query(url, &credentials.query));
        let endpoint = endpoint.map_err(|bad| self.ctx.down(bad.to_string()))?;
        let answered = endpoint.send(self.who, method.clone(), headers, body.into()).await;
        answered.map_err(|error| send_fault(self.ctx, error))
    }

    async fn read(
        &self,
        answered: ServerResponse,
        redirect: Option<String>,
        credentials: Option<RequestCredentials>,
    ) -> Result<ApiAnswer, ServerError> {
        let (status, headers) = (answered.status, answered.headers.clone());
        let body = answered.whole(self.ctx.limits().result_bytes_max).await;
        let body = body.map_err(|error| body_fault(self.ctx, error))?;
        let masks = credentials.map(|credentials| credentials.masks).unwrap_or_default();
        Ok(ApiAnswer { status, headers, body, redirect, masks })
    }

    fn no_key(&self, NoKey(reason): NoKey) -> ServerError {
        self.ctx.fault(FaultKind::Unauthorized { reason })
    }
}

fn refused(bad: BadTarget) -> ServerError {
    RpcError::invalid_params(bad.to_string()).into()
}

fn refused_header(name: String) -> ServerError {
    RpcError::invalid_params(format!("the value for the header {name} has characters that no header allows"))
        .into()
}

/// The headers that the arguments make. The error is the name of one that cannot be sent.
fn headers_of(request: &ApiRequest) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::with_capacity(request.headers.len() + 8);
    for (name, value) in &request.headers {
        let (Ok(key), Ok(value)) =
            (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_bytes(value.as_bytes()))
        else {
            return Err(name.clone());
        };
        if !OF_THE_CONNECTION.contains(&key.as_str()) {
            headers.append(key, value);
        }
    }
    if !request.cookies.is_empty() {
        let pairs: Vec<String> =
            request.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let value = HeaderValue::from_str(&pairs.join("; ")).map_err(|_| "Cookie".to_owned())?;
        headers.insert(header::COOKIE, value);
    }
    if let Some(body) = &request.body {
        let value = HeaderValue::from_str(&body.media_type).map_err(|_| "Content-Type".to_owned())?;
        headers.insert(header::CONTENT_TYPE, value);
    }
    Ok(headers)
}

/// Adds the parameters that the address does not have yet.
fn with_query(url: &Url, parameters: &[(String, String)]) -> Url {
    let mut url = url.clone();
    for (name, value) in parameters {
        if !url.query_pairs().any(|(known, _)| known == name.as_str()) {
            url.query_pairs_mut().append_pair(name, value);
        }
    }
    url
}

enum RedirectStep {
    None,
    Follow(Url),
    /// In words.
    Refused(String),
}

fn next_address(method: &Method, url: &Url, answered: &ServerResponse) -> RedirectStep {
    let status = answered.status.as_u16();
    if !matches!(status, 301 | 302 | 303 | 307 | 308) {
        return RedirectStep::None;
    }
    let Some(location) = answered.header("location") else { return RedirectStep::None };
    let next = url.join(location).ok().filter(|next| matches!(next.scheme(), "http" | "https"));
    let not_followed = |why: &str| {
        let place = next.as_ref().map_or_else(|| shown(location), |next| shown(next.as_str()));
        RedirectStep::Refused(format!(
            "it answered HTTP {status} with a redirect to {place}, which was not followed: {why}"
        ))
    };
    if !matches!(*method, Method::GET | Method::HEAD) {
        return not_followed("a request that may change something is sent once. It may have taken effect");
    }
    match next.as_ref().filter(|next| next.origin() == url.origin()) {
        Some(next) => RedirectStep::Follow(next.clone()),
        None => not_followed("it leads to another origin, and credentials do not leave theirs"),
    }
}
