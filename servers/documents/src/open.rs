//! One entry point for all formats: the format of the bytes is detected, then its own reader reads them.

use crate::document::{Block, Document, Page};
use crate::error::DocumentError;
use crate::kind::DocumentKind;
use crate::options::OpenOptions;
use crate::{docx, epub, html, markdown, odt, pdf, pptx, text, xlsx};

/// Reads a document. `said` is its declared media type or file extension; the content decides.
pub fn open(bytes: &[u8], said: Option<&str>, options: &OpenOptions) -> Result<Document, DocumentError> {
    let kind = DocumentKind::of(bytes, said)?;
    let mut document = read(kind, bytes, options)?;
    if let Some(warning) = mislabelled(kind, said) {
        document.warnings.insert(0, warning);
    }
    keep_wanted(&mut document, options)?;
    cut_text(&mut document, options.limits.text_bytes_max);
    Ok(document)
}

fn read(kind: DocumentKind, bytes: &[u8], options: &OpenOptions) -> Result<Document, DocumentError> {
    match kind {
        DocumentKind::Pdf => pdf::read(bytes, options),
        DocumentKind::Docx => docx::read(bytes, &options.limits),
        DocumentKind::Odt => odt::read(bytes, &options.limits),
        DocumentKind::Pptx => pptx::read(bytes, options),
        DocumentKind::Xlsx => xlsx::read(bytes, options),
        DocumentKind::Epub => epub::read(bytes, options),
        DocumentKind::Html => Ok(html::read(bytes, &options.limits)),
        DocumentKind::Markdown => Ok(markdown::read(bytes, &options.limits)),
        DocumentKind::Text => Ok(text::read(bytes, &options.limits)),
    }
}

fn mislabelled(kind: DocumentKind, said: Option<&str>) -> Option<String> {
    let said = said?;
    let claimed = DocumentKind::named(said)?;
    (claimed != kind)
        .then(|| format!("the file was declared as {said:?} but is {}, and was read as such", kind.name()))
}

/// Readers may skip unwanted pages; any others that they read are dropped here.
fn keep_wanted(document: &mut Document, options: &OpenOptions) -> Result<(), DocumentError> {
    let Some(wanted) = &options.pages else { return Ok(()) };
    if let Some(asked) = wanted.beyond(document.page_count) {
        return Err(DocumentError::NoSuchPage { asked, pages: document.page_count });
    }
    document.pages.retain(|page| wanted.contains(page.number));
    Ok(())
}

/// Cuts the end of an overlong text, with a warning.
fn cut_text(document: &mut Document, bytes_max: usize) {
    let mut left = bytes_max;
    let mut was_cut = false;
    for page in &mut document.pages {
        was_cut |= cut_page(page, &mut left);
    }
    if was_cut {
        let warning = format!("the text is longer than {bytes_max} bytes; the rest was left out");
        document.warnings.push(warning);
    }
}

fn cut_page(page: &mut Page, left: &mut usize) -> bool {
    for (index, block) in page.blocks.iter_mut().enumerate() {
        let bytes = bytes_of(block);
        if bytes <= *left {
            *left -= bytes;
            continue;
        }
        let kept = if cut_block(block, *left) { index + 1 } else { index };
        *left = 0;
        page.blocks.truncate(kept);
        page.places.truncate(kept);
        cut_place(page);
        page.lines.clear();
        return true;
    }
    false
}

/// Cuts the place of the last block to what is left of its text.
fn cut_place(page: &mut Page) {
    let has_places = page.places.len() == page.blocks.len();
    let (Some(Block::Paragraph(text) | Block::Code(text)), Some(place), true) =
        (page.blocks.last(), page.places.last_mut(), has_places)
    else {
        return;
    };
    let letters = text.chars().count();
    place.lines.iter_mut().for_each(|line| pdf::clip(line, letters));
    place.lines.retain(|line| line.end > line.start);
}

/// True if something of it is left.
fn cut_block(block: &mut Block, bytes_max: usize) -> bool {
    let (Block::Paragraph(text) | Block::Code(text)) = block else { return false };
    text.truncate(text.floor_char_boundary(bytes_max));
    !text.is_empty()
}

fn bytes_of(block: &Block) -> usize {
    match block {
        Block::Heading { text, .. } | Block::Paragraph(text) | Block::Code(text) => text.len(),
        Block::Item { marker, text, .. } => marker.len() + text.len(),
        Block::Table(table) => table.rows.iter().flatten().map(String::len).sum(),
    }
}
