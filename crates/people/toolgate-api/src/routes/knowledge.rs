//! Knowledge bases, for people. Asking one is a call of the tool `knowledge.kb_query`, which is judged and recorded.

use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use toolgate_core::codes;
use toolgate_store::{KNOWLEDGE_BASES_PAGE_MAX, KnowledgeBase, PageCursor};
use utoipa::IntoParams;

use super::answer::json;
use super::knowledge_view::{BaseSourceView, KnowledgeBaseDetail, KnowledgeBaseView, KnowledgeBasesPage};
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::read::{Query, bad_parameter, limit};

const PAGE_USUAL: usize = 50;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct KnowledgeBasesQuery {
    /// `next_cursor` of the previous page
    #[serde(default)]
    cursor: Option<String>,
    /// Maximum number of entries on the page
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 200)]
    limit: Option<String>,
}

/// List knowledge bases, newest first
#[utoipa::path(get, path = "/knowledge-bases", tag = "knowledge", params(KnowledgeBasesQuery),
    responses((status = 200, description = "A page", body = KnowledgeBasesPage)))]
pub(crate) async fn list(
    State(context): State<ApiContext>,
    Query(query): Query<KnowledgeBasesQuery>,
) -> ApiResult<Response> {
    let read = |text: &str| {
        text.parse::<PageCursor>().map_err(|_| bad_parameter("cursor", text, "a `next_cursor` of a page"))
    };
    let cursor = query.cursor.as_deref().map(read).transpose()?;
    let limit = limit(query.limit.as_deref(), PAGE_USUAL, KNOWLEDGE_BASES_PAGE_MAX)?;
    let (found, next) = context.store.knowledge_bases(cursor.as_ref(), limit).await?;
    let knowledge_bases = found.iter().map(KnowledgeBaseView::from).collect();
    let next_cursor = next.map(|next| next.to_string());
    Ok(json(StatusCode::OK, &KnowledgeBasesPage { knowledge_bases, next_cursor }))
}

/// Show a knowledge base with the state of its indexes
#[utoipa::path(get, path = "/knowledge-bases/{id}", tag = "knowledge",
    params(("id" = String, Path, description = "kb_…, or its name")),
    responses((status = 200, description = "The knowledge base", body = KnowledgeBaseDetail),
        (status = 404, description = "Not found")))]
pub(crate) async fn show(State(context): State<ApiContext>, Path(id): Path<String>) -> ApiResult<Response> {
    let found = context.store.knowledge_base(&id).await?;
    let base = found.ok_or_else(|| {
        Problem::new(&codes::UNKNOWN_KNOWLEDGE_BASE, format!("there is no knowledge base {id:?}"))
    })?;
    let sources = sources(&context, &base).await?;
    Ok(json(StatusCode::OK, &KnowledgeBaseDetail { base: KnowledgeBaseView::from(&base), sources }))
}

/// Its pointers, a few at most, with their indexes.
async fn sources(context: &ApiContext, base: &KnowledgeBase) -> ApiResult<Vec<BaseSourceView>> {
    let mut sources = Vec::with_capacity(base.pointers.len());
    for path in &base.pointers {
        let pointer = context.store.pointer_named(path).await?;
        let mut builds = context.store.index_builds_of(path.namespace(), path.name()).await?;
        builds.retain(|build| build.key.profile == base.profile);
        sources.push(BaseSourceView::of(path, pointer.as_ref(), builds));
    }
    Ok(sources)
}
