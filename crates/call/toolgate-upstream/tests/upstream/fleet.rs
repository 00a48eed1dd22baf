//! Servers that are several instances: sharing, losing one, rolling a new version, coming and going.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::StreamExt;
use http::Response;
use serde_json::{Value, json};
use toolgate_core::id::RunId;
use toolgate_core::port::{AffinityKey, ServerError, ServerReply, ServerRequest};
use toolgate_core::server::{
    Affinity, InstanceId, InstanceSpec, ServerHealth, ServerListing, ServerSpec, TransportSpec,
};
use toolgate_core::tool::version_of;
use toolgate_core::{AuditLevel, CanonicalName, Effects, FaultKind, Tool, ToolHandling};

use crate::kit::{Agent, UpstreamGateway, call_of, eventually, fault_code, name, someone, spec, text_of};
use crate::web::{Body, Seen, Web, empty, ok, reply};

/// The one tool of these servers; its description tells versions apart.
pub(crate) fn definition(description: &str) -> Value {
    json!({"name": "t", "description": description, "inputSchema": {"type": "object"}})
}

/// The basic answers of every instance of the newer era; `tools` are its tools.
pub(crate) fn basics(seen: &Seen, tools: &Value) -> Option<Value> {
    let result = match seen.rpc() {
        "server/discover" => json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
            "ttlMs": 0, "cacheScope": "private",
        }),
        "tools/list" => json!({"resultType": "complete", "tools": tools}),
        _ => return None,
    };
    Some(seen.result(result))
}

pub(crate) fn said(seen: &Seen, text: &str) -> Response<Body> {
    ok(&seen.result(json!({"resultType": "complete", "content": [{"type": "text", "text": text}]})))
}

/// An instance that answers every call with its label.
pub(crate) async fn instance(label: &'static str, description: &'static str) -> Web {
    slow_instance(label, description, Duration::ZERO).await
}

async fn slow_instance(label: &'static str, description: &'static str, pause: Duration) -> Web {
    Web::start(move |seen| async move {
        match basics(&seen, &json!([definition(description)])) {
            Some(body) => ok(&body),
            None if seen.rpc() == "tools/call" => {
                tokio::time::sleep(pause).await;
                said(&seen, label)
            }
            None => reply(404, &seen.error(-32601, Value::Null)),
        }
    })
    .await
}

/// An instance whose calls the test answers.
async fn answering(on_call: impl Fn(&Seen) -> Response<Body> + Send + Sync + 'static) -> Web {
    Web::start(move |seen| {
        let response = match basics(&seen, &json!([definition("1")])) {
            Some(body) => ok(&body),
            None => on_call(&seen),
        };
        std::future::ready(response)
    })
    .await
}

pub(crate) fn fleet(instances: &[(&str, &Web)]) -> ServerSpec {
    let instances = instances
        .iter()
        .map(|(id, web)| InstanceSpec { id: InstanceId::new(id).unwrap(), ..InstanceSpec::only(web.url()) });
    spec(TransportSpec::Http { instances: instances.collect(), headers: BTreeMap::new() })
}

/// The tool as it was judged.
pub(crate) fn judged(description: &str) -> Tool {
    Tool {
        name: CanonicalName::of(&name(), "t"),
        server: name(),
        own: "t".into(),
        version: version_of(&definition(description)),
        effects: Effects::ALL,
        hinted: false,
        idempotent: false,
        audit: AuditLevel::Standard,
        input_schema: None,
        output_schema: None,
        output_check: None,
        handling: ToolHandling::default(),
    }
}

pub(crate) fn call(tool: Tool) -> ServerRequest {
    ServerRequest { tool: Some(Arc::new(tool)), ..call_of("t", "{}") }
}

pub(crate) fn reason_of(error: ServerError) -> String {
    match error {
        ServerError::Fault(fault) => match fault.kind {
            FaultKind::Down { reason } => reason,
            kind => panic!("not down: {kind:?}"),
        },
        ServerError::Rpc(error) => panic!("the server answered: {error}"),
    }
}

