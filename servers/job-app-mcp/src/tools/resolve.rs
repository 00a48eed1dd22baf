//! `withdraw` and `resolve_application`: the word of people.

use std::sync::Arc;

use capability_kit::{Caller, Effect, Tool, Trouble};
use schemars::JsonSchema;
use serde::Deserialize;

use super::shared::{self, ApplicationStatusOutput, EvidenceArgument};
use crate::records::text::{self, ID_CHARS_MAX, REASON_CHARS_MAX};
use crate::records::{JobRecords, StatusUpdate};
use crate::state::ApplicationState;

pub(super) fn withdraw_tool(records: &Arc<JobRecords>) -> Tool {
    shared::tool(
        records,
        "withdraw",
        "Withdraw an application",
        "Mark an application as withdrawn, or a pending job as not wanted; it is never handed out again. Nothing is sent \
         to the employer. An application that is being sent cannot be withdrawn before its outcome is recorded.",
        withdraw,
    )
    .effect(Effect::Write)
}

pub(super) fn resolve_tool(records: &Arc<JobRecords>) -> Tool {
    shared::tool(
        records,
        "resolve_application",
        "Resolve an application (people)",
        "For people, refused in runs of agents: say what became of an application in needs_person after looking at the \
         site. confirmed (with evidence) or failed; pending only if it certainly was not sent and should be tried again.",
        resolve,
    )
    .effect(Effect::Write)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WithdrawArguments {
    application_id: String,
    #[serde(default)]
    expected_version: Option<i64>,
    #[serde(default)]
    reason: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ResolvedStatus {
    Confirmed,
    Failed,
    Pending,
}

impl From<ResolvedStatus> for ApplicationState {
    fn from(status: ResolvedStatus) -> Self {
        match status {
            ResolvedStatus::Confirmed => ApplicationState::Confirmed,
            ResolvedStatus::Failed => ApplicationState::Failed,
            ResolvedStatus::Pending => ApplicationState::Pending,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ResolveApplicationArguments {
    application_id: String,
    /// What became of it.
    status: ResolvedStatus,
    /// The version that was looked at.
    expected_version: i64,
    /// How you know.
    reason: String,
    /// Required for confirmed.
    #[serde(default)]
    evidence: EvidenceArgument,
}

async fn withdraw(
    records: Arc<JobRecords>,
    caller: Caller,
    arguments: WithdrawArguments,
) -> Result<ApplicationStatusOutput, Trouble> {
    let id = text::required("application_id", &arguments.application_id, ID_CHARS_MAX)?;
    let reason = text::optional("reason", arguments.reason.as_deref(), REASON_CHARS_MAX)?;
    let mut tx = records.begin(&caller).await?;
    let done = Box::pin(tx.withdraw(&id, arguments.expected_version, reason)).await;
    let done = tx.finish(done).await?;
    ApplicationStatusOutput::of(done.row, done.changed)
}

async fn resolve(
    records: Arc<JobRecords>,
    caller: Caller,
    arguments: ResolveApplicationArguments,
) -> Result<ApplicationStatusOutput, Trouble> {
    let update = StatusUpdate {
        application: text::required("application_id", &arguments.application_id, ID_CHARS_MAX)?,
        to: arguments.status.into(),
        expected_version: arguments.expected_version,
        reason: Some(text::required("reason", &arguments.reason, REASON_CHARS_MAX)?),
        evidence: arguments.evidence.checked()?,
    };
    let mut tx = records.begin(&caller).await?;
    let done = Box::pin(tx.resolve(update)).await;
    let done = tx.finish(done).await?;
    ApplicationStatusOutput::of(done.row, done.changed)
}
