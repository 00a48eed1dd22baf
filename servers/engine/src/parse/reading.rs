//! Opening a file: a document of some format, or a picture of a page.

use std::collections::BTreeMap;

use capability_documents::{
    Block, Bounds, Document, DocumentError, DocumentFacts, DocumentKind, DocumentLimits, OpenOptions, Page,
    PageSource, TableSearch,
};
use capability_ocr::{OcrError, Picture};
use engine_protocol::{DocumentTier, EngineErrorCode, EngineFault, Parse};

use super::parsed::ParseTools;
use super::scans;
use crate::fault::hinted;

/// Text of one document. A DocIR repeats it, and has places for each word.
const TEXT_BYTES_MAX: usize = 32 << 20;
/// Cells of all tables of one document. A DocIR has each twice.
const CELLS_MAX: usize = 200_000;

/// A file that was read.
pub(super) struct ReadFile {
    pub(super) media_type: &'static str,
    pub(super) facts: DocumentFacts,
    pub(super) page_count: usize,
    pub(super) pages: Vec<Page>,
    /// For pages that were read from their pictures: the confidence of each block.
    pub(super) confidences: BTreeMap<u32, Vec<f32>>,
    pub(super) warnings: Vec<String>,
}

pub(super) fn read(bytes: &[u8], request: &Parse, tools: &ParseTools) -> Result<ReadFile, EngineFault> {
    let options = options(request.tier);
    match capability_documents::open(bytes, said(request), &options) {
        Ok(document) => Ok(read_document(document, bytes, request.tier, tools)),
        Err(DocumentError::Unsupported { found }) => {
            let picture = decoded(bytes, DocumentError::Unsupported { found })?;
            Ok(read_picture(&picture, request.tier, tools))
        }
        Err(error) => Err(unreadable(&error)),
    }
}

fn options(tier: DocumentTier) -> OpenOptions {
    let limits =
        DocumentLimits { text_bytes_max: TEXT_BYTES_MAX, cells_max: CELLS_MAX, ..DocumentLimits::default() };
    let tables = match tier {
        DocumentTier::Fast => TableSearch::Skip,
        DocumentTier::Standard | DocumentTier::Deep => TableSearch::Find,
    };
    OpenOptions { limits, tables, ..OpenOptions::default() }
}

/// The declared type, or the name of the file if nobody knows that type.
fn said(request: &Parse) -> Option<&str> {
    let media_type = request.media_type.as_deref();
    media_type.filter(|said| DocumentKind::named(said).is_some()).or(request.file_name.as_deref())
}

fn read_document(document: Document, bytes: &[u8], tier: DocumentTier, tools: &ParseTools) -> ReadFile {
    let Document { kind, facts, page_count, pages, warnings } = document;
    let mut read = ReadFile {
        media_type: kind.media_type(),
        facts,
        page_count,
        pages,
        confidences: BTreeMap::new(),
        warnings,
    };
    let draw = |page: u32, dpi: f32| -> Result<Picture, String> {
        let drawn =
            capability_documents::pdf::render(bytes, page, dpi, None).map_err(|error| error.to_string())?;
        Picture::from_rgb(drawn.width, drawn.height, drawn.rgb).map_err(|error| error.to_string())
    };
    match kind {
        DocumentKind::Pdf => scans::fill_in(&mut read, tier, tools, &draw),
        _ => scans::warn_of_pictures(&mut read),
    }
    read
}

/// A picture is a document of one page. Its pixels are its points.
fn read_picture(picture: &Picture, tier: DocumentTier, tools: &ParseTools) -> ReadFile {
    let (width, height) = (picture.width() as f32, picture.height() as f32);
    let page = Page {
        number: 1,
        source: PageSource::Picture,
        pictures: vec![Bounds { left: 0.0, top: 0.0, right: width, bottom: height }],
        width,
        height,
        ..Page::default()
    };
    let mut read = ReadFile {
        media_type: picture.facts().media_type,
        facts: DocumentFacts::default(),
        page_count: 1,
        pages: vec![page],
        confidences: BTreeMap::new(),
        warnings: Vec::new(),
    };
    scans::fill_in(&mut read, tier, tools, &|_: u32, _: f32| Ok(picture.clone()));
    read
}

/// The picture that bytes are, or the reason why they are no document.
pub(super) fn decoded(bytes: &[u8], otherwise: DocumentError) -> Result<Picture, EngineFault> {
    Picture::decode(bytes).map_err(|error| match error {
        OcrError::NotAPicture => unreadable(&otherwise),
        other => {
            let hint = other.hint().unwrap_or_else(|| "store the whole file again".to_owned());
            hinted(EngineErrorCode::Unreadable, other.to_string(), &hint)
        }
    })
}

pub(super) fn unreadable(error: &DocumentError) -> EngineFault {
    let hint = match error {
        DocumentError::Empty | DocumentError::Damaged { .. } => "store the whole file again",
        DocumentError::Unsupported { .. } => {
            "PDF, DOCX, ODT, PPTX, XLSX, EPUB, HTML, Markdown, text and pictures can be read"
        }
        DocumentError::Locked { .. } => "store it without its password",
        DocumentError::TooLarge { .. } => "split the document",
        DocumentError::NoSuchPage { .. } => "pages are counted from 1",
    };
    let code = match error {
        DocumentError::NoSuchPage { .. } => EngineErrorCode::BadRequest,
        _ => EngineErrorCode::Unreadable,
    };
    hinted(code, error.to_string(), hint)
}

/// The letters of a page's blocks.
pub(super) fn letters(page: &Page) -> usize {
    let count = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).count();
    let of_block = |block: &Block| match block {
        Block::Heading { text, .. }
        | Block::Paragraph(text)
        | Block::Code(text)
        | Block::Item { text, .. } => count(text),
        Block::Table(table) => table.rows.iter().flatten().map(|cell| count(cell)).sum::<usize>(),
    };
    page.blocks.iter().map(of_block).sum()
}

/// Draws a page of a file with some dots per inch.
pub(super) type DrawPage<'d> = &'d dyn Fn(u32, f32) -> Result<Picture, String>;
