//! Tests of the page checks themselves: each finds the fault of a faulty page.

use super::axe;
use super::links::{attributes, walk};
use super::person::{PHONE, Person, Theme};
use super::pictures;
use crate::boot;

const WRONG: &str = "data:text/html,<html><body><input><p style='color:%23ccc;background:%23fff'>Pale words</p>\
    <div style='width:900px'>wide</div><script>throw new Error('a fault of ours')</script>";

#[tokio::test]
async fn a_page_that_shuts_people_out_is_found() {
    let gateway = boot("");
    let person = Person::at(&gateway).await;
    person.open_address(WRONG).await;
    person.sees("pale words").await;
    let found = axe::findings(&person).await.join("\n");
    for rule in ["\"label\"", "\"color-contrast\"", "\"html-has-lang\""] {
        assert!(found.contains(rule), "{rule} was not found: {found}");
    }
    person.sits_at(PHONE).await;
    let width = person.run("return [innerWidth, document.documentElement.scrollWidth]", vec![]).await;
    assert_eq!((&width[0], width[1].as_u64() > Some(800)), (&360.into(), true), "{width}");
    person.prefers(Theme::Dark).await;
    person.until("it is dark", "return matchMedia('(prefers-color-scheme: dark)').matches").await;
    pictures::keep(&person, "judges/wrong").await;
    let complaints = person.browser.complaints().await;
    assert!(complaints.iter().any(|said| said.contains("a fault of ours")), "{complaints:?}");
    person.leaves().await;
}

#[test]
fn links_are_found_in_tags_alone() {
    let html =
        "<p>href=\"no\"</p><a class=\"x\" href=\"/a?b=1&amp;c=2\">text</a><img src=\"p.png\" id=\"p\">";
    assert_eq!(attributes(html, "href"), ["/a?b=1&c=2"]);
    assert_eq!(attributes(html, "id"), ["p"]);
}

#[tokio::test]
async fn a_page_that_is_not_there_is_found() {
    let gateway = boot("");
    let found = walk(&gateway, &["/docs/no-such-page"], None).await;
    assert_eq!(found.broken.len(), 1, "{:?}", found.broken);
}
