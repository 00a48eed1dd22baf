//! One request to an endpoint, with a limit of time and of size. Workers are single-threaded and synchronous,
//! so the runtime lives as long as the request.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use http::{Method, Request};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use toolgate_core::address::Reach;
use toolgate_core::egress::Egress;
use toolgate_outbound::{Resolver, Scheme, told};
use url::Url;

use crate::llm::LlmError;

pub(crate) const ANSWER_BYTES_MAX: usize = 1 << 20;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The status and the body of the answer.
pub(super) fn post(
    url: &Url,
    egress: &Arc<Egress>,
    key: Option<&str>,
    body: &Value,
    time: Duration,
) -> Result<(u16, Bytes), LlmError> {
    let scheme = Scheme::of(url.scheme());
    let scheme = scheme.ok_or_else(|| LlmError::Unreachable("it is not an http or https address".into()))?;
    let request = request(url, key, body)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| LlmError::Unreachable(error.to_string()))?;
    let answer = runtime.block_on(async { tokio::time::timeout(time, send(request, scheme, egress)).await });
    answer.unwrap_or(Err(LlmError::TooSlow(time)))
}

fn request(url: &Url, key: Option<&str>, body: &Value) -> Result<Request<Full<Bytes>>, LlmError> {
    let unreachable = |error: &dyn Error| LlmError::Unreachable(error.to_string());
    let mut request = Request::builder()
        .method(Method::POST)
        .uri(url.as_str())
        .header(CONTENT_TYPE, "application/json")
        .body(Full::from(body.to_string()))
        .map_err(|error| unreachable(&error))?;
    if let Some(key) = key {
        let bearer = HeaderValue::try_from(format!("Bearer {key}"));
        let mut bearer = bearer.map_err(|_| {
            LlmError::Unreachable("the key contains characters that a header cannot carry".into())
        })?;
        bearer.set_sensitive(true);
        request.headers_mut().insert(AUTHORIZATION, bearer);
    }
    Ok(request)
}

async fn send(
    request: Request<Full<Bytes>>,
    scheme: Scheme,
    egress: &Arc<Egress>,
) -> Result<(u16, Bytes), LlmError> {
    // The operator of the server names the endpoint.
    let resolver = Resolver::system(Reach::Anywhere);
    let connector = toolgate_outbound::connector(scheme, egress, resolver, CONNECT_TIMEOUT);
    let connector = connector.map_err(|error| LlmError::Unreachable(error.to_string()))?;
    let client = Client::builder(TokioExecutor::new()).build(connector);
    let response = client.request(request).await.map_err(|error| LlmError::Unreachable(told(&error)))?;
    let status = response.status().as_u16();
    let body = Limited::new(response.into_body(), ANSWER_BYTES_MAX).collect().await;
    let body = body.map_err(|error| match error.is::<LengthLimitError>() {
        true => LlmError::TooLong,
        false => LlmError::Unreachable(error.to_string()),
    })?;
    Ok((status, body.to_bytes()))
}
