//! A server's challenge to a client without a token: the place to sign in, and the scopes.

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode};

use crate::outbound::OutboundClient;

const METHOD: &str = "tools/list";
/// Some servers accept the handshake from everyone; a list is the first thing that they protect. A refusal
/// comes before any other check, in either era of the protocol.
const QUESTION: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"#,
    r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
    r#""io.modelcontextprotocol/clientInfo":{"name":"toolgate","version":""#,
    env!("CARGO_PKG_VERSION"),
    r#""},"io.modelcontextprotocol/clientCapabilities":{}}}}"#
);
const HEADERS: [(HeaderName, &str); 4] = [
    (CONTENT_TYPE, "application/json"),
    (ACCEPT, "application/json, text/event-stream"),
    (HeaderName::from_static("mcp-protocol-version"), "2026-07-28"),
    (HeaderName::from_static("mcp-method"), METHOD),
];

/// The challenge with which a server refuses a request without a token. `None` if it does not refuse, or not so.
pub(super) async fn of_server(outbound: &OutboundClient, url: &str) -> Option<String> {
    let mut request = Request::new(Bytes::from_static(QUESTION.as_bytes()));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = url.parse().ok()?;
    let headers = HEADERS.map(|(name, value)| (name, HeaderValue::from_static(value)));
    request.headers_mut().extend(headers);
    // If the server cannot be reached here, the next step fails too, and reports why.
    of_answer(&outbound.send(request).await.ok()?)
}

fn of_answer(answer: &Response<Bytes>) -> Option<String> {
    (answer.status() == StatusCode::UNAUTHORIZED).then(|| best(answer.headers())).flatten()
}

/// A server may offer several schemes; the one that names its metadata leads on.
fn best(headers: &HeaderMap) -> Option<String> {
    let challenges = || headers.get_all(WWW_AUTHENTICATE).iter().filter_map(|value| value.to_str().ok());
    let pointing = challenges().find(|text| text.contains("resource_metadata"));
    pointing.or_else(|| challenges().find(|text| is_bearer(text))).map(str::to_owned)
}

fn is_bearer(challenge: &str) -> bool {
    challenge.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("bearer"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, challenges: &[&str]) -> Response<Bytes> {
        let mut answer = Response::new(Bytes::new());
        *answer.status_mut() = StatusCode::from_u16(status).unwrap();
        for challenge in challenges {
            answer.headers_mut().append(WWW_AUTHENTICATE, HeaderValue::from_str(challenge).unwrap());
        }
        answer
    }

    #[test]
    fn the_challenge_that_leads_on_is_taken() {
        let of = |challenges: &[&str]| of_answer(&answer(401, challenges));
        let pointing = "Bearer resource_metadata=\"https://x/y\"";
        assert_eq!(of(&["Basic realm=\"a\"", "Bearer scope=\"b\"", pointing]).as_deref(), Some(pointing));
        assert_eq!(of(&["Basic realm=\"a\"", "bearer scope=\"b\""]).as_deref(), Some("bearer scope=\"b\""));
        assert_eq!(of(&["Basic realm=\"a\""]), None);
        assert_eq!(of(&[]), None);
        assert_eq!(of_answer(&answer(200, &[pointing])), None, "it let us in");
    }

    #[test]
    fn the_question_is_json() {
        let question: serde_json::Value = serde_json::from_str(QUESTION).unwrap();
        assert_eq!(question["method"], METHOD);
    }
}
