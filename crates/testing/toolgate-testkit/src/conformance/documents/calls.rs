//! The behaviour of the tools.

use std::time::Duration;

use futures_util::StreamExt;
use http::{StatusCode, header};
use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock, ResourceContents};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::picture;
use super::shelf::{Shelf, decode, encode, sha256};

const SLOW_MS_MAX: u64 = 60_000;
const RESULT_BYTES_MAX: u64 = 64 << 20;
/// The number of bytes of an address that are fetched a second time.
const RANGE_BYTES: usize = 10;
const START_CHARACTERS: usize = 40;

/// A message for the caller about invalid arguments.
type Said<T> = Result<T, String>;

pub(super) async fn call(shelf: &Shelf, params: &CallToolRequestParams) -> Result<CallToolResult, ErrorData> {
    let none = serde_json::Map::new();
    let call = Call { shelf, arguments: params.arguments.as_ref().unwrap_or(&none) };
    let done = match params.name.as_ref() {
        "parse_document" => call.parse_document(),
        "extract_text" => call.extract_text(),
        "extract_count" => Ok(structured(json!({ "count": shelf.extractions() }))),
        "ocr" => call.ocr(),
        "compare" => call.compare(),
        "merge" => call.merge(),
        "sink" => call.sink(),
        "create_job" => call.create_job().await,
        "classify_text" => call.look_at("text"),
        "summarize" => call.look_at("content"),
        "tailor_resume" => call.tailor_resume(),
        "big_text" => call.big_text(),
        "picture" => Ok(success(ContentBlock::image(encode(&picture::png()), "image/png"))),
        "pdf_blob" => call.pdf_blob(),
        "embedded_base64" => call.embedded_base64(),
        "slow" => call.slow().await,
        unknown => return Err(ErrorData::invalid_params(format!("Unknown tool: {unknown}"), None)),
    };
    Ok(done.unwrap_or_else(|sentence| CallToolResult::error(vec![ContentBlock::text(sentence)])))
}

fn structured(value: Value) -> CallToolResult {
    CallToolResult::structured(value)
}

fn success(block: ContentBlock) -> CallToolResult {
    CallToolResult::success(vec![block])
}

struct Call<'a> {
    shelf: &'a Shelf,
    arguments: &'a serde_json::Map<String, Value>,
}

