//! Figures count each event once: in complete blocks and in open ones, after a kill at any step, over several
//! writers, and for ledgers that are older than they.

use serde_json::json;
use toolgate_core::governance::{Ledger, Warrant};
use toolgate_store::{CallFilter, Figure, FigureBy, FigureQuery, FigureSpan, FigureSums, TimeFigure};

use super::*;
use crate::world::StoreWorld;

crate::on_both!(
    every_event_is_counted_once_whatever_its_block,
    figures_agree_with_the_list_of_calls,
    a_process_that_dies_at_any_step_counts_nothing_twice,
    an_older_ledger_is_counted_later,
    short_spans_are_deleted_and_days_stay,
    names_beyond_a_limit_share_a_row,
    approvals_and_models_are_counted,
    months_of_figures_are_read_at_once,
);

const MINUTE_MS: i64 = FigureSpan::Minute.ms();
const EVERYTHING: (i64, i64) = (START_MS - 30 * DAY_MS, START_MS + 30 * DAY_MS);

fn query(by: FigureBy, (from_ms, until_ms): (i64, i64), step_ms: i64) -> FigureQuery {
    let whole = |ms: i64| ms.div_euclid(step_ms) * step_ms;
    FigureQuery { by, name: None, from_ms: whole(from_ms), until_ms: whole(until_ms), step_ms }
}

/// The sums by name over all of the time.
async fn sums(store: &Store, by: FigureBy, step_ms: i64) -> Vec<(String, FigureSums)> {
    let series = store.figures(&query(by, EVERYTHING, step_ms)).await.expect("read");
    let sum = |(name, steps): (String, std::collections::BTreeMap<i64, FigureSums>)| {
        let mut sums = FigureSums::default();
        steps.values().for_each(|one| sums.add_all(one));
        (name, sums)
    };
    series.into_iter().map(sum).collect()
}

async fn all_calls(store: &Store) -> FigureSums {
    sums(store, FigureBy::All, MINUTE_MS).await.pop().map(|(_, sums)| sums).unwrap_or_default()
}

/// The end of a call: every third fails, the tools take turns.
fn end(number: i64) -> Event {
    let outcome = if number % 3 == 0 { Outcome::Failed } else { Outcome::Succeeded };
    let mut event = completed(&format!("tc_{number}"), outcome);
    event.at_ms += number * 7_000;
    event.duration_us = Some(10_000);
    let about = Arc::make_mut(&mut event.about);
    about.tool = Some(CanonicalName::recorded(&format!("files:tool_{}", number % 4)));
    let detail = match outcome {
        Outcome::Failed => json!({ "code": "server_timeout" }),
        _ => json!({ "server_us": 9_000, "tokens": { "arguments": 2, "result": 30, "saved": 500 } }),
    };
    event.detail = Some(detail.into());
    event
}

async fn write(writer: &LedgerWriter, numbers: std::ops::Range<i64>, at_once: usize) {
    for numbers in numbers.collect::<Vec<_>>().chunks(at_once) {
        let events = numbers.iter().map(|number| end(*number)).collect();
        writer.append(entry(events)).await.expect("written");
    }
}

async fn every_event_is_counted_once_whatever_its_block(world: StoreWorld) {
    let store = world.open().await;
    let (one, two) = (writer(&store, "one").await, writer(&store, "two").await);
    // Over four blocks, by two gateways, in batches that end within a block and beyond it.
    write(&one, 0..700, 33).await;
    write(&two, 700..1_000, 300).await;
    for step_ms in FigureSpan::ALL.map(FigureSpan::ms) {
        let (_, total) = sums(&store, FigureBy::All, step_ms).await.pop().expect("one");
        assert_eq!((total.calls(), total.failed()), (1_000, 334), "{step_ms}");
        assert_eq!(total.get(Figure::SavedTokens), 666 * 500);
        assert_eq!(total.times(TimeFigure::Server), 666);
        assert_eq!(total.percentile(TimeFigure::Gateway, 95).map(|us| us / 100), Some(10), "1 ms of 10");
        let tools = sums(&store, FigureBy::Tool, step_ms).await;
        let tools: Vec<_> = tools.iter().map(|(name, sums)| (&**name, sums.calls())).collect();
        assert_eq!(
            tools,
            [0, 1, 2, 3]
                .map(|n| ["files:tool_0", "files:tool_1", "files:tool_2", "files:tool_3"][n])
                .map(|name| (name, 250))
        );
        let errors = sums(&store, FigureBy::Error, step_ms).await;
        assert_eq!(
            errors.iter().map(|(name, sums)| (&**name, sums.failed())).collect::<Vec<_>>(),
            [("server_timeout", 334)]
        );
    }
    // After a restart, the writer goes on with what it finds.
    one.close().await;
    let one = writer(&store, "one").await;
    write(&one, 1_000..1_400, 50).await;
    assert_eq!(all_calls(&store).await.calls(), 1_400);
    assert_sound(&store).await;
}

