//! `document.parse`: one document, or all files of a manifest.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::platform::ObjectRef;
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Digest, Refusal};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply, unknown_pointer};
use toolgate_files::FoundContent;
use toolgate_store::Actor;
use toolgate_work::{WorkOrder, WorkView};

use super::source::{self, DocumentIds};
use super::tier::TierArgument;
use crate::batch::{PARSE_KIND, ParseBatch};
use crate::documents::{DocumentLookup, Documents};
use crate::refusal::invalid;

pub(super) const PARSE: ToolDefinition = ToolDefinition::writes(
    "document.parse",
    "Parse documents",
    "Turns a document into DocIR: texts, tables and pictures in reading order, each with its page and box. Give a document, or a \
     manifest or pointer whose files are all parsed, in a run.",
)
.idempotent();

const ONE_OF: &str = "give a document (`artifact`, `file_id` or `ref_id`), a `manifest`, or `namespace` and `name` of a pointer";
const WAIT_SECONDS_USUAL: u32 = 20;
const WAIT_SECONDS_MAX: u32 = 60;

#[derive(Deserialize, JsonSchema)]
pub(super) struct ParseDocumentArguments {
    /// sha256:… of an artifact
    artifact: Option<String>,
    file_id: Option<String>,
    ref_id: Option<String>,
    /// sha256:… of a manifest
    manifest: Option<String>,
    /// Of a pointer
    namespace: Option<String>,
    /// Of a pointer
    name: Option<String>,
    #[serde(default)]
    tier: TierArgument,
    /// The longest wait for the end of a run
    #[serde(default = "wait_usual")]
    #[schemars(range(max = WAIT_SECONDS_MAX))]
    wait_seconds: u32,
}

fn wait_usual() -> u32 {
    WAIT_SECONDS_USUAL
}

#[derive(Serialize, JsonSchema, Default)]
pub(super) struct ParseDocumentOutput {
    /// done, or that of the run: queued, running, done, partial, failed
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<ParsedDocumentOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    batch: Option<ParseBatchOutput>,
}

#[derive(Serialize, JsonSchema)]
struct ParsedDocumentOutput {
    artifact: String,
    /// The artifact with the DocIR
    docir: String,
    media_type: String,
    pages: u64,
    items: u64,
    tables: u64,
    /// From 0 to 1
    confidence: f32,
    warnings: Vec<String>,
    /// It had been parsed before
    cached: bool,
}

#[derive(Serialize, JsonSchema)]
struct ParseBatchOutput {
    run: String,
    manifest: String,
    done: u64,
    /// 0 until it is known
    total: u64,
    /// The first of the files that were left out
    problems: Vec<String>,
    problem_count: u64,
}

/// The thing to parse.
enum ParseTarget {
    One(FoundContent),
    All(ManifestDigest, String),
}

pub(super) async fn parse(
    documents: Arc<Documents>,
    context: ToolContext,
    arguments: ParseDocumentArguments,
) -> Result<ToolReply<ParseDocumentOutput>, Refusal> {
    let wait = Duration::from_secs(arguments.wait_seconds.min(WAIT_SECONDS_MAX).into());
    let tier = arguments.tier;
    match target(&documents, &context, arguments).await? {
        ParseTarget::One(found) => parse_one(&documents, &context, found, tier).await,
        ParseTarget::All(manifest, name) => {
            let batch = ParseBatch { manifest, tier: tier.into() };
            parse_all(&documents, &context, batch, name, wait).await
        }
    }
}

