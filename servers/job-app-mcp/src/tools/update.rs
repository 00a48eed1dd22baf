//! `update_application_status`: one step of an application, by whoever has it.

use std::sync::Arc;

use capability_kit::{Caller, Effect, Tool, Trouble};
use schemars::JsonSchema;
use serde::Deserialize;

use super::shared::{self, ApplicationStatusOutput, EvidenceArgument};
use crate::records::text::{self, ID_CHARS_MAX, REASON_CHARS_MAX};
use crate::records::{JobRecords, StatusUpdate};
use crate::state::{ApplicationState, MoveCause};

pub(super) fn tool(records: &Arc<JobRecords>) -> Tool {
    shared::tool(
        records,
        "update_application_status",
        "Update an application's status",
        "Move an application to its next status. Write submitting right before the click that sends it: without it, do not \
         click. failed means that it was certainly not sent; if that is not certain, needs_person. pending gives a \
         job back that this run will not do.",
        update,
    )
    .effect(Effect::Write)
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum UpdatedStatus {
    Submitting,
    SubmittedUnconfirmed,
    Confirmed,
    Failed,
    NeedsPerson,
    Pending,
}

impl From<UpdatedStatus> for ApplicationState {
    fn from(status: UpdatedStatus) -> Self {
        match status {
            UpdatedStatus::Submitting => ApplicationState::Submitting,
            UpdatedStatus::SubmittedUnconfirmed => ApplicationState::SubmittedUnconfirmed,
            UpdatedStatus::Confirmed => ApplicationState::Confirmed,
            UpdatedStatus::Failed => ApplicationState::Failed,
            UpdatedStatus::NeedsPerson => ApplicationState::NeedsPerson,
            UpdatedStatus::Pending => ApplicationState::Pending,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UpdateStatusArguments {
    application_id: String,
    /// The next status.
    status: UpdatedStatus,
    /// The version that the last answer had.
    expected_version: i64,
    #[serde(default)]
    reason: Option<String>,
    /// Required for confirmed, unless it was recorded before.
    #[serde(default)]
    evidence: EvidenceArgument,
}

async fn update(
    records: Arc<JobRecords>,
    caller: Caller,
    arguments: UpdateStatusArguments,
) -> Result<ApplicationStatusOutput, Trouble> {
    let update = StatusUpdate {
        application: text::required("application_id", &arguments.application_id, ID_CHARS_MAX)?,
        to: arguments.status.into(),
        expected_version: arguments.expected_version,
        reason: text::optional("reason", arguments.reason.as_deref(), REASON_CHARS_MAX)?,
        evidence: arguments.evidence.checked()?,
    };
    let mut tx = records.begin(&caller).await?;
    let updated = Box::pin(tx.update(update, MoveCause::Update)).await;
    let updated = tx.finish(updated).await?;
    ApplicationStatusOutput::of(updated.row, updated.changed)
}
