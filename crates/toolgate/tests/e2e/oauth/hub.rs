//! A server behind OAuth behind a gateway, and a person with a browser.

use std::process::{Output, Stdio};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::Command;
use toolgate_testkit::gateway::{Gateway, HttpAnswer, HttpClient, until_async};
use toolgate_testkit::idp::{Behaviour, Idp};

use crate::doors::WAIT;
use crate::kit::{call, listed, remote, text};
use crate::{boot, toolgate};

/// The server's calls need no approval.
pub(super) const OPEN: &str = "[policy]\ntemplate = \"exploratory\"\n";
pub(super) const WHOAMI: &str = "hub__whoami";
/// The hint for a person who has to sign in.
pub(super) const HINT: &str = "toolgate servers login hub";

pub(super) struct Hub {
    pub(super) idp: Idp,
    pub(super) gateway: Gateway,
}

impl Hub {
    /// The protected server as the operator configured it, without a sign-in.
    pub(super) async fn open() -> Self {
        Self::open_with("").await
    }

    /// With more in the server's entry.
    pub(super) async fn open_with(more: &str) -> Self {
        let idp = Idp::start().await.expect("it listens");
        let gateway = boot(&format!("{OPEN}{}{more}", remote("hub", &idp.resource())));
        Self { idp, gateway }
    }

    /// With a shared sign-in, and the server in use.
    pub(super) async fn signed_in() -> Self {
        Self::signed_in_where(|_| {}).await
    }

    /// The same at an identity provider that behaves so.
    pub(super) async fn signed_in_where(behave: impl FnOnce(&mut Behaviour)) -> Self {
        let hub = Self::open().await;
        hub.idp.behave(behave);
        hub.login(&[]).await;
        hub.serves().await;
        hub
    }

    /// Ends the gateway and starts it again on its data.
    pub(super) fn restarted(self) -> Self {
        Self { gateway: self.gateway.restart(false), idp: self.idp }
    }

    pub(super) fn agent(&self) -> HttpClient {
        self.gateway.client()
    }

    pub(super) fn agent_with(&self, token: &str) -> HttpClient {
        HttpClient::new(&self.gateway.endpoint, token)
    }

    /// An agent who is this principal.
    pub(super) fn agent_of(&self, principal: &str) -> HttpClient {
        let token = self.say(&["token", "create", "--role", "agent", "--principal", principal]);
        self.agent_with(token.trim())
    }

    /// A whole sign-in that must succeed.
    pub(super) async fn login(&self, more: &[&str]) -> Value {
        self.login_at("hub", more).await
    }

    pub(super) async fn login_at(&self, server: &str, more: &[&str]) -> Value {
        let output = self.try_login(server, more).await;
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
    }

    /// Starts a sign-in and opens the address that it names, as a browser does.
    pub(super) async fn try_login(&self, server: &str, more: &[&str]) -> Output {
        let words = [&["--json", "servers", "login", server, "--no-browser"], more].concat();
        let mut command = Command::from(self.gateway.cli_command(&words));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut process = command.spawn().expect("the binary runs");
        let mut stderr = BufReader::new(process.stderr.take().expect("a pipe"));
        let mut said = String::new();
        while stderr.read_line(&mut said).await.expect("stderr can be read") > 0 {
            if let Some(address) = said.lines().last().map(str::trim).filter(|line| line.starts_with("http"))
            {
                browse(address).await;
                break;
            }
        }
        stderr.read_to_string(&mut said).await.expect("stderr can be read");
        let ended = tokio::time::timeout(WAIT, process.wait_with_output()).await;
        let output = ended.expect("a sign-in ends with its page").expect("it is a child of ours");
        Output { stderr: said.into_bytes(), ..output }
    }

    /// Runs a command that must succeed; returns its output.
    pub(super) fn say(&self, words: &[&str]) -> String {
        let output = self.gateway.cli(words);
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8(output.stdout).expect("commands print text")
    }

    /// A request to the API.
    pub(super) async fn rest(
        &self,
        token: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> HttpAnswer {
        let method = method.parse().expect("a method");
        let request = self.agent().http.request(method, self.gateway.url(path)).bearer_auth(token);
        HttpClient::finish(match body {
            Some(body) => request.header("content-type", "application/json").body(body.to_string()),
            None => request,
        })
        .await
    }

    /// The operator's view.
    pub(super) async fn get(&self, path: &str) -> Value {
        let answer = self.rest(&self.gateway.admin, "GET", path, None).await;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.json()
    }

    /// Waits until the server is as it shall be.
    pub(super) async fn server_is(&self, fits: impl Fn(&Value) -> bool) -> Value {
        self.becomes("/servers/hub", fits).await
    }

    pub(super) async fn becomes(&self, path: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let there = until_async(WAIT, || async {
            let answer = self.rest(&self.gateway.admin, "GET", path, None).await;
            Some(answer.json()).filter(|_| answer.status == 200).filter(&fits)
        });
        match there.await {
            Some(there) => there,
            None => panic!("{path} never became what it should: {}", self.get(path).await),
        }
    }

    /// Waits until the server is reached and its tools can be called.
    pub(super) async fn serves(&self) {
        self.server_is(|server| server["health"] == "healthy").await;
        listed(&self.gateway, WHOAMI).await;
        let there = until_async(WAIT, || async {
            let result = call(&self.agent(), WHOAMI, json!({})).await;
            (result["isError"] != true).then_some(())
        });
        there.await.expect("the tool can be called");
    }

    /// Waits until a sign-in is requested; returns the reason.
    pub(super) async fn wants_login(&self) -> String {
        let asks = |server: &Value| server["reason"].as_str().is_some_and(|reason| reason.contains(HINT));
        let server = self.server_is(asks).await;
        server["reason"].as_str().expect("it was just there").to_owned()
    }
}

/// Opens a page; returns its text.
pub(super) async fn browse(address: &str) -> String {
    let browser = reqwest::Client::builder().no_proxy().build().expect("a client");
    let page = browser.get(address).send().await.expect("the page opens");
    page.text().await.expect("the page can be read")
}

/// The owner of the shown token: `sub`, `scope` and the token's own id `jti`.
pub(super) async fn shown(client: &HttpClient) -> Value {
    let result = call(client, WHOAMI, json!({})).await;
    assert_ne!(result["isError"], true, "{result}");
    serde_json::from_str(text(&result)).expect("the server says it as JSON")
}

/// The reason of a failed call, as its caller reads it.
pub(super) async fn failure(client: &HttpClient, tool: &str) -> String {
    let result = call(client, tool, json!({})).await;
    assert_eq!(result["isError"], true, "{result}");
    text(&result).to_owned()
}

/// A gateway of this configuration and no server.
pub(super) fn boot_in(folder: tempfile::TempDir, toml: &str) -> Gateway {
    Gateway::boot_in(toolgate(), toml, folder)
}
