//! A file that was read, as a DocIR.

use capability_documents::{Block, FurnitureBlock, FurnitureEdge, Page, PageSource};
use docir::{DocIr, DocIrBuilder, DocumentNotes, NewText, TextKind};
use engine_protocol::Parse;

use super::captions::Captioned;
use super::cells::new_table;
use super::entries::{PageEntry, entries};
use super::lines::new_lines;
use super::naming;
use super::parsed::{PARSER, ParsedBytes};
use super::reading::{ReadFile, letters};

/// Warnings that are kept of one document.
const WARNINGS_MAX: usize = 100;

pub(super) fn write(read: ReadFile, request: &Parse) -> ParsedBytes {
    let confidence = confidence(&read);
    let mut warnings = read.warnings.clone();
    if warnings.len() > WARNINGS_MAX {
        let more = warnings.len() - WARNINGS_MAX;
        warnings.truncate(WARNINGS_MAX);
        warnings.push(format!("there are {more} more warnings"));
    }
    let notes = DocumentNotes {
        parser: PARSER.to_owned(),
        tier: request.tier.as_str().to_owned(),
        title: naming::title(read.facts.title.as_deref()),
        author: read.facts.author.clone(),
        created: read.facts.created.clone(),
        confidence,
        ocr_pages: read.confidences.keys().copied().collect(),
        warnings: warnings.clone(),
    };
    let builder = DocIrBuilder::new(&naming::name(request), naming::origin(request, read.media_type));
    let document = DocumentWriter::new(builder, &read.pages).write(&read, notes);
    ParsedBytes {
        docir: document.write(),
        media_type: read.media_type.to_owned(),
        pages: read.page_count as u64,
        items: document.items().len() as u64,
        tables: document.tables().count() as u64,
        confidence,
        warnings,
    }
}

/// The state of writing.
struct DocumentWriter {
    builder: DocIrBuilder,
    /// True if the first heading is the one title of the document.
    title_is_due: bool,
    /// A caption that was written, for what comes next.
    caption: Option<(Captioned, String)>,
    /// A table or picture that was just written and has no caption.
    uncaptioned: Option<(Captioned, String)>,
}

impl DocumentWriter {
    fn new(builder: DocIrBuilder, pages: &[Page]) -> Self {
        Self { builder, title_is_due: has_title(pages), caption: None, uncaptioned: None }
    }

    fn write(mut self, read: &ReadFile, notes: DocumentNotes) -> DocIr {
        for page in &read.pages {
            self.builder.page(page.number, page.width, page.height);
            self.furniture(page, FurnitureEdge::Header);
            let confidences = read.confidences.get(&page.number).map(Vec::as_slice);
            let entries = entries(page, confidences);
            for (index, entry) in entries.iter().enumerate() {
                self.entry(page.number, entry, entries.get(index + 1));
            }
            self.furniture(page, FurnitureEdge::Footer);
            (self.caption, self.uncaptioned) = (None, None);
        }
        self.builder.finish(notes)
    }

    fn furniture(&mut self, page: &Page, edge: FurnitureEdge) {
        let kind = match edge {
            FurnitureEdge::Header => TextKind::PageHeader,
            FurnitureEdge::Footer => TextKind::PageFooter,
        };
        for block in page.furniture.iter().filter(|block| block.edge == edge) {
            let FurnitureBlock { text, place, .. } = block;
            let new = NewText {
                text: text.clone(),
                page: page.number,
                lines: new_lines(&place.lines),
                confidence: None,
            };
            self.builder.text(kind.clone(), new);
        }
    }

