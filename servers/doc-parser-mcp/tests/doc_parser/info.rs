//! `document_info`.

use capability_testkit::file;
use serde_json::json;

use crate::drive::start;
use crate::made::{docx, pdf};

#[tokio::test]
async fn a_document_is_described() {
    let client = start().await;
    let bytes = docx(&["Das ist ein deutscher Satz mit genügend Wörtern für die Erkennung."]);
    let info = client.answer("document_info", file(&bytes, json!({}))).await;
    assert_eq!(
        (&info["type"], &info["title"], &info["author"]),
        (&json!("docx"), &json!("Quarterly report"), &json!("Ann"))
    );
    assert_eq!((&info["language"], &info["words"], &info["pages"]), (&json!("de"), &json!(12), &json!(1)));
    assert_eq!((&info["has_text_layer"], &info["encrypted"]), (&json!(true), &json!(false)));
}

#[tokio::test]
async fn scanned_pages_are_named() {
    let client = start().await;
    let info = client.answer("document_info", file(&pdf(&[Some("Words"), None, None]), json!({}))).await;
    assert_eq!((&info["pages_needing_ocr"], &info["has_text_layer"]), (&json!([2, 3]), &json!(true)));
    let info = client.answer("document_info", file(&pdf(&[None]), json!({}))).await;
    assert_eq!((&info["pages_needing_ocr"], &info["has_text_layer"]), (&json!([1]), &json!(false)));
}
