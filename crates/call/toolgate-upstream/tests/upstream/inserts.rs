//! Requests that are written piece by piece: over every transport, with sources that fail, lie, hang or never end.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http::Response;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use toolgate_core::port::{ServerError, ServerReply, ServerRequest};
use toolgate_core::server::{InstanceId, InstanceSpec, ServerHealth, ServerSpec, TransportSpec};
use toolgate_core::{Fault, FaultKind};

use crate::fleet::{basics, definition, fleet, instance, judged, said};
use crate::keys::Pocket;
use crate::kit::{UpstreamGateway, eventually, fault_code, someone, spec, text_of};
use crate::neighbour::child;
use crate::older_http::{Sessions, pair};
use crate::source::{Content, Then, call_with};
use crate::web::{Body, Seen, Web, empty, ok, reply};

const MIB: u64 = 1 << 20;

async fn modern(on_call: impl Fn(&Seen) -> Response<Body> + Send + Sync + 'static) -> Web {
    Web::start(move |seen| {
        let response = match basics(&seen, &json!([definition("1")])) {
            Some(body) => ok(&body),
            None if seen.rpc() == "tools/call" => on_call(&seen),
            None => reply(404, &seen.error(-32601, Value::Null)),
        };
        std::future::ready(response)
    })
    .await
}

fn done(seen: &Seen) -> Response<Body> {
    said(seen, "done")
}

async fn sessions() -> (Arc<Sessions>, Web) {
    let sessions = Sessions::new(json!({"tools": {}}));
    let web = sessions.serve(done).await;
    (sessions, web)
}

/// One server of each kind behind a URL.
async fn webs() -> [Web; 3] {
    [modern(done).await, sessions().await.1, pair("/messages?session=1").await]
}

fn last_call(web: &Web) -> Seen {
    web.seen().into_iter().rfind(|seen| seen.rpc() == "tools/call").unwrap()
}

fn arguments(web: &Web) -> Value {
    last_call(web).body["params"]["arguments"].clone()
}

fn fault(outcome: Result<ServerReply, ServerError>) -> Fault {
    match outcome {
        Err(ServerError::Fault(fault)) => fault,
        other => panic!("no fault: {other:?}"),
    }
}

#[tokio::test]
async fn content_arrives_exactly_behind_every_url() {
    for web in webs().await {
        let gateway = UpstreamGateway::with(web.spec());
        let (left, right, none) = (Content::of(MIB + 7), Content::of(3), Content::of(0));
        let request = call_with("t", &[("left", &left), ("none", &none), ("right", &right)]);
        gateway.request(request, &someone()).await.unwrap();
        let expected = json!({"left": left.text(), "none": "", "right": right.text()});
        assert!(arguments(&web) == expected);
        let call = last_call(&web);
        assert_eq!(call.header("content-length"), Some(&*call.bytes.to_string()));
        assert_eq!((left.tally.opened(), right.tally.opened()), (1, 1));
        gateway.end().await;
    }
}

/// The child's report about one argument.
fn digest(content: &Content) -> Value {
    let hash = sha256(content.text().as_bytes());
    json!([content.text().len(), hash])
}

fn sha256(bytes: &[u8]) -> String {
    toolgate_core::Digest::of(bytes).to_string().trim_start_matches("sha256:").to_owned()
}

async fn digests(gateway: &UpstreamGateway, request: ServerRequest) -> Value {
    let reply = gateway.request(request, &someone()).await.unwrap();
    serde_json::from_str(&text_of(&reply)).unwrap()
}

#[tokio::test]
async fn content_arrives_exactly_at_a_child_of_either_era() {
    for kind in ["legacy", "modern"] {
        let gateway = UpstreamGateway::with(child(kind));
        let (left, right) = (Content::of(MIB + 7), Content::of(3));
        let told = digests(&gateway, call_with("digest", &[("left", &left), ("right", &right)])).await;
        assert_eq!(told, json!({"left": digest(&left), "right": digest(&right)}));
        gateway.end().await;
    }
}

