//! Passes of the archive: which lines they take, and that they go on where another one ended.

use std::time::Duration;

use toolgate_core::CanonicalName;
use toolgate_core::event::EventFilter;
use toolgate_store::ExportFormat;

use super::*;
use crate::archive::SegmentLimits;
use crate::{ArchiveError, ArchiveReport, closed_until};

#[tokio::test]
async fn each_closed_day_of_a_stream_is_a_segment() {
    let world = ArchiveWorld::with_days().await;
    let plan = world.archive.plan(FIRST_DAY + 1).await.expect("a plan");
    assert_eq!(plan.days.len(), 4);
    assert_eq!((plan.days[1].day.as_str(), plan.days[1].first, plan.days[1].events), ("2026-08-02", 11, 10));
    let report = world.archive.run(FIRST_DAY + 1, |_| ()).await.expect("archived");
    assert_eq!((report.segments, report.events), (4, 40));
    let segments = world.archive.segments().await.expect("a list");
    let said: Vec<(&str, i64, i64, i64)> = segments
        .iter()
        .map(|entry| (entry.facts.stream.as_str(), entry.facts.day, entry.facts.first, entry.facts.last))
        .collect();
    let (first, second) = (FIRST_DAY, FIRST_DAY + 1);
    assert_eq!(
        said,
        [("one", first, 1, 10), ("one", second, 11, 20), ("two", first, 1, 10), ("two", second, 11, 20)]
    );
    assert!(segments[0].name().starts_with("ledger/default/2026-08-01/"), "{}", segments[0].name());
    let verified = world.archive.verify(|_| ()).await.expect("verified");
    assert_eq!((verified.segments, verified.events, verified.faults), (4, 40, Vec::new()));
    assert_eq!(world.archive.run(FIRST_DAY + 1, |_| ()).await.expect("again"), ArchiveReport::default());
}

#[tokio::test]
async fn the_first_day_with_a_line_in_no_segment_is_known() {
    let world = ArchiveWorld::new().await;
    assert_eq!(world.archive.first_day_left().await.expect("looked"), None);
    world.record("one", FIRST_DAY, 2).await;
    world.record("two", FIRST_DAY + 1, 2).await;
    assert_eq!(world.archive.first_day_left().await.expect("looked"), Some(FIRST_DAY));
    world.archive.run(FIRST_DAY, |_| ()).await.expect("archived");
    assert_eq!(world.archive.first_day_left().await.expect("looked"), Some(FIRST_DAY + 1));
    world.archive.run(FIRST_DAY + 1, |_| ()).await.expect("archived");
    assert_eq!(world.archive.first_day_left().await.expect("looked"), None);
    // A stream that the archive has not seen yet.
    world.record("three", FIRST_DAY + 2, 1).await;
    assert_eq!(world.archive.first_day_left().await.expect("looked"), Some(FIRST_DAY + 2));
}

#[tokio::test]
async fn a_late_line_of_an_archived_day_is_a_further_segment() {
    let world = ArchiveWorld::new().await;
    world.record("one", FIRST_DAY, 2).await;
    world.archive.run(FIRST_DAY, |_| ()).await.expect("archived");
    world.record("one", FIRST_DAY, 1).await;
    let report = world.archive.run(FIRST_DAY, |_| ()).await.expect("archived");
    assert_eq!((report.segments, report.events), (1, 2));
    let verified = world.archive.verify(|_| ()).await.expect("verified");
    assert_eq!((verified.segments, verified.events, verified.faults), (2, 6, Vec::new()));
}

#[tokio::test]
async fn a_large_day_has_several_segments() {
    let world = ArchiveWorld::new().await;
    world.record("one", FIRST_DAY, 10).await;
    let small = world.archive.clone().with_limits(SegmentLimits { lines_max: 7, bytes_max: usize::MAX });
    assert_eq!(small.run(FIRST_DAY, |_| ()).await.expect("archived").segments, 3);
    let verified = world.archive.verify(|_| ()).await.expect("verified");
    assert_eq!((verified.events, verified.faults), (20, Vec::new()));
}

