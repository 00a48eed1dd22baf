use std::sync::Arc;

use toolgate_core::RawJson;
use toolgate_core::event::EventKind;

use super::*;

const AT_MS: i64 = 1_780_000_000_000;

fn entry(principal: &str, text: &str, bodies: Vec<LedgerBody>) -> LedgerEntry {
    let mut event = Event::new(EventKind::CallStarted, AT_MS, PrincipalId::new(principal), Arc::default());
    event.input = Some(Digest::of(text));
    LedgerEntry { events: vec![event], bodies, ..LedgerEntry::default() }
}

fn body(text: &str, days: i64) -> LedgerBody {
    let json = RawJson::from_composed(text.to_owned());
    LedgerBody { digest: Digest::of(text), json, keep_until_ms: AT_MS + days * DAY_MS }
}

fn with_body(principal: &str, text: &str, days: i64) -> LedgerEntry {
    entry(principal, text, vec![body(text, days)])
}

/// The commitment to the input, what the line says of it, and the number of rows, once it is all committed.
fn write(known: &mut KnownBodies, erasures: i64, entry: &LedgerEntry) -> (Digest, Option<u32>, usize) {
    let batch = known.commit(erasures, &[entry]).expect("there is randomness");
    let (first, rows) = (batch.events[0], batch.rows.len());
    for row in &batch.rows {
        assert!(Commitment::recorded(row.digest).opens(&row.salt, row.body.json.as_bytes()));
    }
    known.note(batch.made);
    (first.input.expect("an input"), first.kept.map(|kept| kept.days), rows)
}

#[test]
fn a_body_is_committed_to_once_for_each_principal() {
    let mut known = KnownBodies::default();
    let (ann, kept, rows) = write(&mut known, 0, &with_body("ann", "{\"pin\":1234}", 30));
    assert_eq!((kept, rows), (Some(30), 1));
    assert_ne!(ann, Digest::of("{\"pin\":1234}"), "the ledger has no plain digest");
    assert_eq!(write(&mut known, 0, &with_body("ann", "{\"pin\":1234}", 30)), (ann, Some(30), 0));
    assert_eq!(write(&mut known, 0, &entry("ann", "{\"pin\":1234}", Vec::new())), (ann, Some(30), 0));
    let (ben, _, rows) = write(&mut known, 0, &with_body("ben", "{\"pin\":1234}", 30));
    assert!(ben != ann && rows == 1, "another person's row is another row");
    let (again, ..) = write(&mut KnownBodies::default(), 0, &with_body("ann", "{\"pin\":1234}", 30));
    assert_ne!(again, ann, "another process takes another salt");
}

#[test]
fn a_body_that_must_be_kept_for_longer_gets_another_row() {
    let mut known = KnownBodies::default();
    let (first, ..) = write(&mut known, 0, &with_body("ann", "{}", 1));
    let (longer, kept, rows) = write(&mut known, 0, &with_body("ann", "{}", 3));
    assert!(longer != first && rows == 1, "no row is changed");
    assert_eq!(kept, Some(3));
    assert_eq!(write(&mut known, 0, &with_body("ann", "{}", 2)), (longer, Some(3), 0));
}

#[test]
fn what_is_not_stored_is_not_said_to_be() {
    let mut known = KnownBodies::default();
    let (first, kept, rows) = write(&mut known, 0, &entry("ann", "[\"a large one\"]", Vec::new()));
    assert_eq!((kept, rows), (None, 0));
    assert_eq!(
        write(&mut known, 0, &entry("ann", "[\"a large one\"]", Vec::new())).0,
        first,
        "it is the same"
    );
    let (stored, kept, rows) = write(&mut known, 0, &with_body("ann", "[\"a large one\"]", 30));
    assert!(stored != first && (kept, rows) == (Some(30), 1));
    assert_eq!(write(&mut known, 0, &with_body("ann", "[\"short-lived\"]", 0)).1, None);
}

#[test]
fn what_came_in_meta_is_committed_to_like_arguments() {
    let mut known = KnownBodies::default();
    let mut entry = with_body("ann", "{\"pin\":1234}", 30);
    entry.events[0].meta = Some(Digest::of("{\"desk\":4}"));
    entry.bodies.push(body("{\"desk\":4}", 9));
    let batch = known.commit(0, &[&entry]).expect("there is randomness");
    let bodies = batch.events[0];
    let meta = Commitment::recorded(bodies.meta.expect("a commitment"));
    let row = batch.rows.iter().find(|row| row.digest == meta.digest()).expect("a row");
    assert!(meta.opens(&row.salt, b"{\"desk\":4}"));
    assert_eq!(bodies.kept, Some(KeptBodies { input: true, output: false, meta: true, days: 9 }));

    let mut large = with_body("ben", "{\"pin\":1234}", 30);
    large.events[0].meta = Some(Digest::of("{\"desk\":4}"));
    let batch = known.commit(0, &[&large]).expect("there is randomness");
    let kept = KeptBodies { input: true, output: false, meta: false, days: 30 };
    assert_eq!((batch.events[0].kept, batch.rows.len()), (Some(kept), 1), "its `_meta` was not stored");
}

#[test]
fn nothing_comes_back_under_the_old_commitment_after_an_erasure() {
    let mut known = KnownBodies::default();
    let (before, ..) = write(&mut known, 0, &with_body("ann", "{}", 30));
    let (after, _, rows) = write(&mut known, 1, &with_body("ann", "{}", 30));
    assert!(after != before && rows == 1);
    assert_eq!(write(&mut known, 1, &with_body("ann", "{}", 30)), (after, Some(30), 0));
}

#[test]
fn a_batch_that_was_not_committed_leaves_nothing() {
    let mut known = KnownBodies::default();
    let entry = with_body("ann", "{}", 30);
    drop(known.commit(0, &[&entry]).expect("there is randomness"));
    assert_eq!(write(&mut known, 0, &entry).2, 1, "its row is written by the next one");
}

#[test]
fn memory_is_limited_and_the_last_bodies_stay_known() {
    let mut known = KnownBodies::default();
    for number in 0..3 * KNOWN_MAX {
        write(&mut known, 0, &with_body("ann", &number.to_string(), 30));
    }
    assert!(known.young.len() + known.old.len() <= 2 * KNOWN_MAX);
    let last = (3 * KNOWN_MAX - 1).to_string();
    assert_eq!(write(&mut known, 0, &with_body("ann", &last, 30)).2, 0);
    assert_eq!(write(&mut known, 0, &with_body("ann", "0", 30)).2, 1);
}
