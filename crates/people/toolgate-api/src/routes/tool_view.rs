//! The public data of a tool, and the answer if there is none.

use std::collections::BTreeMap;

use serde::Serialize;
use toolgate_catalog::{CatalogEntry, MissingTool, Snapshot, WithheldReason};
use toolgate_core::codes;
use toolgate_core::decision::ApprovalLikelihood;
use toolgate_core::scope::{MountNeed, Seat};
use toolgate_core::tool::{CacheRule, CacheScope, FileSlot, FileStrategy};
use toolgate_core::{AuditLevel, Digest, Effects, RawJson};
use toolgate_discovery::{ToolBill, View};
use utoipa::ToSchema;

use crate::problem::Problem;
use crate::similar::nearest;
use crate::{ApiContext, RoleAsking};

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ToolView {
    /// The canonical name, which policy and ledger use.
    #[schema(example = "bank:transfer")]
    name: String,
    /// The name that agents use.
    #[schema(example = "bank__transfer")]
    pub(super) wire_name: String,
    server: String,
    /// Its aliases.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    aliases: Vec<String>,
    /// The digest of its definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    version: Option<Digest>,
    /// The effects of a call: read, write, external, destructive.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<String>>)]
    effects: Option<Effects>,
    #[serde(skip_serializing_if = "Option::is_none")]
    idempotent: Option<bool>,
    /// The level of recording: none, standard or detailed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    audit: Option<AuditLevel>,
    /// The need for approval: never, sometimes or always.
    #[schema(value_type = String)]
    approval: ApprovalLikelihood,
    #[serde(flatten)]
    handling: HandlingView,
    /// The definition as agents see it: as the server sent it, except for the name and the arguments that
    /// take files.
    #[schema(value_type = Object)]
    definition: RawJson,
}

/// A tool, with its cost in tokens
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ToolDetail {
    #[serde(flatten)]
    pub(super) tool: ToolView,
    /// The reason why agents do not call it by its plain name: another tool has that name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) renamed: Option<String>,
    /// The need for approval by the role of the caller; `approval` is that of the caller itself.
    pub(super) asked: Vec<RoleAsking>,
    /// The reason why arguments, or part of them, are not checked against its schema. Absent if all are
    /// checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        example = "a part of it is not checked: it refers to \"https://example.com/a.json\", which is not part of it, and nothing is fetched"
    )]
    pub(super) unchecked: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tokens: Option<ToolTokens>,
}

/// The cost of a tool in tokens, by how much of it is shown
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ToolTokens {
    /// Listed with its schema.
    full: usize,
    /// As a search shows the best matches.
    signature: usize,
    /// As a search shows further matches.
    line: usize,
}

impl From<ToolBill> for ToolTokens {
    fn from(bill: ToolBill) -> Self {
        Self { full: bill.tokens_full, signature: bill.tokens_signature, line: bill.tokens_line }
    }
}

/// The handling of calls. Absent values are those of the server.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct HandlingView {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    capabilities: Vec<String>,
    /// The mounts or the role that a session needs: `provider:NAME`, `pointer`, `knowledge_base`, `operator`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<String>)]
    mounts: Vec<MountNeed>,
    /// Example requests for which a search should find it, from the operator.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    examples: Vec<String>,
    /// The file strategy, if one describes all its files: how a `file_id` becomes arguments.
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
    /// The number of concurrent calls of this tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    concurrency_max: Option<usize>,
    /// The rate limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "600/m")]
    rate: Option<String>,
    /// The time a result is cached for the same arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_seconds: Option<f64>,
    /// The readers of a cached result: private or public.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    cache_scope: Option<CacheScope>,
    /// True if values are checked against `format` in its schemas, if the operator has set it; by default
    /// they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    formats: Option<bool>,
}

/// An argument that takes a file
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FileSlotView {
    /// The argument for the id of a file, a ref or an artifact.
    #[schema(example = "file_id")]
    argument: String,
    /// binary_base64, plain_text_content, plain_text_text, image_base64, video_s3_presigned_url or passthrough.
    #[schema(value_type = String, example = "binary_base64")]
    strategy: FileStrategy,
    /// The argument in which the server gets the content.
    #[schema(example = "file_data")]
    content: String,
    /// The argument in which the server gets the media type, if it needs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "file_type")]
    media_type: Option<String>,
    /// True if it takes a list of ids.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    many: bool,
}

impl From<&FileSlot> for FileSlotView {
    fn from(slot: &FileSlot) -> Self {
        Self {
            argument: slot.argument.clone(),
            strategy: slot.strategy,
            content: slot.content.clone(),
            media_type: slot.media_type.clone(),
            many: slot.many,
        }
    }
}

/// The strategy, if it is enough: one file, under the default names.
fn only_strategy(slots: &[FileSlot]) -> Option<FileStrategy> {
    let [slot] = slots else { return None };
    let usual = FileSlot::of(slot.strategy);
    let is_usual = slot.argument == usual.argument && slot.content == usual.content;
    is_usual.then_some(slot.strategy)
}

