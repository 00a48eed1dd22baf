//! Documents that are not resumes, or cannot be read.

use capability_testkit::file;
use serde_json::{Value, json};

use crate::drive::{start, start_with};
use crate::made::scan;

#[tokio::test]
async fn a_scan_that_nobody_can_read_is_said_to_be_one() {
    let client = start().await;
    let answer = client.answer("parse_document", file(&scan(), json!({ "ocr": "never" }))).await;
    let warnings = answer["warnings"].to_string();
    assert!(warnings.contains("page 1 is a picture without text"), "{warnings}");
    assert_eq!(answer["sections"], json!([]));
    let profile = client.answer("extract_profile", json!({ "source_ref_id": answer["ref_id"] })).await;
    assert_eq!(profile["resume"], json!({ "basics": {} }));
    assert!(profile["warnings"].to_string().contains("no text"), "{profile}");
}

#[tokio::test]
async fn where_nothing_reads_pictures_that_is_said_too() {
    let empty = tempfile::tempdir().unwrap();
    let client = start_with(&["--ocr-models", empty.path().to_str().unwrap()]).await;
    let answer = client.answer("parse_document", file(&scan(), json!({}))).await;
    assert!(answer["warnings"].to_string().contains("this machine cannot read pictures"), "{answer}");
}

#[tokio::test]
async fn a_text_that_is_no_resume_is_doubted() {
    let client = start().await;
    let text = "The tide comes in twice a day. Boats wait for it, and so do we.\n\nNobody has counted the gulls on the pier.\n";
    let answer = client.answer("extract_profile", json!({ "text": text, "spans": true })).await;
    assert!(answer["warnings"][0].as_str().unwrap().contains("does not look like a resume"), "{answer}");
    for field in answer["fields"].as_array().unwrap() {
        assert!(field["confidence"].as_f64().unwrap() < 0.35, "{field}");
    }
    assert_eq!(answer["resume"]["work"], Value::Null);
}

#[tokio::test]
async fn an_empty_file_is_refused() {
    let client = start().await;
    let (code, text) = client.trouble("parse_document", json!({ "file_data": "" })).await;
    assert_eq!(code, "unreadable", "{text}");
    assert!(text.contains("hint:"), "{text}");
}

#[tokio::test]
async fn an_empty_text_gives_an_empty_profile() {
    let client = start().await;
    let answer = client.answer("extract_profile", json!({ "text": " \n", "spans": true })).await;
    assert_eq!((&answer["resume"], &answer["fields"]), (&json!({ "basics": {} }), &json!([])));
    assert!(answer["warnings"][0].as_str().unwrap().contains("no text"), "{answer}");
}

#[tokio::test]
async fn two_sources_are_one_too_many() {
    let client = start().await;
    let (code, _) =
        client.trouble("score_fit", json!({ "text": "a", "profile": {}, "job_description": "b" })).await;
    assert_eq!(code, "bad_arguments");
    let (code, text) = client.trouble("score_fit", json!({ "job_description": "b" })).await;
    assert_eq!(code, "bad_arguments", "{text}");
}

#[tokio::test]
async fn a_ref_that_was_never_given_is_unknown() {
    let client = start().await;
    let (code, _) = client.trouble("tailor_resume", json!({ "source_ref_id": "doc_0123" })).await;
    assert_eq!(code, "unknown_ref");
}

#[tokio::test]
async fn a_job_that_asks_for_nothing_scores_nothing() {
    let client = start().await;
    let arguments = json!({ "profile": { "basics": { "name": "A" } }, "job_description": "Hello." });
    let fit = client.answer("score_fit", arguments).await;
    assert_eq!((&fit["score"], &fit["components"]), (&json!(0.0), &json!([])));
    assert!(fit["warnings"][0].as_str().unwrap().contains("no requirement"), "{fit}");
}
