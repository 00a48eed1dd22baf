//! Posts, hashtags and platform limits.

use serde_json::json;

use crate::drive::start;

const POST: &str = "Our new bottle keeps tea hot for 12 hours. It is clinically proven and the best on earth: \
    95% of our customers agree. Shop now and save!";

#[tokio::test]
async fn a_post_is_judged_in_parts_that_say_what_they_rest_on() {
    let client = start().await;
    let answer = client.answer("score_content", json!({ "text": POST, "platform": "x" })).await;
    assert_eq!(answer["calls_to_action"], json!(["shop now"]), "{answer}");
    let claims: Vec<&str> =
        answer["claims"].as_array().unwrap().iter().map(|claim| claim["text"].as_str().unwrap()).collect();
    assert_eq!(claims, ["clinically", "proven", "the best", "95%"], "{answer}");
    assert!(answer["claims"][0].get("start").is_none(), "spans only where asked for: {answer}");
    assert_eq!(answer["platform_checks"][0]["verdict"], "ok", "{answer}");
    assert!(answer["readability"]["reading_ease"].as_f64().unwrap() > 50.0, "{answer}");
    for finding in answer["findings"].as_array().unwrap() {
        assert!(finding["basis"].is_string() && finding["source"].is_string(), "{finding}");
    }
    assert!(answer.get("score").is_none(), "there is no magic number");
}

#[tokio::test]
async fn spans_are_given_where_asked_for() {
    let client = start().await;
    let answer = client.answer("score_content", json!({ "text": "ü the best", "spans": true })).await;
    assert_eq!((&answer["claims"][0]["start"], &answer["claims"][0]["end"]), (&json!(2), &json!(10)));
}

#[tokio::test]
async fn a_text_in_another_language_is_said_not_to_be_known() {
    let client = start().await;
    let text = "Unsere neue Flasche hält den Tee zwölf Stunden lang warm, und alle Kunden sind damit sehr zufrieden.";
    let answer = client.answer("score_content", json!({ "text": text })).await;
    assert!(answer["warnings"][0].as_str().unwrap().contains("German"), "{answer}");
    assert!(answer.get("readability").is_none(), "the formula is for English: {answer}");
}

#[tokio::test]
async fn hashtags_come_from_the_text_and_faults_are_named() {
    let client = start().await;
    let text = "Solar panels on school roofs cut bills. Solar panels need little care. #2024";
    let answer = client.answer("hashtags", json!({ "text": text, "count": 3 })).await;
    assert!(answer["hashtags"].to_string().contains("#SolarPanels"), "{answer}");
    assert!(answer["hashtags"].as_array().unwrap().len() <= 3);
    assert_eq!(answer["faults"], json!([{ "tag": "#2024", "fault": "no_letter" }]));
    assert_eq!(answer["basis"], "rule_of_thumb");
    assert!(answer["source"].as_str().unwrap().contains("Reach is not measured"), "{answer}");
    assert!(answer.get("limit_source").is_none(), "{answer}");
    let threads = client.answer("hashtags", json!({ "text": text, "platform": "threads" })).await;
    assert_eq!((threads["hashtags"].as_array().unwrap().len(), &threads["limit"]), (1, &json!(1)));
    assert_eq!(threads["limit_source"], "Threads help");
}

#[tokio::test]
async fn facts_are_checked_against_a_dated_list() {
    let client = start().await;
    let arguments = json!({ "platform": "instagram", "placement": "reel", "duration_seconds": 600, "width": 1080,
        "height": 1920, "text": "x".repeat(3000) });
    let answer = client.answer("check_platform_specs", arguments).await;
    assert_eq!(answer["accepted"], json!(false));
    let verdict = |rule: &str| {
        let checks = answer["checks"].as_array().unwrap();
        checks.iter().find(|check| check["rule"] == rule).unwrap()["verdict"].clone()
    };
    assert_eq!(
        (verdict("duration"), verdict("ratio"), verdict("text_length")),
        (json!("fail"), json!("ok"), json!("fail"))
    );
    assert!(answer["as_of"].is_string() && answer["list_dated"].is_string() && answer["source"].is_string());
    let limits = client.answer("check_platform_specs", json!({ "platform": "google_ads" })).await;
    assert_eq!(limits["limits"], "text 90; title 30", "{limits}");
}
