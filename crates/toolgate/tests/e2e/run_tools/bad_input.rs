//! Refusals: what does not exist, what is another's, what does not fit the state, and what is too large.

use serde_json::{Value, json};

use super::{AGENTS, begun, done, refusal, tell};
use crate::files::archive::text;
use crate::live::site::Site;

/// A call of every tool that names a run.
fn calls(run: &str) -> Vec<(&'static str, Value)> {
    let with = |more: Value| {
        let mut arguments = json!({ "run_id": run });
        arguments.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        arguments
    };
    vec![
        ("run.get", with(json!({}))),
        ("run.start", with(json!({}))),
        ("run.pause", with(json!({}))),
        ("run.resume", with(json!({}))),
        ("run.log_step", with(json!({ "step_name": "a", "event": "start" }))),
        ("run.log_tool_call", with(json!({ "tool_name": "a", "event": "start" }))),
        ("run.checkpoint", with(json!({ "state": 1 }))),
        ("run.checkpoint_latest", with(json!({}))),
        ("run.events", with(json!({}))),
        ("run.fail", with(json!({ "error": { "type": "a", "message": "b" } }))),
        ("run.cancel", with(json!({}))),
        ("run.complete", with(json!({}))),
    ]
}

#[tokio::test]
async fn anothers_run_looks_like_one_that_does_not_exist() {
    let site = Site::open_with(AGENTS);
    let run = begun(&site).await;
    let stranger = site.token("--role agent --principal stranger");
    for ((tool, theirs), (_, nobodys)) in calls(&run).into_iter().zip(calls("run_0")) {
        let (one, other) =
            (tell(&site, &stranger, tool, theirs).await, tell(&site, &stranger, tool, nobodys).await);
        assert_eq!(refusal(&one), (404, "unknown_run".to_owned()), "{tool}");
        let message = |said: &toolgate_testkit::gateway::HttpAnswer, id: &str| {
            text(&said.json()["error"]["message"]).replace(id, "ID")
        };
        assert_eq!(message(&one, &run), message(&other, "run_0"), "{tool}");
    }
    let child = json!({ "run_type": "a", "parent_run_id": run });
    assert_eq!(refusal(&tell(&site, &stranger, "run.create", child).await), (404, "unknown_run".to_owned()));
    assert_eq!(
        done(&site, "run.get", json!({ "run_id": run })).await["state"],
        "running",
        "nothing happened to it"
    );
    assert_eq!(done(&site, "run.events", json!({ "run_id": run })).await["last_sequence"], 2);
}

#[tokio::test]
async fn a_step_that_does_not_fit_says_where_the_run_stands() {
    let site = Site::open_with(AGENTS);
    let agent = &site.gateway.agent;
    let created = done(&site, "run.create", json!({ "run_type": "a" })).await;
    let which = json!({ "run_id": created["id"] });
    let with = |key: &str, value: Value| {
        let mut arguments = which.clone();
        arguments[key] = value;
        arguments
    };
    for (tool, arguments) in [
        ("run.pause", which.clone()),
        ("run.resume", which.clone()),
        ("run.checkpoint", with("state", json!({}))),
    ] {
        let said = tell(&site, agent, tool, arguments).await;
        assert_eq!(refusal(&said), (409, "run_state".to_owned()), "{tool}");
        assert!(text(&said.json()["error"]["message"]).contains("pending"), "{said:?}");
    }
    done(&site, "run.start", which.clone()).await;
    assert_eq!(refusal(&tell(&site, agent, "run.start", which.clone()).await).1, "run_state");
    done(&site, "run.complete", with("result", json!({ "b": 1, "a": 2 }))).await;
    done(&site, "run.complete", with("result", json!({ "a": 2, "b": 1 }))).await;
    let other = tell(&site, agent, "run.complete", with("result", json!(3))).await;
    assert_eq!(refusal(&other), (409, "run_ended_otherwise".to_owned()));
    let late = tell(&site, agent, "run.checkpoint", with("state", json!({}))).await;
    assert_eq!(refusal(&late), (410, "run_ended".to_owned()));
}

