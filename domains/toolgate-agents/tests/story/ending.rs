//! From the first turn to the end of a run.

use serde_json::json;
use toolgate_core::model::{MessageRole, ModelPiece};
use toolgate_core::run::{LoopState, RunBudget, TurnPhase};
use toolgate_core::{RawJson, ServerName};

use crate::script::{Reply, ScriptedModels};
use crate::world::{AgentsWorld, ada, assert_valid, new_loop};

/// Two calls at once, one more, and the end.
fn usual(turn: usize) -> Reply {
    match turn {
        0 => Reply::Call(vec![("read", json!({ "a": 1 })), ("write", json!({}))]),
        1 => Reply::Call(vec![("read", json!({ "a": 2 }))]),
        _ => Reply::Call(vec![("complete_workflow", json!({ "summary": "all done" }))]),
    }
}

#[tokio::test]
async fn a_run_makes_its_calls_and_completes_itself() {
    let world = AgentsWorld::new(ScriptedModels::new(|turn, _| usual(turn)));
    let gateway = world.gateway("one").await;
    let run = gateway.begin().await;
    let ended = gateway.becomes(&run, "completed").await;
    assert_eq!(ended.summary.as_deref(), Some("all done"));
    assert_eq!((ended.used.turns, ended.used.tokens), (3, 330));
    assert_eq!((world.records.effects("read"), world.records.effects("write")), (2, 1));
    crate::world::until("its last results", async || gateway.chat(&run).await.len() == 7).await;
    crate::world::until("the end of its session", async || world.records.left.lock().contains(&run)).await;
    let chat = gateway.chat(&run).await;
    assert_valid(&chat);
    let roles: Vec<&str> = chat.iter().map(|one| one.message.role.as_str()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "assistant", "tool", "assistant", "tool"]);
    let ids: Vec<&str> = chat[1].message.calls().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["1.1", "1.2"], "ids of our own, although the model repeats its ids");
    let result = chat[2].message.results().next().expect("a result");
    assert!(result.text.starts_with("<tool_result tool=\"read\" mark=\""), "{}", result.text);
    let turns = gateway.agents.turns(&run, 0, 10).await.expect("read");
    assert!(turns.iter().all(|turn| turn.phase == TurnPhase::Acted && turn.attempts == 1), "{turns:?}");
    let agent_loop = gateway.agent_loop(&run).await;
    assert_eq!((agent_loop.state, agent_loop.usage.cached), (LoopState::Done, 180));
}

#[tokio::test]
async fn requests_only_grow_and_their_tools_stay() {
    let world = AgentsWorld::new(ScriptedModels::new(|turn, _| usual(turn)));
    let gateway = world.gateway("one").await;
    let run = gateway.begin().await;
    gateway.becomes(&run, "completed").await;
    let requests = world.models.requests.lock();
    for pair in requests.windows(2) {
        assert_eq!((&pair[0].system, &pair[0].tools), (&pair[1].system, &pair[1].tools));
        assert_eq!(pair[1].messages[..pair[0].messages.len()], pair[0].messages[..]);
    }
    let names: Vec<&str> = requests[0].tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["complete_workflow", "read", "write"], "sorted");
    assert!(requests[0].system.ends_with("Be brief."), "{}", requests[0].system);
}

#[tokio::test]
async fn an_answer_without_calls_is_the_summary_of_the_run() {
    let world = AgentsWorld::new(ScriptedModels::new(|_, _| Reply::Say("There was nothing to do.")));
    let gateway = world.gateway("one").await;
    let run = gateway.begin().await;
    let ended = gateway.becomes(&run, "completed").await;
    assert_eq!(ended.summary.as_deref(), Some("There was nothing to do."));
    assert_eq!(world.models.asked(), 1);
}

#[tokio::test]
async fn a_server_that_is_away_is_said_and_the_run_goes_on() {
    let world = AgentsWorld::new(ScriptedModels::new(|turn, _| usual(turn)));
    world.records.away.lock().push(ServerName::new("mail").expect("a legal name"));
    let gateway = world.gateway("one").await;
    let run = gateway.begin().await;
    gateway.becomes(&run, "completed").await;
    assert_eq!(gateway.lines(&run, "[gateway] These servers are away").await, 1);
}

