//! The set of tools for documents, tested with a client of each era.
#![expect(clippy::disallowed_methods, reason = "a test starts tasks and reads settings as it likes")]
#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

use std::process::Stdio;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use capability_testkit::speak_with;
use rmcp::model::{CallToolRequestParams, CallToolResult, ProtocolVersion, ReadResourceRequestParams};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RoleClient, RunningService};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use toolgate_testkit::conformance::client::ObligingClient;

const SERVER: &str = env!("CARGO_BIN_EXE_conformance-server");
const LIMIT: Duration = Duration::from_secs(20);

type DocumentsClient = RunningService<RoleClient, ObligingClient>;

struct Http {
    url: String,
    _process: Child,
}

async fn serve() -> Http {
    let mut command = Command::new(SERVER);
    command.args(["--tools", "documents"]).stdout(Stdio::piped()).kill_on_drop(true);
    let mut process = command.spawn().unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let line = tokio::time::timeout(LIMIT, lines.next_line()).await.unwrap().unwrap().unwrap();
    Http { url: line.strip_prefix("listening on ").unwrap().to_owned(), _process: process }
}

fn modern() -> ClientLifecycleMode {
    ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
}

async fn over_http(server: &Http, lifecycle: ClientLifecycleMode) -> DocumentsClient {
    ObligingClient::default().connect(&server.url, None, lifecycle).await.unwrap()
}

async fn over_stdio() -> DocumentsClient {
    let mut command = Command::new(SERVER);
    command.args(["--stdio", "--tools", "documents"]);
    let transport = speak_with(command);
    ObligingClient::default().serve_with_lifecycle(transport, ClientLifecycleMode::Initialize).await.unwrap()
}

async fn call(client: &DocumentsClient, tool: &'static str, arguments: Value) -> CallToolResult {
    let params = CallToolRequestParams::new(tool).with_arguments(arguments.as_object().unwrap().clone());
    tokio::time::timeout(LIMIT, client.call_tool(params)).await.unwrap().unwrap()
}

async fn said(client: &DocumentsClient, tool: &'static str, arguments: Value) -> Value {
    let result = call(client, tool, arguments).await;
    assert_ne!(result.is_error, Some(true), "{result:?}");
    result.structured_content.unwrap()
}

fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

/// A document goes in, another one comes out of it, and both can be read.
async fn check_chain(client: &DocumentsClient) {
    let data = BASE64_STANDARD.encode("a short life");
    let parsed = said(client, "parse_document", json!({"file_data": data, "file_type": "text/plain"})).await;
    assert_eq!((&parsed["page_count"], &parsed["bytes"]), (&json!(4), &json!(12)));
    let id = parsed["ref_id"].as_str().unwrap();
    assert_eq!(id, format!("doc_{}", &parsed["sha256"].as_str().unwrap()[..8]));
    let made = said(client, "tailor_resume", json!({"source_ref_id": id, "target_role": "baker"})).await;
    assert_eq!(made["format"], "pdf");
    let uri = format!("docs://{}", made["ref_id"].as_str().unwrap());
    let read = client.read_resource(ReadResourceRequestParams::new(uri)).await.unwrap();
    let read = serde_json::to_value(read).unwrap();
    assert_eq!(read["contents"][0]["mimeType"], "application/pdf");
    let bytes = BASE64_STANDARD.decode(read["contents"][0]["blob"].as_str().unwrap()).unwrap();
    assert_eq!(bytes, b"%PDF-1.7\nbakera short life");
    let none = call(client, "tailor_resume", json!({"source_ref_id": "doc_0", "target_role": "x"})).await;
    assert_eq!((none.is_error, text(&none)), (Some(true), "there is no document doc_0"));
}

#[tokio::test]
async fn documents_go_in_and_come_out_over_every_transport() {
    let server = serve().await;
    check_chain(&over_http(&server, modern()).await).await;
    check_chain(&over_http(&server, ClientLifecycleMode::Initialize).await).await;
    check_chain(&over_stdio().await).await;
}

