//! The database fails at any operation, or is gone, or the disk is full: nothing runs unrecorded or twice,
//! and it recovers.

use std::time::Duration;

use toolgate_core::approval::{Approval, ApprovalState, WithdrawalReason};
use toolgate_core::event::EventKind;
use toolgate_core::governance::{Approvals, DecideError, Ledger, StartRefused, Warrant};
use toolgate_store::{Books, NewTokenSpec, Store, StoreError};

use crate::desk::{
    STREAM, approve, books, call, completed, kinds, ledger, proposal, settled, start, started,
};
use crate::trace::trace;
use crate::world::{StoreWorld, within};

crate::on_both!(
    any_single_operation_may_fail,
    the_database_may_go_away_at_any_operation,
    what_was_lost_is_asked_again_after_the_outage,
);

/// More operations than the story has.
const OPERATIONS_MAX: u64 = 200;
const HEALS_WITHIN: Duration = Duration::from_secs(20);

/// The progress of a story, by the answers that its teller got.
#[derive(Debug, Default)]
struct FaultStory {
    opened: Option<Approval>,
    approved: bool,
    started: bool,
    completed: bool,
}

/// A call is proposed, approved, sent and answered.
async fn story(books: &Books, id: &str, amount: u32) -> FaultStory {
    let mut told = FaultStory::default();
    let Ok(opened) = books.open(proposal(id, amount)).await else { return told };
    told.opened = Some(opened.approval.clone());
    let Ok(decided) = approve(books, &opened.approval.id).await else { return told };
    told.approved = true;
    if start(books, &decided.approval, id).await.is_err() {
        return told;
    }
    told.started = true;
    told.completed = books.append(completed(id)).await.is_ok();
    told
}

/// Confirmed steps have happened, and unconfirmed ones happened at most as far as the rules allow.
async fn check(store: &Store, told: &FaultStory, id: &str, amount: u32) {
    let starts = ledger(store).await.iter().filter(|one| is_of(one, EventKind::CallStarted, id)).count();
    let Some(opened) = &told.opened else {
        assert_eq!(starts, 0, "nothing was asked, nothing runs");
        return;
    };
    assert_eq!(opened.binding, crate::desk::binding(amount));
    let trace = trace(store, &opened.id).await;
    assert_eq!((starts, trace.sent), (trace.sent, starts));
    if told.approved {
        assert!(trace.states.contains(&ApprovalState::Approved), "{trace:?}");
    }
    if told.started {
        assert_eq!(trace.last(), Some(ApprovalState::Used));
    }
}

fn is_of(one: &toolgate_core::event::RecordedEvent, kind: EventKind, id: &str) -> bool {
    one.event.kind == kind && one.event.about.call == Some(call(id))
}

/// The end of a call that has run is written, sooner or later.
async fn until_completed(store: &Store, id: &str) {
    let written = async || ledger(store).await.iter().any(|one| is_of(one, EventKind::CallCompleted, id));
    within(HEALS_WITHIN, "the end of the call", written).await;
}

async fn sweep(world: &StoreWorld, fail: impl Fn(&Store, u64)) -> u64 {
    for n in 1..OPERATIONS_MAX {
        let store = world.open().await;
        let books = books(&store).await;
        let (id, amount) = (format!("n{n}"), u32::try_from(n).expect("small"));
        fail(&store, n);
        let told = story(&books, &id, amount).await;
        let clean = store.is_fault_to_come();
        store.fail_never();
        if told.started {
            until_completed(&store, &id).await;
        }
        books.writer().close().await;
        drop((books, store));

        let store = world.open().await;
        check(&store, &told, &id, amount).await;
        if clean {
            assert!(told.completed, "{told:?}");
            return n;
        }
    }
    panic!("the story has no end");
}

async fn any_single_operation_may_fail(world: StoreWorld) {
    let operations = sweep(&world, |store, n| store.fail_nth(n)).await;
    assert!(operations > 20, "the failures were real: {operations}");
}

async fn the_database_may_go_away_at_any_operation(world: StoreWorld) {
    let operations = sweep(&world, |store, n| store.fail_from_nth(n)).await;
    assert!(operations > 20, "the failures were real: {operations}");
}

async fn what_was_lost_is_asked_again_after_the_outage(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let id = books.open(proposal("1", 100)).await.expect("asked").approval.id;
    store.fail_from_nth(1);
    assert!(books.open(proposal("2", 200)).await.is_err());
    assert!(matches!(approve(&books, &id).await, Err(DecideError::Down(_))));
    assert!(matches!(
        books.cancel(&id, &crate::desk::agent().id, WithdrawalReason::ByCaller).await,
        Err(DecideError::Down(_))
    ));
    assert!(books.get(&id).await.is_err() && books.expire_due().await.is_err());
    let refused = books.start(started("3"), Warrant::NoneNeeded).await;
    assert!(matches!(refused, Err(StartRefused::Down(_))), "{refused:?}");
    assert!(!books.is_up());
    let waiting = tokio::spawn(books.left(&id, ApprovalState::Pending));
    store.fail_never();

    until_up(&books).await;
    let approved = approve(&books, &id).await.expect("approved").approval;
    assert_eq!(waiting.await.expect("woken").state, ApprovalState::Approved);
    start(&books, &approved, "1").await.expect("started");
    assert!(books.is_up());
    let told = kinds(&store).await;
    assert_eq!(told.iter().filter(|kind| **kind == "tool.call.started").count(), 1);
}

