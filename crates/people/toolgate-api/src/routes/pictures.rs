//! The picture of a question, for those who may answer it.

use axum::extract::{Path, State};
use axum::response::Response;
use http::{HeaderMap, Method};
use toolgate_core::id::InputId;
use toolgate_files::{FoundContent, StoredKind};

use super::content::{ContentRequest, send};
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};

/// Fetch the picture of a question
///
/// Returns the very bytes that the agent showed when it asked, even if they belong to another principal.
#[utoipa::path(get, path = "/inputs/{id}/picture", tag = "inputs",
    params(("id" = String, Path, description = "inp_…"),
        ("range" = Option<String>, Header, description = "One range of bytes, such as bytes=0-1023")),
    responses((status = 200, description = "The picture", body = Vec<u8>, content_type = "application/octet-stream"),
        (status = 206, description = "The requested range"), (status = 304, description = "Not modified"),
        (status = 404, description = "There is no such question, it has no picture, or the picture is no longer kept"),
        (status = 416, description = "The range is outside the content; `content-range` has its length")))]
pub(crate) async fn show(
    State(context): State<ApiContext>,
    Path(id): Path<String>,
    method: Method,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let input = context.runs.input(&InputId::new(id.as_str())).await?;
    let missing = || Problem::not_found(format!("question {id} has no picture"));
    let picture = input.slot.picture.ok_or_else(missing)?;
    let found = FoundContent {
        what: StoredKind::Ref,
        digest: picture.digest,
        bytes: picture.bytes,
        media_type: picture.media_type,
        name: None,
    };
    send(&context, &ContentRequest::of(&method, &headers), found).await
}
