//! Forms: filling in, choosing, sending.

use serde_json::{Value, json};

use crate::drive::{Stage, ref_of};

/// The value of a field of the last form that the site got.
fn sent(stage: &Stage, field: &str) -> Option<String> {
    let last = stage.site.visits("/sent").pop().expect("a form was sent");
    let body = String::from_utf8_lossy(&last.body).into_owned();
    let mark = format!("name=\"{field}\"");
    let (_, rest) = body.split_once(&mark)?;
    let (_, value) = rest.split_once("\r\n\r\n")?;
    value.split_once("\r\n--").map(|(value, _)| value.to_owned())
}

#[tokio::test]
async fn a_whole_form_is_filled_in_and_sent() {
    let stage = Stage::open().await;
    let page = stage.go("/apply").await;
    let at = |name: &str| ref_of(&page, &format!("\"{name}\""));
    let fields = json!([
        { "target": at("Full name"), "text": "Ada Lovelace" },
        { "target": at("Country"), "text": "Norway" },
        { "target": at("Start"), "text": "2027-03-05" },
        { "target": at("Letter"), "text": "Dear all,\nhello" },
        { "target": at("I agree"), "checked": true },
        { "target": at("Night"), "checked": true },
    ]);
    let filled = stage.call("fill_form", json!({ "fields": fields })).await;
    assert!(filled.starts_with("Filled in 6 fields."), "{filled}");
    assert!(filled.contains("Ada Lovelace") && filled.contains("Norway"), "{filled}");
    assert!(stage.site.visits("/sent").is_empty(), "nothing is sent by filling in");
    stage.call("type", json!({ "target": at("Wish"), "text": "80" })).await;
    let done = stage.call("click", json!({ "target": at("Submit application"), "submit": true })).await;
    assert!(done.contains("Thank you"), "a navigation answers with the new page: {done}");
    for (field, value) in [
        ("name", "Ada Lovelace"),
        ("country", "no"),
        ("start", "2027-03-05"),
        ("letter", "Dear all,\r\nhello"),
        ("agree", "on"),
        ("shift", "night"),
        ("wish", "80"),
    ] {
        assert_eq!(sent(&stage, field).as_deref(), Some(value), "{field}");
    }
}

#[tokio::test]
async fn text_replaces_follows_or_comes_key_by_key() {
    let stage = Stage::open().await;
    stage.go("/changing").await;
    let typed = stage.call("type", json!({ "target": "#keys", "text": "one" })).await;
    assert!(
        typed.starts_with("Typed 3 characters into textbox \"Keys\".") && typed.contains("\"one\""),
        "{typed}"
    );
    let typed = stage.call("type", json!({ "target": "#keys", "text": "two", "clear": false })).await;
    assert!(typed.contains("onetwo"), "{typed}");
    let typed = stage.call("type", json!({ "target": "#keys", "text": "a B+é", "slowly": true })).await;
    assert!(typed.contains("\"a B+é\""), "{typed}");
    stage.call("type", json!({ "target": "#keys", "text": "" })).await;
    let emptied = stage.call("snapshot", json!({})).await;
    assert!(!emptied.contains("a B+é"), "{emptied}");
    stage.call("click", json!({ "target": "#keys" })).await;
    let focused = stage.call("type", json!({ "text": "focus" })).await;
    assert!(focused.contains("\"focus\""), "{focused}");
    let long = "x".repeat(3_000);
    stage.refused("type", json!({ "target": "#keys", "text": long, "slowly": true }), "bad_arguments").await;
    stage.refused("type", json!({ "target": "#keys" }), "bad_arguments").await;
    stage.refused("fill_form", json!({ "fields": [] }), "bad_arguments").await;
    let half =
        json!({ "fields": [{ "target": "#keys", "text": "kept" }, { "target": "#nobody", "text": "x" }] });
    let half = stage.refused("fill_form", half, "bad_arguments").await;
    assert!(half.starts_with("field 2 of 2 (#nobody) was not filled in"), "{half}");
    let snapshot = stage.call("snapshot", json!({})).await;
    assert!(snapshot.contains("\"kept\""), "{snapshot}");
}

