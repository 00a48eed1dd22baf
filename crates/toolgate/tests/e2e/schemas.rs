//! Versioned schemas on the real binary: drafts, promotions that keep a promise, validation.

mod cross_check;
mod doors;
mod promoting;
mod refused;
mod reviewed;

use serde_json::{Value, json};
use toolgate_testkit::gateway::{HttpAnswer, HttpClient};

use crate::files::archive::text;
use crate::governed::bank::NO_HOLD;
use crate::governed::database::Backing;
use crate::live::site::Site;

/// `modeller` has the domain.
const AGENTS: &str = r#"
[[capabilities]]
name = "schema"
[[agents]]
name = "modeller"
capabilities = ["schema"]
"#;

struct SchemaOffice {
    site: Site,
}

impl SchemaOffice {
    /// At this level of care.
    fn open(backing: Backing, level: &str) -> Self {
        let toml = format!("[policy]\ntemplate = {level:?}\n{NO_HOLD}{AGENTS}");
        Self { site: Site::open_as(backing, &toml) }
    }

    fn admin(&self) -> &str {
        &self.site.gateway.admin
    }

    fn modeller(&self) -> HttpClient {
        self.site.agent_with(&self.site.token("--role agent --principal modeller-bot --agent modeller"))
    }

    async fn said(&self, tool: &str, arguments: Value) -> HttpAnswer {
        self.site.rest(self.admin(), "POST", &format!("/tools/schema.{tool}"), Some(arguments)).await
    }

    /// The data of a call, which must succeed.
    async fn done(&self, tool: &str, arguments: Value) -> Value {
        let said = self.said(tool, arguments.clone()).await;
        assert_eq!(said.status, 200, "{tool} {arguments}: {said:?}");
        said.json()["data"].clone()
    }

    /// The error of a call, which must have this status and code. Every refusal says what would help.
    async fn refused(&self, tool: &str, arguments: Value, status: u16, code: &str) -> Value {
        let said = self.said(tool, arguments.clone()).await;
        let error = said.json()["error"].clone();
        assert_eq!(
            (said.status, error["code"].as_str()),
            (status, Some(code)),
            "{tool} {arguments}: {said:?}"
        );
        assert!(!text(&error["hint"]).is_empty(), "{error}");
        error
    }

    /// The number of a new version.
    async fn register(&self, name: &str, definition: Value) -> u64 {
        let data = self.done("register", json!({ "name": name, "definition": definition })).await;
        data["schema"]["version"].as_u64().expect("a number")
    }

    /// The state of a version.
    async fn status(&self, name: &str, version: u64) -> String {
        let data = self.done("get", json!({ "name": name, "version": version })).await;
        text(&data["schema"]["status"]).to_owned()
    }
}

/// An invoice that allows no other members than these beside its total.
fn invoice(more: Value) -> Value {
    let mut schema = json!({ "type": "object", "required": ["total"], "additionalProperties": false,
        "properties": { "total": { "type": "integer", "minimum": 0 } } });
    for (name, member) in more.as_object().expect("members") {
        schema["properties"][name] = member.clone();
    }
    schema
}
