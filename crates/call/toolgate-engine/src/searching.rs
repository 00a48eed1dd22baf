//! Searches, their explanations, passages as texts, and the check of an index.

use engine_protocol::{
    EngineRequest, Explain, Explanation, IndexListing, Passage, Passages, Search, SearchAnswer,
};
use toolgate_core::Refusal;

use crate::link::EngineLink;
use crate::places::RequestClass;

impl EngineLink {
    pub async fn search(&self, search: Search) -> Result<SearchAnswer, Refusal> {
        self.ask(EngineRequest::Search(Box::new(search)), RequestClass::Search).await
    }

    pub async fn explain(&self, explain: Explain) -> Result<Explanation, Refusal> {
        self.ask(EngineRequest::Explain(Box::new(explain)), RequestClass::Search).await
    }

    pub async fn passages(&self, passages: Passages) -> Result<Vec<Passage>, Refusal> {
        self.ask(EngineRequest::Passages(Box::new(passages)), RequestClass::Search).await
    }

    /// Opens all files of an index. A damaged or missing one is named in the refusal `index_damaged`.
    pub async fn check(&self, listing: IndexListing) -> Result<(), Refusal> {
        self.ask(EngineRequest::Check(Box::new(listing)), RequestClass::Build).await
    }
}
