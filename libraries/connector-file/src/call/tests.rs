//! Facts about calls.

use serde_json::json;

use super::*;
use crate::fixture::{BASE, action, file, headers, no_headers, object};

const READ: &str = r#"
[[actions]]
name = "look"
title = "Look"
description = "Looks."
method = "GET"
path = "/things"
result = "/thing"
"#;

fn write(idempotency: &str) -> ConnectorAction {
    action(&format!(
        "[error]\nsays = \"/message\"\ncode = \"/code\"\nsign_in = [\"revoked\"]\nagain = [\"slow\"]\nunsure = [\"oops\"]\n\
         [rate]\nremaining = \"x-left\"\nreset = \"x-reset\"\n\
         [retry]\nreset = \"x-reset\"\nstatuses_if_limited = [403]\n\
         [[actions]]\nname = \"make\"\ntitle = \"Make\"\ndescription = \"Makes.\"\nmethod = \"POST\"\npath = \"/things\"\n\
         idempotency = {idempotency}\n[actions.arguments.name]\nplace = \"body\"\nschema = {{ type = \"string\" }}\n"
    ))
}

fn begin(action: &ConnectorAction) -> ActionCall<'_> {
    action.call(&Map::new(), "call_1").expect("no argument is needed")
}

fn verdict(turn: CallTurn) -> ProviderVerdict {
    match turn {
        CallTurn::End(verdict) => verdict,
        other => panic!("the call goes on: {other:?}"),
    }
}

fn failed(says: &str, code: Option<&str>) -> ProviderVerdict {
    ProviderVerdict::Failed { says: says.to_owned(), code: code.map(str::to_owned) }
}

#[test]
fn a_success_is_the_member_that_the_file_points_to() {
    let look = action(READ);
    let answer = json!({ "thing": { "id": 7 } });
    let turn = begin(&look).answered(200, &no_headers, Some(&answer));
    assert_eq!(verdict(turn), ProviderVerdict::Done { data: json!({ "id": 7 }) });
    let lacking = begin(&look).answered(200, &no_headers, Some(&json!({ "other": 1 })));
    assert_eq!(verdict(lacking), failed("the provider's answer has nothing at \"/thing\"", None));
    let empty = begin(&write("\"ledger\"")).answered(204, &no_headers, None);
    assert_eq!(verdict(empty), ProviderVerdict::Done { data: Value::Null });
}

#[test]
fn a_write_that_happened_is_done_even_if_its_result_is_elsewhere() {
    let text = READ.replace("GET", "POST").replace("result", "idempotency = \"ledger\"\nresult");
    let turn = begin(&action(&text)).answered(201, &no_headers, Some(&json!({ "other": 1 })));
    assert_eq!(verdict(turn), ProviderVerdict::Done { data: json!({ "other": 1 }) });
}

#[test]
fn a_good_status_is_a_failure_where_the_body_says_so() {
    let look = action(&format!("[ok]\npointer = \"/ok\"\nequals = true\n[error]\nsays = \"/error\"\n{READ}"));
    for (body, says) in [
        (json!({ "ok": false, "error": "channel_not_found" }), "channel_not_found"),
        (json!({ "ok": "true" }), "the provider answered 200"),
        (json!({ "thing": 1 }), "the provider answered 200"),
    ] {
        assert_eq!(
            verdict(begin(&look).answered(200, &no_headers, Some(&body))),
            failed(says, None),
            "{body}"
        );
    }
    let good = begin(&look).answered(200, &no_headers, Some(&json!({ "ok": true, "thing": 1 })));
    assert_eq!(verdict(good), ProviderVerdict::Done { data: json!(1) });
}

#[test]
fn a_failure_has_the_words_and_the_code_of_the_provider() {
    let make = write("\"ledger\"");
    let body = json!({ "message": "Name is taken", "code": "conflict" });
    let turn = begin(&make).answered(409, &no_headers, Some(&body));
    assert_eq!(verdict(turn), failed("Name is taken (conflict)", Some("conflict")));
    let bare = begin(&make).answered(400, &no_headers, None);
    assert_eq!(verdict(bare), failed("the provider answered 400", None));
    let long = begin(&make).answered(400, &no_headers, Some(&json!({ "message": "x".repeat(5000) })));
    assert_eq!(verdict(long), failed(&"x".repeat(1000), None));
    let redirect = begin(&make).answered(302, &no_headers, None);
    assert_eq!(
        verdict(redirect),
        failed("the provider answered 302: a redirect, which is not followed", None)
    );
}

