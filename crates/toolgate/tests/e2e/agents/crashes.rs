//! Kill -9 at each point of a turn, with ten runs under way: whoever takes them up finishes them, no effect happens twice, no result
//! is lost, and the history stays valid in every format.

use std::sync::Arc;

use toolgate_testkit::gateway::until_async;
use toolgate_testkit::model::{ModelScript, ModelStep, ScriptedCall, WireFormat};

use super::stage::{AgentStage, balance};
use crate::doors::WAIT;
use crate::governed::bank::{money, moved};
use crate::governed::database::Backing;

const RUNS: u64 = 10;
/// Whoever takes over need not wait for long.
const SHORT_LEASE: &str = "[agent_loop]\nlease_seconds = 1\npoll_seconds = 0.1\n";

/// Moves the amount of the goal once, looks, and ends.
fn mover() -> ModelScript {
    Arc::new(|asked| {
        let amount: u64 = asked.goal().trim_start_matches("Move ").parse().expect("the goal has its amount");
        match asked.turn() {
            1 => ModelStep::calls([balance("DE1"), ScriptedCall::new("bank__transfer", &money(amount))]),
            2 => ModelStep::calls([balance("DE2")]),
            _ => ModelStep::complete(&format!("moved {amount}")),
        }
    })
}

/// Starts the runs in all formats, and waits until the gateway stands still at the point.
async fn stopped(stage: &AgentStage, point: &str) -> Vec<String> {
    let mut tasks = Vec::new();
    for amount in 1..=RUNS {
        let format = WireFormat::ALL[usize::try_from(amount).expect("a small number") % 5];
        tasks.push(stage.task(&format!("Move {amount}"), format, serde_json::json!({})).await);
    }
    let mut runs = Vec::new();
    for task in &tasks {
        // The gateway may stand still already, and answer no more.
        match tokio::time::timeout(ANSWER_WAIT, stage.start(task)).await {
            Ok(run) => runs.push(run),
            Err(_) => break,
        }
    }
    let line = format!("stopped at {point}");
    let stops = until_async(WAIT, || async { stage.bank.gateway.log().contains(&line).then_some(()) });
    assert!(stops.await.is_some(), "no run reached {point:?}");
    assert!(!runs.is_empty());
    runs
}

/// Far more than an answer takes, and far less than a test may.
const ANSWER_WAIT: std::time::Duration = std::time::Duration::from_secs(2);

/// The runs end, or a person is asked about a call that may have had its effect; none had it twice.
async fn ends_once(stage: &AgentStage, runs: &[String], before: &[String], point: &str) {
    let mut completed = 0;
    for run in runs {
        let shown = stage.becomes_one(run, &["completed", "paused", "failed", "partial"]).await;
        match shown["state"].as_str() {
            Some("completed") => completed += 1,
            Some("paused") => {
                assert_eq!(shown["action"]["kind"], "unknown_outcome", "{point}: {shown}");
            }
            _ => panic!("{point}: {shown}"),
        }
    }
    let ran: Vec<String> = before.iter().cloned().chain(stage.bank.ran()).collect();
    for amount in 1..=RUNS {
        let times = ran.iter().filter(|line| **line == moved(amount)).count();
        assert!(times <= 1, "{point}: {amount} was moved {times} times: {ran:?}");
    }
    let moves = ran.iter().filter(|line| line.starts_with("transfer")).count();
    assert!(moves >= completed, "{point}: {completed} runs ended and {moves} amounts were moved: {ran:?}");
    stage.verify();
}

async fn taken_up_after_a_restart(point: &str) {
    let stage = AgentStage::open_stopping(Backing::Sqlite, SHORT_LEASE, mover(), point).await;
    let runs = stopped(&stage, point).await;
    let stage = stage.killed();
    ends_once(&stage, &runs, &[], point).await;
}

async fn taken_up_by_another_gateway(point: &str) {
    let mut first = AgentStage::open_stopping(Backing::postgres(), SHORT_LEASE, mover(), point).await;
    let runs = stopped(&first, point).await;
    first.bank.gateway.end(true);
    let second = first.another(SHORT_LEASE);
    ends_once(&second, &runs, &first.bank.ran(), point).await;
}

macro_rules! killed_at {
    ($($point:ident),+ $(,)?) => {
        mod restarted {
            $(
                #[tokio::test]
                async fn $point() {
                    super::taken_up_after_a_restart(stringify!($point)).await;
                }
            )+
        }
        mod taken_over {
            $(
                #[tokio::test]
                async fn $point() {
                    super::taken_up_by_another_gateway(stringify!($point)).await;
                }
            )+
        }
    };
}

killed_at!(
    loop_claimed,
    loop_asked,
    loop_streaming,
    loop_answered,
    loop_dispatched,
    loop_resulted,
    loop_closed,
);

#[tokio::test]
async fn two_gateways_that_drive_at_once_make_each_effect_once() {
    let one = AgentStage::open_on(Backing::postgres(), SHORT_LEASE, mover()).await;
    let two = one.another(SHORT_LEASE);
    two.ready().await;
    let mut runs = Vec::new();
    for amount in 1..=RUNS {
        let stage = if amount % 2 == 0 { &one } else { &two };
        let format = WireFormat::ALL[usize::try_from(amount).expect("a small number") % 5];
        runs.push(stage.run_as(&format!("Move {amount}"), format).await);
    }
    ends_once(&two, &runs, &one.bank.ran(), "nothing").await;
    for run in &runs {
        one.becomes(run, "completed").await;
    }
}
