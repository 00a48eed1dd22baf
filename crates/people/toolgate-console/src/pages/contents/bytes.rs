//! The bytes themselves. Only safe types are shown in the browser; everything else is a download.

use axum::extract::{Path, Query};
use axum::response::Response;
use http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, IF_NONE_MATCH, RANGE};
use http::{HeaderMap, HeaderValue};
use serde::Deserialize;

use crate::address::PageAddress;
use crate::headers::POLICY_OF_CONTENTS;
use crate::pages::preview::{is_image, is_text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

const OCTETS: &str = "application/octet-stream";
const PLAIN: &str = "text/plain; charset=utf-8";

#[derive(Deserialize)]
pub(super) struct SaveQuery {
    #[serde(default)]
    download: Option<String>,
}

pub(super) async fn of_file(
    visit: PageVisit,
    Path(id): Path<String>,
    Query(saving): Query<SaveQuery>,
    headers: HeaderMap,
) -> PageResult<Response> {
    send(&visit, "files", &id, &saving, &headers).await
}

pub(super) async fn of_ref(
    visit: PageVisit,
    Path(id): Path<String>,
    Query(saving): Query<SaveQuery>,
    headers: HeaderMap,
) -> PageResult<Response> {
    send(&visit, "refs", &id, &saving, &headers).await
}

pub(super) async fn of_artifact(
    visit: PageVisit,
    Path(id): Path<String>,
    Query(saving): Query<SaveQuery>,
    headers: HeaderMap,
) -> PageResult<Response> {
    send(&visit, "artifacts", &id, &saving, &headers).await
}

async fn send(
    visit: &PageVisit,
    kind: &str,
    id: &str,
    saving: &SaveQuery,
    headers: &HeaderMap,
) -> PageResult<Response> {
    let kept = [RANGE, IF_NONE_MATCH]
        .into_iter()
        .filter_map(|name| Some((name.clone(), headers.get(name)?.clone())));
    let mut response = visit.pass_on(PageAddress::of([kind, id, "content"]), kept.collect()).await?;
    let said = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or(OCTETS);
    let (media_type, way) = treated(said, saving.download.is_some());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, media_type);
    match way {
        ByteDisplay::Shown => drop(headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("inline"))),
        ByteDisplay::Saved => name(headers, id),
    }
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY_OF_CONTENTS));
    Ok(response)
}

/// The browser's treatment of the bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ByteDisplay {
    Shown,
    Saved,
}

/// The media type of the bytes, and whether a browser may show them.
fn treated(said: &str, is_saved: bool) -> (HeaderValue, ByteDisplay) {
    match said {
        image if is_image(image) && !is_saved => (value(image), ByteDisplay::Shown),
        words if is_text(words) && !is_saved => (HeaderValue::from_static(PLAIN), ByteDisplay::Shown),
        _ => (HeaderValue::from_static(OCTETS), ByteDisplay::Saved),
    }
}

/// The API names contents that have a name; others are saved under their id.
fn name(headers: &mut HeaderMap, id: &str) {
    let has_name = headers
        .get(CONTENT_DISPOSITION)
        .is_some_and(|way| way.as_bytes().windows(8).any(|some| some == b"filename"));
    if !has_name {
        let plain: String = id.chars().filter(char::is_ascii_alphanumeric).collect();
        headers.insert(CONTENT_DISPOSITION, value(&format!("attachment; filename=\"{plain}\"")));
    }
}

fn value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static(OCTETS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_act_is_only_saved() {
        for active in ["image/svg+xml", "application/xhtml+xml", "application/pdf", "nonsense"] {
            assert_eq!(treated(active, false), (value(OCTETS), ByteDisplay::Saved), "{active}");
        }
        for words in ["text/html", "text/xml", "text/csv; charset=utf-8"] {
            assert_eq!(treated(words, false), (value(PLAIN), ByteDisplay::Shown), "{words}");
        }
        assert_eq!(treated("image/png", false), (value("image/png"), ByteDisplay::Shown));
        assert_eq!(treated("image/png", true), (value(OCTETS), ByteDisplay::Saved));
    }

    #[test]
    fn what_has_no_name_is_saved_under_its_id() {
        let saved = |given: &'static str| {
            let mut headers = HeaderMap::from_iter([(CONTENT_DISPOSITION, HeaderValue::from_static(given))]);
            name(&mut headers, "ref_1\"\r\n");
            headers[CONTENT_DISPOSITION].clone()
        };
        assert_eq!(saved("attachment"), "attachment; filename=\"ref1\"");
        assert_eq!(saved("attachment; filename=\"a.pdf\""), "attachment; filename=\"a.pdf\"");
    }
}
