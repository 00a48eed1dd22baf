//! Models that are away, refuse, or answer nonsense.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use toolgate_core::governance::Clock as _;
use toolgate_core::model::{ModelFault, ModelFaultKind, ModelPiece};
use toolgate_core::run::{RunBudget, TurnPhase};

use crate::script::{Reply, ScriptedModels, fault, passing_at_once};
use crate::world::{AgentsWorld, ada, new_loop, until};

/// Longer than any wait between two tries.
const A_WHILE: i64 = 61;

#[tokio::test]
async fn a_fault_that_passes_is_tried_again_without_a_task_in_between() {
    let tries = AtomicUsize::new(0);
    let world =
        AgentsWorld::new(ScriptedModels::new(move |_, _| match tries.fetch_add(1, Ordering::SeqCst) {
            0 => fault(ModelFaultKind::Busy),
            1 => fault(ModelFaultKind::Away),
            2 => fault(ModelFaultKind::Nonsense),
            _ => Reply::Say("Here I am."),
        }));
    let gateway = world.gateway("one").await;
    let run = gateway.begin().await;
    for asked in 1..=3 {
        until("a try", async || world.models.asked() >= asked).await;
        until("its lease", async || gateway.agent_loop(&run).await.owner.is_none()).await;
        world.clock.advance(A_WHILE);
    }
    gateway.becomes(&run, "completed").await;
    let turns = gateway.agents.turns(&run, 0, 10).await.expect("read");
    assert_eq!((turns.len(), turns[0].attempts), (1, 4));
}

#[tokio::test]
async fn those_who_watch_hear_that_an_answer_broke_off() {
    let tries = AtomicUsize::new(0);
    let world =
        AgentsWorld::new(ScriptedModels::new(move |_, _| match tries.fetch_add(1, Ordering::SeqCst) {
            0 => Reply::Fault(passing_at_once()),
            1 => Reply::BreakOff("Hel"),
            _ => Reply::Say("Hello."),
        }));
    let gateway = world.gateway("one").await;
    let run = gateway.new_run(RunBudget::default()).await;
    let mut heard = gateway.agents.watch(&run);
    gateway.agents.begin(new_loop(&run), &ada()).await.expect("begun");
    gateway.becomes(&run, "completed").await;
    let said = |text: &str| ModelPiece::Text(text.to_owned());
    for expected in [said("Hel"), ModelPiece::Again, said("Hello.")] {
        assert_eq!(heard.try_recv().expect("a piece").piece, expected);
    }
    assert!(heard.try_recv().is_err(), "a fault before the first piece is nobody's to hear");
}

#[tokio::test]
async fn the_wait_that_a_provider_asks_for_is_kept() {
    let tries = AtomicUsize::new(0);
    let world =
        AgentsWorld::new(ScriptedModels::new(move |_, _| match tries.fetch_add(1, Ordering::SeqCst) {
            0 => Reply::Fault(
                ModelFault::new(ModelFaultKind::Busy, "slow down")
                    .retry_after(Some(std::time::Duration::from_secs(300))),
            ),
            _ => Reply::Say("Here I am."),
        }));
    let gateway = world.gateway("one").await;
    let run = gateway.begin().await;
    until("the fault", async || {
        let turns = gateway.agents.turns(&run, 0, 1).await.expect("read");
        turns.first().is_some_and(|turn| turn.fault.is_some())
            && gateway.agent_loop(&run).await.owner.is_none()
    })
    .await;
    let due = async |seconds: i64| {
        let later_ms = world.clock.now_ms() + seconds * 1_000;
        gateway.store.due_loops(later_ms, 10).await.expect("read").len()
    };
    assert_eq!((due(299).await, due(300).await), (0, 1));
    world.clock.advance(300);
    gateway.becomes(&run, "completed").await;
}

#[tokio::test]
async fn a_model_that_stays_away_pauses_the_run_and_can_be_tried_again() {
    let tries = AtomicUsize::new(0);
    let world =
        AgentsWorld::new(ScriptedModels::new(move |_, _| match tries.fetch_add(1, Ordering::SeqCst) {
            ..6 => fault(ModelFaultKind::Away),
            _ => Reply::Say("Here I am."),
        }));
    let gateway = world.gateway("one").await;
    let run = gateway.begin().await;
    for asked in 1..=5 {
        until("a try", async || world.models.asked() >= asked).await;
        until("its lease", async || gateway.agent_loop(&run).await.owner.is_none()).await;
        world.clock.advance(A_WHILE);
    }
    let asked = gateway.waits_for(&run, "stuck").await;
    assert_eq!(world.models.asked(), 6);
    let how = gateway.agent_loop(&run).await.action.expect("it waits").how;
    assert!(how.contains("(away): the story wants it so"), "{how}");
    gateway.answer(&asked, "go on").await;
    gateway.becomes(&run, "completed").await;
    let turns = gateway.agents.turns(&run, 0, 10).await.expect("read");
    let phases: Vec<TurnPhase> = turns.iter().map(|turn| turn.phase).collect();
    assert_eq!(phases[0], TurnPhase::Failed);
}

#[tokio::test]
async fn a_refusal_is_not_tried_again() {
    for kind in [ModelFaultKind::Refused, ModelFaultKind::Unusable] {
        let world = AgentsWorld::new(ScriptedModels::new(move |_, _| fault(kind)));
        let gateway = world.gateway("one").await;
        let run = gateway.begin().await;
        gateway.waits_for(&run, "stuck").await;
        assert_eq!(world.models.asked(), 1, "{kind:?}");
    }
}

#[tokio::test]
async fn an_overflow_folds_and_asks_again() {
    let world = AgentsWorld::new(ScriptedModels::new(|turn, request| {
        let is_folded =
            request.messages.iter().any(|one| one.text().starts_with("[gateway] Earlier messages"));
        match turn {
            _ if is_folded => Reply::Say("Done."),
            ..4 => Reply::Call(vec![("read", json!({ "turn": turn }))]),
            _ => fault(ModelFaultKind::Overflow),
        }
    }));
    let gateway = world.gateway("one").await;
    let run = gateway.begin().await;
    gateway.becomes(&run, "completed").await;
    assert_eq!(world.models.asked(), 6, "four turns, the overflow, and the answer");
    let turns = gateway.agents.turns(&run, 0, 10).await.expect("read");
    assert_eq!((turns.len(), turns[4].attempts), (5, 2));
}

#[tokio::test]
async fn an_overflow_with_nothing_to_fold_pauses_the_run() {
    let world = AgentsWorld::new(ScriptedModels::new(|_, _| fault(ModelFaultKind::Overflow)));
    let gateway = world.gateway("one").await;
    let run = gateway.begin().await;
    gateway.waits_for(&run, "stuck").await;
    assert_eq!(world.models.asked(), 1, "there is nothing to fold");
}
