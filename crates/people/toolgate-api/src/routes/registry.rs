//! The registry of tools: the pinned definitions, the current offers, and the reviews.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolgate_core::moment::rfc3339;
use toolgate_core::registry::{Definition, DefinitionFinding, ToolRow, ToolStatus};
use toolgate_core::tool::{FileStrategy, ToolExtra};
use toolgate_core::{Digest, Effects, Principal, RawJson};
use toolgate_registry::{ReviewVerdict, ToolDiff, ToolVersion, VersionComparison, VersionStanding};
use toolgate_store::ToolRowFilter;
use utoipa::{IntoParams, ToSchema};

use super::answer::json;
use super::tool_view::FileSlotView;
use crate::ApiContext;
use crate::blocking::run_blocking;
use crate::problem::ApiResult;
use crate::read::{Json, Query, limit, word};

const PAGE_USUAL: usize = 100;
const PAGE_MAX: usize = 1_000;
const SUMMARY_CHARS: usize = 300;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct RegistryQuery {
    /// active, drifted, quarantined or retired
    #[serde(default)]
    status: Option<String>,
    /// Only the tools of this server
    #[serde(default)]
    server: Option<String>,
    /// `next_cursor` of the previous page
    #[serde(default)]
    cursor: Option<String>,
    /// Maximum number of entries on the page
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 1000)]
    limit: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RegistryPage {
    tools: Vec<RegistryTool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// A tool of the registry
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RegistryTool {
    /// The canonical name.
    #[schema(example = "documents:extract")]
    name: String,
    server: String,
    /// active, drifted, quarantined or retired.
    #[schema(value_type = String)]
    status: ToolStatus,
    /// The reason for a status other than active.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The pinned version.
    #[schema(value_type = String)]
    version: Digest,
    /// The version that the server offers now, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    candidate_version: Option<Digest>,
    /// The version that a reviewer rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    rejected_version: Option<Digest>,
    #[serde(flatten)]
    said: PinnedProperties,
    /// Its entry in the catalogue; absent if agents do not see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    in_force: Option<ToolInForce>,
    /// Passages that look like hidden instructions for a model: kind, place, excerpt.
    #[schema(value_type = Vec<Object>)]
    findings: Vec<DefinitionFinding>,
    first_seen: String,
    last_seen: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reviewed_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reviewed_at: Option<String>,
}

/// A tool in the catalogue: the server's definition with the operator's changes
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ToolInForce {
    /// The name that agents use.
    wire_name: String,
    /// read, write, external, destructive.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<String>>)]
    effects: Option<Effects>,
    #[serde(skip_serializing_if = "Option::is_none")]
    idempotent: Option<bool>,
    /// The cost of listing it with its schema.
    tokens: usize,
}

/// Properties of the pinned definition
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct PinnedProperties {
    /// The beginning of its description.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    capabilities: Vec<String>,
    /// read, write, external, destructive.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<String>>)]
    effects: Option<Effects>,
    /// The file strategy: how a `file_id` becomes arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    file_strategy: Option<FileStrategy>,
    /// The arguments that take a file, and what the server gets instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<FileSlotView>,
    /// The arguments that take the handle of a credential; the server gets its value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(example = json!(["secret", "fields/*/secret"]))]
    secrets: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    aliases: Vec<String>,
    /// The tool annotations of MCP.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    annotations: Option<Value>,
}

/// A tool of the registry, with its definitions
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RegistryToolDetail {
    #[serde(flatten)]
    tool: RegistryTool,
    /// The pinned definition, as the server sent it.
    #[schema(value_type = Object)]
    definition: RawJson,
    /// The definition that the server offers now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    candidate: Option<RawJson>,
}

/// The difference between the pinned definition and the offered one
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ToolDiffView {
    #[serde(flatten)]
    tool: RegistryTool,
    /// A unified diff; empty if nothing differs.
    diff: String,
    /// The pinned definition, line by line; empty if the tool waits for its first review.
    pinned: String,
    /// The offered definition, in the same format.
    offered: String,
    /// The changes in one sentence, such as "only optional arguments were added: `note`"; empty for a first review.
    change_summary: String,
    /// Each change in words.
    changes: Vec<String>,
}

/// The versions of a tool
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ToolVersions {
    versions: Vec<ToolVersionView>,
}

/// A version of a tool's definition
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ToolVersionView {
    #[schema(value_type = String)]
    version: Digest,
    first_seen: String,
    /// pinned, offered, rejected or past.
    #[schema(value_type = String)]
    standing: VersionStanding,
    /// The definition as the server sent it.
    #[schema(value_type = Object)]
    definition: RawJson,
}

impl From<ToolVersion> for ToolVersionView {
    fn from(ToolVersion { definition, first_seen_ms, standing }: ToolVersion) -> Self {
        let Definition { json, version } = definition;
        Self { version, first_seen: rfc3339(first_seen_ms), standing, definition: json }
    }
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct CompareQuery {
    /// Older version; a beginning of its digest is enough
    from: String,
    /// Newer version; by default the pinned one
    #[serde(default)]
    to: Option<String>,
}

/// The difference between two versions
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ComparedView {
    #[schema(value_type = String)]
    from: Digest,
    #[schema(value_type = String)]
    to: Digest,
    /// A unified diff; empty if nothing differs.
    diff: String,
    /// The changes in one sentence.
    summary: String,
}

/// The decision of a reviewer
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReviewBody {
    /// accept or reject.
    #[schema(value_type = String, example = "accept")]
    verdict: ReviewVerdict,
    /// The reviewed version: `candidate_version`, or `version` of a tool that waits for its first review.
    #[schema(value_type = String)]
    version: Digest,
}

/// List the tools of the registry, by name
#[utoipa::path(get, path = "/registry/tools", tag = "registry", params(RegistryQuery),
    responses((status = 200, description = "A page", body = RegistryPage)))]
