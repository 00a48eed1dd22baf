//! Tasks run to their end: tools in parallel, the end, the chat, and many runs at once.

use std::sync::Arc;

use serde_json::json;
use toolgate_testkit::gateway::until_async;
use toolgate_testkit::model::{
    ModelScript, ModelStep, ScriptedAnswer, ScriptedCall, StreamEnd, WireFormat, steps,
};

use super::stage::{AgentStage, balance, looked};
use crate::doors::WAIT;
use crate::governed::bank::{money, moved};
use crate::governed::database::Backing;
use crate::governed::on_both;

on_both!(a_task_runs_to_its_end_in_every_format, a_run_that_is_cancelled_while_its_model_speaks_asks_no_more,);

/// Two looks at once, with a thought before them, and then the end.
fn look_twice() -> ModelScript {
    let looks = ScriptedAnswer::default().think("Two accounts").say("I look at both accounts.");
    let looks = looks.call(balance("DE1")).call(balance("DE2"));
    steps([looks.into(), ModelStep::complete("both accounts were read")])
}

async fn a_task_runs_to_its_end_in_every_format(backing: Backing) {
    let stage = AgentStage::open_on(backing, "", look_twice()).await;
    for format in WireFormat::ALL {
        let goal = format!("Read both accounts by {}", format.provider());
        let before = stage.bank.ran().len();
        let run = stage.run_as(&goal, format).await;
        let ended = stage.becomes_one(&run, &["completed", "paused", "failed"]).await;
        assert_eq!(ended["state"], "completed", "{format:?}: {ended}");
        assert_eq!(ended["summary"], "both accounts were read", "{format:?}: {ended}");
        let mut ran = stage.bank.ran().split_off(before);
        ran.sort();
        assert_eq!(ran, [looked("DE1"), looked("DE2")], "{format:?}");
        let chat = stage.chat(&run).await;
        for said in [goal.as_str(), "I look at both accounts.", "balance done", "complete_workflow"] {
            assert!(chat.contains(said), "{format:?}: {said:?} is not in {chat}");
        }
        let requests = stage.model.requests_of(&goal);
        assert_eq!(requests.len(), 2, "{format:?}: one request a turn");
        assert_eq!(requests[1].results().count(), 2, "{format:?}");
        assert!(
            requests[0].offers("complete_workflow") && requests[0].offers("bank__transfer"),
            "{format:?}"
        );
        assert_eq!(ended["used"]["turns"], 2, "{format:?}: {ended}");
        for counted in ["tokens", "cost_micros"] {
            let used = ended["used"][counted].as_u64();
            assert!(used.is_some_and(|used| used > 0), "{format:?}: {counted}: {ended}");
        }
    }
    stage.verify();
}

#[tokio::test]
async fn every_answer_of_a_model_and_every_call_is_metered() {
    let stage = AgentStage::open("", look_twice()).await;
    let run = stage.run("Read both accounts").await;
    stage.becomes(&run, "completed").await;
    let called = stage.bank.events_of(&["--kind", "model.called"], 2);
    for event in &called {
        let detail = &event["detail"];
        assert_eq!((&event["run"], &detail["model"]), (&json!(run), &json!("openai")), "{event}");
    }
    assert_eq!(called.len(), 2, "{called:?}");
    let shown = stage.show(&run).await;
    let turns = stage.bank.get(&stage.bank.gateway.admin, &format!("/runs/{run}/turns")).await;
    assert_eq!(turns.status, 200, "{turns:?}");
    let turns = turns.json();
    let list = turns["turns"].as_array().expect("a list");
    assert_eq!(list.len(), 2, "{turns}");
    let cost: u64 = list.iter().filter_map(|turn| turn["cost_micros"].as_u64()).sum();
    assert_eq!(shown["used"]["cost_micros"], cost, "{shown} {turns}");
    let cached = list[1]["tokens"]["cached"].as_u64();
    assert!(cached.is_some_and(|cached| cached > 0), "the second request begins with the first one: {turns}");
}