#[tokio::test]
async fn enter_sends_the_form() {
    let stage = Stage::open().await;
    let page = stage.go("/apply").await;
    let name = ref_of(&page, "Full name");
    let done = stage.call("type", json!({ "target": name, "text": "Ada", "submit": true })).await;
    assert!(done.contains("Pressed Enter.") && done.contains("Thank you"), "{done}");
    assert_eq!(sent(&stage, "name").as_deref(), Some("Ada"));
}

#[tokio::test]
async fn options_are_chosen_in_lists_of_any_making() {
    let stage = Stage::open().await;
    stage.go("/apply").await;
    let chosen = stage.call("select", json!({ "target": "select", "options": ["se"] })).await;
    assert!(chosen.contains("Sweden"), "by value: {chosen}");
    let chosen = stage.call("select", json!({ "target": "select", "options": ["norway"] })).await;
    assert!(chosen.contains("Norway"), "by words: {chosen}");
    let refused =
        stage.refused("select", json!({ "target": "select", "options": ["Denmark"] }), "bad_arguments").await;
    assert!(
        refused.contains("no option \"Denmark\"") && refused.contains("\"Norway\", \"Sweden\""),
        "{refused}"
    );
    stage.refused("select", json!({ "target": "select", "options": ["Atlantis"] }), "bad_arguments").await;
    stage.refused("select", json!({ "target": "select", "options": [] }), "bad_arguments").await;

    stage.go("/listbox").await;
    let chosen = stage.call("select", json!({ "target": "#combo", "options": ["Green"] })).await;
    assert!(
        chosen.starts_with("Chose \"Green\" in combobox \"Colour\".") && chosen.contains("Green"),
        "{chosen}"
    );
    let refused =
        stage.refused("select", json!({ "target": "#combo", "options": ["Blue"] }), "bad_arguments").await;
    assert!(refused.to_lowercase().contains("\"red\", \"green\""), "{refused}");
}

/// The word `submit` is what a policy can see.
#[tokio::test]
async fn with_a_guard_a_form_is_sent_only_by_a_call_that_says_so() {
    let stage = Stage::with(&["--allow-private", "--guard-forms"]).await;
    let page = stage.go("/apply").await;
    let (name, button) = (ref_of(&page, "Full name"), ref_of(&page, "Submit application"));
    stage.call("type", json!({ "target": name, "text": "Ada" })).await;
    let says_so = |arguments: Value| {
        let mut arguments = arguments;
        arguments["submit"] = json!(true);
        arguments
    };
    for (tool, arguments) in [
        ("click", json!({ "target": button })),
        ("click", json!({ "target": "#words" })),
        ("click", json!({ "target": button, "drag_to": button })),
        ("press", json!({ "key": "Enter", "target": name })),
        ("press", json!({ "key": "return", "target": name })),
        ("press", json!({ "key": "Space", "target": button })),
        ("type", json!({ "target": name, "text": "Ada\n", "slowly": true })),
        ("type", json!({ "text": " ", "slowly": true })),
    ] {
        let refused = stage.refused(tool, arguments, "bad_arguments").await;
        assert!(refused.contains("submit: true"), "{refused}");
    }
    for (tool, arguments) in [
        ("select", json!({ "target": button, "options": ["x"] })),
        ("fill_form", json!({ "fields": [{ "target": button, "text": "x" }] })),
        ("fill_form", json!({ "fields": [{ "target": "#words", "checked": true }] })),
    ] {
        stage.refused(tool, arguments, "bad_arguments").await;
    }
    assert!(stage.site.visits("/sent").is_empty());
    stage.call("click", json!({ "target": ref_of(&page, "I agree") })).await;
    let done = stage.call("click", says_so(json!({ "target": button }))).await;
    assert!(done.contains("Thank you"), "{done}");
    assert_eq!(stage.site.visits("/sent").len(), 1);
}
