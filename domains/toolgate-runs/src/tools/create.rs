//! `run.create`: a run whose agent keeps its own loop.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use toolgate_core::platform::OldName;
use toolgate_core::run::{CallKind, RunBudget, RunLabel};
use toolgate_core::{Digest, Refusal, codes};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};

use super::flat_names::FLAT_NAMES_END_MS;
use super::output::{RunOutput, reply};
use super::visible::{changeable, manifest};
use crate::runs::Runs;
use crate::view::{NewRun, RunInput};

pub(super) const CREATE: ToolDefinition = ToolDefinition::writes(
    "run.create",
    "Create a run",
    "Creates a run for work that you do in your own loop. run.start starts it, run.complete ends it.",
)
.old_names(&[OldName { name: "create_run", until_ms: FLAT_NAMES_END_MS }])
.kind(CallKind::Control);

#[derive(Deserialize, JsonSchema)]
pub(super) struct CreateRunArguments {
    /// The kind of work, such as research
    run_type: String,
    name: Option<String>,
    /// Settings that the run keeps
    config: Option<Value>,
    /// Any JSON; it becomes input.json of the input manifest
    input: Option<Value>,
    /// A manifest instead of input
    input_manifest_sha256: Option<String>,
    /// Usually the run of the session, if it has one
    parent_run_id: Option<String>,
    budget: Option<BudgetArguments>,
}

/// A missing limit means unlimited.
#[derive(Deserialize, JsonSchema)]
struct BudgetArguments {
    #[schemars(range(min = 1))]
    calls: Option<u64>,
    #[schemars(range(min = 1))]
    seconds: Option<u64>,
    #[schemars(range(min = 1))]
    bytes: Option<u64>,
    /// Answers of a model, where the gateway runs the agent
    #[schemars(range(min = 1))]
    turns: Option<u64>,
    #[schemars(range(min = 1))]
    tokens: Option<u64>,
    /// In millionths of a currency unit
    #[schemars(range(min = 1))]
    cost_micros: Option<u64>,
}

impl From<BudgetArguments> for RunBudget {
    fn from(given: BudgetArguments) -> Self {
        let BudgetArguments { calls, seconds, bytes, turns, tokens, cost_micros } = given;
        Self { calls, seconds, bytes, turns, tokens, cost_micros }
    }
}

pub(super) async fn create(
    runs: Arc<Runs>,
    context: ToolContext,
    arguments: CreateRunArguments,
) -> Result<ToolReply<RunOutput>, Refusal> {
    let parent = match arguments.parent_run_id {
        Some(id) => {
            Some(changeable(&runs, &context, Some(id)).await.map_err(|no| no.field("parent_run_id"))?.id)
        }
        None => context.holder.run.clone(),
    };
    let given = manifest(arguments.input_manifest_sha256.as_deref(), "input_manifest_sha256")?;
    let own = context.principal().id.clone();
    let run = runs.create(NewRun {
        task: None,
        agent: None,
        principal: own.clone(),
        created_by: own,
        parent,
        input: Vec::new(),
        content: content(arguments.input, given)?,
        label: RunLabel {
            run_type: Some(arguments.run_type),
            name: arguments.name,
            config: arguments.config,
            made_in: Some(context.session().clone()),
        },
        budget: arguments.budget.map(RunBudget::from).unwrap_or_default(),
    });
    Ok(reply(&run.await?, context.now_ms))
}

fn content(json: Option<Value>, manifest: Option<Digest>) -> Result<RunInput, Refusal> {
    match (json, manifest) {
        (Some(_), Some(_)) => {
            let message = "both `input` and `input_manifest_sha256` are given";
            Err(Refusal::new(&codes::INVALID_ARGUMENTS, message).hint("give one of them").field("input"))
        }
        (Some(json), None) => Ok(RunInput::Json(json)),
        (None, Some(manifest)) => Ok(RunInput::Manifest(manifest)),
        (None, None) => Ok(RunInput::Files),
    }
}
