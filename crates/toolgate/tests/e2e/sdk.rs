//! The official SDK clients against the real gateway: old and new ones, every door, servers of either era
//! behind it.
//!
//! Each client makes the same journey (`tests/clients/*/journey.*`, `rust.rs`) through all of MCP and reports
//! its observations. The expectations are stated once, here.

mod rust;
mod search;

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use toolgate_testkit::gateway::Gateway;

use crate::kit::{Remote, remote};
use crate::outside::{fetched, node, repository};
use crate::{boot, conforming, toolgate};

#[derive(Clone, Copy, PartialEq)]
enum Sdk {
    /// `mcp` 1.12, which knows nothing after 2025-06-18.
    PythonOlder,
    PythonNewer,
    /// `@modelcontextprotocol/sdk`.
    NodeOlder,
    /// `@modelcontextprotocol/client`.
    NodeNewer,
}

#[derive(Clone, Copy, PartialEq)]
enum SdkEra {
    Legacy,
    Modern,
}

/// The door of the gateway that the client uses.
#[derive(Clone, Copy)]
enum Door {
    Http,
    Sse,
    /// `toolgate stdio`, while a gateway runs on the same data folder.
    Stdio,
    /// `toolgate stdio`, while none does.
    StdioAlone,
}

/// The placement of the conforming server behind the gateway.
#[derive(Clone, Copy)]
enum Behind {
    Child(SdkEra),
    Http(SdkEra),
}

impl SdkEra {
    fn name(self) -> &'static str {
        match self {
            SdkEra::Legacy => "legacy",
            SdkEra::Modern => "modern",
        }
    }

    fn flag(self) -> &'static str {
        match self {
            SdkEra::Legacy => "--legacy-only",
            SdkEra::Modern => "--modern-only",
        }
    }

    /// The code for a missing resource.
    fn not_found(self) -> i64 {
        match self {
            SdkEra::Legacy => -32002,
            SdkEra::Modern => -32602,
        }
    }
}

/// A gateway with the one server behind it, called `conf`.
struct SdkScene {
    gateway: Gateway,
    _neighbour: Option<Remote>,
}

/// Lists come in pages on both sides of the gateway, with different sizes.
const PAGES: &str = "[limits]\npage_size = 10\n";
/// Servers use the model of clients only where they are let.
const SAMPLING: &str = "sampling = true\n";

impl SdkScene {
    fn set(behind: Behind) -> Self {
        match behind {
            Behind::Child(era) => {
                let server = conforming("conf", &[era.flag(), "--page-size", "7"]) + SAMPLING;
                Self { gateway: boot(&(PAGES.to_owned() + &server)), _neighbour: None }
            }
            Behind::Http(era) => {
                let neighbour = Remote::start("conformance-server", &[era.flag(), "--page-size", "7"]);
                let server = remote("conf", &neighbour.url) + SAMPLING;
                Self { gateway: boot(&(PAGES.to_owned() + &server)), _neighbour: Some(neighbour) }
            }
        }
    }

    /// `toolgate stdio` on the data of this gateway, or on an empty folder, where no gateway runs.
    fn stdio(&self, alone: bool) -> Vec<PathBuf> {
        let config = self.gateway.folder().join("toolgate.toml");
        let data = if alone { self.gateway.folder().join("other-data") } else { self.gateway.data() };
        vec![toolgate().to_owned(), "--config".into(), config, "--data".into(), data, "stdio".into()]
    }

    fn request(&self, era: SdkEra, door: Door) -> Value {
        let mut request = json!({ "era": era.name(), "prefix": "conf__" });
        match door {
            Door::Http => request["transport"] = "http".into(),
            Door::Sse => request["transport"] = "sse".into(),
            Door::Stdio | Door::StdioAlone => request["transport"] = "stdio".into(),
        }
        match door {
            Door::Http => request["url"] = self.gateway.endpoint.as_str().into(),
            Door::Sse => request["url"] = self.gateway.url("/sse").into(),
            Door::Stdio => request["command"] = json!(self.stdio(false)),
            Door::StdioAlone => request["command"] = json!(self.stdio(true)),
        }
        request["token"] = self.gateway.agent.as_str().into();
        request
    }
}

