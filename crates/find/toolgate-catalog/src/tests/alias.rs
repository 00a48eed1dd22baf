use super::*;
use crate::{Alias, MissingTool};

const FILE: &str = "toolgate.toml";

fn alias(name: &str, target: &str, owner: &str) -> Alias {
    let target = CanonicalName::recorded(target);
    Alias { name: name.into(), target, until_ms: None, primary: false, owner: owner.into() }
}

fn primary(name: &str, target: &str, owner: &str) -> Alias {
    Alias { primary: true, ..alias(name, target, owner) }
}

fn given(catalog: &Catalog, aliases: &[Alias]) -> std::sync::Arc<Snapshot> {
    catalog.update(CatalogUpdate { aliases: Some(aliases.to_vec()), ..CatalogUpdate::default() });
    catalog.snapshot()
}

fn found(snapshot: &Snapshot, name: &str, now_ms: i64) -> Option<(String, Option<String>)> {
    let found = snapshot.find_tool(name, now_ms)?;
    Some((found.entry.canonical.to_string(), found.alias.map(|alias| alias.name.clone())))
}

fn refusals(snapshot: &Snapshot) -> Vec<String> {
    snapshot.refused_aliases.iter().map(|(_, why)| why.clone()).collect()
}

#[test]
fn an_old_name_works_until_its_date_and_then_says_so() {
    let catalog = catalog(&[("files", &["read"])]);
    let old = Alias { until_ms: Some(1_000), ..alias("read_file", "files:read", FILE) };
    let snapshot = given(&catalog, std::slice::from_ref(&old));
    let by_alias = Some(("files:read".to_owned(), Some("read_file".to_owned())));
    assert_eq!(found(&snapshot, "read_file", 999), by_alias);
    assert_eq!(found(&snapshot, "read_file", 1_000), None);
    assert_eq!(snapshot.missing_tool("read_file", 1_000), MissingTool::Sunset { alias: old });
    assert_eq!(found(&snapshot, "files__read", 1_000), Some(("files:read".to_owned(), None)));
    assert_eq!(wire_names(&snapshot), ["files__read"], "an old name is not listed");
}

#[test]
fn an_alias_of_a_tool_that_is_away_finds_it_when_it_comes() {
    let catalog = catalog(&[("files", &[])]);
    let snapshot = given(&catalog, &[alias("read_file", "files:read", FILE)]);
    assert_eq!(snapshot.missing_tool("read_file", 0), MissingTool::Unknown);
    catalog.publish(&server("files"), listing(&["read"]));
    assert!(catalog.snapshot().find_tool("read_file", 0).is_some());
    let held = crate::WithheldTool {
        own: "read".into(),
        why: crate::WithheldReason::Quarantined,
        reason: "new".into(),
    };
    let withheld = BTreeMap::from([(server("files"), vec![held])]);
    let listings = BTreeMap::from([(server("files"), Some(listing(&[])))]);
    catalog.update(CatalogUpdate { withheld, listings, ..CatalogUpdate::default() });
    let expected = MissingTool::Withheld {
        name: CanonicalName::recorded("files:read"),
        why: crate::WithheldReason::Quarantined,
        reason: "new".into(),
    };
    assert_eq!(catalog.snapshot().missing_tool("read_file", 0), expected);
}

