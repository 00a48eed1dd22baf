//! Pages of documents as pictures.

use axum::extract::{Path, Query};
use axum::response::Response;
use http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue};
use serde::Deserialize;

use crate::address::PageAddress;
use crate::headers::POLICY_OF_CONTENTS;
use crate::pages::preview::PAGE_PIXELS;
use crate::problem::PageResult;
use crate::visit::PageVisit;

/// Pixels of a picture's width.
const WIDTH_MIN: u32 = 100;

#[derive(Default, Deserialize)]
pub(super) struct DrawnPageQuery {
    /// In pixels.
    #[serde(default)]
    width: Option<String>,
}

pub(super) async fn of_file(
    visit: PageVisit,
    Path((id, page)): Path<(String, String)>,
    Query(drawn): Query<DrawnPageQuery>,
) -> PageResult<Response> {
    send(&visit, PageAddress::of(["files", &id, "pages", &page]), &drawn).await
}

pub(super) async fn of_ref(
    visit: PageVisit,
    Path((id, page)): Path<(String, String)>,
    Query(drawn): Query<DrawnPageQuery>,
) -> PageResult<Response> {
    send(&visit, PageAddress::of(["refs", &id, "pages", &page]), &drawn).await
}

pub(super) async fn of_artifact(
    visit: PageVisit,
    Path((id, page)): Path<(String, String)>,
    Query(drawn): Query<DrawnPageQuery>,
) -> PageResult<Response> {
    send(&visit, PageAddress::of(["artifacts", &id, "pages", &page]), &drawn).await
}

async fn send(visit: &PageVisit, address: PageAddress, drawn: &DrawnPageQuery) -> PageResult<Response> {
    let width = drawn.width.as_deref().and_then(|width| width.parse().ok()).unwrap_or(PAGE_PIXELS);
    let address = address.with("width", width.clamp(WIDTH_MIN, PAGE_PIXELS));
    let mut response = visit.pass_on(address, HeaderMap::new()).await?;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("image/png"));
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("inline"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY_OF_CONTENTS));
    Ok(response)
}
