//! Terms: the values by which events are found. Each block of a stream has the terms of its events, once, no
//! matter how many of them have it; a search reads the blocks with all of its terms and goes through their
//! events. So two values may share a term: that costs time, and finds nothing wrong.

use toolgate_core::Digest;
use toolgate_core::event::{DecisionKind, EventFilter, EventKind, Outcome};
use toolgate_core::id::{CallId, RunId, SessionId};
use toolgate_core::{CanonicalName, PrincipalId, ServerName};

use super::clean;
use super::failure;
use super::line::LedgerLine;
use super::text::Text;

/// Frequent values are found by going through all events; no rows are spent on them. Verification compares the stored rows
/// with these rules (`verify/terms.rs`), so other rules are another form.
const COMMON: [&str; 4] = [
    EventKind::CallStarted.as_str(),
    EventKind::CallCompleted.as_str(),
    Outcome::Succeeded.as_str(),
    DecisionKind::Permit.as_str(),
];

/// The form of the terms that blocks are written with. Those of `FORM_1` lack `since_form_2`.
pub(super) const FORM: i64 = 2;
pub(super) const FORM_1: i64 = 1;

/// The kind that was common while plain permits were events of their own.
const KIND_SINCE_FORM_2: &str = EventKind::PolicyDecided.as_str();

/// The letters that distinguish a tool from a server of the same name. The one that is likely to match the
/// fewest events comes first.
const LETTERS: [u8; 9] = *b"crskodtpv";
const CALL: u8 = LETTERS[0];
const KIND: usize = 3;
const OUTCOME: usize = 4;

/// In the order of `LETTERS`.
type TermValues<T> = [Option<T>; LETTERS.len()];

const TERM_BYTES_MAX: usize = 23;
/// The first and the last bytes of an id are its term. The first ones of most ids are a time, so the rows of
/// calls that come together lie together.
const ID_BYTES: usize = 6;
const DIGEST_BYTES: usize = 12;
/// No text begins with it.
const DIGEST_MARK: u8 = 0xff;

/// A letter, and the value or what stands for it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Term {
    bytes: [u8; TERM_BYTES_MAX],
    length: u8,
}

impl Term {
    fn of(letter: u8, value: Text<'_>) -> Self {
        let (plain, packed) = value.split();
        match packed {
            Some(packed) => Self::new(letter, &packed[..ID_BYTES], &packed[packed.len() - ID_BYTES..]),
            None if plain.len() < TERM_BYTES_MAX => Self::new(letter, &[], plain.as_bytes()),
            None => Self::new(letter, &[DIGEST_MARK], &Digest::of(plain).as_bytes()[..DIGEST_BYTES]),
        }
    }

    fn new(letter: u8, before: &[u8], value: &[u8]) -> Self {
        let mut bytes = [0; TERM_BYTES_MAX];
        bytes[0] = letter;
        let length = 1 + before.len() + value.len();
        bytes[1..=before.len()].copy_from_slice(before);
        bytes[1 + before.len()..length].copy_from_slice(value);
        Self { bytes, length: u8::try_from(length).expect("a term is short") }
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    /// The term that blocks of the first form lack.
    pub(super) fn since_form_2() -> Self {
        Self::of(LETTERS[KIND], Text::of(KIND_SINCE_FORM_2))
    }

    /// The term of the events of a call.
    pub(super) fn of_call(call: &CallId) -> Self {
        Self::of(CALL, Text::of(&clean::replaced(call.as_str())))
    }
}

/// What some blocks have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BlockMark {
    Term(Term),
    /// The form of its terms is the first.
    FirstForm,
}

/// The terms of an event.
pub(super) fn of_line(line: &LedgerLine<'_>) -> impl Iterator<Item = Term> {
    let rare =
        |value: Option<Text<'_>>| value.is_some_and(|value| !COMMON.iter().any(|word| value == **word));
    let values = LETTERS.into_iter().zip(values(line));
    values.filter(move |(_, value)| rare(*value)).filter_map(|(letter, value)| Some(Term::of(letter, value?)))
}

fn values<'a>(line: &LedgerLine<'a>) -> TermValues<Text<'a>> {
    [
        line.call,
        line.run,
        line.session,
        Some(line.kind),
        line.outcome,
        line.decision,
        line.tool,
        Some(line.principal),
        line.server,
    ]
}

/// A filter as lines are held against it.
pub(super) struct LineFilter {
    pub(super) from_ms: Option<i64>,
    pub(super) until_ms: Option<i64>,
    values: TermValues<String>,
    /// Any of several; a single one is among the values.
    outcomes: Vec<Outcome>,
    error: Option<String>,
    is_searched: bool,
}

