//! Calls that need approval.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};
use toolgate_core::approval::{ApprovalState, WithdrawalReason};
use toolgate_core::decision::{ApprovalRequirement, CALLER_GROUP, Verdict};
use toolgate_core::event::Outcome;
use toolgate_core::governance::Approvals;
use toolgate_core::port::ServerReply;
use toolgate_core::{CanonicalName, Digest, PrincipalId, Tool};

use super::kit::{PipelineWorld, code, person, requirement, tool};
use crate::desk::{ApprovalDesk, ApprovalDeskError, ApproverDecision, DecideRequest, GrantRequest, ToolBook};
use crate::redact::Redactor;
use crate::{CallAnswerBody, PipelineSettings, WaitMode};

struct OneTool(Tool);

impl ToolBook for OneTool {
    fn find(&self, name: &CanonicalName) -> Option<Arc<Tool>> {
        (self.0.name == *name).then(|| Arc::new(self.0.clone()))
    }

    fn has_changed(&self, name: &CanonicalName, version: Digest) -> bool {
        self.0.name == *name && self.0.version != version
    }
}

pub(super) fn gated() -> PipelineWorld {
    gated_with(requirement())
}

fn gated_with(requirement: ApprovalRequirement) -> PipelineWorld {
    let settings = PipelineSettings { hold: Duration::ZERO, ..PipelineSettings::default() };
    PipelineWorld::with(Verdict::Approve(requirement), settings)
}

struct EpochClock;

impl toolgate_core::governance::Clock for EpochClock {
    fn now_ms(&self) -> i64 {
        0
    }

    fn monotonic_us(&self) -> i64 {
        0
    }

    fn sleep(&self, duration: Duration) -> toolgate_core::port::BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn fresh_id(&self, prefix: &str) -> String {
        prefix.into()
    }
}

fn redactor() -> Redactor {
    Redactor::new(vec![]).expect("no rules are good rules")
}

pub(super) async fn decide(
    world: &PipelineWorld,
    decision: ApproverDecision,
    grant: Option<GrantRequest>,
) -> Result<(), ApprovalDeskError> {
    let books = Arc::new(world.books.clone());
    let desk = ApprovalDesk::new(
        world.policy.clone(),
        books,
        Arc::new(OneTool(tool())),
        Arc::new(EpochClock),
        redactor(),
    );
    let id = world.books.0.approvals.lock().last().expect("somebody asked").id.clone();
    let request = DecideRequest {
        id,
        voter: person("ann"),
        decision,
        reason: Some("because".into()),
        grant,
        shown: None,
        counts_as: None,
        via: "api".into(),
    };
    desk.decide(request).await.map(drop)
}

pub(super) fn transfer() -> Value {
    json!({ "amount": 10, "account": "a" })
}

#[tokio::test]
async fn a_gated_call_answers_pending_and_runs_once_when_it_is_repeated_after_the_yes() {
    let world = gated();
    let answer = world.call(transfer()).await;
    assert_eq!((code(&answer), world.ran()), ("pending_approval", 0));
    assert!(answer.envelope.approval_id.is_some());
    decide(&world, ApproverDecision::Approve, None).await.expect("ann may");
    let answer = world.call(json!({ "account": "a", "amount": 10 })).await;
    assert_eq!((answer.envelope.status, world.ran()), (Outcome::Succeeded, 1), "spelling does not matter");
    assert_eq!(world.books.0.only_approval().state, ApprovalState::Used);
    assert_eq!(code(&world.call(transfer()).await), "pending_approval", "one yes is one call");
    assert_eq!(world.ran(), 1);
}

#[tokio::test]
async fn an_approval_of_a_tool_that_has_changed_is_withdrawn() {
    let world = gated();
    world.call(transfer()).await;
    let changed = Tool { version: Digest::of("another definition"), ..tool() };
    let books = Arc::new(world.books.clone());
    let tools = Arc::new(OneTool(changed));
    let desk = ApprovalDesk::new(world.policy.clone(), books, tools, Arc::new(EpochClock), redactor());
    let withdrawn = desk.withdraw_void().await.expect("the books are open");
    let approval = world.books.0.only_approval();
    assert_eq!(withdrawn, [(approval.id.clone(), WithdrawalReason::ToolChanged)]);
    assert_eq!(
        (approval.state, approval.withdrawn),
        (ApprovalState::Cancelled, Some(WithdrawalReason::ToolChanged))
    );
    let refused =
        decide(&world, ApproverDecision::Approve, None).await.expect_err("there is nothing to agree to");
    assert!(refused.to_string().contains("definition of the tool has changed"), "{refused}");
}