async fn figures_agree_with_the_list_of_calls(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    write(&writer, 0..300, 40).await;
    let asked = query(FigureBy::Tool, (START_MS, START_MS + 40 * MINUTE_MS), 5 * MINUTE_MS);
    let series = store.figures(&asked).await.expect("read");
    let steps = &series["files:tool_1"];
    assert!(steps.len() >= 7, "{steps:?}");
    for (at, sums) in steps {
        let events = EventFilter {
            from_ms: Some(*at),
            until_ms: Some(at + asked.step_ms),
            tool: Some(CanonicalName::recorded("files:tool_1")),
            ..EventFilter::default()
        };
        let filter = CallFilter { events, ..CallFilter::default() };
        let page = store.calls(&filter, None, 200).await.expect("read");
        let failed = page.calls.iter().filter(|call| call.state.as_str() == "failed").count();
        assert_eq!((sums.calls(), sums.failed()), (page.calls.len() as u64, failed as u64), "{at}");
    }
    let only = FigureQuery { name: Some("files:tool_2".into()), ..asked };
    assert_eq!(store.figures(&only).await.expect("read").into_keys().collect::<Vec<_>>(), ["files:tool_2"]);
}

async fn a_process_that_dies_at_any_step_counts_nothing_twice(world: StoreWorld) {
    // A database for each step takes long on Postgres, where every third is tried.
    let apart = if world.is_postgres() { 3 } else { 1 };
    for n in (1..).step_by(apart) {
        let world = world.elsewhere();
        let store = world.open().await;
        let one = writer(&store, "one").await;
        write(&one, 0..250, 50).await;
        store.fail_from_nth(n);
        let last = one.start(on_disk((250..260).map(end).collect()), Warrant::NoneNeeded).await;
        let is_over = store.is_fault_to_come();
        // Another process finds what is there.
        let next = world.open().await;
        let count = all_calls(&next).await.calls();
        assert_eq!(count, all(&next).await.len() as u64, "step {n}");
        assert!(last.is_err() || count == 260, "step {n}");
        let two = writer(&next, "one").await;
        write(&two, 260..600, 85).await;
        let written = all(&next).await.len() as u64;
        assert_eq!(all_calls(&next).await.calls(), written, "step {n}");
        store.fail_never();
        store.close().await;
        if is_over {
            return;
        }
    }
}

async fn an_older_ledger_is_counted_later(world: StoreWorld) {
    let store = world.open().await;
    let one = writer(&store, "one").await;
    write(&one, 0..900, 90).await;
    // As if an earlier version had written it.
    world.sql("DELETE FROM figures").await;
    world
        .sql(
            "INSERT INTO figures_due (tenant, stream, block, day) SELECT tenant, stream, block, day FROM ledger_blocks",
        )
        .await;
    let due = store.figures_due().await.expect("counted");
    assert!(due >= 3, "{due}");
    assert!(all_calls(&store).await.calls() < 300, "only the open block is counted");
    let mut counted = 0;
    while let count @ 1.. = store.count_due_figures().await.expect("counted") {
        counted += count as u64;
    }
    assert_eq!((counted, store.figures_due().await.expect("counted")), (due, 0));
    assert_eq!(all_calls(&store).await.calls(), 900);
    // The writer knows rows that are gone; another one begins.
    one.close().await;
    let one = writer(&store, "one").await;
    write(&one, 900..1_200, 100).await;
    assert_eq!(all_calls(&store).await.calls(), 1_200);
}

async fn short_spans_are_deleted_and_days_stay(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    write(&writer, 0..512, 256).await;
    let by_step = async |step_ms| {
        sums(&store, FigureBy::All, step_ms).await.first().map_or(0, |(_, sums)| sums.calls())
    };
    let spans = FigureSpan::ALL.map(FigureSpan::ms);
    assert_eq!(store.delete_old_figures(START_MS + DAY_MS).await.expect("deleted"), 0);
    assert!(store.delete_old_figures(START_MS + 20 * DAY_MS).await.expect("deleted") > 0);
    assert_eq!([by_step(spans[0]).await, by_step(spans[1]).await, by_step(spans[2]).await], [0, 512, 512]);
    assert!(store.delete_old_figures(START_MS + 500 * DAY_MS).await.expect("deleted") > 0);
    assert_eq!([by_step(spans[1]).await, by_step(spans[2]).await], [0, 512]);
}

async fn names_beyond_a_limit_share_a_row(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    for numbers in (0..512).collect::<Vec<i64>>().chunks(64) {
        let events = numbers.iter().map(|number| {
            let mut event = end(*number);
            event.at_ms = START_MS;
            event.principal = PrincipalId::new(&format!("agent_{number:03}"));
            event
        });
        writer.append(entry(events.collect())).await.expect("written");
    }
    let agents = sums(&store, FigureBy::Agent, MINUTE_MS).await;
    assert_eq!(agents.len(), 101);
    assert_eq!(agents.iter().map(|(_, sums)| sums.calls()).sum::<u64>(), 512);
    assert!(agents.iter().any(|(name, sums)| name == toolgate_store::OTHER_NAMES && sums.calls() == 412));
}

