//! The public data of knowledge bases and of the indexes that they answer from. Times are RFC 3339.

use serde::Serialize;
use toolgate_core::moment::rfc3339;
use toolgate_core::pointer::{Pointer, PointerPath};
use toolgate_store::{IndexBuildRow, KnowledgeBase};
use utoipa::ToSchema;

/// Documents that are named one by one; the run of an index has all.
const PROBLEMS_SHOWN_MAX: usize = 10;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct KnowledgeBasesPage {
    pub(super) knowledge_bases: Vec<KnowledgeBaseView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_cursor: Option<String>,
}

/// Pointers whose documents are asked together
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = KnowledgeBase)]
pub(crate) struct KnowledgeBaseView {
    #[schema(example = "kb_0198f5c2a4b07c3d8e1f")]
    id: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    pointers: Vec<BasePointerView>,
    /// The profile of its indexes.
    profile: String,
    /// fast-skim, legal-citations or strict-evidence
    manner: String,
    version: u64,
    created_by: String,
    created_at: String,
    changed_by: String,
    changed_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BasePointerView {
    namespace: String,
    name: String,
}

/// A knowledge base with the state of its indexes
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct KnowledgeBaseDetail {
    #[serde(flatten)]
    pub(super) base: KnowledgeBaseView,
    pub(super) sources: Vec<BaseSourceView>,
}

/// A pointer of a knowledge base, and its index
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BaseSourceView {
    namespace: String,
    name: String,
    /// missing: there is no such pointer; empty: it leads nowhere; none: it has no index; behind: it has moved since its index was built;
    /// ready
    status: &'static str,
    /// ptr_…
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<String>,
    /// The manifest that it leads to.
    #[serde(skip_serializing_if = "Option::is_none")]
    manifest: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<BaseIndexView>,
}

/// The index of a pointer
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BaseIndexView {
    /// With its version: docs.default@1
    profile: String,
    /// inside or postgres
    engine: String,
    documents: u64,
    chunks: u64,
    manifest: String,
    /// The manifest that it was built of.
    source_manifest: String,
    built_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    problem_count: u64,
    /// The first documents that are not in it.
    problems: Vec<IndexProblemView>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct IndexProblemView {
    path: String,
    why: String,
}

impl From<&KnowledgeBase> for KnowledgeBaseView {
    fn from(base: &KnowledgeBase) -> Self {
        Self {
            id: base.id.to_string(),
            name: base.name.clone(),
            title: base.title.clone(),
            description: base.description.clone(),
            pointers: base.pointers.iter().map(BasePointerView::from).collect(),
            profile: base.profile.clone(),
            manner: base.manner.clone(),
            version: base.version,
            created_by: base.created_by.to_string(),
            created_at: rfc3339(base.created_at_ms),
            changed_by: base.changed_by.to_string(),
            changed_at: rfc3339(base.changed_at_ms),
            deleted_at: base.deleted_at_ms.map(rfc3339),
        }
    }
}

impl From<&PointerPath> for BasePointerView {
    fn from(path: &PointerPath) -> Self {
        Self { namespace: path.namespace().to_owned(), name: path.name().to_owned() }
    }
}

impl BaseSourceView {
    /// `builds` are the indexes of the base's profile, newest first.
    pub(super) fn of(path: &PointerPath, pointer: Option<&Pointer>, builds: Vec<IndexBuildRow>) -> Self {
        let head = pointer.and_then(|pointer| pointer.manifest);
        let is_current = |build: &IndexBuildRow| Some(build.key.source_manifest) == head;
        let at = builds.iter().position(is_current);
        let status = match (pointer, head, at) {
            (None, _, _) => "missing",
            (Some(_), None, _) => "empty",
            (Some(_), Some(_), Some(_)) => "ready",
            (Some(_), Some(_), None) if builds.is_empty() => "none",
            (Some(_), Some(_), None) => "behind",
        };
        Self {
            namespace: path.namespace().to_owned(),
            name: path.name().to_owned(),
            status,
            pointer: pointer.map(|pointer| pointer.id.to_string()),
            manifest: head.map(|head| head.to_string()),
            index: builds.into_iter().nth(at.unwrap_or(0)).map(BaseIndexView::from),
        }
    }
}

impl From<IndexBuildRow> for BaseIndexView {
    fn from(build: IndexBuildRow) -> Self {
        let problems = build.problems.into_iter().take(PROBLEMS_SHOWN_MAX);
        Self {
            profile: format!("{}@{}", build.key.profile, build.key.profile_version),
            engine: build.key.engine,
            documents: build.documents,
            chunks: build.chunks,
            manifest: build.index_manifest.to_string(),
            source_manifest: build.key.source_manifest.to_string(),
            built_at: rfc3339(build.at_ms),
            run: build.run.map(|run| run.to_string()),
            problem_count: build.problem_count,
            problems: problems.map(|one| IndexProblemView { path: one.path, why: one.why }).collect(),
        }
    }
}
