//! `extract_text`.

use capability_documents::{Document, DocumentKind, Page, PageSource, decode, language};
use capability_kit::{FileInput, TextOut, Trouble, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::arguments::{DocumentSource, Ocr};
use crate::reading::{ReadDocument, read_with_scans};
use crate::scans::ScanReader;

/// Pages that are listed one by one.
const PAGES_LISTED_MAX: usize = 200;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExtractText {
    /// The document, in Base64.
    #[serde(default)]
    file_data: Option<String>,
    /// Its media type or file extension, such as `application/pdf` or `docx`. Detected from the content if
    /// omitted.
    #[serde(default)]
    file_type: Option<String>,
    /// Instead of `file_data`: the `ref_id` that a tool of this server returned.
    #[serde(default)]
    source_ref_id: Option<String>,
    /// Instead of `file_data`: plain text, HTML or Markdown.
    #[serde(default)]
    content: Option<String>,
    /// Only these pages, slides, sheets or chapters, such as `1-3,7`. All if omitted.
    #[serde(default)]
    pages: Option<String>,
    /// `markdown` keeps headings, lists and tables.
    #[serde(default)]
    format: TextFormat,
    /// `never` skips scanned pages instead of reading them with OCR.
    #[serde(default)]
    ocr: Ocr,
    /// For a protected PDF.
    #[serde(default)]
    password: Option<String>,
    /// List the pages even if all of them have text of their own.
    #[serde(default)]
    list_pages: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TextFormat {
    #[default]
    Text,
    Markdown,
}

impl TextFormat {
    fn of_page(self, page: &Page) -> String {
        match self {
            TextFormat::Text => page.text(),
            TextFormat::Markdown => page.markdown(),
        }
    }

    fn media_type(self) -> &'static str {
        match self {
            TextFormat::Text => "text/plain",
            TextFormat::Markdown => "text/markdown",
        }
    }

    fn file_name(self) -> &'static str {
        match self {
            TextFormat::Text => "text.txt",
            TextFormat::Markdown => "text.md",
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ExtractedText {
    #[serde(flatten)]
    text: TextOut,
    format: TextFormat,
    /// The format of the document: `pdf`, `docx`, `odt`, `pptx`, `xlsx`, `epub`, `html`, `md` or `txt`.
    kind: &'static str,
    media_type: &'static str,
    /// The number of pages, slides, sheets or chapters of the document.
    page_count: usize,
    /// The pages that were read, with `list_pages` or if some have no text of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pages: Vec<PageNote>,
    /// Such as `en`, if it can be detected.
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Omitted or odd parts.
    warnings: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct PageNote {
    number: u32,
    chars: usize,
    /// `text` of its own, read by `ocr`, a `picture` that was not read, or `empty`.
    source: PageSource,
}

pub(crate) fn extract_text(
    arguments: ExtractText,
    work: &Work,
    scans: &ScanReader,
) -> Result<ExtractedText, Trouble> {
    let ExtractText {
        file_data,
        file_type,
        source_ref_id,
        content,
        pages,
        format,
        ocr,
        password,
        list_pages,
    } = arguments;
    let is_whole = pages.is_none();
    let source =
        DocumentSource { file: FileInput { file_data, file_type, source_ref_id }, content, pages, password };
    let ReadDocument { mut document, bytes } = read_with_scans(source, ocr, scans, work)?;
    let texts: Vec<String> = document.pages.iter().map(|page| format.of_page(page)).collect();
    let mut pages = notes(&document, &texts);
    let filled: Vec<String> = texts.into_iter().filter(|text| !text.is_empty()).collect();
    let mut text = filled.join("\n\n");
    let language = language(&text).map(|language| language.code);
    // Markdown stays as it is: rewriting it would only lose emphasis and links.
    if document.kind == DocumentKind::Markdown && format == TextFormat::Markdown && is_whole {
        text = decode(&bytes).text;
    }
    if !list_pages && document.pages.iter().all(|page| page.source == PageSource::Text) {
        pages.clear();
    }
    if !pages.is_empty() && pages.len() < document.pages.len() {
        document.warnings.push(format!("only the first {PAGES_LISTED_MAX} pages are listed; all were read"));
    }
    if text.is_empty() && document.warnings.is_empty() {
        document.warnings.push("the document has no text".to_owned());
    }
    Ok(ExtractedText {
        text: work.text(text, format.media_type(), format.file_name())?,
        format,
        kind: document.kind.name_short(),
        media_type: document.kind.media_type(),
        page_count: document.page_count,
        pages,
        language,
        title: document.facts.title,
        warnings: document.warnings,
    })
}

fn notes(document: &Document, texts: &[String]) -> Vec<PageNote> {
    let pages = document.pages.iter().zip(texts).take(PAGES_LISTED_MAX);
    let note = |(page, text): (&Page, &String)| PageNote {
        number: page.number,
        chars: text.chars().count(),
        source: page.source,
    };
    pages.map(note).collect()
}
