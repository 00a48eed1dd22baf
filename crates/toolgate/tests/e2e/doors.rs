//! Clients for the doors that are more than one request and one answer: streams of events, the older HTTP+SSE
//! pair, and `toolgate stdio`. Incoming data is kept as text, so that tests can compare bytes.

use std::process::{ExitStatus, Stdio as Io};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;
use toolgate_testkit::gateway::{Gateway, HttpClient};

/// The maximum wait of a test.
pub(crate) const WAIT: Duration = Duration::from_secs(20);

/// The `_meta` of a request of the newer era.
pub(crate) fn modern_meta(capabilities: &Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
        "io.modelcontextprotocol/clientInfo": { "name": "testkit", "version": "1" },
    })
}

/// `initialize` as a whole message.
pub(crate) fn initialize(version: &str, capabilities: &Value) -> String {
    let params = json!({
        "protocolVersion": version,
        "capabilities": capabilities,
        "clientInfo": { "name": "testkit", "version": "1" },
    });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }).to_string()
}

pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// A stream of server-sent events, read as it arrives.
pub(crate) struct Events {
    response: reqwest::Response,
    buffer: Vec<u8>,
}

#[derive(Debug, Default)]
pub(crate) struct Event {
    pub(crate) id: Option<String>,
    pub(crate) kind: Option<String>,
    pub(crate) data: String,
}

impl Event {
    fn read(block: &str) -> Option<Self> {
        let mut event = Event::default();
        let mut data: Option<String> = None;
        for line in block.lines() {
            let (field, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "id" => event.id = Some(value.to_owned()),
                "event" => event.kind = Some(value.to_owned()),
                "data" => {
                    let text = data.get_or_insert_default();
                    if !text.is_empty() {
                        text.push('\n');
                    }
                    text.push_str(value);
                }
                _ => {}
            }
        }
        event.data = data?;
        Some(event)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap_or_else(|error| panic!("not JSON ({error}): {self:?}"))
    }
}

impl Events {
    /// Sends the request and expects a stream.
    pub(crate) async fn open(request: reqwest::RequestBuilder) -> Self {
        let response = timeout(WAIT, request.send()).await.expect("an answer in time").expect("an answer");
        assert_eq!(response.status().as_u16(), 200, "{response:?}");
        let media = response.headers()["content-type"].to_str().unwrap_or_default();
        assert!(media.starts_with("text/event-stream"), "not a stream: {response:?}");
        Self { response, buffer: Vec::new() }
    }

    /// Reads an answer that has begun and is known to be a stream.
    pub(crate) fn of(response: reqwest::Response) -> Self {
        Self { response, buffer: Vec::new() }
    }

    /// The next event; `None` at the end of the stream. Comments are passed over.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        timeout(WAIT, self.read()).await.expect("an event or the end of the stream in time")
    }

    async fn read(&mut self) -> Option<Event> {
        loop {
            while let Some(end) = self.buffer.windows(2).position(|pair| pair == b"\n\n") {
                let block: Vec<u8> = self.buffer.drain(..end + 2).collect();
                let block = String::from_utf8(block).expect("events are UTF-8");
                if let Some(event) = Event::read(&block) {
                    return Some(event);
                }
            }
            self.buffer.extend_from_slice(&self.response.chunk().await.ok()??);
        }
    }

    /// The next event with content.
    pub(crate) async fn event(&mut self) -> Event {
        loop {
            let event = self.next().await.expect("the stream goes on");
            if !event.data.is_empty() {
                return event;
            }
        }
    }

    pub(crate) async fn message(&mut self) -> Value {
        self.event().await.json()
    }

    /// Reads on until a message fits.
    pub(crate) async fn find(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.message().await;
            if fits(&message) {
                return message;
            }
        }
    }

    /// The next message with this method.
    pub(crate) async fn called(&mut self, method: &str) -> Value {
        self.find(|message| message["method"] == method).await
    }

    /// The response with this id.
    pub(crate) async fn answer(&mut self, id: u64) -> Value {
        self.find(|message| message["id"] == id && message.get("method").is_none()).await
    }
}

/// The older HTTP+SSE pair.
pub(crate) struct Pair {
    pub(crate) events: Events,
    pub(crate) target: String,
    client: HttpClient,
}

impl Pair {
    pub(crate) async fn open(gateway: &Gateway) -> Self {
        let client = gateway.client();
        let request = client
            .http
            .get(gateway.url("/sse"))
            .bearer_auth(&client.token)
            .header("accept", "text/event-stream");
        let mut events = Events::open(request).await;
        let opening = events.next().await.expect("the stream says where to post");
        assert_eq!(opening.kind.as_deref(), Some("endpoint"));
        Self { events, target: gateway.url(&opening.data), client }
    }

    /// Opens the pair and a session of 2024-11-05 in it.
    pub(crate) async fn initialized(gateway: &Gateway, capabilities: &Value) -> Self {
        let mut pair = Self::open(gateway).await;
        assert_eq!(pair.post(initialize("2024-11-05", capabilities)).await, 202);
        assert_eq!(pair.events.answer(0).await["result"]["protocolVersion"], "2024-11-05");
        assert_eq!(pair.post(INITIALIZED).await, 202);
        pair
    }

