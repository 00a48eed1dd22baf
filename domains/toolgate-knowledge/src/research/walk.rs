//! The walk: a first look at the topic, its facets, a search for each question, and the gaps.

use std::collections::BTreeSet;

use toolgate_core::Refusal;
use toolgate_domain::ToolContext;

use super::facets::facets;
use super::missing::{MissingPart, missing};
use super::questions::{SubQuestion, sub_questions};
use crate::asking::{AnswerTerms, GatheredAnswer};
use crate::bases::KnowledgeBases;
use crate::packing::PackedAnswer;
use crate::ports::{FoundPassages, SearchedIndex};
use crate::selection::OfferedBefore;

/// Passages of the first look, from which the facets come.
const FIRST_PASSAGES: u32 = 40;
const QUESTION_PASSAGES: u32 = 8;

pub(crate) struct ResearchRequest<'a> {
    pub(crate) terms: AnswerTerms<'a>,
    pub(crate) topic: &'a str,
    pub(crate) questions_max: usize,
    pub(crate) tokens_max: usize,
}

pub(crate) struct ResearchedDomain {
    pub(crate) questions: Vec<AnsweredQuestion>,
    pub(crate) missing: Vec<MissingPart>,
    /// Passages and documents of the first look.
    pub(crate) passages: usize,
    pub(crate) documents: usize,
    pub(crate) unverified: usize,
    pub(crate) indexes: Vec<SearchedIndex>,
    pub(crate) warnings: Vec<String>,
}

pub(crate) struct AnsweredQuestion {
    pub(crate) question: SubQuestion,
    pub(crate) packed: PackedAnswer,
}

impl KnowledgeBases {
    pub(crate) async fn walk(
        &self,
        context: &ToolContext,
        request: ResearchRequest<'_>,
    ) -> Result<ResearchedDomain, Refusal> {
        let ResearchRequest { terms, topic, questions_max, tokens_max } = request;
        let first =
            self.search(context, AnswerTerms { passages_max: FIRST_PASSAGES, ..terms }, topic).await?;
        let FoundPassages { passages, indexes, mut warnings, .. } = first;
        let facets = facets(topic, &passages);
        let asked = sub_questions(topic, &facets, questions_max);
        let terms = AnswerTerms { passages_max: QUESTION_PASSAGES, ..terms };
        let mut before = OfferedBefore::default();
        let mut questions: Vec<AnsweredQuestion> = Vec::with_capacity(asked.len());
        let (mut left, mut mark, mut unverified) = (tokens_max, 0, 0);
        for (number, question) in asked.iter().enumerate() {
            // What a question leaves goes to those after it.
            let share = left / (asked.len() - number);
            let found = self.search(context, terms, &question.query).await?;
            let answer = self.offer(terms.manner, found, &mut before, share, mark).await?;
            let GatheredAnswer { packed, unverified: lost, warnings: more, .. } = answer;
            left = left.saturating_sub(packed.tokens);
            mark = packed.last_mark().max(mark);
            unverified += lost;
            add_new(&mut warnings, more);
            questions.push(AnsweredQuestion { question: question.clone(), packed });
        }
        let documents: BTreeSet<&str> = passages.iter().map(|one| one.passage.hit.path.as_str()).collect();
        Ok(ResearchedDomain {
            missing: missing(&questions, terms.pointers, &facets, &passages),
            documents: documents.len(),
            passages: passages.len(),
            questions,
            unverified,
            indexes,
            warnings,
        })
    }
}

/// Each question of a walk would repeat the warnings about the indexes.
fn add_new(warnings: &mut Vec<String>, more: Vec<String>) {
    for warning in more {
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
}
