//! The three ways of finding that are compared.

use toolgate_core::CanonicalName;
use toolgate_search::meaning::MeaningIndex;
use toolgate_search::{SearchHit, Subset};

#[derive(Clone, Copy)]
pub(super) enum Way<'a> {
    /// As the gateway without a model.
    Words,
    /// For comparison only: the gateway never uses meaning alone.
    Meaning(&'a MeaningIndex),
    /// As the gateway with a model.
    Both(&'a MeaningIndex),
}

impl Way<'_> {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Way::Words => "lexical only",
            Way::Meaning(_) => "encoder only",
            Way::Both(_) => "fused",
        }
    }

    pub(super) fn search(
        &self,
        subset: &Subset,
        query: &str,
        limit: usize,
    ) -> anyhow::Result<Vec<SearchHit>> {
        Ok(match self {
            Way::Words => subset.search(query, None, limit),
            Way::Meaning(meaning) => meaning.nearest(subset, query, limit)?,
            Way::Both(meaning) => meaning.search(subset, query, None, limit)?,
        })
    }

    pub(super) fn find(
        &self,
        subset: &Subset,
        query: &str,
        limit: usize,
    ) -> anyhow::Result<Vec<CanonicalName>> {
        Ok(self.search(subset, query, limit)?.into_iter().map(|hit| hit.name).collect())
    }
}
