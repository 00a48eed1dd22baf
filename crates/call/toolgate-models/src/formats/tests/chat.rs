//! Chat completions.

use toolgate_core::model::{
    MessagePart, MessageRole, ModelFaultKind, ModelMessage, ModelPiece, ModelProvider, ModelRequest,
    ModelUsage, StopReason,
};

use super::kit::{
    SCHEMA, answered, asked, assistant, broken, call, definition, first, forbidden, goal, hear, member,
    opaque, read, result, text,
};
use crate::formats::{Framing, framing, request};

const OF: ModelProvider = ModelProvider::Openai;

pub(super) const TWO_CALLS: &[&str] = &[
    r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning_content":"Two files."},"finish_reason":null}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"I read."},"finish_reason":""}],"usage":null}"#,
    r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"","type":"function","function":{"name":"read","arguments":""}}]}}]}"#,
    r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"","function":{"name":"read","arguments":"{\"path\":"}}]}}]}"#,
    r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\":\"a\"}"}}]}}]}"#,
    r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"function":{"arguments":"\"b\"}"}}]}}]}"#,
    r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
    r#"{"choices":[],"usage":{"prompt_tokens":50,"completion_tokens":9,"prompt_tokens_details":{"cached_tokens":40,"cache_write_tokens":5}}}"#,
    "[DONE]",
];

#[test]
fn a_request_has_these_bytes() {
    let wire = first(OF);
    assert_eq!(wire.path, "/chat/completions");
    let expected_headers =
        [("content-type", "application/json".to_owned()), ("authorization", "Bearer k-1".to_owned())];
    assert_eq!(wire.headers, expected_headers);
    let expected = format!(
        concat!(
            r#"{{"model":"m-1","tools":[{{"type":"function","function":{{"name":"read","description":"Reads a file.","parameters":{}}}}}],"#,
            r#""messages":[{{"role":"system","content":"Be brief."}},{{"role":"user","content":"Read both."}}],"#,
            r#""max_completion_tokens":100,"stream":true,"stream_options":{{"include_usage":true}}}}"#,
        ),
        SCHEMA
    );
    assert_eq!(wire.body.as_str(), expected);
    assert_eq!(framing(OF), Framing::Sse);
}

#[test]
fn servers_other_than_openai_are_told_the_limit_under_its_older_name() {
    let mut local = definition(OF);
    local.url = "http://127.0.0.1:8080/v1".to_owned();
    let body = request(&local, &asked(vec![goal()]), None).body;
    assert!(body.as_str().contains(r#""max_tokens":100"#), "{body:?}");
    assert!(!body.as_str().contains("max_completion_tokens"), "{body:?}");
}

#[test]
fn an_answer_is_never_longer_than_the_model_allows() {
    let long = ModelRequest { output_tokens_max: Some(1_000_000), ..asked(vec![goal()]) };
    let body = request(&definition(OF), &long, None).body;
    assert!(body.as_str().contains(r#""max_completion_tokens":8192"#), "{body:?}");
}

#[test]
fn calls_can_be_forbidden() {
    let body = forbidden(OF);
    assert_eq!(body["tool_choice"], "none");
    assert_eq!(body["tools"][0]["function"]["name"], "read");
}

#[test]
fn a_turn_of_two_calls_without_ids_goes_back_with_its_thinking() {
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
    let expected = concat!(
        r#"[{"role":"system","content":"Be brief."},{"role":"user","content":"Read both."},"#,
        r#"{"role":"assistant","content":"I read.","reasoning_content":"Two files.","tool_calls":["#,
        r#"{"id":"000001000","type":"function","function":{"name":"read","arguments":"{\"path\":\"a\"}"}},"#,
        r#"{"id":"000001001","type":"function","function":{"name":"read","arguments":"{\"path\":\"b\"}"}}]},"#,
        r#"{"role":"tool","tool_call_id":"000001000","content":"A"},"#,
        r#"{"role":"tool","tool_call_id":"000001001","content":"B"}]"#,
    );
    assert_eq!(member(OF, answered(answer), "messages"), expected);
}

#[test]
fn calls_with_the_same_id_are_told_apart_by_their_places() {
    let answer = read(
        OF,
        &[
            r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"x","function":{"name":"second","arguments":"{}"}},{"index":0,"id":"x","function":{"name":"first","arguments":"{}"}}]},"finish_reason":"stop"}]}"#,
        ],
    )
    .unwrap();
    let expected = [named("first"), named("second")];
    assert_eq!(answer.parts, expected);
    assert_eq!(answer.stop, StopReason::Calls, "a server that says stop has calls all the same");
}

