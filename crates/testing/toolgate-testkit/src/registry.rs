//! A stand-in for an MCP registry, with the part of its HTTP API that readers need: lists with cursors, entries by version, and the
//! ways in which registries and their publishers misbehave.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use url::Url;

const OFFICIAL: &str = "io.modelcontextprotocol.registry/official";
const PAGE_ENTRIES: usize = 30;
const HUGE_BYTES: usize = 6 << 20;
/// Longer than any reader waits.
const SILENCE: Duration = Duration::from_secs(30);

/// Answers until the process ends.
pub struct StandInRegistry {
    /// `http://127.0.0.1:4711`
    pub address: String,
    shared: Arc<Mutex<SharedEntries>>,
}

#[derive(Default)]
struct SharedEntries {
    /// In the order of publication.
    entries: Vec<StoredEntry>,
    fault: RegistryFault,
    /// The paths of all requests, with their queries.
    asked: Vec<String>,
}

#[derive(Clone)]
struct StoredEntry {
    server: Value,
    status: String,
    message: Option<String>,
}

/// Its behaviour from now on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RegistryFault {
    #[default]
    None,
    /// It takes the request, and says nothing.
    Silent,
    /// A page for people, with status 200.
    Html,
    /// HTTP 500 for everything.
    Failing,
    /// It leads elsewhere.
    Redirecting,
    /// An answer that is far too large.
    Huge,
    /// A new cursor on every page, without an end.
    Endless,
    /// The same cursor on every page.
    Repeating,
    /// Half of an answer, and the connection is closed.
    Broken,
    /// Another entry than the one that was asked for.
    Swapping,
}

impl StandInRegistry {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("it is bound"));
        let shared = Arc::new(Mutex::new(SharedEntries::default()));
        let serving = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&serving);
                thread::spawn(move || converse(&stream, &shared));
            }
        });
        Self { address, shared }
    }

    /// Publishes a version, which is the latest from now on.
    pub fn publish(&self, server: Value) {
        self.shared.lock().entries.push(StoredEntry { server, status: "active".to_owned(), message: None });
    }

    /// Changes the entry of a version in place, as no honest registry does.
    pub fn edit(&self, name: &str, version: &str, edit: impl FnOnce(&mut Value)) {
        let mut shared = self.shared.lock();
        let found = shared.entries.iter_mut().find(|entry| entry.is(name, version));
        edit(&mut found.expect("it was published").server);
    }

    /// Gives every version of a server another standing.
    pub fn mark(&self, name: &str, status: &str, message: &str) {
        for entry in self.shared.lock().entries.iter_mut().filter(|entry| entry.server["name"] == name) {
            (entry.status, entry.message) = (status.to_owned(), Some(message.to_owned()));
        }
    }

    /// Removes every version of a server.
    pub fn withdraw(&self, name: &str) {
        self.shared.lock().entries.retain(|entry| entry.server["name"] != name);
    }

    pub fn behave(&self, fault: RegistryFault) {
        self.shared.lock().fault = fault;
    }

    /// The requests so far: path and query.
    pub fn asked(&self) -> Vec<String> {
        self.shared.lock().asked.clone()
    }
}

impl StoredEntry {
    fn is(&self, name: &str, version: &str) -> bool {
        self.server["name"] == name && self.server["version"] == version
    }
}

/// Answers one request after the other until the peer has had enough.
fn converse(stream: &TcpStream, shared: &Mutex<SharedEntries>) {
    let mut reader = BufReader::new(stream);
    while let Some(path) = read(&mut reader) {
        let fault = shared.lock().note(&path);
        let (head, body) = match fault {
            RegistryFault::Silent => {
                thread::sleep(SILENCE);
                return;
            }
            RegistryFault::Html => {
                ("200 OK\r\ncontent-type: text/html", "<!doctype html><h1>Hello</h1>".to_owned())
            }
            RegistryFault::Failing => ("500 Oops\r\ncontent-type: text/plain", "database is down".to_owned()),
            RegistryFault::Redirecting => {
                ("302 Found\r\nlocation: http://169.254.169.254/latest", String::new())
            }
            RegistryFault::Huge => {
                (JSON, format!("{{\"servers\":[],\"padding\":\"{}\"}}", "x".repeat(HUGE_BYTES)))
            }
            _ => shared.lock().answer(&path, fault),
        };
        if !send(stream, head, &body, fault) {
            return;
        }
    }
}

