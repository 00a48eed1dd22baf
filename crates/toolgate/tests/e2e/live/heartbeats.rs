//! Leases and heartbeats that are late through no fault of an instance.

use std::time::Duration;

use serde_json::{Value, json};
use toolgate_testkit::gateway::signal;

use super::site::{Site, done};
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::kit::{call, listed};

on_both!(a_gateway_that_was_paused_for_longer_than_the_leases_takes_nobody_out);

const LEASE: Duration = Duration::from_secs(5);

async fn a_gateway_that_was_paused_for_longer_than_the_leases_takes_nobody_out(backing: Backing) {
    let site = Site::open_on(backing, "");
    let token = site.server_token("jobs");
    let _workers: Vec<_> = ["a", "b", "c"].iter().map(|one| site.worker(&token, "jobs", one, &[])).collect();
    site.healthy("jobs", 3).await;
    listed(&site.gateway, "jobs__work").await;
    for _ in 0..2 {
        signal("-STOP", site.gateway.pid());
        tokio::time::sleep(LEASE + Duration::from_secs(3)).await;
        signal("-CONT", site.gateway.pid());
        for n in 0..10 {
            done(&call(&site.agent(), "jobs__work", json!({ "n": n })).await);
        }
        // Heartbeats of all three are received again: a lease that is nearly full was renewed after the
        // pause.
        let renewed = |server: &Value| {
            let instances = server["instances"].as_array().map(Vec::as_slice).unwrap_or_default();
            let full = |one: &Value| one["lease_left"].as_f64().is_some_and(|left| left > 4.0);
            instances.len() == 3 && instances.iter().any(full)
        };
        site.server_is("jobs", renewed).await;
    }
    assert_eq!(site.told("server.instance.left").await, Vec::<Value>::new(), "nobody is taken out");
    assert_eq!(site.told("server.instance.joined").await.len(), 3, "nobody had to come back");
    let health = site.told("server.health").await;
    assert!(health.iter().all(|one| one["detail"]["health"] == "healthy"), "{health:?}");
}

#[tokio::test]
async fn an_instance_without_heartbeats_is_out_and_comes_back_by_itself() {
    let site = Site::open();
    let token = site.server_token("jobs");
    let hold = site.word("hold");
    let _quiet = site.worker(&token, "jobs", "quiet", &["--hold-heartbeats", &hold]);
    let _other = site.worker(&token, "jobs", "other", &[]);
    site.healthy("jobs", 2).await;
    listed(&site.gateway, "jobs__work").await;
    site.write("hold", "");
    let alone = |server: &Value| server["vitals"]["instances"].as_array().map(Vec::len) == Some(1);
    site.server_is("jobs", alone).await;
    for n in 0..20 {
        let result = call(&site.agent(), "jobs__work", json!({ "n": n })).await;
        assert_eq!(done(&result)["instance"], "other");
    }
    let server = site.server("jobs").await;
    assert_eq!(server["health"], "healthy", "one is enough: {server}");
    std::fs::remove_file(hold).expect("it was there");
    site.healthy("jobs", 2).await;
    let joined = site.told("server.instance.joined").await;
    assert_eq!(joined.len(), 3, "{joined:?}");
}

#[tokio::test]
async fn heartbeats_go_on_through_a_restart_of_the_gateway() {
    let site = Site::open();
    let token = site.server_token("jobs");
    let base = site.gateway.endpoint.trim_end_matches("/mcp").to_owned();
    let worker = super::worker::Worker::start(&["--name", "jobs", "--instance", "a"]);
    let mut one = super::site::registration("jobs", "a");
    (one["url"], one["lease_seconds"]) = (json!(worker.url), json!(5));
    assert_eq!(site.register(&token, one).await.status, 200);
    listed(&site.gateway, "jobs__work").await;
    let site = site.restarted(super::site::Ending::Killed);
    assert_ne!(base, site.gateway.endpoint, "another port");
    let began = std::time::Instant::now();
    let out = site.server_is("jobs", |server| server["instances"] == json!([])).await;
    assert!(began.elapsed() >= LEASE - Duration::from_secs(1), "a start gives everybody a full lease: {out}");
}

#[tokio::test]
async fn while_the_database_is_away_nobody_loses_a_lease() {
    let server = crate::governed::database::PostgresServer::start();
    let site = Site::open_on(server.backing(), "[ledger]\nreads_when_down = \"serve\"\n");
    let token = site.server_token("jobs");
    let _workers: Vec<_> = ["a", "b", "c"].iter().map(|one| site.worker(&token, "jobs", one, &[])).collect();
    site.healthy("jobs", 3).await;
    listed(&site.gateway, "jobs__work").await;
    server.go_away();
    let began = std::time::Instant::now();
    while began.elapsed() < LEASE + Duration::from_secs(3) {
        done(&call(&site.agent(), "jobs__work", json!({ "n": 1 })).await);
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    server.come_back();
    let renewed = |server: &Value| {
        let instances = server["instances"].as_array().map(Vec::as_slice).unwrap_or_default();
        let full = |one: &Value| one["lease_left"].as_f64().is_some_and(|left| left > 3.5);
        instances.len() == 3 && instances.iter().all(full)
    };
    site.server_is("jobs", renewed).await;
    assert_eq!(site.told("server.instance.left").await, Vec::<Value>::new(), "nobody is taken out");
    assert_eq!(site.told("server.instance.joined").await.len(), 3, "nobody had to come back");
}

#[tokio::test]
async fn a_pause_of_the_whole_machine_takes_nobody_out() {
    let site = Site::open();
    let token = site.server_token("jobs");
    let workers: Vec<_> = ["a", "b"].iter().map(|one| site.worker(&token, "jobs", one, &[])).collect();
    site.healthy("jobs", 2).await;
    signal("-STOP", site.gateway.pid());
    workers.iter().for_each(super::worker::Worker::pause);
    tokio::time::sleep(LEASE + Duration::from_secs(3)).await;
    signal("-CONT", site.gateway.pid());
    workers.iter().for_each(super::worker::Worker::go_on);
    let renewed = |server: &Value| {
        let instances = server["instances"].as_array().map(Vec::as_slice).unwrap_or_default();
        let full = |one: &Value| one["lease_left"].as_f64().is_some_and(|left| left > 4.0);
        instances.len() == 2 && instances.iter().any(full)
    };
    site.server_is("jobs", renewed).await;
    assert_eq!(site.told("server.instance.left").await, Vec::<Value>::new(), "nobody is taken out");
}
