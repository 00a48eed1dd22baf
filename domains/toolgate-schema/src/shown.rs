//! The text that people read before they agree to a promotion: both versions, the difference in words, and the new definition. The approval is bound to the digest
//! of this text, so it is the same for the same change.

use toolgate_core::Refusal;
use toolgate_core::content::AttachedContents;
use toolgate_core::schema::{CompatibilityMode, SchemaRecord};
use toolgate_domain::ToolContext;
use toolgate_files::ShownChange;

use crate::refusal::{called, not_agreed};
use crate::review::PromotionReview;
use crate::schemas::SchemaVersions;

const CHANGE: ShownChange = ShownChange { kind: "schema change", place: "/version" };
/// Changes that the text lists.
const CHANGES_MAX: usize = 100;

/// Keeps the text for the approvers.
pub(crate) async fn attach(
    schemas: &SchemaVersions,
    context: &ToolContext,
    review: &PromotionReview,
) -> Result<AttachedContents, Refusal> {
    schemas.files.attach_change(&context.holder, CHANGE, text(review)).await
}

/// Refuses a promotion that differs from the one that people were shown.
pub(crate) fn check(context: &ToolContext, review: &PromotionReview) -> Result<(), Refusal> {
    match &context.approval {
        Some(approval) if !CHANGE.is_agreed(approval, &text(review)) => {
            Err(not_agreed(&review.draft.namespace, &review.draft.name))
        }
        Some(_) | None => Ok(()),
    }
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
