//! Signed checkpoints beside the ledger: its trees, the proofs of its events, and tampering by someone who
//! has the sealing key as well.

use std::collections::BTreeSet;

use toolgate_core::governance::Ledger;
use toolgate_proof::{
    CallProof, CheckpointKey, LedgerCheckpoint, ProvenStream, StreamRoot, VerifierKey, tree,
};
use toolgate_store::{BodyCheck, LedgerFault, SignedRootMatch, Tampering, event_of_line};

use super::*;
use crate::world::StoreWorld;

crate::on_both!(
    a_root_is_that_of_all_lines,
    a_forged_stream_that_cannot_be_named_stops_no_roots,
    every_event_is_proved_and_nothing_else_shown,
    a_proof_needs_the_ledger_that_was_signed,
    an_untouched_ledger_is_what_was_signed,
    a_stream_that_was_written_again_is_noticed,
    a_removed_end_is_noticed,
    a_removed_stream_is_noticed,
    an_older_database_is_noticed,
    an_empty_database_is_noticed,
    a_ledger_has_a_name_of_its_own,
    a_stream_has_the_roots_that_it_had,
    what_is_to_be_signed_is_on_disk_first,
);

const TABLES: [&str; 4] = ["ledger_lines", "ledger_heads", "ledger_blocks", "ledger_terms"];

fn key() -> CheckpointKey {
    CheckpointKey::from_seed("ledger", [1; 32]).expect("a key")
}

fn public() -> [VerifierKey; 1] {
    [key().public().clone()]
}

async fn checkpoint(store: &Store) -> LedgerCheckpoint {
    let streams = store.ledger_roots().await.expect("roots");
    LedgerCheckpoint { store: store.ledger_name().await.expect("a name"), at_ms: START_MS, streams }
}

/// Appends events, some of them on the next day each.
async fn append(store: &Store, stream: &str, count: i64, day: i64) {
    let events = (0..count).map(|number| Event {
        at_ms: START_MS + day * DAY_MS + number,
        ..completed(&format!("tc_{day}_{number}"), Outcome::Succeeded)
    });
    writer(store, stream).await.append(entry(events.collect())).await.expect("written");
}

/// Two streams, of which the first lies in four days.
async fn ledger(world: &StoreWorld) -> Store {
    let store = world.open().await;
    for (day, count) in (0..).zip([300, 1, 250, 49]) {
        append(&store, "one", count, day).await;
    }
    append(&store, "two", 5, 3).await;
    store
}

async fn lines(world: &StoreWorld, stream: &str) -> Vec<Vec<u8>> {
    let rows =
        format!("SELECT stream, number, line FROM ledger_lines WHERE stream = '{stream}' ORDER BY number");
    world.rows(&rows).await.into_iter().map(|(.., line)| line).collect()
}

fn root_of(stream: &str, lines: &[Vec<u8>]) -> StreamRoot {
    let leaves: Vec<Digest> = lines.iter().map(|line| tree::leaf(line)).collect();
    StreamRoot { stream: stream.into(), size: leaves.len() as u64, root: tree::root(&leaves) }
}

async fn fault(store: &Store, checkpoints: &[LedgerCheckpoint]) -> Option<LedgerFault> {
    store.verify_ledger_against(checkpoints, BodyCheck::Rehash, |_| ()).await.expect("verified").fault
}

fn at(stream: &str, number: i64, what: Tampering) -> Option<LedgerFault> {
    Some(LedgerFault::of_event(stream, number, what))
}

/// Keeps a copy of the ledger's tables, or brings it back.
async fn save(world: &StoreWorld) {
    for table in TABLES {
        world.sql(&format!("CREATE TABLE saved_{table} AS SELECT * FROM {table}")).await;
    }
}

async fn restore(world: &StoreWorld, which: &str) {
    for table in TABLES {
        world.sql(&format!("DELETE FROM {table} WHERE {which}")).await;
        world.sql(&format!("INSERT INTO {table} SELECT * FROM saved_{table} WHERE {which}")).await;
    }
}

async fn remove(world: &StoreWorld, which: &str) {
    for table in TABLES {
        world.sql(&format!("DELETE FROM {table} WHERE {which}")).await;
    }
}

async fn a_root_is_that_of_all_lines(world: StoreWorld) {
    let store = world.open().await;
    append(&store, "two", 1, 0).await;
    for (day, count) in (0..).zip([1, 254, 1, 1, 255, 300, 212]) {
        append(&store, "one", count, day).await;
        let expected =
            [root_of("one", &lines(&world, "one").await), root_of("two", &lines(&world, "two").await)];
        assert_eq!(store.ledger_roots().await.expect("roots"), expected);
    }
    let sizes = store.ledger_sizes().await.expect("sizes");
    assert_eq!(sizes.into_iter().collect::<Vec<_>>(), [("one".to_owned(), 1024), ("two".to_owned(), 1)]);
    assert_sound(&store).await;
}

