//! Any order of actions by people and callers, timeouts and crashes around one approval: exactly one final
//! state, one call at most, and a ledger that shows it.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use toolgate_core::approval::{Approval, ApprovalRefusal, ApprovalState, Ballot, WithdrawalReason};
use toolgate_core::governance::{Approvals, DecideError, StartRefused};
use toolgate_store::Books;

use crate::desk::{agent, books, deciding, digest, edit, proposal, settings, start};
use crate::trace::trace;
use crate::waves::{CASES, Gateways, Then, Wave, on_postgres, on_sqlite, waves};
use crate::world::StoreWorld;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Approve,
    Deny,
    Edit,
    RequestChanges,
    Cancel,
    Expire,
    Consume,
    ConsumeEdited,
}

fn deeds() -> impl Strategy<Value = Deed> {
    use Deed::{Approve, Cancel, Consume, ConsumeEdited, Deny, Edit, Expire, RequestChanges};
    prop_oneof![
        4 => Just(Approve),
        2 => Just(Edit),
        3 => Just(Consume),
        2 => Just(ConsumeEdited),
        1 => Just(Deny),
        1 => Just(RequestChanges),
        1 => Just(Cancel),
        1 => Just(Expire),
    ]
}

/// The answer that a caller got, if known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallerAnswer {
    Voted,
    Sent,
    Done,
    Refused,
}

async fn open(world: &StoreWorld) -> Gateways {
    let (store, other) = (world.open().await, world.open().await);
    let two = other.books(settings("two")).await.expect("opened");
    Gateways { books: [books(&store).await, two], store }
}

async fn act(books: Books, approval: Approval, deed: Deed, number: u32) -> CallerAnswer {
    let voted = async |ballot| {
        let mut vote = deciding(&approval.id, &format!("voter {number}"), ballot);
        let seen = books.get(&approval.id).await.expect("the database is there").expect("it was asked");
        vote.word.shown = Some(seen.effective);
        told_of_vote(books.decide(vote).await.map(drop))
    };
    let consume = async |effective| {
        let wanted = Approval { effective, ..approval.clone() };
        told_of_start(start(&books, &wanted, &format!("{}-{number}", approval.id)).await)
    };
    match deed {
        Deed::Approve => voted(Ballot::Approve).await,
        Deed::Deny => voted(Ballot::Deny).await,
        Deed::Edit => voted(edit(7)).await,
        Deed::RequestChanges => voted(Ballot::RequestChanges).await,
        Deed::Cancel => match books.cancel(&approval.id, &agent().id, WithdrawalReason::ByCaller).await {
            Ok(()) => CallerAnswer::Done,
            refused => told_of_vote(refused),
        },
        Deed::Expire => {
            books.expire_due_at(i64::MAX - 1).await.expect("the database is there");
            CallerAnswer::Done
        }
        Deed::Consume => consume(approval.effective).await,
        Deed::ConsumeEdited => consume(digest(7)).await,
    }
}

fn told_of_vote(result: Result<(), DecideError>) -> CallerAnswer {
    match result {
        Ok(()) => CallerAnswer::Voted,
        Err(DecideError::Refused(ApprovalRefusal::Settled(state))) => {
            assert_ne!(state, ApprovalState::Pending);
            CallerAnswer::Refused
        }
        Err(DecideError::Refused(ApprovalRefusal::Edited | ApprovalRefusal::Withdrawn(_))) => {
            CallerAnswer::Refused
        }
        Err(other) => panic!("{other:?}"),
    }
}

fn told_of_start(result: Result<(), StartRefused>) -> CallerAnswer {
    match result {
        Ok(()) => CallerAnswer::Sent,
        Err(StartRefused::Approval(ApprovalRefusal::Settled(state))) => {
            assert_ne!(state, ApprovalState::Approved);
            CallerAnswer::Refused
        }
        Err(StartRefused::Approval(ApprovalRefusal::Changed)) => CallerAnswer::Refused,
        Err(other) => panic!("{other:?}"),
    }
}

async fn live(world: &StoreWorld, waves: &[Wave<Deed>], amount: u32, quorum: u32) {
    let mut gateways = open(world).await;
    let mut new = proposal(&format!("p{amount}"), amount);
    new.requirement.quorum = quorum;
    let approval = gateways.books[0].open(new).await.expect("asked").approval;
    let mut told = Vec::new();
    let mut number = 0;
    for wave in waves {
        let mut tasks = Vec::new();
        for (deed, second) in &wave.deeds {
            number += 1;
            let books = gateways.books[usize::from(*second)].clone();
            tasks.push(tokio::spawn(act(books, approval.clone(), *deed, number)));
        }
        if wave.then == Then::Crash {
            tokio::task::yield_now().await;
            for task in &tasks {
                task.abort();
            }
        }
        for task in tasks {
            match task.await {
                Ok(one) => told.push(one),
                Err(gone) => assert!(gone.is_cancelled(), "{gone}"),
            }
        }
        if wave.then == Then::Crash {
            gateways.crash().await;
            gateways = open(world).await;
        }
    }
    // In the end everything has timed out.
    gateways.books[1].expire_due_at(i64::MAX - 1).await.expect("swept");
    let trace = trace(&gateways.store, &approval.id).await;
    let last = trace.last().expect("it was asked");
    assert!(!last.is_open(), "{trace:?}");
    assert!(trace.sent <= 1, "{trace:?}");
    let sent = told.iter().filter(|one| **one == CallerAnswer::Sent).count();
    let voted = told.iter().filter(|one| **one == CallerAnswer::Voted).count();
    assert!(sent <= trace.sent && voted <= trace.votes, "{told:?} {trace:?}");
    assert_eq!(trace.sent == 1, last == ApprovalState::Used);
    gateways.crash().await;
}

fn any_interleaving_ends_in_one_final_state(runtime: &tokio::runtime::Runtime, world: &StoreWorld) {
    let mut runner = TestRunner::new(Config { cases: CASES, failure_persistence: None, ..Config::default() });
    // Each case has a proposal of its own.
    let amount = std::cell::Cell::new(1_000);
    let cases = (waves(deeds(), 3, 5), 1..3_u32);
    runner
        .run(&cases, |(waves, quorum)| {
            amount.set(amount.get() + 1);
            runtime.block_on(live(world, &waves, amount.get(), quorum));
            Ok(())
        })
        .unwrap_or_else(|failed| panic!("{failed}"));
}

#[test]
fn any_interleaving_ends_in_one_final_state_on_sqlite() {
    on_sqlite(any_interleaving_ends_in_one_final_state);
}

#[test]
fn any_interleaving_ends_in_one_final_state_on_postgres() {
    on_postgres(any_interleaving_ends_in_one_final_state);
}
