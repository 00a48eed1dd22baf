//! One request to an endpoint, with a limit of time and of size. Workers are single-threaded and synchronous, so the runtime
//! lives as long as the request.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use http::{Method, Request};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper_rustls::{ConfigBuilderExt, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value;
use url::Url;

use crate::llm::LlmError;

pub(crate) const ANSWER_BYTES_MAX: usize = 1 << 20;

/// The status and the body of the answer.
pub(super) fn post(
    url: &Url,
    key: Option<&str>,
    body: &Value,
    time: Duration,
) -> Result<(u16, Bytes), LlmError> {
    let request = request(url, key, body)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| LlmError::Unreachable(error.to_string()))?;
    let answer = runtime.block_on(async { tokio::time::timeout(time, send(request)).await });
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
        let mut bearer = bearer
            .map_err(|_| LlmError::Unreachable("the key has signs that a header cannot hold".into()))?;
        bearer.set_sensitive(true);
        request.headers_mut().insert(AUTHORIZATION, bearer);
    }
    Ok(request)
}

async fn send(request: Request<Full<Bytes>>) -> Result<(u16, Bytes), LlmError> {
    let connector =
        HttpsConnectorBuilder::new().with_tls_config(tls()?).https_or_http().enable_http1().build();
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

/// With the machine's root certificates; a machine without any still reaches addresses in plain http.
fn tls() -> Result<ClientConfig, LlmError> {
    let builder = || {
        ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| LlmError::Unreachable(error.to_string()))
    };
    let rooted = match builder()?.with_native_roots() {
        Ok(rooted) => rooted,
        Err(_) => builder()?.with_root_certificates(RootCertStore::empty()),
    };
    Ok(rooted.with_no_client_auth())
}

/// An error with its causes: the outermost of hyper's says next to nothing.
fn told(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}
