//! The end of a played call: read from the envelope that is kept of it, in the text that a model reads.

use serde_json::Value;
use toolgate_core::RawJson;
use toolgate_core::codes::{self, Code};
use toolgate_core::id::RefId;
use toolgate_core::run::{ActionKind, PlayedOutcome, QuestionPurpose, RequiredAction};

use super::rounds::INPUT_ID;

/// Refusals of calls that did not begin, and may be made later.
static NOT_NOW: [&Code; 6] = [
    &codes::RUN_PAUSED,
    &codes::RUN_ENDED,
    &codes::RUN_STATE,
    &codes::SHUTTING_DOWN,
    &codes::STORE_DOWN,
    &codes::LEDGER_DOWN,
];

/// Reads the envelope of a call.
pub(super) fn read(envelope: &RawJson, now_ms: i64) -> PlayedOutcome {
    let envelope: Value = envelope.decode().unwrap_or_default();
    let error = &envelope["error"];
    let has_code = |code: &&Code| error["code"] == code.name;
    match envelope["status"].as_str().unwrap_or_default() {
        "pending_approval" => PlayedOutcome::Waits(approval(&envelope, now_ms)),
        "pending_input" => {
            let asked = &envelope["data"]["structuredContent"];
            let purpose = QuestionPurpose::parse(text(&asked["purpose"])).unwrap_or_default();
            PlayedOutcome::Waits(question(text(&asked["input_id"]), purpose, now_ms))
        }
        // The server asks, and people answer.
        "input_required" if error[INPUT_ID].is_string() => {
            PlayedOutcome::Waits(question(text(&error[INPUT_ID]), QuestionPurpose::default(), now_ms))
        }
        "unknown" if has_code(&&codes::CALL_UNKNOWN) => PlayedOutcome::Unknown,
        "running" => PlayedOutcome::NotNow,
        "refused" | "not_called" | "input_required" if NOT_NOW.iter().any(has_code) => PlayedOutcome::NotNow,
        _ if has_code(&&codes::SERVER_UNAUTHORIZED) => PlayedOutcome::Waits(credential(error, now_ms)),
        _ if error.is_null() => result(&envelope),
        _ => PlayedOutcome::Ended { text: refused(error), is_error: true },
    }
}

/// The same for a call that is not made any more: `None` if it never began.
pub(super) fn read_left(envelope: &RawJson, now_ms: i64) -> Option<PlayedOutcome> {
    let is_under_way = envelope.decode::<Value>().is_ok_and(|envelope| envelope["status"] == "running");
    match read(envelope, now_ms) {
        PlayedOutcome::NotNow if !is_under_way => None,
        outcome => Some(outcome),
    }
}

fn approval(envelope: &Value, now_ms: i64) -> RequiredAction {
    let id = text(&envelope["approval_id"]).to_owned();
    let link = envelope["error"]["link"].as_str().map(|link| format!("{link}, or ")).unwrap_or_default();
    let how =
        format!("decide on it: {link}`toolgate approvals approve {id}` or `toolgate approvals deny {id}`");
    RequiredAction { kind: ActionKind::Approval, id, since_ms: now_ms, how }
}

fn question(id: &str, purpose: QuestionPurpose, now_ms: i64) -> RequiredAction {
    let how = format!("answer it in the inbox, or with `toolgate inputs answer {id} ANSWER`");
    RequiredAction { kind: purpose.action(), id: id.to_owned(), since_ms: now_ms, how }
}

/// The tool did not run: it is called again when somebody says that the sign-in is done. No question is asked of this yet, so it has
/// no id.
fn credential(error: &Value, now_ms: i64) -> RequiredAction {
    let (message, hint) = (text(&error["message"]), text(&error["hint"]));
    let how = format!(
        "{message}. {hint}. Then answer \"done\": the call is made again. To give up, cancel the run."
    );
    RequiredAction { kind: ActionKind::Credential, id: String::new(), since_ms: now_ms, how }
}

/// The same lines as a client of MCP gets.
fn refused(error: &Value) -> String {
    let lines = [
        ("why", "why"),
        ("decides", "decides"),
        ("until", "until"),
        ("hint", "hint"),
        ("tell the user", "tell_user"),
        ("link for people", "link"),
    ];
    let said = lines.into_iter().filter_map(|(name, key)| Some(format!("\n{name}: {}", said(&error[key])?)));
    std::iter::once(text(&error["message"]).to_owned()).chain(said).collect()
}

fn result(envelope: &Value) -> PlayedOutcome {
    let data = &envelope["data"];
    let mut lines: Vec<String> = data["content"].as_array().into_iter().flatten().map(block).collect();
    if lines.is_empty() {
        lines.extend(structured(data));
    }
    let known = lines.join("\n");
    let refs = envelope["refs"].as_array().into_iter().flatten();
    lines.extend(refs.filter(|one| is_unnamed_ref(one, &known)).map(|one| format!("[{one}]")));
    PlayedOutcome::Ended { text: lines.join("\n"), is_error: data["isError"] == true }
}

/// A block of content as text. What is no text is named, not shown.
fn block(block: &Value) -> String {
    match block["type"].as_str().unwrap_or_default() {
        "text" => text(&block["text"]).to_owned(),
        "resource_link" => format!("[resource {}]", text(&block["uri"])),
        "resource" => match said(&block["resource"]["text"]) {
            Some(content) => content.to_owned(),
            None => format!("[resource {}]", text(&block["resource"]["uri"])),
        },
        kind => format!("[{kind} {}]", text(&block["mimeType"])),
    }
}

