//! Paragraphs, headings, lists and tables, and the content of their lines.

use crate::document::Block;
use crate::grid::{self, CellBudget, Grid, GridCell};
use crate::links;
use crate::numbering::BULLET;
use crate::xml::{Child, Element};

use super::styles::OdtStyles;

/// Blanks, rows and cells may be said to repeat; spreadsheets say it of millions.
const REPEATS_MAX: usize = 1_000;
/// The maximum size of repeated content.
const REPEATED_BYTES_MAX: usize = 64 << 10;
const DEPTH_MAX: u8 = 8;

pub(super) struct OdtReader<'s> {
    styles: &'s OdtStyles,
    cells: CellBudget,
    notes: Vec<Block>,
    note_count: usize,
    has_hidden: bool,
}

/// The list that is being read.
#[derive(Clone, Copy)]
struct OdtListPosition<'t> {
    style: Option<&'t str>,
    depth: u8,
}

impl<'s> OdtReader<'s> {
    pub(super) fn new(styles: &'s OdtStyles, cells: CellBudget) -> Self {
        Self { styles, cells, notes: Vec::new(), note_count: 0, has_hidden: false }
    }

    pub(super) fn take_notes(&mut self) -> Vec<Block> {
        std::mem::take(&mut self.notes)
    }

    pub(super) fn warnings(&self) -> Vec<String> {
        let hidden = self.has_hidden.then(|| "hidden text was left out".to_owned());
        self.cells.warning().into_iter().chain(hidden).collect()
    }

    /// `depth` is how deep the lists around it are.
    pub(super) fn blocks(&mut self, parent: Element<'_>, depth: u8, into: &mut Vec<Block>) {
        for element in parent.children() {
            match element.name() {
                "p" => self.paragraph(element, into),
                "h" => self.heading(element, into),
                "list" => self.list(element, OdtListPosition { style: None, depth }, into),
                "table" => self.table(element, into),
                // Deleted text, unprinted text, and declarations.
                "tracked-changes" | "annotation" | "forms" | "sequence-decls" | "variable-decls"
                | "user-field-decls" => {}
                "section" if element.attribute("display") == Some("none") => self.has_hidden = true,
                _ => self.blocks(element, depth, into),
            }
        }
    }

    fn paragraph(&mut self, paragraph: Element<'_>, into: &mut Vec<Block>) {
        let (text, mut floating) = self.line(paragraph);
        let is_title = paragraph.attribute("style-name").is_some_and(|style| self.styles.is_title(style));
        if !text.is_empty() {
            into.push(if is_title { Block::Heading { level: 1, text } } else { Block::Paragraph(text) });
        }
        into.append(&mut floating);
    }

    fn heading(&mut self, heading: Element<'_>, into: &mut Vec<Block>) {
        let (text, mut floating) = self.line(heading);
        let level = heading.number::<u8>("outline-level").unwrap_or(1).clamp(1, 6);
        if !text.is_empty() {
            into.push(Block::Heading { level, text });
        }
        into.append(&mut floating);
    }

    fn list(&mut self, list: Element<'_>, place: OdtListPosition<'_>, into: &mut Vec<Block>) {
        let style = list.attribute("style-name").or(place.style);
        let level = style.and_then(|style| self.styles.level(style, place.depth)).cloned();
        let mut number = level.as_ref().map_or(1, |level| level.start);
        for item in list.children() {
            let is_item = item.name() == "list-item";
            if !is_item && item.name() != "list-header" {
                continue;
            }
            number = item.number("start-value").unwrap_or(number);
            let marker = level.as_ref().map_or_else(|| BULLET.to_owned(), |level| level.marker(number));
            let marker = if is_item { marker } else { String::new() };
            self.item(item, &marker, OdtListPosition { style, depth: place.depth }, into);
            number = number.saturating_add(u32::from(is_item));
        }
    }

    /// The first paragraph of an item has its sign; others have none.
    fn item(&mut self, item: Element<'_>, marker: &str, place: OdtListPosition<'_>, into: &mut Vec<Block>) {
        let mut marker = marker.to_owned();
        for element in item.children() {
            match element.name() {
                "p" => {
                    let (text, mut floating) = self.line(element);
                    if !text.is_empty() {
                        into.push(Block::Item {
                            depth: place.depth,
                            marker: std::mem::take(&mut marker),
                            text,
                        });
                    }
                    into.append(&mut floating);
                }
                "h" => self.heading(element, into),
                "list" => {
                    let depth = (place.depth + 1).min(DEPTH_MAX);
                    self.list(element, OdtListPosition { depth, ..place }, into);
                }
                _ => self.blocks(element, place.depth, into),
            }
        }
    }

