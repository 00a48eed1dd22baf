//! Paragraphs, lists and tables of a body, a cell, a note, a header or a text box: all have the same
//! structure.

use crate::document::Block;
use crate::grid::{CellBudget, CellCover, Grid, GridCell};
use crate::package::Relations;
use crate::xml::Element;

use super::DocxParts;
use super::lists::Counters;
use super::runs::{InlineReader, ParagraphText};
use super::styles::{self, DocxListLevel};

/// Reads one part after another; list numbering continues across parts.
pub(super) struct DocxReader<'p> {
    pub(super) parts: &'p DocxParts,
    pub(super) relations: &'p Relations,
    counters: Counters,
    cells: CellBudget,
    notes: Vec<NoteRef>,
    pub(super) has_hidden: bool,
}

/// A note that the body refers to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct NoteRef {
    /// `footnote` or `endnote`.
    pub(super) kind: &'static str,
    pub(super) id: String,
}

impl<'p> DocxReader<'p> {
    pub(super) fn new(parts: &'p DocxParts, relations: &'p Relations, cells: CellBudget) -> Self {
        Self { parts, relations, counters: Counters::default(), cells, notes: Vec::new(), has_hidden: false }
    }

    /// The number of a note that is referred to here.
    pub(super) fn note(&mut self, kind: &'static str, id: &str) -> usize {
        self.notes.push(NoteRef { kind, id: id.to_owned() });
        self.notes.len()
    }

    pub(super) fn take_notes(&mut self) -> Vec<NoteRef> {
        std::mem::take(&mut self.notes)
    }

    pub(super) fn warnings(&self) -> Vec<String> {
        let hidden = self.has_hidden.then(|| "hidden text was left out".to_owned());
        self.cells.warning().into_iter().chain(hidden).collect()
    }

    pub(super) fn blocks(&mut self, parent: Element<'_>, into: &mut Vec<Block>) {
        for element in parent.children() {
            match element.name() {
                "p" => self.paragraph(element, into),
                "tbl" => self.table(element, into),
                // Properties of a section, and deleted text.
                "sectPr" | "del" | "moveFrom" | "pPr" | "tblPr" | "tcPr" | "sdtPr" => {}
                "AlternateContent" => self.blocks(choice(element), into),
                _ => self.blocks(element, into),
            }
        }
    }

    fn paragraph(&mut self, paragraph: Element<'_>, into: &mut Vec<Block>) {
        let properties = paragraph.child("pPr");
        let style = properties.and_then(|properties| properties.child("pStyle")?.attribute("val"));
        let mut line = ParagraphText::default();
        InlineReader::new(self).read(paragraph, &mut line);
        let text = tidy(&line.text);
        if !text.is_empty() {
            let block = self.block(text, properties, style);
            into.push(block);
        }
        // Floating content beside a paragraph is read after it.
        into.append(&mut line.floating);
    }

    fn block(&mut self, text: String, properties: Option<Element<'_>>, style: Option<&str>) -> Block {
        let own = properties.and_then(|properties| properties.child("outlineLvl")?.number::<u8>("val"));
        let level = match own {
            Some(level) if level < 9 => Some((level + 1).min(6)),
            _ => style.and_then(|style| self.parts.styles.heading_level(style)),
        };
        let (depth, marker) = self.marker(properties, style);
        match (level, marker) {
            (Some(level), Some(marker)) => {
                let is_number = marker.chars().any(char::is_alphanumeric);
                let text = if is_number { format!("{marker} {text}") } else { text };
                Block::Heading { level, text }
            }
            (Some(level), None) => Block::Heading { level, text },
            (None, Some(marker)) => Block::Item { depth, marker, text },
            (None, None) => Block::Paragraph(text),
        }
    }

    fn marker(&mut self, properties: Option<Element<'_>>, style: Option<&str>) -> (u8, Option<String>) {
        let own = properties.and_then(styles::list_place);
        let of_style = style.and_then(|style| self.parts.styles.list_place(style));
        let level = own.as_ref().or(of_style).map_or(0, |place| place.level);
        let named = |place: &DocxListLevel| place.list.clone();
        let list = own.as_ref().and_then(named).or_else(|| of_style.and_then(named));
        let Some(list) = list else { return (level, None) };
        (level.min(8), self.parts.lists.marker(&mut self.counters, &list, level))
    }

    fn table(&mut self, table: Element<'_>, into: &mut Vec<Block>) {
        let mut grid = Grid::within(&self.cells);
        self.rows(table, &mut grid);
        into.extend(grid.finish(1, &mut self.cells));
    }

    fn rows(&mut self, parent: Element<'_>, grid: &mut Grid) {
        for element in parent.children() {
            match element.name() {
                "tr" => self.row(element, grid),
                "tblPr" | "tblGrid" | "del" | "moveFrom" => {}
                // Content controls and custom XML may surround rows.
                _ => self.rows(element, grid),
            }
        }
    }

    fn row(&mut self, row: Element<'_>, grid: &mut Grid) {
        let properties = row.child("trPr");
        let has = |name: &str| properties.is_some_and(|properties| properties.child(name).is_some());
        if has("del") {
            return;
        }
        if has("tblHeader") && grid.rows() == grid.header_rows {
            grid.header_rows += 1;
        }
        grid.begin_row();
        let skipped =
            properties.and_then(|properties| properties.child("gridBefore")?.number::<usize>("val"));
        if let Some(skipped) = skipped.filter(|skipped| *skipped > 0) {
            grid.push(GridCell::default().spanning(skipped, 1));
        }
        self.cells_of(row, grid);
    }

    fn cells_of(&mut self, parent: Element<'_>, grid: &mut Grid) {
        for element in parent.children() {
            match element.name() {
                "tc" => {
                    let cell = self.cell(element);
                    grid.push(cell);
                }
                "trPr" | "tblPrEx" | "del" | "moveFrom" => {}
                _ => self.cells_of(element, grid),
            }
        }
    }

    fn cell(&mut self, cell: Element<'_>) -> GridCell {
        let properties = cell.child("tcPr");
        let columns =
            properties.and_then(|properties| properties.child("gridSpan")?.number("val")).unwrap_or(1);
        let merge = properties.and_then(|properties| properties.child("vMerge"));
        let goes_on = merge.is_some_and(|merge| merge.attribute("val") != Some("restart"));
        let mut blocks = Vec::new();
        self.blocks(cell, &mut blocks);
        let cell = GridCell { blocks, ..GridCell::default() }.spanning(columns, 1);
        cell.covered(goes_on.then_some(CellCover::FromAbove))
    }
}

/// The first available one of several alternatives.
pub(super) fn choice(alternatives: Element<'_>) -> Element<'_> {
    let first = alternatives.child("Choice").or_else(|| alternatives.child("Fallback"));
    first.unwrap_or(alternatives)
}

/// Lines without blanks at their ends, and no empty lines around them.
fn tidy(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').map(str::trim_end).collect();
    lines.join("\n").trim().to_owned()
}
