//! Asking the REST API as the person who looks at a page.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderName};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use http_body_util::{BodyExt, Limited};
use serde::Serialize;
use serde::de::DeserializeOwned;
use toolgate_core::codes;

use crate::address::PageAddress;
use crate::problem::{ApiProblem, PageResult};
use crate::visit::PageVisit;

/// The largest answer that a page may use. The API's own pages are far below.
const ANSWER_BYTES_MAX: usize = 64 << 20;
/// The headers that a passed-on answer keeps.
const PASSED_ON: [&str; 8] = [
    "content-type",
    "content-disposition",
    "content-length",
    "content-range",
    "accept-ranges",
    "etag",
    "cache-control",
    "x-accel-buffering",
];

impl PageVisit {
    pub(crate) async fn get<T: DeserializeOwned>(&self, address: PageAddress) -> PageResult<T> {
        let request = http::Request::get(address.as_str()).body(Body::empty());
        self.read(request.expect("addresses are well formed")).await
    }

    /// `None` if it does not exist, or this role may not see it: a page then omits it.
    pub(crate) async fn find<T: DeserializeOwned>(&self, address: PageAddress) -> PageResult<Option<T>> {
        match self.get(address).await {
            Ok(found) => Ok(Some(found)),
            Err(problem) if problem.is(StatusCode::NOT_FOUND) || problem.is(StatusCode::FORBIDDEN) => {
                Ok(None)
            }
            Err(problem) => Err(problem),
        }
    }

    pub(crate) async fn post<T: DeserializeOwned>(
        &self,
        address: PageAddress,
        body: &impl Serialize,
    ) -> PageResult<T> {
        self.send(Method::POST, address, body).await
    }

    pub(crate) async fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        address: PageAddress,
        body: &impl Serialize,
    ) -> PageResult<T> {
        self.send_with(method, address, HeaderMap::new(), body).await
    }

    /// With additional headers, such as `If-Match`.
    pub(crate) async fn send_with<T: DeserializeOwned>(
        &self,
        method: Method,
        address: PageAddress,
        headers: HeaderMap,
        body: &impl Serialize,
    ) -> PageResult<T> {
        let body = serde_json::to_vec(body).expect("our own types serialise");
        let request = http::Request::builder().method(method).uri(address.as_str());
        let mut request = request.body(Body::from(body)).expect("addresses are well formed");
        *request.headers_mut() = headers;
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        self.read(request).await
    }

    /// The answer itself, streaming: events, and the bytes of files. A refusal becomes a problem.
    pub(crate) async fn pass_on(&self, address: PageAddress, headers: HeaderMap) -> PageResult<Response> {
        let mut request =
            http::Request::get(address.as_str()).body(Body::empty()).expect("addresses are well formed");
        *request.headers_mut() = headers;
        let answer = self.context.backend.ask(self.credential.clone(), request).await;
        if answer.status().is_client_error() || answer.status().is_server_error() {
            return Err(read_problem(answer).await);
        }
        let (parts, body) = answer.into_parts();
        let mut response = body.into_response();
        *response.status_mut() = parts.status;
        response.headers_mut().clear();
        for name in PASSED_ON {
            if let Some(value) = parts.headers.get(name) {
                response.headers_mut().insert(HeaderName::from_static(name), value.clone());
            }
        }
        Ok(response)
    }

    /// Any request, with a body of any kind, and its answer in JSON.
    pub(crate) async fn read<T: DeserializeOwned>(&self, request: http::Request<Body>) -> PageResult<T> {
        let answer = self.context.backend.ask(self.credential.clone(), request).await;
        if !answer.status().is_success() {
            return Err(read_problem(answer).await);
        }
        let bytes = collect(answer.into_body()).await?;
        // An answer without a body is read as null.
        let bytes = if bytes.is_empty() { Bytes::from_static(b"null") } else { bytes };
        serde_json::from_slice(&bytes).map_err(|error| {
            tracing::error!(%error, "the console could not read an answer from the API");
            unreadable()
        })
    }
}

impl PageVisit {
    /// The answer with any status: calls report refusals in the same form as results.
    pub(crate) async fn answer(
        &self,
        request: http::Request<Body>,
    ) -> PageResult<(StatusCode, serde_json::Value)> {
        let answer = self.context.backend.ask(self.credential.clone(), request).await;
        let status = answer.status();
        let bytes = collect(answer.into_body()).await?;
        let value = serde_json::from_slice(&bytes).map_err(|_| unreadable())?;
        Ok((status, value))
    }
}

async fn read_problem(answer: http::Response<Body>) -> Box<ApiProblem> {
    let status = answer.status();
    let Ok(bytes) = collect(answer.into_body()).await else { return unreadable() };
    let mut problem: ApiProblem = serde_json::from_slice(&bytes).unwrap_or_default();
    problem.status = status.as_u16();
    Box::new(problem)
}

async fn collect(body: Body) -> PageResult<Bytes> {
    let read = Limited::new(body, ANSWER_BYTES_MAX).collect().await;
    read.map(http_body_util::Collected::to_bytes).map_err(|_| unreadable())
}

fn unreadable() -> Box<ApiProblem> {
    let detail = "this page cannot show the gateway's answer";
    ApiProblem::new(StatusCode::INTERNAL_SERVER_ERROR, &codes::ANSWER_UNREADABLE, detail)
}
