//! Agent definitions and capabilities that change while the gateway runs.

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_core::RawJson;
use toolgate_core::scope::{AgentDefinition, AgentName, Capability, CapabilityName};
use toolgate_store::SettingWrite;

use super::kit::*;
use crate::{DefinitionSource, FileState, NewSettingValue, Records, RefusalKind, Registry};

fn agent(value: Value) -> AgentDefinition {
    serde_json::from_value(value).expect("an agent")
}

fn capability(value: Value) -> Capability {
    serde_json::from_value(value).expect("a capability")
}

fn agent_name(name: &str) -> AgentName {
    AgentName::new(name).expect("a name")
}

fn capability_name(name: &str) -> CapabilityName {
    CapabilityName::new(name).expect("a name")
}

fn with_definitions(agents: Value, capabilities: Value) -> FileState {
    FileState {
        agents: serde_json::from_value(agents).expect("agents"),
        capabilities: serde_json::from_value(capabilities).expect("capabilities"),
        ..file(&[])
    }
}

/// The names of all agents, each with its capabilities.
fn agents(registry: &Registry) -> Vec<String> {
    let definitions = registry.definitions();
    let shown = |one: &Arc<AgentDefinition>| match &one.capabilities {
        None => format!("{} *", one.name),
        Some(names) => {
            let names: Vec<&str> = names.iter().map(CapabilityName::as_str).collect();
            format!("{} {}", one.name, names.join(",")).trim_end().to_owned()
        }
    };
    definitions.agents.values().map(shown).collect()
}

#[tokio::test]
async fn what_is_put_counts_at_once_and_on_other_replicas_a_moment_later() {
    let house = RegistryFixture::new().await;
    let own = || {
        with_definitions(json!([{ "name": "reader", "capabilities": ["docs"] }]), json!([{ "name": "docs" }]))
    };
    let gateway = house.gateway("one", own()).await;
    let other = house.gateway("two", own()).await;
    let by = operator().id;
    let registry = &gateway.registry;
    assert_eq!(agents(registry), ["reader docs"]);

    let unknown = agent(json!({ "name": "coder", "capabilities": ["docs", "git"] }));
    let refused = registry.put_agent(&by, unknown.clone(), None).await.expect_err("unknown");
    assert_eq!(
        (refused.code.name, refused.field.as_deref()),
        ("unknown_capability", Some("capabilities[1]"))
    );
    let git = capability(json!({ "name": "git", "servers": ["github"] }));
    assert_eq!(registry.put_capability(&by, git, None).await.expect("put").version, 1);
    assert_eq!(registry.put_agent(&by, unknown.clone(), Some(0)).await.expect("put").version, 1);
    assert_eq!(agents(registry), ["coder docs,git", "reader docs"]);
    until("the other knows it too", || agents(&other.registry) == ["coder docs,git", "reader docs"]).await;
    assert_eq!(other.registry.defined().agent_sources[&agent_name("coder")], DefinitionSource::Settings);
    assert_eq!(other.registry.defined().agent_sources[&agent_name("reader")], DefinitionSource::File);

    let same = registry.definitions();
    assert_eq!(registry.put_agent(&by, unknown, None).await.expect("put").version, 1, "nothing changes");
    assert!(Arc::ptr_eq(&same, &registry.definitions()));

    let used = registry.remove_capability(&by, &capability_name("git"), None).await.expect_err("used");
    assert_eq!((used.kind, used.code.name), (RefusalKind::Conflict, "capability_in_use"));
    assert!(used.message.contains("agent \"coder\""), "{}", used.message);
    let stale = registry.remove_agent(&by, &agent_name("coder"), Some(0)).await.expect_err("stale");
    assert_eq!(stale.kind, RefusalKind::Stale);
    registry.remove_agent(&by, &agent_name("coder"), Some(1)).await.expect("removed");
    registry.remove_capability(&by, &capability_name("git"), None).await.expect("removed");
    assert_eq!(agents(registry), ["reader docs"]);

    let told: Vec<Value> = house.ledger().await.into_iter().map(|(_, detail)| detail).collect();
    assert_eq!(told.len(), 4);
    assert_eq!(
        told[1],
        json!({ "key": "agents", "version": 1, "added": ["coder"], "removed": [], "changed": [] })
    );
    gateway.registry.stop().await;
    other.registry.stop().await;
}

#[tokio::test]
async fn what_the_file_defines_is_not_changed_elsewhere() {
    let house = RegistryFixture::new().await;
    let own = with_definitions(json!([{ "name": "reader" }]), json!([{ "name": "docs" }]));
    let gateway = house.gateway("one", own.clone()).await;
    let by = operator().id;
    let registry = &gateway.registry;
    let put =
        registry.put_agent(&by, agent(json!({ "name": "reader" })), None).await.expect_err("the file's");
    assert_eq!(
        (put.kind, put.code.name, put.field.as_deref()),
        (RefusalKind::Conflict, "defined_in_file", Some("name"))
    );
    let removed = registry.remove_agent(&by, &agent_name("reader"), None).await.expect_err("the file's");
    assert_eq!(removed.code.name, "defined_in_file");
    let removed =
        registry.remove_capability(&by, &capability_name("docs"), None).await.expect_err("the file's");
    assert_eq!(removed.code.name, "defined_in_file");

    // The command line, beside the gateway.
    let records = Records::new(house.store.clone(), house.books("cli").await, house.clock.clone());
    records.put_agent(&by, agent(json!({ "name": "writer" })), None, &own).await.expect("put");
    until("the gateway knows it", || agents(registry) == ["reader *", "writer *"]).await;
    let unknown = records.remove_agent(&by, &agent_name("wirter"), None, &own).await.expect_err("unknown");
    assert_eq!((unknown.kind, unknown.hint.as_str()), (RefusalKind::NotFound, "did you mean writer?"));
    let unknown =
        records.remove_capability(&by, &capability_name("x"), None, &own).await.expect_err("unknown");
    assert_eq!((unknown.kind, unknown.code.name), (RefusalKind::NotFound, "unknown_capability"));
    let merged = records.definitions(&own).await.expect("read");
    assert_eq!(merged.definitions, registry.definitions());
    gateway.registry.stop().await;
}