#[tokio::test]
async fn lines_to_a_child_do_not_mix() {
    let gateway = UpstreamGateway::with(child("legacy"));
    gateway.recorder.healthy().await;
    let contents: Vec<Arc<Content>> = (0..8).map(|at| Content::of(200_000 + at * 1_001)).collect();
    let large = contents.iter().map(|content| digests(&gateway, call_with("digest", &[("a", content)])));
    let agent = someone();
    let small = (0..32).map(|_| gateway.text("echo", &agent));
    let (large, small) =
        tokio::join!(futures_util::future::join_all(large), futures_util::future::join_all(small));
    for (content, told) in contents.iter().zip(large) {
        assert_eq!(told, json!({"a": digest(content)}));
    }
    assert!(small.iter().all(|text| text == "echo"));
    gateway.end().await;
}

#[tokio::test]
async fn what_is_sent_is_never_held_as_a_whole() {
    let web = modern(done).await;
    let gateway = UpstreamGateway::with(web.spec());
    gateway.recorder.healthy().await;
    web.hold(true);
    let content = Content::of(256 * MIB);
    let call = tokio::spawn(gateway.request(call_with("t", &[("a", &content)]), &someone()));
    eventually("the sockets to be full", || content.tally.given() > 4 * MIB).await;
    let before = Cell::new(0);
    // A reader that reads ahead continues; one that waits for the server has stopped by the second check.
    eventually("the source to be left alone", || {
        before.replace(content.tally.given()) == content.tally.given()
    })
    .await;
    assert!(content.tally.given() < 64 * MIB, "{}", content.tally.given());
    web.hold(false);
    call.await.unwrap().unwrap();
    assert_eq!(content.tally.given(), 256 * MIB);
    assert!(last_call(&web).bytes as u64 > 256 * MIB);
    assert!(content.tally.held_max() < 2 * MIB, "{}", content.tally.held_max());
    gateway.end().await;
}

#[tokio::test]
async fn what_a_child_is_sent_is_never_held_as_a_whole() {
    let gateway = UpstreamGateway::with(child("legacy"));
    let content = Content::of(64 * MIB);
    let reply = gateway.request(call_with("digest", &[("a", &content)]), &someone()).await.unwrap();
    assert!(text_of(&reply).contains("67108864"));
    assert!(content.tally.held_max() < MIB, "{}", content.tally.held_max());
    gateway.end().await;
}

#[tokio::test]
async fn a_source_that_breaks_off_fails_its_call_in_its_own_words() {
    for web in webs().await {
        let gateway = UpstreamGateway::with(web.spec());
        let before = web.count("tools/call");
        let content = Content::odd(10 * MIB, 5 * MIB, Then::Fail);
        let fault = fault(gateway.request(call_with("t", &[("a", &content)]), &someone()).await);
        assert_eq!(
            (fault.to_string().as_str(), fault.kind.code().name),
            ("the disk is on fire", "content_unread")
        );
        assert!(fault.kind.safe_to_retry() && fault.hint().contains("did not run"));
        web.until_broken(1).await;
        assert_eq!((content.tally.opened(), web.count("tools/call")), (1, before));
        gateway.call("t", "{}", &someone()).await.unwrap();
        gateway.end().await;
    }
}

#[tokio::test]
async fn a_source_that_cannot_be_opened_costs_no_request() {
    for web in webs().await {
        let gateway = UpstreamGateway::with(web.spec());
        gateway.recorder.healthy().await;
        // The caller's session is open after the first call.
        gateway.call("t", "{}", &someone()).await.unwrap();
        let content = Content::odd(10, 0, Then::Fail);
        let outcome = gateway.request(call_with("t", &[("a", &content)]), &someone()).await;
        assert_eq!(fault_code(outcome.unwrap_err()), "content_unread");
        gateway.call("t", "{}", &someone()).await.unwrap();
        assert_eq!((web.count("tools/call"), web.broken()), (2, 0));
        gateway.end().await;
    }
}

