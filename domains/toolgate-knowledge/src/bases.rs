//! The knowledge bases of one gateway process: what the tools work on.

use std::sync::Arc;

use toolgate_core::Refusal;
use toolgate_core::governance::Clock;
use toolgate_core::model::{ModelName, Models};
use toolgate_core::pointer::PointerPath;
use toolgate_domain::{ToolContext, unknown_pointer};
use toolgate_store::{Books, KnowledgeBase, Store};

use crate::manner::AnswerManner;
use crate::ports::{CitationSource, PassageSource};
use crate::refusal::{down, unknown, weaker};

pub struct KnowledgeSetup {
    pub store: Store,
    pub books: Arc<Books>,
    pub clock: Arc<dyn Clock>,
    pub passages: Arc<dyn PassageSource>,
    pub citations: Arc<dyn CitationSource>,
    /// Without one, answers are passages.
    pub model: Option<AnswerModel>,
}

/// The model that writes answers for those who ask for that.
#[derive(Clone)]
pub struct AnswerModel {
    pub models: Arc<dyn Models>,
    pub name: ModelName,
}

/// The state of the tools `knowledge.*`.
pub struct KnowledgeBases {
    pub(crate) store: Store,
    pub(crate) books: Arc<Books>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) passages: Arc<dyn PassageSource>,
    pub(crate) citations: Arc<dyn CitationSource>,
    pub(crate) model: Option<AnswerModel>,
}

impl KnowledgeBases {
    pub fn new(setup: KnowledgeSetup) -> Arc<Self> {
        let KnowledgeSetup { store, books, clock, passages, citations, model } = setup;
        Arc::new(Self { store, books, clock, passages, citations, model })
    }

    /// A base by id or name. One with a pointer that the session has not mounted does not exist.
    pub(crate) async fn find(&self, context: &ToolContext, kb: &str) -> Result<KnowledgeBase, Refusal> {
        let found = self.store.knowledge_base(kb).await.map_err(|error| down(&error))?;
        let is_there = |base: &KnowledgeBase| base.deleted_at_ms.is_none() && is_visible(context, base);
        found.filter(is_there).ok_or_else(|| unknown(kb))
    }

    /// Refuses pointers that the session has not mounted, and those that are not there.
    pub(crate) async fn check_pointers(
        &self,
        context: &ToolContext,
        pointers: &[PointerPath],
    ) -> Result<(), Refusal> {
        for path in pointers {
            let is_there = context.sees_pointer(path.namespace(), path.name())
                && self.store.pointer_named(path).await.map_err(|error| down(&error))?.is_some();
            if !is_there {
                return Err(unknown_pointer(path.namespace(), path.name()).field("pointers"));
            }
        }
        Ok(())
    }
}

/// True if the session sees all of its pointers.
pub(crate) fn is_visible(context: &ToolContext, base: &KnowledgeBase) -> bool {
    base.pointers.iter().all(|path| context.sees_pointer(path.namespace(), path.name()))
}

/// The manner of a base. One that this program does not know is taken for the strictest.
pub(crate) fn manner_of(base: &KnowledgeBase) -> AnswerManner {
    AnswerManner::parse(&base.manner).unwrap_or(AnswerManner::StrictEvidence)
}

/// The manner of an answer: that of the base, or a stricter one.
pub(crate) fn agreed_manner(
    base: &KnowledgeBase,
    wanted: Option<AnswerManner>,
) -> Result<AnswerManner, Refusal> {
    let own = manner_of(base);
    match wanted {
        Some(wanted) if wanted < own => Err(weaker(&base.name, own)),
        wanted => Ok(wanted.unwrap_or(own)),
    }
}