    fn table(&mut self, table: Element<'_>, into: &mut Vec<Block>) {
        let mut grid = Grid::within(&self.cells);
        self.rows(table, &mut grid);
        into.extend(grid.finish(1, &mut self.cells));
    }

    fn rows(&mut self, parent: Element<'_>, grid: &mut Grid) {
        for element in parent.children() {
            match element.name() {
                "table-header-rows" => {
                    self.rows(element, grid);
                    grid.header_rows = grid.rows();
                }
                "table-row" => self.row(element, grid),
                "table-column" | "table-columns" | "table-header-columns" => {}
                _ => self.rows(element, grid),
            }
        }
    }

    fn row(&mut self, row: Element<'_>, grid: &mut Grid) {
        let mut cells = Vec::new();
        for element in row.children().filter(|element| element.name() == "table-cell") {
            let cell = self.cell(element);
            let repeats = repeats(element, "number-columns-repeated", &cell.blocks);
            cells.extend(std::iter::repeat_n(cell, repeats));
        }
        let blocks: Vec<Block> = cells.iter().flat_map(|cell| cell.blocks.iter().cloned()).collect();
        for _ in 0..repeats(row, "number-rows-repeated", &blocks) {
            if grid.is_full() {
                return;
            }
            grid.begin_row();
            cells.iter().for_each(|cell| grid.push(cell.clone()));
        }
    }

    fn cell(&mut self, cell: Element<'_>) -> GridCell {
        let columns = cell.number("number-columns-spanned").unwrap_or(1);
        let rows = cell.number("number-rows-spanned").unwrap_or(1);
        let mut blocks = Vec::new();
        self.blocks(cell, 0, &mut blocks);
        GridCell { blocks, ..GridCell::default() }.spanning(columns, rows)
    }

    /// The text of a paragraph, and its floating content.
    fn line(&mut self, paragraph: Element<'_>) -> (String, Vec<Block>) {
        let (mut text, mut floating) = (String::new(), Vec::new());
        self.inline(paragraph, &mut text, &mut floating);
        (text.trim().to_owned(), floating)
    }

    fn inline(&mut self, parent: Element<'_>, text: &mut String, floating: &mut Vec<Block>) {
        for child in parent.content() {
            match child {
                Child::Text(piece) => push_collapsed(text, piece),
                Child::Element(element) => self.inline_element(element, text, floating),
            }
        }
    }

    fn inline_element(&mut self, element: Element<'_>, text: &mut String, floating: &mut Vec<Block>) {
        match element.name() {
            "s" => {
                let count = element.number::<usize>("c").unwrap_or(1).min(REPEATS_MAX);
                text.extend(std::iter::repeat_n(' ', count));
            }
            "tab" => text.push('\t'),
            "line-break" => text.push('\n'),
            "note" => self.note(element, text),
            "annotation" | "annotation-end" | "ruby-text" | "title" | "desc" => {}
            "text-box" => self.blocks(element, 0, floating),
            "table" => self.table(element, floating),
            "hidden-text" | "hidden-paragraph" => self.has_hidden = true,
            "span" if element.attribute("style-name").is_some_and(|style| self.styles.is_hidden(style)) => {
                self.has_hidden = true;
            }
            "a" => {
                let from = text.len();
                self.inline(element, text, floating);
                let words = text.get(from..).unwrap_or_default();
                let after = element.attribute("href").and_then(|address| links::after_words(words, address));
                text.push_str(&after.unwrap_or_default());
            }
            _ => self.inline(element, text, floating),
        }
    }

    fn note(&mut self, note: Element<'_>, text: &mut String) {
        let Some(body) = note.child("note-body") else { return };
        self.note_count += 1;
        let number = self.note_count;
        text.push_str(&format!("[{number}]"));
        let mut blocks = Vec::new();
        self.blocks(body, 0, &mut blocks);
        self.notes.push(Block::Paragraph(format!("[{number}] {}", grid::text_of(&blocks))));
    }
}

/// Blanks and line breaks in the file are one blank in the text.
fn push_collapsed(text: &mut String, piece: &str) {
    for character in piece.chars() {
        match character {
            ' ' | '\n' | '\t' | '\r' if text.ends_with([' ', '\n', '\t']) => {}
            ' ' | '\n' | '\t' | '\r' => text.push(' '),
            character if character.is_control() => {}
            character => text.push(character),
        }
    }
}

/// An empty cell or row counts once at most, however often it is repeated.
fn repeats(element: Element<'_>, name: &str, blocks: &[Block]) -> usize {
    let said = element.number::<usize>(name).unwrap_or(1);
    if blocks.is_empty() || said == 1 {
        return said.min(1);
    }
    let bytes = grid::text_of(blocks).len() + blocks.len();
    said.min(REPEATS_MAX).min(1 + REPEATED_BYTES_MAX / bytes)
}
