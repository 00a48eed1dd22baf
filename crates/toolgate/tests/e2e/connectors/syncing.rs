//! Records that are taken in: artifacts, a manifest, a pointer that moves, and the next time only what is new.

use serde_json::{Value, json};
use toolgate_testkit::gateway::until_async;
use toolgate_testkit::providers::{HubSpot, Slack};

use super::office::{Care, HUBSPOT, Office, SLACK};
use crate::doors::WAIT;
use crate::files::archive::text;
use crate::index::library::{engine_program, hits, ingest_of};

#[tokio::test]
async fn records_become_artifacts_and_the_pointer_moves() {
    let office = Office::open(SLACK, Slack::default(), Care::Exploratory).await;
    let synced = office.sync(&[]).await;
    assert_eq!((&synced["state"], &synced["records"]), (&json!("done"), &json!(5)), "{synced:#}");
    let mut paths = office.paths().await;
    paths.sort();
    let all = ["channels/C1.json", "channels/C2.json", "channels/C3.json", "users/U1.json", "users/U2.json"];
    assert_eq!(paths, all);
    let state = office.state().await;
    assert_eq!(state["pointer"]["manifest"], synced["manifest"], "{state:#}");
    assert_eq!(state["last_sync"]["run"], synced["run"], "{state:#}");
    let run = office.site.get(&format!("/runs/{}", synced["run"].as_str().expect("a run"))).await;
    assert_eq!((&run["state"], &run["run_type"]), (&json!("completed"), &json!("connector_sync")), "{run:#}");
}

#[tokio::test]
async fn a_sync_without_changes_moves_nothing() {
    let office = Office::open(SLACK, Slack::default(), Care::Exploratory).await;
    let first = office.sync(&[]).await;
    let second = office.sync(&[]).await;
    assert_eq!(second["manifest"], first["manifest"], "{second:#}");
    assert_ne!(second["run"], first["run"]);
}

/// The time after which deals were asked for, in each request.
fn asked_after(office: &Office<HubSpot>) -> Vec<Value> {
    let requests = office.provider.requests();
    let searches = requests.iter().filter(|request| request.path.ends_with("deals/search"));
    let value =
        |content: Value| content.pointer("/filterGroups/0/filters/0/value").cloned().unwrap_or_default();
    searches.map(|request| value(request.content())).collect()
}

#[tokio::test]
async fn the_next_sync_asks_for_what_is_new() {
    let office = Office::open(HUBSPOT, HubSpot::with_deals(3), Care::Exploratory).await;
    let first = office.sync(&["deals"]).await;
    assert_eq!((&first["state"], &first["records"]), (&json!("done"), &json!(3)), "{first:#}");
    office.provider.with(|hubspot| hubspot.add_deal(9, json!({ "dealname": "New", "dealstage": "won" })));
    let second = office.sync(&["deals"]).await;
    assert!(second["records"].as_u64().is_some_and(|count| count < 4), "not all again: {second:#}");
    let asked = asked_after(&office);
    assert_ne!(asked.first(), asked.last(), "{asked:?}");
    assert!(office.paths().await.contains(&"deals/9.json".to_owned()));
}

#[tokio::test]
async fn an_index_follows_what_is_synced() {
    engine_program();
    let office = Office::open(HUBSPOT, HubSpot::with_deals(2), Care::Exploratory).await;
    office.sync(&["deals"]).await;
    let pointer = office.state().await["pointer"].take();
    let target = ingest_of(text(&pointer["namespace"]), text(&pointer["name"]));
    office.asked("index.ingest", target).await;
    let lighthouse = json!({ "dealname": "Lighthouse", "dealstage": "won" });
    office.provider.with(|hubspot| hubspot.add_deal(9, lighthouse));
    office.sync(&["deals"]).await;
    let search = json!({ "query": "lighthouse" });
    let found = until_async(WAIT, || async {
        let said = office.asked("index.search", search.clone()).await;
        hits(&said).first().is_some_and(|hit| hit["path"] == "deals/9.json").then_some(())
    });
    found.await.expect("the new deal is found");
}

#[tokio::test]
async fn pages_follow_each_other_to_the_end() {
    let mut slack = Slack::with_channels(25);
    slack.page_max = 2;
    let office = Office::open(SLACK, slack, Care::Exploratory).await;
    let synced = office.sync(&["channels"]).await;
    assert_eq!((&synced["records"], &synced["pages"]), (&json!(25), &json!(13)), "{synced:#}");
    assert_eq!(office.paths().await.len(), 25);
}
