use std::sync::Arc;

use super::*;
use crate::{ChangedLists, MissingTool, ToolRule, WithheldTool};

const TOOLS_CHANGED: ChangedLists = ChangedLists { tools: true, prompts: false, resources: false };

#[test]
fn an_empty_catalogue_fills_and_empties_by_updates() {
    let catalog = Catalog::new();
    assert!(catalog.snapshot().tools.entries().is_empty());
    assert_eq!(catalog.update(world(&[("a", &["one"]), ("b", &["two"])])), TOOLS_CHANGED);
    assert_eq!(wire_names(&catalog.snapshot()), ["a__one", "b__two"]);
    assert_eq!(catalog.update(servers(&["b"])), TOOLS_CHANGED);
    assert_eq!(wire_names(&catalog.snapshot()), ["b__two"]);
    assert_eq!(
        catalog.update(servers(&["a", "b"])),
        ChangedLists::default(),
        "what a server listed was forgotten with it"
    );
    let forgotten =
        CatalogUpdate { listings: BTreeMap::from([(server("b"), None)]), ..CatalogUpdate::default() };
    assert_eq!(catalog.update(forgotten), TOOLS_CHANGED);
    assert!(catalog.snapshot().tools.entries().is_empty());
}

#[test]
fn the_listing_of_a_server_that_is_not_there_is_ignored() {
    let catalog = catalog(&[("a", &["one"])]);
    assert_eq!(catalog.publish(&server("b"), listing(&["two"])), ChangedLists::default());
    catalog.update(servers(&["a", "b"]));
    assert_eq!(wire_names(&catalog.snapshot()), ["a__one"]);
}

#[test]
fn only_what_agents_can_tell_apart_counts_as_a_change() {
    let catalog = catalog(&[("a", &["one", "two"])]);
    assert_eq!(
        catalog.publish(&server("a"), listing(&["two", "one"])),
        ChangedLists::default(),
        "another order"
    );
    let rule = ToolRule { audit: Some(toolgate_core::AuditLevel::Detailed), ..ToolRule::new("*") };
    assert_eq!(
        catalog.update(CatalogUpdate { rules: Some(vec![rule]), ..CatalogUpdate::default() }),
        ChangedLists::default()
    );
    let snapshot = catalog.snapshot();
    let audit = snapshot.tools.find("a:one").and_then(|entry| Some(entry.tool.as_ref()?.audit));
    assert_eq!(audit, Some(toolgate_core::AuditLevel::Detailed), "the rule holds all the same");
    let mut changed = listing(&["one", "two"]);
    changed.tools[0] =
        RawJson::from(json!({ "name": "one", "description": "!", "inputSchema": { "type": "object" } }));
    assert_eq!(catalog.publish(&server("a"), changed), TOOLS_CHANGED);
    let prompts =
        ServerListing { prompts: vec![RawJson::from(json!({ "name": "p" }))], ..listing(&["one", "two"]) };
    assert!(catalog.publish(&server("a"), prompts).prompts);
}

#[test]
fn what_did_not_change_is_not_read_again() {
    let catalog = catalog(&[("a", &["one"]), ("b", &["two", "three"])]);
    let before = catalog.snapshot();
    catalog.publish(&server("b"), listing(&["two", "four"]));
    let after = catalog.snapshot();
    let entry = |snapshot: &Snapshot, name: &str| snapshot.tools.find(name).expect("listed").clone();
    assert!(Arc::ptr_eq(&entry(&before, "a:one"), &entry(&after, "a:one")), "of another server");
    let (two, still_two) = (entry(&before, "b:two"), entry(&after, "b:two"));
    assert!(Arc::ptr_eq(&two.offer, &still_two.offer), "of the same server");
}

#[test]
fn definitions_reach_agents_as_they_were_given_but_for_the_name() {
    let catalog = catalog(&[("a", &[])]);
    let text = r#"{ "x-own" : 1.10, "name":"one" ,"inputSchema":{"type":"object","n":12345678901234567890123}, "_meta":{"dev.toolgate/tool":{"effects":["read"]}} }"#;
    let tools = vec![RawJson::parse(text.to_owned().into()).expect("JSON")];
    catalog.publish(&server("a"), ServerListing { tools, ..ServerListing::default() });
    assert_eq!(list(&catalog.snapshot()), text.replace("\"one\"", "\"a__one\""));
    let snapshot = catalog.snapshot();
    let entry = snapshot.tools.find("a__one").expect("listed");
    assert_eq!(entry.definition().as_str(), list(&snapshot));
    assert_eq!(entry.offered().as_str(), text);
}

#[test]
fn what_agents_could_not_read_is_left_out_with_the_reason() {
    let catalog = catalog(&[("a", &[])]);
    let extra = json!({ "name": "odd", "inputSchema": { "type": "object" }, "_meta": { "dev.toolgate/tool": { "speed": 9 } } });
    let tools = vec![
        RawJson::from(json!({ "name": "bare" })),
        RawJson::from(extra),
        RawJson::from(definition("well")),
    ];
    catalog.publish(&server("a"), ServerListing { tools, ..ServerListing::default() });
    let snapshot = catalog.snapshot();
    assert_eq!(wire_names(&snapshot), ["a__well"]);
    let reasons: BTreeMap<&str, &str> =
        snapshot.left_out.iter().map(|(name, why)| (name.as_str(), why.as_str())).collect();
    assert_eq!(reasons["a:bare"], "it has no `inputSchema`");
    assert!(reasons["a:odd"].contains("unknown field `speed`"), "{reasons:?}");
}

