//! Search by meaning with a real model: what is said in other words is found, and vectors of another model are never compared.

use serde_json::{Value, json};

use super::encoder;
use super::library::{GARDEN, IndexLibrary, OFFICE, hits, paths};
use super::places::{IndexPlace, on_both_engines};
use crate::files::archive::text;
use crate::governed::database::Backing;
use crate::live::site::Ending;

on_both_engines!(what_is_said_in_other_words_is_found_and_its_cosine_is_told);

/// It has no word of the document that answers it.
const QUERY: &str = "stolen laptop";
const DEVICES: &str = "# Devices\n\nA lost device is reported to the security desk within one hour.\n";

async fn filled(backing: Backing, more: &str) -> IndexLibrary {
    let library = IndexLibrary::open(backing, more);
    let documents = [
        ("garden.md", GARDEN.as_bytes()),
        ("devices.md", DEVICES.as_bytes()),
        ("office.md", OFFICE.as_bytes()),
    ];
    let manifest = library.manifest(&documents).await;
    library.pointer("legal", "contracts", &manifest).await;
    library
}

/// The cosine of a hit with the query; none where words alone were searched.
fn cosine(parts: &Value) -> Option<f64> {
    parts["cosine"].as_f64()
}

async fn what_is_said_in_other_words_is_found_and_its_cosine_is_told(backing: Backing, place: IndexPlace) {
    let Some(model) = encoder::folder() else { return };
    let library = filled(backing, &place.still_with(&encoder::key(&model))).await;
    assert_eq!(library.ingest().await["state"], "done");
    let found = library.search(QUERY).await;
    let first = &hits(&found)[0];
    assert_eq!(first["path"], "devices.md", "{found:#}");
    assert!(cosine(&first["parts"]).is_some_and(|cosine| cosine > 0.3), "{first:#}");
    assert!(first["parts"].get("bm25").is_none_or(|score| score.as_f64() == Some(0.0)), "{first:#}");
    let explain = json!({ "query": QUERY, "hit": first["hit"] });
    let explained = library.done("index.explain", explain).await;
    assert_eq!(explained["parts"], first["parts"], "{explained:#}");
    assert_eq!(explained["parts"]["meaning_rank"], 1, "{explained:#}");
    // The words of the query still count.
    let by_words = library.search("who waters the tulips in the evening").await;
    assert_eq!(paths(&by_words)[0], "garden.md", "{by_words:#}");
    library.verify();
}

/// Replaces a part of the gateway's configuration, and starts it again.
fn reconfigured(library: IndexLibrary, from: &str, to: &str) -> IndexLibrary {
    let path = library.site.gateway.folder().join("toolgate.toml");
    let toml = std::fs::read_to_string(&path).expect("it is there");
    assert!(toml.contains(from), "{toml}");
    std::fs::write(&path, toml.replace(from, to)).expect("written");
    IndexLibrary { site: library.site.restarted(Ending::Asked) }
}

/// Ingests what has not changed, and says why the index was built anew.
async fn rebuilt(library: &IndexLibrary) -> String {
    let ingested = library.ingest().await;
    assert_eq!((&ingested["state"], &ingested["index"]["put"]), (&json!("done"), &json!(3)), "{ingested:#}");
    text(&ingested["index"]["rebuilt"]).to_owned()
}

#[tokio::test]
async fn an_index_is_built_anew_where_its_model_came_changed_or_went() {
    let Some(model) = encoder::folder() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let other = folder.path().join("other-model");
    encoder::changed(&model, &other);
    let (one, two) = (encoder::key(&model), encoder::key(&other));
    let library = filled(Backing::Sqlite, &IndexPlace::Files.still_with("search_seconds = 30\n")).await;
    library.ingest().await;
    assert_eq!(hits(&library.search(QUERY).await).len(), 0, "words alone find nothing");

    // The index that is there has no vectors, and is searched by words until it is built anew.
    let library = reconfigured(library, "search_seconds = 30\n", &one);
    assert_eq!(hits(&library.search(QUERY).await).len(), 0, "it has no vectors yet");
    assert!(rebuilt(&library).await.contains("there is a model now"));
    assert_eq!(paths(&library.search(QUERY).await)[0], "devices.md");

    let library = reconfigured(library, &one, &two);
    let stale = library.said(library.admin(), "index.search", json!({ "query": "roses" })).await.json();
    assert_eq!(paths(&stale["data"])[0], "garden.md", "words still find it: {stale:#}");
    assert!(stale.to_string().contains("of another model than the engine has"), "{stale:#}");
    assert!(rebuilt(&library).await.contains("the model of its vectors changed"));
    assert_eq!(paths(&library.search(QUERY).await)[0], "devices.md");

    let library = reconfigured(library, &two, "search_seconds = 30\n");
    assert_eq!(paths(&library.search("roses").await)[0], "garden.md");
    assert!(rebuilt(&library).await.contains("is not there any more"));
    assert_eq!(hits(&library.search(QUERY).await).len(), 0, "words alone find nothing");
}
