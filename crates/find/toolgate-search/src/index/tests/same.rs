//! Two ways to one result: a subset and an index of just these tools; updates in any order and a fresh build.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::{Index as Pick, select};

use super::made::by_server;
use super::*;
use crate::document::ToolDocument;

/// Few words, so that tools share them, with families, beginnings and near misspellings among them.
const WORDS: [&str; 18] = [
    "create",
    "add",
    "issue",
    "issues",
    "ticket",
    "weather",
    "wether",
    "forecast",
    "map",
    "maple",
    "search",
    "find",
    "repository",
    "repositry",
    "image",
    "photo",
    "天气",
    "the",
];
const SERVERS: [&str; 4] = ["a", "a-b", "map", "weather"];

fn text(words: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    prop::collection::vec(select(&WORDS[..]), words).prop_map(|words| words.join(" "))
}

fn tool() -> impl Strategy<Value = Made> {
    let name = text(1..4).prop_map(|name| name.replace(' ', "_"));
    (select(&SERVERS[..]), name, text(0..12), text(0..3), prop::option::of(text(1..2))).prop_map(
        |(server, own, description, tag, other)| {
            let made = Made::new(server, &own).says(&description.replace(" the", ". The")).tagged(&tag);
            other.into_iter().fold(made, |made, other| made.known_as(&other))
        },
    )
}

/// No two of the same name.
fn tools() -> impl Strategy<Value = Vec<Made>> {
    prop::collection::vec(tool(), 1..24).prop_map(|tools| {
        let mut names = BTreeSet::new();
        tools.into_iter().filter(|tool| names.insert((tool.server.clone(), tool.own.clone()))).collect()
    })
}

fn query() -> impl Strategy<Value = String> {
    prop_oneof![
        text(1..6),
        text(1..3).prop_map(|name| name.replace(' ', "_")),
        "[a-z]{3,10}",
        "repositor|weathr"
    ]
}

fn everything(subset: &Subset, query: &str) -> (Vec<SearchHit>, Vec<SearchHit>, Vec<CanonicalName>) {
    let servers = [made::server("a"), made::server("map")];
    (subset.search(query, None, 100), subset.search(query, Some(&servers), 5), subset.nearest(query, 5))
}

proptest! {
    #[test]
    fn a_subset_finds_what_an_index_of_only_its_tools_finds(
        tools in tools(),
        kept in prop::collection::vec(any::<bool>(), 24),
        queries in prop::collection::vec(query(), 1..6),
    ) {
        let kept: Vec<Made> = tools.iter().zip(kept).filter(|(_, kept)| *kept).map(|(tool, _)| tool.clone()).collect();
        let names: Vec<_> = kept.iter().map(|tool| tool.document().1.name.clone()).collect();
        let (subset, alone) = (index(&tools).subset(names.iter()), index(&kept).all());
        for query in queries {
            prop_assert_eq!(everything(&subset, &query), everything(&alone, &query), "{}", query);
        }
    }

    #[test]
    fn updates_in_any_order_end_where_a_fresh_build_does(
        tools in tools(),
        detours in prop::collection::vec((any::<Pick>(), any::<bool>()), 0..12),
        queries in prop::collection::vec(query(), 1..6),
    ) {
        let target = by_server(&tools);
        let mut indexer = Indexer::new();
        for (pick, removes) in detours {
            let (server, documents) = target.iter().nth(pick.index(target.len())).unwrap();
            let stale = documents.iter().rev().skip(usize::from(removes)).cloned();
            indexer.update(server, stale.map(|(version, tool)| (version, reworded(&tool))).collect());
            if removes {
                indexer.remove(server);
            }
        }
        for (server, documents) in target.iter().rev() {
            indexer.update(server, documents.clone());
        }
        let (followed, fresh) = (indexer.index().all(), index(&tools).all());
        for query in queries {
            prop_assert_eq!(everything(&followed, &query), everything(&fresh, &query), "{}", query);
        }
    }
}

/// The same version with other tags: the operator's additions change without the definition.
fn reworded(tool: &ToolDocument) -> Arc<ToolDocument> {
    Arc::new(ToolDocument { tags: vec!["search weather".into()], ..tool.clone() })
}

#[test]
fn only_what_changed_is_analysed_again() {
    let tools = |word: &str| {
        by_server(&[Made::new("a", "x").says(word), Made::new("a", "y").says("same"), Made::new("b", "z")])
    };
    let mut indexer = Indexer::new();
    let mut follow = |all: &BTreeMap<ServerName, Vec<_>>| {
        all.iter().for_each(|(server, documents)| indexer.update(server, documents.clone()));
        indexer.analysed()
    };
    assert_eq!(follow(&tools("one")), 3);
    assert_eq!(follow(&tools("one")), 3);
    assert_eq!(follow(&tools("two")), 4);
    indexer.update(&made::server("a"), Vec::new());
    assert_eq!((indexer.analysed(), indexer.index().len()), (4, 1));
    indexer.remove(&made::server("b"));
    assert!(indexer.index().is_empty());
}
