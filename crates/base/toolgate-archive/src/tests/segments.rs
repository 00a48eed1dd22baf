//! Segments of any lines come back as they were.

use proptest::prelude::*;
use toolgate_core::event::{EventFilter, HybridTime};
use toolgate_store::{ArchivalLine, LineFields, LinePlace, ledger_start};

use super::*;
use crate::decode::decode;
use crate::encode::encode;
use crate::segment::SegmentLines;

/// The lines of a stored stream.
async fn lines(world: &ArchiveWorld, stream: &str) -> Vec<ArchivalLine> {
    world.store.ledger_lines_after(stream, LinePlace::START, i64::MAX, 1_000).await.expect("lines")
}

fn segment(lines: &[ArchivalLine], before: Digest) -> Result<SegmentLines, i64> {
    let mut segment = SegmentLines::after("default", "one", before, FIRST_DAY);
    for line in lines {
        segment.add(line.clone()).map_err(|bad| bad.number)?;
    }
    Ok(segment)
}

#[tokio::test]
async fn a_segment_has_its_lines_and_facts() {
    let world = ArchiveWorld::new().await;
    world.record("one", FIRST_DAY, 20).await;
    let lines = lines(&world, "one").await;
    let first = segment(&lines[..15], ledger_start()).expect("a chain");
    let facts = first.facts().expect("there are lines");
    assert_eq!((facts.first, facts.last, facts.lines, facts.before), (1, 15, 15, ledger_start()));
    assert_eq!(Some(facts.hash), LineFields::read(&lines[15].bytes).map(|next| next.previous));
    assert_eq!((facts.at_min, facts.at_max), (FIRST_DAY * DAY_MS, FIRST_DAY * DAY_MS + 7_000));
    let bytes = encode(&facts, first.lines()).expect("encoded");
    assert_eq!(bytes, encode(&facts, first.lines()).expect("encoded"), "the same lines give the same bytes");
    let read = decode(bytes).expect("decoded");
    assert_eq!((&read.facts, read.lines.as_slice()), (&facts, first.lines()));
    assert!(read.is_sound());
    let rest = segment(&lines[15..], facts.hash).expect("a chain").facts().expect("there are lines");
    assert_eq!((rest.first, rest.last), (16, 40));
    assert_ne!(rest.root, facts.root);
}

#[tokio::test]
async fn lines_that_do_not_follow_each_other_are_no_segment() {
    let world = ArchiveWorld::new().await;
    world.record("one", FIRST_DAY, 3).await;
    world.record("one", FIRST_DAY + 1, 1).await;
    let lines = lines(&world, "one").await;
    assert_eq!(segment(&lines[..6], ledger_start()).err(), None);
    assert_eq!(segment(&lines, ledger_start()).err(), Some(7), "another day");
    assert_eq!(segment(&lines[1..6], ledger_start()).err(), Some(2), "not after the start");
    assert_eq!(
        segment(&[lines[0].clone(), lines[2].clone()], ledger_start()).err(),
        Some(3),
        "one is left out"
    );
    let mut changed = lines[..6].to_vec();
    let end = changed[2].bytes.len() - 1;
    changed[2].bytes[end] ^= 1;
    assert!(matches!(segment(&changed, ledger_start()).err(), Some(3 | 4)), "changed");
    let mut moved = lines[..6].to_vec();
    moved[1].time = HybridTime::from_number(moved[1].time.number() + 1);
    assert_eq!(segment(&moved, ledger_start()).err(), Some(2), "another time");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// However calls are spread over days and passes, the archive has every line once, and each in its place.
    #[test]
    fn any_passes_archive_every_line_once(days in prop::collection::vec((0i64..3, 1i64..4, any::<bool>()), 1..6)) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let world = ArchiveWorld::new().await;
            let (mut day, mut recorded) = (FIRST_DAY, 0);
            for (step, calls, archives) in days {
                day += step;
                world.record("one", day, calls).await;
                recorded += 2 * calls;
                if archives {
                    world.archive.run(day, |_| ()).await.expect("archived");
                }
            }
            world.archive.run(day, |_| ()).await.expect("archived");
            let verified = world.archive.verify(|_| ()).await.expect("verified");
            assert_eq!((i64::try_from(verified.events), verified.faults), (Ok(recorded), Vec::new()));
            let mut export = world.archive.export(&EventFilter::default(), toolgate_store::ExportFormat::Jsonl).await.expect("begun");
            let mut numbers = Vec::new();
            while let Some(lines) = export.next().await.expect("read") {
                let number = |line: &str| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["number"].as_i64();
                numbers.extend(lines.text.lines().filter_map(number));
            }
            assert_eq!(numbers, (1..=recorded).collect::<Vec<_>>());
        });
    }
}
