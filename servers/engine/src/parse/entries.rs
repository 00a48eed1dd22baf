//! The parts of a page in reading order: its blocks, and its pictures between them.

use capability_documents::{Block, BlockPlace, Bounds, Page, PageSource};

use super::captions::{Captioned, captioned};

/// A picture that covers more of a page that has text is its background.
const BACKGROUND_SHARE_MIN: f32 = 0.8;
/// A block that begins this far above the lower edge of a picture is still below it, in points.
const OVERLAP_MAX: f32 = 4.0;

#[derive(Clone, Copy)]
pub(super) enum PageEntry<'p> {
    Block { block: &'p Block, place: Option<&'p BlockPlace>, confidence: Option<f32> },
    Picture(Bounds),
}

impl PageEntry<'_> {
    pub(super) fn captioned(&self) -> Option<Captioned> {
        match self {
            Self::Block { block: Block::Table(_), .. } => Some(Captioned::Table),
            Self::Picture(_) => Some(Captioned::Picture),
            Self::Block { .. } => None,
        }
    }

    /// The thing that it would be the caption of.
    pub(super) fn caption_of(&self) -> Option<Captioned> {
        match self {
            Self::Block { block: Block::Paragraph(text) | Block::Heading { text, .. }, .. } => {
                captioned(text)
            }
            Self::Block { .. } | Self::Picture(_) => None,
        }
    }
}

/// The parts of a page. `confidences` are those of its blocks, where they were read from a picture.
pub(super) fn entries<'p>(page: &'p Page, confidences: Option<&[f32]>) -> Vec<PageEntry<'p>> {
    let blocks = page.blocks.iter().enumerate().map(|(index, block)| PageEntry::Block {
        block,
        place: page.places.get(index),
        confidence: confidences.and_then(|all| all.get(index).copied()),
    });
    let mut entries: Vec<PageEntry<'p>> = blocks.collect();
    for picture in page.pictures.iter().filter(|picture| !is_background(picture, page)) {
        let below = entries.iter().position(|entry| is_below(entry, picture));
        entries.insert(below.unwrap_or(entries.len()), PageEntry::Picture(*picture));
    }
    entries
}

fn is_background(picture: &Bounds, page: &Page) -> bool {
    let has_text = matches!(page.source, PageSource::Text | PageSource::Ocr);
    let area = (picture.right - picture.left) * (picture.bottom - picture.top);
    has_text && area > page.width * page.height * BACKGROUND_SHARE_MIN
}

fn is_below(entry: &PageEntry<'_>, picture: &Bounds) -> bool {
    let bounds = match entry {
        PageEntry::Block { block: Block::Table(table), .. } => table.bounds,
        PageEntry::Block { place, .. } => place.and_then(|place| place.lines.first()).map(|line| line.bounds),
        PageEntry::Picture(bounds) => Some(*bounds),
    };
    bounds.is_some_and(|bounds| {
        bounds.top >= picture.bottom - OVERLAP_MAX
            && bounds.left < picture.right
            && bounds.right > picture.left
    })
}
