//! A gateway that workers register with, and the people around it.

use std::path::PathBuf;

use serde_json::{Value, json};
use toolgate_testkit::gateway::{Gateway, HttpAnswer, HttpClient, until_async};

use super::worker::Worker;
use crate::doors::WAIT;
use crate::governed::database::Backing;
use crate::kit::names;
use crate::toolgate;

/// Workers run on this machine, and their calls need no approval.
pub(crate) const OPEN: &str = "[network]\nallow_loopback = true\n[policy]\ntemplate = \"exploratory\"\n";

/// The operator confirms the workers' claim about `work`: it only reads.
const VOUCHED: &str = "[[tools]]\nname = \"*:work\"\neffects = [\"read\"]\n";

pub(crate) struct Site {
    pub(crate) gateway: Gateway,
    pub(crate) backing: Backing,
}

impl Site {
    pub(crate) fn open() -> Self {
        Self::open_with("")
    }

    /// With more in the configuration.
    pub(crate) fn open_with(more: &str) -> Self {
        Self::open_on(Backing::Sqlite, more)
    }

    pub(crate) fn open_on(backing: Backing, more: &str) -> Self {
        Self::open_as(backing, &format!("{OPEN}{VOUCHED}{more}"))
    }

    /// With exactly this configuration.
    pub(crate) fn open_as(backing: Backing, toml: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let toml = format!("{}{toml}", backing.toml());
        Self { gateway: Gateway::boot_in(toolgate(), &toml, folder), backing }
    }

    /// Ends the gateway and starts it again on its data.
    pub(crate) fn restarted(self, how: Ending) -> Self {
        Self { gateway: self.gateway.restart(how == Ending::Killed), backing: self.backing }
    }

    pub(crate) fn agent(&self) -> HttpClient {
        self.gateway.client()
    }

    pub(crate) fn agent_with(&self, token: &str) -> HttpClient {
        HttpClient::new(&self.gateway.endpoint, token)
    }

    /// A token: `--role server --server jobs`.
    pub(crate) fn token(&self, of_whom: &str) -> String {
        let words: Vec<&str> = ["token", "create"].into_iter().chain(of_whom.split_whitespace()).collect();
        self.say(&words).trim().to_owned()
    }

    pub(crate) fn server_token(&self, server: &str) -> String {
        self.token(&format!("--role server --server {server}"))
    }

    /// Runs a command that must succeed; returns its output.
    pub(crate) fn say(&self, words: &[&str]) -> String {
        let output = self.gateway.cli(words);
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8(output.stdout).expect("commands print text")
    }

    /// Runs a command that must fail; returns its output.
    pub(crate) fn refuse(&self, words: &[&str]) -> String {
        let output = self.gateway.cli(words);
        assert!(!output.status.success(), "{words:?}: {output:?}");
        String::from_utf8(output.stderr).expect("commands print text")
    }

