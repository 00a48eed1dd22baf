//! A bank behind a gateway, and the people around it.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Output;

use serde_json::{Value, json};
use toolgate_testkit::gateway::{Gateway, HttpAnswer, HttpClient, until};

use super::database::Backing;
use crate::doors::WAIT;
use crate::{testkit, toolgate};

/// Every transfer needs a person.
pub(crate) const GATED: &str =
    "[policy]\ngates = 'forbid (principal, action == Action::\"bank:transfer\", resource);'\n";
/// No waiting for people: a call that needs approval says so at once.
pub(crate) const NO_HOLD: &str = "[approvals]\nhold_seconds = 0\n";
/// All transfers are forbidden.
pub(crate) const FORBIDDEN: &str = "[policy]\nguard = '''permit (principal, action, resource);\n\
    forbid (principal, action == Action::\"bank:transfer\", resource);'''\n";

/// A gate on transfers with these annotations.
pub(crate) fn gate(annotations: &str) -> String {
    format!(
        "[policy]\ngates = '{annotations} forbid (principal, action == Action::\"bank:transfer\", resource);'\n"
    )
}

pub(crate) struct Bank {
    pub(crate) gateway: Gateway,
    journal: PathBuf,
    backing: Backing,
}

impl Bank {
    /// A gateway with this configuration in front of one bank.
    pub(crate) fn open(toml: &str) -> Self {
        Self::open_on(Backing::Sqlite, toml)
    }

    pub(crate) fn open_on(backing: Backing, toml: &str) -> Self {
        Self::open_with(backing, toml, &[])
    }

    /// With these files beside the configuration.
    pub(crate) fn open_with(backing: Backing, toml: &str, files: &[(&str, &str)]) -> Self {
        let (folder, toml, journal) = prepare(&backing, toml, files);
        Self { gateway: Gateway::boot_in(toolgate(), &toml, folder), journal, backing }
    }

    /// A gateway that stops for good where a call reaches this point.
    pub(crate) fn open_stopping(backing: Backing, toml: &str, point: &str) -> Self {
        let (folder, toml, journal) = prepare(&backing, toml, &[]);
        Self { gateway: Gateway::boot_stopping(toolgate(), &toml, folder, point), journal, backing }
    }

    /// Kills the gateway and starts it again on its data.
    pub(crate) fn killed(self) -> Self {
        Self { gateway: self.gateway.restart(true), ..self }
    }

    /// The same, and the next one stops for good where a call reaches this point.
    pub(crate) fn killed_then_stopping(self, point: &str) -> Self {
        Self { gateway: self.gateway.restart_stopping(true, point), ..self }
    }

    /// The executed calls, in order: `transfer {"amount":1,…}`.
    pub(crate) fn ran(&self) -> Vec<String> {
        let journal = std::fs::read_to_string(&self.journal).unwrap_or_default();
        journal.lines().map(str::to_owned).collect()
    }

