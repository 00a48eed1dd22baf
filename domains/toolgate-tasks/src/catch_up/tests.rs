//! The fate of instants that have come: on time, late, after a night asleep, and when the clock jumps.

use toolgate_core::automation::Trigger;

use super::*;

/// A whole minute of November 2026.
const START_MS: i64 = 1_794_916_800_000;
const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;

fn every_minute() -> Schedule {
    let trigger = Trigger::Cron { pattern: "* * * * *".to_owned(), timezone: "UTC".to_owned() };
    Schedule::read(&trigger).expect("a pattern").expect("it has instants")
}

fn every_hour() -> Schedule {
    let trigger = Trigger::Interval { seconds: 3_600, from_ms: START_MS };
    Schedule::read(&trigger).expect("an interval").expect("it has instants")
}

fn after(passed_ms: i64) -> CatchUpSpan {
    CatchUpSpan { after_ms: START_MS, now_ms: START_MS + passed_ms, window_ms: HOUR_MS, jitter_ms: 0 }
}

fn planned(schedule: &Schedule, span: CatchUpSpan) -> Option<CatchUp> {
    plan(schedule, span, |_| 0)
}

fn causes(planned: &CatchUp) -> Vec<&str> {
    planned.missed.iter().map(|missed| &*missed.cause).collect()
}

#[test]
fn an_instant_that_has_just_come_starts() {
    assert_eq!(planned(&every_minute(), after(MINUTE_MS - 1)), None);
    let one = planned(&every_minute(), after(MINUTE_MS + 3)).expect("one is due");
    let instant = START_MS + MINUTE_MS;
    assert_eq!(one, CatchUp { start: Some(instant), missed: Vec::new(), until_ms: instant });
}

#[test]
fn of_several_missed_ones_only_the_latest_starts() {
    let three = planned(&every_hour(), after(3 * HOUR_MS + 10 * MINUTE_MS)).expect("three are due");
    assert_eq!(three.start, Some(START_MS + 3 * HOUR_MS));
    let expected = [START_MS + HOUR_MS, START_MS + 2 * HOUR_MS].map(|instant| instant.to_string());
    assert_eq!(causes(&three), expected);
    assert!(three.missed.iter().all(|missed| missed.reason.contains("a later instant")));
}

#[test]
fn an_instant_that_is_too_late_starts_nothing() {
    let span = CatchUpSpan { window_ms: 10 * MINUTE_MS, ..after(HOUR_MS + 10 * MINUTE_MS + 1) };
    let late = planned(&every_hour(), span).expect("one is due");
    assert_eq!((late.start, late.until_ms), (None, START_MS + HOUR_MS));
    assert_eq!(late.missed[0].reason, "no gateway was there within 600 seconds");
    let span = CatchUpSpan { now_ms: span.now_ms - 1, ..span };
    assert_eq!(planned(&every_hour(), span).expect("one is due").start, Some(START_MS + HOUR_MS));
}

#[test]
fn without_a_window_a_gateway_may_still_wake_a_moment_late() {
    let span = CatchUpSpan { window_ms: 0, ..after(HOUR_MS + 9_000) };
    assert_eq!(planned(&every_hour(), span).expect("one is due").start, Some(START_MS + HOUR_MS));
    let span = CatchUpSpan { window_ms: 0, ..after(HOUR_MS + 11_000) };
    assert_eq!(planned(&every_hour(), span).expect("one is due").start, None);
}

#[test]
fn a_night_asleep_is_one_run_and_a_bounded_number_of_rows() {
    let night = planned(&every_minute(), after(12 * HOUR_MS + 5_000)).expect("720 are due");
    assert_eq!(night.start, Some(START_MS + 12 * HOUR_MS));
    assert_eq!(night.until_ms, START_MS + 12 * HOUR_MS);
    assert_eq!(night.missed.len(), MISSED_ROWS_MAX + 1);
    let rest = &night.missed[MISSED_ROWS_MAX];
    assert_eq!(rest.cause, format!("{}-{}", START_MS + 101 * MINUTE_MS, night.until_ms));
    assert!(rest.reason.contains(" 619 further instants"), "{}", rest.reason);
}

#[test]
fn a_year_asleep_is_not_counted_to_its_end() {
    let year = planned(&every_minute(), after(365 * 24 * HOUR_MS)).expect("many are due");
    assert_eq!(year.start, Some(START_MS + 365 * 24 * HOUR_MS));
    assert_eq!(year.missed.len(), MISSED_ROWS_MAX + 1);
    assert!(year.missed[MISSED_ROWS_MAX].reason.contains("at least 10000 further"));
}

#[test]
fn after_a_clock_was_set_back_the_next_instant_still_comes() {
    let ahead = CatchUpSpan { after_ms: START_MS + 300 * 24 * HOUR_MS, ..after(MINUTE_MS - 1) };
    let minute = |number: i64| {
        let instant = START_MS + number * MINUTE_MS;
        Some(CatchUp { start: Some(instant), missed: Vec::new(), until_ms: instant })
    };
    assert_eq!(planned(&every_minute(), ahead), minute(0), "the store knows that it has started before");
    let later = CatchUpSpan { now_ms: START_MS + MINUTE_MS, ..ahead };
    assert_eq!(planned(&every_minute(), later), minute(1));
}

#[test]
fn a_gateway_whose_clock_is_a_little_slow_waits() {
    let slow = CatchUpSpan { after_ms: START_MS + MINUTE_MS, ..after(MINUTE_MS - 2_000) };
    assert_eq!(planned(&every_minute(), slow), None);
}

#[test]
fn a_delayed_instant_starts_after_its_delay() {
    let delay = |_| 20_000;
    let span = CatchUpSpan { jitter_ms: 30_000, ..after(HOUR_MS + 19_999) };
    assert_eq!(plan(&every_hour(), span, delay), None);
    let span = CatchUpSpan { now_ms: span.now_ms + 1, ..span };
    let one = plan(&every_hour(), span, delay).expect("one is due");
    assert_eq!((one.start, one.missed.len()), (Some(START_MS + HOUR_MS), 0));
}

#[test]
fn a_pause_leaves_a_row_for_each_instant_and_one_for_the_rest() {
    let rows = of_pause(&every_hour(), START_MS, START_MS + 2 * HOUR_MS, "holidays");
    let causes: Vec<&str> = rows.iter().map(|row| &*row.cause).collect();
    assert_eq!(causes, [START_MS + HOUR_MS, START_MS + 2 * HOUR_MS].map(|instant| instant.to_string()));
    assert!(rows.iter().all(|row| row.reason == "it was paused: holidays"));
    assert!(of_pause(&every_hour(), START_MS, START_MS + HOUR_MS - 1, "holidays").is_empty());
    let night = of_pause(&every_minute(), START_MS, START_MS + 12 * HOUR_MS, "holidays");
    assert_eq!(night.len(), MISSED_ROWS_MAX + 1);
    let rest = &night[MISSED_ROWS_MAX].reason;
    assert!(rest.starts_with("it was paused for 620 further instants"), "{rest}");
}
