//! Citations: passages in their documents, and pages as pictures.

use std::str::FromStr;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::header as h;
use http::{HeaderValue, StatusCode};
use serde::Deserialize;
use toolgate_core::Digest;
use toolgate_core::id::{FileId, RefId};
use toolgate_core::scope::Credential;
use utoipa::IntoParams;

use super::answer::json;
use super::artifacts::digest;
use super::caller::ContentCaller;
use crate::ApiContext;
use crate::citations::{CitationView, CitedSpan, DrawnPageRequest};
use crate::problem::ApiResult;
use crate::read::{Query, bad_parameter};

const WIDTH_USUAL: u32 = 1_000;
const WIDTH_MIN: u32 = 100;
const WIDTH_MAX: u32 = 2_000;
const ITEM_BYTES_MAX: usize = 200;
/// A page of immutable bytes stays as it is; the time is short, since the right to see it may end.
const CACHING: HeaderValue = HeaderValue::from_static("private, max-age=300");
/// Of a number that is none.
const NUMBER_CHARACTERS_SHOWN: usize = 32;
/// A picture is looked at and does nothing.
const SANDBOX: HeaderValue = HeaderValue::from_static("sandbox; default-src 'none'");

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct CitationQuery {
    /// sha256:… of the document, or the hexadecimal digits alone
    artifact: String,
    /// sha256:… of its parsed form, or the hexadecimal digits alone
    docir: String,
    /// A JSON pointer into the parsed form, such as #/texts/3
    item: String,
    /// First character of the item's text
    #[param(value_type = usize)]
    start: String,
    /// The character after the last one
    #[param(value_type = usize)]
    end: String,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct PictureQuery {
    /// In pixels, from 100 to 2000; by default 1000
    #[serde(default)]
    #[param(value_type = Option<u32>)]
    width: Option<String>,
}

/// Show a citation in its document
///
/// Callers that may read the document get the passage, the boxes of its lines and the text around it.
#[utoipa::path(get, path = "/citations", tag = "files", params(CitationQuery),
    responses((status = 200, description = "The passage", body = CitationView),
        (status = 404, description = "There is no such document or passage, or the caller may not read it")))]
pub(crate) async fn show(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Query(query): Query<CitationQuery>,
) -> ApiResult<Response> {
    let span = query.span()?;
    let caller = ContentCaller::of(&context, &credential).await?;
    context.files.resolve(&caller.access(), &span.artifact.to_string()).await?;
    let view = context.citations.citation(&span).await?;
    Ok(json(StatusCode::OK, &view))
}

/// Fetch a page of an artifact as a picture
#[utoipa::path(get, path = "/artifacts/{sha256}/pages/{page}", tag = "files",
    params(("sha256" = String, Path, description = "sha256:…, or the hexadecimal digits alone"),
        ("page" = u32, Path, description = "From 1"), PictureQuery),
    responses((status = 200, description = "A PNG", body = Vec<u8>, content_type = "image/png"),
        (status = 404, description = "Not found, or not available to the caller"),
        (status = 422, description = "The format has no pages, or there is no such page")))]
pub(crate) async fn picture(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path((sha256, page)): Path<(String, String)>,
    Query(query): Query<PictureQuery>,
) -> ApiResult<Response> {
    let artifact = digest("sha256", &sha256)?;
    let caller = ContentCaller::of(&context, &credential).await?;
    let wanted = WantedPage::read(&page, query)?;
    let found = context.files.resolve(&caller.access(), &artifact.to_string()).await?;
    wanted.drawn(&context, found.digest, found.media_type).await
}

/// Fetch a page of a file as a picture
#[utoipa::path(get, path = "/files/{id}/pages/{page}", tag = "files",
    params(("id" = String, Path, description = "file_…"), ("page" = u32, Path, description = "From 1"), PictureQuery),
    responses((status = 200, description = "A PNG", body = Vec<u8>, content_type = "image/png"),
        (status = 404, description = "Not found, or not available to the caller"),
        (status = 422, description = "The format has no pages, or there is no such page")))]
