//! Listings become rows and the agents' catalogue.

use serde_json::{Value, json};
use toolgate_core::RawJson;
use toolgate_core::server::ServerListing;

use super::kit::*;
use crate::{OriginFinding, OriginStanding};

#[tokio::test]
async fn what_is_listed_is_pinned_recorded_and_shown() {
    let house = RegistryFixture::new().await;
    let gateway = house.gateway("one", file(&["files"])).await;
    gateway.registry.listed(&name("files"), listing(&[("read", "Reads."), ("write", "Writes.")]));
    until("both are shown", || gateway.seen() == ["files__read", "files__write"]).await;
    let rows = gateway.registry.records().tools().await.expect("rows");
    assert_eq!(rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["files:read", "files:write"]);
    let ledger = house.ledger().await;
    assert_eq!(ledger[0].0, "registry.tools.pinned");
    assert_eq!(ledger[0].1, serde_json::json!({ "count": 2, "tools": ["read", "write"] }));
    gateway.registry.stop().await;
}

#[tokio::test]
async fn listings_that_come_together_make_one_catalogue() {
    let house = RegistryFixture::new().await;
    let names: Vec<String> = (0..40).map(|at| format!("s{at:02}")).collect();
    let gateway = house.gateway("one", file(&names.iter().map(String::as_str).collect::<Vec<_>>())).await;
    let before = gateway.shelf.arranged.load(std::sync::atomic::Ordering::SeqCst);
    for server in &names {
        gateway.registry.listed(&name(server), listing(&[("read", "Reads.")]));
    }
    until("all are shown", || gateway.seen().len() == 40).await;
    let after = gateway.shelf.arranged.load(std::sync::atomic::Ordering::SeqCst);
    assert!(after - before <= 3, "{} times", after - before);
    gateway.registry.stop().await;
}

#[tokio::test]
async fn after_a_restart_what_was_pinned_is_shown_before_servers_are_reached_and_nothing_else() {
    let house = RegistryFixture::new().await;
    let first = house.gateway("one", file(&["files"])).await;
    first.registry.listed(&name("files"), listing(&[("read", "Reads.")]));
    until("it is shown", || !first.seen().is_empty()).await;
    first.registry.stop().await;

    let second = house.gateway("one", file(&["files"])).await;
    assert!(second.seen().is_empty());
    let before = listing(&[("read", "Reads."), ("new", "Never pinned.")]);
    second
        .registry
        .listed_before(vec![(name("files"), before), (name("gone"), listing(&[("x", "x")]))])
        .await;
    assert_eq!(second.seen(), ["files__read"]);
    assert_eq!(
        second.registry.records().tools().await.expect("rows").len(),
        1,
        "nothing new is pinned by it"
    );
    // The server is reached, and has changed.
    second.registry.listed(&name("files"), listing(&[("read", "Deletes.")]));
    until("it is withheld", || second.seen().is_empty()).await;
    // The remembered listing comes too late now.
    second.registry.listed_before(vec![(name("files"), listing(&[("read", "Reads.")]))]).await;
    assert!(second.seen().is_empty());
    second.registry.stop().await;
}

#[tokio::test]
async fn while_the_store_is_away_agents_see_what_is_pinned_and_the_rest_comes_when_it_is_back() {
    let house = RegistryFixture::new().await;
    let gateway = house.gateway("one", file(&["files", "mail"])).await;
    gateway.registry.listed(&name("files"), listing(&[("read", "Reads.")]));
    until("it is shown", || gateway.seen() == ["files__read"]).await;

    house.store.fail_from_nth(1);
    gateway.registry.listed(&name("files"), listing(&[("read", "Reads."), ("write", "Writes.")]));
    gateway.registry.listed(&name("mail"), listing(&[("send", "Sends.")]));
    let withheld = || {
        let snapshot = gateway.shelf.catalog.snapshot();
        format!("{:?}", snapshot.missing_tool("files__write", 0)).contains("not been recorded")
    };
    until("what is new is known to wait", withheld).await;
    assert_eq!(gateway.seen(), ["files__read"]);
    let refused =
        gateway.registry.register(&server("jobs"), registration("jobs", "a")).await.expect_err("away");
    assert_eq!(refused.kind, crate::RefusalKind::Down);

    house.store.fail_never();
    until("the rest is shown", || gateway.seen() == ["files__read", "files__write", "mail__send"]).await;
    gateway.registry.stop().await;
}