#[test]
fn credentials_that_expired_or_were_revoked_ask_for_a_sign_in() {
    for action in [write("\"ledger\""), write("{ natural = [\"name\"] }")] {
        let expired = begin(&action).answered(401, &no_headers, Some(&json!({ "message": "Expired" })));
        assert_eq!(verdict(expired), ProviderVerdict::SignIn { says: "Expired".to_owned() });
        let revoked = begin(&action).answered(403, &no_headers, Some(&json!({ "code": "revoked" })));
        assert_eq!(verdict(revoked), ProviderVerdict::SignIn { says: "revoked".to_owned() });
    }
}

#[test]
fn a_read_comes_again_when_it_is_told_to_and_not_more_often_than_the_file_says() {
    let look = action(READ);
    let mut call = begin(&look);
    let told = headers([("Retry-After", "7")]);
    assert_eq!(call.answered(429, &told, None), CallTurn::Wait(Duration::from_secs(7)));
    assert_eq!(call.answered(500, &no_headers, None), CallTurn::Wait(Duration::from_secs(2)));
    assert_eq!(verdict(call.answered(502, &no_headers, None)), failed("the provider answered 502", None));
    let mut slow = begin(&look);
    assert_eq!(
        slow.answered(429, &no_headers, None),
        CallTurn::Wait(Duration::from_secs(1)),
        "no time is named"
    );
    let mut late = begin(&look);
    let turn = late.answered(429, &headers([("retry-after", "3600")]), None);
    let says = "the provider answered 429; the provider takes it again in 3600 s";
    assert_eq!(verdict(turn), failed(says, None), "nobody waits for an hour");
    let mut hurried = begin(&look);
    assert_eq!(
        hurried.answered(429, &headers([("retry-after", "20")]), None),
        CallTurn::Wait(Duration::from_secs(20))
    );
    let says = "the provider answered 429; the provider takes it again in 20 s";
    assert_eq!(hurried.given_up(), failed(says, None), "a caller without the time is told it");
    let once = action(&format!("[retry]\ntries = 1\n{READ}"));
    assert!(matches!(begin(&once).answered(500, &no_headers, None), CallTurn::End(_)));
}

#[test]
fn an_answer_resets_the_count_of_tries_of_the_next_page() {
    let look = action(LIST);
    let mut call = begin(&look);
    assert!(matches!(call.answered(500, &no_headers, None), CallTurn::Wait(_)));
    assert!(matches!(call.answered(500, &no_headers, None), CallTurn::Wait(_)));
    let page = json!({ "things": [1], "next": "b" });
    assert_eq!(call.answered(200, &no_headers, Some(&page)), CallTurn::Send);
    assert_eq!(call.answered(500, &no_headers, None), CallTurn::Wait(Duration::from_secs(1)));
}

#[test]
fn a_write_without_a_key_is_sent_once_whatever_comes_back() {
    let make = write("\"ledger\"");
    for status in [500, 502, 503, 504, 408] {
        let turn = begin(&make).answered(status, &no_headers, None);
        let says = format!("the provider answered {status}");
        assert_eq!(verdict(turn), ProviderVerdict::Unsure { says }, "{status}");
    }
    let html = begin(&make).answered(200, &no_headers, None);
    let says = "the provider answered 200 with something that is no JSON".to_owned();
    assert_eq!(verdict(html), ProviderVerdict::Unsure { says });
    let lost = begin(&make).lost();
    assert_eq!(verdict(lost), ProviderVerdict::Unsure { says: "the answer was lost".to_owned() });
    let coded = begin(&make).answered(400, &no_headers, Some(&json!({ "code": "oops" })));
    assert_eq!(verdict(coded), ProviderVerdict::Unsure { says: "oops".to_owned() });
}

#[test]
fn a_write_without_a_key_that_was_refused_for_now_did_not_happen_and_is_left_to_the_caller() {
    let make = write("\"ledger\"");
    let told = headers([("retry-after", "5")]);
    for (status, body) in [(429, json!({})), (503, json!({})), (400, json!({ "code": "slow" }))] {
        let turn = begin(&make).answered(status, &told, Some(&body));
        let ProviderVerdict::Failed { says, .. } = verdict(turn) else {
            panic!("{status}: it did not happen")
        };
        assert!(says.ends_with("takes it again in 5 s"), "{says}");
    }
}

