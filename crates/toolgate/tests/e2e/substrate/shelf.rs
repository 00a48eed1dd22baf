//! A gateway with nothing but its own tools, and an agent that uses the substrate.

use serde_json::{Value, json};

use crate::files::archive::text;
use crate::governed::database::Backing;
use crate::live::site::{OPEN, Site};

/// `keeper` has the domain, `nothing` has no tool at all.
pub(crate) const AGENTS: &str = r#"
[[capabilities]]
name = "substrate"
[[agents]]
name = "keeper"
capabilities = ["substrate"]
[[agents]]
name = "nothing"
capabilities = []
"#;

pub(crate) struct Shelf {
    pub(crate) site: Site,
}

impl Shelf {
    pub(crate) fn open(backing: Backing) -> Self {
        Self::open_with(backing, "")
    }

    pub(crate) fn open_with(backing: Backing, more: &str) -> Self {
        Self { site: Site::open_as(backing, &toml(more)) }
    }

    /// Calls a tool as the agent, and returns its data.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Value {
        let path = format!("/tools/{tool}");
        let said = self.site.rest(&self.site.gateway.agent, "POST", &path, Some(arguments)).await;
        assert_eq!(said.status, 200, "{tool}: {said:?}");
        said.json()["data"].take()
    }

    /// The status, code and message of a call that is refused. Every refusal has a hint.
    pub(crate) async fn refused(&self, tool: &str, arguments: Value) -> (u16, String, String) {
        self.refused_to(&self.site.gateway.agent, tool, arguments).await
    }

    pub(crate) async fn refused_to(
        &self,
        token: &str,
        tool: &str,
        arguments: Value,
    ) -> (u16, String, String) {
        let said = self.site.rest(token, "POST", &format!("/tools/{tool}"), Some(arguments)).await;
        let envelope = said.json();
        let error = &envelope["error"];
        assert!(!text(&error["hint"]).is_empty(), "{said:?}");
        (said.status, text(&error["code"]).to_owned(), text(&error["message"]).to_owned())
    }

    /// Stores a text, and returns its digest.
    pub(crate) async fn artifact(&self, content: &str) -> String {
        let stored = self.call("substrate.artifact.upload", json!({ "text": content })).await;
        text(&stored["sha256"]).to_owned()
    }

    /// Entries of texts by path.
    pub(crate) async fn entries(&self, texts: &[(&str, &str)]) -> Value {
        let mut entries = Vec::new();
        for (path, content) in texts {
            entries.push(json!({ "path": path, "artifact_sha256": self.artifact(content).await }));
        }
        entries.into()
    }

    /// A manifest of texts by path, and its digest.
    pub(crate) async fn manifest(&self, texts: &[(&str, &str)], message: &str) -> String {
        let entries = self.entries(texts).await;
        let arguments = json!({ "entries": entries, "message": message });
        digest(&self.call("substrate.manifest.create", arguments).await)
    }

    /// A manifest that changes some texts of another one, and its digest.
    pub(crate) async fn edited(&self, base: &str, texts: &[(&str, &str)], remove: &[&str]) -> String {
        let entries = self.entries(texts).await;
        let message = format!("{} put, {} removed", texts.len(), remove.len());
        let arguments =
            json!({ "base_sha256": base, "entries": entries, "remove": remove, "message": message });
        digest(&self.call("substrate.manifest.create", arguments).await)
    }

    /// The paths of a manifest.
    pub(crate) async fn paths(&self, manifest: &str) -> Vec<String> {
        let listed = self.call("substrate.manifest.checkout", json!({ "sha256": manifest })).await;
        let entries = listed["entries"].as_array().expect("a list").iter();
        entries.map(|entry| text(&entry["path"]).to_owned()).collect()
    }
}

pub(crate) fn toml(more: &str) -> String {
    format!("{OPEN}{AGENTS}{more}")
}

/// The digest of a manifest in an answer.
pub(crate) fn digest(data: &Value) -> String {
    text(&data["sha256"]).to_owned()
}
