//! The real binary, booted in its own folder on a free port, and a plain HTTP client for it.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::{Value, json};

const STOP_WAIT: Duration = Duration::from_secs(20);
/// Pauses between two questions of `until`.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(150);

/// A running gateway. Dropping it stops the process and fails the test if children are left.
pub struct Gateway {
    process: Child,
    program: PathBuf,
    folder: tempfile::TempDir,
    pub endpoint: String,
    pub agent: String,
    pub admin: String,
    log: Arc<Mutex<Vec<String>>>,
}

impl Gateway {
    /// Starts `program serve` with this configuration.
    pub fn boot(program: &Path, toml: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self::boot_in(program, toml, folder)
    }

    /// The same in an existing folder, stopping for good when a call reaches this point.
    pub fn boot_stopping(program: &Path, toml: &str, folder: tempfile::TempDir, point: &str) -> Self {
        Self::boot_with(program, toml, folder, &[("TOOLGATE_STOP_AT", point)])
    }

    /// The same in an existing folder.
    pub fn boot_in(program: &Path, toml: &str, folder: tempfile::TempDir) -> Self {
        Self::boot_with(program, toml, folder, &[])
    }

    /// The same with these variables, which its commands need too.
    pub fn boot_with(program: &Path, toml: &str, folder: tempfile::TempDir, env: &[(&str, &str)]) -> Self {
        std::fs::write(folder.path().join("toolgate.toml"), toml).expect("the configuration can be written");
        give_tables(folder.path(), toml);
        let mut process = command(program, folder.path())
            .envs(env.iter().copied())
            .args(["--json", "serve", "--listen", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let log = Arc::new(Mutex::new(Vec::new()));
        let stderr = process.stderr.take().expect("stderr is piped");
        let lines = log.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                lines.lock().push(line);
            }
        });
        let mut first = String::new();
        let mut stdout = BufReader::new(process.stdout.take().expect("stdout is piped"));
        stdout.read_line(&mut first).expect("stdout can be read");
        let said: Value = serde_json::from_str(&first).unwrap_or_else(|error| {
            std::thread::sleep(Duration::from_millis(100));
            panic!("the gateway did not start: {error}: {first:?}; it said {:#?}", log.lock());
        });
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let tokens = first_tokens(&said);
        Self {
            process,
            program: program.to_owned(),
            endpoint: text(&said["endpoint"]),
            agent: text(&tokens["agent"]),
            admin: text(&tokens["admin"]),
            folder,
            log,
        }
    }

    /// Stops this gateway (by signal `-9` if `hard`) and starts it again on the same data; tokens stay valid.
    pub fn restart(self, hard: bool) -> Self {
        self.restart_with(hard, &[])
    }

    /// The same, and the new one stops for good where a call reaches this point.
    pub fn restart_stopping(self, hard: bool, point: &str) -> Self {
        self.restart_with(hard, &[("TOOLGATE_STOP_AT", point)])
    }

    fn restart_with(mut self, hard: bool, env: &[(&str, &str)]) -> Self {
        let toml = std::fs::read_to_string(self.folder.path().join("toolgate.toml"))
            .expect("the configuration is there");
        self.end(hard);
        let (agent, admin) = (self.agent.clone(), self.admin.clone());
        let folder = std::mem::replace(&mut self.folder, tempfile::tempdir().expect("a temporary folder"));
        let program = self.program.clone();
        drop(self);
        let mut again = Self::boot_with(&program, &toml, folder, env);
        (again.agent, again.admin) = (agent, admin);
        again
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// The gateway's log so far.
    pub fn log(&self) -> Vec<String> {
        self.log.lock().clone()
    }

    /// The same address with another path.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.endpoint.trim_end_matches("/mcp"))
    }

    /// Runs another command of the binary on the same configuration and data.
    pub fn cli(&self, args: &[&str]) -> Output {
        command(&self.program, self.folder.path())
            .args(args)
            .stdin(Stdio::null())
            .output()
            .expect("the binary runs")
    }

    /// A command that has not been started yet, for tests that speak to it.
    pub fn cli_command(&self, args: &[&str]) -> Command {
        let mut command = command(&self.program, self.folder.path());
        command.args(args);
        command
    }

    pub fn client(&self) -> HttpClient {
        HttpClient::new(&self.endpoint, &self.agent)
    }

    /// Stops this gateway (by signal `-9` if `hard`) and returns its exit status; its folder stays until it
    /// is dropped.
    pub fn end(&mut self, hard: bool) -> ExitStatus {
        // After its end, its number may belong to another process.
        if let Ok(Some(status)) = self.process.try_wait() {
            return status;
        }
        if hard {
            drop(self.process.kill());
        } else {
            signal("-TERM", self.process.id());
        }
        let ended = until(STOP_WAIT, || self.process.try_wait().ok().flatten());
        ended.unwrap_or_else(|| {
            drop(self.process.kill());
            self.process.wait().expect("a killed process ends")
        })
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.end(false);
        if std::thread::panicking() {
            eprintln!("the gateway said: {:#?}", self.log());
            return;
        }
        let panicked = self.log().into_iter().find(|line| line.contains("panicked at"));
        assert!(panicked.is_none(), "a part of the gateway panicked: {panicked:?}");
    }
}

