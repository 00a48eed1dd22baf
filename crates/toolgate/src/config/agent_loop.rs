//! `[agent_loop]`: how the agents that the gateway runs itself are driven.

use std::ops::RangeInclusive;
use std::time::Duration;

use toolgate_agents::AgentsSettings;

use super::problem::ConfigProblems;
use super::section::ConfigSection;

pub(super) const KEYS: &[&str] =
    &["lease_seconds", "parallel_max", "retries_max", "fold_at_percent", "spend_per_day"];

/// Gateways that share a database compare their clocks by it: below, an ordinary difference between two machines would end a lease.
const LEASE_SECONDS: RangeInclusive<f64> = 1.0..=3_600.0;
const LEASE_EXPECTED: &str = "a number of seconds from 1 to 3600, such as `30`";
const PARALLEL: RangeInclusive<usize> = 1..=10_000;
const RETRIES: RangeInclusive<usize> = 0..=20;
/// Below, every turn would be folded; above, the answer has no room.
const FOLD_AT: RangeInclusive<usize> = 20..=95;

pub(super) fn read(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> AgentsSettings {
    section.refuse_unknown_keys(KEYS, &[], problems);
    let usual = AgentsSettings::default();
    let lease = section.converted("lease_seconds", LEASE_EXPECTED, lease, problems);
    let parallel_max = section.count("parallel_max", PARALLEL, problems);
    let retries_max = section.count("retries_max", RETRIES, problems);
    let fold_at_percent = section.count("fold_at_percent", FOLD_AT, problems);
    let spend_per_day_micros = section.money_micros("spend_per_day", problems);
    AgentsSettings {
        lease: lease.unwrap_or(usual.lease),
        parallel_max: parallel_max.unwrap_or(usual.parallel_max),
        retries_max: retries_max.and_then(|count| u32::try_from(count).ok()).unwrap_or(usual.retries_max),
        fold_at_percent: fold_at_percent
            .and_then(|percent| u64::try_from(percent).ok())
            .unwrap_or(usual.fold_at_percent),
        spend_per_day_micros,
        ..usual
    }
}

fn lease(seconds: f64) -> Option<Duration> {
    LEASE_SECONDS.contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}
