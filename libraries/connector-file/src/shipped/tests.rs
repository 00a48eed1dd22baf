//! Facts about the files that are shipped.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::*;
use crate::action::{ConnectorAction, Idempotency};
use crate::auth::AuthRule;
use crate::call::{ActionCall, CallTurn};
use crate::fixture::{headers, no_headers, object};
use crate::judge::ProviderVerdict;
use crate::plan::PlannedRequest;
use crate::stream::{ConnectorStream, StreamTurn};
use crate::words::AnswerKind;

fn file(name: &str) -> ConnectorFile {
    shipped(name).expect("it is shipped").unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn action(provider: &str, name: &str) -> ConnectorAction {
    let actions = file(provider).actions(None).expect("no operations");
    actions.into_iter().find(|action| action.name() == name).expect("it is there")
}

fn stream(provider: &str, name: &str) -> ConnectorStream {
    let streams = file(provider).streams(None).expect("no operations");
    streams.into_iter().find(|stream| stream.name() == name).expect("it is there")
}

fn call(action: &ConnectorAction, arguments: Value) -> ActionCall<'_> {
    action.call(&object(arguments), "call_1").expect("good arguments")
}

fn planned(action: &ConnectorAction, arguments: Value) -> PlannedRequest {
    call(action, arguments).request("http://host/base").expect("a request")
}

fn body(planned: &PlannedRequest) -> Value {
    let body = planned.request.body.as_ref().expect("a body");
    serde_json::from_slice(&body.bytes).expect("JSON")
}

#[test]
fn every_file_is_good_and_offers_tools_with_schemas_that_compile() {
    for (name, _) in SHIPPED {
        let file = file(name);
        assert_eq!(file.provider(), *name);
        for action in file.actions(None).expect("no operations") {
            let tool = action.tool();
            let compiled = jsonschema::draft202012::new(&tool.input_schema);
            assert!(compiled.is_ok(), "{name}.{}", tool.name);
            assert_eq!(tool.input_schema["additionalProperties"], false);
            let words = [&tool.title, &tool.description];
            assert!(words.iter().all(|text| !text.is_empty()), "{name}.{}", tool.name);
            for (argument, schema) in tool.input_schema["properties"].as_object().expect("an object") {
                assert!(schema["description"].is_string(), "{name}.{}: {argument}", tool.name);
                let is_secret = ["token", "secret", "password", "api_key"].contains(&argument.as_str());
                assert!(!is_secret, "{name}.{} asks for {argument}", tool.name);
            }
        }
        file.streams(None).expect("no operations");
    }
    assert!(shipped("nothing").is_none());
}

/// The rows of one connector in the table of all actions.
fn shown_in_the_guide(provider: &str) -> BTreeSet<&'static str> {
    const GUIDE: &str = include_str!("../../../../docs/how-to/connectors.md");
    let start = format!("| {provider} |");
    GUIDE.lines().filter(|line| line.starts_with(start.as_str())).collect()
}

#[test]
fn the_guide_lists_every_action_as_it_is() {
    for (provider, _) in SHIPPED {
        let actions = file(provider).actions(None).expect("no operations");
        let rows: Vec<String> = actions.iter().map(|action| row(provider, action)).collect();
        let expected: BTreeSet<&str> = rows.iter().map(String::as_str).collect();
        assert_eq!(shown_in_the_guide(provider), expected);
    }
}

fn row(provider: &str, action: &ConnectorAction) -> String {
    let [effect, idempotency, dry_run] = match (action.tool().effects.read_only, &action.idempotency) {
        (true, _) => ["reads", "–", "–"],
        (false, Idempotency::Header(_)) => ["external", "key", "yes"],
        (false, Idempotency::Natural) => ["external", "natural", "yes"],
        (false, Idempotency::Ledger) => ["external", "ledger", "yes"],
    };
    format!("| {provider} | `{}` | {effect} | {idempotency} | {dry_run} |", action.name())
}

