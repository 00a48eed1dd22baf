//! Starting the server and talking to it.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use capability_testkit::{ProgressLog, call_of, clean, speak_with};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use parking_lot::Mutex;
use rmcp::model::{CallToolRequest, ClientRequest, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, PeerRequestOptions, RequestHandle, RoleClient};
use rmcp::transport::StreamableHttpClientTransport;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

pub(crate) const LIMIT: Duration = Duration::from_secs(30);
pub(crate) const ERAS: [KitEra; 2] = [KitEra::Initialize, KitEra::Modern];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum KitEra {
    Initialize,
    Modern,
}

impl KitEra {
    fn lifecycle(self) -> ClientLifecycleMode {
        match self {
            KitEra::Initialize => ClientLifecycleMode::Initialize,
            KitEra::Modern => {
                ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
            }
        }
    }
}

/// Cargo builds examples with the tests, beside them.
pub(crate) fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let program = test.parent().and_then(Path::parent).unwrap().join("examples/sample_server");
    assert!(program.exists(), "build it with: cargo build -p capability-kit --example sample_server");
    program
}

/// The program with a clean environment.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = clean(program());
    command.args(arguments);
    command
}

/// A client, with the folder for temporary files of the server that it has started, if it has.
pub(crate) struct KitClient {
    client: capability_testkit::Client,
    _folder: Option<TempDir>,
}

impl Deref for KitClient {
    type Target = capability_testkit::Client;

    fn deref(&self) -> &Self::Target {
        &self.client
    }
}

/// A server of the client's own, on stdin and stdout.
pub(crate) async fn over_stdio(era: KitEra, arguments: &[&str]) -> KitClient {
    let folder = tempfile::tempdir().unwrap();
    let mut command = command(arguments);
    command.env("TMPDIR", folder.path());
    let transport = speak_with(command);
    let service = ProgressLog::default().serve_with_lifecycle(transport, era.lifecycle()).await.unwrap();
    KitClient { client: capability_testkit::Client { service }, _folder: Some(folder) }
}

/// A server on its own port.
pub(crate) struct Http {
    pub(crate) url: String,
    pub(crate) process: Child,
    /// Its folder for temporary files.
    pub(crate) folder: TempDir,
    log: Arc<Mutex<Vec<String>>>,
}

pub(crate) async fn serve(arguments: &[&str]) -> Http {
    serve_at("127.0.0.1:0", arguments).await
}

pub(crate) async fn serve_at(address: &str, arguments: &[&str]) -> Http {
    let folder = tempfile::tempdir().unwrap();
    let mut command = command(arguments);
    command.args(["--http", address]).env("TMPDIR", folder.path()).stderr(Stdio::piped());
    let mut process = command.spawn().unwrap();
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
    let log = Arc::<Mutex<Vec<String>>>::default();
    let written = Arc::clone(&log);
    tokio::spawn(async move {
        while let Ok(Some(line)) = lines.next_line().await {
            written.lock().push(line);
        }
    });
    let listening = || find(&log, "listening on ");
    eventually("it listens", async || listening().is_some()).await;
    let url = listening().unwrap().trim_start_matches("listening on ").to_owned();
    Http { url, process, folder, log }
}

fn find(log: &Mutex<Vec<String>>, what: &str) -> Option<String> {
    log.lock().iter().find(|line| line.contains(what)).cloned()
}

impl Http {
    pub(crate) async fn client(&self, era: KitEra) -> KitClient {
        let transport = StreamableHttpClientTransport::from_uri(self.url.as_str());
        let service = ProgressLog::default().serve_with_lifecycle(transport, era.lifecycle()).await.unwrap();
        KitClient { client: capability_testkit::Client { service }, _folder: None }
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id().unwrap()
    }

    /// The first line with this text, as soon as there is one.
    pub(crate) async fn said(&self, what: &str) -> String {
        eventually(what, async || find(&self.log, what).is_some()).await;
        find(&self.log, what).unwrap()
    }

    pub(crate) fn logged(&self, what: &str) -> usize {
        self.log.lock().iter().filter(|line| line.contains(what)).count()
    }

    pub(crate) async fn get(&self, path: &str) -> (u16, String) {
        let answer = reqwest::get(self.url.replace("/mcp", path)).await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    }

    /// The value of a line in the metrics; zero if there is none.
    pub(crate) async fn metric(&self, name: &str) -> f64 {
        let (_, text) = self.get("/metrics").await;
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.map_or(0.0, |value| value.trim().parse().unwrap())
    }

    pub(crate) fn signal(&self, signal: Signal) {
        send_signal(self.id(), signal);
    }
}

impl KitClient {
    /// The answer of a successful call: as structure and, equally, as text.
    pub(crate) async fn answer(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_ne!(result.is_error, Some(true), "{result:?}");
        let answer = result.structured_content.unwrap();
        let text = &result.content[0].as_text().unwrap().text;
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), answer);
        answer
    }

    /// A call that can be called off.
    pub(crate) async fn begin(&self, tool: &str, arguments: Value) -> RequestHandle<RoleClient> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(call_of(tool, arguments)));
        self.service.send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap()
    }

    pub(crate) async fn worker(&self) -> u32 {
        self.answer("whoami", json!({})).await["worker"].as_u64().unwrap() as u32
    }

    pub(crate) async fn is_well(&self) {
        assert_eq!(self.answer("echo", json!({"text": "still here"})).await, json!({"text": "still here"}));
    }
}

/// Waits until a condition holds.
pub(crate) async fn eventually(what: &str, is_so: impl AsyncFn() -> bool) {
    let begin = Instant::now();
    while !is_so().await {
        assert!(begin.elapsed() < LIMIT, "it never came to be that {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn status(id: u32, field: &str) -> Option<String> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    Some(line.trim().to_owned())
}

pub(crate) fn send_signal(process: u32, signal: Signal) {
    kill(Pid::from_raw(process as i32), signal).unwrap();
}

/// A zombie counts as dead.
pub(crate) fn is_alive(id: u32) -> bool {
    status(id, "State:").is_some_and(|state| !state.starts_with('Z'))
}

pub(crate) fn children_of(id: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap();
    let ids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    ids.filter(|child| status(*child, "PPid:").is_some_and(|parent| parent == id.to_string())).collect()
}
