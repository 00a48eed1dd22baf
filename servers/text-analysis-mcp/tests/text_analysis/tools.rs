//! The purpose of each tool.

use serde_json::json;

use crate::drive::{each, start};

const TEXT: &str = "The city council approved a new tram line on 3 May 2024. The tram line will connect the harbour with the \
    university and costs EUR 12 million. Residents have asked for a tram line for years. Mayor Dr. Anna Berger expects that \
    construction begins in spring. A local bakery won a prize for its bread.";

#[tokio::test]
async fn tools_are_listed_with_their_schemas_and_file_slots() {
    let client = start(&[]).await;
    let tools = client.service.list_all_tools().await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(
        names,
        [
            "extract_keywords",
            "summarize_text",
            "classify_text",
            "detect_language",
            "extract_entities",
            "compare_texts",
        ]
    );
    for tool in &tools {
        let schema = tool.output_schema.as_ref().unwrap();
        let properties = schema["properties"].as_object().unwrap();
        assert!(
            properties.contains_key("method") && properties.contains_key("language"),
            "{}: {schema:?}",
            tool.name
        );
        assert_eq!(tool.input_schema["additionalProperties"], json!(false), "{}", tool.name);
    }
    let slots = |index: usize| tools[index].meta.as_ref().unwrap()["dev.toolgate/tool"]["files"].clone();
    assert_eq!(
        slots(0),
        json!([{"strategy": "plain_text_text", "argument": "file_id", "content": "file_text"}])
    );
    assert_eq!(
        slots(5),
        json!([
            {"strategy": "plain_text_text", "argument": "file_id_a", "content": "file_text_a"},
            {"strategy": "plain_text_text", "argument": "file_id_b", "content": "file_text_b"},
        ])
    );
}

#[tokio::test]
async fn keywords_come_with_their_places() {
    let client = start(&[]).await;
    let answer = client.answer("extract_keywords", json!({"text": TEXT, "top_k": 8, "spans": true})).await;
    assert_eq!((&answer["method"], &answer["language"]), (&json!("statistical"), &json!("en")));
    assert!(each(&answer["keywords"], "phrase").contains(&"tram line"), "{answer}");
    let tram = answer["keywords"]
        .as_array()
        .unwrap()
        .iter()
        .find(|keyword| keyword["phrase"] == "tram line")
        .unwrap();
    let offset = &tram["offsets"][1];
    let (start, end) = (offset["start"].as_u64().unwrap() as usize, offset["end"].as_u64().unwrap() as usize);
    assert_eq!(TEXT.chars().skip(start).take(end - start).collect::<String>(), "tram line");
    let answer = client.answer("extract_keywords", json!({"text": TEXT})).await;
    assert!(!answer.to_string().contains("offsets"), "{answer}");
}

#[tokio::test]
async fn summaries_keep_to_their_length_and_focus() {
    let client = start(&[]).await;
    let short =
        client.answer("summarize_text", json!({"text": TEXT, "max_sentences": 2, "sentences": true})).await;
    assert_eq!(short["sentences"].as_array().unwrap().len(), 2);
    assert_eq!(short["sentences_total"], 5);
    let focused = json!({"text": TEXT, "max_words": 15, "focus": "bakery"});
    let focused = client.answer("summarize_text", focused).await;
    assert_eq!(focused["summary"], "A local bakery won a prize for its bread.");
    assert_eq!(focused.get("sentences"), None, "they repeat the summary");
}

#[tokio::test]
async fn labels_may_be_names_or_descriptions() {
    let client = start(&[]).await;
    let labels =
        json!(["weather", {"name": "transport", "description": "trams, trains, roads and harbours"}]);
    let answer = client.answer("classify_text", json!({"text": TEXT, "labels": labels})).await;
    assert_eq!((&answer["label"], &answer["unsure"]), (&json!("transport"), &json!(false)));
    let sum: f64 =
        answer["scores"].as_array().unwrap().iter().map(|score| score["score"].as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 0.001);
    let many = json!({"text": TEXT, "labels": labels, "multi_label": true});
    assert_eq!(client.answer("classify_text", many).await["labels"], json!(["transport"]));
}

