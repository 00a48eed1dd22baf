//! Tables while they are read: cells with spans become rows of equal length. A table that is used only for
//! layout is taken apart, so that headings and lists in it are found.

mod spans;

use crate::document::{Block, CellSpan, Table};
use spans::SpanDraft;

/// No real table is wider; spreadsheets have the same limit.
const COLUMNS_MAX: usize = 16_384;
/// A span that covers more is a mistake or an attack.
const SPAN_MAX: usize = 1_000;
/// A layout table has few columns.
const LAYOUT_COLUMNS_MAX: usize = 3;
/// From this many blocks on, a cell is a part of a page rather than a value.
const LAYOUT_BLOCKS: usize = 4;

/// The number of cells that may still be made for a document.
#[derive(Clone, Debug)]
pub(crate) struct CellBudget {
    left: usize,
    max: usize,
    was_cut: bool,
}

impl CellBudget {
    pub(crate) fn new(max: usize) -> Self {
        Self { left: max, max, was_cut: false }
    }

    pub(crate) fn left(&self) -> usize {
        self.left
    }

    /// The number of rows of that width that there is room for.
    pub(crate) fn rows(&mut self, rows: usize, width: usize) -> usize {
        let fitting = (self.left / width.max(1)).min(rows);
        self.left -= fitting * width;
        self.was_cut |= fitting < rows;
        fitting
    }

    /// Notes that something was left out.
    pub(crate) fn cut(&mut self) {
        self.was_cut = true;
    }

    pub(crate) fn warning(&self) -> Option<String> {
        let max = self.max;
        self.was_cut.then(|| format!("the tables have more than {max} cells; the rest was left out"))
    }
}

/// A cell as the format has it.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct GridCell {
    pub(crate) blocks: Vec<Block>,
    /// The number of columns and rows it covers beyond its own.
    pub(crate) more_columns: usize,
    pub(crate) more_rows: usize,
    /// It has no content, and belongs to the cell above it or to its left.
    pub(crate) covered: Option<CellCover>,
}

/// The direction in which a covered cell finds the one that covers it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CellCover {
    FromAbove,
    FromLeft,
}

impl GridCell {
    pub(crate) fn of(text: String) -> Self {
        Self { blocks: vec![Block::Paragraph(text)], ..Self::default() }
    }

    /// As formats state it: a cell that spans one column spans no others.
    pub(crate) fn spanning(mut self, columns: usize, rows: usize) -> Self {
        self.more_columns = columns.clamp(1, SPAN_MAX) - 1;
        self.more_rows = rows.clamp(1, SPAN_MAX) - 1;
        self
    }

    /// Formats that write covered cells out mark them.
    pub(crate) fn covered(mut self, cover: Option<CellCover>) -> Self {
        self.covered = cover;
        self
    }
}

/// A table that is being read.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    rows: Vec<Vec<GridCell>>,
    /// Rows and cells that may still be held: formats can say "a thousand of these" in a few bytes.
    room: usize,
    /// The number of heading rows that the format declares.
    pub(crate) header_rows: usize,
    /// The format declares it as layout.
    pub(crate) is_layout: bool,
}

impl Grid {
    /// An empty grid, limited to the remaining room.
    pub(crate) fn within(cells: &CellBudget) -> Self {
        Self { rows: Vec::new(), room: cells.left() * 2, header_rows: 0, is_layout: false }
    }

    /// True if it takes nothing more.
    pub(crate) fn is_full(&self) -> bool {
        self.room == 0
    }

    pub(crate) fn begin_row(&mut self) {
        if !self.is_full() {
            self.room -= 1;
            self.rows.push(Vec::new());
        }
    }

