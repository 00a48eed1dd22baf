//! The rate that a provider has left, as the newest of its answers that named one said: to a call, or to a page of a stream.

use connector_file::RateLeft;
use parking_lot::Mutex;
use serde_json::{Value, json};

/// A time in the far future is as good as any other that is too long to wait for.
const RESET_S_MAX: u64 = 1_000_000_000;

#[derive(Default)]
pub(super) struct HeardRate(Mutex<Option<NewestRate>>);

#[derive(Clone, Copy)]
struct NewestRate {
    rate: RateLeft,
    at_ms: i64,
}

impl HeardRate {
    /// An answer that says nothing changes nothing.
    pub(super) fn hear(&self, rate: RateLeft, now_ms: i64) {
        if rate != RateLeft::default() {
            *self.0.lock() = Some(NewestRate { rate, at_ms: now_ms });
        }
    }

    /// For the gateway: `remaining`, `resets_at_ms`, `seen_at_ms`.
    pub(super) fn to_json(&self) -> Option<Value> {
        let NewestRate { rate, at_ms } = (*self.0.lock())?;
        let resets_at_ms = rate.reset_s.map(|seconds| {
            let ms = seconds.min(RESET_S_MAX) * 1_000;
            at_ms.saturating_add(i64::try_from(ms).unwrap_or(i64::MAX))
        });
        Some(json!({ "remaining": rate.remaining, "resets_at_ms": resets_at_ms, "seen_at_ms": at_ms }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_answer_that_says_something_counts() {
        let heard = HeardRate::default();
        assert_eq!(heard.to_json(), None);
        heard.hear(RateLeft { remaining: Some(9), reset_s: Some(30) }, 1_000);
        heard.hear(RateLeft::default(), 2_000);
        let shown = json!({ "remaining": 9, "resets_at_ms": 31_000, "seen_at_ms": 1_000 });
        assert_eq!(heard.to_json(), Some(shown));
        heard.hear(RateLeft { remaining: Some(0), reset_s: Some(u64::MAX) }, 3_000);
        let far = json!({ "remaining": 0, "resets_at_ms": 1_000_000_003_000_i64, "seen_at_ms": 3_000 });
        assert_eq!(heard.to_json(), Some(far));
    }
}
