//! Instants of schedules: changes of the clock, patterns that never or too often fire, and what holds for all of them.

use proptest::prelude::*;
use toolgate_core::moment::{parse_rfc3339, rfc3339};

use super::*;

fn ms(text: &str) -> i64 {
    parse_rfc3339(text).expect("a moment")
}

fn cron(pattern: &str, timezone: &str) -> Result<Schedule, BadSchedule> {
    let trigger = Trigger::Cron { pattern: pattern.to_owned(), timezone: timezone.to_owned() };
    Schedule::read(&trigger).map(|schedule| schedule.expect("it has instants"))
}

/// The next instants of a pattern, in UTC.
#[track_caller]
fn check(pattern: &str, timezone: &str, after: &str, expected: &[&str]) {
    let schedule = cron(pattern, timezone).expect("a pattern");
    let instants: Vec<String> = schedule.after(ms(after), expected.len()).into_iter().map(rfc3339).collect();
    let expected: Vec<String> = expected.iter().map(|text| rfc3339(ms(text))).collect();
    assert_eq!(instants, expected, "{pattern} in {timezone}");
}

#[test]
fn a_daily_time_in_a_gap_runs_right_after_it() {
    check(
        "30 2 * * *",
        "Europe/Berlin",
        "2026-03-28T00:00:00Z",
        &["2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"],
    );
    check(
        "30 2 * * *",
        "America/New_York",
        "2026-03-07T12:00:00Z",
        &["2026-03-08T07:00:00Z", "2026-03-09T06:30:00Z"],
    );
    check(
        "15 2 * * *",
        "Australia/Lord_Howe",
        "2026-10-03T00:00:00Z",
        &["2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z"],
    );
}

#[test]
fn a_day_whose_midnight_does_not_exist_is_not_lost() {
    check(
        "0 0 * * *",
        "Africa/Cairo",
        "2026-04-22T12:00:00Z",
        &["2026-04-22T22:00:00Z", "2026-04-23T22:00:00Z", "2026-04-24T21:00:00Z"],
    );
}

#[test]
fn a_daily_time_that_comes_twice_runs_once() {
    check(
        "30 2 * * *",
        "Europe/Berlin",
        "2026-10-24T12:00:00Z",
        &["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"],
    );
    check("30 2 * * *", "Europe/Berlin", "2026-10-25T01:10:00Z", &["2026-10-26T01:30:00Z"]);
    check(
        "30 1 * * *",
        "America/New_York",
        "2026-10-31T12:00:00Z",
        &["2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"],
    );
    check(
        "30 23 * * *",
        "Africa/Cairo",
        "2026-10-28T22:00:00Z",
        &["2026-10-29T20:30:00Z", "2026-10-30T21:30:00Z"],
    );
    check(
        "45 1 * * *",
        "Australia/Lord_Howe",
        "2026-04-04T00:00:00Z",
        &["2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z"],
    );
}

#[test]
fn a_pattern_with_several_times_follows_the_clock_on_the_wall() {
    check(
        "*/30 * * * *",
        "Europe/Berlin",
        "2026-03-29T00:15:00Z",
        &["2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z"],
    );
    check(
        "*/30 * * * *",
        "Europe/Berlin",
        "2026-10-25T00:10:00Z",
        &["2026-10-25T00:30:00Z", "2026-10-25T01:00:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:00:00Z"],
    );
}

#[test]
fn a_leap_day_is_waited_for() {
    check("0 0 29 2 *", "UTC", "2026-01-01T00:00:00Z", &["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"]);
    check("0 0 31 * *", "UTC", "2026-01-31T00:00:00Z", &["2026-03-31T00:00:00Z", "2026-05-31T00:00:00Z"]);
}

#[test]
fn a_monthly_pattern_leaves_no_month_out() {
    let schedule = cron("0 6 1 * *", "America/New_York").expect("a pattern");
    let instants = schedule.after(ms("2026-01-01T00:00:00Z"), 120);
    for (number, instant) in instants.iter().enumerate() {
        let expected = format!("{}-{:02}-01T", 2026 + number / 12, number % 12 + 1);
        assert!(rfc3339(*instant).starts_with(&expected), "{} is not in {expected}", rfc3339(*instant));
    }
    assert_eq!(instants.len(), 120);
}