#[tokio::test]
async fn a_source_that_gives_another_size_than_it_announced_is_not_sent_as_if_it_was_whole() {
    let web = modern(done).await;
    for spec in [web.spec(), child("legacy")] {
        let gateway = UpstreamGateway::with(spec);
        for (announced, given, words) in [
            (500_000, 499_999, "the content ended after 499999 of the 500000 bytes it was said to have"),
            (500_000, 500_001, "the content is larger than the 500000 bytes it was said to have"),
        ] {
            let content = Content::odd(announced, given, Then::End);
            let request = call_with("digest", &[("a", &content)]);
            assert_eq!(fault(gateway.request(request, &someone()).await).to_string(), words);
        }
        gateway.end().await;
    }
    assert_eq!(web.count("tools/call"), 0);
}

fn broken_off(stderr: &[String]) -> usize {
    stderr.iter().filter(|line| *line == "notifications/toolgate/broken_off").count()
}

#[tokio::test]
async fn a_source_that_breaks_off_in_a_line_costs_the_child_and_other_calls_nothing() {
    for kind in ["legacy", "modern"] {
        let gateway = UpstreamGateway::with(child(kind));
        let pid = gateway.recorder.healthy().await.pid;
        let other = tokio::spawn(gateway.call("hang", "{}", &someone()));
        let content = Content::odd(MIB, 500_000, Then::Fail);
        let second = Content::odd(10, 5, Then::Fail);
        let first = Content::of(10);
        for request in
            [call_with("digest", &[("a", &content)]), call_with("digest", &[("a", &first), ("b", &second)])]
        {
            let fault = fault(gateway.request(request, &someone()).await);
            assert_eq!(fault.to_string(), "the disk is on fire");
        }
        assert_eq!(gateway.text("echo", &someone()).await, "echo");
        // Nothing was written of a source that could not be opened.
        gateway.recorder.until("both broken lines", |told| broken_off(&told.stderr) == 2).await;
        assert!(!other.is_finished());
        other.abort();
        assert_eq!(gateway.recorder.healthy().await.pid, pid);
        gateway.end().await;
    }
}

#[tokio::test]
async fn a_source_that_hangs_is_given_up_when_the_call_is_over_and_others_go_on() {
    let limit = Duration::from_millis(600);
    let gateway = UpstreamGateway::with(ServerSpec { timeout: limit, ..child("legacy") });
    gateway.recorder.healthy().await;
    let content = Content::odd(MIB, 500_000, Then::Hang);
    let hanging = tokio::spawn(gateway.request(call_with("digest", &[("a", &content)]), &someone()));
    eventually("the line to hang", || content.tally.given() == 500_000).await;
    let fault = fault(hanging.await.unwrap());
    assert_eq!(fault.to_string(), "the content to send could not be read within 0.6 s");
    assert_eq!(gateway.text("echo", &someone()).await, "echo");
    let told = gateway.recorder.until("the broken line", |told| broken_off(&told.stderr) == 1).await;
    assert!(told.stderr.iter().all(|line| !line.starts_with("cancelled")), "of what never was");
    gateway.end().await;
}

#[tokio::test]
async fn a_call_that_is_dropped_in_its_line_ends_the_line() {
    let gateway = UpstreamGateway::with(child("legacy"));
    gateway.recorder.healthy().await;
    let content = Content::odd(MIB, 500_000, Then::Hang);
    let hanging = tokio::spawn(gateway.request(call_with("digest", &[("a", &content)]), &someone()));
    eventually("the line to hang", || content.tally.given() == 500_000).await;
    let behind = tokio::spawn(gateway.call("echo", "{}", &someone()));
    hanging.abort();
    assert_eq!(text_of(&behind.await.unwrap().unwrap()), "echo");
    gateway.recorder.until("the broken line", |told| broken_off(&told.stderr) == 1).await;
    gateway.end().await;
}

