//! Formats that know headings and lists but no places: Word, OpenDocument, web pages.

use capability_documents::{Block, Page, Table};

use crate::parsed::{ParsedBuilder, TextLine};

/// Cells of a row up to this length are side by side; longer ones are read one after the other.
const BESIDE_CHARS_MAX: usize = 40;

pub(super) fn add(builder: &mut ParsedBuilder, page: &Page) {
    let mut apart = false;
    for block in &page.blocks {
        let looks = TextLine { page: page.number, apart, ..TextLine::default() };
        match block {
            Block::Heading { level, text } => {
                lines(builder, text, &TextLine { heading: Some(*level), ..looks })
            }
            Block::Paragraph(text) | Block::Code(text) => lines(builder, text, &looks),
            Block::Item { text, .. } => lines(builder, text, &TextLine { item: true, ..looks }),
            Block::Table(table) => rows(builder, table, &looks),
        }
        // Every block is a separate paragraph; only tables are set apart.
        apart = matches!(block, Block::Table(_));
    }
}

fn lines(builder: &mut ParsedBuilder, text: &str, looks: &TextLine) {
    for (at, line) in text.lines().enumerate() {
        let apart = looks.apart && at == 0;
        let item = looks.item && at == 0;
        builder.line(line, TextLine { apart, item, ..looks.clone() });
    }
}

fn rows(builder: &mut ParsedBuilder, table: &Table, looks: &TextLine) {
    for row in &table.rows {
        let cells: Vec<&str> = row.iter().map(|cell| cell.trim()).filter(|cell| !cell.is_empty()).collect();
        let beside =
            cells.iter().all(|cell| !cell.contains('\n') && cell.chars().count() <= BESIDE_CHARS_MAX);
        if beside {
            lines(builder, &cells.join("\t"), looks);
        } else {
            cells.iter().for_each(|cell| lines(builder, cell, looks));
        }
    }
}
