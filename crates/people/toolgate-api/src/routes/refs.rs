//! Refs: what results became that were too large or too binary for the context.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use http::{HeaderMap, Method, StatusCode};
use toolgate_core::id::RefId;
use toolgate_core::scope::Credential;

use super::caller::Caller;
use super::content::{Wanted, send};
use super::file_view::RefView;
use super::json;
use crate::Context;
use crate::problem::Answered;

/// Show a ref
#[utoipa::path(get, path = "/refs/{id}", tag = "files", params(("id" = String, Path, description = "ref_…")),
    responses((status = 200, description = "The ref", body = RefView),
        (status = 404, description = "There is none that the caller may use")))]
pub(crate) async fn show(
    State(context): State<Context>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> Answered<Response> {
    let caller = Caller::of(&context, &credential).await?;
    let one = context.files.reference(&caller.access(), &RefId::new(id)).await?;
    Ok(json(StatusCode::OK, &RefView::from(one)))
}

/// Fetch what a ref stands for
#[utoipa::path(get, path = "/refs/{id}/content", tag = "files",
    params(("id" = String, Path, description = "ref_…"),
        ("range" = Option<String>, Header, description = "One range of bytes, such as bytes=0-1023")),
    responses((status = 200, description = "All of it", body = Vec<u8>, content_type = "application/octet-stream"),
        (status = 206, description = "The wanted piece"), (status = 304, description = "The caller has it"),
        (status = 404, description = "There is none that the caller may use"),
        (status = 409, description = "Its server still has it"),
        (status = 416, description = "There are no such bytes; `content-range` has the length")))]
pub(crate) async fn content(
    State(context): State<Context>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
    method: Method,
    headers: HeaderMap,
) -> Answered<Response> {
    let caller = Caller::of(&context, &credential).await?;
    // An id of something else is no ref.
    let one = context.files.reference(&caller.access(), &RefId::new(id)).await?;
    let found = context.files.resolve(&caller.access(), one.id.as_str()).await?;
    send(&context, &Wanted::of(&method, &headers), found).await
}
