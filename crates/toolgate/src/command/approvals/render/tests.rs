use insta::assert_snapshot;
use serde_json::json;
use toolgate_core::approval::{ArgumentPin, BallotKind, Binding};
use toolgate_core::decision::ApprovalRequirement;
use toolgate_core::id::{ApprovalId, CallId, GrantId, RunId};
use toolgate_core::{CanonicalName, Digest, Principal, PrincipalId, Role};

use super::*;
use crate::table::OutputReader;

const NOW: i64 = 1_785_585_600_000;

fn approval() -> Approval {
    let requester = Principal::new(PrincipalId::new("bot-7"), Role::Agent);
    let gate = |id: &str, reason: Option<&str>| PolicyRef {
        id: id.into(),
        reason: reason.map(Into::into),
        text: Digest::of(id),
    };
    Approval {
        id: ApprovalId::new("apr_1"),
        call: CallId::new("tc_1"),
        agent: None,
        template: None,
        binding: Binding {
            principal: requester.id.clone(),
            tool: CanonicalName::recorded("bank:transfer"),
            tool_version: Digest::of("tool"),
            proposed: Digest::of("proposed"),
            policies: Digest::of("policy"),
        },
        requester,
        effective: Digest::of("proposed"),
        arguments: json!({ "amount": 500, "pin": "[redacted]" }).into(),
        attachments: Vec::new(),
        credentials: Vec::new(),
        proposed_arguments: None,
        complete: false,
        requirement: ApprovalRequirement {
            gates: vec![
                gate("gates.cedar:12", Some("large transfers need a second pair of eyes")),
                gate("wire", None),
            ],
            approvers: vec![vec!["finance".into()], vec!["legal".into(), "admins".into()]],
            quorum: 2,
            timeout_seconds: Some(3600),
            on_timeout: OnTimeout::Escalate,
            editable: true,
            unattended: false,
            excluded: Vec::new(),
        },
        state: ApprovalState::Pending,
        votes: Vec::new(),
        opened_by: None,
        session: None,
        run: Some(RunId::new("run_1")),
        task: None,
        created_at_ms: NOW - 60_000,
        expires_at_ms: NOW + 3_540_000,
        resolved_at_ms: None,
        escalated_to: None,
        used_by: None,
        policy_version: None,
        withdrawn: None,
        told_at_ms: None,
    }
}

fn voted() -> Approval {
    let vote = |person: &str, ballot, effective: &str, reason: Option<&str>| Vote {
        person: PrincipalId::new(person),
        ballot,
        reason: reason.map(Into::into),
        counts_for: vec![0],
        at_ms: NOW,
        effective: Digest::of(effective),
        counts_as: None,
    };
    Approval {
        votes: vec![
            vote("ann", BallotKind::Approve, "proposed", None),
            vote("bob", BallotKind::Edit, "edited", Some("500 is\u{1b}[31m too much")),
        ],
        effective: Digest::of("edited"),
        arguments: json!({ "amount": 50 }).into(),
        proposed_arguments: Some(json!({ "amount": 500 }).into()),
        complete: true,
        ..approval()
    }
}

fn grant() -> Grant {
    Grant {
        id: GrantId::new("grt_1"),
        principal: PrincipalId::new("bot-7"),
        tool: CanonicalName::recorded("bank:transfer"),
        tool_version: Digest::of("tool"),
        pins: vec![ArgumentPin { path: "/account".into(), value: Digest::of("DE1") }],
        gates: Vec::new(),
        uses_left: Some(10),
        expires_at_ms: NOW + 7 * 86_400_000,
        created_at_ms: NOW,
        created_by: PrincipalId::new("ann"),
        approval: ApprovalId::new("apr_1"),
        revoked_at_ms: None,
    }
}