#[test]
fn calls_without_places_or_all_at_the_same_place_are_told_apart() {
    let without = [
        r#"{"choices":[{"delta":{"tool_calls":[{"id":"1","function":{"name":"first","arguments":"{}"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"id":"2","function":{"name":"second","arguments":"{}"}}]}}]}"#,
        "[DONE]",
    ];
    let same = [
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"","function":{"name":"first","arguments":"{}"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"","function":{"name":"second","arguments":"{}"}}]}}]}"#,
        "[DONE]",
    ];
    let expected = [named("first"), named("second")];
    assert_eq!(read(OF, &without).unwrap().parts, expected);
    assert_eq!(read(OF, &same).unwrap().parts, expected);
}

#[test]
fn a_signature_of_a_call_goes_back_with_it() {
    let answer = read(
        OF,
        &[
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"1","extra_content":{"google":{"thought_signature":"sig"}},"function":{"name":"read","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}"#,
        ],
    )
    .unwrap();
    let sent = member(OF, answered(answer), "messages");
    assert!(sent.contains(r#""extra_content":{"google":{"thought_signature":"sig"}}"#), "{sent}");
}

#[test]
fn an_answer_is_whole_with_a_reason_or_a_last_line_and_broken_off_without_both() {
    let said = r#"{"choices":[{"delta":{"content":"Hi"}}]}"#;
    let with_reason = r#"{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}"#;
    assert_eq!(read(OF, &[with_reason]).unwrap().parts, [text("Hi")]);
    assert_eq!(read(OF, &[said, "[DONE]"]).unwrap().stop, StopReason::Finished);
    assert_eq!(read(OF, &[said]).unwrap_err().kind, ModelFaultKind::Away);
}

#[test]
fn reasons_to_stop_are_understood() {
    for (reason, stop) in [
        ("stop", StopReason::Finished),
        ("length", StopReason::Length),
        ("content_filter", StopReason::Refused),
        ("who knows", StopReason::Other),
    ] {
        let said = format!(r#"{{"choices":[{{"delta":{{"content":"Hi"}},"finish_reason":"{reason}"}}]}}"#);
        assert_eq!(read(OF, &[&said]).unwrap().stop, stop, "{reason}");
    }
    let refusal = r#"{"choices":[{"delta":{"refusal":"No."},"finish_reason":"stop"}]}"#;
    let answer = read(OF, &[refusal]).unwrap();
    assert_eq!((answer.parts, answer.stop), (vec![text("No.")], StopReason::Refused));
}

#[test]
fn a_call_that_is_cut_off_is_broken_and_goes_back_as_an_object() {
    let answer = read(
        OF,
        &[
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"1","function":{"name":"read","arguments":"{\"path\":\"a"}}]},"finish_reason":"length"}]}"#,
        ],
    )
    .unwrap();
    assert_eq!((answer.stop, &answer.parts), (StopReason::Length, &vec![broken("", r#"{"path":"a"#)]));
    let sent = member(OF, vec![goal(), assistant(vec![broken("1.0", r#"{"path":"a"#)])], "messages");
    assert!(sent.contains(r#""arguments":"{\"invalid_arguments\":\"{\\\"path\\\":\\\"a\"}""#), "{sent}");
}

#[test]
fn parts_of_other_providers_are_left_out_and_an_answer_without_others_too() {
    let foreign = opaque(ModelProvider::Anthropic, r#"{"type":"redacted_thinking","data":"x"}"#);
    let both = assistant(vec![foreign.clone(), call("1.0", "{}", Some(r#"{"thoughtSignature":"sig"}"#))]);
    let results = ModelMessage { role: MessageRole::Tool, parts: vec![result("1.0", "")] };
    let sent = member(OF, vec![goal(), assistant(vec![foreign]), both, results], "messages");
    let expected = concat!(
        r#"[{"role":"system","content":"Be brief."},{"role":"user","content":"Read both."},"#,
        r#"{"role":"assistant","content":null,"tool_calls":["#,
        r#"{"id":"000001000","type":"function","function":{"name":"read","arguments":"{}"}}]},"#,
        r#"{"role":"tool","tool_call_id":"000001000","content":""}]"#,
    );
    assert_eq!(sent, expected);
}

/// A call without arguments, as a reader gives it.
fn named(name: &str) -> MessagePart {
    let mut part = call("", "{}", None);
    if let MessagePart::Call(call) = &mut part {
        name.clone_into(&mut call.name);
    }
    part
}
