//! Knowledge bases over the indexes and documents of this gateway.

use std::sync::Arc;

use docir::{Citation, CitationStanding};
use engine_protocol::{ContentId, SearchFilter};
use toolgate_core::governance::Clock;
use toolgate_core::model::ModelName;
use toolgate_core::pointer::PointerPath;
use toolgate_core::port::BoxFuture;
use toolgate_core::{Digest, Refusal, RefusalKind};
use toolgate_documents::{Documents, digest_of};
use toolgate_domain::ToolContext;
use toolgate_index::{IndexQuery, IndexScope, IndexSource, Indexes};
use toolgate_knowledge::{
    AnswerModel, CitationSource, FoundPassage, FoundPassages, KnowledgeBases, KnowledgeSetup, OfferedQuote,
    PassageRequest, PassageSource, SearchedIndex,
};
use toolgate_models::ModelDesk;
use toolgate_store::{Books, Store};

/// The parts that knowledge bases need.
pub(crate) struct KnowledgeParts<'a> {
    pub(crate) store: &'a Store,
    pub(crate) books: &'a Arc<Books>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) indexes: &'a Arc<Indexes>,
    pub(crate) documents: &'a Arc<Documents>,
    pub(crate) models: &'a Arc<ModelDesk>,
    /// The model that writes answers.
    pub(crate) model: Option<&'a ModelName>,
}

pub(crate) fn open(parts: KnowledgeParts<'_>) -> Arc<KnowledgeBases> {
    let KnowledgeParts { store, books, clock, indexes, documents, models, model } = parts;
    KnowledgeBases::new(KnowledgeSetup {
        store: store.clone(),
        books: Arc::clone(books),
        clock,
        passages: Arc::new(IndexPassages(Arc::clone(indexes))),
        citations: Arc::new(DocumentCitations(Arc::clone(documents))),
        model: model.map(|name| AnswerModel { models: models.clone(), name: name.clone() }),
    })
}

struct IndexPassages(Arc<Indexes>);

impl PassageSource for IndexPassages {
    fn passages<'a>(
        &'a self,
        context: &'a ToolContext,
        request: PassageRequest<'a>,
    ) -> BoxFuture<'a, Result<FoundPassages, Refusal>> {
        Box::pin(async move {
            let query = IndexQuery {
                query: request.query.to_owned(),
                scope: IndexScope { pointers: request.pointers.to_vec(), manifests: Vec::new() },
                profile: request.profile.to_owned(),
                top_k: u16::try_from(request.passages_max).unwrap_or(u16::MAX),
                filter: SearchFilter::default(),
            };
            self.0.passages(context, &query).await.map(found)
        })
    }
}

fn found(found: toolgate_index::FoundPassages) -> FoundPassages {
    let toolgate_index::FoundPassages { passages, indexes, profile, warnings } = found;
    let passages = passages.into_iter().filter_map(|one| {
        let pointer = pointer_of(&one.source)?;
        Some(FoundPassage { pointer, passage: one.passage })
    });
    let passages: Vec<FoundPassage> = passages.collect();
    let indexes = indexes.into_iter().filter_map(|one| {
        let pointer = pointer_of(&one.source)?;
        let (manifest, profile) = (one.manifest.to_string(), profile.clone());
        Some(SearchedIndex { pointer, manifest, profile, is_behind: one.is_behind })
    });
    let mut sentences = passages.iter().flat_map(|one| &one.passage.sentences);
    let by_meaning = sentences.any(|sentence| sentence.cosine.is_some());
    FoundPassages { by_meaning, indexes: indexes.collect(), passages, warnings }
}

fn pointer_of(source: &IndexSource) -> Option<PointerPath> {
    PointerPath::new(source.namespace(), source.name()).ok()
}

struct DocumentCitations(Arc<Documents>);

impl CitationSource for DocumentCitations {
    fn cite<'a>(
        &'a self,
        artifact: &'a ContentId,
        docir: &'a ContentId,
        quotes: &'a [OfferedQuote],
    ) -> BoxFuture<'a, Result<Vec<Option<Citation>>, Refusal>> {
        Box::pin(async move {
            let (artifact, docir) = (digest_of(artifact), digest_of(docir));
            let mut citations = Vec::with_capacity(quotes.len());
            for quote in quotes {
                citations.push(match self.checked(artifact, docir, quote).await {
                    Err(refusal) if !matches!(refusal.kind, RefusalKind::Down | RefusalKind::TooMany) => {
                        tracing::debug!(%docir, %refusal, "a sentence is not cited");
                        None
                    }
                    checked => checked?,
                });
            }
            Ok(citations)
        })
    }
}

impl DocumentCitations {
    /// A citation of the words that are offered, if they stand in the document.
    async fn checked(
        &self,
        artifact: Digest,
        docir: Digest,
        quote: &OfferedQuote,
    ) -> Result<Option<Citation>, Refusal> {
        let at = |place: u64| usize::try_from(place).unwrap_or(usize::MAX);
        let span = at(quote.place.start)..at(quote.place.end);
        let Some(mut citation) = self.0.cite(artifact, docir, &quote.place.item, span).await? else {
            return Ok(None);
        };
        // The document's own words at that place would be found there in any case.
        quote.text.clone_into(&mut citation.quote.exact);
        match self.0.check(&citation).await? {
            CitationStanding::Verified => Ok(Some(citation)),
            CitationStanding::Moved { item, start, end } => {
                self.0.cite(artifact, docir, &item, start..end).await
            }
            CitationStanding::Absent => Ok(None),
        }
    }
}
