//! A store is moved from SQLite to Postgres: all of it, once, whatever interrupts it.

mod schema;

use toolgate_core::event::{Event, EventFilter, EventKind, EventSubject, LedgerEntry, RecordedEvent};
use toolgate_core::governance::{Approvals, Ledger};
use toolgate_core::id::CallId;
use toolgate_core::{PrincipalId, Role};
use toolgate_store::{
    LedgerOrder, LedgerWriter, NewTokenSpec, Store, StoreError, StoreTransfer, TransferError, TransferOutset,
    TransferPhase, TransferReport,
};

use crate::desk::{STREAM, books, proposal};
use crate::world::StoreWorld;

const START_MS: i64 = 1_780_000_000_000;
const DAY_MS: i64 = 86_400_000;
/// More than two blocks, and more than one page.
const EVENTS: i64 = 700;
/// More operations than a transfer has.
const OPERATIONS_MAX: u64 = 2_000;

/// A store on SQLite with something in every table, and an unused database on Postgres.
struct TransferWorld {
    from: StoreWorld,
    to: StoreWorld,
    source: Store,
    secret: String,
}

impl TransferWorld {
    async fn new() -> Self {
        let (from, to) = (StoreWorld::sqlite(), StoreWorld::postgres());
        let source = from.open().await;
        let token = source.create_token(STREAM, NewTokenSpec::of(Role::Agent)).await.expect("created");
        books(&source).await.open(proposal("1", 100)).await.expect("asked");
        for (stream, first) in [("two", 0), (STREAM, 1_000)] {
            let writer = LedgerWriter::start(&source, stream).await.expect("the writer starts");
            for number in 0..EVENTS / 10 {
                writer.append(entry(first + number)).await.expect("written");
            }
            writer.close().await;
        }
        schema::fill_empty_tables(&from).await;
        Self { from, to, source, secret: token.secret }
    }

    async fn target(&self) -> Store {
        Store::open_target(self.to.url()).await.expect("the target opens")
    }

    async fn transfer(&self) -> Result<TransferReport, TransferError> {
        run(&self.source, &self.target().await).await
    }
}

/// Ten events; some of the next day.
fn entry(number: i64) -> LedgerEntry {
    let events = (0..10).map(|place| {
        let about =
            EventSubject { call: Some(CallId::new(format!("tc_{number}_{place}"))), ..Default::default() };
        let at_ms = START_MS + number * DAY_MS / 40 + place;
        Event::new(EventKind::PolicyDecided, at_ms, PrincipalId::new("agent"), about.into())
    });
    LedgerEntry { events: events.collect(), ..LedgerEntry::default() }
}

async fn run(source: &Store, target: &Store) -> Result<TransferReport, TransferError> {
    StoreTransfer::new(source, target).await?.run(|_| ()).await
}

async fn all(store: &Store) -> Vec<RecordedEvent> {
    let (mut all, mut after): (Vec<RecordedEvent>, _) = (Vec::new(), None);
    loop {
        let filter = EventFilter::default();
        let page = store.ledger_page(&filter, after.as_ref(), 500, LedgerOrder::OldestFirst).await;
        let page = page.expect("read");
        let Some(last) = page.last() else { return all };
        after = Some(last.position.clone());
        all.extend(page);
    }
}