#[test]
fn of_several_definitions_the_first_counts() {
    let catalog = catalog(&[("a", &[])]);
    let tool = |text: &str| {
        RawJson::from(json!({ "name": "one", "description": text, "inputSchema": { "type": "object" } }))
    };
    catalog.publish(
        &server("a"),
        ServerListing { tools: vec![tool("new"), tool("old")], ..ServerListing::default() },
    );
    let text = list(&catalog.snapshot());
    assert!(text.contains("new") && !text.contains("old"), "{text}");
}

#[test]
fn a_withheld_tool_is_missing_for_a_reason() {
    let catalog = catalog(&[("a", &["one"])]);
    let withheld = |all: &[(&str, &str)]| CatalogUpdate {
        withheld: BTreeMap::from([(
            server("a"),
            all.iter()
                .map(|(own, reason)| WithheldTool {
                    own: (*own).into(),
                    why: crate::WithheldReason::Quarantined,
                    reason: (*reason).into(),
                })
                .collect(),
        )]),
        ..CatalogUpdate::default()
    };
    catalog.update(withheld(&[("two", "its definition changed")]));
    let snapshot = catalog.snapshot();
    let expected = MissingTool::Withheld {
        name: CanonicalName::recorded("a:two"),
        why: crate::WithheldReason::Quarantined,
        reason: "its definition changed".into(),
    };
    for name in ["a:two", "a__two"] {
        assert!(snapshot.find_tool(name, 0).is_none());
        assert_eq!(snapshot.missing_tool(name, 0), expected, "{name}");
    }
    assert_eq!(snapshot.missing_tool("a__three", 0), MissingTool::Unknown);
    let hidden: Vec<_> =
        snapshot.hidden().map(|one| (one.name.as_str(), one.why, one.reason.as_str())).collect();
    assert_eq!(hidden, [("a:two", crate::WithheldReason::Quarantined, "its definition changed")]);
    catalog.update(withheld(&[]));
    assert_eq!(catalog.snapshot().missing_tool("a:two", 0), MissingTool::Unknown);
}

#[test]
fn every_snapshot_has_a_higher_number_and_an_update_that_changes_nothing_makes_none() {
    let catalog = Catalog::new();
    assert_eq!(catalog.snapshot().generation, 0);
    catalog.update(world(&[("a", &["one"])]));
    assert_eq!(catalog.snapshot().generation, 1);
    catalog.publish(&server("a"), listing(&["one"]));
    assert_eq!(catalog.snapshot().generation, 1);
    catalog.publish(&server("a"), listing(&["one", "two"]));
    assert_eq!(catalog.snapshot().generation, 2);
}

#[test]
fn pages_join_to_the_whole_list_whatever_their_size() {
    let catalog = catalog(&[("a", &["1", "2", "3", "4", "5"]), ("b", &["1", "2"])]);
    let snapshot = catalog.snapshot();
    let whole = list(&snapshot);
    for size in 1..9 {
        let (mut pages, mut cursor) = (Vec::new(), None::<String>);
        loop {
            let page = snapshot.tools.page(cursor.as_deref(), size).expect("its own cursor");
            let mut text = String::new();
            page.write(&mut text);
            pages.push(text);
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(pages.join(","), whole, "{size} at a time");
    }
    assert!(snapshot.tools.page(Some("nonsense"), 3).is_err());
    assert!(snapshot.tools.page(None, 0).expect("no cursor").entries.is_empty());
}

#[test]
fn a_uri_leads_to_its_server_and_the_later_one_is_told_apart() {
    let catalog = catalog(&[("a", &[]), ("b", &[])]);
    let offering = |template: &str| ServerListing {
        resources: vec![RawJson::from(json!({ "uri": "file:///x", "name": "x" }))],
        templates: vec![RawJson::from(json!({ "uriTemplate": template, "name": "t" }))],
        ..ServerListing::default()
    };
    catalog.publish(&server("a"), offering("notes://{id}"));
    catalog.publish(&server("b"), offering("mail://{box}/{id}"));
    let snapshot = catalog.snapshot();
    let target = |uri: &str| snapshot.resource(uri).map(|target| (target.server.to_string(), target.uri));
    let to = |server: &str, uri: &str| Some((server.to_owned(), uri.to_owned()));
    assert_eq!(target("file:///x"), to("a", "file:///x"));
    assert_eq!(target("b+file:///x"), to("b", "file:///x"));
    assert_eq!(target("mail://in/7"), to("b", "mail://in/7"));
    assert_eq!(target("notes://a/b/c"), to("a", "notes://a/b/c"), "the only server that knows the scheme");
    assert_eq!(target("file:///y"), None, "two servers know the scheme");
}
