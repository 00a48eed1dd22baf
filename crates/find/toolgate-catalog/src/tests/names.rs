use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use toolgate_core::registry::WireName;

use super::*;
use crate::{Alias, RESERVED_TOOLS};

#[test]
fn names_that_several_could_have_stay_with_the_earlier_server_whether_or_not_it_is_up() {
    let catalog = Catalog::new();
    catalog.update(servers(&["x", "x.y"]));
    catalog.publish(&server("x.y"), listing(&["z"]));
    let before = names(&catalog.snapshot());
    assert!(!before.contains_key("x__y__z"), "{before:?}");
    catalog.publish(&server("x"), listing(&["y__z", "y.z"]));
    let after = names(&catalog.snapshot());
    assert_eq!(after["x__y__z"].as_str(), "x:y__z");
    assert_eq!(after.len(), 3, "{after:?}");
    for (name, tool) in before {
        assert_eq!(after.get(&name), Some(&tool));
    }
}

#[test]
fn a_server_that_comes_later_and_stands_earlier_takes_no_name_away() {
    let catalog = catalog(&[("x.y", &["z"])]);
    assert_eq!(wire_names(&catalog.snapshot()), ["x__y__z"]);
    catalog.update(world(&[("x", &["y__z"]), ("x.y", &["z"])]));
    assert_eq!(names(&catalog.snapshot())["x__y__z"].as_str(), "x.y:z");
    catalog.update(world(&[("x", &["y__z"])]));
    let left = names(&catalog.snapshot());
    assert!(!left.contains_key("x__y__z") && left.len() == 1, "the name of a tool that has gone: {left:?}");
}

#[test]
fn within_one_server_the_plainer_name_wins_at_first_sight_and_stays() {
    let both = catalog(&[("s", &["a.b", "a__b"])]);
    assert_eq!(names(&both.snapshot())["s__a__b"].as_str(), "s:a__b");
    let one_after_the_other = catalog(&[("s", &["a.b"])]);
    one_after_the_other.publish(&server("s"), listing(&["a.b", "a__b"]));
    assert_eq!(names(&one_after_the_other.snapshot())["s__a__b"].as_str(), "s:a.b");
}

#[test]
fn the_names_of_the_gateways_own_tools_are_never_given_to_another() {
    let catalog = Catalog::new();
    let bare = |tools: &[&str]| CatalogUpdate {
        listings: BTreeMap::from([(server(BARE), Some(listing(tools)))]),
        ..some_servers(&[BARE])
    };
    catalog.update(bare(&[RESERVED_TOOLS, &["search"]].concat()));
    let snapshot = catalog.snapshot();
    let names = names(&snapshot);
    assert_eq!(names.len(), RESERVED_TOOLS.len() + 1, "{names:?}");
    assert_eq!(names["search"].as_str(), "bare:search");
    for &reserved in RESERVED_TOOLS {
        assert!(!names.contains_key(reserved), "{names:?}");
        let entry = snapshot.tools.find(&format!("bare:{reserved}")).expect("found by its canonical name");
        assert!(entry.wire.starts_with(&format!("bare__{reserved}_")), "{}", entry.wire);
        assert!(snapshot.find_tool(reserved, 0).is_none());
    }
    let prompts = vec![RawJson::from(json!({ "name": "call_tool" }))];
    catalog.publish(&server(BARE), ServerListing { prompts, ..ServerListing::default() });
    assert!(catalog.snapshot().prompts.find("call_tool").is_some(), "a prompt is no tool");
}

