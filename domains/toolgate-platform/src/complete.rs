//! `complete_workflow`: the end of a run.

use serde::Deserialize;
use serde_json::json;
use toolgate_core::codes;
use toolgate_core::file::Artifact;
use toolgate_core::platform::{PlatformAnswer, PlatformCall};
use toolgate_core::{Digest, Refusal};
use toolgate_files::ContentAccess;

use crate::PlatformTools;
use crate::answering::{arguments, done, run_of};

#[derive(Deserialize)]
struct CompleteWorkflowArguments {
    summary: String,
    #[serde(default)]
    artifacts: Vec<String>,
}

pub(crate) async fn run(tools: &PlatformTools, call: &PlatformCall<'_>) -> Result<PlatformAnswer, Refusal> {
    let CompleteWorkflowArguments { summary, artifacts } = arguments(call.arguments)?;
    let run = run_of(call.holder)?;
    let stored = tools.files.artifacts(&ContentAccess::Session(call.holder), run).await?;
    let named = artifacts.iter().map(|name| find(&stored, name).ok_or_else(|| unknown(&stored, name)));
    let named: Vec<Digest> = named.collect::<Result<_, _>>()?;
    let holder = call.holder;
    let ended =
        tools.runs.complete(run, holder.call.as_ref(), &summary, &named, &holder.principal.id).await?;
    let kept =
        stored.iter().map(|one| json!({ "file_name": one.name, "artifact": one.digest, "size": one.bytes }));
    let data = json!({ "run_id": ended.id, "state": ended.state, "artifacts": kept.collect::<Vec<_>>() });
    Ok(done(format!("run {} is {}", ended.id, ended.state.as_str()), data))
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
