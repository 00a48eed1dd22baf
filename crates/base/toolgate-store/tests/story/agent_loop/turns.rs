//! One turn after the other: each step is kept whole, and in its order.

use toolgate_core::event::EventKind;
use toolgate_core::model::OfferedTool;
use toolgate_core::run::{BudgetUsage, CallKind, LoopState, LoopTurn, Run, RunBudget, RunState, TurnPhase};
use toolgate_store::RunError;

use super::*;
use crate::runs::{a_call, complete, create_child, detail, events_of, place, prove_ledger, read, story_of};

crate::on_both!(
    a_turn_is_asked_answered_and_acted,
    a_loop_is_created_once_with_its_goal,
    steps_come_in_their_order,
    a_model_that_gives_no_answer_is_asked_again,
    tools_are_frozen_once,
    what_a_model_uses_up_is_used_up_above_it,
    a_driven_run_has_time_for_its_closing_turn,
    a_limit_of_turns_refuses_no_call_and_the_run_ends_partly,
    an_answer_with_its_calls_is_kept_whole_or_not_at_all,
    a_paused_run_asks_nothing_and_keeps_what_is_under_way,
);

/// More operations than an answer has.
const OPERATIONS_MAX: u64 = 60;

async fn only_turn(store: &Store, run: &RunId) -> LoopTurn {
    let turns = store.loop_turns(run, 0, 10).await.expect("read");
    assert_eq!(turns.len(), 1, "{turns:?}");
    turns.into_iter().next().expect("one")
}

async fn a_turn_is_asked_answered_and_acted(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = driven(&books, "1").await;
    let lease = claim(&store, &run).await;
    ask(&books, &lease, 1).await.expect("asked");
    assert_eq!(read(&store, &run).await.state, RunState::Running, "the first turn starts a run");
    let asked = only_turn(&store, &run).await;
    assert_eq!((asked.phase, asked.attempts, asked.request), (TurnPhase::Asked, 1, Digest::of("1")));
    answer(&books, &lease, 1, 2).await.expect("answered");
    act(&books, &lease, 1, 2).await.expect("acted");
    let acted = only_turn(&store, &run).await;
    assert_eq!((acted.phase, acted.stop), (TurnPhase::Acted, Some(StopReason::Calls)));
    assert_eq!((acted.usage, acted.cost_micros, &acted.model), (USAGE, COST, &writer()));
    let times = (acted.asked_at_ms, acted.answered_at_ms, acted.acted_at_ms);
    assert_eq!(times, (NOW_MS + 200, Some(NOW_MS + 300), Some(NOW_MS + 400)));

    let kept = messages(&store, &run).await;
    let places: Vec<(u64, u64, u64)> = kept.iter().map(|one| (one.number, one.turn, one.tokens)).collect();
    assert_eq!(places, [(1, 0, 3), (2, 1, 9), (3, 1, 4)]);
    assert_eq!(kept[0].message, ModelMessage::user(a_loop("1").goal));
    assert_eq!((&kept[1].message, &kept[2].message), (&planned(1, 2), &results(1, 2).message));
    assert_eq!(store.loop_messages(&run, 1, 1).await.expect("sound"), kept[1..2]);
    let now = look(&store, &run).await;
    assert_eq!((now.turn, now.last_message, now.usage, now.cost_micros), (1, 3, USAGE, COST));

    let told = events_of(&store, &run).await;
    let kinds: Vec<&str> = told.iter().map(|one| one.event.kind.as_str()).collect();
    assert_eq!(kinds, ["run.created", "run.messages", "run.started", "model.called", "run.messages"]);
    let called = detail(&told[3]);
    let expected = json!({ "model": "writer", "principal": "erna", "turn": 1, "input": 100, "cached": 60, "written": 10, "output": 20,
        "cost_micros": 5, "duration_ms": 12, "stop": "calls", "number": 4,
        "messages": [{ "number": 2, "digest": kept[1].digest }] });
    assert_eq!(called, expected);
    let own = store.run_events(&run, 3, &[], 10).await.expect("read");
    let own: Vec<(u64, EventKind)> = own.iter().map(|one| (one.number, one.kind)).collect();
    assert_eq!(own, [(4, EventKind::ModelCalled), (5, EventKind::RunMessages)]);
    assert_eq!(store.verify_messages(&run).await.expect("sound"), 3);
    prove_ledger(&store).await;
}

async fn a_driven_run_has_time_for_its_closing_turn(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let budget = RunBudget { seconds: Some(5), ..RunBudget::default() };
    create(&books, Run { budget, ..a_run("1") }).await;
    let run = begin(&books, "1").await;
    let lease = claim(&store, &run).await;
    ask(&books, &lease, 1).await.expect("asked");
    let over_ms = NOW_MS + 200 + 5_000;
    assert!(store.due_runs(over_ms, 10).await.expect("read").is_empty(), "its loop closes it");
    assert!(store.due_runs(over_ms + 119_999, 10).await.expect("read").is_empty());
    assert_eq!(store.due_runs(over_ms + 120_000, 10).await.expect("read"), [run], "in a limited time");
}

