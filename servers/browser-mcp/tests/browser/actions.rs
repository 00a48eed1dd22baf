//! Acting on elements, and reasons why that fails.

use serde_json::json;

use crate::drive::{Stage, ref_of};

#[tokio::test]
async fn an_action_answers_with_a_sentence_and_what_changed() {
    let stage = Stage::open().await;
    let page = stage.go("/changing").await;
    let button = ref_of(&page, "button \"Press me\"");
    let once = stage.call("click", json!({ "target": button })).await;
    assert!(once.starts_with("Clicked button \"Press me\".") && once.contains("once"), "{once}");
    assert!(!once.contains("Plain words"), "what did not change is left out: {once}");
    assert!(capability_browser::page::tokens(&once) <= 100, "{once}");
    for (more, words) in [
        (json!({ "double": true }), "twice"),
        (json!({ "button": "right" }), "menu"),
        (json!({ "modifiers": ["Shift"] }), "with shift"),
    ] {
        let mut arguments = more;
        arguments["target"] = json!(button);
        let changed = stage.call("click", arguments).await;
        assert!(changed.contains(words), "{words}: {changed}");
    }
    let over = stage.call("hover", json!({ "target": "#tip" })).await;
    assert!(over.contains("over it"), "{over}");
    let pressed = stage.call("press", json!({ "key": "ArrowDown", "target": "#keys", "times": 2 })).await;
    assert!(pressed.contains("ArrowDown ArrowDown"), "{pressed}");
    let chord = stage.call("press", json!({ "key": "Control+A" })).await;
    assert!(chord.contains("Control a") || chord.contains("Control A"), "{chord}");
    let bottom = stage.call("scroll", json!({ "direction": "bottom" })).await;
    assert!(bottom.starts_with("Scrolled the page bottom."), "{bottom}");
    let same = stage.call("scroll", json!({ "direction": "bottom" })).await;
    assert!(same.to_lowercase().contains("nothing changed"), "{same}");
    stage.refused("press", json!({ "key": "NoSuchKey" }), "bad_arguments").await;
    stage.refused("press", json!({ "key": "a", "times": 1000 }), "bad_arguments").await;
    stage.refused("scroll", json!({ "pages": -1 }), "bad_arguments").await;
}

#[tokio::test]
async fn elements_are_dragged() {
    let stage = Stage::open().await;
    stage.go("/drag").await;
    let dragged = stage.call("click", json!({ "target": "#box", "drag_to": "#hole" })).await;
    assert!(dragged.starts_with("Dragged button \"Box\" to button \"Hole\"."), "{dragged}");
    assert!(dragged.contains("together"), "{dragged}");
}

#[tokio::test]
async fn an_element_that_is_dragged_to_another_of_a_list_takes_its_place() {
    let stage = Stage::open().await;
    for (dragged, goal, order) in
        [("#a", "#b", "bac"), ("#a", "#c", "bca"), ("#c", "#b", "acb"), ("#c", "#a", "cab")]
    {
        stage.go("/sorted").await;
        let sorted = stage.call("click", json!({ "target": dragged, "drag_to": goal })).await;
        assert!(sorted.contains(&format!("\"{order}\"")), "{dragged} to {goal}: {sorted}");
    }
}

#[tokio::test]
async fn three_clicks_mark_a_paragraph() {
    let stage = Stage::open().await;
    stage.go("/marked").await;
    let marked = stage.call("click", json!({ "target": "#second", "triple": true })).await;
    assert!(marked.starts_with("Triple-clicked"), "{marked}");
    assert!(marked.contains("\"marked: Many years later\""), "{marked}");
}

#[tokio::test]
async fn an_element_behind_another_is_not_clicked() {
    let stage = Stage::open().await;
    let page = stage.go("/covered").await;
    let buy = ref_of(&page, "button \"Buy\"");
    let refused = stage.refused("click", json!({ "target": buy }), "bad_arguments").await;
    assert!(refused.contains("button \"Buy\" is covered by") && refused.contains("Cookies"), "{refused}");
    stage.call("click", json!({ "target": ref_of(&page, "Fine") })).await;
    let pressed = stage.call("click", json!({ "target": buy })).await;
    assert!(pressed.starts_with("Clicked button \"Buy\"."), "{pressed}");
    let tabs = stage.call("tabs", json!({})).await;
    assert!(tabs.contains("\"pressed\""), "{tabs}");
}

