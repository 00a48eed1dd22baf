//! `run.start`, `run.pause` and `run.resume`.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use toolgate_core::platform::OldName;
use toolgate_core::run::CallKind;
use toolgate_core::tool::ToolTrait;
use toolgate_core::{Refusal, Role};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};

use super::flat_names::FLAT_NAMES_END_MS;
use super::output::{RunOutput, reply};
use super::visible::changeable;
use crate::runs::Runs;

pub(super) const START: ToolDefinition =
    ToolDefinition::writes("run.start", "Start a run", "Starts a run that run.create made.")
        .old_names(&[OldName { name: "start_run", until_ms: FLAT_NAMES_END_MS }])
        .traits(&[ToolTrait::OwnRecord])
        .kind(CallKind::Control);

pub(super) const PAUSE: ToolDefinition = ToolDefinition::writes(
    "run.pause",
    "Pause a run",
    "Pauses a running run. Its time stops, and it starts no calls; steps and checkpoints are still taken.",
)
.kind(CallKind::Control);

pub(super) const RESUME: ToolDefinition = ToolDefinition::writes(
    "run.resume",
    "Resume a run",
    "Lets a paused run go on. A question that it waits for is cancelled.",
)
.kind(CallKind::Control);

#[derive(Deserialize, JsonSchema)]
pub(super) struct SteerRunArguments {
    /// Usually the run of the session
    run_id: Option<String>,
}

pub(super) async fn start(
    runs: Arc<Runs>,
    context: ToolContext,
    arguments: SteerRunArguments,
) -> Result<ToolReply<RunOutput>, Refusal> {
    let run = changeable(&runs, &context, arguments.run_id).await?;
    let run = runs.begin(&run.id, &context.principal().id).await?;
    Ok(reply(&run, context.now_ms))
}

pub(super) async fn pause(
    runs: Arc<Runs>,
    context: ToolContext,
    arguments: SteerRunArguments,
) -> Result<ToolReply<RunOutput>, Refusal> {
    let run = changeable(&runs, &context, arguments.run_id).await?;
    let by = &context.principal().id;
    let run = match run.principal == *by {
        true => runs.pause_own(&run.id, by).await?,
        false => runs.pause(&run.id, by).await?,
    };
    Ok(reply(&run, context.now_ms))
}

pub(super) async fn resume(
    runs: Arc<Runs>,
    context: ToolContext,
    arguments: SteerRunArguments,
) -> Result<ToolReply<RunOutput>, Refusal> {
    let run = changeable(&runs, &context, arguments.run_id).await?;
    if !matches!(context.principal().role, Role::Admin | Role::Operator) {
        runs.check_resumable(&run).await?;
    }
    let run = runs.resume(&run.id, &context.principal().id).await?;
    Ok(reply(&run, context.now_ms))
}
