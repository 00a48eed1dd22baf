//! Pages that are pictures.

use capability_testkit::file;
use serde_json::json;

use crate::drive::{start, start_with};
use crate::made::pdf;

#[tokio::test]
async fn where_nothing_reads_pictures_the_pages_are_named_with_what_to_do() {
    let empty = tempfile::tempdir().unwrap();
    let client = start_with(&["--ocr-models", empty.path().to_str().unwrap()]).await;
    let answer =
        client.answer("extract_text", file(&pdf(&[Some("Words here"), None, None]), json!({}))).await;
    assert_eq!(answer["text"], "Words here");
    assert_eq!(
        (&answer["pages"][1]["source"], &answer["pages"][2]["source"]),
        (&json!("picture"), &json!("picture"))
    );
    let warning = answer["warnings"][0].as_str().unwrap();
    assert!(warning.starts_with("pages 2-3 consist of scans without text"), "{warning}");
    assert!(warning.contains("script/ocr-model"), "{warning}");
}

#[tokio::test]
async fn scans_are_left_alone_where_that_is_wanted() {
    let client = start().await;
    let answer = client.answer("extract_text", file(&pdf(&[None]), json!({ "ocr": "never" }))).await;
    assert_eq!((&answer["text"], &answer["pages"][0]["source"]), (&json!(""), &json!("picture")));
    assert!(answer["warnings"][0].as_str().unwrap().contains("ocr: \"auto\""), "{answer}");
}
