//! Questions of servers to people, and all possible events before the answer.

use std::time::Duration;

use serde_json::{Value, json};
use toolgate_testkit::gateway::{Gateway, HttpClient, until_async};

use crate::boot;
use crate::doors::{Events, WAIT, modern_meta};
use crate::kit::{Remote, call, child, label, listed, nothing_left, remote, text};

const SERVERS: [&str; 4] = ["pipe-older", "pipe-newer", "web-older", "web-newer"];
/// The servers that ask while the call is open.
const ASKING: [&str; 2] = ["pipe-older", "web-older"];

struct Inn {
    gateway: Option<Gateway>,
    remotes: Vec<Remote>,
    label: String,
}

impl Inn {
    async fn open(limits: &str) -> Self {
        let label = label("inn");
        let mut toml = limits.to_owned();
        let mut remotes = Vec::new();
        for name in SERVERS {
            let era = if name.ends_with("older") { "legacy" } else { "modern" };
            let args = ["--era", era, "--label", &label];
            if name.starts_with("pipe") {
                toml.push_str(&child(name, "bad-neighbour", &args));
            } else {
                remotes.push(Remote::start("bad-neighbour", &args));
                toml.push_str(&remote(name, &remotes.last().expect("just pushed").url));
            }
            toml.push_str("timeout_seconds = 2\n");
        }
        let gateway = boot(&toml);
        for name in SERVERS {
            listed(&gateway, &format!("{name}__ask")).await;
        }
        Self { gateway: Some(gateway), remotes, label }
    }

    fn newer(&self) -> HttpClient {
        let mut client = self.gateway.as_ref().expect("open").client();
        client.capabilities = json!({ "elicitation": {} });
        client
    }

    async fn older(&self) -> HttpClient {
        let mut client = self.newer();
        client.initialize("2025-11-25").await;
        client
    }

    fn close(mut self) {
        drop(self.gateway.take());
        self.remotes.clear();
        nothing_left(&self.label);
    }
}

/// Starts a call of the newer era and returns its question.
async fn asked_newer(client: &HttpClient, tool: &str) -> Value {
    let result = call(client, tool, json!({})).await;
    assert_eq!(result["resultType"], "input_required", "{tool}: {result}");
    result
}

/// Repeats the request with this text as the answer to its one question; returns the text of the result.
async fn answer_newer(client: &HttpClient, tool: &str, asked: &Value, answer: &str) -> String {
    let (key, _) = asked["inputRequests"].as_object().and_then(|all| all.iter().next()).expect("a question");
    let state =
        asked.get("requestState").map(|state| format!(",\"requestState\":{state}")).unwrap_or_default();
    let meta = modern_meta(&client.capabilities);
    let params = format!(
        r#"{{"name":"{tool}","arguments":{{}},"inputResponses":{{"{key}":{answer}}}{state},"_meta":{meta}}}"#
    );
    let body = format!(r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{params}}}"#);
    let request =
        client.post().header("mcp-protocol-version", "2026-07-28").header("mcp-method", "tools/call");
    let sent = HttpClient::finish(request.header("mcp-name", tool).body(body));
    tokio::time::timeout(WAIT, sent).await.unwrap_or_else(|_| panic!("{tool} was never answered")).text
}

/// Starts a call of the older era; its stream and the question on it.
async fn asked_older(client: &HttpClient, id: u64, tool: &str) -> (Events, Value) {
    let body = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": {} } });
    let mut events = Events::open(client.legacy_post().body(body.to_string())).await;
    let asked = events.called("elicitation/create").await;
    (events, asked)
}

