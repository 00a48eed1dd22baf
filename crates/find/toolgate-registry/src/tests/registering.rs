//! Servers that register.

use std::collections::BTreeMap;
use std::time::Duration;

use toolgate_core::tool::ToolExtra;

use super::kit::*;
use crate::{RefusalKind, Registration, ServerSource};

/// Advances time second by second until a condition holds; returns how many seconds.
async fn seconds_until(house: &RegistryFixture, what: &str, is: impl Fn() -> bool) -> u64 {
    for seconds in 0..120 {
        if is() {
            return seconds;
        }
        house.clock.advance(Duration::from_secs(1));
        tokio::time::sleep(Duration::from_millis(40)).await;
    }
    panic!("never: {what}");
}

#[tokio::test]
async fn an_instance_stays_by_heartbeats_and_leaves_when_they_stop() {
    let house = RegistryFixture::new().await;
    let gateway = house.gateway("one", file(&[])).await;
    let lease =
        gateway.registry.register(&server("jobs"), registration("jobs", "a")).await.expect("registered");
    assert_eq!((lease.lease_seconds, lease.heartbeat_seconds), (6.0, 2.0));
    until("it is reached", || gateway.reached() == ["jobs https://a.example.com/mcp"]).await;
    for _ in 0..20 {
        house.clock.advance(Duration::from_secs(1));
        gateway.registry.heartbeat(&server("jobs"), "jobs", "a").await.expect("renewed");
    }
    let known = gateway.registry.servers();
    assert_eq!(
        (known[0].source, known[0].instances[0].lease_left_seconds),
        (ServerSource::Registered, Some(6.0))
    );

    let seconds = seconds_until(&house, "it is taken out", || gateway.reached() == ["jobs "]).await;
    assert!(seconds >= 6, "after {seconds} s");
    let gone = gateway.registry.heartbeat(&server("jobs"), "jobs", "a").await.expect_err("gone");
    assert_eq!(
        (gone.kind, gone.code.name, gone.hint.as_str()),
        (RefusalKind::Gone, "lease_lost", "register again")
    );
    let ledger = house.ledger().await;
    let told: Vec<&str> = ledger.iter().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(told, ["server.added", "server.instance.joined", "server.instance.left"]);
    assert_eq!(ledger[2].1["reason"], "its lease ran out");
    // The server is still known, and comes back.
    gateway.registry.register(&server("jobs"), registration("jobs", "b")).await.expect("registered");
    until("it is reached again", || gateway.reached() == ["jobs https://b.example.com/mcp"]).await;
    gateway.registry.stop().await;
}

#[tokio::test]
async fn the_tools_of_a_server_without_instances_stay_listed() {
    let house = RegistryFixture::new().await;
    let gateway = house.gateway("one", file(&[])).await;
    gateway.registry.register(&server("jobs"), registration("jobs", "a")).await.expect("registered");
    gateway.registry.listed(&name("jobs"), listing(&[("run", "Runs.")]));
    until("it is shown", || gateway.seen() == ["jobs__run"]).await;
    gateway.registry.leave(&server("jobs"), "jobs", "a").await.expect("left");
    until("nothing is reached", || gateway.reached() == ["jobs "]).await;
    assert_eq!(gateway.seen(), ["jobs__run"]);
    let gone = gateway.registry.leave(&server("jobs"), "jobs", "a").await.expect_err("gone");
    assert_eq!(gone.kind, RefusalKind::Gone);

    let forbidden = gateway.registry.forget(&server("jobs"), "jobs").await.expect_err("not its business");
    assert_eq!(forbidden.kind, RefusalKind::Forbidden);
    gateway.registry.forget(&operator(), "jobs").await.expect("forgotten");
    until("it is gone", || gateway.seen().is_empty() && gateway.reached().is_empty()).await;
    let unknown = gateway.registry.forget(&operator(), "jobs").await.expect_err("gone");
    assert_eq!(unknown.kind, RefusalKind::NotFound);
    gateway.registry.stop().await;
}

#[tokio::test]
async fn registering_the_same_again_is_a_heartbeat_and_other_data_replaces_it() {
    let house = RegistryFixture::new().await;
    let gateway = house.gateway("one", file(&[])).await;
    for _ in 0..3 {
        gateway.registry.register(&server("jobs"), registration("jobs", "a")).await.expect("registered");
    }
    gateway.registry.register(&server("jobs"), registration("jobs", "b")).await.expect("registered");
    assert_eq!(house.kinds().await, ["server.added", "server.instance.joined", "server.instance.joined"]);
    let moved = Registration { url: "https://moved.example.com/mcp".into(), ..registration("jobs", "a") };
    gateway.registry.register(&server("jobs"), moved).await.expect("registered");
    until("it keeps its place", || {
        gateway.reached() == ["jobs https://moved.example.com/mcp,https://b.example.com/mcp"]
    })
    .await;
    // The address of an instance is irrelevant for agents.
    let arranged = gateway.shelf.arranged.load(std::sync::atomic::Ordering::SeqCst);
    let back = registration("jobs", "a");
    gateway.registry.register(&server("jobs"), back).await.expect("registered");
    until("it is back", || gateway.reached() == ["jobs https://a.example.com/mcp,https://b.example.com/mcp"])
        .await;
    gateway.registry.stop().await;
    assert_eq!(gateway.shelf.arranged.load(std::sync::atomic::Ordering::SeqCst), arranged);
}

