//! Names that resolve differently the second time. The gateway, its resolver's DNS server and the forbidden
//! targets are in separate namespaces, so the whole path is real: the machine's resolver, its files, its
//! sockets.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolgate_testkit::gateway::until;

use crate::confined::python;
use crate::toolgate;

const SCRIPT: &str = include_str!("rebinding.py");
/// The address of the public server there.
const PUBLIC: &str = "93.184.215.14";
const WAIT: Duration = Duration::from_secs(60);
const CONFIG: &str = "[policy]\ntemplate = \"exploratory\"\n";

/// The final targets of a name: this machine, its network, the metadata of a cloud, the same in newer
/// notations.
const FORBIDDEN: [&str; 5] = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1"];

/// A network in which the test controls names, with a gateway.
struct Island {
    process: Child,
    words: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    folder: TempDir,
}

impl Island {
    fn open() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let script = folder.path().join("rebinding.py");
        std::fs::write(&script, SCRIPT).expect("the script can be written");
        std::fs::write(folder.path().join("toolgate.toml"), CONFIG)
            .expect("the configuration can be written");
        let mut process = Command::new("unshare")
            .args(["--user", "--map-root-user", "--mount", "--net"])
            .arg(python())
            .args([script.as_path(), toolgate(), folder.path()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("unshare is there");
        let words = process.stdin.take();
        let answers = BufReader::new(process.stdout.take().expect("stdout is piped"));
        let mut island = Self { process, words, answers, folder };
        assert_eq!(island.answer(), "ready");
        island
    }

    fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("it answers");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("the island is gone: {error}: {line:?}"))
    }

    fn say(&mut self, words: Value) -> Value {
        writeln!(self.words.as_ref().expect("stdin is piped"), "{words}").expect("it listens");
        self.answer()
    }

    /// From now on lookups of the name get these addresses, one round after the other, repeatedly.
    fn lead(&mut self, name: &str, rounds: &[&[&str]]) {
        self.say(json!(["names", { name: rounds }]));
    }

    fn ask(&mut self, method: &str, path: &str, body: Value) -> (Value, Value) {
        let mut answer = self.say(json!(["ask", method, path, body]));
        (answer[0].take(), answer[1].take())
    }

    /// Sets servers over the API, as an operator may.
    fn set(&mut self, servers: &[(String, String)]) {
        self.set_all(servers.iter().map(|(name, url)| json!({ "name": name, "url": url })).collect());
    }

    fn set_all(&mut self, value: Vec<Value>) {
        let (status, said) = self.ask("PATCH", "/settings/mcp_servers", json!({ "value": value }));
        assert_eq!(status, 200, "{said}");
    }

    /// The result of calling a server's tool.
    fn call(&mut self, server: &str) -> Value {
        self.ask("POST", "/tools/call", json!({ "name": format!("{server}:look"), "arguments": {} })).1
    }

    fn is_served(&mut self, server: &str) {
        let served = until(WAIT, || (self.call(server)["status"] == "succeeded").then_some(()));
        served.unwrap_or_else(|| panic!("{server} is not served: {}", self.call(server)));
    }

    /// Waits until the gateway refuses to dial a server, because of this address.
    fn is_refused(&mut self, server: &str, address: &str) {
        let mut last = Value::Null;
        let refused = until(WAIT, || {
            // A call is reason enough to look for the server again.
            self.call(server);
            last = self.ask("GET", &format!("/servers/{server}"), Value::Null).1;
            let reason = last["reason"].as_str().unwrap_or_default();
            (reason.contains("may not be dialled") && reason.contains(address)).then_some(())
        });
        refused.unwrap_or_else(|| panic!("{server} was not refused for {address}: {last}"));
    }

    /// The forbidden addresses that were called, and the callers of the public server.
    fn seen(&mut self) -> (Vec<String>, Vec<String>) {
        let mut seen = self.say(json!(["seen"]));
        let list = |value: Value| serde_json::from_value(value).expect("a list of texts");
        (list(seen["reached"].take()), list(seen["hosts"].take()))
    }

    fn nobody_was_reached(&mut self) {
        assert_eq!(self.seen().0, [""; 0], "somebody called where nobody may");
    }
}

impl Drop for Island {
    fn drop(&mut self) {
        // The script ends the gateway, and itself, when its input ends.
        self.words = None;
        drop(self.process.wait());
    }
}

fn name(at: usize) -> String {
    format!("n{at}.example")
}

