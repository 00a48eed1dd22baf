//! Servers that keep a state for their callers: they are told who calls and who has ended, stay together with their callers, and
//! all others notice nothing of it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use http::{Method, Response};
use serde_json::{Value, json};
use toolgate_core::id::{RunId, SessionId};
use toolgate_core::port::{CallOrigin, ServerRequest};
use toolgate_core::server::{Affinity, ServerSpec};
use toolgate_core::tool::{CacheRule, CacheScope};
use toolgate_core::{Tool, ToolHandling};
use toolgate_upstream::EndedCaller;

use crate::fleet::{all_well, call, definition, fleet, judged, said};
use crate::kit::{UpstreamGateway, call_of, someone, text_of};
use crate::neighbour::child_with;
use crate::older_http::Sessions;
use crate::web::{Body, Seen, Web, empty, ok};

const CALLER: &str = "dev.toolgate/caller";
const ENDED: &str = "notifications/dev.toolgate/caller_ended";

fn by(session: &str, run: Option<&str>, request: ServerRequest) -> ServerRequest {
    let origin = CallOrigin { session: SessionId::new(session), run: run.map(RunId::new) };
    ServerRequest { origin: Some(origin), ..request }
}

fn session_ended() -> EndedCaller {
    EndedCaller::Session(SessionId::new("ses_1"))
}

/// An instance of the newer era that keeps a state for its callers, and answers every call with its label.
async fn keeper(label: &'static str) -> Web {
    Web::start(move |seen| std::future::ready(keep(&seen, label))).await
}

fn keep(seen: &Seen, label: &str) -> Response<Body> {
    let result = match seen.rpc() {
        "server/discover" => json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0, "cacheScope": "private",
            "capabilities": { "tools": {}, "experimental": { CALLER: {} } },
        }),
        "tools/list" => json!({ "resultType": "complete", "tools": [definition("1")] }),
        "tools/call" => return said(seen, label),
        _ => return empty(202),
    };
    ok(&seen.result(result))
}

