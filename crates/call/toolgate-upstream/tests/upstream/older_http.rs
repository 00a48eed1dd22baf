//! Servers of the older era behind a URL: sessions, and the pair of 2024-11-05.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http::{Method, Response};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use toolgate_core::PrincipalId;
use toolgate_core::port::{AskKind, Servers};
use toolgate_core::server::{Era, ServerSpec};

use crate::kit::{Agent, UpstreamGateway, eventually, fault_code, result_of, someone, text_of};
use crate::web::{Body, Seen, Web, empty, event, event_stream, events, ok, reply};

/// The stream of a call and the id to answer it under.
type Waiting = (mpsc::Sender<String>, Value);

/// A server with sessions. What it does on `tools/call` is the test's affair.
pub(crate) struct Sessions {
    /// Session ids that are known, and the stream of each that is open.
    open: Mutex<BTreeMap<String, Option<mpsc::Sender<String>>>>,
    made: Mutex<usize>,
    tools: Mutex<Value>,
    capabilities: Value,
    gives_ids: bool,
}

impl Sessions {
    pub(crate) fn new(capabilities: Value) -> Arc<Self> {
        let (made, tools) = (Mutex::default(), Mutex::new(json!([{"name": "t"}])));
        Arc::new(Self { open: Mutex::default(), made, tools, capabilities, gives_ids: true })
    }

    pub(crate) fn forget_all(&self) {
        self.open.lock().clear();
    }

    fn streams(&self) -> Vec<mpsc::Sender<String>> {
        self.open.lock().values().flatten().cloned().collect()
    }

    fn stream_of(&self, seen: &Seen) -> mpsc::Sender<String> {
        let id = seen.header("mcp-session-id").unwrap();
        self.open.lock().get(id).cloned().flatten().expect("the stream is opened before the call")
    }

    pub(crate) async fn serve(
        self: &Arc<Self>,
        on_call: impl Fn(&Seen) -> Response<Body> + Send + Sync + 'static,
    ) -> Web {
        let sessions = self.clone();
        Web::start(move |seen| std::future::ready(sessions.answer(&seen, &on_call))).await
    }

    fn answer(&self, seen: &Seen, on_call: &impl Fn(&Seen) -> Response<Body>) -> Response<Body> {
        match seen.rpc() {
            "initialize" => return self.initialize(seen),
            "server/discover" => return reply(400, &seen.error(-32000, Value::Null)),
            _ => {}
        }
        let id = seen.header("mcp-session-id").unwrap_or_default().to_owned();
        if self.gives_ids && !self.open.lock().contains_key(&id) {
            return empty(404);
        }
        if seen.method == Method::DELETE {
            self.open.lock().remove(&id);
            return empty(200);
        }
        if seen.method == Method::GET && seen.header("last-event-id").is_none() {
            let (sender, response) = event_stream();
            self.open.lock().insert(id, Some(sender));
            return response;
        }
        match seen.rpc() {
            "tools/list" => ok(&seen.result(json!({"tools": *self.tools.lock()}))),
            "ping" | "logging/setLevel" => ok(&seen.result(json!({}))),
            "tools/call" => on_call(seen),
            _ if seen.method == Method::GET => on_call(seen),
            _ => empty(202),
        }
    }

    fn initialize(&self, seen: &Seen) -> Response<Body> {
        let result =
            json!({"protocolVersion": "2025-11-25", "capabilities": self.capabilities, "serverInfo": {}});
        let mut response = ok(&seen.result(result));
        *self.made.lock() += 1;
        if self.gives_ids {
            let id = format!("s-{}", self.made.lock());
            response.headers_mut().insert("mcp-session-id", id.parse().unwrap());
            self.open.lock().insert(id, None);
        }
        response
    }
}

fn session_of(seen: &Seen) -> Response<Body> {
    ok(&seen.result(
        json!({"content": [{"type": "text", "text": seen.header("mcp-session-id").unwrap_or("none")}]}),
    ))
}

