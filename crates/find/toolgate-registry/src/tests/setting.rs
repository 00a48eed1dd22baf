//! Settings that change while the gateway runs.

use serde_json::json;
use toolgate_core::address::Reach;

use super::kit::*;
use crate::{FileState, NewSettingValue, RefusalKind, Registry, ServerSource};

#[tokio::test]
async fn a_server_that_is_set_is_reached_and_one_that_is_taken_out_is_not() {
    let house = RegistryFixture::new().await;
    let gateway = house.gateway("one", file(&["files"])).await;
    let other = house.gateway("two", file(&["files"])).await;
    let records = gateway.registry.records();
    assert_eq!(records.setting("mcp_servers").await.expect("there").version, 0);

    let value = json!([{ "name": "job-app", "url": "http://localhost:4000/mcp" }]);
    let by = operator();
    let set = gateway.registry.change_setting(&by, "mcp_servers", at(value.clone(), 0)).await.expect("set");
    assert_eq!((set.version, set.updated_by.as_ref()), (1, Some(&by.id)));
    let both = ["files https://example.com/mcp", "job-app http://localhost:4000/mcp"];
    until("it is reached", || gateway.reached() == both).await;
    until("the other gateway reaches it too", || other.reached() == both).await;
    assert_eq!(gateway.registry.servers()[1].source, ServerSource::Settings);

    let stale =
        gateway.registry.change_setting(&by, "mcp_servers", at(json!([]), 0)).await.expect_err("stale");
    assert_eq!((stale.kind, stale.code.name), (RefusalKind::Stale, "stale"));
    let refused =
        gateway.registry.change_setting(&by, "mcp_servers", at(json!([{}]), 1)).await.expect_err("bad");
    assert_eq!(refused.field.as_deref(), Some("value[0].name"));
    assert_eq!(records.setting("mcp_servers").await.expect("there").value, value);

    gateway
        .registry
        .change_setting(&by, "mcp_servers", NewSettingValue::plain(json!([])))
        .await
        .expect("set");
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
    gateway
        .registry
        .change_setting(&operator(), "mcp_servers", NewSettingValue::plain(value))
        .await
        .expect("set");
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
    gateway
        .registry
        .change_setting(&operator(), "aliases", NewSettingValue::plain(value))
        .await
        .expect("set");
    until("agents see it", || gateway.seen().contains(&"files__text__read".to_owned())).await;
    assert!(gateway.shelf.catalog.snapshot().find_tool("old_write", 0).is_some());
    let kinds = house.kinds().await;
    for kind in ["setting.changed", "registry.aliases.changed", "registry.tool.renamed"] {
        assert!(kinds.iter().any(|one| one == kind), "{kind} in {kinds:?}");
    }
    let taken = json!([{ "name": "files__write", "tool": "files:read" }]);
    let refused = gateway
        .registry
        .change_setting(&operator(), "aliases", NewSettingValue::plain(taken))
        .await
        .expect_err("taken");
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
    records
        .change_setting(&operator(), "registry", NewSettingValue::plain(value), &context)
        .await
        .expect("set");
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
    gateway.registry.change_setting(&operator(), "models", NewSettingValue::plain(value)).await.expect("set");
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

#[tokio::test]
async fn policies_are_put_in_force_at_every_gateway_with_a_reason_and_taken_back_as_an_earlier_version() {
    let house = RegistryFixture::new().await;
    let gateway = house.gateway("one", file(&[])).await;
    let other = house.gateway("two", file(&[])).await;
    let by = admin();
    let because = |value, reason: &str| NewSettingValue {
        reason: Some(reason.to_owned()),
        ..NewSettingValue::plain(value)
    };
    let first = json!({ "gates": "first" });
    let set = gateway.registry.change_setting(&by, "policy", because(first.clone(), " an audit ")).await;
    assert_eq!(set.expect("set").version, 1);
    assert_eq!(gateway.policies.gates().as_deref(), Some("first"));
    until("the other gateway has it too", || other.policies.gates().as_deref() == Some("first")).await;

    let without = because(json!({}), "they are in my way");
    let refused =
        gateway.registry.change_setting(&operator(), "policy", without).await.expect_err("no admin");
    assert_eq!(refused.code.name, "wrong_role");
    assert_eq!(gateway.policies.gates().as_deref(), Some("first"));
    let wrong = because(json!({ "gates": "wrong" }), "to see");
    let refused = gateway.registry.change_setting(&by, "policy", wrong).await.expect_err("wrong");
    assert_eq!((refused.kind, refused.field.as_deref()), (RefusalKind::Invalid, Some("gates")));
    for silent in [NewSettingValue::plain(json!({})), because(json!({}), "  ")] {
        let refused = gateway.registry.change_setting(&by, "policy", silent).await.expect_err("no reason");
        assert_eq!(refused.field.as_deref(), Some("reason"));
    }
    assert_eq!(gateway.policies.gates().as_deref(), Some("first"));

    gateway.registry.change_setting(&by, "policy", because(json!({}), "too strict")).await.expect("set");
    assert_eq!(gateway.policies.gates(), None);
    let versions = gateway.registry.records().setting_versions("policy").await.expect("there");
    let told: Vec<_> = versions.iter().map(|one| (one.version, one.reason.as_deref())).collect();
    assert_eq!(told, [(2, Some("too strict")), (1, Some("an audit"))]);
    assert_eq!((&versions[1].value, &versions[1].set_by), (&first, &by.id));
    let back = because(versions[1].value.clone(), "back");
    gateway.registry.change_setting(&by, "policy", back).await.expect("set");
    assert_eq!(gateway.policies.gates().as_deref(), Some("first"));

    let ledger = house.ledger().await;
    let told = ledger.into_iter().filter(|(kind, _)| kind == "setting.changed").map(|(_, detail)| detail);
    let change = |version: u64, reason: &str| json!({ "key": "policy", "version": version, "reason": reason, "changed": ["gates"] });
    let expected = [change(1, "an audit"), change(2, "too strict"), change(3, "back")];
    assert_eq!(told.collect::<Vec<_>>(), expected);
    gateway.registry.stop().await;
    other.registry.stop().await;
}

#[tokio::test]
async fn a_gateway_that_starts_has_the_policies_of_the_setting() {
    let house = RegistryFixture::new().await;
    let first = house.gateway("one", file(&[])).await;
    let new =
        NewSettingValue { reason: Some("why".into()), ..NewSettingValue::plain(json!({ "gates": "a" })) };
    first.registry.change_setting(&admin(), "policy", new).await.expect("set");
    first.registry.stop().await;
    let second = house.gateway("two", file(&[])).await;
    assert_eq!(second.policies.gates().as_deref(), Some("a"));
    second.registry.stop().await;
}

#[tokio::test]
async fn a_disabled_server_is_not_reached_and_its_tools_are_gone_until_it_is_enabled() {
    let house = RegistryFixture::new().await;
    let gateway = house.gateway("one", file(&["files", "mail"])).await;
    let other = house.gateway("two", file(&["files", "mail"])).await;
    gateway.registry.listed(&name("files"), listing(&[("read", "Reads.")]));
    until("it is shown", || gateway.seen() == ["files__read"]).await;
    let by = operator();
    gateway.registry.disable(&by, "files", Some(" an audit ".to_owned())).await.expect("disabled");
    until("nobody sees its tools", || gateway.seen().is_empty()).await;
    assert_eq!(gateway.reached(), ["mail https://example.com/mcp"]);
    until("the other gateway lets it go", || other.reached() == ["mail https://example.com/mcp"]).await;
    let missing = gateway.shelf.catalog.snapshot().missing_tool("files__read", 0);
    let told = format!("{missing:?}");
    assert!(told.contains("Disabled") && told.contains("its server is disabled: an audit"), "{told}");
    let known = gateway.registry.servers().remove(0);
    assert_eq!(known.disabled.and_then(|disabled| disabled.reason).as_deref(), Some("an audit"));
    // A listing that was under way changes nothing.
    gateway.registry.listed(&name("files"), listing(&[("read", "Reads."), ("write", "Writes.")]));
    gateway.registry.listed(&name("mail"), listing(&[("send", "Sends.")]));
    until("the others are shown", || gateway.seen() == ["mail__send"]).await;

    // A gateway that starts meanwhile knows it too.
    let third = house.gateway("three", file(&["files", "mail"])).await;
    assert_eq!(third.reached(), ["mail https://example.com/mcp"]);
    let missing = third.shelf.catalog.snapshot().missing_tool("files:read", 0);
    assert!(format!("{missing:?}").contains("Disabled"), "{missing:?}");

    gateway.registry.disable(&by, "files", None).await.expect("it is disabled already");
    gateway.registry.enable(&by, "files", None).await.expect("enabled");
    gateway.registry.enable(&by, "files", None).await.expect("it is enabled already");
    until("it is shown again", || gateway.seen() == ["files__read", "mail__send"]).await;
    assert_eq!(gateway.reached().len(), 2);
    until("the others reach it again", || other.reached().len() == 2 && third.reached().len() == 2).await;
    let told: Vec<_> =
        house.ledger().await.into_iter().filter(|(kind, _)| kind == "setting.changed").collect();
    let (key, added, removed) = ("disabled_servers", json!(["files"]), json!([]));
    let first = json!({ "key": key, "version": 1, "reason": "an audit", "added": added, "removed": removed, "changed": [] });
    let second = json!({ "key": key, "version": 2, "added": removed, "removed": added, "changed": [] });
    assert_eq!(told.into_iter().map(|(_, detail)| detail).collect::<Vec<_>>(), [first, second]);
    assert!(!house.kinds().await.iter().any(|kind| kind == "registry.tool.retired"));

    let unknown = gateway.registry.disable(&by, "fils", None).await.expect_err("unknown");
    assert_eq!((unknown.code.name, unknown.hint.as_str()), ("unknown_server", "did you mean files?"));
    for gateway in [gateway, other, third] {
        gateway.registry.stop().await;
    }
}
