//! Queries of every kind: a text is a text, and none of them costs more than its time.

use std::time::Instant;

use serde_json::json;

use super::library::{IndexLibrary, LEASE, STILL, hits, paths};
use crate::doors::WAIT;
use crate::governed::database::Backing;

const RENT: &str =
    "# Mietvertrag\n\nDie Kündigungsfrist beträgt drei Monate. Der Mieter zahlt eine Kaution.\n";
const JAPANESE: &str = "# 契約\n\n解約の通知は三十日前に書面で行う。\n";

async fn library() -> IndexLibrary {
    let library = IndexLibrary::open(Backing::Sqlite, STILL);
    let documents =
        [("lease.md", LEASE.as_bytes()), ("miete.md", RENT.as_bytes()), ("keiyaku.md", JAPANESE.as_bytes())];
    let manifest = library.manifest(&documents).await;
    library.pointer("legal", "contracts", &manifest).await;
    library.ingest().await;
    library
}

#[tokio::test]
async fn other_languages_stop_words_and_signs_are_searched_like_any_text() {
    let library = library().await;
    for (query, path) in [
        ("Kündigungsfrist", "miete.md"),
        ("kundigungsfrist KAUTION", "miete.md"),
        ("解約", "keiyaku.md"),
        ("notice AND (period OR \"written", "lease.md"),
        ("title:notice^9999 /x/ *", "lease.md"),
        ("notice \u{202e}period", "lease.md"),
    ] {
        let found = library.search(query).await;
        assert_eq!(paths(&found).first(), Some(&path), "{query:?}: {found:#}");
    }
    let common = library.search("the of a with").await;
    assert!(paths(&common).contains(&"lease.md"), "words that say little are words: {common:#}");
    library.search("?! …").await;
}

#[tokio::test]
async fn a_huge_query_and_a_regular_expression_bomb_are_cut_and_answered() {
    let library = library().await;
    for query in [
        "notice period ".repeat(7_500),
        format!("notice period {}", "(a+)+$ ".repeat(15_000)),
        format!("notice period {}", "(((((.*)*)*)*)*)* ".repeat(6_000)),
        format!("notice period {}", (0..17_000).map(|number| format!("w{number} ")).collect::<String>()),
        format!("notice period {}", "é".repeat(52_000)),
    ] {
        assert!(query.len() > 100_000);
        let began = Instant::now();
        let said = library.said(library.admin(), "index.search", json!({ "query": query })).await;
        assert_eq!(said.status, 200, "{said:?}");
        assert!(began.elapsed() < WAIT, "{} took {:?}", &query[..40], began.elapsed());
        let said = said.json();
        assert_eq!(hits(&said["data"])[0]["path"], "lease.md", "{said:#}");
        assert!(said["warnings"].to_string().contains("were searched"), "{}", said["warnings"]);
    }
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_with_advice() {
    let library = library().await;
    let hit = hits(&library.search("notice").await)[0]["hit"].clone();
    for (tool, arguments, code) in [
        ("index.search", json!({ "query": "" }), "invalid_arguments"),
        ("index.search", json!({ "query": " \n\t " }), "invalid_arguments"),
        ("index.search", json!({ "query": "x", "top_k": 0 }), "invalid_arguments"),
        ("index.search", json!({ "query": "x", "top_k": 101 }), "invalid_arguments"),
        ("index.search", json!({ "query": "x", "profile": "docs.defualt" }), "unknown_profile"),
        ("index.search", json!({ "query": "x", "scope": { "manifests": ["abc"] } }), "invalid_arguments"),
        ("index.search", json!({ "query": "x", "profile": "docs.citation_strict" }), "no_index"),
        ("index.explain", json!({ "query": "", "hit": hit }), "invalid_arguments"),
        ("index.explain", json!({ "query": "x", "hit": "nonsense" }), "invalid_arguments"),
        (
            "index.explain",
            json!({ "query": "x", "hit": "legal:contracts@docs.default#99999" }),
            "invalid_arguments",
        ),
        (
            "index.ingest",
            json!({ "target": { "pointer": { "namespace": "legal", "name": "contracts" } }, "mode": "fast" }),
            "invalid_arguments",
        ),
        ("index.evaluate", json!({ "questions": [] }), "invalid_arguments"),
        ("index.evaluate", json!({ "version": 99 }), "unknown_profile"),
    ] {
        let refused = library.refused(library.admin(), tool, arguments.clone()).await;
        assert_eq!(refused.1, code, "{tool} {arguments}: {refused:?}");
        assert!((400..500).contains(&refused.0), "{tool} {arguments}: {refused:?}");
    }
}
