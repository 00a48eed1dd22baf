//! Ad pictures, with and without an OCR engine.

use capability_testkit::with_content;
use image::{Rgb, RgbImage};
use serde_json::{Value, json};

use crate::drive::{start, with_faces, with_weights};
use crate::made::{advertisement, png};

fn rules(answer: &Value) -> Vec<&str> {
    answer["findings"].as_array().unwrap().iter().map(|finding| finding["rule"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_picture_is_measured_without_anything_that_reads_and_gaps_are_said() {
    let client = start().await;
    let red = png(RgbImage::from_pixel(640, 640, Rgb([200, 0, 0])));
    let arguments = with_content("image_data", &red, json!({ "platform": "instagram", "text": "Shop now" }));
    let answer = client.answer("analyze_creative", arguments).await;
    assert_eq!(answer["picture"]["colours"], json!(["#c80000"]), "{answer}");
    assert!(answer["picture"].get("text_share").is_none(), "{answer}");
    assert_eq!(answer["platform_checks"][1]["rule"], "size", "{answer}");
    assert_eq!(answer["platform_checks"][1]["verdict"], "warn", "{answer}");
    let gaps = answer["not_checked"].to_string();
    for gap in ["script/ocr-model", "faces", "logo", "reach"] {
        assert!(gaps.contains(gap), "{gap} in {gaps}");
    }
}

#[tokio::test]
async fn text_alone_is_enough() {
    let client = start().await;
    let answer = client.answer("analyze_creative", json!({ "text": "Lose weight, guaranteed." })).await;
    assert!(answer.get("picture").is_none(), "{answer}");
    assert_eq!(answer["claims"].as_array().unwrap().len(), 2, "{answer}");
    assert_eq!(rules(&answer), ["claims", "call_to_action"], "{answer}");
}

#[tokio::test]
async fn text_in_a_picture_is_read_and_its_contrast_measured() {
    let Some(client) = with_weights().await else { return };
    let arguments =
        with_content("image_data", &png(advertisement()), json!({ "brand": "Millers", "lines": true }));
    let answer = client.answer("analyze_creative", arguments).await;
    let picture = &answer["picture"];
    assert!(picture["text"].as_str().unwrap().contains("Fresh bread"), "{answer}");
    assert!((0.03..0.4).contains(&picture["text_share"].as_f64().unwrap()), "{answer}");
    assert!(picture["contrast_min"].as_f64().unwrap() < 3.0, "{answer}");
    assert!(["bottom_left", "bottom"].contains(&picture["brand_place"].as_str().unwrap()), "{answer}");
    assert!(
        picture["lines"].as_array().unwrap().iter().any(|line| line["contrast"].as_f64() > Some(10.0)),
        "{answer}"
    );
    assert_eq!(answer["calls_to_action"], json!(["shop now"]), "{answer}");
    assert!(rules(&answer).contains(&"contrast") && rules(&answer).contains(&"claims"), "{answer}");
}

#[tokio::test]
async fn faces_are_counted_and_placed() {
    let Some((client, picture)) = with_faces().await else { return };
    let answer = client.answer("analyze_creative", with_content("image_data", &picture, json!({}))).await;
    let found = &answer["picture"];
    assert!((20..40).contains(&found["faces"].as_u64().unwrap()), "29 people look at the camera: {answer}");
    let places = found["face_places"].as_array().unwrap();
    assert!(!places.is_empty() && places.len() <= 5, "{answer}");
    assert!(places.iter().all(|face| face["height"].as_f64().unwrap() > 0.0), "{answer}");
    assert!(!answer["not_checked"].to_string().contains("faces"), "{answer}");
    let plain = png(RgbImage::from_pixel(640, 640, Rgb([200, 0, 0])));
    let answer = client.answer("analyze_creative", with_content("image_data", &plain, json!({}))).await;
    assert_eq!(answer["picture"]["faces"], 0, "{answer}");
    let thin = png(RgbImage::from_pixel(3000, 2, Rgb([200, 0, 0])));
    let answer = client.answer("analyze_creative", with_content("image_data", &thin, json!({}))).await;
    assert_eq!(answer["picture"]["faces"], 0, "{answer}");
}
