//! Faults in a stream that consists of rows only; the stories cover those in a real database.

use super::*;
use crate::ledger::block;
use crate::ledger::verify::signed::SignedStreams;
use proptest::prelude::*;

/// A stream of `count` events. The hash of each stands for its content.
fn stream(count: i64) -> (Vec<CheckedRow>, End, Vec<StoredPart>) {
    let mut previous = no_hash();
    let mut rows = Vec::new();
    for number in 1..=count {
        let hash = Digest::of(format!("event {number}"));
        rows.push(CheckedRow { day: 1, number, what: None, previous: Some(previous), hash, leaf: hash });
        previous = hash;
    }
    let whole = rows.chunks_exact(usize::try_from(block::BLOCK).expect("small"));
    let parts: Vec<StoredPart> = whole.map(part).collect();
    let open = 1 + parts.last().map_or(0, |part| part.last);
    (rows, End { number: count, part: open, hash: previous }, parts)
}

fn part(rows: &[CheckedRow]) -> StoredPart {
    let leaves: Vec<Digest> = rows.iter().map(|row| row.leaf).collect();
    let root = tree::root(&leaves).as_bytes().to_vec();
    StoredPart { first: rows[0].number, last: rows[rows.len() - 1].number, root }
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
    let before = End { number: 4, hash: rows[3].hash, ..after };
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
