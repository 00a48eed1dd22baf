//! The quotas of the edge, as the API shows them.

use std::sync::Arc;

use toolgate_api::{QuotaFor, QuotaHolderEntry, QuotaLimits, QuotaPort, QuotaRuleEntry};
use toolgate_edge::{Quota, QuotaHolder, QuotaHolding, QuotaRule, QuotaSubject, Quotas};

/// The quotas in force.
pub(crate) struct ShownQuotas(pub(crate) Arc<Quotas>);

impl QuotaPort for ShownQuotas {
    fn rules(&self) -> Vec<QuotaRuleEntry> {
        self.0.rules().iter().map(rule).collect()
    }

    fn usual(&self) -> QuotaLimits {
        limits(&Quota::default())
    }

    fn holders(&self, now_ms: i64) -> Vec<QuotaHolderEntry> {
        self.0.holdings(now_ms).into_iter().map(holder).collect()
    }
}

fn rule(rule: &QuotaRule) -> QuotaRuleEntry {
    let who = match &rule.who {
        QuotaSubject::Principals(pattern) => QuotaFor::Principal(pattern.to_string()),
        QuotaSubject::Agents(pattern) => QuotaFor::Agent(pattern.to_string()),
    };
    let limits = QuotaLimits {
        calls_max: rule.calls_max.map(count),
        waiting_max: rule.waiting_max.map(count),
        wait_seconds: rule.wait.map(|wait| wait.as_secs()),
        rate: rule.rate.map(|rate| rate.to_string()),
        calls_per_day: rule.calls_per_day,
        spend_per_day_micros: rule.spend_per_day_micros,
        streams_max: rule.streams_max.map(count),
        sessions_max: rule.sessions_max.map(count),
        approvals_max: rule.approvals_max.map(count),
        stored_bytes_max: rule.stored_bytes_max,
    };
    QuotaRuleEntry { who, limits }
}

/// An agent without a limit of its own has the greatest number.
fn limits(quota: &Quota) -> QuotaLimits {
    let limited = |limit: usize| (limit != usize::MAX).then(|| count(limit));
    QuotaLimits {
        calls_max: limited(quota.calls_max),
        waiting_max: limited(quota.waiting_max),
        wait_seconds: Some(quota.wait.as_secs()),
        rate: quota.rate.map(|rate| rate.to_string()),
        calls_per_day: quota.calls_per_day,
        spend_per_day_micros: quota.spend_per_day_micros,
        streams_max: limited(quota.streams_max),
        sessions_max: quota.sessions_max.map(count),
        approvals_max: limited(quota.approvals_max),
        stored_bytes_max: quota.stored_bytes_max,
    }
}

fn holder(holding: QuotaHolding) -> QuotaHolderEntry {
    let who = match &holding.holder {
        QuotaHolder::Principal(principal) => QuotaFor::Principal(principal.to_string()),
        QuotaHolder::Agent(agent) => QuotaFor::Agent(agent.to_string()),
    };
    QuotaHolderEntry {
        who,
        limits: limits(&holding.quota),
        running: count(holding.running),
        waiting: count(holding.waiting),
        streams: count(holding.streams),
        calls_today: holding.calls_today,
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