#[tokio::test]
async fn an_operators_pause_waits_for_an_operator() {
    let site = Site::open_with(AGENTS);
    let run = begun(&site).await;
    let which = json!({ "run_id": run });
    let (agent, admin) = (&site.gateway.agent, &site.gateway.admin);
    assert_eq!(tell(&site, admin, "run.pause", which.clone()).await.status, 200);
    assert_eq!(
        refusal(&tell(&site, agent, "run.resume", which.clone()).await),
        (403, "not_allowed".to_owned())
    );
    assert_eq!(tell(&site, admin, "run.resume", which).await.status, 200);
}

#[tokio::test]
async fn what_is_too_large_or_unknown_is_refused_and_leaves_nothing() {
    let site = Site::open_with(AGENTS);
    let (run, agent) = (begun(&site).await, &site.gateway.agent);
    let step = |data: Value| json!({ "run_id": run, "step_name": "a", "event": "start", "data": data });
    let state = |state: Value| json!({ "run_id": run, "state": state });
    let unknown = "0".repeat(64);
    for (tool, arguments, status, code) in [
        ("run.log_step", step(json!("x".repeat(100_000))), 413, "run_data_too_large"),
        ("run.checkpoint", state(json!("x".repeat(2 << 20))), 413, "run_data_too_large"),
        ("run.checkpoint", json!({ "run_id": run }), 422, "invalid_arguments"),
        ("run.checkpoint", json!({ "run_id": run, "state_file_id": "file_0" }), 404, "unknown_file"),
        ("run.create", json!({ "run_type": "" }), 422, "invalid_arguments"),
        ("run.create", json!({ "run_type": "a", "input_manifest_sha256": unknown }), 404, "unknown_manifest"),
        ("run.create", json!({ "run_type": "a", "input_manifest_sha256": "12" }), 422, "invalid_arguments"),
        (
            "run.complete",
            json!({ "run_id": run, "output_manifest_sha256": unknown }),
            404,
            "unknown_manifest",
        ),
        ("run.complete", json!({ "run_id": run, "result": "x".repeat(100_000) }), 413, "run_data_too_large"),
    ] {
        let said = tell(&site, agent, tool, arguments).await;
        assert_eq!(refusal(&said), (status, code.to_owned()), "{tool}: {said:?}");
    }
    let huge = tell(&site, agent, "run.log_step", step(json!("x".repeat(10 << 20)))).await;
    assert_eq!(huge.status, 413, "{huge:?}");
    for arguments in [
        json!({ "run_id": run, "event_types": ["run.lost"] }),
        json!({ "run_id": run, "since_sequence": -1 }),
        json!({ "run_id": run, "limit": 0 }),
    ] {
        assert_eq!(tell(&site, agent, "run.events", arguments.clone()).await.status, 422, "{arguments}");
    }
    let beyond = done(&site, "run.events", json!({ "run_id": run, "since_sequence": 1_000_000 })).await;
    assert_eq!((&beyond["events"], &beyond["last_sequence"]), (&json!([]), &json!(2)), "{beyond}");
    let named = |state: Value| json!({ "run_id": run, "checkpoint_id": "one", "state": state });
    assert_eq!(done(&site, "run.checkpoint", named(json!({ "a": 1 }))).await["is_repeated"], false);
    assert_eq!(done(&site, "run.checkpoint", named(json!({ "a": 1 }))).await["is_repeated"], true);
    let taken = tell(&site, agent, "run.checkpoint", named(json!({ "a": 2 }))).await;
    assert_eq!(refusal(&taken), (409, "checkpoint_taken".to_owned()));
    assert_eq!(done(&site, "run.get", json!({ "run_id": run })).await["last_sequence"], 3);
}

#[tokio::test]
async fn a_budget_stops_calls_that_are_only_reported() {
    let site = Site::open_with(AGENTS);
    let created = done(&site, "run.create", json!({ "run_type": "a", "budget": { "calls": 1 } })).await;
    let run = created["id"].clone();
    done(&site, "run.start", json!({ "run_id": run })).await;
    let call = |event: &str| json!({ "run_id": run, "tool_name": "search", "event": event });
    done(&site, "run.log_tool_call", call("start")).await;
    done(&site, "run.log_tool_call", call("complete")).await;
    let refused = tell(&site, &site.gateway.agent, "run.log_tool_call", call("start")).await;
    assert_eq!(refusal(&refused).1, "budget_exhausted");
    assert_eq!(done(&site, "run.complete", json!({ "run_id": run })).await["state"], "partial");
}
