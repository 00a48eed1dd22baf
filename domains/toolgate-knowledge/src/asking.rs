//! One question: search, choice, check against the sources, packing.

use toolgate_core::Refusal;
use toolgate_core::pointer::PointerPath;
use toolgate_domain::ToolContext;

use crate::bases::KnowledgeBases;
use crate::citing::{self, CitedPassages};
use crate::manner::AnswerManner;
use crate::packing::{self, PackedAnswer};
use crate::ports::{FoundPassages, PassageRequest, SearchedIndex};
use crate::selection::{self, OfferedBefore};
use crate::words;

/// The corpus and the terms of an answer.
#[derive(Clone, Copy)]
pub(crate) struct AnswerTerms<'a> {
    pub(crate) pointers: &'a [PointerPath],
    pub(crate) profile: &'a str,
    pub(crate) manner: AnswerManner,
    pub(crate) passages_max: u32,
}

/// An answer as passages.
pub(crate) struct GatheredAnswer {
    pub(crate) packed: PackedAnswer,
    /// Sentences that were found and do not stand in their documents.
    pub(crate) unverified: usize,
    pub(crate) by_meaning: bool,
    pub(crate) indexes: Vec<SearchedIndex>,
    pub(crate) warnings: Vec<String>,
}

impl KnowledgeBases {
    pub(crate) async fn search(
        &self,
        context: &ToolContext,
        terms: AnswerTerms<'_>,
        query: &str,
    ) -> Result<FoundPassages, Refusal> {
        let AnswerTerms { pointers, profile, passages_max, .. } = terms;
        self.passages.passages(context, PassageRequest { query, pointers, profile, passages_max }).await
    }

    /// Searches, and packs what may be offered into a number of tokens.
    pub(crate) async fn gather(
        &self,
        context: &ToolContext,
        terms: AnswerTerms<'_>,
        query: &str,
        tokens_max: usize,
    ) -> Result<GatheredAnswer, Refusal> {
        let mut found = self.search(context, terms, query).await?;
        // Sentences that share nothing but such words with a query are no evidence of anything.
        if terms.manner == AnswerManner::StrictEvidence && !words::says_something(query) {
            found.passages.clear();
            found.warnings.push("The query has only words that say nothing by themselves.".to_owned());
        }
        self.offer(terms.manner, found, &mut OfferedBefore::default(), tokens_max, 0).await
    }

    /// Chooses, checks and packs passages that were found. The first mark is the one after `marks_used`.
    pub(crate) async fn offer(
        &self,
        manner: AnswerManner,
        found: FoundPassages,
        before: &mut OfferedBefore,
        tokens_max: usize,
        marks_used: u32,
    ) -> Result<GatheredAnswer, Refusal> {
        let FoundPassages { passages, by_meaning, indexes, warnings } = found;
        let offered = selection::select(manner, passages, before);
        let CitedPassages { passages, unverified } = citing::cite(&*self.citations, manner, offered).await?;
        let packed = packing::pack(passages, tokens_max, marks_used);
        Ok(GatheredAnswer { packed, unverified, by_meaning, indexes, warnings })
    }
}
