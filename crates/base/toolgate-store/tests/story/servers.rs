//! The stored data about servers.

use bytes::Bytes;
use toolgate_core::server::{Era, InstanceId, InstanceState, ServerHealth, ServerListing, ServerState};
use toolgate_core::{RawJson, ServerName};
use toolgate_store::{ListCounts, Store};

use crate::world::StoreWorld;

crate::on_both!(
    the_era_is_remembered_for_one_configuration,
    the_command_line_reads_what_the_gateway_writes,
    since_when_a_server_is_as_it_is_outlives_other_news,
    a_listing_comes_back_byte_for_byte,
    standard_error_is_kept,
    servers_that_are_no_longer_configured_are_forgotten,
);

fn name(name: &str) -> ServerName {
    ServerName::new(name).expect("a legal name")
}

fn raw(text: &'static str) -> RawJson {
    RawJson::parse(Bytes::from_static(text.as_bytes())).expect("JSON")
}

fn instance(id: &str, health: ServerHealth) -> InstanceState {
    let (version, reason) = match health {
        ServerHealth::Healthy => (Some("1.2".into()), None),
        _ => (None, Some("refused\0".into())),
    };
    InstanceState { id: InstanceId::new(id).expect("a legal id"), version, health, reason }
}

fn healthy() -> ServerState {
    ServerState {
        health: ServerHealth::Healthy,
        reason: None,
        era: Some(Era::Modern),
        protocol_version: Some("2026-07-28".into()),
        transport: Some("streamable-http"),
        pid: Some(4_000_000_000),
        restarts: 3,
        instances: vec![instance("a", ServerHealth::Healthy), instance("b", ServerHealth::Degraded)],
    }
}

/// As the gateway looks it up: by server and fingerprint.
async fn remembered_era(store: &Store, server: &ServerName, fingerprint: &str) -> Option<(Era, String)> {
    let all = store.read_eras().await.expect("read").into_iter();
    let mut fitting = all.filter(|(name, with, ..)| name == server && with == fingerprint);
    fitting.next().map(|(.., era, version)| (era, version))
}

async fn read_listing(store: &Store, server: &ServerName, fingerprint: &str) -> Option<ServerListing> {
    let all = store.read_listings().await.expect("read").into_iter();
    let mut fitting = all.filter(|one| one.name == *server && one.fingerprint == fingerprint);
    fitting.next().map(|one| one.listing)
}

async fn the_era_is_remembered_for_one_configuration(world: StoreWorld) {
    let store = world.open().await;
    let git = name("git");
    assert_eq!(remembered_era(&store, &git, "a").await, None);
    store.remember_era(&git, "a", Era::Legacy, "2025-06-18").await.expect("kept");
    assert_eq!(remembered_era(&store, &git, "a").await, Some((Era::Legacy, "2025-06-18".into())));
    assert_eq!(remembered_era(&store, &git, "b").await, None);
    store.remember_era(&git, "b", Era::Modern, "2026-07-28").await.expect("kept");
    assert_eq!(remembered_era(&store, &git, "a").await, None);
    assert_eq!(remembered_era(&store, &git, "b").await, Some((Era::Modern, "2026-07-28".into())));
}

async fn the_command_line_reads_what_the_gateway_writes(world: StoreWorld) {
    let (gateway, cli) = (world.open().await, world.open().await);
    let counts = ListCounts { tools: 5, prompts: 1, resources: 2 };
    gateway.write_status(&name("b"), &healthy(), counts, 17).await.expect("written");
    let degraded = ServerState {
        health: ServerHealth::Degraded,
        reason: Some("exited with 1".into()),
        ..ServerState::starting()
    };
    gateway
        .write_status(&name("größe"), &ServerState::starting(), ListCounts::default(), 18)
        .await
        .expect("written");
    gateway.write_status(&name("größe"), &degraded, ListCounts::default(), 19).await.expect("written");

    let statuses = cli.read_statuses().await.expect("read");
    assert_eq!(statuses.len(), 2);
    assert_eq!((&statuses[0].name, &statuses[0].state), (&name("b"), &healthy()));
    assert_eq!((statuses[0].counts, statuses[0].updated_at_ms), (counts, 17));
    assert_eq!((&statuses[1].name, &statuses[1].state), (&name("größe"), &degraded));
    assert_eq!(statuses[1].updated_at_ms, 19);
}

