//! Gateways that died for good, and those that go on.

use std::sync::Arc;
use std::time::Duration;

use toolgate_core::event::Outcome;
use toolgate_core::governance::{Ledger, StartRefused, Warrant};
use toolgate_store::{StreamClaim, StreamWatch};

use super::*;
use crate::world::{StoreWorld, within};

crate::on_both!(
    of_two_survivors_one_closes_the_calls_of_a_dead_gateway,
    whoever_returns_does_not_end_the_calls_that_were_closed,
    an_end_that_waited_for_the_database_is_dropped_where_the_call_was_closed,
    a_start_that_may_be_stored_has_one_end_where_its_refusal_waited,
    a_start_that_may_be_stored_has_one_end_where_its_refusal_comes_late,
    a_gateway_that_shows_signs_of_life_is_left_alone,
    calls_of_a_stream_without_a_gateway_are_closed,
);

const GONE: &str = "gone";

async fn claimed(store: &Store) -> Arc<StreamClaim> {
    Arc::new(store.claim_stream(GONE, "a", "a").await.expect("it is free"))
}

async fn writer_under(store: &Store, claim: &Arc<StreamClaim>) -> LedgerWriter {
    LedgerWriter::start_under(store, GONE, Some(claim.clone())).await.expect("the writer starts")
}

async fn start(writer: &LedgerWriter, call: &str) -> Result<(), StartRefused> {
    writer.start(on_disk(vec![started(call)]), Warrant::NoneNeeded).await
}

async fn end(writer: &LedgerWriter, call: &str) -> bool {
    writer.append(entry(vec![completed(call, Outcome::Succeeded)])).await.is_ok()
}

/// Short, and longer than two looks at the same moment.
const SILENCE_MAX: Duration = Duration::from_millis(200);
const SOON: Duration = Duration::from_secs(10);

/// A gateway that goes on.
fn survivor(store: &Store, place: &str) -> StreamWatch {
    StreamWatch::new(store, vec!["own".into(), "cli".into()], place, place, SILENCE_MAX)
}

/// Looks until there is something to take over.
async fn takes(watch: &mut StreamWatch) -> Vec<StreamClaim> {
    let mut taken = Vec::new();
    within(SOON, "the end of a silent claim", async || {
        taken.extend(watch.look().await.expect("looked"));
        !taken.is_empty()
    })
    .await;
    taken
}

async fn close(store: &Store, claims: Vec<StreamClaim>) -> Vec<CallId> {
    let mut closed = Vec::new();
    for claim in claims {
        closed.extend(store.sweep(claim.stream()).await.expect("swept"));
        claim.release().await;
    }
    closed
}

async fn of_two_survivors_one_closes_the_calls_of_a_dead_gateway(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer_under(&store, &claimed(&store).await).await;
    for call in ["tc_1", "tc_2"] {
        start(&writer, call).await.expect("started");
    }
    let (one, two) = (world.open().await, world.open().await);
    let (mut left, mut right) = (survivor(&one, "b"), survivor(&two, "c"));
    let mut taken = Vec::new();
    within(SOON, "the end of a silent claim", async || {
        let (left, right) = tokio::join!(left.look(), right.look());
        taken.extend(left.expect("looked").into_iter().chain(right.expect("looked")));
        !taken.is_empty()
    })
    .await;
    assert_eq!(taken.len(), 1, "one of them has it");
    assert_eq!(close(&one, taken).await, [CallId::new("tc_1"), CallId::new("tc_2")]);
    assert!(one.read_gateways().await.expect("read").is_empty(), "the dead one is not listed any more");
    assert_eq!(world.sql("DELETE FROM open_calls").await, 0);
    assert_sound(&store).await;
}

async fn whoever_returns_does_not_end_the_calls_that_were_closed(world: StoreWorld) {
    let store = world.open().await;
    let claim = claimed(&store).await;
    let writer = writer_under(&store, &claim).await;
    start(&writer, "tc_1").await.expect("started");
    let other = world.open().await;
    let taken = takes(&mut survivor(&other, "b")).await;
    // Between the two, the other gateway has the stream.
    assert!(!end(&writer, "tc_1").await, "it lost the stream");
    assert!(matches!(start(&writer, "tc_2").await, Err(StartRefused::Down(_))), "nothing is sent");
    assert!(!claim.beat().await.expect("asked") && !writer.is_up(), "it knows");
    close(&other, taken).await;

    assert!(claim.beat().await.expect("asked"), "the stream is free again");
    let up = async || start(&writer, "tc_3").await.is_ok();
    within(SOON, "the ledger's return", up).await;
    assert!(!end(&writer, "tc_1").await, "others have closed it");
    assert!(end(&writer, "tc_3").await);
    let expected = [
        "tc_1 tool.call.started",
        "tc_1 tool.call.completed unknown",
        "tc_3 tool.call.started",
        "tc_3 tool.call.completed succeeded",
    ];
    assert_eq!(story(&store).await, expected);
    assert_eq!(world.sql("DELETE FROM open_calls").await, 0);
    assert_sound(&store).await;
}

