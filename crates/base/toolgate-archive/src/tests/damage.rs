//! Damage to the archive: each kind is named, with what to do about it.

use std::time::Duration;

use toolgate_store::CutOutcome;

use super::*;
use crate::index::ArchiveIndex;
use crate::{ArchiveError, ArchiveFault, SegmentTrouble};

const INDEX: &str = "ledger/default/index.json";

async fn archived() -> ArchiveWorld {
    let world = ArchiveWorld::with_days().await;
    world.archive.run(FIRST_DAY + 2, |_| ()).await.expect("archived");
    world
}

async fn faults(archive: &Archive) -> Vec<ArchiveFault> {
    archive.verify(|_| ()).await.expect("verified").faults
}

#[tokio::test]
async fn every_flipped_bit_of_a_segment_is_noticed() {
    let world = archived().await;
    let name = world.place.segments().remove(2);
    let bytes = world.place.get(&name);
    for at in (0..bytes.len()).step_by(97) {
        let mut changed = bytes.to_vec();
        changed[at] ^= 1 << (at % 8);
        world.place.set(&name, changed);
        let faults = faults(&world.archive).await;
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert_eq!((&faults[0].name, faults[0].what), (&name, SegmentTrouble::Changed));
    }
}

#[tokio::test]
async fn a_segment_that_was_cut_off_is_named_and_written_again() {
    let world = archived().await;
    let name = world.place.segments().remove(0);
    let bytes = world.place.get(&name);
    world.place.set(&name, bytes.slice(..bytes.len() / 2));
    let found = faults(&world.archive).await;
    assert_eq!(found[0].what, SegmentTrouble::Changed);
    let said = found[0].to_string();
    assert!(said.starts_with(&format!("{name} (lines 1 to 10 of stream ")), "{said}");
    let repaired = world.archive.repair().await.expect("repaired");
    assert_eq!(repaired.len(), 1);
    assert_eq!(world.place.get(&name), bytes);
    assert_eq!(faults(&world.archive).await, []);
}

#[tokio::test]
async fn a_missing_segment_is_named_and_cannot_be_read() {
    let world = archived().await;
    let name = world.place.segments().remove(1);
    world.place.remove(&name);
    let (_stage, elsewhere) = world.elsewhere().await;
    let found = faults(&elsewhere).await;
    assert_eq!((found.len(), &found[0].name, found[0].what), (1, &name, SegmentTrouble::Missing));
    let filter = toolgate_core::event::EventFilter::default();
    let mut export = elsewhere.export(&filter, toolgate_store::ExportFormat::Jsonl).await.expect("begun");
    let broken = loop {
        match export.next().await {
            Ok(Some(_)) => {}
            other => break other,
        }
    };
    assert!(matches!(broken, Err(ArchiveError::Damaged(_))), "an export says what is missing");
    assert_eq!(elsewhere.repair().await.expect("tried"), [], "this database does not have the lines");
}

#[tokio::test]
async fn a_damaged_index_stops_archiving_and_is_made_again() {
    let world = archived().await;
    let good = world.place.get(INDEX);
    let text = String::from_utf8(good.to_vec()).expect("text");
    for bad in
        ["{}".to_owned(), text[..text.len() / 2].to_owned(), text.replacen("\"last\": 10", "\"last\": 11", 1)]
    {
        world.place.set(INDEX, bad);
        let found = faults(&world.archive).await;
        assert_eq!(
            (found.len(), found[0].name.as_str(), found[0].what),
            (1, INDEX, SegmentTrouble::IndexDamaged)
        );
        let refused = world.archive.run(FIRST_DAY + 2, |_| ()).await.expect_err("refused");
        assert!(refused.hint().contains("ledger archive reindex"), "{}", refused.hint());
        assert_eq!(world.archive.reindex().await.expect("made"), 6);
        assert_eq!(world.place.get(INDEX), good);
    }
}

