//! `redact`: what was redacted is nowhere in the result.

use capability_testkit::{Client, file};
use serde_json::{Value, json};

use crate::drive::{start, start_blind, start_with_weights};
use crate::made::{hiding, page, scan, stream};

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

#[tokio::test]
async fn what_a_page_shows_is_redacted_whatever_its_markup() {
    let client = start().await;
    let html = b"<!doctype html><p>Dear <b>Otti</b>lie, dear M&uuml;ller</p><script>x='Ottilie'</script>";
    let arguments = file(html, json!({ "terms": ["Ottilie", "Müller"] }));
    let (answer, result) = redacted(&client, arguments).await;
    assert_eq!((&answer["redacted"], &answer["verified"]), (&json!(2), &json!(true)), "{answer}");
    let expected = "<!doctype html><p>Dear <b>█████</b>, dear █████</p>";
    assert_eq!(String::from_utf8(result).unwrap(), expected);
    let hidden = b"<!doctype html><svg><title>Otti<b></b>lie</title></svg>";
    let (code, text) = client.trouble("redact", file(hidden, json!({ "terms": ["Ottilie"] }))).await;
    assert_eq!(code, "unsupported", "{text}");
    assert!(text.contains("still found") && text.contains("nothing was returned"), "{text}");
}

#[tokio::test]
async fn pictures_that_cannot_be_searched_are_said_and_nothing_is_called_verified() {
    let client = start_blind().await;
    let bytes = scan(&["Paid to Ottilie Quandt."], "By Helga Brandt.");
    let (answer, _) = redacted(&client, file(&bytes, json!({ "terms": ["Helga"] }))).await;
    assert_eq!((&answer["verified"], &answer["unsearched_pages"]), (&json!(false), &json!([1])), "{answer}");
    assert!(answer["warnings"][0].as_str().unwrap().contains("page 1 shows pictures"), "{answer}");
    let plain = page(&["By Helga Brandt."], "", "", &[]);
    let (answer, _) = redacted(&client, file(&plain, json!({ "terms": ["Helga"] }))).await;
    assert_eq!(answer["verified"], true, "{answer}");
}

#[tokio::test]
async fn words_of_pictures_are_read_and_painted_black() {
    let Some(client) = start_with_weights().await else { return };
    let bytes = scan(&["Paid to Ottilie Quandt in May.", "Thank you."], "By Helga Brandt.");
    let (answer, result) = redacted(&client, file(&bytes, json!({ "terms": ["Quandt", "Brandt"] }))).await;
    assert_eq!((&answer["verified"], &answer["redacted"]), (&json!(true), &json!(2)), "{answer}");
    assert!(answer["boxes"].as_array().unwrap().len() >= 2, "{answer}");
    // What is left is read again: the name is gone, its neighbours are not.
    let (again, _) = redacted(&client, file(&result, json!({ "terms": ["Quandt"] }))).await;
    assert_eq!(again["redacted"], 0, "{again}");
    let (again, _) = redacted(&client, file(&result, json!({ "terms": ["Thank"] }))).await;
    assert_eq!(again["redacted"], 1, "{again}");
}

#[tokio::test]
async fn layers_notes_fields_and_invisible_text_are_gone() {
    let client = start_blind().await;
    let bytes = hiding("Zwetschger");
    assert!(has(&bytes, "Zwetschger"));
    let (answer, result) = redacted(&client, file(&bytes, json!({ "terms": ["Zwetschger"] }))).await;
    for rest in ["Zwetschger", "OCProperties", "AcroForm", "Annot", "ActualText", "Subject"] {
        assert!(!has(&result, rest), "{rest} is left: {answer}");
    }
    assert_eq!(answer["picture_pages"], json!([1]), "{answer}");
    // Others read the same: no text of the result has it.
    let text = client.answer("check_metadata", file(&result, json!({}))).await;
    assert!(!text.to_string().contains("Zwetschger"), "{text}");
}
