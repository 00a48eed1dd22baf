//! Any sequence of events in a run, at two gateways and through crashes: its states follow the state machine,
//! and it has at most one end.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use toolgate_core::run::Run;
use toolgate_store::{InputFilter, RunEnding};

use super::*;
use crate::waves::{CASES, Gateways, Then, Wave, on_postgres, on_sqlite, waves};

const CALLS_MAX: u64 = 6;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    /// A call that ends.
    Call,
    /// A call that is admitted and never ends.
    Admit,
    Ask,
    Answer,
    Pause,
    Resume,
    Complete,
    Fail,
    Cancel,
    RunOut,
    CancelParent,
}

fn deeds() -> impl Strategy<Value = Deed> {
    use Deed::*;
    prop_oneof![
        8 => Just(Call),
        2 => Just(Admit),
        5 => Just(Ask),
        4 => Just(Answer),
        2 => Just(Pause),
        3 => Just(Resume),
        2 => Just(Complete),
        1 => Just(Fail),
        1 => Just(Cancel),
        1 => Just(RunOut),
        1 => Just(CancelParent),
    ]
}

/// Any refusal may come, but none for a reason inside the store.
async fn act(books: Books, run: RunId, deed: Deed, number: u32) {
    let by = ada();
    let act = later(&by, i64::from(number));
    let name = format!("{run}-{number}");
    let done = match deed {
        Deed::Call => {
            let admitted = admit(&books, &run, &name).await;
            if admitted.is_ok() {
                finish(&books, &run, &name).await;
            }
            admitted
        }
        Deed::Admit => admit(&books, &run, &name).await,
        Deed::Ask => {
            ask(&books, &name, &run, a_slot(if number.is_multiple_of(2) { "a" } else { "b" })).await.map(drop)
        }
        Deed::Answer => answer_any(&books, &run).await,
        Deed::Pause => books.pause_run(&run, "operator", act).await.map(drop),
        Deed::Resume => books.resume_run(&run, act).await.map(drop),
        Deed::Complete => complete(&books, &run, None).await.map(drop),
        Deed::Fail => books.end_run(&run, &RunEnding::Failed { reason: name }, None, act).await.map(drop),
        Deed::Cancel => {
            books.end_run(&run, &RunEnding::Cancelled { reason: name }, None, act).await.map(drop)
        }
        Deed::RunOut => books.end_late_run(&run, None, later(&by, 10_000_000)).await.map(drop),
        Deed::CancelParent => {
            let parent = RunId::new(format!("{run}-parent"));
            books.end_run(&parent, &RunEnding::Cancelled { reason: name }, None, act).await.map(drop)
        }
    };
    if let Err(RunError::Store(error)) = done {
        panic!("{error}");
    }
}

async fn answer_any(books: &Books, run: &RunId) -> Result<(), RunError> {
    let filter = InputFilter { run: Some(run.clone()), ..InputFilter::default() };
    let (inputs, _) = books.store().inputs(&filter, None, 1).await?;
    match inputs.first() {
        Some(input) => answer(books, &input.id, "bob", "x").await.map(drop),
        None => Ok(()),
    }
}

async fn open(world: &StoreWorld) -> Gateways {
    let (store, one, two) = replicas(world).await;
    for stream in ["one", "two"] {
        store.forget_run_calls(stream, NOW_MS).await.expect("forgotten");
    }
    Gateways { store, books: [one, two] }
}

async fn live(world: &StoreWorld, waves: &[Wave<Deed>], case: u32) {
    let mut gateways = open(world).await;
    let run = id(&case.to_string());
    let parent = RunId::new(format!("{run}-parent"));
    create(&gateways.books[0], Run { id: parent.clone(), ..a_run("") }).await;
    let budget = RunBudget { calls: Some(CALLS_MAX), seconds: Some(60), ..RunBudget::default() };
    create(&gateways.books[0], Run { parent: Some(parent.clone()), budget, ..a_run(&case.to_string()) })
        .await;
    let mut number = 0;
    for wave in waves {
        let mut tasks = Vec::new();
        for (deed, second) in &wave.deeds {
            number += 1;
            let books = gateways.books[usize::from(*second)].clone();
            tasks.push(tokio::spawn(act(books, run.clone(), *deed, number)));
        }
        if wave.then == Then::Crash {
            tokio::task::yield_now().await;
            for task in &tasks {
                task.abort();
            }
        }
        for task in tasks {
            if let Err(gone) = task.await {
                assert!(gone.is_cancelled(), "{gone}");
            }
        }
        if wave.then == Then::Crash {
            gateways.crash().await;
            gateways = open(world).await;
        }
        check(&gateways.store, &run, &parent).await;
    }
    prove_ledger(&gateways.store).await;
    gateways.crash().await;
}

async fn check(store: &Store, run: &RunId, parent: &RunId) {
    trace(store, run).await;
    trace(store, parent).await;
    check_question(store, run).await;
    let (run, outer) = (read(store, run).await, read(store, parent).await);
    assert!(!outer.state.is_final() || run.state.is_final(), "{outer:?} {run:?}");
    assert_eq!(run.state.is_final(), run.ended_at_ms.is_some());
    let calls = store.run_calls(&run.id).await.expect("read").len();
    assert_eq!(run.used.calls, u64::try_from(calls).expect("few"), "each call counts once");
    assert_eq!(outer.used.calls, run.used.calls, "above as well");
    assert!(run.used.calls <= CALLS_MAX);
}

fn any_interleaving_keeps_to_the_machine(runtime: &tokio::runtime::Runtime, world: &StoreWorld) {
    let mut runner = TestRunner::new(Config { cases: CASES, failure_persistence: None, ..Config::default() });
    // Each case has a run of its own.
    let case = std::cell::Cell::new(0);
    runner
        .run(&waves(deeds(), 4, 7), |waves| {
            case.set(case.get() + 1);
            runtime.block_on(live(world, &waves, case.get()));
            Ok(())
        })
        .unwrap_or_else(|failed| panic!("{failed}"));
}

#[test]
fn any_interleaving_keeps_to_the_machine_on_sqlite() {
    on_sqlite(any_interleaving_keeps_to_the_machine);
}

#[test]
fn any_interleaving_keeps_to_the_machine_on_postgres() {
    on_postgres(any_interleaving_keeps_to_the_machine);
}