/// The aliases of each tool, by its canonical name.
pub(super) struct OtherNames<'a>(BTreeMap<&'a str, Vec<String>>);

impl<'a> OtherNames<'a> {
    pub(super) fn in_use(snapshot: &'a Snapshot, now_ms: i64) -> Self {
        let mut names: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let in_use =
            snapshot.aliases.values().filter(|alias| alias.until_ms.is_none_or(|until_ms| now_ms < until_ms));
        for alias in in_use {
            names.entry(alias.target.as_str()).or_default().push(alias.name.clone());
        }
        Self(names)
    }

    fn of(&self, entry: &CatalogEntry) -> Vec<String> {
        self.0.get(entry.canonical.as_str()).cloned().unwrap_or_default()
    }
}

impl ToolView {
    pub(super) fn of(entry: &CatalogEntry, asking: ApprovalLikelihood, names: &OtherNames<'_>) -> Self {
        let tool = entry.tool.as_deref();
        Self {
            name: entry.canonical.to_string(),
            wire_name: entry.wire.clone(),
            server: entry.server.to_string(),
            aliases: names.of(entry),
            version: tool.map(|tool| tool.version),
            effects: tool.map(|tool| tool.effects),
            idempotent: tool.map(|tool| tool.idempotent),
            audit: tool.map(|tool| tool.audit),
            approval: asking,
            handling: tool.map(|tool| HandlingView::of(&tool.handling)).unwrap_or_default(),
            definition: entry.definition(),
        }
    }
}

impl HandlingView {
    fn of(handling: &toolgate_core::tool::ToolHandling) -> Self {
        let cache = handling.cache;
        Self {
            capabilities: handling.capabilities.to_vec(),
            mounts: handling.needs.to_vec(),
            examples: handling.examples.to_vec(),
            file_strategy: only_strategy(&handling.files),
            files: handling.files.iter().map(FileSlotView::from).collect(),
            secrets: handling.secrets.iter().map(|slot| slot.argument.clone()).collect(),
            timeout_seconds: handling.timeout.map(|timeout| timeout.as_secs_f64()),
            concurrency_max: handling.concurrency_max,
            rate: handling.rate.map(|rate| rate.to_string()),
            cache_seconds: cache.map(|CacheRule { fresh, .. }| fresh.as_secs_f64()),
            cache_scope: cache.map(|CacheRule { scope, .. }| scope),
            formats: handling.formats,
        }
    }
}

/// The reason why a name leads to no tool from this seat. An invisible tool is unknown.
pub(super) fn missing(context: &ApiContext, seat: &Seat, asked: &str) -> Box<Problem> {
    let (view, policy) = (context.discovery.view(seat), context.discovery.policy());
    match view.missing(&seat.principal, policy, asked, context.clock.now_ms()) {
        MissingTool::Unknown => unknown(&view, asked),
        MissingTool::Withheld { name, why: WithheldReason::Retired, .. } => {
            let detail = format!("tool {name} is no longer offered by its server");
            Problem::new(&codes::TOOL_RETIRED, detail)
                .hint("GET /tools lists what there is")
                .with("tool", name.as_str())
        }
        MissingTool::Withheld { name, why: WithheldReason::Unreadable, reason } => {
            let detail = format!("tool {name} cannot be used: {reason}");
            Problem::new(&codes::TOOL_UNREADABLE, detail)
                .hint("its server has to be fixed; agents could not read the definition")
                .with("tool", name.as_str())
        }
        MissingTool::Withheld { name, why: WithheldReason::Quarantined, reason } => {
            let detail = format!("tool {name} is withheld until it is reviewed: {reason}");
            Problem::new(&codes::TOOL_QUARANTINED, detail)
                .hint(format!(
                    "the operator looks at it with `toolgate tools diff {name}` and accepts or rejects it"
                ))
                .with("tool", name.as_str())
                .with("reason", reason)
        }
        MissingTool::Withheld { name, why: WithheldReason::Disabled, reason } => {
            let detail = format!("tool {name} cannot be called: {reason}");
            Problem::new(&codes::SERVER_DISABLED, detail).with("tool", name.as_str())
        }
        MissingTool::Sunset { alias } => {
            let detail =
                format!("the name {:?} is no longer in use; the tool is {}", alias.name, alias.target);
            Problem::new(&codes::ALIAS_SUNSET, detail)
                .hint(format!("call {}", alias.target))
                .with("tool", alias.target.as_str())
        }
    }
}

fn unknown(view: &View, asked: &str) -> Box<Problem> {
    let names = view.tools().flat_map(|(entry, _)| [entry.canonical.as_str(), entry.wire.as_str()]);
    let hint = match nearest(asked, names) {
        Some(meant) => format!("did you mean {meant:?}?"),
        None => "GET /tools lists what there is".to_owned(),
    };
    Problem::new(&codes::UNKNOWN_TOOL, format!("there is no tool {asked:?}")).hint(hint)
}
