//! Servers of the newer era behind a URL.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::StreamExt;
use http::Response;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use toolgate_core::port::{InputAnswers, ServerError, ServerReply, Servers};
use toolgate_core::server::{Era, ServerHealth, ServerSpec, TransportSpec};
use toolgate_core::{MessageLimits, RawJson};

use crate::kit::{
    Agent, UpstreamGateway, call_of, eventually, fault_code, name, result_of, someone, spec, text_of,
};
use crate::web::{Body, Seen, Web, empty, event, event_stream, events, ok, reply, text};

/// The basic answers of every server of the newer era.
fn basics(seen: &Seen) -> Option<Value> {
    let result = match seen.rpc() {
        "server/discover" => json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
            "ttlMs": 0, "cacheScope": "private",
        }),
        "tools/list" => json!({"resultType": "complete", "tools": [{"name": "t", "inputSchema": {}}]}),
        _ => return None,
    };
    Some(seen.result(result))
}

async fn modern(on_call: impl Fn(&Seen) -> Response<Body> + Send + Sync + 'static) -> Web {
    Web::start(move |seen| {
        let response = match basics(&seen) {
            Some(body) => ok(&body),
            None if seen.rpc() == "tools/call" => on_call(&seen),
            None => reply(404, &seen.error(-32601, Value::Null)),
        };
        std::future::ready(response)
    })
    .await
}

fn done(seen: &Seen) -> Response<Body> {
    ok(&seen.result(json!({"resultType": "complete", "content": []})))
}

#[tokio::test]
async fn a_modern_server_is_found_and_every_request_carries_its_context() {
    let web = modern(done).await;
    let gateway = UpstreamGateway::with(web.spec());
    let state = gateway.recorder.healthy().await;
    assert_eq!((state.era, state.transport), (Some(Era::Modern), Some("streamable-http")));
    let caller = Agent {
        capabilities: RawJson::from_composed(r#"{"sampling":{}}"#.into()),
        wants_progress: true,
        ..Agent::new("a", 1)
    };
    let mut request = call_of("t", r#"{"a":1}"#);
    request.name = Some("Grüße".into());
    request.meta = r#""traceparent":"00-a""#.into();
    request.param_headers = vec![("Mcp-Param-Region".into(), "us-west1".into())];
    let reply = gateway.request(request, &caller.shared()).await.unwrap();
    assert!(matches!(reply, ServerReply::Complete(_)));
    let seen = web.seen();
    let call = seen.iter().find(|seen| seen.rpc() == "tools/call").unwrap();
    assert_eq!(call.header("mcp-method"), Some("tools/call"));
    assert_eq!(call.header("mcp-name"), Some("=?base64?R3LDvMOfZQ==?="));
    assert_eq!(call.header("mcp-param-region"), Some("us-west1"));
    assert_eq!(call.header("mcp-protocol-version"), Some("2026-07-28"));
    assert_eq!(call.header("accept"), Some("application/json, text/event-stream"));
    assert_eq!(call.header("x-key"), Some("secret"));
    let meta = &call.body["params"]["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], json!({"sampling": {}}));
    assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "toolgate");
    assert_eq!(meta["traceparent"], "00-a");
    assert_eq!(meta["progressToken"], call.body["id"]);
    assert!(seen.iter().all(|seen| seen.header("mcp-method") == Some(seen.rpc())));
    gateway.end().await;
}

#[tokio::test]
async fn a_streamed_reply_brings_progress_and_log_before_the_answer() {
    let web = modern(|seen| {
        let token = &seen.body["params"]["_meta"]["progressToken"];
        let progress = |at: u32| {
            json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": token, "progress": at}})
        };
        let log = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}});
        let answer = seen.result(json!({"resultType": "complete", "big": 12345678901234567890u64}));
        events(&[": keep-alive\n\n".into(), event(&progress(1)), event(&log), event(&progress(2)), event(&answer)])
    })
    .await;
    let gateway = UpstreamGateway::with(web.spec());
    let caller = Agent { wants_progress: true, ..Agent::new("a", 1) }.shared();
    let reply = gateway.call("t", "{}", &caller).await.unwrap();
    assert!(result_of(&reply).as_str().contains("12345678901234567890"));
    assert_eq!(caller.heard.lock().progress.len(), 2);
    assert_eq!(caller.heard.lock().logs, 1);
    gateway.end().await;
}

