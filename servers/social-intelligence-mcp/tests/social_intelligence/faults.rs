//! Bad input: each case gets a clear error, and the server keeps running.

use capability_testkit::with_content;
use image::RgbImage;
use serde_json::{Value, json};

use crate::drive::start;
use crate::made::png;

#[tokio::test]
async fn arguments_that_make_no_sense_are_refused_by_name() {
    let client = start().await;
    let many: Vec<String> = (0..31).map(|number| format!("Headline {number}")).collect();
    let cases: [(&str, Value, &str); 14] = [
        ("score_headlines", json!({ "headlines": ["Only one"] }), "headlines: 1 are not from 2 to 30"),
        ("score_headlines", json!({ "headlines": many }), "headlines: 31 are not"),
        ("score_headlines", json!({ "headlines": ["One", " \n"] }), "headlines[1] is empty"),
        (
            "score_headlines",
            json!({ "headlines": ["One", "x ".repeat(400)] }),
            "headlines[1] has 800 characters",
        ),
        ("suggest_variants", json!({ "headline": "" }), "headline is empty"),
        ("suggest_variants", json!({ "headline": "word ".repeat(200) }), "headline has 1000 characters"),
        ("score_content", json!({}), "text is missing"),
        ("score_content", json!({ "text": "a", "file_text": "b" }), "both text and a file were passed"),
        ("score_content", json!({ "text": "a", "platform": "myspace" }), "platform: \"myspace\" is unknown"),
        (
            "check_platform_specs",
            json!({ "platform": "x", "placement": "story" }),
            "placement: x has no \"story\"",
        ),
        ("check_platform_specs", json!({ "platform": "x", "width": 0 }), "at least 1"),
        ("hashtags", json!({ "text": "a", "count": 0 }), "count: 0 is not from 1 to 30"),
        ("best_length", json!({ "placement": "feed" }), "placement needs a platform"),
        ("analyze_creative", json!({}), "neither a picture nor a text"),
    ];
    for (tool, arguments, expected) in cases {
        let (code, said) = client.trouble(tool, arguments).await;
        assert_eq!(code, "bad_arguments", "{said}");
        assert!(said.contains(expected), "{tool}: {said}");
    }
}

#[tokio::test]
async fn headlines_in_another_language_are_refused_since_nothing_was_measured_for_them() {
    let client = start().await;
    let german = [
        "Warum diese Frau nicht mehr schweigen will und was sie jetzt fordert",
        "Die ganze Wahrheit über unsere Schulen und Lehrer",
    ];
    let (code, said) = client.trouble("score_headlines", json!({ "headlines": german })).await;
    assert_eq!(code, "unsupported", "{said}");
    assert!(said.contains("German") && said.contains("hint:"), "{said}");
}

#[tokio::test]
async fn pictures_that_cannot_be_read_are_refused_and_the_server_lives() {
    let client = start().await;
    let good = png(RgbImage::new(50, 40));
    let cases = [
        (Vec::new(), "unreadable"),
        (b"%PDF-1.7 is no picture".to_vec(), "unsupported"),
        (good[..good.len() / 2].to_vec(), "unreadable"),
    ];
    for (bytes, expected) in cases {
        for (tool, more) in
            [("analyze_creative", json!({})), ("check_platform_specs", json!({ "platform": "x" }))]
        {
            let (code, said) = client.trouble(tool, with_content("image_data", &bytes, more)).await;
            assert_eq!(code, expected, "{said}");
            assert!(said.contains("hint:"), "{said}");
        }
    }
    let (code, said) = client.trouble("analyze_creative", json!({ "image_data": "no Base64!" })).await;
    assert_eq!(code, "bad_arguments", "{said}");
    assert!(said.contains("image_data is not Base64"), "{said}");
    let answer = client.answer("analyze_creative", with_content("image_data", &good, json!({}))).await;
    assert_eq!(answer["picture"]["width"], 50);
}

#[tokio::test]
async fn strange_texts_are_answered() {
    let client = start().await;
    let texts = [
        "😀👩‍👩‍👧‍👦🇩🇪",
        "\u{202e}مرحبا بالعالم هذا نص",
        "今天天气很好。我们去公园吧！",
        "#",
        "............",
        "\u{0}x\u{feff}",
    ];
    for text in texts {
        client.answer("score_content", json!({ "text": text, "platform": "x", "spans": true })).await;
        client.answer("hashtags", json!({ "text": text })).await;
        client.answer("analyze_creative", json!({ "text": text })).await;
    }
    let (code, said) = client.trouble("hashtags", json!({ "text": "word ".repeat(100_000) })).await;
    assert_eq!(code, "too_large", "{said}");
    assert!(said.contains("500000 characters") && said.contains("hint:"), "{said}");
}