    pub(crate) fn push(&mut self, cell: GridCell) {
        if self.rows.is_empty() {
            self.begin_row();
        }
        let is_full = self.is_full();
        let Some(row) = self.rows.last_mut() else { return };
        if row.len() < COLUMNS_MAX && !is_full {
            self.room -= 1;
            row.push(cell);
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The resulting blocks: one table, or its content.
    pub(crate) fn finish(self, page: u32, cells: &mut CellBudget) -> Vec<Block> {
        if self.is_layout || self.places_things() {
            return self.rows.into_iter().flatten().flat_map(|cell| cell.blocks).collect();
        }
        if self.is_full() {
            cells.cut();
        }
        let told = self.header_rows;
        let (rows, header_rows, spans) = self.place(cells);
        if rows.is_empty() {
            return Vec::new();
        }
        let header_rows = match told {
            0 => guess_header(&rows),
            _ => header_rows,
        };
        vec![Block::Table(Table { page, rows, header_rows, confidence: 1.0, spans, ..Table::default() })]
    }

    fn places_things(&self) -> bool {
        let filled: Vec<&GridCell> =
            self.rows.iter().flatten().filter(|cell| !cell.blocks.is_empty()).collect();
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        if filled.len() <= 1 {
            return true;
        }
        columns <= LAYOUT_COLUMNS_MAX && filled.iter().any(|cell| is_part_of_page(&cell.blocks))
    }

    fn place(self, cells: &mut CellBudget) -> (Vec<Vec<String>>, usize, Vec<CellSpan>) {
        let told = self.header_rows;
        let mut header_rows = 0;
        let mut rows = Vec::new();
        let mut spans = SpanDraft::default();
        // For each column, how many rows below are still covered from above.
        let mut covered: Vec<usize> = Vec::new();
        let width = self.rows.iter().map(|row| width_of(row)).max().unwrap_or_default().min(COLUMNS_MAX);
        let fitting = cells.rows(self.rows.len(), width);
        // Cells that reach down push others to the right, but never far in a real table.
        let columns_max = (width * 2 + 16).min(COLUMNS_MAX);
        for (index, row) in self.rows.into_iter().take(fitting).enumerate() {
            let row = place_row(row, &mut covered, columns_max, &mut spans);
            let is_filled = row.iter().any(|cell| !cell.is_empty());
            spans.end_row(is_filled);
            if is_filled {
                header_rows += usize::from(index < told);
                rows.push(row);
            }
        }
        even_out(&mut rows, cells);
        let spans = spans.finish(rows.len(), rows.first().map_or(0, Vec::len));
        (rows, header_rows, spans)
    }
}

fn width_of(row: &[GridCell]) -> usize {
    row.iter().map(|cell| 1 + cell.more_columns).sum()
}

fn is_part_of_page(blocks: &[Block]) -> bool {
    let has_parts = |block: &Block| matches!(block, Block::Heading { .. } | Block::Table(_));
    let items = blocks.iter().filter(|block| matches!(block, Block::Item { .. })).count();
    blocks.iter().any(has_parts) || items >= 2 || blocks.len() >= LAYOUT_BLOCKS
}

fn place_row(
    row: Vec<GridCell>,
    covered: &mut Vec<usize>,
    columns_max: usize,
    spans: &mut SpanDraft,
) -> Vec<String> {
    let mut placed: Vec<String> = Vec::new();
    let mut row = row.into_iter();
    let mut next = row.next();
    while placed.len() < columns_max {
        let column = placed.len();
        if covered.get(column).is_some_and(|rows| *rows > 0) {
            covered[column] -= 1;
            placed.push(String::new());
            continue;
        }
        let Some(cell) = next.take() else {
            if column >= covered.len() {
                break;
            }
            placed.push(String::new());
            continue;
        };
        let end = (column + cell.more_columns + 1).min(columns_max);
        if covered.len() < end {
            covered.resize(end, 0);
        }
        covered[column..end].fill(cell.more_rows);
        let text = text_of(&cell.blocks);
        match cell.covered.filter(|_| text.is_empty()) {
            Some(CellCover::FromAbove) => spans.grow_down(column),
            Some(CellCover::FromLeft) => spans.grow_right(column),
            None => spans.begin(column, end - column, cell.more_rows + 1, !text.is_empty()),
        }
        placed.push(text);
        placed.resize(end, String::new());
        next = row.next();
    }
    placed
}

/// Makes every row as long as the widest, as far as there is room; empty columns at the right are dropped.
fn even_out(rows: &mut Vec<Vec<String>>, cells: &mut CellBudget) {
    let filled = |row: &Vec<String>| row.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1);
    let width = rows.iter().map(filled).max().unwrap_or_default();
    let fitting = cells.max / width.max(1);
    if rows.len() > fitting {
        rows.truncate(fitting);
        cells.cut();
    }
    rows.iter_mut().for_each(|row| row.resize(width, String::new()));
}

/// The text of a cell, line by line.
pub(crate) fn text_of(blocks: &[Block]) -> String {
    let texts = blocks.iter().map(|block| match block {
        Block::Heading { text, .. } | Block::Paragraph(text) | Block::Code(text) => text.clone(),
        Block::Item { marker, text, .. } => format!("{marker} {text}"),
        Block::Table(table) => table.rows.iter().map(|row| row.join(" ")).collect::<Vec<_>>().join("\n"),
    });
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

/// A heading row has a distinct text without digits in every column, above numbers or at least two more rows.
pub(crate) fn guess_header(rows: &[Vec<String>]) -> usize {
    let [first, second, ..] = rows else { return 0 };
    let is_word =
        |cell: &String| !cell.is_empty() && cell.len() < 60 && !cell.chars().any(|c| c.is_ascii_digit());
    let has_numbers = |row: &Vec<String>| row.iter().any(|cell| cell.chars().any(|c| c.is_ascii_digit()));
    let mut sorted: Vec<&String> = first.iter().collect();
    sorted.sort_unstable();
    sorted.dedup();
    let are_words = first.len() > 1 && first.iter().all(is_word) && sorted.len() == first.len();
    usize::from(are_words && (has_numbers(second) || rows.len() > 2))
}

#[cfg(test)]
mod tests;
