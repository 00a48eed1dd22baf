//! The admission of calls into a run, and how they count.

use toolgate_core::run::Run;
use toolgate_store::{BatchCall, RunCallState};

use super::*;

crate::on_both!(
    a_budget_of_calls_ends_at_its_number,
    a_budget_of_bytes_counts_both_ways,
    a_budget_of_seconds_lets_nothing_in_after_them,
    a_call_that_goes_on_counts_once,
    an_end_is_noted_once,
    a_crash_leaves_calls_unknown,
    what_is_sent_twice_is_claimed_once,
    what_was_put_off_is_taken_up_once,
);

async fn a_budget_of_calls_ends_at_its_number(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = create(&books, Run { budget: with_calls(2), ..a_run("1") }).await.id;
    look_first(&books, &run).await;
    let refused = admit(&books, &run, "3").await;
    let Err(RunError::Exhausted(exhausted)) = refused else { panic!("{refused:?}") };
    assert_eq!((exhausted.limit, exhausted.max, exhausted.used), ("calls", 2, 2));
    let own = a_call("4", CallKind::Control);
    books.admit_run_call(&run, &own, NOW_MS + 20).await.expect("what it made can still be kept");
    let ended = complete(&books, &run, Some("4")).await.expect("ended").run;
    assert_eq!((ended.state, ended.reason.as_deref()), (RunState::Partial, Some("budget.calls")));
    assert_eq!(store.run_calls(&run).await.expect("read").len(), 3);
}

async fn a_budget_of_bytes_counts_both_ways(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let budget = RunBudget { bytes: Some(205), ..RunBudget::default() };
    let run = create(&books, Run { budget, ..a_run("1") }).await.id;
    look_first(&books, &run).await;
    assert_eq!(read(&store, &run).await.used.bytes, 200);
    let refused = admit(&books, &run, "3").await;
    let Err(RunError::Exhausted(exhausted)) = refused else { panic!("{refused:?}") };
    assert_eq!((exhausted.limit, exhausted.used, exhausted.wanted), ("bytes", 200, 10));
    let small = RunCall { bytes: 5, ..a_call("4", CallKind::Data) };
    books.admit_run_call(&run, &small, NOW_MS + 20).await.expect("what fits is let in");
    let none = RunCall { bytes: 0, ..a_call("5", CallKind::Data) };
    let refused = books.admit_run_call(&run, &none, NOW_MS + 20).await;
    assert!(matches!(&refused, Err(RunError::Exhausted(one)) if one.limit == "bytes"), "{refused:?}");
}

async fn a_budget_of_seconds_lets_nothing_in_after_them(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let budget = RunBudget { seconds: Some(5), ..RunBudget::default() };
    let run = create(&books, Run { budget, ..a_run("1") }).await.id;
    admit(&books, &run, "1").await.expect("let in");
    let late = NOW_MS + 10 + 5_000;
    assert!(store.due_runs(late - 1, 10).await.expect("read").is_empty());
    assert_eq!(store.due_runs(late, 10).await.expect("read"), std::slice::from_ref(&run));
    let refused = books.admit_run_call(&run, &a_call("2", CallKind::Data), late).await;
    let Err(RunError::Exhausted(exhausted)) = refused else { panic!("{refused:?}") };
    assert_eq!((exhausted.limit, exhausted.max, exhausted.used), ("seconds", 5, 5));
}

async fn a_call_that_goes_on_counts_once(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = create(&books, Run { budget: with_calls(1), ..a_run("1") }).await.id;
    admit(&books, &run, "1").await.expect("let in");
    admit(&books, &run, "1").await.expect("it is in already");
    finish(&books, &run, "1").await;
    admit(&books, &run, "1").await.expect("its next round");
    let calls = store.run_calls(&run).await.expect("read");
    assert_eq!((calls.len(), calls[0].state, calls[0].ended_at_ms), (1, RunCallState::Open, None));
    finish(&books, &run, "1").await;
    let used = read(&store, &run).await.used;
    assert_eq!((used.calls, used.bytes), (1, 3 * 10 + 2 * 90));
    assert!(matches!(admit(&books, &run, "2").await, Err(RunError::Exhausted(_))));
}

async fn an_end_is_noted_once(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = create(&books, a_run("1")).await.id;
    finish(&books, &run, "never let in").await;
    admit(&books, &run, "1").await.expect("let in");
    let failed = RunCallEnd { completed: false, bytes: 1 };
    books.finish_run_call(&run, &call_id("1"), failed, NOW_MS + 15).await.expect("noted");
    finish(&books, &run, "1").await;
    let calls = store.run_calls(&run).await.expect("read");
    assert_eq!((calls[0].state, calls[0].ended_at_ms), (RunCallState::Failed, Some(NOW_MS + 15)));
    assert_eq!(read(&store, &run).await.used.bytes, 11);
    let by = ada();
    let ending = toolgate_store::RunEnding::Failed { reason: "no".to_owned() };
    admit(&books, &run, "2").await.expect("let in");
    books.end_run(&run, &ending, None, later(&by, 60)).await.expect("ended");
    finish(&books, &run, "2").await;
    let calls = store.run_calls(&run).await.expect("read");
    assert_eq!(calls[1].state, RunCallState::Completed, "a call may end after its run");
}

