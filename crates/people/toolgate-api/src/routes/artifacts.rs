//! Artifacts: the permanent output of runs, under their digest.

use std::time::Duration;

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use http::{HeaderMap, Method, StatusCode};
use serde::Deserialize;
use toolgate_core::Digest;
use toolgate_core::codes;
use toolgate_core::id::RunId;
use toolgate_core::scope::Credential;
use utoipa::{IntoParams, ToSchema};

use super::answer::json;
use super::caller::ContentCaller;
use super::content::{ContentRequest, send};
use super::file_view::{ArtifactDetail, ArtifactsPage, LinkView};
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::read::{Json, Query, bad_parameter};

/// The maximum lifetime of addresses of storages.
const LINK_SECONDS_MAX: u64 = 7 * 24 * 60 * 60;
const HEX_CHARS: usize = 64;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArtifactsQuery {
    /// Run that made them
    run: String,
}

/// The lifetime of a link
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinkBody {
    /// By default as long as links of this gateway last.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 604_800)]
    expires_in_seconds: Option<u64>,
}

/// List the artifacts of a run, oldest first
///
/// Agents see their own.
#[utoipa::path(get, path = "/artifacts", tag = "files", params(ArtifactsQuery),
    responses((status = 200, description = "Its artifacts", body = ArtifactsPage)))]
pub(crate) async fn list(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Query(query): Query<ArtifactsQuery>,
) -> ApiResult<Response> {
    let caller = ContentCaller::of(&context, &credential).await?;
    let artifacts = context.files.artifacts(&caller.access(), &RunId::new(query.run)).await?;
    Ok(json(StatusCode::OK, &ArtifactsPage::of(artifacts)))
}

/// Show an artifact
#[utoipa::path(get, path = "/artifacts/{sha256}", tag = "files",
    params(("sha256" = String, Path, description = "sha256:…, or the hexadecimal digits alone")),
    responses((status = 200, description = "The artifact, as far as the caller may see it", body = ArtifactDetail),
        (status = 404, description = "Not found, or not visible to the caller")))]
pub(crate) async fn show(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(sha256): Path<String>,
) -> ApiResult<Response> {
    let caller = ContentCaller::of(&context, &credential).await?;
    let rows = context.files.artifact(&caller.access(), &digest("sha256", &sha256)?).await?;
    let detail = ArtifactDetail::of(rows).expect("what is there has a row");
    Ok(json(StatusCode::OK, &detail))
}

/// Fetch the content of an artifact
#[utoipa::path(get, path = "/artifacts/{sha256}/content", tag = "files",
    params(("sha256" = String, Path, description = "sha256:…, or the hexadecimal digits alone"),
        ("range" = Option<String>, Header, description = "One range of bytes, such as bytes=0-1023")),
    responses((status = 200, description = "The whole content", body = Vec<u8>, content_type = "application/octet-stream"),
        (status = 206, description = "The requested range"), (status = 304, description = "Not modified"),
        (status = 404, description = "Not found, or not available to the caller"),
        (status = 416, description = "The range is outside the content; `content-range` has its length")))]
pub(crate) async fn content(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(sha256): Path<String>,
    method: Method,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let caller = ContentCaller::of(&context, &credential).await?;
    let found = context.files.resolve(&caller.access(), &digest("sha256", &sha256)?.to_string()).await?;
    send(&context, &ContentRequest::of(&method, &headers), found).await
}

/// Create a link to an artifact
///
/// Anyone with the link can fetch the artifact, without a token, until the link expires.
#[utoipa::path(post, path = "/artifacts/{sha256}/link", tag = "files", request_body = LinkBody,
    params(("sha256" = String, Path, description = "sha256:…, or the hexadecimal digits alone")),
    responses((status = 200, description = "The link", body = LinkView),
        (status = 404, description = "Not found, or not available to the caller"),
        (status = 409, description = "The gateway does not know its public URL"),
        (status = 422, description = "The lifetime is too long")))]
pub(crate) async fn link(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(sha256): Path<String>,
    Json(body): Json<LinkBody>,
) -> ApiResult<Response> {
    let caller = ContentCaller::of(&context, &credential).await?;
    let keep = body.keep()?.unwrap_or(context.files.settings().url_keep);
    let found = context.files.resolve(&caller.access(), &digest("sha256", &sha256)?.to_string()).await?;
    let address = context.files.address(&found, keep).await?;
    Ok(json(StatusCode::OK, &LinkView::from(address)))
}

impl LinkBody {
    fn keep(&self) -> ApiResult<Option<Duration>> {
        match self.expires_in_seconds {
            Some(seconds) if !(1..=LINK_SECONDS_MAX).contains(&seconds) => {
                let detail = format!("a link lasts for 1 to {LINK_SECONDS_MAX} seconds");
                Err(Problem::bad_field(&codes::FIELD_INVALID, "expires_in_seconds", detail))
            }
            seconds => Ok(seconds.map(Duration::from_secs)),
        }
    }
}

/// The digest that a parameter is.
pub(super) fn digest(parameter: &str, text: &str) -> ApiResult<Digest> {
    let whole = if text.len() == HEX_CHARS { format!("sha256:{text}") } else { text.to_owned() };
    whole.parse().map_err(|_| {
        bad_parameter(parameter, text, "a digest").hint("a digest is `sha256:` and 64 hexadecimal digits")
    })
}
