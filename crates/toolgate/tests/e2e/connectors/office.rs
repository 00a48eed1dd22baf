//! A gateway with one connector, in front of a stand-in of its provider.

use serde_json::{Value, json};
use tempfile::TempDir;
use toolgate_testkit::gateway::{Gateway, HttpAnswer, HttpClient, until_async};
use toolgate_testkit::providers::{Provider, Standin};

use crate::doors::WAIT;
use crate::files::archive::text;
use crate::governed::bank::NO_HOLD;
use crate::governed::database::Backing;
use crate::live::secrets::set_secret;
use crate::live::site::{Ending, Site};
use crate::toolgate;

/// `seller` mounts the providers, `clerk` mounts none.
const AGENTS: &str = r#"
[[agents]]
name = "seller"
mounts = { providers = ["slack", "hubspot", "webhook"] }
[[agents]]
name = "clerk"
"#;

/// A provider that ships, and the name of its secret.
#[derive(Clone, Copy)]
pub(super) struct ShippedProvider {
    pub(super) name: &'static str,
    secret: &'static str,
    /// The value of the secret, if it is not the token of the stand-in.
    value: Option<&'static str>,
    /// Further lines of the server's table.
    lines: &'static str,
}

pub(super) const SLACK: ShippedProvider =
    ShippedProvider { name: "slack", secret: "slack_bot_token", value: None, lines: "" };
/// The same with little time for a request.
pub(super) const HURRIED_SLACK: ShippedProvider = ShippedProvider { lines: "timeout_seconds = 4\n", ..SLACK };
pub(super) const HUBSPOT: ShippedProvider =
    ShippedProvider { name: "hubspot", secret: "hubspot_access_token", value: None, lines: "" };
pub(super) const WEBHOOK: ShippedProvider = ShippedProvider {
    name: "webhook",
    secret: "webhook_secret",
    value: Some("whsec_dGhpcyBpcyBhIGtleSBvZiB0aGUgdGVzdHMgYWxvbmU="),
    lines: "",
};

/// The level of care of the gateway.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Care {
    Exploratory,
    Standard,
}

impl Care {
    pub(super) fn template(self) -> &'static str {
        match self {
            Care::Exploratory => "exploratory",
            Care::Standard => "standard",
        }
    }
}

/// The request that people are shown with an approval.
pub(super) async fn outgoing_request(site: &Site, approval: &str) -> String {
    let shown = site.get(&format!("/approvals/{approval}")).await;
    let attachments = shown["attachments"].as_array().expect("a list");
    let number = attachments.iter().position(|one| one["id"] == "outgoing request");
    let number = number.unwrap_or_else(|| panic!("no request: {shown:#}"));
    let path = format!("/approvals/{approval}/attachments/{number}");
    site.rest(&site.gateway.admin, "GET", &path, None).await.text
}

pub(super) struct Office<P> {
    pub(super) site: Site,
    pub(super) provider: Standin<P>,
    of: ShippedProvider,
}

impl<P: Provider> Office<P> {
    pub(super) async fn open(of: ShippedProvider, provider: P, care: Care) -> Self {
        let office = Self::open_stopping(of, provider, care, None).await;
        office.has_its_secret().await;
        office
    }

    /// The gateway stops for good where it reaches this point.
    pub(super) async fn open_stopping(
        of: ShippedProvider,
        provider: P,
        care: Care,
        point: Option<&str>,
    ) -> Self {
        let provider = Standin::start(provider).expect("a port is free");
        let (toml, folder) = (toml(of, &provider.base_url(), care), folder());
        let gateway = match point {
            Some(point) => Gateway::boot_stopping(toolgate(), &toml, folder, point),
            None => Gateway::boot_in(toolgate(), &toml, folder),
        };
        let site = Site { gateway, backing: Backing::Sqlite };
        let value = of.value.map_or_else(|| provider.token(), str::to_owned);
        set_secret(&site, &[&server(of), of.secret], &value);
        let office = Self { site, provider, of };
        office.site.server_is(&server(of), |server| server["health"] == "healthy").await;
        office
    }

