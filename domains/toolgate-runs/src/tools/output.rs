//! A run as tools show it. Times are RFC 3339.

use schemars::JsonSchema;
use serde::Serialize;
use toolgate_core::moment::rfc3339;
use toolgate_core::run::Run;

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
    input: Vec<RunInputFile>,
    output: Vec<RunOutputFile>,
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
}

#[derive(Serialize, JsonSchema)]
struct RunUsage {
    calls: u64,
    seconds: u64,
    bytes: u64,
}

impl RunOutput {
    pub(super) fn at(run: &Run, now_ms: i64) -> Self {
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
            input: input.collect(),
            output: output.collect(),
            budget: RunLimits {
                calls: run.budget.calls,
                seconds: run.budget.seconds,
                bytes: run.budget.bytes,
            },
            used: RunUsage { calls: used.calls, seconds: used.active_ms / 1_000, bytes: used.bytes },
            created_at: rfc3339(run.created_at_ms),
            started_at: run.started_at_ms.map(rfc3339),
            ended_at: run.ended_at_ms.map(rfc3339),
        }
    }
}