#[tokio::test]
async fn words_without_a_call_end_a_run() {
    let stage = AgentStage::open("", steps([ModelStep::say("The account has 12 bars of gold.")])).await;
    for format in WireFormat::ALL {
        let run = stage.run_as(&format!("Say it by {}", format.provider()), format).await;
        let ended = stage.becomes(&run, "completed").await;
        assert_eq!(ended["summary"], "The account has 12 bars of gold.", "{format:?}: {ended}");
    }
    stage.verify();
}

async fn a_run_that_is_cancelled_while_its_model_speaks_asks_no_more(backing: Backing) {
    let begun = ModelStep::say("I begin, and go on for a long time").ending(StreamEnd::StallsAfter(200));
    let stage = AgentStage::open_on(backing, "", steps([begun])).await;
    let run = stage.run("Talk").await;
    stage.asked(1).await;
    stage.steer(&run, "cancel").await;
    let ended = stage.show(&run).await;
    assert_eq!(ended["state"], "cancelled", "{ended}");
    stage.model.follow(steps([ModelStep::complete("done")]));
    let next = stage.run("Another one").await;
    stage.becomes(&next, "completed").await;
    assert_eq!(stage.model.requests_of("Talk").len(), 1);
    assert!(!stage.chat(&run).await.contains("I begin"), "a broken answer is thrown away whole");
    stage.verify();
}

#[tokio::test]
async fn a_run_that_is_cancelled_while_a_call_is_made_feeds_no_late_result() {
    let held = ModelStep::call("bank__hold", &money(3));
    let stage = AgentStage::open("", steps([held, ModelStep::complete("done")])).await;
    let run = stage.run("Hold").await;
    let reached = until_async(WAIT, || async { (!stage.bank.ran().is_empty()).then_some(()) });
    reached.await.expect("the call reaches the bank");
    stage.steer(&run, "cancel").await;
    stage.bank.write("release", "");
    assert_eq!(stage.show(&run).await["state"], "cancelled");
    let next = stage.run("Hold again").await;
    stage.becomes(&next, "completed").await;
    assert_eq!(stage.model.requests_of("Hold").iter().filter(|one| one.goal() == "Hold").count(), 1);
}

#[tokio::test]
async fn a_run_that_is_paused_costs_nothing_until_it_is_resumed() {
    let held = ModelStep::call("bank__hold", &money(3));
    let stage = AgentStage::open("", steps([held, ModelStep::complete("done")])).await;
    let run = stage.run("Hold").await;
    let reached = until_async(WAIT, || async { (!stage.bank.ran().is_empty()).then_some(()) });
    reached.await.expect("the call reaches the bank");
    stage.steer(&run, "pause").await;
    stage.bank.write("release", "");
    let other = stage.run("Meanwhile").await;
    stage.becomes(&other, "completed").await;
    assert_eq!(stage.show(&run).await["state"], "paused");
    assert_eq!(stage.model.requests_of("Hold").len(), 1, "a paused run asks nothing");
    stage.steer(&run, "resume").await;
    stage.becomes(&run, "completed").await;
    assert_eq!(
        stage.bank.ran().iter().filter(|line| line.starts_with("hold")).count(),
        2,
        "one for each run, and none again"
    );
    stage.verify();
}

#[tokio::test]
async fn many_runs_at_once_are_told_apart_and_each_has_its_effect_once() {
    const RUNS: u64 = 24;
    let script: ModelScript = Arc::new(|asked| {
        let amount: u64 = asked.goal().trim_start_matches("Move ").parse().expect("the goal has its amount");
        match asked.turn() {
            1 => ModelStep::calls([balance("DE1"), ScriptedCall::new("bank__transfer", &money(amount))]),
            _ => ModelStep::complete(&format!("moved {amount}")),
        }
    });
    let stage = AgentStage::open("", script).await;
    let mut runs = Vec::new();
    for amount in 1..=RUNS {
        let format = WireFormat::ALL[usize::try_from(amount).expect("a small number") % 5];
        runs.push((amount, stage.run_as(&format!("Move {amount}"), format).await));
    }
    for (amount, run) in &runs {
        let ended = stage.becomes(run, "completed").await;
        assert_eq!(ended["summary"], format!("moved {amount}"), "{ended}");
    }
    let ran = stage.bank.ran();
    for amount in 1..=RUNS {
        assert_eq!(ran.iter().filter(|line| **line == moved(amount)).count(), 1, "{amount}: {ran:?}");
    }
    stage.verify();
}