    /// Waits until the gateway has heard of the secret, which its command has stored.
    pub(super) async fn has_its_secret(&self) {
        let heard = until_async(WAIT, || async {
            let answer = self.said("test", json!({})).await;
            (!answer.text.contains("the vault has no secret")).then_some(())
        });
        heard.await.expect("the gateway hears of the secret");
        self.provider.forget_requests();
    }

    /// After kill -9.
    pub(super) async fn killed(self) -> Self {
        let Self { site, provider, of } = self;
        let site = site.restarted(Ending::Killed);
        site.server_is(&server(of), |server| server["health"] == "healthy").await;
        Self { site, provider, of }
    }

    /// Waits until the gateway has stopped at its point.
    pub(super) async fn stopped_at(&self, point: &str) {
        let line = format!("stopped at {point}");
        let stopped = until_async(WAIT, || async { self.site.gateway.log().contains(&line).then_some(()) });
        assert!(stopped.await.is_some(), "nothing reached {point:?}");
    }

    pub(super) fn agent(&self, name: &str) -> HttpClient {
        self.site.agent_with(&self.site.token(&format!("--role agent --principal {name}-bot --agent {name}")))
    }

    /// The canonical name of an action.
    pub(super) fn action(&self, name: &str) -> String {
        format!("{}:{name}", server(self.of))
    }

    /// A call of one of the domain's tools by the operator.
    pub(super) async fn said(&self, tool: &str, mut arguments: Value) -> HttpAnswer {
        if tool != "list" && arguments["provider"].is_null() {
            arguments["provider"] = json!(self.of.name);
        }
        let path = format!("/tools/connector.{tool}");
        self.site.rest(&self.site.gateway.admin, "POST", &path, Some(arguments)).await
    }

    /// The data of a call of another domain's tool by the operator.
    pub(super) async fn asked(&self, tool: &str, arguments: Value) -> Value {
        let path = format!("/tools/{tool}");
        let said = self.site.rest(&self.site.gateway.admin, "POST", &path, Some(arguments)).await;
        assert_eq!(said.status, 200, "{said:?}");
        said.json()["data"].take()
    }

    pub(super) async fn done(&self, tool: &str, arguments: Value) -> Value {
        let said = self.said(tool, arguments).await;
        assert_eq!(said.status, 200, "{said:?}");
        said.json()["data"].take()
    }

    /// The code and the message of a refusal, which says what would help.
    pub(super) async fn refused(&self, tool: &str, arguments: Value) -> (String, String) {
        let said = self.said(tool, arguments).await;
        let error = said.json()["error"].take();
        assert!(error.is_object() && !text(&error["hint"]).is_empty(), "{said:?}");
        (text(&error["code"]).to_owned(), text(&error["message"]).to_owned())
    }

    pub(super) async fn sync(&self, streams: &[&str]) -> Value {
        self.done("sync", json!({ "streams": streams })).await
    }

    /// The state of the one connector.
    pub(super) async fn state(&self) -> Value {
        self.done("status", json!({})).await["connectors"][0].take()
    }

    /// The paths of what was synced.
    pub(super) async fn paths(&self) -> Vec<String> {
        let manifest = self.state().await["pointer"]["manifest"].take();
        let listed = self.asked("substrate.manifest.checkout", json!({ "sha256": manifest })).await;
        let entries = listed["entries"].as_array().unwrap_or_else(|| panic!("no entries: {listed:#}"));
        entries.iter().map(|entry| text(&entry["path"]).to_owned()).collect()
    }

    /// Waits for the question about a lost answer.
    pub(super) async fn question(&self) -> Value {
        let page = self.site.becomes("/inbox", |page| page["entries"][0]["kind"] == "input").await;
        page["entries"][0].clone()
    }
}

fn server(of: ShippedProvider) -> String {
    format!("connector.{}", of.name)
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn toml(of: ShippedProvider, base_url: &str, care: Care) -> String {
    let template = care.template();
    let ShippedProvider { name, lines, .. } = of;
    format!(
        "[network]\nallow_loopback = true\n[policy]\ntemplate = {template:?}\n{NO_HOLD}{AGENTS}\
         [[servers]]\nname = \"connector.{name}\"\nconnector = {name:?}\nbase_url = {base_url:?}\n{lines}"
    )
}
