//! Variants of a language model: checked against the rules, and done without where it fails.

use capability_testkit::{Client, FakeLlm, LlmManner};
use serde_json::{Value, json};

use crate::drive::{start, with_llm};

const HEADLINE: &str = "The Five Kids Who Said Nothing Until Their Teacher Left";

async fn asked(client: &Client) -> Value {
    client.answer("suggest_variants", json!({ "headline": HEADLINE, "method": "llm" })).await
}

fn by_model(answer: &Value) -> Vec<&str> {
    let variants = answer["variants"].as_array().unwrap().iter();
    let written = variants.filter(|variant| variant["rule"] == "language model");
    written.map(|variant| variant["headline"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn variants_of_a_model_are_taken_if_they_say_nothing_new() {
    let good = "Until Their Teacher Left, Five Kids Said Nothing";
    let written = json!({ "headlines": [
        good,
        good,
        HEADLINE,
        "You Won't Believe What 9 Kids Said!!",
        "The Five Kids Who Were Clinically Proven Right",
        "Die fünf Kinder, die nichts sagten, bis ihre Lehrerin endlich ging",
    ] });
    let llm = FakeLlm::start(LlmManner::Says(written.to_string()));
    let answer = asked(&with_llm(&llm.url).await).await;
    assert_eq!(by_model(&answer), [good], "{answer}");
    let warnings = answer["warnings"].to_string();
    for expected in ["a new number: 9", "a new claim that needs proof", "German"] {
        assert!(warnings.contains(expected), "{expected}: {warnings}");
    }
    let variants = answer["variants"].as_array().unwrap();
    assert!(variants.iter().any(|variant| variant["rule"] == "digits instead of number words"), "{answer}");
    assert!(variants.iter().all(|variant| variant["probability"].is_number()), "{answer}");
    let request = &llm.requests()[0];
    assert!(request.head.starts_with("POST /v1/chat/completions "), "{}", request.head);
    assert_eq!(request.body["messages"][1]["content"], HEADLINE);
}

#[tokio::test]
async fn the_model_is_not_asked_unless_the_call_says_so() {
    let llm = FakeLlm::start(LlmManner::Says(json!({ "headlines": [] }).to_string()));
    let client = with_llm(&llm.url).await;
    let answer = client.answer("suggest_variants", json!({ "headline": HEADLINE })).await;
    assert!(llm.requests().is_empty());
    assert_eq!(answer.get("warnings"), None, "{answer}");
}

#[tokio::test]
async fn without_a_model_or_with_a_bad_one_the_rules_answer_and_say_why() {
    for (manner, expected) in [
        (LlmManner::Says("Here you are!".into()), "does not have the requested form"),
        (LlmManner::Says(json!({ "headlines": "one" }).to_string()), "does not have the requested form"),
        (LlmManner::Fails(503, "{}"), "status 503"),
        (LlmManner::Hangs, "did not answer within 1 seconds"),
    ] {
        let llm = FakeLlm::start(manner);
        let answer = asked(&with_llm(&llm.url).await).await;
        assert!(answer["warnings"][0].as_str().unwrap_or_default().contains(expected), "{answer}");
        assert!(
            by_model(&answer).is_empty() && !answer["variants"].as_array().unwrap().is_empty(),
            "{answer}"
        );
    }
    let answer = asked(&start().await).await;
    assert!(answer["warnings"][0].as_str().unwrap_or_default().contains("--llm-url"), "{answer}");
}
