//! Unreadable input, and the messages about it.

use capability_testkit::{Client, file};
use serde_json::{Value, json};

use crate::drive::start;
use crate::made::{assembled, page};

#[track_caller]
fn check((code, text): &(String, String), expected: &str, said: &[&str]) {
    assert_eq!(code, expected, "{text}");
    for part in said {
        assert!(text.contains(part), "{part:?} in {text}");
    }
}

async fn is_well(client: &Client) {
    let answer = client.answer("check_readability", json!({ "text": "It still works." })).await;
    assert_eq!(answer["sentences"], 1);
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_explained() {
    let client = start().await;
    let ask = async |tool: &str, arguments: Value| client.trouble(tool, arguments).await;
    check(
        &ask("check_pdf", json!({})).await,
        "bad_arguments",
        &["no file was passed", "hint: pass file_data"],
    );
    check(&ask("check_pdf", json!({ "file_data": "%%%" })).await, "bad_arguments", &["not Base64"]);
    check(
        &ask("check_pdf", json!({ "file_data": "eA==", "standards": ["pdf/x"] })).await,
        "bad_arguments",
        &["pdf/ua-1"],
    );
    check(&ask("find_personal_data", json!({})).await, "bad_arguments", &["no text was passed"]);
    check(
        &ask("find_personal_data", json!({ "text": "x", "file_data": "eA==" })).await,
        "bad_arguments",
        &["only one"],
    );
    check(
        &ask("redact", json!({ "text": "x" })).await,
        "bad_arguments",
        &["nothing to redact", "hint: pass terms"],
    );
    check(&ask("redact", json!({ "text": "x", "terms": ["a"] })).await, "bad_arguments", &["too short"]);
    check(&ask("check_metadata", json!({ "source_ref_id": "doc_0" })).await, "unknown_ref", &["hint:"]);
    is_well(&client).await;
}

#[tokio::test]
async fn files_that_are_none_are_explained() {
    let client = start().await;
    let ask = async |tool: &str, bytes: &[u8]| client.trouble(tool, file(bytes, json!({}))).await;
    check(&ask("check_pdf", b"").await, "unreadable", &["the file is empty"]);
    check(&ask("check_pdf", b"PK\x03\x04 no PDF").await, "unsupported", &["not a PDF", "hint: pass a PDF"]);
    check(&ask("check_pdf", b"%PDF-1.7\n1 0 obj\n<< /Type /Pa").await, "unreadable", &["damaged"]);
    check(&ask("check_accessibility", b"%PDF-1.7").await, "unsupported", &["not an HTML page", "check_pdf"]);
    check(&ask("check_readability", b"   ").await, "unreadable", &["hint:"]);
    let zip = client
        .trouble("redact", file(b"PK\x03\x04", json!({ "terms": ["secret"], "file_type": "docx" })))
        .await;
    assert!(["unreadable", "unsupported"].contains(&zip.0.as_str()), "{zip:?}");
    is_well(&client).await;
}

#[tokio::test]
async fn a_pdf_that_is_cut_off_is_judged_by_what_is_left() {
    let client = start().await;
    let whole = page(&["Hello"], "", "", &[]);
    let half = &whole[..whole.len() - 200];
    let answer = client.answer("check_pdf", file(half, json!({ "standards": ["pdf/a-2b"] }))).await;
    assert_eq!(answer["standards"][0]["passes"], false);
    is_well(&client).await;
}

/// Pages that are their own parents, streams that fill memory, arrays without end.
#[tokio::test]
async fn hostile_pdfs_end_and_the_server_lives() {
    let client = start().await;
    let circle = assembled(&[
        "<< /Type /Catalog /Pages 2 0 R /StructTreeRoot 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [2 0 R 2 0 R] /Parent 2 0 R /K [2 0 R] /S /P /RoleMap << /A /B /B /A >> >>"
            .to_owned(),
    ]);
    let deep = format!("%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages {} >>\nendobj\n", "[".repeat(200_000));
    let liar = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 1 0 R /Length 99999999999 >>\nstream\nx\nendstream\nendobj\nxref\n0 99999999\n".to_vec();
    for bytes in [circle, deep.into_bytes(), liar] {
        for tool in ["check_pdf", "check_document", "redact"] {
            let more = if tool == "redact" { json!({ "terms": ["secret"] }) } else { json!({}) };
            client.call(tool, file(&bytes, more)).await;
        }
    }
    is_well(&client).await;
}

#[tokio::test]
async fn an_encrypted_pdf_is_said_to_be_unchecked_and_is_not_redacted() {
    let client = start().await;
    let text = String::from_utf8_lossy(&page(&["Hello"], "", "", &[]))
        .replace("/Info 6 0 R", "/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O (x) /U (x) >>");
    let bytes = text.replace('\u{fffd}', "?").into_bytes();
    let answer = client.answer("check_pdf", file(&bytes, json!({}))).await;
    assert!(answer["warnings"][0].as_str().unwrap().contains("encrypted"), "{answer}");
    check(
        &client.trouble("redact", file(&bytes, json!({ "terms": ["Hello"] }))).await,
        "locked",
        &["encrypted"],
    );
}