#[test]
fn a_write_with_a_key_or_a_natural_one_is_sent_again_and_ends_unknown() {
    for idempotency in ["{ header = \"Idempotency-Key\" }", "{ natural = [\"name\"] }"] {
        let make = write(idempotency);
        let mut call = begin(&make);
        assert_eq!(call.answered(500, &no_headers, None), CallTurn::Wait(Duration::from_secs(1)));
        assert_eq!(call.lost(), CallTurn::Wait(Duration::from_secs(2)));
        let last = call.answered(200, &no_headers, None);
        assert!(matches!(verdict(last), ProviderVerdict::Unsure { .. }), "{idempotency}");
    }
}

#[test]
fn the_key_of_a_write_is_the_id_of_the_call_each_time() {
    let make = write("{ header = \"Idempotency-Key\" }");
    let mut call = begin(&make);
    for _ in 0..2 {
        let sent = call.request(BASE).expect("a request").request;
        assert!(sent.headers.contains(&("Idempotency-Key".to_owned(), "call_1".to_owned())));
        call.answered(500, &no_headers, None);
    }
    let without = write("\"ledger\"");
    let sent = begin(&without).request(BASE).expect("a request").request;
    assert_eq!(sent.headers, []);
}

#[test]
fn a_forbidden_answer_is_a_limit_only_if_it_says_so() {
    let look = action(&format!(
        "[rate]\nremaining = \"x-left\"\n[retry]\nreset = \"x-reset\"\nstatuses_if_limited = [403]\n{READ}"
    ));
    let forbidden = begin(&look).answered(403, &headers([("x-left", "12")]), None);
    assert!(matches!(verdict(forbidden), ProviderVerdict::Failed { .. }));
    let date = "Sun, 06 Nov 1994 08:49:37 GMT";
    let limited = headers([("x-left", "0"), ("x-reset", "784111787"), ("date", date)]);
    assert_eq!(begin(&look).answered(403, &limited, None), CallTurn::Wait(Duration::from_secs(10)));
    let timed = headers([("retry-after", "4")]);
    assert_eq!(begin(&look).answered(403, &timed, None), CallTurn::Wait(Duration::from_secs(4)));
    assert_eq!(look.rate(&limited), crate::RateLeft { remaining: Some(0), reset_s: None });
}

#[test]
fn html_where_json_was_promised_is_a_failure_with_words() {
    let turn = begin(&action(READ)).answered(200, &no_headers, None);
    assert_eq!(verdict(turn), failed("the provider answered 200 with something that is no JSON", None));
    let any = action(&READ.replace("result = \"/thing\"", "answer = \"any\""));
    assert_eq!(
        verdict(begin(&any).answered(200, &no_headers, None)),
        ProviderVerdict::Done { data: Value::Null }
    );
}

const LIST: &str = r#"
[pagination.cursor]
kind = "cursor"
next = "/next"
parameter = "cursor"
size = 2
size_parameter = "count"
pages_max = 3

[[actions]]
name = "list"
title = "List"
description = "Lists."
method = "GET"
path = "/things"
result = "/things"
pagination = "cursor"
"#;

#[test]
fn pages_are_read_until_there_are_as_many_items_as_were_asked_for() {
    let list = action(LIST);
    let mut call = list.call(&object(json!({ "limit": 3 })), "call_1").expect("good arguments");
    assert_eq!(call.request(BASE).expect("a request").address, format!("{BASE}/things?count=2"));
    let turn = call.answered(200, &no_headers, Some(&json!({ "things": [1, 2], "next": "b c" })));
    assert_eq!(turn, CallTurn::Send);
    assert_eq!(call.request(BASE).expect("a request").address, format!("{BASE}/things?count=2&cursor=b%20c"));
    let turn = call.answered(200, &no_headers, Some(&json!({ "things": [3, 4], "next": "c" })));
    let data = json!({ "items": [1, 2, 3, 4], "next": "cursor=c" });
    assert_eq!(verdict(turn), ProviderVerdict::Done { data });
    let more = list.call(&object(json!({ "page": "cursor=c" })), "call_2").expect("good arguments");
    assert_eq!(more.request(BASE).expect("a request").address, format!("{BASE}/things?count=2&cursor=c"));
}

