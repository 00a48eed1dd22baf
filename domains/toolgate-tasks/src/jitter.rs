//! The delay of a start, so that automations with the same instant do not all begin at once. Pure.

use toolgate_core::Digest;
use toolgate_core::id::AutomationId;

use crate::schedule::Schedule;

/// The delay of an instant: the same on every gateway, between nothing and all of the jitter, and at most half of the time to the next
/// instant. Starts so keep their order and their distance, and none is taken for one that was missed.
pub(crate) fn delay_ms(
    automation: &AutomationId,
    schedule: &Schedule,
    instant_ms: i64,
    jitter_seconds: u64,
) -> i64 {
    if jitter_seconds == 0 {
        return 0;
    }
    let jitter_ms = i64::try_from(jitter_seconds.saturating_mul(1_000)).unwrap_or(i64::MAX);
    let room_ms = schedule.next(instant_ms).map_or(jitter_ms, |next_ms| (next_ms - instant_ms) / 2);
    part_of(automation, instant_ms, jitter_ms.min(room_ms))
}

fn part_of(automation: &AutomationId, instant_ms: i64, whole_ms: i64) -> i64 {
    let digest = Digest::of(format!("{automation} {instant_ms}"));
    let mut first = [0; 8];
    first.copy_from_slice(&digest.as_bytes()[..8]);
    let range_ms = u64::try_from(whole_ms).unwrap_or_default().saturating_add(1);
    i64::try_from(u64::from_be_bytes(first) % range_ms).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE_MS: i64 = 60_000;

    fn every(seconds: u64) -> Schedule {
        Schedule::Interval { from_ms: 0, step_ms: i64::try_from(seconds).expect("a few") * 1_000 }
    }

    #[test]
    fn a_delay_is_the_same_for_the_same_instant_and_stays_within_the_jitter() {
        let (one, other) = (AutomationId::new("aut_1"), AutomationId::new("aut_2"));
        let of =
            |automation: &AutomationId, minute: i64| delay_ms(automation, &every(60), minute * MINUTE_MS, 30);
        let delays: Vec<i64> = (0..1_000).map(|minute| of(&one, minute)).collect();
        let again: Vec<i64> = (0..1_000).map(|minute| of(&one, minute)).collect();
        assert_eq!(delays, again);
        assert!(delays.iter().all(|delay| (0..=30_000).contains(delay)));
        let mean = delays.iter().sum::<i64>() / 1_000;
        assert!((13_000..17_000).contains(&mean), "{mean}");
        let differs = (0..1_000).zip(&delays).filter(|(minute, delay)| of(&other, *minute) != **delay);
        assert!(differs.count() > 990);
    }

    #[test]
    fn a_jitter_longer_than_the_interval_leaves_every_start_its_own_time() {
        let id = AutomationId::new("aut_1");
        let due = |minute: i64| minute * MINUTE_MS + delay_ms(&id, &every(60), minute * MINUTE_MS, 3_600);
        let starts: Vec<i64> = (0..1_000).map(due).collect();
        assert!(starts.windows(2).all(|two| two[1] - two[0] >= MINUTE_MS / 2), "{starts:?}");
    }

    #[test]
    fn a_single_instant_has_the_whole_jitter() {
        let once = Schedule::Once { at_ms: MINUTE_MS };
        let mut delays =
            (0..100).map(|n| delay_ms(&AutomationId::new(format!("aut_{n}")), &once, MINUTE_MS, 600));
        assert!(delays.any(|delay| delay > 300_000));
    }

    #[test]
    fn without_jitter_nothing_is_delayed() {
        assert_eq!(delay_ms(&AutomationId::new("aut_1"), &every(60), 1_800_000_000_000, 0), 0);
    }
}
