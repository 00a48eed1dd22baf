//! Refs: the parts of results that were too large or too binary for the context.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use http::{HeaderMap, Method, StatusCode};
use toolgate_core::id::RefId;
use toolgate_core::scope::Credential;

use super::answer::json;
use super::caller::ContentCaller;
use super::content::{ContentRequest, send};
use super::file_view::RefView;
use crate::ApiContext;
use crate::problem::ApiResult;

/// Show a ref
#[utoipa::path(get, path = "/refs/{id}", tag = "files", params(("id" = String, Path, description = "ref_…")),
    responses((status = 200, description = "The ref", body = RefView),
        (status = 404, description = "Not found, or not available to the caller")))]
pub(crate) async fn show(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> ApiResult<Response> {
    let caller = ContentCaller::of(&context, &credential).await?;
    let one = context.files.reference(&caller.access(), &RefId::new(id)).await?;
    Ok(json(StatusCode::OK, &RefView::from(one)))
}

/// Fetch the content of a ref
#[utoipa::path(get, path = "/refs/{id}/content", tag = "files",
    params(("id" = String, Path, description = "ref_…"),
        ("range" = Option<String>, Header, description = "One range of bytes, such as bytes=0-1023")),
    responses((status = 200, description = "The whole content", body = Vec<u8>, content_type = "application/octet-stream"),
        (status = 206, description = "The requested range"), (status = 304, description = "Not modified"),
        (status = 404, description = "Not found, or not available to the caller"),
        (status = 409, description = "The content is still with its server"),
        (status = 416, description = "The range is outside the content; `content-range` has its length")))]
pub(crate) async fn content(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
    method: Method,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let caller = ContentCaller::of(&context, &credential).await?;
    // An id of another kind is not a ref.
    let one = context.files.reference(&caller.access(), &RefId::new(id)).await?;
    let found = context.files.resolve(&caller.access(), one.id.as_str()).await?;
    send(&context, &ContentRequest::of(&method, &headers), found).await
}
