//! The database goes away and comes back.

use std::time::{Duration, Instant};

use toolgate_core::event::Outcome;
use toolgate_core::governance::{Ledger, StartRefused, Warrant};

use super::*;
use crate::world::StoreWorld;

crate::on_both!(
    while_it_is_away_starts_are_refused_and_ends_are_written_later,
    it_recovers_when_nobody_writes,
    whichever_operation_fails_once_nothing_is_lost_or_written_twice,
    from_whichever_operation_on_it_is_away_every_call_has_one_end,
    the_refusal_of_a_call_that_was_withdrawn_is_not_its_second_end,
    an_end_whose_late_writing_was_not_confirmed_is_written_once,
);

/// The time that a test waits for something that must happen soon.
const SOON: Duration = Duration::from_secs(10);

async fn until(what: &str, mut fits: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !fits().await {
        assert!(begun.elapsed() < SOON, "{what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn take_away(world: &StoreWorld) {
    world.sql("ALTER TABLE ledger_lines RENAME TO ledger_lines_gone").await;
}

async fn bring_back(world: &StoreWorld) {
    world.sql("ALTER TABLE ledger_lines_gone RENAME TO ledger_lines").await;
}

async fn while_it_is_away_starts_are_refused_and_ends_are_written_later(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    for call in ["tc_1", "tc_2"] {
        writer.start(on_disk(vec![started(call)]), Warrant::NoneNeeded).await.expect("started");
    }
    assert!(writer.is_up());
    take_away(&world).await;
    let refused = writer.start(on_disk(vec![started("tc_3")]), Warrant::NoneNeeded).await;
    assert!(matches!(refused, Err(StartRefused::Down(_))), "{refused:?}");
    assert!(!writer.is_up());
    let kept = body("{\"late\":true}", START_MS);
    let named = Event { output: Some(kept.digest), ..completed("tc_1", Outcome::Succeeded) };
    let end = LedgerEntry { bodies: vec![kept.clone()], ..entry(vec![named]) };
    assert!(writer.append(end).await.is_err());
    assert!(writer.append(entry(vec![completed("tc_2", Outcome::Failed)])).await.is_err());
    assert!(writer.append(entry(vec![decided("tc_4")])).await.is_err());
    bring_back(&world).await;
    until("it recovers by itself", async || writer.is_up()).await;
    writer.append(entry(vec![decided("tc_5")])).await.expect("written");
    let expected = [
        "tc_1 tool.call.started",
        "tc_2 tool.call.started",
        "tc_1 tool.call.completed succeeded",
        "tc_2 tool.call.completed failed",
        "tc_5 policy.decided",
    ];
    assert_eq!(story(&store).await, expected);
    let end = all(&store).await.into_iter().find_map(|one| one.event.output).expect("a result");
    assert_eq!(store.ledger_body(&end).await.expect("read"), Some(kept.json));
    assert_eq!(world.sql("DELETE FROM open_calls").await, 0);
    assert_sound(&store).await;
}

async fn it_recovers_when_nobody_writes(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    take_away(&world).await;
    assert!(writer.append(entry(vec![decided("tc_1")])).await.is_err());
    assert!(!writer.is_up());
    bring_back(&world).await;
    until("it recovers by itself", async || writer.is_up()).await;
    assert_eq!(story(&store).await, Vec::<String>::new());
}

/// One failure at a time: the n-th query to the database, or the answer to the n-th commit.
async fn whichever_operation_fails_once_nothing_is_lost_or_written_twice(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    let mut expected = Vec::new();
    for n in 1.. {
        let call = format!("tc_{n:03}");
        store.fail_nth(n);
        let begin = writer.start(on_disk(vec![decided(&call), started(&call)]), Warrant::NoneNeeded).await;
        let end = writer.append(entry(vec![completed(&call, Outcome::Succeeded)])).await;
        assert_eq!((begin, end), (Ok(()), Ok(())), "operation {n}");
        expected.push(format!("{call} policy.decided"));
        expected.push(format!("{call} tool.call.started"));
        expected.push(format!("{call} tool.call.completed succeeded"));
        if store.is_fault_to_come() {
            // On Postgres a usual batch is one statement.
            let operations_min = if world.is_postgres() { 3 } else { 10 };
            assert!(n > operations_min, "the fault was never reached");
            break;
        }
    }
    store.fail_never();
    assert_eq!(story(&store).await, expected);
    assert_eq!(world.sql("DELETE FROM open_calls").await, 0);
    assert_sound(&store).await;
}

/// The database goes down at the n-th query, or right after a commit whose answer is lost, and comes back
/// later.
async fn from_whichever_operation_on_it_is_away_every_call_has_one_end(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    let mut taken_back = 0;
    for n in 1.. {
        let call = format!("tc_{n:03}");
        store.fail_from_nth(n);
        let begin = writer.start(on_disk(vec![decided(&call), started(&call)]), Warrant::NoneNeeded).await;
        if begin.is_ok() {
            // Regardless of the answer, the end of a call that ran is not lost.
            drop(writer.append(entry(vec![completed(&call, Outcome::Succeeded)])).await);
        }
        let is_over = store.is_fault_to_come();
        store.fail_never();
        until("it recovers by itself", async || writer.is_up()).await;
        let told = store.ledger_call(&CallId::new(&*call)).await.expect("read");
        let outcomes: Vec<_> = told.iter().map(|one| one.event.outcome).collect();
        match (begin.is_ok(), &outcomes[..]) {
            (true, [None, None, Some(Outcome::Succeeded)]) | (false, []) => {}
            (false, [None, None, Some(Outcome::Refused)]) => taken_back += 1,
            told => panic!("operation {n}: {told:?}"),
        }
        if is_over {
            assert!(n > 10, "the fault was never reached");
            break;
        }
    }
    assert_eq!(taken_back, 1, "once the start was written and nobody knew");
    assert_eq!(world.sql("DELETE FROM open_calls").await, 0);
    assert_sound(&store).await;
}

/// The start is stored although its caller was told otherwise, and what the caller records of that comes after the database is
/// back.
async fn the_refusal_of_a_call_that_was_withdrawn_is_not_its_second_end(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    let mut stored = 0;
    for n in 1.. {
        let (call, before) = (format!("tc_{n:03}"), format!("tc_{n:03}_before"));
        // After a failure, a batch takes more operations than usual.
        writer.start(on_disk(vec![started(&before)]), Warrant::NoneNeeded).await.expect("started");
        writer.append(entry(vec![completed(&before, Outcome::Succeeded)])).await.expect("written");
        store.fail_from_nth(n);
        let begin = writer.start(on_disk(vec![started(&call)]), Warrant::NoneNeeded).await;
        let is_over = store.is_fault_to_come();
        store.fail_never();
        until("it recovers by itself", async || writer.is_up()).await;
        let outcome = if begin.is_ok() { Outcome::Succeeded } else { Outcome::Refused };
        writer.append(entry(vec![completed(&call, outcome)])).await.expect("its end is recorded");
        let told = store.ledger_call(&CallId::new(&*call)).await.expect("read");
        let outcomes: Vec<_> = told.iter().map(|one| one.event.outcome).collect();
        match (begin.is_ok(), &outcomes[..]) {
            (true, [None, Some(Outcome::Succeeded)]) | (false, [Some(Outcome::Refused)]) => {}
            (false, [None, Some(Outcome::Refused)]) => stored += 1,
            told => panic!("operation {n}: {told:?}"),
        }
        if is_over {
            break;
        }
    }
    assert_eq!(stored, 1, "once the start was written and nobody knew");
    assert_eq!(world.sql("DELETE FROM open_calls").await, 0);
    assert_sound(&store).await;
}

/// An end waits in memory; then the answer to the commit that writes it is lost as well.
async fn an_end_whose_late_writing_was_not_confirmed_is_written_once(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    for n in 1.. {
        let call = format!("tc_{n:03}");
        writer.start(on_disk(vec![started(&call)]), Warrant::NoneNeeded).await.expect("started");
        store.fail_from_nth(1);
        assert!(writer.append(entry(vec![completed(&call, Outcome::Succeeded)])).await.is_err());
        // Whatever the next attempt has reached, it gets `n` operations further.
        store.fail_from_nth(n);
        until("the next attempt", async || writer.is_up() || !store.is_fault_to_come()).await;
        let is_over = writer.is_up();
        store.fail_never();
        until("it recovers by itself", async || writer.is_up()).await;
        let told = store.ledger_call(&CallId::new(&*call)).await.expect("read");
        let outcomes: Vec<_> = told.iter().map(|one| one.event.outcome).collect();
        assert_eq!(outcomes, [None, Some(Outcome::Succeeded)], "operation {n}");
        if is_over {
            assert!(n > 5, "the fault was never reached");
            break;
        }
    }
    assert_eq!(world.sql("DELETE FROM open_calls").await, 0);
    assert_sound(&store).await;
}
