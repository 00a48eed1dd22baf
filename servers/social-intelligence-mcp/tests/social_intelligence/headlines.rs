//! Headlines compared, rewritten and measured.

use serde_json::json;

use crate::drive::start;

const PLAIN: &str = "She Was Told To Sit Down. 3 Words Later The Whole Room Was On Its Feet.";
const LOUD: &str = "Are You Ready For This?! It Is AMAZING!";

#[tokio::test]
async fn two_headlines_get_a_probability_with_its_reasons_and_its_limits() {
    let client = start().await;
    let answer = client.answer("score_headlines", json!({ "headlines": [LOUD, PLAIN] })).await;
    assert_eq!(answer["ranking"][0]["index"], 1, "{answer}");
    let probability = answer["probability"].as_f64().unwrap();
    assert!((0.6..0.99).contains(&probability), "{answer}");
    assert_eq!(answer["ranking"][0]["wins"], json!(probability), "{answer}");
    assert_eq!(answer["too_close"], json!(false));
    let reasons = answer["reasons"].as_array().unwrap();
    assert_eq!(reasons.len(), 3, "{answer}");
    assert!(reasons.iter().all(|reason| reason["pairs"].as_u64().unwrap() > 0), "{answer}");
    let evidence = answer["evidence"].as_str().unwrap();
    assert!(evidence.contains("unseen experiments") && evidence.contains("one publisher"), "{evidence}");
    assert!(answer.to_string().len() < 1_200, "an answer is short: {answer}");
}

#[tokio::test]
async fn the_order_of_the_headlines_changes_nothing() {
    let client = start().await;
    let one = client.answer("score_headlines", json!({ "headlines": [LOUD, PLAIN] })).await;
    let other = client.answer("score_headlines", json!({ "headlines": [PLAIN, LOUD] })).await;
    assert_eq!(one["probability"], other["probability"]);
    assert_eq!((&one["ranking"][0]["index"], &other["ranking"][0]["index"]), (&json!(1), &json!(0)));
}

#[tokio::test]
async fn equal_headlines_are_too_close_and_said_to_be_the_same() {
    let client = start().await;
    let answer =
        client.answer("score_headlines", json!({ "headlines": [PLAIN, PLAIN], "explain": true })).await;
    assert_eq!((&answer["probability"], &answer["too_close"]), (&json!(0.5), &json!(true)));
    assert_eq!(answer["reasons"], json!([]));
    assert_eq!(answer["warnings"], json!(["some headlines are the same"]));
}

#[tokio::test]
async fn a_reason_may_be_a_word_where_all_are_asked_for() {
    let client = start().await;
    let arguments = json!({ "headlines": [PLAIN, LOUD, "What He Did Next"], "explain": true });
    let answer = client.answer("score_headlines", arguments).await;
    assert_eq!(answer["ranking"].as_array().unwrap().len(), 3);
    assert_eq!(answer["reasons"].as_array().unwrap().len(), 10, "{answer}");
    assert!(answer["reasons"].to_string().contains("\\\""), "{answer}");
}

#[tokio::test]
async fn variants_keep_the_facts_and_are_scored_against_the_original() {
    let client = start().await;
    let headline = "The Five Kids Who Said NOTHING: This Is Their Story!";
    let answer = client.answer("suggest_variants", json!({ "headline": headline })).await;
    let variants = answer["variants"].as_array().unwrap();
    assert!(variants.len() >= 4, "{answer}");
    assert!(
        variants.iter().any(|variant| variant["headline"].as_str().unwrap().contains("5 Kids")),
        "{answer}"
    );
    let first = variants[0]["probability"].as_f64().unwrap();
    assert!(first > 0.5, "{answer}");
    assert!(answer["advice"].to_string().contains("it has an exclamation mark"), "{answer}");
    let plain = client.answer("suggest_variants", json!({ "headline": "She Left Early" })).await;
    assert_eq!(plain["variants"], json!([]));
}

#[tokio::test]
async fn lengths_come_with_their_records_and_a_platforms_limits() {
    let client = start().await;
    let arguments = json!({ "platform": "LinkedIn", "headline": "One Two Three" });
    let answer = client.answer("best_length", arguments).await;
    assert_eq!(answer["yours"], 3);
    assert_eq!(
        (&answer["platform"]["text_max"], &answer["platform"]["text_shown"]),
        (&json!(3000), &json!(210))
    );
    let rows = answer["headline_words"].as_array().unwrap();
    assert!(rows.len() >= 5 && rows.iter().all(|row| row["pairs"].as_u64().unwrap() > 50), "{answer}");
    let alone = client.answer("best_length", json!({})).await;
    assert!(alone.get("platform").is_none() && alone.get("yours").is_none(), "{alone}");
}