#[test]
fn a_name_that_is_rebound_after_it_was_let_in_leads_nowhere() {
    let mut island = Island::open();
    let servers: Vec<(String, String)> =
        (0..FORBIDDEN.len()).map(|at| (format!("s{at}"), format!("http://{}/mcp", name(at)))).collect();
    for at in 0..FORBIDDEN.len() {
        island.lead(&name(at), &[&[PUBLIC]]);
    }
    island.set(&servers);
    for (server, _) in &servers {
        island.is_served(server);
    }
    for (at, address) in FORBIDDEN.iter().enumerate() {
        island.lead(&name(at), &[&[address]]);
    }
    for ((server, _), address) in servers.iter().zip(FORBIDDEN) {
        island.is_refused(server, address);
    }
    island.nobody_was_reached();

    // The same names do resolve there if the operator allows it: the rule keeps the gateway away.
    let allowed = format!("{CONFIG}[network]\nallow_loopback = true\n");
    std::fs::write(island.folder.path().join("toolgate.toml"), allowed).expect("it can be written");
    let reached = until(WAIT, || island.seen().0.iter().any(|one| one == "127.0.0.1").then_some(()));
    reached.expect("this machine is reached once that is allowed");
}

#[test]
fn a_name_whose_answer_changes_with_every_look_is_dialled_only_where_it_was_checked() {
    let mut island = Island::open();
    island.lead("flip.example", &[&[PUBLIC]]);
    let url = "http://flip.example/mcp";
    let one = json!({ "name": "flip", "url": url, "instance_id": "a", "lease_seconds": 600 });
    let (status, said) = island.ask("POST", "/servers/register", one);
    assert_eq!(status, 200, "{said}");
    island.is_served("flip");
    // Often enough the public one for the server to be found again, and then this machine.
    let public: &[&str] = &[PUBLIC];
    island.lead("flip.example", &[public, public, public, public, public, public, &["127.0.0.1"]]);
    let rebound = |island: &mut Island| island.say(json!(["looks", "flip.example", "127.0.0.1"])).as_u64();
    let often = until(WAIT, || {
        island.call("flip");
        (rebound(&mut island) >= Some(3)).then_some(())
    });
    often.expect("the name is looked up for every connection");
    island.nobody_was_reached();
}

#[test]
fn a_name_with_one_forbidden_address_among_others_is_not_dialled_at_all() {
    let mut island = Island::open();
    let both = [("10.0.0.1", "later"), ("169.254.169.254", "linked"), ("::ffff:127.0.0.1", "mapped")];
    let mut servers = Vec::new();
    for (address, server) in both {
        island.lead(&format!("{server}.example"), &[&[PUBLIC, address]]);
        servers.push((server.to_owned(), format!("http://{server}.example/mcp")));
    }
    island.set(&servers);
    for (address, server) in both {
        island.is_refused(server, address);
    }
    let (reached, hosts) = island.seen();
    assert_eq!((reached, hosts), (Vec::new(), Vec::new()), "neither of its addresses was called");
}

#[test]
fn an_api_is_not_followed_to_where_its_name_leads_later() {
    let mut island = Island::open();
    island.lead("views.example", &[&[PUBLIC]]);
    let document = "http://views.example/views.json";
    island
        .set_all(vec![json!({ "name": "views", "openapi": document, "base_url": "http://views.example/" })]);
    island.is_served("views");
    for address in FORBIDDEN {
        island.lead("views.example", &[&[address]]);
        let said = island.call("views");
        assert!(said.to_string().contains("may not be dialled"), "{address}: {said}");
    }
    island.nobody_was_reached();
}

#[test]
fn a_sign_in_does_not_follow_a_name_to_this_machine() {
    let mut island = Island::open();
    island.lead("guarded.example", &[&[PUBLIC]]);
    island.lead("metadata.example", &[&["127.0.0.1"]]);
    island.set(&[("guarded".to_owned(), "http://guarded.example/guarded".to_owned())]);
    let asked = until(WAIT, || (!island.seen().1.is_empty()).then_some(()));
    asked.expect("the server is asked, and asks for a sign-in");
    let said = island.say(json!(["run", ["servers", "login", "guarded"]]));
    assert_eq!(said[0], 1, "{said}");
    let looks = island.say(json!(["looks", "metadata.example", "127.0.0.1"]));
    assert!(looks.as_u64() >= Some(1), "the name was looked up: {said}");
    assert!(said[1].as_str().is_some_and(|text| text.contains("127.0.0.1")), "{said}");
    island.nobody_was_reached();
}
