//! Calls of sessions with their own agent and level of care.

use std::time::Duration;

use serde_json::{Value, json};
use toolgate_core::PrincipalId;
use toolgate_core::approval::ApprovalState;
use toolgate_core::decision::{ApprovalRequirement, Denial, Policy, PolicyTemplate, Verdict};
use toolgate_core::event::Outcome;
use toolgate_core::scope::AgentName;

use super::approvals::{decide, gated, transfer};
use super::kit::{CAREFUL_AMOUNT_MAX, PipelineWorld, TRAINEE, code, requirement, tool};
use crate::PipelineSettings;
use crate::desk::{ApprovalDeskError, ApproverDecision};

fn careful(mut world: PipelineWorld) -> PipelineWorld {
    world.context.agent = Some(AgentName::new("clerk").expect("a name"));
    world.context.template = Some(PolicyTemplate::AuditCritical);
    world
}

fn details(world: &PipelineWorld) -> Vec<Option<Value>> {
    let entries = world.books.0.entries.lock();
    let decided = entries.iter().flat_map(|entry| &entry.events).filter(|event| event.decision.is_some());
    decided.map(|event| event.detail.as_ref().map(|raw| raw.decode().expect("JSON"))).collect()
}

#[tokio::test]
async fn policy_and_people_hear_of_agent_and_care() {
    let world = careful(gated());
    world.call(transfer()).await;
    let told = (world.context.agent.clone(), world.context.template);
    assert_eq!(world.policy.asked.lock().as_slice(), std::slice::from_ref(&told));
    let approval = world.books.0.only_approval();
    assert_eq!((approval.agent, approval.template), told);
}

#[tokio::test]
async fn a_decision_that_says_more_than_yes_says_for_whom() {
    let world = careful(PipelineWorld::new(Verdict::Permit));
    world.call(json!({ "amount": 1 })).await;
    *world.policy.verdict.lock() = Verdict::Deny(Denial::default());
    world.call(json!({ "amount": 1 })).await;
    let told = details(&world);
    let [None, Some(denied)] = told.as_slice() else { panic!("a plain yes says nothing more: {told:?}") };
    assert_eq!((&denied["agent"], &denied["template"]), (&json!("clerk"), &json!("audit_critical")));
}

#[tokio::test]
async fn a_call_by_hand_says_who_forced_it_even_if_it_is_simply_permitted() {
    let mut world = careful(PipelineWorld::new(Verdict::Permit));
    world.context.labels.forced_by = Some(PrincipalId::new("ops"));
    world.call(json!({ "amount": 1 })).await;
    let told = details(&world);
    let [Some(permitted)] = told.as_slice() else { panic!("one decision, which says more: {told:?}") };
    assert_eq!((&permitted["forced_by"], &permitted["agent"]), (&json!("ops"), &json!("clerk")));
}

#[tokio::test]
async fn a_stricter_session_uses_its_own_approval_once_and_is_not_judged_twice() {
    let world = careful(gated());
    world.call(transfer()).await;
    let approval = world.books.0.only_approval();
    assert_ne!(approval.policy_version, Some(world.policy.version()));
    decide(&world, ApproverDecision::Approve, None).await.expect("ann may");
    assert_eq!(world.call(transfer()).await.envelope.status, Outcome::Succeeded);
    assert_eq!(world.books.0.only_approval().state, ApprovalState::Used);
    assert_eq!(world.policy.asked.lock().len(), 3, "once for each call, and once before the yes counts");
    assert_eq!(code(&world.call(transfer()).await), "pending_approval");
}

#[tokio::test]
async fn a_yes_to_a_session_with_less_care_is_none_to_one_with_more() {
    let mut world = gated();
    world.call(transfer()).await;
    decide(&world, ApproverDecision::Approve, None).await.expect("ann may");
    world.context.template = Some(PolicyTemplate::AuditCritical);
    assert_eq!((code(&world.call(transfer()).await), world.ran()), ("pending_approval", 0));
    world.context.template = None;
    assert_eq!(world.call(transfer()).await.envelope.status, Outcome::Succeeded);
}

#[tokio::test]
async fn a_yes_outlives_policies_that_did_not_ask_for_it() {
    let world = careful(gated());
    world.call(transfer()).await;
    decide(&world, ApproverDecision::Approve, None).await.expect("ann may");
    *world.policy.texts.lock() = "others";
    assert!(world.pipeline.policy_stands(&world.books.0.only_approval(), &tool()));
    assert_eq!(world.call(transfer()).await.envelope.status, Outcome::Succeeded);
}

#[tokio::test]
async fn a_yes_to_what_policy_asks_otherwise_by_now_is_not_used() {
    let world = careful(gated());
    world.call(transfer()).await;
    decide(&world, ApproverDecision::Approve, None).await.expect("ann may");
    *world.policy.verdict.lock() = Verdict::Approve(ApprovalRequirement { quorum: 2, ..requirement() });
    assert!(!world.pipeline.policy_stands(&world.books.0.only_approval(), &tool()));
    assert_eq!((code(&world.call(transfer()).await), world.ran()), ("pending_approval", 0));
}

#[tokio::test]
async fn a_held_call_whose_question_is_void_is_judged_again_with_its_own_care() {
    let settings = PipelineSettings { hold: Duration::from_secs(60), ..PipelineSettings::default() };
    let world = careful(PipelineWorld::with(Verdict::Approve(requirement()), settings));
    let (answer, ()) = tokio::join!(world.call(transfer()), async {
        while world.books.0.approvals.lock().is_empty() {
            tokio::task::yield_now().await;
        }
        *world.policy.texts.lock() = "others";
        *world.policy.verdict.lock() = Verdict::Deny(Denial::default());
        let refused =
            decide(&world, ApproverDecision::Approve, None).await.expect_err("nobody asks for it any more");
        assert!(refused.to_string().contains("policies that asked for approval have changed"), "{refused}");
    });
    assert_eq!((code(&answer), world.ran()), ("denied", 0));
    let asked = world.policy.asked.lock();
    assert_eq!(asked.len(), 3, "the call, the decision, the call again");
    assert!(asked.iter().all(|one| *one == asked[0]));
}

#[tokio::test]
async fn an_edit_is_judged_with_the_agent_and_care_of_the_call() {
    let edit = || ApproverDecision::Edit(json!({ "amount": CAREFUL_AMOUNT_MAX + 1 }));
    let world = careful(gated());
    world.call(transfer()).await;
    let refused = decide(&world, edit(), None).await.expect_err("too much for so much care");
    assert!(matches!(refused, ApprovalDeskError::Denied(_)), "{refused}");
    let asked = world.policy.asked.lock().clone();
    assert!(asked.iter().all(|one| *one == asked[0]));

    let world = gated();
    world.call(transfer()).await;
    decide(&world, edit(), None).await.expect("ann may");
    assert_eq!(world.call(transfer()).await.envelope.status, Outcome::Succeeded);
}

#[tokio::test]
async fn a_yes_to_one_agent_does_not_open_the_gates_of_another() {
    let mut world = gated();
    world.call(transfer()).await;
    decide(&world, ApproverDecision::Approve, None).await.expect("ann may");
    world.context.agent = Some(AgentName::new(TRAINEE).expect("a name"));
    assert_eq!((code(&world.call(transfer()).await), world.ran()), ("pending_approval", 0), "they are asked");
    world.context.agent = None;
    assert_eq!(world.call(transfer()).await.envelope.status, Outcome::Succeeded);
    world.context.agent = Some(AgentName::new(TRAINEE).expect("a name"));
    assert_eq!(code(&world.call(transfer()).await), "pending_approval", "the yes was for somebody else");
}