/// Whatever the row says, and though it has no lines.
async fn a_forged_stream_that_cannot_be_named_stops_no_roots(world: StoreWorld) {
    let store = ledger(&world).await;
    let before = store.ledger_roots().await.expect("roots");
    for (stream, number) in [("x/y", 0), ("", 7), ("two\n", 3), ("a/b", 300)] {
        let forge = format!(
            "INSERT INTO ledger_heads (tenant, stream, number, time, part, hash, seal) \
             SELECT tenant, '{stream}', {number}, time, 1, hash, seal FROM ledger_heads WHERE stream = 'two'"
        );
        assert_eq!(world.sql(&forge).await, 1, "{stream:?}");
        assert_eq!(store.ledger_roots().await.expect("roots"), before, "{stream:?}");
        assert!(store.ledger_sizes().await.expect("sizes").contains_key(stream), "it is told of: {stream:?}");
        let found = fault(&store, &[]).await.expect("a fault");
        assert_eq!(found.what, Tampering::HeadForged, "{stream:?}");
    }
}

async fn every_event_is_proved_and_nothing_else_shown(world: StoreWorld) {
    let store = ledger(&world).await;
    let all = lines(&world, "one").await;
    for size in [600, 555, 512, 400, 301] {
        let root = root_of("one", &all[..size]);
        let numbers: BTreeSet<i64> = [1, 255, 256, 257, 300, 301, 302, 512, 513, 600]
            .into_iter()
            .filter(|number| *number <= size as i64)
            .collect();
        let events = store.prove_events(&root, &numbers).await.expect("read").expect("proved");
        let signed = LedgerCheckpoint { store: "s".into(), at_ms: 0, streams: vec![root] };
        let note = signed.sign(&key()).expect("signed")[0].to_string();
        let proof = CallProof::new("tc_1", vec![ProvenStream { checkpoint: note, events }]);
        let proved = proof.check(&public()).expect("it proves");
        let shown: Vec<(i64, &Vec<u8>)> = proved.iter().map(|one| (one.number as i64, &one.line)).collect();
        let expected: Vec<(i64, &Vec<u8>)> =
            numbers.iter().map(|number| (*number, &all[*number as usize - 1])).collect();
        assert_eq!(shown, expected);
        let event = event_of_line(&proved[0].line).expect("an event");
        assert_eq!((&*event.stream, event.number), ("one", 1));
        assert_eq!(event.event.about.call, Some(CallId::new("tc_0_0")));
    }
}

async fn a_proof_needs_the_ledger_that_was_signed(world: StoreWorld) {
    let store = ledger(&world).await;
    let all = lines(&world, "one").await;
    let signed = root_of("one", &all[..400]);
    let prove = async |root: &StreamRoot, number: i64| {
        store.prove_events(root, &[number].into()).await.expect("read").is_some()
    };
    assert!(prove(&signed, 400).await);
    assert!(!prove(&signed, 401).await, "it lies beyond the checkpoint");
    assert!(!prove(&StreamRoot { size: 401, ..signed.clone() }, 1).await);
    assert!(!prove(&StreamRoot { size: 10_000, ..signed.clone() }, 1).await);
    assert!(!prove(&StreamRoot { stream: "other".into(), ..signed.clone() }, 1).await);
    assert!(!prove(&StreamRoot { root: Digest::of("other"), ..signed }, 1).await);
}

async fn an_untouched_ledger_is_what_was_signed(world: StoreWorld) {
    let store = ledger(&world).await;
    let mut checkpoints = vec![checkpoint(&store).await];
    for day in 4..8 {
        append(&store, "one", 100, day).await;
        append(&store, "three", 1, day).await;
        checkpoints.push(checkpoint(&store).await);
    }
    assert_eq!(fault(&store, &checkpoints).await, None);
}

/// A ledger without checkpoints cannot tell: everything was sealed with its own key.
async fn a_stream_that_was_written_again_is_noticed(world: StoreWorld) {
    let store = ledger(&world).await;
    let before = checkpoint(&store).await;
    remove(&world, "stream = 'two'").await;
    append(&store, "two", 7, 4).await;
    let after = checkpoint(&store).await;
    assert_sound(&store).await;
    assert_eq!(fault(&store, std::slice::from_ref(&after)).await, None);
    assert_eq!(fault(&store, &[after, before]).await, at("two", 5, Tampering::Rewritten));
}

