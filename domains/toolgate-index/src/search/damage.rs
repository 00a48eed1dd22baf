//! A search that meets a damaged index: it goes on without it, and the index is built anew from its corpus.

use std::sync::Arc;

use toolgate_core::{PrincipalId, Refusal};
use toolgate_store::Actor;

use super::found::QueriedIndex;
use super::prepared::PreparedSearch;
use crate::indexes::Indexes;
use crate::ingest::{IngestMode, IngestOrder};
use crate::profiles::KnownProfile;
use crate::refusal::{all_damaged, is_about_index};

impl Indexes {
    /// The same search over the indexes that are sound. If none is, the refusal stays.
    pub(super) async fn without_damaged(
        &self,
        prepared: PreparedSearch,
        refusal: Refusal,
    ) -> Result<PreparedSearch, Refusal> {
        let PreparedSearch { mut search, indexes, known, mut warnings } = prepared;
        let (mut sound, mut refs) = (Vec::new(), Vec::new());
        for (index, one) in indexes.into_iter().zip(std::mem::take(&mut search.indexes)) {
            match self.engine.check(one.listing.clone()).await {
                Ok(()) => {
                    sound.push(index);
                    refs.push(one);
                }
                Err(damage) if is_about_index(&damage) => {
                    warnings.push(format!("{} was left out and is built anew: {damage}", index.source));
                    self.rebuild(&index, &known).await?;
                }
                Err(other) => return Err(other),
            }
        }
        if refs.is_empty() {
            return Err(all_damaged(refusal));
        }
        search.indexes = refs;
        Ok(PreparedSearch { search, indexes: sound, known, warnings })
    }

    async fn rebuild(&self, index: &QueriedIndex, known: &Arc<KnownProfile>) -> Result<(), Refusal> {
        let order = IngestOrder {
            source: index.source.clone(),
            manifest: (!index.source.is_traces()).then_some(index.source_manifest),
            known: Arc::clone(known),
            mode: IngestMode::Rebuild,
        };
        self.start_ingest(&order, &Actor::person(&PrincipalId::gateway())).await.map(drop)
    }
}
