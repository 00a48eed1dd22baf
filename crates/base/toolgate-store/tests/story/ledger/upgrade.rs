//! Ledgers that an earlier version wrote, in the first form: `tests/fixtures` has one for each database, with 663
//! events in two streams over four days.

use toolgate_core::event::Outcome;
use toolgate_core::governance::{Ledger, Warrant};
use toolgate_store::{LedgerFault, OutboxBatch, Tampering};

use super::*;
use crate::world::StoreWorld;

crate::on_both!(
    a_ledger_of_the_first_form_keeps_its_order_and_its_hashes,
    it_is_found_by_what_is_in_it,
    what_was_under_way_goes_on,
    what_was_wrong_with_it_still_is,
    an_event_that_is_moved_to_another_time_is_noticed,
    an_event_of_the_far_future_takes_no_others_along,
);

const EVENTS: usize = 663;

async fn a_ledger_of_the_first_form_keeps_its_order_and_its_hashes(world: StoreWorld) {
    world.load("ledger1").await;
    let before = world.rows("SELECT stream, stream_seq, hash FROM ledger_events ORDER BY seq").await;
    assert_eq!(before.len(), EVENTS);
    // Two processes begin at once.
    let (store, _) = tokio::join!(world.open(), world.open());
    let verified = store.verify_ledger(|_| ()).await.expect("verified");
    assert_eq!((verified.events, verified.streams, verified.fault), (EVENTS as u64, 2, None));
    let after: Vec<(String, i64, Vec<u8>)> = all(&store)
        .await
        .iter()
        .map(|one| (one.stream.to_string(), one.number, one.hash.as_bytes().to_vec()))
        .collect();
    assert_eq!(after, before);
    // It is opened again, and written to.
    let store = world.open().await;
    writer(&store, "one").await.append(entry(vec![decided("tc_new")])).await.expect("written");
    let last = all(&store).await.pop().expect("an event");
    let end = before.iter().rev().find(|one| one.0 == "one").expect("an event of the stream");
    assert_eq!((last.number, &last.previous.as_bytes()[..]), (end.1 + 1, &end.2[..]));
    assert_sound(&store).await;
}

async fn it_is_found_by_what_is_in_it(world: StoreWorld) {
    world.load("ledger1").await;
    let store = world.open().await;
    let whole = all(&store).await;
    let none = EventFilter::default;
    for one in whole.iter().step_by(29) {
        let about = &one.event.about;
        for filter in [
            EventFilter { call: about.call.clone(), ..none() },
            EventFilter {
                tool: about.tool.clone(),
                outcomes: one.event.outcome.into_iter().collect(),
                ..none()
            },
            EventFilter { session: about.session.clone(), kind: Some(one.event.kind), ..none() },
            EventFilter { from_ms: Some(one.event.at_ms), until_ms: Some(one.event.at_ms + 1), ..none() },
        ] {
            let passes = |other: &&RecordedEvent| {
                let event = &other.event;
                filter.call.is_none() | (filter.call == event.about.call)
                    && filter.tool.is_none() | (filter.tool == event.about.tool)
                    && filter.session.is_none() | (filter.session == event.about.session)
                    && (filter.outcomes.is_empty()
                        || event.outcome.is_some_and(|one| filter.outcomes.contains(&one)))
                    && filter.kind.is_none_or(|kind| kind == event.kind)
                    && filter.from_ms.is_none_or(|from| from == event.at_ms)
            };
            let expected: Vec<i64> = whole.iter().filter(passes).map(|one| one.number).collect();
            let found = page(&store, &filter, LedgerOrder::OldestFirst).await;
            assert_eq!(found.iter().map(|one| one.number).collect::<Vec<_>>(), expected, "{filter:?}");
        }
    }
}