async fn a_loop_is_created_once_with_its_goal(world: StoreWorld) {
    let (store, books) = place(&world).await;
    assert_eq!(store.agent_loop(&id("1")).await.expect("read"), None);
    let by = ada();
    let nobody = books.create_loop(a_loop("none"), 3, later(&by, 0)).await;
    assert!(matches!(nobody, Err(LoopError::Run(RunError::UnknownRun(_)))), "{nobody:?}");
    create(&books, a_run("1")).await;
    let created = books.create_loop(a_loop("1"), 3, later(&by, 0)).await.expect("created");
    assert_eq!((created.state, created.turn, created.last_message), (LoopState::Ready, 0, 1));
    assert_eq!(created.outcome_schema, a_loop("1").outcome_schema);
    assert_eq!(look(&store, &created.run).await, created);
    let again = NewLoop { goal: "another".to_owned(), ..a_loop("1") };
    assert_eq!(books.create_loop(again, 3, later(&by, 1)).await.expect("found"), created);
    assert_eq!(messages(&store, &created.run).await.len(), 1);
    create(&books, a_run("2")).await;
    complete(&books, &id("2"), None).await.expect("ended");
    let late = books.create_loop(a_loop("2"), 3, later(&by, 60)).await;
    assert!(matches!(late, Err(LoopError::Run(RunError::Step(_)))), "{late:?}");
}

async fn steps_come_in_their_order(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = driven(&books, "1").await;
    let lease = claim(&store, &run).await;
    assert_lost(answer(&books, &lease, 1, 1).await);
    assert_lost(act(&books, &lease, 1, 1).await);
    assert_lost(ask(&books, &lease, 2).await);
    ask(&books, &lease, 1).await.expect("asked");
    assert_lost(ask(&books, &lease, 2).await);
    assert_lost(act(&books, &lease, 1, 1).await);
    answer(&books, &lease, 1, 1).await.expect("answered");
    assert_lost(answer(&books, &lease, 1, 1).await);
    assert_lost(ask(&books, &lease, 1).await);
    assert_lost(ask(&books, &lease, 2).await);
    act(&books, &lease, 1, 1).await.expect("acted");
    assert_lost(act(&books, &lease, 1, 1).await);
    ask(&books, &lease, 2).await.expect("asked");
    answer(&books, &lease, 2, 0).await.expect("answered");
    ask(&books, &lease, 3).await.expect("nothing was planned");
    assert_eq!(messages(&store, &run).await.len(), 4);
    assert_eq!(read(&store, &run).await.used.turns, 2);
    assert_eq!(store.verify_messages(&run).await.expect("sound"), 4);
}

async fn a_model_that_gives_no_answer_is_asked_again(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = driven(&books, "1").await;
    let (lease, by) = (claim(&store, &run).await, ada());
    ask(&books, &lease, 1).await.expect("asked");
    books.fault_turn(&lease, 1, "busy\0", false, later(&by, 1)).await.expect("noted");
    let turn = only_turn(&store, &run).await;
    assert_eq!((turn.phase, turn.fault.as_deref()), (TurnPhase::Asked, Some("busy\u{fffd}")));
    ask(&books, &lease, 1).await.expect("asked again");
    books.fault_turn(&lease, 1, "away", true, later(&by, 2)).await.expect("noted");
    let turn = only_turn(&store, &run).await;
    assert_eq!((turn.phase, turn.attempts), (TurnPhase::Failed, 2));
    assert_lost(books.fault_turn(&lease, 1, "away", true, later(&by, 3)).await);
    assert_lost(answer(&books, &lease, 1, 0).await);
    ask(&books, &lease, 1).await.expect("somebody let it go on");
    answer(&books, &lease, 1, 0).await.expect("answered");
    assert_eq!(only_turn(&store, &run).await.attempts, 3);
}

async fn tools_are_frozen_once(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = driven(&books, "1").await;
    let (lease, by) = (claim(&store, &run).await, ada());
    let tool = |name: &str| OfferedTool {
        name: name.to_owned(),
        description: "reads".to_owned(),
        schema: RawJson::from(json!({ "type": "object" })),
    };
    let tools = [tool("a"), tool("b")];
    books.freeze_loop_tools(&lease, &tools, Some(line("c is away")), later(&by, 1)).await.expect("frozen");
    books.freeze_loop_tools(&lease, &[], Some(line("more")), later(&by, 2)).await.expect("as they are");
    assert_eq!(look(&store, &run).await.tools.as_deref(), Some(&tools[..]));
    assert_eq!(messages(&store, &run).await.len(), 2);
}

