//! The text of the document around a passage, with the passage marked. All of it comes from outside.

use maud::{Markup, html};

use super::data::{CitationData, CitedItemData};
use crate::parts::{number, text};

pub(super) fn marked(citation: &CitationData) -> Markup {
    html! {
        div.cited-text {
            (left_out(citation.items_before, "before"))
            @for item in &citation.context { (shown(item)) }
            (left_out(citation.items_after, "after"))
        }
    }
}

fn left_out(count: u64, side: &str) -> Markup {
    html! { @if count > 0 { p.soft { "… " (number(count)) " more parts of the document " (side) } } }
}

fn shown(item: &CitedItemData) -> Markup {
    let words = words(item);
    match item.kind.as_str() {
        "heading" => html! { h3 { (words) } },
        "code" | "table" => html! { pre.block tabindex="0" { (words) } },
        _ => html! { p { (words) } },
    }
}

/// The words, with the cited ones marked.
fn words(item: &CitedItemData) -> Markup {
    let (Some(start), Some(end)) = (item.start, item.end) else { return plain(&item.text) };
    let (before, rest) = at_char(&item.text, start);
    let (cited, after) = at_char(rest, end.saturating_sub(start));
    html! { (plain(before)) @if !cited.is_empty() { mark #cited { (plain(cited)) } } (plain(after)) }
}

fn plain(words: &str) -> Markup {
    html! { bdi { (text::made_visible(words)) } }
}

/// A text in two, after this many characters.
fn at_char(text: &str, chars: usize) -> (&str, &str) {
    text.split_at(text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(text: &str, start: usize, end: usize) -> CitedItemData {
        CitedItemData {
            kind: "paragraph".to_owned(),
            text: text.to_owned(),
            start: Some(start),
            end: Some(end),
        }
    }

    #[test]
    fn exactly_the_cited_characters_are_marked() {
        let shown = words(&item("Frist: dreißig Tage.", 7, 14)).into_string();
        assert!(shown.contains("<mark id=\"cited\"><bdi>dreißig</bdi></mark>"), "{shown}");
        let past = words(&item("short", 2, 900)).into_string();
        assert!(past.contains("<bdi>ort</bdi></mark>"), "{past}");
        assert!(!words(&item("short", 9, 12)).into_string().contains("<mark"));
    }

    #[test]
    fn hostile_text_stays_text() {
        let evil = "</mark><script>alert(1)</script>\u{202e}";
        let shown = shown(&item(evil, 0, 20)).into_string();
        assert!(!shown.contains("<script") && shown.contains("⟨U+202E⟩"), "{shown}");
    }
}
