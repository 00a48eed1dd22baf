//! Events on their way to other systems.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use toolgate_core::event::Outcome;
use toolgate_core::governance::Ledger;
use toolgate_store::{OutboxBatch, SinkStart};

use super::*;
use crate::world::StoreWorld;

crate::on_both!(
    a_sink_gets_every_event_once_and_in_order,
    a_new_sink_begins_now_or_at_the_start,
    only_the_kinds_that_were_asked_for_are_sent,
    what_was_not_delivered_comes_again,
    two_processes_never_hold_the_same_batch,
    a_holder_that_died_is_followed_by_another,
    a_restart_loses_nothing,
    an_instant_of_a_timetable_is_kept_once_and_holds_up_no_events,
);

const ENDS: [EventKind; 1] = [EventKind::CallCompleted];

async fn call(writer: &LedgerWriter, number: i64) {
    let call = format!("tc_{number:03}");
    let events = vec![decided(&call), started(&call), completed(&call, Outcome::Succeeded)];
    writer.append(entry(events)).await.expect("written");
}

async fn take(store: &Store, limit: usize) -> OutboxBatch {
    store.outbox("meter", &ENDS, limit).await.expect("taken")
}

fn calls(batch: &OutboxBatch) -> Vec<String> {
    batch.events.iter().map(|one| one.event.about.call.as_ref().expect("a call").to_string()).collect()
}

async fn a_sink_gets_every_event_once_and_in_order(world: StoreWorld) {
    let store = world.open().await;
    store.create_sink("meter", SinkStart::FromStart).await.expect("made");
    let writers = [writer(&store, "one").await, writer(&store, "two").await];
    for number in 0..25 {
        call(&writers[number as usize % 2], number).await;
    }
    let mut seen: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    loop {
        let batch = take(&store, 4).await;
        assert!(batch.events.len() <= 4);
        if batch.is_empty() {
            break;
        }
        for event in &batch.events {
            seen.entry(event.stream.to_string()).or_default().push(event.number);
        }
        store.delivered("meter", &batch).await.expect("marked");
    }
    assert_eq!(seen["one"], (1..=13).map(|call| call * 3).collect::<Vec<_>>());
    assert_eq!(seen["two"], (1..=12).map(|call| call * 3).collect::<Vec<_>>());
    assert!(take(&store, 4).await.is_empty());
}

async fn a_new_sink_begins_now_or_at_the_start(world: StoreWorld) {
    let store = world.open().await;
    let one = writer(&store, "one").await;
    call(&one, 1).await;
    assert!(take(&store, 10).await.is_empty(), "what happened before it was there is not for it");
    store.create_sink("all", SinkStart::FromStart).await.expect("made");
    store.create_sink("meter", SinkStart::FromStart).await.expect("it is there already");
    call(&one, 2).await;
    // A stream that is new is sent from its start.
    call(&writer(&store, "two").await, 3).await;
    assert_eq!(calls(&take(&store, 10).await), ["tc_002", "tc_003"]);
    let all = store.outbox("all", &ENDS, 10).await.expect("taken");
    assert_eq!(calls(&all), ["tc_001", "tc_002", "tc_003"]);
}

async fn only_the_kinds_that_were_asked_for_are_sent(world: StoreWorld) {
    let store = world.open().await;
    store.create_sink("starts", SinkStart::FromStart).await.expect("made");
    let writer = writer(&store, "one").await;
    writer.append(entry((0..500).map(|_| decided("tc_0")).collect())).await.expect("written");
    call(&writer, 1).await;
    let kinds = [EventKind::CallStarted, EventKind::CallCompleted];
    let batch = store.outbox("starts", &kinds, 10).await.expect("taken");
    let found: Vec<_> = batch.events.iter().map(|one| one.event.kind).collect();
    assert_eq!(found, kinds);
}

