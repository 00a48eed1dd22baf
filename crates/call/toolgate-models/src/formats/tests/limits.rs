//! Answers that are too large, too many, or nothing.

use toolgate_core::model::{ModelFaultKind, ModelProvider};

use super::kit::read;
use crate::formats::AnswerReader;

/// A piece of text of about a mebibyte, in each format.
fn talk(provider: ModelProvider) -> String {
    let text = "x".repeat(1_048_576);
    match provider {
        ModelProvider::Openai => format!(r#"{{"choices":[{{"delta":{{"content":"{text}"}}}}]}}"#),
        ModelProvider::OpenaiResponses => {
            format!(r#"{{"type":"response.output_text.delta","output_index":0,"delta":"{text}"}}"#)
        }
        ModelProvider::Anthropic => {
            format!(
                r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{text}"}}}}"#
            )
        }
        ModelProvider::Gemini => {
            format!(r#"{{"candidates":[{{"content":{{"parts":[{{"text":"{text}"}}]}}}}]}}"#)
        }
        ModelProvider::Ollama => format!(r#"{{"message":{{"content":"{text}"}},"done":false}}"#),
    }
}

#[test]
fn endless_talk_ends_at_eight_mebibytes() {
    for provider in ModelProvider::ALL {
        let mut reader = AnswerReader::new(provider);
        if provider == ModelProvider::Anthropic {
            let start =
                r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
            reader.event(None, start).unwrap();
        }
        let piece = talk(provider);
        let taken = (0..20).take_while(|_| reader.event(None, &piece).is_ok()).count();
        assert!((7..=8).contains(&taken), "{provider:?} took {taken} pieces");
        assert_eq!(reader.event(None, &piece).unwrap_err().kind, ModelFaultKind::Nonsense);
    }
}

#[test]
fn a_single_event_larger_than_the_limit_is_refused_unread() {
    let huge = "x".repeat(8 * 1_048_576 + 1);
    let fault = AnswerReader::new(ModelProvider::Openai).event(None, &huge).unwrap_err();
    assert_eq!(fault.kind, ModelFaultKind::Nonsense);
    assert!(fault.message.contains("larger than"), "{fault}");
}

#[test]
fn more_calls_than_one_answer_may_have_are_nonsense() {
    let calls = |count: usize| {
        let calls = vec![r#"{"function":{"name":"read","arguments":{}}}"#; count].join(",");
        format!(r#"{{"message":{{"tool_calls":[{calls}]}},"done":true}}"#)
    };
    assert_eq!(read(ModelProvider::Ollama, &[&calls(128)]).unwrap().parts.len(), 128);
    assert_eq!(read(ModelProvider::Ollama, &[&calls(129)]).unwrap_err().kind, ModelFaultKind::Nonsense);
    assert_eq!(read(ModelProvider::Ollama, &[&calls(2_000)]).unwrap_err().kind, ModelFaultKind::Nonsense);
}

#[test]
fn an_answer_that_says_nothing_is_nonsense() {
    for (provider, event) in [
        (ModelProvider::Openai, r#"{"choices":[{"delta":{"content":" \n"},"finish_reason":"stop"}]}"#),
        (ModelProvider::Openai, "[DONE]"),
        (ModelProvider::OpenaiResponses, r#"{"type":"response.completed","response":{"output":[]}}"#),
        (ModelProvider::Anthropic, r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#),
        (ModelProvider::Gemini, r#"{"candidates":[{"finishReason":"STOP"}]}"#),
        (ModelProvider::Ollama, r#"{"message":{"content":"","thinking":"Well"},"done":true}"#),
    ] {
        assert_eq!(read(provider, &[event]).unwrap_err().kind, ModelFaultKind::Nonsense, "{event}");
    }
}