#[tokio::test]
async fn languages_are_detected_with_their_shares() {
    let client = start(&[]).await;
    let answer = client
        .answer("detect_language", json!({"text": "Das ist ein Satz, der auf Deutsch geschrieben wurde."}))
        .await;
    assert_eq!(
        (&answer["language"], &answer["name"], &answer["unsure"]),
        (&json!("de"), &json!("German"), &json!(false))
    );
    assert_eq!(client.answer("detect_language", json!({"text": "ok"})).await["unsure"], true);
}

#[tokio::test]
async fn entities_are_found_by_kind() {
    let client = start(&[]).await;
    let answer =
        client.answer("extract_entities", json!({"text": TEXT, "kinds": ["date", "money", "person"]})).await;
    assert_eq!(each(&answer["entities"], "text"), ["3 May 2024", "EUR 12 million", "Anna Berger"]);
    assert_eq!(answer["entities"][0]["value"], "2024-05-03");
    let twice = "Write to a@example.com, or to a@example.com again.";
    let answer = client.answer("extract_entities", json!({"text": twice, "kinds": ["email"]})).await;
    assert_eq!(
        (answer["entities"].as_array().unwrap().len(), &answer["entities"][0]["count"]),
        (1, &json!(2))
    );
    let answer =
        client.answer("extract_entities", json!({"text": twice, "kinds": ["email"], "spans": true})).await;
    assert_eq!(answer["entities"][1]["start"], 30);
}

#[tokio::test]
async fn texts_are_compared_sentence_by_sentence() {
    let client = start(&[]).await;
    let other = TEXT.replace("spring", "autumn");
    let answer = client.answer("compare_texts", json!({"text_a": TEXT, "text_b": other})).await;
    assert_eq!(answer["unchanged_sentences"], 4);
    assert!(answer["changed_sentences"][0]["after"].as_str().unwrap().contains("autumn"));
    assert!(answer["similarity"]["lexical"].as_f64().unwrap() > 0.9);
    assert_eq!(answer["similarity"].get("semantic"), None);
}

#[tokio::test]
async fn an_empty_model_means_none() {
    let mut command = capability_testkit::server(env!("CARGO_BIN_EXE_text-analysis-mcp"), &[]);
    command.env("TOOLGATE_MODEL", "");
    let client = capability_testkit::Client::start(command).await;
    let answer = client.answer("extract_keywords", json!({"text": TEXT})).await;
    assert_eq!((&answer["method"], answer.get("warnings")), (&json!("statistical"), None));
}

#[tokio::test]
async fn only_the_best_of_many_labels_are_listed() {
    let client = start(&[]).await;
    let labels: Vec<String> = (0..50).map(|number| format!("label {number}")).collect();
    let answer = client.answer("classify_text", json!({"text": TEXT, "labels": labels})).await;
    assert_eq!((answer["scores"].as_array().unwrap().len(), answer.get("labels")), (10, None));
}

#[tokio::test]
async fn a_model_that_is_not_there_is_done_without() {
    let client = start(&["--model", "/nowhere/at/all"]).await;
    let answer = client.answer("extract_keywords", json!({"text": TEXT})).await;
    assert_eq!(answer["method"], "statistical");
    assert!(answer["warnings"][0].as_str().unwrap().contains("the encoder could not be loaded"), "{answer}");
}

/// With the real weights: `script/test` fetches them and sets their place.
#[tokio::test]
async fn with_a_model_answers_go_by_meaning() {
    let Some(folder) = std::env::var_os("TOOLGATE_TEST_MODEL") else {
        eprintln!("skipped: TOOLGATE_TEST_MODEL names no folder with a model; script/model fetches one");
        return;
    };
    let client = start(&["--model", folder.to_str().unwrap()]).await;
    let answer = client.answer("extract_keywords", json!({"text": TEXT})).await;
    assert_eq!((&answer["method"], answer.get("warnings")), (&json!("embeddings"), None));
    let labels = json!(["public transport", "cooking"]);
    let answer =
        client.answer("classify_text", json!({"text": "The subway opens at six.", "labels": labels})).await;
    assert_eq!((&answer["label"], &answer["method"]), (&json!("public transport"), &json!("embeddings")));
    let pair = json!({"text_a": "The car is fast.", "text_b": "This automobile is quick."});
    assert!(client.answer("compare_texts", pair).await["similarity"]["semantic"].as_f64().unwrap() > 0.6);
}