#[tokio::test]
async fn a_task_whose_model_is_gone_says_so_and_starts_nothing() {
    let stage = AgentStage::open("[network]\nallow_loopback = true\n", look_twice()).await;
    let admin = stage.bank.gateway.admin.clone();
    let body = json!({ "name": "A task", "goal": "Read", "model": "nobody" });
    let made = stage.bank.rest(&admin, "POST", "/tasks", Some(body)).await;
    assert!([404, 422].contains(&made.status) && made.text.contains("nobody"), "{made:?}");
    let url = stage.model.url(WireFormat::Chat);
    let value = json!([{ "name": "passing", "provider": "openai", "model": "scripted", "url": url }]);
    for value in [value, json!([])] {
        let body = Some(json!({ "value": value }));
        let set = stage.bank.rest(&admin, "PATCH", "/settings/models", body).await;
        assert_eq!(set.status, 200, "{set:?}");
        if value != json!([]) {
            stage.task_of(json!({ "goal": "Read", "model": "passing" })).await;
        }
    }
    let tasks = stage.bank.get(&admin, "/tasks").await.json();
    let id = tasks["tasks"][0]["id"].as_str().expect("the task is there").to_owned();
    let agent = stage.bank.gateway.agent.clone();
    let started = stage.bank.rest(&agent, "POST", &format!("/tasks/{id}/runs"), Some(json!({}))).await;
    assert!([404, 422].contains(&started.status) && started.text.contains("passing"), "{started:?}");
    assert!(stage.model.requests().is_empty());
}

#[tokio::test]
async fn a_completion_with_a_result_is_recorded_as_a_call_once_it_fits() {
    let complete = |ok: &serde_json::Value| {
        ModelStep::call("complete_workflow", &json!({ "summary": "done", "result": { "ok": ok } }))
    };
    let stage = AgentStage::open("", steps([complete(&json!("no")), complete(&json!(true))])).await;
    let schema =
        json!({ "type": "object", "properties": { "ok": { "type": "boolean" } }, "required": ["ok"] });
    let task = json!({ "goal": "Say yes", "model": "openai", "outcome_schema": schema });
    let run = stage.start(&stage.task_of(task).await).await;
    let ended = stage.becomes(&run, "completed").await;
    assert_eq!(ended["summary"], "done", "{ended}");
    let calls = stage.bank.events_of(&["--run", &run, "--kind", "tool.call.completed"], 1);
    assert_eq!(calls.len(), 1, "what does not fit is no call: {calls:?}");
    assert_eq!(calls[0]["tool"], "toolgate.runs.complete", "{calls:?}");
    stage.verify();
}

#[tokio::test]
async fn no_detour_to_the_end_of_a_run_passes_by_its_outcome_schema_or_comes_before_its_other_calls() {
    let through = |arguments: serde_json::Value| {
        ScriptedCall::new("call_tool", &json!({ "name": "complete_workflow", "arguments": arguments }))
    };
    let stage = AgentStage::open(
        "",
        steps([
            ModelStep::calls([through(json!({ "summary": "done" }))]),
            ModelStep::call("run__complete", &json!({ "summary": "done", "result": { "ok": "no" } })),
            // It stands first, and comes last.
            ModelStep::calls([
                through(json!({ "summary": "done", "result": { "ok": true } })),
                balance("DE1"),
            ]),
        ]),
    )
    .await;
    let schema =
        json!({ "type": "object", "properties": { "ok": { "type": "boolean" } }, "required": ["ok"] });
    let task = json!({ "goal": "Say yes", "model": "openai", "outcome_schema": schema });
    let run = stage.start(&stage.task_of(task).await).await;
    let ended = stage.becomes_one(&run, &["completed", "failed", "partial"]).await;
    assert_eq!(ended["state"], "completed", "{ended}");
    assert_eq!(stage.bank.ran(), [looked("DE1")], "it was made before the end");
    let chat = stage.chat(&run).await;
    assert_eq!(chat.matches("is not completed: its result").count(), 2, "{chat}");
    stage.verify();
}
