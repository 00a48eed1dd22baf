//! The delay of a start, so that automations with the same instant do not all begin at once. Pure.

use toolgate_core::Digest;
use toolgate_core::id::AutomationId;

/// The delay of an instant: the same on every gateway, and between nothing and all of the jitter.
pub(crate) fn delay_ms(automation: &AutomationId, instant_ms: i64, jitter_seconds: u64) -> i64 {
    let digest = Digest::of(format!("{automation} {instant_ms}"));
    let mut first = [0; 8];
    first.copy_from_slice(&digest.as_bytes()[..8]);
    let range_ms = jitter_seconds.saturating_mul(1_000).saturating_add(1);
    i64::try_from(u64::from_be_bytes(first) % range_ms).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delay_is_the_same_for_the_same_instant_and_stays_within_the_jitter() {
        let (one, other) = (AutomationId::new("aut_1"), AutomationId::new("aut_2"));
        let delays: Vec<i64> = (0..1_000).map(|minute| delay_ms(&one, minute * 60_000, 30)).collect();
        let again: Vec<i64> = (0..1_000).map(|minute| delay_ms(&one, minute * 60_000, 30)).collect();
        assert_eq!(delays, again);
        assert!(delays.iter().all(|delay| (0..=30_000).contains(delay)));
        let mean = delays.iter().sum::<i64>() / 1_000;
        assert!((13_000..17_000).contains(&mean), "{mean}");
        let differs =
            (0..1_000).filter(|minute| delay_ms(&other, minute * 60_000, 30) != delays[*minute as usize]);
        assert!(differs.count() > 990);
    }

    #[test]
    fn without_jitter_nothing_is_delayed() {
        assert_eq!(delay_ms(&AutomationId::new("aut_1"), 1_800_000_000_000, 0), 0);
    }
}