pub(crate) async fn file_page(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path((id, page)): Path<(String, String)>,
    Query(query): Query<PictureQuery>,
) -> ApiResult<Response> {
    let caller = ContentCaller::of(&context, &credential).await?;
    let wanted = WantedPage::read(&page, query)?;
    let file = context.files.get(&caller.access(), &FileId::new(id)).await?;
    wanted.drawn(&context, file.digest, file.media_type).await
}

/// Fetch a page of a ref as a picture
#[utoipa::path(get, path = "/refs/{id}/pages/{page}", tag = "files",
    params(("id" = String, Path, description = "ref_…"), ("page" = u32, Path, description = "From 1"), PictureQuery),
    responses((status = 200, description = "A PNG", body = Vec<u8>, content_type = "image/png"),
        (status = 404, description = "Not found, or not available to the caller"),
        (status = 409, description = "The content is still with its server"),
        (status = 422, description = "The format has no pages, or there is no such page")))]
pub(crate) async fn ref_page(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path((id, page)): Path<(String, String)>,
    Query(query): Query<PictureQuery>,
) -> ApiResult<Response> {
    let caller = ContentCaller::of(&context, &credential).await?;
    let wanted = WantedPage::read(&page, query)?;
    // An id of another kind is not a ref.
    let one = context.files.reference(&caller.access(), &RefId::new(id)).await?;
    let found = context.files.resolve(&caller.access(), one.id.as_str()).await?;
    wanted.drawn(&context, found.digest, found.media_type).await
}

/// The page that is drawn, and its width in pixels.
struct WantedPage {
    number: u32,
    width: u32,
}

impl WantedPage {
    fn read(page: &str, query: PictureQuery) -> ApiResult<Self> {
        let number = page.parse::<u32>().ok().filter(|number| *number > 0);
        let number = number.ok_or_else(|| bad_parameter("page", page, "the number of a page, from 1"))?;
        let width = query.width.map_or(Ok(WIDTH_USUAL), |width| whole("width", &width))?;
        Ok(Self { number, width: width.clamp(WIDTH_MIN, WIDTH_MAX) })
    }

    async fn drawn(self, context: &ApiContext, artifact: Digest, media_type: String) -> ApiResult<Response> {
        let request = DrawnPageRequest { artifact, media_type, page: self.number, width: self.width };
        let bytes = context.citations.picture(&request).await?;
        let headers = [
            (h::CONTENT_TYPE, HeaderValue::from_static("image/png")),
            (h::CACHE_CONTROL, CACHING),
            (h::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
            (h::CONTENT_SECURITY_POLICY, SANDBOX),
        ];
        Ok((headers, Body::from(bytes)).into_response())
    }
}

fn whole<T: FromStr>(name: &str, text: &str) -> ApiResult<T> {
    let shown = || text.chars().take(NUMBER_CHARACTERS_SHOWN).collect::<String>();
    text.parse().map_err(|_| bad_parameter(name, &shown(), "a whole number"))
}

impl CitationQuery {
    fn span(self) -> ApiResult<CitedSpan> {
        let Self { artifact, docir, item, start, end } = self;
        let (start, end): (usize, usize) = (whole("start", &start)?, whole("end", &end)?);
        if item.len() > ITEM_BYTES_MAX || !item.starts_with("#/") {
            let shown: String = item.chars().take(ITEM_BYTES_MAX).collect();
            return Err(
                bad_parameter("item", &shown, "a JSON pointer into a document").hint("such as #/texts/3")
            );
        }
        if start >= end {
            return Err(bad_parameter("end", &end.to_string(), "after `start`"));
        }
        let (artifact, docir) = (digest("artifact", &artifact)?, digest("docir", &docir)?);
        Ok(CitedSpan { artifact, docir, item, start, end })
    }
}
