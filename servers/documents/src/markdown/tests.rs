//! Markdown, block by block.

use crate::{Block, Document, OpenOptions, open};

fn read(text: &str) -> Document {
    open(text.as_bytes(), Some("md"), &OpenOptions::default()).unwrap()
}

#[test]
fn blocks_are_read_and_written_alike() {
    let text = "# Title\n\nA paragraph.\n\n- a\n- b\n   1. deep\n\n| k | v |\n| --- | --- |\n| x | 1 |\n\n```\ncode  here\n```";
    assert_eq!(read(text).markdown(), text);
}

#[test]
fn plain_text_has_no_marks_but_keeps_addresses() {
    let document = read("Some **bold** `code` and [a link](https://a.example).\nSame ~~line~~.\n\n[x]: /y");
    assert_eq!(document.text(), "Some bold code and a link (https://a.example). Same line.");
}

#[test]
fn front_matter_gives_facts_and_no_text() {
    let document = read("---\ntitle: \"My notes\"\nauthor: Ann\n---\n\n# Other\n\nText");
    assert_eq!(
        (document.facts.title.as_deref(), document.facts.author.as_deref()),
        (Some("My notes"), Some("Ann"))
    );
    assert_eq!(document.text(), "Other\n\nText");
}

#[test]
fn html_between_is_read_as_html() {
    let document = read(
        "Before\n\n<table><tr><td>a</td><td>b</td></tr></table>\n\n<script>no()</script>\n\nAfter<br>all",
    );
    assert_eq!(document.text(), "Before\n\na\tb\n\nAfter\nall");
}

#[test]
fn markdown_is_recognised_where_nobody_says_it() {
    let kind = |text: &str| open(text.as_bytes(), None, &OpenOptions::default()).unwrap().kind.name_short();
    assert_eq!(kind("# Title\n\nText"), "md");
    assert_eq!(kind("a | b\n\n| k | v |\n|---|---|\n| 1 | 2 |"), "md");
    assert_eq!(kind("# a comment\nkey = 1\n"), "txt");
    assert_eq!(kind("Dear Sir or Madam,\n\n- one\n"), "txt");
}

#[test]
fn deep_nesting_is_no_trouble() {
    let document = read(&format!("{}deep\n\n{}item", "> ".repeat(5_000), "- ".repeat(5_000)));
    assert!(document.text().contains("deep") && document.text().contains("item"));
}

#[test]
fn code_with_fences_in_it_gets_a_longer_fence() {
    let document = read("````\n```\ninner\n```\n````");
    assert_eq!(document.pages[0].blocks, [Block::Code("```\ninner\n```".into())]);
    assert_eq!(document.markdown(), "````\n```\ninner\n```\n````");
}