#[tokio::test]
async fn a_target_must_be_one_element_that_is_there() {
    let stage = Stage::open().await;
    stage.go("/many").await;
    let refused = stage.refused("click", json!({ "target": ".row" }), "bad_arguments").await;
    assert!(refused.contains("40") && refused.contains("Row 1"), "{refused}");
    let refused = stage.refused("click", json!({ "target": "#none" }), "bad_arguments").await;
    assert!(refused.contains("#none"), "{refused}");
    stage.refused("click", json!({ "target": "][" }), "bad_arguments").await;

    let page = stage.go("/changing").await;
    let (gone, remove) = (ref_of(&page, "button \"First\""), ref_of(&page, "button \"Remove it\""));
    stage.call("click", json!({ "target": remove })).await;
    let stale = stage.refused("click", json!({ "target": gone }), "bad_arguments").await;
    assert!(stale.contains(&gone) && stale.contains("First"), "what became of it: {stale}");
    let page = stage.go("/plain").await;
    assert!(!page.split_whitespace().any(|word| word == remove), "{page}");
    stage.refused("click", json!({ "target": remove }), "bad_arguments").await;
    stage.refused("click", json!({ "target": "e999999" }), "bad_arguments").await;
}

#[tokio::test]
async fn what_a_person_could_not_do_is_refused_with_a_way_out() {
    let stage = Stage::open().await;
    let page = stage.go("/changing").await;
    let off = stage.refused("click", json!({ "target": "#off" }), "bad_arguments").await;
    assert!(off.starts_with("button \"Pay\" is disabled"), "{off}");
    let text = stage.refused("type", json!({ "target": "#gone", "text": "x" }), "bad_arguments").await;
    assert!(text.contains("takes no text"), "{text}");
    let other = json!({ "target": ref_of(&page, "Press me"), "expect": "Delete account" });
    let other = stage.refused("click", other, "bad_arguments").await;
    assert!(other.contains("\"Press me\", not \"Delete account\""), "{other}");
    let same = json!({ "target": ref_of(&page, "Press me"), "expect": "press  me" });
    stage.call("click", same).await;
    stage.go("/apply").await;
    let file = stage.refused("click", json!({ "target": "input[type=file]" }), "bad_arguments").await;
    assert!(file.contains("use upload"), "{file}");
    let list = stage.refused("click", json!({ "target": "select" }), "bad_arguments").await;
    assert!(list.contains("use select"), "{list}");
}

#[tokio::test]
async fn frames_of_other_origins_and_shadow_roots_are_part_of_the_page() {
    let stage = Stage::open().await;
    let page = stage.go("/framed").await;
    let page = if page.contains("Inside") { page } else { stage.call("snapshot", json!({})).await };
    let inside = ref_of(&page, "button \"Inside\"");
    assert!(inside.starts_with('f'), "{inside}");
    let pressed = stage.call("click", json!({ "target": inside })).await;
    assert!(pressed.contains("pressed inside"), "{pressed}");
    let typed = stage.call("type", json!({ "target": ref_of(&page, "Deep"), "text": "down here" })).await;
    assert!(typed.contains("down here"), "{typed}");
    stage.call("type", json!({ "target": "#deep", "text": "by selector" })).await;
}

#[tokio::test]
async fn dialogs_are_told_and_answered_as_decided_before() {
    let stage = Stage::open().await;
    let page = stage.go("/dialogs").await;
    let button = |name: &str| json!({ "target": ref_of(&page, &format!("button \"{name}\"")) });
    let warned = stage.call("click", button("Warn")).await;
    assert!(warned.contains("an alert \"Careful <now>\"") && warned.contains("told"), "{warned}");
    let declined = stage.call("click", button("Ask")).await;
    assert!(declined.contains("\"Really?\"") && declined.contains("declined"), "{declined}");
    stage.call("dialog", json!({ "accept": true })).await;
    let confirmed = stage.call("click", button("Ask")).await;
    assert!(confirmed.contains("confirmed"), "{confirmed}");
    let declined = stage.call("click", button("Ask")).await;
    assert!(declined.contains("declined"), "it counts once: {declined}");
    stage.call("dialog", json!({ "accept": true, "text": "Ada" })).await;
    let named = stage.call("click", button("Name")).await;
    assert!(named.contains("named Ada"), "{named}");
}

#[tokio::test]
async fn a_link_to_another_tab_is_told() {
    let stage = Stage::open().await;
    stage.go("/dialogs").await;
    let opened = stage.call("click", json!({ "target": "a" })).await;
    assert!(opened.contains("The page opened tab"), "{opened}");
    stage.tab_with("/plain").await;
}