#[tokio::test]
async fn a_call_that_was_cut_off_is_told_and_not_made() {
    let script = |turn: usize| if turn == 0 { Reply::CutOff("write") } else { Reply::Say("Then not.") };
    let world = AgentsWorld::new(ScriptedModels::new(move |turn, _| script(turn)));
    let gateway = world.gateway("one").await;
    let run = gateway.begin().await;
    gateway.becomes(&run, "completed").await;
    assert_eq!(world.records.effects("write"), 0);
    let chat = gateway.chat(&run).await;
    assert_valid(&chat);
    let result = chat[2].message.results().next().expect("a result");
    assert!(result.is_error && result.text.contains("no JSON object"), "{}", result.text);
}

#[tokio::test]
async fn a_tool_that_does_not_exist_is_an_error_for_the_model() {
    let script = |turn: usize| match turn {
        0 => Reply::Call(vec![("delete_everything", json!({}))]),
        _ => Reply::Say("It does not exist."),
    };
    let world = AgentsWorld::new(ScriptedModels::new(move |turn, _| script(turn)));
    let gateway = world.gateway("one").await;
    let run = gateway.begin().await;
    gateway.becomes(&run, "completed").await;
    let chat = gateway.chat(&run).await;
    assert!(chat[2].message.results().next().expect("a result").is_error);
}

#[tokio::test]
async fn a_result_that_fits_its_schema_completes_the_run() {
    let world = AgentsWorld::new(ScriptedModels::new(|turn, _| match turn {
        0 => Reply::Say("I am done."),
        _ => Reply::Say("```json\n{\"ok\": true}\n```"),
    }));
    let gateway = world.gateway("one").await;
    let schema = RawJson::from(json!({ "type": "object" }));
    let run = gateway.begin_with(RunBudget::default(), Some(schema)).await;
    let ended = gateway.becomes(&run, "completed").await;
    assert_eq!(ended.report.result, Some(json!({ "ok": true })));
    assert_eq!(gateway.lines(&run, "[gateway] The result is missing").await, 1, "it was told once");
}

#[tokio::test]
async fn a_result_that_does_not_fit_twice_fails_the_run() {
    let world = AgentsWorld::new(ScriptedModels::new(|_, _| Reply::Say("{\"ok\": false}")));
    let gateway = world.gateway("one").await;
    let schema = RawJson::from(json!({ "type": "object" }));
    let run = gateway.begin_with(RunBudget::default(), Some(schema)).await;
    let ended = gateway.becomes(&run, "failed").await;
    assert_eq!(ended.reason.as_deref(), Some("the result does not fit: `ok` is missing."));
    assert_eq!(world.models.asked(), 2);
}

#[tokio::test]
async fn a_completion_brings_its_result_with_it() {
    let world = AgentsWorld::new(ScriptedModels::new(|turn, _| match turn {
        0 => Reply::Call(vec![("complete_workflow", json!({ "summary": "done" }))]),
        _ => Reply::Call(vec![("complete_workflow", json!({ "summary": "done", "result": { "ok": true } }))]),
    }));
    let gateway = world.gateway("one").await;
    let schema = RawJson::from(json!({ "type": "object" }));
    let run = gateway.begin_with(RunBudget::default(), Some(schema)).await;
    let ended = gateway.becomes(&run, "completed").await;
    assert_eq!(ended.report.result, Some(json!({ "ok": true })));
    assert_eq!(world.records.effects("complete_workflow"), 1, "it is a call as the others are");
    gateway.is_whole(&run).await;
}

