//! The shortcut for measuring speed: `sink` of the newer era is answered while its body is read, without
//! holding or parsing the counted content. Beside it is a plain copy of bytes, for comparison.

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use http::{Method, StatusCode, header};
use serde_json::{Value, json};

const PLACE: &[u8] = b"\"file_data\":\"";
/// The maximum size around the content.
const FRAME_BYTES_MAX: usize = 64 << 10;

/// Answers `sink` on the spot and hands on everything else.
pub(crate) async fn short_cut(request: Request, next: Next) -> Response {
    let is_sink = request.headers().get("mcp-name").is_some_and(|name| name == "sink");
    if !is_sink || request.method() != Method::POST {
        return next.run(request).await;
    }
    match count(request.into_body()).await {
        Some(counted) => counted.answer(),
        None => StatusCode::BAD_REQUEST.into_response(),
    }
}

/// Reads a body to its end and returns its length.
pub(crate) async fn copy(body: Body) -> Response {
    let mut stream = body.into_data_stream();
    let mut bytes = 0;
    while let Some(piece) = stream.next().await {
        match piece {
            Ok(piece) => bytes += piece.len(),
            Err(_) => return StatusCode::BAD_REQUEST.into_response(),
        }
    }
    bytes.to_string().into_response()
}

#[derive(Default)]
struct Counted {
    /// The message without the content.
    frame: Vec<u8>,
    characters: u64,
    part: Part,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Part {
    #[default]
    Before,
    Within,
    After,
}

async fn count(body: Body) -> Option<Counted> {
    let mut stream = body.into_data_stream();
    let mut counted = Counted::default();
    while let Some(piece) = stream.next().await {
        counted.take(&piece.ok()?);
        if counted.frame.len() > FRAME_BYTES_MAX {
            return None;
        }
    }
    Some(counted)
}

impl Counted {
    fn take(&mut self, piece: &[u8]) {
        match self.part {
            Part::After => self.frame.extend_from_slice(piece),
            Part::Within => self.take_within(piece),
            Part::Before => {
                self.frame.extend_from_slice(piece);
                let found = self.frame.windows(PLACE.len()).position(|window| window == PLACE);
                if let Some(at) = found {
                    let rest = self.frame.split_off(at + PLACE.len());
                    self.part = Part::Within;
                    self.take_within(&rest);
                }
            }
        }
    }

    fn take_within(&mut self, piece: &[u8]) {
        let end = memchr::memchr(b'"', piece);
        self.characters += end.unwrap_or(piece.len()) as u64;
        if let Some(end) = end {
            self.part = Part::After;
            self.frame.extend_from_slice(&piece[end..]);
        }
    }

    fn answer(&self) -> Response {
        let Ok(message) = serde_json::from_slice::<Value>(&self.frame) else {
            return StatusCode::BAD_REQUEST.into_response();
        };
        let said = json!({ "characters": self.characters });
        let result = json!({
            "resultType": "complete",
            "content": [{ "type": "text", "text": said.to_string() }],
            "structuredContent": said,
        });
        let body = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
        ([(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
    }
}
