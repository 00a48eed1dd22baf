//! The lists of tools that agents read.

use proptest::prelude::*;
use serde_json::json;

use super::{DiscoveryWorld, names};
use crate::{APPROVAL_ANNOTATION, APPROVAL_META, Surface};

const MANY: usize = 300;

fn crowd() -> DiscoveryWorld {
    let names: Vec<String> = (0..MANY).map(|number| format!("do_thing_{number:03}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    DiscoveryWorld::of(&[("big", &names), ("small", &["greet", "send_risky"])])
}

#[test]
fn a_list_within_the_budget_is_whole_and_sorted() {
    let world = DiscoveryWorld::of(&[("b", &["two", "one"]), ("a", &["three"])]);
    assert_eq!(names(&world.list(json!({ "name": "x" }))), ["a__three", "b__one", "b__two"]);
}

#[test]
fn beyond_the_budget_only_the_pinned_are_listed_and_the_three() {
    let world = crowd();
    let list = world.list(json!({ "name": "x", "pinned": ["small:greet"] }));
    assert_eq!(names(&list), ["call_tool", "describe_tools", "search_tools", "small__greet"]);
    let blurb = list["tools"][2]["description"].as_str().expect("a description");
    assert!(blurb.contains("big") && blurb.contains("small"), "{blurb}");
}

#[test]
fn zero_is_always_searched_and_off_never() {
    let world = DiscoveryWorld::of(&[("a", &["one"])]);
    assert_eq!(names(&world.list(json!({ "name": "x", "token_budget": 0 }))).len(), 3);
    let world = crowd();
    assert_eq!(names(&world.list(json!({ "name": "x", "token_budget": "off" }))).len(), MANY + 2);
}

#[test]
fn a_tool_that_people_are_asked_about_says_so_and_is_otherwise_as_it_was() {
    let world = DiscoveryWorld::of(&[("small", &["greet", "send_risky"])]);
    let list = world.list(json!({ "name": "x" }));
    let (plain, marked) = (&list["tools"][0], &list["tools"][1]);
    assert!(plain.get("_meta").is_none() && plain.get("annotations").is_none());
    assert_eq!(marked["_meta"][APPROVAL_META], "always");
    assert_eq!(marked["annotations"][APPROVAL_ANNOTATION], true);
    assert_eq!(marked["inputSchema"], super::definition("send_risky")["inputSchema"]);
}

#[test]
fn a_diet_drops_what_is_said_twice_and_costs_less() {
    let world = DiscoveryWorld::of(&[("small", &["greet"])]);
    let full = world.view(json!({ "name": "x" }));
    let slim = world.view(json!({ "name": "x", "schema_diet": true }));
    let list = world.list(json!({ "name": "x", "schema_diet": true }));
    assert!(list["tools"][0]["inputSchema"]["properties"]["what"].get("title").is_none());
    assert!(world.discovery.tally(&slim).listed < world.discovery.tally(&full).listed);
}

#[test]
fn pages_join_to_the_whole_list() {
    let world = crowd();
    let view = world.view(json!({ "name": "x", "token_budget": "off" }));
    let (mut cursor, mut all) = (None, Vec::new());
    loop {
        let page = world.discovery.page(&view, &[], cursor.as_deref(), 100).expect("a cursor of this list");
        let page: serde_json::Value = page.decode().expect("JSON");
        all.extend(names(&page).into_iter().map(str::to_owned));
        match page["nextCursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    assert_eq!(all.len(), MANY + 2);
    assert!(all.is_sorted());
    assert!(world.discovery.page(&view, &[], Some("nonsense"), 100).is_err());
}

#[test]
fn found_tools_join_a_short_list() {
    let world = crowd();
    let view = world.view(json!({ "name": "x" }));
    assert!(matches!(world.discovery.surface(&view), Surface::Search(_)));
    let found = view.find("big__do_thing_007", 0).expect("it is there").entry;
    let page = world.discovery.page(&view, &[found], None, 100).expect("no cursor");
    let page: serde_json::Value = page.decode().expect("JSON");
    assert_eq!(names(&page), ["big__do_thing_007", "call_tool", "describe_tools", "search_tools"]);
}

#[test]
fn the_bill_adds_up_and_says_what_search_saves() {
    let world = crowd();
    let view = world.view(json!({ "name": "x" }));
    let bill = world.discovery.bill(&view);
    assert_eq!((bill.tools, bill.surface, bill.tokenizer), (MANY + 2, "search", "o200k_base"));
    assert_eq!(bill.tokens_full, bill.servers.iter().map(|one| one.tokens_full).sum::<usize>());
    assert_eq!(bill.tokens_saved, bill.tokens_full - bill.tokens_listed);
    assert!(bill.tokens_listed < 1_000 && bill.tokens_full > 8_000, "{bill:?}");
}

proptest! {
    /// Restarts, replicas and the order of registration do not change the bytes of a list.
    #[test]
    fn lists_have_the_same_bytes_in_whatever_order_servers_came(
        order in Just((0..6usize).collect::<Vec<_>>()).prop_shuffle(),
        budget in prop_oneof![Just(json!(0)), Just(json!(8000)), Just(json!("off"))],
    ) {
        let tools: [&[&str]; 6] = [&["a", "risky"], &["b", "c"], &["d"], &["e", "secret"], &["f"], &["g", "h"]];
        let servers = ["one", "two", "three", "four", "five", "six"];
        let agent = json!({ "name": "x", "token_budget": budget, "pinned": ["one:*"] });
        let bytes = |order: &[usize]| {
            let world = DiscoveryWorld::of(&[]);
            for upto in 1..=order.len() {
                let some: Vec<_> = order[..upto].iter().map(|at| (servers[*at], tools[*at])).collect();
                world.set(&some);
                world.view(agent.clone());
            }
            let view = world.view(agent.clone());
            world.discovery.page(&view, &[], None, 1000).expect("no cursor")
        };
        prop_assert_eq!(bytes(&order), bytes(&[0, 1, 2, 3, 4, 5]));
    }
}