pub(crate) async fn list(
    State(context): State<ApiContext>,
    Query(query): Query<RegistryQuery>,
) -> ApiResult<Response> {
    let limit = limit(query.limit.as_deref(), PAGE_USUAL, PAGE_MAX)?;
    let words = ToolStatus::ALL.map(ToolStatus::as_str);
    let status = word("status", query.status.as_deref(), &words, ToolStatus::parse)?;
    let filter = ToolRowFilter { status, server: query.server, after: query.cursor };
    let (rows, more) = context.registry.records().tools_page(&filter, limit).await?;
    let next_cursor = rows.last().filter(|_| more).map(|last| last.name.to_string());
    let tools = run_blocking(move || rows.iter().map(|row| RegistryTool::of(&context, row)).collect()).await;
    Ok(json(StatusCode::OK, &RegistryPage { tools, next_cursor }))
}

/// Show a tool of the registry
#[utoipa::path(get, path = "/registry/tools/{name}", tag = "registry", params(("name" = String, Path, description = "Canonical name")),
    responses((status = 200, description = "The tool", body = RegistryToolDetail), (status = 404, description = "Not found")))]
pub(crate) async fn show(State(context): State<ApiContext>, Path(name): Path<String>) -> ApiResult<Response> {
    let row = context.registry.records().tool(&name).await?;
    Ok(json(StatusCode::OK, &RegistryToolDetail::of(&context, row)))
}

/// Show the change that waits for a review
#[utoipa::path(get, path = "/registry/tools/{name}/diff", tag = "registry", params(("name" = String, Path, description = "Canonical name")),
    responses((status = 200, description = "The difference", body = ToolDiffView), (status = 404, description = "Not found")))]
pub(crate) async fn diff(State(context): State<ApiContext>, Path(name): Path<String>) -> ApiResult<Response> {
    let diff = context.registry.records().diff(&name).await?;
    let tool = RegistryTool::of(&context, &diff.tool);
    let ToolDiff { text: diff, pinned, offered, summary: change_summary, changes, .. } = diff;
    let view = ToolDiffView { tool, diff, pinned, offered, change_summary, changes };
    Ok(json(StatusCode::OK, &view))
}

/// List the versions of a tool
///
/// Every definition that its server has offered, oldest first.
#[utoipa::path(get, path = "/registry/tools/{name}/versions", tag = "registry", params(("name" = String, Path, description = "Canonical name")),
    responses((status = 200, description = "The versions", body = ToolVersions), (status = 404, description = "Not found")))]
pub(crate) async fn versions(
    State(context): State<ApiContext>,
    Path(name): Path<String>,
) -> ApiResult<Response> {
    let versions = context.registry.records().versions(&name).await?.into_iter().map(ToolVersionView::from);
    Ok(json(StatusCode::OK, &ToolVersions { versions: versions.collect() }))
}

