//! `toolgate serve` as a process: its output, its neighbours, its end and its leftovers.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use toolgate_testkit::gateway::{Gateway, signal, until};

use super::{CliFolder, Said, is_alive};
use crate::{boot, conforming, testkit};

const WAIT: Duration = Duration::from_secs(20);

/// A child that is killed at the end of the test in any case.
pub(super) struct Killed(pub(super) Child);

impl Drop for Killed {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[tokio::test]
async fn serve_on_port_zero_prints_the_address_it_got() {
    let place = CliFolder::new("");
    let mut command = place.command(&["serve", "--listen", "127.0.0.1:0"]);
    let mut process =
        Killed(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts"));
    let stdout = BufReader::new(process.0.stdout.take().expect("stdout is piped"));
    let mut said = String::new();
    for line in stdout.lines().map_while(Result::ok) {
        said += &(line + "\n");
        if said.contains("Ctrl-C") {
            break;
        }
    }
    let endpoint = said
        .lines()
        .find_map(|line| line.trim().strip_prefix("MCP endpoint"))
        .expect("it names the endpoint")
        .trim();
    assert!(endpoint.starts_with("http://127.0.0.1:") && !endpoint.contains(":0/"), "{said}");
    let health = reqwest::get(endpoint.replace("/mcp", "/healthz")).await.expect("it listens");
    assert_eq!(health.status(), 200);

    // The printed snippet is JSON, and the token in the data folder's file is valid.
    let (start, end) =
        (said.find('{').expect("a client configuration"), said.rfind('}').expect("a client configuration"));
    let paste: Value = serde_json::from_str(&said[start..=end]).expect("it can be pasted");
    let entry = &paste["mcpServers"]["toolgate"];
    assert_eq!(entry["url"], endpoint);
    assert_eq!(entry["headers"]["Authorization"], "Bearer <your token>");
    let kept = std::fs::read(place.path("toolgate-data/first-tokens.json")).expect("the tokens are there");
    let kept: Value = serde_json::from_slice(&kept).expect("JSON");
    let client =
        toolgate_testkit::gateway::HttpClient::new(endpoint, kept["agent"].as_str().expect("a token"));
    assert_eq!(client.modern("tools/list", json!({})).await.status, 200);
    assert!(said.contains(place.path("toolgate-data").to_str().expect("a readable path")), "{said}");
}

#[test]
fn a_second_gateway_on_the_same_data_is_refused() {
    let gateway = boot("");
    let said = Said::from(gateway.cli(&["serve", "--listen", "127.0.0.1:0"]));
    said.badly(1, &["another gateway", &gateway.pid().to_string(), "hint:", "--data"]);
}

#[test]
fn a_taken_port_is_refused_with_a_hint() {
    let gateway = boot("");
    let taken = gateway.url("").replace("http://", "");
    let place = CliFolder::new("");
    place.run(&["serve", "--listen", &taken]).badly(1, &[&taken, "hint:", "--listen"]);
    place.run(&["serve", "--listen", "nowhere"]).badly(2, &["nowhere"]);
}

/// A conforming server that leaves its own process in the background; `seconds` distinguishes that one from
/// all others.
fn with_grandchild(name: &str, seconds: u32) -> String {
    let script = format!("sleep {seconds} & exec {} --stdio", testkit("conformance-server").display());
    format!("[[servers]]\nname = {name:?}\ncommand = \"sh\"\nargs = {}\n", json!(["-c", script]))
}

/// The process that sleeps this long, if there is one.
fn sleeper(seconds: u32) -> Option<u64> {
    let wanted = format!("sleep\0{seconds}\0");
    let pids = std::fs::read_dir("/proc").expect("there is a /proc").filter_map(Result::ok);
    let sleeps =
        |pid: &u64| std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line == wanted.as_bytes());
    pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).find(sleeps)
}

/// Numbers that no other test run on this machine sleeps for at the same time.
fn own_seconds(nth: u32) -> u32 {
    100_000 + std::process::id() * 10 + nth
}

/// The process of a server, once it is healthy.
fn child(gateway: &Gateway, name: &str) -> u64 {
    let pid = || {
        let shown = Said::from(gateway.cli(&["servers", "show", name, "--json"])).well().json();
        shown["pid"].as_u64().filter(|_| shown["state"] == "healthy")
    };
    until(WAIT, pid).unwrap_or_else(|| panic!("{name} never became healthy"))
}

fn children_end_with_their_gateway(hard: bool, nth: u32) -> std::process::ExitStatus {
    let seconds = own_seconds(nth);
    let mut gateway = boot(&(conforming("plain", &[]) + &with_grandchild("parent", seconds)));
    let children =
        [child(&gateway, "plain"), child(&gateway, "parent"), sleeper(seconds).expect("the grandchild runs")];
    assert!(children.iter().all(|pid| is_alive(*pid)));
    let status = gateway.end(hard);
    let gone = until(WAIT, || children.iter().all(|pid| !is_alive(*pid)).then_some(()));
    assert!(
        gone.is_some(),
        "still alive of {children:?}: {:?}",
        children.iter().filter(|pid| is_alive(**pid)).collect::<Vec<_>>()
    );
    status
}

#[test]
fn children_are_gone_after_a_graceful_end() {
    let status = children_end_with_their_gateway(false, 0);
    assert_eq!(status.code(), Some(0), "{status}");
}

#[test]
fn children_do_not_outlive_a_killed_gateway() {
    children_end_with_their_gateway(true, 1);
}

