//! A call of an operation that a document describes.

use std::time::Duration;

use http::StatusCode;
use openapi_tools::ApiRequest;
use serde_json::{Map, Value};
use tokio::time::{Instant, sleep};
use toolgate_core::port::ServerError;
use toolgate_core::{FaultKind, RawJson};

use super::book::ApiOperation;
use super::exchange::{AddressedRequest, ApiAnswer, ApiRoute};
use super::result;

/// A read that an API refuses for now is sent at most so often.
const TRIES_MAX: u32 = 3;

/// A call of a tool.
pub(super) struct ApiCall<'a> {
    pub(super) arguments: &'a Map<String, Value>,
    pub(super) id: &'a str,
    /// Names binary content of its result.
    pub(super) uri: &'a str,
    /// The time that the call has.
    pub(super) patience: Duration,
}

pub(super) async fn call(
    route: ApiRoute<'_>,
    operation: &ApiOperation,
    call: &ApiCall<'_>,
) -> Result<RawJson, ServerError> {
    let request = match request_of(operation, call.arguments, call.id) {
        Ok(request) => request,
        Err(words) => return Ok(result::of_failure(&words)),
    };
    let address = address_of(route, operation, &request);
    let sent = AddressedRequest { request: &request, address, with_secrets: true, call: call.id };
    let began = Instant::now();
    let mut tries = 1;
    loop {
        let answer = route.exchange(&sent).await?;
        let wait = wait_of(operation, &answer, tries);
        match wait.filter(|wait| began.elapsed() + *wait < call.patience) {
            Some(wait) => sleep(wait).await,
            None => return finished(route, operation, &answer, call.uri),
        }
        tries += 1;
    }
}

/// The request of these arguments; words if they make none.
pub(super) fn request_of(
    operation: &ApiOperation,
    arguments: &Map<String, Value>,
    call: &str,
) -> Result<ApiRequest, String> {
    let made = match &operation.key_argument {
        Some(key) if !arguments.contains_key(key) => {
            let mut arguments = arguments.clone();
            arguments.insert(key.clone(), call.into());
            operation.plan.request(&arguments)
        }
        _ => operation.plan.request(arguments),
    };
    made.map_err(|bad| bad.to_string())
}

pub(super) fn address_of(route: ApiRoute<'_>, operation: &ApiOperation, request: &ApiRequest) -> String {
    let base = operation.server.as_deref().unwrap_or(&route.origin.base);
    format!("{base}{}", request.path_and_query)
}

/// The wait before a read is sent again, if the API names one.
fn wait_of(operation: &ApiOperation, answer: &ApiAnswer, tries: u32) -> Option<Duration> {
    let is_limited = matches!(answer.status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
    if !operation.is_read_only || !is_limited || tries >= TRIES_MAX {
        return None;
    }
    let seconds: u64 = answer.header("retry-after")?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

fn finished(
    route: ApiRoute<'_>,
    operation: &ApiOperation,
    answer: &ApiAnswer,
    uri: &str,
) -> Result<RawJson, ServerError> {
    if let Some(words) = &answer.redirect {
        return Ok(result::of_failure(&answer.masks.masked(words)));
    }
    if wants_credential(answer) {
        let reason = format!("it answered HTTP {}: {}", answer.status.as_u16(), result::said(answer));
        return Err(route.ctx.fault(FaultKind::Unauthorized { reason }));
    }
    if answer.status.is_success() {
        return Ok(result::of_success(answer, operation.promises_json, uri));
    }
    Ok(result::of_failure(&result::failed_words(answer, operation.is_read_only)))
}

fn wants_credential(answer: &ApiAnswer) -> bool {
    let lacks_scope =
        || answer.header("www-authenticate").is_some_and(|text| text.contains("insufficient_scope"));
    match answer.status {
        StatusCode::UNAUTHORIZED => true,
        StatusCode::FORBIDDEN => lacks_scope(),
        _ => false,
    }
}
