//! Faults in a stream that consists of rows only; the stories cover those in a real database.

use super::*;
use crate::ledger::block;
use crate::ledger::verify::signed::SignedStreams;
use proptest::prelude::*;
use toolgate_proof::tree;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// A stream of `count` events. The hash of each stands for its content.
fn stream(count: i64) -> (Vec<CheckedRow>, End, Vec<StoredPart>) {
    let mut previous = no_hash();
    let mut rows = Vec::new();
    for number in 1..=count {
        rows.push(row(number, 0, previous));
        previous = rows[rows.len() - 1].hash;
    }
    let whole = rows.chunks_exact(usize::try_from(block::BLOCK).expect("small"));
    let parts: Vec<StoredPart> = whole.map(part).collect();
    let head = head(&rows, &parts);
    (rows, head, parts)
}

/// The row of an event on one of the days.
fn row(number: i64, day: i64, previous: Digest) -> CheckedRow {
    let at_ms = day * DAY_MS + number;
    let (time, hash) = (HybridTime::of_ms(at_ms), Digest::of(format!("event {number}")));
    CheckedRow { day, number, time, at_ms, what: None, previous: Some(previous), hash, leaf: hash }
}

fn head(rows: &[CheckedRow], parts: &[StoredPart]) -> End {
    let part = 1 + parts.last().map_or(0, |part| part.last);
    let last = rows.last();
    End {
        number: rows.len() as i64,
        time: last.map_or(HybridTime::START, |last| last.time),
        part,
        hash: last.map_or(no_hash(), |last| last.hash),
    }
}

/// A stream of two days, with 300 events on the first and 50 on the second.
fn two_days() -> (Vec<CheckedRow>, End, Vec<StoredPart>) {
    let (mut rows, ..) = stream(300);
    for number in 301..=350 {
        let previous = rows[rows.len() - 1].hash;
        rows.push(row(number, 1, previous));
    }
    let parts = vec![part(&rows[..256]), part(&rows[256..300])];
    let head = head(&rows, &parts);
    (rows, head, parts)
}

fn part(rows: &[CheckedRow]) -> StoredPart {
    let leaves: Vec<Digest> = rows.iter().map(|row| row.leaf).collect();
    let root = tree::root(&leaves).as_bytes().to_vec();
    let (first, last) = (&rows[0], &rows[rows.len() - 1]);
    StoredPart {
        day: first.day,
        block: block::of_number(first.number),
        first: first.number,
        last: last.number,
        since: first.time.number(),
        until: last.time.number(),
        at_min: first.at_ms,
        at_max: last.at_ms,
        root,
    }
}

fn walk(rows: &[CheckedRow], before: End, now: Option<End>, parts: &[StoredPart]) -> Option<FaultPlace> {
    let mut walk = StreamWalk::new(
        before,
        parts.to_vec(),
        SignedStreams::of(&[]).of_stream("one", GrowingTree::default()),
    );
    let taken = rows.iter().cloned().try_for_each(|row| walk.take(row));
    taken.and_then(|()| walk.end(now)).err()
}

fn found(rows: &[CheckedRow], head: End, parts: &[StoredPart]) -> Option<(i64, Tampering)> {
    walk(rows, head, Some(head), parts).map(|found| (found.number, found.what))
}

#[test]
fn an_untouched_stream_has_no_fault() {
    for count in [0, 1, 2, 50, 256, 257, 600] {
        let (rows, head, parts) = stream(count);
        assert_eq!(found(&rows, head, &parts), None, "{count}");
    }
}

#[test]
fn a_whole_tail_that_was_made_to_fit_is_not_what_was_sealed() {
    let (mut rows, head, parts) = stream(3);
    rows[2].hash = Digest::of("forged");
    assert_eq!(found(&rows, head, &parts), Some((3, Tampering::Edited)));
}

#[test]
fn a_stream_without_a_head_is_noticed() {
    let (rows, _, parts) = stream(3);
    let fault = walk(&rows, End::START, None, &parts);
    assert_eq!(fault, Some(FaultPlace { number: 3, what: Tampering::HeadForged }));
}

#[test]
fn what_is_written_meanwhile_is_no_fault() {
    let (rows, after, parts) = stream(9);
    let before = End { number: 4, hash: rows[3].hash, time: rows[3].time, ..after };
    assert_eq!(walk(&rows, before, Some(after), &parts), None);
    assert_eq!(walk(&rows, End::START, Some(after), &parts), None, "nor a stream that is new");
    let inserted = Some(FaultPlace { number: 5, what: Tampering::Inserted });
    assert_eq!(walk(&rows, before, Some(before), &parts), inserted);
}