#[test]
fn every_provider_but_the_webhook_can_be_tried_without_arguments() {
    for (name, has_probe) in [("github", true), ("hubspot", true), ("slack", true), ("webhook", false)] {
        let file = file(name);
        assert_eq!(file.probe().is_some(), has_probe, "{name}");
        if let Some(probe) = file.probe() {
            let probe = action(name, probe);
            assert!(probe.tool().effects.read_only);
            assert!(probe.call(&Map::new(), "call_1").is_ok());
        }
    }
}

#[test]
fn slack_messages_are_json_and_can_be_deleted_again() {
    let post = action("slack", "post_message");
    assert!(!post.tool().effects.read_only && !post.tool().effects.destructive);
    let sent = planned(&post, json!({ "channel": "C1", "text": "Hi" }));
    assert_eq!(sent.address, "http://host/base/chat.postMessage");
    assert_eq!(body(&sent), json!({ "channel": "C1", "text": "Hi" }));
    let undo = post.undo(&json!({ "ok": true, "channel": "C1", "ts": "1.2" })).expect("it can be deleted");
    assert_eq!(undo.action, "delete_message");
    let delete = action("slack", "delete_message");
    assert!(delete.call(&undo.arguments, "call_2").is_ok());
}

#[test]
fn slack_says_in_the_body_whether_it_worked() {
    let post = action("slack", "post_message");
    let arguments = json!({ "channel": "C1", "text": "Hi" });
    let verdict = |status: u16, answer: Value| match call(&post, arguments.clone()).answered(
        status,
        &no_headers,
        Some(&answer),
    ) {
        CallTurn::End(verdict) => verdict,
        other => panic!("the call goes on: {other:?}"),
    };
    let done = json!({ "ok": true, "channel": "C1", "ts": "1.2" });
    assert_eq!(verdict(200, done.clone()), ProviderVerdict::Done { data: done });
    let refused = verdict(200, json!({ "ok": false, "error": "not_in_channel" }));
    let code = Some("not_in_channel".to_owned());
    assert_eq!(refused, ProviderVerdict::Failed { says: "not_in_channel".to_owned(), code });
    for code in ["token_revoked", "token_expired", "invalid_auth", "account_inactive", "not_authed"] {
        let verdict = verdict(200, json!({ "ok": false, "error": code }));
        assert_eq!(verdict, ProviderVerdict::SignIn { says: code.to_owned() });
    }
    for code in ["fatal_error", "internal_error"] {
        let verdict = verdict(200, json!({ "ok": false, "error": code }));
        assert_eq!(verdict, ProviderVerdict::Unsure { says: code.to_owned() });
    }
    assert!(matches!(
        verdict(429, json!({ "ok": false, "error": "ratelimited" })),
        ProviderVerdict::Failed { .. }
    ));
}

#[test]
fn slack_lists_channels_by_cursor() {
    let list = action("slack", "list_channels");
    let mut call = call(&list, json!({ "types": ["public_channel", "private_channel"] }));
    let first = call.request("http://host").expect("a request").address;
    assert_eq!(
        first,
        "http://host/conversations.list?exclude_archived=true&types=public_channel%2Cprivate_channel&limit=200"
    );
    let page =
        json!({ "ok": true, "channels": [{ "id": "C1" }], "response_metadata": { "next_cursor": "abc=" } });
    assert_eq!(call.answered(200, &no_headers, Some(&page)), CallTurn::Send);
    assert!(call.request("http://host").expect("a request").address.ends_with("&limit=200&cursor=abc%3D"));
    let last =
        json!({ "ok": true, "channels": [{ "id": "C2" }], "response_metadata": { "next_cursor": "" } });
    let turn = call.answered(200, &no_headers, Some(&last));
    let data = json!({ "items": [{ "id": "C1" }, { "id": "C2" }] });
    assert_eq!(turn, CallTurn::End(ProviderVerdict::Done { data }));
}

