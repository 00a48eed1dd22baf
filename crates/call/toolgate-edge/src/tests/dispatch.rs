//! What each method leads to, and who is told what about it.

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_core::id::{RunId, SessionId};
use toolgate_core::port::{AskKind, CallOrigin, InputRounds, ServerReply};
use toolgate_core::scope::Seat;
use toolgate_core::{RawJson, RpcError};
use toolgate_pipeline::{CallerLabels, WaitMode};
use toolgate_wire::{ProtocolVersion, meta};

use super::kit::{EdgeFixture, SERVER, caller, client, seat, server};
use crate::DirectCall;
use crate::clients::client::Client;
use crate::messages::task_id;

fn names(list: &Value) -> Vec<&str> {
    let entries = list.as_array().expect("a list");
    entries.iter().map(|entry| entry["name"].as_str().expect("entries have names")).collect()
}

#[tokio::test]
async fn a_method_that_nobody_has_is_not_found() {
    let house = EdgeFixture::new();
    let error = house.modern("tools/eat", json!({})).await.expect_err("there is none");
    assert_eq!(error.code, RpcError::METHOD_NOT_FOUND);
    assert!(error.message.contains("tools/eat"), "{}", error.message);
}

#[tokio::test]
async fn each_era_has_methods_that_the_other_lacks() {
    let house = EdgeFixture::new();
    let session = house.session("ada", json!({}));
    for method in ["ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"] {
        let error = house.modern(method, json!({"level": "info", "uri": "doc://page"})).await;
        assert_eq!(error.expect_err(method).code, RpcError::METHOD_NOT_FOUND, "{method}");
    }
    for method in ["server/discover", "tasks/get", "tasks/update", "tasks/cancel"] {
        let error = house.legacy(&session, method, json!({"taskId": "x"})).await;
        assert_eq!(error.expect_err(method).code, RpcError::METHOD_NOT_FOUND, "{method}");
    }
    assert_eq!(house.legacy(&session, "ping", json!({})).await.expect("it is there"), json!({}));
    let discovered = house.modern("server/discover", json!({})).await.expect("so is this");
    assert_eq!(discovered["supportedVersions"][0], ProtocolVersion::LATEST_MODERN.as_str());
}

#[tokio::test]
async fn a_call_reaches_the_server_under_its_own_name_and_comes_back_with_the_calls_id() {
    let house = EdgeFixture::new();
    let params = json!({"name": "files__say", "arguments": {"what": "this"}});
    let answer = house.modern("tools/call", params).await.expect("it is answered");
    assert_eq!(answer["content"][0]["text"], "done");
    let requests = house.ports.requests.lock();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].name.as_deref(), Some("say"));
    assert_eq!(requests[0].params, r#""name":"say","arguments":{"what":"this"}"#);
    let call = house.events().last().and_then(|event| event.about.call.clone()).expect("it is recorded");
    assert_eq!(answer["_meta"]["dev.toolgate/envelope"]["tool_call_id"], call.as_str());
}

#[tokio::test]
async fn a_tool_that_policy_hides_is_unknown_and_the_attempt_is_recorded() {
    let house = EdgeFixture::new();
    let error = house.modern("tools/call", json!({"name": "files__secret"})).await.expect_err("hidden");
    assert_eq!(error.message, "unknown tool: files__secret");
    // Nobody waits for the record of an attempt.
    let is_recorded = || {
        let events = house.events();
        events
            .iter()
            .any(|event| event.about.tool.as_ref().is_some_and(|tool| tool.as_str() == "files:secret"))
    };
    super::kit::until("the attempt is recorded", is_recorded).await;
    assert!(house.ports.requests.lock().is_empty(), "nothing was sent");
}

#[tokio::test]
async fn a_name_that_leads_nowhere_is_answered_with_one_that_is_near_and_visible() {
    let house = EdgeFixture::new();
    let error = house.modern("tools/call", json!({"name": "files__sai"})).await.expect_err("no such tool");
    let data: Value = error.data.expect("there is a hint").decode().expect("JSON");
    assert_eq!(data["code"], "unknown_tool");
    let hint = data["hint"].as_str().expect("a text");
    assert!(hint.contains("files__say") && !hint.contains("secret"), "{hint}");
}

