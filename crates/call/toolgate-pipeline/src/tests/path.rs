//! Calls that need no approval.

use std::sync::atomic::Ordering;

use serde_json::json;
use toolgate_core::decision::{Denial, Verdict};
use toolgate_core::event::{DecisionKind, EventKind, Outcome};
use toolgate_core::port::{ServerError, ServerReply};
use toolgate_core::{AuditLevel, Effects, Fault, FaultKind, OutputCheck, RawJson, RpcError};

use super::kit::{PipelineWorld, code};
use crate::{CallAnswerBody, PipelineSettings, WhenDown};

fn reading(mut world: PipelineWorld) -> PipelineWorld {
    world.tool.effects = Effects::READ;
    world
}

#[tokio::test]
async fn a_permitted_call_runs_once_and_is_recorded_in_order() {
    let world = PipelineWorld::new(Verdict::Permit);
    let answer = world.call(json!({ "amount": 1 })).await;
    assert_eq!(answer.envelope.status, Outcome::Succeeded);
    assert!(matches!(answer.body, CallAnswerBody::Result(_)));
    assert_eq!(world.ran(), 1);
    assert_eq!(world.books.0.kinds(), ["tool.call.started", "tool.call.completed"]);
    let entries = world.books.0.entries.lock();
    let decisions: Vec<_> =
        entries.iter().flat_map(|entry| &entry.events).map(|event| event.decision).collect();
    assert_eq!(decisions, [Some(DecisionKind::Permit), None], "the start tells the decision");
}

#[tokio::test]
async fn a_start_is_on_disk_only_where_something_may_change() {
    let world = PipelineWorld::new(Verdict::Permit);
    world.call(json!({ "amount": 1 })).await;
    assert!(world.books.0.durable(EventKind::CallStarted));
    let world = reading(PipelineWorld::new(Verdict::Permit));
    world.call(json!({ "amount": 1 })).await;
    assert!(!world.books.0.durable(EventKind::CallStarted));
    assert_eq!(world.books.0.entries.lock().len(), 1, "a call that only reads is written once");
}