#[test]
fn slack_takes_a_file_in_three_steps() {
    let upload = action("slack", "upload_file");
    let arguments = json!({ "file": "aGVsbG8=", "filename": "a.txt", "channel": "C1", "title": "A" });
    let mut call = call(&upload, arguments);
    let base = "https://slack.com/api";
    let first = call.request(base).expect("a request");
    assert_eq!(first.request.body.expect("a body").bytes, b"filename=a.txt&length=5");
    let begun = json!({ "ok": true, "upload_url": "https://files.slack.com/upload/v1/X", "file_id": "F1" });
    assert_eq!(call.answered(200, &no_headers, Some(&begun)), CallTurn::Send);
    let second = call.request(base).expect("a request");
    assert_eq!(
        (second.address.as_str(), second.with_secrets),
        ("https://files.slack.com/upload/v1/X", false)
    );
    assert_eq!(call.answered(200, &no_headers, None), CallTurn::Send);
    let third = call.request(base).expect("a request");
    assert_eq!(body(&third), json!({ "channel_id": "C1", "files": [{ "id": "F1", "title": "A" }] }));
    let done = json!({ "ok": true, "files": [{ "id": "F1" }] });
    let turn = call.answered(200, &no_headers, Some(&done));
    assert_eq!(turn, CallTurn::End(ProviderVerdict::Done { data: json!({ "id": "F1" }) }));
}

#[test]
fn hubspot_searches_by_filters_and_pages_in_the_body() {
    let search = action("hubspot", "search_deals");
    assert!(search.tool().effects.read_only);
    let filters = json!([{ "propertyName": "dealstage", "operator": "EQ", "value": "won" }]);
    let mut call = call(&search, json!({ "filters": filters, "properties": ["dealname"] }));
    let sent = call.request("http://host").expect("a request");
    let expected =
        json!({ "filterGroups": [{ "filters": filters }], "properties": ["dealname"], "limit": 100 });
    assert_eq!(body(&sent), expected);
    let page = json!({ "total": 2, "results": [{ "id": "1" }], "paging": { "next": { "after": "1" } } });
    assert_eq!(call.answered(200, &no_headers, Some(&page)), CallTurn::Send);
    assert_eq!(body(&call.request("http://host").expect("a request"))["after"], "1");
}

#[test]
fn hubspot_updates_a_deal_once_and_reads_contacts() {
    let update = action("hubspot", "update_deal");
    let sent = planned(&update, json!({ "deal": "17", "properties": { "amount": "5" } }));
    assert_eq!(sent.address, "http://host/base/crm/v3/objects/deals/17");
    assert_eq!(body(&sent), json!({ "properties": { "amount": "5" } }));
    let turn = call(&update, json!({ "deal": "17", "properties": {} })).answered(502, &no_headers, None);
    assert!(matches!(turn, CallTurn::End(ProviderVerdict::Unsure { .. })));
    let contact = action("hubspot", "get_contact");
    let sent =
        planned(&contact, json!({ "contact": "a@b.c", "id_property": "email", "properties": ["email"] }));
    assert_eq!(
        sent.address,
        "http://host/base/crm/v3/objects/contacts/a%40b.c?idProperty=email&properties=email"
    );
    let expired = json!({ "status": "error", "message": "Expired", "category": "EXPIRED_AUTHENTICATION" });
    let turn = call(&contact, json!({ "contact": "1" })).answered(401, &no_headers, Some(&expired));
    let says = "Expired (EXPIRED_AUTHENTICATION)".to_owned();
    assert_eq!(turn, CallTurn::End(ProviderVerdict::SignIn { says }));
}

#[test]
fn hubspot_deals_are_read_from_the_last_change_on() {
    let deals = stream("hubspot", "deals");
    let mut page = deals.page(None, None).expect("a page");
    let sent = body(&page.request("http://host").expect("a request"));
    assert_eq!(sent.pointer("/filterGroups/0/filters/0/value"), Some(&json!("0")));
    let answer = json!({ "results": [{ "id": "1", "updatedAt": "2019-12-07T16:50:06.678Z" }] });
    let StreamTurn::Page(read) = page.answered(200, &no_headers, Some(&answer)) else { panic!("a page") };
    assert_eq!(read.cursor, Some(json!(1_575_737_406_678_i64)));
    let later = deals.page(read.cursor.as_ref(), None).expect("a page");
    let sent = body(&later.request("http://host").expect("a request"));
    let filter =
        json!({ "propertyName": "hs_lastmodifieddate", "operator": "GTE", "value": "1575737406678" });
    assert_eq!(sent.pointer("/filterGroups/0/filters/0"), Some(&filter));
}

