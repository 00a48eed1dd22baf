//! `knowledge.research_domain`: a topic taken apart into questions, with passages for each and what is missing.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::platform::{ObjectRef, OldName};
use toolgate_core::pointer::PointerPath;
use toolgate_domain::{MountRule, ToolContext, ToolDefinition, ToolReply, midnight_ms};
use toolgate_store::KnowledgeBase;

use super::output::{KnowledgeIndex, KnowledgePointer, object_ref, read_pointers};
use super::passages::{KnowledgePassage, citation_refs};
use crate::asking::AnswerTerms;
use crate::bases::{KnowledgeBases, manner_of};
use crate::checks;
use crate::manner::AnswerManner;
use crate::refusal::no_target;
use crate::research::{AnsweredQuestion, MissingPart, ResearchRequest, ResearchedDomain};

const QUESTIONS_USUAL: u16 = 6;
const QUESTIONS_MAX: u16 = 12;
const TOKENS_USUAL: u32 = 4_000;
const TOKENS_MIN: u32 = 500;
const TOKENS_MAX: u32 = 20_000;
/// Of pointers without a base.
const PROFILE_USUAL: &str = "docs.default";
/// The spelling in which a server would offer it. It is no flat name and stays.
const AS_OF_A_SERVER: OldName =
    OldName { name: "knowledge:research_domain", until_ms: midnight_ms(9999, 1, 1) };

pub(super) const RESEARCH: ToolDefinition = ToolDefinition::reads(
    "knowledge.research_domain",
    "Research a domain",
    "Takes a topic apart into questions, by the headings and phrases of the documents and by what one asks about anything; gives passages \
     with checked citations for each, and says what is missing.",
)
.mount(MountRule::ListedPointers)
.old_names(&[AS_OF_A_SERVER]);

#[derive(Deserialize, JsonSchema)]
pub(super) struct ResearchArguments {
    /// Name or id of a knowledge base; or give pointers
    kb: Option<String>,
    #[schemars(length(min = 1, max = checks::POINTERS_MAX))]
    pointers: Option<Vec<KnowledgePointer>>,
    topic: String,
    /// Tokens of the answer's text
    #[serde(default = "tokens_usual")]
    #[schemars(range(min = TOKENS_MIN, max = TOKENS_MAX))]
    token_budget: u32,
    #[serde(default = "questions_usual")]
    #[schemars(range(min = 1, max = QUESTIONS_MAX))]
    questions_max: u16,
}

fn tokens_usual() -> u32 {
    TOKENS_USUAL
}

fn questions_usual() -> u16 {
    QUESTIONS_USUAL
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ResearchOutput {
    topic: String,
    /// Passages and documents that the topic itself found
    passages: usize,
    documents: usize,
    questions: Vec<ResearchQuestion>,
    missing: Vec<ResearchGap>,
    /// Of the text
    tokens: usize,
    /// Sentences that were left out because their document does not have them
    unverified: usize,
    indexes: Vec<KnowledgeIndex>,
    warnings: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct ResearchQuestion {
    question: String,
    /// heading, phrase or pattern
    origin: &'static str,
    found: bool,
    passages: Vec<KnowledgePassage>,
}

#[derive(Serialize, JsonSchema)]
struct ResearchGap {
    what: String,
    why: &'static str,
}

/// The documents to walk through.
struct ResearchTarget {
    base: Option<KnowledgeBase>,
    pointers: Vec<PointerPath>,
}

pub(super) async fn research(
    bases: Arc<KnowledgeBases>,
    context: ToolContext,
    arguments: ResearchArguments,
) -> Result<ToolReply<ResearchOutput>, Refusal> {
    let topic = checks::query(&arguments.topic, "topic")?;
    let target = target(&bases, &context, arguments.kb.as_deref(), arguments.pointers.as_deref()).await?;
    let base = target.base.as_ref();
    let tokens_max = arguments.token_budget.clamp(TOKENS_MIN, TOKENS_MAX);
    let request = ResearchRequest {
        terms: AnswerTerms {
            pointers: &target.pointers,
            profile: base.map_or(PROFILE_USUAL, |base| base.profile.as_str()),
            manner: base.map_or(AnswerManner::LegalCitations, manner_of),
            passages_max: 0,
        },
        topic: &topic.text,
        questions_max: usize::from(arguments.questions_max.clamp(1, QUESTIONS_MAX)),
        tokens_max: usize::try_from(tokens_max).unwrap_or(usize::MAX),
    };
    let mut walked = bases.walk(&context, request).await?;
    walked.warnings.extend(topic.warning);
    let text = text(&walked);
    let cited = citation_refs(walked.questions.iter().map(|one| &one.packed));
    let refs: Vec<ObjectRef> = base.map(object_ref).into_iter().chain(cited).collect();
    Ok(ToolReply::new(ResearchOutput::of(topic.text, walked)).text(text).refs(refs))
}

/// A knowledge base, or pointers by themselves.
async fn target(
    bases: &KnowledgeBases,
    context: &ToolContext,
    kb: Option<&str>,
    pointers: Option<&[KnowledgePointer]>,
) -> Result<ResearchTarget, Refusal> {
    match (kb, pointers) {
        (Some(kb), None) => {
            let base = bases.find(context, kb).await?;
            let pointers = base.pointers.clone();
            Ok(ResearchTarget { base: Some(base), pointers })
        }
        (None, Some(pointers)) => {
            let pointers = read_pointers(pointers)?;
            bases.check_pointers(context, &pointers).await?;
            Ok(ResearchTarget { base: None, pointers })
        }
        (Some(_), Some(_)) | (None, None) => Err(no_target()),
    }
}

impl ResearchOutput {
    fn of(topic: String, walked: ResearchedDomain) -> Self {
        Self {
            topic,
            passages: walked.passages,
            documents: walked.documents,
            tokens: walked.questions.iter().map(|one| one.packed.tokens).sum(),
            questions: walked.questions.iter().map(ResearchQuestion::of).collect(),
            missing: walked.missing.into_iter().map(ResearchGap::of).collect(),
            unverified: walked.unverified,
            indexes: KnowledgeIndex::all(&walked.indexes),
            warnings: walked.warnings,
        }
    }
}

impl ResearchQuestion {
    fn of(answered: &AnsweredQuestion) -> Self {
        Self {
            question: answered.question.question.clone(),
            origin: answered.question.origin.as_str(),
            found: !answered.packed.passages.is_empty(),
            passages: KnowledgePassage::all(&answered.packed),
        }
    }
}

impl ResearchGap {
    fn of(missing: MissingPart) -> Self {
        Self { what: missing.what, why: missing.why }
    }
}

/// The walk as a model reads it.
fn text(walked: &ResearchedDomain) -> String {
    let mut text = String::new();
    for one in walked.questions.iter().filter(|one| !one.packed.passages.is_empty()) {
        text.push_str(&format!("## {}\n\n{}", one.question.question, one.packed.text()));
    }
    if !walked.missing.is_empty() {
        text.push_str("## Missing\n\n");
        text.extend(walked.missing.iter().map(|one| format!("- {}: {}\n", one.what, one.why)));
    }
    match text.trim_end() {
        "" => "Nothing found.".to_owned(),
        text => text.to_owned(),
    }
}
