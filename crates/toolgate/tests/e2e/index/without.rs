//! A Postgres without the extensions of the engine: the doctor says which are missing and what works all the same, and words are searched.

use serde_json::Value;
use toolgate_stage::postgres::{Database, shared_server};

use super::library::{IndexLibrary, hits};
use super::places::IndexPlace;
use crate::governed::database::Backing;

/// The finding of the doctor about the engine: what it says, and its hint.
fn finding(library: &IndexLibrary) -> (String, String) {
    let doctor = library.site.gateway.cli(&["doctor", "--json"]);
    let report: Value = serde_json::from_slice(&doctor.stdout).expect("JSON");
    let all = report["findings"].as_array().expect("findings");
    let engine = all.iter().find(|one| one["about"] == "engine");
    let engine = engine.unwrap_or_else(|| panic!("nothing about the engine: {report:#}"));
    let word = |key: &str| engine[key].as_str().unwrap_or_default().to_owned();
    (word("says"), word("hint"))
}

#[tokio::test]
async fn without_its_extensions_the_doctor_says_which_are_missing_and_words_are_searched() {
    let place = IndexPlace::Postgres(Database::create(shared_server()));
    let library = IndexLibrary::filled(Backing::Sqlite, &place.still()).await;
    assert_eq!(library.ingest().await["state"], "done");
    assert_eq!(hits(&library.search("notice period to terminate").await)[0]["path"], "lease.md");
    let (says, hint) = finding(&library);
    assert!(says.contains("Postgres "), "{says}");
    for words in ["pgvector is not installed", "search by words works", "pg_textsearch", "nothing is lost"] {
        assert!(hint.contains(words), "{words}: {hint}");
    }
}

#[tokio::test]
async fn with_them_the_doctor_misses_no_vectors() {
    let place = IndexPlace::postgres();
    let library = IndexLibrary::open(Backing::Sqlite, &place.still());
    let (says, hint) = finding(&library);
    assert!(says.contains("Postgres 17"), "{says}");
    assert!(!hint.contains("pgvector"), "{hint}");
}
