//! Reading what a registry answers. An entry that breaks a limit is left out, and does not hide the others.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};
use toolgate_core::Digest;

use super::name::PublishedName;
use super::server::{PublicationStatus, PublishedPackage, PublishedRemote, PublishedServer};

/// Entries on one page.
const ENTRIES_MAX: usize = 1_000;
/// Members and elements of one entry, at any depth.
const NODES_MAX: usize = 5_000;
/// A text within an entry.
const TEXT_BYTES_MAX: usize = 8_192;
const VERSION_CHARS_MAX: usize = 255;
/// A cursor for the next page.
const CURSOR_CHARS_MAX: usize = 2_048;
/// The member of `_meta` in which a registry says what it knows itself.
const OFFICIAL: &str = "io.modelcontextprotocol.registry/official";

/// The reason why an answer is not what a registry says.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPublication {
    #[error("it is not JSON: {0}")]
    Json(String),
    #[error("it has no list `servers`")]
    List,
    #[error("its entry cannot be read: {0}")]
    Entry(String),
}

/// One page of a list.
#[derive(Clone, PartialEq, Debug)]
pub struct PublishedPage {
    pub servers: Vec<PublishedServer>,
    /// The number of entries that cannot be read.
    pub unread: usize,
    /// The cursor of the next page.
    pub next: Option<String>,
}

impl PublishedPage {
    pub fn read(bytes: &[u8]) -> Result<Self, BadPublication> {
        let answer = json(bytes)?;
        let Some(entries) = answer.get("servers").and_then(Value::as_array) else {
            return Err(BadPublication::List);
        };
        let mut page =
            Self { servers: Vec::new(), unread: entries.len().saturating_sub(ENTRIES_MAX), next: None };
        for entry in entries.iter().take(ENTRIES_MAX) {
            match read_entry(entry) {
                Ok(server) => page.servers.push(server),
                Err(_) => page.unread += 1,
            }
        }
        let metadata = answer.get("metadata").unwrap_or(&Value::Null);
        let next = metadata.get("nextCursor").or_else(|| metadata.get("next_cursor")).and_then(Value::as_str);
        let fits = |next: &&str| !next.is_empty() && next.len() <= CURSOR_CHARS_MAX;
        page.next = next.filter(fits).map(str::to_owned);
        Ok(page)
    }
}

impl PublishedServer {
    /// The answer to a question for one entry.
    pub fn read(bytes: &[u8]) -> Result<Self, BadPublication> {
        read_entry(&json(bytes)?)
    }
}

fn json(bytes: &[u8]) -> Result<Value, BadPublication> {
    serde_json::from_slice(bytes).map_err(|error| BadPublication::Json(error.to_string()))
}

/// The part of an entry that the publisher wrote.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct PublishedText {
    name: String,
    version: String,
    title: Option<String>,
    description: String,
    website_url: Option<String>,
    repository: PublishedRepository,
    status: Option<String>,
    packages: Vec<PublishedPackage>,
    remotes: Vec<PublishedRemote>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PublishedRepository {
    url: Option<String>,
    subfolder: Option<String>,
}

fn read_entry(entry: &Value) -> Result<PublishedServer, BadPublication> {
    // Registries of before September 2025 answer without the envelope.
    let server = entry.get("server").filter(|server| server.is_object()).unwrap_or(entry);
    check_size(server)?;
    let text: PublishedText = serde_json::from_value(without_nulls(server))
        .map_err(|error| BadPublication::Entry(error.to_string()))?;
    let name = PublishedName::new(&text.name).map_err(|bad| BadPublication::Entry(bad.to_string()))?;
    if !is_version(&text.version) {
        return Err(BadPublication::Entry("it has no version".to_owned()));
    }
    let known = entry.get("_meta").and_then(|meta| meta.get(OFFICIAL)).unwrap_or(&Value::Null);
    let of_registry = |key: &str| {
        let told = known.get(key).and_then(Value::as_str);
        told.map(|told| told.chars().take(TEXT_BYTES_MAX).collect::<String>())
    };
    let status = of_registry("status").or(text.status).unwrap_or_default();
    Ok(PublishedServer {
        name,
        version: text.version,
        title: text.title,
        description: text.description,
        repository: text.repository.shown(),
        website: text.website_url,
        status: PublicationStatus::of(&status),
        status_message: of_registry("statusMessage"),
        published_at: of_registry("publishedAt"),
        is_latest: known.get("isLatest").and_then(Value::as_bool).unwrap_or(true),
        digest: Digest::of(sorted(server).to_string()),
        packages: text.packages,
        remotes: text.remotes,
    })
}

impl PublishedRepository {
    fn shown(self) -> Option<String> {
        let url = self.url.filter(|url| !url.is_empty())?;
        match self.subfolder.filter(|folder| !folder.is_empty()) {
            Some(folder) => Some(format!("{url} ({folder})")),
            None => Some(url),
        }
    }
}

fn is_version(text: &str) -> bool {
    let is_plain = |c: char| !c.is_control() && !c.is_whitespace();
    !text.is_empty() && text.len() <= VERSION_CHARS_MAX && text.chars().all(is_plain)
}

fn check_size(server: &Value) -> Result<(), BadPublication> {
    let mut nodes = 0;
    let mut next = vec![server];
    while let Some(value) = next.pop() {
        nodes += 1;
        if nodes > NODES_MAX {
            return Err(BadPublication::Entry(format!("it has more than {NODES_MAX} members")));
        }
        match value {
            Value::String(text) if text.len() > TEXT_BYTES_MAX => {
                let says = format!("a text in it has more than {TEXT_BYTES_MAX} bytes");
                return Err(BadPublication::Entry(says));
            }
            Value::Array(elements) => next.extend(elements),
            Value::Object(members) => next.extend(members.values()),
            _ => {}
        }
    }
    Ok(())
}

/// A member that is null counts as absent.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(_, value)| !value.is_null());
            Value::Object(kept.map(|(key, value)| (key.clone(), without_nulls(value))).collect())
        }
        Value::Array(elements) => Value::Array(elements.iter().map(without_nulls).collect()),
        other => other.clone(),
    }
}

/// The value with the keys of every object in order.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let ordered: BTreeMap<&String, Value> =
                members.iter().map(|(key, value)| (key, sorted(value))).collect();
            let members: Map<String, Value> =
                ordered.into_iter().map(|(key, value)| (key.clone(), value)).collect();
            Value::Object(members)
        }
        Value::Array(elements) => Value::Array(elements.iter().map(sorted).collect()),
        other => other.clone(),
    }
}
