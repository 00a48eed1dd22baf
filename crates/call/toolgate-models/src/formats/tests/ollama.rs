//! The API of Ollama.

use toolgate_core::model::{ModelFaultKind, ModelPiece, ModelProvider, ModelUsage, StopReason};

use super::kit::{SCHEMA, answered, broken, call, first, forbidden, hear, member, read, text};
use crate::formats::{Framing, framing};

const OF: ModelProvider = ModelProvider::Ollama;

pub(super) const TWO_CALLS: &[&str] = &[
    r#"{"model":"m-1","message":{"role":"assistant","content":"","thinking":"Two files."},"done":false}"#,
    r#"{"message":{"role":"assistant","content":"I read."},"done":false}"#,
    r#"{"message":{"content":"","tool_calls":[{"id":"same","function":{"index":0,"name":"read","arguments":{"path":"a"}}},{"id":"same","function":{"name":"read","arguments":{"path":"b"}}}]},"done":false}"#,
    r#"{"message":{"content":""},"done":true,"done_reason":"stop","prompt_eval_count":50,"prompt_eval_cached_count":40,"eval_count":9}"#,
];

#[test]
fn a_request_has_these_bytes() {
    let wire = first(OF);
    assert_eq!(wire.path, "/api/chat");
    assert_eq!(wire.headers[1], ("authorization", "Bearer k-1".to_owned()));
    let expected = format!(
        concat!(
            r#"{{"model":"m-1","tools":[{{"type":"function","function":{{"name":"read","description":"Reads a file.","parameters":{}}}}}],"#,
            r#""messages":[{{"role":"system","content":"Be brief."}},{{"role":"user","content":"Read both."}}],"#,
            r#""options":{{"num_ctx":100000,"num_predict":100}},"truncate":false,"shift":false,"stream":true}}"#,
        ),
        SCHEMA
    );
    assert_eq!(wire.body.as_str(), expected);
    assert_eq!(framing(OF), Framing::Lines);
}

#[test]
fn tools_are_not_named_when_calls_are_forbidden() {
    assert!(forbidden(OF).get("tools").is_none());
}

#[test]
fn a_turn_of_two_calls_goes_back_with_its_thinking() {
    let (pieces, answer) = hear(OF, TWO_CALLS).unwrap();
    let expected = [
        ModelPiece::Thinking("Two files.".to_owned()),
        ModelPiece::Text("I read.".to_owned()),
        ModelPiece::Call("read".to_owned()),
        ModelPiece::Call("read".to_owned()),
    ];
    assert_eq!(pieces, expected);
    assert_eq!(answer.stop, StopReason::Calls);
    assert_eq!(answer.usage, ModelUsage { input: 50, cached: 40, written: 0, output: 9 });
    let expected = concat!(
        r#"[{"role":"system","content":"Be brief."},{"role":"user","content":"Read both."},"#,
        r#"{"role":"assistant","content":"I read.","thinking":"Two files.","tool_calls":["#,
        r#"{"id":"1_0","function":{"name":"read","arguments":{"path":"a"}}},"#,
        r#"{"id":"1_1","function":{"name":"read","arguments":{"path":"b"}}}]},"#,
        r#"{"role":"tool","tool_name":"read","tool_call_id":"1_0","content":"A"},"#,
        r#"{"role":"tool","tool_name":"read","tool_call_id":"1_1","content":"B"}]"#,
    );
    assert_eq!(member(OF, answered(answer), "messages"), expected);
}

#[test]
fn arguments_may_be_a_text_of_an_object_and_nothing_else() {
    let text_of_one = r#"{"message":{"tool_calls":[{"function":{"name":"read","arguments":"{\"path\":\"a\"}"}}]},"done":true}"#;
    assert_eq!(read(OF, &[text_of_one]).unwrap().parts, [call("", r#"{"path":"a"}"#, None)]);
    let a_list = r#"{"message":{"tool_calls":[{"function":{"name":"read","arguments":[1]}}]},"done":true}"#;
    assert_eq!(read(OF, &[a_list]).unwrap().parts, [broken("", "[1]")]);
}

#[test]
fn a_stream_ends_with_the_line_that_says_so() {
    let said = r#"{"message":{"content":"Hi"},"done":false}"#;
    let cut = r#"{"message":{"content":""},"done":true,"done_reason":"length"}"#;
    let answer = read(OF, &[said, "", cut]).unwrap();
    assert_eq!((answer.parts, answer.stop), (vec![text("Hi")], StopReason::Length));
    assert_eq!(read(OF, &[said]).unwrap_err().kind, ModelFaultKind::Away);
}

#[test]
fn failures_in_the_middle_have_their_kind() {
    let said = r#"{"message":{"content":"Hi"},"done":false}"#;
    for (event, kind) in [
        (r#"{"error":"an error was encountered while running the model"}"#, ModelFaultKind::Busy),
        (r#"{"error":"the input length exceeds the context length"}"#, ModelFaultKind::Overflow),
        ("nothing of this kind", ModelFaultKind::Nonsense),
    ] {
        assert_eq!(read(OF, &[said, event]).unwrap_err().kind, kind, "{event}");
    }
}
