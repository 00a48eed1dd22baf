//! Servers that misbehave. The caller gets a helpful error that names the server, within the timeout;
//! everyone else is served normally; a recovered server is used again; memory stays bounded; no process is
//! left.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolgate_testkit::gateway::{Gateway, HttpClient, until, until_async};

use crate::doors::{Events, WAIT, Wire, memory_peak_kib, modern_meta};
use crate::kit::{
    Remote, call, child, label, listed, listed_within, names, nothing_left, processes, remote, text,
};
use crate::{boot, conforming};

/// The timeout of servers in these tests, and the margin for a busy machine.
const TIMEOUT: Duration = Duration::from_secs(2);
const SLACK: Duration = Duration::from_secs(2);
/// The maximum time of a healthy server while another one misbehaves: less than any wait for that one, on a
/// busy machine too.
const UNDISTURBED: Duration = Duration::from_millis(1_900);

/// For slow operations that succeed: 200 MiB on a busy machine.
const LONG_TIMEOUT: Duration = Duration::from_secs(15);

/// Four servers may send 2 MiB each, which is held a few times over while it is read; 200 MiB would show.
const MEMORY_GROWN_KIB_MAX: u64 = 40 << 10;

/// Agents get every tool, at any cost.
const ALL_LISTED: &str = "[[agents]]\nname = \"default\"\ntoken_budget = \"off\"\n";

/// The four ways to reach a server.
const BAD: [&str; 4] = ["pipe-older", "pipe-newer", "web-older", "web-newer"];

fn era(server: &str) -> &'static str {
    if server.ends_with("older") { "legacy" } else { "modern" }
}

/// A gateway with one bad neighbour of each kind and a good one.
struct Street {
    gateway: Option<Gateway>,
    remotes: Vec<Remote>,
    label: String,
}

impl Street {
    fn open(word: &str, limits: &str, args: &[&str]) -> Self {
        Self::open_with(TIMEOUT, word, limits, args)
    }

    fn open_with(timeout: Duration, word: &str, limits: &str, args: &[&str]) -> Self {
        let label = label(word);
        let mut toml = format!("{limits}\n{}", conforming("good", &[]));
        let mut remotes = Vec::new();
        for name in BAD {
            let args = [&["--era", era(name), "--label", &label][..], args].concat();
            let entry = if name.starts_with("pipe") {
                child(name, "bad-neighbour", &args)
            } else {
                remotes.push(Remote::start("bad-neighbour", &args));
                remote(name, &remotes.last().expect("just pushed").url)
            };
            toml.push_str(&entry);
            toml.push_str(&format!("timeout_seconds = {}\nconnect_timeout_seconds = 2\n", timeout.as_secs()));
        }
        Self { gateway: Some(boot(&toml)), remotes, label }
    }

    fn gateway(&self) -> &Gateway {
        self.gateway.as_ref().expect("open")
    }

    async fn all_listed(&self) {
        listed(self.gateway(), "good__echo").await;
        for name in BAD {
            listed(self.gateway(), &format!("{name}__echo")).await;
        }
    }

    /// Ended servers are started again from outside; the gateway finds them.
    async fn recovers(&mut self) {
        let client = self.gateway().client();
        for name in BAD {
            let tool = format!("{name}__echo");
            let well = until_async(WAIT, || {
                // A process that was just reported as ended may take a moment to be gone.
                self.remotes.iter_mut().for_each(Remote::revive);
                let request = client.modern_request(1, "tools/call", json!({"name": tool, "arguments": {}}));
                let label = self.label.clone();
                async move {
                    let response = HttpClient::finish(request).await.response();
                    (response["result"]["content"][0]["text"].as_str()?.starts_with(&label)).then_some(())
                }
            });
            well.await.unwrap_or_else(|| panic!("{name} did not come back"));
        }
    }

    fn close(mut self) {
        drop(self.gateway.take());
        self.remotes.clear();
        nothing_left(&self.label);
    }
}

/// The good server, called repeatedly until `done`; returns the slowest call.
async fn good_calls(client: &HttpClient, done: impl Future) -> Duration {
    let mut slowest = Duration::ZERO;
    let mut done = std::pin::pin!(done);
    loop {
        let began = Instant::now();
        let result = call(client, "good__echo", json!({"text": "well"})).await;
        assert_eq!(text(&result), "well");
        slowest = slowest.max(began.elapsed());
        tokio::select! {
            _ = &mut done => return slowest,
            () = tokio::time::sleep(Duration::from_millis(20)) => {}
        }
    }
}