impl LineFilter {
    pub(super) fn of(filter: &EventFilter) -> Self {
        let (outcome, outcomes) = match &*filter.outcomes {
            [one] => (Some(*one), Vec::new()),
            some => (None, some.to_vec()),
        };
        let values = [
            filter.call.as_ref().map(CallId::as_str),
            filter.run.as_ref().map(RunId::as_str),
            filter.session.as_ref().map(SessionId::as_str),
            filter.kind.map(EventKind::as_str),
            outcome.map(Outcome::as_str),
            filter.decision.map(DecisionKind::as_str),
            filter.tool.as_ref().map(CanonicalName::as_str),
            filter.principal.as_ref().map(PrincipalId::as_str),
            filter.server.as_ref().map(ServerName::as_str),
        ];
        let values = values.map(|value| value.map(clean::replaced));
        let (from_ms, until_ms, error) = (filter.from_ms, filter.until_ms, filter.error.clone());
        Self { from_ms, until_ms, values, outcomes, error, is_searched: true }
    }

    /// Every line is gone through. Terms are not under the hash, so whoever can write to the database can hide an event
    /// from a search.
    pub(super) fn unsearched(self) -> Self {
        Self { is_searched: false, ..self }
    }

    pub(super) fn is_anything(&self) -> bool {
        self.from_ms.is_none()
            && self.until_ms.is_none()
            && self.values.iter().all(Option::is_none)
            && self.outcomes.is_empty()
            && self.error.is_none()
    }

    pub(super) fn passes(&self, line: &LedgerLine<'_>) -> bool {
        let fits = |(wanted, found): (&Option<String>, Option<Text<'_>>)| match wanted {
            Some(wanted) => found.is_some_and(|found| found == **wanted),
            None => true,
        };
        self.from_ms.is_none_or(|from| line.at_ms >= from)
            && self.until_ms.is_none_or(|until| line.at_ms < until)
            && self.values.iter().zip(values(line)).all(fits)
            && self.fits_outcome(line)
            && self.fits_error(line)
    }

    fn fits_outcome(&self, line: &LedgerLine<'_>) -> bool {
        let is_wanted = |found: Text<'_>| self.outcomes.iter().any(|one| found == *one.as_str());
        self.outcomes.is_empty() || line.outcome.is_some_and(is_wanted)
    }

    fn fits_error(&self, line: &LedgerLine<'_>) -> bool {
        let Some(wanted) = &self.error else { return true };
        failure::of_line(line).is_some_and(|found| *found == **wanted)
    }

    /// Every block with an event that passes has one of these, unless there are none.
    pub(super) fn either(&self) -> Vec<BlockMark> {
        if !self.is_searched {
            return Vec::new();
        }
        if self.values[KIND].as_deref() == Some(KIND_SINCE_FORM_2) {
            return vec![BlockMark::Term(Term::since_form_2()), BlockMark::FirstForm];
        }
        let outcomes: Vec<Outcome> = match (&self.values[OUTCOME], &*self.outcomes, &self.error) {
            // A single one is among the terms.
            (Some(_), ..) | (None, [], None) => Vec::new(),
            (None, [], Some(error)) => failure::outcomes_of(error).collect(),
            (None, some, _) => some.to_vec(),
        };
        if outcomes.iter().any(|one| COMMON.contains(&one.as_str())) {
            return Vec::new();
        }
        let mark = |one: Outcome| BlockMark::Term(Term::of(LETTERS[OUTCOME], Text::of(one.as_str())));
        outcomes.into_iter().map(mark).collect()
    }