impl Sdk {
    fn command(self) -> Command {
        let clients = repository().join("tests/clients");
        let mut command = match self {
            Sdk::PythonOlder => Command::new(fetched("python-older/bin/python")),
            Sdk::PythonNewer => Command::new(fetched("python-newer/bin/python")),
            Sdk::NodeOlder | Sdk::NodeNewer => Command::new(node()),
        };
        command.arg(clients.join(match self {
            Sdk::PythonOlder => "python/older.py",
            Sdk::PythonNewer => "python/newer.py",
            Sdk::NodeOlder => "node/older.mjs",
            Sdk::NodeNewer => "node/newer.mjs",
        }));
        local(command.env("TOOLGATE_NPM_CLIENTS", fetched("npm-clients")));
        command
    }

    fn revision(self, era: SdkEra) -> &'static str {
        match (self, era) {
            (Sdk::PythonOlder, _) => "2025-06-18",
            (_, SdkEra::Legacy) => "2025-11-25",
            (_, SdkEra::Modern) => "2026-07-28",
        }
    }
}

/// Everything here is on this machine; a proxy would only be in the way.
pub(crate) fn local(command: &mut Command) {
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    for name in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        command.env_remove(name);
    }
}

/// One client, one door, one server: the whole journey.
fn travel(sdk: Sdk, era: SdkEra, door: Door, behind: Behind) {
    let scene = SdkScene::set(behind);
    let output = sdk.command().arg(scene.request(era, door).to_string()).output().expect("the client starts");
    let talk = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the client ended with {}:\n{talk}", output.status);
    let saw: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("the client reported nothing ({error}): {:?}\n{talk}", output.stdout));
    assert_eq!(saw["protocol"], sdk.revision(era));
    // This SDK turns either code into its own error.
    let not_found = if sdk == Sdk::NodeNewer { SdkEra::Modern.not_found() } else { era.not_found() };
    expect_everything(&saw, not_found);
}

/// The expectations for every client, for each era of the client and the server.
fn expect_everything(saw: &Value, not_found: i64) {
    let names =
        |key: &str| saw[key].as_array().into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>();
    assert_eq!(saw["server"], "toolgate");
    let (tools, prompts) = (names("tools"), names("prompts"));
    assert!(tools.len() > 40 && tools.contains(&"conf__echo"), "{tools:?}");
    assert!(tools.is_sorted(), "{tools:?}");
    assert!(prompts.contains(&"conf__test_simple_prompt"), "{prompts:?}");
    assert_eq!(names("resources"), ["test://static-binary", "test://static-text", "test://watched-resource"]);
    assert_eq!(names("templates"), ["test://template/{id}/data"]);

    assert_eq!(saw["echo"], "grüße");
    assert_eq!(saw["structured"]["doubled"].as_f64(), Some(42.0));
    assert_eq!(saw["mixed"], json!(["text", "text", "resource_link", "resource"]));
    let numbers = |pair: &Value| [pair[0].as_f64(), pair[1].as_f64()];
    let progress: Vec<_> = saw["progress"].as_array().into_iter().flatten().map(numbers).collect();
    assert_eq!(progress, [0.0, 50.0, 100.0].map(|done| [Some(done), Some(100.0)]));
    assert_eq!(saw["failed"]["isError"], true);
    assert_eq!(saw["failed"]["text"], "This tool intentionally returns an error for testing");
    assert_eq!(saw["unknown_tool"]["code"], -32602);
    let message = saw["unknown_tool"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("conf__no_such_tool"), "{message}");

    let said = saw["elicitation"].as_str().and_then(|text| text.strip_prefix("User response: "));
    let said: Value = serde_json::from_str(said.unwrap_or_default()).unwrap_or_default();
    let content = json!({ "email": "ada@example.org", "username": "ada" });
    assert_eq!(said, json!({ "action": "accept", "content": content }));
    assert_eq!(saw["sampling"], "LLM response: The model says hello");
    let roots = saw["roots"].as_str().and_then(|text| text.strip_prefix("Client roots: "));
    let roots: Value = serde_json::from_str(roots.unwrap_or_default()).unwrap_or_default();
    assert_eq!(roots, json!([{ "name": "Test Root", "uri": "file:///test/root" }]));
    assert_eq!(
        saw["asked"],
        json!([
            ["elicitation", "Server \"conf\" asks: Who are you?"],
            ["sampling", "Say hello"],
            ["roots", null]
        ])
    );
    assert_eq!(
        saw["logs"],
        json!(["Tool execution started", "Tool processing data", "Tool execution completed"])
    );

    assert_eq!(saw["read"], "This is the content of the static text resource.");
    assert_eq!(saw["read_template"], "123");
    assert_eq!(saw["unknown_resource"], not_found);
    assert_eq!(saw["prompt"], "Prompt with arguments: arg1='one', arg2='two'");
    assert_eq!(saw["completion"], json!(["paris", "park", "party"]));

    assert_eq!(saw["read_updated"], "Changed 1 times.");
    let heard = [
        ["changed", "prompts"],
        ["changed", "resources"],
        ["changed", "tools"],
        ["updated", "test://watched-resource"],
    ];
    assert_eq!(saw["heard"], json!(heard));
    assert!(
        names("changed_tools").contains(&"conf__test_changing_tool"),
        "the changed list was not listed again"
    );
    assert!(saw["cancelled"].as_u64() >= Some(1), "the server never heard of the cancellation");
}

