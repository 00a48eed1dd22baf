#![doc = include_str!("../README.md")]

mod build;
mod content;
mod document;
mod lines;
mod profile;
mod search;

pub use build::{
    AbandonBuild, BeginBuild, BuildId, DropDocuments, EngineKind, FinishBuild, FinishedBuild, IndexFile,
    IndexListing, IngestDocument, PutDocuments, PutSummary, RefusedDocument, StartedBuild,
};
pub use content::{BadContentId, CONTENTS_FOLDER, ContentId};
pub use document::{
    ClassLabel, ClassScore, Classified, Classify, DocumentTier, EvidenceSpan, PagePicture, Parse, Parsed,
    RenderedPicture,
};
pub use lines::{
    EngineAnswer, EngineErrorCode, EngineFault, EngineGreeting, EngineLine, EngineRequest, ModelFacts,
    PROTOCOL, PostgresFacts, RequestLine,
};
pub use profile::{
    Chunking, FieldWeights, Fusion, MeaningScoring, Profile, SnippetRule, Stemming, WordFeedback, WordScoring,
};
pub use search::{
    Explain, Explanation, FilterRule, HitId, IndexRef, ItemSpan, Passage, PassageHit, PassageSentence,
    Passages, ScoreParts, Search, SearchAnswer, SearchFilter, Snippet, TermScore,
};
