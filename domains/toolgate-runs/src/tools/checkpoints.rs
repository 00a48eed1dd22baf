//! `run.checkpoint` and `run.checkpoint_latest`: the state of a loop, to go on from after a crash.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolgate_core::moment::rfc3339;
use toolgate_core::platform::{ObjectRef, OldName};
use toolgate_core::run::CallKind;
use toolgate_core::tool::ToolTrait;
use toolgate_core::{Refusal, codes};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_store::{RunCheckpoint, SavedCheckpoint};

use super::flat_names::FLAT_NAMES_END_MS;
use super::visible::{changeable, seen};
use crate::runs::Runs;
use crate::view::StateSource;

/// A state that is longer is read from its address.
const STATE_SHOWN_BYTES_MAX: u64 = 16 << 10;

pub(super) const CHECKPOINT: ToolDefinition = ToolDefinition::writes(
    "run.checkpoint",
    "Save the state of a run",
    "Saves the state of your loop: state (JSON up to 1 MiB), or state_file_id (a file, ref or artifact up to 64 MiB). The \
     same state under the same checkpoint_id again changes nothing.",
)
.old_names(&[OldName { name: "checkpoint", until_ms: FLAT_NAMES_END_MS }])
.traits(&[ToolTrait::OwnRecord])
.kind(CallKind::Control);

pub(super) const LATEST: ToolDefinition = ToolDefinition::reads(
    "run.checkpoint_latest",
    "Read the latest state of a run",
    "Shows the state that was saved last. A long one is behind state_url.",
)
.old_names(&[OldName { name: "get_latest_checkpoint", until_ms: FLAT_NAMES_END_MS }])
.kind(CallKind::Control);

#[derive(Deserialize, JsonSchema)]
pub(super) struct CheckpointArguments {
    /// Usually the run of the session
    run_id: Option<String>,
    /// Any JSON
    state: Option<Value>,
    /// Instead of state
    state_file_id: Option<String>,
    /// Your own name for it
    checkpoint_id: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct LatestCheckpointArguments {
    /// Usually the run of the session
    run_id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct CheckpointOutput {
    run_id: String,
    checkpoint_id: String,
    /// The number of its event in the run
    sequence: u64,
    sha256: String,
    size: u64,
    media_type: String,
    saved_at: String,
    /// True if it had been saved before
    #[serde(skip_serializing_if = "Option::is_none")]
    is_repeated: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct LatestCheckpointOutput {
    run_id: String,
    /// Missing if nothing was saved
    #[serde(skip_serializing_if = "Option::is_none")]
    checkpoint: Option<SavedStateOutput>,
}

#[derive(Serialize, JsonSchema)]
struct SavedStateOutput {
    #[serde(flatten)]
    checkpoint: CheckpointOutput,
    /// Up to 16 KiB of JSON
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<Value>,
    /// The bytes as they were saved
    #[serde(skip_serializing_if = "Option::is_none")]
    state_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state_url_expires_at: Option<String>,
}

pub(super) async fn checkpoint(
    runs: Arc<Runs>,
    context: ToolContext,
    arguments: CheckpointArguments,
) -> Result<ToolReply<CheckpointOutput>, Refusal> {
    let CheckpointArguments { run_id, state, state_file_id, checkpoint_id } = arguments;
    let source = source(state, state_file_id)?;
    let run = changeable(&runs, &context, run_id).await?;
    let saved = runs.checkpoint(&run.id, checkpoint_id, source, &context.holder).await?;
    let (saved, is_repeated) = match saved {
        SavedCheckpoint::New(saved) => (saved, false),
        SavedCheckpoint::Same(saved) => (saved, true),
    };
    let data = CheckpointOutput { is_repeated: Some(is_repeated), ..output(run.id.as_str(), &saved) };
    Ok(ToolReply::new(data).refs([ObjectRef::Run { id: run.id }]))
}

pub(super) async fn latest(
    runs: Arc<Runs>,
    context: ToolContext,
    arguments: LatestCheckpointArguments,
) -> Result<ToolReply<LatestCheckpointOutput>, Refusal> {
    let run = seen(&runs, &context, arguments.run_id).await?;
    let run_id = run.id.to_string();
    let refs = [ObjectRef::Run { id: run.id.clone() }];
    let Some(saved) = runs.latest_checkpoint(&run.id).await? else {
        return Ok(ToolReply::new(LatestCheckpointOutput { run_id, checkpoint: None }).refs(refs));
    };
    let state = shown(&runs, &saved).await?;
    let address = match (runs.state_address(&saved).await, &state) {
        (Ok(address), _) => Some(address),
        // A process that serves no addresses, such as a single command, still shows a short state.
        (Err(_), Some(_)) => None,
        (Err(refusal), None) => return Err(refusal),
    };
    let checkpoint = SavedStateOutput {
        checkpoint: output(&run_id, &saved),
        state,
        state_url_expires_at: address.as_ref().map(|address| rfc3339(address.expires_at_ms)),
        state_url: address.map(|address| address.url),
    };
    Ok(ToolReply::new(LatestCheckpointOutput { run_id, checkpoint: Some(checkpoint) }).refs(refs))
}

fn source(state: Option<Value>, file: Option<String>) -> Result<StateSource, Refusal> {
    let invalid = |message: &str| {
        Refusal::new(&codes::INVALID_ARGUMENTS, message)
            .hint("give `state` or `state_file_id`")
            .field("state")
    };
    match (state, file) {
        (Some(_), Some(_)) => Err(invalid("both `state` and `state_file_id` are given")),
        (None, None) => Err(invalid("neither `state` nor `state_file_id` is given")),
        (Some(state), None) => Ok(StateSource::Json(state)),
        (None, Some(id)) => Ok(StateSource::Stored(id)),
    }
}

/// The state itself, if it is JSON and short.
async fn shown(runs: &Runs, saved: &RunCheckpoint) -> Result<Option<Value>, Refusal> {
    if saved.bytes > STATE_SHOWN_BYTES_MAX {
        return Ok(None);
    }
    let text = runs.read_state(saved).await?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
}

fn output(run: &str, saved: &RunCheckpoint) -> CheckpointOutput {
    CheckpointOutput {
        run_id: run.to_owned(),
        checkpoint_id: saved.id.clone(),
        sequence: saved.number,
        sha256: saved.digest.to_string(),
        size: saved.bytes,
        media_type: saved.media_type.clone(),
        saved_at: rfc3339(saved.at_ms),
        is_repeated: None,
    }
}
