//! The text that people read before they agree to a promotion: both versions, the difference in words, and the new definition. The approval is bound to the digest
//! of this text, so it is the same for the same change.

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::stream;
use toolgate_core::content::{AttachedContents, Attachment};
use toolgate_core::file::FileName;
use toolgate_core::schema::{CompatibilityMode, SchemaRecord};
use toolgate_core::{Digest, Refusal};
use toolgate_domain::ToolContext;
use toolgate_files::{ContentAccess, FileQuery};

use crate::refusal::{called, not_agreed};
use crate::review::PromotionReview;
use crate::schemas::SchemaVersions;

/// The same for every promotion: whatever an approver edits, the change stays the one that was shown.
const ATTACHMENT: &str = "schema change";
/// The argument that it stands at.
const PLACE: &str = "/version";
/// Bytes of the digest in the name of the text.
const NAME_BYTES: usize = 6;
/// Changes that the text lists.
const CHANGES_MAX: usize = 100;

/// Keeps the text as a file of the caller, for as long as files are kept: it is what people saw.
pub(crate) async fn attach(
    schemas: &SchemaVersions,
    context: &ToolContext,
    review: &PromotionReview,
) -> Result<AttachedContents, Refusal> {
    let text = text(review);
    let digest = Digest::of(&text);
    let name = file_name(digest);
    let access = ContentAccess::Session(&context.holder);
    // It is looked up again before the call runs, and kept once.
    let query = FileQuery { name: Some(name.clone()), ..FileQuery::default() };
    let before = schemas.files.list(&access, query, 1).await?.files;
    let kept = match before.into_iter().find(|file| file.digest == digest) {
        Some(file) => file,
        None => {
            let bytes = stream::iter([Ok::<_, Infallible>(Bytes::from(text))]);
            schemas.files.put(&access, name, bytes).await?
        }
    };
    let attachment = Attachment {
        place: PLACE.to_owned(),
        id: ATTACHMENT.to_owned(),
        digest: kept.digest,
        bytes: kept.bytes,
        media_type: kept.media_type,
        name: Some(kept.name),
    };
    Ok(AttachedContents { attachments: vec![attachment], notices: Vec::new() })
}

/// Refuses a promotion that differs from the one that people were shown.
pub(crate) fn check(context: &ToolContext, review: &PromotionReview) -> Result<(), Refusal> {
    let Some(approval) = &context.approval else { return Ok(()) };
    let digest = Digest::of(text(review));
    match approval.contents.iter().any(|one| one.id == ATTACHMENT && one.digest == digest) {
        true => Ok(()),
        false => Err(not_agreed(&review.draft.namespace, &review.draft.name)),
    }
}

/// `schema-change-9f86d081884c.txt`
fn file_name(digest: Digest) -> FileName {
    let hex: String = digest.as_bytes().iter().take(NAME_BYTES).map(|byte| format!("{byte:02x}")).collect();
    FileName::new(&format!("schema-change-{hex}.txt")).expect("letters, digits, hyphens and a dot")
}

fn text(review: &PromotionReview) -> String {
    let PromotionReview { draft, active, compared, difference, .. } = review;
    let mut lines = vec![
        format!("promotion of {}", called(&draft.namespace, &draft.name)),
        format!("new: {}", version(draft)),
        match active {
            Some(active) => format!("active now: {}", version(active)),
            None => "active now: none".to_owned(),
        },
        format!("compatibility: {}", promise(draft.mode, compared)),
    ];
    match difference {
        None => lines.push("what changed: it is the first version".to_owned()),
        Some((from, difference)) => {
            lines.push(format!("what changed since version {from}: {}", difference.summary));
            lines.push(String::new());
            lines.extend(
                difference.changes.iter().take(CHANGES_MAX).map(|change| format!("- {}", change.words)),
            );
            let more = difference.changes.len().saturating_sub(CHANGES_MAX);
            if more > 0 {
                lines.push(format!("and {more} more"));
            }
        }
    }
    lines.extend([String::new(), "the new version:".to_owned(), pretty(draft), String::new()]);
    lines.join("\n")
}

/// All of it: people agree to what will be active.
fn pretty(schema: &SchemaRecord) -> String {
    let decoded: Option<serde_json::Value> = schema.definition.decode().ok();
    decoded.map_or_else(|| schema.definition.as_str().to_owned(), |definition| format!("{definition:#}"))
}

fn version(schema: &SchemaRecord) -> String {
    format!("version {}, {}, {}", schema.version, schema.id, schema.digest)
}

fn promise(mode: CompatibilityMode, compared: &[u64]) -> String {
    let versions: Vec<String> = compared.iter().map(u64::to_string).collect();
    match (mode, &versions[..]) {
        (CompatibilityMode::None, _) => "none is promised, and nothing was proved".to_owned(),
        (mode, []) => format!("{}; there is no earlier version", mode.as_str()),
        (mode, [only]) => format!("{}, proved towards version {only}", mode.as_str()),
        (mode, many) => format!("{}, proved towards versions {}", mode.as_str(), many.join(", ")),
    }
}