fn shown(events: &[RecordedEvent]) -> Vec<(String, i64, Vec<u8>)> {
    events.iter().map(|one| (one.stream.to_string(), one.number, one.hash.as_bytes().to_vec())).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_table_is_moved_and_the_ledger_goes_on() {
    use TransferPhase::{Comparing, Copying, Verifying, VerifyingCopy};
    let world = TransferWorld::new().await;
    let tables = schema::sqlite_tables(&world.from).await;
    let mut phases = Vec::new();
    let target = world.target().await;
    let transfer = StoreTransfer::new(&world.source, &target).await.expect("the tables agree");
    let report = transfer.run(|progress| phases.push(progress.phase)).await.expect("moved");
    phases.dedup();
    assert_eq!(phases, [Verifying, Copying, Comparing, VerifyingCopy]);
    assert_eq!(report.start, TransferOutset::Fresh);
    assert_eq!(report.ledger.fault, None);
    let moved: Vec<&str> = report.tables.iter().map(|(table, _)| &**table).collect();
    assert_eq!(moved, tables, "every table had rows");
    for (table, rows) in &report.tables {
        assert_eq!(schema::count(&world.to, table).await, *rows, "{table}");
        assert_eq!(schema::count(&world.from, table).await, *rows, "{table}");
    }

    let store = world.to.open().await;
    assert_eq!(store.sealing_key().await.expect("read"), world.source.sealing_key().await.expect("read"));
    assert!(store.verify(&world.secret).await.expect("asked").is_some(), "the token is known");
    let before = all(&world.source).await;
    assert_eq!(shown(&all(&store).await), shown(&before));
    let writer = LedgerWriter::start(&store, STREAM).await.expect("the writer starts");
    writer.append(entry(5_000)).await.expect("written");
    let end = before.iter().rev().find(|one| &*one.stream == STREAM).expect("an event of the stream");
    let next =
        all(&store).await.into_iter().find(|one| &*one.stream == STREAM && one.number == end.number + 1);
    assert_eq!(next.expect("the next event").previous, end.hash);
    assert_eq!(store.verify_ledger(|_| ()).await.expect("verified").fault, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rehearsal_counts_the_rows_and_moves_none() {
    let world = TransferWorld::new().await;
    let target = world.target().await;
    let transfer = StoreTransfer::new(&world.source, &target).await.expect("the tables agree");
    let rehearsed = transfer.rehearse(|_| ()).await.expect("read");
    assert_eq!(schema::count(&world.to, "tokens").await, 0);
    let moved = transfer.run(|_| ()).await.expect("moved");
    assert_eq!(rehearsed, moved);
    assert!(moved.rows() > 2 * EVENTS as u64);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whichever_operation_fails_the_next_run_goes_on() {
    let world = TransferWorld::new().await;
    let target = world.target().await;
    let mut operation = 1;
    let report = loop {
        // Each run gets a little further than the one before it.
        operation += 7;
        assert!(operation < OPERATIONS_MAX, "it never ends");
        target.fail_from_nth(operation);
        let ran = run(&world.source, &target).await;
        target.fail_never();
        match ran {
            Ok(report) => break report,
            Err(TransferError::Store(StoreError::Query { .. })) => {}
            Err(other) => panic!("operation {operation}: {other}"),
        }
        let opened = world.to.try_open().await;
        let is_begun = schema::is_there(&world.to, "store_transfer").await;
        match opened {
            Err(StoreError::UnfinishedTransfer) => assert!(is_begun, "operation {operation}"),
            Ok(_) => assert!(!is_begun, "operation {operation}: a part of a store is not used as a store"),
            Err(other) => panic!("operation {operation}: {other}"),
        }
    };
    assert_eq!(report.start, TransferOutset::Resumed);
    assert!(operation > 100, "the faults were reached: {operation}");
    assert_eq!(shown(&all(&world.to.open().await).await), shown(&all(&world.source).await));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_source_that_went_on_meanwhile_is_moved_from_the_start() {
    let world = TransferWorld::new().await;
    let target = world.target().await;
    target.fail_from_nth(100);
    assert!(run(&world.source, &target).await.is_err());
    let writer = LedgerWriter::start(&world.source, STREAM).await.expect("the writer starts");
    writer.append(entry(5_000)).await.expect("written");
    writer.close().await;
    assert_eq!(world.transfer().await.expect("moved").start, TransferOutset::StartedOver);
    assert_eq!(shown(&all(&world.to.open().await).await), shown(&all(&world.source).await));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_that_differs_is_noticed_and_made_again() {
    let world = TransferWorld::new().await;
    let target = world.target().await;
    let transfer = StoreTransfer::new(&world.source, &target).await.expect("the tables agree");
    // The last table is being compared when it is cut off: everything is copied.
    let copied = std::cell::Cell::new(false);
    let mut operations = 0;
    while !copied.get() {
        operations += 40;
        target.fail_from_nth(operations);
        let ran = transfer.run(|progress| {
            copied.set(copied.get() | (progress.phase == TransferPhase::Comparing));
        });
        assert!(ran.await.is_err(), "it was to be cut off");
        target.fail_never();
    }
    assert_eq!(world.to.sql("UPDATE tokens SET label = 'another'").await, 1);
    match transfer.run(|_| ()).await {
        Err(TransferError::Differs { table, row: 1 }) => assert_eq!(table, "tokens"),
        other => panic!("{other:?}"),
    }
    let again = transfer.run(|_| ()).await.expect("moved");
    assert_eq!(again.start, TransferOutset::StartedOver);
    assert!(world.to.open().await.verify(&world.secret).await.expect("asked").is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_target_that_is_not_empty_is_refused() {
    let world = TransferWorld::new().await;
    let used = world.to.open().await;
    // An opened store has its key, which counts for nothing as long as nothing is sealed with it.
    used.sealing_key().await.expect("made");
    let moved = world.transfer().await.expect("moved");
    assert_eq!(moved.start, TransferOutset::Fresh);
    assert!(matches!(world.transfer().await, Err(TransferError::Done { .. })), "once is enough");
    let other = StoreWorld::sqlite();
    let other = other.open().await;
    assert!(matches!(run(&other, &world.target().await).await, Err(TransferError::OtherStore)));

    let foreign = StoreWorld::postgres();
    foreign.open().await.create_token(STREAM, NewTokenSpec::of(Role::Agent)).await.expect("created");
    let target = Store::open_target(foreign.url()).await.expect("the target opens");
    let refused = run(&world.source, &target).await;
    assert!(matches!(&refused, Err(TransferError::NotEmpty { .. })), "{refused:?}");
    assert!(!schema::is_there(&foreign, "store_transfer").await, "it stays as it was");
    foreign.open().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ledger_that_was_tampered_with_is_moved_as_it_is() {
    let world = TransferWorld::new().await;
    assert_eq!(world.from.sql("DELETE FROM ledger_lines WHERE stream = 'two' AND number = 7").await, 1);
    let moved = world.transfer().await.expect("moved");
    let fault = moved.ledger.fault.expect("it is noticed");
    assert_eq!((&*fault.stream, fault.number), ("two", 7));
    let there = world.to.open().await.verify_ledger(|_| ()).await.expect("verified");
    assert_eq!(there.fault, Some(fault));
}
