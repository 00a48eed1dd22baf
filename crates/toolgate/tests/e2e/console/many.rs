//! A ledger with a hundred thousand calls: every list is still fast.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use toolgate_core::event::{
    DecisionKind, Durability, Event, EventKind, EventSubject, LedgerBody, LedgerEntry, Outcome,
};
use toolgate_core::governance::Ledger;
use toolgate_core::id::{CallId, RunId, SessionId};
use toolgate_core::{CanonicalName, Digest, PrincipalId, RawJson, ServerName};
use toolgate_store::{LedgerWriter, Store};

use super::links::attribute;
use super::plain::Visitor;
use crate::boot;
use crate::doors::cpu_seconds;

const CALLS: u64 = 100_000;
const WRITERS: u64 = 256;
/// They lie this far apart, the last one now.
const APART_MS: u64 = 800;
/// The maximum time of a list. The program under test is unoptimised: the released one is faster.
const LIST_MS_MAX: u64 = 200;
/// The fastest of this many counts, since the machine has other load.
const TRIES: usize = 5;
const PAGES_DEEP: usize = 3;

const LISTS: [&str; 16] = [
    "/",
    "/console/inbox",
    "/console/grants",
    "/console/calls",
    "/console/calls?outcome=failed",
    "/console/calls?tool=server-7%3Atool_7",
    "/console/calls?server=server-7",
    "/console/calls?principal=agent-13",
    "/console/ledger",
    "/console/ledger?kind=policy.decided",
    "/console/ledger?principal=nobody",
    "/console/runs",
    "/console/tools",
    "/console/servers",
    "/console/agents",
    "/console/sessions",
];

#[tokio::test]
async fn lists_come_at_once_with_a_hundred_thousand_calls() {
    let mut gateway = boot("");
    gateway.end(false);
    fill(&gateway.data()).await;
    let gateway = gateway.restart(false);
    let visitor = Visitor::enters(&gateway, &gateway.admin).await;
    let mut slow = Vec::new();
    for list in LISTS {
        let mut path = list.to_owned();
        for page in 1..=PAGES_DEEP {
            let (took, next) = measure(&visitor, gateway.pid(), &path).await;
            if took > Duration::from_millis(LIST_MS_MAX) {
                slow.push(format!("{list}, page {page}: {} ms", took.as_millis()));
            }
            let Some(next) = next else { break };
            path = next;
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
    let calls = visitor.get("/console/calls").await.text;
    assert!(calls.contains("server-"), "the calls are listed: {calls}");
}

/// The time of a page, and the address of the next one. With other load on the machine a page takes longer by the clock
/// than it keeps the gateway busy: the shorter of the two counts.
async fn measure(visitor: &Visitor, gateway: u32, path: &str) -> (Duration, Option<String>) {
    let mut best = Duration::MAX;
    let mut next = None;
    let busy = cpu_seconds(gateway);
    for _ in 0..TRIES {
        let begun = Instant::now();
        let answer = visitor.get(path).await;
        best = best.min(begun.elapsed());
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        let links = answer.text.split('<').filter(|tag| tag.contains(" rel=\"next\""));
        next = links.filter_map(|tag| attribute(tag, "href")).next();
    }
    let busy = (cpu_seconds(gateway) - busy) / TRIES as f64;
    (best.min(Duration::from_secs_f64(busy)), next)
}

/// Writes the calls as the gateway would, many at a time.
async fn fill(folder: &Path) {
    let store = Store::open(folder).await.expect("the store opens");
    let writer = LedgerWriter::start(&store, "filled").await.expect("the writer starts");
    let next = Arc::new(AtomicU64::new(0));
    let end_ms = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_millis() as u64;
    let writers = (0..WRITERS).map(|_| {
        let (writer, next) = (writer.clone(), Arc::clone(&next));
        tokio::spawn(async move {
            loop {
                let number = next.fetch_add(1, Ordering::SeqCst);
                if number >= CALLS {
                    return;
                }
                let at_ms = end_ms - (CALLS - number) * APART_MS;
                writer.append(call(number, at_ms as i64)).await.expect("written");
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    for writer in writers {
        writer.await.expect("a writer ends");
    }
    writer.close().await;
    store.close().await;
}

/// All that is written about one call.
fn call(number: u64, at_ms: i64) -> LedgerEntry {
    let server = ServerName::new(&format!("server-{}", number % 20)).expect("a legal name");
    let about = Arc::new(EventSubject {
        session: number.is_multiple_of(10).then(|| SessionId::new(format!("ses_{}", number / 100))),
        run: number.is_multiple_of(50).then(|| RunId::new(format!("run_{}", number / 500))),
        task: None,
        call: Some(CallId::new(format!("tc_{number:032x}"))),
        tool: Some(CanonicalName::of(&server, &format!("tool_{}", number % 200))),
        server: Some(server),
        tool_version: Some(Digest::of([number as u8])),
        trace: None,
    });
    let principal = PrincipalId::new(&format!("agent-{}", number % 50));
    let event = |kind, after: i64| Event::new(kind, at_ms + after, principal.clone(), Arc::clone(&about));
    let mut decided = event(EventKind::PolicyDecided, 0);
    decided.policy_version = Some(Digest::of("policy"));
    decided.decision =
        Some(if number.is_multiple_of(1000) { DecisionKind::Deny } else { DecisionKind::Permit });
    let input = body(format!("{{\"path\":\"/data/{}\",\"limit\":100}}", number % 100), at_ms);
    let output =
        body(format!("{{\"content\":[{{\"type\":\"text\",\"text\":\"{:0>400}\"}}]}}", number % 100), at_ms);
    let mut started = event(EventKind::CallStarted, 1);
    started.input = Some(input.digest);
    let mut completed = event(EventKind::CallCompleted, 2);
    completed.outcome = Some(if number % 500 == 7 { Outcome::Failed } else { Outcome::Succeeded });
    completed.duration_us = Some(1234);
    completed.output = Some(output.digest);
    LedgerEntry {
        events: vec![decided, started, completed],
        bodies: vec![input, output],
        durability: Durability::Written,
    }
}

fn body(text: String, at_ms: i64) -> LedgerBody {
    let json = RawJson::from_composed(text);
    LedgerBody { digest: Digest::of(json.as_bytes()), json, keep_until_ms: at_ms + 30 * 86_400_000 }
}
