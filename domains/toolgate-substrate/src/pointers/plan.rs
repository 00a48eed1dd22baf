//! The move that a call asks for: the pointer, the manifest that it replaces, and the one that it leads to afterwards.

use toolgate_core::Refusal;
use toolgate_core::pointer::{ExpectedHead, MoveOperation, Pointer, PointerKind};
use toolgate_core::substrate::ManifestDigest;
use toolgate_domain::ToolContext;

use super::arguments::{
    AdvancePointerArguments, PromotePointerArguments, RevertPointerArguments, changeable_path, expected, path,
};
use super::finding::find;
use super::refusal;
use crate::digests::read_manifest;
use crate::refusal::down;
use crate::state::Substrate;

pub(super) struct PlannedMove {
    /// As it is now.
    pub(super) pointer: Pointer,
    pub(super) operation: MoveOperation,
    pub(super) expected: ExpectedHead,
    pub(super) manifest: ManifestDigest,
}

pub(super) async fn advance(
    substrate: &Substrate,
    arguments: &AdvancePointerArguments,
) -> Result<PlannedMove, Refusal> {
    let pointer = find(substrate, &changeable_path(&arguments.namespace, &arguments.name)?).await?;
    Ok(PlannedMove {
        expected: expected_head(&pointer, expected(arguments.expected_sha256.as_deref())?),
        manifest: read_manifest(&arguments.manifest_sha256, "manifest_sha256")?,
        operation: MoveOperation::Advance,
        pointer,
    })
}

pub(super) async fn promote(
    substrate: &Substrate,
    context: &ToolContext,
    arguments: &PromotePointerArguments,
) -> Result<PlannedMove, Refusal> {
    let pointer = find(substrate, &changeable_path(&arguments.namespace, &arguments.name)?).await?;
    if pointer.kind == PointerKind::Bundle {
        return Err(refusal::not_a_corpus(&pointer));
    }
    Ok(PlannedMove {
        expected: expected_head(&pointer, expected(arguments.expected_sha256.as_deref())?),
        manifest: promoted(substrate, context, arguments).await?,
        operation: MoveOperation::Promote,
        pointer,
    })
}

/// The manifest that the arguments name, or that their source leads to.
async fn promoted(
    substrate: &Substrate,
    context: &ToolContext,
    arguments: &PromotePointerArguments,
) -> Result<ManifestDigest, Refusal> {
    match (&arguments.manifest_sha256, &arguments.source_name) {
        (Some(text), None) if arguments.source_namespace.is_none() => read_manifest(text, "manifest_sha256"),
        (None, Some(name)) => {
            let namespace = arguments.source_namespace.as_ref().unwrap_or(&arguments.namespace);
            let source = path(namespace, name)?;
            if !context.sees_pointer(namespace, name) {
                return Err(refusal::unknown(&source));
            }
            let source = find(substrate, &source).await?;
            source.manifest.ok_or_else(|| refusal::empty_source(&source))
        }
        _ => Err(refusal::one_source()),
    }
}

pub(super) async fn revert(
    substrate: &Substrate,
    context: &ToolContext,
    arguments: &RevertPointerArguments,
) -> Result<PlannedMove, Refusal> {
    let pointer = find(substrate, &changeable_path(&arguments.namespace, &arguments.name)?).await?;
    let wanted = arguments.manifest_sha256.as_deref();
    let wanted = wanted.map(|text| read_manifest(text, "manifest_sha256")).transpose()?;
    Ok(PlannedMove {
        expected: expected_head(&pointer, expected(arguments.expected_sha256.as_deref())?),
        manifest: retained(substrate, &pointer, wanted, context.now_ms).await?,
        operation: MoveOperation::Revert,
        pointer,
    })
}

/// A manifest of the pointer's own history, which it has not left too long ago.
async fn retained(
    substrate: &Substrate,
    pointer: &Pointer,
    wanted: Option<ManifestDigest>,
    now_ms: i64,
) -> Result<ManifestDigest, Refusal> {
    let store = &substrate.store;
    let wanted = match wanted {
        Some(wanted) => wanted,
        None => {
            let last = store.pointer_moves(&pointer.id, None, 1).await.map_err(down)?;
            let before = last.first().and_then(|one| one.old);
            before.ok_or_else(|| refusal::not_in_history(pointer, None))?
        }
    };
    let left = store.pointer_last_at(&pointer.id, wanted).await.map_err(down)?;
    let left_ms = left.ok_or_else(|| refusal::not_in_history(pointer, Some(wanted)))?;
    let settings = substrate.collection.settings;
    let is_head = pointer.manifest == Some(wanted);
    match is_head || left_ms >= settings.moves_since_ms(now_ms) {
        true => Ok(wanted),
        false => Err(refusal::beyond_retention(pointer, wanted, left_ms, &settings.moves_kept_text())),
    }
}

/// An empty corpus has no head that could be named.
fn expected_head(pointer: &Pointer, given: Option<ManifestDigest>) -> ExpectedHead {
    match given {
        Some(manifest) => ExpectedHead::Exactly(Some(manifest)),
        None if pointer.kind == PointerKind::Corpus && pointer.manifest.is_none() => {
            ExpectedHead::Exactly(None)
        }
        None => ExpectedHead::Any,
    }
}