    /// Puts a file beside the configuration.
    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.gateway.folder().join(name), text).expect("the file can be written");
    }

    pub(crate) fn backing(&self) -> &Backing {
        &self.backing
    }

    pub(crate) fn agent(&self) -> HttpClient {
        self.gateway.client()
    }

    /// A token for a principal: `--role approver --principal ann --group finance`.
    pub(crate) fn token(&self, of_whom: &str) -> String {
        let words: Vec<&str> = ["token", "create"].into_iter().chain(of_whom.split_whitespace()).collect();
        self.say(&words).trim().to_owned()
    }

    /// An MCP client with its own token.
    pub(crate) fn agent_with(&self, token: &str) -> HttpClient {
        HttpClient::new(&self.gateway.endpoint, token)
    }

    /// Runs a command that must succeed; returns its output.
    pub(crate) fn say(&self, words: &[&str]) -> String {
        let output = self.gateway.cli(words);
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8(output.stdout).expect("commands print text")
    }

    pub(crate) fn say_json(&self, words: &[&str]) -> Value {
        let said = self.say(&[&["--json"], words].concat());
        serde_json::from_str(&said)
            .unwrap_or_else(|error| panic!("{words:?} did not print JSON ({error}): {said}"))
    }

    pub(crate) fn approve(&self, id: &str) {
        self.say(&["approvals", "approve", id]);
    }

    /// The state of an approval.
    pub(crate) fn approval(&self, id: &str) -> Value {
        self.say_json(&["approvals", "show", id])
    }

    pub(crate) fn wait_state(&self, id: &str, state: &str) -> Value {
        let there = until(WAIT, || Some(self.approval(id)).filter(|approval| approval["state"] == state));
        there.unwrap_or_else(|| panic!("the approval never became {state}: {}", self.approval(id)))
    }

    /// Everything in the ledger that these filters let through, oldest first.
    pub(crate) fn events(&self, filter: &[&str]) -> Vec<Value> {
        let said = self.say(&[&["ledger", "export"], filter].concat());
        said.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
    }

    /// The same once there are `count`: futile attempts of agents are recorded in the background.
    pub(crate) fn events_of(&self, filter: &[&str], count: usize) -> Vec<Value> {
        until(WAIT, || Some(self.events(filter)).filter(|events| events.len() >= count))
            .unwrap_or_else(|| panic!("fewer than {count} of {filter:?}: {:?}", self.events(filter)))
    }

    /// The outcomes of calls, oldest first.
    pub(crate) fn outcomes(&self) -> Vec<String> {
        let ends = self.events(&["--kind", "tool.call.completed"]);
        ends.iter().map(|end| end["outcome"].as_str().expect("an end has an outcome").to_owned()).collect()
    }

    /// The ledger is intact, and no call in it starts or ends twice.
    pub(crate) fn verify(&self) {
        let output = self.gateway.cli(&["ledger", "verify"]);
        assert!(output.status.success(), "{output:?}");
        for kind in ["tool.call.started", "tool.call.completed"] {
            let mut seen = BTreeSet::new();
            for event in self.events(&["--kind", kind]) {
                assert!(seen.insert(event["call"].to_string()), "a second {kind} of one call: {event}");
            }
        }
    }

    /// A request to the API.
    pub(crate) async fn rest(
        &self,
        token: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> HttpAnswer {
        let client = self.agent();
        let method = method.parse().expect("a method");
        let mut request = client.http.request(method, self.gateway.url(path)).bearer_auth(token);
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        HttpClient::finish(request).await
    }

    pub(crate) async fn get(&self, token: &str, path: &str) -> HttpAnswer {
        self.rest(token, "GET", path, None).await
    }

    /// A decision on an approval.
    pub(crate) async fn decide(&self, token: &str, id: &str, decision: Value) -> HttpAnswer {
        self.rest(token, "POST", &format!("/approvals/{id}/decide"), Some(decision)).await
    }

    /// Approves over the API, which must succeed.
    pub(crate) async fn approve_as(&self, token: &str, id: &str) -> Value {
        let answer = self.decide(token, id, json!({ "decision": "approve" })).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()["approval"].clone()
    }
}

fn prepare(backing: &Backing, toml: &str, files: &[(&str, &str)]) -> (tempfile::TempDir, String, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("files lie in folders"))
            .expect("the folder can be made");
        std::fs::write(path, text).expect("the file can be written");
    }
    let journal = folder.path().join("journal");
    let file = |name: &str| folder.path().join(name);
    let args = json!(["--journal", journal, "--release", file("release"), "--doom", file("doom")]);
    let server = format!("[[servers]]\nname = \"bank\"\ncommand = {:?}\nargs = {args}\n", testkit("bank"));
    (folder, format!("{}{toml}\n{server}", backing.toml()), journal)
}

/// Arguments of a transfer.
pub(crate) fn money(amount: u64) -> Value {
    json!({ "account": "DE1", "amount": amount })
}

/// The journal's line about it.
pub(crate) fn moved(amount: u64) -> String {
    format!("transfer {}", money(amount))
}

/// The envelope of a result.
#[track_caller]
pub(crate) fn envelope(result: &Value) -> &Value {
    let envelope = &result["_meta"]["dev.toolgate/envelope"];
    assert!(envelope.is_object(), "no envelope: {result}");
    envelope
}

#[track_caller]
pub(crate) fn status(result: &Value) -> &str {
    envelope(result)["status"].as_str().expect("an envelope has a status")
}

/// The approval that a call waits for.
#[track_caller]
pub(crate) fn pending(result: &Value) -> String {
    assert_eq!(status(result), "pending_approval", "{result}");
    envelope(result)["approval_id"].as_str().expect("it says for which approval it waits").to_owned()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
