//! Versions of profiles: measured, promoted if nothing falls, and noticed if they change without a new number.

use serde_json::{Value, json};
use tempfile::TempDir;

use super::library::{IndexLibrary, STILL, hits};
use crate::files::archive::{becomes, text};
use crate::governed::database::Backing;
use crate::live::site::Ending;

/// The first version, with its own documents and questions.
const FIRST: &str = include_str!("../../../../../domains/toolgate-index/profiles/docs.default.toml");

/// Another version of it.
fn version(number: i64, change: impl FnOnce(&mut toml::Table)) -> String {
    let mut file: toml::Table = FIRST.parse().expect("TOML");
    let profile = file["profile"].as_table_mut().expect("a profile");
    profile.insert("version".to_owned(), toml::Value::Integer(number));
    change(profile);
    toml::to_string(&file).expect("TOML")
}

/// A version that reads nothing but paths.
fn worse(number: i64) -> String {
    version(number, |profile| {
        let fields = profile["fields"].as_table_mut().expect("fields");
        for field in ["title", "headings", "body"] {
            fields.insert(field.to_owned(), toml::Value::Float(0.0));
        }
        profile.remove("meaning");
        profile["words"].as_table_mut().expect("words").remove("feedback");
    })
}

fn same(number: i64) -> String {
    version(number, |_| {})
}

/// A folder with these profiles, and the settings that name it.
fn folder(profiles: &[(&str, String)]) -> (TempDir, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, profile) in profiles {
        std::fs::write(folder.path().join(name), profile).expect("it can be written");
    }
    let toml = format!("{STILL}profiles = {:?}\n", folder.path());
    (folder, toml)
}

fn profile<'a>(status: &'a Value, name: &str) -> &'a Value {
    let profiles = status["profiles"].as_array().expect("a list");
    profiles.iter().find(|profile| profile["name"] == name).unwrap_or_else(|| panic!("no {name}: {status:#}"))
}

#[tokio::test]
async fn a_version_that_measures_less_is_not_promoted_and_one_that_does_not_fall_is() {
    let (_folder, toml) = folder(&[("two.toml", worse(2)), ("three.toml", same(3))]);
    let library = IndexLibrary::filled(Backing::Sqlite, &toml).await;
    library.ingest().await;
    let measured = library.done("index.evaluate", json!({ "version": 2 })).await;
    let fall = text(&measured["fall"]).to_owned();
    assert!(fall.contains("falls from"), "{measured:#}");
    let ndcg = |version: &Value| version["measures"]["ndcg_at_10"].as_f64().expect("a number");
    assert!(
        ndcg(&measured["active"]) > 0.5 && ndcg(&measured["measured"]) < ndcg(&measured["active"]),
        "{measured:#}"
    );
    let refused =
        library.refused(library.admin(), "index.evaluate", json!({ "version": 2, "promote": true })).await;
    assert_eq!((refused.0, refused.1.as_str()), (409, "profile_falls"), "{refused:?}");
    assert!(refused.2.contains(&fall), "{refused:?}");
    assert_eq!(library.site.told("index.profile.promoted").await, Vec::<Value>::new());
    assert_eq!(library.search("notice period").await["profile"], "docs.default@1");

    let lawyer = library.token("lawyer");
    let forbidden =
        library.refused(&lawyer, "index.evaluate", json!({ "version": 3, "promote": true })).await;
    assert_eq!((forbidden.0, forbidden.1.as_str()), (403, "not_allowed"), "{forbidden:?}");
    let promoted = library.done("index.evaluate", json!({ "promote": true })).await["promoted"].take();
    assert_eq!(promoted, json!({ "version": 3, "superseded": 1, "ingests": 1 }));
    let status = library.done("index.status", json!({})).await;
    let shown = profile(&status, "docs.default");
    assert_eq!((&shown["active"], &shown["versions"]), (&json!(3), &json!([1, 2, 3])), "{status:#}");
    // Every pointer that had an index gets one of the new version.
    let used = becomes("searches use the new version", || async {
        library.search("notice period").await["profile"] == "docs.default@3"
    });
    used.await;
    assert_eq!(library.site.told("index.profile.promoted").await.len(), 1);
}

#[tokio::test]
async fn a_callers_own_questions_measure_its_own_documents() {
    let library = IndexLibrary::filled(Backing::Sqlite, STILL).await;
    let target = json!({ "pointer": { "namespace": "legal", "name": "contracts" } });
    let question = |query: &str, path: &str| json!({ "query": query, "relevant": [{ "path": path }] });
    let arguments = json!({ "target": target, "questions": [
        question("notice period of the lease", "lease.md"),
        question("ships at the harbour", "office.md"),
        question("watering the roses", "lease.md"),
    ] });
    let measured = library.done("index.evaluate", arguments).await;
    assert_eq!((&measured["question_count"], measured.get("active")), (&json!(3), None), "{measured:#}");
    assert_eq!(measured["questions"][0]["query"], "watering the roses", "the worst first: {measured:#}");
    let ranks = measured["measured"]["measures"]["mrr"].as_f64().expect("a number");
    assert!((0.6..1.0).contains(&ranks), "two of three are answered first: {measured:#}");
}

#[tokio::test]
async fn a_profile_that_changed_without_a_new_version_is_noticed_and_its_index_built_anew() {
    let renamed = |profile: String| profile.replace("docs.default", "docs.mine");
    let (folder, toml) = folder(&[("mine.toml", renamed(same(1)))]);
    let library = IndexLibrary::filled(Backing::Sqlite, &toml).await;
    let mine = json!({ "profile": "docs.mine" });
    assert_eq!(library.ingest_as(mine.clone()).await["index"]["put"], 3);
    std::fs::write(folder.path().join("mine.toml"), renamed(worse(1))).expect("it can be written");
    let library = IndexLibrary { site: library.site.restarted(Ending::Asked) };
    let query = json!({ "query": "lease", "profile": "docs.mine" });
    let said = library.said(library.admin(), "index.search", query.clone()).await.json();
    assert!(said["warnings"].to_string().contains("changed without a new version"), "{said:#}");
    let again = library.ingest_as(mine).await;
    assert_eq!((&again["unchanged"], &again["index"]["put"]), (&json!(false), &json!(3)), "{again:#}");
    assert!(text(&again["index"]["rebuilt"]).contains("changed without a new version"), "{again:#}");
    let said = library.said(library.admin(), "index.search", query).await.json();
    assert!(!said["warnings"].to_string().contains("changed without"), "{said:#}");
    assert_eq!(hits(&said["data"])[0]["path"], "lease.md", "its path alone says lease: {said:#}");
}
