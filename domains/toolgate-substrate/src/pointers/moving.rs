//! Changes of pointers: those of a corpus are exactly what people agreed to.

use toolgate_core::Refusal;
use toolgate_core::id::PointerId;
use toolgate_core::pointer::{ExpectedHead, Pointer, PointerKind, PointerPath};
use toolgate_domain::ToolContext;
use toolgate_store::{Actor, MoveStamp, MovedPointer, NewHead, PointerError};

use super::arguments::{self, CreatePointerArguments, changeable_path};
use super::plan::PlannedMove;
use super::{refusal, shown};
use crate::digests::read_manifest;
use crate::state::Substrate;

pub(super) const FIRST_VERSION: u64 = 1;

pub(super) async fn create(
    substrate: &Substrate,
    context: &ToolContext,
    arguments: CreatePointerArguments,
) -> Result<Pointer, Refusal> {
    let path = changeable_path(&arguments.namespace, &arguments.name)?;
    let kind = arguments::kind(&arguments.pointer_type)?;
    let manifest = arguments.manifest_sha256.as_deref();
    let manifest = manifest.map(|text| read_manifest(text, "manifest_sha256")).transpose()?;
    match (kind, manifest) {
        (PointerKind::Snapshot, None) => return Err(refusal::empty_snapshot()),
        (PointerKind::Corpus, Some(_)) => return Err(refusal::full_corpus()),
        _ => {}
    }
    let pointer = Pointer {
        id: PointerId::new(substrate.clock.fresh_id(PointerId::PREFIX)),
        path: path.clone(),
        kind,
        manifest,
        description: arguments::description(arguments.description)?,
        version: FIRST_VERSION,
        created_by: context.principal().id.clone(),
        created_at_ms: context.now_ms,
        moved_at_ms: context.now_ms,
        deleted_at_ms: None,
    };
    let stamp = stamp(context, arguments::reason(arguments.reason)?);
    let created = substrate.books.create_pointer(pointer, &stamp).await;
    created.map_err(|error| refusal::unchanged(&path, error))
}

/// Moves a pointer as planned, or not at all.
pub(super) async fn carry_out(
    substrate: &Substrate,
    context: &ToolContext,
    plan: PlannedMove,
    reason: Option<String>,
) -> Result<MovedPointer, Refusal> {
    let stamp = stamp(context, arguments::reason(reason)?);
    if plan.pointer.kind == PointerKind::Corpus && context.approval.is_some() {
        shown::check_move(substrate, context, &plan).await?;
    }
    let PlannedMove { pointer, operation, expected, manifest } = plan;
    let head = NewHead { pointer: pointer.id, operation, expected, manifest };
    match substrate.books.move_pointer(&head, &stamp).await {
        Ok(moved) => Ok(moved),
        Err(error) => Err(not_changed(substrate, &pointer.path, expected, error).await),
    }
}

pub(super) async fn delete(
    substrate: &Substrate,
    context: &ToolContext,
    pointer: &Pointer,
    expected: ExpectedHead,
    reason: Option<String>,
) -> Result<MovedPointer, Refusal> {
    let stamp = stamp(context, arguments::reason(reason)?);
    if pointer.kind == PointerKind::Corpus && context.approval.is_some() {
        shown::check_end(context, pointer)?;
    }
    // People agreed to the end of a corpus that leads there: one that moves at this moment stays.
    let expected = match (pointer.kind, expected) {
        (PointerKind::Corpus, ExpectedHead::Any) => ExpectedHead::Exactly(pointer.manifest),
        (_, expected) => expected,
    };
    match substrate.books.delete_pointer(&pointer.id, expected, &stamp).await {
        Ok(deleted) => Ok(deleted),
        Err(error) => Err(not_changed(substrate, &pointer.path, expected, error).await),
    }
}

fn stamp(context: &ToolContext, reason: String) -> MoveStamp {
    MoveStamp {
        by: Actor::of(&context.holder),
        approval: context.approval.as_ref().map(|approval| approval.id.clone()),
        reason,
        at_ms: context.now_ms,
    }
}

async fn not_changed(
    substrate: &Substrate,
    path: &PointerPath,
    expected: ExpectedHead,
    error: PointerError,
) -> Refusal {
    match error {
        PointerError::Moved(now) => shown::conflict(substrate, &now, expected).await,
        error => refusal::unchanged(path, error),
    }
}
