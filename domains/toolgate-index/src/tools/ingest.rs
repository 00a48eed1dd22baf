//! `index.ingest`: a pointer or a manifest is indexed, in a run.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::platform::ObjectRef;
use toolgate_domain::{MountRule, ToolContext, ToolDefinition, ToolReply};
use toolgate_store::{Actor, IndexBuildRow};
use toolgate_work::{StartedWork, WorkView};

use super::arguments::profile_usual;
use super::target::{self, NamedTarget, TargetArgument};
use crate::indexes::Indexes;
use crate::ingest::{IngestMode, IngestOrder, IngestResult};
use crate::limits::{WAIT_SECONDS_MAX, WAIT_SECONDS_USUAL};
use crate::refusal::invalid;

pub(super) const INGEST: ToolDefinition = ToolDefinition::writes(
    "index.ingest",
    "Index documents",
    "Indexes what a pointer leads to, or a manifest, in a run: only what changed since the last time. The same state is indexed once.",
)
.mount(MountRule::ListedPointers)
.idempotent();

const MODES: [&str; 2] = ["incremental", "rebuild"];

#[derive(Deserialize, JsonSchema)]
pub(super) struct IndexIngestArguments {
    /// Left out with runs.trace_search, which indexes calls and runs
    target: Option<TargetArgument>,
    #[serde(default = "profile_usual")]
    profile: String,
    /// rebuild begins anew from the documents
    #[serde(default = "mode_usual")]
    #[schemars(extend("enum" = ["incremental", "rebuild"]))]
    mode: String,
    /// The longest wait for the end of the run
    #[serde(default = "wait_usual")]
    #[schemars(range(max = WAIT_SECONDS_MAX))]
    wait_seconds: u16,
}

fn mode_usual() -> String {
    MODES[0].to_owned()
}

fn wait_usual() -> u16 {
    WAIT_SECONDS_USUAL
}

#[derive(Serialize, JsonSchema)]
pub(super) struct IndexIngestOutput {
    /// queued, running, done or partial
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    /// The same ingest was under way
    joined: bool,
    /// The same state was indexed before
    unchanged: bool,
    done: u64,
    /// 0 until it is known
    total: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<IngestedIndexOutput>,
    /// The first of the documents that are not in the index
    problems: Vec<String>,
    problem_count: u64,
}

#[derive(Serialize, JsonSchema)]
struct IngestedIndexOutput {
    manifest: String,
    source_manifest: String,
    documents: u64,
    chunks: u64,
    /// Documents that were added or changed, and that were removed
    put: u64,
    removed: u64,
    /// Vectors that were computed, and that were known
    embedded: u64,
    reused: u64,
    /// The reason why it was built from the documents although there was an index
    #[serde(skip_serializing_if = "Option::is_none")]
    rebuilt: Option<String>,
    /// The run that follows, since the pointer has moved meanwhile
    #[serde(skip_serializing_if = "Option::is_none")]
    next_run: Option<String>,
}

pub(super) async fn ingest(
    indexes: Arc<Indexes>,
    context: ToolContext,
    arguments: IndexIngestArguments,
) -> Result<ToolReply<IndexIngestOutput>, Refusal> {
    let IndexIngestArguments { target, profile, mode, wait_seconds } = arguments;
    let mode = read_mode(&mode)?;
    let known = indexes.active_profile(&profile).await?;
    let NamedTarget { source, manifest } = target::to_ingest(&indexes, &context, target, &known).await?;
    let order = IngestOrder { source, manifest, known, mode };
    if let Some(build) = unchanged(&indexes, &order).await? {
        return Ok(ToolReply::new(IndexIngestOutput::unchanged(&build)).refs(refs(&build)));
    }
    let started = indexes.start_ingest(&order, &Actor::of(&context.holder)).await?;
    let wait = Duration::from_secs(wait_seconds.min(WAIT_SECONDS_MAX).into());
    let view = indexes.work.wait(&started.id, wait).await?.unless_failed()?;
    let refs = [ObjectRef::Run { id: started.run.clone() }];
    Ok(ToolReply::new(IndexIngestOutput::of(&started, view)).refs(refs))
}

fn read_mode(mode: &str) -> Result<IngestMode, Refusal> {
    match mode {
        "incremental" => Ok(IngestMode::Incremental),
        "rebuild" => Ok(IngestMode::Rebuild),
        other => Err(invalid(format!("{other:?} is no mode of an ingest"), "mode").hint(MODES.join(" or "))),
    }
}

/// The index of this very state, which need not be built again.
async fn unchanged(indexes: &Indexes, order: &IngestOrder) -> Result<Option<IndexBuildRow>, Refusal> {
    match (order.mode, order.manifest) {
        (IngestMode::Incremental, Some(manifest)) => indexes.sound_build(order, manifest).await,
        _ => Ok(None),
    }
}

fn refs(build: &IndexBuildRow) -> Vec<ObjectRef> {
    build.run.iter().map(|run| ObjectRef::Run { id: run.clone() }).collect()
}

impl IndexIngestOutput {
    fn unchanged(build: &IndexBuildRow) -> Self {
        let problems = build.problems.iter().map(|problem| format!("{}: {}", problem.path, problem.why));
        Self {
            state: if build.problem_count > 0 { "partial" } else { "done" },
            run: build.run.as_ref().map(ToString::to_string),
            joined: false,
            unchanged: true,
            done: 0,
            total: 0,
            index: Some(IngestedIndexOutput {
                manifest: build.index_manifest.to_string(),
                source_manifest: build.key.source_manifest.to_string(),
                documents: build.documents,
                chunks: build.chunks,
                put: 0,
                removed: 0,
                embedded: 0,
                reused: 0,
                rebuilt: None,
                next_run: None,
            }),
            problems: problems.collect(),
            problem_count: build.problem_count,
        }
    }

    fn of(started: &StartedWork, view: WorkView) -> Self {
        let state = view.word();
        let result: Option<IngestResult> = view.result.and_then(|result| serde_json::from_value(result).ok());
        Self {
            state,
            run: Some(started.run.to_string()),
            joined: started.joined,
            unchanged: false,
            done: view.done,
            total: view.total,
            problem_count: result.as_ref().map_or(view.problem_count, |result| result.problem_count),
            index: result.map(IngestedIndexOutput::of),
            problems: view.problems,
        }
    }
}

impl IngestedIndexOutput {
    fn of(result: IngestResult) -> Self {
        Self {
            manifest: result.index_manifest.to_string(),
            source_manifest: result.source_manifest.to_string(),
            documents: result.documents,
            chunks: result.chunks,
            put: result.put,
            removed: result.removed,
            embedded: result.embedded,
            reused: result.reused,
            rebuilt: result.rebuilt,
            next_run: result.next,
        }
    }
}