pub(crate) fn descriptions(listing: &ServerListing) -> Vec<String> {
    let description = |tool: &toolgate_core::RawJson| {
        tool.decode::<Value>().unwrap()["description"].as_str().unwrap_or_default().to_owned()
    };
    listing.tools.iter().map(description).collect()
}

/// Waits until every instance is healthy.
pub(crate) async fn all_well(gateway: &UpstreamGateway, count: usize) {
    gateway
        .recorder
        .until("every instance to be well", |told| {
            told.states.last().is_some_and(|state| {
                state.instances.len() == count
                    && state.instances.iter().all(|instance| instance.health == ServerHealth::Healthy)
            })
        })
        .await;
}

#[tokio::test]
async fn three_instances_share_the_load() {
    let pause = Duration::from_millis(20);
    let webs = [
        slow_instance("a", "1", pause).await,
        slow_instance("b", "1", pause).await,
        slow_instance("c", "1", pause).await,
    ];
    let gateway = UpstreamGateway::with(fleet(&[("a", &webs[0]), ("b", &webs[1]), ("c", &webs[2])]));
    all_well(&gateway, 3).await;
    let calls = futures_util::stream::iter(0..240).map(|_| gateway.request(call(judged("1")), &someone()));
    let answers: Vec<_> = calls.buffer_unordered(12).collect().await;
    assert!(answers.iter().all(Result::is_ok));
    for web in &webs {
        assert!(web.count("tools/call") > 50, "{} calls came to one of three", web.count("tools/call"));
    }
    assert_eq!(gateway.recorder.told().listings.len(), 1, "three that say the same are one listing");
    let vitals = gateway.manager.vitals(&name()).unwrap();
    assert_eq!((vitals.under_way, vitals.instances.len(), vitals.latency.count), (0, 3, 240));
    assert_eq!((&*vitals.tools[0].own, vitals.tools[0].latency.count), ("t", 240));
    gateway.end().await;
}

#[tokio::test]
async fn a_killed_instance_takes_no_call_with_it_that_had_not_reached_it() {
    let pause = Duration::from_millis(5);
    let a = slow_instance("a", "1", pause).await;
    let b = slow_instance("b", "1", pause).await;
    let c = slow_instance("c", "1", pause).await;
    let gateway = UpstreamGateway::with(fleet(&[("a", &a), ("b", &b), ("c", &c)]));
    all_well(&gateway, 3).await;
    let at_once = 16;
    let mut a = Some(a);
    let mut calls = futures_util::stream::iter(0..600)
        .map(|_| gateway.request(call(judged("1")), &someone()))
        .buffer_unordered(at_once);
    let (mut done, mut lost) = (0, 0);
    while let Some(answer) = calls.next().await {
        done += 1;
        if done == 100 {
            drop(a.take());
        }
        match answer {
            Ok(_) => {}
            // It was on its way to the instance that died, and its outcome is unknown.
            Err(error) => {
                assert_eq!(fault_code(error), "server_lost");
                lost += 1;
            }
        }
    }
    assert!(lost < at_once, "{lost} calls were lost");
    assert_eq!(done, 600);
    drop(calls);
    gateway.end().await;
}

#[tokio::test]
async fn a_new_version_rolls_and_each_call_goes_where_its_version_is() {
    let old = instance("old", "1").await;
    let new = instance("new", "2").await;
    let gateway = UpstreamGateway::with(fleet(&[("a", &old)]));
    all_well(&gateway, 1).await;
    assert_eq!(text_of(&gateway.request(call(judged("1")), &someone()).await.unwrap()), "old");
    let error = gateway.request(call(judged("2")), &someone()).await.unwrap_err();
    assert_eq!(reason_of(error), "no instance offers the version that was reviewed");

    gateway.manager.apply(vec![fleet(&[("a", &old), ("b", &new)])]);
    let both = gateway.recorder.until("both versions", |told| {
        told.listings.last().is_some_and(|listing| descriptions(listing) == ["2", "1"])
    });
    assert!(both.await.listings.last().unwrap().conflicts.is_empty());
    for _ in 0..10 {
        assert_eq!(text_of(&gateway.request(call(judged("1")), &someone()).await.unwrap()), "old");
        assert_eq!(text_of(&gateway.request(call(judged("2")), &someone()).await.unwrap()), "new");
    }
    assert_eq!(old.count("server/discover"), 1, "the old one was not disturbed");

    gateway.manager.apply(vec![fleet(&[("b", &new)])]);
    gateway
        .recorder
        .until("the new version alone", |told| {
            told.listings.last().is_some_and(|listing| descriptions(listing) == ["2"])
        })
        .await;
    let error = gateway.request(call(judged("1")), &someone()).await.unwrap_err();
    assert_eq!(reason_of(error), "no instance offers the version that was reviewed");
    gateway.end().await;
}

