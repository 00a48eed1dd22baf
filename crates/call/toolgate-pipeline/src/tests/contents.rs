//! Calls that name files and credentials, and results that were made smaller.

use serde_json::{Value, json};
use toolgate_core::codes;
use toolgate_core::content::{AttachedContents, Attachment, Notice};
use toolgate_core::credential::CredentialUse;
use toolgate_core::decision::{ApprovalRequirement, Verdict};
use toolgate_core::event::{DecisionKind, EventKind, Outcome};
use toolgate_core::{Digest, PrincipalId, RawJson, Refusal};

use super::approvals::{decide, gated, transfer};
use super::kit::{PipelineWorld, code, requirement};
use crate::desk::{ApproverDecision, GrantRequest};

fn attached(content: &str) -> AttachedContents {
    let attachment = Attachment {
        place: "/file_id".to_owned(),
        id: "file_1".to_owned(),
        digest: Digest::of(content),
        bytes: 7,
        media_type: "application/pdf".to_owned(),
        name: None,
    };
    let notice = Notice { code: &codes::FILE_NOT_MAPPED, message: "passed on as it is".to_owned() };
    AttachedContents { attachments: vec![attachment], notices: vec![notice], ..AttachedContents::default() }
}

fn detail_of(world: &PipelineWorld, kind: EventKind) -> Value {
    let entries = world.books.0.entries.lock();
    let event = entries.iter().flat_map(|entry| &entry.events).find(|event| event.kind == kind);
    event.and_then(|event| event.detail.as_ref()).map(|raw| raw.decode().unwrap()).unwrap_or_default()
}

#[tokio::test]
async fn what_goes_to_the_server_beside_the_arguments_is_in_the_ledger() {
    let world = PipelineWorld::new(Verdict::Permit);
    *world.server.attached.lock() = Some(Ok(attached("one")));
    let answer = world.call(json!({ "amount": 1 })).await;
    assert_eq!(answer.envelope.status, Outcome::Succeeded);
    assert_eq!(answer.envelope.warnings[0].code.name, "file_not_mapped");
    let files = &detail_of(&world, EventKind::CallStarted)["files"];
    assert_eq!(files[0], json!({ "id": "file_1", "digest": Digest::of("one"), "size": 7 }));
}

#[tokio::test]
async fn a_file_that_cannot_be_had_ends_the_call_before_policy_hears_of_it() {
    let world = PipelineWorld::new(Verdict::Permit);
    let refusal = Refusal::new(&codes::UNKNOWN_FILE, "there is no file file_1").field("file_id");
    *world.server.attached.lock() = Some(Err(refusal));
    let answer = world.call(json!({ "amount": 1 })).await;
    assert_eq!((code(&answer), world.ran()), ("unknown_file", 0));
    assert_eq!(world.books.0.kinds(), ["tool.call.completed"]);
    assert_eq!(world.books.0.last_outcome(), "invalid");
}

#[tokio::test]
async fn people_agree_to_the_content_and_not_to_its_name() {
    let world = PipelineWorld::new(Verdict::Approve(requirement()));
    *world.server.attached.lock() = Some(Ok(attached("one")));
    let first = world.call(json!({ "amount": 1 })).await;
    let approval = world.books.0.only_approval();
    assert_eq!(approval.attachments, attached("one").attachments);
    let again = world.call(json!({ "amount": 1 })).await;
    assert_eq!(first.envelope.approval_id, again.envelope.approval_id);
    *world.server.attached.lock() = Some(Ok(attached("another")));
    let changed = world.call(json!({ "amount": 1 })).await;
    assert_ne!(changed.envelope.approval_id, first.envelope.approval_id, "it is another call now");
}

#[tokio::test]
async fn people_agree_to_the_request_that_they_are_shown() {
    let world = PipelineWorld::new(Verdict::Approve(requirement()));
    *world.server.previewed.lock() = Some(Ok(attached("POST /one")));
    let first = world.call(json!({ "amount": 1 })).await;
    assert_eq!(world.books.0.only_approval().attachments, attached("POST /one").attachments);
    *world.server.previewed.lock() = Some(Ok(attached("POST /another")));
    let changed = world.call(json!({ "amount": 1 })).await;
    assert_ne!(changed.envelope.approval_id, first.envelope.approval_id, "it is another request now");
}

#[tokio::test]
async fn nobody_is_asked_about_a_request_that_cannot_be_shown() {
    let world = PipelineWorld::new(Verdict::Approve(requirement()));
    let refusal = Refusal::new(&codes::SERVER_DOWN, "server \"connector.slack\" is down");
    *world.server.previewed.lock() = Some(Err(refusal));
    let answer = world.call(json!({ "amount": 1 })).await;
    assert_eq!((code(&answer), world.ran()), ("server_down", 0));
    assert_eq!(answer.envelope.approval_id, None);
}

