//! `redact`: what was redacted is nowhere in the result.

use capability_testkit::{Client, file};
use serde_json::{Value, json};

use crate::drive::start;
use crate::made::{page, stream};

async fn redacted(client: &Client, arguments: Value) -> (Value, Vec<u8>) {
    let answer = client.answer("redact", arguments).await;
    let bytes = client.bytes(answer["ref_id"].as_str().unwrap()).await;
    (answer, bytes)
}

fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|it| it == text.as_bytes())
}

#[tokio::test]
async fn a_term_is_gone_from_text_pixels_metadata_and_comments() {
    let client = start().await;
    let comment = "<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] /Contents (Quandt knows) >>".to_owned();
    let hidden = stream("", "BT (Quandt) Tj ET");
    let bytes =
        page(&["Paid to Ottilie Quandt in May.", "Thank you."], "", "/Annots [7 0 R]", &[comment, hidden]);
    assert!(has(&bytes, "Quandt"));
    let (answer, result) = redacted(&client, file(&bytes, json!({ "terms": ["ottilie quandt"] }))).await;
    assert_eq!(answer["redacted"], 1, "{answer}");
    assert_eq!(answer["verified"], true);
    assert_eq!(answer["picture_pages"], json!([1]));
    assert_eq!(answer["boxes"].as_array().unwrap().len(), 2, "{answer}");
    assert!(!has(&result, "Quandt") && !has(&result, "Author"));
    let text = client.answer("check_readability", json!({ "source_ref_id": answer["ref_id"] })).await;
    assert_eq!(text["words"], 6, "the other words can still be read: {text}");
}

#[tokio::test]
async fn personal_data_is_found_and_redacted() {
    let client = start().await;
    let lines = ["Please write to helga.brandt@example.org", "or pay with 4111 1111 1111 1111."];
    let bytes = page(&lines, "", "", &[]);
    let arguments = json!({ "kinds": ["email_address", "credit_card"] });
    let (answer, result) = redacted(&client, file(&bytes, arguments)).await;
    assert_eq!(answer["redacted"], 2, "{answer}");
    assert!(!has(&result, "helga") && !has(&result, "4111"));
}

#[tokio::test]
async fn a_page_without_a_match_stays_text_and_loses_its_metadata() {
    let client = start().await;
    let bytes = page(&["Nothing of the kind."], "", "", &[]);
    let (answer, result) = redacted(&client, file(&bytes, json!({ "terms": ["Quandt"] }))).await;
    assert_eq!(answer["redacted"], 0);
    assert!(answer.get("picture_pages").is_none(), "{answer}");
    assert!(answer["warnings"][0].as_str().unwrap().contains("nothing was found"), "{answer}");
    assert!(!has(&result, "Quandt"), "the author is gone");
}

#[tokio::test]
async fn a_text_is_redacted_across_cases_and_line_breaks() {
    let client = start().await;
    let text = "Call Helga\nBrandt. HELGA BRANDT agreed.";
    let (answer, result) = redacted(&client, json!({ "text": text, "terms": ["Helga Brandt"] })).await;
    assert_eq!(answer["redacted"], 2);
    assert_eq!(String::from_utf8(result).unwrap(), "Call █████. █████ agreed.");
}
