//! A gateway that looks at the registry by itself: another version is told once and shown everywhere, and changes nothing.

use serde_json::json;
use toolgate_testkit::gateway::until_async;
use toolgate_testkit::registry::StandInRegistry;

use super::people::{ENTRY, get, set};
use super::{remote, table};
use crate::boot;
use crate::cli::Said;
use crate::console::plain::Visitor;
use crate::doors::WAIT;

const ADDRESS: &str = "https://weather.example.com/mcp";
const TOLD: &str = "version 2.0.0 is in the registry (yours: 1.0.0)";
/// Requests of several looks.
const REQUESTS: usize = 6;

#[tokio::test]
async fn a_gateway_tells_of_another_version_once_and_changes_nothing() {
    let registry = StandInRegistry::start();
    registry.publish(remote("1.0.0", ADDRESS, json!([])));
    let gateway = boot(&format!("{}check_every_seconds = 0.2\n", table(&registry)));
    let first = get(&gateway, ENTRY).await.json()["ways"][0]["setting"].clone();
    let added = set(&gateway, &json!([first])).await;
    assert_eq!(added.status, 200, "{added:?}");
    let servers = async || get(&gateway, "/settings/mcp_servers").await.json()["value"].clone();
    let before = servers().await;

    registry.publish(remote("2.0.0", ADDRESS, json!([])));
    let outdated = until_async(WAIT, || async {
        let found = get(&gateway, "/servers/weather").await.json()["outdated"].clone();
        found.is_object().then_some(found)
    });
    let outdated = outdated.await.expect("the gateway looks by itself");
    let expected = json!({ "state": "outdated", "version": "1.0.0", "latest": "2.0.0", "says": TOLD });
    assert_eq!(outdated, expected);
    let asked = registry.asked().len();
    let again = until_async(WAIT, || async { (registry.asked().len() > asked + REQUESTS).then_some(()) });
    assert!(again.await.is_some(), "it goes on looking");
    let told = Said::from(gateway.cli(&["ledger", "export", "--kind", "server.outdated"])).well().stdout;
    assert_eq!(told.matches("\"server.outdated\"").count(), 1, "{told}");
    assert_eq!(servers().await, before);

    let listed = Said::from(gateway.cli(&["servers", "list"])).well();
    assert!(
        listed.stderr.contains(TOLD) && listed.stderr.contains("toolgate servers outdated"),
        "{listed:?}"
    );
    let visitor = Visitor::enters(&gateway, &gateway.admin).await;
    for page in ["/console/servers", "/console/servers/weather"] {
        let shown = visitor.get(page).await.text;
        assert!(shown.contains(TOLD), "{page}: {shown}");
    }

    let second = get(&gateway, ENTRY).await.json()["ways"][0]["setting"].clone();
    let taken = set(&gateway, &json!([second])).await;
    assert_eq!(taken.status, 200, "{taken:?}");
    let now = get(&gateway, "/servers/weather").await.json();
    assert!(now["name"] == "weather" && now["outdated"].is_null(), "{now}");
}

#[tokio::test]
async fn entries_that_cannot_be_read_keep_no_other_server_from_being_looked_at() {
    let registry = StandInRegistry::start();
    let names = ["first", "second", "third", "weather"];
    for name in names {
        let mut server = remote("1.0.0", ADDRESS, json!([]));
        server["name"] = json!(format!("io.github.ann/{name}"));
        registry.publish(server);
    }
    let gateway = boot(&format!("{}check_every_seconds = 0.2\n", table(&registry)));
    let mut settings = Vec::new();
    for name in names {
        let entry = get(&gateway, &format!("/published-servers/io.github.ann%2F{name}")).await.json();
        settings.push(entry["ways"][0]["setting"].clone());
    }
    let added = set(&gateway, &json!(settings)).await;
    assert_eq!(added.status, 200, "{added:?}");

    for name in &names[..3] {
        let name = format!("io.github.ann/{name}");
        registry.edit(&name, "1.0.0", |server| server["packages"] = json!("all of them"));
    }
    registry.publish(remote("2.0.0", ADDRESS, json!([])));
    let outdated = until_async(WAIT, || async {
        let found = get(&gateway, "/servers/weather").await.json()["outdated"].clone();
        found.is_object().then_some(found)
    });
    let outdated = outdated.await.expect("the last one is looked at, too");
    assert_eq!(outdated["latest"], "2.0.0", "{outdated}");
}