/// A process that ends at any write leaves an archive that is sound, and the next one completes it.
/// The folder of each file. Two worlds have different names in them: salts are random.
fn folders(world: &ArchiveWorld) -> Vec<String> {
    let names = world.place.names();
    names.iter().map(|name| name.rsplit_once('/').expect("a folder").0.to_owned()).collect()
}

#[tokio::test]
async fn a_pass_that_ends_at_any_write_is_completed_by_the_next() {
    let whole = ArchiveWorld::with_days().await;
    whole.archive.run(FIRST_DAY + 2, |_| ()).await.expect("archived");
    for writes in 0..13 {
        let world = ArchiveWorld::with_days().await;
        world.place.end_after(Some(writes));
        world.archive.run(FIRST_DAY + 2, |_| ()).await.expect_err("it ended early");
        world.place.end_after(None);
        let faults = world.archive.verify(|_| ()).await.expect("verified").faults;
        assert_eq!(faults, [], "after {writes} writes");
        world.archive.run(FIRST_DAY + 2, |_| ()).await.expect("archived");
        assert_eq!(folders(&world), folders(&whole), "after {writes} writes");
        assert_eq!(world.archive.verify(|_| ()).await.expect("verified").faults, [], "after {writes} writes");
    }
}

#[tokio::test]
async fn one_process_archives_at_a_time() {
    let world = ArchiveWorld::with_days().await;
    let other = Store::open(world.stage.folder()).await.expect("another process");
    assert!(other.take_turn("ledger.archive").await.expect("taken"));
    let refused = world.archive.run(FIRST_DAY, |_| ()).await.expect_err("another one has the turn");
    assert!(matches!(refused, ArchiveError::Busy), "{refused}");
    other.end_turn("ledger.archive").await.expect("ended");
    assert_eq!(world.archive.run(FIRST_DAY, |_| ()).await.expect("archived").segments, 2);
}

#[tokio::test]
async fn events_come_back_from_the_archive_alone() {
    let world = ArchiveWorld::with_days().await;
    world.archive.run(FIRST_DAY + 2, |_| ()).await.expect("archived");
    let filter = EventFilter {
        tool: Some(CanonicalName::recorded("bank:transfer")),
        from_ms: Some((FIRST_DAY + 1) * DAY_MS),
        until_ms: Some((FIRST_DAY + 2) * DAY_MS),
        ..EventFilter::default()
    };
    let mut expected = Vec::new();
    let mut export = world.store.export_ledger(filter.clone(), ExportFormat::Jsonl).await.expect("an export");
    while let Some(lines) = export.next().await.expect("read") {
        expected.extend(lines.text.lines().map(str::to_owned));
    }
    let (_stage, elsewhere) = world.elsewhere().await;
    let mut found = Vec::new();
    let mut export = elsewhere.export(&filter, ExportFormat::Jsonl).await.expect("an export");
    while let Some(lines) = export.next().await.expect("read") {
        found.extend(lines.text.lines().map(hashed));
    }
    let mut expected: Vec<String> = expected.iter().map(|line| hashed(line)).collect();
    assert_eq!(found.len(), 20);
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}

/// The hash of an exported event, which stands for all of it.
fn hashed(line: &str) -> String {
    let event: serde_json::Value = serde_json::from_str(line).expect("JSON");
    event["hash"].as_str().expect("a hash").to_owned()
}

#[tokio::test]
async fn today_is_not_archived() {
    let world = ArchiveWorld::with_days().await;
    let now = (FIRST_DAY + 2) * DAY_MS + 1;
    let until = closed_until(now, Duration::ZERO);
    assert_eq!(world.archive.run(until, |_| ()).await.expect("archived").segments, 4);
}
