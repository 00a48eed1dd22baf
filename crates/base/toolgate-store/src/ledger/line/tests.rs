//! The encoding is a promise: a ledger written today is proven by every later version.

use std::sync::Arc;

use proptest::prelude::*;
use toolgate_core::event::{DecisionKind, EventKind, EventSubject, Outcome};
use toolgate_core::id::{ApprovalId, CallId, RunId, SessionId};
use toolgate_core::{CanonicalName, PrincipalId, RawJson, ServerName};

use super::*;
use crate::ledger::first::Value;

const TIME: HybridTime = HybridTime::START;

fn full() -> Event {
    let about = EventSubject {
        session: Some(SessionId::new("ses_1")),
        run: Some(RunId::new("run_1")),
        task: Some("task".into()),
        call: Some(CallId::new("tc_0123456789abcdef0123456789abcdef")),
        tool: Some(CanonicalName::recorded("files:read")),
        server: Some(ServerName::new("files").expect("a legal name")),
        tool_version: Some(Digest::of("tool")),
        trace: Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".into()),
    };
    let mut event =
        Event::new(EventKind::CallCompleted, 1_780_000_000_123, PrincipalId::new("tok_1"), Arc::new(about));
    event.approval = Some(ApprovalId::new("apr_1"));
    event.policy_version = Some(Digest::of("policy"));
    event.decision = Some(DecisionKind::Permit);
    event.outcome = Some(Outcome::Succeeded);
    event.duration_us = Some(-1);
    event.input = Some(Digest::of("input"));
    event.output = Some(Digest::of("output"));
    event.detail = Some(RawJson::from_composed("{\"a\":\"ä\"}".into()));
    event
}

fn place() -> EventPosition<'static> {
    let (time, previous) = (HybridTime::of_ms(1_780_000_000_125), Digest::of("previous"));
    EventPosition { tenant: "default", stream: "gateway", number: 300, time, previous }
}