async fn a_removed_end_is_noticed(world: StoreWorld) {
    let store = ledger(&world).await;
    save(&world).await;
    append(&store, "two", 3, 4).await;
    let signed = checkpoint(&store).await;
    append(&store, "one", 1, 4).await;
    restore(&world, "stream = 'two'").await;
    assert_sound(&store).await;
    assert_eq!(fault(&store, &[signed]).await, at("two", 6, Tampering::TailRemoved));
}

async fn a_removed_stream_is_noticed(world: StoreWorld) {
    let store = ledger(&world).await;
    let signed = checkpoint(&store).await;
    append(&store, "one", 1, 4).await;
    remove(&world, "stream = 'two'").await;
    assert_sound(&store).await;
    assert_eq!(fault(&store, std::slice::from_ref(&signed)).await, at("two", 1, Tampering::StreamRemoved));
    // Without its lines, but with a head: this needs no checkpoint.
    append(&store, "two", 5, 4).await;
    world.sql("DELETE FROM ledger_heads WHERE stream = 'two'").await;
    assert_eq!(fault(&store, &[signed]).await, at("two", 5, Tampering::HeadForged));
}

async fn an_older_database_is_noticed(world: StoreWorld) {
    let store = ledger(&world).await;
    save(&world).await;
    append(&store, "one", 300, 4).await;
    append(&store, "two", 1, 4).await;
    let signed = checkpoint(&store).await;
    append(&store, "two", 1, 4).await;
    restore(&world, "1 = 1").await;
    assert_sound(&store).await;
    let found = fault(&store, std::slice::from_ref(&signed)).await;
    assert_eq!(found, at("one", 601, Tampering::OlderDatabase));
    let told = found.expect("a fault").to_string();
    assert!(told.contains("restored, or the end was removed"), "both look the same: {told}");
    // The gateway goes on writing as if nothing had happened.
    append(&store, "one", 400, 5).await;
    assert_eq!(fault(&store, &[signed]).await, at("one", 900, Tampering::Rewritten));
}

async fn an_empty_database_is_noticed(world: StoreWorld) {
    let store = ledger(&world).await;
    let signed = checkpoint(&store).await;
    remove(&world, "1 = 1").await;
    let empty = store.verify_ledger(|_| ()).await.expect("verified");
    assert_eq!((empty.events, empty.fault), (0, None));
    assert_eq!(fault(&store, &[signed]).await, at("one", 1, Tampering::StreamRemoved));
}

async fn a_stream_has_the_roots_that_it_had(world: StoreWorld) {
    let store = ledger(&world).await;
    let before = checkpoint(&store).await;
    append(&store, "one", 300, 4).await;
    for tree in &before.streams {
        assert_eq!(store.ledger_has(tree).await.expect("read"), SignedRootMatch::Same);
        let other = StreamRoot { size: tree.size - 1, ..tree.clone() };
        assert_eq!(store.ledger_has(&other).await.expect("read"), SignedRootMatch::Different);
    }
    remove(&world, "stream = 'two'").await;
    assert_eq!(store.ledger_has(&before.streams[1]).await.expect("read"), SignedRootMatch::Different);
    append(&store, "two", 9, 5).await;
    assert_eq!(store.ledger_has(&before.streams[1]).await.expect("read"), SignedRootMatch::Different);
}

async fn a_ledger_has_a_name_of_its_own(world: StoreWorld) {
    let name = world.open().await.ledger_name().await.expect("a name");
    assert_eq!(name, world.open().await.ledger_name().await.expect("a name"));
    assert_ne!(name, world.elsewhere().open().await.ledger_name().await.expect("a name"));
    assert_eq!(name.len(), 16);
}

/// The end of the log of Postgres, or the whole log of SQLite.
async fn log_of(world: &StoreWorld, end: &str) -> (i64, Vec<u8>) {
    if !world.is_postgres() {
        return (0, std::fs::read(world.folder().join("toolgate.db-wal")).expect("a log"));
    }
    let end = format!("SELECT '', ({end}() - '0/0'::pg_lsn)::BIGINT, ''::BYTEA");
    (world.rows(&end).await[0].1, Vec::new())
}

/// A power failure cannot be played; but something was written after the events, and waited for the disk.
async fn what_is_to_be_signed_is_on_disk_first(world: StoreWorld) {
    let store = world.open().await;
    for day in 0..3 {
        append(&store, "one", 1, day).await;
        let (written, log) = log_of(&world, "pg_current_wal_insert_lsn").await;
        store.sync_ledger().await.expect("synced");
        let (on_disk, longer) = log_of(&world, "pg_current_wal_flush_lsn").await;
        assert!(on_disk > written || longer != log, "{on_disk} {written}");
    }
    store.fail_nth(2);
    assert!(store.sync_ledger().await.is_err(), "nothing is signed that may not be on disk");
    store.fail_never();
    assert_sound(&store).await;
}
