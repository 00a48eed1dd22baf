//! A PDF as a document: every page is read and ordered, then all pages get their structure.

use std::collections::BTreeMap;

use hayro_syntax::Pdf;

use super::blocks::blocks;
use super::content::{GlyphDirection, PageContent};
use super::draft::{DraftLine, DraftPage};
use super::file::{PageReader, open};
use super::joins::DocumentWords;
use super::survey::Survey;
use super::words::{PageWord, words};
use super::{facts, furniture, order, pictures, tables};
use crate::{
    BlockPlace, Bounds, Document, DocumentError, DocumentKind, FurnitureBlock, FurnitureEdge, OpenOptions,
    Page, PageLine, PageSource, Table, TableSearch,
};

/// Reads the requested pages.
pub fn read(bytes: &[u8], options: &OpenOptions) -> Result<Document, DocumentError> {
    let pdf = open(bytes, options.password.as_deref())?;
    let page_count = pdf.pages().len();
    if let Some(asked) = options.pages.as_ref().and_then(|pages| pages.beyond(page_count)) {
        return Err(DocumentError::NoSuchPage { asked, pages: page_count });
    }
    let mut reading = PdfReading::new(options);
    reading.read_pages(&pdf);
    let PdfReading { mut pages, vocabulary, warnings, .. } = reading;
    furniture::set_aside(&mut pages);
    let survey = Survey::of(&pages);
    let pages = pages.into_iter().map(|page| finished(page, &survey, &vocabulary)).collect();
    Ok(Document { kind: DocumentKind::Pdf, facts: facts::facts(&pdf, bytes), page_count, pages, warnings })
}

/// The state of reading.
struct PdfReading<'o> {
    options: &'o OpenOptions,
    pages: Vec<DraftPage>,
    vocabulary: DocumentWords,
    text_bytes: usize,
    cells: usize,
    warnings: Vec<String>,
}

impl<'o> PdfReading<'o> {
    fn new(options: &'o OpenOptions) -> Self {
        Self {
            options,
            pages: Vec::new(),
            vocabulary: DocumentWords::default(),
            text_bytes: 0,
            cells: 0,
            warnings: Vec::new(),
        }
    }

    fn read_pages(&mut self, pdf: &Pdf) {
        let limits = self.options.limits;
        let mut contents = PageReader::new(pdf);
        for index in 0..contents.count() {
            let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
            if !self.options.wants(number) {
                continue;
            }
            if self.pages.len() >= limits.pages_max || self.text_bytes > limits.text_bytes_max {
                self.warnings.push(format!("the document is long; pages from {number} on were left out"));
                return;
            }
            if let Some(content) = contents.page(index) {
                self.read_page(&content);
            }
        }
    }

    fn read_page(&mut self, content: &PageContent) {
        self.warn_of(content);
        let page = self.draft(content);
        for line in page.lines() {
            self.text_bytes += line.text.len();
            self.vocabulary.learn(&line.text);
        }
        self.pages.push(page);
    }

    fn warn_of(&mut self, content: &PageContent) {
        let number = content.number;
        if content.cut_short {
            self.warnings.push(format!("page {number} could not be read completely"));
        }
        let letters = content.glyphs.len();
        if content.unreadable > letters {
            self.warnings.push(format!("page {number} has no text layer that can be read: its fonts do not say which letters they draw"));
        }
    }

    fn draft(&mut self, content: &PageContent) -> DraftPage {
        let tables = self.tables(content);
        let words: Vec<PageWord> = words(content).into_iter().filter(|word| !is_in(word, &tables)).collect();
        let places = tables
            .iter()
            .enumerate()
            .filter_map(|(number, table)| Some(PageWord::for_table(number, table.bounds?)));
        let words: Vec<PageWord> = words.into_iter().chain(places).collect();
        DraftPage {
            number: content.number,
            width: content.width,
            height: content.height,
            source: facts::source(content),
            parts: parts(words, content),
            tables,
            furniture: Vec::new(),
            pictures: pictures::pictures(content),
        }
    }

    fn tables(&mut self, content: &PageContent) -> Vec<Table> {
        if self.options.tables == TableSearch::Skip {
            return Vec::new();
        }
        let mut tables = tables::find(content);
        tables.retain(|table| {
            self.cells += table.rows.iter().map(Vec::len).sum::<usize>();
            self.cells <= self.options.limits.cells_max
        });
        tables
    }
}

fn is_in(word: &PageWord, tables: &[Table]) -> bool {
    tables.iter().filter_map(|table| table.bounds).any(|bounds| bounds.contains(word.bounds.center()))
}

/// Parts of a page in reading order: the most common direction comes first, skewed text last.
fn parts(words: Vec<PageWord>, content: &PageContent) -> Vec<Vec<DraftLine>> {
    let mut by_direction: BTreeMap<GlyphDirection, Vec<PageWord>> = BTreeMap::new();
    for word in words {
        by_direction.entry(word.direction).or_default().push(word);
    }
    let mut by_direction: Vec<(GlyphDirection, Vec<PageWord>)> = by_direction.into_iter().collect();
    let is_askew = |direction: &GlyphDirection| matches!(direction, GlyphDirection::Askew(_));
    by_direction.sort_by_key(|(direction, words)| (is_askew(direction), std::cmp::Reverse(words.len())));
    let page = Bounds { left: 0.0, top: 0.0, right: content.width, bottom: content.height };
    let mut parts = Vec::new();
    for (direction, words) in by_direction {
        let leaves = order::in_reading_order(words, direction.frame(page));
        parts.extend(leaves.iter().map(|leaf| leaf.iter().map(DraftLine::of).collect()));
    }
    parts
}

fn finished(page: DraftPage, survey: &Survey, vocabulary: &DocumentWords) -> Page {
    let (blocks, places): (Vec<_>, Vec<_>) = blocks(&page, survey, vocabulary).into_iter().unzip();
    let lines = page.lines().filter(|line| line.table.is_none());
    let lines = lines.map(|line| PageLine {
        text: line.text.clone(),
        bounds: line.bounds,
        size: line.size,
        bold: line.style.bold,
    });
    let lines = lines.collect();
    let source =
        if blocks.is_empty() && page.source == PageSource::Text { PageSource::Empty } else { page.source };
    let height = page.height;
    Page {
        number: page.number,
        source,
        blocks,
        lines,
        places,
        furniture: page.furniture.into_iter().map(|line| furniture_block(line, height)).collect(),
        pictures: page.pictures,
        width: page.width,
        height,
    }
}

fn furniture_block(line: DraftLine, height: f32) -> FurnitureBlock {
    let is_above = line.bounds.center().1 * 2.0 < height;
    let edge = if is_above { FurnitureEdge::Header } else { FurnitureEdge::Footer };
    FurnitureBlock { edge, text: line.text, place: BlockPlace { lines: line.places } }
}
