//! Conversions between formats.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use capability_testkit::base64;
use serde_json::{Value, json};

use crate::drive::{start, start_with};

const HTML: &str = "<html><head><title>Page</title></head><body><h2>Part</h2><p>Some <b>bold</b> text, \
                    <a href=\"javascript:alert(1)\">bad</a>.</p><ul><li>one</li></ul><script>alert(2)</script></body></html>";

#[tokio::test]
async fn html_becomes_markdown_in_the_answer() {
    let client = start().await;
    let answer = client.answer("convert", json!({ "content": HTML, "from": "html", "to": "markdown" })).await;
    let text = answer["text"].as_str().unwrap();
    assert!(text.contains("**bold**") && text.contains("- one") && !text.contains("alert"), "{text}");
    assert_eq!((&answer["truncated"], &answer["format"]), (&json!(false), &json!("markdown")));
    assert!(answer["warnings"][0].as_str().unwrap().contains("links were left out"), "{answer}");
}

#[tokio::test]
async fn markdown_goes_round_through_docx_and_pdf() {
    let client = start().await;
    let markdown =
        "# Title\n\n## Part\n\nText of the part.\n\n1. one\n2. two\n\n| A | B |\n|---|---|\n| c | d |\n";
    let docx = client.answer("convert", json!({ "content": markdown, "to": "docx" })).await;
    let pdf = client.answer("convert", json!({ "source_ref_id": docx["ref_id"], "to": "pdf" })).await;
    assert!(pdf["warnings"].to_string().contains("lost:"), "{pdf}");
    let back = client.answer("convert", json!({ "source_ref_id": pdf["ref_id"], "to": "markdown" })).await;
    let text = back["text"].as_str().unwrap();
    for word in ["# Title", "Text of the part.", "one", "two"] {
        assert!(text.contains(word), "{word} is missing in {text}");
    }
    let page = client.answer("convert", json!({ "source_ref_id": docx["ref_id"], "to": "html" })).await;
    let page = page["text"].as_str().unwrap();
    assert!(
        page.contains("<h1>Title</h1>") && page.contains("<h2>Part</h2>") && page.contains("<td>d</td>"),
        "{page}"
    );
}

#[tokio::test]
async fn files_become_text() {
    let client = start().await;
    let file = json!({ "file_data": base64(HTML.as_bytes()), "file_type": "text/html", "to": "text" });
    let answer = client.answer("convert", file).await;
    assert!(answer["text"].as_str().unwrap().contains("Some bold text"), "{answer}");
}

#[tokio::test]
async fn long_texts_are_behind_a_ref() {
    let client = start().await;
    let content = format!("<p>{}</p>", "word ".repeat(40_000));
    let answer =
        client.answer("convert", json!({ "content": content, "from": "html", "to": "markdown" })).await;
    assert_eq!(answer["truncated"], true);
    assert_eq!(answer["bytes"], client.bytes(&answer).await.len());
}

#[tokio::test]
async fn a_document_that_is_it_already_is_refused_with_what_is_possible() {
    let client = start().await;
    let (code, text) = client.trouble("convert", json!({ "content": "# x", "to": "markdown" })).await;
    assert_eq!(code, "bad_arguments");
    assert!(text.contains("already") && text.contains("html, docx, pdf, text"), "{text}");
    let (_, text) = client.trouble("convert", json!({ "content": "# x", "to": "gif" })).await;
    assert!(text.contains("gif") && text.contains("docx"), "{text}");
}

async fn docx(client: &crate::drive::MediaTransformClient) -> Value {
    client.answer("generate_docx", json!({ "markdown": "# Title\n\ntext" })).await
}

#[tokio::test]
async fn without_libreoffice_it_says_how_to_get_it() {
    let client = start_with(&["--libreoffice", "/nonexistent/soffice"]).await;
    let arguments =
        json!({ "source_ref_id": docx(&client).await["ref_id"], "to": "pdf", "engine": "libreoffice" });
    let (code, text) = client.trouble("convert", arguments).await;
    assert_eq!(code, "unavailable");
    assert!(text.contains("apt-get install") && text.contains("--libreoffice"), "{text}");
    let (code, _) =
        client.trouble("convert", json!({ "content": "x", "to": "pdf", "engine": "libreoffice" })).await;
    assert_eq!(code, "unsupported");
}

/// A stand-in for LibreOffice: it checks the important arguments and copies a PDF.
#[tokio::test]
async fn libreoffice_gets_a_folder_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let maker = start().await;
    let made = maker.answer("generate_pdf", json!({ "markdown": "set by another" })).await;
    let pdf = folder.path().join("made.pdf");
    fs::write(&pdf, maker.bytes(&made).await).unwrap();
    let program = folder.path().join("soffice");
    let script = format!(
        "#!/bin/sh\ncase \"$1\" in -env:UserInstallation=file://*/profile) ;; *) exit 3;; esac\n\
         while [ \"$1\" != --outdir ]; do shift; done\n[ -s \"$3\" ] && cp '{}' \"$2/input.pdf\"\n",
        pdf.display()
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let client = start_with(&["--libreoffice", program.to_str().unwrap()]).await;
    let arguments =
        json!({ "source_ref_id": docx(&client).await["ref_id"], "to": "pdf", "engine": "libreoffice" });
    let answer = client.answer("convert", arguments).await;
    assert_eq!((&answer["engine"], &answer["page_count"]), (&json!("libreoffice"), &json!(1)));
    assert!(client.words(&answer).await.contains("set by another"));
}
