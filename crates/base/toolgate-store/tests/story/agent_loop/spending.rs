//! The spending of models, by agent, task, model and day.

use toolgate_core::id::TaskId;
use toolgate_core::run::Run;
use toolgate_core::scope::AgentName;
use toolgate_store::{BilledSummary, SpendBy, SpendQuery, SpendRow};

use super::*;
use crate::runs::{detail, events_of, place, prove_ledger, read};

crate::on_both!(
    spending_is_summed_by_what_is_asked_for,
    only_answers_cost_something,
    a_summary_is_billed_at_once_and_is_no_turn,
    turns_under_way_are_those_of_others_that_wait_for_an_answer,
);

/// The day of `NOW_MS`.
const TODAY: &str = "2026-09-21";
const DAY_MS: i64 = 24 * 3_600 * 1_000;

async fn spent(store: &Store, query: SpendQuery) -> Vec<(String, u64, u64, u64)> {
    let rows = store.spend(&query).await.expect("summed");
    rows.into_iter().map(|row| (row.key, row.runs, row.turns, row.cost_micros)).collect()
}

fn by(by: SpendBy) -> SpendQuery {
    SpendQuery { by, ..SpendQuery::default() }
}

fn row(key: &str, runs: u64, turns: u64) -> (String, u64, u64, u64) {
    (key.to_owned(), runs, turns, turns * COST)
}

async fn spending_is_summed_by_what_is_asked_for(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let other = AgentName::new("auditor").expect("a legal name");
    create(&books, a_run("1")).await;
    create(&books, a_run("2")).await;
    create(&books, Run { agent: other.clone(), task: None, ..a_run("3") }).await;
    for (name, turns) in [("1", 2), ("2", 1), ("3", 1)] {
        let lease = claim(&store, &begin(&books, name).await).await;
        for turn in 1..=turns {
            play(&books, &lease, turn, 1).await;
        }
    }
    assert_eq!(spent(&store, by(SpendBy::Agent)).await, [row("clerk", 2, 3), row("auditor", 1, 1)]);
    assert_eq!(spent(&store, by(SpendBy::Task)).await, [row("task_1", 2, 3), row("", 1, 1)]);
    assert_eq!(spent(&store, by(SpendBy::Model)).await, [row("writer", 3, 4)]);
    assert_eq!(spent(&store, by(SpendBy::Day)).await, [row(TODAY, 3, 4)]);
    // One turn of the first run was yesterday.
    let text = format!(
        "UPDATE run_turns SET answered_at_ms = answered_at_ms - {DAY_MS} WHERE run = '{}' AND turn = 1",
        id("1")
    );
    assert_eq!(world.sql(&text).await, 1);
    assert_eq!(spent(&store, by(SpendBy::Day)).await, [row(TODAY, 3, 3), row("2026-09-20", 1, 1)]);
    let today = SpendQuery { from_ms: Some(NOW_MS), until_ms: Some(NOW_MS + DAY_MS), ..by(SpendBy::Agent) };
    assert_eq!(spent(&store, today).await, [row("clerk", 2, 2), row("auditor", 1, 1)]);
    let one_agent = SpendQuery { agent: Some(other), ..by(SpendBy::Model) };
    assert_eq!(spent(&store, one_agent).await, [row("writer", 1, 1)]);
    let one_task = SpendQuery { task: Some(TaskId::new("task_1")), ..by(SpendBy::Model) };
    assert_eq!(spent(&store, one_task).await, [row("writer", 2, 3)]);
    let one_run = SpendQuery { run: Some(id("2")), model: Some(writer()), ..by(SpendBy::Agent) };
    assert_eq!(spent(&store, one_run).await, [row("clerk", 1, 1)]);
    let no_model = SpendQuery { model: ModelName::new("other").ok(), ..by(SpendBy::Agent) };
    assert!(spent(&store, no_model).await.is_empty());
}

