//! Pages of archived events, and single calls.

use toolgate_core::event::{EventFilter, Position, RecordedEvent};
use toolgate_store::{ExportFormat, LedgerOrder};

use super::*;
use crate::archive::SegmentLimits;
use crate::{ArchiveError, SegmentEntry};

const ORDERS: [LedgerOrder; 2] = [LedgerOrder::OldestFirst, LedgerOrder::NewestFirst];
/// More than a page of pages.
const PAGES_MAX: usize = 1_000;

impl ArchiveWorld {
    /// Three days on which two streams take turns, archived in segments of a few lines.
    async fn with_turns(lines_max: usize) -> Self {
        let world = Self::new().await;
        let mut writers = Vec::new();
        for stream in ["one", "two"] {
            writers.push(LedgerWriter::start(&world.store, stream).await.expect("the writer starts"));
        }
        for number in 0..30 {
            let at_ms = (FIRST_DAY + number / 10) * DAY_MS + number;
            let entry = LedgerEntry { events: events(&id(at_ms), at_ms), ..LedgerEntry::default() };
            writers[usize::from(number % 3 == 0)].append(entry).await.expect("recorded");
        }
        for writer in writers {
            writer.close().await;
        }
        world.archive_all(lines_max).await;
        world
    }

    async fn archive_all(&self, lines_max: usize) {
        let small = self.archive.clone().with_limits(SegmentLimits { lines_max, bytes_max: usize::MAX });
        small.run(FIRST_DAY + 2, |_| ()).await.expect("archived");
    }

    /// Loses the segments that are chosen.
    async fn lose(&self, is_lost: impl Fn(&SegmentEntry) -> bool) {
        let segments = self.archive.segments().await.expect("a list");
        segments.iter().filter(|entry| is_lost(entry)).for_each(|entry| self.place.remove(&entry.name()));
    }
}

/// The id of a call that was made then.
fn id(at_ms: i64) -> String {
    format!("tc_{at_ms:012x}7{:019x}", 7)
}

/// All pages, one after the other.
async fn pages(
    archive: &Archive,
    filter: &EventFilter,
    limit: usize,
    order: LedgerOrder,
) -> Vec<RecordedEvent> {
    let (mut events, mut after): (_, Option<Position>) = (Vec::new(), None);
    for _ in 0..PAGES_MAX {
        let page = archive.page(filter, after.as_ref(), limit, order).await.expect("a page");
        assert!(page.events.len() <= limit, "{} events", page.events.len());
        events.extend(page.events);
        match page.next {
            // As a client sends it.
            Some(next) => after = Some(next.to_string().parse().expect("a position")),
            None => return events,
        }
    }
    panic!("the pages have no end")
}

fn hashes(events: &[RecordedEvent]) -> Vec<String> {
    events.iter().map(|event| event.hash.to_string()).collect()
}

fn second_day() -> EventFilter {
    EventFilter {
        from_ms: Some((FIRST_DAY + 1) * DAY_MS),
        until_ms: Some((FIRST_DAY + 2) * DAY_MS),
        ..EventFilter::default()
    }
}

#[tokio::test]
async fn pages_have_the_order_of_the_database() {
    let world = ArchiveWorld::with_turns(4).await;
    assert!(world.place.segments().len() > 12, "several segments of a stream and day");
    let (_stage, elsewhere) = world.elsewhere().await;
    let of_tool = EventFilter { outcomes: vec![Outcome::Succeeded], ..second_day() };
    for (filter, count) in [(EventFilter::default(), 60), (second_day(), 20), (of_tool, 10)] {
        for order in ORDERS {
            let expected = world.store.ledger_page(&filter, None, 1_000, order).await.expect("read");
            assert_eq!(expected.len(), count);
            for limit in [3, 20, 1_000] {
                let found = pages(&elsewhere, &filter, limit, order).await;
                assert_eq!(hashes(&found), hashes(&expected), "{order:?}, {limit} at once");
            }
        }
    }
}

