//! Removing the first days of the ledger.

use std::collections::BTreeSet;
use std::time::Duration;

use toolgate_core::event::{Event, EventKind};
use toolgate_core::governance::Ledger;
use toolgate_proof::{CallProof, CheckpointKey, LedgerCheckpoint, ProvenStream, StreamRoot};
use toolgate_store::clock::now_ms;
use toolgate_store::{
    BodyCheck, CutOutcome, LedgerVerification, LedgerWriter, SignedRootMatch, Store, Tampering,
};

use super::{DAY_MS, all, assert_sound, on_disk, started, writer};
use crate::world::StoreWorld;

crate::on_both!(
    days_that_are_over_go_and_the_rest_is_still_a_chain,
    a_beginning_that_was_cut_off_otherwise_is_missed,
    days_that_were_tampered_with_stay,
    checkpoints_and_proofs_outlast_the_days_that_went,
    a_day_that_is_needed_elsewhere_stays_with_those_after_it,
);

const KEEP: Duration = Duration::from_secs(10 * 24 * 60 * 60);
/// More than a block.
const OLD: i64 = 300;

/// A stream with events 30, 29 and 0 days ago.
async fn old_and_new(store: &Store, stream: &str) -> LedgerWriter {
    let gate = writer(store, stream).await;
    let now = now_ms();
    for (days, count) in [(30, OLD - 10), (29, 10), (0, 5)] {
        let events: Vec<Event> = (0..count)
            .map(|place| Event { at_ms: now - days * DAY_MS, ..started(&format!("{stream}-{days}-{place}")) })
            .collect();
        gate.append(on_disk(events)).await.expect("written");
    }
    gate
}

async fn count(world: &StoreWorld, table: &str, before: i64) -> i64 {
    let (bytes, number) =
        if world.is_postgres() { ("''::BYTEA", "COUNT(*)::BIGINT") } else { ("x''", "COUNT(*)") };
    let text = format!("SELECT 'old', {number}, {bytes} FROM {table} WHERE day < {before}");
    world.rows(&text).await[0].1
}

async fn days_that_are_over_go_and_the_rest_is_still_a_chain(world: StoreWorld) {
    let store = world.open().await;
    let gate = old_and_new(&store, "one").await;
    // The one that goes on is not the only one.
    old_and_new(&store, "two").await.close().await;
    let cut = store.cut_ledger(&gate, KEEP).await.expect("cut");
    // All of the second stream comes after the first one, so its events are of today.
    assert_eq!(cut, CutOutcome::Removed(OLD as u64));
    assert_eq!(store.cut_ledger(&gate, KEEP).await.expect("again"), CutOutcome::Removed(0));
    let first_kept = now_ms() / DAY_MS - 11;
    assert_eq!(count(&world, "ledger_lines", first_kept).await, 0);
    gate.append(on_disk(vec![started("later")])).await.expect("written");
    let verified = store.verify_ledger(|_| ()).await.expect("verified");
    assert_eq!(verified.fault, None);
    let begins: Vec<(&str, i64)> = verified.cuts.iter().map(|cut| (&*cut.stream, cut.number)).collect();
    assert_eq!(begins, [("one", OLD)]);
    assert_eq!(verified.events, 5 + (OLD as u64 + 5) + 1 + 1);
    let events = all(&store).await;
    let told: Vec<&Event> =
        events.iter().map(|one| &one.event).filter(|event| event.kind == EventKind::LedgerCut).collect();
    let detail = told[0].detail.as_ref().expect("it says what was removed").as_str();
    assert!(told.len() == 1 && detail.contains("\"events\":300"), "{detail}");
    // Another process finds the same beginning.
    assert_sound(&world.open().await).await;
}

async fn a_beginning_that_was_cut_off_otherwise_is_missed(world: StoreWorld) {
    let store = world.open().await;
    let gate = old_and_new(&store, "one").await;
    store.cut_ledger(&gate, KEEP).await.expect("cut");
    world.sql("UPDATE ledger_cuts SET number = number - 1").await;
    let fault = store.verify_ledger(|_| ()).await.expect("verified").fault.expect("a fault");
    assert_eq!((&*fault.stream, fault.number, fault.what), ("one", OLD - 1, Tampering::CutForged));
    world.sql("DELETE FROM ledger_cuts").await;
    let fault = store.verify_ledger(|_| ()).await.expect("verified").fault.expect("a fault");
    assert_eq!((&*fault.stream, fault.number, fault.what), ("one", 1, Tampering::Dropped));
}

