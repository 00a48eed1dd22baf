//! Calls that a crash left open.

use toolgate_core::event::Outcome;
use toolgate_core::governance::{Ledger, Warrant};

use super::*;
use crate::world::StoreWorld;

crate::on_both!(
    calls_that_were_left_open_end_as_unknown,
    a_call_that_waits_for_its_client_is_left_for_a_day,
    a_sweep_has_no_limit,
);

async fn calls_that_were_left_open_end_as_unknown(world: StoreWorld) {
    let store = world.open().await;
    let (one, two) = (writer(&store, "one").await, writer(&store, "two").await);
    for call in ["tc_1", "tc_2", "tc_3"] {
        one.start(on_disk(vec![started(call)]), Warrant::NoneNeeded).await.expect("started");
    }
    two.start(on_disk(vec![started("tc_4")]), Warrant::NoneNeeded).await.expect("started");
    one.append(entry(vec![completed("tc_2", Outcome::Succeeded)])).await.expect("ended");
    one.append(entry(vec![started("tc_5"), completed("tc_5", Outcome::Succeeded)])).await.expect("ended");

    let swept = world.open().await.sweep("one").await.expect("swept");
    assert_eq!(swept, [CallId::new("tc_1"), CallId::new("tc_3")]);
    let call = store.ledger_call(&swept[1]).await.expect("read");
    let [start, end] = &call[..] else { panic!("{call:?}") };
    assert_eq!(end.event.kind, EventKind::CallCompleted);
    assert_eq!(end.event.outcome, Some(Outcome::Unknown));
    assert_eq!(end.event.principal, PrincipalId::gateway());
    assert_eq!(end.event.about, start.event.about);
    let detail: serde_json::Value = end.event.detail.as_ref().expect("a detail").decode().expect("an object");
    assert_eq!(detail, serde_json::json!({ "swept": true, "principal": "agent" }));
    assert_eq!(store.sweep("one").await.expect("swept"), []);
    assert_eq!(world.sql("DELETE FROM open_calls").await, 1, "that of the other process");
    assert_sound(&store).await;
}

async fn a_call_that_waits_for_its_client_is_left_for_a_day(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    writer.start(on_disk(vec![started("tc_1")]), Warrant::NoneNeeded).await.expect("started");
    let now = toolgate_core::moment::parse_rfc3339("2999-01-01T00:00:00Z").expect("a moment");
    let paused = Event { at_ms: now, ..event(EventKind::CallPaused, "tc_1") };
    writer.append(entry(vec![paused])).await.expect("paused");
    assert_eq!(store.sweep("one").await.expect("swept"), []);
    assert_eq!(world.sql("UPDATE open_calls SET paused_at_ms = 1").await, 1);
    assert_eq!(store.sweep("one").await.expect("swept"), [CallId::new("tc_1")]);
}

async fn a_sweep_has_no_limit(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    let starts = (0..1_100).map(|number| started(&format!("tc_{number:04}"))).collect();
    writer.append(entry(starts)).await.expect("started");
    assert_eq!(store.sweep("one").await.expect("swept").len(), 1_100);
    assert_eq!(world.sql("DELETE FROM open_calls").await, 0);
    assert_sound(&store).await;
}