#[test]
fn an_alias_cannot_have_a_name_of_the_gateways_own_tools() {
    let catalog = catalog(&[("a", &["one"])]);
    let alias = |name: &str, primary| Alias { primary, ..self::primary((name, "a:one")) };
    let reserved = ["search_tools", "Call_Tool", "toolgate.tools.search", "toolgate:x"];
    let mut aliases: Vec<Alias> = reserved.iter().map(|name| alias(name, false)).collect();
    aliases.extend([alias("toolgate.one.two", true), alias("toolgate_old", false)]);
    catalog.update(CatalogUpdate { aliases: Some(aliases), ..CatalogUpdate::default() });
    let snapshot = catalog.snapshot();
    assert_eq!(snapshot.aliases.keys().collect::<Vec<_>>(), ["toolgate_old"]);
    assert_eq!(snapshot.refused_aliases.len(), 5);
    assert!(snapshot.refused_aliases[0].1.contains("Toolgate itself"), "{}", snapshot.refused_aliases[0].1);
}

/// This one keeps its own names.
const BARE: &str = "bare";
const SERVERS: [&str; 8] = ["a", "a.b", "a__b", "a_", "b", "a.b.c", "c", BARE];
const TOOLS: [&str; 10] = ["b__c", "c", "b.c", "_b", "b", "c__d", "c.d", "d", "b_c", "a__b"];
const GIVEN: [(&str, &str); 3] = [("a.b.c", "c:d"), ("b.c.d", "a:b"), ("a.b.d", "b:c")];