#[tokio::test]
async fn each_principal_has_a_session_and_all_are_closed_at_the_end() {
    let sessions = Sessions::new(json!({"tools": {}}));
    let web = sessions.serve(session_of).await;
    let gateway = UpstreamGateway::with(web.spec());
    let state = gateway.recorder.healthy().await;
    assert_eq!((state.era, state.protocol_version.as_deref()), (Some(Era::Legacy), Some("2025-11-25")));
    let (anna, bert) = (Agent::new("anna", 1).shared(), Agent::new("bert", 2).shared());
    let of_anna = gateway.text("t", &anna).await;
    assert_eq!(gateway.text("t", &anna).await, of_anna);
    let of_bert = gateway.text("t", &bert).await;
    assert!(of_anna != of_bert && of_anna != "s-1" && of_bert != "s-1");
    let seen = web.seen();
    let call = seen.iter().find(|seen| seen.rpc() == "tools/call").unwrap();
    assert_eq!(call.header("mcp-protocol-version"), Some("2025-11-25"));
    assert!(seen.iter().all(|seen| seen.method != Method::GET), "nothing to hear, no stream");
    gateway.end().await;
    assert!(sessions.open.lock().is_empty(), "every session got its DELETE");
}

#[tokio::test]
async fn a_server_without_session_ids_is_opened_once() {
    let sessions = Arc::new(Sessions {
        open: Mutex::default(),
        made: Mutex::default(),
        tools: Mutex::new(json!([{"name": "t"}])),
        capabilities: json!({"tools": {}}),
        gives_ids: false,
    });
    let web = sessions.serve(session_of).await;
    let gateway = UpstreamGateway::with(web.spec());
    for principal in ["anna", "bert"] {
        assert_eq!(gateway.text("t", &Agent::new(principal, 1).shared()).await, "none");
    }
    assert_eq!(web.count("initialize"), 1);
    gateway.end().await;
}

#[tokio::test]
async fn an_expired_session_is_opened_again_and_the_call_repeated_once() {
    let sessions = Sessions::new(json!({"tools": {}}));
    let web = sessions.serve(session_of).await;
    let gateway = UpstreamGateway::with(web.spec());
    let before = gateway.text("t", &someone()).await;
    sessions.forget_all();
    let after = gateway.text("t", &someone()).await;
    assert_ne!(before, after);
    assert_eq!(web.count("tools/call"), 3);
    gateway.end().await;
}

#[tokio::test]
async fn an_error_that_speaks_of_sessions_does_not_cost_the_session() {
    let sessions = Sessions::new(json!({"tools": {}}));
    let web = sessions
        .serve(|seen| {
            let error = json!({"code": -32602, "message": "bad session_id argument"});
            reply(400, &json!({"jsonrpc": "2.0", "id": seen.id(), "error": error}))
        })
        .await;
    let gateway = UpstreamGateway::with(web.spec());
    let error = gateway.call("t", "{}", &someone()).await.unwrap_err();
    assert!(error.to_string().contains("bad session_id argument"), "{error}");
    assert_eq!((web.count("tools/call"), web.count("initialize")), (1, 2));
    gateway.end().await;
}

#[tokio::test]
async fn what_comes_between_the_calls_of_a_principal_is_the_principals() {
    let sessions = Sessions::new(json!({"tools": {}, "logging": {}}));
    let web = sessions.serve(session_of).await;
    let gateway = UpstreamGateway::with(web.spec());
    gateway.recorder.healthy().await;
    let id = gateway.text("t", &Agent::new("anna", 1).shared()).await;
    let stream = sessions.open.lock().get(&id).cloned().flatten().unwrap();
    let log = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "late"}});
    stream.try_send(event(&log)).unwrap();
    let ask = json!({"jsonrpc": "2.0", "id": "q", "method": "roots/list"});
    stream.try_send(event(&ask)).unwrap();
    let told = gateway.recorder.until("both", |told| !told.logged.is_empty() && !told.asked.is_empty()).await;
    let anna = Some(PrincipalId::new("anna"));
    assert_eq!(told.logged[0].0, anna);
    assert_eq!(told.asked, [(anna, AskKind::Roots)]);
    gateway.end().await;
}