#[test]
fn an_interrupt_ends_the_gateway_gracefully_too() {
    let mut gateway = boot(&conforming("conf", &[]));
    child(&gateway, "conf");
    signal("-INT", gateway.pid());
    assert_eq!(gateway.end(false).code(), Some(0));
}

#[tokio::test]
async fn a_call_under_way_is_finished_before_the_gateway_ends() {
    let mut gateway = boot(&conforming("conf", &[]));
    let client = gateway.client();
    assert!(!client.tool_names(1).await.is_empty());
    let meta = json!({ "progressToken": "p" });
    let request = client.modern_request(
        1,
        "tools/call",
        json!({ "name": "conf__test_tool_with_progress", "arguments": {}, "_meta": meta }),
    );
    let mut response = request.send().await.expect("the gateway answers");
    let first =
        response.chunk().await.expect("the stream is open").expect("progress comes before the result");
    let pid = gateway.pid();
    signal("-TERM", pid);
    let mut rest = String::from_utf8_lossy(&first).into_owned();
    while let Some(chunk) = response.chunk().await.expect("the stream stays open") {
        rest += &String::from_utf8_lossy(&chunk);
    }
    assert!(rest.contains("Tool with progress executed successfully"), "{rest}");
    assert_eq!(gateway.end(false).code(), Some(0));
}

#[test]
fn a_stdio_gateway_ends_with_its_input_and_takes_its_children_along() {
    let seconds = own_seconds(2);
    let place = CliFolder::new(&with_grandchild("parent", seconds));
    let mut command = place.command(&["stdio"]);
    let mut process = Killed(command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("it starts"));
    let grandchild = until(WAIT, || sleeper(seconds)).expect("the server starts");
    drop(process.0.stdin.take());
    let status = until(WAIT, || process.0.try_wait().ok().flatten()).expect("it ends with its input");
    assert_eq!(status.code(), Some(0));
    assert!(until(WAIT, || (!is_alive(grandchild)).then_some(())).is_some(), "its child lives on");
}

#[test]
fn a_client_of_stdio_hears_when_the_gateway_ends() {
    let mut gateway = boot("");
    let mut command = gateway.cli_command(&["stdio"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = Killed(command.spawn().expect("it starts"));
    let mut stdin = process.0.stdin.take().expect("stdin is piped");
    let ping = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } });
    std::io::Write::write_all(&mut stdin, format!("{ping}\n").as_bytes()).expect("it reads");
    let mut first = String::new();
    let mut stdout = BufReader::new(process.0.stdout.take().expect("stdout is piped"));
    stdout.read_line(&mut first).expect("an answer");
    gateway.end(true);
    let status = until(WAIT, || process.0.try_wait().ok().flatten()).expect("it ends with the gateway");
    assert_eq!(status.code(), Some(1));
    let stderr = std::io::read_to_string(process.0.stderr.take().expect("stderr is piped")).expect("text");
    assert!(stderr.contains("the gateway ended"), "{stderr}");
    drop(stdin);
}

#[test]
fn what_the_gateway_keeps_is_closed_to_others() {
    use std::os::unix::fs::PermissionsExt;
    let gateway = boot("");
    for name in ["gateway.sock", "gateway.key", "gateway.lock", "toolgate.db"] {
        let found = std::fs::metadata(gateway.data().join(name)).expect(name);
        assert_eq!(found.permissions().mode() & 0o777, 0o600, "{name}");
    }
}

/// The answer of a socket to a connection that begins like this; a closed connection is an empty answer.
fn answered(gateway: &Gateway, socket: &str, begins: &[u8], request: &str) -> String {
    let mut stream = UnixStream::connect(gateway.data().join(socket)).expect("it listens");
    // A connection that is refused may be closed before all of it was sent.
    drop(stream.write_all(&[begins, request.as_bytes()].concat()));
    if socket != "api.sock" {
        drop(stream.shutdown(Shutdown::Write));
    }
    let mut answer = String::new();
    drop(stream.read_to_string(&mut answer));
    answer
}

#[test]
fn the_sockets_answer_nobody_who_does_not_show_their_key() {
    let gateway = boot("");
    let key = std::fs::read(gateway.data().join("gateway.key")).expect("it is there");
    let wrong: Vec<u8> = key.iter().map(|byte| if *byte == b'0' { b'1' } else { b'0' }).collect();
    let call = format!(
        "GET /tokens HTTP/1.1\r\nhost: toolgate\r\nx-long: {}\r\nconnection: close\r\n\r\n",
        "x".repeat(key.len())
    );
    let list = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    for (socket, request) in [("api.sock", call.as_str()), ("gateway.sock", list), ("agent.sock", list)] {
        for begins in [&b""[..], &wrong, &key[1..]] {
            assert_eq!(answered(&gateway, socket, begins, request), "", "{socket}");
        }
        let answer = answered(&gateway, socket, &key, request);
        assert!(answer.contains("200 OK") || answer.contains("\"id\":1"), "{socket}: {answer}");
    }
}

#[test]
fn a_gateway_makes_a_new_key_at_each_start_and_takes_it_away_at_its_end() {
    let gateway = boot("");
    let path = gateway.data().join("gateway.key");
    let first = std::fs::read(&path).expect("it is there");
    let mut gateway = gateway.restart(true);
    let path = gateway.data().join(path.file_name().expect("a name"));
    assert_ne!(std::fs::read(&path).expect("it is there"), first);
    gateway.end(false);
    assert!(!path.exists());
}
