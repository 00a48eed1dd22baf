//! Servers that are child processes.

use std::time::Duration;

use toolgate_core::port::{AskKind, ServerError, Servers};
use toolgate_core::server::{Era, Isolation, ServerHealth, ServerSpec, ServerState, TransportSpec};
use toolgate_core::{FaultKind, MessageLimits, PrincipalId};

use crate::kit::{
    Agent, UpstreamGateway, call_of, eventually, fault_code, name, result_of, runs, someone, text_of,
};
use crate::neighbour::{child, child_with};

#[tokio::test]
async fn a_legacy_server_is_found_listed_and_called() {
    let gateway = UpstreamGateway::with(child("legacy"));
    let state = gateway.recorder.healthy().await;
    assert_eq!(
        (state.era, state.protocol_version.as_deref(), state.transport),
        (Some(Era::Legacy), Some("2025-06-18"), Some("stdio"))
    );
    let told = gateway.recorder.told();
    let listing = &told.listings[0];
    assert_eq!(listing.tools.len(), 21, "all pages are read");
    assert!(listing.tools[0].as_str().contains("1.1"), "definitions stay as they came");
    assert_eq!(listing.instructions.as_deref(), Some("be kind"));
    assert_eq!(told.remembered, Some((Era::Legacy, "2025-06-18".into())));
    let declared = told.stderr.iter().find(|line| line.starts_with("capabilities")).unwrap();
    assert!(declared.contains("elicitation") && declared.contains("sampling") && declared.contains("roots"));
    let reply = gateway.call("echo", r#"{"n":12345678901234567890123}"#, &someone()).await.unwrap();
    assert!(result_of(&reply).as_str().contains("12345678901234567890123"));
    gateway.end().await;
}

#[tokio::test]
async fn a_modern_server_is_found_and_subscribed_to() {
    let gateway = UpstreamGateway::with(child("modern"));
    let state = gateway.recorder.healthy().await;
    assert_eq!((state.era, state.protocol_version.as_deref()), (Some(Era::Modern), Some("2026-07-28")));
    assert_eq!(gateway.text("echo", &someone()).await, "echo");
    gateway
        .recorder
        .until("a subscription", |told| told.stderr.iter().any(|line| line.contains("toolsListChanged")))
        .await;
    drop(gateway.manager.watch_resource(&name(), "test://a"));
    gateway
        .recorder
        .until("the new subscription and the end of the old", |told| {
            told.stderr.iter().any(|line| line.contains("test://a"))
                && told.stderr.iter().any(|line| line.starts_with("cancelled"))
        })
        .await;
    gateway.call("touch", r#"{"uri":"test://a"}"#, &someone()).await.unwrap();
    gateway.recorder.until("the update", |told| told.updated == ["test://a"]).await;
    gateway.end().await;
}

#[tokio::test]
async fn a_server_that_dies_of_the_probe_is_started_again_in_the_older_era() {
    let gateway = UpstreamGateway::with(child("fragile"));
    assert_eq!(gateway.recorder.healthy().await.era, Some(Era::Legacy));
    assert_eq!(gateway.text("echo", &someone()).await, "echo");
    gateway.end().await;
}

#[tokio::test]
async fn a_server_that_ignores_the_probe_is_of_the_older_era() {
    let gateway = UpstreamGateway::with(child("silent"));
    assert_eq!(gateway.recorder.healthy().await.era, Some(Era::Legacy));
    gateway.end().await;
}

#[tokio::test]
async fn a_remembered_era_that_is_wrong_is_corrected() {
    for (kind, remembered, found) in
        [("modern", Era::Legacy, Era::Modern), ("legacy", Era::Modern, Era::Legacy)]
    {
        let gateway = UpstreamGateway::remembering(child(kind), Some(remembered), MessageLimits::default());
        assert_eq!(gateway.recorder.healthy().await.era, Some(found));
        gateway.end().await;
    }
}

#[tokio::test]
async fn an_unknown_version_is_refused_with_a_reason() {
    let gateway = UpstreamGateway::with(child("alien"));
    assert!(gateway.recorder.degraded().await.contains("1999-01-01"));
    gateway.end().await;
}

#[tokio::test]
async fn a_command_that_does_not_exist_is_named() {
    let mut spec = child("legacy");
    let TransportSpec::Stdio { command, .. } = &mut spec.transport else { unreachable!() };
    "no-such-program".clone_into(command);
    let gateway = UpstreamGateway::with(spec);
    assert_eq!(
        gateway.recorder.degraded().await,
        "could not start \"no-such-program\": No such file or directory; is it installed and on PATH?"
    );
    let error = gateway.call("echo", "{}", &someone()).await.unwrap_err();
    assert_eq!(fault_code(error), "server_down");
    gateway.end().await;
}

#[tokio::test]
async fn a_server_that_ends_at_once_leaves_its_last_words() {
    let gateway = UpstreamGateway::with(child("stillborn"));
    assert_eq!(
        gateway.recorder.degraded().await,
        "exited with status 1 right after start; last stderr line: cannot find my configuration"
    );
    gateway.end().await;
}

#[tokio::test]
async fn the_environment_holds_only_what_was_given() {
    let gateway = UpstreamGateway::with(child_with("legacy", &[("GIVEN", "yes")]));
    let env: std::collections::BTreeMap<String, String> =
        serde_json::from_str(&gateway.text("env", &someone()).await).unwrap();
    assert_eq!(env.get("GIVEN").map(String::as_str), Some("yes"));
    assert!(env.contains_key("PATH"));
    assert!(!env.contains_key("SECRET") && !env.contains_key("CARGO_MANIFEST_DIR"), "{env:?}");
    gateway.end().await;
}

#[tokio::test]
async fn progress_reaches_only_a_caller_that_wants_it() {
    let gateway = UpstreamGateway::with(child("legacy"));
    let keen = Agent { wants_progress: true, ..Agent::new("a", 1) }.shared();
    let token = gateway.text("progress", &keen).await;
    let heard = keen.heard.lock().progress.clone();
    assert_eq!(heard.len(), 3);
    assert!(
        heard[2].contains(&format!(r#""progressToken": {token}"#)) && heard[2].contains(r#""progress": 2"#)
    );
    let quiet = someone();
    assert_eq!(gateway.text("progress", &quiet).await, "null");
    assert!(quiet.heard.lock().progress.is_empty());
    gateway.end().await;
}

#[tokio::test]
async fn a_dropped_call_and_a_late_one_are_cancelled_at_the_server() {
    let gateway =
        UpstreamGateway::with(ServerSpec { timeout: Duration::from_millis(300), ..child("legacy") });
    gateway.recorder.healthy().await;
    let error = gateway.call("hang", "{}", &someone()).await.unwrap_err();
    assert!(
        matches!(&error, ServerError::Fault(fault) if matches!(fault.kind, FaultKind::TimedOut { .. })),
        "{error}"
    );
    gateway.recorder.until("the first cancellation", |told| cancellations(&told.stderr) == 1).await;
    let dropped = gateway.call("hang", "{}", &someone());
    drop(tokio::time::timeout(Duration::from_millis(50), dropped).await);
    gateway.recorder.until("the second cancellation", |told| cancellations(&told.stderr) == 2).await;
    assert_eq!(gateway.text("echo", &someone()).await, "echo");
    gateway.end().await;
}

fn cancellations(stderr: &[String]) -> usize {
    stderr.iter().filter(|line| line.starts_with("cancelled")).count()
}

#[tokio::test]
async fn too_large_an_answer_fails_its_call_and_nothing_else() {
    let limits = MessageLimits { result_bytes_max: 100_000, ..MessageLimits::default() };
    let gateway = UpstreamGateway::remembering(child("legacy"), None, limits);
    let pid = gateway.recorder.healthy().await.pid;
    for tool in ["big", "big_late_id"] {
        let other = tokio::spawn(gateway.call("hang", "{}", &someone()));
        let error = gateway.call(tool, r#"{"bytes":5000000}"#, &someone()).await.unwrap_err();
        assert_eq!(fault_code(error), "result_too_large");
        assert_eq!(gateway.text("echo", &someone()).await, "echo");
        assert!(!other.is_finished());
        other.abort();
    }
    gateway.call("big", r#"{"bytes":99000}"#, &someone()).await.unwrap();
    assert_eq!(gateway.recorder.healthy().await.pid, pid, "the connection survived");
    gateway.end().await;
}

#[tokio::test]
async fn too_large_an_answer_that_names_no_call_fails_only_the_one_it_must_be_for() {
    let limits = MessageLimits { result_bytes_max: 100_000, ..MessageLimits::default() };
    let gateway = UpstreamGateway::remembering(child("legacy"), None, limits);
    gateway.recorder.healthy().await;
    let large = r#"{"bytes":5000000}"#;
    let error = gateway.call("big_nameless", large, &someone()).await.unwrap_err();
    assert_eq!(fault_code(error), "result_too_large");
    let calls = ["hang", "big_nameless"].map(|tool| tokio::spawn(gateway.call(tool, large, &someone())));
    let sent = |stderr: &[String]| stderr.iter().filter(|line| *line == "sent").count();
    gateway.recorder.until("the answer", |told| sent(&told.stderr) == 2).await;
    assert_eq!(gateway.text("echo", &someone()).await, "echo");
    assert!(calls.iter().all(|call| !call.is_finished()));
    calls.iter().for_each(tokio::task::JoinHandle::abort);
    gateway.end().await;
}

#[tokio::test]
async fn a_server_that_exits_in_a_call_loses_it_and_is_started_again() {
    let gateway = UpstreamGateway::with(child("legacy"));
    let first = gateway.recorder.healthy().await;
    for (restarts, tool, said) in [(1, "exit", "exited with status 3"), (2, "half", "exited with status 0")] {
        let error = gateway.call(tool, "{}", &someone()).await.unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
        assert_eq!(fault_code(error), "server_lost");
        let down = gateway.call("echo", "{}", &someone()).await.unwrap_err();
        assert_eq!(fault_code(down), "server_down");
        let well = |state: &ServerState| state.restarts == restarts && state.health == ServerHealth::Healthy;
        gateway.recorder.until("the restart", |told| told.states.last().is_some_and(well)).await;
    }
    let state = gateway.recorder.healthy().await;
    assert_ne!(state.pid, first.pid);
    assert_eq!(gateway.text("echo", &someone()).await, "echo");
    gateway.end().await;
}

#[tokio::test]
async fn answers_nobody_asked_for_are_ignored() {
    let gateway = UpstreamGateway::with(child("legacy"));
    assert_eq!(gateway.text("stray", &someone()).await, "first");
    assert_eq!(gateway.text("nonsense", &someone()).await, "still here");
    assert_eq!(gateway.text("echo", &someone()).await, "echo");
    gateway.end().await;
}

#[tokio::test]
async fn an_answer_that_nests_too_deep_is_garbled() {
    let gateway = UpstreamGateway::with(child("legacy"));
    assert_eq!(fault_code(gateway.call("deep", "{}", &someone()).await.unwrap_err()), "server_garbled");
    assert_eq!(gateway.text("echo", &someone()).await, "echo");
    gateway.end().await;
}

#[tokio::test]
async fn a_flood_of_notifications_delays_no_answer_for_long() {
    let gateway = UpstreamGateway::with(child("legacy"));
    let caller = someone();
    assert_eq!(gateway.text("flood", &caller).await, "after the flood");
    assert_eq!(caller.heard.lock().logs, 20_000);
    gateway.end().await;
}

#[tokio::test]
async fn an_endless_list_is_cut_short_and_nameless_entries_are_skipped() {
    let gateway = UpstreamGateway::with(child("endless"));
    let state = gateway.recorder.healthy().await;
    let reason = state.reason.unwrap();
    assert!(reason.contains("repeats a cursor") && reason.contains("4 entries"), "{reason}");
    gateway.end().await;
    let gateway = UpstreamGateway::with(child("empty"));
    let state = gateway.recorder.healthy().await;
    assert_eq!(
        (state.health, state.reason.as_deref()),
        (ServerHealth::Healthy, Some("it is connected but lists no tools"))
    );
    gateway.end().await;
}

#[tokio::test]
async fn a_changed_list_is_read_again() {
    let gateway = UpstreamGateway::with(child_with("legacy", &[("GROWS", "1")]));
    gateway.recorder.healthy().await;
    gateway.text("change", &someone()).await;
    let told = gateway.recorder.until("the new list", |told| told.listings.len() == 2).await;
    assert_eq!(told.listings[1].tools.len(), told.listings[0].tools.len() + 1);
    gateway.end().await;
}

#[tokio::test]
async fn resources_are_subscribed_to_once_and_again_after_a_restart() {
    let gateway = UpstreamGateway::with(child("legacy"));
    gateway.recorder.healthy().await;
    drop(gateway.manager.watch_resource(&name(), "test://a"));
    drop(gateway.manager.watch_resource(&name(), "test://a"));
    let subscriptions =
        |stderr: &[String]| stderr.iter().filter(|line| line.starts_with("resources/subscribe")).count();
    gateway.recorder.until("the subscription", |told| subscriptions(&told.stderr) == 1).await;
    gateway.call("touch", r#"{"uri":"test://a"}"#, &someone()).await.unwrap();
    gateway.recorder.until("the update", |told| told.updated.len() == 1).await;
    drop(gateway.call("exit", "{}", &someone()).await);
    gateway.recorder.until("the second subscription", |told| subscriptions(&told.stderr) == 2).await;
    gateway.manager.unwatch_resource(&name(), "test://a");
    gateway.manager.unwatch_resource(&name(), "test://a");
    gateway
        .recorder
        .until("the unsubscription", |told| {
            told.stderr.iter().any(|line| line.starts_with("resources/unsubscribe"))
        })
        .await;
    gateway.end().await;
}

#[tokio::test]
async fn a_server_says_which_resources_it_watches() {
    for kind in ["legacy", "modern"] {
        let gateway = UpstreamGateway::with(child(kind));
        gateway.recorder.healthy().await;
        let watch = |uri: &str| gateway.manager.watch_resource(&name(), uri);
        assert!(watch("test://a").await, "{kind}");
        for refused in ["test://refused", "test://poison"] {
            assert!(!watch(refused).await, "{kind}: {refused}");
            gateway.manager.unwatch_resource(&name(), refused);
        }
        assert!(watch("test://b").await, "{kind}");
        gateway.call("touch", r#"{"uri":"test://a"}"#, &someone()).await.unwrap();
        gateway.recorder.until("the update", |told| told.updated == ["test://a"]).await;
        gateway.end().await;
    }
}

#[tokio::test]
async fn a_server_without_subscriptions_watches_nothing() {
    for kind in ["legacy", "modern"] {
        let gateway = UpstreamGateway::with(child_with(kind, &[("TAKES_NONE", "1")]));
        gateway.recorder.healthy().await;
        assert!(!gateway.manager.watch_resource(&name(), "test://a").await, "{kind}");
        gateway.end().await;
    }
}

#[tokio::test]
async fn the_log_level_and_changed_roots_are_passed_on() {
    let gateway = UpstreamGateway::with(child("legacy"));
    gateway.recorder.healthy().await;
    gateway.manager.set_log_level("debug");
    gateway.manager.roots_changed();
    gateway
        .recorder
        .until("both", |told| {
            told.stderr.iter().any(|line| line == r#"logging/setLevel {"level": "debug"}"#)
                && told.stderr.iter().any(|line| line == "notifications/roots/list_changed")
        })
        .await;
    gateway.end().await;
}

#[tokio::test]
async fn the_whole_process_group_ends_with_the_gateway() {
    let gateway = UpstreamGateway::with(child("legacy"));
    let pids: Vec<u32> = serde_json::from_str(&gateway.text("fork", &someone()).await).unwrap();
    eventually("the whole group", || pids.iter().all(|pid| runs(*pid))).await;
    gateway.end().await;
    eventually("the end of the group", || pids.iter().all(|pid| !runs(*pid))).await;
}

#[tokio::test]
async fn the_rest_of_a_group_ends_with_its_leader() {
    let gateway = UpstreamGateway::with(child("legacy"));
    let pids: Vec<u32> = serde_json::from_str(&gateway.text("fork", &someone()).await).unwrap();
    drop(gateway.call("exit", "{}", &someone()).await);
    eventually("the end of the group", || pids.iter().all(|pid| !runs(*pid))).await;
    gateway.end().await;
}

#[tokio::test]
async fn a_child_that_will_not_end_is_killed() {
    let gateway = UpstreamGateway::with(child("stubborn"));
    let pid = gateway.recorder.healthy().await.pid.unwrap();
    gateway.end().await;
    assert!(!runs(pid));
}

#[tokio::test]
async fn each_principal_has_a_child_of_its_own_where_asked_for() {
    let gateway = UpstreamGateway::with(ServerSpec { isolation: Isolation::Principal, ..child("legacy") });
    let (anna, bert) = (Agent::new("anna", 1).shared(), Agent::new("bert", 2).shared());
    assert_eq!(gateway.text("count", &anna).await, "1");
    assert_eq!(gateway.text("count", &anna).await, "2");
    assert_eq!(gateway.text("count", &bert).await, "1");
    let other_client_of_anna = Agent::new("anna", 3).shared();
    assert_eq!(gateway.text("count", &other_client_of_anna).await, "3");
    gateway.end().await;
}

#[tokio::test]
async fn what_a_child_says_between_calls_is_for_its_principal() {
    for (isolation, owner) in
        [(Isolation::Principal, Some(PrincipalId::new("anna"))), (Isolation::Shared, None)]
    {
        let gateway = UpstreamGateway::with(ServerSpec { isolation, ..child("legacy") });
        gateway.text("late", &Agent::new("anna", 1).shared()).await;
        let told = gateway.recorder.until("the question", |told| !told.asked.is_empty()).await;
        assert_eq!(told.logged[0].0, owner);
        assert_eq!(told.asked, [(owner, AskKind::Roots)]);
        gateway.end().await;
    }
}

#[tokio::test]
async fn each_call_waits_for_a_child_of_its_own_no_longer_than_it_may() {
    let folder = tempfile::tempdir().unwrap();
    let gate = folder.path().join("gate");
    let gateway = UpstreamGateway::with(ServerSpec {
        isolation: Isolation::Principal,
        timeout: Duration::from_millis(500),
        ..child_with("legacy", &[("GATE", gate.to_str().unwrap())])
    });
    gateway.recorder.healthy().await;
    let caller = Agent::new("anna", 1).shared();
    let began = std::time::Instant::now();
    let calls: Vec<_> = (0..10).map(|_| gateway.call("echo", "{}", &caller)).collect();
    for outcome in futures_util::future::join_all(calls).await {
        let error = outcome.unwrap_err();
        assert!(
            matches!(&error, ServerError::Fault(fault) if matches!(fault.kind, FaultKind::TimedOut { .. })),
            "{error}"
        );
    }
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    std::fs::write(&gate, "").unwrap();
    let answered = async { while gateway.call("echo", "{}", &caller).await.is_err() {} };
    tokio::time::timeout(crate::kit::LIMIT, answered).await.unwrap();
    let starts = gateway.recorder.told().stderr.iter().filter(|line| *line == "at the gate").count();
    assert_eq!(starts, 1, "the child that was slow to start is the one that answers");
    gateway.end().await;
}

#[tokio::test]
async fn more_calls_than_places_and_queue_are_busy() {
    let gateway = UpstreamGateway::with(ServerSpec { concurrency_max: 2, ..child("legacy") });
    gateway.recorder.healthy().await;
    let hanging: Vec<_> = (0..10).map(|_| tokio::spawn(gateway.call("hang", "{}", &someone()))).collect();
    gateway
        .recorder
        .until("two calls", |told| told.stderr.iter().filter(|line| line.starts_with("hanging")).count() == 2)
        .await;
    let refused = async {
        loop {
            if let Ok(Err(error)) =
                tokio::time::timeout(Duration::from_millis(20), gateway.call("echo", "{}", &someone())).await
            {
                return error;
            }
        }
    };
    assert_eq!(fault_code(tokio::time::timeout(crate::kit::LIMIT, refused).await.unwrap()), "server_busy");
    hanging.iter().for_each(tokio::task::JoinHandle::abort);
    gateway.end().await;
}

#[tokio::test]
async fn a_message_with_line_breaks_stays_one_line() {
    let gateway = UpstreamGateway::with(child("legacy"));
    let reply = gateway.call("echo", "{\n\"a\":\r\n\"x\\ny\"}", &someone()).await.unwrap();
    assert!(result_of(&reply).as_str().contains(r#"{"a": "x\ny"}"#), "{reply:?}");
    gateway.end().await;
}

#[tokio::test]
async fn log_messages_go_to_whoever_they_can_be_meant_for() {
    let gateway = UpstreamGateway::with(child("legacy"));
    gateway.recorder.healthy().await;
    let (anna, bert) = (Agent::new("anna", 1).shared(), Agent::new("bert", 2).shared());
    gateway.text("log", &anna).await;
    assert_eq!(anna.heard.lock().logs, 1);
    let hanging = tokio::spawn(gateway.call("hang", "{}", &bert));
    gateway
        .recorder
        .until("the call", |told| told.stderr.iter().any(|line| line.starts_with("hanging")))
        .await;
    gateway.text("log", &anna).await;
    assert_eq!((anna.heard.lock().logs, bert.heard.lock().logs), (1, 0));
    let also_anna = Agent::new("anna", 3).shared();
    hanging.abort();
    gateway.recorder.until("the cancellation", |told| cancellations(&told.stderr) == 1).await;
    let hanging = tokio::spawn(gateway.call("hang", "{}", &also_anna));
    gateway
        .recorder
        .until("the call", |told| told.stderr.iter().filter(|line| line.starts_with("hanging")).count() == 2)
        .await;
    gateway.text("log", &anna).await;
    assert_eq!((anna.heard.lock().logs, also_anna.heard.lock().logs), (2, 1));
    hanging.abort();
    gateway.end().await;
}

#[tokio::test]
async fn waiting_for_a_person_is_not_the_servers_time() {
    let gateway =
        UpstreamGateway::with(ServerSpec { timeout: Duration::from_millis(700), ..child("legacy") });
    gateway.recorder.healthy().await;
    let slow = Agent {
        can: vec![AskKind::Elicitation],
        answer_after: Duration::from_millis(1500),
        ..Agent::new("slow", 1)
    };
    let reply = gateway.request(call_of("ask", "{}"), &slow.shared()).await.unwrap();
    assert!(text_of(&reply).contains("accept"));
    gateway.end().await;
}
