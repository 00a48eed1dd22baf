//! A call of an operation that a document describes.

use std::time::Duration;

use connector_file::ProviderVerdict;
use http::StatusCode;
use openapi_tools::{ApiRequest, FileLabels};
use serde_json::{Map, Value};
use tokio::time::sleep;
use toolgate_core::port::ServerError;
use toolgate_core::{FaultKind, RawJson};

use super::book::ApiOperation;
use super::call_time::CallTime;
use super::exchange::{AddressedRequest, ApiAnswer, ApiRoute};
use super::next_page;
use super::result::{self, ResultNote};

/// A call of a tool.
pub(super) struct ApiCall<'a> {
    pub(super) arguments: &'a Map<String, Value>,
    /// Names and media types of its files.
    pub(super) labels: &'a FileLabels,
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
    let request = match request_of(operation, call.arguments, call.labels, call.id) {
        Ok(request) => request,
        Err(words) => return Ok(result::of_failure(&words)),
    };
    let address = address_of(route, operation, &request);
    let sent = AddressedRequest { request: &request, address, with_secrets: true, call: call.id };
    let time = CallTime::begin(call.patience);
    let mut tries = 1;
    loop {
        let answer = route.exchange(&sent).await?;
        route.hear(operation.rules.rate_left(&|name: &str| answer.header(name)));
        let verdict = verdict_of(operation, &answer);
        match wait_of(operation, &verdict, tries).filter(|wait| time.has_room_for(*wait)) {
            Some(wait) => sleep(wait).await,
            None => {
                let next = || next_page::words(route, &operation.plan, &sent.address, &answer);
                return finished(route, operation, &answer, &verdict, call.uri, next);
            }
        }
        tries += 1;
    }
}

/// The request of these arguments; words if they make none.
pub(super) fn request_of(
    operation: &ApiOperation,
    arguments: &Map<String, Value>,
    labels: &FileLabels,
    call: &str,
) -> Result<ApiRequest, String> {
    let made = match &operation.key_argument {
        Some(key) if !arguments.contains_key(key) => {
            let mut arguments = arguments.clone();
            arguments.insert(key.clone(), call.into());
            operation.plan.request_with(&arguments, labels)
        }
        _ => operation.plan.request_with(arguments, labels),
    };
    made.map_err(|bad| bad.to_string())
}

pub(super) fn address_of(route: ApiRoute<'_>, operation: &ApiOperation, request: &ApiRequest) -> String {
    let base = operation.server.as_deref().unwrap_or(&route.origin.base);
    format!("{base}{}", request.path_and_query)
}

/// A success is looked into only where a rule says so: a result may be large.
fn verdict_of(operation: &ApiOperation, answer: &ApiAnswer) -> ProviderVerdict {
    let is_looked_into = !answer.status.is_success() || operation.rules.looks_into_successes();
    let body = if is_looked_into { result::json_of(answer) } else { None };
    let headers = |name: &str| answer.header(name);
    operation.rules.judge_operation(operation.effects, answer.status.as_u16(), &headers, body.as_ref())
}

/// The wait before a read is sent again, if the API names one.
fn wait_of(operation: &ApiOperation, verdict: &ProviderVerdict, tries: u32) -> Option<Duration> {
    match verdict {
        ProviderVerdict::Again { after: Some(after), is_limit: true, .. } if operation.effects.read_only => {
            operation.rules.wait(*after, tries)
        }
        _ => None,
    }
}

fn finished(
    route: ApiRoute<'_>,
    operation: &ApiOperation,
    answer: &ApiAnswer,
    verdict: &ProviderVerdict,
    uri: &str,
    next: impl FnOnce() -> Option<String>,
) -> Result<RawJson, ServerError> {
    if let Some(words) = &answer.redirect {
        return Ok(result::of_failure(&answer.masks.masked(words)));
    }
    match verdict {
        _ if lacks_scope(answer) => Err(unauthorized(route, answer)),
        ProviderVerdict::SignIn { .. } => Err(unauthorized(route, answer)),
        ProviderVerdict::Done { .. } => {
            let note = next().map(|text| ResultNote { text, meta: None });
            Ok(result::of_success(answer, operation.promises_json, uri, note))
        }
        ProviderVerdict::Failed { .. } | ProviderVerdict::Again { .. } | ProviderVerdict::Unsure { .. } => {
            Ok(result::of_failure(&result::failed_words(answer, verdict)))
        }
    }
}

fn unauthorized(route: ApiRoute<'_>, answer: &ApiAnswer) -> ServerError {
    let reason = format!("it answered HTTP {}: {}", answer.status.as_u16(), result::said(answer));
    route.ctx.fault(FaultKind::Unauthorized { reason })
}

fn lacks_scope(answer: &ApiAnswer) -> bool {
    answer.status == StatusCode::FORBIDDEN
        && answer.header("www-authenticate").is_some_and(|text| text.contains("insufficient_scope"))
}
