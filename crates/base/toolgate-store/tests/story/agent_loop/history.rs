//! Messages that stand for others, and runs that go on from a turn of another.

use toolgate_core::run::{LoopState, StoredMessage};
use toolgate_store::{Folding, RunError};

use super::*;
use crate::runs::{detail, events_of, place, prove_ledger};

crate::on_both!(
    a_fold_adds_and_takes_nothing_away,
    a_fold_keeps_calls_with_their_results,
    faults_of_folds_are_counted_until_one_succeeds,
    a_fork_goes_on_from_the_end_of_a_turn,
    a_fork_begins_where_the_history_is_whole,
);

async fn fold(books: &Books, lease: &LoopLease, from: u64, to: u64, by: NewMessage) -> Result<(), LoopError> {
    let ada = ada();
    books.fold_loop(lease, Folding { from, to, stands_for: by }, later(&ada, 600)).await
}

fn folded(messages: &[StoredMessage]) -> Vec<Option<u64>> {
    messages.iter().map(|one| one.folded_into).collect()
}

async fn a_fold_adds_and_takes_nothing_away(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = driven(&books, "1").await;
    let lease = claim(&store, &run).await;
    play(&books, &lease, 1, 1).await;
    play(&books, &lease, 2, 1).await;
    let before = messages(&store, &run).await;
    fold(&books, &lease, 2, 3, line("turn 1 in short")).await.expect("folded");
    let after = messages(&store, &run).await;
    assert_eq!(folded(&after), [None, Some(6), Some(6), None, None, None]);
    assert!(before.iter().zip(&after).all(|(one, same)| one.message == same.message));
    // The next one takes the place of the first too.
    fold(&books, &lease, 2, 5, line("turns 1 and 2 in short")).await.expect("folded");
    let after = messages(&store, &run).await;
    assert_eq!(folded(&after), [None, Some(6), Some(6), Some(7), Some(7), Some(7), None]);
    assert_eq!(after[6].message, ModelMessage::user("turns 1 and 2 in short"));
    let told = events_of(&store, &run).await;
    assert_eq!(detail(told.last().expect("one"))["folded"], json!({ "from": 2, "to": 5 }));
    assert_eq!(store.verify_messages(&run).await.expect("sound"), 7);
    assert!(store.loop_messages(&run, u64::MAX, 10).await.expect("read").is_empty(), "far behind the last");
    prove_ledger(&store).await;
}

async fn a_fold_keeps_calls_with_their_results(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = driven(&books, "1").await;
    let lease = claim(&store, &run).await;
    play(&books, &lease, 1, 2).await;
    ask(&books, &lease, 2).await.expect("asked");
    answer(&books, &lease, 2, 1).await.expect("answered");
    // 1 goal, 2 calls, 3 results, 4 a call without its result so far.
    for (from, to) in [(1, 2), (3, 3), (3, 4), (1, 4), (9, 12), (3, 2)] {
        let refused = fold(&books, &lease, from, to, line("short")).await;
        assert!(matches!(refused, Err(LoopError::Run(RunError::Step(_)))), "{from}–{to}: {refused:?}");
    }
    let half = fold(&books, &lease, 3, 3, results(1, 1)).await;
    assert!(half.is_err(), "one of two results is not both");
    assert_eq!(folded(&messages(&store, &run).await), [None; 4]);
    let mut short = results(1, 2);
    short.tokens = 1;
    fold(&books, &lease, 3, 3, short).await.expect("results may become shorter results");
    fold(&books, &lease, 2, 3, line("short")).await.expect("and whole turns a line");
    assert_eq!(folded(&messages(&store, &run).await), [None, Some(6), Some(5), None, Some(6), None]);
}

async fn faults_of_folds_are_counted_until_one_succeeds(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = driven(&books, "1").await;
    let lease = claim(&store, &run).await;
    play(&books, &lease, 1, 1).await;
    assert_eq!(books.note_fold_fault(&lease).await.expect("noted"), 1);
    assert_eq!(books.note_fold_fault(&lease).await.expect("noted"), 2);
    assert_eq!(look(&store, &run).await.fold_faults, 2);
    fold(&books, &lease, 2, 3, line("short")).await.expect("folded");
    assert_eq!(look(&store, &run).await.fold_faults, 0);
}

async fn a_fork_goes_on_from_the_end_of_a_turn(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let (run, by) = (driven(&books, "1").await, ada());
    let lease = claim(&store, &run).await;
    play(&books, &lease, 1, 1).await;
    play(&books, &lease, 2, 1).await;
    fold(&books, &lease, 2, 3, line("short")).await.expect("folded");
    play(&books, &lease, 3, 1).await;
    let before = messages(&store, &run).await;
    for (turn, count) in [(0, 1), (1, 3), (2, 6), (3, 8)] {
        let name = format!("fork-{turn}");
        create(&books, a_run(&name)).await;
        let fork = books.fork_loop(&run, turn, a_loop(&name), later(&by, 50)).await.expect("forked");
        assert_eq!((fork.state, fork.turn, fork.last_message), (LoopState::Ready, turn, count as u64));
        let copies = messages(&store, &fork.run).await;
        assert_eq!(copies.len(), count);
        for (copy, one) in copies.iter().zip(&before) {
            assert_eq!((copy.turn, &copy.message, copy.tokens), (one.turn, &one.message, one.tokens));
            assert_ne!(copy.digest, one.digest, "it is another run's");
        }
        let is_folded = copies.iter().any(|one| one.folded_into.is_some());
        assert_eq!(is_folded, turn >= 2, "what was folded later is sent again");
        assert_eq!(store.verify_messages(&fork.run).await.expect("sound"), count as u64);
        let lease = claim(&store, &fork.run).await;
        play(&books, &lease, turn + 1, 1).await;
    }
    assert_eq!(messages(&store, &run).await, before, "the first run is as it was");
    // A fork of a fork.
    create(&books, a_run("again")).await;
    let again = books.fork_loop(&id("fork-2"), 1, a_loop("again"), later(&by, 50)).await.expect("forked");
    assert_eq!(again.last_message, 3);
}

async fn a_fork_begins_where_the_history_is_whole(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let (run, by) = (driven(&books, "1").await, ada());
    let lease = claim(&store, &run).await;
    ask(&books, &lease, 1).await.expect("asked");
    answer(&books, &lease, 1, 1).await.expect("answered");
    create(&books, a_run("2")).await;
    for turn in [1, 2] {
        let refused = books.fork_loop(&run, turn, a_loop("2"), later(&by, 700)).await;
        assert!(matches!(refused, Err(LoopError::Run(RunError::Step(_)))), "{refused:?}");
    }
    let nobody = books.fork_loop(&id("none"), 1, a_loop("2"), later(&by, 700)).await;
    assert!(matches!(nobody, Err(LoopError::Run(RunError::UnknownRun(_)))), "{nobody:?}");
    assert_eq!(store.agent_loop(&id("2")).await.expect("read"), None);
}
