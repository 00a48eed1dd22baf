//! The calls of one turn: their order, their concurrency, and the report on each.

use std::sync::Arc;

use http::Method;
use serde_json::{Value, json};
use toolgate_core::{MessageLimits, Role};

use super::file_kit::{agent, operator};
use super::gate::{BODY_BYTES_MAX, Gate, PARALLEL_CALLS_MAX, Read, approver, request, somebody, until};
use super::run_kit::{Started, Workshop, ask_as, start, started, told};

struct Floor {
    gate: Gate,
    shop: Arc<Workshop>,
    run: Started,
}

impl Floor {
    async fn open() -> Self {
        Self::with("{}").await
    }

    async fn with(body: &str) -> Self {
        let mut shop = None;
        let limits = MessageLimits { request_bytes_max: 64 * BODY_BYTES_MAX, ..MessageLimits::default() };
        let gate = Gate::with(limits, |runs| {
            let made = Workshop::new(runs);
            shop = Some(made.clone());
            Arc::new(made)
        });
        let gate = gate.await;
        let run = start(&gate, body).await;
        Self { gate, shop: shop.expect("it was made"), run }
    }

    async fn send(&self, body: &Value) -> Read {
        self.gate.post(&agent(), &self.run.path("/tool-calls"), &body.to_string()).await
    }

    async fn calls(&self, calls: Value) -> Vec<Value> {
        let answer = self.send(&json!({ "calls": calls })).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()["results"].as_array().expect("a list").clone()
    }

    async fn state(&self) -> Value {
        self.gate.get(&agent(), &self.run.path("")).await.json()["state"].clone()
    }
}

fn call(id: &str, name: &str) -> Value {
    json!({ "id": id, "name": name })
}

fn said<'a>(results: &'a [Value], pointer: &str) -> Vec<&'a str> {
    results.iter().map(|one| one.pointer(pointer).and_then(Value::as_str).unwrap_or_default()).collect()
}

#[tokio::test]
async fn results_come_in_the_order_asked_and_the_end_comes_last() {
    let floor = Floor::open().await;
    let answer = floor
        .send(&json!({ "calls": [call("z", "complete_workflow"), call("b", "work:one"), call("a", "work:two")] }))
        .await
        .json();
    let results = answer["results"].as_array().expect("a list");
    assert_eq!(said(results, "/id"), ["z", "b", "a"]);
    assert_eq!(said(results, "/status"), ["succeeded"; 3]);
    assert_eq!((&answer["run"], &answer["state"]), (&json!(floor.run.id), &json!("completed")));
    assert_eq!(floor.shop.diary().last().map(String::as_str), Some("complete_workflow"));
    for (key, value) in [("refs", json!([])), ("warnings", json!([]))] {
        assert_eq!(results[1][key], value, "the whole envelope: {}", results[1]);
    }
    assert!(results[1]["tool_call_id"].is_string() && results[1].get("replayed").is_none());
    let session = &floor.run.answer.json()["session"]["id"];
    assert_eq!(&results[1]["data"]["session"], session, "in the session of the run");
}

#[tokio::test]
async fn no_more_calls_run_at_once_than_may() {
    for (asked, most) in [(None, PARALLEL_CALLS_MAX), (Some(2), 2), (Some(1), 1)] {
        let floor = Floor::open().await;
        let calls: Vec<Value> = (0..6).map(|number| call(&number.to_string(), "wait:here")).collect();
        let mut body = json!({ "calls": calls });
        if let Some(asked) = asked {
            body["parallel_max"] = json!(asked);
        }
        let letting_go = async {
            until("as many run as may", async || floor.shop.under_way() == most).await;
            floor.shop.doors.add_permits(6);
        };
        let (answer, ()) = tokio::join!(floor.send(&body), letting_go);
        assert_eq!(said(answer.json()["results"].as_array().expect("a list"), "/status"), ["succeeded"; 6]);
        assert_eq!(floor.shop.most(), most);
    }
}

