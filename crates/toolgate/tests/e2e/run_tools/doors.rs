//! One life of a run: both eras of MCP, REST, the command line, and the names of before.

use serde_json::{Value, json};

use super::{AGENTS, contiguous, done, events};
use crate::files::archive::{data, text};
use crate::governed::bank::{NO_HOLD, pending, status};
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::kit::{call, names};
use crate::live::site::Site;

on_both!(a_loop_keeps_its_own_record_through_every_door,);

async fn a_loop_keeps_its_own_record_through_every_door(backing: Backing) {
    let site = Site::open_on(backing, AGENTS);
    let mut client = site.agent();
    let created = call(
        &client,
        "run__create",
        json!({ "run_type": "research", "name": "bees", "config": { "model": "m" }, "input": { "question": "why?" },
            "budget": { "calls": 5 } }),
    )
    .await;
    let run = text(&data(&created)["id"]).to_owned();
    let refs = &created["structuredContent"]["refs"];
    assert_eq!((&refs[0]["id"], &refs[1]["type"]), (&json!(run), &json!("manifest")), "{created}");
    assert_eq!(data(&created)["state"], "pending", "{created}");
    client.initialize("2025-06-18").await;
    let params = json!({ "name": "run__start", "arguments": { "run_id": run } });
    let started = client.legacy(1, "tools/call", params).await.result();
    assert_eq!(data(&started)["state"], "running", "{started}");
    let step = json!({ "run_id": run, "step_name": "fetch", "event": "start", "data": { "url": "x" } });
    assert_eq!(done(&site, "run.log_step", step).await["sequence"], 3);
    let told = site.say(&[
        "run",
        "log-step",
        "--run-id",
        &run,
        "--step-name",
        "fetch",
        "--event",
        "complete",
        "--duration-ms",
        "12",
        "--json",
    ]);
    let told: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(told["data"]["sequence"], 4, "{told}");
    let called = json!({ "run_id": run, "tool_name": "search", "event": "start", "arguments": { "q": 1 } });
    done(&site, "run.log_tool_call", called).await;
    let saved = json!({ "run_id": run, "state": { "turn": 1 }, "checkpoint_id": "turn-1" });
    done(&site, "run.checkpoint", saved).await;
    assert_eq!(data(&call(&client, "run.pause", json!({ "run_id": run })).await)["reason"], "agent");
    done(&site, "run.resume", json!({ "run_id": run })).await;
    let latest = done(&site, "run.checkpoint_latest", json!({ "run_id": run })).await;
    assert_eq!(latest["checkpoint"]["state"], json!({ "turn": 1 }), "{latest}");
    let ended = done(&site, "run.complete", json!({ "run_id": run, "result": { "answer": 42 } })).await;
    assert_eq!((&ended["state"], &ended["used"]["calls"]), (&json!("completed"), &json!(1)), "{ended}");

    let all = events(&site, &run).await;
    contiguous(&all);
    let kinds: Vec<&str> = all.iter().map(|one| text(&one["type"])).collect();
    assert_eq!(
        kinds,
        [
            "run.created",
            "run.started",
            "run.step",
            "run.step",
            "run.tool_call",
            "run.checkpoint",
            "run.paused",
            "run.resumed",
            "run.ended"
        ]
    );
    assert_eq!(all[2]["detail"]["data"], json!({ "url": "x" }), "{all:?}");
    let ledger = site.get(&format!("/ledger?run={run}&kind=run.step&order=oldest")).await;
    assert_eq!(ledger["events"][0]["detail"]["number"], 3, "{ledger}");
    let steps = json!({ "run_id": run, "event_types": ["run.step"], "since_sequence": 3 });
    assert_eq!(done(&site, "run.events", steps).await["events"].as_array().map(Vec::len), Some(1));
    let shown = site.get(&format!("/runs/{run}")).await;
    assert_eq!(shown["output_manifest"], ended["output_manifest_sha256"], "{shown}");
    assert!(site.say(&["runs", "show", &run]).contains("output manifest"));
    site.say(&["ledger", "verify"]);
}

