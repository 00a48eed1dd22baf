//! Files of an index that are damaged or gone: they are named, and the index is built anew from its corpus.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toolgate_testkit::gateway::until_async;

use super::engine::{contents_folder, kill_engine};
use super::library::{GARDEN, IndexLibrary, STILL, hex, hits, ingest_of, named};
use crate::doors::WAIT;
use crate::files::archive::text;
use crate::governed::database::Backing;

const QUERY: &str = "notice period";
const LETTER: &str = "# Letter\n\nA notice about the period of June.\n";
const BARN: &str = "# Barn\n\nOwls live in the barn.\n";

/// A file of an index, and its places.
struct IndexPart {
    name: String,
    /// The bytes in the storage.
    blob: PathBuf,
    /// The copy in the folder of the engine.
    copy: PathBuf,
}

impl IndexPart {
    /// The largest file of the index of `legal:contracts`.
    async fn largest(library: &IndexLibrary) -> Self {
        let manifest = library.state().await["index_manifest"].clone();
        let listed = library.done("substrate.manifest.checkout", json!({ "sha256": manifest })).await;
        let entries = listed["entries"].as_array().expect("a list");
        let part = |entry: &Value| {
            let digest = text(&entry["artifact_sha256"]);
            let blob = library.blob(digest);
            let copy = contents_folder(library.site.gateway.folder()).join(hex(digest));
            Self { name: text(&entry["path"]).to_owned(), blob, copy }
        };
        let parts = entries.iter().map(part);
        let bytes = |part: &Self| std::fs::metadata(&part.blob).expect("it is there").len();
        parts.max_by_key(bytes).expect("an index has files")
    }
}

/// Ends the engine, which has the files open. The gateway knows that it did.
async fn without_engine(library: &IndexLibrary) {
    kill_engine(&library.site.gateway);
    let known = until_async(WAIT, || async {
        let status = library.done("index.status", json!({})).await;
        (status["engine"]["state"] == "broken").then_some(())
    });
    known.await.expect("the gateway hears of it");
}

/// Another file of the same length: an open index may have the old one mapped.
fn flip(path: &Path) {
    let mut bytes = std::fs::read(path).expect("it is there");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::remove_file(path).expect("it can be removed");
    std::fs::write(path, bytes).expect("it can be written");
}

/// Waits until another index is there, and searches it.
async fn healed(library: &IndexLibrary, damaged: &Value) -> Value {
    library.state_is(|state| state["index_manifest"] != *damaged).await;
    let said = library.said(library.admin(), "index.search", json!({ "query": QUERY })).await;
    assert_eq!(said.status, 200, "{said:?}");
    let mut said = said.json();
    assert!(!said["warnings"].to_string().contains("left out"), "{said:#}");
    said["data"].take()
}

#[tokio::test]
async fn a_missing_file_is_named_and_the_index_is_built_anew() {
    let library = IndexLibrary::filled(Backing::Sqlite, STILL).await;
    let ingested = library.ingest().await;
    let part = IndexPart::largest(&library).await;
    without_engine(&library).await;
    std::fs::remove_file(&part.blob).expect("it can be removed");
    std::fs::remove_file(&part.copy).expect("it can be removed");
    let refused = library.refused(library.admin(), "index.search", json!({ "query": QUERY })).await;
    assert_eq!(refused.1, "index_damaged", "{refused:?}");
    assert!(refused.2.contains(&part.name), "{} is named: {refused:?}", part.name);
    let found = healed(&library, &ingested["index"]["manifest"]).await;
    assert_eq!(hits(&found)[0]["path"], "lease.md", "{found:#}");
    assert_eq!(library.published().await, 2);
}

#[tokio::test]
async fn a_search_goes_on_without_a_damaged_index_and_says_so() {
    let library = IndexLibrary::filled(Backing::Sqlite, STILL).await;
    let ingested = library.ingest().await;
    let manifest =
        library.manifest(&[("letter.md", LETTER.as_bytes()), ("garden.md", GARDEN.as_bytes())]).await;
    library.pointer("letters", "june", &manifest).await;
    library.done("index.ingest", ingest_of("letters", "june")).await;
    let part = IndexPart::largest(&library).await;
    without_engine(&library).await;
    flip(&part.blob);
    flip(&part.copy);
    let said = library.said(library.admin(), "index.search", json!({ "query": QUERY })).await;
    assert_eq!(said.status, 200, "{said:?}");
    let said = said.json();
    let found = hits(&said["data"]);
    assert!(
        !found.is_empty() && found.iter().all(|hit| hit["pointer"] == named("letters", "june")),
        "{said:#}"
    );
    let warnings = said["warnings"].to_string();
    assert!(warnings.contains("legal:contracts") && warnings.contains(&part.name), "{warnings}");
    let healed = healed(&library, &ingested["index"]["manifest"]).await;
    assert!(hits(&healed).iter().any(|hit| hit["path"] == "lease.md"), "{healed:#}");
}

#[tokio::test]
async fn a_damaged_copy_in_the_folder_of_the_engine_is_brought_again() {
    let library = IndexLibrary::filled(Backing::Sqlite, STILL).await;
    let ingested = library.ingest().await;
    let before = library.search(QUERY).await;
    let part = IndexPart::largest(&library).await;
    without_engine(&library).await;
    flip(&part.copy);
    assert_eq!(library.search(QUERY).await, before);
    without_engine(&library).await;
    std::fs::remove_dir_all(contents_folder(library.site.gateway.folder())).expect("it can be removed");
    assert_eq!(library.search(QUERY).await, before, "all of it comes from the storage");
    assert_eq!(library.state().await["index_manifest"], ingested["index"]["manifest"]);
    assert_eq!(library.published().await, 1, "nothing had to be built anew");
}

#[tokio::test]
async fn an_ingest_that_would_go_on_from_a_damaged_index_begins_anew() {
    let library = IndexLibrary::filled(Backing::Sqlite, STILL).await;
    library.ingest().await;
    let part = IndexPart::largest(&library).await;
    let two = library.edited(&library.head().await, &[("barn.md", BARN.as_bytes())], &[]).await;
    library.advance(&two).await;
    without_engine(&library).await;
    std::fs::remove_file(&part.blob).expect("it can be removed");
    std::fs::remove_file(&part.copy).expect("it can be removed");
    let ingested = library.ingest().await;
    assert_eq!((&ingested["state"], &ingested["index"]["put"]), (&json!("done"), &json!(4)), "{ingested:#}");
    assert!(text(&ingested["index"]["rebuilt"]).contains(&part.name), "{ingested:#}");
    assert_eq!(hits(&library.search("owls").await)[0]["path"], "barn.md");
}