#[tokio::test]
async fn a_process_that_asks_for_it_is_told_who_calls_and_who_has_ended() {
    for kind in ["legacy", "modern"] {
        let gateway = UpstreamGateway::with(child_with(kind, &[("KNOWS_CALLERS", "1")]));
        gateway.recorder.healthy().await;
        assert!(gateway.manager.knows_callers(), "{kind}");
        for (run, expected) in [
            (None, json!({ "session": "ses_1" })),
            (Some("run_1"), json!({ "session": "ses_1", "run": "run_1" })),
        ] {
            let request = by("ses_1", run, call_of("meta", "{}"));
            let told = text_of(&gateway.request(request, &someone()).await.unwrap());
            assert_eq!(serde_json::from_str::<Value>(&told).unwrap()[CALLER], expected, "{kind}");
        }
        gateway.manager.caller_ended(&session_ended());
        gateway.manager.caller_ended(&EndedCaller::Run(RunId::new("run_1")));
        let heard = |line: &str| format!("{ENDED} {line}");
        let lines = [heard(r#"{"session": "ses_1"}"#), heard(r#"{"run": "run_1"}"#)];
        gateway.recorder.until("both ends", |told| lines.iter().all(|line| told.stderr.contains(line))).await;
        gateway.end().await;
    }
}

#[tokio::test]
async fn a_process_that_does_not_ask_gets_what_it_always_got() {
    for kind in ["legacy", "modern"] {
        let gateway = UpstreamGateway::with(child_with(kind, &[]));
        gateway.recorder.healthy().await;
        assert!(!gateway.manager.knows_callers(), "{kind}");
        gateway.manager.caller_ended(&session_ended());
        let request = by("ses_1", Some("run_1"), call_of("meta", "{}"));
        let told = text_of(&gateway.request(request, &someone()).await.unwrap());
        assert!(!told.contains("dev.toolgate"), "{kind}: {told}");
        let recorder = gateway.recorder.clone();
        gateway.end().await;
        let heard = recorder.told().stderr;
        assert!(heard.iter().all(|line| !line.contains(ENDED)), "{kind}: {heard:?}");
    }
}

#[tokio::test]
async fn behind_a_url_the_newer_era_is_told_by_a_post_of_its_own() {
    let web = keeper("a").await;
    let gateway = UpstreamGateway::with(web.spec());
    gateway.recorder.healthy().await;
    gateway.request(by("ses_1", None, call_of("t", "{}")), &someone()).await.unwrap();
    gateway.manager.caller_ended(&session_ended());
    let seen = web.until("the end", |seen| seen.iter().any(|one| one.rpc() == ENDED)).await;
    let called = seen.iter().find(|one| one.rpc() == "tools/call").unwrap();
    assert_eq!(called.body["params"]["_meta"][CALLER], json!({ "session": "ses_1" }));
    let ended = seen.iter().find(|one| one.rpc() == ENDED).unwrap();
    assert_eq!((&ended.method, ended.header("mcp-method")), (&Method::POST, Some(ENDED)));
    assert_eq!(ended.header("mcp-protocol-version"), Some("2026-07-28"));
    assert_eq!(ended.header("x-key"), Some("secret"), "it shows its credentials");
    assert_eq!(ended.body, json!({ "jsonrpc": "2.0", "method": ENDED, "params": { "session": "ses_1" } }));
    gateway.end().await;
}

#[tokio::test]
async fn behind_a_url_the_older_era_is_told_once_in_the_gateways_own_session() {
    let sessions = Sessions::new(json!({ "tools": {}, "experimental": { CALLER: {} } }));
    let web = sessions.serve(|seen| said(seen, &seen.body["params"]["_meta"][CALLER].to_string())).await;
    let gateway = UpstreamGateway::with(web.spec());
    gateway.recorder.healthy().await;
    let told = gateway.request(by("ses_1", Some("run_1"), call_of("t", "{}")), &someone()).await.unwrap();
    let told: Value = serde_json::from_str(&text_of(&told)).unwrap();
    assert_eq!(told, json!({ "session": "ses_1", "run": "run_1" }));
    gateway.manager.caller_ended(&session_ended());
    let seen = web.until("the end", |seen| seen.iter().any(|one| one.rpc() == ENDED)).await;
    let ended: Vec<&Seen> = seen.iter().filter(|one| one.rpc() == ENDED).collect();
    assert_eq!((ended.len(), ended[0].header("mcp-session-id")), (1, Some("s-1")));
    gateway.end().await;
}

#[tokio::test]
async fn a_server_that_does_not_take_the_news_delays_nothing() {
    let web = Web::start(|seen| async move {
        if seen.rpc() == ENDED {
            std::future::pending::<()>().await;
        }
        keep(&seen, "a")
    })
    .await;
    let gateway = UpstreamGateway::with(web.spec());
    gateway.recorder.healthy().await;
    for number in 0..10_000 {
        gateway.manager.caller_ended(&EndedCaller::Run(RunId::new(format!("run_{number}"))));
    }
    web.until("the first end", |seen| seen.iter().any(|one| one.rpc() == ENDED)).await;
    let call = gateway.request(by("ses_1", None, call_of("t", "{}")), &someone());
    let called = tokio::time::timeout(Duration::from_secs(5), call).await;
    assert_eq!(text_of(&called.unwrap().unwrap()), "a");
    gateway.end().await;
}

/// The instance that serves each of these callers, who call again and again.
async fn homes(gateway: &UpstreamGateway) -> BTreeMap<String, String> {
    let mut homes = BTreeMap::new();
    for at in 0..120 {
        let (session, run) = (format!("ses_{}", at % 20), format!("run_{}", at % 20));
        for run in [None, Some(run.as_str())] {
            let request = by(&session, run, call(judged("1")));
            let label = text_of(&gateway.request(request, &someone()).await.unwrap());
            let caller = run.unwrap_or(&session).to_owned();
            let home = homes.entry(caller.clone()).or_insert_with(|| label.clone());
            assert_eq!(*home, label, "{caller}");
        }
    }
    homes
}

#[tokio::test]
async fn each_caller_stays_at_one_instance_and_all_gateways_choose_the_same() {
    let (a, b, c) = (keeper("a").await, keeper("b").await, keeper("c").await);
    let gateways = [(), ()].map(|()| UpstreamGateway::with(fleet(&[("a", &a), ("b", &b), ("c", &c)])));
    let mut seen = Vec::new();
    for gateway in &gateways {
        all_well(gateway, 3).await;
        seen.push(homes(gateway).await);
    }
    assert_eq!(seen[0], seen[1]);
    assert!(["a", "b", "c"].iter().all(|label| seen[0].values().any(|home| home == label)), "{:?}", seen[0]);
    for gateway in gateways {
        gateway.end().await;
    }
}

#[tokio::test]
async fn an_operator_may_spread_the_calls_of_a_caller_all_the_same() {
    let (a, b) = (keeper("a").await, keeper("b").await);
    let spec = ServerSpec { affinity: Affinity::None, ..fleet(&[("a", &a), ("b", &b)]) };
    let gateway = UpstreamGateway::with(spec);
    all_well(&gateway, 2).await;
    for _ in 0..100 {
        gateway.request(by("ses_1", None, call(judged("1"))), &someone()).await.unwrap();
    }
    assert!(a.count("tools/call") > 10 && b.count("tools/call") > 10);
    gateway.end().await;
}

#[tokio::test]
async fn results_of_a_server_with_a_state_are_not_kept_for_others() {
    let rule = CacheRule { fresh: Duration::from_secs(60), scope: CacheScope::Public };
    let handling = ToolHandling { cache: Some(rule), ..ToolHandling::default() };
    let tool = Arc::new(Tool { handling, ..judged("1") });
    let web = keeper("a").await;
    let gateway = UpstreamGateway::with(web.spec());
    gateway.recorder.healthy().await;
    for session in ["ses_1", "ses_2"] {
        let request = ServerRequest { tool: Some(Arc::clone(&tool)), ..call_of("t", "{}") };
        gateway.request(by(session, None, request), &someone()).await.unwrap();
    }
    assert_eq!(web.count("tools/call"), 2);
    gateway.end().await;
}
