//! A large ledger, filled through the store: filtered pages of it, and its verification.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use toolgate_core::event::{Event, EventFilter, EventKind, EventSubject, LedgerBody, LedgerEntry, Outcome};
use toolgate_core::governance::Ledger as _;
use toolgate_core::id::{CallId, SessionId};
use toolgate_core::{CanonicalName, Digest, PrincipalId, RawJson, ServerName};
use toolgate_stage::postgres::Database;
use toolgate_store::{LedgerOrder, LedgerWriter, Store};

use crate::report::{ReportTarget, Row};

/// A moment in 2026; calls lie a tenth of a second apart.
const START_MS: i64 = 1_780_000_000_000;
const APART_MS: u64 = 100;
const HOUR_MS: i64 = 3_600_000;
/// Calls that are written at once; each has two events.
const BATCH_CALLS: u64 = 500;
const PAGE: usize = 100;
/// Beyond this many events, a page may take twice the time.
const EVENTS_USUAL: u64 = 1_000_000;
/// A ledger has one large body for so many events.
const EVENTS_PER_BODY: u64 = 500;
const BODY_BYTES: usize = 64 << 10;
const BODIES_AT_ONCE: u64 = 50;

pub(super) async fn measure(events: u64, postgres: Option<&str>) -> anyhow::Result<Vec<Row>> {
    let folder = tempfile::tempdir().context("make a temporary folder")?;
    let store = Store::open(folder.path()).await?;
    let mut rows = one(&store, events, "SQLite").await?;
    let beside = tempfile::tempdir().context("make a temporary folder")?;
    rows.push(bodies(&Store::open(beside.path()).await?, events / EVENTS_PER_BODY, "SQLite").await?);
    if let Some(server) = postgres {
        let database = Database::create(server);
        rows.extend(on_postgres(folder.path(), &database, events).await?);
        let of_bodies = database.another();
        let store = Store::open_url(beside.path(), &of_bodies.url).await?;
        rows.push(bodies(&store, events / EVENTS_PER_BODY, "Postgres").await?);
    }
    Ok(rows)
}

async fn on_postgres(folder: &Path, database: &Database, events: u64) -> anyhow::Result<Vec<Row>> {
    let store = Store::open_url(folder, &database.url).await?;
    one(&store, events, "Postgres").await
}

/// Verifies large arguments.
async fn bodies(store: &Store, count: u64, database: &str) -> anyhow::Result<Row> {
    let writer = LedgerWriter::start(store, "bench").await?;
    for first in (0..count).step_by(BODIES_AT_ONCE as usize) {
        let calls = (first..(first + BODIES_AT_ONCE).min(count)).map(with_body);
        let (events, bodies) = calls.unzip();
        let entry = LedgerEntry { events, bodies, ..LedgerEntry::default() };
        writer.append(entry).await.map_err(|down| anyhow::anyhow!("fill the ledger with bodies: {down}"))?;
    }
    writer.close().await;
    let begun = Instant::now();
    let verified = store.verify_ledger(|_| ()).await?;
    let per_second = (count * BODY_BYTES as u64) as f64 / begun.elapsed().as_secs_f64() / 1e6;
    store.close().await;
    anyhow::ensure!(verified.bodies == Some(count), "bodies are missing: {verified:?}");
    Ok(Row::new(&format!("a ledger of {count} bodies of 64 KiB, {database}"), "verified", "MB/s")
        .measured(None, Some(per_second))
        .judged(Some(ReportTarget::AtLeast(300.0))))
}

/// An event with arguments of its own.
fn with_body(number: u64) -> (Event, LedgerBody) {
    let json = RawJson::from_composed(format!("\"{number:0width$}\"", width = BODY_BYTES - 2));
    let digest = Digest::of(json.as_bytes());
    let [started, _] = call(number);
    (Event { input: Some(digest), ..started }, LedgerBody { digest, json, keep_until_ms: i64::MAX })
}

async fn one(store: &Store, events: u64, database: &str) -> anyhow::Result<Vec<Row>> {
    fill(store, events).await?;
    let case = format!("a ledger of {events} events, {database}");
    let (slowest, worst_ms) = pages(store).await?;
    eprintln!("the slowest page is that of {slowest}");
    let begun = Instant::now();
    let verified = store.verify_ledger(|_| ()).await?;
    let per_second = verified.events as f64 / begun.elapsed().as_secs_f64();
    store.close().await;
    let page_ms_max = if events <= EVENTS_USUAL { 30.0 } else { 60.0 };
    Ok(vec![
        Row::new(&case, "slowest filtered page", "ms")
            .measured(None, Some(worst_ms))
            .judged(Some(ReportTarget::AtMost(page_ms_max))),
        Row::new(&case, "verified", "events/s")
            .measured(None, Some(per_second))
            .judged(Some(ReportTarget::AtLeast(300_000.0))),
    ])
}

