//! `generateContent` of Gemini.

use toolgate_core::model::{ModelFaultKind, ModelPiece, ModelProvider, ModelUsage, StopReason};

use super::kit::{
    SCHEMA, answered, asked, assistant, call, definition, first, forbidden, goal, hear, member, opaque, read,
    text,
};
use crate::formats::request;

const OF: ModelProvider = ModelProvider::Gemini;

pub(super) const TWO_CALLS: &[&str] = &[
    r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"Two files.","thought":true}]}}],"usageMetadata":{"promptTokenCount":50}}"#,
    r#"{"candidates":[{"content":{"parts":[{"text":"I "}]}}]}"#,
    r#"{"candidates":[{"content":{"parts":[{"text":"read.","thoughtSignature":"sig-t"}]}}]}"#,
    r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"read","args":{"path":"a"}},"thoughtSignature":"sig-a"},{"functionCall":{"name":"read","args":{"path":"b"}}}]}}]}"#,
    r#"{"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":"sig-e"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":48,"toolUsePromptTokenCount":2,"cachedContentTokenCount":40,"candidatesTokenCount":4,"thoughtsTokenCount":5}}"#,
];

#[test]
fn a_request_has_these_bytes() {
    let wire = first(OF);
    assert_eq!(wire.path, "/models/m-1:streamGenerateContent?alt=sse");
    assert_eq!(wire.headers[1], ("x-goog-api-key", "k-1".to_owned()));
    let expected = format!(
        concat!(
            r#"{{"systemInstruction":{{"parts":[{{"text":"Be brief."}}]}},"#,
            r#""tools":[{{"functionDeclarations":[{{"name":"read","description":"Reads a file.","parametersJsonSchema":{}}}]}}],"#,
            r#""contents":[{{"role":"user","parts":[{{"text":"Read both."}}]}}],"generationConfig":{{"maxOutputTokens":100}}}}"#,
        ),
        SCHEMA
    );
    assert_eq!(wire.body.as_str(), expected);
}

#[test]
fn the_name_of_a_model_cannot_leave_its_path() {
    for (model, path) in [
        ("tunedModels/mine", "/tunedModels/mine:streamGenerateContent?alt=sse"),
        ("a?key=b#c d", "/models/a%3Fkey%3Db%23c%20d:streamGenerateContent?alt=sse"),
    ] {
        let mut odd = definition(OF);
        odd.model = model.to_owned();
        assert_eq!(request(&odd, &asked(vec![goal()]), None).path, path);
    }
}

#[test]
fn calls_can_be_forbidden() {
    let body = forbidden(OF);
    assert_eq!(body["toolConfig"]["functionCallingConfig"]["mode"], "NONE");
    assert_eq!(body["tools"][0]["functionDeclarations"][0]["name"], "read");
}

#[test]
fn a_turn_of_two_calls_goes_back_with_each_signature_in_its_place() {
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
    assert_eq!(answer.usage, ModelUsage { input: 50, cached: 40, written: 0, output: 9 });
    let expected = concat!(
        r#"[{"role":"user","parts":[{"text":"Read both."}]},"#,
        r#"{"role":"model","parts":[{"text":"I read.","thoughtSignature":"sig-t"},"#,
        r#"{"functionCall":{"id":"1_0","name":"read","args":{"path":"a"}},"thoughtSignature":"sig-a"},"#,
        r#"{"functionCall":{"id":"1_1","name":"read","args":{"path":"b"}}},"#,
        r#"{"text":"","thoughtSignature":"sig-e"}]},"#,
        r#"{"role":"user","parts":[{"functionResponse":{"id":"1_0","name":"read","response":{"output":"A"}}},"#,
        r#"{"functionResponse":{"id":"1_1","name":"read","response":{"output":"B"}}}]}]"#,
    );
    assert_eq!(member(OF, answered(answer), "contents"), expected);
}

#[test]
fn the_first_call_of_another_providers_answer_says_that_it_is_not_signed() {
    let foreign = opaque(ModelProvider::Ollama, r#"{"thinking":"x"}"#);
    let answer = assistant(vec![
        foreign,
        text(" "),
        call("1.0", "{}", Some(r#"{"item_id":"fc_1"}"#)),
        call("1.1", "{}", None),
    ]);
    let expected = concat!(
        r#"[{"role":"user","parts":[{"text":"Read both."}]},"#,
        r#"{"role":"model","parts":[{"functionCall":{"id":"1_0","name":"read","args":{}},"thoughtSignature":"skip_thought_signature_validator"},"#,
        r#"{"functionCall":{"id":"1_1","name":"read","args":{}}}]},"#,
        r#"{"role":"user","parts":[{"functionResponse":{"id":"1_0","name":"read","response":{"error":"No result of this call is recorded."}}},"#,
        r#"{"functionResponse":{"id":"1_1","name":"read","response":{"error":"No result of this call is recorded."}}}]}]"#,
    );
    assert_eq!(member(OF, vec![goal(), answer], "contents"), expected);
}

#[test]
fn a_call_of_gemini_without_a_signature_stays_without_one() {
    let unsigned =
        r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"read"}}]},"finishReason":"STOP"}]}"#;
    let answer = read(OF, &[unsigned]).unwrap();
    assert_eq!(answer.parts, [call("", "{}", Some(r#"{"thoughtSignature":null}"#))]);
    let sent = member(OF, answered(answer), "contents");
    assert!(!sent.contains("thoughtSignature"), "{sent}");
}

#[test]
fn reasons_to_stop_are_understood() {
    for (reason, stop) in [
        ("STOP", StopReason::Finished),
        ("MAX_TOKENS", StopReason::Length),
        ("SAFETY", StopReason::Refused),
        ("PROHIBITED_CONTENT", StopReason::Refused),
        ("OTHER", StopReason::Other),
    ] {
        let said = format!(
            r#"{{"candidates":[{{"content":{{"parts":[{{"text":"Hi"}}]}},"finishReason":"{reason}"}}]}}"#
        );
        assert_eq!(read(OF, &[&said]).unwrap().stop, stop, "{reason}");
    }
    let blocked = r#"{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":3}}"#;
    let answer = read(OF, &[blocked]).unwrap();
    assert_eq!((answer.stop, answer.usage.input), (StopReason::Refused, 3));
}

#[test]
fn failures_in_the_middle_have_their_kind() {
    let said = r#"{"candidates":[{"content":{"parts":[{"text":"Hi"}]}}]}"#;
    for (event, kind) in [
        (r#"{"error":{"code":503,"message":"Overloaded","status":"UNAVAILABLE"}}"#, ModelFaultKind::Busy),
        (r#"{"error":{"code":429,"message":"Quota","status":"RESOURCE_EXHAUSTED"}}"#, ModelFaultKind::Busy),
        (r#"{"error":{"code":400,"message":"No","status":"INVALID_ARGUMENT"}}"#, ModelFaultKind::Refused),
        (
            r#"{"error":{"code":400,"message":"The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}"#,
            ModelFaultKind::Overflow,
        ),
        (
            r#"{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"print("}]}"#,
            ModelFaultKind::Nonsense,
        ),
        (r#"{"candidates":[{"finishReason":"MISSING_THOUGHT_SIGNATURE"}]}"#, ModelFaultKind::Refused),
    ] {
        assert_eq!(read(OF, &[said, event]).unwrap_err().kind, kind, "{event}");
    }
    assert_eq!(read(OF, &[said]).unwrap_err().kind, ModelFaultKind::Away);
}
