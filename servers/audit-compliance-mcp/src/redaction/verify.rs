//! The result is read as others would read it: its text, and every string in every stream.

use capability_documents::pdf::placed_words;

use super::search::folded;
use crate::cos::{PdfFile, PdfValue, decoded};

/// Words shorter than this turn up by chance in the bytes of fonts and pictures.
const RAW_CHARS_MIN: usize = 5;
/// In place of a term, if nothing can be said.
const UNREADABLE: &str = "the result cannot be read";

/// A word that is still in a text.
pub(super) fn still_there(text: &str, words: &[String]) -> Option<String> {
    let own: String = folded(text).into_iter().map(|(it, _)| it).collect();
    words
        .iter()
        .find(|word| {
            let wanted: String = folded(word).into_iter().map(|(it, _)| it).collect();
            !wanted.is_empty() && own.contains(&wanted)
        })
        .cloned()
}

/// A term that the text or the bytes of a PDF still have.
pub(super) fn in_pdf(bytes: &[u8], terms: &[String], pages_max: usize) -> Option<String> {
    let Ok(pages) = placed_words(bytes, None, pages_max) else { return Some(UNREADABLE.to_owned()) };
    for page in &pages {
        let words: Vec<&str> = page.words.iter().map(|it| it.text.as_str()).collect();
        if let Some(found) = still_there(&words.join(" "), terms) {
            return Some(found);
        }
    }
    let Ok(file) = PdfFile::read(bytes) else { return Some(UNREADABLE.to_owned()) };
    let mut raw = vec![bytes.to_vec()];
    raw.extend(file.objects.values().filter_map(PdfValue::stream).map(|it| decoded(&file, it)));
    let forms = terms.iter().filter(|it| it.chars().count() >= RAW_CHARS_MIN);
    let has = |raw: &[u8], form: &[u8]| memchr::memmem::find(raw, form).is_some();
    forms
        .into_iter()
        .find(|term| {
            let wide: Vec<u8> = term.encode_utf16().flat_map(u16::to_be_bytes).collect();
            raw.iter().any(|it| has(it, term.as_bytes()) || has(it, &wide))
        })
        .cloned()
}