#[test]
fn github_knows_its_limits_and_its_pages() {
    let list = action("github", "list_issues");
    let mut reading = call(&list, json!({ "owner": "o", "repo": "r" }));
    assert_eq!(
        reading.request("http://host").expect("a request").address,
        "http://host/repos/o/r/issues?state=open&per_page=100"
    );
    let link = headers([(
        "link",
        r#"<https://api.github.com/repositories/1/issues?state=open&page=2>; rel="next""#,
    )]);
    assert_eq!(reading.answered(200, &link, Some(&json!([{ "id": 1 }]))), CallTurn::Send);
    assert!(reading.request("http://host").expect("a request").address.ends_with("per_page=100&page=2"));
    let spent = headers([
        ("x-ratelimit-remaining", "0"),
        ("x-ratelimit-reset", "784111787"),
        ("date", "Sun, 06 Nov 1994 08:49:37 GMT"),
    ]);
    assert!(matches!(reading.answered(403, &spent, None), CallTurn::Wait(wait) if wait.as_secs() == 10));
    assert_eq!(list.rate(&spent).reset_s, Some(10));
    let refused = json!({ "message": "Resource not accessible" });
    let turn = call(&list, json!({ "owner": "o", "repo": "r" })).answered(403, &no_headers, Some(&refused));
    assert!(matches!(turn, CallTurn::End(ProviderVerdict::Failed { .. })));
}

#[test]
fn github_files_are_bytes_and_their_paths_do_not_climb() {
    let get = action("github", "get_file");
    assert_eq!(get.answer(), AnswerKind::File);
    let sent = planned(&get, json!({ "owner": "o", "repo": "r", "path": "src/a b.rs", "ref": "main" }));
    assert_eq!(sent.address, "http://host/base/repos/o/r/contents/src/a%20b.rs?ref=main");
    let accept =
        sent.request.headers.iter().find(|(name, _)| name == "Accept").map(|(_, value)| value.as_str());
    assert_eq!(accept, Some("application/vnd.github.raw+json"));
    let climbing = call(&get, json!({ "owner": "o", "repo": "r", "path": "../../user" }));
    assert!(climbing.request("http://host").is_err());
    let list = action("github", "list_files");
    assert_eq!(
        planned(&list, json!({ "owner": "o", "repo": "r" })).address,
        "http://host/base/repos/o/r/contents/"
    );
    let put = action("github", "put_file");
    let arguments = json!({ "owner": "o", "repo": "r", "path": "a", "message": "m", "content": "aGk=" });
    assert_eq!(body(&planned(&put, arguments)), json!({ "content": "aGk=", "message": "m" }));
    assert_eq!(put.tool().input_schema["properties"]["content"]["contentEncoding"], "base64");
}

#[test]
fn a_webhook_goes_to_its_address_exactly_and_may_be_sent_again() {
    let file = file("webhook");
    assert_eq!(file.base_url(), None);
    assert_eq!(*file.auth(), AuthRule::Signature { secret: "webhook_secret".to_owned() });
    let send = action("webhook", "send");
    let sent = planned(&send, json!({ "type": "deal.won", "data": { "id": 1 } }));
    assert_eq!(sent.address, "http://host/base");
    assert!(sent.request.headers.contains(&("webhook-id".to_owned(), "call_1".to_owned())));
    assert_eq!(body(&sent), json!({ "data": { "id": 1 }, "type": "deal.won" }));
    let mut again = call(&send, json!({ "type": "deal.won", "data": {} }));
    assert!(matches!(again.lost(), CallTurn::Wait(_)));
    let turn = again.answered(200, &no_headers, None);
    assert_eq!(turn, CallTurn::End(ProviderVerdict::Done { data: Value::Null }));
}

#[test]
fn the_example_of_the_documentation_is_a_good_file() {
    let page = include_str!("../../../../docs/how-to/write-a-connector.md");
    let example =
        page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let file = ConnectorFile::read(example).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(file.actions(None).expect("no operations").len(), 2);
    assert!(file.streams(None).expect("no operations")[0].is_incremental());
}