#[tokio::test]
async fn a_question_on_the_stream_of_a_call_reaches_its_caller() {
    let sessions = Sessions::new(json!({"tools": {}}));
    let streams: Arc<Mutex<BTreeMap<String, Waiting>>> = Arc::default();
    let waiting = streams.clone();
    let web = Web::start({
        let sessions = sessions.clone();
        move |seen| {
            let answered = seen.body["id"].as_str().and_then(|id| waiting.lock().remove(id));
            if let Some((stream, id)) = answered {
                let text = seen.body["result"].to_string();
                let result = json!({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": text}]}});
                stream.try_send(event(&result)).unwrap();
                return std::future::ready(empty(202));
            }
            let waiting = waiting.clone();
            std::future::ready(sessions.answer(&seen, &move |seen: &Seen| {
                let (sender, response) = event_stream();
                let question = format!("q-{}", seen.header("mcp-session-id").unwrap());
                let ask = json!({"jsonrpc": "2.0", "id": question, "method": "elicitation/create", "params": {}});
                sender.try_send(event(&ask)).unwrap();
                waiting.lock().insert(question, (sender, seen.id().clone()));
                response
            }))
        }
    })
    .await;
    let gateway = UpstreamGateway::with(web.spec());
    let able = |principal: &str, client| {
        Agent { can: vec![AskKind::Elicitation], ..Agent::new(principal, client) }.shared()
    };
    let (anna, bert) = (able("anna", 1), able("bert", 2));
    let (for_anna, for_bert) = tokio::join!(gateway.text("t", &anna), gateway.text("t", &bert));
    assert!(for_anna.contains(r#""client":1"#) && for_bert.contains(r#""client":2"#));
    gateway.end().await;
}

#[tokio::test]
async fn an_interrupted_stream_is_resumed_where_it_stopped_and_not_too_early() {
    let sessions = Sessions::new(json!({"tools": {}}));
    let calls: Arc<Mutex<Vec<Value>>> = Arc::default();
    let asked = calls.clone();
    let web = sessions
        .serve(move |seen| {
            if seen.method == Method::GET {
                let id = asked.lock().pop().unwrap();
                let result = json!({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": "late"}]}});
                return events(&[event(&result)]);
            }
            asked.lock().push(seen.id().clone());
            events(&["id: event-1\nretry: 400\ndata:\n\n".into()])
        })
        .await;
    let gateway = UpstreamGateway::with(web.spec());
    gateway.recorder.healthy().await;
    let began = Instant::now();
    assert_eq!(gateway.text("t", &someone()).await, "late");
    assert!(began.elapsed() >= Duration::from_millis(400));
    let resumed = web.seen().into_iter().find(|seen| seen.method == Method::GET).unwrap();
    assert_eq!(resumed.header("last-event-id"), Some("event-1"));
    assert_eq!(resumed.header("accept"), Some("text/event-stream"));
    gateway.end().await;
}

#[tokio::test]
async fn a_stream_that_ends_without_a_mark_is_lost() {
    let sessions = Sessions::new(json!({"tools": {}}));
    let web = sessions.serve(|_| events(&[": nothing\n\n".into()])).await;
    let gateway = UpstreamGateway::with(web.spec());
    assert_eq!(fault_code(gateway.call("t", "{}", &someone()).await.unwrap_err()), "server_lost");
    gateway.end().await;
}

#[tokio::test]
async fn a_dropped_call_and_a_late_one_are_cancelled_by_name() {
    let sessions = Sessions::new(json!({"tools": {}}));
    let held = Mutex::new(Vec::new());
    let web = sessions
        .serve(move |_| {
            let (sender, response) = event_stream();
            held.lock().push(sender);
            response
        })
        .await;
    let gateway = UpstreamGateway::with(ServerSpec { timeout: Duration::from_millis(400), ..web.spec() });
    gateway.recorder.healthy().await;
    let call = tokio::spawn(gateway.call("t", "{}", &someone()));
    let seen = web.until("the call", |seen| seen.iter().any(|seen| seen.rpc() == "tools/call")).await;
    let id = seen.iter().find(|seen| seen.rpc() == "tools/call").unwrap().id().clone();
    call.abort();
    let seen = web
        .until("the cancellation", |seen| seen.iter().any(|seen| seen.rpc() == "notifications/cancelled"))
        .await;
    assert_eq!(seen.last().unwrap().body["params"]["requestId"], id);
    assert_eq!(fault_code(gateway.call("t", "{}", &someone()).await.unwrap_err()), "server_timeout");
    let cancelled =
        |seen: &[Seen]| seen.iter().filter(|seen| seen.rpc() == "notifications/cancelled").count();
    web.until("the second cancellation", |seen| cancelled(seen) == 2).await;
    gateway.end().await;
}

#[tokio::test]
async fn the_stream_beside_the_calls_brings_changes_and_questions() {
    let sessions = Sessions::new(json!({"tools": {"listChanged": true}, "logging": {}}));
    let web = sessions.serve(session_of).await;
    let gateway = UpstreamGateway::with(web.spec());
    gateway.recorder.healthy().await;
    eventually("the stream", || sessions.streams().len() == 1).await;
    let stream = sessions.streams().remove(0);
    // After that one the lists are not read again unasked.
    eventually("the second reading", || web.count("tools/list") == 2).await;
    *sessions.tools.lock() = json!([{"name": "t"}, {"name": "u"}]);
    stream
        .send(event(&json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})))
        .await
        .unwrap();
    gateway.recorder.until("the new list", |told| told.listings.len() == 2).await;
    stream.send(event(&json!({"jsonrpc": "2.0", "id": 1, "method": "roots/list"}))).await.unwrap();
    stream.send(event(&json!({"jsonrpc": "2.0", "id": "p", "method": "ping"}))).await.unwrap();
    gateway.recorder.until("the question", |told| told.asked == [(None, AskKind::Roots)]).await;
    web.until("both answers", |seen| {
        seen.iter().any(|seen| seen.body["result"]["by"] == "gateway" && seen.body["id"] == 1)
            && seen.iter().any(|seen| seen.body["id"] == "p" && seen.body["result"] == json!({}))
    })
    .await;
    gateway.manager.set_log_level("info");
    web.until("the level", |seen| seen.iter().any(|seen| seen.body["params"]["level"] == "info")).await;
    drop(stream);
    gateway.end().await;
}

#[tokio::test]
async fn questions_and_answers_may_come_on_the_stream_beside_the_calls() {
    let sessions = Sessions::new(json!({"tools": {}}));
    let calls: Arc<Mutex<BTreeMap<String, Seen>>> = Arc::default();
    let web = Web::start({
        let sessions = sessions.clone();
        move |seen| {
            let asked = seen.body["id"].as_str().and_then(|id| calls.lock().remove(id));
            if let Some(call) = asked {
                let result = call
                    .result(json!({"content": [{"type": "text", "text": seen.body["result"].to_string()}]}));
                sessions.stream_of(&call).try_send(event(&result)).unwrap();
                return std::future::ready(empty(202));
            }
            std::future::ready(sessions.answer(&seen, &|seen: &Seen| {
                calls.lock().insert("q".into(), seen.clone());
                let ask = json!({"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": {}});
                sessions.stream_of(seen).try_send(event(&ask)).unwrap();
                empty(202)
            }))
        }
    })
    .await;
    let gateway = UpstreamGateway::with(web.spec());
    let caller = Agent { can: vec![AskKind::Elicitation], ..Agent::new("anna", 5) }.shared();
    assert!(gateway.text("t", &caller).await.contains(r#""client":5"#));
    gateway.end().await;
}

#[tokio::test]
async fn a_server_that_answers_the_probe_with_nothing_is_of_the_older_era() {
    let web = Web::start(|seen| {
        let response = match seen.rpc() {
            "initialize" => ok(&seen.result(json!({"protocolVersion": "2025-03-26", "capabilities": {}}))),
            rpc if rpc.starts_with("notifications/") => empty(202),
            _ => ok(&seen.result(json!({}))),
        };
        std::future::ready(response)
    })
    .await;
    let gateway = UpstreamGateway::with(web.spec());
    assert_eq!(gateway.recorder.healthy().await.era, Some(Era::Legacy));
    let reply = gateway.call("t", "{}", &someone()).await.unwrap();
    assert_eq!(result_of(&reply).as_str(), "{}");
    gateway.end().await;
}

/// The pair of 2024-11-05: one stream, one address for messages.
pub(crate) async fn pair(endpoint: &'static str) -> Web {
    let stream: Arc<Mutex<Option<mpsc::Sender<String>>>> = Arc::default();
    Web::start(move |seen| {
        let response = match (&seen.method, seen.path.as_str()) {
            (&Method::GET, "/mcp") => {
                let (sender, response) = event_stream();
                sender.try_send(format!("event: endpoint\ndata: {endpoint}\n\n")).unwrap();
                *stream.lock() = Some(sender);
                response
            }
            (&Method::POST, "/messages?session=1") => {
                let answer = match seen.rpc() {
                    "initialize" => Some(
                        seen.result(json!({"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}})),
                    ),
                    "tools/list" => Some(seen.result(json!({"tools": [{"name": "t"}]}))),
                    "tools/call" if seen.tool() == "refused" => return std::future::ready(empty(413)),
                    "tools/call" if seen.tool() == "bye" => {
                        stream.lock().take();
                        None
                    }
                    "tools/call" => Some(seen.result(json!({"content": [{"type": "text", "text": "old"}]}))),
                    _ => None,
                };
                if let (Some(answer), Some(stream)) = (answer, &*stream.lock()) {
                    stream.try_send(event(&answer)).unwrap();
                }
                empty(202)
            }
            _ => empty(405),
        };
        std::future::ready(response)
    })
    .await
}

#[tokio::test]
async fn the_older_pair_of_addresses_is_found_and_used() {
    let web = pair("/messages?session=1").await;
    let gateway = UpstreamGateway::with(web.spec());
    let state = gateway.recorder.healthy().await;
    assert_eq!((state.transport, state.protocol_version.as_deref()), (Some("http+sse"), Some("2024-11-05")));
    let reply = gateway.call("t", "{}", &someone()).await.unwrap();
    assert_eq!(text_of(&reply), "old");
    assert_eq!(fault_code(gateway.call("refused", "{}", &someone()).await.unwrap_err()), "server_refused");
    assert_eq!(fault_code(gateway.call("bye", "{}", &someone()).await.unwrap_err()), "server_lost");
    gateway
        .recorder
        .until("the second connection", |told| {
            told.states.last().is_some_and(|state| state.restarts == 1 && state.reason.is_none())
        })
        .await;
    assert_eq!(gateway.text("t", &someone()).await, "old");
    gateway.end().await;
}

#[tokio::test]
async fn an_address_on_another_host_is_refused() {
    let web = pair("http://127.0.0.1:1/messages").await;
    let gateway = UpstreamGateway::with(web.spec());
    let reason = gateway.recorder.degraded().await;
    assert!(reason.contains("is on another host"), "{reason}");
    assert!(web.seen().iter().all(|seen| !seen.path.starts_with("/messages")));
    gateway.end().await;
}
