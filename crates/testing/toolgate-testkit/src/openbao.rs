//! A stand-in for OpenBao with the part of its HTTP API that a reader of secrets needs: the KV engine of
//! version 2 under `secret`, AppRole logins, tokens that can be revoked.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;
use serde_json::{Value, json};

/// Answers until the process ends.
pub struct StandIn {
    pub address: String,
    shared: Arc<Mutex<Shared>>,
}

#[derive(Default)]
struct Shared {
    secrets: BTreeMap<String, BTreeMap<String, String>>,
    tokens: BTreeSet<String>,
    namespaces: BTreeSet<String>,
    logins: usize,
}

struct Asked {
    method: String,
    path: String,
    headers: BTreeMap<String, String>,
    body: Value,
}

impl StandIn {
    /// A token that is always good.
    pub const ROOT: &'static str = "root-token";
    pub const ROLE_ID: &'static str = "gateway";
    pub const SECRET_ID: &'static str = "secret-id-1";

    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("it is bound"));
        let shared = Arc::new(Mutex::new(Shared::default()));
        let serving = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&serving);
                thread::spawn(move || converse(&stream, &shared));
            }
        });
        Self { address, shared }
    }

    /// Puts a new version of a secret that has this one field.
    pub fn put(&self, path: &str, field: &str, value: &str) {
        let fields = [(field.to_owned(), value.to_owned())].into();
        self.shared.lock().secrets.insert(path.to_owned(), fields);
    }

    /// Ends all logins.
    pub fn revoke_all(&self) {
        self.shared.lock().tokens.clear();
    }

    pub fn logins(&self) -> usize {
        self.shared.lock().logins
    }

    /// The requested namespaces.
    pub fn namespaces(&self) -> Vec<String> {
        self.shared.lock().namespaces.iter().cloned().collect()
    }
}

/// Answers one request after the other until the peer has had enough.
fn converse(stream: &TcpStream, shared: &Mutex<Shared>) {
    let mut reader = BufReader::new(stream);
    while let Some(asked) = read(&mut reader) {
        let (status, body) = shared.lock().answer(&asked);
        let body = body.to_string();
        let head = format!(
            "HTTP/1.1 {status} Told\r\ncontent-type: application/json\r\ncontent-length: {}",
            body.len()
        );
        let mut writer = stream;
        if write!(writer, "{head}\r\n\r\n{body}").is_err() {
            return;
        }
    }
}

fn read(reader: &mut impl BufRead) -> Option<Asked> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or_default();
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Asked { method, path, headers, body: serde_json::from_slice(&body).unwrap_or_default() })
}

impl Shared {
    fn answer(&mut self, asked: &Asked) -> (u16, Value) {
        self.namespaces.extend(asked.headers.get("x-vault-namespace").cloned());
        match (asked.method.as_str(), asked.path.as_str()) {
            ("POST", "/v1/auth/approle/login") => self.log_in(&asked.body),
            ("GET", path) => match path.strip_prefix("/v1/secret/data/") {
                Some(path) => self.secret(path, asked.headers.get("x-vault-token")),
                None => (404, json!({ "errors": [] })),
            },
            _ => (405, json!({ "errors": ["unsupported operation"] })),
        }
    }

    fn log_in(&mut self, body: &Value) -> (u16, Value) {
        if body["role_id"] != StandIn::ROLE_ID || body["secret_id"] != StandIn::SECRET_ID {
            return (400, json!({ "errors": ["invalid role or secret ID"] }));
        }
        self.logins += 1;
        let token = format!("s.{}", self.logins);
        self.tokens.insert(token.clone());
        let auth = json!({ "client_token": token, "lease_duration": 3600, "renewable": true, "policies": ["default"] });
        (200, json!({ "request_id": "1", "lease_duration": 0, "data": null, "auth": auth }))
    }

    fn secret(&self, path: &str, token: Option<&String>) -> (u16, Value) {
        if !token.is_some_and(|token| token == StandIn::ROOT || self.tokens.contains(token)) {
            return (403, json!({ "errors": ["permission denied"] }));
        }
        match self.secrets.get(path) {
            Some(fields) => {
                let metadata = json!({ "version": 1, "destroyed": false, "deletion_time": "" });
                (
                    200,
                    json!({ "request_id": "1", "data": { "data": fields, "metadata": metadata }, "auth": null }),
                )
            }
            None => (404, json!({ "errors": [] })),
        }
    }
}
