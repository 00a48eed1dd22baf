//! Tampering by someone with access to the database.

use toolgate_core::event::Outcome;
use toolgate_core::governance::Ledger;
use toolgate_core::id::{ApprovalId, RunId};
use toolgate_store::{LedgerFault, Tampering};

use super::*;
use crate::world::StoreWorld;

crate::on_both!(
    an_untouched_ledger_is_sound,
    every_column_of_every_event_is_watched,
    a_dropped_event_is_named,
    a_tail_that_was_cut_off_is_missed,
    events_that_changed_places_are_named,
    an_inserted_event_is_named,
    a_forged_head_is_noticed,
    a_forged_head_is_not_sealed_by_writing_on,
);

/// An event with all fields, so that there is something to change in every column.
fn full(number: i64) -> Event {
    let about = EventSubject {
        run: Some(RunId::new("run_1")),
        task: Some("task".into()),
        trace: Some("trace".into()),
        ..(*about(&format!("tc_{number}"))).clone()
    };
    Event {
        approval: Some(ApprovalId::new("apr_1")),
        policy_version: Some(Digest::of("policy")),
        decision: Some(DecisionKind::Permit),
        outcome: Some(Outcome::Succeeded),
        duration_us: Some(1),
        input: Some(Digest::of("input")),
        output: Some(Digest::of("output")),
        detail: Some(RawJson::EMPTY),
        ..Event::new(EventKind::CallCompleted, START_MS + number, PrincipalId::new("agent"), Arc::new(about))
    }
}

/// Two streams whose events alternate: 1, 3, 5, 7, 9 and 2, 4, 6, 8, 10.
async fn ledger(world: &StoreWorld) -> Store {
    let store = world.open().await;
    let writers = [writer(&store, "one").await, writer(&store, "two").await];
    for number in 0..10 {
        writers[number % 2].append(entry(vec![full(number as i64)])).await.expect("written");
    }
    store
}

async fn fault(store: &Store) -> Option<LedgerFault> {
    store.verify_ledger(|_| ()).await.expect("verified").fault
}

fn at(stream: &str, stream_seq: i64, seq: Option<i64>, what: Tampering) -> Option<LedgerFault> {
    Some(LedgerFault { stream: stream.into(), stream_seq, seq, what })
}

async fn an_untouched_ledger_is_sound(world: StoreWorld) {
    let store = ledger(&world).await;
    let mut told = 0;
    let verified = store.verify_ledger(|events| told = events).await.expect("verified");
    assert_eq!((verified.events, verified.streams, verified.fault), (10, 2, None));
    assert_eq!(told, 10);
    let empty = world.elsewhere().open().await.verify_ledger(|_| ()).await.expect("verified");
    assert_eq!((empty.events, empty.fault), (0, None));
}

/// Each column and something else to put there.
const EDITS: [(&str, &str); 25] = [
    ("seq", "seq + 100"),
    ("tenant", "'other'"),
    ("stream", "'aaa'"),
    ("stream_seq", "stream_seq + 100"),
    ("previous", "hash"),
    ("hash", "previous"),
    ("kind", "'tool.call.started'"),
    ("at_ms", "at_ms + 1"),
    ("principal", "'somebody'"),
    ("session", "NULL"),
    ("run", "''"),
    ("task", "'tasks'"),
    ("call", "'tc_other'"),
    ("tool", "'files:write'"),
    ("server", "NULL"),
    ("tool_version", "hash"),
    ("trace", "NULL"),
    ("approval", "'apr_2'"),
    ("policy_version", "NULL"),
    ("decision", "'deny'"),
    ("outcome", "'failed'"),
    ("duration_us", "2"),
    ("input", "output"),
    ("output", "NULL"),
    ("detail", "'{\"a\":1}'"),
];

async fn every_column_of_every_event_is_watched(world: StoreWorld) {
    let store = ledger(&world).await;
    for (seq, stream, stream_seq) in [(1, "one", 1), (4, "two", 2), (5, "one", 3), (10, "two", 5)] {
        for (column, value) in EDITS {
            world.sql(&format!("CREATE TABLE saved AS SELECT * FROM ledger_events WHERE seq = {seq}")).await;
            let edit = format!("UPDATE ledger_events SET {column} = {value} WHERE seq = {seq}");
            assert_eq!(world.sql(&edit).await, 1, "{edit}");
            let fault = fault(&store).await.unwrap_or_else(|| panic!("{edit} went unnoticed"));
            match column {
                // A moved event is missing at its old place, or wrong at its new one: whichever comes first.
                "seq" => assert!(
                    (fault.stream == stream && fault.stream_seq == stream_seq)
                        || fault.seq == Some(seq + 100),
                    "{edit}: {fault:?}"
                ),
                _ => assert_eq!(fault.seq, Some(seq), "{edit}: {fault:?}"),
            }
            let put_back = if column == "seq" { seq + 100 } else { seq };
            world.sql(&format!("DELETE FROM ledger_events WHERE seq = {put_back}")).await;
            world.sql("INSERT INTO ledger_events SELECT * FROM saved").await;
            world.sql("DROP TABLE saved").await;
        }
    }
    assert_sound(&store).await;
}

