//! Settings that change while the gateway runs.

use serde_json::json;
use toolgate_core::address::Reach;

use super::kit::*;
use crate::{FileState, RefusalKind, Registry, ServerSource};

#[tokio::test]
async fn a_server_that_is_set_is_reached_and_one_that_is_taken_out_is_not() {
    let house = RegistryFixture::new().await;
    let gateway = house.gateway("one", file(&["files"])).await;
    let other = house.gateway("two", file(&["files"])).await;
    let records = gateway.registry.records();
    assert_eq!(records.setting("mcp_servers").await.expect("there").version, 0);

    let value = json!([{ "name": "job-app", "url": "http://localhost:4000/mcp" }]);
    let by = operator();
    let set = gateway.registry.change_setting(&by, "mcp_servers", value.clone(), Some(0)).await.expect("set");
    assert_eq!((set.version, set.updated_by.as_ref()), (1, Some(&by.id)));
    let both = ["files https://example.com/mcp", "job-app http://localhost:4000/mcp"];
    until("it is reached", || gateway.reached() == both).await;
    until("the other gateway reaches it too", || other.reached() == both).await;
    assert_eq!(gateway.registry.servers()[1].source, ServerSource::Settings);

    let stale =
        gateway.registry.change_setting(&by, "mcp_servers", json!([]), Some(0)).await.expect_err("stale");
    assert_eq!((stale.kind, stale.code.name), (RefusalKind::Stale, "stale"));
    let refused =
        gateway.registry.change_setting(&by, "mcp_servers", json!([{}]), Some(1)).await.expect_err("bad");
    assert_eq!(refused.field.as_deref(), Some("value[0].name"));
    assert_eq!(records.setting("mcp_servers").await.expect("there").value, value);

    gateway.registry.change_setting(&by, "mcp_servers", json!([]), None).await.expect("set");
    until("it is not reached any more", || gateway.reached() == ["files https://example.com/mcp"]).await;
    let told: Vec<_> =
        house.ledger().await.into_iter().filter(|(kind, _)| kind == "setting.changed").collect();
    assert_eq!(told.len(), 2);
    assert_eq!(
        told[0].1,
        json!({ "key": "mcp_servers", "version": 1, "added": ["job-app"], "removed": [], "changed": [] })
    );
    gateway.registry.stop().await;
    other.registry.stop().await;
}

#[tokio::test]
async fn a_server_that_registered_gives_way_to_a_setting_and_then_cannot_register() {
    let house = RegistryFixture::new().await;
    let gateway = house.gateway("one", file(&[])).await;
    gateway.registry.register(&server("jobs"), registration("jobs", "a")).await.expect("registered");
    let value = json!([{ "name": "jobs", "url": "https://set.example.com/mcp" }]);
    gateway.registry.change_setting(&operator(), "mcp_servers", value, None).await.expect("set");
    until("the setting holds", || gateway.reached() == ["jobs https://set.example.com/mcp"]).await;
    let taken =
        gateway.registry.register(&server("jobs"), registration("jobs", "b")).await.expect_err("taken");
    assert_eq!((taken.kind, taken.code.name), (RefusalKind::Conflict, "name_taken"));
    assert!(taken.message.contains("the setting mcp_servers"), "{}", taken.message);
    gateway.registry.stop().await;
}

#[tokio::test]
async fn aliases_that_are_set_work_and_are_told() {
    let house = RegistryFixture::new().await;
    let gateway = house.gateway("one", file(&["files"])).await;
    gateway.registry.listed(&name("files"), listing(&[("read", "Reads."), ("write", "Writes.")]));
    until("it is shown", || gateway.seen().len() == 2).await;
    let value = json!([
        { "name": "files.text.read", "tool": "files:read", "primary": true },
        { "name": "old_write", "tool": "files:write" },
    ]);
    gateway.registry.change_setting(&operator(), "aliases", value, None).await.expect("set");
    until("agents see it", || gateway.seen().contains(&"files__text__read".to_owned())).await;
    assert!(gateway.shelf.catalog.snapshot().find_tool("old_write", 0).is_some());
    let kinds = house.kinds().await;
    for kind in ["setting.changed", "registry.aliases.changed", "registry.tool.renamed"] {
        assert!(kinds.iter().any(|one| one == kind), "{kind} in {kinds:?}");
    }
    let taken = json!([{ "name": "files__write", "tool": "files:read" }]);
    let refused =
        gateway.registry.change_setting(&operator(), "aliases", taken, None).await.expect_err("taken");
    assert_eq!((refused.kind, refused.code.name), (RefusalKind::Invalid, "alias_taken"));
    gateway.registry.stop().await;
}

#[tokio::test]
async fn drift_that_waits_is_accepted_when_the_setting_says_so() {
    let house = RegistryFixture::new().await;
    let gateway = house.gateway("one", file(&["files"])).await;
    gateway.registry.listed(&name("files"), listing(&[("read", "Reads.")]));
    until("it is shown", || gateway.seen() == ["files__read"]).await;
    gateway.registry.listed(&name("files"), listing(&[("read", "Reads well.")]));
    until("it is withheld", || gateway.seen().is_empty()).await;
    let context = gateway.registry.records().setting_context(file(&["files"])).await.expect("a context");
    let value = json!({ "drift": "accept" });
    let records = gateway.registry.records();
    records.change_setting(&operator(), "registry", value, None, &context).await.expect("set");
    until("it is shown", || gateway.description("files__read").as_deref() == Some("Reads well.")).await;
    gateway.registry.stop().await;
}

/// The models in force, each with the provider's own name.
fn models(registry: &Registry) -> Vec<String> {
    let told = |known: &toolgate_core::model::KnownModel| {
        format!("{} {}", known.definition.name, known.definition.model)
    };
    registry.models().iter().map(told).collect()
}

#[tokio::test]
async fn models_that_are_set_are_in_force_at_every_gateway_and_give_way_to_the_file() {
    let house = RegistryFixture::new().await;
    let gateway = house.gateway("one", file(&[])).await;
    let other = house.gateway("two", file(&[])).await;
    let value = json!([{ "name": "gpt", "provider": "openai", "model": "of-the-setting" }]);
    gateway.registry.change_setting(&operator(), "models", value, None).await.expect("set");
    assert_eq!(models(&gateway.registry), ["gpt of-the-setting"]);
    until("the other gateway has it too", || models(&other.registry) == ["gpt of-the-setting"]).await;

    let mut known = gateway.registry.models().remove(0);
    assert!(!known.is_of_file());
    known.definition.model = "of-the-file".into();
    known.reach = Reach::Anywhere;
    let changed = FileState { models: vec![known], ..file(&[]) };
    assert_eq!(gateway.registry.reload(changed, Vec::new()).await, ["models changed"]);
    assert_eq!(models(&gateway.registry), ["gpt of-the-file"]);
    gateway.registry.reload(file(&[]), Vec::new()).await;
    assert_eq!(models(&gateway.registry), ["gpt of-the-setting"], "it was only shadowed");
    gateway.registry.stop().await;
    other.registry.stop().await;
}
