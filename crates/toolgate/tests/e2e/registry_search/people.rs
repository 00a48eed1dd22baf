//! The registry over REST and in the console: people with a token find servers, and add those with an address.

use serde_json::{Value, json};
use toolgate_testkit::gateway::{Gateway, HttpAnswer, HttpClient};
use toolgate_testkit::registry::{RegistryFault, StandInRegistry};

use super::{WEATHER, remote, table, weather};
use crate::boot;
use crate::console::plain::Visitor;

pub(super) const ENTRY: &str = "/published-servers/io.github.ann%2Fweather";

pub(super) async fn get(gateway: &Gateway, path: &str) -> HttpAnswer {
    let http = gateway.client().http;
    HttpClient::finish(http.get(gateway.url(path)).bearer_auth(&gateway.admin)).await
}

pub(super) async fn set(gateway: &Gateway, value: &Value) -> HttpAnswer {
    let http = gateway.client().http;
    let request = http.patch(gateway.url("/settings/mcp_servers")).bearer_auth(&gateway.admin);
    let request = request.header("content-type", "application/json");
    HttpClient::finish(request.body(json!({ "value": value }).to_string())).await
}

#[tokio::test]
async fn an_address_is_found_and_added_over_rest_and_a_command_is_not() {
    let registry = StandInRegistry::start();
    let mut both = remote("1.0.0", "https://weather.example.com/mcp", json!([]));
    both["packages"] = json!([{ "registryType": "npm", "identifier": "weather", "version": "1.0.0" }]);
    registry.publish(both);
    let gateway = boot(&table(&registry));
    let found = get(&gateway, "/published-servers?search=weather").await.json();
    assert_eq!(found["servers"][0]["name"], WEATHER, "{found}");
    let shown = get(&gateway, ENTRY).await.json();
    assert_eq!(shown["ways"][0]["command"], json!(["npx", "-y", "weather@1.0.0"]), "{shown}");
    assert!(shown["ways"][0].get("setting").is_none(), "{shown}");
    let setting = &shown["ways"][1]["setting"];
    let answer = set(&gateway, &json!([setting])).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let value = &answer.json()["value"][0];
    assert_eq!((&value["new_tools"], &value["published"]["name"]), (&json!("review_all"), &json!(WEATHER)));
    registry.publish(weather("1.1.0", json!({})));
    let outdated = gateway.cli(&["servers", "outdated", "--json"]);
    let outdated: Value = serde_json::from_slice(&outdated.stdout).expect("JSON");
    assert_eq!(
        (&outdated[0]["server"], &outdated[0]["state"]),
        (&json!("weather"), &json!("outdated")),
        "{outdated}"
    );
    registry.behave(RegistryFault::Failing);
    let failed = get(&gateway, ENTRY).await;
    assert_eq!((failed.status, &failed.json()["code"]), (503, &json!("registry_unavailable")), "{failed:?}");
}

#[tokio::test]
async fn the_console_finds_a_server_shows_it_and_adds_its_address() {
    let registry = StandInRegistry::start();
    let header =
        json!([{ "name": "X-Key", "isRequired": true, "isSecret": true, "description": "<b>Yours</b>" }]);
    registry.publish(remote("1.0.0", "https://weather.example.com/mcp", header));
    let gateway = boot(&table(&registry));
    let ada = Visitor::enters(&gateway, &gateway.admin).await;
    let page = ada.get("/console/settings/registry").await;
    assert_eq!(page.status, 200, "{page:?}");
    assert!(registry.asked().is_empty(), "a page without a question asks nobody");
    let found = ada.get("/console/settings/registry?search=weather").await.text;
    assert!(found.contains(WEATHER), "{found}");
    let shown = ada.get("/console/settings/registry?name=io.github.ann%2Fweather").await.text;
    assert!(shown.contains("X-Key") && shown.contains("&lt;b&gt;Yours"), "{shown}");
    let digest = get(&gateway, ENTRY).await.json()["digest"].as_str().expect("a digest").to_owned();
    let csrf = ada.csrf().await;
    let form = |digest: &str| {
        [
            ("csrf", csrf.clone()),
            ("version", "0".to_owned()),
            ("published", WEATHER.to_owned()),
            ("published_version", "1.0.0".to_owned()),
            ("digest", digest.to_owned()),
            ("name", "sky".to_owned()),
        ]
    };
    for (digest, status) in [("sha256:other", 400), (digest.as_str(), 303)] {
        let fields = form(digest);
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let answer = ada.post("/console/settings/registry", &fields, &[]).await;
        assert_eq!(answer.status, status, "{answer:?}");
    }
    let servers = get(&gateway, "/settings/mcp_servers").await.json();
    assert_eq!(
        (&servers["value"][0]["name"], &servers["value"][0]["headers"]["X-Key"]),
        (&json!("sky"), &json!("${vault:X-Key}"))
    );
}