async fn answer_older(client: &HttpClient, asked: &Value, outcome: &str) {
    let body = format!(r#"{{"jsonrpc":"2.0","id":{},{outcome}}}"#, asked["id"]);
    assert_eq!(HttpClient::finish(client.legacy_post().body(body)).await.status, 202);
}

/// An answer that typed decoding would not survive.
const ANSWER: &str = r#"{ "action":"accept","content":{"word":"caf\u00e9 \/","n":1.10,"big":12345678901234567890123,"b":1,"a":2},"vendor":[ 1.0 ]}"#;

#[tokio::test]
async fn answers_reach_the_server_byte_for_byte_in_all_combinations() {
    let inn = Inn::open("").await;
    let (newer, older) = (inn.newer(), inn.older().await);
    for server in SERVERS {
        let tool = format!("{server}__ask");
        let asked = asked_newer(&newer, &tool).await;
        let said: Value =
            serde_json::from_str(&answer_newer(&newer, &tool, &asked, ANSWER).await).expect("JSON");
        assert!(text(&said["result"]).contains(ANSWER), "newer client, {server}: {said}");
        let (mut events, asked) = asked_older(&older, 1, &tool).await;
        assert_eq!(asked["params"]["message"], format!("Server \"{server}\" asks: Well?"), "{server}");
        answer_older(&older, &asked, &format!("\"result\":{ANSWER}")).await;
        let said = events.answer(1).await;
        assert!(text(&said["result"]).contains(ANSWER), "older client, {server}: {said}");
    }
    inn.close();
}

#[tokio::test]
async fn the_time_a_person_takes_does_not_count() {
    let inn = Inn::open("").await;
    let (newer, older) = (inn.newer(), inn.older().await);
    let mut open = Vec::new();
    for (at, server) in SERVERS.into_iter().enumerate() {
        let tool = format!("{server}__ask");
        let asked = asked_newer(&newer, &tool).await;
        let stream = if ASKING.contains(&server) && server.starts_with("pipe") {
            // On a pipe two open questions could not be distinguished.
            None
        } else {
            Some(asked_older(&older, at as u64, &tool).await)
        };
        open.push((at as u64, server, tool, asked, stream));
    }
    // Longer than the servers' own time-out of two seconds.
    tokio::time::sleep(Duration::from_secs(4)).await;
    for (id, server, tool, asked, stream) in open {
        let said = answer_newer(&newer, &tool, &asked, ANSWER).await;
        assert!(said.contains("accept"), "newer client, {server}: {said}");
        if let Some((mut events, asked)) = stream {
            answer_older(&older, &asked, &format!("\"result\":{ANSWER}")).await;
            let said = events.answer(id).await;
            assert!(text(&said["result"]).contains("accept"), "older client, {server}: {said}");
        }
    }
    inn.close();
}

#[tokio::test]
async fn a_client_that_cannot_answer_after_all_is_passed_on_as_an_error() {
    let inn = Inn::open("").await;
    let older = inn.older().await;
    for server in ASKING {
        let (mut events, asked) = asked_older(&older, 1, &format!("{server}__ask")).await;
        answer_older(
            &older,
            &asked,
            r#""error":{"code":-1,"message":"the window was closed","data":{"n":1.10}}"#,
        )
        .await;
        let said = events.answer(1).await;
        let said = text(&said["result"]);
        assert!(
            said.contains("the window was closed") && said.contains("-1") && said.contains("1.10"),
            "{server}: {said}"
        );
    }
    for server in ["pipe-newer", "web-newer"] {
        let (mut events, asked) = asked_older(&older, 1, &format!("{server}__ask")).await;
        answer_older(&older, &asked, r#""error":{"code":-1,"message":"the window was closed"}"#).await;
        let said = events.answer(1).await;
        assert!(said.to_string().contains("the window was closed"), "{server}: {said}");
    }
    inn.close();
}

#[tokio::test]
async fn a_question_nobody_answers_is_given_up_and_the_server_told() {
    let inn = Inn::open("[limits]\ninput_wait_seconds = 1\n").await;
    let (newer, older) = (inn.newer(), inn.older().await);
    for server in ASKING {
        let tool = format!("{server}__ask");
        let (mut events, _) = asked_older(&older, 1, &tool).await;
        let said = events.answer(1).await;
        assert!(text(&said["result"]).contains("did not answer"), "{server}: the server is told: {said}");
        let asked = asked_newer(&newer, &tool).await;
        tokio::time::sleep(Duration::from_secs(2)).await;
        // Too late: the server went on without the answer.
        let said = answer_newer(&newer, &tool, &asked, ANSWER).await;
        assert!(said.contains("did not answer") || said.contains("-32602"), "{server}: {said}");
        assert!(!said.contains("12345678901234567890123"), "{server}: {said}");
        assert_eq!(
            text(&call(&newer, &format!("{server}__echo"), json!({})).await),
            format!("{} echo {{}}", inn.label)
        );
    }
    inn.close();
}

#[tokio::test]
async fn a_server_that_leaves_while_its_question_is_open_is_a_lost_call() {
    let mut inn = Inn::open("").await;
    let (newer, older) = (inn.newer(), inn.older().await);
    let lost = |server: &str, result: &Value| {
        assert_eq!(result["isError"], true, "{server}: {result}");
        assert_eq!(result["_meta"]["dev.toolgate/fault"]["code"], "server_lost", "{server}: {result}");
        assert!(text(result).contains(&format!("server \"{server}\"")), "{server}: {result}");
    };
    for server in ASKING {
        let tool = format!("{server}__ask_exit");
        let (mut events, asked) = asked_older(&older, 1, &tool).await;
        lost(server, &events.answer(1).await["result"]);
        // An answer that comes too late is ignored.
        answer_older(&older, &asked, &format!("\"result\":{ANSWER}")).await;
        back(&mut inn, server).await;
        let asked = asked_newer(&newer, &tool).await;
        gone_and_back(&mut inn, server).await;
        let said: Value =
            serde_json::from_str(&answer_newer(&newer, &tool, &asked, ANSWER).await).expect("JSON");
        lost(server, &said["result"]);
    }
    inn.close();
}

/// Waits until the server answers again.
async fn back(inn: &mut Inn, server: &str) {
    let client = inn.newer();
    let well = until_async(WAIT, || {
        inn.remotes.iter_mut().for_each(Remote::revive);
        let (client, tool) = (client.clone(), format!("{server}__echo"));
        async move { (call(&client, &tool, json!({})).await["isError"] != true).then_some(()) }
    });
    well.await.unwrap_or_else(|| panic!("{server} did not come back"));
}

/// The same for a server that still exists and is about to leave.
async fn gone_and_back(inn: &mut Inn, server: &str) {
    tokio::time::sleep(Duration::from_millis(600)).await;
    back(inn, server).await;
}

#[tokio::test]
async fn ending_a_session_ends_its_calls_at_the_server() {
    let inn = Inn::open("").await;
    let newer = inn.newer();
    for server in SERVERS {
        let older = inn.older().await;
        let cancellations = async || -> u64 {
            text(&call(&newer, &format!("{server}__cancellations"), json!({})).await)
                .parse()
                .expect("a number")
        };
        let before = cancellations().await;
        let (mut events, _) = asked_older(&older, 1, &format!("{server}__ask")).await;
        let end = older.http.delete(&older.endpoint).bearer_auth(&older.token);
        let ended =
            HttpClient::finish(end.header("mcp-session-id", older.session.clone().expect("open"))).await;
        assert_eq!(ended.status, 204, "{server}");
        while events.next().await.is_some() {}
        if ASKING.contains(&server) {
            // A server of the newer era has answered already: nothing of the call is left there.
            let seen = until_async(WAIT, || async { (cancellations().await == before + 1).then_some(()) });
            seen.await.unwrap_or_else(|| panic!("{server} was not told"));
        }
    }
    inn.close();
}