    /// The place of a file of this test.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.gateway.folder().join(name)
    }

    pub(crate) fn word(&self, name: &str) -> String {
        self.path(name).to_str().expect("paths of tests are text").to_owned()
    }

    /// Writes a file in one step, so that no reader sees half of it.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let half = self.path(&format!("{name}.half"));
        std::fs::write(&half, text).expect("the file can be written");
        std::fs::rename(half, self.path(name)).expect("the file can be moved");
    }

    /// The listing of a worker from now on.
    pub(crate) fn offer(&self, name: &str, tools: &Value) {
        self.write(name, &tools.to_string());
    }

    /// Another configuration, as an operator would save it.
    pub(crate) fn configure(&self, more: &str) {
        self.write("toolgate.toml", &format!("{}{OPEN}{VOUCHED}{more}", self.backing.toml()));
    }

    /// A worker that registers, with these words more on its command line.
    pub(crate) fn worker(&self, token: &str, name: &str, instance: &str, more: &[&str]) -> Worker {
        Worker::start(&self.words(token, name, instance, more))
    }

    pub(crate) fn try_worker(&self, token: &str, name: &str, instance: &str) -> Result<Worker, String> {
        Worker::try_start(&self.words(token, name, instance, &[]))
    }

    fn words<'a>(
        &'a self,
        token: &'a str,
        name: &'a str,
        instance: &'a str,
        more: &[&'a str],
    ) -> Vec<&'a str> {
        let base = self.gateway.endpoint.trim_end_matches("/mcp");
        let words = ["--name", name, "--instance", instance, "--gateway", base, "--token", token];
        words.into_iter().chain(more.iter().copied()).collect()
    }

    /// A request to the API.
    pub(crate) async fn rest(
        &self,
        token: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> HttpAnswer {
        HttpClient::finish(self.request(token, method, path, body)).await
    }

    pub(crate) fn request(
        &self,
        token: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> reqwest::RequestBuilder {
        let method = method.parse().expect("a method");
        let request = self.agent().http.request(method, self.gateway.url(path)).bearer_auth(token);
        match body {
            Some(body) => request.header("content-type", "application/json").body(body.to_string()),
            None => request,
        }
    }

    /// The operator's view.
    pub(crate) async fn get(&self, path: &str) -> Value {
        let answer = self.rest(&self.gateway.admin, "GET", path, None).await;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.json()
    }

    pub(crate) async fn register(&self, token: &str, registration: Value) -> HttpAnswer {
        self.rest(token, "POST", "/servers/register", Some(registration)).await
    }

    pub(crate) async fn set(&self, key: &str, value: Value) -> HttpAnswer {
        let body = json!({ "value": value });
        self.rest(&self.gateway.admin, "PATCH", &format!("/settings/{key}"), Some(body)).await
    }

    /// Everything of these kinds in the ledger, oldest first.
    pub(crate) async fn told(&self, kind: &str) -> Vec<Value> {
        let page = self.get(&format!("/ledger?kind={kind}&order=oldest&limit=1000")).await;
        page["events"].as_array().expect("a list").clone()
    }

    pub(crate) async fn server(&self, name: &str) -> Value {
        self.get(&format!("/servers/{name}")).await
    }

    /// The ids of a server's instances.
    pub(crate) async fn instances(&self, name: &str) -> Vec<String> {
        let server = self.server(name).await;
        let instances = server["instances"].as_array().expect("a list").iter();
        instances.map(|one| one["id"].as_str().expect("an id").to_owned()).collect()
    }

    /// A tool as the registry keeps it.
    pub(crate) async fn tool(&self, name: &str) -> Value {
        self.get(&format!("/registry/tools/{name}")).await
    }

    pub(crate) async fn review(&self, name: &str, verdict: &str, version: &Value) -> HttpAnswer {
        let body = json!({ "verdict": verdict, "version": version });
        self.rest(&self.gateway.admin, "POST", &format!("/registry/tools/{name}/review"), Some(body)).await
    }

    /// Waits until a server is as it shall be.
    pub(crate) async fn server_is(&self, name: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let path = format!("/servers/{name}");
        self.becomes(&path, fits).await
    }

    /// Waits until all these instances are healthy.
    pub(crate) async fn healthy(&self, name: &str, instances: usize) -> Value {
        let healthy = |server: &Value| {
            let list = server["instances"].as_array().map(Vec::as_slice).unwrap_or_default();
            list.len() == instances && list.iter().all(|one| one["health"] == "healthy")
        };
        self.server_is(name, healthy).await
    }

    /// Waits until a tool of the registry is in this state.
    pub(crate) async fn tool_is(&self, name: &str, status: &str) -> Value {
        self.becomes(&format!("/registry/tools/{name}"), |tool| tool["status"] == status).await
    }

    /// Waits until the operator's view fits.
    pub(crate) async fn becomes(&self, path: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let there = until_async(WAIT, || async {
            let answer = self.rest(&self.gateway.admin, "GET", path, None).await;
            Some(answer.json()).filter(|_| answer.status == 200).filter(&fits)
        });
        match there.await {
            Some(there) => there,
            None => {
                let last = self.rest(&self.gateway.admin, "GET", path, None).await;
                panic!("{path} never became what it should: {}", last.text)
            }
        }
    }

    /// Waits until the ledger has at least `count` of a kind.
    pub(crate) async fn told_at_least(&self, kind: &str, count: usize) -> Vec<Value> {
        let there = until_async(WAIT, || async {
            let told = self.told(kind).await;
            (told.len() >= count).then_some(told)
        });
        there.await.unwrap_or_else(|| panic!("the ledger never had {count} of {kind}"))
    }

    /// Waits until agents see exactly these tools.
    pub(crate) async fn sees(&self, client: &HttpClient, wanted: &[&str]) {
        let there = until_async(WAIT, || async { (names(client).await == wanted).then_some(()) });
        if there.await.is_none() {
            panic!("agents never saw {wanted:?} but {:?}", names(client).await);
        }
    }

    /// Waits until the log has a line with this.
    pub(crate) async fn logged(&self, what: &str) {
        let line = || async { self.gateway.log().iter().any(|line| line.contains(what)).then_some(()) };
        until_async(WAIT, line).await.unwrap_or_else(|| panic!("never logged: {what}"));
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Asked,
    Killed,
}

/// A registration of a server that need not exist.
pub(crate) fn registration(name: &str, instance: &str) -> Value {
    json!({ "name": name, "url": "http://127.0.0.1:9/mcp", "instance_id": instance, "lease_seconds": 600 })
}

/// A tool definition.
pub(crate) fn tool(name: &str, description: &str) -> Value {
    json!({
        "name": name, "description": description,
        "inputSchema": { "type": "object", "properties": { "n": { "type": "integer" } } },
        "annotations": { "readOnlyHint": true, "openWorldHint": false },
    })
}

/// A worker's report about a call: its instance, and the arguments.
pub(crate) fn done(result: &Value) -> &Value {
    let said = &result["structuredContent"];
    assert!(said["instance"].is_string(), "no worker did it: {result}");
    said
}

/// The reason of a failed call, as its caller reads it.
pub(crate) fn failure(result: &Value) -> &str {
    assert_eq!(result["isError"], true, "{result}");
    crate::kit::text(result)
}

/// The problem of an answer of the API, which has this status and code.
pub(crate) fn refused(answer: &HttpAnswer, status: u16, code: &str) -> Value {
    let problem = if answer.text.starts_with('{') { answer.json() } else { Value::Null };
    assert_eq!((answer.status, problem["code"].as_str()), (status, Some(code)), "{answer:?}");
    assert!(problem["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{problem}");
    problem
}
