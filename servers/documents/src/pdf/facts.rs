//! The metadata of a PDF, and the source of a page's words.

use hayro_syntax::Pdf;
use hayro_syntax::object::DateTime;

use super::content::PageContent;
use super::letters;
use crate::{DocumentFacts, PageSource};

/// A page covered by an image has text of its own from this many letters on; fewer are a stamp on a scan.
const LETTERS_MIN: usize = 30;
/// Share of a page that a picture covers if the page is a scan.
const COVERED_MIN: f32 = 0.5;

pub(super) fn facts(pdf: &Pdf, bytes: &[u8]) -> DocumentFacts {
    let told = pdf.metadata();
    DocumentFacts {
        title: told.title.as_deref().and_then(text),
        author: told.author.as_deref().and_then(text),
        created: told.creation_date.map(|date| rfc3339(&date)),
        producer: told.producer.as_deref().and_then(text),
        encrypted: is_encrypted(bytes),
    }
}

fn text(bytes: &[u8]) -> Option<String> {
    let text = letters::from_pdf_string(bytes);
    let text: String = text.chars().filter(|letter| !letter.is_control()).collect();
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn rfc3339(date: &DateTime) -> String {
    let DateTime { year, month, day, hour, minute, second, utc_offset_hour, utc_offset_minute } = *date;
    let offset = match (utc_offset_hour, utc_offset_minute) {
        (0, 0) => "Z".to_owned(),
        (hours, minutes) => {
            format!("{}{:02}:{minutes:02}", if hours < 0 { '-' } else { '+' }, hours.unsigned_abs())
        }
    };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{offset}")
}

/// The trailer names the encryption; it is never encrypted or packed itself.
fn is_encrypted(bytes: &[u8]) -> bool {
    const KEY: &[u8] = b"/Encrypt";
    let ends = |at: usize| bytes.get(at + KEY.len()).is_none_or(|byte| !byte.is_ascii_alphabetic());
    memchr::memmem::find_iter(bytes, KEY).any(ends)
}

/// The source of a page's words.
pub(super) fn source(content: &PageContent) -> PageSource {
    let letters = content.glyphs.iter().filter(|glyph| !glyph.is_space()).count();
    let unreadable = content.unreadable > letters * 4;
    let scanned = letters < LETTERS_MIN && covered(content) >= COVERED_MIN;
    if unreadable || scanned {
        PageSource::Picture
    } else if letters > 0 {
        PageSource::Text
    } else if content.pictures.is_empty() && content.paths == 0 {
        PageSource::Empty
    } else {
        PageSource::Picture
    }
}

/// Share of the page covered by images; overlapping images are counted more than once.
fn covered(content: &PageContent) -> f32 {
    let pictures: f32 = content.pictures.iter().map(|picture| picture.width() * picture.height()).sum();
    pictures / (content.width * content.height)
}