#[tokio::test]
async fn no_way_to_end_a_run_passes_by_the_schema_of_its_result() {
    let through = |arguments: serde_json::Value| {
        ("call_tool", json!({ "name": "complete_workflow", "arguments": arguments }))
    };
    let world = AgentsWorld::new(ScriptedModels::new(move |turn, _| match turn {
        0 => Reply::Call(vec![through(json!({ "summary": "done" }))]),
        1 => Reply::Call(vec![("run__complete", json!({ "summary": "done" }))]),
        2 => Reply::Call(vec![("run__complete", json!({ "result": { "ok": false } }))]),
        // It stands first, and comes last.
        _ => Reply::Call(vec![through(json!({ "summary": "{\"ok\": true}" })), ("write", json!({}))]),
    }));
    let gateway = world.gateway("one").await;
    let schema = RawJson::from(json!({ "type": "object" }));
    let run = gateway.begin_with(RunBudget::default(), Some(schema)).await;
    let ended = gateway.becomes(&run, "completed").await;
    assert_eq!(ended.report.result, Some(json!({ "ok": true })));
    assert_eq!((world.models.asked(), world.records.effects("write")), (4, 1));
    gateway.is_whole(&run).await;
    let chat = gateway.chat(&run).await;
    let told: Vec<&str> = chat.iter().flat_map(|one| one.message.results()).map(|one| &*one.text).collect();
    assert!(told[..3].iter().all(|text| text.contains("not completed")), "{told:?}");
}

#[tokio::test]
async fn a_run_whose_budget_is_used_up_ends_as_partial_without_a_result() {
    let world = AgentsWorld::new(ScriptedModels::new(|turn, _| match turn {
        0 => Reply::Call(vec![("read", json!({}))]),
        _ => Reply::Say("I got half of it done."),
    }));
    let gateway = world.gateway("one").await;
    let schema = RawJson::from(json!({ "type": "object" }));
    let budget = RunBudget { turns: Some(1), ..RunBudget::default() };
    let run = gateway.begin_with(budget, Some(schema)).await;
    let ended = gateway.becomes(&run, "partial").await;
    assert_eq!(ended.summary.as_deref(), Some("I got half of it done."));
}

#[tokio::test]
async fn pieces_of_an_answer_reach_those_who_watch() {
    let world = AgentsWorld::new(ScriptedModels::new(|_, _| Reply::Say("Hello.")));
    let gateway = world.gateway("one").await;
    let run = gateway.new_run(RunBudget::default()).await;
    let mut heard = gateway.agents.watch(&run);
    gateway.agents.begin(new_loop(&run), &ada()).await.expect("begun");
    let piece = heard.recv().await.expect("a piece");
    assert_eq!((piece.turn, piece.piece), (1, ModelPiece::Text("Hello.".to_owned())));
}

#[tokio::test]
async fn a_run_goes_on_from_a_turn_of_another_one() {
    let world = AgentsWorld::new(ScriptedModels::new(|turn, _| usual(turn)));
    let gateway = world.gateway("one").await;
    let first = gateway.begin().await;
    gateway.becomes(&first, "completed").await;
    let second = gateway.new_run(RunBudget::default()).await;
    gateway.agents.retry(&first, 1, new_loop(&second), &ada()).await.expect("forked");
    gateway.becomes(&second, "completed").await;
    assert_eq!(world.records.effects("write"), 1, "the first turn is not played again");
    assert_eq!(world.records.effects("read"), 3);
    let chat = gateway.chat(&second).await;
    assert_eq!(chat.iter().filter(|one| one.message.role == MessageRole::Assistant).count(), 3);
}

#[tokio::test]
async fn a_loop_that_cannot_begin_says_why() {
    let world = AgentsWorld::new(ScriptedModels::new(|_, _| Reply::Say("Hello.")));
    let gateway = world.gateway("one").await;
    let run = gateway.new_run(RunBudget::default()).await;
    let long = toolgate_core::run::NewLoop { goal: "x".repeat(600_000), ..new_loop(&run) };
    let gone = toolgate_core::run::NewLoop {
        model: toolgate_core::model::ModelName::new("gone").expect("a legal name"),
        ..new_loop(&run)
    };
    for (new, field) in [(long, "goal"), (gone, "model")] {
        let refusal = gateway.agents.begin(new, &ada()).await.expect_err(field);
        assert_eq!(refusal.field.as_deref(), Some(field));
        assert!(!refusal.hint.is_empty());
    }
}
