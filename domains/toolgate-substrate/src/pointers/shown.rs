//! The text that people are shown before they agree to a change of a corpus: the pointer, both manifests, and the difference between
//! them. The approval is bound to the digest of this text, so it is the same for the same change.

use std::fmt::Write as _;

use manifest_tree::TreeChangeKind;
use toolgate_core::Refusal;
use toolgate_core::content::AttachedContents;
use toolgate_core::pointer::{ExpectedHead, Pointer, PointerKind};
use toolgate_core::substrate::ManifestDigest;
use toolgate_domain::ToolContext;
use toolgate_files::ShownChange;

use super::plan::PlannedMove;
use super::refusal;
use crate::manifests::{ChangedPath, DifferenceSummary};
use crate::state::Substrate;

const CHANGE: ShownChange = ShownChange { kind: "pointer change", place: "/name" };
/// Paths that the text lists.
const FIRST_PATHS: usize = 50;

/// Looks whether a move is possible, and describes that of a corpus.
pub(super) async fn attach_move(
    substrate: &Substrate,
    context: &ToolContext,
    plan: &PlannedMove,
) -> Result<AttachedContents, Refusal> {
    let pointer = &plan.pointer;
    // People have not been asked yet.
    let may = pointer.kind.may_move(plan.expected, true);
    may.map_err(|why| refusal::refused(&pointer.path, why))?;
    if pointer.kind != PointerKind::Corpus {
        return Ok(AttachedContents::default());
    }
    if !plan.expected.fits(pointer.manifest) && pointer.manifest != Some(plan.manifest) {
        return Err(conflict(substrate, pointer, plan.expected).await);
    }
    let text = text_of_move(substrate, plan).await?;
    substrate.files.attach_change(&context.holder, CHANGE, text).await
}

/// Describes the end of a corpus. Nobody is asked about one that leads elsewhere than the caller expects.
pub(super) async fn attach_end(
    substrate: &Substrate,
    context: &ToolContext,
    pointer: &Pointer,
    expected: ExpectedHead,
) -> Result<AttachedContents, Refusal> {
    match pointer.kind {
        PointerKind::Corpus if !expected.fits(pointer.manifest) => {
            Err(conflict(substrate, pointer, expected).await)
        }
        PointerKind::Corpus => {
            substrate.files.attach_change(&context.holder, CHANGE, text_of_end(pointer)).await
        }
        PointerKind::Bundle | PointerKind::Snapshot => Ok(AttachedContents::default()),
    }
}

/// Refuses a move of a corpus that differs from the one that people were shown.
pub(super) async fn check_move(
    substrate: &Substrate,
    context: &ToolContext,
    plan: &PlannedMove,
) -> Result<(), Refusal> {
    let pointer = &plan.pointer;
    if !plan.expected.fits(pointer.manifest) && pointer.manifest != Some(plan.manifest) {
        return Err(conflict(substrate, pointer, plan.expected).await);
    }
    check(context, pointer, &text_of_move(substrate, plan).await?)
}

/// The same for the end of a corpus.
pub(super) fn check_end(context: &ToolContext, pointer: &Pointer) -> Result<(), Refusal> {
    check(context, pointer, &text_of_end(pointer))
}

fn check(context: &ToolContext, pointer: &Pointer, text: &str) -> Result<(), Refusal> {
    match &context.approval {
        Some(approval) if CHANGE.is_agreed(approval, text) => Ok(()),
        Some(_) | None => Err(refusal::not_agreed(&pointer.path)),
    }
}

/// The pointer leads elsewhere: both manifests, and the nearest one that both come from.
pub(super) async fn conflict(substrate: &Substrate, now: &Pointer, expected: ExpectedHead) -> Refusal {
    let expected = refusal::expected_of(expected);
    let ancestor = match (expected, now.manifest) {
        // Without an ancestor the answer is still true.
        (Some(expected), Some(current)) => substrate.common_ancestor(expected, current).await.ok().flatten(),
        _ => None,
    };
    refusal::moved(now, expected, ancestor)
}

async fn text_of_move(substrate: &Substrate, plan: &PlannedMove) -> Result<String, Refusal> {
    let old = plan.pointer.manifest;
    let difference = substrate.summarize_difference(old, plan.manifest, FIRST_PATHS).await?;
    Ok(move_text(plan, old, &difference))
}

fn move_text(plan: &PlannedMove, old: Option<ManifestDigest>, difference: &DifferenceSummary) -> String {
    let DifferenceSummary { added, removed, changed, metadata_changed, .. } = difference;
    let mut text = head_of("moves", &plan.pointer);
    let before = old.map_or("nothing".to_owned(), |old| old.to_string());
    put(&mut text, format_args!("from {before}\nto   {}\n", plan.manifest));
    put(
        &mut text,
        format_args!(
            "{added} added, {removed} removed, {changed} changed, {metadata_changed} with other metadata\n\
             {} bytes added, {} bytes removed\n",
            difference.bytes_added, difference.bytes_removed
        ),
    );
    if !difference.complete {
        text.push_str("There are more changes than were counted.\n");
    }
    if !difference.first.is_empty() {
        put(
            &mut text,
            format_args!(
                "\nThe first {} paths (+ added, - removed, ~ changed, = other metadata):\n",
                difference.first.len()
            ),
        );
    }
    difference.first.iter().for_each(|one| put(&mut text, format_args!("{}\n", line(one))));
    text
}

fn text_of_end(pointer: &Pointer) -> String {
    let head = pointer.manifest.map_or("nothing".to_owned(), |manifest| manifest.to_string());
    format!("{}It leads to {head}. Its name is free afterwards.\n", head_of("is deleted", pointer))
}

fn head_of(what: &str, pointer: &Pointer) -> String {
    format!("{} {what} ({} {})\n", pointer.path, pointer.kind.as_str(), pointer.id)
}

fn line(one: &ChangedPath) -> String {
    let sign = match one.kind {
        TreeChangeKind::Added => '+',
        TreeChangeKind::Removed => '-',
        TreeChangeKind::Content => '~',
        TreeChangeKind::Metadata => '=',
    };
    let bytes = match (one.old_bytes, one.new_bytes) {
        (Some(old), Some(new)) if old != new => format!("{old} bytes before, {new} now"),
        (Some(bytes), _) | (None, Some(bytes)) => format!("{bytes} bytes"),
        (None, None) => "no bytes".to_owned(),
    };
    format!("{sign} {} ({bytes})", one.path)
}

fn put(text: &mut String, more: std::fmt::Arguments<'_>) {
    text.write_fmt(more).expect("a text takes what is written to it");
}
