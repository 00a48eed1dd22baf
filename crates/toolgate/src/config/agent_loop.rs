//! `[agent_loop]`: how the agents that the gateway runs itself are driven.

use std::ops::RangeInclusive;

use toolgate_agents::AgentsSettings;

use super::problem::ConfigProblems;
use super::section::{ConfigSection, SecondsRange};

pub(super) const KEYS: &[&str] = &["lease_seconds", "parallel_max", "retries_max", "fold_at_percent"];

const PARALLEL: RangeInclusive<usize> = 1..=10_000;
const RETRIES: RangeInclusive<usize> = 0..=20;
/// Below, every turn would be folded; above, the answer has no room.
const FOLD_AT: RangeInclusive<usize> = 20..=95;

pub(super) fn read(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> AgentsSettings {
    section.refuse_unknown_keys(KEYS, &[], problems);
    let usual = AgentsSettings::default();
    let lease = section.seconds("lease_seconds", SecondsRange::Positive, problems);
    let parallel_max = section.count("parallel_max", PARALLEL, problems);
    let retries_max = section.count("retries_max", RETRIES, problems);
    let fold_at_percent = section.count("fold_at_percent", FOLD_AT, problems);
    AgentsSettings {
        lease: lease.unwrap_or(usual.lease),
        parallel_max: parallel_max.unwrap_or(usual.parallel_max),
        retries_max: retries_max.and_then(|count| u32::try_from(count).ok()).unwrap_or(usual.retries_max),
        fold_at_percent: fold_at_percent
            .and_then(|percent| u64::try_from(percent).ok())
            .unwrap_or(usual.fold_at_percent),
        ..usual
    }
}
