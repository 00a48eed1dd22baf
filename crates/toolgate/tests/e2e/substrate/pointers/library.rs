//! A gateway with manifests, and an agent that has the pointers of projects.

use serde_json::{Value, json};
use toolgate_testkit::gateway::{HttpAnswer, HttpClient};

use crate::files::archive::text;
use crate::governed::bank::NO_HOLD;
use crate::governed::database::Backing;
use crate::live::site::Site;

/// `librarian` sees the pointers of projects.
const AGENTS: &str = r#"
[[capabilities]]
name = "substrate"
[[agents]]
name = "librarian"
capabilities = ["substrate"]
mounts = { pointers = ["project/*"] }
"#;

pub(super) struct Library {
    pub(super) site: Site,
}

impl Library {
    /// At this level of care, with more in the configuration.
    pub(super) fn open(backing: Backing, level: &str, more: &str) -> Self {
        Self { site: Site::open_as(backing, &Self::toml(level, more)) }
    }

    fn toml(level: &str, more: &str) -> String {
        format!("[policy]\ntemplate = {level:?}\n{NO_HOLD}{AGENTS}{more}")
    }

    /// Another gateway on the same database.
    pub(super) fn another(&self, level: &str) -> Self {
        let database = self.site.backing.database().expect("gateways share a Postgres").clone();
        let mut two = Self::open(Backing::Shared(database, "second"), level, "");
        // The tokens of the first start are those of the first gateway.
        two.site.gateway.admin = self.site.gateway.admin.clone();
        two.site.gateway.agent = self.site.gateway.agent.clone();
        two
    }

    pub(super) fn admin(&self) -> &str {
        &self.site.gateway.admin
    }

    pub(super) fn librarian(&self) -> HttpClient {
        let token = self.site.token("--role agent --principal librarian-bot --agent librarian");
        self.site.agent_with(&token)
    }

    /// A call by the operator, who needs no mounts.
    pub(super) async fn said(&self, tool: &str, arguments: Value) -> HttpAnswer {
        self.said_by(self.admin(), tool, arguments).await
    }

    pub(super) async fn said_by(&self, token: &str, tool: &str, arguments: Value) -> HttpAnswer {
        self.site.rest(token, "POST", &format!("/tools/substrate.{tool}"), Some(arguments)).await
    }

    /// The data of a call by the operator, which must succeed.
    pub(super) async fn done(&self, tool: &str, arguments: Value) -> Value {
        let said = self.said(tool, arguments.clone()).await;
        assert_eq!(said.status, 200, "{tool} {arguments}: {said:?}");
        said.json()["data"].clone()
    }

    /// A manifest with one file of this text, after another one.
    pub(super) async fn manifest(&self, content: &str, parent: Option<&str>) -> String {
        let artifact = self.done("artifact.upload", json!({ "text": content })).await;
        let entries = json!([{ "path": "a.md", "artifact_sha256": artifact["sha256"] }]);
        let mut arguments = json!({ "entries": entries, "message": content });
        if let Some(parent) = parent {
            arguments["parent_sha256"] = json!(parent);
        }
        text(&self.done("manifest.create", arguments).await["sha256"]).to_owned()
    }

    /// A pointer of `project/a`, which leads to this manifest.
    pub(super) async fn pointer(&self, name: &str, kind: &str, manifest: Option<&str>) -> String {
        let mut arguments = named(name, json!({ "pointer_type": kind }));
        if let Some(manifest) = manifest {
            arguments["manifest_sha256"] = json!(manifest);
        }
        text(&self.done("pointer.create", arguments).await["id"]).to_owned()
    }

    pub(super) async fn head(&self, name: &str) -> Option<String> {
        let pointer = self.done("pointer.resolve", named(name, json!({}))).await;
        pointer["manifest_sha256"].as_str().map(str::to_owned)
    }

    /// The moves of a pointer, the last first.
    pub(super) async fn moves(&self, name: &str) -> Vec<Value> {
        let history = self.done("pointer.history", named(name, json!({}))).await;
        history["moves"].as_array().expect("a list").clone()
    }

    pub(super) fn approve(&self, id: &str) {
        self.site.say(&["approvals", "approve", id]);
    }

    pub(super) fn verify(&self) {
        self.site.say(&["ledger", "verify"]);
    }
}

/// The arguments with the name of a pointer of `project/a`.
pub(super) fn named(name: &str, mut more: Value) -> Value {
    more["namespace"] = json!("project/a");
    more["name"] = json!(name);
    more
}

/// The code of a refusal over REST.
pub(super) fn code(said: &HttpAnswer) -> String {
    text(&said.json()["error"]["code"]).to_owned()
}
