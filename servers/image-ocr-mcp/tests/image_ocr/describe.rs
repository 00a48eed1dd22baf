//! Image facts, with and without an OCR engine.

use image::{ImageFormat, Rgb, RgbImage};
use serde_json::{Value, json};

use crate::drive::{picture, with_weights, without_anything};
use crate::made;

#[tokio::test]
async fn a_picture_is_described_without_anything_that_reads() {
    let client = without_anything().await;
    let red_over_white =
        RgbImage::from_fn(120, 100, |_, y| if y < 25 { Rgb([200, 0, 0]) } else { Rgb([255, 255, 255]) });
    let png = made::encoded(red_over_white, ImageFormat::Png);
    let answer = client.answer("describe_image", picture(&png, json!({ "image_type": "image/jpeg" }))).await;
    let expected = json!({
        "width": 120, "height": 100, "media_type": "image/png", "colour_model": "rgb", "bits": 8, "has_alpha": false,
        "dominant_colours": [{ "hex": "#ffffff", "share": 0.75 }, { "hex": "#c80000", "share": 0.25 }],
        "brightness": 0.792, "text_density": null, "orientation": "upright", "animated": false, "frames": 1,
        "warnings": [
            "it was declared as image/jpeg but is image/png",
            "text_density is unknown: no OCR engine is installed on this machine; fetch the weights with \
             script/ocr-model",
        ],
    });
    assert_eq!(answer, expected);
}

#[tokio::test]
async fn frames_of_an_animation_are_counted_and_only_the_first_is_looked_at() {
    let client = without_anything().await;
    let answer = client.answer("describe_image", picture(&made::animation(4), json!({}))).await;
    assert_eq!((&answer["animated"], &answer["frames"]), (&json!(true), &json!(4)));
    assert!(answer["warnings"][0].as_str().unwrap().contains("only the first"), "{answer}");
}

#[tokio::test]
async fn the_share_of_text_is_known_where_text_can_be_found() {
    let Some(client) = with_weights().await else { return };
    let note = made::encoded(made::note(), ImageFormat::Jpeg);
    let answer = client.answer("describe_image", picture(&note, json!({ "image_type": "image/jpeg" }))).await;
    let density = answer["text_density"].as_f64().unwrap();
    assert!((0.1..0.5).contains(&density), "{answer}");
    assert_eq!(answer["warnings"], json!([]));
    let blank = made::encoded(RgbImage::from_pixel(200, 200, Rgb([255; 3])), ImageFormat::Png);
    let answer = client.answer("describe_image", picture(&blank, json!({}))).await;
    assert_eq!(answer["text_density"], json!(0.0), "{answer}");
    assert_ne!(answer["text_density"], Value::Null);
}