async fn days_that_were_tampered_with_stay(world: StoreWorld) {
    let store = world.open().await;
    let gate = old_and_new(&store, "one").await;
    world.sql("DELETE FROM ledger_lines WHERE number = 17").await;
    let CutOutcome::NotIntact(fault) = store.cut_ledger(&gate, KEEP).await.expect("looked at") else {
        panic!("the days were removed")
    };
    assert_eq!((fault.number, fault.what), (17, Tampering::Dropped));
    assert_eq!(count(&world, "ledger_lines", now_ms() / DAY_MS - 11).await, OLD - 1);
    let fault = store.verify_ledger(|_| ()).await.expect("verified").fault;
    assert_eq!(fault.map(|fault| fault.number), Some(17), "it is still found");
}

async fn compared(store: &Store, root: &StreamRoot) -> LedgerVerification {
    let name = store.ledger_name().await.expect("a name");
    let signed = LedgerCheckpoint { store: name, at_ms: 0, streams: vec![root.clone()] };
    store.verify_ledger_against(&[signed], BodyCheck::Rehash, |_| ()).await.expect("verified")
}

async fn checkpoints_and_proofs_outlast_the_days_that_went(world: StoreWorld) {
    let store = world.open().await;
    let gate = writer(&store, "one").await;
    let (now, mut roots) = (now_ms(), Vec::new());
    // The second day ends within a block, and so does the cut.
    for (days, count) in [(30, OLD - 10), (29, 10), (0, 300)] {
        let events: Vec<Event> = (0..count)
            .map(|place| Event { at_ms: now - days * DAY_MS, ..started(&format!("one-{days}-{place}")) })
            .collect();
        gate.append(on_disk(events)).await.expect("written");
        roots.extend(store.ledger_roots().await.expect("roots"));
    }
    let [early, edge, late] = &roots[..] else { panic!("{roots:?}") };
    store.cut_ledger(&gate, KEEP).await.expect("cut");
    // Another process goes on from the record as well.
    let store = world.open().await;
    for (root, expected) in
        [(early, SignedRootMatch::Removed), (edge, SignedRootMatch::Same), (late, SignedRootMatch::Same)]
    {
        assert_eq!(store.ledger_has(root).await.expect("read"), expected, "{root:?}");
        let verified = compared(&store, root).await;
        let is_before = u64::from(expected == SignedRootMatch::Removed);
        assert_eq!((verified.fault, verified.checkpoints_before_cuts), (None, is_before), "{root:?}");
    }
    for root in [edge, late] {
        let other = StreamRoot { root: early.root, ..root.clone() };
        assert_eq!(store.ledger_has(&other).await.expect("read"), SignedRootMatch::Different);
        let fault = compared(&store, &other).await.fault.expect("a fault");
        assert_eq!((fault.number as u64, fault.what), (root.size, Tampering::Rewritten));
    }
    let numbers: BTreeSet<i64> = [301, 302, 400, 512, 513, 600].into();
    let events = store.prove_events(late, &numbers).await.expect("read").expect("proved");
    let signed = LedgerCheckpoint { store: "s".into(), at_ms: 0, streams: vec![late.clone()] };
    let key = CheckpointKey::from_seed("ledger", [1; 32]).expect("a key");
    let note = signed.sign(&key).expect("signed")[0].to_string();
    let proof = CallProof::new("tc_1", vec![ProvenStream { checkpoint: note, events }]);
    let proved = proof.check(&[key.public().clone()]).expect("it proves");
    assert_eq!(
        proved.iter().map(|one| one.number as i64).collect::<Vec<_>>(),
        [301, 302, 400, 512, 513, 600]
    );
    assert_eq!(store.prove_events(late, &[300].into()).await.expect("read"), None, "it was removed");
}

async fn a_day_that_is_needed_elsewhere_stays_with_those_after_it(world: StoreWorld) {
    let store = world.open().await;
    let gate = old_and_new(&store, "one").await;
    let needed = (now_ms() - 29 * DAY_MS) / DAY_MS;
    let cut = store.cut_ledger_before(&gate, KEEP, needed).await.expect("cut");
    assert_eq!(cut, CutOutcome::Removed(OLD as u64 - 10));
    assert_eq!(count(&world, "ledger_lines", needed + 1).await, 10);
    assert_sound(&store).await;
    // Later it is not needed any more: the second cut goes on from the first.
    let roots = store.ledger_roots().await.expect("roots");
    assert_eq!(store.cut_ledger(&gate, KEEP).await.expect("cut"), CutOutcome::Removed(10));
    assert_sound(&store).await;
    assert_eq!(store.ledger_has(&roots[0]).await.expect("read"), SignedRootMatch::Same);
}
