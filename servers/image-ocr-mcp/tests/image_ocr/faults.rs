//! Bad input: each case gets a clear error, and the server keeps running.

use image::ImageFormat;
use serde_json::json;

use crate::drive::{picture, without_anything};
use crate::made;

/// The header of a bitmap of 50,000 by 50,000 pixels, without any pixel data.
fn enormous() -> Vec<u8> {
    let side = 50_000i32.to_le_bytes();
    let mut bytes = b"BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0".to_vec();
    bytes.extend(side);
    bytes.extend(side);
    bytes.extend([1, 0, 24, 0]);
    bytes.extend([0; 64]);
    bytes
}

#[tokio::test]
async fn pictures_that_cannot_be_read_are_refused_and_the_server_lives() {
    let client = without_anything().await;
    let png = made::encoded(made::note(), ImageFormat::Png);
    let cases = [
        (Vec::new(), "unreadable", "empty"),
        (b"%PDF-1.7 is no picture".to_vec(), "unsupported", "not a picture"),
        (png[..png.len() / 2].to_vec(), "unreadable", "cut off"),
        (png[..20].to_vec(), "unreadable", "cut off"),
        (enormous(), "too_large", "50000"),
    ];
    for (bytes, code, part) in cases {
        let (found, said) = client.trouble("describe_image", picture(&bytes, json!({}))).await;
        assert_eq!(found, code, "{said}");
        assert!(said.contains(part) && said.contains("hint:"), "{said}");
    }
    let answer = client.answer("describe_image", picture(&png, json!({}))).await;
    assert_eq!(answer["width"], json!(800));
}

#[tokio::test]
async fn arguments_that_make_no_sense_are_refused_by_name() {
    let client = without_anything().await;
    let cases = [
        (json!({}), "image_data"),
        (json!({ "image_data": "not Base64!" }), "image_data is not Base64"),
        (json!({ "image_data": "AAAA", "source_ref_id": "doc_1" }), "both"),
        (json!({ "picture": "AAAA" }), "picture"),
    ];
    for (arguments, part) in cases {
        let (code, said) = client.trouble("describe_image", arguments).await;
        assert_eq!(code, "bad_arguments", "{said}");
        assert!(said.contains(part), "{said}");
    }
    let (code, _) = client.trouble("describe_image", json!({ "source_ref_id": "doc_nothing" })).await;
    assert_eq!(code, "unknown_ref");
}