/// A result without content: what it has for programs, or all of it.
fn structured(data: &Value) -> Option<String> {
    let shown = match &data["structuredContent"] {
        Value::Null => data,
        structured => structured,
    };
    (!shown.is_null()).then(|| shown.to_string())
}

/// True for a part of the result that was taken out, and that the text does not name. Other refs say what a tool worked on.
fn is_unnamed_ref(one: &Value, text: &str) -> bool {
    let id = one["id"].as_str().or_else(|| one["ref_id"].as_str()).unwrap_or_default();
    id.starts_with(RefId::PREFIX) && !text.contains(id)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn said(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ended(envelope: Value) -> (String, bool) {
        match read(&envelope.into(), 5) {
            PlayedOutcome::Ended { text, is_error } => (text, is_error),
            other => panic!("{other:?}"),
        }
    }

    fn waits(envelope: Value) -> RequiredAction {
        match read(&envelope.into(), 5) {
            PlayedOutcome::Waits(action) => action,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_model_reads_the_text_of_a_result_and_lines_for_the_rest() {
        let content = json!([
            { "type": "text", "text": "one" },
            { "type": "image", "mimeType": "image/png", "data": "AAAA" },
            { "type": "resource_link", "uri": "file:///a" },
            { "type": "text", "text": "see ref_1" },
        ]);
        let refs = json!([{ "id": "ref_1", "kind": "ref" }, { "id": "ref_2", "kind": "ref" }, { "id": "inp_1", "kind": "input" }]);
        let envelope = json!({ "status": "succeeded", "data": { "content": content }, "refs": refs });
        let told =
            "one\n[image image/png]\n[resource file:///a]\nsee ref_1\n[{\"id\":\"ref_2\",\"kind\":\"ref\"}]";
        assert_eq!(ended(envelope), (told.to_owned(), false));
        let structured =
            json!({ "status": "succeeded", "data": { "structuredContent": { "n": 1 } }, "refs": [] });
        assert_eq!(ended(structured), ("{\"n\":1}".to_owned(), false));
        let failed = json!({ "status": "tool_error", "refs": [],
            "data": { "isError": true, "content": [{ "type": "text", "text": "no such account" }] } });
        assert_eq!(ended(failed), ("no such account".to_owned(), true));
    }

    #[test]
    fn a_refusal_is_an_end_that_says_what_helps() {
        let error = json!({ "code": "denied", "message": "policy forbids it", "why": "too much", "hint": "ask for less" });
        let told = "policy forbids it\nwhy: too much\nhint: ask for less";
        assert_eq!(ended(json!({ "status": "denied", "error": error })), (told.to_owned(), true));
        let unknown = json!({ "code": "unknown_tool", "message": "there is no tool x", "hint": "" });
        assert_eq!(
            ended(json!({ "status": "not_called", "error": unknown })),
            ("there is no tool x".into(), true)
        );
    }

    #[test]
    fn what_waits_for_people_says_for_what_and_how_it_goes_on() {
        let action = waits(json!({ "status": "pending_approval", "approval_id": "apr_1",
            "error": { "code": "pending_approval", "link": "http://gate/console/inbox/approvals/apr_1" } }));
        assert_eq!((action.kind, action.id.as_str(), action.since_ms), (ActionKind::Approval, "apr_1", 5));
        assert!(action.how.contains("http://gate/console/inbox/approvals/apr_1"), "{}", action.how);
        let action = waits(json!({ "status": "pending_input",
            "data": { "structuredContent": { "input_id": "inp_1" } } }));
        assert_eq!((action.kind, action.id.as_str()), (ActionKind::Question, "inp_1"));
        let action = waits(json!({ "status": "pending_input",
            "data": { "structuredContent": { "input_id": "inp_2", "purpose": "captcha" } } }));
        assert_eq!((action.kind, action.id.as_str()), (ActionKind::Captcha, "inp_2"));
        let action = waits(json!({ "status": "input_required",
            "error": { "code": "input_required", "input_id": "inp_3" } }));
        assert_eq!((action.kind, action.id.as_str()), (ActionKind::Question, "inp_3"));
    }

    #[test]
    fn a_server_that_wants_a_sign_in_is_waited_for() {
        let error = json!({ "code": "server_unauthorized", "retry": true, "message": "server \"bank\" wants a credential",
            "hint": "sign in with `toolgate servers login bank`" });
        let action = waits(json!({ "status": "failed", "error": error }));
        assert_eq!((action.kind, action.id.as_str(), action.since_ms), (ActionKind::Credential, "", 5));
        assert!(
            action.how.contains("toolgate servers login bank") && action.how.contains("\"done\""),
            "{}",
            action.how
        );
    }

    #[test]
    fn a_call_that_did_not_begin_is_not_the_end_of_it() {
        for code in NOT_NOW {
            let error = json!({ "code": code.name, "message": "not now" });
            let played = read(&json!({ "status": "refused", "error": error }).into(), 5);
            assert_eq!(played, PlayedOutcome::NotNow, "{}", code.name);
        }
        let running: RawJson = json!({ "status": "running", "error": {} }).into();
        assert_eq!(read(&running, 5), PlayedOutcome::NotNow);
        assert_eq!(read_left(&running, 5), Some(PlayedOutcome::NotNow), "it has begun");
        let refused = json!({ "status": "refused", "error": { "code": codes::RUN_ENDED.name } });
        assert_eq!(read_left(&refused.into(), 5), None);
        let lost = json!({ "status": "unknown", "error": { "code": "call_unknown" } });
        assert_eq!(read(&lost.into(), 5), PlayedOutcome::Unknown);
        let cut =
            json!({ "status": "unknown", "error": { "code": "server_lost", "message": "it broke off" } });
        assert_eq!(ended(cut), ("it broke off".to_owned(), true));
    }
}
