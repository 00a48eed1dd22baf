//! A run as tools show it. Times are RFC 3339.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use toolgate_core::moment::rfc3339;
use toolgate_core::platform::ObjectRef;
use toolgate_core::run::Run;
use toolgate_domain::ToolReply;

#[derive(Serialize, JsonSchema)]
pub(super) struct RunOutput {
    id: String,
    /// pending, running, paused, completed, partial, failed or cancelled
    state: &'static str,
    /// The reason why it is paused or has ended
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<String>,
    agent: String,
    /// The principal that works in it
    principal: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    run_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    config: Option<Value>,
    /// Not in a list
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<Vec<RunInputFile>>,
    /// Not in a list
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<Vec<RunOutputFile>>,
    /// The manifest of its input; substrate.manifest.checkout shows it
    #[serde(skip_serializing_if = "Option::is_none")]
    input_manifest_sha256: Option<String>,
    /// The manifest of its output
    #[serde(skip_serializing_if = "Option::is_none")]
    output_manifest_sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Value>,
    /// The number of its last event
    last_sequence: u64,
    budget: RunLimits,
    used: RunUsage,
    created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct RunInputFile {
    path: String,
    file_id: String,
    sha256: String,
}

#[derive(Serialize, JsonSchema)]
struct RunOutputFile {
    name: String,
    artifact: String,
    size: u64,
    media_type: String,
}

/// A missing limit means unlimited.
#[derive(Serialize, JsonSchema)]
struct RunLimits {
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_micros: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
struct RunUsage {
    calls: u64,
    seconds: u64,
    bytes: u64,
    /// Answers of a model, where the gateway runs the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
    /// In millionths of a currency unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_micros: Option<u64>,
}

/// The answer of a tool that is about one run.
pub(super) fn reply(run: &Run, now_ms: i64) -> ToolReply<RunOutput> {
    let artifacts = run.output.iter().map(|one| ObjectRef::Artifact { sha256: one.artifact });
    let manifests = [run.manifests.input, run.manifests.output].into_iter().flatten();
    let manifests = manifests.map(|sha256| ObjectRef::Manifest { sha256 });
    let refs = [ObjectRef::Run { id: run.id.clone() }].into_iter().chain(manifests).chain(artifacts);
    ToolReply::new(RunOutput::whole(run, now_ms)).refs(refs)
}

impl RunOutput {
    /// As in a list: without what may be long.
    pub(super) fn short(run: &Run, now_ms: i64) -> Self {
        Self {
            summary: None,
            config: None,
            input: None,
            output: None,
            result: None,
            error: None,
            ..Self::whole(run, now_ms)
        }
    }

    fn whole(run: &Run, now_ms: i64) -> Self {
        let used = run.used_at(now_ms);
        let input = run.input.iter().map(|one| RunInputFile {
            path: one.path.clone(),
            file_id: one.file.to_string(),
            sha256: one.digest.to_string(),
        });
        let output = run.output.iter().map(|one| RunOutputFile {
            name: one.name.to_string(),
            artifact: one.artifact.to_string(),
            size: one.bytes,
            media_type: one.media_type.clone(),
        });
        Self {
            id: run.id.to_string(),
            state: run.state.as_str(),
            reason: run.reason.clone(),
            summary: run.summary.clone(),
            task: run.task.as_ref().map(ToString::to_string),
            parent: run.parent.as_ref().map(ToString::to_string),
            agent: run.agent.to_string(),
            principal: run.principal.to_string(),
            run_type: run.label.run_type.clone(),
            name: run.label.name.clone(),
            config: run.label.config.clone(),
            input: Some(input.collect()),
            output: Some(output.collect()),
            input_manifest_sha256: run.manifests.input.map(|digest| digest.to_string()),
            output_manifest_sha256: run.manifests.output.map(|digest| digest.to_string()),
            result: run.report.result.clone(),
            error: run.report.error.clone(),
            last_sequence: run.events,
            budget: RunLimits {
                calls: run.budget.calls,
                seconds: run.budget.seconds,
                bytes: run.budget.bytes,
                turns: run.budget.turns,
                tokens: run.budget.tokens,
                cost_micros: run.budget.cost_micros,
            },
            used: RunUsage {
                calls: used.calls,
                seconds: used.active_ms / 1_000,
                bytes: used.bytes,
                turns: some(used.turns),
                tokens: some(used.tokens),
                cost_micros: some(used.cost_micros),
            },
            created_at: rfc3339(run.created_at_ms),
            started_at: run.started_at_ms.map(rfc3339),
            ended_at: run.ended_at_ms.map(rfc3339),
        }
    }
}

/// Nothing for runs that no model works in.
fn some(count: u64) -> Option<u64> {
    (count > 0).then_some(count)
}