#[derive(Clone, Debug)]
enum Step {
    Servers(Vec<&'static str>),
    List(&'static str, Vec<&'static str>),
    Forget(&'static str),
    Aliases(Vec<(&'static str, &'static str)>),
}

impl Step {
    fn update(&self) -> CatalogUpdate {
        let one = |name: &str, listing| BTreeMap::from([(server(name), listing)]);
        match self {
            Step::Servers(names) => some_servers(names),
            Step::List(name, tools) => {
                CatalogUpdate { listings: one(name, Some(listing(tools))), ..CatalogUpdate::default() }
            }
            Step::Forget(name) => CatalogUpdate { listings: one(name, None), ..CatalogUpdate::default() },
            Step::Aliases(given) => CatalogUpdate {
                aliases: Some(given.iter().map(|pair| primary(*pair)).collect()),
                ..CatalogUpdate::default()
            },
        }
    }
}

fn some_servers(names: &[&str]) -> CatalogUpdate {
    let one = |name: &&str| ServerSettings { prefix: *name != BARE, ..settings(name) };
    CatalogUpdate { servers: Some(names.iter().map(one).collect()), ..CatalogUpdate::default() }
}

fn primary((name, target): (&str, &str)) -> Alias {
    let target = CanonicalName::recorded(target);
    Alias { name: name.into(), target, until_ms: None, primary: true, owner: "toolgate.toml".into() }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let shuffled = subsequence(SERVERS.to_vec(), 0..=SERVERS.len()).prop_shuffle();
    let tools = subsequence(TOOLS.to_vec(), 0..=TOOLS.len()).prop_shuffle();
    let given = subsequence(GIVEN.to_vec(), 0..=GIVEN.len());
    let step = prop_oneof![
        2 => shuffled.prop_map(Step::Servers),
        5 => (select(SERVERS.to_vec()), tools).prop_map(|(name, tools)| Step::List(name, tools)),
        1 => select(SERVERS.to_vec()).prop_map(Step::Forget),
        1 => given.prop_map(Step::Aliases),
    ];
    vec(step, 1..24)
}

#[test]
fn where_names_are_recorded_nothing_is_shown_before_its_name_is() {
    let catalog = Catalog::with_recorded_names();
    catalog.update(world(&[("x", &["y__z", "plain"]), ("x.y", &["z"])]));
    let wanted = catalog.snapshot().unrecorded.clone();
    assert!(wire_names(&catalog.snapshot()).is_empty());
    let names: Vec<&str> = wanted.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names.len(), 3);
    assert!(names.contains(&"x__y__z") && names.contains(&"x__plain"), "{names:?}");

    // Somewhere else the first name was given to another tool, a moment ago.
    let mut recorded: Vec<WireName> = wanted.into_iter().filter(|one| one.name == "x__plain").collect();
    recorded.push(WireName {
        name: "x__y__z".into(),
        server: server("x.y"),
        owner: CanonicalName::recorded("x.y:z"),
        ..recorded[0].clone()
    });
    let changes = catalog.update(CatalogUpdate { names: recorded, ..CatalogUpdate::default() });
    assert!(changes.tools);
    let snapshot = catalog.snapshot();
    assert_eq!(wire_names(&snapshot), ["x__plain", "x__y__z"]);
    assert_eq!(snapshot.tools.find("x__y__z").expect("listed").canonical.as_str(), "x.y:z");
    let [wanted] = &snapshot.unrecorded[..] else { panic!("{:?}", snapshot.unrecorded) };
    assert_eq!(wanted.owner.as_str(), "x:y__z");
    assert!(wanted.name.starts_with("x__y__z_"), "{wanted:?}");
    let renamed: Vec<&str> = snapshot.renamed.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(renamed, ["x:y__z"]);
}

#[test]
fn a_tool_keeps_the_name_it_got_when_its_plain_one_was_taken() {
    let catalog = catalog(&[("x", &["y__z"]), ("x.y", &["z"])]);
    let before = names(&catalog.snapshot());
    catalog.update(servers(&["x.y"]));
    catalog.publish(&server("x.y"), listing(&["z"]));
    let snapshot = catalog.snapshot();
    assert!(names(&snapshot).iter().all(|(name, tool)| before.get(name) == Some(tool)));
    catalog.update(world(&[("x.y", &["z"]), ("x", &["y__z"])]));
    assert_eq!(names(&catalog.snapshot()), before, "in another order");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_order_of_updates_moves_a_name_from_one_tool_to_another(steps in steps()) {
        let catalog = Catalog::new();
        catalog.update(some_servers(&SERVERS));
        let mut seen: BTreeMap<String, CanonicalName> = BTreeMap::new();
        for step in &steps {
            catalog.update(step.update());
            let snapshot = catalog.snapshot();
            for (name, tool) in names(&snapshot) {
                let before = seen.entry(name.clone()).or_insert_with(|| tool.clone());
                prop_assert_eq!(&*before, &tool, "{} moved", name);
            }
            for (name, tool) in &seen {
                let found = snapshot.tools.find(name).map(|entry| &entry.canonical);
                prop_assert!(found.is_none_or(|found| found == tool), "{} finds {:?}", name, found);
            }
        }
    }

    #[test]
    fn every_tool_is_listed_once_under_a_legal_name_of_its_own(steps in steps()) {
        let catalog = Catalog::new();
        catalog.update(some_servers(&SERVERS));
        for step in &steps {
            catalog.update(step.update());
            let snapshot = catalog.snapshot();
            let entries = snapshot.tools.entries();
            let distinct = names(&snapshot);
            prop_assert_eq!(distinct.len(), entries.len());
            for entry in entries {
                prop_assert!(entry.wire.len() <= crate::NAME_CHARS_MAX);
                let found = snapshot.tools.find(entry.canonical.as_str()).expect("found");
                prop_assert_eq!(&found.wire, &entry.wire);
            }
        }
    }

    #[test]
    fn the_same_state_gives_the_same_bytes_however_it_came_about(order in Just(vec![0_usize, 1, 2, 3]).prop_shuffle()) {
        let all: [(&str, &[&str]); 4] = [("b", &["z", "a.b", "M"]), ("a", &["one", "b__x"]), ("a.b", &["x"]), ("c", &["日本", "-"])];
        let at_once = catalog(&all);
        let in_turn = Catalog::new();
        in_turn.update(servers(&all.map(|(name, _)| name)));
        for at in order {
            in_turn.publish(&server(all[at].0), listing(all[at].1));
        }
        prop_assert_eq!(list(&at_once.snapshot()), list(&in_turn.snapshot()));
    }
}
