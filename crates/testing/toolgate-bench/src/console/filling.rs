//! Recorded calls, written through the store as a gateway writes them.

use std::sync::Arc;

use serde_json::json;
use toolgate_core::event::{DecisionKind, Event, EventKind, EventSubject, LedgerBody, LedgerEntry, Outcome};
use toolgate_core::governance::Ledger as _;
use toolgate_core::id::{CallId, SessionId};
use toolgate_core::{CanonicalName, Digest, PrincipalId, RawJson, ServerName};
use toolgate_store::{LedgerWriter, Store, clock};

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
const KEPT_DAYS: i64 = 90;
/// Calls that are written at once.
const BATCH_CALLS: u64 = 250;

const AGENTS: u64 = 50;
const SERVERS: u64 = 20;
const TOOLS: u64 = 200;
const CALLS_PER_SESSION: u64 = 200;

/// What is written of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CallRecord {
    /// Start and end, with arguments and result.
    Whole,
    /// The end, which is what figures count. The calls of an hour lie in its first minute: figures of hours and days are the
    /// same as otherwise, and there are fewer of those minutes that are not kept anyway.
    End,
}

/// Calls that are spread evenly over the days before now.
pub(super) struct Filling {
    pub(super) calls: u64,
    pub(super) days: u32,
    pub(super) record: CallRecord,
}

impl Filling {
    pub(super) async fn write(&self, store: &Store) -> anyhow::Result<()> {
        let writer = LedgerWriter::start(store, "bench").await?;
        let now_ms = clock::now_ms();
        for first in (0..self.calls).step_by(BATCH_CALLS as usize) {
            let mut entry = LedgerEntry::default();
            for number in first..(first + BATCH_CALLS).min(self.calls) {
                self.add(&mut entry, number, self.at_ms(number, now_ms));
            }
            writer.append(entry).await.map_err(|down| anyhow::anyhow!("fill the ledger: {down}"))?;
        }
        writer.close().await;
        // A gateway would do it while it is measured.
        store.delete_old_figures(now_ms).await?;
        Ok(())
    }

    fn at_ms(&self, number: u64, now_ms: i64) -> i64 {
        let span_ms = i64::from(self.days) * DAY_MS;
        let at_ms = now_ms - span_ms + number as i64 * span_ms / self.calls as i64;
        let into_hour = at_ms.rem_euclid(HOUR_MS);
        match self.record {
            CallRecord::Whole => at_ms,
            CallRecord::End => at_ms - into_hour + into_hour / 60,
        }
    }

    fn add(&self, entry: &mut LedgerEntry, number: u64, at_ms: i64) {
        let (about, principal) = (about(number), PrincipalId::new(&format!("agent-{}", number % AGENTS)));
        let (outcome, code) = outcome(number);
        let mut completed =
            Event::new(EventKind::CallCompleted, at_ms, principal.clone(), Arc::clone(&about));
        let took_us = 500 + (scattered(number) % 1_000).pow(2);
        completed.outcome = Some(outcome);
        completed.duration_us = Some(took_us as i64);
        completed.detail = Some(account(number, took_us, code));
        if self.record == CallRecord::Whole && outcome != Outcome::Denied {
            let input = body(json!({ "path": format!("/data/{number}"), "limit": 100 }), at_ms);
            let output =
                body(json!({ "content": [{ "type": "text", "text": format!("{number:0>200}") }] }), at_ms);
            let mut started = Event::new(EventKind::CallStarted, at_ms, principal, about);
            started.decision = Some(DecisionKind::Permit);
            started.policy_version = Some(Digest::of("policy"));
            started.input = Some(input.digest);
            completed.output = Some(output.digest);
            entry.events.push(started);
            entry.bodies.extend([input, output]);
        }
        entry.events.push(completed);
    }
}

/// The id of a call.
pub(super) fn call_id(number: u64) -> String {
    format!("tc_{number:032x}")
}

fn about(number: u64) -> Arc<EventSubject> {
    let server = ServerName::new(&format!("server-{}", number % SERVERS)).expect("a legal name");
    let tool = number % TOOLS;
    Arc::new(EventSubject {
        session: Some(SessionId::new(format!("ses_{}", number / CALLS_PER_SESSION))),
        call: Some(CallId::new(call_id(number))),
        tool: Some(CanonicalName::of(&server, &format!("tool_{tool}"))),
        server: Some(server),
        tool_version: Some(Digest::of([tool as u8])),
        ..EventSubject::default()
    })
}

/// One call in fifty does not succeed.
fn outcome(number: u64) -> (Outcome, Option<&'static str>) {
    match scattered(number) % 200 {
        0 => (Outcome::Failed, Some("server_timeout")),
        1 => (Outcome::Failed, Some("server_down")),
        2 => (Outcome::ToolError, None),
        3 => (Outcome::Denied, Some("denied")),
        _ => (Outcome::Succeeded, None),
    }
}

/// What the pipeline says of an end.
fn account(number: u64, took_us: u64, code: Option<&str>) -> RawJson {
    let tokens = json!({ "arguments": 20, "result": 100 + number % 50 });
    let mut detail = json!({ "tokens": tokens, "server_us": took_us - 400 });
    if let Some(code) = code {
        detail["code"] = code.into();
    }
    RawJson::from_serialize(&detail)
}

fn body(content: serde_json::Value, at_ms: i64) -> LedgerBody {
    let json = RawJson::from_serialize(&content);
    LedgerBody { digest: Digest::of(json.as_bytes()), json, keep_until_ms: at_ms + KEPT_DAYS * DAY_MS }
}

/// A number that seems unrelated to the one before, and is the same in every run.
fn scattered(number: u64) -> u64 {
    number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32
}

#[cfg(test)]
mod tests {
    use toolgate_store::{FigureBy, FigureQuery, FigureSums};

    use super::*;

    #[tokio::test]
    async fn calls_are_recorded_and_counted_over_all_days() {
        for record in [CallRecord::Whole, CallRecord::End] {
            let folder = tempfile::tempdir().expect("a folder");
            let store = Store::open(folder.path()).await.expect("a store");
            let filling = Filling { calls: 1_000, days: 10, record };
            filling.write(&store).await.expect("written");
            let until_ms = (clock::now_ms().div_euclid(DAY_MS) + 1) * DAY_MS;
            let from_ms = until_ms - 12 * DAY_MS;
            let query = FigureQuery { by: FigureBy::All, name: None, from_ms, until_ms, step_ms: DAY_MS };
            let all = store.figures(&query).await.expect("figures").remove("").expect("all together");
            assert_eq!(all.values().map(FigureSums::calls).sum::<u64>(), filling.calls);
            assert!(all.len() >= 10, "{} days", all.len());
        }
    }
}
