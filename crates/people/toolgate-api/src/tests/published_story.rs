//! Servers of a registry: found, shown with what they would become, and added by the setting.

use http::StatusCode;
use serde_json::{Value, json};
use toolgate_core::address::AddressRules;
use toolgate_core::port::BoxFuture;
use toolgate_core::{Refusal, Role, codes};
use toolgate_registry::{PublishedFinds, PublishedName, PublishedServer};

use super::gate::{Gate, request, somebody};
use crate::PublishedPort;

/// A registry with one server.
pub(super) struct OneRegistry;

fn entry() -> Value {
    json!({ "server": {
        "name": "io.github.ann/weather", "description": "Weather", "version": "1.2.0",
        "packages": [{ "registryType": "npm", "identifier": "weather", "version": "1.2.0" }],
        "remotes": [{ "type": "streamable-http", "url": "https://weather.example.com/mcp",
            "headers": [{ "name": "Authorization", "value": "Bearer {token}", "isSecret": true }] }],
    } })
}

fn weather() -> PublishedServer {
    PublishedServer::read(entry().to_string().as_bytes()).expect("an entry")
}

impl PublishedPort for OneRegistry {
    fn address(&self) -> &str {
        "https://registry.example.com/"
    }

    fn rules(&self) -> AddressRules {
        AddressRules::default()
    }

    fn search(
        &self,
        words: Vec<String>,
        count_max: usize,
    ) -> BoxFuture<'static, Result<PublishedFinds, Refusal>> {
        let mut found = PublishedFinds::default();
        found.take(vec![weather()], &words, count_max);
        Box::pin(async move { Ok(found) })
    }

    fn entry(
        &self,
        name: PublishedName,
        _: Option<String>,
    ) -> BoxFuture<'static, Result<PublishedServer, Refusal>> {
        let found = (name.as_str() == "io.github.ann/weather").then(weather);
        let unknown = || Refusal::new(&codes::UNKNOWN_PUBLISHED_SERVER, format!("there is no {name}"));
        let found = found.ok_or_else(unknown);
        Box::pin(async move { found })
    }
}

const WEATHER: &str = "/published-servers/io.github.ann%2Fweather";

#[tokio::test]
async fn a_server_is_found_and_shown_with_what_it_would_become() {
    let gate = Gate::open().await;
    let otto = somebody("otto", Role::Operator);
    let found = gate.get(&otto, "/published-servers?search=weather").await.json();
    assert_eq!(found["registry"], "https://registry.example.com/");
    assert_eq!(found["servers"][0]["publisher"], "io.github.ann", "{found}");
    assert_eq!(found["servers"][0]["kinds"], json!(["npm", "remote"]));
    let none = gate.get(&otto, "/published-servers?search=weather+mail").await.json();
    assert_eq!(none["servers"], json!([]), "all words count");
    let shown = gate.get(&otto, WEATHER).await.json();
    assert_eq!(shown["ways"][0]["command"], json!(["npx", "-y", "weather@1.2.0"]), "{shown}");
    assert!(shown["ways"][0].get("setting").is_none(), "a command is not added over the network: {shown}");
    assert_eq!(shown["ways"][1]["secrets"], json!([{ "name": "token", "description": "" }]));
}

#[tokio::test]
async fn the_entry_that_is_shown_can_be_set_as_it_is() {
    let gate = Gate::open().await;
    let ada = somebody("ada", Role::Admin);
    let shown = gate.get(&ada, WEATHER).await.json();
    let setting = &shown["ways"][1]["setting"];
    assert_eq!((&setting["name"], &setting["new_tools"]), (&json!("weather"), &json!("review_all")));
    let body = json!({ "value": [setting] }).to_string();
    let set = gate.send(request(http::Method::PATCH, "/settings/mcp_servers", Some(&ada), &body)).await;
    assert_eq!(set.status, StatusCode::OK, "{set:?}");
    assert_eq!(set.json()["value"][0]["published"]["version"], "1.2.0");
}

#[tokio::test]
async fn bad_questions_are_refused_with_words() {
    let gate = Gate::open().await;
    let otto = somebody("otto", Role::Operator);
    for (path, status, code) in [
        ("/published-servers?search=", StatusCode::BAD_REQUEST, "parameter_invalid"),
        ("/published-servers?search=a&limit=1000", StatusCode::BAD_REQUEST, "parameter_invalid"),
        ("/published-servers/weather", StatusCode::BAD_REQUEST, "parameter_invalid"),
        ("/published-servers/io.github.ann%2Fmail", StatusCode::NOT_FOUND, "unknown_published_server"),
    ] {
        let answer = gate.get(&otto, path).await;
        assert_eq!((answer.status, answer.problem().as_str()), (status, code), "{path}: {answer:?}");
    }
    let ines = somebody("ines", Role::Auditor);
    assert_eq!(gate.get(&ines, WEATHER).await.problem(), "wrong_role", "looking asks a registry outside");
}
