//! Bases and citations that are refused.

use serde_json::json;

use super::library::KnowledgeLibrary;

#[tokio::test]
async fn a_base_is_made_once_and_changed_only_by_those_who_saw_it() {
    let library = KnowledgeLibrary::of_texts("legal-citations").await;
    let pointers = json!([{ "namespace": "legal", "name": "contracts" }]);
    let base = |manner: &str| json!({ "name": "contracts", "pointers": pointers, "manner": manner });
    let again = library.done("knowledge.kb_create", base("legal-citations")).await;
    assert_eq!((&again["is_duplicate"], &again["kb"]["version"]), (&json!(true), &json!(1)), "{again:#}");
    let differs = library.refused(library.admin(), "knowledge.kb_create", base("strict-evidence")).await;
    assert_eq!(differs, (409, "knowledge_base_conflict".to_owned()));
    let mut change = base("strict-evidence");
    change["expected_version"] = json!(1);
    let changed = library.done("knowledge.kb_create", change.clone()).await;
    assert_eq!((&changed["kb"]["manner"], &changed["kb"]["version"]), (&json!("strict-evidence"), &json!(2)));
    let stale = library.refused(library.admin(), "knowledge.kb_create", change).await;
    assert_eq!(stale, (412, "knowledge_base_stale".to_owned()));
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_with_advice() {
    let library = KnowledgeLibrary::of_texts("legal-citations").await;
    let pointer = json!({ "namespace": "legal", "name": "contracts" });
    for (tool, arguments) in [
        ("knowledge.kb_create", json!({ "name": "kb_1", "pointers": [pointer] })),
        ("knowledge.kb_create", json!({ "name": "a b", "pointers": [pointer] })),
        ("knowledge.kb_create", json!({ "name": "x", "pointers": [] })),
        ("knowledge.kb_create", json!({ "name": "x", "pointers": [pointer], "manner": "loose" })),
        (
            "knowledge.kb_create",
            json!({ "name": "x", "pointers": [{ "namespace": "legal", "name": "gone" }] }),
        ),
        ("knowledge.kb_query", json!({ "kb": "contracts", "query": " ?! " })),
        ("knowledge.kb_query", json!({ "kb": "contracts", "query": "" })),
        ("knowledge.research_domain", json!({ "topic": "lease" })),
        ("knowledge.research_domain", json!({ "topic": "lease", "kb": "contracts", "pointers": [pointer] })),
        ("knowledge.kb_list", json!({ "cursor": "nonsense" })),
    ] {
        let (status, _) = library.refused(library.admin(), tool, arguments.clone()).await;
        assert!((400..500).contains(&status), "{tool} {arguments}: {status}");
    }
}

#[tokio::test]
async fn a_citation_leads_only_into_the_document_that_it_names() {
    let library = KnowledgeLibrary::of_texts("legal-citations").await;
    let query = json!({ "kb": "contracts", "query": "notice period of the office lease" });
    let answer = library.done("knowledge.kb_query", query).await;
    let address = KnowledgeLibrary::addresses(&answer).remove(0).replace("/console", "");
    let good = library.site.rest(library.admin(), "GET", &address, None).await;
    assert_eq!(good.status, 200, "{good:?}");
    let other = library.done("substrate.artifact.upload", json!({ "text": "another document" })).await;
    let artifact = good.json()["artifact"].as_str().expect("a digest").replace("sha256:", "");
    let other = other["sha256"].as_str().expect("a digest").replace("sha256:", "");
    for bad in [
        address.replace(&artifact, &other),
        address.replace("texts", "nothing"),
        format!("{}&start=0&end=999999999", address.split("&start=").next().unwrap_or_default()),
    ] {
        let refused = library.site.rest(library.admin(), "GET", &bad, None).await;
        assert_eq!(
            (refused.status, refused.json()["code"].as_str()),
            (404, Some("unknown_citation")),
            "{bad}: {refused:?}"
        );
    }
}
