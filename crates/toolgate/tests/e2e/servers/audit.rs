//! Checks and redaction behind the gateway: a file by its id, a result by its ref.

use serde_json::json;

use super::house::{kept, open, pdf_of, pdftotext};
use crate::files::archive::structure;
use crate::kit::call;
use crate::runs::work::Work;

#[tokio::test]
async fn a_redacted_file_is_stored_and_no_reader_finds_the_name_in_it() {
    let archive = open("", &["audit-compliance-mcp", "media-transform-mcp"]).await;
    let work = Work::start(&archive, json!({})).await;
    let markdown = "# Statement\n\nOttilie Quandt paid for the roof.\n\nNobody else did.\n";
    let pdf = pdf_of(&archive, &work.client, markdown).await;
    assert!(pdftotext(&pdf).contains("Quandt"));
    let file = archive.file("statement.pdf", &pdf).await;
    let arguments = json!({ "file_id": file, "terms": ["Ottilie Quandt"] });
    let made = call(&work.client, "audit-compliance-mcp__redact", arguments).await;
    assert_eq!(structure(&made)["redacted"], 1, "{made}");
    let redacted = kept(&archive, &work.client, &structure(&made)["ref_id"], "redacted.pdf").await;
    let said = pdftotext(&redacted);
    assert!(!said.contains("Quandt") && said.contains("Nobody"), "{said}");
}

#[tokio::test]
async fn a_pdf_is_judged_by_clause() {
    let archive = open("", &["audit-compliance-mcp", "media-transform-mcp"]).await;
    let work = Work::start(&archive, json!({})).await;
    let pdf = pdf_of(&archive, &work.client, "# One\n\nSome words.\n").await;
    let file = archive.file("one.pdf", &pdf).await;
    let arguments = json!({ "file_id": file, "standards": ["pdf/a-2b"] });
    let judged = call(&work.client, "audit-compliance-mcp__check_pdf", arguments).await;
    let judged = structure(&judged);
    assert_eq!(judged["standards"][0]["standard"], "pdf/a-2b", "{judged}");
    assert!(judged["findings"].is_array() && judged["standards"][0]["passes"].is_boolean(), "{judged}");
}
