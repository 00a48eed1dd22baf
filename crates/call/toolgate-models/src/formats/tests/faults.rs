//! Answers that are no answers.

use std::time::Duration;

use toolgate_core::model::{ModelFaultKind, ModelProvider};

use crate::formats::{self, AnswerReader, fault};

#[test]
fn a_status_has_its_kind() {
    for provider in ModelProvider::ALL {
        for (status, kind) in [
            (400, ModelFaultKind::Refused),
            (401, ModelFaultKind::Refused),
            (402, ModelFaultKind::Refused),
            (403, ModelFaultKind::Refused),
            (404, ModelFaultKind::Refused),
            (307, ModelFaultKind::Refused),
            (408, ModelFaultKind::Busy),
            (409, ModelFaultKind::Busy),
            (429, ModelFaultKind::Busy),
            (500, ModelFaultKind::Busy),
            (503, ModelFaultKind::Busy),
            (529, ModelFaultKind::Busy),
            (413, ModelFaultKind::Overflow),
        ] {
            let fault = fault(provider, status, None, r#"{"error":{"message":"Sorry"}}"#);
            assert_eq!((fault.kind, fault.status), (kind, Some(status)), "{provider:?} {status}");
        }
    }
}

#[test]
fn a_request_larger_than_the_context_is_known_by_the_words_of_each_provider() {
    for (provider, status, body) in [
        (
            ModelProvider::Openai,
            400,
            r#"{"error":{"message":"This model's maximum context length is 128000 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
        ),
        (
            ModelProvider::Openai,
            400,
            r#"{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}"#,
        ),
        (
            ModelProvider::OpenaiResponses,
            400,
            r#"{"error":{"message":"Your input exceeds the context window of this model.","type":"invalid_request_error"}}"#,
        ),
        (
            ModelProvider::Anthropic,
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
        ),
        (
            ModelProvider::Anthropic,
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000"}}"#,
        ),
        (
            ModelProvider::Gemini,
            400,
            r#"[{"error":{"code":400,"message":"The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]"#,
        ),
        (ModelProvider::Ollama, 400, r#"{"error":"the input length exceeds the context length"}"#),
        (ModelProvider::Ollama, 500, "prompt too long; exceeded max context length by 12 tokens"),
    ] {
        assert_eq!(fault(provider, status, None, body).kind, ModelFaultKind::Overflow, "{body}");
    }
}

#[test]
fn a_limit_of_tokens_per_minute_is_no_overflow() {
    let body = r#"{"error":{"message":"Please reduce the length of the messages or wait.","code":"rate_limit_exceeded"}}"#;
    assert_eq!(
        fault(ModelProvider::Openai, 429, Some(Duration::from_secs(7)), body).kind,
        ModelFaultKind::Busy
    );
}

#[test]
fn the_wait_is_what_the_provider_asks_for() {
    let gemini = r#"{"error":{"code":429,"message":"Quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}"#;
    for (header, body, wait) in [
        (Some("20"), "", Some(Duration::from_secs(20))),
        (Some(" 1.5 "), "", Some(Duration::from_millis(1_500))),
        (Some("20"), gemini, Some(Duration::from_secs(20))),
        (None, gemini, Some(Duration::from_millis(34_500))),
        (Some("-3"), "", None),
        (Some("NaN"), "", None),
        (Some("Wed, 21 Oct 2026 07:28:30 GMT"), "", Some(Duration::from_secs(30))),
        (Some("Wed, 21 Oct 2026 07:27:00 GMT"), "", Some(Duration::ZERO)),
        (Some("Wed, 21 Foo 2026 07:27:00 GMT"), "", None),
        (None, "", None),
    ] {
        let asked = header.and_then(|header| formats::wait(header, Some("Wed, 21 Oct 2026 07:28:00 GMT")));
        assert_eq!(fault(ModelProvider::Gemini, 429, asked, body).retry_after, wait, "{header:?} {body}");
    }
    assert_eq!(formats::wait("Wed, 21 Oct 2026 07:28:30 GMT", None), None, "nobody knows how long that is");
}

#[test]
fn a_fault_says_what_the_provider_said_and_not_too_much_of_it() {
    let said = |body: &str| fault(ModelProvider::Anthropic, 400, None, body).message;
    assert_eq!(
        said(r#"{"error":{"message":"No such model"}}"#),
        "The model's provider (anthropic) answered 400: No such model"
    );
    assert_eq!(
        said("<h1>Bad\n gateway</h1>"),
        "The model's provider (anthropic) answered 400: <h1>Bad gateway</h1>"
    );
    assert_eq!(said(""), "The model's provider (anthropic) answered 400: nothing");
    assert_eq!(said(r#"{"odd":1}"#), r#"The model's provider (anthropic) answered 400: {"odd":1}"#);
    assert!(said(&"x".repeat(100_000)).chars().count() < 1_000);
}

#[test]
fn an_event_that_is_called_an_error_is_one_whatever_it_says() {
    for provider in ModelProvider::ALL {
        let mut reader = AnswerReader::new(provider);
        assert_eq!(reader.event(Some("error"), "upstream gone").unwrap_err().kind, ModelFaultKind::Busy);
        assert_eq!(
            reader.event(Some("error"), r#"{"message":"gone"}"#).unwrap_err().kind,
            ModelFaultKind::Busy
        );
    }
}

#[test]
fn an_answer_that_is_no_json_is_nonsense() {
    for provider in ModelProvider::ALL {
        let mut reader = AnswerReader::new(provider);
        let kind = reader.event(None, "<html>").unwrap_err().kind;
        assert_eq!(kind, ModelFaultKind::Nonsense, "{provider:?}");
    }
}

#[test]
fn a_stream_without_an_event_is_broken_off() {
    for provider in ModelProvider::ALL {
        assert_eq!(
            AnswerReader::new(provider).finish().unwrap_err().kind,
            ModelFaultKind::Away,
            "{provider:?}"
        );
    }
}