#[tokio::test]
async fn a_yes_for_one_call_is_no_yes_for_another() {
    let world = gated();
    world.call(transfer()).await;
    decide(&world, ApproverDecision::Approve, None).await.expect("ann may");
    let answer = world.call(json!({ "amount": 11, "account": "a" })).await;
    assert_eq!((code(&answer), world.ran()), ("pending_approval", 0));
}

#[tokio::test]
async fn a_no_is_told_with_its_reason_and_nothing_runs() {
    let world = gated();
    world.call(transfer()).await;
    decide(&world, ApproverDecision::Deny, None).await.expect("ann may");
    assert_eq!(world.books.0.only_approval().state, ApprovalState::Denied);
    let refused = decide(&world, ApproverDecision::Approve, None).await.expect_err("a decision stands");
    assert!(refused.to_string().contains("already denied"), "{refused}");
    let told = world.call(transfer()).await;
    assert_eq!((code(&told), told.envelope.status), ("approval_denied", Outcome::Denied));
    assert_eq!(code(&world.call(transfer()).await), "pending_approval", "told once, it is a new question");
    assert_eq!(world.ran(), 0);
}

/// Lets a call wait, and runs something once people are asked.
async fn held(world: &PipelineWorld, meanwhile: impl AsyncFnOnce()) -> crate::CallAnswer {
    let (answer, ()) = tokio::join!(world.call(transfer()), async {
        while world.books.0.approvals.lock().is_empty() {
            tokio::task::yield_now().await;
        }
        meanwhile().await;
    });
    answer
}