/// Compare two versions of a tool
#[utoipa::path(get, path = "/registry/tools/{name}/versions/compare", tag = "registry",
    params(("name" = String, Path, description = "Canonical name"), CompareQuery),
    responses((status = 200, description = "The difference", body = ComparedView), (status = 400, description = "There is no such version"),
        (status = 404, description = "There is no such tool")))]
pub(crate) async fn compare(
    State(context): State<ApiContext>,
    Path(name): Path<String>,
    Query(query): Query<CompareQuery>,
) -> ApiResult<Response> {
    let compared = context.registry.records().compare(&name, &query.from, query.to.as_deref()).await?;
    let VersionComparison { from, to, text, summary, .. } = compared;
    Ok(json(StatusCode::OK, &ComparedView { from, to, diff: text, summary }))
}

/// Review a change
///
/// If it is accepted, agents see the candidate from now on. If it is rejected, no review of it is requested
/// again.
#[utoipa::path(post, path = "/registry/tools/{name}/review", tag = "registry", request_body = ReviewBody,
    params(("name" = String, Path, description = "Canonical name")),
    responses((status = 200, description = "The tool in its new state", body = RegistryToolDetail),
        (status = 404, description = "Not found"),
        (status = 409, description = "The server offers another version now, or there is nothing to review")))]
pub(crate) async fn review(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path(name): Path<String>,
    Json(body): Json<ReviewBody>,
) -> ApiResult<Response> {
    let row = context.registry.review(&principal.id, &name, body.verdict, Some(body.version)).await?;
    Ok(json(StatusCode::OK, &RegistryToolDetail::of(&context, row)))
}

impl RegistryTool {
    fn of(context: &ApiContext, row: &ToolRow) -> Self {
        Self {
            in_force: ToolInForce::of(context, row),
            name: row.name.to_string(),
            server: row.server.to_string(),
            status: row.status,
            reason: row.reason.clone(),
            version: row.pinned.version,
            candidate_version: row.candidate.as_ref().map(|candidate| candidate.version),
            rejected_version: row.rejected,
            said: PinnedProperties::of(&row.pinned),
            findings: row.findings.clone(),
            first_seen: rfc3339(row.first_seen_ms),
            last_seen: rfc3339(row.last_seen_ms),
            reviewed_by: row.reviewed_by.as_ref().map(ToString::to_string),
            reviewed_at: row.reviewed_at_ms.map(rfc3339),
        }
    }
}

impl ToolInForce {
    fn of(context: &ApiContext, row: &ToolRow) -> Option<Self> {
        let snapshot = context.catalog.snapshot();
        let entry = snapshot.tools.find(row.name.as_str()).filter(|entry| entry.canonical == row.name)?;
        let tool = entry.tool.as_deref();
        Some(Self {
            wire_name: entry.wire.clone(),
            effects: tool.map(|tool| tool.effects),
            idempotent: tool.map(|tool| tool.idempotent),
            tokens: context.discovery.tokens_of(entry),
        })
    }
}

impl PinnedProperties {
    fn of(definition: &Definition) -> Self {
        let mut definition: Value = definition.json.decode().unwrap_or_default();
        // An unreadable part is ignored.
        let extra = ToolExtra::of(&definition).ok().flatten().unwrap_or_default();
        let description = definition.get("description").and_then(Value::as_str);
        Self {
            summary: description.map(|text| text.chars().take(SUMMARY_CHARS).collect()),
            files: extra.slots().iter().map(FileSlotView::from).collect(),
            secrets: extra.secrets.iter().map(|slot| slot.argument.clone()).collect(),
            capabilities: extra.capabilities,
            effects: extra.effects,
            file_strategy: extra.file_strategy,
            timeout_seconds: extra.timeout_seconds,
            aliases: extra.aliases,
            annotations: definition.get_mut("annotations").map(Value::take),
        }
    }
}

impl RegistryToolDetail {
    fn of(context: &ApiContext, row: ToolRow) -> Self {
        let tool = RegistryTool::of(context, &row);
        let json = |definition: Definition| definition.json;
        Self { tool, definition: json(row.pinned), candidate: row.candidate.map(json) }
    }
}