#[tokio::test]
async fn a_request_is_not_made_up_where_nobody_is_asked() {
    let world = PipelineWorld::new(Verdict::Permit);
    *world.server.previewed.lock() = Some(Err(Refusal::new(&codes::SERVER_DOWN, "never asked")));
    assert_eq!(world.call(json!({ "amount": 1 })).await.envelope.status, Outcome::Succeeded);
}

#[tokio::test]
async fn a_call_that_is_not_admitted_any_more_is_not_sent_and_uses_nothing_up() {
    let world = PipelineWorld::new(Verdict::Permit);
    let refusal = Refusal::new(&codes::RUN_ENDED, "run run_1 has ended");
    *world.server.not_admitted.lock() = Some(refusal);
    let answer = world.call(json!({ "amount": 1 })).await;
    assert_eq!((code(&answer), world.ran()), ("run_ended", 0));
    assert_eq!(world.books.0.kinds(), ["tool.call.completed"]);
    assert_eq!(world.books.0.entries.lock()[0].events[0].decision, Some(DecisionKind::Permit));
    assert_eq!(world.books.0.last_outcome(), "refused");
}

#[tokio::test]
async fn refs_are_in_the_envelope_and_without_their_text_in_the_ledger() {
    let world = PipelineWorld::new(Verdict::Permit);
    let named: RawJson =
        json!({ "ref_id": "ref_1", "digest": Digest::of(""), "size": 9, "media_type": "text/plain", "preview": "Dear" }).into();
    *world.server.refs.lock() = vec![named.clone()];
    let answer = world.call(json!({ "amount": 1 })).await;
    assert_eq!(answer.envelope.refs, [named]);
    let kept = &detail_of(&world, EventKind::CallCompleted)["refs"][0];
    assert_eq!(
        *kept,
        json!({ "ref_id": "ref_1", "digest": Digest::of(""), "size": 9, "media_type": "text/plain" })
    );
}

#[tokio::test]
async fn a_grant_covers_a_credential_only_where_it_pins_the_handle() {
    for (place, is_covered) in
        [("/account", true), ("/account/0/secret", true), ("/account2", false), ("/secret", false)]
    {
        let world = gated();
        let used = CredentialUse::supposed(Some("cred_1"), "https://jobs.example", true);
        let credentials = vec![CredentialUse { place: place.to_owned(), ..used }];
        *world.server.attached.lock() =
            Some(Ok(AttachedContents { credentials, ..AttachedContents::default() }));
        world.call(transfer()).await;
        let grant =
            GrantRequest { pins: Some(vec!["/account".into()]), uses: None, expires_in_seconds: None };
        decide(&world, ApproverDecision::Approve, Some(grant)).await.expect("ann may");
        assert_eq!(world.call(transfer()).await.envelope.status, Outcome::Succeeded, "by the yes itself");
        let expected = if is_covered { Outcome::Succeeded } else { Outcome::PendingApproval };
        let other = world.call(json!({ "amount": 99, "account": "a" })).await;
        assert_eq!(other.envelope.status, expected, "{place}");
    }
}

/// Contents that want two people.
fn asking() -> AttachedContents {
    let asks = ApprovalRequirement { quorum: 2, ..requirement() };
    AttachedContents { asks: Some(Box::new(asks)), ..attached("one") }
}

#[tokio::test]
async fn contents_ask_for_people_where_policy_does_not() {
    let world = PipelineWorld::new(Verdict::Permit);
    *world.server.attached.lock() = Some(Ok(asking()));
    let answer = world.call(json!({ "amount": 1 })).await;
    assert_eq!((code(&answer), world.ran()), ("pending_approval", 0));
    let approval = world.books.0.only_approval();
    assert_eq!(approval.requirement.quorum, 2);
    decide(&world, ApproverDecision::Approve, None).await.expect("the question stands, and ann may");
    assert_eq!(code(&world.call(json!({ "amount": 1 })).await), "pending_approval", "one of two agreed");
}

#[tokio::test]
async fn nobody_agrees_to_a_judgement_of_their_own_work() {
    let world = PipelineWorld::new(Verdict::Approve(requirement()));
    let excluded = vec![PrincipalId::new("ann")];
    *world.server.attached.lock() = Some(Ok(AttachedContents { excluded, ..attached("one") }));
    world.call(json!({ "amount": 1 })).await;
    let refused = decide(&world, ApproverDecision::Approve, None).await.expect_err("it is her own work");
    assert!(refused.to_string().contains("your own work"), "{refused}");
    assert_eq!(code(&world.call(json!({ "amount": 1 })).await), "pending_approval");
}
