//! Histories that no provider would take as they are.

use serde_json::Value;
use toolgate_core::model::{MessagePart, MessageRole, ModelMessage, ModelProvider};

use super::kit::{asked, assistant, call, definition, goal, member, result, text};
use crate::formats::request;

const CHAT: ModelProvider = ModelProvider::Openai;

fn tool_message(parts: Vec<MessagePart>) -> ModelMessage {
    ModelMessage { role: MessageRole::Tool, parts }
}

/// The roles and contents of chat messages, without the instructions.
fn said(messages: Vec<ModelMessage>) -> Vec<String> {
    let sent: Vec<Value> = serde_json::from_str(&member(CHAT, messages, "messages")).unwrap();
    let line = |message: &Value| format!("{}: {}", message["role"], message["content"]).replace('"', "");
    sent.iter().skip(1).map(line).collect()
}

#[test]
fn results_come_directly_after_their_answer_and_what_was_said_meanwhile_after_them() {
    let messages = vec![
        goal(),
        assistant(vec![text("Now."), call("1.0", "{}", None)]),
        ModelMessage::user("Hurry."),
        tool_message(vec![result("1.0", "A")]),
        ModelMessage::user("Still there?"),
    ];
    let expected = ["user: Read both.", "assistant: Now.", "tool: A", "user: Hurry.\\n\\nStill there?"];
    assert_eq!(said(messages), expected);
}

#[test]
fn a_call_without_a_result_gets_a_line_and_a_result_without_its_call_is_left_out() {
    let messages = vec![
        goal(),
        tool_message(vec![result("0.0", "An orphan")]),
        assistant(vec![call("1.0", "{}", None), call("1.1", "{}", None)]),
        tool_message(vec![result("1.1", "B"), result("1.1", "Twice"), result("9.9", "An orphan")]),
        assistant(vec![text("Done.")]),
        tool_message(vec![result("1.0", "Too late")]),
    ];
    let expected = [
        "user: Read both.",
        "assistant: null",
        "tool: No result of this call is recorded.",
        "tool: B",
        "assistant: Done.",
    ];
    assert_eq!(said(messages), expected);
}

#[test]
fn a_history_begins_with_a_user() {
    let expected = ["user: The earlier part of this conversation is left out.", "assistant: Hi."];
    assert_eq!(said(vec![assistant(vec![text("Hi.")])]), expected);
    assert_eq!(said(vec![ModelMessage::user("  ")]), expected[..1]);
}

#[test]
fn names_that_no_tool_could_have_are_made_legal() {
    let mut odd = call("1.0", "{}", None);
    let mut none = call("1.1", "{}", None);
    for (part, name) in [(&mut odd, "functions.read<|x|>"), (&mut none, "")] {
        if let MessagePart::Call(call) = part {
            name.clone_into(&mut call.name);
        }
    }
    let sent = member(CHAT, vec![goal(), assistant(vec![odd, none])], "messages");
    assert!(sent.contains(r#""name":"functions_read__x__""#), "{sent}");
    assert!(sent.contains(r#""name":"unnamed""#), "{sent}");
}

#[test]
fn a_longer_history_begins_with_the_bytes_of_the_shorter_one() {
    let short = vec![
        goal(),
        assistant(vec![text("Now."), call("1.0", "{}", None)]),
        tool_message(vec![result("1.0", "A")]),
    ];
    let long = [short.clone(), vec![assistant(vec![text("And?")]), ModelMessage::user("Go on.")]].concat();
    for (provider, name) in [
        (ModelProvider::Openai, "messages"),
        (ModelProvider::OpenaiResponses, "input"),
        (ModelProvider::Anthropic, "messages"),
        (ModelProvider::Gemini, "contents"),
        (ModelProvider::Ollama, "messages"),
    ] {
        let unmarked = |messages: &[ModelMessage]| {
            let sent = member(provider, messages.to_vec(), name);
            sent.replace(r#","cache_control":{"type":"ephemeral"}"#, "")
        };
        let (short, long) = (unmarked(&short), unmarked(&long));
        assert!(long.starts_with(short.trim_end_matches(']')), "{provider:?}: {short} and {long}");
    }
}

#[test]
fn equal_requests_have_equal_bytes_and_the_key_is_only_in_a_header() {
    for provider in ModelProvider::ALL {
        let one = request(&definition(provider), &asked(vec![goal()]), Some("very-secret"));
        let other = request(&definition(provider), &asked(vec![goal()]), Some("very-secret"));
        assert_eq!(one, other);
        assert!(
            !one.path.contains("very-secret") && !one.body.as_str().contains("very-secret"),
            "{provider:?}"
        );
        assert_eq!(one.headers.iter().filter(|(_, value)| value.contains("very-secret")).count(), 1);
        let without = request(&definition(provider), &asked(vec![goal()]), None);
        assert_eq!(without.headers.len(), one.headers.len() - 1);
    }
}