#[tokio::test]
async fn a_foreign_name_a_taken_name_and_a_name_that_reads_alike_are_refused() {
    let house = RegistryFixture::new().await;
    let mut state = file(&["files", "a.b", "expected"]);
    state.servers[2].source = ServerSource::Expected;
    let gateway = house.gateway("one", state).await;
    let refused = async |by: &str, wanted: &str| {
        let told =
            gateway.registry.register(&server(by), registration(wanted, "x")).await.expect_err("refused");
        (told.kind, told.code.name, told.message)
    };
    let foreign = refused("mail", "jobs").await;
    assert_eq!((foreign.0, foreign.1), (RefusalKind::Forbidden, "foreign_name"));
    assert!(foreign.2.contains("\"mail\""), "{}", foreign.2);
    let taken = refused("files", "files").await;
    assert_eq!((taken.0, taken.1), (RefusalKind::Conflict, "name_taken"));
    assert!(taken.2.contains("toolgate.toml"), "{}", taken.2);
    let alike = refused("a__b", "a__b").await;
    assert_eq!((alike.0, alike.1), (RefusalKind::Conflict, "name_taken"));
    assert!(alike.2.contains("a__b") && alike.2.contains("a.b"), "{}", alike.2);
    assert_eq!(house.kinds().await, [""; 0]);
    gateway.registry.register(&server("expected"), registration("expected", "x")).await.expect("expected");
    let heart = gateway.registry.heartbeat(&server("mail"), "expected", "x").await.expect_err("foreign");
    assert_eq!(heart.code.name, "foreign_name");
    gateway.registry.stop().await;
}

#[tokio::test]
async fn a_flood_of_instances_is_refused_and_those_that_are_there_stay() {
    let house = RegistryFixture::new().await;
    let gateway = house.gateway("one", file(&[])).await;
    for at in 0..64 {
        gateway
            .registry
            .register(&server("jobs"), registration("jobs", &format!("i{at}")))
            .await
            .expect("there is room");
    }
    let flood =
        gateway.registry.register(&server("jobs"), registration("jobs", "one-more")).await.expect_err("full");
    assert_eq!((flood.kind, flood.code.name), (RefusalKind::TooMany, "too_many_instances"));
    gateway
        .registry
        .register(&server("jobs"), registration("jobs", "i3"))
        .await
        .expect("it is there already");
    assert_eq!(gateway.registry.servers()[0].instances.len(), 64);
    gateway.registry.stop().await;
}

#[tokio::test]
async fn names_that_a_server_gives_its_tools_work_and_collide_with_both_owners_named() {
    let house = RegistryFixture::new().await;
    let gateway = house.gateway("one", file(&[])).await;
    let with = |server: &str, alias: &str| {
        let extra = ToolExtra { aliases: vec![alias.into()], ..ToolExtra::default() };
        Registration { tools: BTreeMap::from([("run".to_owned(), extra)]), ..registration(server, "a") }
    };
    gateway.registry.register(&server("jobs"), with("jobs", "work.job.run")).await.expect("registered");
    gateway.registry.listed(&name("jobs"), listing(&[("run", "Runs.")]));
    until("agents see the tool under its own name", || gateway.seen() == ["jobs__run"]).await;
    assert!(
        gateway.shelf.catalog.snapshot().find_tool("work.job.run", 0).is_some(),
        "and find it by the other"
    );
    let taken =
        gateway.registry.register(&server("mail"), with("mail", "work.job.run")).await.expect_err("taken");
    assert_eq!((taken.kind, taken.code.name), (RefusalKind::Conflict, "alias_taken"));
    assert!(
        taken.message.contains("server \"jobs\"") && taken.message.contains("server \"mail\""),
        "{}",
        taken.message
    );
    for intruding in ["jobs.new.tool", "jobs__other", "JOBS__run", "jobs:other"] {
        let refused =
            gateway.registry.register(&server("mail"), with("mail", intruding)).await.expect_err(intruding);
        assert_eq!((refused.kind, refused.code.name), (RefusalKind::Conflict, "alias_taken"), "{intruding}");
    }
    gateway.registry.register(&server("jobs"), with("jobs", "work.job.start")).await.expect("registered");
    let told = house.kinds().await.iter().filter(|kind| *kind == "registry.aliases.changed").count();
    assert_eq!(told, 2, "the names it gives now, and those it does not give any more");
    gateway.registry.stop().await;
}

