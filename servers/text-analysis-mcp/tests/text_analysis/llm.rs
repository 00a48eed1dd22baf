//! Asking a language model: its answer is checked, and everything works without it.

use capability_testkit::{Client, FakeLlm, LlmManner as Manner};
use serde_json::{Value, json};

use crate::drive::{KEY, each, start};

const TEXT: &str = "Wind farms were built along the northern coast. Solar power grew fast. The minister said that wind farms pay off.";

async fn with(llm: &FakeLlm, more: &[&str]) -> Client {
    let options = ["--llm-url", &llm.url, "--llm-model", "test-model", "--llm-timeout-seconds", "1"];
    start(&[&options, more].concat()).await
}

fn warning(answer: &Value) -> &str {
    answer["warnings"][0].as_str().unwrap_or_default()
}

#[tokio::test]
async fn a_good_answer_is_taken_and_the_key_goes_to_the_endpoint_only() {
    let llm = FakeLlm::start(Manner::Says(json!({"summary": "Wind and sun are growing."}).to_string()));
    let client = with(&llm, &["--llm-key-env", "TEST_LLM_KEY"]).await;
    let answer =
        client.answer("summarize_text", json!({"text": TEXT, "style": "llm", "max_sentences": 1})).await;
    assert_eq!((&answer["summary"], &answer["method"]), (&json!("Wind and sun are growing."), &json!("llm")));
    assert_eq!(answer.get("warnings"), None);
    let request = &llm.requests()[0];
    assert!(request.head.starts_with("POST /v1/chat/completions "), "{}", request.head);
    assert!(request.head.contains(&format!("authorization: Bearer {KEY}")));
    assert_eq!(request.body["model"], "test-model");
    assert_eq!(request.body["response_format"]["type"], "json_schema");
    assert!(!answer.to_string().contains(KEY) && !request.body.to_string().contains(KEY));
}

#[tokio::test]
async fn it_is_not_asked_unless_somebody_says_so() {
    let llm = FakeLlm::start(Manner::Says(json!({"summary": "x"}).to_string()));
    let client = with(&llm, &[]).await;
    assert_eq!(client.answer("summarize_text", json!({"text": TEXT})).await["method"], "statistical");
    client.answer("extract_keywords", json!({"text": TEXT})).await;
    assert!(llm.requests().is_empty());
}

#[tokio::test]
async fn it_is_asked_by_default_where_the_server_says_so() {
    let llm = FakeLlm::start(Manner::Says(
        json!({"keywords": ["wind farms", "no such phrase", "Solar power"]}).to_string(),
    ));
    let client = with(&llm, &["--llm-default"]).await;
    let answer = client.answer("extract_keywords", json!({"text": TEXT, "spans": true})).await;
    assert_eq!(answer["method"], "llm");
    assert_eq!(
        each(&answer["keywords"], "phrase"),
        ["wind farms", "Solar power"],
        "what is not in the text is not taken"
    );
    assert_eq!(answer["keywords"][0]["offsets"][0], json!({"start": 94, "end": 104}));
    let counted = json!({"text": TEXT, "method": "statistical"});
    assert_eq!(client.answer("extract_keywords", counted).await["method"], "statistical");
}

#[tokio::test]
async fn labels_of_a_model_must_be_the_given_ones() {
    let ask = json!({"text": TEXT, "labels": ["energy", "sports"], "method": "llm"});
    let llm = FakeLlm::start(Manner::Says(
        json!({"scores": [{"label": "energy", "score": 0.9}, {"label": "sports", "score": 0.3}]}).to_string(),
    ));
    let answer = with(&llm, &[]).await.answer("classify_text", ask.clone()).await;
    assert_eq!((&answer["label"], &answer["method"]), (&json!("energy"), &json!("llm")));
    assert_eq!(answer["scores"][0]["score"], 0.75);
    let llm =
        FakeLlm::start(Manner::Says(json!({"scores": [{"label": "politics", "score": 1}]}).to_string()));
    let answer = with(&llm, &[]).await.answer("classify_text", ask).await;
    assert_eq!(answer["method"], "statistical");
    assert!(warning(&answer).contains("none of the labels"), "{answer}");
}

#[tokio::test]
async fn wrong_answers_are_done_without() {
    for (manner, expected) in [
        (Manner::Says("Here is your summary!".into()), "does not have the requested form"),
        (Manner::Says(json!({"summary": 5}).to_string()), "does not have the requested form"),
        (Manner::Says(json!({"summary": ""}).to_string()), "empty or much too long"),
        (Manner::Says(json!({"summary": "x", "more": 1}).to_string()), "does not have the requested form"),
        (Manner::Fails(500, "{}"), "status 500"),
        (Manner::Fails(200, "<html>"), "does not have the requested form"),
        (Manner::Fails(200, "{\"choices\": []}"), "no text in it"),
        (Manner::Hangs, "did not answer within 1 seconds"),
    ] {
        let llm = FakeLlm::start(manner);
        let client = with(&llm, &[]).await;
        let ask = json!({"text": TEXT, "style": "llm", "max_sentences": 1, "sentences": true});
        let answer = client.answer("summarize_text", ask).await;
        assert_eq!(answer["method"], "statistical");
        assert!(warning(&answer).contains(expected), "{answer}");
        assert_eq!(answer["sentences"].as_array().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn an_endpoint_that_knows_no_forms_is_asked_in_words() {
    let llm = FakeLlm::start(Manner::KnowsNoForms("```json\n{\"summary\": \"Short.\"}\n```".into()));
    let answer = with(&llm, &[]).await.answer("summarize_text", json!({"text": TEXT, "style": "llm"})).await;
    assert_eq!((&answer["summary"], &answer["method"]), (&json!("Short."), &json!("llm")));
    assert_eq!(llm.requests().len(), 2);
}

#[tokio::test]
async fn without_an_endpoint_or_a_key_it_is_said_what_is_missing() {
    let client = start(&[]).await;
    let ask = json!({"text": TEXT, "style": "llm"});
    assert!(warning(&client.answer("summarize_text", ask.clone()).await).contains("--llm-url"));
    let client = start(&[
        "--llm-url",
        "http://127.0.0.1:9/v1",
        "--llm-model",
        "x",
        "--llm-key-env",
        "NO_SUCH_VARIABLE",
    ])
    .await;
    assert!(warning(&client.answer("summarize_text", ask.clone()).await).contains("NO_SUCH_VARIABLE"));
    let client = start(&["--llm-url", "http://127.0.0.1:9/v1", "--llm-model", "x"]).await;
    assert!(warning(&client.answer("summarize_text", ask).await).contains("could not be reached"));
}
