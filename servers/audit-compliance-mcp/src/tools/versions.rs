//! `compare_versions`.

use capability_kit::{FileInput, Tool, Trouble, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answers::{ReportFormat, sarif_of};
use super::{as_findings, given};
use crate::report::Spot;
use crate::versions;

const DESCRIPTION: &str = "Compares two versions of a document sentence by sentence. Returns what was added, removed and \
    changed with its places, and marks changes of numbers, obligations (shall, may, must) and negations; those come first.";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CompareVersions {
    /// The older text.
    #[serde(default)]
    before: Option<String>,
    /// Instead: the older document, in Base64.
    #[serde(default)]
    before_data: Option<String>,
    /// Instead: the ref_id of the older document that a tool of this server gave before.
    #[serde(default)]
    before_ref_id: Option<String>,
    /// The newer text.
    #[serde(default)]
    after: Option<String>,
    /// Instead: the newer document, in Base64.
    #[serde(default)]
    after_data: Option<String>,
    /// Instead: the ref_id of the newer document that a tool of this server gave before.
    #[serde(default)]
    after_ref_id: Option<String>,
    /// `sarif` for a SARIF file, too.
    #[serde(default)]
    format: ReportFormat,
}

#[derive(Serialize, JsonSchema)]
struct VersionsOutput {
    /// Sentences that are the same.
    same: usize,
    /// The weightiest first.
    changes: Vec<ChangeItem>,
    /// Changes that are not listed.
    left_out: usize,
    /// The changes as SARIF 2.1.0, at their places in the newer version.
    #[serde(skip_serializing_if = "Option::is_none")]
    sarif_ref_id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct ChangeItem {
    /// Omitted if it was added.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    /// Omitted if it was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
    /// The place in the older document: characters, or page and box of a PDF.
    #[serde(skip_serializing_if = "Option::is_none")]
    before_spot: Option<Spot>,
    /// The place in the newer document.
    #[serde(skip_serializing_if = "Option::is_none")]
    after_spot: Option<Spot>,
    /// numbers, obligations, negations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    marks: Vec<String>,
}

pub(super) fn tool() -> Tool {
    Tool::new("compare_versions", "Compare two versions", DESCRIPTION, run)
}

fn run(arguments: CompareVersions, work: &Work) -> Result<VersionsOutput, Trouble> {
    let CompareVersions { before, before_data, before_ref_id, after, after_data, after_ref_id, format } =
        arguments;
    let input = |file_data: Option<String>, source_ref_id: Option<String>| FileInput {
        file_data,
        source_ref_id,
        ..FileInput::default()
    };
    let before = given::text(before, input(before_data, before_ref_id), work)?;
    let after = given::text(after, input(after_data, after_ref_id), work)?;
    let report = versions::compare(&before.text, &after.text);
    let sarif_ref_id = sarif_of(&as_findings::versions(&report.changes, &before, &after), format, work)?;
    let changes = report.changes.into_iter().map(|it| ChangeItem {
        before: it.before,
        after: it.after,
        before_spot: it.before_at.map(|range| before.spot(range)),
        after_spot: it.after_at.map(|range| after.spot(range)),
        marks: it.marks.into_iter().map(str::to_owned).collect(),
    });
    Ok(VersionsOutput {
        same: report.same,
        changes: changes.collect(),
        left_out: report.left_out,
        sarif_ref_id,
    })
}
