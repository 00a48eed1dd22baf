//! The cost of the ledger: `cargo run --release -p toolgate-store --example ledger_bench -- [postgres://…]`.
//!
//! Calls of two events and two bodies, as the gateway makes them, from many callers at once, with the bytes that
//! they take; then a million events, a page of events and one of calls for each filter, and a verification.
//! Without a URL it runs on SQLite in a temporary folder.
#![expect(clippy::disallowed_methods, reason = "a benchmark starts tasks as it likes")]

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use toolgate_core::event::{
    DecisionKind, Durability, Event, EventFilter, EventKind, EventSubject, LedgerBody, LedgerEntry, Outcome,
};
use toolgate_core::governance::{Ledger, Warrant};
use toolgate_core::id::{CallId, RunId, SessionId};
use toolgate_core::{CanonicalName, Digest, PrincipalId, RawJson, ServerName};
use toolgate_store::{CallFilter, LedgerOrder, LedgerWriter, Store};

const EVENTS_WANTED: u64 = 1_000_000;
const EVENTS_PER_CALL: u64 = 2;
/// A moment in 2026; the events of the bench lie a tenth of a second apart.
const START_MS: i64 = 1_780_000_000_000;
const MEASURED: Duration = Duration::from_secs(4);

fn say(text: std::fmt::Arguments<'_>) {
    writeln!(std::io::stdout(), "{text}").expect("stdout is open");
}

/// User and system time of this process so far, in microseconds.
fn cpu_us() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux tells the time of a process");
    let after = stat.rsplit(')').next().expect("the name is in brackets");
    let ticks: u64 =
        after.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse::<u64>().expect("a number")).sum();
    ticks * 10_000
}

struct BenchCalls {
    next: AtomicU64,
}

/// The variety of callers, tools and arguments.
#[derive(Clone, Copy, Debug)]
enum TrafficMix {
    /// One agent, one tool, the same arguments.
    Same,
    /// 50 agents, 200 tools, a hundred different arguments.
    Mixed,
    /// The same, and no two arguments or results alike.
    Unique,
}

/// One call: the entries before it is sent and after it has ended.
fn call(number: u64, traffic: TrafficMix) -> (LedgerEntry, LedgerEntry) {
    let pick = |count: u64| if matches!(traffic, TrafficMix::Same) { 7 } else { number % count };
    let server = ServerName::new(&format!("server-{}", pick(20))).expect("a legal name");
    let about = Arc::new(EventSubject {
        session: number.is_multiple_of(10).then(|| SessionId::new(format!("ses_{}", number / 100))),
        run: number.is_multiple_of(50).then(|| RunId::new(format!("run_{}", number / 500))),
        task: None,
        call: Some(CallId::new(format!("tc_{number:032x}"))),
        tool: Some(CanonicalName::of(&server, &format!("tool_{}", pick(200)))),
        server: Some(server),
        tool_version: Some(Digest::of([number as u8])),
        trace: None,
    });
    let principal = PrincipalId::new(&format!("tok_{:032x}", pick(50)));
    let at = START_MS + (number * 100) as i64;
    let event = |kind, after: i64| Event::new(kind, at + after, principal.clone(), Arc::clone(&about));
    let mark = if matches!(traffic, TrafficMix::Unique) { number } else { pick(100) };
    let input = body(format!("{{\"path\":\"/data/{mark}\",\"limit\":100,\"encoding\":\"utf-8\"}}"), at);
    let output = body(format!("{{\"content\":[{{\"type\":\"text\",\"text\":\"{mark:0>400}\"}}]}}"), at);
    let mut started = event(EventKind::CallStarted, 1);
    started.input = Some(input.digest);
    started.policy_version = Some(Digest::of("policy"));
    started.decision =
        Some(if number.is_multiple_of(1000) { DecisionKind::Deny } else { DecisionKind::Permit });
    let mut completed = event(EventKind::CallCompleted, 2);
    completed.outcome = Some(if number % 500 == 7 { Outcome::Failed } else { Outcome::Succeeded });
    completed.duration_us = Some(1234);
    completed.output = Some(output.digest);
    let before = LedgerEntry { events: vec![started], bodies: vec![input], durability: Durability::OnDisk };
    let after =
        LedgerEntry { events: vec![completed], bodies: vec![output], durability: Durability::Written };
    (before, after)
}