fn encoded(place: EventPosition<'_>, event: &Event) -> Vec<u8> {
    LedgerLine::of(place, event).encoded(place.time)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn an_event_with_little_is_encoded_like_this_for_ever() {
    let event = Event::new(EventKind::PolicyLoaded, 1, PrincipalId::gateway(), Arc::default());
    let place =
        EventPosition { tenant: "t", stream: "s", number: 300, time: TIME.next(2), previous: no_hash() };
    let expected = [
        "02",
        "0174",
        "0173",
        "ac02",
        &"00".repeat(32),
        // 2 milliseconds, 65,536 ticks each.
        "808008",
        // No number for this word; 13 letters.
        "001a706f6c6963792e6c6f61646564",
        // One millisecond earlier.
        "02",
        "0e67617465776179",
        "00",
    ];
    assert_eq!(hex(&encoded(place, &event)), expected.concat());
}

#[test]
fn an_event_with_everything_has_this_hash_for_ever() {
    let line = encoded(place(), &full());
    assert_eq!(line.len(), 323);
    assert_eq!(
        hash(&line).to_string(),
        "sha256:86e338d953934c33ee97a8cd03b59b101343083585960bd0b219ccafb62d924f"
    );
    assert_eq!(hash(&line), leaf(&line));
}

/// Every field has another value in one of these.
fn changed() -> Vec<(&'static str, Vec<u8>)> {
    let with = |change: fn(&mut Event)| {
        let mut event = full();
        change(&mut event);
        encoded(place(), &event)
    };
    let about = |change: fn(&mut EventSubject)| {
        let mut event = full();
        change(Arc::make_mut(&mut event.about));
        encoded(place(), &event)
    };
    vec![
        ("tenant", encoded(EventPosition { tenant: "other", ..place() }, &full())),
        ("stream", encoded(EventPosition { stream: "other", ..place() }, &full())),
        ("number", encoded(EventPosition { number: 301, ..place() }, &full())),
        ("previous", encoded(EventPosition { previous: Digest::of("other"), ..place() }, &full())),
        ("time", encoded(EventPosition { time: place().time.next(0), ..place() }, &full())),
        ("kind", with(|event| event.kind = EventKind::CallStarted)),
        ("at_ms", with(|event| event.at_ms += 1)),
        ("principal", with(|event| event.principal = PrincipalId::new("other"))),
        ("session", about(|about| about.session = None)),
        ("run", about(|about| about.run = Some(RunId::new("")))),
        ("task", about(|about| about.task = Some("".into()))),
        ("call", about(|about| about.call = Some(CallId::new("tc_0123456789abcdef0123456789abcde0")))),
        ("tool", about(|about| about.tool = Some(CanonicalName::recorded("files:write")))),
        ("server", about(|about| about.server = None)),
        ("other server", about(|about| about.server = ServerName::new("mail").ok())),
        ("tool_version", about(|about| about.tool_version = None)),
        ("trace", about(|about| about.trace = None)),
        ("approval", with(|event| event.approval = Some(ApprovalId::new("apr_2")))),
        ("policy_version", with(|event| event.policy_version = Some(Digest::of("other")))),
        ("decision", with(|event| event.decision = Some(DecisionKind::Deny))),
        ("outcome", with(|event| event.outcome = Some(Outcome::Unknown))),
        ("duration_us", with(|event| event.duration_us = None)),
        ("input", with(|event| event.input = None)),
        ("output", with(|event| event.output = Some(Digest::of("other")))),
        ("detail", with(|event| event.detail = Some(RawJson::EMPTY))),
        ("meta", with(|event| event.meta = Some(Digest::of("meta")))),
        ("other meta", with(|event| event.meta = Some(Digest::of("other")))),
    ]
}

#[test]
fn the_hash_covers_every_field() {
    let mut seen = vec![hash(&encoded(place(), &full()))];
    for (name, line) in changed() {
        let hash = hash(&line);
        assert!(!seen.contains(&hash), "{name}");
        seen.push(hash);
    }
}

#[test]
fn a_line_is_read_as_it_was_written() {
    let mut lines = changed();
    lines.push(("everything", encoded(place(), &full())));
    for (name, line) in lines {
        let read = LedgerLine::read(&line).unwrap_or_else(|| panic!("{name} is a line"));
        assert_eq!(read.encoded(read.time.expect("a time")), line, "{name}");
    }
    let line = encoded(place(), &full());
    for length in 0..line.len() {
        assert!(LedgerLine::read(&line[..length]).is_none(), "{length} bytes are no line");
    }
    assert!(LedgerLine::read(&[&line[..], &[0]].concat()).is_none(), "nor is a line with more behind it");
}

#[test]
fn a_line_says_which_bodies_are_stored_and_for_how_long() {
    let event = full();
    let without = LedgerLine::of(place(), &event);
    for (input, output, days, bytes) in [(true, true, 90, 2), (true, false, 1, 1), (false, true, u32::MAX, 5)]
    {
        let kept = Some(KeptBodies { input, output, meta: false, days });
        let line = LedgerLine { kept, ..without }.encoded(place().time);
        assert_eq!(LedgerLine::read(&line).expect("a line").kept, kept);
        // The bit lies in a byte of its own, which is there for the others already.
        assert_eq!(line.len(), without.encoded(place().time).len() + bytes);
    }
    let line = without.encoded(place().time);
    assert_eq!(LedgerLine::read(&line).expect("a line").kept, None);
}

/// Lines without it are what they were before it was there.
#[test]
fn what_came_in_meta_stands_at_the_end_of_a_line() {
    let meta = Digest::of("meta");
    let event = Event { meta: Some(meta), ..full() };
    let without = encoded(place(), &full());
    let line = encoded(place(), &event);
    assert_eq!(line.len(), without.len() + 32);
    assert!(line.ends_with(meta.as_bytes()));
    let read = LedgerLine::read(&line).expect("a line");
    assert_eq!((read.meta, read.kept), (Some(meta), None));
    for meta in [true, false] {
        let kept = Some(KeptBodies { input: false, output: false, meta, days: 1 });
        let stored = LedgerLine { kept, ..LedgerLine::of(place(), &event) }.encoded(place().time);
        assert_eq!(stored.len(), line.len() + 1);
        assert_eq!(LedgerLine::read(&stored).expect("a line").kept, kept);
    }
}

#[test]
fn text_cannot_move_from_one_field_to_the_next() {
    let with = |session: Option<&str>, run: Option<&str>| {
        let mut event = full();
        let about = Arc::make_mut(&mut event.about);
        (about.session, about.run) = (session.map(SessionId::new), run.map(RunId::new));
        hash(&encoded(place(), &event))
    };
    assert_ne!(with(Some("ab"), Some("c")), with(Some("a"), Some("bc")));
    assert_ne!(with(Some("a"), None), with(None, Some("a")));
    assert_ne!(with(Some(""), None), with(None, None));
}

/// As the first version of the program wrote it.
#[test]
fn a_line_of_the_first_form_has_the_hash_that_it_was_written_with() {
    let text = |text: &'static str| Value::Bytes(Some(text.as_bytes()));
    let digests = ["previous", "tool", "policy", "input", "output"].map(Digest::of);
    let digest = |place: usize| Value::Bytes(Some(&digests[place].as_bytes()[..]));
    let line = first::encoded([
        Value::Number(Some(258)),
        text("default"),
        text("gateway"),
        Value::Number(Some(2)),
        digest(0),
        text("tool.call.completed"),
        Value::Number(Some(1_780_000_000_123)),
        text("tok_1"),
        text("ses_1"),
        text("run_1"),
        text("task"),
        text("tc_1"),
        text("files:read"),
        text("files"),
        digest(1),
        text("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
        text("apr_1"),
        digest(2),
        text("permit"),
        text("succeeded"),
        Value::Number(Some(-1)),
        digest(3),
        digest(4),
        text("{\"a\":\"ä\"}"),
    ]);
    let expected = "sha256:a098ad21e8dc8b7486a0a883fc1c5d5d18dd53a0cd993cf5ec2101a2239f8937";
    assert_eq!(hash(&line).to_string(), expected);
    assert_ne!(leaf(&line), hash(&line), "in the tree it is a leaf like any other");
    let read = LedgerLine::read(&line).expect("a line");
    assert_eq!((read.number, read.at_ms, read.time), (2, 1_780_000_000_123, None));
    assert!(
        read.call.is_some_and(|call| call == *"tc_1") && read.outcome.is_some_and(|one| one == *"succeeded")
    );
    assert_eq!((read.duration_us, read.detail), (Some(-1), Some("{\"a\":\"ä\"}")));
    for length in 0..line.len() {
        assert!(LedgerLine::read(&line[..length]).is_none(), "{length} bytes are no line");
    }
}

proptest! {
    #[test]
    fn whatever_the_bytes_are_reading_ends(bytes in prop::collection::vec(any::<u8>(), 0..300), form in 0u8..4) {
        let line = [&[form][..], &bytes].concat();
        // A line that can be read has one encoding only, or is of the first form.
        if let Some(read) = LedgerLine::read(&line) {
            prop_assert!(read.number != 0 || read.tenant.len() < line.len());
        }
    }

    #[test]
    fn any_texts_and_numbers_are_read_as_they_were_written(
        principal in ".{0,40}", call in "(tc_)?[0-9a-f]{30,34}", task in prop::option::of(".{0,40}"),
        at_ms in any::<i64>(), duration_us in prop::option::of(any::<i64>()), number in 1..i64::MAX
    ) {
        let about = EventSubject { call: Some(CallId::new(&*call)), task: task.as_deref().map(Into::into), ..EventSubject::default() };
        let mut event = Event::new(EventKind::FileStored, at_ms, PrincipalId::new(&principal), Arc::new(about));
        event.duration_us = duration_us;
        let place = EventPosition { number, time: TIME.next(at_ms), ..place() };
        let line = encoded(place, &event);
        let read = LedgerLine::read(&line).expect("a line");
        prop_assert_eq!((read.number, read.at_ms, read.duration_us), (number, at_ms, duration_us));
        prop_assert_eq!(read.time, Some(place.time));
        prop_assert!(read.principal == *principal && read.call.is_some_and(|read| read == *call));
        prop_assert_eq!(read.task.map(|task| task.read().into_owned()), task);
        prop_assert_eq!(read.encoded(place.time), line);
    }
}