const JSON: &str = "200 OK\r\ncontent-type: application/json";
const MISSING: &str = "404 Not Found\r\ncontent-type: application/json";

/// False if the connection is of no use any more.
fn send(mut stream: &TcpStream, head: &str, body: &str, fault: RegistryFault) -> bool {
    let cut = if fault == RegistryFault::Broken { body.len() / 2 } else { body.len() };
    let whole = write!(stream, "HTTP/1.1 {head}\r\ncontent-length: {}\r\n\r\n{}", body.len(), &body[..cut]);
    whole.is_ok() && fault != RegistryFault::Broken
}

/// Path and query of the next request.
fn read(reader: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split_whitespace().nth(1)?.to_owned();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if line.trim_end().is_empty() {
            return Some(path);
        }
    }
}

impl SharedEntries {
    fn note(&mut self, path: &str) -> RegistryFault {
        self.asked.push(path.to_owned());
        self.fault
    }

    fn answer(&self, path: &str, fault: RegistryFault) -> (&'static str, String) {
        let missing = || (MISSING, json!({ "error": "Server not found" }).to_string());
        let Ok(url) = Url::parse(&format!("http://registry.test{path}")) else { return missing() };
        let parts: Vec<String> =
            url.path_segments().into_iter().flatten().map(|part| part.replace("%2F", "/")).collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let answer = match parts[..] {
            ["v0" | "v0.1", "servers"] => Some(self.list(&url, fault)),
            ["v0" | "v0.1", "servers", name, "versions", version] => self.one(name, version, fault),
            _ => None,
        };
        answer.map_or_else(missing, |answer| (JSON, answer.to_string()))
    }

    fn list(&self, url: &Url, fault: RegistryFault) -> Value {
        let query = |name: &str| {
            let mut pairs = url.query_pairs();
            pairs.find(|(one, _)| one == name).map(|(_, value)| value.into_owned())
        };
        let word = query("search").unwrap_or_default().to_lowercase();
        let only_latest = query("version").as_deref() == Some("latest");
        let from: usize = query("cursor").and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
        let limit: usize = query("limit").and_then(|limit| limit.parse().ok()).unwrap_or(PAGE_ENTRIES);
        let fits = |entry: &&StoredEntry| {
            let text = format!("{} {}", entry.server["name"], entry.server["description"]).to_lowercase();
            text.contains(&word) && entry.status != "deleted" && (!only_latest || self.is_latest(entry))
        };
        let found: Vec<Value> = self.entries.iter().filter(fits).map(|entry| self.shown(entry)).collect();
        let page: Vec<Value> = match fault {
            RegistryFault::Endless | RegistryFault::Repeating => found.clone(),
            _ => found.iter().skip(from).take(limit).cloned().collect(),
        };
        let next = match fault {
            RegistryFault::Endless => Some((from + 1).to_string()),
            RegistryFault::Repeating => Some("7".to_owned()),
            _ => (from + limit < found.len()).then(|| (from + limit).to_string()),
        };
        let mut metadata = json!({ "count": page.len() });
        if let Some(next) = next {
            metadata["nextCursor"] = json!(next);
        }
        json!({ "servers": page, "metadata": metadata })
    }

    fn one(&self, name: &str, version: &str, fault: RegistryFault) -> Option<Value> {
        let mut of_name = self.entries.iter().filter(|entry| entry.server["name"] == name);
        let found = match version {
            "latest" => of_name.next_back()?,
            version => of_name.find(|entry| entry.is(name, version))?,
        };
        let mut shown = self.shown(found);
        if fault == RegistryFault::Swapping {
            shown["server"]["name"] = json!("com.evil/swapped");
        }
        Some(shown)
    }

    fn is_latest(&self, entry: &StoredEntry) -> bool {
        let last = self.entries.iter().rfind(|other| other.server["name"] == entry.server["name"]);
        last.is_some_and(|last| last.server["version"] == entry.server["version"])
    }

    fn shown(&self, entry: &StoredEntry) -> Value {
        let mut known = json!({
            "status": entry.status, "publishedAt": "2026-10-01T12:00:00Z", "isLatest": self.is_latest(entry),
        });
        if let Some(message) = &entry.message {
            known["statusMessage"] = json!(message);
        }
        json!({ "server": entry.server, "_meta": { (OFFICIAL): known } })
    }
}
