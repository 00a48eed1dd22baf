//! The complete texts: the model's view is part of the gateway's behaviour.

use std::sync::Arc;

use insta::assert_snapshot;
use serde_json::json;
use toolgate_core::Digest;
use toolgate_core::approval::{Approval, Ballot, NewVote, VoteChannel, WithdrawalReason};
use toolgate_core::decision::{ApprovalRequirement, Denial, OnTimeout, PolicyRef, Verdict};
use toolgate_core::event::Outcome;
use toolgate_core::id::CallId;

use super::kit::{PipelineWorld, agent, person, requirement, tool};
use crate::ticket::Received;
use crate::words::{TextAudience, span, who};
use crate::{CallContext, CallRefusal, CallRequest, PipelineSettings};

/// The 16th of November 2026.
const NOON_MS: i64 = 1_794_830_400_000;

fn gate(id: &str, reason: Option<&str>) -> PolicyRef {
    PolicyRef { id: id.into(), reason: reason.map(Into::into), text: Digest::of(id) }
}

fn asked() -> ApprovalRequirement {
    ApprovalRequirement {
        gates: vec![gate("large", Some("more than 1,000 leaves the house")), gate("gates.cedar:7", None)],
        approvers: vec![vec!["finance".into()], vec!["legal".into(), "board".into()]],
        quorum: 3,
        on_timeout: OnTimeout::Escalate,
        ..requirement()
    }
}