fn body(text: String, at_ms: i64) -> LedgerBody {
    let json = RawJson::from_composed(text);
    LedgerBody { digest: Digest::of(json.as_bytes()), json, keep_until_ms: at_ms + 30 * 86_400_000 }
}

/// `callers` at once, for a while. Prints the cost of a call.
async fn measure(
    writer: &LedgerWriter,
    calls: &Arc<BenchCalls>,
    callers: u64,
    durability: Durability,
    traffic: TrafficMix,
) {
    let (begun, cpu) = (Instant::now(), cpu_us());
    let first = calls.next.load(Ordering::SeqCst);
    let mut tasks: Vec<tokio::task::JoinHandle<Vec<Duration>>> = Vec::new();
    for _ in 0..callers {
        let (writer, calls) = (writer.clone(), Arc::clone(calls));
        tasks.push(tokio::spawn(async move {
            let mut starts = Vec::new();
            while begun.elapsed() < MEASURED {
                let (mut before, after) = call(calls.next.fetch_add(1, Ordering::SeqCst), traffic);
                before.durability = durability;
                let start = Instant::now();
                writer.start(before, Warrant::NoneNeeded).await.expect("written");
                starts.push(start.elapsed());
                writer.append(after).await.expect("written");
            }
            starts
        }));
    }
    let mut starts = Vec::new();
    for task in tasks {
        starts.extend(task.await.expect("the caller ends"));
    }
    starts.sort_unstable();
    let at = |share: f64| starts[((starts.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    let made = calls.next.load(Ordering::SeqCst) - first;
    let (seconds, cpu) = (begun.elapsed().as_secs_f64(), (cpu_us() - cpu) as f64);
    say(format_args!(
        "{callers:4} callers, {durability:?}, {traffic:?}: {:7.0} calls/s, {:7.0} events/s, {:6.1} µs of CPU per call, {:5.1} per event; start p50 {:.2} ms, p99 {:.2} ms",
        made as f64 / seconds,
        (made * EVENTS_PER_CALL) as f64 / seconds,
        cpu / made as f64,
        cpu / (made * EVENTS_PER_CALL) as f64,
        at(0.5),
        at(0.99),
    ));
}

/// The cost of the bench itself.
fn measure_making() {
    let cpu = cpu_us();
    let made = (0..100_000).map(|number| call(number, TrafficMix::Mixed).0.events.len()).sum::<usize>();
    say(format_args!("making a call costs {:.1} µs", (cpu_us() - cpu) as f64 / made as f64));
}

async fn fill(writer: &LedgerWriter, calls: &Arc<BenchCalls>) {
    let mut tasks = Vec::new();
    for _ in 0..512 {
        let (writer, calls) = (writer.clone(), Arc::clone(calls));
        tasks.push(tokio::spawn(async move {
            loop {
                let number = calls.next.fetch_add(1, Ordering::SeqCst);
                if number * EVENTS_PER_CALL >= EVENTS_WANTED {
                    return;
                }
                let (mut before, after) = call(number, TrafficMix::Mixed);
                before.events.extend(after.events);
                before.durability = Durability::Written;
                writer.append(before).await.expect("written");
            }
        }));
    }
    for task in tasks {
        task.await.expect("the caller ends");
    }
}

fn filters() -> Vec<(&'static str, EventFilter)> {
    let server = ServerName::new("server-7").expect("a legal name");
    let hour = 3_600_000;
    let none = EventFilter::default;
    vec![
        ("nothing", none()),
        (
            "time, an old hour",
            EventFilter { from_ms: Some(START_MS + hour), until_ms: Some(START_MS + 2 * hour), ..none() },
        ),
        (
            "time, one minute",
            EventFilter {
                from_ms: Some(START_MS + hour),
                until_ms: Some(START_MS + hour + 60_000),
                ..none()
            },
        ),
        ("time, the first half", EventFilter { until_ms: Some(START_MS + 4 * hour), ..none() }),
        (
            "principal",
            EventFilter { principal: Some(PrincipalId::new(&format!("tok_{:032x}", 13))), ..none() },
        ),
        ("principal, nobody", EventFilter { principal: Some(PrincipalId::new("nobody")), ..none() }),
        ("session", EventFilter { session: Some(SessionId::new("ses_70")), ..none() }),
        ("run", EventFilter { run: Some(RunId::new("run_3")), ..none() }),
        ("call", EventFilter { call: Some(CallId::new(format!("tc_{:032x}", 5))), ..none() }),
        ("tool", EventFilter { tool: Some(CanonicalName::of(&server, "tool_7")), ..none() }),
        ("server", EventFilter { server: Some(server.clone()), ..none() }),
        ("outcome succeeded", EventFilter { outcomes: vec![Outcome::Succeeded], ..none() }),
        ("outcome failed", EventFilter { outcomes: vec![Outcome::Failed], ..none() }),
        ("outcome unknown, none", EventFilter { outcomes: vec![Outcome::Unknown], ..none() }),
        ("decision permit", EventFilter { decision: Some(DecisionKind::Permit), ..none() }),
        ("decision deny", EventFilter { decision: Some(DecisionKind::Deny), ..none() }),
        ("kind completed", EventFilter { kind: Some(EventKind::CallCompleted), ..none() }),
        ("kind approval.voted, none", EventFilter { kind: Some(EventKind::ApprovalVoted), ..none() }),
        (
            "server and failed and an hour",
            EventFilter {
                server: Some(server),
                outcomes: vec![Outcome::Failed],
                from_ms: Some(START_MS + hour),
                until_ms: Some(START_MS + 2 * hour),
                ..none()
            },
        ),
    ]
}

async fn pages(store: &Store) {
    for (name, filter) in filters() {
        for order in [LedgerOrder::NewestFirst, LedgerOrder::OldestFirst] {
            let begun = Instant::now();
            let page = store.ledger_page(&filter, None, 100, order).await.expect("read");
            let took = begun.elapsed();
            say(format_args!(
                "  {name:32} {order:?}: {:3} events in {:7.2} ms",
                page.len(),
                took.as_secs_f64() * 1e3
            ));
        }
    }
}

/// The same filters over calls, as a list of calls shows them.
async fn call_pages(store: &Store) {
    for (name, events) in filters() {
        let filter = CallFilter { events, ..CallFilter::default() };
        let begun = Instant::now();
        let page = store.calls(&filter, None, 50).await.expect("read");
        let took = begun.elapsed().as_secs_f64() * 1e3;
        say(format_args!("  {name:32} {:3} calls in {took:7.2} ms", page.calls.len()));
    }
}

#[tokio::main]
async fn main() {
    let folder = match std::env::var_os("BENCH_FOLDER") {
        Some(parent) => tempfile::tempdir_in(parent),
        None => tempfile::tempdir(),
    };
    let folder = folder.expect("a temporary folder");
    let store = match std::env::args().nth(1).filter(|argument| !argument.starts_with("--")) {
        Some(url) => Store::open_url(folder.path(), &url).await,
        None => Store::open(folder.path()).await,
    };
    let store = store.expect("the store opens");
    let writer = LedgerWriter::start(&store, "bench").await.expect("the writer starts");
    measure_making();
    let calls = Arc::new(BenchCalls { next: AtomicU64::new(0) });
    for (callers, durability, traffic) in [
        (128, Durability::OnDisk, TrafficMix::Same),
        (1, Durability::OnDisk, TrafficMix::Same),
        (64, Durability::OnDisk, TrafficMix::Same),
        (64, Durability::Written, TrafficMix::Same),
        (64, Durability::OnDisk, TrafficMix::Mixed),
        (64, Durability::OnDisk, TrafficMix::Unique),
        (512, Durability::OnDisk, TrafficMix::Mixed),
    ] {
        measure(&writer, &calls, callers, durability, traffic).await;
    }
    if std::env::args().any(|argument| argument == "--short") {
        writer.close().await;
        store.close().await;
        let size = std::fs::metadata(folder.path().join("toolgate.db")).map_or(0, |file| file.len());
        let made = calls.next.load(Ordering::SeqCst);
        say(format_args!(
            "{made} calls; the file of SQLite has {:.0} bytes per call",
            size as f64 / made as f64
        ));
        return;
    }
    let begun = Instant::now();
    fill(&writer, &calls).await;
    say(format_args!("filled in {:.1} s", begun.elapsed().as_secs_f64()));
    pages(&store).await;
    call_pages(&store).await;
    let (begun, cpu) = (Instant::now(), cpu_us());
    let verified = store.verify_ledger(|_| ()).await.expect("verified");
    let seconds = begun.elapsed().as_secs_f64();
    let events = verified.events as f64;
    say(format_args!(
        "{verified:?} in {seconds:.2} s: {:.0} events/s, {:.1} µs of CPU per event",
        events / seconds,
        (cpu_us() - cpu) as f64 / events
    ));
    writer.close().await;
    store.close().await;
}
