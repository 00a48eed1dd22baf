//! A gateway in front of an API of the test's own, whose document is a file beside the configuration.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolgate_testkit::gateway::{Gateway, HttpClient};
use toolgate_testkit::web_api::{WebAnswer, WebApi, WebRequest};

use crate::kit::{call, file, listed};
use crate::toolgate;

/// Writes are not what these tests are about, so people are not asked.
pub(super) const OPEN: &str = "[policy]\ntemplate = \"exploratory\"\n";

/// A document with these paths. Its schema `Node` contains itself.
pub(super) fn document(paths: Value) -> Value {
    let children = json!({ "type": "array", "items": { "$ref": "#/components/schemas/Node" } });
    let node =
        json!({ "type": "object", "properties": { "name": { "type": "string" }, "children": children } });
    json!({
        "openapi": "3.0.3", "info": { "title": "Pets", "version": "1" }, "paths": paths,
        "components": { "schemas": { "Node": node } },
    })
}

/// An operation that answers JSON.
pub(super) fn operation(id: &str) -> Value {
    json!({
        "operationId": id,
        "summary": format!("Does {id}"),
        "responses": { "200": { "description": "ok", "content": { "application/json": { "schema": { "type": "object" } } } } },
    })
}

/// The same with more members.
pub(super) fn operation_with(id: &str, more: Value) -> Value {
    let mut operation = operation(id);
    let members = operation.as_object_mut().expect("an object");
    members.extend(more.as_object().expect("an object").clone());
    operation
}

pub(super) struct ApiStage {
    pub(super) gateway: Gateway,
    pub(super) api: WebApi,
    pub(super) agent: HttpClient,
}

impl ApiStage {
    /// Boots a gateway whose server `pets` has this document, and waits until `tool` is listed.
    pub(super) async fn open(
        paths: Value,
        tool: &str,
        answer: impl Fn(&WebRequest) -> WebAnswer + Send + Sync + 'static,
    ) -> Self {
        Self::open_with(paths, tool, "", answer).await
    }

    /// The same with more lines in the server's table.
    pub(super) async fn open_with(
        paths: Value,
        tool: &str,
        more: &str,
        answer: impl Fn(&WebRequest) -> WebAnswer + Send + Sync + 'static,
    ) -> Self {
        let api = WebApi::start(answer);
        let folder = TempDir::new().expect("a folder");
        file(folder.path(), "pets.json", &document(paths).to_string());
        let base = api.url("/v1");
        let toml = format!(
            "{OPEN}[[servers]]\nname = \"pets\"\nopenapi = \"pets.json\"\nbase_url = {base:?}\n{more}\n"
        );
        let gateway = Gateway::boot_in(toolgate(), &toml, folder);
        listed(&gateway, &format!("pets__{tool}")).await;
        let agent = gateway.client();
        Self { gateway, api, agent }
    }

    pub(super) async fn call(&self, tool: &str, arguments: Value) -> Value {
        call(&self.agent, &format!("pets__{tool}"), arguments).await
    }

    /// Stores a secret of the server `pets`.
    pub(super) fn store(&self, name: &str, value: &str) {
        let mut command = self.gateway.cli_command(&["secrets", "set", "pets", name]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the binary runs");
        child.stdin.take().expect("a pipe").write_all(value.as_bytes()).expect("the value is taken");
        assert!(child.wait().expect("it ends").success());
    }

    /// The id of an uploaded file.
    pub(super) async fn upload(&self, name: &str, bytes: &[u8]) -> String {
        let request = self.agent.http.post(self.gateway.url(&format!("/files?name={name}")));
        let request = request.bearer_auth(&self.gateway.agent);
        let request = request.header("content-type", "application/octet-stream").body(bytes.to_vec());
        let answer = HttpClient::finish(request).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.json()["id"].as_str().expect("an id").to_owned()
    }
}

/// The words of a result that says what went wrong.
pub(super) fn failure(result: &Value) -> String {
    assert_eq!(result["isError"], true, "{result}");
    result.to_string()
}
