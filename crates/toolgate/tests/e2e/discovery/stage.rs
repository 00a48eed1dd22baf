//! Two servers behind a gateway, agents that see one of them or both, and how they are spoken to.

use serde_json::{Value, json};
use toolgate_testkit::gateway::{HttpAnswer, HttpClient, until_async};

use crate::doors::WAIT;
use crate::governed::database::Backing;
pub(super) use crate::kit::names_of;
use crate::kit::remote;
use crate::live::site::Site;
use crate::live::worker::Worker;

/// `reader` has the read tools of `one`; `other` has all of `two`; `nothing` has no tool at all.
pub(super) const AGENTS: &str = r#"
[[capabilities]]
name = "first"
description = "All of server one"
servers = ["one"]
[[capabilities]]
name = "second"
tools = ["two:*"]
[[agents]]
name = "reader"
capabilities = ["first"]
blocked = ["*:write"]
[[agents]]
name = "writer"
capabilities = ["first", "second"]
[[agents]]
name = "other"
capabilities = ["second"]
[[agents]]
name = "nothing"
capabilities = []
"#;

/// A gateway in front of the workers `one` and `two`, each with the tools `work` and `write`.
pub(super) struct Stage {
    pub(super) site: Site,
    pub(super) toml: String,
    _workers: Vec<Worker>,
}

impl Stage {
    pub(super) async fn open(more: &str) -> Self {
        Self::open_on(Backing::Sqlite, more).await
    }

    pub(super) async fn open_on(backing: Backing, more: &str) -> Self {
        let names = ["one", "two"];
        let workers: Vec<Worker> =
            names.iter().map(|name| Worker::start(&["--name", name, "--instance", "a"])).collect();
        let servers: String =
            names.iter().zip(&workers).map(|(name, worker)| remote(name, &worker.url)).collect();
        let toml = format!("{AGENTS}{more}{servers}");
        let site = Site::open_on(backing, &toml);
        for server in names {
            site.server_is(server, |about| about["tools"] == 2).await;
        }
        Self { site, toml, _workers: workers }
    }

    /// A client with a token that is bound to an agent.
    pub(super) fn bound(&self, agent: &str) -> HttpClient {
        self.site.agent_with(&self.bound_token(agent))
    }

    pub(super) fn bound_token(&self, agent: &str) -> String {
        self.site.token(&format!("--role agent --principal {agent}-bot --agent {agent}"))
    }

    /// The same client at another address: `/mcp/reader`.
    pub(super) fn at(&self, client: &HttpClient, path: &str) -> HttpClient {
        HttpClient::new(&self.site.gateway.url(path), &client.token)
    }

    /// Begins a run with this token; its id.
    pub(super) async fn run(&self, token: &str) -> String {
        let answer = self.site.rest(token, "POST", "/runs", Some(json!({}))).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.json()["run"]["id"].as_str().expect("an id").to_owned()
    }

    /// Opens a session with this token, which must succeed.
    pub(super) async fn session(&self, token: &str, body: Value) -> Opened {
        let answer = self.site.rest(token, "POST", "/sessions", Some(body)).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        let said = answer.json();
        let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("no text: {said}")).to_owned();
        let client = self.site.agent_with(&text(&said["token"]));
        Opened { id: text(&said["session"]["id"]), path: text(&said["mcp_url"]), client, said }
    }

    /// The ledger events of this kind about a session.
    pub(super) async fn told_of(&self, kind: &str, session: &str) -> Vec<Value> {
        let path = format!("/ledger?kind={kind}&session={session}&order=oldest");
        self.site.get(&path).await["events"].as_array().expect("a list").clone()
    }

    /// Changes the mounts of a session, with the token that opened it.
    pub(super) async fn mount(&self, token: &str, session: &str, mounts: Value) -> HttpAnswer {
        let body = json!({ "mounts": mounts });
        self.site.rest(token, "PATCH", &format!("/sessions/{session}"), Some(body)).await
    }
}

/// An explicitly opened session, and a client with its token.
pub(super) struct Opened {
    pub(super) id: String,
    pub(super) path: String,
    pub(super) client: HttpClient,
    pub(super) said: Value,
}

/// The tool list as bytes, in the newer era.
pub(super) async fn list_text(client: &HttpClient) -> String {
    let answer = client.modern("tools/list", json!({})).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.result();
    answer.text
}

/// The names on the list of a client of the older era.
pub(super) async fn older_names(client: &HttpClient) -> Vec<String> {
    let list = client.legacy(9, "tools/list", json!({})).await.result();
    names_of(&list)
}

/// A client of the older era with this client's token and address.
pub(super) async fn older(client: &HttpClient) -> HttpClient {
    let mut older = client.clone();
    older.initialize("2025-11-25").await;
    older
}

/// The raw response to a call in the newer era.
pub(super) async fn response(client: &HttpClient, tool: &str, arguments: Value) -> Value {
    client.modern("tools/call", json!({ "name": tool, "arguments": arguments })).await.response()
}

/// Checks the response for an unknown tool.
pub(super) fn is_unknown(response: &Value, tool: &str) {
    let error = &response["error"];
    assert_eq!(
        (&error["code"], &error["message"]),
        (&json!(-32602), &json!(format!("unknown tool: {tool}"))),
        "{response}"
    );
    // Other names may be suggested, of tools that are seen.
    assert!(error["data"]["hint"].as_str().is_none_or(|hint| !hint.contains(tool)), "{response}");
}

/// Waits until a condition holds.
pub(super) async fn becomes<F: Future<Output = bool>>(what: &str, ask: impl Fn() -> F) {
    let there = until_async(WAIT, || async { ask().await.then_some(()) });
    there.await.unwrap_or_else(|| panic!("never: {what}"));
}