#[tokio::test]
async fn a_source_that_hangs_behind_a_url_is_given_up_when_the_call_is_over() {
    for web in webs().await {
        let gateway = UpstreamGateway::with(ServerSpec { timeout: Duration::from_millis(600), ..web.spec() });
        gateway.recorder.healthy().await;
        let content = Content::odd(MIB, 500_000, Then::Hang);
        let fault = fault(gateway.request(call_with("t", &[("a", &content)]), &someone()).await);
        assert!(matches!(fault.kind, FaultKind::Unread { .. }), "{fault}");
        web.until_broken(1).await;
        gateway.end().await;
        assert_eq!(web.count("notifications/cancelled"), 0, "of what never was");
    }
}

#[tokio::test]
async fn a_server_that_does_not_read_has_taken_too_long() {
    let web = modern(done).await;
    let gateway = UpstreamGateway::with(ServerSpec { timeout: Duration::from_millis(600), ..web.spec() });
    gateway.recorder.healthy().await;
    web.hold(true);
    let request = call_with("t", &[("a", &Content::of(256 * MIB))]);
    assert_eq!(fault_code(gateway.request(request, &someone()).await.unwrap_err()), "server_timeout");
    gateway.end().await;
}

#[tokio::test]
async fn a_session_that_is_opened_again_gets_the_content_again() {
    let (sessions, web) = sessions().await;
    let gateway = UpstreamGateway::with(web.spec());
    gateway.call("t", "{}", &someone()).await.unwrap();
    sessions.forget_all();
    let content = Content::of(300_000);
    gateway.request(call_with("t", &[("a", &content)]), &someone()).await.unwrap();
    assert_eq!(content.tally.opened(), 2);
    assert!(arguments(&web) == json!({"a": content.text()}));
    gateway.end().await;
}

#[tokio::test]
async fn a_token_that_is_replaced_sends_the_content_again() {
    let web = Web::start(|seen| {
        let is_old = seen.header("authorization") == Some("Bearer old");
        let response = match basics(&seen, &json!([definition("1")])) {
            Some(body) => ok(&body),
            None if is_old => empty(401),
            None => done(&seen),
        };
        std::future::ready(response)
    })
    .await;
    let keyring = Pocket::with_tokens(&["old", "new"]);
    let gateway = UpstreamGateway::with_keyring(spec(TransportSpec::http(web.url(), [].into())), keyring);
    let content = Content::of(300_000);
    gateway.request(call_with("t", &[("a", &content)]), &someone()).await.unwrap();
    assert_eq!((content.tally.opened(), web.count("tools/call")), (2, 2));
    assert!(arguments(&web) == json!({"a": content.text()}));
    gateway.end().await;
}

/// The behaviour of a server when a large request begins.
#[derive(Clone, Copy)]
enum Abrupt {
    HangsUp,
    /// And reads nothing more.
    Answers(&'static str),
    AnswersAndHangsUp(&'static str),
}

const REFUSAL: &str = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 8\r\n\r\ntoo much";

/// A server that does not wait for the end of a request.
async fn abrupt(abrupt: Abrupt) -> (ServerSpec, Arc<AtomicUsize>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = connections.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(serve_abruptly(stream, abrupt));
        }
    });
    (spec(TransportSpec::http(url, [].into())), connections)
}