fn holding(requirement: ApprovalRequirement) -> PipelineWorld {
    let settings = PipelineSettings { hold: Duration::from_secs(60), ..PipelineSettings::default() };
    PipelineWorld::with(Verdict::Approve(requirement), settings)
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_does_not_start_and_the_same_call_runs() {
    let world = holding(requirement());
    let answer = held(&world, async || {
        world.client.has_left.store(true, Ordering::Relaxed);
        decide(&world, ApproverDecision::Approve, None).await.expect("ann may");
    })
    .await;
    assert_eq!((code(&answer), world.ran()), ("pending_approval", 0));
    world.client.has_left.store(false, Ordering::Relaxed);
    assert_eq!(world.call(transfer()).await.envelope.status, Outcome::Succeeded);
    assert_eq!(world.ran(), 1);
}

#[tokio::test]
async fn a_gate_may_let_a_call_run_that_nobody_waits_for_and_its_result_is_kept_for_the_same_call() {
    let world = holding(ApprovalRequirement { unattended: true, ..requirement() });
    let answer = held(&world, async || {
        world.client.has_left.store(true, Ordering::Relaxed);
        decide(&world, ApproverDecision::Approve, None).await.expect("ann may");
    })
    .await;
    assert_eq!((answer.envelope.status, world.ran()), (Outcome::Succeeded, 1));
    world.client.has_left.store(false, Ordering::Relaxed);
    assert_eq!(world.call(transfer()).await.envelope.status, Outcome::Joined);
    assert_eq!(world.ran(), 1);
}

#[tokio::test]
async fn a_call_that_is_taken_back_takes_its_question_back() {
    for has_withdrawn in [false, true] {
        let world = holding(requirement());
        let answer = held(&world, async || {
            world.client.has_withdrawn.store(has_withdrawn, Ordering::Relaxed);
            world.cancel.cancel();
        })
        .await;
        assert_eq!(answer.envelope.status, Outcome::Cancelled);
        let expected = if has_withdrawn { ApprovalState::Cancelled } else { ApprovalState::Pending };
        assert_eq!(world.books.0.only_approval().state, expected, "a broken connection is nobody's word");
    }
}

#[tokio::test]
async fn an_edit_is_told_with_the_result() {
    let world = gated();
    world.call(transfer()).await;
    decide(&world, ApproverDecision::Edit(json!({ "amount": 5, "account": "a" })), None)
        .await
        .expect("ann may");
    world
        .server
        .replies
        .lock()
        .push(Ok(ServerReply::Complete(json!({ "content": [{ "type": "text", "text": "done" }] }).into())));
    let answer = world.call(transfer()).await;
    let CallAnswerBody::Result(result) = &answer.body else { panic!("a result: {answer:?}") };
    let result: Value = result.decode().expect("JSON");
    let note = result["content"][0]["text"].as_str().expect("a text");
    assert_eq!(
        note,
        "ann changed the arguments before the call ran: /amount 10 → 5. Report what ran, not what was asked for."
    );
    assert_eq!(result["content"][1]["text"], "done");
    assert_eq!(answer.envelope.warnings[0].code.name, "edited");
}

#[tokio::test]
async fn a_held_call_hears_of_its_decision() {
    let settings = PipelineSettings { hold: Duration::from_secs(60), ..PipelineSettings::default() };
    for (decision, outcome, ran) in [
        (ApproverDecision::Approve, Outcome::Succeeded, 1),
        (ApproverDecision::Deny, Outcome::Denied, 0),
        (ApproverDecision::RequestChanges, Outcome::ChangesRequested, 0),
    ] {
        let world = PipelineWorld::with(Verdict::Approve(requirement()), settings.clone());
        let (answer, ()) = tokio::join!(world.call(transfer()), async {
            while world.books.0.approvals.lock().is_empty() {
                tokio::task::yield_now().await;
            }
            decide(&world, decision, None).await.expect("ann may");
        });
        assert_eq!((answer.envelope.status, world.ran()), (outcome, ran));
    }
}

#[tokio::test]
async fn identical_calls_that_wait_together_run_once_and_share_the_result() {
    let settings = PipelineSettings { hold: Duration::from_secs(60), ..PipelineSettings::default() };
    let world = PipelineWorld::with(Verdict::Approve(requirement()), settings);
    world.server.replies.lock().push(Ok(ServerReply::Complete(json!({ "content": ["once"] }).into())));
    let (one, two, ()) = tokio::join!(world.call(transfer()), world.call(transfer()), async {
        while world.books.0.approvals.lock().is_empty() {
            tokio::task::yield_now().await;
        }
        decide(&world, ApproverDecision::Approve, None).await.expect("ann may");
    });
    assert_eq!(world.ran(), 1);
    for answer in [&one, &two] {
        let CallAnswerBody::Result(result) = &answer.body else { panic!("a result: {answer:?}") };
        assert!(result.as_str().contains("once"));
    }
    let mut states = [one.envelope.status.as_str(), two.envelope.status.as_str()];
    states.sort_unstable();
    assert_eq!(states, ["joined", "succeeded"]);
}

#[tokio::test]
async fn an_edit_is_what_runs_and_what_policy_forbids_cannot_be_edited_in() {
    let world = gated();
    world.call(transfer()).await;
    let refused =
        decide(&world, ApproverDecision::Edit(json!({ "amount": 5_000 })), None).await.expect_err("too much");
    assert!(matches!(refused, ApprovalDeskError::Denied(_)), "{refused}");
    let refused =
        decide(&world, ApproverDecision::Edit(json!({ "amount": "x" })), None).await.expect_err("no number");
    assert!(matches!(refused, ApprovalDeskError::Invalid(_)), "{refused}");
    decide(&world, ApproverDecision::Edit(json!({ "amount": 5 })), None).await.expect("ann may");
    let answer = world.call(transfer()).await;
    assert_eq!((answer.envelope.status, world.ran()), (Outcome::Succeeded, 1));
    let ran_with = world.server.arguments.lock().clone().expect("other arguments");
    assert_eq!(ran_with.decode::<Value>().expect("JSON"), json!({ "amount": 5 }));
}

#[tokio::test]
async fn an_edit_that_the_gate_does_not_allow_is_refused() {
    let world = gated_with(ApprovalRequirement { editable: false, ..requirement() });
    world.call(transfer()).await;
    let refused =
        decide(&world, ApproverDecision::Edit(json!({ "amount": 5 })), None).await.expect_err("not editable");
    assert!(refused.to_string().contains("does not let approvers change"), "{refused}");
    assert_eq!(world.books.0.only_approval().state, ApprovalState::Pending);
}

#[tokio::test]
async fn a_redacted_argument_survives_an_edit() {
    let world = gated();
    let call = json!({ "amount": 10, "password": "hunter2" });
    world.call(call.clone()).await;
    let shown: Value = world.books.0.only_approval().arguments.decode().expect("JSON");
    assert_eq!(shown["password"], "[redacted: secret, 7 characters]");
    let edited = json!({ "amount": 5, "password": shown["password"] });
    decide(&world, ApproverDecision::Edit(edited), None).await.expect("ann may");
    world.call(call).await;
    let ran_with: Value =
        world.server.arguments.lock().clone().expect("other arguments").decode().expect("JSON");
    assert_eq!(ran_with, json!({ "amount": 5, "password": "hunter2" }));
}

#[tokio::test]
async fn a_grant_lets_what_it_pins_through_as_often_as_it_says() {
    let world = gated();
    world.call(transfer()).await;
    let grant = GrantRequest { pins: Some(vec!["/account".into()]), uses: Some(1), expires_in_seconds: None };
    decide(&world, ApproverDecision::Approve, Some(grant)).await.expect("ann may");
    assert_eq!(world.call(transfer()).await.envelope.status, Outcome::Succeeded, "by the yes itself");
    let other = json!({ "amount": 99, "account": "a" });
    assert_eq!(world.call(other.clone()).await.envelope.status, Outcome::Succeeded);
    assert_eq!(code(&world.call(other).await), "pending_approval", "its one use is used");
    assert_eq!(code(&world.call(json!({ "amount": 99, "account": "b" })).await), "pending_approval");
    assert_eq!(code(&world.call(json!({ "amount": 5_000, "account": "a" })).await), "denied");
}

#[tokio::test]
async fn the_person_at_the_client_decides_where_the_gate_lets_them() {
    let own = ApprovalRequirement { approvers: vec![vec![CALLER_GROUP.into()]], ..requirement() };
    for (answer, status, ran) in [
        (json!({ "action": "accept", "content": { "approve": true } }), Outcome::Succeeded, 1),
        (json!({ "action": "accept", "content": { "approve": false } }), Outcome::Denied, 0),
        (json!({ "action": "decline" }), Outcome::Denied, 0),
        (json!({ "action": "cancel" }), Outcome::PendingApproval, 0),
    ] {
        let mut world = gated_with(own.clone());
        world.client.confirms = Some(answer);
        let answer = world.call(transfer()).await;
        assert_eq!((answer.envelope.status, world.ran()), (status, ran));
    }
    let mut others = gated();
    others.client.confirms = Some(json!({ "action": "accept", "content": { "approve": true } }));
    assert_eq!(code(&others.call(transfer()).await), "pending_approval", "nobody asked this client");
}

#[tokio::test]
async fn a_client_with_handles_gets_one() {
    let mut world = gated();
    world.client.patience = WaitMode::Handle;
    assert!(matches!(world.call(transfer()).await.body, CallAnswerBody::Handle(_)));
    assert_eq!(world.ran(), 0);
}

#[tokio::test]
async fn a_cancelled_approval_stays_cancelled() {
    let world = gated();
    world.call(transfer()).await;
    let id = world.books.0.only_approval().id;
    let by = PrincipalId::new("agent");
    world.books.cancel(&id, &by, WithdrawalReason::ByCaller).await.expect("it was pending");
    let refused = decide(&world, ApproverDecision::Approve, None).await.expect_err("too late");
    assert!(refused.to_string().contains("the caller withdrew it"), "{refused}");
}

#[tokio::test]
async fn the_next_round_of_an_agreed_call_needs_no_second_yes_and_no_replay_helps() {
    let mut world = gated();
    world.call(transfer()).await;
    decide(&world, ApproverDecision::Approve, None).await.expect("ann may");
    world
        .server
        .replies
        .lock()
        .push(Ok(ServerReply::InputRequired(json!({ "resultType": "input_required" }).into())));
    let answer = world.call(transfer()).await;
    let CallAnswerBody::InputRequired { round, .. } = answer.body else { panic!("a question: {answer:?}") };
    world.context.round = Some(round);
    assert_eq!(code(&world.call(json!({ "amount": 999, "account": "a" })).await), "stale");
    assert_eq!(world.call(transfer()).await.envelope.status, Outcome::Succeeded);
    assert_eq!(code(&world.call(transfer()).await), "stale", "a round is taken up once");
    assert_eq!(world.ran(), 2);
}
