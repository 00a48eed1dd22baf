//! The files and refs of a call that waits for approval: the content to approve, for the approvers.

use axum::extract::{Path, State};
use axum::response::Response;
use http::{HeaderMap, Method};
use toolgate_core::id::ApprovalId;
use toolgate_files::{FoundContent, StoredKind};

use super::content::{ContentRequest, send};
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};

/// Fetch a file of an approval
///
/// Returns the exact content that the approval covers, even if the file belongs to another principal.
#[utoipa::path(get, path = "/approvals/{id}/attachments/{number}", tag = "approvals",
    params(("id" = String, Path, description = "apr_…"),
        ("number" = usize, Path, description = "Index in `attachments`, from 0"),
        ("range" = Option<String>, Header, description = "One range of bytes, such as bytes=0-1023")),
    responses((status = 200, description = "The whole content", body = Vec<u8>, content_type = "application/octet-stream"),
        (status = 206, description = "The requested range"), (status = 304, description = "Not modified"),
        (status = 404, description = "Not found, or no longer kept"),
        (status = 416, description = "The range is outside the content; `content-range` has its length")))]
pub(crate) async fn content(
    State(context): State<ApiContext>,
    Path((id, number)): Path<(String, String)>,
    method: Method,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let found = context.store.get_approval(&ApprovalId::new(id.as_str())).await?;
    let approval = found.ok_or_else(|| Problem::not_found(format!("there is no approval {id}")))?;
    let number_read: Option<usize> = number.parse().ok();
    let one = number_read.and_then(|number| approval.attachments.into_iter().nth(number));
    let one = one.ok_or_else(|| Problem::not_found(format!("approval {id} names no file {number}")))?;
    let found = FoundContent {
        what: StoredKind::File,
        digest: one.digest,
        bytes: one.bytes,
        media_type: one.media_type,
        name: one.name,
    };
    send(&context, &ContentRequest::of(&method, &headers), found).await
}