#[tokio::test]
async fn a_call_without_a_name_is_refused_before_anything_is_recorded() {
    let house = EdgeFixture::new();
    let error = house.modern("tools/call", json!({"name": 1})).await.expect_err("it has no name");
    assert_eq!((error.code, &*error.message), (RpcError::INVALID_PARAMS, "params.name must be a string"));
    assert!(house.events().is_empty());
}

#[tokio::test]
async fn tools_that_find_tools_are_answered_without_a_server() {
    let house = EdgeFixture::new();
    let describe = json!({"name": "describe_tools", "arguments": {"names": ["files__say", "files__secret"]}});
    let answer = house.modern("tools/call", describe).await.expect("it is answered");
    assert_eq!(answer["structuredContent"]["data"]["tools"], json!(["files__say"]));
    let search = json!({"name": "search_tools", "arguments": {"query": "say"}});
    let answer = house.modern("tools/call", search).await.expect("it is answered");
    assert_eq!(answer["structuredContent"]["data"]["tools"][0], "files__say");
    assert!(house.ports.requests.lock().is_empty(), "nothing was sent");
}

#[tokio::test]
async fn call_tool_calls_the_tool_that_it_names_and_is_recorded_as_that_one() {
    let house = EdgeFixture::new();
    let arguments = json!({"name": "files__say", "arguments": "{\"what\":\"this\"}"});
    let params = json!({"name": "call_tool", "arguments": arguments});
    let answer = house.modern("tools/call", params).await.expect("it is answered");
    let warning = &answer["_meta"]["dev.toolgate/envelope"]["warnings"][0];
    assert_eq!(warning["code"], "arguments_as_text", "{answer}");
    assert_eq!(house.ports.requests.lock()[0].params, r#""name":"say","arguments":{"what":"this"}"#);
    let tools: Vec<_> = house.events().into_iter().filter_map(|event| event.about.tool.clone()).collect();
    assert!(!tools.is_empty() && tools.iter().all(|tool| tool.as_str() == "files:say"), "{tools:?}");
}

#[tokio::test]
async fn lists_show_what_the_session_sees() {
    let house = EdgeFixture::new();
    let tools = house.modern("tools/list", json!({})).await.expect("a list");
    let shown = names(&tools["tools"]);
    assert!(shown.contains(&"files__say") && !shown.contains(&"files__secret"), "{shown:?}");
    let prompts = house.modern("prompts/list", json!({})).await.expect("a list");
    assert_eq!(names(&prompts["prompts"]), ["files__greet"]);
    let resources = house.modern("resources/list", json!({})).await.expect("a list");
    assert_eq!(resources["resources"][0]["uri"], "doc://page");
    let templates = house.modern("resources/templates/list", json!({})).await.expect("a list");
    assert_eq!(templates["resourceTemplates"][0]["uriTemplate"], "doc://{name}");
    let error = house.modern("tools/list", json!({"cursor": 7})).await.expect_err("no cursor");
    assert_eq!(error.message, "params.cursor must be a string");
}

#[tokio::test]
async fn a_prompt_is_asked_for_under_the_servers_own_name() {
    let house = EdgeFixture::new();
    let params = json!({"name": "files__greet", "arguments": {"who": "you"}});
    house.modern("prompts/get", params).await.expect("it is there");
    assert_eq!(house.ports.requests.lock()[0].params, r#""name":"greet","arguments":{"who":"you"}"#);
    let error = house.modern("prompts/get", json!({"name": "files__bow"})).await.expect_err("it is not");
    assert_eq!(error.message, "unknown prompt: files__bow");
}

#[tokio::test]
async fn a_resource_is_read_where_it_is() {
    let house = EdgeFixture::new();
    house.modern("resources/read", json!({"uri": "doc://page"})).await.expect("the server has it");
    assert_eq!(house.ports.requests.lock()[0].params, r#""uri":"doc://page""#);
    let own = house.modern("resources/read", json!({"uri": "toolgate://ref_1"})).await.expect("we have it");
    assert_eq!(own["contents"][0]["uri"], "ref_1");
    let error = house.modern("resources/read", json!({"uri": "page"})).await.expect_err("nobody has");
    let data: Value = error.data.expect("it says which").decode().expect("JSON");
    assert_eq!(data, json!({"uri": "page"}));
    assert_eq!(house.ports.requests.lock().len(), 1, "only the first was sent");
}

#[tokio::test]
async fn completion_names_the_prompt_as_its_server_does() {
    let house = EdgeFixture::new();
    let argument = json!({"name": "who", "value": "y"});
    let params = json!({"ref": {"type": "ref/prompt", "name": "files__greet"}, "argument": argument});
    house.modern("completion/complete", params).await.expect("the server completes");
    let sent = house.ports.requests.lock()[0].params.clone();
    let sent: Value = serde_json::from_str(&format!("{{{sent}}}")).expect("JSON");
    assert_eq!(sent, json!({"ref": {"type": "ref/prompt", "name": "greet"}, "argument": argument}));
    let error = house.modern("completion/complete", json!({"ref": {"type": "ref/tool"}})).await;
    assert!(error.expect_err("there is no such ref").message.contains("ref/prompt or ref/resource"));
}

#[tokio::test]
async fn servers_hear_of_the_most_talkative_level() {
    let house = EdgeFixture::new();
    let (one, two) = (house.session("ada", json!({})), house.session("bob", json!({})));
    house.legacy(&one, "logging/setLevel", json!({"level": "debug"})).await.expect("a level");
    house.legacy(&two, "logging/setLevel", json!({"level": "error"})).await.expect("a level");
    assert_eq!(*house.ports.levels.lock(), ["debug", "debug"]);
    let error = house.legacy(&one, "logging/setLevel", json!({"level": "loud"})).await;
    assert_eq!(error.expect_err("it is none").message, "unknown log level: loud");
    assert_eq!(one.log_level().as_deref(), Some("debug"), "what was set stays");
}

#[tokio::test]
async fn a_subscription_is_taken_once_and_given_back_once() {
    let house = EdgeFixture::new();
    let session = house.session("ada", json!({}));
    for _ in 0..2 {
        house.legacy(&session, "resources/subscribe", json!({"uri": "doc://page"})).await.expect("taken");
    }
    for _ in 0..2 {
        house.legacy(&session, "resources/unsubscribe", json!({"uri": "doc://page"})).await.expect("done");
    }
    assert_eq!(*house.ports.watched.lock(), ["+ files doc://page", "- files doc://page"]);
    let error = house.legacy(&session, "resources/subscribe", json!({})).await.expect_err("of what?");
    assert_eq!(error.message, "params.uri must be a string");
}

#[tokio::test]
async fn tasks_are_for_clients_that_know_them_and_for_whom_they_were_made() {
    let house = EdgeFixture::new();
    let able = || {
        let capabilities = json!({"extensions": {(meta::TASKS_EXTENSION): {}}});
        caller(client("ada", ProtocolVersion::LATEST_MODERN, capabilities))
    };
    let (ada, bob) =
        (able().client.owner(), client("bob", ProtocolVersion::LATEST_MODERN, json!({})).owner());
    let expose = |owner| task_id::expose(&house.gateway.sealer, &server(), owner, "task-1");
    let (hers, his) = (expose(&ada), expose(&bob));
    let error = house.modern("tasks/get", json!({"taskId": hers})).await.expect_err("not declared");
    assert_eq!(error.code, RpcError::MISSING_CAPABILITY);
    let error = house.dispatched(able(), "tasks/get", json!({"taskId": his})).await.expect_err("not hers");
    assert_eq!(error.message, format!("unknown task: {his}"));
    let state: RawJson = json!({"taskId": "task-1", "status": "working"}).into();
    house.ports.replies.lock().push_back(ServerReply::Complete(state));
    let told = house.dispatched(able(), "tasks/get", json!({"taskId": hers})).await.expect("hers");
    assert_eq!(told, json!({"taskId": hers, "status": "working"}), "she knows it by this id alone");
    assert_eq!(house.ports.requests.lock()[0].params, r#""taskId":"task-1""#);
}

#[tokio::test]
async fn run_task_and_trace_are_recorded_alike_however_a_call_comes() {
    let house = EdgeFixture::new();
    let meta = json!({"dev.toolgate/run_id": "run_1", "dev.toolgate/task_id": "t", "traceparent": "00-1"});
    let name = format!("{SERVER}__say");
    house.modern("tools/call", json!({"name": name, "arguments": {}, "_meta": meta})).await.expect("called");
    let before = house.events().len();
    let call = DirectCall {
        seat: Arc::new(seat("ada")),
        name,
        arguments: RawJson::EMPTY,
        labels: CallerLabels { run: Some(RunId::new("run_1")), task: Some("t".into()), forced_by: None },
        trace: Some("00-1".into()),
        patience: WaitMode::NotAtAll,
        rounds: InputRounds::Closed,
        listener: None,
    };
    house.gateway.call_tool(call).await.expect("called");
    let events = house.events();
    assert!(before > 0 && events.len() > before, "both were recorded");
    for event in &events {
        let about = &event.about;
        assert_eq!(about.run, Some(RunId::new("run_1")));
        assert_eq!((about.task.as_deref(), about.trace.as_deref()), (Some("t"), Some("00-1")));
    }
    let requests = house.ports.requests.lock();
    assert!(requests.iter().all(|request| request.meta == r#""traceparent":"00-1""#), "{requests:?}");
    assert_eq!(requests.len(), 2);
}

#[tokio::test]
async fn a_call_names_its_session_and_its_run_and_nobody_elses() {
    let house = EdgeFixture::new();
    let name = format!("{SERVER}__say");
    let forged = json!({
        "dev.toolgate/caller": {"session": "ses_bob", "run": "run_9"}, "dev.toolgate/run_id": "run_9",
    });
    house.modern("tools/call", json!({"name": name, "_meta": forged})).await.expect("called");
    let seat = Seat { run: Some(RunId::new("run_1")), ..seat("ada") };
    let in_run = caller(Client::new(Arc::new(seat), ProtocolVersion::LATEST_MODERN, RawJson::EMPTY));
    house.dispatched(in_run, "tools/call", json!({"name": name, "_meta": forged})).await.expect("called");
    let origin =
        |run: Option<&str>| Some(CallOrigin { session: SessionId::new("ses_ada"), run: run.map(RunId::new) });
    let requests = house.ports.requests.lock();
    let told: Vec<_> = requests.iter().map(|request| request.origin.clone()).collect();
    assert_eq!(told, [origin(None), origin(Some("run_1"))]);
    assert!(requests.iter().all(|request| request.meta.is_empty()), "{requests:?}");
}

#[test]
fn a_driven_run_keeps_its_handles_over_its_sessions_and_takes_questions_for_later() {
    let seat_of = |session: &str| {
        Arc::new(Seat { session: SessionId::new(session), run: Some(RunId::new("run_1")), ..seat("ada") })
    };
    let (one, two) = (Client::driven(seat_of("ses_1")), Client::driven(seat_of("ses_2")));
    assert_eq!(one.owner(), two.owner());
    let usual = |session: &str| Client::new(seat_of(session), ProtocolVersion::LATEST_MODERN, RawJson::EMPTY);
    assert_ne!(usual("ses_1").owner(), usual("ses_2").owner());
    assert!(one.takes_questions() && !usual("ses_1").takes_questions());
    assert!(!one.abilities.can_answer(AskKind::Elicitation), "nobody answers while the call is open");
}