async fn only_answers_cost_something(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let lease = claim(&store, &driven(&books, "1").await).await;
    ask(&books, &lease, 1).await.expect("asked");
    assert!(spent(&store, by(SpendBy::Day)).await.is_empty());
    answer(&books, &lease, 1, 1).await.expect("answered");
    let rows = store.spend(&by(SpendBy::Model)).await.expect("summed");
    let expected = SpendRow { key: "writer".to_owned(), turns: 1, runs: 1, usage: USAGE, cost_micros: COST };
    assert_eq!(rows, [expected]);
}

async fn turns_under_way_are_those_of_others_that_wait_for_an_answer(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let mut leases = Vec::new();
    for name in ["1", "2", "3"] {
        let lease = claim(&store, &driven(&books, name).await).await;
        ask(&books, &lease, 1).await.expect("asked");
        leases.push(lease);
    }
    let own = id("3");
    let under_way = async |query: SpendQuery, now_ms: i64| {
        store.turns_under_way(&query, &own, now_ms).await.expect("counted")
    };
    let all = SpendQuery::default;
    let task = |task: &str| SpendQuery { task: Some(TaskId::new(task)), ..all() };
    let model = |name: &str| SpendQuery { model: ModelName::new(name).ok(), ..all() };
    assert_eq!(under_way(all(), NOW_MS).await, 2);
    assert_eq!((under_way(task("task_1"), NOW_MS).await, under_way(task("task_2"), NOW_MS).await), (2, 0));
    assert_eq!((under_way(model("writer"), NOW_MS).await, under_way(model("other"), NOW_MS).await), (2, 0));
    let other = SpendQuery { agent: AgentName::new("auditor").ok(), ..all() };
    assert_eq!(under_way(other, NOW_MS).await, 0);
    answer(&books, &leases[0], 1, 1).await.expect("answered");
    assert_eq!(under_way(all(), NOW_MS).await, 1, "an answer is spending");
    assert_eq!(under_way(all(), UNTIL_MS).await, 0, "the gateway is dead");
}

async fn a_summary_is_billed_at_once_and_is_no_turn(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let (run, ada) = (driven(&books, "1").await, ada());
    let lease = claim(&store, &run).await;
    play(&books, &lease, 1, 1).await;
    let before = read(&store, &run).await.used;
    let usage = ModelUsage { input: 1_000, cached: 0, written: 0, output: 7 };
    for _ in 0..2 {
        let billed = BilledSummary { usage, cost_micros: 40, duration_ms: 9 };
        books.bill_summary(&lease, billed, later(&ada, 500)).await.expect("billed");
    }
    assert!(store.release_loop(&lease, NOW_MS).await.expect("asked"));
    let billed = BilledSummary { usage, cost_micros: 40, duration_ms: 9 };
    assert_lost(books.bill_summary(&lease, billed, later(&ada, 600)).await);
    let all = ModelUsage { input: USAGE.input + 2_000, output: USAGE.output + 14, ..USAGE };
    let expected =
        SpendRow { key: "writer".to_owned(), turns: 1, runs: 1, usage: all, cost_micros: COST + 80 };
    assert_eq!(store.spend(&by(SpendBy::Model)).await.expect("summed"), [expected]);
    let kept = look(&store, &run).await;
    assert_eq!((kept.usage, kept.cost_micros, kept.turn), (all, COST + 80, 1));
    let used = read(&store, &run).await.used;
    assert_eq!((used.turns, used.tokens), (before.turns, before.tokens + 2 * 1_007));
    assert_eq!(used.cost_micros, before.cost_micros + 80);
    let told = events_of(&store, &run).await;
    let told = detail(told.last().expect("an event"));
    assert_eq!((&told["for"], &told["turn"], &told["output"]), (&json!("summary"), &json!(1), &json!(7)));
    assert_eq!(store.verify_messages(&run).await.expect("sound"), 3);
    prove_ledger(&store).await;
}
