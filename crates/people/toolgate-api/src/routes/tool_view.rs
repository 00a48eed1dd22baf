//! What callers are shown of a tool, and what they hear where there is none.

use std::collections::BTreeMap;

use http::StatusCode;
use serde::Serialize;
use toolgate_catalog::{Entry, Missing, Snapshot, Why};
use toolgate_core::decision::Asking;
use toolgate_core::scope::{Need, Seat};
use toolgate_core::tool::{CacheRule, CacheScope, FileSlot, FileStrategy};
use toolgate_core::{AuditLevel, Digest, Effects, RawJson};
use toolgate_discovery::{ToolBill, View};
use utoipa::ToSchema;

use crate::problem::Problem;
use crate::similar::nearest;
use crate::{Context, RoleAsking};

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ToolView {
    /// The canonical name: what policy and ledger call it.
    #[schema(example = "bank:transfer")]
    name: String,
    /// What agents call it.
    #[schema(example = "bank__transfer")]
    pub(super) wire_name: String,
    server: String,
    /// Other names that lead to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    aliases: Vec<String>,
    /// The digest of its definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    version: Option<Digest>,
    /// What a call may do: read, write, external, destructive.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<String>>)]
    effects: Option<Effects>,
    #[serde(skip_serializing_if = "Option::is_none")]
    idempotent: Option<bool>,
    /// How much of a call is kept: none, standard or detailed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    audit: Option<AuditLevel>,
    /// Whether people are asked when it is called: never, sometimes or always.
    #[schema(value_type = String)]
    approval: Asking,
    #[serde(flatten)]
    handling: HandlingView,
    /// As agents read it: as the server gave it, but for the name and the arguments that files are filled into.
    #[schema(value_type = Object)]
    definition: RawJson,
}

/// A tool, with what showing it to a model costs
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ToolDetail {
    #[serde(flatten)]
    pub(super) tool: ToolView,
    /// Why agents do not call it by its plain name: somebody else has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) renamed: Option<String>,
    /// Whether people are asked, by the role of the caller; `approval` says it for whoever asks.
    pub(super) asked: Vec<RoleAsking>,
    /// Why arguments, or a part of them, are not held against its schema. Absent where all of it is checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        example = "a part of it is not checked: it refers to \"https://example.com/a.json\", which is not part of it, and nothing is fetched"
    )]
    pub(super) unchecked: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tokens: Option<ToolTokens>,
}

/// Tokens of a tool, by how much of it is shown
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ToolTokens {
    /// Listed with its schema.
    full: usize,
    /// As a search shows the best.
    signature: usize,
    /// As a search shows the others.
    line: usize,
}

impl From<ToolBill> for ToolTokens {
    fn from(bill: ToolBill) -> Self {
        Self { full: bill.tokens_full, signature: bill.tokens_signature, line: bill.tokens_line }
    }
}

/// How calls are handled. What is not said is as the server's own settings have it.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct HandlingView {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    capabilities: Vec<String>,
    /// What a session must have mounted: `provider:NAME`, `pointer`, `knowledge_base`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<String>)]
    mounts: Vec<Need>,
    /// Queries that should find it, in the operator's words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    examples: Vec<String>,
    /// How a `file_id` becomes arguments, where that is all there is to say about files.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    file_strategy: Option<FileStrategy>,
    /// Arguments in which agents name a file, and what the server gets instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<FileSlotView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout_seconds: Option<f64>,
    /// Calls of this tool under way at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    concurrency_max: Option<usize>,
    /// So many within so long.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "600/m")]
    rate: Option<String>,
    /// How long a result may be used again for the same arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_seconds: Option<f64>,
    /// For whom: private or public.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    cache_scope: Option<CacheScope>,
    /// Whether values are held against `format` in its schemas, where the operator says something about it; they are otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    formats: Option<bool>,
}

/// An argument that takes a file
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FileSlotView {
    /// Where agents put the id of a file, a ref or an artifact.
    #[schema(example = "file_id")]
    argument: String,
    /// binary_base64, plain_text_content, plain_text_text, image_base64, video_s3_presigned_url or passthrough.
    #[schema(value_type = String, example = "binary_base64")]
    strategy: FileStrategy,
    /// Where the server finds the content.
    #[schema(example = "file_data")]
    content: String,
    /// Where the server finds the media type, if it wants it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "file_type")]
    media_type: Option<String>,
    /// Agents give a list of ids.
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

/// The strategy that says it all: one file, under the names that it has by itself.
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

    fn of(&self, entry: &Entry) -> Vec<String> {
        self.0.get(entry.canonical.as_str()).cloned().unwrap_or_default()
    }
}

impl ToolView {
    pub(super) fn of(entry: &Entry, asking: Asking, names: &OtherNames<'_>) -> Self {
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
    fn of(handling: &toolgate_core::tool::Handling) -> Self {
        let cache = handling.cache;
        Self {
            capabilities: handling.capabilities.to_vec(),
            mounts: handling.needs.to_vec(),
            examples: handling.examples.to_vec(),
            file_strategy: only_strategy(&handling.files),
            files: handling.files.iter().map(FileSlotView::from).collect(),
            timeout_seconds: handling.timeout.map(|timeout| timeout.as_secs_f64()),
            concurrency_max: handling.concurrency_max,
            rate: handling.rate.map(|rate| rate.to_string()),
            cache_seconds: cache.map(|CacheRule { fresh, .. }| fresh.as_secs_f64()),
            cache_scope: cache.map(|CacheRule { scope, .. }| scope),
            formats: handling.formats,
        }
    }
}

/// Why a name leads to no tool from this seat. What is not seen from it is unknown.
pub(super) fn missing(context: &Context, seat: &Seat, asked: &str) -> Box<Problem> {
    let (view, policy) = (context.discovery.view(seat), context.discovery.policy());
    match view.missing(&seat.principal, policy, asked, context.clock.now_ms()) {
        Missing::Unknown => unknown(&view, asked),
        Missing::Withheld { name, why: Why::Retired, .. } => {
            let detail = format!("tool {name} is no longer offered by its server");
            Problem::new(StatusCode::GONE, "tool_retired", detail)
                .hint("GET /tools lists what there is")
                .with("tool", name.as_str())
        }
        Missing::Withheld { name, why: Why::Unreadable, reason } => {
            let detail = format!("tool {name} cannot be used: {reason}");
            Problem::new(StatusCode::CONFLICT, "tool_unreadable", detail)
                .hint("its server has to be fixed; agents could not read the definition")
                .with("tool", name.as_str())
        }
        Missing::Withheld { name, why: Why::Quarantined, reason } => {
            let detail = format!("tool {name} is withheld until somebody has looked at it: {reason}");
            Problem::new(StatusCode::CONFLICT, "tool_quarantined", detail)
                .hint(format!(
                    "the operator looks at it with `toolgate tools diff {name}` and accepts or rejects it"
                ))
                .with("tool", name.as_str())
                .with("reason", reason)
        }
        Missing::Sunset { alias } => {
            let detail =
                format!("the name {:?} is no longer in use; the tool is {}", alias.name, alias.target);
            Problem::new(StatusCode::GONE, "alias_sunset", detail)
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
    Problem::new(StatusCode::NOT_FOUND, "unknown_tool", format!("there is no tool {asked:?}")).hint(hint)
}
