//! Unreadable input, and the messages about it.

use capability_testkit::{Client, file};
use serde_json::{Value, json};

use crate::drive::start;
use crate::made::{docx, pdf};

#[track_caller]
fn check((code, text): &(String, String), expected: &str, said: &[&str]) {
    assert_eq!(code, expected, "{text}");
    for part in said {
        assert!(text.contains(part), "{part:?} in {text}");
    }
}

async fn is_well(client: &Client) {
    let answer = client.answer("extract_text", json!({ "content": "still here" })).await;
    assert_eq!(answer["text"], "still here");
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_explained() {
    let client = start().await;
    let ask = async |arguments: Value| client.trouble("extract_text", arguments).await;
    check(&ask(json!({})).await, "bad_arguments", &["no document was passed", "hint: pass file_data"]);
    check(
        &ask(json!({ "content": "x", "file_data": "eA==" })).await,
        "bad_arguments",
        &["hint: pass only one of"],
    );
    check(&ask(json!({ "content": "x", "page": "1" })).await, "bad_arguments", &["page"]);
    check(
        &ask(json!({ "content": "x", "pages": "two" })).await,
        "bad_arguments",
        &["is not a list of pages", "1-3,7"],
    );
    check(
        &ask(json!({ "content": "x", "pages": "9" })).await,
        "bad_arguments",
        &["there is no page 9: the document has 1"],
    );
    check(&ask(json!({ "file_data": "%%%" })).await, "bad_arguments", &["not Base64"]);
    check(&ask(json!({ "source_ref_id": "doc_0" })).await, "unknown_ref", &["hint:"]);
    is_well(&client).await;
}

#[tokio::test]
async fn files_that_are_none_are_explained() {
    let client = start().await;
    let whole = docx(&["x"]);
    let ask = async |bytes: &[u8]| client.trouble("extract_text", file(bytes, json!({}))).await;
    check(&ask(b"").await, "unreadable", &["the file is empty"]);
    check(
        &ask(&whole[..whole.len() / 2]).await,
        "unreadable",
        &["damaged", "hint: send the complete file again"],
    );
    check(&ask(b"{\\rtf1 x}").await, "unsupported", &["an RTF document", "convert it"]);
    check(
        &ask(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\0").await,
        "unsupported",
        &["a picture (PNG)", "image-ocr-mcp"],
    );
    is_well(&client).await;
}

#[tokio::test]
async fn a_locked_document_is_told_from_a_damaged_one() {
    let client = start().await;
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let bytes = [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".as_slice(), &[0; 600], &name].concat();
    let told = client.trouble("document_info", file(&bytes, json!({}))).await;
    check(&told, "locked", &["protected by a password", "save it without a password"]);
    is_well(&client).await;
}

#[tokio::test]
async fn a_pdf_that_is_cut_off_does_no_harm() {
    let client = start().await;
    let whole = pdf(&[Some("All of it is here")]);
    for length in (10..whole.len()).step_by(97) {
        let result = client.call("extract_text", file(&whole[..length], json!({}))).await;
        // Read in part or refused: both are answers.
        assert!(!result.content.is_empty(), "{length}");
    }
    is_well(&client).await;
}