#[tokio::test]
async fn a_reload_hands_out_the_new_roster_and_retires_what_is_gone() {
    let house = RegistryFixture::new().await;
    let gateway = house.gateway("one", file(&["files", "mail"])).await;
    gateway.registry.listed(&name("files"), listing(&[("read", "Reads.")]));
    gateway.registry.listed(&name("mail"), listing(&[("send", "Sends.")]));
    until("both are shown", || gateway.seen().len() == 2).await;
    let lines = gateway.registry.reload(file(&["files", "jobs"]), vec![]).await;
    assert_eq!(lines, ["server \"jobs\" added", "server \"mail\" removed"]);
    until("the roster is handed out", || {
        gateway.reached() == ["files https://example.com/mcp", "jobs https://example.com/mcp"]
    })
    .await;
    until("its tools are gone", || gateway.seen() == ["files__read"]).await;
    until_retired(&gateway, "mail:send").await;
    let kinds = house.kinds().await;
    for kind in ["config.loaded", "server.added", "server.removed", "registry.tool.retired"] {
        assert!(kinds.iter().any(|one| one == kind), "{kind} in {kinds:?}");
    }
    // A listing of a server that is gone changes nothing.
    gateway.registry.listed(&name("mail"), listing(&[("send", "Sends.")]));
    assert_eq!(
        gateway.registry.reload(file(&["files", "jobs", "mail"]), vec![]).await,
        ["server \"mail\" added"]
    );
    gateway.registry.listed(&name("mail"), listing(&[("send", "Sends.")]));
    until("it is back", || gateway.seen() == ["files__read", "mail__send"]).await;
    gateway.registry.stop().await;
}

async fn until_retired(gateway: &RegistryGateway, tool: &str) {
    for _ in 0..2000 {
        let row = gateway.registry.records().tool(tool).await.expect("a row");
        if row.status == toolgate_core::registry::ToolStatus::Retired {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    panic!("{tool} never retired");
}

#[tokio::test]
async fn what_was_found_about_a_server_goes_with_it() {
    let house = RegistryFixture::new().await;
    let gateway = house.gateway("one", file(&["files", "mail"])).await;
    let latest = Some("2.0.0".to_owned());
    let found = OriginFinding { standing: OriginStanding::Outdated, version: "1.0.0".into(), latest };
    for server in ["files", "mail"] {
        gateway.registry.note_finding(&name(server), &found).await.expect("kept");
    }
    gateway.registry.reload(file(&["files"]), vec![]).await;
    // Its last round is over then.
    gateway.registry.stop().await;
    gateway.registry.note_finding(&name("mail"), &found).await.expect("the look began before");
    let kept = house.store.read_outdated_servers().await.expect("read");
    assert_eq!(kept.iter().map(|one| one.server.as_str()).collect::<Vec<_>>(), ["files"]);
}

#[tokio::test]
async fn a_file_that_was_refused_is_in_the_ledger() {
    let house = RegistryFixture::new().await;
    let gateway = house.gateway("one", file(&[])).await;
    gateway.registry.config_refused("toolgate.toml:1:1: unknown key").await;
    let ledger = house.ledger().await;
    assert_eq!(ledger[0].0, "config.refused");
    gateway.registry.stop().await;
}

#[tokio::test]
async fn health_is_told_when_it_changes() {
    use toolgate_core::server::{ServerHealth, ServerState};
    let house = RegistryFixture::new().await;
    let gateway = house.gateway("one", file(&["files"])).await;
    gateway.registry.health_changed(&name("files"), &ServerState::starting());
    let degraded = ServerState {
        health: ServerHealth::Degraded,
        reason: Some("refused".into()),
        ..ServerState::starting()
    };
    gateway.registry.health_changed(&name("files"), &degraded);
    gateway.registry.health_changed(&name("files"), &degraded);
    gateway.registry.stop().await;
    let told = house.ledger().await;
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0].1, serde_json::json!({ "health": "degraded", "reason": "refused" }));
}

#[tokio::test]
async fn what_a_server_says_about_files_is_shown_and_kept() {
    let house = RegistryFixture::new().await;
    let first = house.gateway("one", file(&["files"])).await;
    let slot = json!({ "strategy": "plain_text_text", "argument": "letter" });
    let schema = json!({ "type": "object", "properties": { "text": { "type": "string" } } });
    let extra = json!({ "dev.toolgate/tool": { "files": [slot] } });
    let definition = RawJson::from(json!({ "name": "read", "inputSchema": schema, "_meta": extra }));
    let listing = ServerListing { tools: vec![definition], ..ServerListing::default() };
    let arguments = |gateway: &RegistryGateway| -> Vec<String> {
        let snapshot = gateway.shelf.catalog.snapshot();
        let Some(entry) = snapshot.tools.find("files__read") else { return Vec::new() };
        let shown: Value = entry.definition().decode().expect("JSON");
        shown["inputSchema"]["properties"].as_object().expect("arguments").keys().cloned().collect()
    };
    first.registry.listed(&name("files"), listing.clone());
    until("agents give an id", || arguments(&first) == ["letter"]).await;
    let kept = house.store.read_tool_rows().await.expect("rows");
    assert_eq!(serde_json::to_value(&kept[0].traits.files).expect("JSON"), json!([slot]));
    first.registry.stop().await;

    let second = house.gateway("one", file(&["files"])).await;
    second.registry.listed_before(vec![(name("files"), listing)]).await;
    assert_eq!(arguments(&second), ["letter"], "after a restart, too");
    second.registry.stop().await;
}
