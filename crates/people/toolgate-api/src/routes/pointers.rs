//! Pointers and their histories, for people. Agents have the tools `substrate.pointer.*`, which know mounts, and which move them.

use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use toolgate_core::codes;
use toolgate_core::id::PointerId;
use toolgate_core::pointer::{Pointer, PointerKind, PointerPath};
use toolgate_store::PointerFilter;
use utoipa::IntoParams;

use super::answer::json;
use super::pointer_view::{PointerMoveView, PointerMovesPage, PointerView, PointersPage};
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::read::{Query, bad_parameter, limit};

const PAGE_USUAL: usize = 50;
/// The store's own pages are larger.
const PAGE_MAX: usize = 200;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct PointersQuery {
    /// Only namespaces that begin with this
    #[serde(default)]
    namespace: Option<String>,
    /// Only the pointer of this name, in exactly this `namespace`
    #[serde(default)]
    name: Option<String>,
    /// bundle, corpus or snapshot
    #[serde(default, rename = "type")]
    kind: Option<String>,
    /// `next_cursor` of the previous page
    #[serde(default)]
    cursor: Option<String>,
    /// Maximum number of entries on the page
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 200)]
    limit: Option<String>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct PointerMovesQuery {
    /// `next_cursor` of the previous page
    #[serde(default)]
    cursor: Option<String>,
    /// Maximum number of entries on the page
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 200)]
    limit: Option<String>,
}

/// List pointers, by namespace and name
#[utoipa::path(get, path = "/pointers", tag = "substrate", params(PointersQuery),
    responses((status = 200, description = "A page", body = PointersPage)))]
pub(crate) async fn list(
    State(context): State<ApiContext>,
    Query(query): Query<PointersQuery>,
) -> ApiResult<Response> {
    let limit = limit(query.limit.as_deref(), PAGE_USUAL, PAGE_MAX)?;
    let kind = query.kind.as_deref().map(kind).transpose()?;
    let namespace = query.namespace.unwrap_or_default();
    if let Some(name) = &query.name {
        let path = path(&namespace, name)?;
        let found = context.store.pointer_named(&path).await?;
        let found = found.filter(|pointer| kind.is_none_or(|kind| pointer.kind == kind));
        return Ok(page(found.into_iter().collect(), limit));
    }
    let after = match &query.cursor {
        Some(cursor) => Some(after(&context, cursor).await?),
        None => None,
    };
    let filter = PointerFilter { kind, from_namespace: namespace.clone(), after };
    let mut found = context.store.pointers(&filter, limit + 1).await?;
    // They come in the order of namespaces, so the others are all behind.
    found.retain(|pointer| pointer.path.namespace().starts_with(&namespace));
    Ok(page(found, limit))
}

/// Show a pointer
#[utoipa::path(get, path = "/pointers/{id}", tag = "substrate",
    params(("id" = String, Path, description = "ptr_…")),
    responses((status = 200, description = "The pointer, deleted or not", body = PointerView),
        (status = 404, description = "Not found")))]
pub(crate) async fn show(State(context): State<ApiContext>, Path(id): Path<String>) -> ApiResult<Response> {
    let pointer = find(&context, &id).await?;
    Ok(json(StatusCode::OK, &PointerView::from(pointer)))
}

/// List the moves of a pointer, the last first
#[utoipa::path(get, path = "/pointers/{id}/moves", tag = "substrate",
    params(("id" = String, Path, description = "ptr_…"), PointerMovesQuery),
    responses((status = 200, description = "A page", body = PointerMovesPage),
        (status = 404, description = "Not found")))]
pub(crate) async fn moves(
    State(context): State<ApiContext>,
    Path(id): Path<String>,
    Query(query): Query<PointerMovesQuery>,
) -> ApiResult<Response> {
    let limit = limit(query.limit.as_deref(), PAGE_USUAL, PAGE_MAX)?;
    let before = query.cursor.as_deref().map(|text| text.parse::<u64>().map_err(|_| bad_cursor(text)));
    let before = before.transpose()?;
    let pointer = find(&context, &id).await?;
    let moves = context.store.pointer_moves(&pointer.id, before, limit).await?;
    // Moves are numbered from 1 without a gap.
    let next = moves.last().map(|last| last.version).filter(|version| *version > 1);
    let moves = moves.into_iter().map(PointerMoveView::from).collect();
    let next_cursor = next.map(|version| version.to_string());
    Ok(json(StatusCode::OK, &PointerMovesPage { moves, next_cursor }))
}

async fn find(context: &ApiContext, id: &str) -> ApiResult<Pointer> {
    let found = context.store.pointer(&PointerId::new(id)).await?;
    found.ok_or_else(|| Problem::new(&codes::UNKNOWN_POINTER, format!("there is no pointer {id:?}")))
}

/// A cursor is the id of the last pointer of a page.
async fn after(context: &ApiContext, cursor: &str) -> ApiResult<PointerPath> {
    let found = context.store.pointer(&PointerId::new(cursor)).await?;
    found.map(|pointer| pointer.path).ok_or_else(|| bad_cursor(cursor))
}

fn page(mut found: Vec<Pointer>, limit: usize) -> Response {
    let more = found.len() > limit;
    found.truncate(limit);
    let next_cursor = found.last().filter(|_| more).map(|last| last.id.to_string());
    let pointers = found.into_iter().map(PointerView::from).collect();
    json(StatusCode::OK, &PointersPage { pointers, next_cursor })
}

fn kind(text: &str) -> ApiResult<PointerKind> {
    PointerKind::parse(text).ok_or_else(|| bad_parameter("type", text, "bundle, corpus or snapshot"))
}

fn path(namespace: &str, name: &str) -> ApiResult<PointerPath> {
    PointerPath::new(namespace, name).map_err(|bad| {
        bad_parameter(
            bad.what,
            if bad.what == "name" { name } else { namespace },
            "a part of a pointer's name",
        )
        .hint("such as `namespace=project/a&name=handbook`")
    })
}

fn bad_cursor(text: &str) -> Box<Problem> {
    bad_parameter("cursor", text, "a `next_cursor` of a page")
}
