//! `document_info`.

use capability_documents::{PageSource, language};
use capability_kit::{FileInput, Trouble, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation;

use crate::arguments::DocumentSource;
use crate::reading::read;
use crate::scans::scanned;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DocumentInfo {
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
    /// For a protected PDF.
    #[serde(default)]
    password: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Description {
    /// `pdf`, `docx`, `odt`, `pptx`, `xlsx`, `epub`, `html`, `md` or `txt`.
    #[serde(rename = "type")]
    kind: &'static str,
    media_type: &'static str,
    /// The number of pages, slides, sheets or chapters.
    pages: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<String>,
    /// The program that created it.
    #[serde(skip_serializing_if = "Option::is_none")]
    producer: Option<String>,
    /// Such as `en`, if it can be detected.
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    /// The confidence of the language, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    language_confidence: Option<f32>,
    /// True if any page has text that needs no OCR.
    has_text_layer: bool,
    /// Pages that are scans without text.
    pages_needing_ocr: Vec<u32>,
    encrypted: bool,
    words: usize,
    table_count: usize,
    warnings: Vec<String>,
}

pub(crate) fn document_info(arguments: DocumentInfo, work: &Work) -> Result<Description, Trouble> {
    let DocumentInfo { file_data, file_type, source_ref_id, content, password } = arguments;
    let source = DocumentSource {
        file: FileInput { file_data, file_type, source_ref_id },
        content,
        pages: None,
        password,
    };
    let (read, _) = read(source, work)?;
    let document = read.document;
    let text = document.text();
    let language = language(&text);
    Ok(Description {
        kind: document.kind.name_short(),
        media_type: document.kind.media_type(),
        pages: document.page_count,
        language_confidence: language.as_ref().map(|language| language.confidence),
        language: language.map(|language| language.code),
        has_text_layer: document.pages.iter().any(|page| page.source == PageSource::Text),
        pages_needing_ocr: scanned(&document),
        encrypted: document.facts.encrypted,
        words: text.unicode_words().count(),
        table_count: document.tables().count(),
        title: document.facts.title,
        author: document.facts.author,
        created: document.facts.created,
        producer: document.facts.producer,
        warnings: document.warnings,
    })
}
