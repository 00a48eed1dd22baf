//! Whoever writes, in whatever order, over however many days: the chain, the blocks with their roots, and the terms
//! agree, and every reader finds every event once.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use toolgate_core::event::Position;
use toolgate_core::governance::Ledger;

use super::*;
use crate::world::StoreWorld;

/// Each case is a database of its own.
const CASES: u32 = 6;
const HOUR_MS: i64 = 3_600_000;

/// One batch: which stream writes it, how many events, and how much later than the batch before.
#[derive(Clone, Debug)]
struct Batch {
    stream: usize,
    events: usize,
    later_ms: i64,
    /// In a transaction of the store, which knows nothing of the writer's open block.
    is_foreign: bool,
}

fn batches() -> impl Strategy<Value = Vec<Batch>> {
    let batch = (0usize..3, 1usize..180, -2 * HOUR_MS..20 * HOUR_MS, any::<bool>());
    let batch = batch.prop_map(|(stream, events, later_ms, is_foreign)| Batch {
        stream,
        events,
        later_ms,
        is_foreign,
    });
    prop::collection::vec(batch, 1..24)
}

#[test]
fn chain_blocks_and_terms_agree_on_sqlite() {
    check(StoreWorld::sqlite);
}

#[test]
fn chain_blocks_and_terms_agree_on_postgres() {
    check(StoreWorld::postgres);
}

fn check(world: impl Fn() -> StoreWorld) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let mut runner = TestRunner::new(Config { cases: CASES, failure_persistence: None, ..Config::default() });
    let ran = runner.run(&batches(), |batches| {
        runtime.block_on(async {
            let world = world();
            agree(&world, &batches).await;
        });
        Ok(())
    });
    ran.expect("they agree");
}

async fn agree(world: &StoreWorld, batches: &[Batch]) {
    let store = world.open().await;
    let streams = ["one", "two", "three"];
    let mut writers = Vec::new();
    for stream in streams {
        writers.push(writer(&store, stream).await);
    }
    let (mut at_ms, mut written) = (START_MS, Vec::new());
    for (number, batch) in batches.iter().enumerate() {
        at_ms += batch.later_ms;
        let events: Vec<Event> =
            (0..batch.events).map(|place| made(number, place, at_ms + place as i64)).collect();
        written.extend(events.iter().map(|event| (streams[batch.stream], event.clone())));
        if batch.is_foreign {
            // Another process writes to the same stream.
            let other = writer(&store, streams[batch.stream]).await;
            other.append(entry(events)).await.expect("written");
        } else {
            writers[batch.stream].append(entry(events)).await.expect("written");
        }
    }
    assert_sound(&store).await;
    let whole = read(&store, &EventFilter::default(), LedgerOrder::OldestFirst, 97).await;
    // One writer wrote them all, one after the other, so their order is that of writing.
    assert_eq!(whole.iter().map(|one| (&*one.stream, one.event.clone())).collect::<Vec<_>>(), written);
    for filter in filters(&written) {
        let expected: Vec<&Event> =
            written.iter().map(|(_, event)| event).filter(|event| passes(&filter, event)).collect();
        for (order, limit) in [(LedgerOrder::OldestFirst, 13), (LedgerOrder::NewestFirst, 400)] {
            let mut found = read(&store, &filter, order, limit).await;
            if order == LedgerOrder::NewestFirst {
                found.reverse();
            }
            assert_eq!(found.iter().map(|one| &one.event).collect::<Vec<_>>(), expected, "{filter:?}");
        }
    }
}

/// Some values are in every event, some in few.
pub(super) fn made(batch: usize, place: usize, at_ms: i64) -> Event {
    let call = format!("tc_{batch:08x}{:024x}", place / 2);
    let mut event = event(EventKind::ALL[(batch + place / 50) % EventKind::ALL.len()], &call);
    event.at_ms = at_ms;
    event.principal = PrincipalId::new(if place % 60 == 7 { "seldom" } else { "agent" });
    event.outcome = (place == 3).then_some(Outcome::Failed);
    event
}

pub(super) fn passes(filter: &EventFilter, event: &Event) -> bool {
    filter.call.is_none() | (filter.call == event.about.call)
        && filter.principal.as_ref().is_none_or(|one| *one == event.principal)
        && (filter.outcomes.is_empty() || event.outcome.is_some_and(|one| filter.outcomes.contains(&one)))
        && filter.kind.is_none_or(|kind| kind == event.kind)
        && filter.from_ms.is_none_or(|from| event.at_ms >= from)
        && filter.until_ms.is_none_or(|until| event.at_ms < until)
}

pub(super) fn filters(written: &[(&str, Event)]) -> Vec<EventFilter> {
    let none = EventFilter::default;
    let mut filters = vec![
        EventFilter { principal: Some(PrincipalId::new("seldom")), ..none() },
        EventFilter { outcomes: vec![Outcome::Failed], ..none() },
        EventFilter { principal: Some(PrincipalId::new("agent")), outcomes: vec![Outcome::Failed], ..none() },
    ];
    for (_, event) in written.iter().step_by(written.len() / 4 + 1) {
        filters.push(EventFilter { call: event.about.call.clone(), ..none() });
        filters.push(EventFilter { kind: Some(event.kind), ..none() });
        filters.push(EventFilter {
            from_ms: Some(event.at_ms),
            until_ms: Some(event.at_ms + HOUR_MS),
            ..none()
        });
    }
    filters
}

/// All pages, one after the other.
pub(super) async fn read(
    store: &Store,
    filter: &EventFilter,
    order: LedgerOrder,
    limit: usize,
) -> Vec<RecordedEvent> {
    let (mut read, mut after): (Vec<RecordedEvent>, Option<Position>) = (Vec::new(), None);
    loop {
        let page = store.ledger_page(filter, after.as_ref(), limit, order).await.expect("read");
        let Some(last) = page.last() else { return read };
        after = Some(last.position.to_string().parse().expect("a position"));
        read.extend(page);
    }
}
