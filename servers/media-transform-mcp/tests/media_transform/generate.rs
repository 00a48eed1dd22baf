//! Documents made from Markdown, JSON, templates and résumés.

use capability_documents::{Block, DocumentKind};
use serde_json::json;

use crate::drive::start;

const MARKDOWN: &str = "# Quarterly report\n\nProfit **rose** by 4 %.\n\n## Figures\n\n| Name | Sum |\n|---|--:|\n| North | 12 |\n\n- one\n- two\n";

#[tokio::test]
async fn markdown_becomes_a_pdf() {
    let client = start().await;
    let answer = client.answer("generate_pdf", json!({ "markdown": MARKDOWN, "author": "Ada" })).await;
    assert_eq!(answer["format"], "pdf");
    assert_eq!(answer["media_type"], "application/pdf");
    assert_eq!(answer["page_count"], 1);
    assert_eq!(answer["warnings"], json!([]));
    assert_eq!(answer["bytes"], client.bytes(&answer).await.len());
    let document = client.document(&answer).await;
    assert_eq!(
        (document.kind, document.facts.title.as_deref()),
        (DocumentKind::Pdf, Some("Quarterly report"))
    );
    let words = client.words(&answer).await;
    for word in ["Quarterly report", "Profit rose by 4 %.", "Figures", "North", "12", "two"] {
        assert!(words.contains(word), "{word} is missing in {words}");
    }
}

#[tokio::test]
async fn data_becomes_a_docx() {
    let client = start().await;
    let document = json!({ "title": "Plan", "blocks": [
        { "type": "heading", "level": 1, "text": "Goal" },
        { "type": "paragraph", "text": ["Ship ", { "text": "it", "bold": true }] },
        { "type": "table", "header": ["A"], "rows": [["b"]] },
    ] });
    let answer = client.answer("generate_docx", json!({ "document": document })).await;
    let read = client.document(&answer).await;
    assert_eq!((read.kind, read.facts.title.as_deref()), (DocumentKind::Docx, Some("Plan")));
    let blocks = &read.pages[0].blocks;
    assert!(
        blocks.iter().any(|block| matches!(block, Block::Heading { text, .. } if text == "Goal")),
        "{blocks:?}"
    );
    assert!(
        blocks.iter().any(|block| matches!(block, Block::Table(table) if table.rows[1] == ["b"])),
        "{blocks:?}"
    );
}

#[tokio::test]
async fn a_template_is_filled_and_data_stays_text() {
    let client = start().await;
    let arguments = json!({
        "template": "# Offer\n\nDear {{ name }},\n\n{% for item in items %}\n- {{ item }}\n{% endfor %}\n",
        "data": { "name": "Ada *Lovelace* <b>", "items": ["#read(\"/etc/passwd\")", "[x](javascript:alert(1))"] },
    });
    let words = client.words(&client.answer("generate_pdf", arguments).await).await;
    for word in ["Dear Ada *Lovelace* <b>,", "#read(\"/etc/passwd\")", "[x](javascript:alert(1))"] {
        assert!(words.contains(word), "{word} is missing in {words}");
    }
}

#[tokio::test]
async fn a_resume_becomes_a_pdf() {
    let client = start().await;
    let resume = json!({ "basics": { "name": "Ada Example", "email": "ada@example.com" }, "work": [{ "name": "Engines", "position": "Engineer", "startDate": "2020-01" }] });
    let answer = client.answer("generate_pdf", json!({ "resume": resume })).await;
    let words = client.words(&answer).await;
    assert!(words.contains("Ada Example") && words.contains("Jan 2020 – present"), "{words}");
    let (code, text) = client.trouble("generate_pdf", json!({ "resume": { "work": [{ "name": 7 }] } })).await;
    assert!(code == "bad_arguments" && text.contains("work[0].name"), "{text}");
}

#[tokio::test]
async fn looks_are_kept() {
    let client = start().await;
    let style = json!({ "template": "report", "page_size": "letter", "table_of_contents": true, "heading_numbering": true, "standard": "pdf/a-2b" });
    let answer = client.answer("format_document", json!({ "content": MARKDOWN, "style": style })).await;
    assert_eq!(answer["page_count"], 3);
    let words = client.words(&answer).await;
    assert!(words.contains("Contents") && words.contains("1 Figures"), "{words}");
    let again = json!({ "source_ref_id": answer["ref_id"], "to": "docx" });
    let docx = client.answer("format_document", again).await;
    assert!(client.words(&docx).await.contains("Profit rose by 4 %."));
}
