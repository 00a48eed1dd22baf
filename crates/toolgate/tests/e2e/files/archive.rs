//! A gateway in front of servers that take documents, with uploads and downloads.

use std::path::PathBuf;

use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use toolgate_testkit::gateway::{HttpAnswer, HttpClient, until_async};

use super::bucket::Bucket;
use crate::conforming;
use crate::doors::WAIT;
use crate::governed::database::Backing;
use crate::live::site::{Ending, OPEN, Site};

/// All strategies, each with its tool. `sink` and `tailor_resume` have none.
pub(crate) const STRATEGIES: &str = r#"
[[tools]]
name = "*:parse_document"
file_strategy = "binary_base64"
[[tools]]
name = "*:extract_text"
file_strategy = "binary_base64"
[[tools]]
name = "*:classify_text"
file_strategy = "plain_text_text"
[[tools]]
name = "*:summarize"
file_strategy = "plain_text_content"
[[tools]]
name = "*:ocr"
file_strategy = "image_base64"
[[tools]]
name = "*:create_job"
file_strategy = "video_s3_presigned_url"
[[tools]]
name = "*:compare"
[[tools.files]]
strategy = "binary_base64"
argument = "left"
content = "left_data"
media_type = "left_type"
[[tools.files]]
strategy = "binary_base64"
argument = "right"
content = "right_data"
media_type = "right_type"
[[tools]]
name = "*:merge"
[[tools.files]]
strategy = "binary_base64"
argument = "file_ids"
content = "files_data"
"#;
/// The tools of each server of documents.
const TOOLS: u64 = 16;
/// The server that takes documents, as a child.
pub(crate) const DOCS: &str = "docs";

pub(crate) struct Archive {
    pub(crate) site: Site,
}

impl Archive {
    pub(crate) async fn open(more: &str) -> Self {
        Self::open_on(Backing::Sqlite, more).await
    }

    pub(crate) async fn open_on(backing: Backing, more: &str) -> Self {
        Self::open_as(backing, &format!("{OPEN}{more}"), &[DOCS]).await
    }

    /// With several servers that take documents.
    pub(crate) async fn open_with(more: &str, servers: &[&str]) -> Self {
        Self::open_as(Backing::Sqlite, &format!("{OPEN}{more}"), servers).await
    }

    /// With exactly this configuration beside the servers and strategies.
    pub(crate) async fn open_as(backing: Backing, toml: &str, servers: &[&str]) -> Self {
        let entries: String =
            servers.iter().map(|name| conforming(name, &["--tools", "documents"])).collect();
        let archive = Self { site: Site::open_as(backing, &format!("{toml}{STRATEGIES}{entries}")) };
        archive.ready(servers).await;
        archive
    }

    /// Another gateway on the same database and the same storage.
    pub(crate) async fn another(&self, more: &str) -> Self {
        let database = self.site.backing.database().expect("gateways share a Postgres").clone();
        let toml = format!("{OPEN}{more}{STRATEGIES}{}", conforming(DOCS, &["--tools", "documents"]));
        let mut two = Self { site: Site::open_as(Backing::Shared(database, "second"), &toml) };
        // The tokens of the first start are those of the first gateway.
        two.site.gateway.admin = self.site.gateway.admin.clone();
        two.site.gateway.agent = self.site.gateway.agent.clone();
        two.ready(&[DOCS]).await;
        two
    }

    /// Kills the gateway and starts it again on its data.
    pub(crate) async fn killed(self) -> Self {
        let archive = Self { site: self.site.restarted(Ending::Killed) };
        archive.ready(&[DOCS]).await;
        archive
    }

    pub(crate) async fn ready(&self, servers: &[&str]) {
        for server in servers {
            self.site.server_is(server, |about| about["tools"] == TOOLS).await;
        }
    }

    pub(crate) fn agent(&self) -> &str {
        &self.site.gateway.agent
    }

    pub(crate) fn admin(&self) -> &str {
        &self.site.gateway.admin
    }

    /// A file of the agent's.
    pub(crate) async fn file(&self, name: &str, bytes: &[u8]) -> String {
        let file = self.upload(self.agent(), name, bytes).await;
        file["id"].as_str().expect("a file has an id").to_owned()
    }

