//! Responses.

use toolgate_core::model::{ModelFaultKind, ModelPiece, ModelProvider, ModelUsage, StopReason};

use super::kit::{
    SCHEMA, answered, asked, assistant, broken, definition, first, forbidden, goal, hear, member, read, text,
};
use crate::formats::request;

const OF: ModelProvider = ModelProvider::OpenaiResponses;

pub(super) const TWO_CALLS: &[&str] = &[
    r#"{"type":"response.created","response":{"id":"resp_1","status":"in_progress","error":null}}"#,
    r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"early"}}"#,
    r#"{"type":"response.reasoning_summary_text.delta","output_index":0,"delta":"Two files."}"#,
    r#"{"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Two files."}],"encrypted_content":"sealed"}}"#,
    r#"{"type":"response.output_item.added","output_index":1,"item":{"id":"msg_1","type":"message","role":"assistant","content":[],"phase":"commentary"}}"#,
    r#"{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"I "}"#,
    r#"{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"read."}"#,
    r#"{"type":"response.output_item.done","output_index":1,"item":{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"output_text","text":"I read."}],"phase":"commentary"}}"#,
    r#"{"type":"response.output_item.added","output_index":2,"item":{"id":"fc_1","type":"function_call","call_id":"same","name":"read","arguments":""}}"#,
    r#"{"type":"response.output_item.added","output_index":3,"item":{"id":"fc_2","type":"function_call","call_id":"same","name":"read","arguments":""}}"#,
    r#"{"type":"response.function_call_arguments.delta","output_index":3,"delta":"{\"path\":\"b\"}"}"#,
    r#"{"type":"response.function_call_arguments.delta","output_index":2,"delta":"{\"path\":"}"#,
    r#"{"type":"response.output_item.done","output_index":2,"item":{"id":"fc_1","type":"function_call","call_id":"same","name":"read","arguments":"{\"path\":\"a\"}"}}"#,
    r#"{"type":"response.output_item.done","output_index":3,"item":{"id":"fc_2","type":"function_call","call_id":"same","name":"read","arguments":"{\"path\":\"b\"}"}}"#,
    r#"{"type":"response.completed","response":{"status":"completed","error":null,"output":[],"usage":{"input_tokens":50,"input_tokens_details":{"cached_tokens":40,"cache_write_tokens":5},"output_tokens":9}}}"#,
];

#[test]
fn a_request_has_these_bytes() {
    let wire = first(OF);
    assert_eq!(wire.path, "/responses");
    assert_eq!(wire.headers[1], ("authorization", "Bearer k-1".to_owned()));
    let expected = format!(
        concat!(
            r#"{{"model":"m-1","instructions":"Be brief.","tools":[{{"type":"function","name":"read","description":"Reads a file.","parameters":{},"strict":false}}],"#,
            r#""input":[{{"role":"user","content":"Read both."}}],"max_output_tokens":100,"store":false,"#,
            r#""include":["reasoning.encrypted_content"],"stream":true}}"#,
        ),
        SCHEMA
    );
    assert_eq!(wire.body.as_str(), expected);
}

#[test]
fn models_without_reasoning_are_not_asked_for_it() {
    let mut older = definition(OF);
    older.model = "gpt-4.1".to_owned();
    let body = request(&older, &asked(vec![goal()]), None).body;
    assert!(!body.as_str().contains("encrypted_content"), "{body:?}");
}

#[test]
fn calls_can_be_forbidden() {
    let body = forbidden(OF);
    assert_eq!(body["tool_choice"], "none");
    assert_eq!(body["tools"][0]["name"], "read");
}

#[test]
fn a_turn_of_two_calls_with_the_same_id_goes_back_with_its_reasoning() {
    let (pieces, answer) = hear(OF, TWO_CALLS).unwrap();
    let expected = [
        ModelPiece::Thinking("Two files.".to_owned()),
        ModelPiece::Text("I ".to_owned()),
        ModelPiece::Text("read.".to_owned()),
        ModelPiece::Call("read".to_owned()),
        ModelPiece::Call("read".to_owned()),
    ];
    assert_eq!(pieces, expected);
    assert_eq!(answer.stop, StopReason::Calls);
    assert_eq!(answer.usage, ModelUsage { input: 50, cached: 40, written: 5, output: 9 });
    let expected = concat!(
        r#"[{"role":"user","content":"Read both."},"#,
        r#"{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Two files."}],"encrypted_content":"sealed"},"#,
        r#"{"type":"message","role":"assistant","status":"completed","id":"msg_1","phase":"commentary","content":[{"type":"output_text","text":"I read.","annotations":[]}]},"#,
        r#"{"type":"function_call","id":"fc_1","call_id":"1_0","name":"read","arguments":"{\"path\":\"a\"}"},"#,
        r#"{"type":"function_call","id":"fc_2","call_id":"1_1","name":"read","arguments":"{\"path\":\"b\"}"},"#,
        r#"{"type":"function_call_output","call_id":"1_0","output":"A"},"#,
        r#"{"type":"function_call_output","call_id":"1_1","output":"B"}]"#,
    );
    assert_eq!(member(OF, answered(answer), "input"), expected);
}

#[test]
fn an_answer_of_another_provider_is_a_plain_message() {
    let sent = member(OF, vec![goal(), assistant(vec![text("Hi.")])], "input");
    assert_eq!(sent, r#"[{"role":"user","content":"Read both."},{"role":"assistant","content":"Hi."}]"#);
}

#[test]
fn an_output_that_only_the_last_event_has_counts() {
    let answer = read(
        OF,
        &[
            r#"{"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hi."}]}],"usage":{"input_tokens":1,"output_tokens":1}}}"#,
        ],
    )
    .unwrap();
    assert_eq!((answer.parts, answer.stop), (vec![text("Hi.")], StopReason::Finished));
}

#[test]
fn an_incomplete_answer_says_why_and_keeps_no_reasoning_that_was_cut_off() {
    let cut = [
        r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1","type":"reasoning","encrypted_content":"early"}}"#,
        r#"{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","name":"read"}}"#,
        r#"{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{\"pa"}"#,
        r#"{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}"#,
    ];
    let answer = read(OF, &cut).unwrap();
    assert_eq!((answer.stop, answer.parts), (StopReason::Length, vec![broken("", r#"{"pa"#)]));
    let filtered =
        r#"{"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}}"#;
    assert_eq!(read(OF, &[filtered]).unwrap().stop, StopReason::Refused);
}

#[test]
fn failures_in_the_middle_have_their_kind() {
    let said = r#"{"type":"response.output_text.delta","output_index":0,"delta":"Hi"}"#;
    for (event, kind) in [
        (
            r#"{"type":"response.failed","response":{"error":{"code":"server_error","message":"Sorry"}}}"#,
            ModelFaultKind::Busy,
        ),
        (
            r#"{"type":"response.failed","response":{"error":{"code":"invalid_prompt","message":"No"}}}"#,
            ModelFaultKind::Refused,
        ),
        (r#"{"type":"error","code":"rate_limit_exceeded","message":"Slow down"}"#, ModelFaultKind::Busy),
        (
            r#"{"type":"error","error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"Your input exceeds the context window of this model."}}"#,
            ModelFaultKind::Overflow,
        ),
    ] {
        assert_eq!(read(OF, &[said, event]).unwrap_err().kind, kind, "{event}");
    }
    assert_eq!(read(OF, &[said]).unwrap_err().kind, ModelFaultKind::Away);
}
