//! `[runs]`: how a run's calls are made, and how long it waits.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::problem::ConfigProblems;
use super::section::{ConfigSection, SecondsRange};

pub(super) const KEYS: &[&str] = &["parallel_calls_max", "completion_wait_seconds", "input_hold_seconds"];

const PARALLEL_CALLS: RangeInclusive<usize> = 1..=256;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunSettings {
    /// Calls of one batch that are made at once.
    pub(crate) parallel_calls_max: usize,
    /// The time that the end of a run waits for calls in progress.
    pub(crate) completion_wait: Duration,
    /// The time that a question waits for an answer before the call answers that it waits.
    pub(crate) input_hold: Duration,
}

impl Default for RunSettings {
    fn default() -> Self {
        Self {
            parallel_calls_max: 8,
            completion_wait: Duration::from_secs(60),
            input_hold: Duration::from_secs(20),
        }
    }
}

pub(super) fn read(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> RunSettings {
    section.refuse_unknown_keys(KEYS, &[], problems);
    let usual = RunSettings::default();
    let parallel_calls_max = section.count("parallel_calls_max", PARALLEL_CALLS, problems);
    let mut seconds = |key, usual| section.seconds(key, SecondsRange::ZeroOrMore, problems).unwrap_or(usual);
    RunSettings {
        parallel_calls_max: parallel_calls_max.unwrap_or(usual.parallel_calls_max),
        completion_wait: seconds("completion_wait_seconds", usual.completion_wait),
        input_hold: seconds("input_hold_seconds", usual.input_hold),
    }
}
