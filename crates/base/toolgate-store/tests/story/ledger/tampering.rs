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
    a_forged_block_is_noticed,
    a_term_that_is_missing_or_forged_is_noticed,
    days_that_readers_would_not_find_are_noticed,
    forged_numbers_at_the_end_of_all_numbers_break_nothing,
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

/// Two streams with five events each.
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

fn at(stream: &str, number: i64, what: Tampering) -> Option<LedgerFault> {
    Some(LedgerFault::of_event(stream, number, what))
}

fn place(stream: &str, number: i64) -> String {
    format!("stream = '{stream}' AND number = {number}")
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

/// Each column and something else to put there. The line holds all fields of the event; any byte will do.
fn edits(world: &StoreWorld) -> Vec<(&'static str, &'static str)> {
    let line = match world.is_postgres() {
        true => "set_byte(line, 60, (get_byte(line, 60) + 1) % 256)",
        false => "CAST(substr(line, 1, 60) || x'00' || substr(line, 62) AS BLOB)",
    };
    let shorter = if world.is_postgres() { "substring(line from 1 for 90)" } else { "substr(line, 1, 90)" };
    vec![
        ("tenant", "'other'"),
        ("stream", "'aaa'"),
        ("day", "day + 1"),
        ("number", "number + 100"),
        ("time", "time + 1"),
        ("line", line),
        ("line", shorter),
    ]
}

async fn every_column_of_every_event_is_watched(world: StoreWorld) {
    let store = ledger(&world).await;
    if world.is_postgres() {
        let next = START_MS / 86_400_000 + 1;
        let day = format!("FOR VALUES FROM ({next}) TO ({})", next + 1);
        world.sql(&format!("CREATE TABLE next_day PARTITION OF ledger_lines {day}")).await;
    }
    for (stream, number) in [("one", 1), ("two", 2), ("one", 3), ("two", 5)] {
        for (column, value) in edits(&world) {
            let here = place(stream, number);
            world.sql(&format!("CREATE TABLE saved AS SELECT * FROM ledger_lines WHERE {here}")).await;
            let edit = format!("UPDATE ledger_lines SET {column} = {value} WHERE {here}");
            assert_eq!(world.sql(&edit).await, 1, "{edit}");
            let fault = fault(&store).await.unwrap_or_else(|| panic!("{edit} went unnoticed"));
            match column {
                "stream" => assert_eq!(Some(fault), at("aaa", number, Tampering::Reordered), "{edit}"),
                // Missing at its old place, or wrong at its new one: whichever comes first.
                "number" => assert!([number, number + 100].contains(&fault.number), "{edit}: {fault:?}"),
                // The others come before it.
                "day" => assert_eq!((&*fault.stream, fault.number), (stream, number), "{edit}: {fault:?}"),
                "tenant" => assert_eq!(Some(fault), at(stream, number, Tampering::Dropped), "{edit}"),
                _ => assert_eq!(Some(fault), at(stream, number, Tampering::Edited), "{edit}"),
            }
            world.sql(&format!("DELETE FROM ledger_lines WHERE {here} OR number > 100 OR stream = 'aaa' OR tenant = 'other'")).await;
            world.sql("INSERT INTO ledger_lines SELECT * FROM saved").await;
            world.sql("DROP TABLE saved").await;
        }
    }
    assert_sound(&store).await;
}

async fn a_dropped_event_is_named(world: StoreWorld) {
    let store = ledger(&world).await;
    assert_eq!(world.sql(&format!("DELETE FROM ledger_lines WHERE {}", place("two", 2))).await, 1);
    assert_eq!(fault(&store).await, at("two", 2, Tampering::Dropped));
    assert_eq!(world.sql(&format!("DELETE FROM ledger_lines WHERE {}", place("one", 1))).await, 1);
    assert_eq!(fault(&store).await, at("one", 1, Tampering::Dropped));
}

async fn a_tail_that_was_cut_off_is_missed(world: StoreWorld) {
    let store = ledger(&world).await;
    assert_eq!(world.sql("DELETE FROM ledger_lines WHERE number = 5").await, 2);
    assert_eq!(fault(&store).await, at("one", 5, Tampering::Dropped));
    world.sql("DELETE FROM ledger_lines").await;
    assert_eq!(fault(&store).await, at("one", 1, Tampering::Dropped));
}

async fn events_that_changed_places_are_named(world: StoreWorld) {
    let store = ledger(&world).await;
    for step in ["99 WHERE number = 2", "2 WHERE number = 3", "3 WHERE number = 99"] {
        assert_eq!(
            world.sql(&format!("UPDATE ledger_lines SET number = {step} AND stream = 'one'")).await,
            1
        );
    }
    assert_eq!(fault(&store).await, at("one", 2, Tampering::Reordered));
    for step in ["99 WHERE number = 2", "2 WHERE number = 3", "3 WHERE number = 99"] {
        world.sql(&format!("UPDATE ledger_lines SET number = {step} AND stream = 'one'")).await;
    }
    assert_sound(&store).await;
}

async fn an_inserted_event_is_named(world: StoreWorld) {
    let store = ledger(&world).await;
    let insert = |number: i64| {
        format!(
            "INSERT INTO ledger_lines (tenant, stream, day, number, time, line) \
             SELECT tenant, stream, day, {number}, time, line FROM ledger_lines WHERE {}",
            place("one", 5)
        )
    };
    for number in [6, 0] {
        assert_eq!(world.sql(&insert(number)).await, 1);
        assert_eq!(fault(&store).await, at("one", number, Tampering::Reordered));
        world.sql(&format!("DELETE FROM ledger_lines WHERE {}", place("one", number))).await;
    }
    assert_sound(&store).await;
}

/// Readers find events by the rows of their blocks, so these are held against the lines.
async fn a_forged_block_is_noticed(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    writer.append(entry((0..600).map(full).collect())).await.expect("written");
    assert_sound(&store).await;
    for (forge, number) in [
        ("UPDATE ledger_blocks SET root = (SELECT hash FROM ledger_heads) WHERE block = 1", 512),
        ("UPDATE ledger_blocks SET first = 2 WHERE block = 0", 1),
        ("DELETE FROM ledger_blocks WHERE block = 1", 257),
        ("DELETE FROM ledger_blocks WHERE block = 0", 1),
    ] {
        world.sql("CREATE TABLE saved AS SELECT * FROM ledger_blocks").await;
        assert_eq!(world.sql(forge).await, 1, "{forge}");
        assert_eq!(fault(&store).await, at("one", number, Tampering::BlockForged), "{forge}");
        world.sql("DELETE FROM ledger_blocks").await;
        world.sql("INSERT INTO ledger_blocks SELECT * FROM saved").await;
        world.sql("DROP TABLE saved").await;
    }
    assert_sound(&store).await;
}

/// Searches find events by these rows alone.
async fn a_term_that_is_missing_or_forged_is_noticed(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    let on = |day: i64, number: i64| Event { at_ms: START_MS + day * DAY_MS + number, ..full(number) };
    writer.append(entry((0..300).map(|number| on(0, number)).collect())).await.expect("written");
    writer.append(entry((0..300).map(|number| on(1, number)).collect())).await.expect("written");
    assert_sound(&store).await;
    let least = |block: i64| {
        format!("term = (SELECT term FROM ledger_terms WHERE block = {block} ORDER BY term LIMIT 1)")
    };
    let bytes = if world.is_postgres() { "'\\x0102'::BYTEA" } else { "x'0102'" };
    let other = "INSERT INTO ledger_terms (tenant, term, stream, block, day, places) SELECT tenant,";
    for (forge, stream, number) in [
        (format!("DELETE FROM ledger_terms WHERE block = 0 AND {}", least(0)), "one", 1),
        (format!("UPDATE ledger_terms SET places = {bytes} WHERE block = 0 AND {}", least(0)), "one", 1),
        (format!("UPDATE ledger_terms SET term = {bytes} WHERE block = 0 AND {}", least(0)), "one", 1),
        (
            format!(
                "{other} {bytes}, stream, block, day, places FROM ledger_terms WHERE block = 0 AND {}",
                least(0)
            ),
            "one",
            1,
        ),
        (
            format!(
                "{other} term, 'other', block, day, places FROM ledger_terms WHERE block = 0 AND {}",
                least(0)
            ),
            "other",
            1,
        ),
    ] {
        world.sql("CREATE TABLE saved AS SELECT * FROM ledger_terms").await;
        assert_eq!(world.sql(&forge).await, 1, "{forge}");
        assert_eq!(fault(&store).await, at(stream, number, Tampering::TermForged), "{forge}");
        world.sql("DELETE FROM ledger_terms").await;
        world.sql("INSERT INTO ledger_terms SELECT * FROM saved").await;
        world.sql("DROP TABLE saved").await;
    }
    assert!(world.sql("DELETE FROM ledger_terms").await > 100);
    assert_eq!(fault(&store).await, at("one", 1, Tampering::TermForged), "all of them");
    // A line that was changed is named before the terms that it no longer has.
    let (column, value) = edits(&world)[5];
    world.sql(&format!("UPDATE ledger_lines SET {column} = {value} WHERE {}", place("one", 3))).await;
    assert_eq!(fault(&store).await, at("one", 3, Tampering::Edited));
}

/// A list, an export and an erasure would pass these days by.
async fn days_that_readers_would_not_find_are_noticed(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    let on = |day: i64, number: i64| Event { at_ms: START_MS + day * DAY_MS + number, ..full(number) };
    writer.append(entry((0..300).map(|number| on(0, number)).collect())).await.expect("written");
    writer.append(entry((0..300).map(|number| on(1, number)).collect())).await.expect("written");
    assert_sound(&store).await;
    let forgeries =
        ["day = day - 1", "block = block + 9", "last = last + 1", "since = since + 1", "until = until - 1"];
    let forgeries = forgeries.into_iter().chain(["at_min = at_min + 1", "at_max = at_max - 1"]);
    let blocks = forgeries.map(|set| format!("UPDATE ledger_blocks SET {set} WHERE block = 0"));
    let heads =
        ["1", "257", "301", "601", "9000"].map(|part| format!("UPDATE ledger_heads SET part = {part}"));
    for forge in blocks.chain(heads) {
        for table in ["ledger_blocks", "ledger_heads"] {
            world.sql(&format!("CREATE TABLE saved_{table} AS SELECT * FROM {table}")).await;
        }
        assert_eq!(world.sql(&forge).await, 1, "{forge}");
        let fault = fault(&store).await.unwrap_or_else(|| panic!("{forge} went unnoticed"));
        assert_eq!((&*fault.stream, fault.what), ("one", Tampering::BlockForged), "{forge}");
        for table in ["ledger_blocks", "ledger_heads"] {
            world.sql(&format!("DELETE FROM {table}")).await;
            world.sql(&format!("INSERT INTO {table} SELECT * FROM saved_{table}")).await;
            world.sql(&format!("DROP TABLE saved_{table}")).await;
        }
    }
    assert_sound(&store).await;
}

async fn forged_numbers_at_the_end_of_all_numbers_break_nothing(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    writer.append(entry((0..600).map(full).collect())).await.expect("written");
    for number in ["-9223372036854775807 - 1", "9223372036854775807"] {
        for forge in [
            format!("UPDATE ledger_blocks SET first = {number} WHERE block = 0"),
            format!("UPDATE ledger_blocks SET last = {number} WHERE block = 0"),
            format!("UPDATE ledger_heads SET part = {number}"),
        ] {
            for table in ["ledger_blocks", "ledger_heads"] {
                world.sql(&format!("CREATE TABLE saved_{table} AS SELECT * FROM {table}")).await;
            }
            assert_eq!(world.sql(&forge).await, 1, "{forge}");
            let fault = fault(&store).await.unwrap_or_else(|| panic!("{forge} went unnoticed"));
            assert_eq!(fault.what, Tampering::BlockForged, "{forge}");
            // Reading may fail or find less; it does not panic.
            drop(store.ledger_roots().await);
            for order in [LedgerOrder::OldestFirst, LedgerOrder::NewestFirst] {
                drop(store.ledger_page(&EventFilter::default(), None, 1_000, order).await);
            }
            for table in ["ledger_blocks", "ledger_heads"] {
                world.sql(&format!("DELETE FROM {table}")).await;
                world.sql(&format!("INSERT INTO {table} SELECT * FROM saved_{table}")).await;
                world.sql(&format!("DROP TABLE saved_{table}")).await;
            }
        }
    }
    assert_sound(&store).await;
}

/// An attacker who can compute hashes appends an event that fits; without the key the head does not follow.
async fn a_forged_head_is_noticed(world: StoreWorld) {
    let store = ledger(&world).await;
    let forge = "UPDATE ledger_heads SET number = 4, hash = (SELECT hash FROM ledger_heads WHERE stream = 'two') \
         WHERE stream = 'one'";
    assert_eq!(world.sql(forge).await, 1);
    world.sql("DELETE FROM ledger_lines WHERE stream = 'one' AND number = 5").await;
    assert_eq!(fault(&store).await, at("one", 4, Tampering::HeadForged));
    world.sql("DELETE FROM ledger_heads WHERE stream = 'one'").await;
    assert_eq!(fault(&store).await, at("one", 4, Tampering::HeadForged));
}

async fn a_forged_head_is_not_sealed_by_writing_on(world: StoreWorld) {
    let cut_off = "DELETE FROM ledger_lines WHERE stream = 'one' AND number = 5";
    let forge = "UPDATE ledger_heads SET number = 4, hash = (SELECT hash FROM ledger_heads WHERE stream = 'two') \
         WHERE stream = 'one'";
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
        assert_eq!(fault(&store).await, at("one", last, Tampering::HeadForged), "{steps:?}");
    }
}
