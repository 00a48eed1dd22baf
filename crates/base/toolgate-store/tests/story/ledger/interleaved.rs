//! Two processes write to two streams at once, and die in between, in any order: what was acknowledged is there once, the
//! chain, the tree and the terms agree, and every reader finds the same.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use sha2::{Digest as _, Sha256};
use toolgate_core::governance::Ledger;

use super::agreeing::{filters, made, passes, read};
use super::*;
use crate::waves::{Then, Wave, on_postgres, on_sqlite, waves};
use crate::world::StoreWorld;

const CASES: u32 = 8;
const HOUR_MS: i64 = 3_600_000;
const STREAMS: [&str; 2] = ["one", "two"];
/// First and last numbers of a block in one column: no stream of a case is as long as this.
const FIRST_UNIT: i64 = 1_000_000;

/// One batch. Clocks of processes differ, and are set back.
#[derive(Clone, Debug)]
struct Batch {
    stream: usize,
    events: usize,
    later_ms: i64,
}

fn batches() -> impl Strategy<Value = Batch> {
    let batch = (0..STREAMS.len(), 1usize..150, -3 * HOUR_MS..15 * HOUR_MS);
    batch.prop_map(|(stream, events, later_ms)| Batch { stream, events, later_ms })
}

/// The events of one batch, and whether its writer heard that they are written.
struct Sent {
    stream: &'static str,
    events: Vec<Event>,
    is_acknowledged: bool,
}

/// The writers of two processes, by process and stream.
async fn processes(world: &StoreWorld) -> Vec<Vec<LedgerWriter>> {
    let mut processes = Vec::new();
    for _ in 0..2 {
        let store = world.open().await;
        processes.push(vec![writer(&store, STREAMS[0]).await, writer(&store, STREAMS[1]).await]);
    }
    processes
}

async fn live(world: &StoreWorld, waves: &[Wave<Batch>]) -> Vec<Sent> {
    let mut writers = processes(world).await;
    let (mut at_ms, mut number, mut sent) = (START_MS, 0, Vec::new());
    for wave in waves {
        let mut tasks = Vec::new();
        for (batch, second) in &wave.deeds {
            (at_ms, number) = (at_ms + batch.later_ms, number + 1);
            let events: Vec<Event> =
                (0..batch.events).map(|place| made(number, place, at_ms + place as i64)).collect();
            let written = writers[usize::from(*second)][batch.stream].append(entry(events.clone()));
            tasks.push((STREAMS[batch.stream], events, tokio::spawn(written)));
        }
        if wave.then == Then::Crash {
            tokio::task::yield_now().await;
            tasks.iter().for_each(|(.., task)| task.abort());
        }
        for (stream, events, task) in tasks {
            let is_acknowledged = match task.await {
                Ok(written) => written.is_ok(),
                Err(gone) => !gone.is_cancelled(),
            };
            sent.push(Sent { stream, events, is_acknowledged });
        }
        if wave.then == Then::Crash {
            for writer in writers.iter().flatten() {
                writer.close().await;
            }
            writers = processes(world).await;
        }
    }
    sent
}

/// An event is known by its call and its time.
fn name(event: &Event) -> (String, i64) {
    (event.about.call.as_ref().expect("a call").to_string(), event.at_ms)
}

/// Each batch is there in one piece, or not at all if its writer did not hear of it.
fn check_batches(whole: &[RecordedEvent], sent: &[Sent]) {
    let mut places: BTreeMap<(String, i64), &RecordedEvent> = BTreeMap::new();
    for one in whole {
        assert!(places.insert(name(&one.event), one).is_none(), "it is there twice: {one:?}");
    }
    let mut expected = 0;
    for batch in sent {
        let found: Vec<&&RecordedEvent> =
            batch.events.iter().filter_map(|event| places.get(&name(event))).collect();
        assert!(!batch.is_acknowledged || !found.is_empty(), "a batch is lost");
        if found.is_empty() {
            continue;
        }
        expected += batch.events.len();
        let first = found[0].number;
        for (place, (found, event)) in found.iter().zip(&batch.events).enumerate() {
            assert_eq!((&*found.stream, found.number), (batch.stream, first + place as i64));
            assert_eq!(found.event, *event);
        }
        assert_eq!(found.len(), batch.events.len(), "a batch is torn");
    }
    assert_eq!(whole.len(), expected, "nothing else is there");
}