async fn a_crash_leaves_calls_unknown(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let run = create(&one, a_run("1")).await.id;
    admit(&one, &run, "ended").await.expect("let in");
    finish(&one, &run, "ended").await;
    admit(&one, &run, "mine").await.expect("let in");
    admit(&two, &run, "other").await.expect("let in");
    assert_eq!(store.forget_run_calls("one", NOW_MS + 70).await.expect("forgotten"), 1);
    let calls = store.run_calls(&run).await.expect("read");
    let states: Vec<_> = calls.iter().map(|call| (call.call.as_str(), call.state)).collect();
    let expected = [
        ("tc_ended", RunCallState::Completed),
        ("tc_mine", RunCallState::Unknown),
        ("tc_other", RunCallState::Open),
    ];
    assert_eq!(states, expected);
    assert_eq!(store.forget_run_calls("one", NOW_MS + 70).await.expect("forgotten"), 0);
}

async fn what_is_sent_twice_is_claimed_once(world: StoreWorld) {
    let (store, _, _) = replicas(&world).await;
    let (run, request) = (id("1"), Digest::of("add 1 and 2"));
    let claims = (0..16).map(|_| {
        let (store, run) = (store.clone(), run.clone());
        tokio::spawn(async move { store.claim_batch_call(&run, "a\0", request, "one", NOW_MS).await })
    });
    let mut claimed = 0;
    for claim in claims.collect::<Vec<_>>() {
        claimed += usize::from(claim.await.expect("no panic").expect("claimed"));
    }
    assert_eq!(claimed, 1);
    let known = async || store.batch_call(&run, "a\0").await.expect("read");
    assert_eq!(known().await, Some(BatchCall { request, result: None }));
    let result = desk::arguments(3);
    assert!(store.record_batch_call(&run, "a\0", &result).await.expect("recorded"));
    assert!(!store.record_batch_call(&run, "a\0", &desk::arguments(4)).await.expect("the first one stands"));
    assert!(!store.record_batch_call(&run, "b", &result).await.expect("nobody claimed it"));
    assert_eq!(known().await, Some(BatchCall { request, result: Some(result.clone()) }));

    store.claim_batch_call(&run, "mine", request, "one", NOW_MS).await.expect("claimed");
    store.claim_batch_call(&run, "other", request, "two", NOW_MS).await.expect("claimed");
    let unknown = desk::arguments(0);
    assert_eq!(store.forget_batch_calls("one", &unknown).await.expect("forgotten"), 1);
    let result_of =
        async |name: &str| store.batch_call(&run, name).await.expect("read").expect("there").result;
    assert_eq!(result_of("mine").await, Some(unknown));
    assert_eq!((result_of("other").await, result_of("a\0").await), (None, Some(result)));
}

async fn what_was_put_off_is_taken_up_once(world: StoreWorld) {
    let (store, _, _) = replicas(&world).await;
    let (run, request, waits) = (id("1"), Digest::of("pay"), desk::arguments(1));
    assert!(store.claim_batch_call(&run, "a", request, "one", NOW_MS).await.expect("claimed"));
    assert!(!store.take_up_batch_call(&run, "a", request, "two").await.expect("it runs"));
    assert!(store.put_off_batch_call(&run, "a", &waits).await.expect("put off"));
    let known = store.batch_call(&run, "a").await.expect("read").expect("there");
    assert_eq!(known.result, Some(waits));
    assert!(!store.take_up_batch_call(&run, "a", Digest::of("other"), "two").await.expect("another request"));
    let takes = (0..8).map(|_| {
        let (store, run) = (store.clone(), run.clone());
        tokio::spawn(async move { store.take_up_batch_call(&run, "a", request, "two").await })
    });
    let mut taken = 0;
    for take in takes.collect::<Vec<_>>() {
        taken += usize::from(take.await.expect("no panic").expect("asked"));
    }
    assert_eq!(taken, 1);
    assert_eq!(store.batch_call(&run, "a").await.expect("read").expect("there").result, None);
    assert_eq!(store.forget_batch_calls("one", &desk::arguments(0)).await.expect("none"), 0);
    assert_eq!(store.forget_batch_calls("two", &desk::arguments(0)).await.expect("it is theirs now"), 1);
}