#[test]
fn a_block_must_have_the_root_of_its_lines() {
    let (rows, head, parts) = stream(600);
    let mut forged = parts.clone();
    forged[1].root = parts[0].root.clone();
    assert_eq!(found(&rows, head, &forged), Some((512, Tampering::BlockForged)));
    assert_eq!(found(&rows, head, &parts[..1]), Some((257, Tampering::BlockForged)));
    assert_eq!(found(&rows, head, &parts[1..]), Some((1, Tampering::BlockForged)));
}

/// The time of a line of the first form is not under its hash.
#[test]
fn times_rise_up_to_that_of_the_head() {
    let (rows, head, parts) = stream(9);
    for (place, time, number) in [
        (4, rows[3].time, 5),
        (4, rows[5].time, 6),
        (0, HybridTime::START, 1),
        (8, HybridTime::from_number(head.time.number() + 1), 9),
    ] {
        let mut moved = rows.clone();
        moved[place].time = time;
        assert_eq!(found(&moved, head, &parts), Some((number, Tampering::Edited)), "{place}");
    }
}

/// Readers go by these columns, so each is as good as the line itself.
#[test]
fn every_column_of_a_block_is_what_its_lines_say() {
    let (rows, head, parts) = two_days();
    assert_eq!(found(&rows, head, &parts), None);
    let forgeries: [fn(&mut StoredPart); 8] = [
        |part| part.day -= 1,
        |part| part.block += 1,
        |part| part.first += 1,
        |part| part.last -= 1,
        |part| part.since -= 1,
        |part| part.until += 1,
        |part| part.at_min += 1,
        |part| part.at_max -= 1,
    ];
    for (place, forge) in
        [0, 1].into_iter().flat_map(|place| forgeries.iter().map(move |forge| (place, forge)))
    {
        let mut forged = parts.clone();
        forge(&mut forged[place]);
        let fault = found(&rows, head, &forged).map(|(_, what)| what);
        assert_eq!(fault, Some(Tampering::BlockForged), "{:?}", forged[place]);
    }
}

#[test]
fn the_open_part_begins_where_the_complete_ones_end() {
    let (rows, head, parts) = two_days();
    for part in [i64::MIN, 0, 1, 257, 300, 302, 350, 351, 352, i64::MAX] {
        let fault = found(&rows, End { part, ..head }, &parts).map(|(_, what)| what);
        assert_eq!(fault, Some(Tampering::BlockForged), "{part}");
    }
    // Without the row, and with a head that says that the part is still open: its lines lie in another day.
    let fault = found(&rows, End { part: 257, ..head }, &parts[..1]);
    assert_eq!(fault, Some((257, Tampering::BlockForged)));
    let (rows, head, parts) = stream(256);
    assert!(found(&rows, End { part: 1, ..head }, &parts).is_some(), "a whole block is complete");
}

#[test]
fn a_part_that_was_completed_meanwhile_is_no_fault() {
    let (rows, after, parts) = two_days();
    for number in [1, 255, 256, 257, 299, 300, 301, 349] {
        let complete: Vec<StoredPart> = parts.iter().filter(|part| part.last < number).cloned().collect();
        let before = head(&rows[..usize::try_from(number).expect("small")], &complete);
        let before = if number == 256 { End { part: 257, ..before } } else { before };
        assert_eq!(walk(&rows, before, Some(after), &parts), None, "{number}");
    }
}

#[test]
fn a_row_that_repeats_a_block_is_noticed() {
    let (rows, head, parts) = stream(512);
    for (block, day) in [(1, 7), (5, 0)] {
        let mut more = parts.clone();
        more.push(StoredPart { block, day, ..parts[0].clone() });
        assert_eq!(found(&rows, head, &more), Some((512, Tampering::BlockForged)));
    }
}

proptest! {
    #[test]
    fn a_dropped_event_is_named(count in 1i64..60, place in any::<prop::sample::Index>()) {
        let (mut rows, head, parts) = stream(count);
        let dropped = rows.remove(place.index(rows.len()));
        prop_assert_eq!(found(&rows, head, &parts), Some((dropped.number, Tampering::Dropped)));
    }

    #[test]
    fn an_edited_event_is_named(count in 1i64..60, place in any::<prop::sample::Index>()) {
        let (mut rows, head, parts) = stream(count);
        let place = place.index(rows.len());
        rows[place].hash = Digest::of("edited");
        let number = rows[place].number;
        prop_assert_eq!(found(&rows, head, &parts), Some((number, Tampering::Edited)));
    }

    #[test]
    fn an_event_whose_predecessor_was_edited_in_it_is_named(
        count in 1i64..60, place in any::<prop::sample::Index>()
    ) {
        let (mut rows, head, parts) = stream(count);
        let place = place.index(rows.len());
        (rows[place].hash, rows[place].previous) = (Digest::of("edited"), Some(Digest::of("another")));
        let number = rows[place].number;
        prop_assert_eq!(found(&rows, head, &parts), Some((number, Tampering::Edited)));
    }
}