/// The tokens of a first start, which are not printed. Null later.
pub fn first_tokens(said: &Value) -> Value {
    let Some(path) = said["tokens_file"].as_str() else { return Value::Null };
    let text = std::fs::read_to_string(path).expect("the tokens can be read");
    serde_json::from_str(&text).expect("the tokens are JSON")
}

/// Copies the empty database of `TOOLGATE_TEST_STORE` for a first start on SQLite: to make the tables takes a debug build a third
/// of its start. `script/test` makes that database, with the program itself.
fn give_tables(folder: &Path, toml: &str) {
    let data = folder.join("data");
    let Ok(tables) = std::env::var("TOOLGATE_TEST_STORE") else { return };
    if data.exists() || toml.contains("postgres") {
        return;
    }
    std::fs::DirBuilder::new().mode(0o700).create(&data).expect("a folder for the data");
    std::fs::copy(tables, data.join("toolgate.db")).expect("the database can be copied");
}

fn command(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .arg("--config")
        .arg(folder.join("toolgate.toml"))
        .arg("--data")
        .arg(folder.join("data"))
        .env("XDG_STATE_HOME", folder.join("state"))
        .current_dir(folder);
    command
}

pub fn signal(signal: &str, pid: u32) {
    drop(Command::new("kill").args([signal, &pid.to_string()]).status());
}

/// Asks repeatedly until there is an answer or the time is up: soon at first, then less often, since each question costs the
/// gateway some of what it needs for its work.
pub fn until<T>(wait: Duration, mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let started = Instant::now();
    let mut pause = FIRST_PAUSE;
    loop {
        if let Some(answer) = ask() {
            return Some(answer);
        }
        if started.elapsed() > wait {
            return None;
        }
        std::thread::sleep(pause);
        pause = longer(pause);
    }
}

/// The same for asynchronous questions.
pub async fn until_async<T, F: Future<Output = Option<T>>>(
    wait: Duration,
    mut ask: impl FnMut() -> F,
) -> Option<T> {
    let started = Instant::now();
    let mut pause = FIRST_PAUSE;
    loop {
        if let Some(answer) = ask().await {
            return Some(answer);
        }
        if started.elapsed() > wait {
            return None;
        }
        tokio::time::sleep(pause).await;
        pause = longer(pause);
    }
}

fn longer(pause: Duration) -> Duration {
    (pause * 3 / 2).min(LONGEST_PAUSE)
}

/// MCP over HTTP, explicitly: nothing is added or checked that the test did not ask for.
#[derive(Clone)]
pub struct HttpClient {
    pub http: reqwest::Client,
    pub endpoint: String,
    pub token: String,
    /// `Mcp-Session-Id`, once a session of the older era is open.
    pub session: Option<String>,
    pub capabilities: Value,
}

/// An HTTP answer, read to its end.
#[derive(Debug)]
pub struct HttpAnswer {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub text: String,
}

