//! `compare_versions`.

use capability_kit::{FileInput, Tool, Trouble, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::given;
use crate::versions;

const DESCRIPTION: &str = "Compares two versions of a document sentence by sentence. Returns what was added, removed and \
    changed, and marks changes of numbers, obligations (shall, may, must) and negations; those come first.";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CompareVersions {
    /// The older text.
    #[serde(default)]
    before: Option<String>,
    /// Instead: the older document, in Base64.
    #[serde(default)]
    before_data: Option<String>,
    /// The newer text.
    #[serde(default)]
    after: Option<String>,
    /// Instead: the newer document, in Base64.
    #[serde(default)]
    after_data: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct VersionsOutput {
    /// Sentences that are the same.
    same: usize,
    /// The weightiest first.
    changes: Vec<ChangeItem>,
    /// Changes that are not listed.
    left_out: usize,
}

#[derive(Serialize, JsonSchema)]
struct ChangeItem {
    /// Omitted if it was added.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    /// Omitted if it was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
    /// numbers, obligations, negations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    marks: Vec<String>,
}

pub(super) fn tool() -> Tool {
    Tool::new("compare_versions", "Compare two versions", DESCRIPTION, run)
}

fn run(arguments: CompareVersions, work: &Work) -> Result<VersionsOutput, Trouble> {
    let CompareVersions { before, before_data, after, after_data } = arguments;
    let input = |file_data: Option<String>| FileInput { file_data, ..FileInput::default() };
    let before = given::text(before, input(before_data), work)?;
    let after = given::text(after, input(after_data), work)?;
    let report = versions::compare(&before.text, &after.text);
    let changes = report.changes.into_iter().map(|it| ChangeItem {
        before: it.before,
        after: it.after,
        marks: it.marks.into_iter().map(str::to_owned).collect(),
    });
    Ok(VersionsOutput { same: report.same, changes: changes.collect(), left_out: report.left_out })
}
