//! The requests of this measurement: bytes that are made while they are sent, and counted while they are read.
#![expect(clippy::disallowed_methods, reason = "a measurement starts tasks as it likes")]

use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use bytes::Bytes;
use http::{Method, Request, Response};
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use crate::client::BenchTarget;
use crate::wire::MODERN;

const CHUNK: usize = 256 << 10;
/// Chunks that are ready before they are sent.
const AHEAD: usize = 8;

type Chunks = mpsc::Receiver<Result<Bytes, std::io::Error>>;

/// Sends a generated file of this size. Returns its id, and the digest of the sent bytes.
pub(super) async fn upload(
    target: &BenchTarget,
    name: &str,
    bytes: u64,
) -> anyhow::Result<(String, Vec<u8>)> {
    let (send, chunks) = mpsc::channel(AHEAD);
    let made = tokio::spawn(async move {
        let mut digest = Sha256::new();
        let mut maker = Maker::default();
        let mut left = bytes;
        while left > 0 {
            let chunk = maker.chunk(left);
            left -= chunk.len() as u64;
            digest.update(&chunk);
            if send.send(Ok(chunk)).await.is_err() {
                break;
            }
        }
        digest.finalize().to_vec()
    });
    let request = builder(target, Method::POST, &format!("/files?name={name}"))
        .header("content-type", "application/octet-stream")
        .header("content-length", bytes);
    let answer = whole(exchange(target, request.body(body(chunks))?).await?).await?;
    let id = answer["id"].as_str().with_context(|| format!("no file was made: {answer}"))?;
    Ok((id.to_owned(), made.await.context("make the bytes")?))
}

/// The digest of a file's bytes while they arrive.
pub(super) async fn download(target: &BenchTarget, file: &str) -> anyhow::Result<Vec<u8>> {
    let request = builder(target, Method::GET, &format!("/files/{file}/content"));
    let response = exchange(target, request.body(Full::<Bytes>::default())?).await?;
    ensure!(response.status().is_success(), "the download was answered with {}", response.status());
    let mut body = response.into_body();
    let mut digest = Sha256::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.context("read the download")?;
        if let Some(data) = frame.data_ref() {
            digest.update(data);
        }
    }
    Ok(digest.finalize().to_vec())
}

/// Sends a file from the disk unchanged. Returns the number of received bytes.
pub(super) async fn copy(target: &BenchTarget, path: &Path) -> anyhow::Result<u64> {
    let bytes = tokio::fs::metadata(path).await.context("look at the file")?.len();
    let mut file = tokio::fs::File::open(path).await.context("open the file")?;
    let (send, chunks) = mpsc::channel(AHEAD);
    let reading = tokio::spawn(async move {
        loop {
            let mut chunk = Vec::with_capacity(CHUNK);
            let read = (&mut file).take(CHUNK as u64).read_to_end(&mut chunk).await;
            let ended = matches!(read, Ok(0));
            if ended || send.send(read.map(|_| Bytes::from(chunk))).await.is_err() {
                return;
            }
        }
    });
    let request = builder(target, Method::POST, "/copy").header("content-length", bytes);
    let answer = whole(exchange(target, request.body(body(chunks))?).await?).await?;
    reading.await.context("read the file")?;
    answer["bytes"].as_u64().context("the copy was not counted")
}

/// Calls the tool with a file. Returns the number of bytes its server got.
pub(super) async fn call_sink(target: &BenchTarget, file: &str) -> anyhow::Result<u64> {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({ "name": "sink__sink", "arguments": { "file_id": file }, "_meta": meta });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let request = builder(target, Method::POST, "/mcp")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", MODERN)
        .header("mcp-method", "tools/call")
        .header("mcp-name", "sink__sink");
    let answer =
        whole(exchange(target, request.body(Full::new(Bytes::from(message.to_string())))?).await?).await?;
    let text = answer["result"]["content"][0]["text"].as_str();
    text.and_then(|text| text.parse().ok()).with_context(|| format!("the call was answered with {answer}"))
}

/// Writes the same bytes that `upload` sends.
pub(super) async fn write(path: &Path, bytes: u64) -> anyhow::Result<()> {
    let mut file = tokio::fs::File::create(path).await.context("make a file")?;
    let mut maker = Maker::default();
    let mut left = bytes;
    while left > 0 {
        let chunk = maker.chunk(left);
        left -= chunk.len() as u64;
        file.write_all(&chunk).await.context("write the file")?;
    }
    file.flush().await.context("write the file")
}

/// Bytes that no two chunks have in common, and that no storage makes smaller.
#[derive(Default)]
struct Maker(u64);

impl Maker {
    fn chunk(&mut self, left: u64) -> Bytes {
        let mut chunk = Vec::with_capacity(CHUNK);
        while chunk.len() < CHUNK {
            // SplitMix64: one multiplication more than a counter, and far more random.
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            chunk.extend_from_slice(&(mixed ^ (mixed >> 27)).to_le_bytes());
        }
        chunk.truncate(usize::try_from(left).unwrap_or(CHUNK).min(CHUNK));
        chunk.into()
    }
}

fn body(
    chunks: Chunks,
) -> StreamBody<impl futures_core::Stream<Item = Result<Frame<Bytes>, std::io::Error>>> {
    StreamBody::new(Frames(chunks))
}

struct Frames(Chunks);

impl futures_core::Stream for Frames {
    type Item = Result<Frame<Bytes>, std::io::Error>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|chunk| chunk.map(|chunk| chunk.map(Frame::data)))
    }
}

fn builder(target: &BenchTarget, method: Method, path: &str) -> http::request::Builder {
    let builder = Request::builder().method(method).uri(path).header("host", target.address.to_string());
    match &target.token {
        Some(token) => builder.header("authorization", format!("Bearer {token}")),
        None => builder,
    }
}

async fn exchange<B>(target: &BenchTarget, request: Request<B>) -> anyhow::Result<Response<Incoming>>
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let stream = TcpStream::connect(target.address).await.context("connect")?;
    stream.set_nodelay(true).context("set TCP_NODELAY")?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.context("begin HTTP")?;
    tokio::spawn(connection);
    sender.send_request(request).await.context("send a request")
}

async fn whole(response: Response<Incoming>) -> anyhow::Result<Value> {
    let status = response.status();
    let body = response.into_body().collect().await.context("read an answer")?.to_bytes();
    if !status.is_success() {
        bail!("answered with {status}: {}", String::from_utf8_lossy(&body));
    }
    serde_json::from_slice(&body).context("read an answer as JSON")
}
