//! Calls that name files, and results that were made smaller.

use serde_json::{Value, json};
use toolgate_core::codes;
use toolgate_core::content::{AttachedContents, Attachment, Notice};
use toolgate_core::decision::Verdict;
use toolgate_core::event::{DecisionKind, EventKind, Outcome};
use toolgate_core::{Digest, RawJson, Refusal};

use super::kit::{PipelineWorld, code, requirement};

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