#[test]
fn what_never_fires_or_fires_too_often_is_refused() {
    let now = ms("2026-11-17T12:00:00Z");
    for pattern in ["0 0 31 2 *", "0 0 30 2 *", "0 0 31 4,6,9,11 *"] {
        let checked = cron(pattern, "UTC").expect("it can be read").check(now);
        assert!(matches!(checked, Err(BadSchedule::Never { .. })), "{pattern}: {checked:?}");
    }
    for pattern in ["* * * * * *", "*/10 * * * * *", "0,30 * * * * *", "0,59 0 0 1 1 *"] {
        let checked = cron(pattern, "Europe/Berlin").expect("it can be read").check(now);
        assert!(matches!(checked, Err(BadSchedule::TooOften { .. })), "{pattern}: {checked:?}");
    }
    for pattern in ["* * * * *", "30 * * * * *", "0 9 * * MON-FRI", "@daily", "0 0 29 2 *"] {
        assert_eq!(cron(pattern, "Europe/Berlin").expect("it can be read").check(now), Ok(()), "{pattern}");
    }
    let over = Schedule::Once { at_ms: now };
    assert!(matches!(over.check(now), Err(BadSchedule::Never { .. })));
}

#[test]
fn patterns_that_are_none_are_refused() {
    let long = "0,".repeat(200);
    for pattern in ["", "  ", "* * *", "61 * * * *", "0 25 * * *", "tomorrow", "0 0 * * * * 2030", &*long] {
        let read = cron(pattern, "UTC");
        assert!(matches!(read, Err(BadSchedule::Unreadable { .. })), "{pattern:?}: {read:?}");
    }
}

#[test]
fn a_time_zone_that_does_not_exist_is_refused_with_those_most_like_it() {
    for written in ["Europe/Berln", "Berlin", "europe berlin"] {
        let Err(BadSchedule::Zone { name, nearest }) = cron("0 9 * * *", written) else {
            panic!("{written} is no time zone");
        };
        assert_eq!(name, written);
        assert!(nearest.contains(&"Europe/Berlin".to_owned()), "{written}: {nearest:?}");
        assert!(nearest.len() <= 3);
    }
    for none in ["", "Etc/Unknown", "Mars/Phobos"] {
        assert!(matches!(cron("0 9 * * *", none), Err(BadSchedule::Zone { .. })), "{none}");
    }
}

#[test]
fn an_interval_counts_from_its_first_instant() {
    let trigger = Trigger::Interval { seconds: 90, from_ms: 1_000 };
    let schedule = Schedule::read(&trigger).expect("an interval").expect("it has instants");
    assert_eq!(schedule.after(0, 3), [1_000, 91_000, 181_000]);
    assert_eq!(schedule.after(91_000, 1), [181_000]);
    assert_eq!(schedule.between(1_000, 181_000, 10), [91_000, 181_000]);
    for seconds in [0, 1, 59, INTERVAL_SECONDS_MAX + 1, u64::MAX] {
        let read = Schedule::read(&Trigger::Interval { seconds, from_ms: 0 });
        assert!(matches!(read, Err(BadSchedule::Interval { .. })), "{seconds}: {read:?}");
    }
    for from_ms in [-1, i64::MIN, i64::MAX] {
        let read = Schedule::read(&Trigger::Interval { seconds: 60, from_ms });
        assert!(matches!(read, Err(BadSchedule::Moment { .. })), "{from_ms}: {read:?}");
    }
}

#[test]
fn a_single_moment_comes_once() {
    let once = Schedule::Once { at_ms: 5_000 };
    assert_eq!(once.after(0, 10), [5_000]);
    assert_eq!(once.after(5_000, 10), Vec::<i64>::new());
}

const ZONES: [&str; 6] =
    ["UTC", "Europe/Berlin", "America/New_York", "Africa/Cairo", "Australia/Lord_Howe", "Asia/Kolkata"];

fn a_field(max: u32) -> impl Strategy<Value = String> {
    prop_oneof![
        Just("*".to_owned()),
        (0..=max).prop_map(|one| one.to_string()),
        (2..=max.max(3)).prop_map(|step| format!("*/{step}")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn instants_are_sorted_unique_and_later(
        minute in a_field(59),
        hour in a_field(23),
        weekday in a_field(6),
        zone in proptest::sample::select(ZONES.to_vec()),
        after_ms in 1_577_836_800_000i64..2_208_988_800_000,
    ) {
        let pattern = format!("{minute} {hour} * * {weekday}");
        let schedule = cron(&pattern, zone).expect("a pattern");
        let instants = schedule.after(after_ms, 20);
        prop_assert_eq!(instants.len(), 20);
        prop_assert!(instants[0] > after_ms);
        prop_assert!(instants.windows(2).all(|two| two[0] < two[1]), "{:?}", instants);
        prop_assert!(instants.iter().all(|instant| instant % 60_000 == 0), "{:?}", instants);
        // The same instant is next from everywhere before it: a scheduler that looks at any moment misses none.
        for (from, next) in [(after_ms, instants[0]), (instants[0], instants[1])] {
            prop_assert_eq!(schedule.next(from + (next - from) / 2), Some(next));
            prop_assert_eq!(schedule.next(next - 1), Some(next));
        }
    }
}
