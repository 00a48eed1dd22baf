//! Kill -9 at each point of a turn, with ten runs under way: whoever takes them up finishes them, no effect happens twice, no result
//! is lost, and the history stays valid in every format.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::join_all;
use serde_json::{Value, json};
use toolgate_testkit::gateway::until_async;
use toolgate_testkit::model::{ModelScript, ModelStep, ScriptedCall, WireFormat};

use super::kill_counts::KillCounts;
use super::leases::{LeaseTable, LeaseWatch};
use super::stage::{AgentStage, action, balance};
use crate::governed::bank::{money, moved};
use crate::governed::database::Backing;

const RUNS: u64 = 10;
/// Ten runs take their time on a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);
/// What was answered before the gateway stood still has arrived by then.
const LAST_ANSWERS: Duration = Duration::from_millis(500);
/// States that a run does not leave by itself.
const ENDS: [&str; 4] = ["completed", "partial", "failed", "cancelled"];
/// Whoever takes over need not wait for long.
const SHORT_LEASE: &str = "[agent_loop]\nlease_seconds = 1\n";

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

/// Starts the runs in all formats, and waits until the gateway stands still at the point. Returns the amounts and the runs of which
/// their starters have heard.
async fn stopped(stage: &AgentStage, point: &str) -> Vec<(u64, String)> {
    let mut tasks = Vec::new();
    for amount in 1..=RUNS {
        tasks.push((amount, stage.task(&format!("Move {amount}"), format_of(amount), json!({})).await));
    }
    let line = format!("stopped at {point}");
    let stops = async {
        let stops =
            until_async(PATIENCE, || async { stage.bank.gateway.log().contains(&line).then_some(()) });
        assert!(stops.await.is_some(), "no run reached {point:?}");
        tokio::time::sleep(LAST_ANSWERS).await;
    }
    .shared();
    // All at once: a gateway that stands still answers no more.
    let starts = tasks.iter().map(async |(amount, task)| {
        tokio::select! {
            run = stage.start(task) => Some((*amount, run)),
            () = stops.clone() => None,
        }
    });
    let runs: Vec<(u64, String)> = join_all(starts).await.into_iter().flatten().collect();
    stops.await;
    runs
}

fn format_of(amount: u64) -> WireFormat {
    let at = usize::try_from(amount).expect("a small number");
    WireFormat::ALL[at % WireFormat::ALL.len()]
}

/// The runs and the journal of a bank that is gone.
struct LeftRuns {
    runs: Vec<(u64, String)>,
    ran: Vec<String>,
}

/// The end of a run, and how often people were asked whether a call of it took effect.
struct EndedRun {
    shown: Value,
    asked: usize,
}

impl LeftRuns {
    /// How often an amount was moved, by any bank.
    fn moves(&self, stage: &AgentStage, amount: u64) -> usize {
        let here = stage.bank.ran();
        self.ran.iter().chain(&here).filter(|line| **line == moved(amount)).count()
    }