#[test]
fn a_list_says_who_asks_what_it_needs_and_how_long() {
    let done = Approval { state: ApprovalState::Denied, ..approval() };
    assert_snapshot!(list(&[voted(), done], NOW).render(OutputReader::Pipe, &()), @r#"
    ID     STATE    TOOL           ASKED BY  NEEDS                                             AGREED  LEFT
    apr_1  pending  bank:transfer  bot-7     2 people, one of finance, one of legal or admins  1 of 2  59m
    apr_1  denied   bank:transfer  bot-7     2 people, one of finance, one of legal or admins  0 of 2
    "#);
}

#[test]
fn an_approval_is_shown_with_all_that_a_decision_needs() {
    assert_snapshot!(show(&approval(), Some(Effects::WRITE.and(Effects::EXTERNAL)), NOW), @r#"
    apr_1  pending for another 59m, then others are asked as well

    tool        bank:transfer (write, external)
    asked by    bot-7 (agent, role agent)
    asked at    2026-08-01T11:59:00.000Z
    call        tc_1
    run         run_1
    needs       2 people, one of finance, one of legal or admins
    also        admins, and the person at the command line, count for every group
    arguments   may be changed
    digest      sha256:81e766d8978e574dc9655e6143e02bb7826dd82dbe0b84c7c969e91abee021c5

    why people are asked
      gates.cedar:12: large transfers need a second pair of eyes
      wire

    arguments (some are redacted)
      {
        "amount": 500,
        "pin": "[redacted]"
      }
    "#);
}

#[test]
fn an_edited_approval_shows_what_was_proposed_and_whose_word_is_outdated() {
    assert_snapshot!(show(&voted(), None, NOW), @r#"
    apr_1  pending for another 59m, then others are asked as well

    tool        bank:transfer, which is not there any more
    asked by    bot-7 (agent, role agent)
    asked at    2026-08-01T11:59:00.000Z
    call        tc_1
    run         run_1
    needs       2 people, one of finance, one of legal or admins
    also        admins, and the person at the command line, count for every group
    arguments   may be changed
    digest      sha256:1fb9f4097256db2d7b1e13aff79cee44339891a31c556b9cf6093885773b3618

    why people are asked
      gates.cedar:12: large transfers need a second pair of eyes
      wire

    votes
      2026-08-01T12:00:00.000Z  ann said approve (to arguments that were changed since)
      2026-08-01T12:00:00.000Z  bob said edit: 500 is [31m too much

    proposed arguments
      {
        "amount": 500
      }

    arguments
      {
        "amount": 50
      }
    "#);
}

#[test]
fn every_state_is_told_in_words() {
    let states = ApprovalState::ALL.map(|state_now| {
        let approval = Approval { state: state_now, ..approval() };
        format!("{}: {} | {}", state_now.as_str(), state(&approval, NOW), state(&approval, NOW + 9_999_999))
    });
    assert_snapshot!(states.join("\n"), @r#"
    pending: pending for another 59m, then others are asked as well | pending, but the time to decide is over
    approved: approved, to be used within 59m | approved, but not used in time
    denied: denied | denied
    changes_requested: changes requested | changes requested
    expired: expired | expired
    cancelled: cancelled | cancelled
    used: approved and used | approved and used
    lapsed: approved, but never used | approved, but never used
    "#);
}

#[test]
fn a_decision_says_what_is_still_missing() {
    assert_snapshot!(decided(&voted(), None, NOW), @r#"
    apr_1: counted: 1 of 2 agreed; it needs 2 people, one of finance, one of legal or admins
    "#);
    let approved = Approval { state: ApprovalState::Approved, ..voted() };
    assert_snapshot!(decided(&approved, Some(&grant()), NOW), @r#"
    apr_1: approved, to be used within 59m
    grant grt_1: 10 uses within 7d
    "#);
}

#[test]
fn grants_say_what_they_let_pass() {
    let revoked = Grant { revoked_at_ms: Some(NOW), pins: Vec::new(), ..grant() };
    let whole = ArgumentPin { path: String::new(), value: Digest::of("all") };
    let unlimited = Grant { uses_left: None, pins: vec![whole], ..grant() };
    let old = Grant { expires_at_ms: NOW, ..grant() };
    let used = Grant { uses_left: Some(0), ..grant() };
    assert_snapshot!(grants(&[grant(), revoked, unlimited, old, used], NOW).render(OutputReader::Pipe, &()), @r#"
    ID     FOR    TOOL           PINNED         TERMS                         GIVEN BY
    grt_1  bot-7  bank:transfer  /account       10 uses within 7d             ann
    grt_1  bot-7  bank:transfer  nothing        revoked                       ann
    grt_1  bot-7  bank:transfer  all arguments  any number of uses within 7d  ann
    grt_1  bot-7  bank:transfer  /account       expired                       ann
    grt_1  bot-7  bank:transfer  /account       used up                       ann
    "#);
}

#[test]
fn escape_sequences_of_others_do_not_reach_the_terminal() {
    let mut odd = voted();
    odd.arguments = json!({ "a\u{1b}": "\u{9b}31m" }).into();
    odd.task = Some("\u{1b}]0;x\u{7}".into());
    let told = show(&odd, None, NOW);
    assert!(!told.chars().any(|c| c.is_control() && c != '\n'), "{told:?}");
}
