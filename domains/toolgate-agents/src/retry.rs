//! Another try after a fault of the model: whether, and when. The predicate comes before the back-off.

use std::time::Duration;

use toolgate_core::Digest;
use toolgate_core::model::{ModelFault, ModelFaultKind};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RetryTerms {
    /// Tries after the first request.
    pub(crate) retries_max: u32,
    /// The longest wait after the first fault; it doubles with each one.
    pub(crate) first: Duration,
    /// The longest wait after any fault.
    pub(crate) most: Duration,
    /// The longest wait that a provider may ask for.
    pub(crate) asked_most: Duration,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RetryVerdict {
    /// The same request once more, after this wait.
    Again(Duration),
    /// The request is too large: fold, and ask again.
    Fold,
    /// The run was paused or cancelled meanwhile.
    Stop,
    /// People must look at it.
    GiveUp,
}

/// Judges a fault after this many requests of the turn. `chance` spreads the waits of many runs.
pub(crate) fn judge(fault: &ModelFault, attempts: u64, terms: &RetryTerms, chance: u64) -> RetryVerdict {
    match fault.kind {
        ModelFaultKind::Cancelled => return RetryVerdict::Stop,
        ModelFaultKind::Overflow => return RetryVerdict::Fold,
        kind if !kind.is_passing() => return RetryVerdict::GiveUp,
        _ => {}
    }
    if attempts > u64::from(terms.retries_max) {
        return RetryVerdict::GiveUp;
    }
    let wait = match fault.retry_after {
        Some(asked) => asked.min(terms.asked_most),
        None => share(longest(attempts, terms), chance),
    };
    RetryVerdict::Again(wait)
}

/// A number by chance, made of a fresh id.
pub(crate) fn chance(fresh_id: &str) -> u64 {
    let digest = Digest::of(fresh_id);
    digest.as_bytes().iter().take(8).fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

fn longest(attempts: u64, terms: &RetryTerms) -> Duration {
    let doublings = u32::try_from(attempts.saturating_sub(1)).unwrap_or(u32::MAX).min(31);
    terms.first.saturating_mul(1 << doublings).min(terms.most)
}

/// Somewhere between nothing and all of it.
fn share(longest: Duration, chance: u64) -> Duration {
    let millis = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX);
    Duration::from_millis(chance % millis.saturating_add(1).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERMS: RetryTerms = RetryTerms {
        retries_max: 5,
        first: Duration::from_secs(1),
        most: Duration::from_secs(60),
        asked_most: Duration::from_secs(600),
    };

    fn fault(kind: ModelFaultKind) -> ModelFault {
        ModelFault::new(kind, "x")
    }

    fn judged(kind: ModelFaultKind, attempts: u64) -> RetryVerdict {
        judge(&fault(kind), attempts, &TERMS, u64::MAX)
    }

    #[test]
    fn only_faults_that_may_pass_are_tried_again() {
        for kind in [ModelFaultKind::Refused, ModelFaultKind::Unusable] {
            assert_eq!(judged(kind, 1), RetryVerdict::GiveUp, "{kind:?}");
        }
        assert_eq!(judged(ModelFaultKind::Overflow, 1), RetryVerdict::Fold);
        assert_eq!(judged(ModelFaultKind::Cancelled, 1), RetryVerdict::Stop);
        for kind in [ModelFaultKind::Away, ModelFaultKind::Busy, ModelFaultKind::Nonsense] {
            assert!(matches!(judged(kind, 1), RetryVerdict::Again(_)), "{kind:?}");
            assert!(matches!(judged(kind, 5), RetryVerdict::Again(_)), "{kind:?}");
            assert_eq!(judged(kind, 6), RetryVerdict::GiveUp, "{kind:?}");
        }
    }

    #[test]
    fn waits_double_up_to_a_limit_and_are_spread() {
        let seconds: Vec<u64> = (1..=8).map(|attempts| longest(attempts, &TERMS).as_secs()).collect();
        assert_eq!(seconds, [1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(longest(u64::MAX, &TERMS), TERMS.most);
        assert_eq!(share(TERMS.first, 0), Duration::ZERO);
        assert_eq!(share(TERMS.first, 1_000), TERMS.first);
        assert_eq!(share(TERMS.first, 1_001), Duration::ZERO);
        assert_ne!(chance("a"), chance("b"));
    }

    #[test]
    fn the_provider_knows_better_within_a_limit() {
        let after = |seconds| fault(ModelFaultKind::Busy).retry_after(Some(Duration::from_secs(seconds)));
        let judged = |seconds| judge(&after(seconds), 1, &TERMS, 0);
        assert_eq!(judged(90), RetryVerdict::Again(Duration::from_secs(90)));
        assert_eq!(judged(9_000), RetryVerdict::Again(Duration::from_secs(600)));
        assert_eq!(judge(&after(1), 6, &TERMS, 0), RetryVerdict::GiveUp, "a wait gives no more tries");
    }
}