#[test]
fn a_list_ends_with_its_items_at_the_end_at_the_cap_and_in_a_circle() {
    let list = action(LIST);
    let page = |next: &str| json!({ "things": [1], "next": next });
    let read = |cursors: &[&str]| {
        let mut call = begin(&list);
        let mut turn = CallTurn::Send;
        for cursor in cursors {
            assert_eq!(turn, CallTurn::Send);
            turn = call.answered(200, &no_headers, Some(&page(cursor)));
        }
        verdict(turn)
    };
    assert_eq!(read(&["a", ""]), ProviderVerdict::Done { data: json!({ "items": [1, 1] }) });
    let capped = json!({ "items": [1, 1, 1], "next": "cursor=c" });
    assert_eq!(read(&["a", "b", "c"]), ProviderVerdict::Done { data: capped });
    let says = "the provider named a page that was already read, so its list has no end";
    let circle = json!({ "items": [1, 1], "stopped": says });
    assert_eq!(read(&["a", "a"]), ProviderVerdict::Done { data: circle });
}

#[test]
fn a_list_that_is_none_is_a_failure() {
    let list = action(LIST);
    let turn = begin(&list).answered(200, &no_headers, Some(&json!({ "things": { "id": 1 } })));
    assert_eq!(verdict(turn), failed("the provider's answer has no list at \"/things\"", None));
    for page in [json!("q=1"), json!(7), json!("")] {
        let refused = list.call(&object(json!({ "page": page })), "call_1").err();
        assert_eq!(refused, Some(BadActionArguments::ForeignPage), "{page}");
    }
}

const STEPS: &str = r#"
hosts = ["files.example.com"]
[[actions]]
name = "upload"
title = "Upload"
description = "Uploads."
idempotency = "ledger"

[actions.arguments.file]
required = true
schema = { type = "string", contentEncoding = "base64" }

[[actions.steps]]
method = "POST"
path = "/begin"
effects = "read"
take = { where = "/url", id = "/id" }

[actions.steps.values.length]
length_of = "file"
place = "form"

[[actions.steps]]
method = "PUT"
address = "where"
effects = "read"
answer = "any"

[actions.steps.values.file]
argument = "file"
place = "raw"
encode = "bytes"

[[actions.steps]]
method = "POST"
path = "/complete"

[actions.steps.values.id]
taken = "id"
place = "body"
pointer = "/files/0/id"
"#;

fn body_of(planned: &PlannedRequest) -> String {
    let body = planned.request.body.as_ref().expect("a body");
    String::from_utf8(body.bytes.clone()).expect("text")
}

