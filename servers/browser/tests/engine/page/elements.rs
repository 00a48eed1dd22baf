//! From targets to elements.

use capability_browser::Tab;
use capability_browser::page::{PageElement, SnapshotWish, Target, ask, resolve, snapshot};
use capability_kit::Trouble;
use serde_json::json;

use super::looks::reference;
use crate::stage::{on_stage, until};

async fn element(tab: &Tab, target: &str) -> Result<PageElement, Trouble> {
    resolve(tab, &Target::parse(target)?).await
}

#[test]
fn an_element_is_scrolled_into_view_and_described() {
    on_stage(|stage| async {
        let (_context, tab) = stage.tab_at("element far", "/page/elements").await;
        let found = element(&tab, "#far").await.expect("the button");
        assert_eq!(
            (found.role.as_str(), found.name.as_str(), found.tag.as_str()),
            ("button", "Far", "button")
        );
        assert!(found.in_view && found.covered_by.is_none() && !found.disabled, "{found:?}");
        assert_eq!(found.origin, stage.site.url("").trim_end_matches('/'));
    });
}

#[test]
fn a_covered_element_says_what_covers_it() {
    on_stage(|stage| async {
        let (_context, tab) = stage.tab_at("element low", "/page/elements").await;
        let found = element(&tab, "#low").await.expect("the button");
        assert!(found.covered_by.as_deref().is_some_and(|other| other.contains("\"Cookies\"")), "{found:?}");
    });
}

#[test]
fn a_selector_for_forty_elements_is_refused_with_the_first_of_them() {
    on_stage(|stage| async {
        let (_context, tab) = stage.tab_at("element forty", "/page/elements").await;
        let refused = element(&tab, "a.item").await.unwrap_err();
        assert!(refused.message.contains("matches 40 elements"), "{refused}");
        assert!(refused.message.contains("link \"Item\" e"), "{refused}");
        let none = element(&tab, "#save-it").await.unwrap_err();
        assert!(none.message.contains("near to it are button \"Save\" e"), "{none}");
        let bad = element(&tab, "a[").await.unwrap_err();
        assert!(bad.message.contains("neither a ref nor a CSS selector"), "{bad}");
    });
}

#[test]
fn a_stale_ref_says_what_became_of_it() {
    on_stage(|stage| async {
        let (context, tab) = stage.tab_at("element stale", "/page/elements").await;
        let wish = SnapshotWish::default();
        let text = snapshot(&tab, &context, &wish).await.expect("a snapshot").text;
        let (old, go) = (reference(&text, "button \"Save\""), reference(&text, "button \"Go\""));
        tab.evaluate("list.innerHTML = '<button>Save</button>'").await.expect("a change");
        let refused = element(&tab, &old).await.unwrap_err();
        let expected =
            format!("{old} (button \"Save\") was removed from the page; there is now button \"Save\" e");
        assert!(refused.message.starts_with(&expected), "{refused}");
        tab.navigate(&stage.site.url("/page/apply").parse().expect("a URL")).await.expect("the page");
        let gone = element(&tab, &go).await.unwrap_err();
        assert!(gone.message.contains("on a page that this tab has left"), "{gone}");
        let text = snapshot(&tab, &context, &wish).await.expect("a snapshot").text;
        assert_ne!(reference(&text, "textbox \"Full name\""), "e1", "refs are never given twice");
        let never = element(&tab, "e9999").await.unwrap_err();
        assert!(never.message.contains("no snapshot of this page has given"), "{never}");
    });
}

#[test]
fn selectors_reach_into_shadow_roots_and_frames() {
    on_stage(|stage| async {
        let (_context, tab) = stage.tab_at("element deep", "/page/parts").await;
        let deep = element(&tab, "#deep").await.expect("the field");
        assert!(deep.editable && deep.name == "Inner", "{deep:?}");
        until("the frame is there", || async { tab.frames().await.len() > 1 }).await;
        until("the frame's button is found", || async { element(&tab, "#inside").await.is_ok() }).await;
    });
}

#[test]
fn options_are_chosen_by_their_words_and_wrong_ones_listed() {
    on_stage(|stage| async {
        let (_context, tab) = stage.tab_at("element option", "/page/apply").await;
        let list = element(&tab, "select").await.expect("the list");
        let choose = async |words: &str| {
            let argument = json!({ "target": list.reference, "labels": [words] });
            ask(&tab, &list.frame, "select", &argument).await
        };
        assert_eq!(choose("Large").await.expect("a choice")["selected"], json!(["Large"]));
        let refused = choose("Huge").await.unwrap_err();
        assert_eq!(refused.hint.as_deref(), Some("the options are \"Small\", \"Large\""));
        let date = json!({ "target": "#start", "value": "tomorrow" });
        let refused = ask(&tab, &list.frame, "set_value", &date).await.unwrap_err();
        assert_eq!(refused.hint.as_deref(), Some("a field of kind date wants YYYY-MM-DD"));
    });
}