async fn until_up(books: &Books) {
    within(HEALS_WITHIN, "the ledger's return", async || books.is_up()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_the_server_cut_are_replaced() {
    let world = StoreWorld::postgres();
    let store = world.open().await;
    let books = books(&store).await;
    // Several connections, and all of them used a moment ago.
    let opening = (0..8).map(|amount| tokio::spawn(books.open(proposal("1", amount))));
    for opened in opening.collect::<Vec<_>>() {
        opened.await.expect("no panic").expect("asked");
    }
    let cut = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    world.run_on_postgres(cut);
    let opened = books.open(proposal("2", 100)).await.expect("asked").approval;
    let approved = approve(&books, &opened.id).await.expect("approved").approval;
    start(&books, &approved, "2").await.expect("started");
    assert!(books.is_up());
    assert_eq!(trace(&store, &opened.id).await.last(), Some(ApprovalState::Used));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_the_server_cut_do_not_count_as_an_absence() {
    /// Each is longer than the pause between two probes.
    const ROUND: Duration = Duration::from_millis(500);
    let world = StoreWorld::postgres();
    let store = world.open().await;
    let books = books(&store).await;
    books.open(proposal("1", 100)).await.expect("asked");
    for _ in 0..4 {
        let cut = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()";
        world.run_on_postgres(cut);
        let begun = std::time::Instant::now();
        while begun.elapsed() < ROUND {
            assert!(books.is_up(), "a connection is replaced at once");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    books.open(proposal("2", 200)).await.expect("asked");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_refuses_calls_until_there_is_room() {
    let world = StoreWorld::sqlite();
    let store = world.open().await;
    let token =
        store.create_token(STREAM, NewTokenSpec::of(toolgate_core::Role::Agent)).await.expect("created");
    let books = books(&store).await;
    let opened = books.open(proposal("1", 100)).await.expect("asked").approval;
    // No more than the current size: half-full pages can still be filled.
    store.limit_pages(1);
    let mut sent = 0;
    let refused = loop {
        match books.start(started(&format!("c{sent}")), Warrant::NoneNeeded).await {
            Ok(()) => sent += 1,
            Err(refused) => break refused,
        }
        assert!(sent < 1_000, "the disk is never full");
    };
    let StartRefused::Down(down) = &refused else { panic!("{refused:?}") };
    assert!(down.to_string().contains("full") && down.to_string().contains("make room"), "{down}");
    let mut asked = 0;
    while books.open(proposal("2", 1_000 + asked)).await.is_ok() {
        asked += 1;
        assert!(asked < 1_000, "the disk is never full");
    }
    assert!(store.verify(&token.secret).await.expect("what is there can be read").is_some());
    let starts = |all: Vec<&str>| all.iter().filter(|kind| **kind == "tool.call.started").count();
    assert_eq!(starts(kinds(&store).await), sent, "nothing of the refused call is there");

    store.limit_pages(1_000_000);
    until_up(&books).await;
    let approved = approve(&books, &opened.id).await.expect("approved").approval;
    start(&books, &approved, "1").await.expect("started");
    assert_eq!(approve(&books, &opened.id).await.expect("said before").approval.state, ApprovalState::Used);
    assert_eq!(crate::desk::deny(&books, &opened.id).await, Err(settled(ApprovalState::Used)));
    assert_eq!(starts(kinds(&store).await), sent + 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_only_file_system_refuses_calls_until_it_is_writable() {
    let world = StoreWorld::sqlite();
    let store = world.open().await;
    let books = books(&store).await;
    let opened = books.open(proposal("1", 100)).await.expect("asked").approval;
    books.start(started("before"), Warrant::NoneNeeded).await.expect("started");
    store.make_read_only();
    let refused = books.start(started("during"), Warrant::NoneNeeded).await;
    let Err(StartRefused::Down(down)) = &refused else { panic!("{refused:?}") };
    assert!(down.to_string().contains("mounted read-only"), "it says what to do: {down}");
    assert!(!books.is_up());
    assert!(books.open(proposal("2", 200)).await.is_err());
    let token = store.create_token(STREAM, NewTokenSpec::of(toolgate_core::Role::Agent)).await;
    let advice = token.as_ref().err().and_then(StoreError::advice);
    assert!(advice.is_some_and(|advice| advice.contains("mounted read-only")), "{token:?}");
    let ended = books.writer().append(completed("before")).await;
    assert!(ended.is_err(), "the end waits");

    store.make_writable();
    until_up(&books).await;
    approve(&books, &opened.id).await.expect("approved");
    let told = kinds(&store).await;
    let count = |kind: &str| told.iter().filter(|told| **told == kind).count();
    assert_eq!((count("tool.call.started"), count("tool.call.completed")), (1, 1), "{told:?}");
    assert_eq!(store.verify_ledger(|_| ()).await.expect("verified").fault, None);
}