async fn fill(store: &Store, events: u64) -> anyhow::Result<()> {
    let writer = LedgerWriter::start(store, "bench").await?;
    let calls = events / 2;
    for first in (0..calls).step_by(BATCH_CALLS as usize) {
        let numbers = first..(first + BATCH_CALLS).min(calls);
        let entry = LedgerEntry { events: numbers.flat_map(call).collect(), ..LedgerEntry::default() };
        writer.append(entry).await.map_err(|down| anyhow::anyhow!("fill the ledger: {down}"))?;
    }
    writer.close().await;
    Ok(())
}

fn server(number: u64) -> ServerName {
    ServerName::new(&format!("server-{}", number % 20)).expect("a legal name")
}

/// The start and the end of a call, of one of 50 agents by one of 200 tools.
fn call(number: u64) -> [Event; 2] {
    let server = server(number);
    let about = Arc::new(EventSubject {
        session: number.is_multiple_of(10).then(|| SessionId::new(format!("ses_{}", number / 100))),
        call: Some(CallId::new(format!("tc_{number:032x}"))),
        tool: Some(CanonicalName::of(&server, &format!("tool_{}", number % 200))),
        server: Some(server),
        tool_version: Some(Digest::of([number as u8])),
        ..EventSubject::default()
    });
    let principal = PrincipalId::new(&format!("tok_{:032x}", number % 50));
    let at_ms = START_MS + (number * APART_MS) as i64;
    let event = |kind, after| Event::new(kind, at_ms + after, principal.clone(), Arc::clone(&about));
    let mut completed = event(EventKind::CallCompleted, 2);
    completed.outcome = Some(if number % 500 == 7 { Outcome::Failed } else { Outcome::Succeeded });
    completed.duration_us = Some(1_234);
    [event(EventKind::CallStarted, 1), completed]
}

fn filters() -> Vec<(&'static str, EventFilter)> {
    let none = EventFilter::default;
    let hour =
        EventFilter { from_ms: Some(START_MS + HOUR_MS), until_ms: Some(START_MS + 2 * HOUR_MS), ..none() };
    let failed = EventFilter { outcomes: vec![Outcome::Failed], ..none() };
    vec![
        ("nothing", none()),
        ("an hour", hour.clone()),
        (
            "a principal",
            EventFilter { principal: Some(PrincipalId::new(&format!("tok_{:032x}", 13))), ..none() },
        ),
        ("nobody", EventFilter { principal: Some(PrincipalId::new("nobody")), ..none() }),
        ("a session", EventFilter { session: Some(SessionId::new("ses_70")), ..none() }),
        ("a call", EventFilter { call: Some(CallId::new(format!("tc_{:032x}", 5))), ..none() }),
        ("a tool", EventFilter { tool: Some(CanonicalName::of(&server(7), "tool_7")), ..none() }),
        ("failures", failed.clone()),
        (
            "failures of a server in an hour",
            EventFilter { server: Some(server(7)), outcomes: failed.outcomes, ..hour },
        ),
        ("a kind that is not there", EventFilter { kind: Some(EventKind::ApprovalVoted), ..none() }),
    ]
}

/// The slowest page, in milliseconds, from either end.
async fn pages(store: &Store) -> anyhow::Result<(&'static str, f64)> {
    let mut worst = ("nothing", 0.0);
    for (name, filter) in filters() {
        for order in [LedgerOrder::NewestFirst, LedgerOrder::OldestFirst] {
            let begun = Instant::now();
            store.ledger_page(&filter, None, PAGE, order).await?;
            let took_ms = begun.elapsed().as_secs_f64() * 1e3;
            if took_ms > worst.1 {
                worst = (name, took_ms);
            }
        }
    }
    Ok(worst)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_filled_ledger_is_read_and_verified() {
        let rows = measure(3_000, None).await.expect("measured");
        assert_eq!(rows.len(), 3);
        assert!(rows.iter().all(|row| row.gateway.is_some_and(|figure| figure > 0.0)), "{rows:?}");
    }
}
