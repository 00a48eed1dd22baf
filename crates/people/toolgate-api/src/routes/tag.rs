//! Versions as in HTTP: `etag` on reads, `if-match` on changes.

use axum::response::{IntoResponse, Response};
use http::header::{ETAG, IF_MATCH};
use http::{HeaderMap, HeaderValue};
use toolgate_core::codes;

use crate::problem::{ApiResult, Problem};

/// The version that a change is meant for. `None` is any version, as for `*`.
pub(super) fn expected_version(headers: &HeaderMap) -> ApiResult<Option<u64>> {
    let mut tags = headers.get_all(IF_MATCH).iter();
    let Some(tag) = tags.next() else { return Ok(None) };
    let tag = tag.to_str().unwrap_or_default().trim();
    if tags.next().is_some() {
        return Err(bad_tag("it stands there twice"));
    }
    if tag == "*" {
        return Ok(None);
    }
    if tag.starts_with("W/") {
        return Err(bad_tag("a weak tag cannot say which version is meant"));
    }
    let version = tag.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let version = version.and_then(|version| version.parse().ok());
    version.map(Some).ok_or_else(|| bad_tag(&format!("{tag:?} is not a tag that was given")))
}

fn bad_tag(what: &str) -> Box<Problem> {
    Problem::new(&codes::HEADER_INVALID, format!("header `if-match`: {what}"))
        .hint("send one `etag` exactly as GET gave it, such as \"3\", or *")
        .with("field", "if-match")
}

pub(super) fn tagged(version: u64, answer: Response) -> Response {
    let tag = HeaderValue::from_str(&format!("\"{version}\"")).expect("digits fit a header");
    ([(ETAG, tag)], answer).into_response()
}