#[tokio::test]
async fn a_lost_index_is_not_taken_for_an_empty_archive() {
    let world = archived().await;
    let good = world.place.get(INDEX);
    world.place.remove(INDEX);
    let (_stage, elsewhere) = world.elsewhere().await;
    assert_eq!(faults(&elsewhere).await[0].what, SegmentTrouble::IndexMissing);
    let refused = world.archive.run(FIRST_DAY + 2, |_| ()).await.expect_err("refused");
    assert!(refused.to_string().contains(INDEX), "{refused}");
    assert_eq!(elsewhere.reindex().await.expect("made"), 6);
    assert_eq!(world.place.get(INDEX), good);
}

#[tokio::test]
async fn an_older_index_is_brought_up_to_date() {
    let world = ArchiveWorld::with_days().await;
    world.archive.run(FIRST_DAY, |_| ()).await.expect("archived");
    let older = world.place.get(INDEX);
    world.archive.run(FIRST_DAY + 2, |_| ()).await.expect("archived");
    let (names, newer) = (world.place.names(), world.place.get(INDEX));
    world.place.set(INDEX, older);
    assert_eq!(world.archive.run(FIRST_DAY + 2, |_| ()).await.expect("archived").segments, 4);
    assert_eq!((world.place.names(), world.place.get(INDEX)), (names, newer));
}

#[tokio::test]
async fn a_segment_that_is_left_out_of_the_index_is_a_gap() {
    let world = archived().await;
    let mut index = ArchiveIndex { segments: world.archive.segments().await.expect("a list"), read: None };
    let left_out = index.segments.remove(1);
    assert_eq!(left_out.facts.day, FIRST_DAY + 1);
    world.place.set(INDEX, index.encoded());
    let found = faults(&world.archive).await;
    assert_eq!((found.len(), found[0].what), (1, SegmentTrouble::Gap));
    assert_eq!(world.archive.reindex().await.expect("made"), 6);
    assert_eq!(faults(&world.archive).await, []);
}

/// Removes all days of a store that are over.
async fn cut(store: &Store) -> u64 {
    let keeper = LedgerWriter::start(store, "keeper").await.expect("the writer starts");
    let outcome = store.cut_ledger(&keeper, Duration::ZERO).await.expect("cut");
    keeper.close().await;
    let CutOutcome::Removed(events) = outcome else { panic!("{outcome:?}") };
    events
}

/// Only the record of what was removed tells.
#[tokio::test]
async fn an_archive_that_ends_before_what_the_database_removed_is_noticed() {
    let world = archived().await;
    assert_eq!(cut(&world.store).await, 60);
    assert_eq!(faults(&world.archive).await, []);
    let mut index = ArchiveIndex { segments: world.archive.segments().await.expect("a list"), read: None };
    index.segments.retain(|one| one.facts.stream != "two" || one.facts.day < FIRST_DAY + 2);
    world.place.set(INDEX, index.encoded());
    let found = faults(&world.archive).await;
    assert_eq!((found.len(), found[0].what), (1, SegmentTrouble::Behind), "{found:?}");
    assert_eq!(world.archive.reindex().await.expect("made"), 6);
    assert_eq!(faults(&world.archive).await, []);
}

/// Everything in the archive agrees with itself, but it is the archive of another ledger.
#[tokio::test]
async fn an_archive_of_other_events_does_not_fit_the_database() {
    let world = archived().await;
    let other = ArchiveWorld::new().await;
    for day in 0..3 {
        other.record("one", FIRST_DAY + day, 4).await;
        other.record("one", FIRST_DAY + day, 1).await;
    }
    let foreign = Archive::new(other.store.clone(), world.place.clone());
    let found = faults(&foreign).await;
    assert!(found.iter().any(|fault| fault.what == SegmentTrouble::OtherThanDatabase), "{found:?}");
    // Nor the record of what the database had.
    assert_eq!(cut(&other.store).await, 30);
    let found = faults(&foreign).await;
    assert_eq!((found.len(), found[0].what), (1, SegmentTrouble::OtherThanDatabase), "{found:?}");
}