#[test]
fn a_given_name_is_what_agents_see_and_the_others_still_work() {
    let catalog = catalog(&[("ocr", &["extract", "other"])]);
    let snapshot = given(&catalog, &[primary("documents.text.extract", "ocr:extract", FILE)]);
    assert_eq!(wire_names(&snapshot), ["documents__text__extract", "ocr__other"]);
    assert!(list(&snapshot).contains(r#""name":"documents__text__extract""#));
    for name in ["documents__text__extract", "ocr__extract", "ocr:extract"] {
        assert_eq!(found(&snapshot, name, 0), Some(("ocr:extract".to_owned(), None)), "{name}");
        let entry = snapshot.find_tool(name, 0).expect("found").entry;
        assert_eq!((entry.wire.as_str(), entry.own.as_str()), ("documents__text__extract", "extract"));
    }
    let dotted = Some(("ocr:extract".to_owned(), Some("documents.text.extract".to_owned())));
    assert_eq!(found(&snapshot, "documents.text.extract", 0), dotted);
    let without = given(&catalog, &[]);
    assert_eq!(wire_names(&without), ["ocr__extract", "ocr__other"]);
}

#[test]
fn a_given_name_that_is_none_is_refused() {
    let catalog = catalog(&[("ocr", &["extract"])]);
    let ending = Alias { until_ms: Some(9), ..primary("a.b.c", "ocr:extract", FILE) };
    let snapshot = given(&catalog, &[primary("extract", "ocr:extract", FILE), ending]);
    assert_eq!(wire_names(&snapshot), ["ocr__extract"]);
    let why = refusals(&snapshot);
    assert!(why[0].contains("three parts") && why[0].contains(FILE), "{why:?}");
    assert!(why[1].contains("cannot end on a date"), "{why:?}");
}

#[test]
fn real_names_win_and_both_owners_are_named() {
    let catalog = catalog(&[("bank", &["transfer"]), ("shop", &["pay"])]);
    for name in ["bank__transfer", "bank:transfer"] {
        let snapshot = given(&catalog, &[alias(name, "shop:pay", "server shop")]);
        assert_eq!(found(&snapshot, name, 0), Some(("bank:transfer".to_owned(), None)));
        let expected = format!(
            "the name {name:?} is taken: server bank (for its tool bank:transfer) has it, and server shop (for shop:pay) wants it"
        );
        assert_eq!(refusals(&snapshot), [expected]);
        assert!(snapshot.aliases.is_empty());
    }
    let snapshot = given(&catalog, &[alias("bank__transfer", "bank:transfer", FILE)]);
    assert!(snapshot.refused_aliases.is_empty(), "its own name");
}

#[test]
fn the_earlier_of_two_aliases_wins_and_both_owners_are_named() {
    let catalog = catalog(&[("bank", &["transfer"]), ("shop", &["pay"])]);
    let aliases = [
        alias("pay", "bank:transfer", FILE),
        alias("pay", "shop:pay", "server shop"),
        alias("pay", "bank:transfer", "server bank"),
        primary("money.order.send", "bank:transfer", FILE),
        alias("money__order__send", "shop:pay", "server shop"),
        primary("money.order.give", "bank:transfer", "server bank"),
    ];
    let snapshot = given(&catalog, &aliases);
    assert_eq!(found(&snapshot, "pay", 0).map(|found| found.0).as_deref(), Some("bank:transfer"));
    let why = refusals(&snapshot);
    assert_eq!(why.len(), 3, "{why:?}");
    assert!(
        why[0].contains("toolgate.toml (for bank:transfer)") && why[0].contains("server shop (for shop:pay)")
    );
    assert!(why[1].contains("\"money__order__send\"") && why[1].contains("server shop"), "{why:?}");
    assert!(why[2].contains("shows bank:transfer as \"money.order.send\"") && why[2].contains("server bank"));
}

#[test]
fn a_given_name_stays_when_a_real_tool_wants_it_later_and_can_be_pointed_elsewhere() {
    let catalog = catalog(&[("ocr", &["one", "two"]), ("a.b", &[])]);
    given(&catalog, &[primary("a.b.c", "ocr:one", FILE)]);
    catalog.publish(&server("a.b"), listing(&["c"]));
    let snapshot = catalog.snapshot();
    assert_eq!(names(&snapshot)["a__b__c"].as_str(), "ocr:one");
    assert!(snapshot.tools.find("a.b:c").is_some_and(|entry| entry.wire.starts_with("a__b__c_")));
    let snapshot = given(&catalog, &[primary("a.b.c", "ocr:two", FILE)]);
    assert_eq!(names(&snapshot)["a__b__c"].as_str(), "ocr:two");
}

#[test]
fn a_name_that_agents_knew_a_tool_by_is_not_given_away_while_the_gateway_runs() {
    let catalog = catalog(&[("a.b", &["c"]), ("ocr", &["one"])]);
    catalog.update(servers(&["ocr"]));
    let snapshot = given(&catalog, &[primary("a.b.c", "ocr:one", FILE)]);
    assert_eq!(wire_names(&snapshot), ["ocr__one"]);
    assert!(refusals(&snapshot)[0].contains("a.b:c"), "{:?}", refusals(&snapshot));
}