#[tokio::test]
async fn the_names_of_before_work_and_say_when_they_end() {
    let site = Site::open_with(AGENTS);
    let client = site.agent();
    let created = call(&client, "create_run", json!({ "run_type": "research" })).await;
    let run = text(&data(&created)["id"]).to_owned();
    let mut answers = vec![created];
    for (name, mut arguments) in [
        ("start_run", json!({})),
        ("log_step", json!({ "step_name": "a", "event": "start" })),
        ("log_tool_call", json!({ "tool_name": "t", "event": "complete", "result": [1], "success": false })),
        ("checkpoint", json!({ "state": {} })),
        ("get_latest_checkpoint", json!({})),
        ("get_run_events", json!({ "since_sequence": 2, "limit": 2 })),
        ("get_run", json!({})),
        ("fail_run", json!({ "error": { "type": "timeout", "message": "slow", "details": { "s": 9 } } })),
    ] {
        arguments["run_id"] = json!(run);
        answers.push(call(&client, name, arguments).await);
    }
    let failed = data(answers.last().expect("answers"));
    assert_eq!(
        (&failed["state"], &failed["error"]["details"]["s"]),
        (&json!("failed"), &json!(9)),
        "{failed}"
    );
    for answer in &answers {
        let warning = &answer["structuredContent"]["warnings"][0];
        assert!(text(&warning["message"]).contains("2027-12-01"), "{answer}");
    }
    let other = data(&call(&client, "create_run", json!({ "run_type": "research" })).await)["id"].clone();
    let ended = call(&client, "complete_run", json!({ "run_id": other, "result": {} })).await;
    assert_eq!(data(&ended)["state"], "completed");
    let listed = call(&client, "list_runs", json!({ "run_type": "research", "status": "failed" })).await;
    assert_eq!(data(&listed)["runs"][0]["id"], run, "{listed}");
}

#[tokio::test]
async fn an_agent_with_the_capability_lists_all_of_them() {
    let site = Site::open_with(AGENTS);
    let runner = site.agent_with(&site.token("--role agent --principal runner-bot --agent runner"));
    let listed = names(&runner).await;
    let runs: Vec<&str> = listed.iter().filter_map(|name| name.strip_prefix("run__")).collect();
    assert_eq!(
        runs,
        [
            "cancel",
            "checkpoint",
            "checkpoint_latest",
            "complete",
            "create",
            "events",
            "fail",
            "get",
            "list",
            "log_step",
            "log_tool_call",
            "pause",
            "resume",
            "start"
        ]
    );
}

#[tokio::test]
async fn the_strictest_care_gates_no_record_and_no_record_is_called_a_read() {
    let toml = format!("[policy]\ntemplate = \"audit_critical\"\n{NO_HOLD}{AGENTS}");
    let site = Site::open_as(Backing::Sqlite, &toml);
    let runner = site.agent_with(&site.token("--role agent --principal runner-bot --agent runner"));
    let new = json!({ "run_type": "research" });
    site.say(&["approvals", "approve", &pending(&call(&runner, "run__create", new.clone()).await)]);
    let run = data(&call(&runner, "run__create", new).await)["id"].clone();
    for (tool, more) in [
        ("run__start", json!({})),
        ("run__log_step", json!({ "step_name": "look", "event": "start" })),
        ("run__log_tool_call", json!({ "tool_name": "grep", "event": "start" })),
        ("run__checkpoint", json!({ "state": { "turn": 1 } })),
        ("run__complete", json!({ "result": 1 })),
    ] {
        let mut arguments = more;
        arguments["run_id"] = run.clone();
        let said = call(&runner, tool, arguments).await;
        assert_eq!(status(&said), "succeeded", "{tool}: {said}");
    }
    let listed = runner.modern("tools/list", json!({})).await.result();
    let tools = listed["tools"].as_array().expect("a list");
    let reading: Vec<&str> = tools
        .iter()
        .filter(|tool| tool["annotations"]["readOnlyHint"] == true)
        .filter_map(|tool| tool["name"].as_str()?.strip_prefix("run__"))
        .collect();
    assert_eq!(reading, ["checkpoint_latest", "events", "get", "list"]);
}
