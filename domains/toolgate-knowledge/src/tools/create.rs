//! `knowledge.kb_create`: pointers become a knowledge base.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::id::KnowledgeBaseId;
use toolgate_domain::{MountRule, ToolContext, ToolDefinition, ToolReply};
use toolgate_store::{Actor, KnowledgeBase, KnowledgeBaseError, KnowledgeBaseWrite};

use super::output::{KnowledgeBaseOutput, KnowledgePointer, object_ref, read_pointers};
use crate::bases::{KnowledgeBases, is_visible};
use crate::checks;
use crate::refusal::{changed, differs, down, stale, taken, unknown};

const PROFILE_USUAL: &str = "docs.default";
const MANNER_USUAL: &str = "legal-citations";

pub(super) const CREATE: ToolDefinition = ToolDefinition::writes(
    "knowledge.kb_create",
    "Create a knowledge base",
    "Makes a knowledge base of pointers, to be asked with knowledge.kb_query. The same again is the same base. With expected_version it \
     changes the base of this name.",
)
.idempotent()
.mount(MountRule::ListedPointers);

#[derive(Deserialize, JsonSchema)]
pub(super) struct CreateBaseArguments {
    name: String,
    title: Option<String>,
    description: Option<String>,
    /// Pointers whose documents it answers from; each needs an index of the profile
    #[schemars(length(min = 1, max = checks::POINTERS_MAX))]
    pointers: Vec<KnowledgePointer>,
    #[serde(default = "profile_usual")]
    profile: String,
    /// fast-skim: the best passages; legal-citations: a citation for each sentence; strict-evidence: only sentences that answer by themselves
    #[serde(default = "manner_usual")]
    #[schemars(extend("enum" = ["fast-skim", "legal-citations", "strict-evidence"]))]
    manner: String,
    /// The version of the base that this replaces
    #[schemars(range(min = 1))]
    expected_version: Option<u64>,
}

fn profile_usual() -> String {
    PROFILE_USUAL.to_owned()
}

fn manner_usual() -> String {
    MANNER_USUAL.to_owned()
}

#[derive(Serialize, JsonSchema)]
pub(super) struct CreateBaseOutput {
    kb: KnowledgeBaseOutput,
    /// True if it was there already, just like this
    is_duplicate: bool,
}

pub(super) async fn create(
    bases: Arc<KnowledgeBases>,
    context: ToolContext,
    arguments: CreateBaseArguments,
) -> Result<ToolReply<CreateBaseOutput>, Refusal> {
    let expected = arguments.expected_version;
    let write = checked(&bases, arguments)?;
    bases.check_pointers(&context, &write.pointers).await?;
    let (base, is_duplicate) = match expected {
        None => add(&bases, &context, write).await?,
        Some(version) => (replace(&bases, &context, write, version).await?, false),
    };
    let data = CreateBaseOutput { kb: KnowledgeBaseOutput::of(&base), is_duplicate };
    Ok(ToolReply::new(data).refs([object_ref(&base)]))
}

fn checked(bases: &KnowledgeBases, arguments: CreateBaseArguments) -> Result<KnowledgeBaseWrite, Refusal> {
    let CreateBaseArguments { name, title, description, pointers, profile, manner, expected_version: _ } =
        arguments;
    checks::name(&name)?;
    title.as_deref().map_or(Ok(()), checks::title)?;
    description.as_deref().map_or(Ok(()), checks::description)?;
    checks::profile(&profile)?;
    let manner = checks::manner(&manner)?.as_str().to_owned();
    Ok(KnowledgeBaseWrite {
        id: KnowledgeBaseId::new(bases.clock.fresh_id(KnowledgeBaseId::PREFIX)),
        name,
        title,
        description,
        pointers: read_pointers(&pointers)?,
        profile,
        manner,
        seen: None,
        at_ms: bases.clock.now_ms(),
    })
}

/// A new base; one that is there already and equal is the answer.
async fn add(
    bases: &KnowledgeBases,
    context: &ToolContext,
    write: KnowledgeBaseWrite,
) -> Result<(KnowledgeBase, bool), Refusal> {
    match bases.books.put_knowledge_base(&write, &Actor::of(&context.holder)).await {
        Ok(base) => Ok((base, false)),
        Err(KnowledgeBaseError::NameTaken(other)) if !is_visible(context, &other) => Err(taken(&write.name)),
        Err(KnowledgeBaseError::NameTaken(other)) if is_same(&other, &write) => Ok((*other, true)),
        Err(KnowledgeBaseError::NameTaken(other)) => Err(differs(&write.name, other.version)),
        Err(error) => Err(changed(error, &write.name)),
    }
}

/// The next version of a base that the session sees.
async fn replace(
    bases: &KnowledgeBases,
    context: &ToolContext,
    write: KnowledgeBaseWrite,
    version: u64,
) -> Result<KnowledgeBase, Refusal> {
    let found = bases.store.knowledge_base(&write.name).await.map_err(|error| down(&error))?;
    let base = found.filter(|base| base.name == write.name && is_visible(context, base));
    let base = base.ok_or_else(|| unknown(&write.name))?;
    if base.version != version {
        return Err(stale(&write.name, base.version));
    }
    let name = write.name.clone();
    let write = KnowledgeBaseWrite { id: base.id, seen: Some(version), ..write };
    let written = bases.books.put_knowledge_base(&write, &Actor::of(&context.holder)).await;
    written.map_err(|error| changed(error, &name))
}

fn is_same(base: &KnowledgeBase, write: &KnowledgeBaseWrite) -> bool {
    (&base.title, &base.description, &base.pointers, &base.profile, &base.manner)
        == (&write.title, &write.description, &write.pointers, &write.profile, &write.manner)
}