impl HttpAnswer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("not JSON ({error}): {self:?}"))
    }

    /// The JSON-RPC messages of the answer, whether it is one object or a stream of events.
    pub fn messages(&self) -> Vec<Value> {
        let streams = self
            .headers
            .get("content-type")
            .is_some_and(|value| value.as_bytes().starts_with(b"text/event-stream"));
        if !streams {
            return vec![self.json()];
        }
        let data = self
            .text
            .lines()
            .filter_map(|line| line.strip_prefix("data:"))
            .map(str::trim)
            .filter(|data| !data.is_empty());
        data.map(|data| serde_json::from_str(data).expect("events are JSON")).collect()
    }

    /// The last message: the response.
    pub fn response(&self) -> Value {
        self.messages().pop().expect("there is a message")
    }

    pub fn result(&self) -> Value {
        let mut response = self.response();
        assert!(response.get("result").is_some(), "no result: {self:?}");
        response["result"].take()
    }

    pub fn error_code(&self) -> i64 {
        self.response()["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {self:?}"))
    }
}

impl HttpClient {
    pub fn new(endpoint: &str, token: &str) -> Self {
        Self {
            http: reqwest::Client::builder().no_proxy().build().expect("a client"),
            endpoint: endpoint.to_owned(),
            token: token.to_owned(),
            session: None,
            capabilities: json!({}),
        }
    }

    /// A POST with the headers every MCP request has; the caller adds the rest.
    pub fn post(&self) -> reqwest::RequestBuilder {
        self.http
            .post(&self.endpoint)
            .bearer_auth(&self.token)
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
    }

    pub async fn finish(request: reqwest::RequestBuilder) -> HttpAnswer {
        let response = request.send().await.expect("the gateway answers");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        HttpAnswer { status, headers, text: response.text().await.expect("the body can be read") }
    }

    /// A raw body, without any header of the protocol.
    pub async fn raw(&self, body: impl Into<reqwest::Body>) -> HttpAnswer {
        Self::finish(self.post().body(body)).await
    }

    /// The request of the newer era for this method, ready to be changed or sent.
    pub fn modern_request(&self, id: u64, method: &str, mut params: Value) -> reqwest::RequestBuilder {
        let name = params["name"]
            .as_str()
            .or(params["uri"].as_str())
            .or(params["taskId"].as_str())
            .map(str::to_owned);
        let mut meta = params["_meta"].take();
        if meta.is_null() {
            meta = json!({});
        }
        meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
        meta["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
        meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": "testkit", "version": "1" });
        params["_meta"] = meta;
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let mut request =
            self.post().header("mcp-protocol-version", "2026-07-28").header("mcp-method", method);
        if let Some(name) = name {
            request = request.header("mcp-name", name);
        }
        request.body(body.to_string())
    }

    pub async fn modern(&self, method: &str, params: Value) -> HttpAnswer {
        Self::finish(self.modern_request(1, method, params)).await
    }

    /// Opens a session of the older era.
    pub async fn initialize(&mut self, version: &str) -> Value {
        let params = json!({
            "protocolVersion": version,
            "capabilities": self.capabilities,
            "clientInfo": { "name": "testkit", "version": "1" },
        });
        let body = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        let answer = self.raw(body.to_string()).await;
        self.session = answer.headers.get("mcp-session-id").map(|id| id.to_str().expect("ASCII").to_owned());
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(Self::finish(self.legacy_post().body(initialized.to_string())).await.status, 202);
        answer.result()
    }

    /// A POST in the session.
    pub fn legacy_post(&self) -> reqwest::RequestBuilder {
        self.post().header("mcp-session-id", self.session.as_deref().unwrap_or_default())
    }

    pub async fn legacy(&self, id: u64, method: &str, params: Value) -> HttpAnswer {
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        Self::finish(self.legacy_post().body(body.to_string())).await
    }

    /// The names on the tool list, once `enough` of them are there.
    pub async fn tool_names(&self, enough: usize) -> Vec<String> {
        let names = until_async(Duration::from_secs(30), || async {
            let result = self.modern("tools/list", json!({})).await.result();
            let names: Vec<String> = result["tools"]
                .as_array()?
                .iter()
                .filter_map(|tool| Some(tool["name"].as_str()?.to_owned()))
                .collect();
            (names.len() >= enough).then_some(names)
        });
        names.await.unwrap_or_else(|| panic!("fewer than {enough} tools appeared"))
    }
}