fn check_chains(whole: &[RecordedEvent]) {
    let place = |one: &RecordedEvent| (one.time, one.stream.clone());
    assert!(whole.is_sorted_by(|one, two| place(one) < place(two)), "one order of all streams");
    for stream in STREAMS {
        let mut end = (0, Digest::from_bytes([0; 32]));
        for one in whole.iter().filter(|one| &*one.stream == stream) {
            assert_eq!((one.number, one.previous), (end.0 + 1, end.1), "{stream}");
            end = (one.number, one.hash);
        }
    }
}

fn hashed(parts: &[&[u8]]) -> Vec<u8> {
    let hash = parts.iter().fold(Sha256::new(), |hash, part| hash.chain_update(part));
    hash.finalize().to_vec()
}

/// The tree of RFC 6962, by pairs from the leaves up: a node without a neighbour rises as it is.
fn root(lines: &[&[u8]]) -> Vec<u8> {
    let mut level: Vec<Vec<u8>> = lines.iter().map(|line| hashed(&[&[0], line])).collect();
    while level.len() > 1 {
        let pairs = level.chunks(2).map(|pair| match pair {
            [left, right] => hashed(&[&[1], left, right]),
            alone => alone.concat(),
        });
        level = pairs.collect();
    }
    level.concat()
}

/// Every block has the root of its lines, and no line before the open part is in none.
async fn check_trees(world: &StoreWorld) {
    let lines = world.rows("SELECT stream, number, line FROM ledger_lines ORDER BY stream, number").await;
    let blocks =
        format!("SELECT stream, first * {FIRST_UNIT} + last, root FROM ledger_blocks ORDER BY stream, first");
    let blocks = world.rows(&blocks).await;
    let heads = world.rows("SELECT stream, part, hash FROM ledger_heads ORDER BY stream").await;
    for (stream, part, _) in heads {
        let mut next = 1;
        for (_, numbers, stored) in blocks.iter().filter(|block| block.0 == stream) {
            let (first, last) = (numbers / FIRST_UNIT, numbers % FIRST_UNIT);
            assert_eq!(first, next, "{stream}");
            let inside = lines.iter().filter(|line| line.0 == stream && (first..=last).contains(&line.1));
            let inside: Vec<&[u8]> = inside.map(|line| &line.2[..]).collect();
            assert_eq!(inside.len() as i64, last - first + 1, "{stream}");
            assert_eq!(&root(&inside), stored, "{stream} from {first} to {last}");
            next = last + 1;
        }
        assert_eq!(next, part, "{stream}");
    }
}

async fn check_terms(store: &Store, whole: &[RecordedEvent]) {
    let written: Vec<(&str, Event)> = whole.iter().map(|one| (&*one.stream, one.event.clone())).collect();
    for filter in filters(&written) {
        let expected: Vec<&Event> =
            written.iter().map(|(_, event)| event).filter(|event| passes(&filter, event)).collect();
        let found = read(store, &filter, LedgerOrder::OldestFirst, 60).await;
        assert_eq!(found.iter().map(|one| &one.event).collect::<Vec<_>>(), expected, "{filter:?}");
    }
}

fn whoever_writes_when_all_agree(runtime: &tokio::runtime::Runtime, world: &StoreWorld) {
    let mut runner = TestRunner::new(Config { cases: CASES, failure_persistence: None, ..Config::default() });
    let ran = runner.run(&waves(batches(), 6, 6), |waves| {
        runtime.block_on(async {
            let world = world.elsewhere();
            let sent = live(&world, &waves).await;
            let store = world.open().await;
            let whole = read(&store, &EventFilter::default(), LedgerOrder::OldestFirst, 400).await;
            check_batches(&whole, &sent);
            check_chains(&whole);
            check_trees(&world).await;
            check_terms(&store, &whole).await;
            assert_sound(&store).await;
        });
        Ok(())
    });
    ran.unwrap_or_else(|failed| panic!("{failed}"));
}

#[test]
fn whoever_writes_when_all_agree_on_sqlite() {
    on_sqlite(whoever_writes_when_all_agree);
}

#[test]
fn whoever_writes_when_all_agree_on_postgres() {
    on_postgres(whoever_writes_when_all_agree);
}