async fn target(
    documents: &Documents,
    context: &ToolContext,
    arguments: ParseDocumentArguments,
) -> Result<ParseTarget, Refusal> {
    let ParseDocumentArguments { artifact, file_id, ref_id, manifest, namespace, name, .. } = arguments;
    let ids = DocumentIds { artifact, file_id, ref_id };
    match (ids.are_missing(), manifest, namespace, name) {
        (false, None, None, None) => source::find(documents, context, ids).await.map(ParseTarget::One),
        (true, Some(manifest), None, None) => {
            let digest: ManifestDigest = manifest.parse().map_err(|_| {
                invalid("`manifest` is no digest", "manifest")
                    .hint("give `sha256:` and 64 hexadecimal digits")
            })?;
            documents.substrate.manifest(digest).await?;
            Ok(ParseTarget::All(digest, digest.to_string()))
        }
        (true, None, Some(namespace), Some(name)) => {
            let manifest = head(documents, context, &namespace, &name).await?;
            Ok(ParseTarget::All(manifest, format!("{namespace}:{name}")))
        }
        (true, None, None, None) => Err(invalid("nothing to parse is named", "artifact").hint(ONE_OF)),
        _ => {
            Err(invalid("more than one thing to parse is named, or half a pointer", "artifact").hint(ONE_OF))
        }
    }
}

/// The manifest of a pointer that the session has mounted.
async fn head(
    documents: &Documents,
    context: &ToolContext,
    namespace: &str,
    name: &str,
) -> Result<ManifestDigest, Refusal> {
    if !context.sees_pointer(namespace, name) {
        return Err(unknown_pointer(namespace, name));
    }
    let head = documents.substrate.pointer_head(namespace, name).await?;
    let head = head.ok_or_else(|| unknown_pointer(namespace, name))?;
    head.manifest.ok_or_else(|| {
        invalid(format!("the pointer {name:?} in {namespace:?} is empty"), "name")
            .hint("advance it to a manifest first")
    })
}

async fn parse_one(
    documents: &Documents,
    context: &ToolContext,
    found: FoundContent,
    tier: TierArgument,
) -> Result<ToolReply<ParseDocumentOutput>, Refusal> {
    let author = Actor::of(&context.holder);
    let name = found.name.as_ref().map(|name| name.as_str());
    let media_type = Some(found.media_type.as_str());
    let looked = documents.look_up(found.digest, media_type, name, tier.into(), &author).await?;
    let refs = artifact_refs([looked.document.artifact, looked.document.docir]);
    let document = Some(ParsedDocumentOutput::of(looked));
    let data = ParseDocumentOutput { state: "done", document, ..ParseDocumentOutput::default() };
    Ok(ToolReply::new(data).refs(refs))
}

async fn parse_all(
    documents: &Documents,
    context: &ToolContext,
    batch: ParseBatch,
    name: String,
    wait: Duration,
) -> Result<ToolReply<ParseDocumentOutput>, Refusal> {
    let order = WorkOrder {
        kind: PARSE_KIND.to_owned(),
        key: batch.key(),
        input: serde_json::to_value(&batch).expect("digests and words are JSON"),
        name: format!("parse {name}"),
        actor: Actor::of(&context.holder),
        input_manifest: Some(batch.manifest),
    };
    let started = documents.work.start(order).await?;
    let view = documents.work.wait(&started.id, wait).await?.unless_failed()?;
    let refs =
        [ObjectRef::Manifest { sha256: batch.manifest.digest() }, ObjectRef::Run { id: started.run.clone() }];
    let state = view.word();
    let batch = Some(ParseBatchOutput::of(view, batch.manifest));
    let data = ParseDocumentOutput { state, batch, ..ParseDocumentOutput::default() };
    Ok(ToolReply::new(data).refs(refs))
}

pub(super) fn artifact_refs(digests: [Digest; 2]) -> [ObjectRef; 2] {
    digests.map(|sha256| ObjectRef::Artifact { sha256 })
}

impl ParsedDocumentOutput {
    fn of(looked: DocumentLookup) -> Self {
        let DocumentLookup { document, is_cached } = looked;
        Self {
            artifact: document.artifact.to_string(),
            docir: document.docir.to_string(),
            media_type: document.media_type,
            pages: document.pages,
            items: document.items,
            tables: document.tables,
            confidence: document.confidence,
            warnings: document.warnings,
            cached: is_cached,
        }
    }
}

impl ParseBatchOutput {
    fn of(view: WorkView, manifest: ManifestDigest) -> Self {
        Self {
            run: view.run.to_string(),
            manifest: manifest.to_string(),
            done: view.done,
            total: view.total,
            problems: view.problems,
            problem_count: view.problem_count,
        }
    }
}
