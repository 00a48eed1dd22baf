//! Invalid, large and strange input.

use serde_json::{Value, json};

use crate::drive::start;

const TEXT_TOOLS: [&str; 5] =
    ["extract_keywords", "summarize_text", "classify_text", "detect_language", "extract_entities"];

fn arguments(tool: &str, text: &str) -> Value {
    match tool {
        "classify_text" => json!({"text": text, "labels": ["one", "two"]}),
        _ => json!({"text": text}),
    }
}

#[tokio::test]
async fn an_empty_text_is_refused_with_a_hint() {
    let client = start(&[]).await;
    for tool in TEXT_TOOLS {
        for text in ["", " \n\t "] {
            let (_, said) = client.trouble(tool, arguments(tool, text)).await;
            assert!(said.starts_with("text is empty\nhint: "), "{tool}: {said}");
        }
    }
    let (_, said) = client.trouble("extract_keywords", json!({})).await;
    assert!(said.starts_with("text is missing"), "{said}");
    let (_, said) = client.trouble("compare_texts", json!({"text_a": "x"})).await;
    assert!(said.starts_with("text_b is missing"), "{said}");
}

#[tokio::test]
async fn strange_texts_are_answered() {
    let client = start(&[]).await;
    let texts = [
        "word",
        "😀👩‍👩‍👧‍👦🇩🇪",
        "e\u{301}\u{301}\u{301}e\u{301}",
        "\u{202e}مرحبا بالعالم هذا نص",
        "שלום עולם, זה טקסט קצר.",
        "今天天气很好。我们去公园吧！",
        "Hello world, this is English. Das hier ist aber ein deutscher Satz. Et voici du français.",
        "\u{0}\u{1}x\u{feff}",
        "............",
        "a@b 4111 €€€ 99/99/9999 http:// @",
    ];
    for text in texts {
        for tool in TEXT_TOOLS {
            let answer = client.answer(tool, arguments(tool, text)).await;
            assert!(answer.get("method").is_some() && answer.get("language").is_some(), "{tool}: {text}");
        }
        client.answer("compare_texts", json!({"text_a": text, "text_b": "other words"})).await;
    }
}

#[tokio::test]
async fn five_megabytes_are_cut_and_it_is_said() {
    let client = start(&[]).await;
    let text: String = (0..90_000)
        .map(|number| format!("Report {number} names city {}, see file {number}.\n", number % 701))
        .collect();
    let text = &text[..text.len().min(5 << 20)];
    for tool in TEXT_TOOLS {
        let answer = client.answer(tool, arguments(tool, text)).await;
        let cut = &answer["cut"];
        assert!(cut["analysed_chars"].as_u64().unwrap() < cut["total_chars"].as_u64().unwrap(), "{tool}");
        assert!(answer["warnings"][0].as_str().unwrap().contains("only the first"), "{tool}");
    }
}

#[tokio::test]
async fn labels_that_make_no_sense_are_refused() {
    let client = start(&[]).await;
    for (labels, expected) in [
        (json!([]), "there are no labels"),
        (json!(["A", "b", "a "]), "the label \"a\" occurs twice"),
        (json!([""]), "a label has no name"),
        (json!((0..1001).map(|number| number.to_string()).collect::<Vec<_>>()), "there are 1001 labels"),
    ] {
        let (_, said) = client.trouble("classify_text", json!({"text": "some text", "labels": labels})).await;
        assert!(said.starts_with(expected) && said.contains("\nhint: "), "{said}");
    }
    let thousand: Vec<String> = (0..1000).map(|number| format!("label {number}")).collect();
    let answer = client.answer("classify_text", json!({"text": "some text", "labels": thousand})).await;
    assert_eq!((answer["scores"].as_array().unwrap().len(), &answer["unsure"]), (10, &json!(true)));
    let answer = client.answer("classify_text", json!({"text": "a tram", "labels": ["tram"]})).await;
    assert_eq!(answer["scores"], json!([{"label": "tram", "score": 1.0}]));
}

#[tokio::test]
async fn arguments_out_of_range_say_the_range() {
    let client = start(&[]).await;
    for (tool, arguments, expected) in [
        ("extract_keywords", json!({"text": "x", "top_k": 0}), "top_k: 0 is not from 1 to 200"),
        ("extract_keywords", json!({"text": "x", "language": "Klingon"}), "language: \"Klingon\" is unknown"),
        ("summarize_text", json!({"text": "x", "max_sentences": 0}), "max_sentences: 0 is not from 1 to 100"),
        (
            "summarize_text",
            json!({"text": "x", "max_sentences": 1, "max_words": 9}),
            "max_sentences and max_words",
        ),
        ("extract_entities", json!({"text": "x", "kinds": ["dragon"]}), "kinds[0]: unknown variant"),
        ("detect_language", json!({"text": "x", "file_text": "y"}), "both text and a file were passed"),
        ("detect_language", json!({"txt": "x"}), "unknown field `txt`"),
    ] {
        let (_, said) = client.trouble(tool, arguments).await;
        assert!(said.contains(expected), "{said}");
    }
}