    /// Sends a file as the body, which must succeed.
    pub(crate) async fn upload(&self, token: &str, name: &str, bytes: &[u8]) -> Value {
        let answer = self.try_upload(token, &format!("/files?name={}", encoded(name)), bytes).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.json()
    }

    pub(crate) async fn try_upload(&self, token: &str, path: &str, bytes: &[u8]) -> HttpAnswer {
        let request = self.site.request(token, "POST", path, None);
        let request = request.header("content-type", "application/octet-stream").body(bytes.to_vec());
        HttpClient::finish(request).await
    }

    /// The raw bytes.
    pub(crate) async fn fetch(&self, token: &str, path: &str) -> Fetched {
        Fetched::of(self.site.request(token, "GET", path, None)).await
    }

    pub(crate) async fn fetch_range(&self, token: &str, path: &str, range: &str) -> Fetched {
        Fetched::of(self.site.request(token, "GET", path, None).header("range", range)).await
    }

    /// A call through the API.
    pub(crate) async fn rest_call(&self, tool: &str, arguments: Value) -> HttpAnswer {
        let body = json!({ "name": tool, "arguments": arguments });
        self.site.rest(self.agent(), "POST", "/tools/call", Some(body)).await
    }

    /// All bytes in the folder: complete ones and drafts.
    pub(crate) fn blobs(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        collect(&self.site.gateway.data().join("files"), &mut found);
        found.sort();
        found
    }

    /// The path of the bytes of this digest.
    pub(crate) fn blob(&self, digest: &Value) -> Option<PathBuf> {
        let hex = digest.as_str().expect("a digest").trim_start_matches("sha256:").to_owned();
        self.blobs().into_iter().find(|path| path.ends_with(&hex))
    }

    /// The whole ledger, as exported.
    pub(crate) fn ledger(&self) -> String {
        self.site.say(&["ledger", "export"])
    }

    /// The ledger is intact.
    pub(crate) fn verify(&self) {
        self.site.say(&["ledger", "verify"]);
    }
}

fn collect(folder: &std::path::Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        match path.is_dir() {
            true => collect(&path, found),
            false => found.push(path),
        }
    }
}

pub(crate) struct Fetched {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

impl Fetched {
    pub(crate) async fn of(request: reqwest::RequestBuilder) -> Self {
        let response = request.send().await.expect("an answer");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = response.bytes().await.expect("the body can be read").to_vec();
        Self { status, headers, bytes }
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|error| panic!("not JSON ({error})"))
    }

    /// The code of a problem.
    pub(crate) fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// For a query.
pub(crate) fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// The error code of a call.
pub(crate) fn code(result: &Value) -> &str {
    let code = result["structuredContent"]["error"]["code"].as_str();
    assert_eq!(result["isError"], true, "{result}");
    code.unwrap_or_else(|| panic!("no code: {result}"))
}

/// The answer of a platform tool.
pub(crate) fn data(result: &Value) -> &Value {
    assert_ne!(result["isError"], true, "{result}");
    &result["structuredContent"]["data"]
}

/// The answer of a server of documents.
pub(crate) fn structure(result: &Value) -> &Value {
    assert_ne!(result["isError"], true, "{result}");
    &result["structuredContent"]
}

/// The ref that a result became: the first block describes it, the second links to it.
pub(crate) fn taken_out(result: &Value) -> Value {
    let line = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {result}"));
    let one: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    let link = &result["content"][1];
    assert_eq!(link["type"], "resource_link", "{result}");
    assert_eq!(link["uri"], format!("toolgate://refs/{}", text(&one["ref_id"])), "{result}");
    one
}

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

/// Waits until a condition holds.
pub(crate) async fn becomes<F: Future<Output = bool>>(what: &str, ask: impl Fn() -> F) {
    let there = until_async(WAIT, || async { ask().await.then_some(()) });
    there.await.unwrap_or_else(|| panic!("never: {what}"));
}

/// The place of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Storage {
    Folder,
    S3,
}

impl Storage {
    /// `[files]` with more in it.
    pub(crate) fn toml(self, more: &str) -> String {
        match self {
            Storage::Folder => format!("[files]\n{more}"),
            Storage::S3 => Bucket::of_this_test().toml(more),
        }
    }
}
