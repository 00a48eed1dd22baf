//! A server that takes bytes and drops them: as a plain copy at `/copy`, and as the argument of a tool at
//! `/mcp`. The work per byte is the same for both, so that their difference is the path there.

use std::net::SocketAddr;

use anyhow::Context as _;
use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::process::Command;

use crate::server::serve_until_stdin_ends;

const ANNOUNCEMENT: &str = "the sink is at ";
/// The kept part of a request: if a file is streamed into it, its id and method are at its end.
const END_BYTES_MAX: usize = 64 << 10;

pub(super) fn command() -> anyhow::Result<Command> {
    let mut command = Command::new(std::env::current_exe().context("find this program")?);
    command.arg("sink");
    Ok(command)
}

pub(super) fn address_in(line: &str) -> Option<SocketAddr> {
    line.strip_prefix(ANNOUNCEMENT)?.parse().ok()
}

/// Serves until stdin ends.
pub(crate) async fn serve() -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await.context("listen on a free port")?;
    let address = listener.local_addr().context("ask for the address that was bound")?;
    crate::say::say(&format!("{ANNOUNCEMENT}{address}"))?;
    serve_until_stdin_ends(listener, answer).await
}

async fn answer(request: Request<Incoming>) -> Response<Full<Bytes>> {
    let is_copy = request.uri().path() == "/copy";
    if request.method() != Method::POST {
        return empty(StatusCode::METHOD_NOT_ALLOWED);
    }
    let Ok((end, bytes)) = take(request.into_body()).await else { return empty(StatusCode::BAD_REQUEST) };
    if is_copy {
        return json_body(&json!({ "bytes": bytes }));
    }
    match read(&end) {
        Some((method, id)) => {
            json_body(&json!({ "jsonrpc": "2.0", "id": id, "result": result(&method, bytes) }))
        }
        None => empty(StatusCode::ACCEPTED),
    }
}

/// The end of a body, and its number of bytes.
async fn take(mut body: Incoming) -> Result<(Vec<u8>, u64), hyper::Error> {
    let (mut end, mut bytes) = (Vec::new(), 0);
    while let Some(frame) = body.frame().await {
        let frame = frame?;
        let Some(data) = frame.data_ref() else { continue };
        bytes += data.len() as u64;
        if data.len() >= END_BYTES_MAX {
            end.clear();
        }
        end.extend_from_slice(&data[data.len().saturating_sub(END_BYTES_MAX)..]);
        let over = end.len().saturating_sub(END_BYTES_MAX);
        end.drain(..over);
    }
    Ok((end, bytes))
}

/// Method and id of a request; `None` for a notification. A complete one is parsed as such.
fn read(end: &[u8]) -> Option<(String, Value)> {
    if let Ok(message) = serde_json::from_slice::<Value>(end) {
        return Some((message["method"].as_str()?.to_owned(), message.get("id")?.clone()));
    }
    let text = String::from_utf8_lossy(end);
    let after = |key: &str| text.rsplit_once(key).map(|(_, rest)| rest.trim_start());
    let method = after("\"method\":")?.strip_prefix('"')?.split('"').next()?.to_owned();
    let id = after("\"id\":")?;
    let end = id.find([',', '}'])?;
    Some((method, serde_json::from_str(&id[..end]).ok()?))
}

fn result(method: &str, bytes: u64) -> Value {
    match method {
        "initialize" => json!({
            "protocolVersion": "2025-11-25", "capabilities": { "tools": {} },
            "serverInfo": { "name": "sink", "version": "1" },
        }),
        "tools/list" => json!({ "tools": [tool()] }),
        "tools/call" => {
            json!({ "content": [{ "type": "text", "text": bytes.to_string() }], "isError": false })
        }
        _ => json!({}),
    }
}

fn tool() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "name": "sink", "description": "Takes a file",
        "inputSchema": {
            "type": "object", "properties": { "file_data": text, "file_type": text },
            "required": ["file_data", "file_type"],
        },
    })
}

fn json_body(value: &Value) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(value.to_string())));
    response.headers_mut().insert("content-type", http::HeaderValue::from_static("application/json"));
    response
}

fn empty(status: StatusCode) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = status;
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn method_and_id_are_found_at_the_end_of_a_body_without_its_beginning() {
        let end = br#"QUJD","file_type":"x"},"name":"sink"},"id":7,"method":"tools/call"}"#;
        assert_eq!(read(end), Some(("tools/call".to_owned(), json!(7))));
        let whole = br#"{"jsonrpc":"2.0","id":"a","method":"tools/list"}"#;
        assert_eq!(read(whole), Some(("tools/list".to_owned(), json!("a"))));
        assert_eq!(read(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#), None);
    }
}
