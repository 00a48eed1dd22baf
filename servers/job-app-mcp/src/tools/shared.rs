//! What several tools share: the way to the records, evidence, and the state of an application as an answer.

use std::future::Future;
use std::sync::Arc;

use capability_kit::{Caller, ResidentCall, Tool, Trouble};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::records::text::{self, EVIDENCE_CHARS_MAX, ID_CHARS_MAX, URL_CHARS_MAX};
use crate::records::{ApplicationRow, EvidenceFields, JobRecords};
use crate::state::ApplicationState;

/// A tool over the records.
pub(super) fn tool<A, O, F>(
    records: &Arc<JobRecords>,
    name: &'static str,
    title: &'static str,
    description: &'static str,
    run: fn(Arc<JobRecords>, Caller, A) -> F,
) -> Tool
where
    A: DeserializeOwned + JsonSchema + 'static,
    O: Serialize + JsonSchema,
    F: Future<Output = Result<O, Trouble>> + Send + 'static,
{
    let records = Arc::clone(records);
    Tool::resident_data(name, title, description, move |arguments: A, call: ResidentCall| {
        run(Arc::clone(&records), call.caller, arguments)
    })
}

/// Signs of what happened.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EvidenceArgument {
    /// The page that said so.
    #[serde(default)]
    url: Option<String>,
    /// Its words.
    #[serde(default)]
    text: Option<String>,
    /// The ref of a screenshot.
    #[serde(default)]
    screenshot_ref: Option<String>,
}

impl EvidenceArgument {
    pub(super) fn checked(self) -> Result<EvidenceFields, Trouble> {
        Ok(EvidenceFields {
            url: text::optional("evidence.url", self.url.as_deref(), URL_CHARS_MAX)?,
            text: text::optional("evidence.text", self.text.as_deref(), EVIDENCE_CHARS_MAX)?,
            screenshot_ref: text::optional(
                "evidence.screenshot_ref",
                self.screenshot_ref.as_deref(),
                ID_CHARS_MAX,
            )?,
        })
    }
}

/// An application after a call.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ApplicationStatusOutput {
    application_id: String,
    job_id: String,
    status: ApplicationState,
    /// Pass it as expected_version.
    version: i64,
    /// False if this had happened before.
    changed: bool,
}

impl ApplicationStatusOutput {
    pub(super) fn of(row: ApplicationRow, changed: bool) -> Result<Self, Trouble> {
        let status = row.state()?;
        Ok(Self { application_id: row.id, job_id: row.job, status, version: row.version, changed })
    }
}
