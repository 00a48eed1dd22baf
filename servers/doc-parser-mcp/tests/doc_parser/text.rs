//! `extract_text`.

use capability_testkit::file;
use serde_json::json;

use crate::drive::start;
use crate::made::{docx, pdf};

#[tokio::test]
async fn a_word_document_becomes_text_and_markdown() {
    let client = start().await;
    let bytes = docx(&["This is the first paragraph of the report.", "And this is the second one."]);
    let answer = client.answer("extract_text", file(&bytes, json!({ "list_pages": true }))).await;
    assert_eq!(
        answer["text"],
        "Report\n\nThis is the first paragraph of the report.\n\nAnd this is the second one."
    );
    assert_eq!(
        (&answer["kind"], &answer["language"], &answer["title"]),
        (&json!("docx"), &json!("en"), &json!("Quarterly report"))
    );
    assert_eq!(answer["pages"], json!([{ "number": 1, "chars": 79, "source": "text" }]));
    assert_eq!((&answer["truncated"], &answer["warnings"]), (&json!(false), &json!([])));
    let answer = client.answer("extract_text", file(&bytes, json!({ "format": "markdown" }))).await;
    assert!(answer["text"].as_str().unwrap().starts_with("# Report\n\n"), "{answer}");
    assert_eq!(answer.get("pages"), None, "a list of pages with text says nothing");
}

#[tokio::test]
async fn pages_of_a_pdf_can_be_chosen() {
    let client = start().await;
    let bytes = pdf(&[Some("The first page"), Some("The second page"), Some("The third page")]);
    let answer =
        client.answer("extract_text", file(&bytes, json!({ "pages": "2-3", "list_pages": true }))).await;
    assert_eq!(answer["text"], "The second page\n\nThe third page");
    assert_eq!((&answer["page_count"], &answer["pages"][0]["number"]), (&json!(3), &json!(2)));
}

#[tokio::test]
async fn content_is_read_as_what_it_is() {
    let client = start().await;
    let html = client.answer("extract_text", json!({ "content": "<html><script>no</script><p>Hello" })).await;
    assert_eq!((&html["text"], &html["kind"]), (&json!("Hello"), &json!("html")));
    let source = "# Title\n\nSome **bold** text";
    let same = client.answer("extract_text", json!({ "content": source, "format": "markdown" })).await;
    assert_eq!((&same["text"], &same["kind"]), (&json!(source), &json!("md")));
    let plain = client.answer("extract_text", json!({ "content": source })).await;
    assert_eq!(plain["text"], "Title\n\nSome bold text");
}

#[tokio::test]
async fn a_long_text_is_kept_and_can_be_used_again() {
    let client = start().await;
    let long = "A sentence that says nothing much. ".repeat(4_000);
    let answer = client.answer("extract_text", file(&docx(&[&long]), json!({}))).await;
    assert_eq!(answer["truncated"], json!(true));
    assert_eq!(answer["text"].as_str().unwrap().chars().count(), 2_000);
    let id = answer["ref_id"].as_str().unwrap();
    let whole = client.resource(id).await;
    let text = format!("Report\n\n{}", long.trim());
    assert_eq!(whole["text"], json!(text));
    assert_eq!(answer["chars"], json!(text.chars().count()));
    let info = client.answer("document_info", json!({ "source_ref_id": id })).await;
    assert_eq!((&info["type"], &info["words"]), (&json!("txt"), &json!(24_001)));
}

#[tokio::test]
async fn a_mislabelled_file_is_read_with_a_warning() {
    let client = start().await;
    let answer = client.answer("extract_text", file(&docx(&["x"]), json!({ "file_type": "pdf" }))).await;
    assert_eq!(answer["kind"], "docx");
    assert!(answer["warnings"][0].as_str().unwrap().contains("declared as \"pdf\""), "{answer}");
}
