//! One call in the archive. Its id has the time at which it was made, so only the segments of that time are read.

use toolgate_core::event::{EventFilter, EventKind, Outcome, RecordedEvent};
use toolgate_core::id::CallId;
use toolgate_store::{LEDGER_PAGE_MAX, LedgerOrder, LineReader};

use crate::archive::Archive;
use crate::day::DAY_MS;
use crate::error::ArchiveError;
use crate::page::{ArchiveCursor, PageLimits};

/// The clock that says when an event happened may have been set back since the id was made.
const SET_BACK_MAX_MS: i64 = 60 * 60 * 1000;
/// A call whose first event is later than this after its id is not found.
const BEGIN_MAX_MS: i64 = DAY_MS;
/// The time for which the events of a call that has not ended are looked for: people may be asked for as long.
const CALL_DAYS_MAX: i64 = 31;
/// The number of segments after which the search ends, with the day that it is at.
const CALL_SEGMENTS: usize = 512;
const DIGITS: usize = 32;
/// The digits of the time, and the one after them, which says how the id was made.
const TIME_DIGITS: usize = 12;
const VERSION: u8 = b'7';

impl Archive {
    /// The events of a call, oldest first, up to the end of the day in which it ended. There are none for an id that no
    /// gateway made.
    pub async fn call(&self, call: &CallId) -> Result<Vec<RecordedEvent>, ArchiveError> {
        let Some(made_ms) = made_at(call) else { return Ok(Vec::new()) };
        let begun_ms = made_ms.saturating_add(BEGIN_MAX_MS);
        let mut events = self.call_between(call, made_ms - SET_BACK_MAX_MS, begun_ms).await?;
        if !events.is_empty() && !has_ended(&events) {
            let until_ms = made_ms.saturating_add(CALL_DAYS_MAX * DAY_MS);
            events.extend(self.call_between(call, begun_ms, until_ms).await?);
            events.sort_by(|a, b| (a.time, &a.stream, a.number).cmp(&(b.time, &b.stream, b.number)));
            events.truncate(LEDGER_PAGE_MAX);
        }
        Ok(events)
    }

    async fn call_between(
        &self,
        call: &CallId,
        from_ms: i64,
        until_ms: i64,
    ) -> Result<Vec<RecordedEvent>, ArchiveError> {
        let filter = EventFilter {
            call: Some(call.clone()),
            from_ms: Some(from_ms),
            until_ms: Some(until_ms),
            ..EventFilter::default()
        };
        let cursor =
            ArchiveCursor { reader: LineReader::new(&filter), after: None, order: LedgerOrder::OldestFirst };
        let limits = PageLimits { events: LEDGER_PAGE_MAX, segments: CALL_SEGMENTS };
        Ok(self.page_until(&filter, cursor, limits, has_ended).await?.events)
    }
}

/// When an id was made, in milliseconds since 1970. `None` if it is no UUID of version 7.
fn made_at(call: &CallId) -> Option<i64> {
    let digits = call.as_str().strip_prefix(CallId::PREFIX)?;
    let is_id = digits.len() == DIGITS
        && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
        && digits.as_bytes()[TIME_DIGITS] == VERSION;
    if !is_id {
        return None;
    }
    i64::from_str_radix(&digits[..TIME_DIGITS], 16).ok()
}

/// True if the last end of the call leaves nothing to wait for.
fn has_ended(events: &[RecordedEvent]) -> bool {
    let ends = |one: &&RecordedEvent| one.event.kind == EventKind::CallCompleted;
    let last = events.iter().rev().find(ends).and_then(|end| end.event.outcome);
    last.is_some_and(|outcome| !matches!(outcome, Outcome::PendingApproval | Outcome::PendingInput))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_says_when_it_was_made() {
        let made = |id: &str| made_at(&CallId::new(id));
        assert_eq!(made("tc_019f1c9d7000712380000000000000ab"), Some(0x019f_1c9d_7000));
        for other in [
            "",
            "tc_1",
            "apr_019f1c9d7000712380000000000000ab",
            "tc_019f1c9d7000412380000000000000ab",
            "tc_019f1c9d7000712380000000000000a",
            "tc_019f1c9d7000712380000000000000zz",
            "tc_+19f1c9d7000712380000000000000ab",
            "tc_019f1c9d700é71238000000000000ab",
        ] {
            assert_eq!(made(other), None, "{other}");
        }
    }
}
