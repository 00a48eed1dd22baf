//! The three search tools as models read them.

use insta::assert_snapshot;
use proptest::prelude::*;

use super::*;

fn server(name: &str, tools: usize) -> ServerBehind<'_> {
    ServerBehind { name, tools }
}

fn capability<'a>(name: &'a str, description: &'a str) -> CapabilityBehind<'a> {
    CapabilityBehind { name, description: Some(description).filter(|text| !text.is_empty()) }
}

#[test]
fn the_blurb_names_servers_and_capabilities() {
    let servers = [server("slack", 8), server("github", 51)];
    let capabilities =
        [capability("triage", ""), capability("code-review", "Look at pull requests.\nAnd more")];
    assert_snapshot!(catalogue_blurb(&servers, &[], 250), @"59 tools of 2 servers: github, slack.");
    assert_snapshot!(catalogue_blurb(&servers, &capabilities, 250), @"59 tools of 2 servers: github, slack. Capabilities: code-review (Look at pull requests. And more), triage.");
    assert_snapshot!(catalogue_blurb(&[], &[], 250), @"nothing yet.");
}

#[test]
fn the_largest_servers_are_named_where_not_all_fit() {
    let names: Vec<String> = (0..60).map(|n| format!("server-{n:02}")).collect();
    let servers: Vec<_> = names.iter().enumerate().map(|(n, name)| server(name, n)).collect();
    assert_snapshot!(catalogue_blurb(&servers, &[], 40), @"1770 tools of 60 servers: server-59, server-58, server-57, server-56, server-55, server-54 and 54 more.");
}

#[test]
fn capabilities_lose_their_descriptions_before_they_are_left_out() {
    let names: Vec<String> = (0..12).map(|n| format!("capability{n:02}")).collect();
    let capabilities: Vec<_> =
        names.iter().map(|name| capability(name, "Something rather long about it")).collect();
    assert_snapshot!(catalogue_blurb(&[server("a", 1)], &capabilities, 110), @"1 tool of 1 server: a. Capabilities: capability00, capability01, capability02, capability03, capability04, capability05, capability06, capability07, capability08, capability09, capability10, capability11.");
}

#[test]
fn the_three_tools_are_short() {
    let definitions = definitions("");
    let names = definitions.each_ref().map(|tool| tool["name"].as_str().expect("a name"));
    assert_eq!(names, [SEARCH_TOOLS, DESCRIBE_TOOLS, CALL_TOOL]);
    let tokens: usize = definitions.iter().map(|tool| tokens::count(&tool.to_string())).sum();
    assert!(tokens <= 280, "{tokens}");
    for tool in &definitions {
        assert!(jsonschema::meta::is_valid(&tool["inputSchema"]), "{tool}");
    }
    assert_eq!(definitions[2].get("annotations"), None, "what a call does depends on what it calls");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn a_blurb_is_bounded_and_does_not_depend_on_the_order(
        servers in proptest::collection::btree_map("[a-z-]{1,14}", 0usize..99, 0..60),
        capabilities in proptest::collection::btree_map("[a-z-]{1,14}", "\\PC{0,30}", 0..20),
        budget in 60usize..500,
    ) {
        let forwards: Vec<_> = servers.iter().map(|(name, tools)| server(name, *tools)).collect();
        let backwards: Vec<_> = forwards.iter().rev().copied().collect();
        let abilities: Vec<_> = capabilities.iter().map(|(name, text)| capability(name, text)).collect();
        let reversed: Vec<_> = abilities.iter().rev().copied().collect();
        let blurb = catalogue_blurb(&forwards, &abilities, budget);
        prop_assert_eq!(&blurb, &catalogue_blurb(&backwards, &reversed, budget));
        prop_assert!(tokens::count(&blurb) <= budget, "{} > {budget}: {blurb}", tokens::count(&blurb));
    }
}
