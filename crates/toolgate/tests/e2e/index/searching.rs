//! Ingest, search, explain: hits with citations, and the numbers behind their order.

use serde_json::{Value, json};

use super::library::{GARDEN, IndexLibrary, LEASE, STILL, hits, ingest_of, named, paths};
use super::places::{IndexPlace, on_both_engines};
use crate::files::archive::{Storage, text};
use crate::governed::database::Backing;
use crate::knowledge::lease_pdf;

on_both_engines!(what_was_ingested_is_found_and_its_score_is_explained, filters_leave_out_what_does_not_fit,);

/// Bytes in a folder with SQLite, in S3 with Postgres.
fn storage(backing: &Backing) -> Storage {
    match backing {
        Backing::Sqlite => Storage::Folder,
        Backing::Postgres(_) | Backing::Shared(..) => Storage::S3,
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

async fn what_was_ingested_is_found_and_its_score_is_explained(backing: Backing, place: IndexPlace) {
    let more = format!("{}{}", place.still(), storage(&backing).toml(""));
    let library = IndexLibrary::filled(backing, &more).await;
    let query = "notice period to terminate the lease";
    let early = library.refused(library.admin(), "index.search", json!({ "query": query })).await;
    assert_eq!((early.0, early.1.as_str()), (409, "no_index"), "{early:?}");
    let ingested = library.ingest().await;
    assert_eq!((&ingested["state"], &ingested["index"]["put"]), (&json!("done"), &json!(3)), "{ingested:#}");
    let run = library.site.get(&format!("/runs/{}", text(&ingested["run"]))).await;
    assert_eq!((&run["state"], &run["run_type"]), (&json!("completed"), &json!("index_ingest")), "{run:#}");
    assert_eq!(run["output_manifest"], ingested["index"]["manifest"], "{run:#}");

    let found = library.search(query).await;
    assert_eq!(found["indexes"][0]["manifest"], ingested["index"]["manifest"], "{found:#}");
    assert_eq!(
        (&found["indexes"][0]["behind"], &found["profile"]),
        (&json!(false), &json!("docs.default@1"))
    );
    let first = &hits(&found)[0];
    assert_eq!((&first["path"], &first["pointer"]), (&json!("lease.md"), &named("legal", "contracts")));
    let citation = &first["citation"];
    assert!(LEASE.contains(text(&citation["quote"]["exact"])), "{first:#}");
    assert_eq!(format!("sha256:{}", text(&citation["docir"])), text(&first["docir"]), "{first:#}");

    for (hit, rank) in hits(&found).iter().zip(1_u64..) {
        let explain = json!({ "query": query, "hit": hit["hit"] });
        let explained = library.done("index.explain", explain).await;
        assert_eq!(
            (&explained["score"], &explained["parts"]),
            (&hit["score"], &hit["parts"]),
            "{explained:#}"
        );
        assert_eq!((&explained["rank"], &explained["path"]), (&json!(rank), &hit["path"]), "{explained:#}");
        let terms = explained["terms"].as_array().expect("a list");
        let sum: f64 = terms.iter().map(|term| number(&term["score"])).sum();
        let words = hit["parts"].get("bm25").map_or(0.0, number);
        assert!((sum - words).abs() < 1e-3, "the words make {sum}: {explained:#}");
        assert_eq!(explained["index"]["manifest"], ingested["index"]["manifest"], "{explained:#}");
        assert!(text(&explained["profile_sha256"]).starts_with("sha256:"), "{explained:#}");
    }
    library.verify();
}

#[tokio::test]
async fn a_hit_in_a_pdf_is_cited_with_its_page_and_a_box_for_each_line() {
    let library = IndexLibrary::open(Backing::Sqlite, STILL);
    let lines =
        ["The lease begins in May.", "The deposit is two monthly rents.", "Rent is due on the first day."];
    let manifest =
        library.manifest(&[("lease.pdf", &lease_pdf(&lines)[..]), ("garden.md", GARDEN.as_bytes())]).await;
    library.pointer("legal", "contracts", &manifest).await;
    library.ingest().await;
    let found = library.search("deposit of two rents").await;
    let hit = &hits(&found)[0];
    assert_eq!((&hit["path"], &hit["page"]), (&json!("lease.pdf"), &json!(1)), "{hit:#}");
    let citation = &hit["citation"];
    assert!(text(&citation["quote"]["exact"]).contains("deposit"), "{citation:#}");
    let quads = citation["quads"].as_array().expect("a list");
    assert!(!quads.is_empty(), "{citation:#}");
    for quad in quads {
        let (left, right) = (number(&quad["left"]), number(&quad["right"]));
        let (top, bottom) = (number(&quad["top"]), number(&quad["bottom"]));
        assert!(0.0 <= left && left < right && right <= 595.0, "within the page: {quad}");
        assert!(0.0 <= top && top < bottom && bottom <= 842.0, "within the page: {quad}");
    }
}

async fn filters_leave_out_what_does_not_fit(backing: Backing, place: IndexPlace) {
    let library = IndexLibrary::open(backing, &place.still());
    let mut entries = Vec::new();
    for (path, year, content) in [
        ("a/one.md", json!(2024), "# One\n\nThe same sentence about whales stands here.\n"),
        (
            "a/two.html",
            json!(2025),
            "<!doctype html><title>Two</title><p>The same sentence about whales stands there.</p>",
        ),
        ("b/three.md", json!("2024"), "# Three\n\nThe same sentence about whales stands elsewhere.\n"),
    ] {
        let mut entry = library.entry(path, content.as_bytes()).await;
        entry["metadata"] = json!({ "year": year });
        entries.push(entry);
    }
    let manifest = library.manifest_of(json!({ "entries": entries, "message": "tagged" })).await;
    library.pointer("legal", "contracts", &manifest).await;
    library.ingest().await;
    let free = library.search("whales").await;
    for (filters, expected) in [
        (json!({}), vec!["a/one.md", "a/two.html", "b/three.md"]),
        (json!({ "path_prefix": "a/" }), vec!["a/one.md", "a/two.html"]),
        (json!({ "path_prefix": "secret/" }), vec![]),
        (json!({ "media_types": ["text/html"] }), vec!["a/two.html"]),
        (json!({ "metadata": { "year": 2024 } }), vec!["a/one.md"]),
        (json!({ "metadata": { "year": [2025, "2024"] } }), vec!["a/two.html", "b/three.md"]),
        (json!({ "path_prefix": "a/", "metadata": { "year": "2024" } }), vec![]),
    ] {
        let found = library.done("index.search", json!({ "query": "whales", "filters": filters })).await;
        let mut found_paths = paths(&found);
        found_paths.sort_unstable();
        assert_eq!(found_paths, expected, "{filters}");
    }
    let hidden = hits(&free).iter().find(|hit| hit["path"] == "b/three.md").expect("it is found");
    let explain = json!({ "query": "whales", "hit": hidden["hit"], "filters": { "path_prefix": "a/" } });
    let explained = library.done("index.explain", explain).await;
    assert_eq!(
        (&explained["filters"][0]["passes"], explained.get("rank")),
        (&json!(false), None),
        "{explained:#}"
    );
    let many: Vec<Value> = (0..17).map(|number| json!(number)).collect();
    let much = json!({ "query": "whales", "filters": { "metadata": { "year": many } } });
    let refused = library.refused(library.admin(), "index.search", much).await;
    assert_eq!((refused.0, refused.1.as_str()), (422, "invalid_arguments"), "{refused:?}");
}

#[tokio::test]
async fn a_manifest_without_a_pointer_is_found_by_its_digest_alone() {
    let library = IndexLibrary::filled(Backing::Sqlite, STILL).await;
    let manifest = library.head().await;
    let target = json!({ "target": { "manifest": manifest }, "wait_seconds": 60 });
    let ingested = library.done("index.ingest", target.clone()).await;
    assert_eq!(
        (&ingested["state"], &ingested["index"]["documents"]),
        (&json!("done"), &json!(3)),
        "{ingested:#}"
    );
    assert_eq!(library.done("index.ingest", target).await["unchanged"], true);
    let early = library.refused(library.admin(), "index.search", json!({ "query": "lease" })).await;
    assert_eq!(early.1, "no_index", "no pointer has an index: {early:?}");
    let scope = json!({ "query": "notice period", "scope": { "manifests": [manifest] } });
    let found = library.done("index.search", scope).await;
    assert_eq!(hits(&found)[0]["path"], "lease.md", "{found:#}");
    let mut both = ingest_of("legal", "contracts");
    both["target"]["manifest"] = json!(manifest);
    for (arguments, code) in [
        (both, "invalid_arguments"),
        (json!({ "target": {} }), "invalid_arguments"),
        (json!({}), "invalid_arguments"),
        (json!({ "target": { "manifest": "abc" } }), "invalid_arguments"),
        (ingest_of("legal", "nothing"), "unknown_pointer"),
        (ingest_of("toolgate.index", "nothing"), "unknown_pointer"),
    ] {
        let refused = library.refused(library.admin(), "index.ingest", arguments.clone()).await;
        assert_eq!(refused.1, code, "{arguments}: {refused:?}");
    }
}
