//! The limits of the loops.

use std::time::Duration;

use crate::retry::RetryTerms;

/// The maximum number of calls of one answer that are made.
pub(crate) const CALLS_MAX: usize = 128;
/// The maximum number of bytes of a goal. That of a task is shorter; the data that an automation was started with come after it.
pub(crate) const GOAL_BYTES_MAX: usize = 512 << 10;
/// The maximum number of bytes of the instructions of a task.
pub(crate) const INSTRUCTIONS_BYTES_MAX: usize = 100 << 10;
/// The maximum number of bytes of an outcome schema.
pub(crate) const SCHEMA_BYTES_MAX: usize = 256 << 10;
/// The maximum number of messages or turns of one page.
pub(crate) const PAGE_MAX: usize = 200;
/// The maximum number of characters of a run's summary.
pub(crate) const SUMMARY_CHARS_MAX: usize = 20_000;
/// The maximum number of characters of the reason of a failed run.
pub(crate) const REASON_CHARS_MAX: usize = 500;
/// The maximum number of characters of a fault in a question to a person.
pub(crate) const FAULT_CHARS_MAX: usize = 1_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AgentsSettings {
    /// A loop whose gateway died is taken up after this time.
    pub lease: Duration,
    /// The interval between looks for loops that other gateways let go, or that people let go on.
    pub poll: Duration,
    /// The maximum number of runs at the same time.
    pub parallel_max: usize,
    /// Tries after the first request of a turn, if the model's fault may pass.
    pub retries_max: u32,
    /// The longest wait after the first fault; it doubles with each one.
    pub retry_first: Duration,
    /// The longest wait after any fault.
    pub retry_most: Duration,
    /// The longest wait that a provider may ask for.
    pub retry_asked_most: Duration,
    /// The share of a model's context at which old turns are folded.
    pub fold_at_percent: u64,
    /// The last turns that a fold leaves as they are.
    pub turns_kept: usize,
    /// The wait before a loop is taken up again after the store or the gateway was not ready.
    pub pause_after_trouble: Duration,
    /// The time that calls in progress have to end when the gateway ends.
    pub drain: Duration,
    /// The cost of a day in UTC over all runs, in millionths of a currency unit.
    pub spend_per_day_micros: Option<u64>,
}

impl Default for AgentsSettings {
    fn default() -> Self {
        Self {
            lease: Duration::from_secs(30),
            poll: Duration::from_millis(500),
            parallel_max: 500,
            retries_max: 5,
            retry_first: Duration::from_secs(1),
            retry_most: Duration::from_secs(60),
            retry_asked_most: Duration::from_secs(600),
            fold_at_percent: 75,
            turns_kept: 4,
            pause_after_trouble: Duration::from_secs(2),
            drain: Duration::from_secs(10),
            spend_per_day_micros: None,
        }
    }
}

impl AgentsSettings {
    pub(crate) fn retry_terms(&self) -> RetryTerms {
        RetryTerms {
            retries_max: self.retries_max,
            first: self.retry_first,
            most: self.retry_most,
            asked_most: self.retry_asked_most,
        }
    }

    /// A lease is renewed three times before it would be over.
    pub(crate) fn beat(&self) -> Duration {
        self.lease / 3
    }
}

/// The beginning of a text, at most this long.
pub(crate) fn clipped(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max.saturating_sub(1)) {
        Some((cut, _)) if cut < text.len() && text.chars().count() > chars_max => {
            format!("{}…", &text[..cut])
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters_and_within_its_limit() {
        assert_eq!(clipped("häuser", 6), "häuser");
        assert_eq!(clipped("häuser", 4), "häu…");
        assert_eq!(clipped("", 4), "");
    }
}