/// The caller's text about an approval that was opened an hour before noon, and that ends at noon.
async fn read(of: impl Fn(&TextAudience<'_>, &mut Approval) -> CallRefusal) -> String {
    let settings = PipelineSettings {
        hold: std::time::Duration::ZERO,
        link: Some("https://gate.example.com/console/inbox/approvals/{id}".into()),
        ..PipelineSettings::default()
    };
    let world = PipelineWorld::with(Verdict::Approve(asked()), settings);
    world.call(json!({ "amount": 10 })).await;
    let mut approval = world.books.0.only_approval();
    approval.expires_at_ms = NOON_MS;
    let request = CallRequest {
        principal: agent(),
        tool: Arc::new(tool()),
        arguments: None,
        context: CallContext { called: Some("bank__transfer".into()), ..CallContext::default() },
    };
    let ticket = Received::new(&world.pipeline, request).ticket;
    let reader = TextAudience { now_ms: NOON_MS - 59 * 60_000, ..TextAudience::of(&world.pipeline, &ticket) };
    of(&reader, &mut approval).text()
}

fn said(approval: &mut Approval, ballot: Ballot, reason: Option<&str>) {
    let mut voter = person("ann");
    voter.groups = ["finance".to_owned()].into();
    let word = NewVote {
        voter,
        standing: VoteChannel::Person,
        ballot,
        reason: reason.map(Into::into),
        shown: None,
        counts_as: None,
    };
    approval.vote(word, 0, 0).expect("ann may");
}

#[tokio::test]
async fn a_call_that_waits_says_for_whom_and_until_when() {
    assert_snapshot!(read(|reader, approval| reader.pending(approval)).await, @r"
    not run yet: this call of bank__transfer waits for approval apr_1
    why: more than 1,000 leaves the house (gate large); gate gates.cedar:7 asks for approval
    decides: 3 people, including one of finance and one of legal or board
    until: 2026-11-16 12:00 UTC (in 59 minutes); then others are asked as well
    hint: do not look for another way to the same end; repeat exactly the same call in a minute or later: it attaches to this approval, runs once if people agreed, and hears it if they did not
    tell the user: bank__transfer has not run: it waits for 3 people, including one of finance and one of legal or board, until 2026-11-16 12:00 UTC (in 59 minutes), because more than 1,000 leaves the house (gate large); gate gates.cedar:7 asks for approval
    link for people: https://gate.example.com/console/inbox/approvals/apr_1
    ");
}

#[tokio::test]
async fn a_no_says_whose_it_is_and_why() {
    let text = read(|reader, approval| {
        said(approval, Ballot::Deny, Some("not before Monday"));
        reader.denied_by_person(approval)
    });
    assert_snapshot!(text.await, @r"
    not run: ann said no to this call of bank__transfer
    why: not before Monday
    hint: do not make the same call again unless something has changed: the approvers would be asked again; do not look for another way to the same end
    tell the user: ann denied bank__transfer: not before Monday
    link for people: https://gate.example.com/console/inbox/approvals/apr_1
    ");
    let text = read(|reader, approval| {
        said(approval, Ballot::RequestChanges, Some("half of it"));
        reader.changes_requested(approval)
    });
    assert_snapshot!(text.await, @r"
    not run: ann wants another proposal than this call of bank__transfer
    why: half of it
    hint: change the arguments as the reason says and call again, which asks the approvers again; do not repeat it unchanged
    tell the user: ann wants bank__transfer to be called otherwise: half of it
    link for people: https://gate.example.com/console/inbox/approvals/apr_1
    ");
}

#[tokio::test]
async fn a_question_that_ended_without_a_word_says_so() {
    let text = read(|reader, approval| {
        approval.resolved_at_ms = Some(NOON_MS - 60 * 60_000);
        reader.expired(approval)
    });
    assert_snapshot!(text.await, @r"
    not run: no approver decided in time on this call of bank__transfer, which means no (approval apr_1, ended 2026-11-16 11:00 UTC)
    why: more than 1,000 leaves the house (gate large); gate gates.cedar:7 asks for approval
    hint: do not ask again unchanged by yourself: the same call again asks the same people again, so ask the user first
    tell the user: bank__transfer has not run, because 3 people, including one of finance and one of legal or board did not decide in time
    link for people: https://gate.example.com/console/inbox/approvals/apr_1
    ");
    assert_snapshot!(read(|reader, approval| reader.unattended(approval)).await, @r"
    approved, and not run yet: the caller of bank__transfer had stopped waiting when people agreed
    hint: repeat exactly the same call, until 2026-11-16 12:00 UTC (in 59 minutes): it runs at once, and people are not asked
    tell the user: bank__transfer is approved and has not run yet
    link for people: https://gate.example.com/console/inbox/approvals/apr_1
    ");
    let text = read(|reader, approval| {
        approval.withdrawn = Some(WithdrawalReason::PoliciesChanged);
        reader.withdrawn(approval)
    });
    assert_snapshot!(text.await, @r"
    not run: the request for approval apr_1 was withdrawn
    why: the policies that asked for approval have changed
    hint: call again if it is still wanted, which asks the approvers again
    link for people: https://gate.example.com/console/inbox/approvals/apr_1
    ");
    let call = CallId::new("tc_1");
    let text = read(|reader, approval| reader.ran_before(approval, &call, Outcome::Unknown));
    assert_snapshot!(text.await, @r"
    this call of bank__transfer was sent before, as tc_1, after people had agreed: whether it took effect is not known
    hint: look for its effect before you make the same call again, which asks the approvers again
    tell the user: bank__transfer was sent once (tc_1); whether it took effect is not known
    link for people: https://gate.example.com/console/inbox/approvals/apr_1
    ");
}

#[tokio::test]
async fn what_policy_forbids_is_told_without_commands_for_the_model() {
    let denial = Denial { policies: vec![gate("sundays", Some("closed on Sundays"))], ..Denial::default() };
    let name = tool().name;
    assert_snapshot!(read(|reader, _| reader.denied(&name, &denial)).await, @r"
    not run: policy does not allow this call of bank__transfer
    why: closed on Sundays (policy sundays)
    hint: do not repeat it as it is, and do not look for another way to the same end
    tell the user: policy forbids this call of bank__transfer: closed on Sundays (policy sundays); the operator sees with `toolgate policy explain --tool bank:transfer` what would be allowed
    ");
    let broken =
        Denial { error: Some("the policy `odd` could not be evaluated".into()), ..Denial::default() };
    assert_snapshot!(read(|reader, _| reader.denied(&name, &broken)).await, @r"
    not run: a policy that concerns bank__transfer could not be evaluated, which denies
    why: the policy `odd` could not be evaluated
    hint: nothing is wrong with the call; do not repeat it until the policy is mended
    tell the user: bank__transfer cannot be used until the operator of the gateway mends a policy: the policy `odd` could not be evaluated
    ");
}

#[test]
fn whose_word_it_takes_is_said_in_words() {
    let of = |approvers: &[&[&str]], quorum: u32| {
        let approvers = approvers.iter().map(|one| one.iter().map(|&group| group.into()).collect()).collect();
        who(&ApprovalRequirement { approvers, quorum, ..requirement() })
    };
    assert_eq!(of(&[], 1), "anyone who may approve");
    assert_eq!(of(&[], 2), "2 people who may approve");
    assert_eq!(of(&[&["finance"]], 1), "one of finance");
    assert_eq!(of(&[&["caller"]], 1), "the person at this client");
    assert_eq!(of(&[&["finance"], &["legal", "board"]], 1), "one of finance and one of legal or board");
    assert_eq!(of(&[&["finance"]], 2), "2 people, including one of finance");
}

#[test]
fn times_are_told_in_units_that_say_enough() {
    for (ms, told) in [
        (1, "1 second"),
        (119_000, "119 seconds"),
        (120_000, "2 minutes"),
        (7_199_000, "119 minutes"),
        (7_200_000, "2 hours"),
        (172_800_000, "2 days"),
    ] {
        assert_eq!(span(ms), told);
    }
}
