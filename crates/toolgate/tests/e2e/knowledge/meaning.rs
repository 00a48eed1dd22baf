//! Answers by meaning, with a real model: sentences in other words count, and what speaks of something similar is still no evidence.

use serde_json::{Value, json};

use super::library::{KnowledgeLibrary, sentences};
use crate::files::archive::text;
use crate::index::encoder;

const HANDBOOK: [(&str, &str); 6] = [
    (
        "expenses.md",
        "# Travel expenses\n\nEmployees hand in receipts within thirty days after a journey. Alcohol is not refunded.\n",
    ),
    ("security.md", "# Security\n\nA lost device is reported to the security desk within one hour.\n"),
    ("passwords.md", "# Passwords\n\nA password has at least fourteen characters.\n"),
    ("invoices.md", "# Invoices\n\nSuppliers are paid within fourteen days after an invoice arrives.\n"),
    ("animals.md", "# Animals\n\nAnimals are not allowed in the offices.\n"),
    ("first.md", "# The first week\n\nNew colleagues receive a laptop and a mentor on their first day.\n"),
];

async fn handbook(manner: &str) -> Option<KnowledgeLibrary> {
    let model = encoder::folder()?;
    let documents = HANDBOOK.map(|(path, words)| (path, words.as_bytes()));
    let more = format!("[engine]\n{}", encoder::key(&model));
    Some(KnowledgeLibrary::open_with(&documents, manner, &more).await)
}

async fn answer(library: &KnowledgeLibrary, query: &str) -> (Value, Vec<String>) {
    let answer = library.done("knowledge.kb_query", json!({ "kb": "contracts", "query": query })).await;
    let offered = sentences(&answer).iter().map(|one| text(&one["text"]).to_owned()).collect();
    (answer, offered)
}

#[tokio::test]
async fn what_is_said_in_other_words_is_offered_with_its_citation() {
    let Some(library) = handbook("legal-citations").await else { return };
    for (query, expected) in [
        ("my notebook was stolen", "A lost device is reported to the security desk within one hour."),
        ("Can I bring my dog to work?", "Animals are not allowed in the offices."),
        (
            "how long may I wait before I submit travel receipts",
            "Employees hand in receipts within thirty days after a journey.",
        ),
    ] {
        let (answer, offered) = answer(&library, query).await;
        assert!(offered.iter().any(|one| one == expected), "{query}: {answer:#}");
        let all = sentences(&answer);
        assert!(all.iter().all(|one| one["citation"].is_object()), "{query}: {answer:#}");
    }
}

#[tokio::test]
async fn evidence_may_use_other_words_and_what_is_merely_similar_is_none() {
    let Some(library) = handbook("strict-evidence").await else { return };
    for (query, expected) in [
        ("minimum length of a password", "A password has at least fourteen characters."),
        ("when are suppliers paid", "Suppliers are paid within fourteen days after an invoice arrives."),
    ] {
        let (answer, offered) = answer(&library, query).await;
        assert!(offered.iter().any(|one| one == expected), "{query}: {answer:#}");
    }
    for query in [
        "penalty for late delivery of goods",
        "What is the salary of a director?",
        "who won the football championship",
        "Is smoking allowed in the building?",
    ] {
        let (answer, offered) = answer(&library, query).await;
        assert_eq!((&answer["found"], offered.len()), (&json!(false), 0), "{query}: {answer:#}");
    }
}
