//! A server with scripted answers, read again for each request: its listing, its results, its introduction.

use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolgate_testkit::gateway::Gateway;

use crate::confined::python;
use crate::toolgate;

const SCRIPT: &str = r#"
import json, sys

def say(id, **message):
    print(json.dumps({"jsonrpc": "2.0", "id": id, **message}), flush=True)

for line in sys.stdin:
    message = json.loads(line)
    id, method = message.get("id"), message.get("method")
    if id is None:
        continue
    script = json.load(open(sys.argv[1]))
    if "noise" in script:
        print(script["noise"], file=sys.stderr, flush=True)
    if method == "initialize" and "refusal" in script:
        say(id, error={"code": -32603, "message": script["refusal"]})
    elif method == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}
        result["serverInfo"] = {"name": script.get("calls_itself", "x"), "version": "1"}
        say(id, result=result)
    elif method == "tools/list":
        say(id, result={"tools": script.get("tools", [])})
    elif method == "tools/call":
        say(id, result=script["results"][message["params"]["name"]])
    else:
        say(id, error={"code": -32601, "message": "no such method"})
"#;

/// A folder for a gateway, with the scripts of its hostile servers.
pub(super) struct Stage {
    folder: TempDir,
    toml: String,
}

impl Stage {
    pub(super) fn new(toml: &str) -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder"), toml: toml.to_owned() }
    }

    /// Adds a server with this script.
    #[must_use]
    pub(super) fn with(mut self, name: &str, says: &Value) -> Self {
        let path = self.script(name);
        std::fs::write(&path, says.to_string()).expect("the script can be written");
        let args = json!(["-c", SCRIPT, path]);
        let entry = format!("[[servers]]\nname = {name:?}\ncommand = {:?}\nargs = {args}\n", python());
        self.toml.push_str(&entry);
        self
    }

    fn script(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.json"))
    }

    pub(super) fn open(self) -> Gateway {
        Gateway::boot_in(toolgate(), &self.toml, self.folder)
    }
}

/// A tool that reads.
pub(super) fn tool(name: &str, description: &str) -> Value {
    json!({ "name": name, "description": description, "inputSchema": { "type": "object" },
        "annotations": { "readOnlyHint": true } })
}

/// The output of a command, from both streams.
pub(super) fn printed(gateway: &Gateway, words: &[&str]) -> String {
    let output = gateway.cli(words);
    [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat()
}