impl Call<'_> {
    fn string(&self, name: &str) -> Said<&str> {
        self.arguments.get(name).and_then(Value::as_str).ok_or_else(|| format!("{name} is missing"))
    }

    fn number(&self, name: &str, max: u64) -> Said<u64> {
        let number = self.arguments.get(name).and_then(Value::as_u64);
        number.filter(|number| *number <= max).ok_or_else(|| format!("{name} is no number up to {max}"))
    }

    fn bytes(&self, name: &str) -> Said<Vec<u8>> {
        decode(self.string(name)?).ok_or_else(|| format!("{name} is not Base64"))
    }

    fn parse_document(&self) -> Said<CallToolResult> {
        let (bytes, file_type) = (self.bytes("file_data")?, self.string("file_type")?);
        let (length, digest) = (bytes.len(), sha256(&bytes));
        let ref_id = self.shelf.keep("doc", bytes);
        Ok(structured(json!({
            "ref_id": ref_id, "page_count": 4, "bytes": length, "sha256": digest, "file_type": file_type,
        })))
    }

    fn extract_text(&self) -> Said<CallToolResult> {
        let bytes = self.bytes("file_data")?;
        self.string("file_type")?;
        self.shelf.extracted();
        let readable = String::from_utf8_lossy(&bytes);
        let text = format!("extracted from {} bytes: {}", bytes.len(), start(&readable));
        Ok(success(ContentBlock::text(text)))
    }

    fn ocr(&self) -> Said<CallToolResult> {
        let (bytes, image_type) = (self.bytes("image_data")?, self.string("image_type")?);
        let (length, digest) = (bytes.len(), sha256(&bytes));
        Ok(structured(json!({ "bytes": length, "sha256": digest, "image_type": image_type })))
    }

    fn compare(&self) -> Said<CallToolResult> {
        let (left, right) = (self.bytes("left_data")?, self.bytes("right_data")?);
        let side = |bytes: &[u8]| json!({ "bytes": bytes.len(), "sha256": sha256(bytes) });
        Ok(structured(json!({ "same": left == right, "left": side(&left), "right": side(&right) })))
    }

    fn merge(&self) -> Said<CallToolResult> {
        let files =
            self.arguments.get("files_data").and_then(Value::as_array).ok_or("files_data is missing")?;
        let one = |file: &Value| file.as_str().and_then(decode).ok_or("a file is not Base64");
        let files = files.iter().map(one).collect::<Result<Vec<_>, _>>()?;
        let sizes: Vec<usize> = files.iter().map(Vec::len).collect();
        let whole = files.concat();
        let ref_id = self.shelf.keep("merged", whole.clone());
        Ok(structured(json!({
            "ref_id": ref_id, "files": sizes, "bytes": whole.len(), "sha256": sha256(&whole),
        })))
    }

    fn sink(&self) -> Said<CallToolResult> {
        Ok(structured(json!({ "characters": self.string("file_data")?.len() })))
    }

    fn look_at(&self, name: &str) -> Said<CallToolResult> {
        let text = self.string(name)?;
        let words = text.split_whitespace().count();
        Ok(structured(json!({ "characters": text.chars().count(), "words": words, "start": start(text) })))
    }

    fn tailor_resume(&self) -> Said<CallToolResult> {
        let (source, role) = (self.string("source_ref_id")?, self.string("target_role")?);
        let document = self.shelf.find(source).ok_or_else(|| format!("there is no document {source}"))?;
        let pdf = [b"%PDF-1.7\n", role.as_bytes(), &document.bytes].concat();
        let ref_id = self.shelf.keep("tailored", pdf);
        Ok(structured(json!({ "ref_id": ref_id, "format": "pdf" })))
    }

    fn big_text(&self) -> Said<CallToolResult> {
        const LINE: &str = "All work and no play makes a dull text, line after line. ";
        let length = self.number("bytes", RESULT_BYTES_MAX)? as usize;
        let mut text = LINE.repeat(length / LINE.len() + 1);
        text.truncate(length);
        Ok(success(ContentBlock::text(text)))
    }

    fn pdf_blob(&self) -> Said<CallToolResult> {
        let bytes = pdf(self.number("bytes", RESULT_BYTES_MAX)? as usize);
        let uri = format!("docs://{}", self.shelf.keep("pdf", bytes.clone()));
        let contents = ResourceContents::blob(encode(&bytes), uri).with_mime_type("application/pdf");
        Ok(success(ContentBlock::resource(contents)))
    }

    fn embedded_base64(&self) -> Said<CallToolResult> {
        let bytes = pdf(self.number("bytes", RESULT_BYTES_MAX)? as usize);
        Ok(structured(json!({ "file_name": "report.pdf", "data": encode(&bytes), "sha256": sha256(&bytes) })))
    }

    async fn slow(&self) -> Said<CallToolResult> {
        let ms = self.number("ms", SLOW_MS_MAX)?;
        tokio::time::sleep(Duration::from_millis(ms)).await;
        Ok(structured(json!({ "ms": ms })))
    }

    async fn create_job(&self) -> Said<CallToolResult> {
        let url = self.string("input_url")?;
        let fetched =
            fetch(url).await.map_err(|error| format!("could not fetch it: {}", error.without_url()))?;
        let mut result =
            json!({ "bytes": fetched.bytes, "sha256": fetched.sha256, "ranges": fetched.ranges });
        if self.arguments.get("echo") == Some(&Value::Bool(true)) {
            result["input_url"] = json!(url);
        }
        Ok(structured(result))
    }
}

struct Fetched {
    bytes: u64,
    sha256: String,
    /// True if the last bytes could be fetched alone, and were the same.
    ranges: bool,
}

async fn fetch(url: &str) -> Result<Fetched, reqwest::Error> {
    let client = reqwest::Client::new();
    let mut stream = client.get(url).send().await?.error_for_status()?.bytes_stream();
    let (mut hasher, mut bytes, mut tail) = (Sha256::new(), 0, Vec::new());
    while let Some(piece) = stream.next().await {
        let piece = piece?;
        hasher.update(&piece);
        bytes += piece.len() as u64;
        tail.extend_from_slice(&piece);
        tail.drain(..tail.len().saturating_sub(RANGE_BYTES));
    }
    let last = client.get(url).header(header::RANGE, format!("bytes=-{}", tail.len())).send().await?;
    let is_part = last.status() == StatusCode::PARTIAL_CONTENT;
    let ranges = is_part && last.bytes().await? == tail;
    let sha256 = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Fetched { bytes, sha256, ranges })
}

/// Looks like a document from the outside, and does not compress.
fn pdf(length: usize) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n".to_vec();
    let mut state = 1_u32;
    while bytes.len() < length {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        bytes.push((state >> 24) as u8);
    }
    bytes.truncate(length);
    bytes
}

fn start(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().take(8).collect();
    words.join(" ").chars().take(START_CHARACTERS).collect()
}