async fn a_dropped_event_is_named(world: StoreWorld) {
    let store = ledger(&world).await;
    assert_eq!(world.sql("DELETE FROM ledger_events WHERE seq = 4").await, 1);
    assert_eq!(fault(&store).await, at("two", 2, None, Tampering::Dropped));
    assert_eq!(world.sql("DELETE FROM ledger_events WHERE seq = 1").await, 1);
    assert_eq!(fault(&store).await, at("one", 1, None, Tampering::Dropped));
}

async fn a_tail_that_was_cut_off_is_missed(world: StoreWorld) {
    let store = ledger(&world).await;
    assert_eq!(world.sql("DELETE FROM ledger_events WHERE seq >= 9").await, 2);
    assert_eq!(fault(&store).await, at("one", 5, None, Tampering::Dropped));
    world.sql("DELETE FROM ledger_events").await;
    assert_eq!(fault(&store).await, at("one", 1, None, Tampering::Dropped));
}

async fn events_that_changed_places_are_named(world: StoreWorld) {
    let store = ledger(&world).await;
    for step in ["99 WHERE stream_seq = 2", "2 WHERE stream_seq = 3", "3 WHERE stream_seq = 99"] {
        assert_eq!(
            world.sql(&format!("UPDATE ledger_events SET stream_seq = {step} AND stream = 'one'")).await,
            1
        );
    }
    // The event that is second now was third, and names the second one as its predecessor.
    let found = fault(&store).await.expect("a fault");
    assert_eq!(found.stream, "one");
    assert_eq!(found.seq, Some(3));
    for step in ["99 WHERE stream_seq = 2", "2 WHERE stream_seq = 3", "3 WHERE stream_seq = 99"] {
        world.sql(&format!("UPDATE ledger_events SET stream_seq = {step} AND stream = 'one'")).await;
    }
    assert_sound(&store).await;
    for step in ["99 WHERE seq = 3", "3 WHERE seq = 5", "5 WHERE seq = 99"] {
        assert_eq!(world.sql(&format!("UPDATE ledger_events SET seq = {step}")).await, 1);
    }
    assert_eq!(fault(&store).await, at("one", 3, Some(3), Tampering::Reordered));
}

async fn an_inserted_event_is_named(world: StoreWorld) {
    let store = ledger(&world).await;
    let columns = "tenant, stream, previous, hash, kind, at_ms, principal";
    let insert = |seq: i64, stream_seq: i64| {
        format!(
            "INSERT INTO ledger_events (seq, stream_seq, {columns}) \
             SELECT {seq}, {stream_seq}, {columns} FROM ledger_events WHERE seq = 9"
        )
    };
    assert_eq!(world.sql(&insert(11, 6)).await, 1);
    assert_eq!(fault(&store).await.expect("a fault").seq, Some(11));
    world.sql("DELETE FROM ledger_events WHERE seq = 11").await;
    assert_eq!(world.sql(&insert(0, 0)).await, 1);
    assert_eq!(fault(&store).await.expect("a fault").seq, Some(0));
}

/// An attacker who can compute hashes appends an event that fits; without the key the head does not follow.
async fn a_forged_head_is_noticed(world: StoreWorld) {
    let store = ledger(&world).await;
    let forge = "UPDATE ledger_heads SET stream_seq = 4, hash = (SELECT hash FROM ledger_events \
         WHERE stream = 'one' AND stream_seq = 4) WHERE stream = 'one'";
    assert_eq!(world.sql(forge).await, 1);
    world.sql("DELETE FROM ledger_events WHERE stream = 'one' AND stream_seq = 5").await;
    assert_eq!(fault(&store).await, at("one", 4, None, Tampering::HeadForged));
    world.sql("DELETE FROM ledger_heads WHERE stream = 'one'").await;
    assert_eq!(fault(&store).await, at("one", 4, None, Tampering::HeadForged));
}

async fn a_forged_head_is_not_sealed_by_writing_on(world: StoreWorld) {
    let cut_off = "DELETE FROM ledger_events WHERE stream = 'one' AND stream_seq = 5";
    let forge = "UPDATE ledger_heads SET stream_seq = 4, hash = (SELECT hash FROM ledger_events \
         WHERE stream = 'one' AND stream_seq = 4) WHERE stream = 'one'";
    let remove = "DELETE FROM ledger_heads WHERE stream = 'one'";
    for (steps, last) in [(&[forge, cut_off][..], 5), (&[forge], 6), (&[remove, cut_off], 5), (&[remove], 6)]
    {
        let world = world.elsewhere();
        let store = ledger(&world).await;
        for step in steps {
            assert_eq!(world.sql(step).await, 1, "{step}");
        }
        let writer = writer(&store, "one").await;
        writer.append(entry(vec![full(11)])).await.expect("it is still recorded");
        assert_eq!(fault(&store).await, at("one", last, None, Tampering::HeadForged), "{steps:?}");
    }
}