#[tokio::test]
async fn all_pages_together_are_the_export() {
    let world = ArchiveWorld::with_turns(7).await;
    for filter in [EventFilter::default(), second_day()] {
        let mut exported = Vec::new();
        let mut export = world.archive.export(&filter, ExportFormat::Jsonl).await.expect("an export");
        while let Some(lines) = export.next().await.expect("read") {
            let hash =
                |line: &str| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["hash"].clone();
            exported.extend(lines.text.lines().map(|line| hash(line).as_str().expect("a hash").to_owned()));
        }
        exported.sort();
        for order in ORDERS {
            let mut found = hashes(&pages(&world.archive, &filter, 9, order).await);
            found.sort();
            assert_eq!(found, exported, "{order:?}");
        }
    }
}

#[tokio::test]
async fn a_page_reads_only_the_days_that_it_needs() {
    let world = ArchiveWorld::with_turns(1_000).await;
    let all = EventFilter::default();
    world.lose(|entry| entry.facts.day == FIRST_DAY + 2).await;
    let page = world.archive.page(&all, None, 20, LedgerOrder::OldestFirst).await.expect("the first day");
    assert_eq!(page.events.len(), 20);
    let found = pages(&world.archive, &second_day(), 6, LedgerOrder::NewestFirst).await;
    assert_eq!(found.len(), 20, "the day that is lost lies outside the period");
    let refused = world.archive.page(&all, None, 1, LedgerOrder::NewestFirst).await.expect_err("it is lost");
    assert!(matches!(refused, ArchiveError::Damaged(_)), "{refused}");
    let refused = world.archive.page(&all, page.next.as_ref(), 30, LedgerOrder::OldestFirst).await;
    assert!(matches!(refused, Err(ArchiveError::Damaged(_))), "nothing is left out silently");
}

#[tokio::test]
async fn a_search_that_finds_nothing_ends_early_and_goes_on() {
    let world = ArchiveWorld::with_turns(1).await;
    let nobody = EventFilter { principal: Some(PrincipalId::new("nobody")), ..EventFilter::default() };
    for order in ORDERS {
        let first = world.archive.page(&nobody, None, 10, order).await.expect("a page");
        assert!(first.events.is_empty() && first.next.is_some(), "{order:?}: there are more segments");
        assert_eq!(pages(&world.archive, &nobody, 10, order).await, [], "{order:?}");
    }
}

#[tokio::test]
async fn a_call_is_found_by_the_time_in_its_id() {
    let world = ArchiveWorld::new().await;
    let made_ms = (FIRST_DAY + 1) * DAY_MS - 5_000;
    let (ended, waited) = (id(made_ms), id(made_ms - 1));
    let writer = LedgerWriter::start(&world.store, "one").await.expect("the writer starts");
    let record = async |events: Vec<Event>| {
        let entry = LedgerEntry { events, ..LedgerEntry::default() };
        writer.append(entry).await.expect("recorded");
    };
    let mut waiting = events(&waited, made_ms);
    waiting[1].outcome = Some(Outcome::PendingApproval);
    record(waiting).await;
    record(events(&ended, made_ms)).await;
    record(events(&waited, made_ms + 2 * DAY_MS)).await;
    writer.close().await;
    world.record("two", FIRST_DAY + 2, 3).await;
    world.archive_all(1_000).await;
    assert_eq!(world.archive.call(&CallId::new(waited)).await.expect("found").len(), 4, "people were asked");
    let later = |entry: &SegmentEntry| entry.facts.day > FIRST_DAY;
    world.lose(later).await;
    let found = world.archive.call(&CallId::new(ended)).await.expect("other days are not read");
    let kinds: Vec<EventKind> = found.iter().map(|one| one.event.kind).collect();
    assert_eq!(kinds, [EventKind::CallStarted, EventKind::CallCompleted]);
    for other in [id(made_ms + 1), id(made_ms - 3 * DAY_MS), "tc_1".to_owned(), String::new()] {
        assert_eq!(world.archive.call(&CallId::new(other.as_str())).await.expect("looked"), [], "{other}");
    }
}
