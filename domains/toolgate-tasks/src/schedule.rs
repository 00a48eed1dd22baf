//! The instants of a schedule: cron patterns in a time zone, intervals, single moments. Pure.
//!
//! Cron patterns follow the rule that `croner` states for changes of the clock. A pattern with one fixed time of day runs once on every
//! day: in a gap at the first moment after it, and at the first of two equal times. A pattern with several times of a day follows the
//! clock on the wall: times in a gap do not happen, and times that come twice happen twice.

#[cfg(test)]
mod tests;
mod zone;

use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use toolgate_core::automation::Trigger;

/// Instants are at least this far apart.
const APART_MS_MIN: i64 = 60_000;
/// The longest interval: about ten years.
const INTERVAL_SECONDS_MAX: u64 = 10 * 366 * 86_400;
const PATTERN_CHARS_MAX: usize = 200;
/// The year 9999, which is as far as calendars here go.
const MOMENT_MS_MAX: i64 = 253_370_764_800_000;
/// The search for a pattern's next instant ends at a day that its zone left out altogether. It begins again after that day.
const LOST_DAYS_MAX: i64 = 2;
const DAY_MS: i64 = 86_400_000;

/// The instants of a trigger.
#[derive(Clone, Debug)]
pub(crate) enum Schedule {
    Cron { pattern: Box<Cron>, zone: TimeZone },
    Interval { from_ms: i64, step_ms: i64 },
    Once { at_ms: i64 },
}

/// The reason why a schedule is refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum BadSchedule {
    #[error("the pattern {pattern:?} cannot be read: {why}")]
    Unreadable { pattern: String, why: String },
    #[error("the pattern {pattern:?} fires more often than once a minute")]
    TooOften { pattern: String },
    #[error("{what} never fires")]
    Never { what: String },
    #[error("there is no time zone {name:?}")]
    Zone { name: String, nearest: Vec<String> },
    #[error("an interval has {min} to {max} seconds, and this one has {seconds}", min = APART_MS_MIN / 1_000, max = INTERVAL_SECONDS_MAX)]
    Interval { seconds: u64 },
    #[error("{ms} is no moment between the years 1970 and 9999")]
    Moment { ms: i64 },
}

impl Schedule {
    /// The schedule of a trigger. `None` if it has no instants of its own.
    pub(crate) fn read(trigger: &Trigger) -> Result<Option<Schedule>, BadSchedule> {
        match trigger {
            Trigger::Cron { pattern, timezone } => {
                let zone = zone::find(timezone)?;
                Ok(Some(Schedule::Cron { pattern: Box::new(parse(pattern)?), zone }))
            }
            Trigger::Interval { seconds, from_ms } => {
                let step_ms = i64::try_from(*seconds).ok().and_then(|seconds| seconds.checked_mul(1_000));
                let step_ms = step_ms
                    .filter(|step| *step >= APART_MS_MIN && *seconds <= INTERVAL_SECONDS_MAX)
                    .ok_or(BadSchedule::Interval { seconds: *seconds })?;
                Ok(Some(Schedule::Interval { from_ms: moment(*from_ms)?, step_ms }))
            }
            Trigger::Once { at_ms } => Ok(Some(Schedule::Once { at_ms: moment(*at_ms)? })),
            Trigger::Event { .. }
            | Trigger::Webhook { .. }
            | Trigger::Pointer { .. }
            | Trigger::RunEnded { .. }
            | Trigger::Unreadable { .. } => Ok(None),
        }
    }

    /// Refuses a schedule that never fires after a moment, or too often.
    pub(crate) fn check(&self, after_ms: i64) -> Result<(), BadSchedule> {
        // All seconds of a pattern belong to each of its minutes: a second one follows the first within that minute.
        let instants = self.after(after_ms, 3);
        if instants.is_empty() {
            return Err(BadSchedule::Never { what: self.words() });
        }
        match self {
            Schedule::Cron { pattern, .. }
                if instants.windows(2).any(|two| two[1] - two[0] < APART_MS_MIN) =>
            {
                Err(BadSchedule::TooOften { pattern: pattern.as_str().to_owned() })
            }
            _ => Ok(()),
        }
    }

    /// The first instant after a moment.
    pub(crate) fn next(&self, after_ms: i64) -> Option<i64> {
        match self {
            Schedule::Cron { pattern, zone } => next_of_pattern(pattern, zone, after_ms),
            Schedule::Interval { from_ms, step_ms } => {
                if after_ms < *from_ms {
                    return Some(*from_ms);
                }
                let steps = after_ms.checked_sub(*from_ms)? / step_ms + 1;
                from_ms.checked_add(steps.checked_mul(*step_ms)?).filter(|next| *next <= MOMENT_MS_MAX)
            }
            Schedule::Once { at_ms } => (*at_ms > after_ms).then_some(*at_ms),
        }
    }

    /// The instants after a moment, at most so many.
    pub(crate) fn after(&self, after_ms: i64, count: usize) -> Vec<i64> {
        std::iter::successors(self.next(after_ms), |last| self.next(*last)).take(count).collect()
    }

    /// The instants after one moment and up to another, at most so many.
    pub(crate) fn between(&self, after_ms: i64, until_ms: i64, count: usize) -> Vec<i64> {
        let all = std::iter::successors(self.next(after_ms), |last| self.next(*last));
        all.take_while(|instant| *instant <= until_ms).take(count).collect()
    }

    fn words(&self) -> String {
        match self {
            Schedule::Cron { pattern, .. } => format!("the pattern {:?}", pattern.as_str()),
            Schedule::Interval { .. } => "the interval".to_owned(),
            Schedule::Once { .. } => "a moment that is over".to_owned(),
        }
    }
}

fn parse(pattern: &str) -> Result<Cron, BadSchedule> {
    let unreadable = |why: String| BadSchedule::Unreadable { pattern: pattern.to_owned(), why };
    if pattern.chars().count() > PATTERN_CHARS_MAX {
        return Err(unreadable(format!("it has more than {PATTERN_CHARS_MAX} characters")));
    }
    let parser = CronParser::builder().seconds(Seconds::Optional).year(Year::Disallowed).build();
    parser.parse(pattern).map_err(|error| unreadable(error.to_string()))
}

fn moment(ms: i64) -> Result<i64, BadSchedule> {
    if (0..=MOMENT_MS_MAX).contains(&ms) { Ok(ms) } else { Err(BadSchedule::Moment { ms }) }
}

fn next_of_pattern(pattern: &Cron, zone: &TimeZone, after_ms: i64) -> Option<i64> {
    (0..=LOST_DAYS_MAX).find_map(|day| {
        let from = Timestamp::from_millisecond(after_ms.checked_add(day * DAY_MS)?).ok()?;
        let next = pattern.find_next_occurrence(&from.to_zoned(zone.clone()), false).ok()?;
        Some(next.timestamp().as_millisecond()).filter(|next| *next > after_ms && *next <= MOMENT_MS_MAX)
    })
}