    fn entry(&mut self, page: u32, entry: &PageEntry<'_>, next: Option<&PageEntry<'_>>) {
        match entry {
            PageEntry::Picture(bounds) => {
                let pointer =
                    self.builder.picture(page, bounds.left, bounds.top, bounds.right, bounds.bottom);
                self.link(Captioned::Picture, pointer);
            }
            PageEntry::Block { block: Block::Table(table), .. } => {
                let pointer = self.builder.table(new_table(table, page));
                self.link(Captioned::Table, pointer);
            }
            PageEntry::Block { block, place, confidence } => {
                let lines = place.map(|place| new_lines(&place.lines)).unwrap_or_default();
                let caption = entry.caption_of().filter(|of| self.is_caption(*of, next));
                let (kind, text) = self.kind(block);
                let kind = if caption.is_some() { TextKind::Caption } else { kind };
                let new = NewText { text: text.to_owned(), page, lines, confidence: *confidence };
                let pointer = self.builder.text(kind, new);
                self.note_caption(caption, pointer, next);
            }
        }
    }

    /// Notes a table or a picture, and gives it the caption before it.
    fn link(&mut self, what: Captioned, pointer: String) {
        match self.caption.take().filter(|(of, _)| *of == what) {
            Some((_, caption)) => {
                self.builder.link_caption(&pointer, &caption);
                self.uncaptioned = None;
            }
            None => self.uncaptioned = Some((what, pointer)),
        }
    }

    /// True if such a thing stands right before or after a text.
    fn is_caption(&self, of: Captioned, next: Option<&PageEntry<'_>>) -> bool {
        let before = self.uncaptioned.as_ref().is_some_and(|(what, _)| *what == of);
        before || next.and_then(PageEntry::captioned) == Some(of)
    }

    /// A caption belongs to what comes next, or else to what came before.
    fn note_caption(&mut self, caption: Option<Captioned>, pointer: String, next: Option<&PageEntry<'_>>) {
        let before = self.uncaptioned.take();
        self.caption = None;
        let Some(of) = caption else { return };
        if next.and_then(PageEntry::captioned) == Some(of) {
            self.caption = Some((of, pointer));
        } else if let Some((_, target)) = before.filter(|(what, _)| *what == of) {
            self.builder.link_caption(&target, &pointer);
        }
    }

    fn kind<'b>(&mut self, block: &'b Block) -> (TextKind, &'b str) {
        match block {
            Block::Heading { text, .. } if std::mem::take(&mut self.title_is_due) => (TextKind::Title, text),
            Block::Heading { level, text } => (TextKind::Heading { level: *level }, text),
            Block::Paragraph(text) => (TextKind::Paragraph, text),
            Block::Item { depth, marker, text } => {
                (TextKind::ListItem { depth: *depth, marker: marker.clone() }, text)
            }
            Block::Code(text) => (TextKind::Code, text),
            Block::Table(_) => (TextKind::Paragraph, ""),
        }
    }
}

/// True if the first heading is of the first level, and no other is.
fn has_title(pages: &[Page]) -> bool {
    let blocks = pages.iter().flat_map(|page| &page.blocks);
    let mut levels = blocks.filter_map(|block| match block {
        Block::Heading { level, .. } => Some(*level),
        _ => None,
    });
    levels.next() == Some(1) && levels.all(|level| level > 1)
}

/// The mean of the confidences of all letters; pages that could not be read count as nothing.
fn confidence(read: &ReadFile) -> f32 {
    let (mut sum, mut all) = (0.0_f64, 0.0_f64);
    for page in &read.pages {
        let confidences = read.confidences.get(&page.number);
        for (index, block) in page.blocks.iter().enumerate() {
            let told = confidences.and_then(|all| all.get(index).copied());
            let (weight, sure) = match block {
                Block::Table(table) => {
                    (table.rows.iter().flatten().map(String::len).sum::<usize>(), table.confidence)
                }
                Block::Heading { text, .. }
                | Block::Paragraph(text)
                | Block::Code(text)
                | Block::Item { text, .. } => (text.len(), told.unwrap_or(1.0)),
            };
            sum += weight as f64 * f64::from(sure);
            all += weight as f64;
        }
    }
    let unread =
        read.pages.iter().filter(|page| page.source == PageSource::Picture && letters(page) == 0).count();
    let readable = read.pages.iter().filter(|page| page.source != PageSource::Empty).count();
    let share = if readable == 0 { 1.0 } else { (readable - unread) as f64 / readable as f64 };
    let mean = if all > 0.0 { sum / all } else { 1.0 };
    (mean * share) as f32
}
