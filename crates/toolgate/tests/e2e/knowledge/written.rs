//! Answers that a model writes: only what the passages back stays, and a model that fails leaves the passages.

use serde_json::{Value, json};
use toolgate_testkit::model::{ModelScript, ModelStep, ScriptedModel, WireFormat, steps};

use super::library::{KnowledgeLibrary, LEASE, OFFICE, sentences};
use crate::files::archive::text;

const QUERY: &str = "notice period to terminate the lease";

async fn library(script: ModelScript) -> (KnowledgeLibrary, ScriptedModel) {
    let model = ScriptedModel::start(script);
    let more = format!(
        "[[models]]\nname = \"writer\"\nprovider = {:?}\nmodel = \"scripted\"\nurl = {:?}\n\
         prices = {{ input = 3, output = 15 }}\n[knowledge]\nmodel = \"writer\"\n",
        WireFormat::Chat.provider(),
        model.url(WireFormat::Chat)
    );
    let documents = [("lease.md", LEASE.as_bytes()), ("office.md", OFFICE.as_bytes())];
    (KnowledgeLibrary::open_with(&documents, "legal-citations", &more).await, model)
}

/// The answer, with what the model wrote.
async fn written(library: &KnowledgeLibrary) -> Value {
    let arguments = json!({ "kb": "contracts", "query": QUERY, "written": true });
    library.done("knowledge.kb_query", arguments).await
}

/// The mark of the given sentence with these words.
fn mark(answer: &Value, words: &str) -> u64 {
    let all = sentences(answer);
    let given = all.iter().find(|one| text(&one["text"]).contains(words));
    given.and_then(|one| one["mark"].as_u64()).unwrap_or_else(|| panic!("no mark: {answer:#}"))
}

#[tokio::test]
async fn of_a_written_answer_only_what_the_passages_back_stays() {
    let (library, model) = library(steps([ModelStep::say("Nothing found.")])).await;
    let nothing = written(&library).await;
    assert_eq!((&nothing["answer"]["sentences"], &nothing["answer"]["dropped"]), (&json!([]), &json!(1)));
    let (lease, office) = (mark(&nothing, "thirty days"), mark(&nothing, "six months"));
    let said = format!(
        "The notice period of the lease is thirty days. [{lease}] I would not sign it. \
         That of the office is 9 months. [{office}] That of the office is six months [{office}]. It is in the appendix. [99]"
    );
    model.follow(steps([ModelStep::say(&said)]));
    let answer = written(&library).await;
    let stayed = answer["answer"]["sentences"].as_array().expect("a list");
    let texts: Vec<(&str, &Value)> = stayed.iter().map(|one| (text(&one["text"]), &one["marks"])).collect();
    let (of_lease, of_office) = (json!([lease]), json!([office]));
    assert_eq!(
        texts,
        [
            ("The notice period of the lease is thirty days.", &of_lease),
            ("That of the office is six months.", &of_office)
        ],
        "{answer:#}"
    );
    assert_eq!(
        answer["answer"]["dropped"], 3,
        "one without a mark, one with another number, one of nothing: {answer:#}"
    );
    assert!(answer["answer"]["cost_micros"].as_u64().is_some_and(|cost| cost > 0), "{answer:#}");
    assert!(!answer.to_string().contains("9 months"), "{answer:#}");
    model.assert_no_problems();
}

#[tokio::test]
async fn a_model_that_fails_leaves_the_passages_and_says_so() {
    let (library, model) = library(steps([ModelStep::status(503)])).await;
    for step in [ModelStep::status(503), ModelStep::status(401), ModelStep::Nonsense, ModelStep::Overflow] {
        model.follow(steps([step]));
        let answer = written(&library).await;
        assert!(answer.get("answer").is_none() && answer["found"] == true, "{answer:#}");
        assert!(answer["warnings"].to_string().contains("wrote no answer"), "{answer:#}");
        assert!(sentences(&answer).iter().all(|one| one["citation"].is_object()), "{answer:#}");
    }
}