#[tokio::test]
async fn a_refused_version_is_negotiated_and_never_taken_for_the_older_era() {
    let first = Arc::new(AtomicUsize::new(0));
    let web = Web::start(move |seen| {
        let response = if first.fetch_add(1, Ordering::Relaxed) == 0 {
            reply(400, &seen.error(-32022, json!({"supported": ["2026-07-28"], "requested": "x"})))
        } else {
            basics(&seen).map_or_else(|| empty(404), |body| ok(&body))
        };
        std::future::ready(response)
    })
    .await;
    let gateway = UpstreamGateway::with(web.spec());
    assert_eq!(gateway.recorder.healthy().await.era, Some(Era::Modern));
    assert_eq!(web.count("initialize"), 0);
    gateway.end().await;
}

#[tokio::test]
async fn input_is_asked_for_and_given() {
    let web = modern(|seen| {
        let params = &seen.body["params"];
        if params["inputResponses"]["who"]["action"] == "accept" && params["requestState"] == "s\"1" {
            return ok(&seen.result(json!({"resultType": "complete", "content": []})));
        }
        ok(&seen.result(json!({"resultType": "input_required", "requestState": "s\"1", "inputRequests": {}})))
    })
    .await;
    let gateway = UpstreamGateway::with(web.spec());
    assert!(matches!(gateway.call("t", "{}", &someone()).await.unwrap(), ServerReply::InputRequired(_)));
    let mut request = call_of("t", "{}");
    request.input = Some(InputAnswers {
        responses: Some(RawJson::from_composed(r#"{"who":{"action":"accept"}}"#.into())),
        state: Some(RawJson::from_composed(r#""s\"1""#.into())),
    });
    assert!(matches!(gateway.request(request, &someone()).await.unwrap(), ServerReply::Complete(_)));
    gateway.end().await;
}

#[tokio::test]
async fn what_is_not_an_answer_becomes_the_fault_that_fits() {
    let web = modern(|seen| match seen.tool() {
        "error" => reply(400, &seen.error(-32021, json!({"requiredCapabilities": {"sampling": {}}}))),
        "odd_type" => ok(&seen.result(json!({"resultType": "surprise"}))),
        "wrong_id" => ok(&json!({"jsonrpc": "2.0", "id": 424_242, "result": {}})),
        "nonsense" => text(200, "application/json", "{\"jsonrpc\":"),
        "empty" => empty(202),
        "deep" => text(
            200,
            "application/json",
            &format!(
                r#"{{"jsonrpc":"2.0","id":{},"result":{}{}}}"#,
                seen.id(),
                "[".repeat(500),
                "]".repeat(500)
            ),
        ),
        "proxy" => text(502, "text/html", "<h1>Bad  Gateway</h1>"),
        "cut" => {
            events(&[event(&json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}))])
        }
        _ => done(seen),
    })
    .await;
    let gateway = UpstreamGateway::with(web.spec());
    gateway.recorder.healthy().await;
    let error = gateway.call("error", "{}", &someone()).await.unwrap_err();
    let ServerError::Rpc(error) = error else { panic!("{error}") };
    assert_eq!(
        (error.code, error.data.unwrap().as_str()),
        (-32021, r#"{"requiredCapabilities":{"sampling":{}}}"#)
    );
    for (tool, code) in [
        ("odd_type", "server_garbled"),
        ("wrong_id", "server_garbled"),
        ("nonsense", "server_garbled"),
        ("empty", "server_garbled"),
        ("deep", "server_garbled"),
        ("cut", "server_lost"),
        ("proxy", "server_refused"),
    ] {
        let error = gateway.call(tool, "{}", &someone()).await.unwrap_err();
        assert_eq!(fault_code(error), code, "{tool}");
        // Failures in a row would pause it.
        gateway.call("t", "{}", &someone()).await.unwrap();
    }
    assert_eq!(gateway.recorder.told().states.last().unwrap().health, ServerHealth::Healthy);
    gateway.end().await;
}

#[tokio::test]
async fn too_large_an_answer_is_refused_announced_or_not() {
    let limits = MessageLimits { result_bytes_max: 100_000, ..MessageLimits::default() };
    let web = modern(|seen| {
        let answer =
            seen.result(json!({"resultType": "complete", "text": "x".repeat(1_000_000)})).to_string();
        match seen.tool() {
            "announced" => text(200, "application/json", &answer),
            "streamed" => events(&[format!("data: {answer}\n\n")]),
            _ => {
                let (sender, mut response) = event_stream();
                response.headers_mut().insert("content-type", "application/json".parse().unwrap());
                tokio::spawn(async move { while sender.send(" ".repeat(10_000)).await.is_ok() {} });
                response
            }
        }
    })
    .await;
    let gateway = UpstreamGateway::remembering(web.spec(), None, limits);
    for tool in ["announced", "streamed", "endless"] {
        let error = gateway.call(tool, "{}", &someone()).await.unwrap_err();
        assert_eq!(fault_code(error), "result_too_large", "{tool}");
    }
    gateway.end().await;
}

#[tokio::test]
async fn a_dropped_call_and_a_late_one_close_their_stream() {
    let open = Arc::new(AtomicUsize::new(0));
    let counted = open.clone();
    let web = modern(move |_| {
        let (sender, response) = event_stream();
        counted.fetch_add(1, Ordering::SeqCst);
        let counted = counted.clone();
        tokio::spawn(async move {
            sender.closed().await;
            counted.fetch_sub(1, Ordering::SeqCst);
        });
        response
    })
    .await;
    let gateway = UpstreamGateway::with(ServerSpec { timeout: Duration::from_millis(500), ..web.spec() });
    gateway.recorder.healthy().await;
    let call = tokio::spawn(gateway.call("t", "{}", &someone()));
    eventually("the stream", || open.load(Ordering::SeqCst) == 1).await;
    call.abort();
    eventually("its end", || open.load(Ordering::SeqCst) == 0).await;
    let error = gateway.call("t", "{}", &someone()).await.unwrap_err();
    assert_eq!(fault_code(error), "server_timeout");
    eventually("its end", || open.load(Ordering::SeqCst) == 0).await;
    gateway.end().await;
}

#[tokio::test]
async fn a_server_that_is_not_there_is_found_when_it_comes() {
    let web = modern(done).await;
    let (spec, address) = (web.spec(), web.address);
    drop(web);
    let gateway = UpstreamGateway::with(spec);
    let reason = gateway.recorder.degraded().await;
    assert!(reason.contains("could not connect to 127.0.0.1") && reason.contains("refused"), "{reason}");
    let error = gateway.call("t", "{}", &someone()).await.unwrap_err();
    assert_eq!(fault_code(error), "server_down");
    let _web = Web::start_at(address, |seen| {
        std::future::ready(basics(&seen).map_or_else(|| done(&seen), |body| ok(&body)))
    })
    .await;
    gateway.recorder.healthy().await;
    gateway.call("t", "{}", &someone()).await.unwrap();
    gateway.end().await;
}

#[tokio::test]
async fn a_server_that_goes_away_is_noticed_by_the_first_call() {
    let web = modern(done).await;
    let gateway = UpstreamGateway::with(web.spec());
    gateway.recorder.healthy().await;
    drop(web);
    let error = gateway.call("t", "{}", &someone()).await.unwrap_err();
    assert!(matches!(fault_code(error), "server_down" | "server_lost"));
    gateway.recorder.degraded().await;
    gateway.end().await;
}

#[tokio::test]
async fn a_missing_credential_and_a_redirect_are_explained() {
    let web = Web::start(|_| {
        let mut response = empty(401);
        response.headers_mut().insert("www-authenticate", "Bearer scope=\"x\"".parse().unwrap());
        std::future::ready(response)
    })
    .await;
    let gateway = UpstreamGateway::with(web.spec());
    let reason = gateway.recorder.degraded().await;
    assert!(
        reason.contains("401") && reason.contains("Authorization") && reason.contains("Bearer scope"),
        "{reason}"
    );
    gateway.end().await;
    let web = Web::start(|_| {
        let mut response = empty(307);
        response.headers_mut().insert("location", "/mcp/".parse().unwrap());
        std::future::ready(response)
    })
    .await;
    let gateway = UpstreamGateway::with(web.spec());
    assert!(gateway.recorder.degraded().await.contains("redirect to /mcp/"));
    gateway.end().await;
    assert!(web.seen().iter().all(|seen| seen.path == "/mcp"), "nothing is followed");
}

#[tokio::test]
async fn an_https_address_without_tls_behind_it_is_not_reached() {
    let web = modern(done).await;
    let url = web.url().replace("http://", "https://");
    let gateway = UpstreamGateway::with(spec(TransportSpec::http(url, BTreeMap::new())));
    let reason = gateway.recorder.degraded().await;
    assert!(reason.contains("could not connect") || reason.contains("root certificates"), "{reason}");
    assert!(web.seen().is_empty());
    gateway.end().await;
}

#[tokio::test]
async fn one_subscription_hears_of_changes_and_is_renewed() {
    let (streams, mut opened) = tokio::sync::mpsc::channel(8);
    let tools = Arc::new(AtomicUsize::new(1));
    let listed = tools.clone();
    let web = Web::start(move |seen| {
        let response = match seen.rpc() {
            "server/discover" => ok(&seen.result(json!({
                "supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {"listChanged": true}, "resources": {"subscribe": true}},
            }))),
            "tools/list" => {
                let tools: Vec<Value> =
                    (0..listed.load(Ordering::SeqCst)).map(|at| json!({"name": format!("t{at}")})).collect();
                ok(&seen.result(json!({"tools": tools})))
            }
            "subscriptions/listen" => {
                let (sender, response) = event_stream();
                let acknowledged = json!({
                    "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
                    "params": {"_meta": {"io.modelcontextprotocol/subscriptionId": seen.id()}},
                });
                sender.try_send(event(&acknowledged)).unwrap();
                streams.try_send((seen.body["params"]["notifications"].clone(), sender)).unwrap();
                response
            }
            _ => ok(&seen.result(json!({"resources": [], "resourceTemplates": []}))),
        };
        std::future::ready(response)
    })
    .await;
    let gateway = UpstreamGateway::with(web.spec());
    gateway.recorder.healthy().await;
    let (filter, first) = opened.recv().await.unwrap();
    assert_eq!(filter, json!({"toolsListChanged": true}));
    tools.store(2, Ordering::SeqCst);
    let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {}});
    first.send(event(&changed)).await.unwrap();
    gateway
        .recorder
        .until("the new list", |told| told.listings.last().is_some_and(|list| list.tools.len() == 2))
        .await;
    drop(gateway.manager.watch_resource(&name(), "test://a"));
    let (filter, second) = opened.recv().await.unwrap();
    assert_eq!(filter, json!({"toolsListChanged": true, "resourceSubscriptions": ["test://a"]}));
    first.closed().await;
    let updated =
        json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": "test://a"}});
    second.send(event(&updated)).await.unwrap();
    gateway.recorder.until("the update", |told| told.updated == ["test://a"]).await;
    tools.store(3, Ordering::SeqCst);
    drop(second);
    let (_, _third) = opened.recv().await.unwrap();
    gateway
        .recorder
        .until("what was missed", |told| told.listings.last().is_some_and(|list| list.tools.len() == 3))
        .await;
    gateway.end().await;
}

#[tokio::test]
async fn tasks_are_watched_until_nobody_looks() {
    let (streams, mut opened) = tokio::sync::mpsc::channel(8);
    let web = Web::start(move |seen| {
        let response = match seen.rpc() {
            "subscriptions/listen" => {
                let (sender, response) = event_stream();
                streams.try_send((seen, sender)).unwrap();
                response
            }
            _ => basics(&seen).map_or_else(|| empty(404), |body| ok(&body)),
        };
        std::future::ready(response)
    })
    .await;
    let gateway = UpstreamGateway::with(web.spec());
    gateway.recorder.healthy().await;
    let (told, mut heard) = tokio::sync::mpsc::channel(1);
    let on_change = Box::new(move |params: RawJson| told.try_send(params).unwrap());
    let guard = gateway.manager.watch_tasks(&name(), vec!["task-1".into()], on_change);
    let (seen, stream) = opened.recv().await.unwrap();
    assert_eq!(seen.body["params"]["notifications"], json!({"taskIds": ["task-1"]}));
    let change = json!({"jsonrpc": "2.0", "method": "notifications/tasks", "params": {"taskId": "task-1"}});
    stream.send(event(&change)).await.unwrap();
    assert_eq!(heard.recv().await.unwrap().as_str(), r#"{"taskId":"task-1"}"#);
    drop(guard);
    stream.closed().await;
    gateway.end().await;
}

#[tokio::test]
async fn a_connection_that_the_server_closed_is_replaced_unnoticed() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer_once(stream));
        }
    });
    let gateway = UpstreamGateway::with(spec(TransportSpec::http(url, BTreeMap::new())));
    gateway.recorder.healthy().await;
    for _ in 0..20 {
        gateway.call("t", "{}", &someone()).await.unwrap();
        // The end of the connection is an event like any other and has to arrive first.
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    gateway.end().await;
}

