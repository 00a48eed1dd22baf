//! The tools in a view, and the reasons.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::json;
use toolgate_catalog::{MissingTool, ToolRule};
use toolgate_core::scope::Mounts;

use super::{DiscoveryWorld, seat, server, wires};

fn office() -> DiscoveryWorld {
    DiscoveryWorld::of(&[("docs", &["read_page", "secret_page"]), ("mail", &["read_mail", "send_risky"])])
}

#[test]
fn without_capabilities_everything_is_seen_but_what_policy_forbids() {
    let world = office();
    let view = world.view(json!({ "name": "all" }));
    assert_eq!(wires(&view), ["docs__read_page", "mail__read_mail", "mail__send_risky"]);
}

#[test]
fn a_capability_admits_by_name_pattern_server_and_tag() {
    let mut world = office();
    world.capability(json!({ "name": "one", "tools": ["docs:read_page"] }));
    world.capability(json!({ "name": "reading", "tools": ["*:read_*"] }));
    world.capability(json!({ "name": "mail", "servers": ["mail"] }));
    world.capability(json!({ "name": "danger" }));
    world.rule(ToolRule { capabilities: vec!["danger".into()], ..ToolRule::new("mail:send_risky") });
    let seen = |capability: &str| {
        let view = world.view(json!({ "name": "a", "capabilities": [capability] }));
        wires(&view).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(seen("one"), ["docs__read_page"]);
    assert_eq!(seen("reading"), ["docs__read_page", "mail__read_mail"]);
    assert_eq!(seen("mail"), ["mail__read_mail", "mail__send_risky"]);
    assert_eq!(seen("danger"), ["mail__send_risky"]);
}

#[test]
fn what_is_not_seen_is_unknown_by_any_of_its_names() {
    let mut world = office();
    world.capability(json!({ "name": "mail", "servers": ["mail"] }));
    let seat = world.seat(json!({ "name": "a", "capabilities": ["mail"] }));
    let view = world.discovery.view(&seat);
    for name in ["docs__read_page", "docs:read_page", "docs__secret_page", "docs:gone"] {
        assert!(view.find(name, 0).is_none(), "{name}");
        let missing = view.missing(&seat.principal, world.discovery.policy(), name, 0);
        assert_eq!(missing, MissingTool::Unknown, "{name}");
    }
    assert!(view.find("mail:read_mail", 0).is_some());
    assert!(!view.reaches(&server("docs")));
    assert!(view.reaches(&server("mail")));
}

#[test]
fn each_tool_is_explained_by_the_rule_that_decided() {
    let mut world = office();
    world.capability(json!({ "name": "reading", "tools": ["*:read_*", "docs:*"] }));
    let agent = json!({ "name": "a", "capabilities": ["reading"], "blocked": ["mail:read_mail"] });
    let explained = world.discovery.explain(&world.seat(agent));
    let told: Vec<_> =
        explained.iter().map(|one| (one.tool.as_str(), one.is_in, one.by, one.reason.as_str())).collect();
    assert_eq!(
        told,
        [
            ("docs:read_page", true, "capability", "capability \"reading\" of agent \"a\": tools `*:read_*`"),
            ("docs:secret_page", false, "policy", "no policy permits it"),
            ("mail:read_mail", false, "blocked", "agent \"a\" blocks `mail:read_mail`"),
            ("mail:send_risky", false, "capability", "no capability of agent \"a\" has it"),
        ]
    );
}

#[test]
fn patterns_that_fit_nothing_are_named() {
    let mut world = office();
    world.capability(json!({ "name": "reading", "tools": ["*:read_*", "*:raed_*"], "servers": ["crm"] }));
    world.capability(json!({ "name": "forgotten" }));
    let scope = world.scope(
        json!({ "name": "a", "capabilities": ["reading", "forgotten"], "pinned": ["docs:x"], "blocked": ["mail:*"] }),
    );
    let found: Vec<(String, String)> =
        world.discovery.unmatched(&scope).into_iter().map(|one| (one.place, one.pattern)).collect();
    let expected = [
        ("agent \"a\": pinned", "docs:x"),
        ("capability \"forgotten\": tags", "forgotten"),
        ("capability \"reading\": servers", "crm"),
        ("capability \"reading\": tools", "*:raed_*"),
    ];
    assert_eq!(found, expected.map(|(place, pattern)| (place.to_owned(), pattern.to_owned())));
}

#[test]
fn a_server_that_comes_later_is_not_in_a_session_that_has_begun() {
    let world = office();
    let mut scope = world.scope(json!({ "name": "a" }));
    scope.servers = Some(vec![server("docs")]);
    let view = world.discovery.view(&seat(scope.clone()));
    assert_eq!(wires(&view), ["docs__read_page"]);
    scope.mounts = Mounts { servers: [server("mail")].into(), ..Mounts::default() };
    assert!(world.discovery.view(&seat(scope)).is_empty());
}

#[test]
fn only_what_changed_is_judged_again() {
    let world = office();
    let agent = json!({ "name": "a" });
    let before = world.view(agent.clone());
    assert!(Arc::ptr_eq(&before, &world.view(agent.clone())), "nothing changed");
    let judged = world.rules.asked.load(Ordering::Relaxed);
    world.set(&[("docs", &["read_page", "secret_page"]), ("mail", &["read_mail", "send_risky", "new_mail"])]);
    let after = world.view(agent.clone());
    assert_eq!(after.len(), before.len() + 1);
    assert!(
        world.rules.asked.load(Ordering::Relaxed) - judged <= 3,
        "the tools of `docs` were judged before"
    );
    world.rules.version.fetch_add(1, Ordering::Relaxed);
    assert!(!Arc::ptr_eq(&after, &world.view(agent)), "other policies");
}

#[test]
fn a_change_elsewhere_leaves_a_list_as_it_is() {
    let mut world = office();
    world.capability(json!({ "name": "mail", "servers": ["mail"] }));
    let agent = json!({ "name": "a", "capabilities": ["mail"] });
    let before = world.view(agent.clone());
    world.set(&[("docs", &["other_page"]), ("mail", &["read_mail", "send_risky"])]);
    let after = world.view(agent.clone());
    assert!(world.discovery.lists_alike(&before, &after));
    world.set(&[("docs", &["other_page"]), ("mail", &["read_mail"])]);
    assert!(!world.discovery.lists_alike(&after, &world.view(agent)));
}
