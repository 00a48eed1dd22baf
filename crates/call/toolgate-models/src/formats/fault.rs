//! The faults that providers tell, as answers that are no answers and in the middle of a stream.

use std::time::Duration;

use serde_json::Value;
use toolgate_core::model::{ModelFault, ModelFaultKind, ModelProvider};
use toolgate_core::moment;
use toolgate_outbound::excerpt;

use super::json::{list, text};

/// The longest text of a provider that is passed on.
const MESSAGE_CHARS_MAX: usize = 600;

/// Codes and phrases of requests that are larger than the context, in lower case.
const OVERFLOW: &[&str] = &[
    // OpenAI, and with it vLLM, Mistral and OpenRouter.
    "context_length_exceeded",
    "maximum context length",
    "exceeds the context window",
    "reduce the length of the messages",
    "longer than the maximum model length",
    "maximum prompt length",
    // Anthropic.
    "prompt is too long",
    "exceed context limit",
    "request_too_large",
    // Gemini.
    "exceeds the maximum number of tokens",
    // Ollama and llama.cpp.
    "exceed_context_size_error",
    "exceeds the available context size",
    "exceeds the context length",
    "exceeds context length",
    "exceeded max context length",
    "context size has been exceeded",
];

/// Codes of requests that are refused again, in lower case. Others in the middle of a stream may pass.
const REFUSED: &[&str] = &[
    "authentication_error",
    "billing_error",
    "content_policy_violation",
    "failed_precondition",
    "insufficient_quota",
    "invalid_api_key",
    "invalid_argument",
    "invalid_prompt",
    "invalid_request_error",
    "model_not_found",
    "not_found",
    "not_found_error",
    "permission_denied",
    "permission_error",
    "unauthenticated",
];

/// The fault of an answer that is not 200: 408, 409, 429 and 5xx busy, 413 and overflow texts overflow, others refused.
pub(crate) fn fault(
    provider: ModelProvider,
    status: u16,
    retry_after: Option<Duration>,
    body: &str,
) -> ModelFault {
    let error = serde_json::from_str(body)
        .map_or_else(|_| ProviderError::plain(body), |value: Value| ProviderError::read(&value));
    // A limit of tokens per minute is told in the words of an overflow, and waiting helps.
    let kind =
        if status != 429 && error.is_overflow() { ModelFaultKind::Overflow } else { kind_of_status(status) };
    let message =
        format!("The model's provider ({}) answered {status}: {}", provider.as_str(), error.message);
    ModelFault::new(kind, message).with_status(status).retry_after(retry_after.or(error.wait))
}

/// The wait that `retry-after` asks for: seconds, or a moment. The moment is compared with the answer's own `date`, so that no two clocks
/// need agree; one that has passed is no wait.
pub(crate) fn wait(retry_after: &str, date: Option<&str>) -> Option<Duration> {
    if let Some(wait) = seconds(retry_after) {
        return Some(wait);
    }
    let until_ms = moment::parse_http_date(retry_after)?;
    let now_ms = date.and_then(moment::parse_http_date)?;
    Some(Duration::from_millis(u64::try_from(until_ms - now_ms).unwrap_or(0)))
}

/// The fault that an event of a stream tells, if it tells one.
pub(super) fn told(provider: ModelProvider, event: Option<&str>, value: &Value) -> Option<ModelFault> {
    let has_error = value.get("error").is_some_and(|error| !error.is_null());
    let is_error = event == Some("error") || text(value, "/type") == Some("error");
    (has_error || is_error).then(|| within_stream(provider, value))
}

/// The fault of an error in the middle of a stream.
pub(super) fn within_stream(provider: ModelProvider, value: &Value) -> ModelFault {
    let error = ProviderError::read(value);
    let kind = match error.status {
        _ if error.is_overflow() => ModelFaultKind::Overflow,
        Some(status) => kind_of_status(status),
        None if error.has_code(REFUSED) => ModelFaultKind::Refused,
        None => ModelFaultKind::Busy,
    };
    let message =
        format!("The model's provider ({}) broke its answer off: {}", provider.as_str(), error.message);
    ModelFault { status: error.status, ..ModelFault::new(kind, message).retry_after(error.wait) }
}

/// The fault of a stream that ended before its answer did.
pub(super) fn broken_off() -> ModelFault {
    ModelFault::new(ModelFaultKind::Away, "The model's answer broke off before its end.")
}

/// The fault of an answer that is none.
pub(super) fn nonsense(message: impl Into<String>) -> ModelFault {
    ModelFault::new(ModelFaultKind::Nonsense, message)
}

fn kind_of_status(status: u16) -> ModelFaultKind {
    match status {
        413 => ModelFaultKind::Overflow,
        408 | 409 | 429 | 500..=599 => ModelFaultKind::Busy,
        _ => ModelFaultKind::Refused,
    }
}

/// An error in the words of a provider.
struct ProviderError {
    message: String,
    /// In lower case.
    codes: Vec<String>,
    /// A code that is a status of HTTP.
    status: Option<u16>,
    wait: Option<Duration>,
}

impl ProviderError {
    fn plain(body: &str) -> Self {
        let message = match excerpt(body.as_bytes(), MESSAGE_CHARS_MAX) {
            empty if empty.is_empty() => "nothing".to_owned(),
            message => message,
        };
        Self { message, codes: Vec::new(), status: None, wait: None }
    }

    /// Reads `{"error": {…}}`, `{"error": "…"}`, `{"message": "…"}`, and a list that has one of them.
    fn read(value: &Value) -> Self {
        let value = value.get(0).unwrap_or(value);
        let error = value.get("error").filter(|error| !error.is_null()).unwrap_or(value);
        let message =
            error.as_str().or_else(|| ["/message", "/detail"].into_iter().find_map(|at| text(error, at)));
        let codes = ["/type", "/code", "/status"].into_iter().filter_map(|at| text(error, at));
        let status = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
        Self {
            codes: codes.map(str::to_lowercase).collect(),
            status: status.filter(|status| (400..600).contains(status)),
            wait: list(error, "/details").iter().find_map(|detail| seconds(text(detail, "/retryDelay")?)),
            ..Self::plain(message.unwrap_or(&error.to_string()))
        }
    }

    fn is_overflow(&self) -> bool {
        let message = self.message.to_lowercase();
        self.has_code(OVERFLOW) || OVERFLOW.iter().any(|phrase| message.contains(phrase))
    }

    fn has_code(&self, codes: &[&str]) -> bool {
        self.codes.iter().any(|code| codes.contains(&code.as_str()))
    }
}

/// A wait in seconds, as `20`, `1.5` or `20s`.
fn seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.trim().trim_end_matches('s').parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}
