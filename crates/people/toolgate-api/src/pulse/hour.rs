//! Sixty minutes of calls, added up.

use std::collections::BTreeMap;

use toolgate_core::PrincipalId;
use toolgate_core::event::{Outcome, Position};
use toolgate_store::{CallEnd, Store, StoreError};

use super::latency::Latencies;

/// The number of minutes, including the one that has just begun.
pub(crate) const MINUTES: i64 = 60;
const MINUTE_MS: i64 = 60_000;

#[derive(Default)]
pub(crate) struct TrafficHour {
    /// Up to where the ledger was read.
    last: Option<Position>,
    /// The minute that has just begun.
    now: i64,
    minutes: BTreeMap<i64, MinuteCounts>,
}

#[derive(Default)]
struct MinuteCounts {
    sums: OutcomeSums,
    edges: BTreeMap<EdgeKey, TrafficEdge>,
    latencies: Latencies,
}

/// The caller and the server.
type EdgeKey = (PrincipalId, Option<String>);

/// The outcomes of calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct OutcomeSums {
    pub(crate) succeeded: u64,
    /// The tool failed, the call never got an answer, or its outcome is unknown.
    pub(crate) failed: u64,
    /// Nothing was sent: the arguments do not fit, policy or a person denied it, or no one approved it in
    /// time.
    pub(crate) refused: u64,
    /// Cancelled, or answered that it must wait for a person.
    pub(crate) other: u64,
}

/// The traffic from a principal to a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct TrafficEdge {
    pub(crate) sums: OutcomeSums,
    pub(crate) last_ms: i64,
}

impl OutcomeSums {
    pub(crate) fn calls(self) -> u64 {
        self.succeeded + self.failed + self.refused + self.other
    }

    /// The share of failures among the calls that ran or should have.
    pub(crate) fn error_rate(self) -> f64 {
        let ran = self.succeeded + self.failed;
        if ran == 0 { 0.0 } else { self.failed as f64 / ran as f64 }
    }

    fn count(&mut self, outcome: Outcome) {
        let sum = match outcome {
            Outcome::Succeeded | Outcome::Accepted | Outcome::Joined => &mut self.succeeded,
            Outcome::ToolError | Outcome::Failed | Outcome::Unknown => &mut self.failed,
            Outcome::Invalid
            | Outcome::Refused
            | Outcome::Denied
            | Outcome::Rejected
            | Outcome::ChangesRequested
            | Outcome::Expired => &mut self.refused,
            Outcome::Cancelled
            | Outcome::PendingApproval
            | Outcome::PendingInput
            | Outcome::InputRequired => &mut self.other,
        };
        *sum += 1;
    }

    fn add(&mut self, other: OutcomeSums) {
        self.succeeded += other.succeeded;
        self.failed += other.failed;
        self.refused += other.refused;
        self.other += other.other;
    }
}

impl TrafficHour {
    /// Reads on to the end of the ledger, and drops everything older than an hour.
    pub(super) async fn catch_up(&mut self, store: &Store, now_ms: i64) -> Result<(), StoreError> {
        self.now = now_ms.div_euclid(MINUTE_MS);
        let first = self.first();
        self.minutes.retain(|minute, _| *minute >= first);
        let mut last = match self.last.clone() {
            Some(last) => last,
            None => store.ledger_before(first * MINUTE_MS).await?,
        };
        loop {
            let read = store.call_ends(&last).await?;
            read.ends.iter().for_each(|end| self.take(end));
            last = read.last;
            self.last = Some(last.clone());
            if read.is_complete {
                return Ok(());
            }
        }
    }

    fn first(&self) -> i64 {
        self.now - (MINUTES - 1)
    }

    fn take(&mut self, end: &CallEnd) {
        let at = end.at_ms.div_euclid(MINUTE_MS);
        if at < self.first() {
            return;
        }
        let minute = self.minutes.entry(at).or_default();
        minute.sums.count(end.outcome);
        let edge = minute.edges.entry((end.principal.clone(), end.server.clone())).or_default();
        edge.sums.count(end.outcome);
        edge.last_ms = edge.last_ms.max(end.at_ms);
        // The time that people took says nothing about a server.
        if let Some(us) = end.duration_us.filter(|_| end.outcome.is_executed() && !end.asked_people) {
            minute.latencies.count(us);
        }
    }

    /// Every minute of the hour, oldest first: when it began in milliseconds, and its calls.
    pub(crate) fn minutes(&self) -> impl Iterator<Item = (i64, OutcomeSums)> {
        (self.first()..=self.now).map(|minute| {
            let sums = self.minutes.get(&minute).map_or_else(OutcomeSums::default, |minute| minute.sums);
            (minute * MINUTE_MS, sums)
        })
    }

    /// The callers of each server. A call without a server has none.
    pub(crate) fn edges(&self) -> BTreeMap<(&PrincipalId, Option<&str>), TrafficEdge> {
        let mut all: BTreeMap<(&PrincipalId, Option<&str>), TrafficEdge> = BTreeMap::new();
        for ((principal, server), edge) in self.minutes.values().flat_map(|minute| &minute.edges) {
            let sum = all.entry((principal, server.as_deref())).or_default();
            sum.sums.add(edge.sums);
            sum.last_ms = sum.last_ms.max(edge.last_ms);
        }
        all
    }

    pub(crate) fn sums(&self) -> OutcomeSums {
        let mut all = OutcomeSums::default();
        self.minutes.values().for_each(|minute| all.add(minute.sums));
        all
    }

    pub(crate) fn latencies(&self) -> Latencies {
        let mut all = Latencies::default();
        self.minutes.values().for_each(|minute| all.add(&minute.latencies));
        all
    }
}

impl TrafficEdge {
    pub(crate) fn add(&mut self, other: TrafficEdge) {
        self.sums.add(other.sums);
        self.last_ms = self.last_ms.max(other.last_ms);
    }
}