async fn what_a_model_uses_up_is_used_up_above_it(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let root = create(&books, a_run("root")).await.id;
    let middle = create_child(&books, "middle", &root).await.id;
    create_child(&books, "leaf", &middle).await;
    let leaf = begin(&books, "leaf").await;
    let lease = claim(&store, &leaf).await;
    play(&books, &lease, 1, 1).await;
    play(&books, &lease, 2, 1).await;
    for run in [&root, &middle, &leaf] {
        let used = read(&store, run).await.used;
        let expected = BudgetUsage { turns: 2, tokens: 240, cost_micros: 10, ..BudgetUsage::default() };
        assert_eq!(BudgetUsage { active_ms: 0, ..used }, expected, "{run}");
    }
}

async fn a_limit_of_turns_refuses_no_call_and_the_run_ends_partly(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let budget = RunBudget { turns: Some(1), ..RunBudget::default() };
    create(&books, Run { budget, ..a_run("1") }).await;
    let run = begin(&books, "1").await;
    let lease = claim(&store, &run).await;
    ask(&books, &lease, 1).await.expect("asked");
    answer(&books, &lease, 1, 1).await.expect("answered");
    assert_eq!(read(&store, &run).await.exhausted(NOW_MS + 300), Some("turns"));
    let call = a_call("1", CallKind::Data);
    books.admit_run_call(&run, &call, NOW_MS + 310).await.expect("the calls of its last turn run");
    let end = toolgate_core::run::RunCallEnd { completed: true, bytes: 1 };
    books.finish_run_call(&run, &call.call, end, NOW_MS + 320).await.expect("noted");
    act(&books, &lease, 1, 1).await.expect("acted");
    ask(&books, &lease, 2).await.expect("one closing turn");
    answer(&books, &lease, 2, 0).await.expect("answered");
    let ended = complete(&books, &run, None).await.expect("ended").run;
    assert_eq!((ended.state, ended.reason.as_deref()), (RunState::Partial, Some("budget.turns")));

    create(&books, Run { budget, ..a_run("2") }).await;
    let enough = begin(&books, "2").await;
    play(&books, &claim(&store, &enough).await, 1, 1).await;
    let ended = complete(&books, &enough, None).await.expect("ended").run;
    assert_eq!(ended.state, RunState::Completed, "it needed no more than it had");
}

async fn an_answer_with_its_calls_is_kept_whole_or_not_at_all(world: StoreWorld) {
    let (store, books) = place(&world).await;
    for n in 1..OPERATIONS_MAX {
        let run = driven(&books, &n.to_string()).await;
        let lease = claim(&store, &run).await;
        ask(&books, &lease, 1).await.expect("asked");
        store.fail_nth(n);
        let kept = answer(&books, &lease, 1, 2).await;
        let is_clean = store.is_fault_to_come();
        store.fail_never();
        let is_there = only_turn(&store, &run).await.phase == TurnPhase::Answered;
        assert!(is_there || kept.is_err(), "what was confirmed is there");
        let count = if is_there { 2 } else { 1 };
        assert_eq!(messages(&store, &run).await.len(), count, "{n}");
        assert_eq!(look(&store, &run).await.last_message, count as u64, "{n}");
        assert_eq!(read(&store, &run).await.used.turns, u64::from(is_there), "{n}");
        let told = story_of(&store, &run).await.contains(&"model.called");
        assert_eq!(told, is_there, "{n}");
        assert_eq!(store.verify_messages(&run).await.expect("sound"), count as u64);
        if is_clean {
            kept.expect("nothing failed");
            prove_ledger(&store).await;
            return;
        }
    }
    panic!("an answer has more than {OPERATIONS_MAX} operations");
}

async fn a_paused_run_asks_nothing_and_keeps_what_is_under_way(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = driven(&books, "1").await;
    let (lease, by) = (claim(&store, &run).await, ada());
    ask(&books, &lease, 1).await.expect("asked");
    books.pause_run(&run, "operator", later(&by, 250)).await.expect("paused");
    answer(&books, &lease, 1, 1).await.expect("it was paid for");
    act(&books, &lease, 1, 1).await.expect("and its calls were made");
    let refused = ask(&books, &lease, 2).await;
    assert!(matches!(refused, Err(LoopError::Run(RunError::Paused { .. }))), "{refused:?}");
    assert!(store.release_loop(&lease, NOW_MS).await.expect("asked"));
    assert_eq!((due(&store).await, look(&store, &run).await.state), (vec![], LoopState::Waiting));
    complete(&books, &run, None).await.expect_err("it is paused");
}