#[test]
fn steps_follow_each_other_and_take_what_they_need() {
    let upload = action(STEPS);
    let mut call = upload.call(&object(json!({ "file": "aGVsbG8=" })), "call_1").expect("good arguments");
    let first = call.request(BASE).expect("a request");
    assert_eq!(
        (first.address.as_str(), body_of(&first).as_str()),
        ("https://api.example.com/v1/begin", "length=5")
    );
    assert!(first.with_secrets);
    assert_eq!(
        call.answered(500, &no_headers, None),
        CallTurn::Wait(Duration::from_secs(1)),
        "nobody saw it yet"
    );
    let begun = json!({ "url": "https://files.example.com/u?t=1", "id": "F1" });
    assert_eq!(call.answered(200, &no_headers, Some(&begun)), CallTurn::Send);
    let second = call.request(BASE).expect("a request");
    assert_eq!(
        (second.address.as_str(), body_of(&second).as_str()),
        ("https://files.example.com/u?t=1", "hello")
    );
    assert!(!second.with_secrets, "the address is not the provider's own");
    assert!(!call.has_written(), "an upload that nobody completes is nothing");
    assert_eq!(call.answered(200, &no_headers, None), CallTurn::Send);
    let third = call.request(BASE).expect("a request");
    assert_eq!(body_of(&third), r#"{"files":[{"id":"F1"}]}"#);
    assert!(matches!(call.lost(), CallTurn::End(ProviderVerdict::Unsure { .. })));
}

#[test]
fn an_address_that_an_answer_names_is_the_providers_own_or_one_of_the_file() {
    let upload = action(STEPS);
    for (address, is_allowed) in [
        ("https://files.example.com/u", true),
        ("https://api.example.com/other", true),
        ("http://files.example.com/u", false),
        ("https://files.example.com:8443/u", false),
        ("https://files.example.com.evil.net/u", false),
        ("http://169.254.169.254/latest", false),
        ("http://api.example.com/u", false),
        ("/u", false),
    ] {
        let mut call = upload.call(&object(json!({ "file": "" })), "call_1").expect("good arguments");
        call.answered(200, &no_headers, Some(&json!({ "url": address, "id": "F1" })));
        let planned = call.request(BASE);
        assert_eq!(planned.is_ok(), is_allowed, "{address}");
        if let Err(error) = planned {
            assert_eq!(error, BadActionArguments::ForeignAddress(address.to_owned()));
        }
    }
}

#[test]
fn a_step_whose_answer_lacks_what_the_next_one_needs_ends_the_call() {
    let upload = action(STEPS);
    let mut call = upload.call(&object(json!({ "file": "" })), "call_1").expect("good arguments");
    let turn = call.answered(200, &no_headers, Some(&json!({ "id": "F1" })));
    assert_eq!(verdict(turn), failed("the provider's answer has nothing at \"/url\"", None));
}

#[test]
fn a_preview_has_every_request_of_the_call() {
    let upload = action(STEPS);
    let call = upload.call(&object(json!({ "file": "aGVsbG8=" })), "call_1").expect("good arguments");
    let preview = call.preview(BASE).expect("requests");
    let addresses: Vec<&str> = preview.iter().map(|one| one.address.as_str()).collect();
    assert_eq!(
        addresses,
        ["https://api.example.com/v1/begin", "‹where›", "https://api.example.com/v1/complete"]
    );
    assert_eq!(body_of(&preview[2]), r#"{"files":[{"id":"‹id›"}]}"#);
}

#[test]
fn arguments_that_are_missing_or_unknown_are_refused() {
    let upload = action(STEPS);
    let missing = upload.call(&Map::new(), "call_1").err();
    assert_eq!(missing, Some(BadActionArguments::Missing("file".to_owned())));
    let null = upload.call(&object(json!({ "file": null })), "call_1").err();
    assert_eq!(null, Some(BadActionArguments::Missing("file".to_owned())));
    let unknown = upload.call(&object(json!({ "file": "", "token": "x" })), "call_1").err();
    assert_eq!(unknown, Some(BadActionArguments::refused("token", "is none of this action")));
    let call =
        upload.call(&object(json!({ "file": "no base64!" })), "call_1").expect("it is looked at later");
    let bad = call.request(BASE).err();
    assert_eq!(bad, Some(BadActionArguments::refused("file", "must be Base64")));
}

#[test]
fn a_base_that_is_no_plain_address_is_refused() {
    let look = action(READ);
    for base in ["", "api.example.com", "ftp://a.b", "https://a.b/?k=1", "https://a.b/#x", "https://me@a.b"] {
        let refused = begin(&look).request(base).err();
        assert_eq!(refused, Some(BadActionArguments::BadBase(base.to_owned())), "{base}");
    }
    assert_eq!(
        begin(&look).request("http://127.0.0.1:9/x/").expect("a request").address,
        "http://127.0.0.1:9/x/things"
    );
}

#[test]
fn an_action_can_be_taken_back_if_its_result_says_what() {
    let file = file(
        "[[actions]]\nname = \"make\"\ntitle = \"Make\"\ndescription = \"Makes.\"\nmethod = \"POST\"\npath = \"/t\"\n\
         idempotency = \"ledger\"\nundo = { action = \"drop\", arguments = { id = \"/thing/id\" } }\n\
         [[actions]]\nname = \"drop\"\ntitle = \"Drop\"\ndescription = \"Drops.\"\nmethod = \"DELETE\"\npath = \"/t/{id}\"\n\
         idempotency = { natural = [\"id\"] }\n[actions.arguments.id]\nplace = \"path\"\nrequired = true\nschema = { type = \"string\" }\n",
    );
    let actions = file.actions(None).expect("no operations");
    let undo = actions[0].undo(&json!({ "thing": { "id": "T1" } })).expect("it can be taken back");
    assert_eq!((undo.action.as_str(), undo.arguments), ("drop", object(json!({ "id": "T1" }))));
    assert_eq!(actions[0].undo(&json!({})), None);
    assert_eq!(actions[1].undo(&json!({})), None);
    assert!(actions[1].tool().effects.destructive && actions[1].tool().effects.idempotent);
}
