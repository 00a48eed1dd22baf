//! The clock of a machine is set back an hour while the gateway runs.

use toolgate_core::event::Position;
use toolgate_core::governance::Ledger;

use super::*;
use crate::world::StoreWorld;

crate::on_both!(a_clock_that_is_set_back_changes_dates_and_not_the_order);

const HOUR_MS: i64 = 3_600_000;

fn dated(call: &str, at_ms: i64) -> Event {
    let mut event = decided(call);
    event.at_ms = at_ms;
    event
}

async fn calls(store: &Store, filter: &EventFilter, after: Option<&Position>) -> Vec<String> {
    let page = store.ledger_page(filter, after, 100, LedgerOrder::OldestFirst).await.expect("read");
    page.iter().map(|one| one.event.about.call.as_ref().expect("a call").to_string()).collect()
}

async fn a_clock_that_is_set_back_changes_dates_and_not_the_order(world: StoreWorld) {
    let store = world.open().await;
    let (one, two) = (writer(&store, "one").await, writer(&store, "two").await);
    one.append(entry(vec![dated("tc_1", START_MS)])).await.expect("written");
    let seen = all(&store).await.pop().expect("an event").position;
    one.append(entry(vec![dated("tc_2", START_MS - HOUR_MS)])).await.expect("written");
    // The clock of the other machine is right.
    two.append(entry(vec![dated("tc_3", START_MS + 5)])).await.expect("written");
    one.append(entry(vec![dated("tc_4", START_MS - HOUR_MS + 10)])).await.expect("written");
    drop((one, two));
    // A gateway that starts while the clock is wrong goes on after what is there.
    let store = world.open().await;
    let again = writer(&store, "one").await;
    again.append(entry(vec![dated("tc_5", START_MS - HOUR_MS + 20)])).await.expect("written");

    let whole = all(&store).await;
    assert!(whole.is_sorted_by(|one, two| one.time < two.time), "{whole:?}");
    let none = EventFilter::default();
    assert_eq!(calls(&store, &none, None).await, ["tc_1", "tc_2", "tc_3", "tc_4", "tc_5"]);
    assert_eq!(
        calls(&store, &none, Some(&seen)).await,
        ["tc_2", "tc_3", "tc_4", "tc_5"],
        "followers miss none"
    );
    let dates: Vec<i64> = whole.iter().map(|one| one.event.at_ms - START_MS).collect();
    assert_eq!(dates, [0, -HOUR_MS, 5, -HOUR_MS + 10, -HOUR_MS + 20], "dates are those of the clock");
    let hour_before =
        EventFilter { from_ms: Some(START_MS - HOUR_MS), until_ms: Some(START_MS), ..EventFilter::default() };
    assert_eq!(calls(&store, &hour_before, None).await, ["tc_2", "tc_4", "tc_5"], "and are found by them");
    assert_sound(&store).await;
}