    pub(crate) async fn post(&self, body: impl Into<reqwest::Body>) -> u16 {
        let request = self.client.http.post(&self.target).bearer_auth(&self.client.token);
        HttpClient::finish(request.header("content-type", "application/json").body(body)).await.status
    }
}

/// `toolgate stdio`, spoken to line by line.
pub(crate) struct Stdio {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Stdio {
    pub(crate) fn open(gateway: &Gateway) -> Self {
        Self::of(gateway.cli_command(&["stdio"]))
    }

    /// Any command that speaks MCP on its standard input and output.
    pub(crate) fn of(command: std::process::Command) -> Self {
        let mut command = Command::from(command);
        let mut child = command
            .stdin(Io::piped())
            .stdout(Io::piped())
            .stderr(Io::null())
            .kill_on_drop(true)
            .spawn()
            .expect("the binary starts");
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        Self { child, stdin, stdout }
    }

    /// Opens a session of the older era.
    pub(crate) async fn initialized(gateway: &Gateway, version: &str, capabilities: &Value) -> Self {
        let mut stdio = Self::open(gateway);
        stdio.send(&initialize(version, capabilities)).await;
        assert_eq!(stdio.answer(0).await["result"]["protocolVersion"], version);
        stdio.send(INITIALIZED).await;
        stdio
    }

    pub(crate) async fn send(&mut self, line: &str) {
        self.write(format!("{line}\n").as_bytes()).await;
    }

    /// Bytes without the end of a line.
    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(bytes).await.expect("the gateway reads");
        stdin.flush().await.expect("the gateway reads");
    }

    pub(crate) async fn line(&mut self) -> String {
        let mut line = String::new();
        timeout(WAIT, self.stdout.read_line(&mut line))
            .await
            .expect("a line in time")
            .expect("a line of text");
        assert!(line.ends_with('\n'), "stdout ended: {line:?}");
        line.truncate(line.len() - 1);
        line
    }

    pub(crate) async fn message(&mut self) -> Value {
        let line = self.line().await;
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("not JSON ({error}): {line}"))
    }

    pub(crate) async fn find(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.message().await;
            if fits(&message) {
                return message;
            }
        }
    }

    pub(crate) async fn called(&mut self, method: &str) -> Value {
        self.find(|message| message["method"] == method).await
    }

    pub(crate) async fn answer(&mut self, id: u64) -> Value {
        self.find(|message| message["id"] == id && message.get("method").is_none()).await
    }

    pub(crate) async fn request(&mut self, id: u64, method: &str, params: Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string())
            .await;
        self.answer(id).await
    }

    /// Closes stdin; returns the remaining output and the exit status.
    pub(crate) async fn end(mut self) -> (Vec<String>, ExitStatus) {
        drop(self.stdin.take());
        let mut rest = String::new();
        timeout(WAIT, self.stdout.read_to_string(&mut rest))
            .await
            .expect("stdout ends in time")
            .expect("text");
        let status =
            timeout(WAIT, self.child.wait()).await.expect("the process ends in time").expect("a status");
        (rest.lines().map(str::to_owned).collect(), status)
    }
}

/// A connection on which a test writes HTTP by hand.
pub(crate) struct Wire(pub(crate) TcpStream);

impl Wire {
    pub(crate) async fn open(gateway: &Gateway) -> Self {
        let address = gateway.endpoint.trim_start_matches("http://").trim_end_matches("/mcp");
        Self(TcpStream::connect(address).await.expect("the gateway listens"))
    }

    pub(crate) async fn send(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.expect("the gateway reads");
    }

    /// The status of the next answer and its body, which must have a length.
    pub(crate) async fn answer(&mut self) -> (u16, String) {
        timeout(WAIT, self.read()).await.expect("an answer in time")
    }

    async fn read(&mut self) -> (u16, String) {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(self.0.read_u8().await.expect("the connection stays open for the answer"));
        }
        let head = String::from_utf8(head).expect("heads are text").to_ascii_lowercase();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status line");
        let length =
            head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).await.expect("the whole body");
        (status, String::from_utf8(body).expect("bodies are text"))
    }
}

/// A token for another principal.
pub(crate) fn another_token(gateway: &Gateway) -> String {
    let made = gateway.cli(&["token", "create", "--role", "agent"]);
    assert!(made.status.success(), "{made:?}");
    String::from_utf8(made.stdout).expect("tokens are text").trim().to_owned()
}

/// The CPU time in seconds: unlike wall-clock time, it does not grow with other load.
pub(crate) fn cpu_seconds(pid: u32) -> f64 {
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("the process runs");
    // The name is in brackets and may contain blanks; 11 fields later come user and system time.
    let (_, fields) = stat.rsplit_once(')').expect("Linux writes the name in brackets");
    let ticks = |at: usize| fields.split_whitespace().nth(at).and_then(|field| field.parse::<f64>().ok());
    (ticks(11).expect("user time") + ticks(12).expect("system time")) / TICKS_PER_SECOND
}

/// The most memory the process ever held, in KiB.
pub(crate) fn memory_peak_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("the process runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux says VmHWM");
    line.trim().trim_end_matches("kB").trim().parse().expect("a number")
}