#[derive(Clone, Copy)]
enum Expected {
    /// The call fails with this code.
    Fault(&'static str),
    /// The call fails with one of these codes.
    Either(&'static str, &'static str),
    /// The gateway sees through it and the call succeeds.
    Answer,
}
use Expected::{Answer, Either, Fault};

/// Calls one tool of every bad neighbour at once, while the good one is used.
async fn suffer(tool: &str, pipe: Expected, web: Expected) {
    suffer_for(TIMEOUT, tool, pipe, web).await;
}

async fn suffer_for(timeout: Duration, tool: &str, pipe: Expected, web: Expected) {
    let mut street = Street::open_with(timeout, tool, "[limits]\nresult_bytes_max = \"2MiB\"\n", &[]);
    street.all_listed().await;
    let memory_before = memory_peak_kib(street.gateway().pid());
    let client = street.gateway().client();
    let calls = BAD.map(|name| {
        let (client, tool) = (client.clone(), format!("{name}__{tool}"));
        tokio::spawn(async move {
            let began = Instant::now();
            (call(&client, &tool, json!({})).await, began.elapsed())
        })
    });
    let mut outcomes = Vec::new();
    let slowest = good_calls(&client, async {
        for one in calls {
            outcomes.push(one.await.expect("the call ends with a result"));
        }
    });
    let slowest = slowest.await;
    let memory_grown = memory_peak_kib(street.gateway().pid()).saturating_sub(memory_before);
    for (name, (result, took)) in BAD.iter().zip(&outcomes) {
        check(name, if name.starts_with("pipe") { pipe } else { web }, result);
        assert!(*took < timeout + SLACK, "{name} took {took:?}");
    }
    assert!(slowest < UNDISTURBED, "the good server took {slowest:?} meanwhile");
    assert!(memory_grown < MEMORY_GROWN_KIB_MAX, "memory grew by {memory_grown} KiB");
    street.recovers().await;
    street.close();
}

fn check(name: &str, expected: Expected, result: &Value) {
    match expected {
        Answer => assert_eq!((result.get("isError"), text(result)), (None, "after all"), "{name}"),
        Fault(code) => check_fault(name, &[code], result),
        Either(one, other) => check_fault(name, &[one, other], result),
    }
}

fn check_fault(name: &str, codes: &[&str], result: &Value) {
    assert_eq!(result["isError"], true, "{name}: {result}");
    let said = text(result);
    assert!(said.contains(&format!("server \"{name}\"")), "{name} is not named: {said}");
    assert!(said.contains("\nhint: "), "{name}: no hint: {said}");
    let fault = &result["_meta"]["dev.toolgate/fault"];
    assert!(codes.iter().any(|code| fault["code"] == *code), "{name}: {codes:?} {result}");
    assert_eq!((&fault["server"], &fault["fault"]), (&json!(name), &json!("server")), "{name}");
    assert!(fault["hint"].is_string() && fault["retry"].is_boolean(), "{name}: {result}");
}

#[tokio::test]
async fn a_server_that_hangs_is_given_up_after_its_time() {
    suffer("hang", Fault("server_timeout"), Fault("server_timeout")).await;
}

#[tokio::test]
async fn half_an_answer_is_no_answer() {
    // On a pipe the server's next answer, to any question, ends the half one: then it is recognised before
    // the time is over.
    suffer("half", Either("server_timeout", "server_garbled"), Fault("server_timeout")).await;
}

#[tokio::test]
async fn half_an_answer_and_the_end_of_the_process_is_a_lost_call() {
    suffer("half_exit", Fault("server_lost"), Fault("server_lost")).await;
}

#[tokio::test]
async fn an_answer_to_a_request_nobody_made_answers_nothing() {
    suffer("stranger", Fault("server_timeout"), Fault("server_garbled")).await;
}

#[tokio::test]
async fn a_second_answer_changes_nothing() {
    suffer("twice", Answer, Answer).await;
}

#[tokio::test]
async fn a_flood_of_notifications_drowns_nobody() {
    // One after the other: each of these writes as fast as a processor can.
    let mut street = Street::open("flood", "", &[]);
    street.all_listed().await;
    let memory_before = memory_peak_kib(street.gateway().pid());
    let client = street.gateway().client();
    for name in BAD {
        let began = Instant::now();
        let flood = tokio::spawn({
            let client = client.clone();
            async move { call(&client, &format!("{name}__flood"), json!({})).await }
        });
        let mut result = Value::Null;
        let slowest =
            good_calls(&client, async { result = flood.await.expect("the call ends with a result") }).await;
        check(name, Fault("server_timeout"), &result);
        assert!(began.elapsed() < TIMEOUT + SLACK, "{name} took {:?}", began.elapsed());
        assert!(slowest < UNDISTURBED, "the good server took {slowest:?} while {name} flooded");
    }
    let memory_grown = memory_peak_kib(street.gateway().pid()).saturating_sub(memory_before);
    assert!(memory_grown < MEMORY_GROWN_KIB_MAX, "memory grew by {memory_grown} KiB");
    street.recovers().await;
    street.close();
}

#[tokio::test]
async fn fifty_mebibytes_are_refused_and_not_collected() {
    suffer_for(LONG_TIMEOUT, "huge", Fault("result_too_large"), Fault("result_too_large")).await;
}

#[tokio::test]
async fn fifty_mebibytes_in_one_event_are_refused_and_not_collected() {
    suffer_for(LONG_TIMEOUT, "huge_event", Fault("result_too_large"), Fault("result_too_large")).await;
}

#[tokio::test]
async fn a_server_that_exits_in_a_call_loses_it() {
    suffer("exit", Fault("server_lost"), Fault("server_lost")).await;
}

#[tokio::test]
async fn garbage_before_the_answer_is_skipped_on_a_pipe_and_no_answer_on_the_web() {
    suffer("garbage", Answer, Fault("server_garbled")).await;
}

#[tokio::test]
async fn an_answer_with_neither_result_nor_error_breaks_the_protocol() {
    suffer("shapeless", Fault("server_garbled"), Fault("server_garbled")).await;
}

#[tokio::test]
async fn a_lot_of_standard_error_does_no_harm() {
    suffer_for(LONG_TIMEOUT, "chatter", Answer, Answer).await;
}

#[tokio::test]
async fn a_grandchild_ends_with_the_gateway() {
    suffer("grandchild", Answer, Answer).await;
}

/// The misdeeds that only HTTP allows, all of them at once.
#[tokio::test]
async fn broken_http_is_told_apart_and_harms_nobody() {
    let cases = [
        ("status_500", "server_refused", "500"),
        ("status_401", "server_unauthorized", "401"),
        ("redirect", "server_refused", "307"),
        ("wrong_type", "server_garbled", ""),
        ("cut", "server_lost", ""),
        ("loris", "server_timeout", ""),
        ("short", "server_garbled", ""),
    ];
    let mut street = Street::open("http", "", &[]);
    street.all_listed().await;
    let client = street.gateway().client();
    let mut calls = Vec::new();
    for (tool, code, says) in cases {
        for name in ["web-older", "web-newer"] {
            let client = client.clone();
            calls.push((
                name,
                code,
                says,
                tokio::spawn(async move {
                    let began = Instant::now();
                    (call(&client, &format!("{name}__{tool}"), json!({})).await, began.elapsed())
                }),
            ));
        }
    }
    let mut problems = Vec::new();
    let slowest = good_calls(&client, async {
        for (name, code, says, one) in calls {
            let (result, took) = one.await.expect("the call ends with a result");
            let fits = result["_meta"]["dev.toolgate/fault"]["code"] == code && took < TIMEOUT + SLACK;
            if !fits
                || !text(&result).contains(says)
                || !text(&result).contains(&format!("server \"{name}\""))
            {
                problems.push(format!("{name}, expected {code} {says}: {result} after {took:?}"));
            }
        }
    });
    let slowest = slowest.await;
    assert!(problems.is_empty(), "{problems:#?}");
    assert!(slowest < UNDISTURBED, "the good server took {slowest:?} meanwhile");
    street.recovers().await;
    street.close();
}

#[tokio::test]
async fn an_older_client_gets_the_same_errors() {
    let mut street = Street::open("older-client", "", &[]);
    street.all_listed().await;
    let mut client = street.gateway().client();
    client.initialize("2025-11-25").await;
    for name in BAD {
        let answer =
            client.legacy(1, "tools/call", json!({"name": format!("{name}__exit"), "arguments": {}})).await;
        check(name, Fault("server_lost"), &answer.result());
    }
    street.recovers().await;
    street.close();
}

/// Waits until `servers show` contains a word about a server. The record of servers is written now and then.
fn shown(gateway: &Gateway, server: &str, word: &str) {
    let show =
        || String::from_utf8_lossy(&gateway.cli(&["--json", "servers", "show", server]).stdout).into_owned();
    let said = until(WAIT, || show().contains(word).then_some(()));
    assert!(said.is_some(), "{server} does not say {word:?}: {}", show());
}

/// Servers that are bad from the start, until a file changes that.
async fn bad_start(word: &str, args: &[&str], limits: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let well = folder.path().join("well");
    let args = [args, &["--well-once", well.to_str().expect("text")]].concat();
    let mut street = Street::open(word, limits, &args);
    let client = street.gateway().client();
    let began = Instant::now();
    let seen = names(&client).await;
    assert!(began.elapsed() < Duration::from_secs(7), "the first list took {:?}", began.elapsed());
    assert!(seen.contains(&"good__echo".to_owned()), "{seen:?}");
    let slowest = good_calls(&client, tokio::time::sleep(TIMEOUT + SLACK)).await;
    assert!(slowest < UNDISTURBED, "the good server took {slowest:?} meanwhile");
    for name in BAD {
        shown(street.gateway(), name, "degraded");
    }
    std::fs::write(&well, "").expect("the file can be written");
    for name in BAD {
        listed(street.gateway(), &format!("{name}__echo")).await;
    }
    street.recovers().await;
    street.close();
}

#[tokio::test]
async fn servers_that_never_answer_the_opening_hold_up_nobody() {
    bad_start("never-opens", &["--start", "hang"], "").await;
}

#[tokio::test]
async fn servers_that_leave_as_soon_as_they_are_spoken_to_hold_up_nobody() {
    bad_start("leaves", &["--start", "exit"], "").await;
}

#[tokio::test]
async fn servers_that_never_list_hold_up_nobody() {
    bad_start("never-lists", &["--list", "hang"], "").await;
}

#[tokio::test]
async fn servers_whose_list_is_no_list_hold_up_nobody() {
    bad_start("shapeless-list", &["--list", "shapeless"], "").await;
}

#[tokio::test]
async fn garbage_on_a_pipe_before_the_opening_is_skipped() {
    let label = label("banner");
    let toml = ["legacy", "modern"]
        .map(|era| child(era, "bad-neighbour", &["--era", era, "--start", "garbage", "--label", &label]));
    let gateway = boot(&toml.concat());
    for era in ["legacy", "modern"] {
        listed(&gateway, &format!("{era}__echo")).await;
        assert!(text(&call(&gateway.client(), &format!("{era}__echo"), json!({})).await).starts_with(&label));
    }
    drop(gateway);
    nothing_left(&label);
}

#[tokio::test]
async fn a_list_without_end_is_cut_short_and_said_so() {
    let street = Street::open("endless", "[limits]\nupstream_pages_max = 20\n", &["--list", "endless"]);
    for name in BAD {
        listed(street.gateway(), &format!("{name}__page_19")).await;
    }
    let seen = names(&street.gateway().client()).await;
    assert!(!seen.contains(&"pipe-older__page_20".to_owned()), "{seen:?}");
    shown(street.gateway(), "web-newer", "upstream_pages_max");
    street.close();
}

#[tokio::test]
async fn a_list_that_repeats_itself_is_read_once() {
    let street = Street::open("repeats", "", &["--list", "repeat"]);
    for name in BAD {
        listed(street.gateway(), &format!("{name}__page_1")).await;
    }
    let seen = names(&street.gateway().client()).await;
    for name in BAD {
        let own = seen.iter().filter(|tool| tool.starts_with(name)).count();
        assert_eq!(own, 2, "{name}: {seen:?}");
    }
    street.close();
}

#[tokio::test]
async fn five_thousand_tools_are_listed_and_called() {
    let street = Street::open("bulk", ALL_LISTED, &["--bulk", "5000", "--page-size", "700"]);
    // Parsing this many takes a while in an unoptimised build.
    for name in BAD {
        listed_within(3 * WAIT, street.gateway(), &format!("{name}__bulk_04999")).await;
    }
    let client = street.gateway().client();
    let began = Instant::now();
    assert!(names(&client).await.len() > 20_000);
    assert!(began.elapsed() < Duration::from_secs(5), "the list took {:?}", began.elapsed());
    let result = call(&client, "web-newer__bulk_02500", json!({})).await;
    assert!(text(&result).contains("bulk_02500"), "{result}");
    street.close();
}

#[tokio::test]
async fn thousands_of_tools_are_searched_unless_a_whole_list_is_wanted() {
    let street = Street::open("bulk-search", "", &["--bulk", "1000"]);
    let client = street.gateway().client();
    let searched = until_async(WAIT, || async {
        (names(&client).await == ["call_tool", "describe_tools", "search_tools"]).then_some(())
    });
    searched.await.unwrap_or_else(|| panic!("the list is cheap"));
    for name in BAD {
        let tool = format!("{name}__bulk_00999");
        let there = until_async(WAIT, || async {
            let params = json!({ "name": tool, "arguments": {} });
            client.modern("tools/call", params).await.response().get("result").cloned()
        });
        let result = there.await.unwrap_or_else(|| panic!("{tool} cannot be called though it is not listed"));
        assert!(text(&result).contains("bulk_00999"), "{result}");
    }
    street.close();
}

#[tokio::test]
async fn tools_that_change_later_are_announced_and_listed() {
    let street = Street::open("change", "", &[]);
    street.all_listed().await;
    let client = street.gateway().client();
    let params = json!({"notifications": {"toolsListChanged": true}});
    let mut newer = Events::open(client.modern_request(7, "subscriptions/listen", params)).await;
    newer.called("notifications/subscriptions/acknowledged").await;
    let mut older = client.clone();
    older.initialize("2025-11-25").await;
    let get = older.http.get(&older.endpoint).bearer_auth(&older.token).header("accept", "text/event-stream");
    let mut pushed = Events::open(get.header("mcp-session-id", older.session.clone().expect("open"))).await;
    for name in BAD {
        call(&client, &format!("{name}__change"), json!({})).await;
        let news = newer.called("notifications/tools/list_changed").await;
        assert_eq!(news["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 7, "{name}");
        pushed.called("notifications/tools/list_changed").await;
        let added = format!("{name}__added_0");
        assert!(names(&client).await.contains(&added), "{name}: the list is new when the news come");
        assert!(text(&call(&client, &added, json!({})).await).contains("added_0"), "{name}");
    }
    street.close();
}

#[tokio::test]
async fn what_a_server_offered_stays_listed_while_it_is_gone_even_over_a_restart() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let well = folder.path().join("well");
    std::fs::write(&well, "").expect("the file can be written");
    let mut street =
        Street::open("gone", "", &["--start", "exit", "--well-once", well.to_str().expect("text")]);
    street.all_listed().await;
    let before = names(&street.gateway().client()).await;
    std::fs::remove_file(&well).expect("it is there");
    street.gateway = street.gateway.take().map(|gateway| gateway.restart(false));
    let client = street.gateway().client();
    assert_eq!(names(&client).await, before);
    for name in BAD {
        let began = Instant::now();
        let result = call(&client, &format!("{name}__echo"), json!({})).await;
        check(name, Fault("server_down"), &result);
        assert!(began.elapsed() < TIMEOUT + SLACK, "{name} took {:?}", began.elapsed());
    }
    std::fs::write(&well, "").expect("the file can be written");
    street.recovers().await;
    street.close();
}

#[tokio::test]
async fn a_killed_gateway_leaves_no_process_behind() {
    let mut street = Street::open("killed", "", &[]);
    street.all_listed().await;
    let client = street.gateway().client();
    for name in ["pipe-older", "pipe-newer"] {
        assert_eq!(text(&call(&client, &format!("{name}__grandchild"), json!({})).await), "after all");
    }
    street.remotes.clear();
    assert_eq!(processes(&street.label).len(), 4, "two children and two grandchildren");
    toolgate_testkit::gateway::signal("-KILL", street.gateway().pid());
    nothing_left(&street.label);
    street.close();
}

#[tokio::test]
async fn a_client_that_does_not_read_costs_a_bounded_amount() {
    let street = Street::open_with(LONG_TIMEOUT, "unread", "", &[]);
    street.all_listed().await;
    let gateway = street.gateway();
    let before = memory_peak_kib(gateway.pid());
    let mut wires = Vec::new();
    for name in ["web-newer", "pipe-newer"] {
        let mut meta = modern_meta(&json!({}));
        meta["io.modelcontextprotocol/logLevel"] = "debug".into();
        let tool = format!("{name}__flood");
        let params = json!({ "name": tool, "arguments": {}, "_meta": meta });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
        let mut wire = Wire::open(gateway).await;
        wire.send(&format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n\
             Mcp-Name: {tool}\r\nContent-Length: {}\r\n\r\n{body}",
            gateway.agent,
            body.len()
        ))
        .await;
        wires.push(wire);
    }
    let slowest = good_calls(&gateway.client(), tokio::time::sleep(Duration::from_secs(3))).await;
    assert!(slowest < UNDISTURBED, "the good server took {slowest:?} meanwhile");
    let grown = memory_peak_kib(gateway.pid()).saturating_sub(before);
    assert!(grown < MEMORY_GROWN_KIB_MAX, "memory grew by {grown} KiB");
    drop(wires);
    street.close();
}