/// Answers one request as if there could be more, and hangs up.
async fn answer_once(mut stream: tokio::net::TcpStream) {
    let mut received = Vec::new();
    let body = loop {
        stream.read_buf(&mut received).await.unwrap();
        let Some(end) = received.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        if let Ok(body) = serde_json::from_slice::<Value>(&received[end + 4..]) {
            break body;
        }
    };
    let seen = Seen {
        method: http::Method::POST,
        path: String::new(),
        headers: http::HeaderMap::new(),
        body,
        bytes: 0,
    };
    let answer = basics(&seen).unwrap_or_else(|| seen.result(json!({"content": []}))).to_string();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        answer.len()
    );
    stream.write_all((head + &answer).as_bytes()).await.unwrap();
}

#[tokio::test]
async fn many_calls_at_once_share_connections_and_mix_up_nothing() {
    let web = modern(|seen| {
        let n = &seen.body["params"]["arguments"]["n"];
        ok(&seen
            .result(json!({"resultType": "complete", "content": [{"type": "text", "text": n.to_string()}]})))
    })
    .await;
    let gateway = UpstreamGateway::with(ServerSpec { concurrency_max: 32, ..web.spec() });
    let calls = (0..500).map(|n| {
        let call = gateway.call("t", &format!(r#"{{"n":{n}}}"#), &someone());
        async move { assert_eq!(text_of(&call.await.unwrap()), n.to_string()) }
    });
    // The queue is four times as long as there are places, so this many wait at once and no more.
    futures_util::stream::iter(calls).buffer_unordered(100).collect::<Vec<()>>().await;
    gateway.end().await;
}

#[tokio::test]
async fn reasons_do_not_show_what_an_address_keeps_secret() {
    let web = Web::start(|seen| {
        let mut response = empty(307);
        let there = format!("http://me:hidden@elsewhere{}", seen.path);
        response.headers_mut().insert("location", there.parse().unwrap());
        std::future::ready(response)
    })
    .await;
    let redirected = format!("{}?key=hidden", web.url());
    for (url, shown) in [
        (redirected.as_str(), "http://elsewhere/mcp;"),
        ("ftp://me:hidden@host/mcp?key=hidden", "\"ftp://host/mcp\""),
    ] {
        let transport = TransportSpec::http(url.to_owned(), BTreeMap::new());
        let gateway = UpstreamGateway::with(spec(transport));
        let reason = gateway.recorder.degraded().await;
        assert!(reason.contains(shown) && !reason.contains("hidden"), "{reason}");
        gateway.end().await;
    }
}