#[tokio::test]
async fn an_instance_that_keeps_failing_rests_and_is_tried_again_by_one() {
    let well = Arc::new(AtomicBool::new(false));
    let healed = well.clone();
    let ill =
        answering(move |seen| if healed.load(Ordering::Acquire) { said(seen, "ill") } else { empty(500) })
            .await;
    let fit = instance("fit", "1").await;
    let gateway = UpstreamGateway::with(fleet(&[("ill", &ill), ("fit", &fit)]));
    all_well(&gateway, 2).await;
    let mut refused = 0;
    for _ in 0..100 {
        match gateway.request(call_of("t", "{}"), &someone()).await {
            Ok(reply) => assert_eq!(text_of(&reply), "fit"),
            Err(error) => {
                assert_eq!(fault_code(error), "server_refused");
                refused += 1;
            }
        }
    }
    assert_eq!(refused, 5, "then it was left alone");
    let resting = |vitals: toolgate_upstream::ServerVitals| vitals.instances[1].resting.is_some();
    assert!(resting(gateway.manager.vitals(&name()).unwrap()));
    well.store(true, Ordering::Release);
    let back = async {
        while ill.count("tools/call") < 10 {
            gateway.request(call_of("t", "{}"), &someone()).await.unwrap();
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(crate::kit::LIMIT, back).await.unwrap();
    assert!(!resting(gateway.manager.vitals(&name()).unwrap()));
    gateway.end().await;
}

#[tokio::test]
async fn an_only_instance_that_keeps_failing_is_left_alone() {
    let web = answering(|_| empty(503)).await;
    let gateway = UpstreamGateway::with(web.spec());
    gateway.recorder.healthy().await;
    for _ in 0..5 {
        let error = gateway.call("t", "{}", &someone()).await.unwrap_err();
        assert_eq!(fault_code(error), "server_refused");
    }
    let error = gateway.call("t", "{}", &someone()).await.unwrap_err();
    assert_eq!(fault_code(error), "server_resting");
    assert_eq!(web.count("tools/call"), 5);
    gateway.end().await;
}

#[tokio::test]
async fn calls_that_are_lost_together_are_one_failure() {
    let (release, held) = tokio::sync::watch::channel(false);
    let web = Web::start(move |seen| {
        let mut held = held.clone();
        async move {
            match basics(&seen, &json!([definition("1")])) {
                Some(body) => ok(&body),
                None if seen.body["params"]["arguments"]["last"] == true => said(&seen, "there"),
                None => {
                    held.wait_for(|released| *released).await.unwrap();
                    // The stream ends without the answer.
                    crate::web::events(&[])
                }
            }
        }
    })
    .await;
    let gateway = UpstreamGateway::with(web.spec());
    gateway.recorder.healthy().await;
    let calls =
        futures_util::future::join_all((0..10).map(|_| gateway.request(call(judged("1")), &someone())));
    let release = async {
        web.until("ten calls", |seen| seen.iter().filter(|seen| seen.rpc() == "tools/call").count() == 10)
            .await;
        release.send(true).unwrap();
    };
    let (lost, ()) = tokio::join!(calls, release);
    assert!(lost.into_iter().all(|outcome| fault_code(outcome.unwrap_err()) == "server_lost"));
    let last = ServerRequest { tool: Some(Arc::new(judged("1"))), ..call_of("t", r#"{"last":true}"#) };
    assert_eq!(text_of(&gateway.request(last, &someone()).await.unwrap()), "there");
    gateway.end().await;
}

#[tokio::test]
async fn calls_of_the_newer_era_stick_to_no_instance() {
    let (a, b) = (instance("a", "1").await, instance("b", "1").await);
    let gateway = UpstreamGateway::with(fleet(&[("a", &a), ("b", &b)]));
    all_well(&gateway, 2).await;
    for _ in 0..60 {
        gateway.request(call(judged("1")), &someone()).await.unwrap();
    }
    assert!(a.count("tools/call") > 5 && b.count("tools/call") > 5);
    gateway.end().await;
}

/// A server of the older era, with session ids.
async fn older(label: &'static str) -> Web {
    Web::start(move |seen| {
        let response = match seen.rpc() {
            "initialize" => {
                let result = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}});
                let mut response = ok(&seen.result(result));
                response.headers_mut().insert("mcp-session-id", label.parse().unwrap());
                response
            }
            "server/discover" => reply(400, &seen.error(-32000, Value::Null)),
            "tools/list" => ok(&seen.result(json!({"tools": [definition("1")]}))),
            "tools/call" => said(&seen, label),
            "notifications/initialized" => empty(202),
            _ => empty(405),
        };
        std::future::ready(response)
    })
    .await
}

/// The distribution of 300 calls, made one after the other.
async fn shares(
    gateway: &UpstreamGateway,
    calls: impl Fn(usize) -> ServerRequest,
) -> BTreeMap<String, usize> {
    let caller = someone();
    let mut shares = BTreeMap::new();
    for at in 0..300 {
        let text = text_of(&gateway.request(calls(at), &caller).await.unwrap());
        *shares.entry(text).or_default() += 1;
    }
    shares
}

fn of_run(at: usize, runs: usize) -> ServerRequest {
    let run = RunId::new(format!("run_{}", at % runs));
    ServerRequest { belongs_to: Some(AffinityKey::Run(run)), ..call(judged("1")) }
}

#[tokio::test]
async fn one_principal_is_served_by_all_instances_though_they_give_session_ids() {
    let (a, b, c) = (older("a").await, older("b").await, older("c").await);
    let gateway = UpstreamGateway::with(fleet(&[("a", &a), ("b", &b), ("c", &c)]));
    all_well(&gateway, 3).await;
    let shares = shares(&gateway, |_| call(judged("1"))).await;
    assert!(shares.len() == 3 && shares.values().all(|share| *share > 20), "{shares:?}");
    gateway.end().await;
}

#[tokio::test]
async fn the_calls_of_a_run_stay_together_and_runs_spread() {
    let (a, b, c) = (older("a").await, older("b").await, older("c").await);
    let gateway = UpstreamGateway::with(fleet(&[("a", &a), ("b", &b), ("c", &c)]));
    all_well(&gateway, 3).await;
    let mut homes = BTreeMap::new();
    for at in 0..300 {
        let text = text_of(&gateway.request(of_run(at, 30), &someone()).await.unwrap());
        let home = homes.entry(at % 30).or_insert_with(|| text.clone());
        assert_eq!(*home, text, "run {}", at % 30);
    }
    assert!(["a", "b", "c"].iter().all(|label| homes.values().any(|home| home == label)), "{homes:?}");
    gateway.end().await;
}

#[tokio::test]
async fn without_affinity_the_calls_of_a_run_spread_too() {
    let (a, b) = (older("a").await, older("b").await);
    let spec = ServerSpec { affinity: Affinity::None, ..fleet(&[("a", &a), ("b", &b)]) };
    let gateway = UpstreamGateway::with(spec);
    all_well(&gateway, 2).await;
    let shares = shares(&gateway, |at| of_run(at, 1)).await;
    assert!(shares.len() == 2 && shares.values().all(|share| *share > 20), "{shares:?}");
    gateway.end().await;
}

#[tokio::test]
async fn a_slower_instance_gets_less_also_of_calls_that_come_one_by_one() {
    let pause = Duration::from_millis(60);
    let (a, b) = (instance("a", "1").await, slow_instance("b", "1", pause).await);
    let gateway = UpstreamGateway::with(fleet(&[("a", &a), ("b", &b)]));
    all_well(&gateway, 2).await;
    let shares = shares(&gateway, |_| call(judged("1"))).await;
    let slow = shares.get("b").copied().unwrap_or_default();
    assert!(slow < 100 && shares["a"] > 200, "{shares:?}");
    gateway.end().await;
}

#[tokio::test]
async fn a_session_of_the_older_era_stays_where_it_was_opened_while_that_lives() {
    let (a, b) = (older("a").await, older("b").await);
    let spec = ServerSpec { affinity: Affinity::Principal, ..fleet(&[("a", &a), ("b", &b)]) };
    let gateway = UpstreamGateway::with(spec);
    all_well(&gateway, 2).await;
    let mut homes = BTreeMap::new();
    for round in 0..5 {
        for principal in 0..20u64 {
            let caller = Agent::new(&format!("p{principal}"), principal).shared();
            let text = text_of(&gateway.request(call(judged("1")), &caller).await.unwrap());
            let home = homes.entry(principal).or_insert_with(|| text.clone());
            assert_eq!(*home, text, "principal {principal} in round {round}");
        }
    }
    assert!(homes.values().any(|home| home == "a") && homes.values().any(|home| home == "b"));
    drop(a);
    for principal in 0..20u64 {
        let caller = Agent::new(&format!("p{principal}"), principal).shared();
        let again = async {
            // An open session there may be found lost once.
            loop {
                match gateway.request(call(judged("1")), &caller).await {
                    Ok(reply) => return text_of(&reply),
                    Err(error) => assert_eq!(fault_code(error), "server_lost"),
                }
            }
        };
        assert_eq!(tokio::time::timeout(crate::kit::LIMIT, again).await.unwrap(), "b");
    }
    gateway.end().await;
}

#[tokio::test]
async fn a_task_is_asked_for_where_it_was_made() {
    let made = Arc::new(AtomicUsize::new(0));
    let web = |label: &'static str| {
        let made = made.clone();
        answering(move |seen| match seen.rpc() {
            "tools/call" => {
                let number = made.fetch_add(1, Ordering::AcqRel);
                ok(&seen.result(json!({"resultType": "task", "taskId": format!("{label}-{number}")})))
            }
            _ if seen.body["params"]["taskId"].as_str().unwrap().starts_with(label) => said(seen, label),
            _ => reply(400, &seen.error(-32602, Value::Null)),
        })
    };
    let (a, b) = (web("a").await, web("b").await);
    let gateway = UpstreamGateway::with(fleet(&[("a", &a), ("b", &b)]));
    all_well(&gateway, 2).await;
    for _ in 0..20 {
        let ServerReply::Task(result) = gateway.request(call(judged("1")), &someone()).await.unwrap() else {
            panic!("not a task");
        };
        let id = result.decode::<Value>().unwrap()["taskId"].as_str().unwrap().to_owned();
        let request = ServerRequest {
            name: Some(id.clone()),
            ..ServerRequest::new("tasks/get", format!(r#""taskId":"{id}""#))
        };
        let reply = gateway.request(request, &someone()).await.unwrap();
        assert_eq!(text_of(&reply), id[..1]);
    }
    assert!(a.count("tools/call") > 0 && b.count("tools/call") > 0);
    gateway.end().await;
}

#[tokio::test]
async fn a_server_without_instances_is_known_and_away() {
    let gateway = UpstreamGateway::with(fleet(&[]));
    assert_eq!(gateway.recorder.degraded().await, "no instance holds a lease");
    let error = gateway.call("t", "{}", &someone()).await.unwrap_err();
    assert_eq!(reason_of(error), "no instance holds a lease");
    let web = instance("a", "1").await;
    gateway.manager.apply(vec![fleet(&[("a", &web)])]);
    assert_eq!(gateway.text("t", &someone()).await, "a");
    let listed = gateway.recorder.until("a listing", |told| !told.listings.is_empty()).await;
    gateway.manager.apply(vec![fleet(&[])]);
    assert_eq!(gateway.recorder.degraded().await, "no instance holds a lease");
    assert_eq!(gateway.recorder.told().listings.len(), listed.listings.len(), "its tools stay listed");
    gateway.end().await;
}

#[tokio::test]
async fn what_did_not_change_is_not_touched_and_what_left_finishes_first() {
    let (kept, other) = (instance("kept", "1").await, instance("other", "1").await);
    let slow = slow_instance("slow", "1", Duration::from_millis(300)).await;
    let named = |text: &str, web: &Web| ServerSpec {
        name: toolgate_core::ServerName::new(text).unwrap(),
        ..fleet(&[("a", web)])
    };
    let gateway = UpstreamGateway::with(named("kept", &kept));
    let manager = gateway.manager.clone();
    let request = |server: &str| {
        let server = toolgate_core::ServerName::new(server).unwrap();
        toolgate_core::port::Servers::request(&*manager, &server, call_of("t", "{}"), someone())
    };
    manager.apply(vec![named("kept", &kept), named("slow", &slow)]);
    assert_eq!(text_of(&request("kept").await.unwrap()), "kept");
    assert_eq!(text_of(&request("slow").await.unwrap()), "slow");

    let under_way = tokio::spawn(request("slow"));
    slow.until("the second call", |seen| seen.iter().filter(|seen| seen.rpc() == "tools/call").count() == 2)
        .await;
    manager.apply(vec![named("kept", &kept), named("other", &other)]);
    assert!(reason_of(request("slow").await.unwrap_err()).contains("no server of this name"));
    assert_eq!(text_of(&under_way.await.unwrap().unwrap()), "slow", "what was under way finished");
    assert_eq!(text_of(&request("other").await.unwrap()), "other");

    let limited = ServerSpec { concurrency_max: 3, ..named("kept", &kept) };
    manager.apply(vec![limited.clone()]);
    assert_eq!(text_of(&request("kept").await.unwrap()), "kept");
    assert_eq!(kept.count("server/discover"), 1, "it was connected once and for all");
    manager.apply(vec![ServerSpec { timeout: Duration::from_secs(7), ..limited }]);
    assert_eq!(text_of(&request("kept").await.unwrap()), "kept");
    eventually("a new connection with the new limits", || kept.count("server/discover") == 2).await;
    gateway.end().await;
}

#[tokio::test]
async fn two_definitions_of_one_name_in_one_reading_are_a_conflict() {
    let web = Web::start(|seen| {
        let tools = json!([definition("1"), {"name": "u"}, definition("2")]);
        std::future::ready(basics(&seen, &tools).map_or_else(|| said(&seen, "x"), |body| ok(&body)))
    })
    .await;
    let gateway = UpstreamGateway::with(web.spec());
    let told = gateway.recorder.until("a listing", |told| !told.listings.is_empty()).await;
    assert_eq!(told.listings[0].conflicts, ["t"]);
    assert_eq!(descriptions(&told.listings[0]), ["1", "", "2"]);
    let error = gateway.request(call(judged("1")), &someone()).await.unwrap_err();
    assert_eq!(reason_of(error), "no instance offers the version that was reviewed");
    gateway.end().await;
}

#[tokio::test]
async fn a_list_that_differs_each_time_is_noticed_without_being_announced() {
    let readings = AtomicUsize::new(0);
    let web = Web::start(move |seen| {
        let reading = if seen.rpc() == "tools/list" { readings.fetch_add(1, Ordering::AcqRel) } else { 0 };
        let tools = json!([definition(&reading.to_string())]);
        std::future::ready(basics(&seen, &tools).map_or_else(|| said(&seen, "x"), |body| ok(&body)))
    })
    .await;
    let gateway = UpstreamGateway::with(web.spec());
    let told = gateway.recorder.until("the second reading", |told| told.listings.len() == 2).await;
    assert_eq!(descriptions(&told.listings[0]), ["0"]);
    assert_eq!(descriptions(&told.listings[1]), ["1"]);
    gateway.end().await;
}