async fn since_when_a_server_is_as_it_is_outlives_other_news(world: StoreWorld) {
    let store = world.open().await;
    let degraded = |reason: &str| ServerState {
        health: ServerHealth::Degraded,
        reason: Some(reason.into()),
        ..ServerState::starting()
    };
    let news =
        [(healthy(), 10, 10), (degraded("away"), 20, 20), (degraded("lost"), 30, 20), (healthy(), 40, 40)];
    for (state, at_ms, since_ms) in news {
        store.write_status(&name("git"), &state, ListCounts::default(), at_ms).await.expect("written");
        let status = store.read_statuses().await.expect("read").remove(0);
        assert_eq!((status.state, status.updated_at_ms, status.since_ms), (state, at_ms, since_ms));
    }
}

async fn a_listing_comes_back_byte_for_byte(world: StoreWorld) {
    let store = world.open().await;
    let listing = ServerListing {
        capabilities: Some(raw(r#"{"tools" : {}}"#)),
        server_info: Some(raw(r#"{"name":"x","version":"1","unknown":1.0}"#)),
        instructions: Some("line\n\"two\"".into()),
        tools: vec![raw(r#"{ "name":"b", "n": 1.50e3, "name2":"\u00e9" }"#), raw(r#"{"name":"a"}"#)],
        prompts: vec![raw(r#"{"name":"p"}"#)],
        resources: vec![raw(r#"{"uri":"file:///x"}"#)],
        templates: vec![raw(r#"{"uriTemplate":"file:///{x}"}"#)],
        conflicts: Vec::new(),
    };
    store.write_listing(&name("git"), "a", &listing).await.expect("written");
    drop(store);
    let store = world.open().await;
    assert_eq!(read_listing(&store, &name("git"), "a").await, Some(listing.clone()));
    assert_eq!(read_listing(&store, &name("git"), "other").await, None);
    assert_eq!(read_listing(&store, &name("hg"), "a").await, None);
    let all = store.read_listings().await.expect("read");
    assert_eq!((all.len(), &all[0].listing, &*all[0].fingerprint), (1, &listing, "a"));
    assert_eq!(ListCounts::of(&listing), ListCounts { tools: 2, prompts: 1, resources: 2 });

    let empty = ServerListing::default();
    store.write_listing(&name("git"), "b", &empty).await.expect("written");
    assert_eq!(read_listing(&store, &name("git"), "b").await, Some(empty));
}

async fn standard_error_is_kept(world: StoreWorld) {
    let store = world.open().await;
    assert!(store.read_stderr(&name("git")).await.expect("read").is_empty());
    let lines = ["one".to_owned(), String::new(), "three".to_owned()];
    store.write_stderr(&name("git"), &lines).await.expect("written");
    assert_eq!(store.read_stderr(&name("git")).await.expect("read"), lines);
}

async fn servers_that_are_no_longer_configured_are_forgotten(world: StoreWorld) {
    let store = world.open().await;
    for server in ["kept", "gone"].map(name) {
        store.remember_era(&server, "f", Era::Legacy, "v").await.expect("kept");
        store.write_status(&server, &healthy(), ListCounts::default(), 1).await.expect("written");
        store.write_listing(&server, "f", &ServerListing::default()).await.expect("written");
        store.write_stderr(&server, &["x".into()]).await.expect("written");
    }
    store.keep_only_servers(&[name("kept"), name("new")]).await.expect("forgotten");
    let statuses = store.read_statuses().await.expect("read");
    assert_eq!(statuses.iter().map(|status| &status.name).collect::<Vec<_>>(), [&name("kept")]);
    assert!(remembered_era(&store, &name("kept"), "f").await.is_some());
    assert!(read_listing(&store, &name("kept"), "f").await.is_some());
    assert!(remembered_era(&store, &name("gone"), "f").await.is_none());
    assert!(read_listing(&store, &name("gone"), "f").await.is_none());
    assert!(store.read_stderr(&name("gone")).await.expect("read").is_empty());
    store.keep_only_servers(&[]).await.expect("forgotten");
    assert!(store.read_statuses().await.expect("read").is_empty());
}
