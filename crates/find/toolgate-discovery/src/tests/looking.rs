//! The matches of a search, and the tools that it must not find.

use serde_json::json;
use toolgate_search::{AnswerBudget, DetailLevel};

use super::DiscoveryWorld;
use crate::{SearchMatches, SearchRequest};

fn search(world: &DiscoveryWorld, agent: serde_json::Value, query: &str) -> SearchMatches {
    let wanted = SearchRequest {
        query,
        servers: None,
        detail: DetailLevel::default(),
        budget: AnswerBudget::default(),
    };
    world.discovery.search(&world.view(agent), &wanted)
}

fn office() -> DiscoveryWorld {
    let mut world = DiscoveryWorld::of(&[
        ("docs", &["read_page", "write_page", "secret_page"]),
        ("mail", &["send_letter", "read_letter"]),
    ]);
    world.capability(json!({ "name": "mail", "servers": ["mail"] }));
    world
}

#[test]
fn scope_comes_before_scoring() {
    let world = office();
    let agent = json!({ "name": "a", "capabilities": ["mail"] });
    let found = search(&world, agent.clone(), "page");
    assert!(found.shown.is_empty() && found.answer.more == 0);
    assert!(!found.answer.text.contains("docs"), "{}", found.answer.text);
    let near = world.discovery.nearest(&world.view(agent), "docs__read_page");
    assert!(near.iter().all(|entry| entry.server.as_str() == "mail"));
}

#[test]
fn what_policy_hides_is_not_found() {
    let world = office();
    let found = search(&world, json!({ "name": "a" }), "secret page");
    assert!(found.shown.iter().all(|entry| entry.own != "secret_page"));
    assert!(!found.answer.text.contains("secret"));
}

#[test]
fn the_index_follows_the_catalogue() {
    let world = office();
    let agent = json!({ "name": "a" });
    assert!(search(&world, agent.clone(), "calendar").shown.is_empty());
    world.set(&[("docs", &["read_page"]), ("time", &["open_calendar"])]);
    let found = search(&world, agent.clone(), "calendar");
    assert_eq!(found.shown.first().map(|entry| entry.wire.as_str()), Some("time__open_calendar"));
    assert!(search(&world, agent, "letter").shown.is_empty());
}

#[test]
fn a_view_of_a_moment_ago_finds_nothing_that_has_gone() {
    let world = office();
    let view = world.view(json!({ "name": "a" }));
    world.set(&[("docs", &["read_page"])]);
    world.discovery.catch_up();
    let wanted = SearchRequest {
        query: "read",
        servers: None,
        detail: DetailLevel::default(),
        budget: AnswerBudget::default(),
    };
    let found = world.discovery.search(&view, &wanted);
    assert!(found.shown.iter().all(|entry| view.find(&entry.wire, 0).is_some()));
}

#[test]
fn servers_narrow_a_search_and_unknown_ones_are_told() {
    let world = office();
    let servers = ["mail".to_owned(), "crm".to_owned()];
    let wanted = SearchRequest {
        query: "read",
        servers: Some(&servers),
        detail: DetailLevel::default(),
        budget: AnswerBudget::default(),
    };
    let found = world.discovery.search(&world.view(json!({ "name": "a" })), &wanted);
    assert!(found.shown.iter().all(|entry| entry.server.as_str() == "mail"));
    assert_eq!(found.unknown_servers, ["crm"]);
}

#[test]
fn whole_schemas_count_as_described() {
    let world = office();
    let wanted = SearchRequest {
        query: "letter",
        servers: None,
        detail: DetailLevel::Schema,
        budget: AnswerBudget::of(2000),
    };
    let found = world.discovery.search(&world.view(json!({ "name": "a" })), &wanted);
    assert_eq!(found.described.len(), 2);
}
