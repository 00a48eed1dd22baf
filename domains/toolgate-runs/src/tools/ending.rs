//! `run.complete`, `run.fail` and `run.cancel`. The same call again changes nothing; with other arguments it is a conflict.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use toolgate_core::Refusal;
use toolgate_core::platform::OldName;
use toolgate_core::run::CallKind;
use toolgate_core::tool::ToolTrait;
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};

use super::flat_names::FLAT_NAMES_END_MS;
use super::output::{RunOutput, reply};
use super::visible::{changeable, manifest};
use crate::runs::Runs;
use crate::view::{AskedCompletion, AskedFailure};

/// The reason of a cancellation without one.
const CANCELLED: &str = "cancelled";

pub(super) const COMPLETE: ToolDefinition = ToolDefinition::writes(
    "run.complete",
    "Complete a run",
    "Ends a run with its result, once all its other calls have ended. Without output_manifest_sha256, the result and the \
     stored artifacts become its output manifest.",
)
.old_names(&[OldName { name: "complete_run", until_ms: FLAT_NAMES_END_MS }])
.idempotent()
.traits(&[ToolTrait::OwnRecord])
.kind(CallKind::Control);

pub(super) const FAIL: ToolDefinition =
    ToolDefinition::writes("run.fail", "Fail a run", "Ends a run that could not be done.")
        .old_names(&[OldName { name: "fail_run", until_ms: FLAT_NAMES_END_MS }])
        .idempotent()
        .traits(&[ToolTrait::OwnRecord])
        .kind(CallKind::Control);

pub(super) const CANCEL: ToolDefinition = ToolDefinition::writes(
    "run.cancel",
    "Cancel a run",
    "Ends a run, the runs within it and their questions, whatever is in progress.",
)
.idempotent()
.kind(CallKind::Control);

#[derive(Deserialize, JsonSchema)]
pub(super) struct CompleteRunArguments {
    /// Usually the run of the session
    run_id: Option<String>,
    /// Any JSON
    result: Option<Value>,
    /// For people: the work in a few words
    summary: Option<String>,
    /// A manifest of all that the run made
    output_manifest_sha256: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct FailRunArguments {
    /// Usually the run of the session
    run_id: Option<String>,
    error: ErrorArguments,
}

#[derive(Deserialize, JsonSchema)]
struct ErrorArguments {
    /// A short name, such as timeout
    r#type: String,
    message: String,
    /// Any JSON
    details: Option<Value>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct CancelRunArguments {
    /// Usually the run of the session
    run_id: Option<String>,
    reason: Option<String>,
}

pub(super) async fn complete(
    runs: Arc<Runs>,
    context: ToolContext,
    arguments: CompleteRunArguments,
) -> Result<ToolReply<RunOutput>, Refusal> {
    let run = changeable(&runs, &context, arguments.run_id).await?;
    let asked = AskedCompletion {
        call: context.call().cloned(),
        summary: arguments.summary,
        result: arguments.result,
        artifacts: None,
        manifest: manifest(arguments.output_manifest_sha256.as_deref(), "output_manifest_sha256")?,
    };
    let run = runs.complete_as_asked(&run.id, asked, &context.principal().id).await?;
    Ok(reply(&run, context.now_ms))
}

pub(super) async fn fail(
    runs: Arc<Runs>,
    context: ToolContext,
    arguments: FailRunArguments,
) -> Result<ToolReply<RunOutput>, Refusal> {
    let run = changeable(&runs, &context, arguments.run_id).await?;
    let ErrorArguments { r#type: kind, message, details } = arguments.error;
    let failure = AskedFailure { kind, message, details };
    let run = runs.fail_as_asked(&run.id, failure, &context.principal().id).await?;
    Ok(reply(&run, context.now_ms))
}

pub(super) async fn cancel(
    runs: Arc<Runs>,
    context: ToolContext,
    arguments: CancelRunArguments,
) -> Result<ToolReply<RunOutput>, Refusal> {
    let run = changeable(&runs, &context, arguments.run_id).await?;
    let reason = arguments.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
    let run = runs.cancel_as_asked(&run.id, reason.unwrap_or(CANCELLED), &context.principal().id).await?;
    // An agent that ends its own run still hears that it has: this call is one of those that would end.
    if context.holder.run.as_ref() != Some(&run.id) {
        runs.halt(&run.id).await;
    }
    Ok(reply(&run, context.now_ms))
}
