//! The instants between the last one and now: which of them starts a run, and which are only written down. Pure.
//!
//! A machine that slept a night has missed many instants. Only the latest starts a run, if it is not too late for that. Of the others
//! the first have a row each, and one row tells of the rest.

#[cfg(test)]
mod tests;

use toolgate_core::moment::rfc3339;
use toolgate_store::MissedInstant;

use crate::schedule::Schedule;

/// Missed instants that have a row each.
const MISSED_ROWS_MAX: usize = 100;
/// Missed instants that are counted, besides those.
const COUNTED_MAX: usize = 10_000;
/// Instants within the window that are looked at. The longest window has fewer.
const WITHIN_WINDOW_MAX: usize = 20_000;
/// An instant is never late within this time: gateways do not wake on the millisecond.
const GRACE_MS: i64 = 10_000;

/// A last instant that is further ahead than this is not the work of a gateway whose clock is a little fast.
const AHEAD_MS_MAX: i64 = 60_000;
/// Longer than a scheduler sleeps, and no longer than instants are apart.
const LOOK_BACK_MS: i64 = 60_000;

/// The time that is caught up with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CatchUpSpan {
    /// The last instant that has its row.
    pub(crate) after_ms: i64,
    pub(crate) now_ms: i64,
    pub(crate) window_ms: i64,
    /// The longest delay of an instant.
    pub(crate) jitter_ms: i64,
}

/// The fate of the instants of a span.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CatchUp {
    /// The instant that starts a run.
    pub(crate) start: Option<i64>,
    pub(crate) missed: Vec<MissedInstant>,
    /// Every instant up to this one is dealt with.
    pub(crate) until_ms: i64,
}

/// Plans the instants that are due. `delay` is that of an instant. `None` if there are none.
pub(crate) fn plan(schedule: &Schedule, span: CatchUpSpan, delay: impl Fn(i64) -> i64) -> Option<CatchUp> {
    let after_ms = counted_from(span);
    let is_due = |instant: &i64| instant.saturating_add(delay(*instant)) <= span.now_ms;
    let due = |after_ms: i64, count: usize| -> Vec<i64> {
        let come = schedule.between(after_ms, span.now_ms, count);
        come.into_iter().take_while(is_due).collect()
    };
    let first = due(after_ms, MISSED_ROWS_MAX + 1);
    let window_ms = span.window_ms.max(GRACE_MS);
    let in_time = |latest: &i64| span.now_ms - latest.saturating_add(delay(*latest)) <= window_ms;
    if first.len() <= MISSED_ROWS_MAX {
        let latest = *first.last()?;
        let start = Some(latest).filter(in_time);
        return Some(CatchUp { start, missed: rows(&first, start, window_ms), until_ms: latest });
    }
    let near_ms = span.now_ms.saturating_sub(window_ms).saturating_sub(span.jitter_ms).max(after_ms);
    let latest = due(near_ms, WITHIN_WINDOW_MAX).last().copied();
    let start = latest.filter(in_time);
    let until_ms = latest.unwrap_or(near_ms);
    let mut missed = rows(&first[..MISSED_ROWS_MAX], start, window_ms);
    missed.extend(summary(schedule, first[MISSED_ROWS_MAX], until_ms, start, "no gateway was there"));
    Some(CatchUp { start, missed, until_ms })
}

/// The rows of the instants of a pause, which start nothing.
pub(crate) fn of_pause(schedule: &Schedule, after_ms: i64, now_ms: i64, note: &str) -> Vec<MissedInstant> {
    let come = schedule.between(after_ms, now_ms, MISSED_ROWS_MAX + 1);
    let (own, rest) = come.split_at(come.len().min(MISSED_ROWS_MAX));
    let reason = format!("it was paused: {note}");
    let row = |instant: &i64| MissedInstant { cause: instant.to_string(), reason: reason.clone() };
    let mut missed: Vec<MissedInstant> = own.iter().map(row).collect();
    missed.extend(rest.first().and_then(|first| summary(schedule, *first, now_ms, None, "it was paused")));
    missed
}

/// The moment from which instants count. If the clock was set back, that is a moment ago: those that have had their row keep it, and the
/// next one comes when it is due, not when the clock has caught up with its former self.
fn counted_from(span: CatchUpSpan) -> i64 {
    match span.after_ms > span.now_ms.saturating_add(AHEAD_MS_MAX) {
        true => span.now_ms.saturating_sub(LOOK_BACK_MS).saturating_sub(span.jitter_ms),
        false => span.after_ms,
    }
}

/// A row for each instant but the one that starts.
fn rows(instants: &[i64], start: Option<i64>, window_ms: i64) -> Vec<MissedInstant> {
    let reason = match start {
        Some(_) => "no gateway was there in time, and a later instant takes its place".to_owned(),
        None => format!("no gateway was there within {} seconds", window_ms / 1_000),
    };
    let missed = instants.iter().filter(|instant| Some(**instant) != start);
    missed.map(|instant| MissedInstant { cause: instant.to_string(), reason: reason.clone() }).collect()
}

/// One row for all from an instant on.
fn summary(
    schedule: &Schedule,
    first_ms: i64,
    until_ms: i64,
    start: Option<i64>,
    why: &str,
) -> Option<MissedInstant> {
    let rest = schedule.between(first_ms - 1, until_ms, COUNTED_MAX);
    let count = rest.iter().filter(|instant| Some(**instant) != start).count();
    let at_least = if rest.len() == COUNTED_MAX { "at least " } else { "" };
    let (from, to) = (rfc3339(first_ms), rfc3339(until_ms));
    (count > 0).then(|| MissedInstant {
        cause: format!("{first_ms}-{until_ms}"),
        reason: format!("{why} for {at_least}{count} further instants from {from} to {to}"),
    })
}
