//! Citations: a passage of an item, where it stands on its page, and what it says.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::model::DocIr;
use crate::quads::Quad;

/// Code points of the text before and after a quotation that are kept with it.
const CONTEXT_MAX: usize = 32;

/// A passage that can be shown and checked. Spans are code points of the item's text.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Citation {
    /// The SHA-256 of the file, in hexadecimal digits.
    pub artifact: String,
    /// The SHA-256 of the DocIR.
    pub docir: String,
    /// A JSON pointer such as `#/texts/3`.
    pub item: String,
    pub start: usize,
    pub end: usize,
    /// From 1; none for a format without pages.
    pub page: Option<u32>,
    /// One for each line; empty for a format without a layout.
    pub quads: Vec<Quad>,
    pub quote: Quote,
}

/// A text quote selector as the W3C has it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Quote {
    pub exact: String,
    pub prefix: String,
    pub suffix: String,
}

/// Cites a part of an item. None if there is no such item, or no such part, or nothing in it.
pub fn cite(
    document: &DocIr,
    artifact: &str,
    docir: &str,
    pointer: &str,
    span: Range<usize>,
) -> Option<Citation> {
    let text = document.text(pointer)?;
    let exact = slice(&text, &span)?;
    if exact.trim().is_empty() {
        return None;
    }
    let prefix = slice(&text, &(span.start.saturating_sub(CONTEXT_MAX)..span.start))?;
    let suffix: String = text.chars().skip(span.end).take(CONTEXT_MAX).collect();
    let quads = document.quads(pointer, span.clone());
    let page = document.node(pointer).and_then(|node| document.page_of(node));
    Some(Citation {
        artifact: artifact.to_owned(),
        docir: docir.to_owned(),
        item: pointer.to_owned(),
        start: span.start,
        end: span.end,
        page: quads.first().map(|quad| quad.page).or(page),
        quads,
        quote: Quote { exact: exact.to_owned(), prefix: prefix.to_owned(), suffix },
    })
}

/// Some code points of a text; none if it ends before.
pub(crate) fn slice<'t>(text: &'t str, span: &Range<usize>) -> Option<&'t str> {
    let length = span.end.checked_sub(span.start)?;
    let from = byte_of(text, span.start)?;
    let to = byte_of(&text[from..], length)?;
    Some(&text[from..from + to])
}

/// The byte where a code point begins, or the end of the text.
fn byte_of(text: &str, letter: usize) -> Option<usize> {
    let mut bytes = text.char_indices().map(|(byte, _)| byte).chain([text.len()]);
    bytes.nth(letter)
}