async fn what_was_under_way_goes_on(world: StoreWorld) {
    world.load("ledger1").await;
    let store = world.open().await;
    let swept = store.sweep("one").await.expect("swept");
    assert!(swept.contains(&CallId::new("tc_left_open")), "{swept:?}");
    let two = writer(&store, "two").await;
    let resumed = on_disk(vec![event(EventKind::CallResumed, "tc_waits")]);
    let round = Warrant::Round { call: CallId::new("tc_waits"), round: 1 };
    two.start(resumed, round).await.expect("it waited for its client");
    two.append(entry(vec![completed("tc_waits", Outcome::Succeeded)])).await.expect("ended");
    // The sink had 300 events of both streams.
    let mut rest = 0;
    loop {
        let batch: OutboxBatch = store.outbox("meter", EventKind::ALL, 1_000).await.expect("taken");
        if batch.is_empty() {
            break;
        }
        rest += batch.events.len();
        store.delivered("meter", &batch).await.expect("marked");
    }
    assert_eq!(rest, EVENTS - 300 + swept.len() + 2);
    assert_sound(&store).await;
}

async fn what_was_wrong_with_it_still_is(world: StoreWorld) {
    let at = LedgerFault::of_event;
    for (tampering, fault) in [
        (
            "UPDATE ledger_events SET principal = 'somebody' WHERE stream = 'one' AND stream_seq = 300",
            at("one", 300, Tampering::Edited),
        ),
        (
            "DELETE FROM ledger_events WHERE stream = 'two' AND stream_seq = 7",
            at("two", 7, Tampering::Dropped),
        ),
        (
            "DELETE FROM ledger_events WHERE stream = 'one' AND stream_seq > 400",
            at("one", 401, Tampering::Dropped),
        ),
        (
            "UPDATE ledger_heads SET stream_seq = stream_seq - 1 WHERE stream = 'two'",
            at("two", 211, Tampering::HeadForged),
        ),
        ("DELETE FROM ledger_heads WHERE stream = 'two'", at("two", 212, Tampering::HeadForged)),
    ] {
        let world = world.elsewhere();
        world.load("ledger1").await;
        assert!(world.sql(tampering).await > 0, "{tampering}");
        let store = world.open().await;
        let verified = store.verify_ledger(|_| ()).await.expect("verified");
        assert_eq!(verified.fault, Some(fault), "{tampering}");
    }
}

/// A line of the first form does not have its hybrid time, so the columns beside it are all that says it.
async fn an_event_that_is_moved_to_another_time_is_noticed(world: StoreWorld) {
    world.load("ledger1").await;
    let store = world.open().await;
    if world.is_postgres() {
        world.sql("CREATE TABLE other_days PARTITION OF ledger_lines DEFAULT").await;
    }
    for moved in ["100", "300", "451"] {
        let here = format!("stream = 'one' AND number = {moved}");
        world.sql(&format!("CREATE TABLE saved AS SELECT * FROM ledger_lines WHERE {here}")).await;
        // Two days later.
        let later = format!(
            "UPDATE ledger_lines SET day = day + 2, time = time + {} WHERE {here}",
            (2 * DAY_MS) << 16
        );
        assert_eq!(world.sql(&later).await, 1, "{later}");
        let fault = store.verify_ledger(|_| ()).await.expect("verified").fault;
        assert!(fault.is_some(), "{later} went unnoticed");
        let earlier = format!("UPDATE ledger_lines SET day = 0, time = 1 WHERE {here}");
        assert_eq!(world.sql(&earlier).await, 1);
        let fault = store.verify_ledger(|_| ()).await.expect("verified").fault;
        assert!(fault.is_some(), "{earlier} went unnoticed");
        world.sql(&format!("DELETE FROM ledger_lines WHERE {here}")).await;
        world.sql("INSERT INTO ledger_lines SELECT * FROM saved").await;
        world.sql("DROP TABLE saved").await;
    }
    assert_sound(&store).await;
}

async fn an_event_of_the_far_future_takes_no_others_along(world: StoreWorld) {
    world.load("ledger1").await;
    let far = START_MS + 100 * 365 * DAY_MS;
    let edit = format!("UPDATE ledger_events SET at_ms = {far} WHERE stream = 'two' AND stream_seq = 7");
    assert_eq!(world.sql(&edit).await, 1);
    let store = world.open().await;
    let rows = world.rows("SELECT stream, time, line FROM ledger_lines ORDER BY time DESC LIMIT 1").await;
    assert!(rows[0].1 >> 16 < START_MS + 50 * 365 * DAY_MS, "{}", rows[0].1);
    let fault = store.verify_ledger(|_| ()).await.expect("verified").fault;
    assert_eq!(fault, Some(LedgerFault::of_event("two", 7, Tampering::Edited)));
}
