//! What holds for every answer of a provider: success, its words for a failure, when to come again.

use std::time::Duration;

use serde_json::Value;

use crate::time;
use crate::words::HeaderOf;

/// A request is sent at most so often.
pub const TRIES_MAX: u32 = 3;

/// A longer wait is the caller's, not ours.
pub(crate) const WAIT_S_MAX: u64 = 300;

/// The first wait where the provider names no time; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_secs(1);

/// Rules of a provider, shared by its actions and streams.
pub(crate) struct ProviderRules {
    pub(crate) ok: Option<OkRule>,
    pub(crate) error: ErrorRule,
    pub(crate) retry: RetryRule,
    pub(crate) rate: RateRule,
    /// Sent with every request.
    pub(crate) headers: Vec<(String, String)>,
    /// Hosts beside the provider's own that an answer may name as the address of a next step.
    pub(crate) hosts: Vec<String>,
}

/// An answer with a good status is a success only if this member has this value.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct OkRule {
    pub(crate) pointer: String,
    pub(crate) equals: Value,
}

/// The provider's own words for a failure, and what its codes mean.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct ErrorRule {
    pub(crate) says: Option<String>,
    pub(crate) code: Option<String>,
    pub(crate) sign_in: Vec<String>,
    pub(crate) again: Vec<String>,
    pub(crate) unsure: Vec<String>,
}

/// When a request that was refused for now is sent again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RetryRule {
    /// Statuses that always mean "not now".
    pub statuses: Vec<u16>,
    /// Statuses that mean it only if the answer names a time or says that nothing is left.
    pub statuses_if_limited: Vec<u16>,
    pub(crate) after: String,
    pub(crate) reset: Option<String>,
    /// All tries together, the first one too.
    pub tries: u32,
    /// A longer wait ends the call with words instead.
    pub wait_max: Duration,
}

impl RetryRule {
    /// The wait before the next try, after so many; none if there is no next one.
    pub fn wait(&self, after: Option<Duration>, tries_made: u32) -> Option<Duration> {
        if tries_made >= self.tries {
            return None;
        }
        let doublings = tries_made.saturating_sub(1).min(TRIES_MAX);
        let wait = after.unwrap_or(FIRST_WAIT * 2_u32.pow(doublings));
        (wait <= self.wait_max).then_some(wait)
    }

    /// The time that an answer names.
    pub(crate) fn named_time(&self, headers: HeaderOf<'_>) -> Option<Duration> {
        let reset = || time::until_reset(headers, self.reset.as_deref()?);
        time::until_after(headers, &self.after).or_else(reset)
    }
}

/// Headers that say how much is left.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct RateRule {
    pub(crate) remaining: Option<String>,
    pub(crate) reset: Option<String>,
}

/// How many requests a provider still takes, as far as it said.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RateLeft {
    pub remaining: Option<u64>,
    /// Seconds until it begins anew.
    pub reset_s: Option<u64>,
}

impl RateRule {
    pub(crate) fn left(&self, headers: HeaderOf<'_>) -> RateLeft {
        let remaining = self.remaining.as_deref().and_then(headers);
        let reset = self.reset.as_deref().and_then(|name| time::until_reset(headers, name));
        RateLeft {
            remaining: remaining.and_then(|text| text.trim().parse().ok()),
            reset_s: reset.map(|wait| wait.as_secs()),
        }
    }
}
