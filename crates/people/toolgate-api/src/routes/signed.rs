//! Temporary addresses that open bytes by themselves. They are signed, so there is no token.

use axum::extract::{Path, RawQuery, State};
use axum::response::Response;
use http::{HeaderMap, Method};
use toolgate_core::codes;

use super::content::{ContentRequest, send};
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};

/// Fetch the content of a signed URL
#[utoipa::path(get, path = "/signed/{kind}/{digest}", tag = "files",
    params(("kind" = String, Path, description = "files, refs or artifacts"),
        ("digest" = String, Path, description = "sha256:…"),
        ("name" = Option<String>, Query, description = "The file name to save it as"),
        ("type" = String, Query, description = "Its media type"),
        ("expires" = i64, Query, description = "When the URL expires, in seconds since 1970"),
        ("signature" = String, Query, description = "The signature of the whole URL"),
        ("range" = Option<String>, Header, description = "One range of bytes, such as bytes=0-1023")),
    responses((status = 200, description = "The whole content", body = Vec<u8>, content_type = "application/octet-stream"),
        (status = 206, description = "The requested range"), (status = 304, description = "Not modified"),
        (status = 401, description = "The URL is incomplete"),
        (status = 403, description = "The URL was not issued here, or was changed"),
        (status = 404, description = "The content is gone"), (status = 410, description = "The URL has expired"),
        (status = 416, description = "The range is outside the content; `content-range` has its length")))]
pub(crate) async fn get(
    State(context): State<ApiContext>,
    Path((kind, digest)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    method: Method,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let query = query.unwrap_or_default();
    let mut words = url::form_urlencoded::parse(query.as_bytes());
    if !words.any(|(name, value)| name == "signature" && !value.is_empty()) {
        let detail = "the address is not whole: there is no `signature`";
        return Err(Problem::new(&codes::SIGNATURE_MISSING, detail).hint("use it exactly as it was issued"));
    }
    let found = context.files.find_signed(&kind, &digest, &query).await?;
    send(&context, &ContentRequest::of(&method, &headers), found).await
}
