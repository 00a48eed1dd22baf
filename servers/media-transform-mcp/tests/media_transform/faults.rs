//! Invalid input: each is refused with advice, and the server survives.

use capability_testkit::base64;
use serde_json::{Value, json};

use crate::drive::start;

#[tokio::test]
async fn what_is_wrong_is_named() {
    let client = start().await;
    let deep = "> ".repeat(5_000) + "x";
    let rows: Vec<Value> = (0..10_000).map(|at| json!([at, "b", "c", "d"])).collect();
    let table = json!({ "blocks": [{ "type": "table", "rows": rows }] });
    let cases: [(&str, Value, &str, &str); 15] = [
        ("generate_pdf", json!({}), "bad_arguments", "pass one of markdown"),
        ("generate_pdf", json!({ "markdown": "" }), "bad_arguments", "empty"),
        (
            "generate_pdf",
            json!({ "markdown": "a", "template": "b" }),
            "bad_arguments",
            "markdown and template",
        ),
        ("generate_pdf", json!({ "markdown": "a", "data": {} }), "bad_arguments", "data needs a template"),
        ("generate_pdf", json!({ "markdwon": "a" }), "bad_arguments", "markdwon"),
        (
            "generate_docx",
            json!({ "document": { "blocks": [{ "type": "poem" }] } }),
            "bad_arguments",
            "blocks[0]",
        ),
        ("generate_docx", json!({ "document": "{\"blocks\": [" }), "bad_arguments", "line 1"),
        ("generate_pdf", json!({ "template": "a\n{{ b }}", "data": {} }), "bad_arguments", "line 2"),
        ("generate_pdf", json!({ "template": "{% for x in %}" }), "bad_arguments", "line 1"),
        (
            "generate_pdf",
            json!({ "markdown": "a", "style": { "font_size": 500 } }),
            "bad_arguments",
            "font size",
        ),
        ("generate_pdf", json!({ "markdown": deep }), "too_large", "within each other"),
        ("generate_pdf", json!({ "document": table }), "too_large", "cells"),
        (
            "convert",
            json!({ "file_data": base64(b"\x89PNG\r\n\x1a\nand so on"), "to": "pdf" }),
            "unsupported",
            "can be read",
        ),
        ("convert", json!({ "source_ref_id": "doc_0000", "to": "pdf" }), "unknown_ref", "doc_0000"),
        ("format_document", json!({ "content": "a", "file_data": "YQ==" }), "bad_arguments", "both"),
    ];
    for (tool, arguments, code, part) in cases {
        let (found, text) = client.trouble(tool, arguments).await;
        assert_eq!(found, code, "{text}");
        assert!(text.contains(part), "{part} is missing in {text}");
    }
    client.answer("generate_pdf", json!({ "markdown": "it lives" })).await;
}

#[tokio::test]
async fn a_megabyte_of_text_is_set() {
    let client = start().await;
    let paragraph =
        "Stored letters and other symbols are retrieved and ordered for visual display. ".repeat(10);
    let markdown = format!("{paragraph}\n\n").repeat(1_300);
    assert!(markdown.len() > 1_000_000);
    let answer = client.answer("generate_docx", json!({ "markdown": markdown })).await;
    assert!(answer["bytes"].as_u64().unwrap() > 1_000, "{answer}");
}

#[tokio::test]
async fn a_picture_bomb_is_left_out_with_a_warning() {
    // The header of a PNG of 60,000 by 60,000 pixels, without any pixel data.
    let mut png =
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\xea\x60\x00\x00\xea\x60\x08\x06\x00\x00\x00".to_vec();
    png.extend([0x5a, 0x5d, 0x3e, 0x05]);
    let markdown = format!("before ![bomb](data:image/png;base64,{}) after", base64(&png));
    let client = start().await;
    let answer = client.answer("generate_pdf", json!({ "markdown": markdown })).await;
    assert!(answer["warnings"][0].as_str().unwrap().contains("a picture was left out"), "{answer}");
    assert!(client.words(&answer).await.contains("bomb"));
}