#[tokio::test]
async fn a_denied_call_reaches_no_server_and_is_recorded() {
    let world = PipelineWorld::new(Verdict::Deny(Denial::default()));
    let answer = world.call(json!({ "amount": 1 })).await;
    assert_eq!((code(&answer), world.ran()), ("denied", 0));
    assert_eq!(world.books.0.kinds(), ["policy.decided", "tool.call.completed"]);
    assert_eq!(world.books.0.last_outcome(), "denied");
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_named_and_nothing_runs() {
    let world = PipelineWorld::new(Verdict::Permit);
    let answer = world.call(json!({ "amuont": 1 })).await;
    assert_eq!((code(&answer), world.ran()), ("invalid_arguments", 0));
    let CallAnswerBody::Refusal(refusal) = answer.body else { unreachable!() };
    assert!(refusal.message.contains("amount"), "{}", refusal.message);
    assert_eq!(world.books.0.last_outcome(), "invalid");
}

#[tokio::test]
async fn null_counts_as_left_out_where_it_may_be() {
    let world = PipelineWorld::new(Verdict::Permit);
    let answer = world.call(json!({ "amount": 1, "account": null })).await;
    assert_eq!((answer.envelope.status, world.ran()), (Outcome::Succeeded, 1));
    assert_eq!((code(&world.call(json!({ "amount": null })).await), world.ran()), ("invalid_arguments", 1));
}

#[tokio::test]
async fn while_the_ledger_is_away_nothing_changes_and_reads_follow_the_setting() {
    let world = PipelineWorld::new(Verdict::Permit);
    world.books.0.down.store(true, Ordering::Relaxed);
    let answer = world.call(json!({ "amount": 1 })).await;
    assert_eq!((code(&answer), world.ran()), ("ledger_down", 0));
    world.books.0.down.store(false, Ordering::Relaxed);
    assert_eq!(world.call(json!({ "amount": 1 })).await.envelope.status, Outcome::Succeeded);

    let world = reading(PipelineWorld::new(Verdict::Permit));
    world.books.0.down.store(true, Ordering::Relaxed);
    assert_eq!((code(&world.call(json!({ "amount": 1 })).await), world.ran()), ("ledger_down", 0));

    let settings = PipelineSettings { reads_when_down: WhenDown::Serve, ..PipelineSettings::default() };
    let world = reading(PipelineWorld::with(Verdict::Permit, settings));
    world.books.0.down.store(true, Ordering::Relaxed);
    let answer = world.call(json!({ "amount": 1 })).await;
    assert_eq!(answer.envelope.status, Outcome::Succeeded);
    assert_eq!(answer.envelope.warnings[0].code.name, "not_recorded");
}

#[tokio::test]
async fn audit_none_leaves_no_trace_of_reads_but_of_refusals() {
    let mut world = reading(PipelineWorld::new(Verdict::Permit));
    world.tool.audit = AuditLevel::None;
    world.call(json!({ "amount": 1 })).await;
    assert!(world.books.0.kinds().is_empty());
    *world.policy.verdict.lock() = Verdict::Deny(Denial::default());
    world.call(json!({ "amount": 1 })).await;
    assert_eq!(world.books.0.last_outcome(), "denied");
    world.tool.effects = Effects::WRITE;
    *world.policy.verdict.lock() = Verdict::Permit;
    world.call(json!({ "amount": 1 })).await;
    assert_eq!(world.books.0.last_outcome(), "succeeded");
}

#[tokio::test]
async fn a_call_that_is_cancelled_is_recorded_as_such() {
    let world = PipelineWorld::new(Verdict::Permit);
    world.server.hangs.store(true, Ordering::Relaxed);
    let cancel = world.cancel.clone();
    let (answer, ()) = tokio::join!(world.call(json!({ "amount": 1 })), async {
        while world.ran() == 0 {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    });
    assert_eq!(answer.envelope.status, Outcome::Cancelled);
    assert_eq!(world.books.0.last_outcome(), "cancelled");
}

#[tokio::test]
async fn only_an_idempotent_call_is_sent_again_when_it_was_lost() {
    let lost = |world: &PipelineWorld| {
        let fault = Fault::new(&world.tool.server, FaultKind::Lost { reason: "it died".into() });
        world.server.replies.lock().push(Err(ServerError::Fault(fault)));
    };
    let world = PipelineWorld::new(Verdict::Permit);
    lost(&world);
    assert_eq!((code(&world.call(json!({ "amount": 1 })).await), world.ran()), ("server_lost", 1));
    let mut world = PipelineWorld::new(Verdict::Permit);
    world.tool.idempotent = true;
    lost(&world);
    let answer = world.call(json!({ "amount": 1 })).await;
    assert_eq!((answer.envelope.status, world.ran()), (Outcome::Succeeded, 2));
    assert_eq!(answer.envelope.warnings[0].code.name, "sent_again");
}

#[tokio::test]
async fn a_server_that_breaks_its_own_schema_is_warned_of_or_stopped() {
    let mut world = PipelineWorld::new(Verdict::Permit);
    world.tool.output_schema = Some(json!({ "type": "object", "required": ["id"] }).into());
    let result = || Ok(ServerReply::Complete(json!({ "content": [], "structuredContent": {} }).into()));
    world.server.replies.lock().push(result());
    let answer = world.call(json!({ "amount": 1 })).await;
    assert_eq!(answer.envelope.warnings[0].code.name, "output_schema");
    assert_eq!(answer.envelope.status, Outcome::Succeeded);
    world.tool.output_check = Some(OutputCheck::Enforce);
    world.server.replies.lock().push(result());
    let answer = world.call(json!({ "amount": 1 })).await;
    assert_eq!((code(&answer), answer.envelope.status), ("output_schema", Outcome::Failed));
    world.server.replies.lock().push(Ok(ServerReply::Complete(json!({ "isError": true }).into())));
    assert_eq!(world.call(json!({ "amount": 1 })).await.envelope.status, Outcome::ToolError);
}

#[tokio::test]
async fn errors_of_servers_pass_and_are_recorded() {
    let world = PipelineWorld::new(Verdict::Permit);
    world.server.replies.lock().push(Err(ServerError::Rpc(RpcError::new(-32000, "no"))));
    assert!(matches!(world.call(json!({ "amount": 1 })).await.body, CallAnswerBody::Error(_)));
    assert_eq!(world.books.0.last_outcome(), "failed");
}

#[tokio::test]
async fn secrets_in_arguments_do_not_reach_the_books() {
    let world = PipelineWorld::new(Verdict::Permit);
    world.call(json!({ "amount": 1, "password": "hunter2" })).await;
    let entries = world.books.0.entries.lock();
    let bodies: Vec<&RawJson> =
        entries.iter().flat_map(|entry| entry.bodies.iter().map(|body| &body.json)).collect();
    assert!(!bodies.is_empty());
    assert!(bodies.iter().all(|body| !body.as_str().contains("hunter2")), "{bodies:?}");
}