#[tokio::test]
async fn every_tool_that_takes_content_says_what_it_was_given() {
    let server = serve().await;
    let client = over_http(&server, modern()).await;
    let (one, two) = (BASE64_STANDARD.encode("one"), BASE64_STANDARD.encode("two!"));
    for _ in 0..2 {
        let extracted = call(&client, "extract_text", json!({"file_data": one, "file_type": "x"})).await;
        assert_eq!(text(&extracted), "extracted from 3 bytes: one");
    }
    assert_eq!(said(&client, "extract_count", json!({})).await, json!({"count": 2}));
    let seen = said(&client, "ocr", json!({"image_data": one, "image_type": "image/png"})).await;
    assert_eq!((&seen["bytes"], &seen["image_type"]), (&json!(3), &json!("image/png")));
    let compared = said(&client, "compare", json!({"left_data": one, "right_data": two})).await;
    assert_eq!((&compared["same"], &compared["right"]["bytes"]), (&json!(false), &json!(4)));
    let merged = said(&client, "merge", json!({"files_data": [one, two]})).await;
    assert_eq!((&merged["bytes"], &merged["files"]), (&json!(7), &json!([3, 4])));
    let looked = said(&client, "classify_text", json!({"text": "to be or not"})).await;
    assert_eq!(looked, json!({"characters": 12, "words": 4, "start": "to be or not"}));
    assert_eq!(said(&client, "summarize", json!({"content": "short"})).await["words"], 1);
    let bad = call(&client, "ocr", json!({"image_data": "§", "image_type": "x"})).await;
    assert_eq!(text(&bad), "image_data is not Base64");
}

#[tokio::test]
async fn results_have_the_size_and_the_form_that_were_asked_for() {
    let client = over_stdio().await;
    assert_eq!(text(&call(&client, "big_text", json!({"bytes": 70_000})).await).len(), 70_000);
    let picture = call(&client, "picture", json!({})).await;
    let png = BASE64_STANDARD.decode(&picture.content[0].as_image().unwrap().data).unwrap();
    assert!(png.starts_with(b"\x89PNG") && png.len() > 2048);
    let blob = serde_json::to_value(call(&client, "pdf_blob", json!({"bytes": 5000})).await).unwrap();
    let blob = &blob["content"][0]["resource"];
    assert_eq!(blob["mimeType"], "application/pdf");
    assert_eq!(BASE64_STANDARD.decode(blob["blob"].as_str().unwrap()).unwrap().len(), 5000);
    let embedded = call(&client, "embedded_base64", json!({"bytes": 3000})).await;
    let data = embedded.structured_content.as_ref().unwrap()["data"].as_str().unwrap();
    assert!(data.len() == 4000 && text(&embedded).contains(data));
    assert_eq!(said(&client, "slow", json!({"ms": 1})).await, json!({"ms": 1}));
}

#[tokio::test]
async fn the_sink_counts_the_same_with_and_without_the_short_cut() {
    let server = serve().await;
    let data = "A".repeat(3_000_000);
    for lifecycle in [modern(), ClientLifecycleMode::Initialize] {
        let client = over_http(&server, lifecycle).await;
        let counted = said(&client, "sink", json!({"file_data": data})).await;
        assert_eq!(counted, json!({"characters": 3_000_000}));
    }
    let url = server.url.replace("/mcp", "/copy");
    let copied = reqwest::Client::new().post(url).body(data).send().await.unwrap();
    assert_eq!(copied.text().await.unwrap(), "3000000");
}

/// Serves these bytes, whole and in part, at any path.
async fn content(bytes: &'static [u8]) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/video?signature=secret", listener.local_addr().unwrap());
    let router = axum::Router::new().fallback(move |headers: http::HeaderMap| async move {
        let range = headers.get("range").and_then(|range| range.to_str().ok()?.strip_prefix("bytes=-"));
        match range.and_then(|last| last.parse::<usize>().ok()) {
            Some(last) => (http::StatusCode::PARTIAL_CONTENT, &bytes[bytes.len() - last..]),
            None => (http::StatusCode::OK, bytes),
        }
    });
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

#[tokio::test]
async fn a_job_fetches_its_address_whole_and_in_part() {
    let client = over_stdio().await;
    let url = content(b"a film that is long enough").await;
    let job = said(&client, "create_job", json!({"input_url": url})).await;
    assert_eq!((&job["bytes"], &job["ranges"]), (&json!(26), &json!(true)));
    assert!(!job.to_string().contains("secret"));
    let job = said(&client, "create_job", json!({"input_url": url, "echo": true})).await;
    assert_eq!(job["input_url"], url);
    let job = call(&client, "create_job", json!({"input_url": "http://127.0.0.1:1/?signature=secret"})).await;
    assert!(job.is_error == Some(true) && !text(&job).contains("secret"), "{}", text(&job));
}
