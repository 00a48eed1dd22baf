//! Targets, and what is said about those that cannot be found.

use serde_json::json;

use super::super::problem::trouble_of;
use super::super::target::Target;

#[test]
fn refs_frames_and_selectors_are_told_apart() {
    for (text, label, within, is_reference) in [
        ("e12", "", Some("e12"), true),
        (" [e12] ", "", Some("e12"), true),
        ("ref=e12", "", Some("e12"), true),
        ("f3e4", "f3", Some("e4"), true),
        ("f2", "f2", None, true),
        ("em", "", Some("em"), false),
        ("form", "", Some("form"), false),
        ("footer a", "", Some("footer a"), false),
        ("[data-x]", "", Some("[data-x]"), false),
        ("#e12", "", Some("#e12"), false),
    ] {
        let target = Target::parse(text).unwrap();
        let told = (target.label(), target.within(), target.is_reference());
        assert_eq!(told, (label, within, is_reference), "{text}");
    }
    assert!(Target::parse("  ").unwrap_err().hint.is_some());
    assert!(Target::parse(&"x".repeat(2_000)).is_err());
}

#[test]
fn a_stale_ref_says_what_became_of_it() {
    let now = json!([{ "r": "button", "n": "Save", "e": 31 }]);
    let removed = json!({ "kind": "removed", "role": "button", "name": "Save", "now": now });
    let said = trouble_of(&removed, "f1", "e7").message;
    assert_eq!(said, "f1e7 (button \"Save\") was removed from the page; there is now button \"Save\" f1e31");
    let left = trouble_of(&json!({ "kind": "earlier_page" }), "", "e7").message;
    assert_eq!(left, "e7 was on a page that this tab has left");
    let never = trouble_of(&json!({ "kind": "never_given", "next": 3 }), "", "e7");
    assert!(never.to_string().contains("take a new snapshot"), "{never}");
}

#[test]
fn a_selector_that_matches_forty_says_so_and_lists_the_first() {
    let first = json!([{ "r": "link", "n": "One", "e": 1 }, { "r": "link", "n": "Two", "e": 2 }]);
    let many = json!({ "kind": "many", "count": 40, "drawn": 38, "first": first });
    let said = trouble_of(&many, "", "a.item").message;
    assert_eq!(
        said,
        "\"a.item\" matches 40 elements, 38 of them drawn; the first are link \"One\" e1, link \"Two\" e2"
    );
    let near = json!({ "kind": "none", "near": [{ "r": "button", "n": "Send", "e": 3 }] });
    assert!(trouble_of(&near, "", "#send").message.ends_with("near to it are button \"Send\" e3"));
    assert!(trouble_of(&json!({ "kind": "bad_selector" }), "", "a[").message.contains("neither a ref nor"));
}

#[test]
fn a_wrong_option_lists_the_options() {
    let problem = json!({ "kind": "no_option", "wanted": ["Atlantis"], "total": 3, "options": [{ "label": "Norway" }, { "label": "Sweden" }] });
    let trouble = trouble_of(&problem, "", "e5");
    assert_eq!(trouble.message, "e5 has no option \"Atlantis\"");
    assert_eq!(trouble.hint.unwrap(), "the options are \"Norway\", \"Sweden\", … 1 more");
}