/// A test for each line.
macro_rules! journeys {
    ($($name:ident: $sdk:ident $era:ident through $door:ident, $behind:ident $server:ident behind;)*) => {$(
        #[test]
        fn $name() {
            travel(Sdk::$sdk, SdkEra::$era, Door::$door, Behind::$behind(SdkEra::$server));
        }
    )*};
}

journeys! {
    python_older_reaches_an_older_child: PythonOlder Legacy through Http, Child Legacy behind;
    python_older_reaches_a_newer_child: PythonOlder Legacy through Http, Child Modern behind;
    python_newer_in_the_older_era_reaches_an_older_child: PythonNewer Legacy through Http, Child Legacy behind;
    python_newer_in_the_older_era_reaches_a_newer_server: PythonNewer Legacy through Http, Http Modern behind;
    python_newer_reaches_an_older_server: PythonNewer Modern through Http, Http Legacy behind;
    python_newer_reaches_a_newer_child: PythonNewer Modern through Http, Child Modern behind;
    node_older_reaches_an_older_server: NodeOlder Legacy through Http, Http Legacy behind;
    node_older_reaches_a_newer_server: NodeOlder Legacy through Http, Http Modern behind;
    node_newer_in_the_older_era_reaches_an_older_server: NodeNewer Legacy through Http, Http Legacy behind;
    node_newer_in_the_older_era_reaches_a_newer_child: NodeNewer Legacy through Http, Child Modern behind;
    node_newer_reaches_an_older_child: NodeNewer Modern through Http, Child Legacy behind;
    node_newer_reaches_a_newer_server: NodeNewer Modern through Http, Http Modern behind;

    python_older_over_sse_reaches_an_older_child: PythonOlder Legacy through Sse, Child Legacy behind;
    python_older_over_sse_reaches_a_newer_server: PythonOlder Legacy through Sse, Http Modern behind;
    python_newer_over_sse_reaches_a_newer_child: PythonNewer Legacy through Sse, Child Modern behind;
    node_older_over_sse_reaches_an_older_server: NodeOlder Legacy through Sse, Http Legacy behind;

    python_older_over_stdio_joins_the_running_gateway: PythonOlder Legacy through Stdio, Child Modern behind;
    python_newer_over_stdio_joins_the_running_gateway: PythonNewer Modern through Stdio, Child Legacy behind;
    node_older_over_stdio_joins_the_running_gateway: NodeOlder Legacy through Stdio, Child Legacy behind;
    node_newer_over_stdio_joins_the_running_gateway: NodeNewer Modern through Stdio, Http Modern behind;
    python_older_over_stdio_needs_no_running_gateway: PythonOlder Legacy through StdioAlone, Child Legacy behind;
    python_newer_over_stdio_needs_no_running_gateway: PythonNewer Modern through StdioAlone, Child Modern behind;
    node_older_over_stdio_needs_no_running_gateway: NodeOlder Legacy through StdioAlone, Child Modern behind;
    node_newer_over_stdio_needs_no_running_gateway: NodeNewer Modern through StdioAlone, Child Legacy behind;
}