async fn what_was_not_delivered_comes_again(world: StoreWorld) {
    let store = world.open().await;
    store.create_sink("meter", SinkStart::FromStart).await.expect("made");
    call(&writer(&store, "one").await, 1).await;
    let first = take(&store, 10).await;
    assert_eq!(calls(&first), ["tc_001"]);
    store.not_delivered("meter", &first).await.expect("put back");
    let again = take(&store, 10).await;
    assert_eq!(again.events, first.events);
    store.delivered("meter", &again).await.expect("marked");
    assert!(take(&store, 10).await.is_empty());
}

async fn two_processes_never_hold_the_same_batch(world: StoreWorld) {
    let stores = [world.open().await, world.open().await];
    stores[0].create_sink("meter", SinkStart::FromStart).await.expect("made");
    let one = writer(&stores[0], "one").await;
    for number in 0..30 {
        call(&one, number).await;
    }
    let delivered = Arc::new(Mutex::new(Vec::new()));
    let couriers = stores.map(|store| tokio::spawn(deliver_all(store, Arc::clone(&delivered), 30)));
    for courier in couriers {
        courier.await.expect("no panic");
    }
    let expected: Vec<String> = (0..30).map(|number| format!("tc_{number:03}")).collect();
    assert_eq!(*delivered.lock(), expected);
}

/// Takes and delivers until all couriers together have delivered `count`.
async fn deliver_all(store: Store, delivered: Arc<Mutex<Vec<String>>>, count: usize) {
    while delivered.lock().len() < count {
        let batch = take(&store, 3).await;
        delivered.lock().extend(calls(&batch));
        if !batch.is_empty() {
            store.delivered("meter", &batch).await.expect("marked");
        }
    }
}

async fn a_holder_that_died_is_followed_by_another(world: StoreWorld) {
    let (dead, alive) = (world.open().await, world.open().await);
    dead.create_sink("meter", SinkStart::FromStart).await.expect("made");
    let one = writer(&dead, "one").await;
    call(&one, 1).await;
    let in_hand = take(&dead, 10).await;
    assert_eq!(calls(&in_hand), ["tc_001"]);
    assert!(take(&alive, 10).await.is_empty(), "somebody has it in hand");
    assert_eq!(world.sql("UPDATE sinks SET lease_until_ms = 1").await, 1);
    let again = take(&alive, 10).await;
    assert_eq!(calls(&again), ["tc_001"]);
    alive.delivered("meter", &again).await.expect("marked");
    call(&one, 2).await;
    let next = take(&alive, 10).await;
    assert_eq!(calls(&next), ["tc_002"]);
    // The one that was taken for dead comes back: it regains neither the lease nor the position.
    dead.delivered("meter", &in_hand).await.expect("marked");
    assert!(take(&dead, 10).await.is_empty(), "the lease is another's");
    alive.delivered("meter", &next).await.expect("marked");
    assert!(take(&dead, 10).await.is_empty());
}

async fn a_restart_loses_nothing(world: StoreWorld) {
    let store = world.open().await;
    store.create_sink("meter", SinkStart::FromStart).await.expect("made");
    call(&writer(&store, "one").await, 1).await;
    let delivered = take(&store, 10).await;
    store.delivered("meter", &delivered).await.expect("marked");
    call(&writer(&store, "one").await, 2).await;
    store.close().await;
    assert_eq!(calls(&take(&world.open().await, 10).await), ["tc_002"]);
}

async fn an_instant_of_a_timetable_is_kept_once_and_holds_up_no_events(world: StoreWorld) {
    let stores = [world.open().await, world.open().await];
    assert_eq!(stores[0].kept_instant("digest").await.expect("read"), None);
    assert!(stores[0].take_turn("digest").await.expect("asked"));
    assert!(!stores[1].take_turn("digest").await.expect("asked"), "one at a time");
    stores[0].keep_instant("digest", 2_000).await.expect("kept");
    stores[0].end_turn("digest").await.expect("ended");
    assert!(stores[1].take_turn("digest").await.expect("asked"));
    stores[1].keep_instant("digest", 1_000).await.expect("kept");
    assert_eq!(stores[1].kept_instant("digest").await.expect("read"), Some(2_000), "it never moves back");
    call(&writer(&stores[0], "one").await, 1).await;
    assert_eq!(stores[0].outbox_waiting("digest", &ENDS).await.expect("counted"), 1);
}