    /// Waits until a run has ended, and answers meanwhile as a person does who looks at the bank.
    async fn end(&self, stage: &AgentStage, amount: u64, run: &str) -> EndedRun {
        let mut answered = BTreeSet::new();
        let began = Instant::now();
        loop {
            let shown = stage.show(run).await;
            assert!(began.elapsed() < PATIENCE, "it never ended: {shown}");
            if ENDS.iter().any(|state| shown["state"] == *state) {
                return EndedRun { shown, asked: answered.len() };
            }
            let asked = action(&shown);
            // A question pauses the run; its loop says so a moment later, and goes on a moment after the answer.
            match asked["id"].as_str() {
                Some(id) if answered.insert(id.to_owned()) => {
                    assert_eq!(asked["kind"], "unknown_outcome", "{shown}");
                    let is_of_effect = asked["how"].as_str().is_some_and(|how| how.contains("transfer"));
                    let has_happened = is_of_effect && self.moves(stage, amount) > 0;
                    stage.answer(id, json!(if has_happened { "happened" } else { "again" })).await;
                }
                _ => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    }

    /// All runs end, and each effect happened exactly once.
    async fn end_once(&self, stage: &AgentStage, point: &str) -> KillCounts {
        let mut counts = KillCounts { runs: self.runs.len(), ..KillCounts::default() };
        for (amount, run) in &self.runs {
            let EndedRun { shown, asked } = self.end(stage, *amount, run).await;
            assert_eq!(shown["state"], "completed", "{point}: {shown}");
            assert_eq!(self.moves(stage, *amount), 1, "{point}: {amount} was not moved once");
            counts.unknown_outcomes += asked;
            counts.effects += self.moves(stage, *amount);
        }
        for amount in 1..=RUNS {
            assert!(self.moves(stage, amount) <= 1, "{point}: {amount} was moved more than once");
        }
        stage.verify();
        counts
    }
}

/// More than one by hand: `AGENT_KILL_ROUNDS=20` makes 200 runs at each point.
fn rounds() -> usize {
    std::env::var("AGENT_KILL_ROUNDS").ok().and_then(|count| count.parse().ok()).unwrap_or(1)
}

/// The stream of the other gateway on one database.
const SECOND: &str = "second";
const NOBODY: &str = "";

/// A gateway that stands still before it answered any start proves little, and so does one that held no lease when it was killed: such
/// a round is repeated.
const UNHEARD_MAX: usize = 5;

async fn repeated(way: &str, point: &str, mut round: impl AsyncFnMut(&str) -> KillCounts) {
    let (mut counts, mut heard, mut unheard) = (KillCounts::default(), 0, 0);
    while heard < rounds() {
        let of_round = round(point).await;
        match of_round.saw_a_take_up() {
            false => unheard += 1,
            true => {
                heard += 1;
                counts.add(of_round);
            }
        }
        assert!(unheard <= UNHEARD_MAX, "{point}: no run began, or no lease was found, in {unheard} rounds");
    }
    counts.report(way, point);
}

async fn taken_up_after_a_restart(point: &str) {
    repeated("restarted", point, restarted_once).await;
}

async fn taken_up_by_another_gateway(point: &str) {
    repeated("taken_over", point, taken_over_once).await;
}

async fn restarted_once(point: &str) -> KillCounts {
    let mut stage = AgentStage::open_stopping(Backing::Sqlite, SHORT_LEASE, mover(), point).await;
    let left = LeftRuns { runs: stopped(&stage, point).await, ran: Vec::new() };
    let watch = killed(&mut stage, NOBODY);
    let stage = stage.killed();
    let counts = left.end_once(&stage, point).await;
    KillCounts { take_ups: watch.times(), ..counts }
}

/// The other gateway is there and drives runs as well before the first one dies, and only the first one stands still at the point.
async fn taken_over_once(point: &str) -> KillCounts {
    let mut first = AgentStage::open_stopping(Backing::postgres(), SHORT_LEASE, mover(), point).await;
    let second = first.another(SHORT_LEASE);
    second.ready().await;
    let runs = stopped(&first, point).await;
    let watch = killed(&mut first, SECOND);
    let left = LeftRuns { runs, ran: first.bank.ran() };
    let counts = left.end_once(&second, point).await;
    KillCounts { take_ups: watch.times(), ..counts }
}

/// Kills a gateway, and watches from that moment on who takes up its runs.
fn killed(stage: &mut AgentStage, survivor: &str) -> LeaseWatch {
    stage.bank.gateway.end(true);
    LeaseTable::of(&stage.bank).watch(survivor, Instant::now(), PATIENCE)
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
        runs.push((amount, stage.run_as(&format!("Move {amount}"), format_of(amount)).await));
    }
    for (_, run) in &runs {
        one.becomes(run, "completed").await;
    }
    let counts = LeftRuns { runs, ran: one.bank.ran() }.end_once(&two, "nothing").await;
    assert_eq!((counts.effects, counts.unknown_outcomes), (counts.runs, 0));
}
