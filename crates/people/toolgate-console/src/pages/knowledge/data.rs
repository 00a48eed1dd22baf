//! The API's data about knowledge bases, and the data of an answer.

use serde::Deserialize;

use crate::address::PageAddress;

#[derive(Deserialize)]
pub(super) struct KnowledgeBasesData {
    pub(super) knowledge_bases: Vec<KnowledgeBaseData>,
    #[serde(default)]
    pub(super) next_cursor: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct KnowledgeBaseData {
    pub(super) id: String,
    pub(super) name: String,
    #[serde(default)]
    pub(super) title: Option<String>,
    #[serde(default)]
    pub(super) description: Option<String>,
    pub(super) pointers: Vec<BasePointerData>,
    pub(super) profile: String,
    pub(super) manner: String,
    pub(super) version: u64,
    pub(super) created_by: String,
    pub(super) created_at: String,
    pub(super) changed_by: String,
    pub(super) changed_at: String,
    #[serde(default)]
    pub(super) deleted_at: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct BasePointerData {
    pub(super) namespace: String,
    pub(super) name: String,
}

#[derive(Deserialize)]
pub(super) struct KnowledgeBaseDetailData {
    #[serde(flatten)]
    pub(super) base: KnowledgeBaseData,
    pub(super) sources: Vec<BaseSourceData>,
}

#[derive(Deserialize)]
pub(super) struct BaseSourceData {
    pub(super) namespace: String,
    pub(super) name: String,
    /// missing, empty, none, behind or ready
    pub(super) status: String,
    #[serde(default)]
    pub(super) manifest: Option<String>,
    #[serde(default)]
    pub(super) index: Option<BaseIndexData>,
}

#[derive(Deserialize)]
pub(super) struct BaseIndexData {
    /// With its version.
    pub(super) profile: String,
    pub(super) documents: u64,
    pub(super) chunks: u64,
    pub(super) built_at: String,
    #[serde(default)]
    pub(super) run: Option<String>,
    pub(super) problem_count: u64,
    pub(super) problems: Vec<IndexProblemData>,
}

#[derive(Deserialize)]
pub(super) struct IndexProblemData {
    pub(super) path: String,
    pub(super) why: String,
}

impl KnowledgeBaseData {
    pub(super) fn address(&self) -> PageAddress {
        PageAddress::of(["console", "knowledge", &self.id])
    }
}

/// The answer of `knowledge.kb_query`.
#[derive(Deserialize)]
pub(super) struct BaseAnswerData {
    pub(super) found: bool,
    pub(super) manner: String,
    #[serde(default)]
    pub(super) answer: Option<WrittenAnswerData>,
    pub(super) passages: Vec<PassageData>,
    #[serde(default)]
    pub(super) left_out: u64,
    #[serde(default)]
    pub(super) warnings: Vec<String>,
}

/// The answer in the words of a model.
#[derive(Deserialize)]
pub(super) struct WrittenAnswerData {
    pub(super) model: String,
    pub(super) sentences: Vec<WrittenSentenceData>,
}

#[derive(Deserialize)]
pub(super) struct WrittenSentenceData {
    pub(super) text: String,
    pub(super) marks: Vec<u32>,
}

#[derive(Deserialize)]
pub(super) struct PassageData {
    pub(super) pointer: BasePointerData,
    pub(super) path: String,
    #[serde(default)]
    pub(super) page: Option<u32>,
    #[serde(default)]
    pub(super) headings: Vec<String>,
    pub(super) sentences: Vec<PassageSentenceData>,
}

#[derive(Deserialize)]
pub(super) struct PassageSentenceData {
    pub(super) text: String,
    #[serde(default)]
    pub(super) mark: Option<u32>,
    #[serde(default)]
    pub(super) citation: Option<PassageCitationData>,
}

/// The place of a sentence in its document.
#[derive(Deserialize)]
pub(super) struct PassageCitationData {
    artifact: String,
    docir: String,
    item: String,
    start: u64,
    end: u64,
}

impl PassageCitationData {
    /// The page that draws it where it stands.
    pub(super) fn address(&self) -> PageAddress {
        PageAddress::of(["console", "citations"])
            .with("artifact", &self.artifact)
            .with("docir", &self.docir)
            .with("item", &self.item)
            .with("start", self.start)
            .with("end", self.end)
    }
}