#[tokio::test]
async fn people_are_asked_after_the_work_and_the_end_waits_for_them() {
    let floor = Floor::open().await;
    let turn = json!([
        call("end", "toolgate.runs.complete"),
        call("ask", "toolgate.runs.ask"),
        call("one", "work:one"),
        call("two", "work:two"),
    ]);
    let results = floor.calls(turn.clone()).await;
    assert_eq!(said(&results, "/status"), ["refused", "pending_input", "succeeded", "succeeded"]);
    assert_eq!(results[0]["error"]["code"], "run_paused", "{}", results[0]);
    assert_eq!(floor.shop.diary().last().map(String::as_str), Some("toolgate.runs.ask"));
    assert_eq!(floor.state().await, "paused");
    let input = results[1]["data"]["input_id"].as_str().expect("an id").to_owned();
    let body = r#"{"answer":"because"}"#;
    let answered = floor.gate.post(&approver("ann"), &format!("/inputs/{input}/answer"), body).await;
    assert_eq!(answered.status, 200, "{answered:?}");
    // The same turn again: ended calls are not repeated, waiting ones continue.
    let results = floor.calls(turn).await;
    assert_eq!(said(&results, "/status"), ["succeeded"; 4]);
    let replayed: Vec<bool> = results.iter().map(|one| one["replayed"] == true).collect();
    assert_eq!(replayed, [false, false, true, true]);
    assert_eq!(results[1]["data"]["answer"], "because");
    assert_eq!(floor.state().await, "completed");
    assert_eq!(floor.shop.diary().iter().filter(|name| name.starts_with("work:")).count(), 2);
}

#[tokio::test]
async fn a_call_that_is_sent_again_is_answered_and_not_made() {
    let floor = Floor::open().await;
    let first =
        floor.calls(json!([{ "id": "a", "name": "work:one", "arguments": { "x": 1, "y": [2] } }])).await;
    // However it is written, it is the same call.
    for arguments in [json!({ "y": [2.0], "x": 1 }), json!("{\"y\":[2],\"x\":1.0}")] {
        let again = floor.calls(json!([{ "id": "a", "name": "work:one", "input": arguments }])).await;
        let mut expected = first[0].clone();
        expected["replayed"] = true.into();
        assert_eq!(again[0], expected);
    }
    for (name, arguments) in [("work:one", json!({ "x": 2 })), ("work:two", json!({ "x": 1, "y": [2] }))] {
        let other = floor.calls(json!([{ "id": "a", "name": name, "arguments": arguments }])).await;
        assert_eq!(
            (&other[0]["status"], &other[0]["error"]["code"]),
            (&json!("not_called"), &json!("call_id_reused"))
        );
    }
    assert_eq!(floor.shop.diary(), ["work:one"]);
    let elsewhere = started(floor.gate.post(&agent(), "/runs", "{}").await);
    let body = json!({ "calls": [call("a", "work:three")] }).to_string();
    let other_run = floor.gate.post(&agent(), &elsewhere.path("/tool-calls"), &body).await.json();
    assert_eq!(other_run["results"][0]["status"], "succeeded", "ids belong to their run");
}

#[tokio::test]
async fn after_the_end_what_was_made_is_still_told_and_nothing_else_is_made() {
    let floor = Floor::open().await;
    let turn = json!([call("a", "work:one"), call("b", "complete_workflow")]);
    let first = floor.calls(turn.clone()).await;
    assert_eq!(said(&first, "/status"), ["succeeded"; 2]);
    let again = floor
        .calls(json!([call("a", "work:one"), call("b", "complete_workflow"), call("c", "work:two")]))
        .await;
    assert_eq!(said(&again, "/status"), ["succeeded", "succeeded", "refused"]);
    assert_eq!((&again[2]["error"]["code"], again[2].get("replayed")), (&json!("run_ended"), None));
    // Not even without its session.
    let session = floor.run.answer.json()["session"]["id"].as_str().expect("an id").to_owned();
    floor.gate.delete(&agent(), &format!("/sessions/{session}")).await;
    let closed = floor.calls(json!([call("a", "work:one"), call("d", "work:two")])).await;
    assert_eq!(said(&closed, "/status"), ["succeeded", "not_called"]);
    assert_eq!(closed[1]["error"]["code"], "session_closed");
}

