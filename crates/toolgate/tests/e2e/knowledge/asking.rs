//! Answers: sentences that stand in their documents, within a number of tokens, or nothing.

use serde_json::{Value, json};

use super::library::{KnowledgeLibrary, LEASE, OFFICE, sentences};
use crate::files::archive::text;
use crate::kit::call;

const QUERY: &str = "notice period to terminate the lease";

fn asked(query: &str) -> Value {
    json!({ "kb": "contracts", "query": query })
}

#[tokio::test]
async fn every_sentence_of_an_answer_stands_in_its_document() {
    let library = KnowledgeLibrary::of_texts("legal-citations").await;
    let answer = library.done("knowledge.kb_query", asked(QUERY)).await;
    assert_eq!(
        (&answer["found"], &answer["manner"]),
        (&json!(true), &json!("legal-citations")),
        "{answer:#}"
    );
    let sentences = sentences(&answer);
    assert!(sentences.iter().any(|one| text(&one["text"]).contains("thirty days")), "{answer:#}");
    for one in &sentences {
        let address = text(&one["citation"]["address"]).replace("/console", "");
        let shown = library.site.rest(library.admin(), "GET", &address, None).await;
        assert_eq!(shown.status, 200, "{address}: {shown:?}");
        let shown = shown.json();
        assert_eq!(shown["exact"], one["text"], "{shown:#}");
        let context = shown["context"].as_array().expect("a list");
        let cited = context.iter().find(|item| item["start"].is_u64()).expect("the cited item is shown");
        let at = |key: &str| usize::try_from(cited[key].as_u64().expect("a number")).expect("small");
        let marked: String =
            text(&cited["text"]).chars().skip(at("start")).take(at("end") - at("start")).collect();
        assert_eq!(marked, text(&one["text"]));
    }
}

#[tokio::test]
async fn strict_evidence_offers_what_answers_by_itself_and_otherwise_nothing() {
    let library = KnowledgeLibrary::of_texts("strict-evidence").await;
    let answer = library.done("knowledge.kb_query", asked(QUERY)).await;
    let offered = sentences(&answer);
    assert!(offered.iter().all(|one| one["citation"].is_object()) && !offered.is_empty(), "{answer:#}");
    assert!(
        !answer.to_string().contains("security deposit of two"),
        "it does not answer the question: {answer:#}"
    );
    for query in ["parental leave of astronauts", "the of and", "Wie hoch ist die Kaution?"] {
        let nothing = library.done("knowledge.kb_query", asked(query)).await;
        assert_eq!(
            (&nothing["found"], &nothing["passages"]),
            (&json!(false), &json!([])),
            "{query}: {nothing:#}"
        );
    }
    let weaker = json!({ "kb": "contracts", "query": QUERY, "manner": "fast-skim" });
    let refused = library.refused(library.admin(), "knowledge.kb_query", weaker).await;
    assert_eq!(refused, (422, "invalid_arguments".to_owned()));
}

#[tokio::test]
async fn an_answer_keeps_to_its_tokens_and_a_huge_query_is_cut() {
    let library = KnowledgeLibrary::of_texts("fast-skim").await;
    let small = json!({ "kb": "contracts", "query": QUERY, "token_budget": 100 });
    let answer = library.done("knowledge.kb_query", small).await;
    assert!(answer["tokens"].as_u64().is_some_and(|tokens| (1..=100).contains(&tokens)), "{answer:#}");
    for one in sentences(&answer) {
        let words = text(&one["text"]).trim();
        let after =
            [LEASE, OFFICE].iter().find_map(|source| source.split_once(words).map(|(_, after)| after));
        let after = after.unwrap_or_else(|| panic!("it stands in a document: {words}"));
        assert!(!after.starts_with(char::is_alphanumeric), "it is whole: {words}");
    }
    let huge = "lease (a+)+$ ".repeat(8_000);
    let answer = library.done("knowledge.kb_query", asked(&huge)).await;
    assert!(text(&answer["warnings"][0]).contains("characters of the query"), "{answer:#}");
}

#[tokio::test]
async fn a_domain_is_taken_apart_under_both_names() {
    let library = KnowledgeLibrary::of_texts("legal-citations").await;
    let arguments = json!({ "kb": "contracts", "topic": "lease", "questions_max": 6 });
    let walked = library.done("knowledge.research_domain", arguments.clone()).await;
    let questions = walked["questions"].as_array().expect("a list");
    assert_eq!(questions.len(), 6, "{walked:#}");
    assert!(questions.iter().any(|one| one["origin"] == "heading" && one["found"] == true), "{walked:#}");
    let missing = walked["missing"].to_string();
    assert!(missing.contains("no passage answers it") || missing.contains("only one document"), "{walked:#}");
    let client = library.site.agent_with(library.admin());
    let other = call(&client, "knowledge:research_domain", arguments).await;
    assert_ne!(other["isError"], true, "{other:#}");
}

#[tokio::test]
async fn a_written_answer_without_a_model_is_passages_and_says_so() {
    let library = KnowledgeLibrary::of_texts("legal-citations").await;
    let arguments = json!({ "kb": "contracts", "query": QUERY, "written": true });
    let answer = library.done("knowledge.kb_query", arguments).await;
    assert!(answer.get("answer").is_none() && answer["found"] == true, "{answer:#}");
    assert!(answer["warnings"].to_string().contains("No model is configured"), "{answer:#}");
}