#[tokio::test]
async fn two_gateways_see_each_others_servers_tools_and_heartbeats() {
    let house = RegistryFixture::new().await;
    let one = house.gateway("one", file(&[])).await;
    let two = house.gateway("two", file(&[])).await;
    one.registry.register(&server("jobs"), registration("jobs", "a")).await.expect("registered");
    until("the other reaches it", || two.reached() == ["jobs https://a.example.com/mcp"]).await;
    // Both list it, and one of them pins it.
    for gateway in [&one, &two] {
        gateway.registry.listed(&name("jobs"), listing(&[("run", "Runs.")]));
    }
    for gateway in [&one, &two] {
        until("both show it", || gateway.seen() == ["jobs__run"]).await;
    }
    // Heartbeats at one gateway count at the other.
    for _ in 0..15 {
        house.clock.advance(Duration::from_secs(1));
        two.registry.heartbeat(&server("jobs"), "jobs", "a").await.expect("renewed");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(one.reached(), ["jobs https://a.example.com/mcp"]);
    let left = || one.reached() == ["jobs "] && two.reached() == ["jobs "];
    seconds_until(&house, "both take it out", left).await;
    let kinds = house.kinds().await;
    for (kind, times) in [("server.instance.left", 1), ("registry.tools.pinned", 1), ("server.added", 1)] {
        assert_eq!(kinds.iter().filter(|one| *one == kind).count(), times, "{kind} in {kinds:?}");
    }
    one.registry.stop().await;
    two.registry.stop().await;
}

#[tokio::test]
async fn a_pause_of_the_gateway_takes_nobody_out() {
    let house = RegistryFixture::new().await;
    let gateway = house.gateway("one", file(&[])).await;
    gateway.registry.register(&server("jobs"), registration("jobs", "a")).await.expect("registered");
    until("it is reached", || gateway.reached() == ["jobs https://a.example.com/mcp"]).await;
    house.clock.advance(Duration::from_secs(3600));
    // Checked after the pause: the lease is as long as before.
    until("the pause is forgiven", || {
        gateway.registry.servers()[0].instances[0].lease_left_seconds.is_some_and(|left| left > 0.0)
    })
    .await;
    gateway.registry.heartbeat(&server("jobs"), "jobs", "a").await.expect("it holds its lease");
    assert!(!house.kinds().await.contains(&"server.instance.left".to_owned()));
    gateway.registry.stop().await;
}

#[tokio::test]
async fn a_restart_gives_every_instance_a_fresh_lease() {
    let house = RegistryFixture::new().await;
    let first = house.gateway("one", file(&[])).await;
    first.registry.register(&server("jobs"), registration("jobs", "a")).await.expect("registered");
    first.registry.stop().await;
    house.clock.advance(Duration::from_secs(3600));
    let second = house.gateway("one", file(&[])).await;
    assert_eq!(second.reached(), ["jobs https://a.example.com/mcp"]);
    assert_eq!(second.registry.servers()[0].instances[0].lease_left_seconds, Some(6.0));
    second.registry.stop().await;
}

#[tokio::test]
async fn two_gateways_that_read_a_server_at_different_moments_do_not_quarrel() {
    let house = RegistryFixture::new().await;
    let one = house.gateway("one", file(&["files"])).await;
    let two = house.gateway("two", file(&["files"])).await;
    let old = [("read", "Old."), ("write", "Writes.")];
    for gateway in [&one, &two] {
        gateway.registry.listed(&name("files"), listing(&old));
        until("both show it", || gateway.seen().len() == 2).await;
    }
    // A new version is out, and only one of them has read it.
    one.registry.listed(&name("files"), listing(&[("read", "New.")]));
    until("it is withheld there", || one.seen().is_empty()).await;
    until("and, because it is known to be questionable, here", || two.seen().is_empty()).await;
    let told = house.kinds().await.len();
    // Many rounds of both.
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(house.kinds().await.len(), told);
    let row = one.registry.records().tool("files:read").await.expect("a row");
    assert_eq!(row.reason.as_deref(), Some(crate::pins::reason::CHANGED));
    one.registry.stop().await;
    two.registry.stop().await;
}

#[tokio::test]
async fn a_server_that_one_gateway_removes_keeps_its_tools_at_the_other() {
    let house = RegistryFixture::new().await;
    let one = house.gateway("one", file(&["files"])).await;
    let two = house.gateway("two", file(&["files"])).await;
    for gateway in [&one, &two] {
        gateway.registry.listed(&name("files"), listing(&[("read", "Reads.")]));
        until("both show it", || gateway.seen() == ["files__read"]).await;
    }
    one.registry.reload(file(&[]), vec![]).await;
    until("it is gone there", || one.seen().is_empty()).await;
    until_told(&house, "registry.tool.restored").await;
    until("and is still here", || two.seen() == ["files__read"]).await;
    one.registry.stop().await;
    two.registry.stop().await;
}

async fn until_told(house: &RegistryFixture, kind: &str) {
    for _ in 0..500 {
        if house.kinds().await.iter().any(|one| one == kind) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("never told: {kind}");
}
