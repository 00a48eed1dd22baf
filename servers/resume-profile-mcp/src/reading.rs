//! From the bytes of a file to a [`ParsedDocument`] document: text formats line by line, paged formats with the
//! position and size of every line, scanned pages through OCR if it is available.

mod blocks;
mod pages;
mod plain;
mod scans;

use capability_documents::{
    Document, DocumentError, DocumentKind, DocumentLimits, OpenOptions, Page, PageSource, language,
};
use capability_kit::{Trouble, TroubleCode};

use crate::parsed::{ParsedBuilder, ParsedDocument};

pub use scans::ScanEngine;

/// No resume is longer; the rest is left out with a warning.
const PAGES_MAX: usize = 60;
const TEXT_BYTES_MAX: usize = 2 << 20;

/// A file with its declared properties.
pub struct ResumeSource<'a> {
    pub bytes: &'a [u8],
    /// Media type or extension.
    pub said: Option<&'a str>,
    pub password: Option<&'a str>,
}

/// A literal text.
pub fn text(text: &str) -> ParsedDocument {
    let mut builder = ParsedBuilder::default();
    plain::add(&mut builder, cut(text));
    finished(builder.finish(), 1)
}

pub fn file(source: &ResumeSource<'_>, eyes: &ScanEngine) -> Result<ParsedDocument, Trouble> {
    let kind = DocumentKind::of(source.bytes, source.said).map_err(trouble)?;
    if matches!(kind, DocumentKind::Text | DocumentKind::Markdown) {
        let decoded = capability_documents::decode(source.bytes);
        let mut parsed = text(&decoded.text);
        parsed.warnings.extend(decoded.warning);
        return Ok(parsed);
    }
    let document = open(source, kind)?;
    let mut builder = ParsedBuilder::default();
    let mut warnings = document.warnings.clone();
    for page in &document.pages {
        add(&mut builder, page, source, eyes, &mut warnings);
    }
    let mut parsed = finished(builder.finish(), document.page_count);
    parsed.warnings.extend(warnings);
    Ok(parsed)
}

fn open(source: &ResumeSource<'_>, kind: DocumentKind) -> Result<Document, Trouble> {
    let mut limits =
        DocumentLimits { pages_max: PAGES_MAX, text_bytes_max: TEXT_BYTES_MAX, ..DocumentLimits::default() };
    if kind == DocumentKind::Pdf {
        // With no cells allowed no tables are searched: the columns of a resume are read by the positions of
        // lines.
        limits.cells_max = 0;
    }
    let options =
        OpenOptions { limits, password: source.password.map(str::to_owned), ..OpenOptions::default() };
    capability_documents::open(source.bytes, source.said, &options).map_err(trouble)
}

fn add(
    builder: &mut ParsedBuilder,
    page: &Page,
    source: &ResumeSource<'_>,
    eyes: &ScanEngine,
    warnings: &mut Vec<String>,
) {
    match page.source {
        PageSource::Picture => match eyes.read(source, page) {
            Ok(page) => pages::add(builder, &page),
            Err(why) => warnings.push(format!("page {} is a picture without text: {why}", page.number)),
        },
        _ if page.lines.is_empty() => blocks::add(builder, page),
        _ => pages::add(builder, page),
    }
}

fn finished(parsed: ParsedDocument, page_count: usize) -> ParsedDocument {
    let language = language(&parsed.text).map(|language| language.code);
    ParsedDocument { page_count, language, ..parsed }
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(TEXT_BYTES_MAX)]
}

pub(crate) fn trouble(error: DocumentError) -> Trouble {
    let (code, hint) = match &error {
        DocumentError::Empty => (TroubleCode::Unreadable, "send the bytes of a resume"),
        DocumentError::Unsupported { .. } => {
            (TroubleCode::Unsupported, "send a PDF, DOCX, ODT, HTML, Markdown or text file")
        }
        DocumentError::Damaged { .. } => {
            (TroubleCode::Unreadable, "the file may have been cut off; export it again")
        }
        DocumentError::Locked { .. } => {
            (TroubleCode::Locked, "pass its password, or send a copy without one")
        }
        DocumentError::TooLarge { .. } => (TroubleCode::TooLarge, "send a smaller file"),
        DocumentError::NoSuchPage { .. } => {
            (TroubleCode::BadArguments, "ask for a page that the document has")
        }
    };
    Trouble::new(code, error.to_string()).hint(hint)
}
