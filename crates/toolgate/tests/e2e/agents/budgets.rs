//! Budgets and loops: the model is told, says a last word without tools, and people are asked if it repeats itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use toolgate_testkit::model::{AskedModel, ModelScript, ModelStep, WireFormat, steps};

use super::stage::{AgentStage, balance};
use crate::governed::database::Backing;
use crate::governed::on_both;

on_both!(
    a_budget_of_turns_ends_with_a_word_without_tools,
    an_agent_that_repeats_itself_is_told_once_and_then_people_are_asked,
);

/// Looks at another account in each turn, and says how far it came when it may call nothing.
fn tireless() -> ModelScript {
    Arc::new(|asked| match asked.may_call {
        true => ModelStep::calls([balance(&format!("DE{}", asked.turn()))]),
        false => ModelStep::say("Half of the accounts were read."),
    })
}

async fn a_budget_of_turns_ends_with_a_word_without_tools(backing: Backing) {
    let stage = AgentStage::open_on(backing, "", tireless()).await;
    for format in [WireFormat::Chat, WireFormat::Responses, WireFormat::Anthropic, WireFormat::Gemini] {
        let goal = format!("Read all accounts by {}", format.provider());
        let run = stage.start(&stage.task(&goal, format, json!({ "turns": 5 })).await).await;
        let ended = stage.becomes_one(&run, &["partial", "completed", "failed", "paused"]).await;
        assert_eq!(ended["state"], "partial", "{format:?}: {ended}");
        assert!(
            ended["summary"].as_str().is_some_and(|said| said.contains("Half of the accounts")),
            "{format:?}: {ended}"
        );
        let requests = stage.model.requests_of(&goal);
        let closing: Vec<bool> = requests.iter().map(|asked| !asked.may_call).collect();
        assert_eq!(closing.iter().filter(|closing| **closing).count(), 1, "{format:?}: {closing:?}");
        let last = requests.last().expect("it was asked");
        assert!(!last.may_call && last.told().contains("budget"), "{format:?}: {}", last.told());
        let warned = requests.iter().position(|asked| asked.told().contains("Most of the budget"));
        assert!(warned.is_some_and(|at| at + 1 < requests.len()), "{format:?}: it is told before the end");
    }
    stage.verify();
}

#[tokio::test]
async fn a_budget_of_tokens_ends_a_run_too() {
    let stage = AgentStage::open("", tireless()).await;
    let run = stage.start(&stage.task("Read all", WireFormat::Chat, json!({ "tokens": 3000 })).await).await;
    let ended = stage.becomes_one(&run, &["partial", "completed", "failed", "paused"]).await;
    assert_eq!(ended["state"], "partial", "{ended}");
    assert!(stage.model.requests().last().is_some_and(|asked| !asked.may_call));
    stage.verify();
}

async fn an_agent_that_repeats_itself_is_told_once_and_then_people_are_asked(backing: Backing) {
    let script = steps([ModelStep::calls([balance("DE1")])]);
    let stage = AgentStage::open_on(backing, "", script).await;
    let run = stage.run("Read the account").await;
    let stuck = stage.needs(&run, "stuck").await;
    let told = stage.told();
    assert_eq!(told.matches("You repeat yourself").count(), 1, "{told}");
    let asked = stage.model.requests().len();
    assert!((5..=9).contains(&asked), "it is told after four times, and stopped after four more: {asked}");
    stage.model.follow(steps([ModelStep::complete("read")]));
    stage.answer(stuck["id"].as_str().expect("a question"), json!("Read another account")).await;
    stage.becomes(&run, "completed").await;
    assert!(stage.told().contains("Read another account"), "{}", stage.told());
    stage.verify();
}

#[tokio::test]
async fn a_spend_is_summed_up_over_runs() {
    let script = steps([ModelStep::calls([balance("DE1")]), ModelStep::complete("read")]);
    let stage = AgentStage::open("", script).await;
    let task = stage.task("Read the account", WireFormat::Chat, json!({})).await;
    let mut cost = 0;
    for _ in 0..2 {
        let run = stage.start(&task).await;
        let ended = stage.becomes(&run, "completed").await;
        cost += ended["used"]["cost_micros"].as_u64().expect("a number");
    }
    assert_ne!(cost, 0);
    for (by, key) in [("model", "openai"), ("task", task.as_str())] {
        let spend = stage.bank.get(&stage.bank.gateway.admin, &format!("/spend?by={by}")).await;
        assert_eq!(spend.status, 200, "{spend:?}");
        let row = spend.json()["rows"][0].clone();
        assert_eq!((&row["key"], &row["runs"]), (&json!(key), &json!(2)), "{by}: {spend:?}");
        assert_eq!((&row["cost_micros"], &row["turns"]), (&json!(cost), &json!(4)), "{by}: {spend:?}");
    }
}

/// Reads another account with a long name in each turn, as often as it is allowed to, and sums up when it may call nothing. Its
/// requests are counted, since folded turns are no longer told.
fn wordy(turns: usize, overflows_at: Option<usize>) -> ModelScript {
    let asked_times = AtomicUsize::new(0);
    Arc::new(move |asked| {
        if !asked.may_call {
            return ModelStep::say("So far accounts were read.");
        }
        let at = asked_times.fetch_add(1, Ordering::Relaxed);
        match at {
            _ if Some(at) == overflows_at => ModelStep::Overflow,
            _ if at < turns => ModelStep::calls([balance(&format!("{at}{}", "x".repeat(2_500)))]),
            _ => ModelStep::complete("all were read"),
        }
    })
}

