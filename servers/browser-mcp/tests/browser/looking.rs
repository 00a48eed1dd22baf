//! Looking at pages: snapshots, search in them, text, pictures, tabs.

use serde_json::{Value, json};

use crate::drive::{Stage, ref_of};

#[tokio::test]
async fn a_page_is_opened_looked_at_read_and_left() {
    let stage = Stage::open().await;
    let opened = stage.go("/apply").await;
    let first = format!("Opened.\nPage: Apply ({})\n", stage.site.url("/apply"));
    assert!(opened.starts_with(&first), "{opened}");
    for words in ["Apply for Welder", "textbox \"Full name\"", "button \"Submit application\""] {
        assert!(opened.contains(words), "{words}: {opened}");
    }
    let whole = stage.call("snapshot", json!({})).await;
    assert!(whole.contains("combobox \"Country\""), "{whole}");
    assert!(whole.starts_with("Page: \"Apply\"\n"), "the address is known: {whole}");
    let part = stage.call("snapshot", json!({ "target": ref_of(&whole, "Country") })).await;
    assert!(part.contains("Country") && !part.contains("Submit"), "{part}");
    let found = stage.call("find", json!({ "text": "submit" })).await;
    assert!(ref_of(&found, "Submit application").starts_with('e'), "{found}");

    stage.go("/hidden").await;
    let text = stage.call("read_page", json!({})).await;
    assert!(text.contains("# News") && text.contains("[mayor]("), "{text}");
    let back = stage.call("back", json!({})).await;
    assert!(back.contains("Apply for Welder"), "{back}");
    let forward = stage.call("back", json!({ "forward": true })).await;
    assert!(forward.contains("News"), "{forward}");
    let broken = stage.go("/broken").await;
    assert!(broken.contains("status 500"), "{broken}");
}

#[tokio::test]
async fn hidden_text_is_marked_as_such() {
    let stage = Stage::open().await;
    let opened = stage.go("/hidden").await;
    let hidden: Vec<&str> = opened.lines().filter(|line| line.contains("Ignore")).collect();
    assert!(!hidden.is_empty() && hidden.iter().all(|line| line.contains("hidden")), "{opened}");
}

#[tokio::test]
async fn a_page_of_a_hundred_thousand_nodes_fits_into_the_budget() {
    let stage = Stage::with(&["--allow-private", "--action-seconds", "60"]).await;
    let opened = stage.go("/crowd").await;
    let tokens = capability_browser::page::tokens(&opened);
    assert!(tokens <= 700, "{tokens} tokens");
    let whole = stage.call("snapshot", json!({})).await;
    let tokens = capability_browser::page::tokens(&whole);
    assert!(tokens <= 2_050 && whole.contains("Link 1"), "{tokens} tokens");
    let small = stage.call("snapshot", json!({ "max_tokens": 200 })).await;
    assert!(capability_browser::page::tokens(&small) <= 250, "{small}");
}

#[tokio::test]
async fn tabs_are_opened_selected_and_closed() {
    let stage = Stage::open().await;
    stage.go("/plain").await;
    let second = stage.call("navigate", json!({ "url": stage.site.url("/apply"), "new_tab": true })).await;
    assert!(second.contains("Apply for Welder"), "{second}");
    let tabs = stage.call("tabs", json!({})).await;
    assert!(tabs.lines().count() == 2 && tabs.contains("(active) \"Apply\""), "{tabs}");
    let first = tabs.lines().next().unwrap().split(' ').next().unwrap().to_owned();
    let tabs = stage.call("tabs", json!({ "action": "select", "tab": first })).await;
    assert!(tabs.contains("(active) \"Plain\""), "{tabs}");
    let snapshot = stage.call("snapshot", json!({})).await;
    assert!(snapshot.contains("A plain page"), "{snapshot}");
    let tabs = stage.call("tabs", json!({ "action": "close" })).await;
    assert!(tabs.lines().count() == 1 && tabs.contains("\"Apply\""), "{tabs}");
    stage.refused("tabs", json!({ "action": "select", "tab": "t99" }), "bad_arguments").await;
    stage.refused("tabs", json!({ "action": "select" }), "bad_arguments").await;
}

/// The picture of a result, and the words beside it.
async fn picture(stage: &Stage, arguments: Value) -> (image::DynamicImage, String, String) {
    let result = stage.client.call("screenshot", arguments).await;
    let result = serde_json::to_value(&result).unwrap();
    assert_ne!(result["isError"], true, "{result}");
    let block = &result["content"][1];
    let bytes = base64_simd::STANDARD.decode_to_vec(block["data"].as_str().unwrap()).unwrap();
    let text = result["content"][0]["text"].as_str().unwrap().to_owned();
    (image::load_from_memory(&bytes).unwrap(), block["mimeType"].as_str().unwrap().to_owned(), text)
}

#[tokio::test]
async fn pictures_are_of_the_view_the_page_or_an_element() {
    let stage = Stage::open().await;
    stage.go("/changing").await;
    let (view, media_type, words) = picture(&stage, json!({})).await;
    assert_eq!(media_type, "image/jpeg");
    assert!(words.contains(&format!("{} × {} pixels", view.width(), view.height())), "{words}");
    let (full, media_type, _) = picture(&stage, json!({ "full": true, "format": "png" })).await;
    assert_eq!(media_type, "image/png");
    assert!(full.height() > 3_000 && full.height() > view.height(), "{}", full.height());
    let (one, _, words) = picture(&stage, json!({ "target": "#tip", "format": "png" })).await;
    assert_eq!((one.width(), one.height()), (100, 30), "{words}");
    stage.refused("screenshot", json!({ "target": "#nothing" }), "bad_arguments").await;
}

#[tokio::test]
async fn waits_end_when_it_is_true_or_when_time_is_up() {
    let stage = Stage::open().await;
    stage.go("/changing").await;
    stage.call("click", json!({ "target": "button:nth-of-type(4)" })).await;
    let waited = stage.call("wait_for", json!({ "text": "It is done" })).await;
    assert!(waited.contains("\"It is done\" was visible"), "{waited}");
    stage.call("click", json!({ "target": "button:nth-of-type(5)" })).await;
    stage.call("wait_for", json!({ "gone": "It is done" })).await;
    stage.call("wait_for", json!({ "url": "/changing", "selector": "#tip" })).await;
    stage.call("wait_for", json!({ "ms": 10 })).await;
    let late = stage.refused("wait_for", json!({ "text": "Never", "ms": 300 }), "timed_out").await;
    assert!(late.starts_with("300 ms passed before \"Never\" was visible"), "{late}");
    stage.refused("wait_for", json!({}), "bad_arguments").await;
    stage.refused("wait_for", json!({ "ms": 600_000 }), "bad_arguments").await;
    stage.refused("wait_for", json!({ "selector": "[[[" }), "bad_arguments").await;
}
