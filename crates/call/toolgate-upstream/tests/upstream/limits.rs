//! Limits of servers and of single tools, cached results, and the reports about both.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http::Response;
use serde_json::{Value, json};
use toolgate_core::port::{ServerReply, ServerRequest};
use toolgate_core::server::{InstanceId, InstanceSpec, ServerSpec, TransportSpec};
use toolgate_core::tool::{CacheRule, CacheScope, ToolExtra, version_of};
use toolgate_core::{Tool, ToolHandling};

use crate::fleet::{basics, call, definition, fleet, instance, judged, said};
use crate::kit::{Agent, UpstreamGateway, call_of, eventually, fault_code, name, someone, text_of};
use crate::web::{Body, Seen, Web, empty, ok};

fn handled(handling: ToolHandling) -> Tool {
    Tool { handling, ..judged("1") }
}

async fn answering<F>(on_call: impl Fn(Seen) -> F + Send + Sync + 'static) -> Web
where
    F: Future<Output = Response<Body>> + Send + 'static,
{
    Web::start(move |seen| {
        let basic = basics(&seen, &json!([definition("1")]));
        let answer = basic.is_none().then(|| on_call(seen));
        async move {
            match answer {
                Some(answer) => answer.await,
                None => ok(&basic.unwrap()),
            }
        }
    })
    .await
}

#[tokio::test]
async fn more_calls_than_the_rate_allows_are_refused_and_not_sent() {
    let web = instance("a", "1").await;
    let gateway = UpstreamGateway::with(ServerSpec { rate: Some("3/h".parse().unwrap()), ..web.spec() });
    let tool = handled(ToolHandling { rate: Some("2/h".parse().unwrap()), ..ToolHandling::default() });
    gateway.recorder.healthy().await;
    for _ in 0..2 {
        gateway.request(call(tool.clone()), &someone()).await.unwrap();
    }
    let error = gateway.request(call(tool), &someone()).await.unwrap_err();
    assert_eq!(fault_code(error), "rate_limited", "the tool's own rate");
    gateway.call("t", "{}", &someone()).await.unwrap();
    let error = gateway.call("t", "{}", &someone()).await.unwrap_err();
    assert_eq!(fault_code(error), "rate_limited", "the server's rate");
    assert_eq!(web.count("tools/call"), 3);
    gateway.end().await;
}

#[tokio::test]
async fn a_tool_has_a_time_out_and_places_of_its_own() {
    let most = Arc::new(AtomicUsize::new(0));
    let (seen_most, now) = (most.clone(), Arc::new(AtomicUsize::new(0)));
    let web = answering(move |seen| {
        let (most, now) = (seen_most.clone(), now.clone());
        async move {
            most.fetch_max(now.fetch_add(1, Ordering::AcqRel) + 1, Ordering::AcqRel);
            tokio::time::sleep(Duration::from_millis(30)).await;
            now.fetch_sub(1, Ordering::AcqRel);
            said(&seen, "x")
        }
    })
    .await;
    let gateway = UpstreamGateway::with(web.spec());
    gateway.recorder.healthy().await;
    let few = handled(ToolHandling { concurrency_max: Some(2), ..ToolHandling::default() });
    let calls = (0..8).map(|_| gateway.request(call(few.clone()), &someone()));
    let answers = futures_util::future::join_all(calls).await;
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(most.load(Ordering::Acquire), 2);
    let short = handled(ToolHandling { timeout: Some(Duration::from_millis(5)), ..ToolHandling::default() });
    let error = gateway.request(call(short), &someone()).await.unwrap_err();
    assert_eq!(fault_code(error), "server_timeout");
    gateway.end().await;
}

#[tokio::test]
async fn an_instance_gets_no_more_than_it_said_it_can_take() {
    let (a, b) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let counting = |most: Arc<AtomicUsize>| {
        let now = Arc::new(AtomicUsize::new(0));
        answering(move |seen| {
            let (most, now) = (most.clone(), now.clone());
            async move {
                most.fetch_max(now.fetch_add(1, Ordering::AcqRel) + 1, Ordering::AcqRel);
                tokio::time::sleep(Duration::from_millis(10)).await;
                now.fetch_sub(1, Ordering::AcqRel);
                said(&seen, "x")
            }
        })
    };
    let (small, large) = (counting(a.clone()).await, counting(b.clone()).await);
    let mut spec = fleet(&[("small", &small), ("large", &large)]);
    if let TransportSpec::Http { instances, .. } = &mut spec.transport {
        instances[0].concurrency_max = Some(2);
    }
    let gateway = UpstreamGateway::with(spec);
    let calls = (0..60).map(|_| gateway.call("t", "{}", &someone()));
    let answers = futures_util::future::join_all(calls).await;
    assert!(answers.iter().all(Result::is_ok));
    assert!((1..=2).contains(&a.load(Ordering::Acquire)), "{a:?}");
    assert!(b.load(Ordering::Acquire) > 2);
    gateway.end().await;
}

#[tokio::test]
async fn a_tool_that_keeps_failing_rests_and_others_do_not() {
    let web = answering(|seen| async move {
        if seen.body["params"]["arguments"]["bad"] == true { empty(500) } else { said(&seen, "x") }
    })
    .await;
    let gateway = UpstreamGateway::with(web.spec());
    gateway.recorder.healthy().await;
    let bad = || ServerRequest { tool: Some(Arc::new(judged("1"))), ..call_of("t", r#"{"bad":true}"#) };
    for _ in 0..5 {
        let error = gateway.request(bad(), &someone()).await.unwrap_err();
        assert_eq!(fault_code(error), "server_refused");
        // The instance answers, so that only the tool has failed in a row.
        gateway.call("other", "{}", &someone()).await.unwrap();
    }
    let error = gateway.request(bad(), &someone()).await.unwrap_err();
    assert_eq!(fault_code(error), "server_resting");
    gateway.call("other", "{}", &someone()).await.unwrap();
    let vitals = gateway.manager.vitals(&name()).unwrap();
    assert!(vitals.tools[0].resting.is_some() && vitals.instances[0].resting.is_none());
    gateway.end().await;
}

#[tokio::test]
async fn a_result_is_used_again_for_whom_it_is_meant() {
    let web = answering(|seen| async move {
        let scope = seen.body["params"]["arguments"]["scope"].clone();
        let result = json!({"resultType": "complete", "cacheScope": scope, "content": [{"type": "text", "text": "x"}]});
        ok(&seen.result(result))
    })
    .await;
    // A server that is shown secrets may know the owner of a result; this one is not shown any.
    let gateway = UpstreamGateway::with(fleet(&[("a", &web)]));
    gateway.recorder.healthy().await;
    let cache = Some(CacheRule { fresh: Duration::from_secs(60), scope: CacheScope::Private });
    let tool = Arc::new(handled(ToolHandling { cache, ..ToolHandling::default() }));
    let ask = |scope: &str, principal: &str| {
        let arguments = format!(r#"{{"scope":"{scope}"}}"#);
        let request = ServerRequest { tool: Some(tool.clone()), ..call_of("t", &arguments) };
        gateway.request(request, &Agent::new(principal, 1).shared())
    };
    assert!(matches!(ask("private", "ann").await.unwrap(), ServerReply::Complete(_)));
    assert!(matches!(ask("private", "ann").await.unwrap(), ServerReply::Cached(_)));
    assert!(matches!(ask("private", "bob").await.unwrap(), ServerReply::Complete(_)));
    assert!(matches!(ask("public", "ann").await.unwrap(), ServerReply::Complete(_)));
    assert!(matches!(ask("public", "bob").await.unwrap(), ServerReply::Cached(_)));
    assert_eq!(web.count("tools/call"), 3);
    gateway.end().await;
}

#[tokio::test]
async fn what_an_instance_said_about_its_tools_is_part_of_their_version() {
    let web = instance("a", "1").await;
    let extra = ToolExtra { capabilities: vec!["text".into()], ..ToolExtra::default() };
    let mut with_extra = definition("1");
    with_extra["_meta"] = json!({"dev.toolgate/tool": {"capabilities": ["text"]}});
    let registered = InstanceSpec {
        id: InstanceId::new("a").unwrap(),
        version: Some("1.2".into()),
        extras: Arc::new([("t".to_owned(), extra)].into()),
        ..InstanceSpec::only(web.url())
    };
    let transport = TransportSpec::Http { instances: vec![registered], headers: Default::default() };
    let gateway = UpstreamGateway::with(ServerSpec { transport, ..web.spec() });
    let state = gateway.recorder.healthy().await;
    assert_eq!(state.instances[0].version.as_deref(), Some("1.2"));
    let listed: Value = gateway.recorder.told().listings[0].tools[0].decode().unwrap();
    assert_eq!(listed, with_extra);
    let tool = Tool { version: version_of(&with_extra), ..judged("1") };
    assert_eq!(text_of(&gateway.request(call(tool), &someone()).await.unwrap()), "a");
    assert_eq!(fault_code(gateway.request(call(judged("1")), &someone()).await.unwrap_err()), "server_down");
    gateway.end().await;
}

/// An instance of the newer era that takes subscriptions to resources.
async fn watchable() -> Web {
    Web::start(|seen| {
        let response = match seen.rpc() {
            "server/discover" => ok(&seen.result(json!({
                "supportedVersions": ["2026-07-28"], "capabilities": {"resources": {"subscribe": true}},
            }))),
            "subscriptions/listen" => {
                let (sender, response) = crate::web::event_stream();
                let acknowledged = json!({
                    "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
                    "params": {"_meta": {"io.modelcontextprotocol/subscriptionId": seen.id()}},
                });
                sender.try_send(crate::web::event(&acknowledged)).unwrap();
                // Held for as long as the client listens.
                tokio::spawn(async move { sender.closed().await });
                response
            }
            _ => ok(&seen.result(json!({"resources": [], "resourceTemplates": []}))),
        };
        std::future::ready(response)
    })
    .await
}

#[tokio::test]
async fn a_resource_is_watched_at_one_instance_and_at_another_when_that_goes() {
    let (a, b) = (watchable().await, watchable().await);
    let gateway = UpstreamGateway::with(fleet(&[("a", &a), ("b", &b)]));
    gateway
        .recorder
        .until("both to be up", |told| {
            told.states.last().is_some_and(|state| {
                let is_well = |one: &toolgate_core::server::InstanceState| {
                    one.health == toolgate_core::server::ServerHealth::Healthy
                };
                state.instances.iter().filter(|one| is_well(one)).count() == 2
            })
        })
        .await;
    assert!(toolgate_core::port::Servers::watch_resource(&*gateway.manager, &name(), "test://a").await);
    let counts = || (a.count("subscriptions/listen"), b.count("subscriptions/listen"));
    eventually("one of them to be asked", || counts().0 + counts().1 == 1).await;
    let (at, other, rest) = if counts().0 == 1 { ("b", &b, &a) } else { ("a", &a, &b) };
    gateway.manager.apply(vec![fleet(&[(at, other)])]);
    eventually("the other to be asked", || other.count("subscriptions/listen") == 1).await;
    assert_eq!(rest.count("subscriptions/listen"), 1);
    gateway.end().await;
}