    /// The terms of every block with an event that passes, unless they are too common to be stored or some blocks lack them.
    pub(super) fn terms(&self) -> Vec<Term> {
        let given = LETTERS.into_iter().zip(&self.values).filter(|_| self.is_searched);
        let given = given.filter_map(|(letter, value)| Some((letter, value.as_deref()?)));
        let rare = given.filter(|(_, value)| !COMMON.contains(value) && *value != KIND_SINCE_FORM_2);
        rare.map(|(letter, value)| Term::of(letter, Text::of(value))).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use toolgate_core::event::{Event, EventSubject, HybridTime};

    use super::*;
    use crate::ledger::line::{EventPosition, no_hash};

    fn event(kind: EventKind, call: &str) -> Event {
        let about = EventSubject {
            call: Some(CallId::new(call)),
            tool: Some(CanonicalName::recorded("files:read")),
            server: Some(ServerName::new("files").expect("a legal name")),
            ..EventSubject::default()
        };
        Event::new(kind, 0, PrincipalId::new("files"), Arc::new(about))
    }

    fn terms(event: &Event) -> Vec<String> {
        let (time, previous) = (HybridTime::START, no_hash());
        let place = EventPosition { tenant: "t", stream: "s", number: 1, time, previous };
        of_line(&LedgerLine::of(place, event))
            .map(|term| String::from_utf8_lossy(term.as_bytes()).into_owned())
            .collect()
    }

    #[test]
    fn blocks_are_marked_for_an_error_and_for_decisions() {
        let outcomes = |filter: &EventFilter| {
            let found = LineFilter::of(filter).either().into_iter();
            let words = found.map(|mark| match mark {
                BlockMark::Term(term) => String::from_utf8_lossy(term.as_bytes()).into_owned(),
                BlockMark::FirstForm => "first form".to_owned(),
            });
            words.collect::<Vec<_>>()
        };
        let error = |error: &str| EventFilter { error: Some(error.to_owned()), ..EventFilter::default() };
        let failed = outcomes(&error("server_timeout"));
        assert!(failed.contains(&"ofailed".to_owned()) && !failed.contains(&"otool_error".to_owned()));
        assert!(outcomes(&error("tool_error")).contains(&"otool_error".to_owned()));
        let one = EventFilter { outcomes: vec![Outcome::Failed], ..error("server_timeout") };
        assert!(outcomes(&one).is_empty(), "it is among the terms");
        let some = EventFilter { outcomes: vec![Outcome::Failed, Outcome::Denied], ..error("denied") };
        assert_eq!(outcomes(&some), ["ofailed", "odenied"]);
        let common = EventFilter { outcomes: vec![Outcome::Failed, Outcome::Succeeded], ..error("denied") };
        assert!(outcomes(&common).is_empty());
        let decided = EventFilter { kind: Some(EventKind::PolicyDecided), ..EventFilter::default() };
        assert_eq!(outcomes(&decided), ["kpolicy.decided", "first form"]);
        assert_eq!(LineFilter::of(&decided).terms(), [], "not all blocks have it");
        assert!(LineFilter::of(&decided).unsearched().either().is_empty());
    }

    #[test]
    fn what_most_events_have_is_no_term() {
        let common = Event {
            outcome: Some(Outcome::Succeeded),
            decision: Some(DecisionKind::Permit),
            ..event(EventKind::CallCompleted, "tc_1")
        };
        assert_eq!(terms(&common), ["ctc_1", "tfiles:read", "pfiles", "vfiles"]);
        let rare = Event {
            outcome: Some(Outcome::Denied),
            decision: Some(DecisionKind::Deny),
            ..event(EventKind::CallPaused, "tc_1")
        };
        assert_eq!(terms(&rare)[1..4], ["ktool.call.paused", "odenied", "ddeny"]);
    }

    #[test]
    fn a_filter_wants_terms_that_its_events_have() {
        let long = format!("{}:tool", "server".repeat(9));
        for call in ["tc_1", "tc_\0", "tc_0123456789abcdef0123456789abcdef", &long] {
            let mut event = event(EventKind::ApprovalVoted, &clean::replaced(call));
            Arc::make_mut(&mut event.about).tool = Some(CanonicalName::recorded(&long));
            let filter = EventFilter {
                call: Some(CallId::new(call)),
                kind: Some(event.kind),
                outcomes: vec![Outcome::Succeeded],
                tool: event.about.tool.clone(),
                ..EventFilter::default()
            };
            let wanted = LineFilter::of(&filter).terms();
            assert_eq!(wanted.len(), 3);
            let place = EventPosition {
                tenant: "t",
                stream: "s",
                number: 1,
                time: HybridTime::START,
                previous: no_hash(),
            };
            let line = LedgerLine::of(place, &event);
            let found: Vec<Term> = of_line(&line).collect();
            assert!(wanted.iter().all(|term| found.contains(term)), "{wanted:?} {found:?}");
            assert!(!LineFilter::of(&filter).passes(&line), "it has no outcome");
            event.outcome = Some(Outcome::Succeeded);
            assert!(LineFilter::of(&filter).passes(&LedgerLine::of(place, &event)));
        }
        assert_eq!(LineFilter::of(&EventFilter::default()).terms(), []);
    }

    #[test]
    fn several_outcomes_and_an_error_are_held_against_each_line() {
        let place = EventPosition {
            tenant: "t",
            stream: "s",
            number: 1,
            time: HybridTime::START,
            previous: no_hash(),
        };
        let ended = |outcome| Event { outcome: Some(outcome), ..event(EventKind::CallCompleted, "tc_1") };
        let passes = |filter: &EventFilter, event: &Event| {
            LineFilter::of(filter).passes(&LedgerLine::of(place, event))
        };
        let outcomes = vec![Outcome::Denied, Outcome::Unknown];
        let either = EventFilter { outcomes, ..EventFilter::default() };
        assert_eq!((LineFilter::of(&either).terms(), LineFilter::of(&either).is_anything()), (vec![], false));
        assert!(passes(&either, &ended(Outcome::Denied)) && passes(&either, &ended(Outcome::Unknown)));
        assert!(!passes(&either, &ended(Outcome::Succeeded)));
        assert!(!passes(&either, &event(EventKind::CallStarted, "tc_1")));
        let error = EventFilter { error: Some("denied".to_owned()), ..EventFilter::default() };
        assert!(!LineFilter::of(&error).is_anything());
        assert!(passes(&error, &ended(Outcome::Denied)) && !passes(&error, &ended(Outcome::Unknown)));
        assert!(!passes(&error, &event(EventKind::CallStarted, "tc_1")), "it is no end of a call");
    }

    #[test]
    fn calls_that_come_together_lie_together() {
        let of = |digits: &str| Term::of_call(&CallId::new(format!("tc_{digits}{}", "0".repeat(20))));
        let terms = [of("01a1e19e0001"), of("01a1e19e0002"), of("01a1e19e0100")];
        assert!(terms.is_sorted());
        assert!(terms.iter().all(|term| term.as_bytes().len() == 1 + 2 * ID_BYTES));
    }
}
