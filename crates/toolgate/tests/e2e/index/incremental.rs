//! The second ingest: only what changed, nothing twice, and back at once.

use serde_json::{Value, json};

use super::library::{GARDEN, IndexLibrary, LEASE, OFFICE, STILL, hits, named, paths};
use super::places::{IndexPlace, on_both_engines};
use crate::governed::database::Backing;

on_both_engines!(
    only_what_changed_is_ingested_and_a_reverted_pointer_has_its_index_at_once,
    a_rebuild_begins_anew_and_finds_the_same,
);

const BARN: &str = "# Barn\n\nThe barn is full of hay. Owls live under its roof.\n";
const NEW_OFFICE: &str = "# Office\n\nThe office moved into the lighthouse. Seagulls sit on its railing.\n";

/// The counts of an ingest: documents, put, removed.
fn counts(ingested: &Value) -> (u64, u64, u64) {
    let index = &ingested["index"];
    let count = |key: &str| index[key].as_u64().unwrap_or_else(|| panic!("no {key}: {ingested:#}"));
    (count("documents"), count("put"), count("removed"))
}

async fn only_what_changed_is_ingested_and_a_reverted_pointer_has_its_index_at_once(
    backing: Backing,
    place: IndexPlace,
) {
    let library = IndexLibrary::filled(backing, &place.still()).await;
    let first = library.ingest().await;
    assert_eq!((counts(&first), &first["unchanged"]), ((3, 3, 0), &json!(false)));
    let again = library.ingest().await;
    assert_eq!((counts(&again), &again["unchanged"]), ((3, 0, 0), &json!(true)), "{again:#}");
    assert_eq!((&again["run"], library.published().await), (&first["run"], 1));

    let one = library.head().await;
    let put = [("office.md", NEW_OFFICE.as_bytes()), ("barn.md", BARN.as_bytes())];
    let two = library.edited(&one, &put, &["garden.md"]).await;
    library.advance(&two).await;
    let behind = library.said(library.admin(), "index.search", json!({ "query": "roses" })).await.json();
    assert_eq!(behind["data"]["indexes"][0]["behind"], true, "{behind:#}");
    assert!(behind["warnings"].to_string().contains("behind"), "{behind:#}");
    let second = library.ingest().await;
    assert_eq!(counts(&second), (3, 2, 1), "one was changed, one added, one removed: {second:#}");
    assert!(second["index"].get("rebuilt").is_none(), "{second:#}");
    assert_eq!(hits(&library.search("seagulls").await)[0]["path"], "office.md");
    let gone = library.search("roses harbour").await;
    assert!(!paths(&gone).contains(&"garden.md"), "{gone:#}");
    assert!(!gone.to_string().contains("harbour"), "the office of before is not found: {gone:#}");

    library.done("substrate.pointer.revert", named("legal", "contracts")).await;
    let back = library.search("roses").await;
    assert_eq!(back["indexes"][0]["manifest"], first["index"]["manifest"], "{back:#}");
    assert_eq!((&back["indexes"][0]["behind"], paths(&back)[0]), (&json!(false), "garden.md"), "{back:#}");
    let reverted = library.ingest().await;
    assert_eq!((&reverted["unchanged"], library.published().await), (&json!(true), 2), "{reverted:#}");
}

async fn a_rebuild_begins_anew_and_finds_the_same(backing: Backing, place: IndexPlace) {
    let library = IndexLibrary::filled(backing, &place.still()).await;
    let first = library.ingest().await;
    let before = library.search("notice period").await;
    let rebuilt = library.ingest_as(json!({ "mode": "rebuild" })).await;
    assert_eq!(counts(&rebuilt), (3, 3, 0), "{rebuilt:#}");
    assert_eq!(rebuilt["index"]["rebuilt"], "a rebuild was asked for", "{rebuilt:#}");
    assert_eq!(rebuilt["index"]["chunks"], first["index"]["chunks"]);
    let after = library.search("notice period").await;
    assert_eq!(after["indexes"][0]["manifest"], rebuilt["index"]["manifest"], "{after:#}");
    let scores = |data: &Value| -> Vec<(Value, Value)> {
        hits(data).iter().map(|hit| (hit["path"].clone(), hit["score"].clone())).collect()
    };
    assert_eq!(scores(&after), scores(&before));
}

#[tokio::test]
async fn the_same_documents_under_other_names_and_in_nested_manifests_are_found_by_their_paths() {
    let library = IndexLibrary::open(Backing::Sqlite, STILL);
    let inner = library.manifest(&[("lease.md", LEASE.as_bytes()), ("garden.md", GARDEN.as_bytes())]).await;
    let mut entries =
        library.entries(&[("office.md", OFFICE.as_bytes()), ("twin.md", LEASE.as_bytes())]).await;
    entries.push(json!({ "path": "archive", "manifest_sha256": inner }));
    let outer = library.manifest_of(json!({ "entries": entries, "message": "nested" })).await;
    library.pointer("legal", "contracts", &outer).await;
    let ingested = library.ingest().await;
    assert_eq!(counts(&ingested), (4, 4, 0), "{ingested:#}");
    let mut found = library.done("index.search", json!({ "query": "terminate the lease" })).await;
    found["hits"]
        .as_array_mut()
        .expect("a list")
        .retain(|hit| hit["snippet"].to_string().contains("terminate"));
    let mut found = paths(&found);
    found.sort_unstable();
    assert_eq!(found, ["archive/lease.md", "twin.md"]);
}