#[tokio::test]
async fn one_that_fails_stops_no_other() {
    let floor = Floor::open().await;
    let results = floor
        .calls(json!([
            call("a", "nothing"),
            { "id": "b", "name": "work:one", "arguments": "{\"x\":" },
            call("c", "say:tool_error"),
            call("d", "say:failed"),
            call("e", "say:denied"),
            { "id": "f", "name": "work:two", "arguments": "" },
        ]))
        .await;
    let statuses = ["not_called", "not_called", "tool_error", "failed", "denied", "succeeded"];
    assert_eq!(said(&results, "/status"), statuses);
    assert_eq!(results[0]["error"]["code"], "unknown_tool");
    assert_eq!(results[1]["error"]["code"], "invalid_arguments");
    assert_eq!(results[5]["data"]["arguments"], json!({}));
    for result in &results[..2] {
        for key in ["code", "fault", "retry", "message", "hint"] {
            assert!(result["error"].get(key).is_some(), "{key}: {result}");
        }
    }
    // A request that never became a call may be corrected under the same id.
    let mended = floor.calls(json!([{ "id": "b", "name": "work:one", "arguments": "{\"x\":1}" }])).await;
    assert_eq!(
        (&mended[0]["status"], &mended[0]["data"]["arguments"]),
        (&json!("succeeded"), &json!({ "x": 1 }))
    );
}

#[tokio::test]
async fn what_is_not_over_goes_on_when_it_is_sent_again() {
    let floor = Floor::open().await;
    for (name, made_again) in [
        ("say:pending_approval", true),
        ("say:refused", true),
        ("say:denied", false),
        ("say:rejected", false),
        ("say:failed", false),
        ("say:accepted", false),
    ] {
        let twice =
            [floor.calls(json!([call(name, name)])).await, floor.calls(json!([call(name, name)])).await];
        assert_eq!(twice[0][0]["status"], twice[1][0]["status"]);
        let made = floor.shop.diary().iter().filter(|made| *made == name).count();
        assert_eq!(made, if made_again { 2 } else { 1 }, "{name}");
        assert_eq!(twice[1][0]["replayed"] == true, !made_again, "{name}");
    }
}

#[tokio::test]
async fn when_the_run_is_stopped_meanwhile_the_rest_is_told_so() {
    let floor = Floor::open().await;
    let calls: Vec<Value> = (0..3).map(|number| call(&number.to_string(), "wait:here")).collect();
    let stopping = async {
        until("the first is under way", async || floor.shop.under_way() == 1).await;
        floor.gate.post(&operator(), &floor.run.path("/pause"), "").await;
        floor.shop.doors.add_permits(3);
    };
    let body = json!({ "calls": calls, "parallel_max": 1 });
    let (answer, ()) = tokio::join!(floor.send(&body), stopping);
    let results = answer.json()["results"].as_array().expect("a list").clone();
    assert_eq!(said(&results, "/status"), ["succeeded", "refused", "refused"]);
    assert_eq!(said(&results, "/error/code"), ["", "run_paused", "run_paused"]);
    assert_eq!(answer.json()["state"], "paused");
    floor.gate.post(&operator(), &floor.run.path("/resume"), "").await;
    let results = floor.send(&body).await.json()["results"].as_array().expect("a list").clone();
    assert_eq!(said(&results, "/status"), ["succeeded"; 3], "they go on with the run");
}

#[tokio::test]
async fn calls_go_on_without_their_client_which_may_ask_again() {
    let floor = Floor::open().await;
    let body = json!({ "calls": [call("a", "wait:here")] }).to_string();
    let path = floor.run.path("/tool-calls");
    let serving = floor.gate.api.serve(request(Method::POST, &path, Some(&agent()), &body));
    let gone = async { until("it is under way", async || floor.shop.under_way() == 1).await };
    tokio::select! {
        _ = serving => panic!("nobody lets it go"),
        () = gone => {}
    }
    // The same call again waits for the one in progress.
    let letting_go = async {
        until("nobody else makes it", async || floor.shop.under_way() == 1).await;
        floor.shop.doors.add_permits(1);
    };
    let (again, ()) = tokio::join!(floor.calls(json!([call("a", "wait:here")])), letting_go);
    assert_eq!((&again[0]["status"], &again[0]["replayed"]), (&json!("succeeded"), &json!(true)));
    assert_eq!(floor.shop.diary(), ["wait:here"]);
    floor.gate.api.finish().await;
}

