//! `index.status`: the indexes of what the session has mounted, the profiles, and the engine.

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::moment::rfc3339;
use toolgate_core::substrate::ManifestDigest;
use toolgate_domain::{MountRule, ToolContext, ToolDefinition, ToolReply};
use toolgate_engine::EngineState;
use toolgate_store::IndexBuildRow;

use super::output::SourceOutput;
use crate::indexes::Indexes;
use crate::limits::STATUS_MAX;
use crate::refusal::down;
use crate::scope::traces_of;
use crate::source::IndexSource;

pub(super) const STATUS: ToolDefinition = ToolDefinition::reads(
    "index.status",
    "Show indexes",
    "Lists the indexes of mounted pointers with their size, their problems and whether they are behind; also the profiles and the engine.",
)
.mount(MountRule::ListedPointers);

/// Problems of an index that are shown.
const PROBLEMS_SHOWN_MAX: usize = 10;

#[derive(Deserialize, JsonSchema)]
pub(super) struct IndexStatusArguments {
    /// Of pointers; usually all
    namespace: Option<String>,
    /// Of a pointer
    name: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct IndexStatusOutput {
    /// The newest of each pointer, profile and version
    indexes: Vec<IndexStateOutput>,
    /// Pointers past the limit of one answer
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<usize>,
    profiles: Vec<ProfileOutput>,
    engine: EngineStateOutput,
}

#[derive(Serialize, JsonSchema)]
struct IndexStateOutput {
    pointer: SourceOutput,
    profile: String,
    version: u64,
    engine: String,
    documents: u64,
    chunks: u64,
    /// The pointer has moved since
    behind: bool,
    index_manifest: String,
    source_manifest: String,
    built_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    /// The first of the documents that are not in it
    problems: Vec<String>,
    problem_count: u64,
}

#[derive(Serialize, JsonSchema)]
struct ProfileOutput {
    name: String,
    active: u32,
    versions: Vec<u32>,
    /// Pointers that move are ingested by themselves
    ingest_on_advance: bool,
}

#[derive(Serialize, JsonSchema)]
struct EngineStateOutput {
    /// not_started, running, broken, missing or stopped
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

pub(super) async fn status(
    indexes: Arc<Indexes>,
    context: ToolContext,
    arguments: IndexStatusArguments,
) -> Result<ToolReply<IndexStatusOutput>, Refusal> {
    let IndexStatusArguments { namespace, name } = arguments;
    let mut sources = indexes.mounted(&context, None).await?;
    sources.extend(traces_of(&context).ok());
    let fits = |source: &IndexSource| {
        namespace.as_deref().is_none_or(|namespace| namespace == source.namespace())
            && name.as_deref().is_none_or(|name| name == source.name())
    };
    sources.retain(fits);
    let left_out = sources.len().checked_sub(STATUS_MAX).filter(|more| *more > 0);
    let mut shown = Vec::new();
    for source in sources.iter().take(STATUS_MAX) {
        shown.extend(states(&indexes, source).await?);
    }
    let mut profiles = Vec::new();
    for name in indexes.shelf.names() {
        profiles.push(profile(&indexes, name).await?);
    }
    let engine = EngineStateOutput::of(indexes.engine.state());
    Ok(ToolReply::new(IndexStatusOutput { indexes: shown, left_out, profiles, engine }))
}

async fn states(indexes: &Indexes, source: &IndexSource) -> Result<Vec<IndexStateOutput>, Refusal> {
    let head = indexes.head_of(source).await?;
    let builds = indexes.store.index_builds_of(source.namespace(), source.name()).await;
    let builds = newest_of_each(builds.map_err(|error| down(&error))?, head);
    Ok(builds.into_iter().map(|build| IndexStateOutput::of(source, build, head)).collect())
}

/// Of each profile, version and engine: the index of the state of now, else the newest.
fn newest_of_each(mut builds: Vec<IndexBuildRow>, head: Option<ManifestDigest>) -> Vec<IndexBuildRow> {
    // They come newest first, and the sort keeps that order.
    builds.sort_by_key(|build| Some(build.key.source_manifest) != head);
    let mut met = BTreeSet::new();
    builds.retain(|build| {
        let key = &build.key;
        met.insert((key.profile.clone(), key.profile_version, key.engine.clone()))
    });
    builds
}

async fn profile(indexes: &Indexes, name: &str) -> Result<ProfileOutput, Refusal> {
    let active = indexes.active_profile(name).await?;
    Ok(ProfileOutput {
        name: name.to_owned(),
        active: active.profile.version,
        versions: indexes.shelf.versions(name),
        ingest_on_advance: active.ingest_on_advance,
    })
}

impl IndexStateOutput {
    fn of(source: &IndexSource, build: IndexBuildRow, head: Option<ManifestDigest>) -> Self {
        let named = build.problems.iter().take(PROBLEMS_SHOWN_MAX);
        Self {
            pointer: SourceOutput::of(source),
            behind: Some(build.key.source_manifest) != head,
            documents: build.documents,
            chunks: build.chunks,
            index_manifest: build.index_manifest.to_string(),
            source_manifest: build.key.source_manifest.to_string(),
            built_at: rfc3339(build.at_ms),
            run: build.run.as_ref().map(ToString::to_string),
            problems: named.map(|problem| format!("{}: {}", problem.path, problem.why)).collect(),
            problem_count: build.problem_count,
            version: build.key.profile_version,
            profile: build.key.profile,
            engine: build.key.engine,
        }
    }
}

impl EngineStateOutput {
    fn of(state: EngineState) -> Self {
        let plain = |state| Self { state, version: None, since: None, why: None };
        match state {
            EngineState::NotStarted => plain("not_started"),
            EngineState::Running { since_ms, version } => {
                Self { version: Some(version), since: Some(rfc3339(since_ms)), ..plain("running") }
            }
            EngineState::Broken { why } => Self { why: Some(why), ..plain("broken") },
            EngineState::Missing { why } => Self { why: Some(why), ..plain("missing") },
            EngineState::Stopped => plain("stopped"),
        }
    }
}
