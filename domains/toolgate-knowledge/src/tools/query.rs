//! `knowledge.kb_query`: passages with citations, within a number of tokens.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::platform::ObjectRef;
use toolgate_domain::{MountRule, ToolContext, ToolDefinition, ToolReply};

use super::output::{KnowledgeBaseOutput, KnowledgeIndex, object_ref};
use super::passages::{KnowledgePassage, citation_refs};
use crate::asking::{AnswerTerms, GatheredAnswer};
use crate::bases::{KnowledgeBases, agreed_manner};
use crate::checks;
use crate::packing::PackedAnswer;
use crate::writing::{self, WrittenAnswer};

const TOP_K_USUAL: u16 = 10;
const TOP_K_MAX: u16 = 50;
const TOKENS_USUAL: u32 = 2_000;
const TOKENS_MIN: u32 = 100;
const TOKENS_MAX: u32 = 20_000;
const NOTHING: &str = "Nothing found.";

pub(super) const QUERY: ToolDefinition = ToolDefinition::reads(
    "knowledge.kb_query",
    "Ask a knowledge base",
    "Answers from the documents of a knowledge base: sentences with marks such as [1], each with a citation that was checked against the \
     document. Says \"nothing found\" if there is nothing.",
)
.mount(MountRule::ListedPointers);

#[derive(Deserialize, JsonSchema)]
pub(super) struct QueryBaseArguments {
    /// Its name or id
    kb: String,
    query: String,
    /// Stricter than that of the base
    #[schemars(extend("enum" = ["fast-skim", "legal-citations", "strict-evidence"]))]
    manner: Option<String>,
    /// Passages to look at
    #[serde(default = "top_k_usual")]
    #[schemars(range(min = 1, max = TOP_K_MAX))]
    top_k: u16,
    /// Tokens of the answer's text
    #[serde(default = "tokens_usual")]
    #[schemars(range(min = TOKENS_MIN, max = TOKENS_MAX))]
    token_budget: u32,
    /// True: a language model writes the answer, if one is configured; only its cited sentences stay
    #[serde(default)]
    written: bool,
}

fn top_k_usual() -> u16 {
    TOP_K_USUAL
}

fn tokens_usual() -> u32 {
    TOKENS_USUAL
}

#[derive(Serialize, JsonSchema)]
pub(super) struct QueryBaseOutput {
    kb: KnowledgeBaseOutput,
    manner: &'static str,
    /// False: nothing found
    found: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<WrittenAnswerOutput>,
    passages: Vec<KnowledgePassage>,
    /// Of the text
    tokens: usize,
    /// Passages for which there was no room
    left_out: usize,
    /// Sentences that were left out because their document does not have them
    unverified: usize,
    /// True if meaning was compared, and not words alone
    by_meaning: bool,
    indexes: Vec<KnowledgeIndex>,
    warnings: Vec<String>,
}

/// An answer that a model wrote.
#[derive(Serialize, JsonSchema)]
struct WrittenAnswerOutput {
    model: String,
    sentences: Vec<WrittenAnswerSentence>,
    /// Sentences of the model that the passages do not back
    dropped: usize,
    input_tokens: u64,
    output_tokens: u64,
    /// In millionths of a currency unit
    cost_micros: u64,
}

#[derive(Serialize, JsonSchema)]
struct WrittenAnswerSentence {
    text: String,
    /// Of the sentences that it rests on
    marks: Vec<u32>,
}

pub(super) async fn query(
    bases: Arc<KnowledgeBases>,
    context: ToolContext,
    arguments: QueryBaseArguments,
) -> Result<ToolReply<QueryBaseOutput>, Refusal> {
    let asked = checks::query(&arguments.query, "query")?;
    let wanted = arguments.manner.as_deref().map(checks::manner).transpose()?;
    let base = bases.find(&context, &arguments.kb).await?;
    let terms = AnswerTerms {
        pointers: &base.pointers,
        profile: &base.profile,
        manner: agreed_manner(&base, wanted)?,
        passages_max: u32::from(arguments.top_k.clamp(1, TOP_K_MAX)),
    };
    let tokens_max = arguments.token_budget.clamp(TOKENS_MIN, TOKENS_MAX);
    let tokens_max = usize::try_from(tokens_max).unwrap_or(usize::MAX);
    let gathered = bases.gather(&context, terms, &asked.text, tokens_max).await?;
    let GatheredAnswer { packed, unverified, by_meaning, indexes, mut warnings } = gathered;
    warnings.extend(asked.warning);
    let answer = match arguments.written && !packed.passages.is_empty() {
        true => written(&bases, &asked.text, &packed, &mut warnings).await,
        false => None,
    };
    let text = text(&packed, answer.as_ref(), &warnings);
    let refs: Vec<ObjectRef> = [object_ref(&base)].into_iter().chain(citation_refs([&packed])).collect();
    let data = QueryBaseOutput {
        kb: KnowledgeBaseOutput::of(&base),
        manner: terms.manner.as_str(),
        found: !packed.passages.is_empty(),
        answer,
        passages: KnowledgePassage::all(&packed),
        tokens: packed.tokens,
        left_out: packed.left_out,
        unverified,
        by_meaning,
        indexes: KnowledgeIndex::all(&indexes),
        warnings,
    };
    Ok(ToolReply::new(data).text(text).refs(refs))
}

/// The answer of the model. Without one the passages stand for themselves, and a warning says why.
async fn written(
    bases: &KnowledgeBases,
    query: &str,
    packed: &PackedAnswer,
    warnings: &mut Vec<String>,
) -> Option<WrittenAnswerOutput> {
    let Some(model) = &bases.model else {
        warnings.push("No model is configured to write answers (`model` in `[knowledge]`).".to_owned());
        return None;
    };
    match writing::write(&*model.models, &model.name, query, packed).await {
        Ok(answer) => Some(WrittenAnswerOutput::of(model.name.to_string(), answer)),
        Err(fault) => {
            tracing::warn!(model = %model.name, fault = %fault.message, "a model wrote no answer");
            warnings.push(format!("The model {} wrote no answer.", model.name));
            None
        }
    }
}

impl WrittenAnswerOutput {
    fn of(model: String, answer: WrittenAnswer) -> Self {
        let sentences = answer.sentences.into_iter();
        Self {
            model,
            sentences: sentences
                .map(|one| WrittenAnswerSentence { text: one.text, marks: one.marks })
                .collect(),
            dropped: answer.dropped,
            input_tokens: answer.usage.input,
            output_tokens: answer.usage.output,
            cost_micros: answer.cost_micros,
        }
    }

    fn text(&self) -> String {
        let sentence = |one: &WrittenAnswerSentence| {
            let marks: String = one.marks.iter().map(|mark| format!("[{mark}]")).collect();
            format!("{} {marks}", one.text)
        };
        self.sentences.iter().map(sentence).collect::<Vec<_>>().join(" ")
    }
}

/// The answer as a model reads it.
fn text(packed: &PackedAnswer, answer: Option<&WrittenAnswerOutput>, warnings: &[String]) -> String {
    let written = answer.map(WrittenAnswerOutput::text).filter(|text| !text.is_empty());
    let passages = match packed.passages.is_empty() {
        true => NOTHING.to_owned(),
        false => packed.text().trim_end().to_owned(),
    };
    let parts =
        written.into_iter().chain([passages]).chain((!warnings.is_empty()).then(|| warnings.join(" ")));
    parts.collect::<Vec<_>>().join("\n\n")
}
