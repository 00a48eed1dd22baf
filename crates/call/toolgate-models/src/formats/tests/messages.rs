//! Messages.

use toolgate_core::model::{
    MessagePart, MessageRole, ModelCallResult, ModelFaultKind, ModelMessage, ModelPiece, ModelProvider,
    ModelUsage, StopReason,
};

use super::kit::{
    SCHEMA, answered, assistant, broken, call, first, forbidden, goal, hear, member, opaque, read, result,
    text,
};
use crate::formats::AnswerReader;

const OF: ModelProvider = ModelProvider::Anthropic;

const START: &str = r#"{"type":"message_start","message":{"role":"assistant","usage":{"input_tokens":5,"cache_read_input_tokens":40,"cache_creation_input_tokens":5,"output_tokens":1}}}"#;

pub(super) const TWO_CALLS: &[&str] = &[
    START,
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
    r#"{"type":"ping"}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Two files."}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"sig"}}"#,
    r#"{"type":"content_block_stop","index":0}"#,
    r#"{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"sealed"}}"#,
    r#"{"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}"#,
    r#"{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"I read."}}"#,
    r#"{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_1","name":"read","input":{}}}"#,
    r#"{"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"toolu_1","name":"read","input":{}}}"#,
    r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":""}}"#,
    r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"path\":"}}"#,
    r#"{"type":"content_block_delta","index":4,"delta":{"type":"input_json_delta","partial_json":"{\"path\":\"b\"}"}}"#,
    r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"\"a\"}"}}"#,
    r#"{"type":"content_block_stop","index":3}"#,
    r#"{"type":"content_block_stop","index":4}"#,
    r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}"#,
    r#"{"type":"message_stop"}"#,
];

#[test]
fn a_request_has_these_bytes_and_three_marks_for_the_cache() {
    let wire = first(OF);
    assert_eq!(wire.path, "/messages");
    let expected_headers = [
        ("content-type", "application/json".to_owned()),
        ("anthropic-version", "2023-06-01".to_owned()),
        ("x-api-key", "k-1".to_owned()),
    ];
    assert_eq!(wire.headers, expected_headers);
    let expected = format!(
        concat!(
            r#"{{"model":"m-1","max_tokens":100,"#,
            r#""tools":[{{"name":"read","description":"Reads a file.","input_schema":{},"cache_control":{{"type":"ephemeral"}}}}],"#,
            r#""system":[{{"type":"text","text":"Be brief.","cache_control":{{"type":"ephemeral"}}}}],"#,
            r#""messages":[{{"role":"user","content":[{{"type":"text","text":"Read both.","cache_control":{{"type":"ephemeral"}}}}]}}],"#,
            r#""stream":true}}"#,
        ),
        SCHEMA
    );
    assert_eq!(wire.body.as_str(), expected);
}

#[test]
fn calls_can_be_forbidden() {
    let body = forbidden(OF);
    assert_eq!(body["tool_choice"]["type"], "none");
    assert_eq!(body["tools"][0]["name"], "read");
}

#[test]
fn a_turn_of_two_calls_goes_back_with_its_signed_thinking() {
    let (pieces, answer) = hear(OF, TWO_CALLS).unwrap();
    let expected = [
        ModelPiece::Thinking("Two files.".to_owned()),
        ModelPiece::Text("I read.".to_owned()),
        ModelPiece::Call("read".to_owned()),
        ModelPiece::Call("read".to_owned()),
    ];
    assert_eq!(pieces, expected);
    assert_eq!(answer.stop, StopReason::Calls);
    assert_eq!(answer.usage, ModelUsage { input: 50, cached: 40, written: 5, output: 9 });
    let mut messages = answered(answer);
    messages.push(ModelMessage::user("Hurry."));
    let expected = concat!(
        r#"[{"role":"user","content":[{"type":"text","text":"Read both."}]},"#,
        r#"{"role":"assistant","content":[{"type":"thinking","thinking":"Two files.","signature":"sig"},"#,
        r#"{"type":"redacted_thinking","data":"sealed"},{"type":"text","text":"I read."},"#,
        r#"{"type":"tool_use","id":"1_0","name":"read","input":{"path":"a"}},"#,
        r#"{"type":"tool_use","id":"1_1","name":"read","input":{"path":"b"}}]},"#,
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"1_0","content":"A"},"#,
        r#"{"type":"tool_result","tool_use_id":"1_1","content":"B"},"#,
        r#"{"type":"text","text":"Hurry.","cache_control":{"type":"ephemeral"}}]}]"#,
    );
    assert_eq!(member(OF, messages, "messages"), expected);
}

