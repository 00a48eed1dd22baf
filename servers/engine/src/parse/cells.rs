//! A table as cells with spans and headings.

use std::collections::{BTreeMap, BTreeSet};

use capability_documents::{CellSpan, PlacedLine, Table};
use docir::{NewCell, NewTable};

use super::lines::new_lines;

/// The table of a page. Tables of some formats do not know their page.
pub(super) fn new_table(table: &Table, page: u32) -> NewTable {
    let columns = table.rows.iter().map(Vec::len).max().unwrap_or_default();
    let rows = table.rows.len();
    let spans = TableSpans::of(table, rows, columns);
    let places: BTreeMap<(usize, usize), &[PlacedLine]> =
        table.places.iter().map(|place| ((place.row, place.column), place.lines.as_slice())).collect();
    let has_left_headings = has_left_headings(table);
    let mut cells = Vec::new();
    for (row, texts) in table.rows.iter().enumerate() {
        for (column, text) in texts.iter().enumerate() {
            let at = (row, column);
            if text.is_empty() && spans.covered.contains(&at) {
                continue;
            }
            let span = spans.begins.get(&at);
            cells.push(NewCell {
                row,
                column,
                row_span: span.map_or(1, |span| span.rows),
                column_span: span.map_or(1, |span| span.columns),
                text: text.clone(),
                column_header: row < table.header_rows,
                row_header: has_left_headings && column == 0 && row >= table.header_rows,
                lines: places.get(&at).map(|lines| new_lines(lines)).unwrap_or_default(),
            });
        }
    }
    let bounds = table.bounds.map(|bounds| (bounds.left, bounds.top, bounds.right, bounds.bottom));
    NewTable { page, bounds, rows, columns, cells, confidence: Some(table.confidence) }
}

/// A table with headings at the top and an empty corner has headings at the left too.
fn has_left_headings(table: &Table) -> bool {
    let corner =
        table.rows.iter().take(table.header_rows).all(|row| row.first().is_some_and(String::is_empty));
    table.header_rows > 0 && corner
}

/// The cells that cover others, and those that are covered.
struct TableSpans {
    begins: BTreeMap<(usize, usize), CellSpan>,
    covered: BTreeSet<(usize, usize)>,
}

impl TableSpans {
    /// Spans that cover more places than the table has are left out.
    fn of(table: &Table, rows: usize, columns: usize) -> Self {
        let mut spans = Self { begins: BTreeMap::new(), covered: BTreeSet::new() };
        let mut left = rows * columns;
        for span in table.spans.iter().filter(|span| fits(span, rows, columns)) {
            let Some(rest) = left.checked_sub(span.rows * span.columns) else { continue };
            left = rest;
            let at = (span.row, span.column);
            let places = (span.row..span.row + span.rows)
                .flat_map(|row| (span.column..span.column + span.columns).map(move |column| (row, column)));
            spans.covered.extend(places.filter(|place| *place != at));
            spans.begins.insert(at, *span);
        }
        spans
    }
}

fn fits(span: &CellSpan, rows: usize, columns: usize) -> bool {
    let ends = (span.row.saturating_add(span.rows), span.column.saturating_add(span.columns));
    span.rows > 0 && span.columns > 0 && ends.0 <= rows && ends.1 <= columns
}
