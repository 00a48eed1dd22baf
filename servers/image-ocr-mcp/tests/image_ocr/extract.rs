//! Text out of pictures.

use image::{ImageFormat, Rgb, RgbImage, imageops};
use serde_json::{Value, json};

use crate::drive::{picture, with_weights, without_anything};
use crate::made::{self, LINES};

fn texts(answer: &Value) -> Vec<&str> {
    answer["lines"].as_array().unwrap().iter().map(|line| line["text"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn lines_come_with_places_and_confidence() {
    let Some(client) = with_weights().await else { return };
    let png = made::encoded(made::note(), ImageFormat::Png);
    let answer = client
        .answer(
            "extract",
            picture(&png, json!({ "image_type": "image/png", "languages": ["en"], "lines": true })),
        )
        .await;
    assert_eq!(texts(&answer), LINES);
    assert!(answer["text"].as_str().unwrap().starts_with(LINES[0]), "{answer}");
    assert_eq!((&answer["width"], &answer["height"]), (&json!(800), &json!(260)));
    assert_eq!(answer["engine"], json!("pp-ocrv6-small"));
    assert_eq!(answer["warnings"], json!([]));
    assert!(answer["mean_confidence"].as_f64().unwrap() > 0.9, "{answer}");
    let place = &answer["lines"][0]["box"];
    assert!(place["left"].as_u64().unwrap().abs_diff(50) < 15, "{place}");
    assert!(place["bottom"].as_u64() > place["top"].as_u64(), "{place}");
}

#[tokio::test]
async fn a_picture_on_its_side_is_read_unless_it_shall_not_be_turned() {
    let Some(client) = with_weights().await else { return };
    let png = made::encoded(imageops::rotate90(&made::note()), ImageFormat::Png);
    let answer = client.answer("extract", picture(&png, json!({ "lines": true }))).await;
    assert_eq!(texts(&answer), LINES);
    assert!((answer["angle"].as_f64().unwrap() - 90.0).abs() < 1.0, "{answer}");
    let answer = client.answer("extract", picture(&png, json!({ "deskew": "never" }))).await;
    assert_eq!(answer["angle"], json!(0.0));
    assert_eq!(answer.get("lines"), None, "lines that were not asked for repeat the text");
}

#[tokio::test]
async fn a_blank_page_is_an_empty_text_and_no_error() {
    let Some(client) = with_weights().await else { return };
    let png = made::encoded(RgbImage::from_pixel(300, 200, Rgb([255; 3])), ImageFormat::Png);
    let answer = client.answer("extract", picture(&png, json!({ "lines": true }))).await;
    assert_eq!(
        (&answer["text"], &answer["lines"], &answer["mean_confidence"]),
        (&json!(""), &json!([]), &Value::Null)
    );
}

#[tokio::test]
async fn lines_that_are_not_sure_enough_are_left_out() {
    let Some(client) = with_weights().await else { return };
    let png = made::encoded(made::note(), ImageFormat::Png);
    let answer =
        client.answer("extract", picture(&png, json!({ "min_confidence": 1.0, "lines": true }))).await;
    assert_eq!(
        answer["lines"].as_array().unwrap().iter().filter(|line| line["confidence"] != json!(1.0)).count(),
        0
    );
    let (code, said) = client.trouble("extract", picture(&png, json!({ "min_confidence": 7 }))).await;
    assert_eq!(code, "bad_arguments");
    assert!(said.contains("min_confidence"), "{said}");
}

#[tokio::test]
async fn a_language_that_cannot_be_read_is_refused_with_those_that_can() {
    let Some(client) = with_weights().await else { return };
    let png = made::encoded(made::note(), ImageFormat::Png);
    let (code, said) = client.trouble("extract", picture(&png, json!({ "languages": ["klingon"] }))).await;
    assert_eq!(code, "unsupported");
    assert!(said.contains("klingon") && said.contains("en, de, fr"), "{said}");
}

#[tokio::test]
async fn without_weights_and_tesseract_it_says_what_to_install() {
    let client = without_anything().await;
    let png = made::encoded(made::note(), ImageFormat::Png);
    let (code, said) = client.trouble("extract", picture(&png, json!({}))).await;
    assert_eq!(code, "unavailable");
    assert!(said.contains("script/ocr-model") && said.contains("tesseract-ocr"), "{said}");
}