#[tokio::test]
async fn a_history_that_outgrows_its_window_is_folded_and_nothing_is_lost_for_people() {
    const TURNS: usize = 14;
    let stage = AgentStage::open_folding(wordy(TURNS, None)).await;
    let run =
        stage.start(&stage.task_of(json!({ "goal": "Read all accounts", "model": "small" })).await).await;
    let ended = stage.becomes_one(&run, &["completed", "paused", "failed"]).await;
    assert_eq!(ended["state"], "completed", "{ended}");
    assert_eq!(stage.bank.ran().len(), TURNS, "no call is made again");
    let results = |asked: &AskedModel| asked.results().count();
    let most = stage.model.requests().iter().map(results).max().expect("it was asked");
    assert!(most < TURNS, "old results are no longer sent: {most}");
    assert!(stage.told().starts_with("Read all accounts"), "the goal stays: {}", stage.told());
    let chat = stage.bank.get(&stage.bank.gateway.admin, &format!("/runs/{run}/chat?limit=200")).await;
    let kept = chat.json()["messages"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|one| one["role"] == "tool")
        .count();
    assert!(kept >= TURNS, "people read all results: {kept}");
    stage.verify();
}

#[tokio::test]
async fn a_request_that_is_too_large_for_its_model_folds_and_goes_on() {
    let stage = AgentStage::open_folding(wordy(8, Some(6))).await;
    let run =
        stage.start(&stage.task_of(json!({ "goal": "Read all accounts", "model": "small" })).await).await;
    let ended = stage.becomes_one(&run, &["completed", "paused", "failed"]).await;
    assert_eq!(ended["state"], "completed", "{ended}");
    stage.verify();
}

/// A millionth: the first run may begin, and no other.
const TINY: f64 = 0.000_001;
const PLENTY: f64 = 100.0;

/// A run that meets the limit of a holder waits, and goes on once it is raised.
async fn waits_until_raised(stage: &AgentStage, task: &str, holder: &str, raise: impl AsyncFnOnce()) {
    let first = stage.start(task).await;
    stage.becomes(&first, "completed").await;
    let asked = stage.model.requests().len();
    let run = stage.start(task).await;
    let action = stage.needs(&run, "budget").await;
    assert!(action["how"].as_str().is_some_and(|how| how.contains(holder)), "{holder}: {action}");
    assert_eq!(stage.model.requests().len(), asked, "{holder}: the model is not asked");
    raise().await;
    stage.answer(action["id"].as_str().expect("a question"), json!("go on")).await;
    stage.becomes(&run, "completed").await;
}

#[tokio::test]
async fn the_spending_of_a_models_day_has_a_limit() {
    let stage =
        AgentStage::open("[network]\nallow_loopback = true\n", steps([ModelStep::complete("done")])).await;
    let url = stage.model.url(WireFormat::Chat);
    let set = async |limit: f64| {
        let prices = json!({ "input": 3, "output": 15 });
        let model = json!({ "name": "limited", "provider": "openai", "model": "scripted", "url": url, "prices": prices,
            "limits": { "spend_per_day": limit } });
        let body = Some(json!({ "value": [model] }));
        let set = stage.bank.rest(&stage.bank.gateway.admin, "PATCH", "/settings/models", body).await;
        assert_eq!(set.status, 200, "{set:?}");
    };
    set(TINY).await;
    let shown = stage.bank.get(&stage.bank.gateway.admin, "/models/limited").await.json();
    assert_eq!(shown["limits"]["spend_per_day"], TINY, "{shown}");
    let task = stage.task_of(json!({ "goal": "Say it", "model": "limited" })).await;
    waits_until_raised(&stage, &task, "model limited", async || set(PLENTY).await).await;
    stage.verify();
}

#[tokio::test]
async fn the_spending_of_a_tasks_day_has_a_limit() {
    let stage = AgentStage::open("", steps([ModelStep::complete("done")])).await;
    let body = |limit: u64| json!({ "name": "A task", "goal": "Say it", "model": "openai", "spend_per_day_micros": limit });
    let task = stage.task_of(body(1)).await;
    let path = format!("/tasks/{task}");
    let raise = async || {
        let put = stage.bank.rest(&stage.bank.gateway.admin, "PUT", &path, Some(body(100_000_000))).await;
        assert_eq!(put.status, 200, "{put:?}");
    };
    waits_until_raised(&stage, &task, &format!("task {task}"), raise).await;
    let other = stage.task("Another one", WireFormat::Chat, json!({})).await;
    stage.becomes(&stage.start(&other).await, "completed").await;
    stage.verify();
}

#[tokio::test]
async fn the_spending_of_a_day_of_all_runs_together_has_a_limit() {
    let script = || steps([ModelStep::complete("done")]);
    let stage = AgentStage::open("[agent_loop]\nspend_per_day = 0.000001\n", script()).await;
    let first = stage.run("The first").await;
    stage.becomes(&first, "completed").await;
    let run = stage.run_as("The second", WireFormat::Gemini).await;
    let action = stage.needs(&run, "budget").await;
    assert!(action["how"].as_str().is_some_and(|how| how.contains("all agents together")), "{action}");
    let file = stage.bank.gateway.folder().join("toolgate.toml");
    let text = std::fs::read_to_string(&file).expect("the configuration");
    std::fs::write(&file, text.replace("0.000001", "100")).expect("it can be written");
    let stage = stage.killed();
    stage.ready().await;
    stage.answer(action["id"].as_str().expect("a question"), json!("go on")).await;
    stage.becomes(&run, "completed").await;
    stage.verify();
}
