//! A process is killed at each step of writing a batch, whatever the batch does to its stream: nothing is acknowledged
//! that is not there, the next process closes what was open, and the stream goes on.

use toolgate_core::event::Outcome;
use toolgate_core::governance::{Ledger, Warrant};

use super::*;
use crate::world::StoreWorld;

crate::on_both!(
    killed_at_the_first_line_of_a_stream,
    killed_while_a_block_is_completed,
    killed_while_the_day_changes,
    killed_while_a_block_is_completed_and_the_day_changes,
    killed_at_any_other_line,
);

const STREAM: &str = "one";
const CALL: &str = "tc_cut_off";
/// Events of a complete block.
const BLOCK: i64 = 256;
/// Fewer operations than the steps of a batch. On Postgres a usual one is a single statement, and the answer to it.
const OPERATIONS_MIN: u64 = 1;

/// A stream, and the batch that is cut off.
struct Step {
    /// Events before it.
    before: i64,
    /// How much later than those.
    later_ms: i64,
    /// The last number of each complete part of a block afterwards.
    parts: &'static [i64],
}

async fn killed_at_the_first_line_of_a_stream(world: StoreWorld) {
    sweep(world, Step { before: 0, later_ms: 0, parts: &[] }).await;
}

async fn killed_while_a_block_is_completed(world: StoreWorld) {
    sweep(world, Step { before: BLOCK - 1, later_ms: 0, parts: &[BLOCK] }).await;
}

async fn killed_while_the_day_changes(world: StoreWorld) {
    sweep(world, Step { before: 10, later_ms: DAY_MS, parts: &[10] }).await;
}

/// Both at once: the block has a part in each day.
async fn killed_while_a_block_is_completed_and_the_day_changes(world: StoreWorld) {
    sweep(world, Step { before: BLOCK - 1, later_ms: DAY_MS, parts: &[BLOCK - 1, BLOCK] }).await;
}

async fn killed_at_any_other_line(world: StoreWorld) {
    sweep(world, Step { before: 20, later_ms: 0, parts: &[] }).await;
}

fn at(mut event: Event, at_ms: i64) -> Event {
    event.at_ms = at_ms;
    event
}

/// Cuts the batch off at the first operation, the second and so on, each time in a database of its own, until one is
/// written without a fault.
async fn sweep(world: StoreWorld, step: Step) {
    for n in 1.. {
        let world = world.elsewhere();
        let store = world.open().await;
        let writer = writer(&store, STREAM).await;
        if step.before > 0 {
            let events = (0..step.before).map(|number| decided(&format!("tc_{number}")));
            writer.append(entry(events.collect())).await.expect("written");
        }
        store.fail_from_nth(n);
        let begun = at(started(CALL), START_MS + step.later_ms);
        let begun = writer.start(on_disk(vec![begun]), Warrant::NoneNeeded).await.is_ok();
        let is_over = store.is_fault_to_come();
        if is_over {
            assert!(n > OPERATIONS_MIN, "the fault was never reached");
            assert!(begun, "nothing failed");
        }
        // The faults stay, so this process writes nothing more.
        goes_on(&world, &step, begun).await;
        store.fail_never();
        writer.close().await;
        store.close().await;
        if is_over {
            return;
        }
    }
}

/// The next process finds the call open or not at all, and writes on.
async fn goes_on(world: &StoreWorld, step: &Step, begun: bool) {
    let store = world.open().await;
    let parts = world.rows("SELECT stream, last, root FROM ledger_blocks ORDER BY last").await;
    let parts: Vec<i64> = parts.into_iter().map(|(_, last, _)| last).collect();
    let swept = store.sweep(STREAM).await.expect("swept");
    let told = store.ledger_call(&CallId::new(CALL)).await.expect("read");
    let outcomes: Vec<_> = told.iter().map(|one| one.event.outcome).collect();
    let is_there = match (&outcomes[..], swept.len()) {
        ([], 0) => false,
        ([None, Some(Outcome::Unknown)], 1) => true,
        told => panic!("{told:?}"),
    };
    assert!(is_there || !begun, "it was acknowledged and is lost");
    assert_eq!(&parts[..], if is_there { step.parts } else { &[] });
    let writer = writer(&store, STREAM).await;
    let later = (0..BLOCK).map(|number| decided(&format!("tc_later_{number}")));
    writer.append(entry(later.collect())).await.expect("written");
    writer.close().await;
    let written = world.rows("SELECT stream, number, line FROM ledger_lines ORDER BY number").await;
    let numbers: Vec<i64> = written.into_iter().map(|(_, number, _)| number).collect();
    let expected = step.before + BLOCK + if is_there { 2 } else { 0 };
    assert_eq!(numbers, (1..=expected).collect::<Vec<_>>());
    assert_sound(&store).await;
    store.close().await;
}
