//! `substrate.manifest.diff`: the paths in which two manifests differ, in pages or as one ref.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use manifest_tree::BlobDigest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::platform::{ObjectRef, OldName};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_files::LongText;

use super::output::ChangeOutput;
use crate::digests;
use crate::limits::{FLAT_NAMES_END_MS, PAGE_MAX, PAGE_USUAL, REF_BYTES_MAX};
use crate::manifests::difference::LinesReport;
use crate::manifests::entries::read_path;
use crate::state::Substrate;

const NAME: &str = "substrate.manifest.diff";

pub(super) const DIFF: ToolDefinition = ToolDefinition::reads(
    NAME,
    "Compare two manifests",
    "Lists the paths that were added, removed or changed, in content or only in metadata. A long difference comes as \
     a ref of NDJSON with to_ref.",
)
.old_names(&[OldName { name: "diff_manifests", until_ms: FLAT_NAMES_END_MS }]);

#[derive(Deserialize, JsonSchema)]
pub(super) struct DiffArguments {
    old_sha256: String,
    new_sha256: String,
    /// next_after of the page before
    after: Option<String>,
    #[serde(default = "page_usual")]
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: u16,
    /// All of it as a text that read_ref reads, a change on each line
    #[serde(default)]
    to_ref: bool,
}

fn page_usual() -> u16 {
    PAGE_USUAL
}

#[derive(Serialize, JsonSchema)]
pub(super) struct DiffOutput {
    changes: Vec<ChangeOutput>,
    /// There are more after this path
    #[serde(skip_serializing_if = "Option::is_none")]
    next_after: Option<String>,
    /// With to_ref: the text, and the number of its changes
    #[serde(skip_serializing_if = "Option::is_none")]
    ref_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    change_count: Option<u64>,
}

pub(super) async fn diff(
    substrate: Arc<Substrate>,
    context: ToolContext,
    arguments: DiffArguments,
) -> Result<ToolReply<DiffOutput>, Refusal> {
    let old = substrate.manifest(digests::read_manifest(&arguments.old_sha256, "old_sha256")?).await?;
    let new = substrate.manifest(digests::read_manifest(&arguments.new_sha256, "new_sha256")?).await?;
    let roots = (old.root, new.root);
    let data = match arguments.to_ref {
        true => whole(&substrate, &context, roots).await?,
        false => page(&substrate, roots, &arguments).await?,
    };
    let refs = [old.digest, new.digest].map(|digest| ObjectRef::Manifest { sha256: digest.digest() });
    Ok(ToolReply::new(data).refs(refs))
}

async fn page(
    substrate: &Substrate,
    roots: (BlobDigest, BlobDigest),
    arguments: &DiffArguments,
) -> Result<DiffOutput, Refusal> {
    let after = arguments.after.as_deref().map(read_path).transpose()?;
    let limit = usize::from(arguments.limit.clamp(1, PAGE_MAX));
    let (changes, resume_after) = substrate.changes(roots, after, limit).await?;
    let (changes, is_cut) = substrate.answer_room().fit(changes.iter().map(ChangeOutput::of));
    let next_after = match is_cut {
        true => changes.last().map(|change| change.path.clone()),
        false => resume_after.map(|path| path.to_string()),
    };
    Ok(DiffOutput { changes, next_after, ref_id: None, change_count: None })
}

async fn whole(
    substrate: &Substrate,
    context: &ToolContext,
    roots: (BlobDigest, BlobDigest),
) -> Result<DiffOutput, Refusal> {
    let report = Arc::<LinesReport>::default();
    let lines = substrate.change_lines(roots, report.clone(), ChangeOutput::of);
    let text = LongText {
        tool: NAME,
        media_type: "application/x-ndjson",
        preview: String::new(),
        bytes_max: REF_BYTES_MAX,
    };
    let kept = substrate.files.keep_text(&context.holder, text, lines).await;
    // The storage knows only that its input ended.
    let kept = kept.map_err(|refusal| report.failure.lock().take().unwrap_or(refusal))?;
    Ok(DiffOutput {
        changes: Vec::new(),
        next_after: None,
        ref_id: Some(kept.id.to_string()),
        change_count: Some(report.changes.load(Ordering::Relaxed)),
    })
}
