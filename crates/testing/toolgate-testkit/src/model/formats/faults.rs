//! Refusals in the words of providers.

use serde_json::{Value, json};

use super::super::format::WireFormat;

pub(super) fn error(format: WireFormat, status: u16, message: &str) -> Value {
    let kind = match status {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        429 => "rate_limit_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    };
    match format {
        WireFormat::Chat | WireFormat::Responses => {
            json!({ "error": { "message": message, "type": kind, "param": null, "code": null } })
        }
        WireFormat::Anthropic => {
            json!({ "type": "error", "error": { "type": kind, "message": message }, "request_id": "req_1" })
        }
        WireFormat::Gemini => {
            let word = match status {
                401 => "UNAUTHENTICATED",
                403 => "PERMISSION_DENIED",
                404 => "NOT_FOUND",
                429 => "RESOURCE_EXHAUSTED",
                500.. => "INTERNAL",
                _ => "INVALID_ARGUMENT",
            };
            json!({ "error": { "code": status, "message": message, "status": word } })
        }
        WireFormat::Ollama => json!({ "error": message }),
    }
}

pub(super) fn overflow(format: WireFormat) -> (u16, Value) {
    match format {
        WireFormat::Chat | WireFormat::Responses => {
            let message = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.";
            let mut body = error(format, 400, message);
            body["error"]["code"] = json!("context_length_exceeded");
            (400, body)
        }
        WireFormat::Anthropic => {
            (400, error(format, 400, "prompt is too long: 210000 tokens > 200000 maximum"))
        }
        WireFormat::Gemini => {
            let message =
                "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).";
            (400, error(format, 400, message))
        }
        WireFormat::Ollama => (400, error(format, 400, "the input length exceeds the context length")),
    }
}
