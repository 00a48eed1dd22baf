//! `record_application`: the report of what happened. The same report again changes nothing.

use std::sync::Arc;

use capability_kit::{Caller, Effect, Tool, Trouble};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shared::{self, EvidenceArgument};
use crate::records::text::{self, ID_CHARS_MAX};
use crate::records::{JobRecords, RecordedFacts};
use crate::state::ApplicationState;

pub(super) fn tool(records: &Arc<JobRecords>) -> Tool {
    shared::tool(
        records,
        "record_application",
        "Record an application",
        "Record what became of an application, right after the click that sends it: confirmed if the site said so \
         (with evidence), submitted_unconfirmed if it was sent and the site said nothing, needs_person if it is not clear \
         whether it was sent, failed if it certainly was not. The same facts again return the same id with created \
         false; other facts are refused with the field that differs.",
        record,
    )
    .effect(Effect::Write)
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum RecordedStatus {
    SubmittedUnconfirmed,
    Confirmed,
    Failed,
    NeedsPerson,
}

impl From<RecordedStatus> for ApplicationState {
    fn from(status: RecordedStatus) -> Self {
        match status {
            RecordedStatus::SubmittedUnconfirmed => ApplicationState::SubmittedUnconfirmed,
            RecordedStatus::Confirmed => ApplicationState::Confirmed,
            RecordedStatus::Failed => ApplicationState::Failed,
            RecordedStatus::NeedsPerson => ApplicationState::NeedsPerson,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RecordApplicationArguments {
    job_id: String,
    user: String,
    /// What became of it.
    status: RecordedStatus,
    #[serde(default)]
    evidence: EvidenceArgument,
    /// A key of your own for this application. It cannot be used for another job.
    #[serde(default)]
    idempotency_key: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RecordApplicationOutput {
    application_id: String,
    /// The status now, which may be a later one than was recorded.
    status: ApplicationState,
    /// False if the same facts were recorded before.
    created: bool,
    version: i64,
}

async fn record(
    records: Arc<JobRecords>,
    caller: Caller,
    arguments: RecordApplicationArguments,
) -> Result<RecordApplicationOutput, Trouble> {
    let facts = RecordedFacts {
        user: text::required("user", &arguments.user, ID_CHARS_MAX)?,
        job: text::required("job_id", &arguments.job_id, ID_CHARS_MAX)?,
        status: arguments.status.into(),
        evidence: arguments.evidence.checked()?,
        key: text::optional("idempotency_key", arguments.idempotency_key.as_deref(), ID_CHARS_MAX)?,
    };
    let mut tx = records.begin(&caller).await?;
    let recorded = Box::pin(tx.record(facts)).await;
    let (row, created) = tx.finish(recorded).await?;
    let status = row.state()?;
    Ok(RecordApplicationOutput { application_id: row.id, status, created, version: row.version })
}
