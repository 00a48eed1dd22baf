//! A help desk behind a connector file that says where its tokens come from: the API itself publishes nothing.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tempfile::TempDir;
use toolgate_testkit::gateway::{HttpClient, until_async};
use toolgate_testkit::idp::Idp;
use toolgate_testkit::web_api::{WebAnswer, WebApi, WebRequest};

use super::hub::{Hub, OPEN, boot_in};
use crate::doors::WAIT;
use crate::kit::{call, text};

pub(super) const SERVER: &str = "connector.desk";
pub(super) const SECRET: &str = "s3cret & of the desk";
const CLIENT: &str = "gate";
const HINT: &str = "toolgate servers login connector.desk";

/// The flow of the connector file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Code,
    ClientCredentials,
}

pub(super) struct Desk {
    pub(super) hub: Hub,
    pub(super) api: WebApi,
    /// Ids of tokens that the API refuses.
    refused: Arc<Mutex<BTreeSet<String>>>,
}

impl Desk {
    /// Its client is known to the identity provider, and not to the vault.
    pub(super) async fn open(flow: Flow) -> Self {
        let idp = Idp::start().await.expect("it listens");
        let token_url = format!("{}/token", idp.issuer());
        Self::open_at(flow, idp, &token_url)
    }

    /// With this address for tokens.
    pub(super) fn open_at(flow: Flow, idp: Idp, token_url: &str) -> Self {
        idp.register(CLIENT, Some(SECRET));
        let refused: Arc<Mutex<BTreeSet<String>>> = Arc::default();
        let (known, taken_back) = (idp.clone(), refused.clone());
        let api = WebApi::start(move |request| answer(request, &known, &taken_back.lock()));
        let folder = TempDir::new().expect("a temporary folder");
        let file = connector_file(flow, &api.url("/v1"), &idp.issuer(), token_url);
        std::fs::write(folder.path().join("desk.toml"), file).expect("it can be written");
        let entry = format!("[[servers]]\nname = {SERVER:?}\nconnector = \"./desk.toml\"\n");
        let agents = "[[agents]]\nname = \"clerk\"\nmounts = { providers = [\"desk\"] }\n";
        let gateway = boot_in(folder, &format!("{OPEN}{agents}{entry}"));
        Self { hub: Hub { idp, gateway }, api, refused }
    }

    pub(super) async fn healthy(self) -> Self {
        let path = format!("/servers/{SERVER}");
        self.hub.becomes(&path, |server| server["health"] == "healthy").await;
        self
    }

    /// Stores the client as the connector file names it, and waits until the gateway has heard of it.
    pub(super) async fn knows_its_client(&self, secret: &str) {
        for (name, value) in [("desk_id", CLIENT), ("desk_secret", secret)] {
            self.store(name, value);
        }
        let heard = until_async(WAIT, || async {
            (!self.next_step().await.contains("the vault has no secret")).then_some(())
        });
        heard.await.expect("the gateway hears of the client");
    }

    pub(super) fn store(&self, name: &str, value: &str) {
        let mut command = self.hub.gateway.cli_command(&["secrets", "set", SERVER, name]);
        given(&mut command, value);
    }

    pub(super) fn agent(&self) -> HttpClient {
        let words = ["token", "create", "--role", "agent", "--principal", "ann", "--agent", "clerk"];
        self.hub.agent_with(self.hub.say(&words).trim())
    }

    /// Who the API takes the gateway for: `sub` and `jti` of the token that it was shown.
    pub(super) async fn me(&self, agent: &HttpClient) -> Value {
        let result = call(agent, "connector.desk:who_am_i", json!({})).await;
        assert_ne!(result["isError"], true, "{result}");
        serde_json::from_str(text(&result)).expect("JSON")
    }

    pub(super) async fn failure(&self, agent: &HttpClient) -> String {
        let result = call(agent, "connector.desk:who_am_i", json!({})).await;
        assert_eq!(result["isError"], true, "{result}");
        text(&result).to_owned()
    }

    /// The API takes this token back.
    pub(super) fn refuse(&self, jti: &Value) {
        self.refused.lock().insert(jti.as_str().expect("an id").to_owned());
    }

    /// The next step that the status of the connector tells; empty if there is none.
    pub(super) async fn next_step(&self) -> String {
        let path = "/tools/connector.status";
        let said = self.hub.rest(&self.hub.gateway.admin, "POST", path, Some(json!({}))).await;
        assert_eq!(said.status, 200, "{said:?}");
        said.json()["data"]["connectors"][0]["next_step"].as_str().unwrap_or_default().to_owned()
    }

    pub(super) async fn wants_a_sign_in(&self) {
        let step = until_async(WAIT, || async { self.next_step().await.contains(HINT).then_some(()) });
        step.await.expect("the status says how to sign in");
    }

    /// Nothing that is stored or logged has this text in it.
    pub(super) fn nowhere(&self, secret: &str) {
        let files = std::fs::read_dir(self.hub.gateway.data()).expect("a folder").filter_map(Result::ok);
        for file in files {
            let bytes = std::fs::read(file.path()).unwrap_or_default();
            let holds = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!holds, "{:?} has it", file.path());
        }
        let log = self.hub.gateway.log().join("\n");
        assert!(!log.contains(secret), "{log}");
    }
}

/// Runs a command that reads a value.
fn given(command: &mut Command, value: &str) {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("it starts");
    child.stdin.take().expect("piped").write_all(value.as_bytes()).expect("it reads");
    assert!(child.wait().expect("it ends").success());
}

fn answer(request: &WebRequest, idp: &Idp, refused: &BTreeSet<String>) -> WebAnswer {
    let token = request.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    let claims = token.and_then(|token| idp.claims_of(token));
    let id = |claims: &serde_json::Map<String, Value>| claims["jti"].as_str().unwrap_or_default().to_owned();
    match claims.filter(|claims| !refused.contains(&id(claims))) {
        Some(claims) => WebAnswer::json(200, &json!({ "sub": claims["sub"], "jti": claims["jti"] })),
        None => WebAnswer::json(401, &json!({ "error": { "message": "token_expired" } })),
    }
}

fn connector_file(flow: Flow, base_url: &str, issuer: &str, token_url: &str) -> String {
    let flow = match flow {
        Flow::Code => {
            format!("authorization_url = \"{issuer}/authorize?prompt=consent\"\nscopes = [\"read\"]")
        }
        Flow::ClientCredentials => "flow = \"client_credentials\"".to_owned(),
    };
    format!(
        r#"schema = 1
provider = "desk"
title = "Help desk"
version = "1.0.0"
base_url = "{base_url}"
probe = "who_am_i"
[auth]
kind = "oauth2"
token_url = "{token_url}"
client_id = "desk_id"
client_secret = "desk_secret"
{flow}
[error]
says = "/error/message"
[[actions]]
name = "who_am_i"
title = "Who am I"
description = "Says who the token is for."
method = "GET"
path = "/me"
"#
    )
}