#[test]
fn the_kind_of_an_event_may_stand_in_its_name_alone() {
    let mut reader = AnswerReader::new(OF);
    let start = r#"{"index":0,"content_block":{"type":"text","text":"Hi."}}"#;
    assert_eq!(
        reader.event(Some("content_block_start"), start).unwrap(),
        [ModelPiece::Text("Hi.".to_owned())]
    );
    assert!(reader.event(None, "").unwrap().is_empty(), "a heartbeat");
    reader.event(Some("message_stop"), "{}").unwrap();
    assert_eq!(reader.finish().unwrap().parts, [text("Hi.")]);
}

#[test]
fn input_that_comes_with_the_start_counts() {
    let whole = [
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"x","name":"read","input":{"path":"a"}}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#,
    ];
    assert_eq!(read(OF, &whole).unwrap().parts, [call("", r#"{"path":"a"}"#, None)]);
}

#[test]
fn thinking_that_is_cut_off_has_no_signature_and_is_left_out() {
    let cut = [
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Well"}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}"#,
    ];
    let answer = read(OF, &cut).unwrap();
    assert_eq!((answer.parts, answer.stop), (vec![], StopReason::Length));
}

#[test]
fn a_call_that_is_cut_off_is_broken_and_goes_back_as_an_object() {
    let cut = [
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"x","name":"read","input":{}}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}"#,
        r#"{"type":"message_stop"}"#,
    ];
    assert_eq!(read(OF, &cut).unwrap().parts, [broken("", "")], "before its arguments began");
    let sent = member(OF, vec![goal(), assistant(vec![broken("1.0", "{\"pa")])], "messages");
    assert!(sent.contains(r#""input":{"invalid_arguments":"{\"pa"}"#), "{sent}");
}

#[test]
fn blank_texts_and_foreign_parts_are_left_out_and_a_silent_error_gets_a_text() {
    let foreign = opaque(ModelProvider::Gemini, r#"{"thoughtSignature":"x"}"#);
    let answer = assistant(vec![text("  \n"), foreign, call("1.0", "{}", None), call("1.1", "{}", None)]);
    let failed = MessagePart::Result(ModelCallResult {
        id: "1.1".to_owned(),
        name: "read".to_owned(),
        text: String::new(),
        is_error: true,
    });
    let results = ModelMessage { role: MessageRole::Tool, parts: vec![result("1.0", ""), failed] };
    let expected = concat!(
        r#"[{"role":"user","content":[{"type":"text","text":"Read both."}]},"#,
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"1_0","name":"read","input":{}},"#,
        r#"{"type":"tool_use","id":"1_1","name":"read","input":{}}]},"#,
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"1_0"},"#,
        r#"{"type":"tool_result","tool_use_id":"1_1","content":"The call failed without a text.","is_error":true,"cache_control":{"type":"ephemeral"}}]}]"#,
    );
    assert_eq!(member(OF, vec![goal(), answer, results], "messages"), expected);
}

#[test]
fn reasons_to_stop_are_understood() {
    for (reason, stop) in [
        ("end_turn", StopReason::Finished),
        ("stop_sequence", StopReason::Finished),
        ("max_tokens", StopReason::Length),
        ("model_context_window_exceeded", StopReason::Length),
        ("refusal", StopReason::Refused),
        ("pause_turn", StopReason::Other),
    ] {
        let said = r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hi"}}"#;
        let end = format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}"}}}}"#);
        assert_eq!(read(OF, &[said, &end]).unwrap().stop, stop, "{reason}");
    }
}

#[test]
fn failures_in_the_middle_have_their_kind() {
    for (event, kind) in [
        (
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            ModelFaultKind::Busy,
        ),
        (r#"{"type":"error","error":{"type":"api_error","message":"Internal"}}"#, ModelFaultKind::Busy),
        (
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"No"}}"#,
            ModelFaultKind::Refused,
        ),
        (
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
            ModelFaultKind::Overflow,
        ),
        (
            r#"{"type":"content_block_delta","index":7,"delta":{"type":"text_delta","text":"?"}}"#,
            ModelFaultKind::Nonsense,
        ),
    ] {
        assert_eq!(read(OF, &[START, event]).unwrap_err().kind, kind, "{event}");
    }
    assert_eq!(read(OF, &TWO_CALLS[..10]).unwrap_err().kind, ModelFaultKind::Away);
}
