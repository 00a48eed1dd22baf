//! `complete_workflow`: the end of a run.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolgate_core::codes;
use toolgate_core::file::Artifact;
use toolgate_core::platform::{ObjectRef, ToolPresence};
use toolgate_core::run::CallKind;
use toolgate_core::{Digest, Refusal};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_files::ContentAccess;
use toolgate_runs::AskedCompletion;

use crate::PlatformTools;

pub(crate) const COMPLETE_WORKFLOW: ToolDefinition = ToolDefinition::reads(
    "toolgate.runs.complete",
    "End the run",
    "Ends the run, once all other calls have ended. Nothing can be called after it.",
)
.wire("complete_workflow")
.presence(ToolPresence::WithRun)
.kind(CallKind::Control);

#[derive(Deserialize, JsonSchema)]
pub(crate) struct CompleteWorkflowArguments {
    /// What was done
    summary: String,
    /// Names of stored artifacts
    artifacts: Option<Vec<String>>,
    /// Any JSON, where the task wants a result
    result: Option<Value>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct CompleteWorkflowOutput {
    run_id: String,
    state: &'static str,
    artifacts: Vec<CompletedArtifact>,
}

#[derive(Serialize, JsonSchema)]
struct CompletedArtifact {
    file_name: String,
    artifact: String,
    size: u64,
}

pub(crate) async fn complete_workflow(
    tools: Arc<PlatformTools>,
    context: ToolContext,
    arguments: CompleteWorkflowArguments,
) -> Result<ToolReply<CompleteWorkflowOutput>, Refusal> {
    let CompleteWorkflowArguments { summary, artifacts, result } = arguments;
    let (run, holder) = (context.run()?, &context.holder);
    let stored = tools.files.artifacts(&ContentAccess::Session(holder), run).await?;
    let artifacts = artifacts.unwrap_or_default();
    let named = artifacts.iter().map(|name| find(&stored, name).ok_or_else(|| unknown(&stored, name)));
    let named: Vec<Digest> = named.collect::<Result<_, _>>()?;
    let (call, by) = (holder.call.as_ref(), &holder.principal.id);
    let ended = match result {
        None => tools.runs.complete(run, call, &summary, &named, by).await?,
        result => {
            let (summary, artifacts) = (Some(summary), (!named.is_empty()).then_some(named));
            let asked = AskedCompletion { call: call.cloned(), summary, result, artifacts, manifest: None };
            tools.runs.complete_as_asked(run, asked, by).await?
        }
    };
    let refs = stored.iter().map(|one| ObjectRef::Artifact { sha256: one.digest });
    let refs: Vec<ObjectRef> = refs.chain([ObjectRef::Run { id: ended.id.clone() }]).collect();
    let text = format!("run {} is {}", ended.id, ended.state.as_str());
    let data = CompleteWorkflowOutput {
        run_id: ended.id.to_string(),
        state: ended.state.as_str(),
        artifacts: stored.iter().map(CompletedArtifact::from).collect(),
    };
    Ok(ToolReply::new(data).text(text).refs(refs))
}

impl From<&Artifact> for CompletedArtifact {
    fn from(one: &Artifact) -> Self {
        Self { file_name: one.name.to_string(), artifact: one.digest.to_string(), size: one.bytes }
    }
}

/// By name or by digest.
fn find(stored: &[Artifact], name: &str) -> Option<Digest> {
    let digest = name.parse().ok();
    stored
        .iter()
        .find(|one| one.name.as_str() == name || Some(one.digest) == digest)
        .map(|artifact| artifact.digest)
}

fn unknown(stored: &[Artifact], name: &str) -> Refusal {
    let names: Vec<&str> = stored.iter().map(|one| one.name.as_str()).collect();
    let there = if names.is_empty() {
        "there are none".to_owned()
    } else {
        format!("there are {}", names.join(", "))
    };
    Refusal::new(&codes::UNKNOWN_ARTIFACT, format!("this run has stored no artifact {name:?}; {there}"))
        .hint("store it with store_artifact first, or leave it out")
        .field("artifacts")
}
