//! Faults in a ledger that consists of rows only; the stories cover those in a real database.

use super::*;
use crate::ledger::line::no_hash;
use crate::ledger::row::ChainHashes;
use proptest::prelude::*;
use toolgate_core::Digest;

const KEY: [u8; 32] = [7; 32];

/// A stream of `count` events. The hash of each stands for its content.
fn stream(name: &str, count: i64) -> (Vec<CheckedRow>, SealedHead) {
    let mut previous = no_hash();
    let mut rows = Vec::new();
    for stream_seq in 1..=count {
        let hash = Digest::of(format!("{name} {stream_seq}"));
        let hashes = Some(ChainHashes { previous, stored: hash, computed: hash });
        rows.push(CheckedRow { seq: stream_seq * 10, stream: name.into(), stream_seq, hashes });
        previous = hash;
    }
    (rows, sealed(name, StreamHead { stream_seq: count, hash: previous, trust: HeadTrust::Sealed }))
}

fn sealed(name: &str, head: StreamHead) -> SealedHead {
    let (seal, hash) = (head.seal(&KEY, name), head.hash.as_bytes().to_vec());
    SealedHead { stream: name.into(), stream_seq: head.stream_seq, hash, seal }
}

fn check(rows: &[CheckedRow], before: &[SealedHead], after: &[SealedHead]) -> Option<LedgerFault> {
    let mut check = LedgerCheck::default();
    let mut run = || {
        before.iter().try_for_each(|sealed| check.expect(sealed, &KEY))?;
        rows.iter().try_for_each(|row| check.event(row))?;
        check.end(after, &KEY)
    };
    run().err()
}

fn found(rows: &[CheckedRow], head: &SealedHead) -> Option<(i64, Option<i64>, Tampering)> {
    let heads = std::slice::from_ref(head);
    check(rows, heads, heads).map(|fault| (fault.stream_seq, fault.seq, fault.what))
}

#[test]
fn an_untouched_stream_has_no_fault() {
    for count in [0, 1, 2, 50] {
        let (rows, head) = stream("s", count);
        assert_eq!(found(&rows, &head), None);
    }
}

#[test]
fn an_event_whose_hash_was_made_to_fit_is_named_by_the_one_after_it() {
    let (mut rows, head) = stream("s", 9);
    let hashes = rows[4].hashes.as_mut().expect("an event");
    (hashes.stored, hashes.computed) = (Digest::of("forged"), Digest::of("forged"));
    assert_eq!(found(&rows, &head), Some((5, Some(50), Tampering::Edited)));
}

#[test]
fn a_whole_tail_that_was_made_to_fit_is_not_what_was_sealed() {
    let (mut rows, head) = stream("s", 3);
    let hashes = rows[2].hashes.as_mut().expect("an event");
    (hashes.stored, hashes.computed) = (Digest::of("forged"), Digest::of("forged"));
    assert_eq!(found(&rows, &head), Some((3, Some(30), Tampering::Edited)));
}

#[test]
fn a_head_without_the_key_is_forged() {
    let (mut rows, mut head) = stream("s", 3);
    rows.pop();
    head.stream_seq = 2;
    head.hash = rows[1].hashes.expect("an event").stored.as_bytes().to_vec();
    assert_eq!(found(&rows, &head), Some((2, None, Tampering::HeadForged)));
}

#[test]
fn a_stream_without_a_head_is_noticed() {
    let (rows, _) = stream("s", 3);
    let fault = check(&rows, &[], &[]).expect("a fault");
    assert_eq!(fault.what, Tampering::HeadForged);
}

#[test]
fn what_is_written_meanwhile_is_no_fault() {
    let (rows, after) = stream("s", 9);
    let hash = rows[3].hashes.expect("an event").stored;
    let before = sealed("s", StreamHead { stream_seq: 4, hash, trust: HeadTrust::Sealed });
    let (new, new_head) = stream("t", 2);
    let all: Vec<CheckedRow> = rows.iter().chain(&new).cloned().collect();
    assert_eq!(check(&all, std::slice::from_ref(&before), &[after, new_head]), None);
    assert_eq!(
        check(&rows, std::slice::from_ref(&before), std::slice::from_ref(&before)).map(|fault| fault.what),
        Some(Tampering::Inserted)
    );
}

proptest! {
    #[test]
    fn a_dropped_event_is_named(count in 1i64..60, place in any::<prop::sample::Index>()) {
        let (mut rows, head) = stream("s", count);
        let dropped = rows.remove(place.index(rows.len()));
        prop_assert_eq!(found(&rows, &head), Some((dropped.stream_seq, None, Tampering::Dropped)));
    }

    #[test]
    fn an_edited_event_is_named(count in 1i64..60, place in any::<prop::sample::Index>()) {
        let (mut rows, head) = stream("s", count);
        let place = place.index(rows.len());
        rows[place].hashes.as_mut().expect("an event").computed = Digest::of("edited");
        let (seq, stream_seq) = (rows[place].seq, rows[place].stream_seq);
        prop_assert_eq!(found(&rows, &head), Some((stream_seq, Some(seq), Tampering::Edited)));
    }

    /// The hash covers the number and the place, so a moved event no longer matches its own hash.
    #[test]
    fn the_first_of_two_events_that_changed_places_is_named(
        count in 2i64..60, one in any::<prop::sample::Index>(), two in any::<prop::sample::Index>()
    ) {
        let (mut rows, head) = stream("s", count);
        let (one, two) = (one.index(rows.len()), two.index(rows.len()));
        prop_assume!(one != two);
        let (first, second) = (one.min(two), one.max(two));
        let (seq, stream_seq) = (rows[first].seq, rows[first].stream_seq);
        rows.swap(first, second);
        for (place, (seq, stream_seq)) in
            [(second, (rows[first].seq, rows[first].stream_seq)), (first, (seq, stream_seq))]
        {
            (rows[place].seq, rows[place].stream_seq) = (seq, stream_seq);
            rows[place].hashes.as_mut().expect("an event").computed = Digest::of("moved");
        }
        prop_assert_eq!(found(&rows, &head), Some((stream_seq, Some(seq), Tampering::Reordered)));
    }
}