async fn an_end_that_waited_for_the_database_is_dropped_where_the_call_was_closed(world: StoreWorld) {
    let store = world.open().await;
    let claim = claimed(&store).await;
    let writer = writer_under(&store, &claim).await;
    start(&writer, "tc_1").await.expect("started");
    store.fail_from_nth(1);
    assert!(!end(&writer, "tc_1").await, "it waits in memory");
    let other = world.open().await;
    let taken = takes(&mut survivor(&other, "b")).await;
    close(&other, taken).await;
    store.fail_never();
    assert!(claim.beat().await.expect("asked"));
    within(SOON, "the ledger's return", async || writer.is_up()).await;
    assert_eq!(story(&store).await, ["tc_1 tool.call.started", "tc_1 tool.call.completed unknown"]);
    assert_sound(&store).await;
}

/// The ends of a call whose start failed at the n-th operation, and whose refusal is recorded by `refuse` before or after the
/// stream was elsewhere.
async fn ends(world: &StoreWorld, n: u64, refusal: Refusal) -> (Vec<Option<Outcome>>, bool) {
    let store = world.open().await;
    let claim = claimed(&store).await;
    let writer = writer_under(&store, &claim).await;
    start(&writer, "tc_before").await.expect("started");
    assert!(end(&writer, "tc_before").await);
    let call = format!("tc_{n:03}");
    store.fail_from_nth(n);
    let is_started = start(&writer, &call).await.is_ok();
    let refused = async || {
        let refused = entry(vec![completed(&call, Outcome::Refused)]);
        // It is kept, or another gateway has closed the call.
        drop(writer.append(refused).await);
    };
    if refusal == Refusal::Waits {
        refused().await;
    }
    let other = world.open().await;
    let taken = takes(&mut survivor(&other, "b")).await;
    close(&other, taken).await;
    let is_over = store.is_fault_to_come();
    store.fail_never();
    assert!(claim.beat().await.expect("asked"), "the stream is free again");
    within(SOON, "the ledger's return", async || writer.is_up()).await;
    if refusal == Refusal::ComesLate {
        refused().await;
    }
    // It comes after whatever was kept.
    within(SOON, "a call", async || start(&writer, &format!("tc_{n:03}_after")).await.is_ok()).await;
    let told = store.ledger_call(&CallId::new(&*call)).await.expect("read");
    let ends = told.iter().filter(|one| one.event.kind == EventKind::CallCompleted);
    let ends = ends.map(|one| one.event.outcome).collect();
    writer
        .append(entry(vec![completed(&format!("tc_{n:03}_after"), Outcome::Succeeded)]))
        .await
        .expect("written");
    writer.close().await;
    claim.release().await;
    assert_sound(&store).await;
    (ends, is_over || is_started)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Refusal {
    Waits,
    ComesLate,
}

/// From the n-th operation of a start on, nothing is heard from the database.
async fn each_start_has_one_end(world: &StoreWorld, refusal: Refusal) {
    let mut closed_elsewhere = 0;
    for n in 1.. {
        let (ends, is_over) = ends(world, n, refusal).await;
        if is_over {
            assert!(n > 2, "the fault was never reached");
            break;
        }
        match &ends[..] {
            [Some(Outcome::Unknown)] => closed_elsewhere += 1,
            [Some(Outcome::Refused)] => {}
            told => panic!("operation {n}: {told:?}"),
        }
    }
    assert_eq!(closed_elsewhere, 1, "once the start was stored and nobody knew");
}

async fn a_start_that_may_be_stored_has_one_end_where_its_refusal_waited(world: StoreWorld) {
    each_start_has_one_end(&world, Refusal::Waits).await;
}

async fn a_start_that_may_be_stored_has_one_end_where_its_refusal_comes_late(world: StoreWorld) {
    each_start_has_one_end(&world, Refusal::ComesLate).await;
}

async fn a_gateway_that_shows_signs_of_life_is_left_alone(world: StoreWorld) {
    let store = world.open().await;
    let claim = claimed(&store).await;
    let mut watch = survivor(&store, "b");
    let begun = std::time::Instant::now();
    while begun.elapsed() < 3 * SILENCE_MAX {
        assert!(claim.beat().await.expect("asked"));
        assert!(watch.look().await.expect("looked").is_empty());
        tokio::time::sleep(SILENCE_MAX / 10).await;
    }
    assert_eq!(takes(&mut watch).await[0].stream(), GONE);
}

async fn calls_of_a_stream_without_a_gateway_are_closed(world: StoreWorld) {
    let store = world.open().await;
    for stream in ["cli", GONE] {
        let writer = writer(&store, stream).await;
        start(&writer, &format!("tc_{stream}")).await.expect("started");
    }
    let taken = takes(&mut survivor(&store, "b")).await;
    assert_eq!(close(&store, taken).await, [CallId::new("tc_gone")]);
    assert_eq!(world.sql("DELETE FROM open_calls").await, 1, "commands end their calls themselves");
}