#[tokio::test]
async fn budgets_hold_in_batches() {
    let floor = Floor::with(r#"{"budget":{"calls":2}}"#).await;
    let calls: Vec<Value> = (0..3).map(|number| call(&number.to_string(), "work:one")).collect();
    let body = json!({ "calls": calls, "parallel_max": 1 });
    let results = floor.send(&body).await.json()["results"].as_array().expect("a list").clone();
    assert_eq!(said(&results, "/status"), ["succeeded", "succeeded", "refused"]);
    assert_eq!(results[2]["error"]["code"], "budget_exhausted");
    let ended = floor.calls(json!([call("end", "complete_workflow")])).await;
    assert_eq!(ended[0]["data"]["state"], "partial");
}

#[tokio::test]
async fn batches_that_make_no_sense_are_refused_whole() {
    let floor = Floor::open().await;
    let many: Vec<Value> = (0..129).map(|number| call(&number.to_string(), "work:one")).collect();
    for (body, code, field) in [
        (json!({ "calls": [] }), "field_invalid", "calls"),
        (json!({ "calls": many }), "field_invalid", "calls"),
        (json!({ "calls": [call("a", "work:one"), call("a", "work:two")] }), "call_id_twice", "calls[1].id"),
        (json!({ "calls": [call("", "work:one")] }), "field_invalid", "calls[0].id"),
        (json!({ "calls": [call("a\n", "work:one")] }), "field_invalid", "calls[0].id"),
        (json!({ "calls": [call("a", "work:one")], "parallel_max": 0 }), "field_invalid", "parallel_max"),
        (json!({ "calls": [call("a", "work:one")], "parallel_max": 5 }), "field_invalid", "parallel_max"),
        (json!({ "calls": [{ "id": "a", "name": "b", "args": {} }] }), "field_unknown", "args"),
        (
            json!({ "calls": [{ "id": "a", "name": "b", "input": {}, "arguments": {} }] }),
            "field_invalid",
            "calls[0]",
        ),
    ] {
        let answer = floor.send(&body).await;
        assert_eq!(told(&answer), (422, code.to_owned()), "{body} {answer:?}");
        assert!(answer.json()["field"].as_str().unwrap_or_default().starts_with(field), "{body} {answer:?}");
    }
    let long = floor.calls(json!([call(&"x".repeat(201), "work:one")])).await;
    assert_eq!(long[0]["error"]["code"], "bad_call_id");
    assert_eq!(floor.shop.diary(), Vec::<String>::new(), "nothing was made");
}

#[tokio::test]
async fn whoever_works_in_a_run_makes_its_calls_and_nobody_else() {
    let floor = Floor::open().await;
    let body = json!({ "calls": [call("a", "work:one")] }).to_string();
    let path = floor.run.path("/tool-calls");
    assert_eq!(told(&floor.gate.post(&operator(), &path, &body).await), (403, "not_allowed".into()));
    let auditor = floor.gate.post(&somebody("audit", Role::Auditor), &path, &body).await;
    assert_eq!(told(&auditor), (403, "wrong_role".into()));
    assert_eq!(floor.shop.diary(), Vec::<String>::new());
    let own = floor.run.holder(&floor.gate).await;
    let made = ask_as(&floor.gate, &own, Method::POST, &path, &body).await.json();
    assert_eq!(made["results"][0]["status"], "succeeded", "the token of its session: {made}");
    // A run that was created for another principal is worked in with the token that they received.
    let theirs = started(floor.gate.post(&operator(), "/runs", r#"{"principal":"bot"}"#).await);
    assert_eq!(
        told(&floor.gate.post(&operator(), &theirs.path("/tool-calls"), &body).await),
        (403, "not_allowed".into())
    );
    let token = theirs.holder(&floor.gate).await;
    let made = ask_as(&floor.gate, &token, Method::POST, &theirs.path("/tool-calls"), &body).await.json();
    assert_eq!(made["results"][0]["status"], "succeeded", "{made}");
}
