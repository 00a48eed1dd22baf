use std::sync::Arc;

use insta::assert_snapshot;
use serde_json::json;
use toolgate_core::event::{DecisionKind, EventSubject, HybridTime, Outcome, Position};
use toolgate_core::id::{ApprovalId, CallId};
use toolgate_core::{CanonicalName, PrincipalId};

use toolgate_store::{LedgerFault, Tampering};

use super::*;
use crate::table::OutputReader;

fn recorded(number: i64, kind: EventKind, at_ms: i64, principal: &str) -> RecordedEvent {
    let about = EventSubject {
        call: Some(CallId::new("tc_1")),
        tool: Some(CanonicalName::recorded("bank:transfer")),
        ..EventSubject::default()
    };
    let event = Event::new(kind, at_ms, PrincipalId::new(principal), Arc::new(about));
    let zero = Digest::from_bytes([0; 32]);
    let (stream, time) = (Arc::<str>::from("gateway"), HybridTime::of_ms(at_ms));
    let position = Position::new(time, Arc::clone(&stream), number, Vec::new());
    RecordedEvent { stream, number, time, position, event, previous: zero, hash: zero }
}

fn events() -> Vec<RecordedEvent> {
    let mut asked = recorded(1, EventKind::PolicyDecided, 1_785_585_600_000, "bot");
    asked.event.decision = Some(DecisionKind::Approve);
    asked.event.input = Some(Digest::of("in"));
    asked.event.detail = Some(json!({ "gates": ["gates.cedar:1"], "note": "a\u{1b}[31m" }).into());
    let mut voted = recorded(2, EventKind::ApprovalVoted, 1_785_585_612_000, "ann");
    voted.event.approval = Some(ApprovalId::new("apr_1"));
    let mut done = recorded(3, EventKind::CallCompleted, 1_785_585_612_034, "bot");
    done.event.outcome = Some(Outcome::Succeeded);
    done.event.duration_us = Some(33_100);
    done.event.output = Some(Digest::of("out"));
    vec![asked, voted, done]
}

#[test]
fn events_are_rows() {
    assert_snapshot!(table(&events()).render(OutputReader::Pipe, &()), @r#"
    TIME                      EVENT                PRINCIPAL  TOOL           RESULT     TOOK     CALL
    2026-08-01T12:00:00.000Z  policy.decided       bot        bank:transfer  approve             tc_1
    2026-08-01T12:00:12.000Z  approval.voted       ann        bank:transfer                      tc_1
    2026-08-01T12:00:12.034Z  tool.call.completed  bot        bank:transfer  succeeded  33.1 ms  tc_1
    "#);
}

#[test]
fn lines_that_come_one_by_one_stand_below_each_other() {
    let lines: Vec<String> = std::iter::once(header_line()).chain(events().iter().map(line)).collect();
    assert_snapshot!(lines.join("\n"), @r#"
    TIME                      EVENT                  PRINCIPAL                             TOOL                          RESULT             TOOK       CALL
    2026-08-01T12:00:00.000Z  policy.decided         bot                                   bank:transfer                 approve                       tc_1
    2026-08-01T12:00:12.000Z  approval.voted         ann                                   bank:transfer                                               tc_1
    2026-08-01T12:00:12.034Z  tool.call.completed    bot                                   bank:transfer                 succeeded          33.1 ms    tc_1
    "#);
}

#[test]
fn a_call_is_told_from_its_proposal_to_its_end() {
    let body = |digest: &Digest| match *digest == Digest::of("in") {
        true => StoredBody::Here(json!({ "amount": 500, "pin": "[redacted]" }).into()),
        false => StoredBody::Gone,
    };
    assert_snapshot!(call(&events(), body), @r#"
    call       tc_1
    tool       bank:transfer
    principal  bot
    approval   apr_1
    outcome    succeeded

    2026-08-01T12:00:00.000Z  +0 ms      policy.decided        bot  approve
                               gates: ["gates.cedar:1"]
                               note: a [31m
    2026-08-01T12:00:12.000Z  +12.00 s   approval.voted        ann
    2026-08-01T12:00:12.034Z  +12.03 s   tool.call.completed   bot  succeeded in 33.1 ms

    arguments (sha256:582967534d0f909d196b97f9e6921342777aea87b46fa52df165389db1fb8ccf)
      {
        "amount": 500,
        "pin": "[redacted]"
      }

    result (sha256:762069bc07a6e1b5df123a5ae7bd91c10daa04694fbaa17fba0cd6a8dcce8f22)
      not kept
    "#);
}

#[test]
fn escape_sequences_of_callers_do_not_reach_the_terminal() {
    let mut events = events();
    events[0].event.principal = PrincipalId::new("b\u{1b}]0;x\u{7}");
    let told = call(&events, |_| StoredBody::Here(json!("\u{1b}[31m").into()));
    assert!(!told.contains('\u{1b}') && !line(&events[0]).contains('\u{1b}'), "{told:?}");
}

#[test]
fn a_verification_is_one_line() {
    let lines = LedgerVerification { events: 1_234, streams: 2, ..LedgerVerification::default() };
    assert_eq!(verified(&lines, HeldAgainst::Checkpoints(0)), "ok: 1,234 events in 2 streams");
    assert_eq!(
        verified(&lines, HeldAgainst::Checkpoints(3)),
        "ok: 1,234 events in 2 streams; matching 3 checkpoints"
    );
    assert_eq!(
        verified(&lines, HeldAgainst::NoneOfThem),
        "unproven: 1,234 events in 2 streams; held against no checkpoint"
    );
    let later = LedgerVerification { checkpoints_before_cuts: 2, ..lines.clone() };
    assert_eq!(
        verified(&later, HeldAgainst::Checkpoints(3)),
        "ok: 1,234 events in 2 streams; matching 1 checkpoint; \
         not compared with 2 checkpoints where the signed events were removed"
    );
    assert_eq!(
        verified(&later, HeldAgainst::Checkpoints(2)),
        "ok: 1,234 events in 2 streams; not compared with 2 checkpoints where the signed events were removed"
    );
    let whole = LedgerVerification { bodies: Some(1), erased: 1_200, ..lines };
    assert_eq!(
        verified(&whole, HeldAgainst::Checkpoints(0)),
        "ok: 1,234 events in 2 streams, 1 body; 1,200 bodies erased on request"
    );
    let fault = LedgerFault::of_event("gateway", 7, Tampering::Edited);
    let broken = LedgerVerification { fault: Some(fault), ..LedgerVerification::default() };
    assert_eq!(
        verified(&broken, HeldAgainst::Checkpoints(1)),
        "not intact: event 7 of stream gateway: it was changed after it was written"
    );
}
