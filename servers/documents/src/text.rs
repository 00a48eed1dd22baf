//! Plain text in any encoding, as Unicode; blank lines separate paragraphs.

mod charset;

use crate::document::{Block, Document, DocumentFacts, Page, PageSource};
use crate::kind::DocumentKind;
use crate::limits::DocumentLimits;

pub use charset::{DecodedText, decode};
pub(crate) use charset::{decode_html, decode_xml, is_text};

/// A form feed begins a page, as for printers and `pdftotext`.
const PAGE_BREAK: char = '\u{c}';

pub(crate) fn read(bytes: &[u8], limits: &DocumentLimits) -> Document {
    let DecodedText { text, warning } = decode(bytes);
    let mut warnings: Vec<String> = warning.into_iter().collect();
    let text = tidy(&text);
    let mut pages: Vec<&str> = text.trim_end_matches(PAGE_BREAK).split(PAGE_BREAK).collect();
    let page_count = pages.len();
    if page_count > limits.pages_max {
        pages.truncate(limits.pages_max);
        warnings.push(too_many_pages(page_count, limits.pages_max));
    }
    let pages = pages.iter().zip(1..).map(|(text, number)| page(text, number)).collect();
    Document { kind: DocumentKind::Text, facts: DocumentFacts::default(), page_count, pages, warnings }
}

/// The warning about a document with more pages than are read.
pub(crate) fn too_many_pages(pages: usize, pages_max: usize) -> String {
    format!("the document has {pages} pages; only the first {pages_max} were read")
}

fn page(text: &str, number: u32) -> Page {
    let blocks: Vec<Block> = paragraphs(text).map(|text| Block::Paragraph(text.to_owned())).collect();
    let source = if blocks.is_empty() { PageSource::Empty } else { PageSource::Text };
    Page { number, source, blocks, ..Page::default() }
}

fn paragraphs(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = skip_blank_lines(rest);
        if rest.is_empty() {
            return None;
        }
        let end = end_of_paragraph(rest);
        let paragraph = rest[..end].trim_end();
        rest = &rest[end..];
        Some(paragraph)
    })
}

fn skip_blank_lines(mut text: &str) -> &str {
    while let Some((line, rest)) = text.split_once('\n') {
        if !line.trim().is_empty() {
            return text;
        }
        text = rest;
    }
    if text.trim().is_empty() { "" } else { text }
}

fn end_of_paragraph(text: &str) -> usize {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            break;
        }
        end += line.len();
    }
    end
}

/// One kind of line break, and no characters that only terminals understand.
pub(crate) fn tidy(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' => {
                characters.next_if_eq(&'\n');
                tidy.push('\n');
            }
            '\u{85}' | '\u{2028}' => tidy.push('\n'),
            '\u{2029}' => tidy.push_str("\n\n"),
            '\n' | '\t' | PAGE_BREAK => tidy.push(character),
            '\u{feff}' | '\u{fffe}' => {}
            character if character.is_control() => {}
            character => tidy.push(character),
        }
    }
    tidy
}

#[cfg(test)]
mod tests;