async fn approvals_and_models_are_counted(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    let with = |mut event: Event, detail: serde_json::Value| {
        event.detail = Some(detail.into());
        event
    };
    let asked = event(EventKind::ApprovalRequested, "tc_1");
    let decided =
        with(event(EventKind::ApprovalResolved, "tc_1"), json!({ "state": "approved", "waited_ms": 60_000 }));
    let answer = json!({ "model": "wri\0ter", "turn": 1, "input": 100, "cached": 40, "output": 7, "cost_micros": 900 });
    let answered = with(event(EventKind::ModelCalled, "tc_1"), answer.clone());
    let mut summary = answer;
    summary["for"] = json!("summary");
    let summary = with(event(EventKind::ModelCalled, "tc_1"), summary);
    let broken = with(event(EventKind::ModelCalled, "tc_1"), json!({ "model": 7 }));
    writer.append(entry(vec![asked, decided, answered, summary, broken])).await.expect("written");
    let total = all_calls(&store).await;
    assert_eq!((total.get(Figure::ApprovalsAsked), total.get(Figure::ApprovalsDecided)), (1, 1));
    let decided = total.percentile(TimeFigure::Decision, 50).expect("one");
    assert!((60_000..68_000).contains(&decided), "{decided}");
    let models = sums(&store, FigureBy::Model, MINUTE_MS).await;
    let [(_, model)] = &models[..] else { panic!("{models:?}") };
    let told = [Figure::Turns, Figure::InputTokens, Figure::OutputTokens, Figure::CostMicros];
    assert_eq!(told.map(|figure| model.get(figure)), [1, 200, 14, 1_800]);
}

/// `FIGURES_DAYS=90 cargo nextest run --workspace --no-capture -E 'binary(story) and test(/months_of_figures/)'` makes the rows of a
/// gateway that was busy for 90 days with 90 names, and says how long ranges take to read.
async fn months_of_figures_are_read_at_once(world: StoreWorld) {
    const NAMES: [(FigureBy, i64); 6] = [
        (FigureBy::All, 1),
        (FigureBy::Agent, 20),
        (FigureBy::Tool, 50),
        (FigureBy::Server, 10),
        (FigureBy::Model, 3),
        (FigureBy::Error, 6),
    ];
    let asked: Option<i64> = std::env::var("FIGURES_DAYS").ok().and_then(|days| days.parse().ok());
    let days = asked.unwrap_or(1);
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    write(&writer, 0..512, 256).await;
    let rows = world.rows("SELECT name, at, sums FROM figures WHERE span = 60 AND property = 0").await;
    let (_, _, sums) = rows.into_iter().max_by_key(|(.., sums)| sums.len()).expect("a row");
    let hex: String = sums.iter().map(|byte| format!("{byte:02x}")).collect();
    let sums = if world.is_postgres() { format!("'\\x{hex}'::BYTEA") } else { format!("x'{hex}'") };
    writer.close().await;
    world.sql("DELETE FROM figures").await;
    let end_ms = START_MS.div_euclid(DAY_MS) * DAY_MS;
    for span in FigureSpan::ALL {
        let length = match (asked, span) {
            (None, FigureSpan::Minute) => 120 * MINUTE_MS,
            (_, FigureSpan::Minute) => days.min(14) * DAY_MS,
            _ => days * DAY_MS,
        };
        let (count, number) = (length / span.ms(), span as i64);
        let first = end_ms / span.ms() - count;
        for (by, names) in NAMES {
            let by = by as u8;
            let text = format!(
                "WITH RECURSIVE step(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM step WHERE n < {count} - 1), \
                 one(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM one WHERE k < {names} - 1) \
                 INSERT INTO figures (tenant, span, property, at, name, stream, sums) \
                 SELECT 'default', {number}, {by}, {first} + n, CASE WHEN {by} = 0 THEN '' ELSE 'name_' || k END, 'one', {sums} \
                 FROM step, one"
            );
            assert_eq!(world.sql(&text).await, (count * names).unsigned_abs());
        }
    }
    for (name, length, step_ms) in [
        ("15 minutes", 15 * MINUTE_MS, MINUTE_MS),
        ("24 hours", DAY_MS, 10 * MINUTE_MS),
        ("30 days", 30 * DAY_MS, 6 * FigureSpan::Hour.ms()),
        ("90 days", 90 * DAY_MS, DAY_MS),
    ] {
        for by in [FigureBy::All, FigureBy::Tool] {
            let query = FigureQuery { by, name: None, from_ms: end_ms - length, until_ms: end_ms, step_ms };
            let begun = std::time::Instant::now();
            let series = store.figures(&query).await.expect("read");
            let took = begun.elapsed();
            assert_eq!(series.len(), if by == FigureBy::All { 1 } else { 50 }, "{name}");
            if asked.is_some() {
                eprintln!("{name} by {}: {took:?}", by.as_str());
            }
        }
    }
}
