//! Bytes over HTTP: all or a range, not again for a client that has them, and never as one of our pages.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::{self as h, HeaderName};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use toolgate_core::codes;
use toolgate_core::file::FileName;
use toolgate_files::{ByteRange, FoundContent};

use crate::ApiContext;
use crate::problem::{ApiResult, Problem};

const OCTETS: HeaderValue = HeaderValue::from_static("application/octet-stream");
/// A client that has it revalidates it; the address alone gives no access through a cache.
const CACHING: HeaderValue = HeaderValue::from_static("private, no-cache");
/// A page among the files runs no script, wherever a browser shows it.
const SANDBOX: HeaderValue = HeaderValue::from_static("sandbox; default-src 'none'");
/// The characters that RFC 8187 allows unencoded.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'!')
    .remove(b'#')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b'-')
    .remove(b'.')
    .remove(b'^')
    .remove(b'_')
    .remove(b'`')
    .remove(b'|')
    .remove(b'~');

/// The conditions of a request for bytes.
pub(super) struct ContentRequest {
    is_head: bool,
    range: Option<ByteRange>,
    /// The tags that the client has.
    has: Vec<String>,
    /// The range applies to these bytes only.
    if_range: Option<String>,
}

impl ContentRequest {
    pub(super) fn of(method: &Method, headers: &HeaderMap) -> Self {
        let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let tags = headers.get_all(h::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        Self {
            is_head: *method == Method::HEAD,
            range: text(h::RANGE).and_then(ByteRange::parse),
            has: tags.flat_map(|tags| tags.split(',')).map(|tag| tag.trim().to_owned()).collect(),
            if_range: text(h::IF_RANGE).map(|tag| tag.trim().to_owned()),
        }
    }

    fn has(&self, tag: &str) -> bool {
        self.has.iter().any(|has| has == "*" || has.strip_prefix("W/").unwrap_or(has) == tag)
    }

    fn range(&self, tag: &str) -> Option<ByteRange> {
        let is_meant = self.if_range.as_deref().is_none_or(|meant| meant == tag);
        self.range.filter(|_| is_meant && !self.is_head)
    }
}

/// Sends the content, or the requested part of it.
pub(super) async fn send(
    context: &ApiContext,
    wanted: &ContentRequest,
    found: FoundContent,
) -> ApiResult<Response> {
    let tag = format!("\"{}\"", found.digest);
    if wanted.has(&tag) {
        return Ok(
            (StatusCode::NOT_MODIFIED, [(h::ETAG, value(&tag)), (h::CACHE_CONTROL, CACHING)]).into_response()
        );
    }
    let bytes = found.bytes;
    let range = wanted.range(&tag);
    if range.is_some_and(|range| range.of(bytes).is_none()) {
        return Ok(
            ([(h::CONTENT_RANGE, value(&format!("bytes */{bytes}")))], bad_range(bytes)).into_response()
        );
    }
    let mut answer = described(&found, &tag);
    if wanted.is_head {
        length(&mut answer, bytes);
        return Ok(answer);
    }
    let content = context.files.open_content(found, range).await?;
    match &content.range {
        None => length(&mut answer, bytes),
        Some(range) => {
            let place = format!("bytes {}-{}/{bytes}", range.start, range.end - 1);
            *answer.status_mut() = StatusCode::PARTIAL_CONTENT;
            answer.headers_mut().insert(h::CONTENT_RANGE, value(&place));
            length(&mut answer, range.end - range.start);
        }
    }
    *answer.body_mut() = Body::from_stream(content.stream);
    Ok(answer)
}

fn described(found: &FoundContent, tag: &str) -> Response {
    let media_type = HeaderValue::from_str(&found.media_type).unwrap_or(OCTETS);
    let headers = [
        (h::CONTENT_TYPE, media_type),
        (h::CONTENT_DISPOSITION, value(&disposition(found.name.as_ref()))),
        (h::ETAG, value(tag)),
        (h::ACCEPT_RANGES, HeaderValue::from_static("bytes")),
        (h::CACHE_CONTROL, CACHING),
        (h::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (h::CONTENT_SECURITY_POLICY, SANDBOX),
    ];
    (headers, ()).into_response()
}

/// Announced: an answer that breaks off is shorter, and the reader notices.
fn length(answer: &mut Response, bytes: u64) {
    answer.headers_mut().insert(h::CONTENT_LENGTH, HeaderValue::from(bytes));
}

fn value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).expect("digits, digests and what is percent-encoded fit a header")
}

/// An attachment, under its name.
fn disposition(name: Option<&FileName>) -> String {
    let Some(name) = name else { return "attachment".to_owned() };
    let plain = |c: char| if matches!(c, ' '..='~') && !matches!(c, '"' | '\\' | '%') { c } else { '_' };
    let ascii: String = name.as_str().chars().map(plain).collect();
    format!(
        "attachment; filename=\"{ascii}\"; filename*=UTF-8''{}",
        utf8_percent_encode(name.as_str(), ENCODED)
    )
}

fn bad_range(bytes: u64) -> Box<Problem> {
    let detail = format!("none of the wanted bytes are there: it has {bytes}");
    Problem::new(&codes::BAD_RANGE, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_told_so_that_no_header_is_broken() {
        let told = |name: &str| disposition(FileName::new(name).ok().as_ref());
        assert_eq!(told("a b.pdf"), "attachment; filename=\"a b.pdf\"; filename*=UTF-8''a%20b.pdf");
        assert_eq!(
            told("Müller \"1\"; x=100%.pdf"),
            "attachment; filename=\"M_ller _1_; x=100_.pdf\"; filename*=UTF-8''M%C3%BCller%20%221%22%3B%20x%3D100%25.pdf"
        );
        assert_eq!(disposition(None), "attachment");
    }

    #[test]
    fn who_has_the_bytes_already_is_known_by_any_tag_that_fits() {
        let wanted = |tags: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(h::IF_NONE_MATCH, value(tags));
            ContentRequest::of(&Method::GET, &headers)
        };
        for tags in ["\"a\"", "W/\"a\"", "\"b\", \"a\"", "*"] {
            assert!(wanted(tags).has("\"a\""), "{tags}");
        }
        for tags in ["\"b\"", "a", ""] {
            assert!(!wanted(tags).has("\"a\""), "{tags}");
        }
    }
}
