//! The manifests of what goes into a run and comes out of it.

use toolgate_core::file::Artifact;
use toolgate_core::id::RunId;
use toolgate_core::run::InputFile;
use toolgate_core::{Digest, PrincipalId, Refusal};
use toolgate_store::{RunCompletion, RunError};

use super::Runs;
use crate::checks;
use crate::contents::{ContentAuthor, RunEntry, RunEntryContent};
use crate::output::artifact_entries;
use crate::view::RunInput;

const INPUT_JSON: &str = "input.json";
const RESULT_JSON: &str = "result.json";
const INPUT_MESSAGE: &str = "input of a run";

impl Runs {
    /// The manifest of a run's input: one that exists, or a new one of its files and its JSON. A run without input has none.
    pub(super) async fn input_manifest(
        &self,
        by: &PrincipalId,
        files: &[InputFile],
        content: RunInput,
    ) -> Result<Option<Digest>, Refusal> {
        let mut entries: Vec<RunEntry> = files.iter().map(of_file).collect();
        match content {
            RunInput::Manifest(digest) => {
                let checked = self.desk.contents.check_manifest(digest).await;
                return checked
                    .map(|()| Some(digest))
                    .map_err(|refusal| refusal.field("input_manifest_sha256"));
            }
            RunInput::Json(value) => {
                let text = value.to_string();
                checks::input_json(text.len())?;
                entries.push(json_entry(INPUT_JSON, text));
            }
            RunInput::Files if entries.is_empty() => return Ok(None),
            RunInput::Files => {}
        }
        let author = ContentAuthor { principal: by.clone(), session: None, run: None };
        let made = self.desk.contents.snapshot(author, entries, INPUT_MESSAGE).await;
        made.map(Some).map_err(|refusal| refusal.field("input"))
    }

    /// The completion with the manifest of its output: the result, and the artifacts by name. A run that leaves nothing has
    /// none.
    pub(super) async fn with_output(
        &self,
        run: &RunId,
        completion: &RunCompletion,
        by: &PrincipalId,
    ) -> Result<RunCompletion, RunError> {
        let stored = self.desk.store.run_artifacts(run).await?;
        let is_named =
            |one: &&Artifact| completion.artifacts.as_ref().is_none_or(|named| named.contains(&one.digest));
        let mut entries = artifact_entries(stored.iter().filter(is_named));
        let is_taken = entries.iter().any(|entry| entry.path == RESULT_JSON);
        entries.extend(report(completion).filter(|_| !is_taken).map(|text| json_entry(RESULT_JSON, text)));
        let manifest = match entries.is_empty() {
            true => None,
            false => Some(self.desk.output_manifest(run, entries, by).await?),
        };
        let count = u64::try_from(stored.len()).expect("a count fits into 64 bits");
        Ok(RunCompletion { manifest, stored: Some(count), ..completion.clone() })
    }
}

/// The result, or the summary where there is none.
fn report(completion: &RunCompletion) -> Option<String> {
    let summary = completion.summary.as_ref().map(|summary| serde_json::json!({ "summary": summary }));
    completion.result.clone().or(summary).map(|report| report.to_string())
}

fn of_file(file: &InputFile) -> RunEntry {
    RunEntry { path: file.path.clone(), otherwise: None, content: RunEntryContent::Stored(file.digest) }
}

fn json_entry(path: &str, text: String) -> RunEntry {
    RunEntry { path: path.to_owned(), otherwise: None, content: RunEntryContent::Json(text) }
}
