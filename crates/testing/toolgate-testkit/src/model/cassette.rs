//! Cassettes: what a real model said, to be said again to exactly the same requests. Headers are not recorded, and the
//! key is taken out wherever else it stands.

mod difference;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderName, RETRY_AFTER};
use http::request::Parts;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::sending::built;

/// The word that stands for a key.
const SCRUBBED: &str = "(key)";

/// A file of recordings, one a line.
pub struct Cassette {
    path: PathBuf,
    recordings: Mutex<Vec<Recording>>,
    /// How often each request was played.
    played: Mutex<BTreeMap<String, usize>>,
}

/// A request and the answer to it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    /// Of the path and the request in its canonical form.
    pub digest: String,
    pub path: String,
    pub request: Value,
    pub status: u16,
    pub content_type: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<String>,
    pub body: String,
}

impl Cassette {
    /// The recordings of a file.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let mut recordings: Vec<Recording> = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let place = || format!("{}, line {}", path.display(), at + 1);
            let recording: Recording = serde_json::from_str(line).with_context(place)?;
            let digest = digest(&recording.path, &recording.request);
            anyhow::ensure!(digest == recording.digest, "{}: the request was changed", place());
            recordings.push(recording);
        }
        Ok(Self { path: path.to_owned(), recordings: Mutex::new(recordings), played: Mutex::default() })
    }

    /// A new file.
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        std::fs::File::create_new(path).with_context(|| path.display().to_string())?;
        Ok(Self { path: path.to_owned(), recordings: Mutex::default(), played: Mutex::default() })
    }

    /// The answer to exactly this request; equal requests are answered in the order of their recording. A request that was
    /// not recorded is told its differences from the nearest one.
    pub fn play(&self, path: &str, request: &Value) -> Result<Recording, String> {
        let digest = digest(path, request);
        let recordings = self.recordings.lock();
        let mut same = recordings.iter().filter(|recording| recording.digest == digest);
        let mut played = self.played.lock();
        let count = played.entry(digest.clone()).or_default();
        let found = same.nth(*count).cloned();
        if found.is_some() || *count > 0 {
            *count += 1;
        }
        found.ok_or_else(|| match *count {
            0 => difference::miss(path, request, &recordings),
            times => format!("a request was recorded {} times and is made again", times - 1),
        })
    }

    /// Adds a recording to the file.
    pub fn record(&self, recording: Recording) -> anyhow::Result<()> {
        let mut file = std::fs::OpenOptions::new().append(true).open(&self.path)?;
        writeln!(file, "{}", serde_json::to_string(&recording)?)?;
        self.recordings.lock().push(recording);
        Ok(())
    }
}

impl Recording {
    pub(super) fn response(self) -> Response {
        built(self.status, &self.content_type, self.retry_after.as_deref(), Body::from(self.body))
    }
}

/// Asks the real model, over plain HTTP, and records its answer.
pub(super) async fn forward(
    cassette: &Cassette,
    address: &str,
    head: &Parts,
    body: Bytes,
    key: Option<&str>,
) -> anyhow::Result<Recording> {
    let client = reqwest::Client::builder().no_proxy().build()?;
    let mut headers = head.headers.clone();
    headers.remove(HOST);
    headers.remove(CONTENT_LENGTH);
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
    let url = format!("{}{target}", address.trim_end_matches('/'));
    let answer = client.post(url).headers(headers).body(body.clone()).send().await?;
    let header = |name: HeaderName| {
        let value = answer.headers().get(name)?;
        value.to_str().ok().map(str::to_owned)
    };
    let (content_type, retry_after) = (header(CONTENT_TYPE).unwrap_or_default(), header(RETRY_AFTER));
    let status = answer.status().as_u16();
    let request: Value = serde_json::from_str(&scrubbed(&String::from_utf8_lossy(&body), key))?;
    let path = head.uri.path().to_owned();
    let digest = digest(&path, &request);
    let body = scrubbed(&answer.text().await?, key);
    let recording = Recording { digest, path, request, status, content_type, retry_after, body };
    cassette.record(recording.clone())?;
    Ok(recording)
}

fn scrubbed(text: &str, key: Option<&str>) -> String {
    match key.filter(|key| !key.is_empty()) {
        Some(key) => text.replace(key, SCRUBBED),
        None => text.to_owned(),
    }
}

/// The same for requests that differ only in the order of members and in spaces.
fn digest(path: &str, request: &Value) -> String {
    let canonical = format!("{path}\n{}", sorted(request));
    Sha256::digest(canonical.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            let members = members.into_iter().map(|(name, value)| (name.clone(), sorted(value)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        Value::Array(elements) => Value::Array(elements.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests;