#[tokio::test]
async fn a_reload_counts_at_once_and_what_it_breaks_sees_less_and_is_told() {
    let house = RegistryFixture::new().await;
    let git = json!([{ "name": "git" }]);
    let gateway = house.gateway("one", with_definitions(json!([]), git.clone())).await;
    let by = operator().id;
    let registry = &gateway.registry;
    for definition in [
        json!({ "name": "coder", "capabilities": ["git"], "principals": ["ada"] }),
        json!({ "name": "other" }),
    ] {
        registry.put_agent(&by, agent(definition), None).await.expect("put");
    }
    assert!(registry.problems().is_empty());

    let lines = registry
        .reload(with_definitions(json!([{ "name": "other", "capabilities": [] }]), json!([])), vec![])
        .await;
    assert_eq!(lines, ["agents changed", "capabilities changed"]);
    assert_eq!(agents(registry), ["coder", "other"], "neither sees anything");
    let told: Vec<String> = registry.problems().iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "agent \"coder\" of the setting agents: the capability \"git\" is not defined, and adds nothing",
            "agent \"other\" of the setting agents: it is not used, because toolgate.toml defines it too",
        ]
    );
    // Neither blocks another, and an ineffective one can be removed.
    registry.put_agent(&by, agent(json!({ "name": "third" })), None).await.expect("put");
    registry.remove_agent(&by, &agent_name("other"), None).await.expect("removed");
    assert_eq!(agents(registry), ["coder", "other", "third *"]);

    registry.reload(with_definitions(json!([]), git), vec![]).await;
    assert_eq!(agents(registry), ["coder git", "third *"]);
    assert!(registry.problems().is_empty());
    gateway.registry.stop().await;
}

#[tokio::test]
async fn a_stored_definition_that_cannot_be_read_takes_no_other_down() {
    let house = RegistryFixture::new().await;
    let value = json!([{ "name": "newer", "color": 1, "principals": ["ada"] }, { "name": "plain" }]);
    let books = house.books("cli").await;
    let by = operator().id;
    books
        .write_setting(SettingWrite::plain("agents", &RawJson::from(value), &by), |_| Vec::new())
        .await
        .expect("written");
    let gateway = house.gateway("one", file(&[])).await;
    let registry = &gateway.registry;
    assert_eq!(agents(registry), ["newer", "plain *"]);
    assert_eq!(registry.problems().len(), 1);
    registry.put_agent(&by, agent(json!({ "name": "more" })), None).await.expect("put");
    let kept = registry.records().setting("agents").await.expect("there").value;
    assert_eq!(kept[0]["color"], 1, "it is left as it is");
    registry
        .put_agent(&by, agent(json!({ "name": "newer", "principals": ["ada"] })), None)
        .await
        .expect("mended");
    assert_eq!(agents(registry), ["more *", "newer *", "plain *"]);
    assert!(registry.problems().is_empty());
    gateway.registry.stop().await;
}

#[tokio::test]
async fn two_that_put_at_once_lose_nothing_of_each_other() {
    let house = RegistryFixture::new().await;
    let gateway = house.gateway("one", file(&[])).await;
    let by = operator().id;
    let put = |name: &str| gateway.registry.put_agent(&by, agent(json!({ "name": name })), None);
    let (one, two, three) = tokio::join!(put("one"), put("two"), put("three"));
    let mut versions = [one, two, three].map(|put| put.expect("put").version);
    versions.sort_unstable();
    assert_eq!(versions, [1, 2, 3]);
    assert_eq!(agents(&gateway.registry), ["one *", "three *", "two *"]);
    gateway.registry.stop().await;
}

#[tokio::test]
async fn no_server_is_called_like_the_gateway() {
    let house = RegistryFixture::new().await;
    let gateway = house.gateway("one", file(&[])).await;
    let value = json!([{ "name": "Toolgate", "url": "https://example.com/mcp" }]);
    let by = operator();
    let set = gateway
        .registry
        .change_setting(&by, "mcp_servers", NewSettingValue::plain(value))
        .await
        .expect_err("reserved");
    assert_eq!((set.code.name, set.field.as_deref()), ("name_taken", Some("value[0].name")));
    let joined = gateway
        .registry
        .register(&server("toolgate"), registration("toolgate", "a"))
        .await
        .expect_err("reserved");
    assert_eq!((joined.kind, joined.code.name), (RefusalKind::Conflict, "name_taken"));
    assert_eq!(joined.message, "the server name toolgate is reserved: Toolgate's own tools have it");
    gateway.registry.stop().await;
}
