//! Large pages are compressed for browsers that accept it: plots and lists repeat themselves.
//!
//! The size of a compressed page says something about its content. An attacker who wants to use that must make a person's browser
//! ask for pages, and see the bytes on the wire. Other sites cannot do the first: the cookie of the console is `SameSite=Strict`, so a
//! browser sends it only with requests of the console itself.

use std::io::Write as _;
use std::ops::RangeInclusive;

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::HeaderValue;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, VARY};
use http::{HeaderMap, StatusCode};
use http_body::Body as _;
use http_body_util::BodyExt as _;

const GZIP: &str = "gzip";
/// Compressing a smaller page gains nothing; a larger answer is no page.
const BYTES: RangeInclusive<u64> = 8 << 10..=4 << 20;

pub(crate) async fn compress(request: Request, next: Next) -> Response {
    let is_taken = takes_gzip(request.headers());
    let response = next.run(request).await;
    if !is_page(&response) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    head.headers.append(VARY, HeaderValue::from_static("accept-encoding"));
    if !is_taken {
        return Response::from_parts(head, body);
    }
    let Ok(page) = body.collect().await.map(http_body_util::Collected::to_bytes) else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let Some(compressed) = compressed(&page) else { return Response::from_parts(head, Body::from(page)) };
    head.headers.insert(CONTENT_ENCODING, HeaderValue::from_static(GZIP));
    head.headers.remove(CONTENT_LENGTH);
    Response::from_parts(head, Body::from(compressed))
}

/// A page that is whole and large enough.
fn is_page(response: &Response) -> bool {
    let is_html =
        response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    let is_large = response.body().size_hint().exact().is_some_and(|bytes| BYTES.contains(&bytes));
    response.status() == StatusCode::OK
        && is_html
        && is_large
        && !response.headers().contains_key(CONTENT_ENCODING)
}

fn takes_gzip(headers: &HeaderMap) -> bool {
    let listed = headers.get_all(ACCEPT_ENCODING).into_iter().filter_map(|value| value.to_str().ok());
    listed.flat_map(|value| value.split(',')).any(|one| {
        let (name, weight) = one.split_once(';').unwrap_or((one, ""));
        let is_refused = weight.trim().strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0));
        name.trim().eq_ignore_ascii_case(GZIP) && !is_refused
    })
}

fn compressed(page: &[u8]) -> Option<Bytes> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(page.len() / 4), Compression::fast());
    encoder.write_all(page).ok()?;
    encoder.finish().ok().map(Bytes::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(value: &str) -> bool {
        takes_gzip(&HeaderMap::from_iter([(ACCEPT_ENCODING, value.parse().expect("a header"))]))
    }

    #[test]
    fn a_browser_says_whether_it_takes_compressed_pages() {
        for yes in ["gzip", "deflate, GZIP;q=0.5", "br, gzip ;q=1", "gzip, deflate"] {
            assert!(takes(yes), "{yes}");
        }
        for no in ["", "identity", "gzip;q=0", "br, gzip; q=0.0", "gzipped"] {
            assert!(!takes(no), "{no}");
        }
        assert!(!takes_gzip(&HeaderMap::new()));
    }

    #[test]
    fn a_page_that_repeats_itself_is_a_tenth() {
        let page = "<tr><td>files:read</td><td>succeeded</td></tr>".repeat(1_000);
        assert!(compressed(page.as_bytes()).is_some_and(|short| short.len() * 10 < page.len()));
    }
}
