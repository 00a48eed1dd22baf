//! What holds for every answer of a provider: success, its words for a failure, when to come again.

use std::time::Duration;

use serde_json::Value;

use crate::time;
use crate::words::HeaderOf;

/// A request is sent at most so often.
pub const TRIES_MAX: u32 = 3;

/// A longer wait is the caller's, not ours.
pub(crate) const WAIT_S_MAX: u64 = 300;

/// Statuses that mean "not now", unless a file says otherwise.
pub(crate) const STATUSES: [u16; 2] = [429, 503];
pub(crate) const AFTER: &str = "retry-after";

/// The status and the headers of many APIs that no file describes.
const FORBIDDEN: u16 = 403;
const USUAL_REMAINING: &str = "x-ratelimit-remaining";
const USUAL_RESET: &str = "x-ratelimit-reset";

/// The first wait where the provider names no time; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_secs(1);

/// Rules of a provider, shared by its actions and streams, and by the operations of its document.
#[derive(Debug)]
pub struct ProviderRules {
    pub(crate) ok: Option<OkRule>,
    pub(crate) error: ErrorRule,
    pub(crate) retry: RetryRule,
    pub(crate) rate: RateRule,
    /// Sent with every request.
    pub(crate) headers: Vec<(String, String)>,
    /// Hosts beside the provider's own that an answer may name as the address of a next step.
    pub(crate) hosts: Vec<String>,
}

impl ProviderRules {
    /// Those of an API that only its document describes.
    pub fn usual() -> Self {
        let header = |name: &str| Some(name.to_owned());
        Self {
            ok: None,
            error: ErrorRule::default(),
            retry: RetryRule {
                statuses: STATUSES.to_vec(),
                statuses_if_limited: vec![FORBIDDEN],
                after: AFTER.to_owned(),
                reset: header(USUAL_RESET),
                tries: TRIES_MAX,
                wait_max: Duration::from_secs(WAIT_S_MAX),
            },
            rate: RateRule { remaining: header(USUAL_REMAINING), reset: header(USUAL_RESET) },
            headers: Vec::new(),
            hosts: Vec::new(),
        }
    }

    /// The wait before the next try of a request that was refused for this time; none if there is no next one.
    pub fn wait(&self, after: Duration, tries_made: u32) -> Option<Duration> {
        self.retry.wait(Some(after), tries_made)
    }

    /// How much the provider says is left.
    pub fn rate_left(&self, headers: HeaderOf<'_>) -> RateLeft {
        self.rate.left(headers)
    }

    /// True if the status alone does not tell a success.
    pub fn looks_into_successes(&self) -> bool {
        self.ok.is_some()
    }
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
