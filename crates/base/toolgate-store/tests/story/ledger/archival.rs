//! Lines for the archive: in the order of their stream, day by day.

use toolgate_core::governance::Ledger as _;
use toolgate_store::{ArchivalLine, LedgerDay, LineFields, LinePlace, LineReader, ledger_start};

use super::*;
use crate::world::StoreWorld;

crate::on_both!(
    lines_are_given_out_day_by_day,
    a_line_is_read_back_as_its_event,
    one_process_at_a_time_has_the_turn,
);

const FIRST_DAY: i64 = START_MS / DAY_MS;

/// Two calls on each of three days.
async fn with_days(store: &Store) {
    let writer = writer(store, "one").await;
    for call in 0..6 {
        let at_ms = (FIRST_DAY + call / 2) * DAY_MS + call;
        let id = format!("tc_{call}");
        let events = [started(&id), completed(&id, Outcome::Succeeded)];
        let events = events.into_iter().map(|event| Event { at_ms, ..event }).collect();
        writer.append(entry(events)).await.expect("recorded");
    }
    writer.close().await;
}

async fn after(store: &Store, place: LinePlace, until_day: i64, limit: i64) -> Vec<ArchivalLine> {
    store.ledger_lines_after("one", place, until_day, limit).await.expect("lines")
}

fn numbers(lines: &[ArchivalLine]) -> Vec<i64> {
    lines.iter().map(|line| line.number).collect()
}

async fn lines_are_given_out_day_by_day(world: StoreWorld) {
    let store = world.open().await;
    with_days(&store).await;
    let streams = store.ledger_streams().await.expect("streams");
    assert_eq!((streams.len(), &*streams[0].stream, streams[0].number), (1, "one", 12));
    assert_eq!(numbers(&after(&store, LinePlace::START, FIRST_DAY, 100).await), [1, 2, 3, 4]);
    let some = after(&store, LinePlace::START, i64::MAX, 6).await;
    assert_eq!(numbers(&some), [1, 2, 3, 4, 5, 6]);
    let rest = after(&store, some[5].place(), FIRST_DAY + 1, 100).await;
    assert_eq!(numbers(&rest), [7, 8]);
    let days = store.ledger_days_after("one", some[5].place(), i64::MAX).await.expect("days");
    let day = |day, lines, first, last| LedgerDay { day, lines, first, last };
    assert_eq!(days, [day(FIRST_DAY + 1, 2, 7, 8), day(FIRST_DAY + 2, 4, 9, 12)]);
    assert_eq!(store.ledger_line_at("one", rest[0].place()).await.expect("read"), Some(rest[0].clone()));
    let elsewhere = LinePlace { day: FIRST_DAY, number: 7 };
    assert_eq!(store.ledger_line_at("one", elsewhere).await.expect("read"), None);
}

async fn a_line_is_read_back_as_its_event(world: StoreWorld) {
    let store = world.open().await;
    with_days(&store).await;
    let lines = after(&store, LinePlace::START, i64::MAX, 100).await;
    let events = all(&store).await;
    let reader = LineReader::new(&EventFilter::default());
    let mut previous = ledger_start();
    for (line, event) in lines.iter().zip(&events) {
        let fields = LineFields::read(&line.bytes).expect("a line");
        assert_eq!((fields.previous, fields.hash, fields.leaf), (previous, event.hash, event.hash));
        assert_eq!((fields.kind.as_str(), fields.at_ms), (event.event.kind.as_str(), event.event.at_ms));
        assert_eq!(fields.call.as_deref(), event.event.about.call.as_ref().map(CallId::as_str));
        assert_eq!(fields.tool.as_deref(), Some("files:read"));
        previous = fields.hash;
        let read = reader.read(&event.stream, line).expect("readable").expect("everything passes");
        assert_eq!((read.number, read.time, &read.event), (event.number, event.time, &event.event));
    }
    let ends = EventFilter { kind: Some(EventKind::CallCompleted), ..EventFilter::default() };
    let reader = LineReader::new(&ends);
    let passed = lines.iter().filter(|line| reader.read(&"one".into(), line).expect("readable").is_some());
    assert_eq!(passed.count(), 6);
    assert_eq!(LineFields::read(b"no line"), None);
}

async fn one_process_at_a_time_has_the_turn(world: StoreWorld) {
    let (one, other) = (world.open().await, world.open().await);
    assert!(one.take_turn("some work").await.expect("answered"));
    assert!(!other.take_turn("some work").await.expect("answered"));
    assert!(one.take_turn("some work").await.expect("answered"), "it keeps its turn");
    assert!(other.take_turn("other work").await.expect("answered"));
    other.end_turn("some work").await.expect("answered");
    assert!(!other.take_turn("some work").await.expect("answered"), "it was not its turn to end");
    one.end_turn("some work").await.expect("answered");
    assert!(other.take_turn("some work").await.expect("answered"));
}