async fn serve_abruptly(mut stream: tokio::net::TcpStream, abrupt: Abrupt) -> std::io::Result<()> {
    let mut buffer = Vec::new();
    loop {
        let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") else {
            if stream.read_buf(&mut buffer).await? == 0 {
                return Ok(());
            }
            continue;
        };
        let head = String::from_utf8_lossy(&buffer[..end]).to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or("0");
        let length: usize = length.parse().unwrap();
        if length > 1_000_000 {
            return match abrupt {
                Abrupt::HangsUp => Ok(()),
                Abrupt::AnswersAndHangsUp(answer) => stream.write_all(answer.as_bytes()).await,
                Abrupt::Answers(answer) => {
                    stream.write_all(answer.as_bytes()).await?;
                    std::future::pending().await
                }
            };
        }
        while buffer.len() < end + 4 + length {
            stream.read_buf(&mut buffer).await?;
        }
        let body: Value = serde_json::from_slice(&buffer[end + 4..end + 4 + length]).unwrap_or_default();
        buffer.drain(..end + 4 + length);
        let answer = answer_to(&body).to_string();
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            answer.len()
        );
        stream.write_all(format!("{head}{answer}").as_bytes()).await?;
    }
}

fn answer_to(body: &Value) -> Value {
    let result = match body["method"].as_str().unwrap_or_default() {
        "server/discover" => json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
        }),
        "tools/list" => json!({"resultType": "complete", "tools": [definition("1")]}),
        _ => json!({"resultType": "complete", "content": [{"type": "text", "text": "done"}]}),
    };
    json!({"jsonrpc": "2.0", "id": body["id"], "result": result})
}

#[tokio::test]
async fn an_answer_before_the_end_of_the_request_is_heard_and_its_connection_not_used_again() {
    let (spec, connections) = abrupt(Abrupt::Answers(REFUSAL)).await;
    let gateway = UpstreamGateway::with(spec);
    gateway.recorder.healthy().await;
    let before = connections.load(Ordering::SeqCst);
    let content = Content::of(256 * MIB);
    let outcome = gateway.request(call_with("t", &[("a", &content)]), &someone()).await;
    assert_eq!(fault(outcome).to_string(), "server \"neighbour\" answered with HTTP status 413: too much");
    assert!(content.tally.given() < 64 * MIB, "nobody wanted the rest");
    assert_eq!(gateway.text("t", &someone()).await, "done");
    assert!(connections.load(Ordering::SeqCst) > before);
    gateway.end().await;
}

#[tokio::test]
async fn a_server_that_hangs_up_in_the_request_has_run_nothing() {
    for what in [Abrupt::HangsUp, Abrupt::AnswersAndHangsUp(REFUSAL)] {
        let gateway = UpstreamGateway::with(abrupt(what).await.0);
        gateway.recorder.healthy().await;
        let fault =
            fault(gateway.request(call_with("t", &[("a", &Content::of(64 * MIB))]), &someone()).await);
        let code = fault.kind.code().name;
        assert!(["server_down", "server_refused"].contains(&code), "{fault}");
        gateway.end().await;
    }
}

#[tokio::test]
async fn an_instance_that_hangs_up_in_the_request_leaves_it_to_another() {
    let (bad, _) = abrupt(Abrupt::HangsUp).await;
    let good = instance("good", "1").await;
    let mut spec = fleet(&[("good", &good)]);
    let (TransportSpec::Http { instances, .. }, TransportSpec::Http { instances: bad, .. }) =
        (&mut spec.transport, bad.transport)
    else {
        unreachable!()
    };
    let bad_one = InstanceSpec { id: InstanceId::new("bad").unwrap(), ..bad[0].clone() };
    instances.insert(0, bad_one);
    let gateway = UpstreamGateway::with(spec);
    gateway
        .recorder
        .until("both", |told| {
            told.states.last().is_some_and(|state| {
                state.instances.iter().filter(|one| one.health == ServerHealth::Healthy).count() == 2
            })
        })
        .await;
    let mut opened = 0;
    while opened < 2 {
        // More than sockets hold: of a message that they took whole it is unknown whether it arrived.
        let content = Content::of(32 * MIB);
        let request =
            ServerRequest { tool: Some(Arc::new(judged("1"))), ..call_with("t", &[("a", &content)]) };
        assert_eq!(text_of(&gateway.request(request, &someone()).await.unwrap()), "good");
        opened = content.tally.opened();
    }
    gateway.end().await;
}
