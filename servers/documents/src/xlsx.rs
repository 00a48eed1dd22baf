//! Workbooks: each sheet is a page with one table. Cells are read one after another, so that a sheet whose only two cells
//! are in opposite corners costs two cells.

mod values;

use std::collections::BTreeSet;
use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};

use calamine::{Dimensions, Reader, Xlsx, XlsxError};

use crate::archive::Archive;
use crate::document::{Block, CellSpan, Document, DocumentFacts, Page, PageSource, Table};
use crate::error::DocumentError;
use crate::grid::{self, CellBudget};
use crate::kind::DocumentKind;
use crate::options::OpenOptions;
use crate::package::Package;
use crate::text::too_many_pages;

const FORMAT: &str = "workbook";
/// Merged cells of one sheet.
const MERGED_MAX: usize = 100_000;

type Workbook<'b> = Xlsx<Cursor<&'b [u8]>>;

/// A cell with content.
struct FilledCell {
    row: u32,
    column: u32,
    text: String,
}

pub(crate) fn read(bytes: &[u8], options: &OpenOptions) -> Result<Document, DocumentError> {
    Archive::open(bytes, FORMAT, &options.limits)?.check()?;
    let facts = Package::open(bytes, FORMAT, &options.limits)?.facts()?;
    // The reader of workbooks is a foreign crate: a fault in it counts as a fault of the file here.
    let read = catch_unwind(AssertUnwindSafe(|| read_workbook(bytes, options, facts)));
    read.unwrap_or_else(|_| Err(damaged("it could not be understood")))
}

fn read_workbook(
    bytes: &[u8],
    options: &OpenOptions,
    facts: DocumentFacts,
) -> Result<Document, DocumentError> {
    let limits = &options.limits;
    let mut workbook: Workbook<'_> = Xlsx::new(Cursor::new(bytes)).map_err(|error| broken(&error))?;
    let names = workbook.sheet_names();
    let page_count = names.len();
    let mut cells = CellBudget::new(limits.cells_max);
    let mut warnings = Vec::new();
    let mut pages = Vec::new();
    for (name, number) in names.iter().take(limits.pages_max).zip(1..) {
        if !options.wants(number) {
            continue;
        }
        match filled_cells(&mut workbook, name, &mut cells) {
            Ok(filled) => {
                // A sheet is read without its merged cells if they cannot be understood.
                let merged = workbook.merge_cells_by_sheet_name(name).unwrap_or_default();
                pages.push(sheet(name, number, filled, &merged, &mut cells));
            }
            Err(error) => {
                warnings.push(format!("sheet {number} ({name:?}) could not be read: {error}"));
                pages.push(Page { number, source: PageSource::Empty, ..Page::default() });
            }
        }
    }
    if page_count > limits.pages_max {
        warnings.push(too_many_pages(page_count, limits.pages_max));
    }
    warnings.extend(cells.warning());
    Ok(Document { kind: DocumentKind::Xlsx, facts, page_count, pages, warnings })
}

fn filled_cells(
    workbook: &mut Workbook<'_>,
    name: &str,
    cells: &mut CellBudget,
) -> Result<Vec<FilledCell>, XlsxError> {
    let mut reader = workbook.worksheet_cells_reader(name)?;
    let mut filled = Vec::new();
    while let Some(cell) = reader.next_cell()? {
        let text = values::shown(cell.get_value());
        if text.is_empty() {
            continue;
        }
        if filled.len() >= cells.left() {
            cells.cut();
            break;
        }
        let (row, column) = cell.get_position();
        filled.push(FilledCell { row, column, text });
    }
    Ok(filled)
}

fn sheet(
    name: &str,
    number: u32,
    filled: Vec<FilledCell>,
    merged: &[Dimensions],
    cells: &mut CellBudget,
) -> Page {
    let mut blocks = vec![Block::Heading { level: 2, text: name.to_owned() }];
    let (rows, spans) = dense(filled, merged, cells);
    let source = if rows.is_empty() { PageSource::Empty } else { PageSource::Text };
    if !rows.is_empty() {
        let header_rows = grid::guess_header(&rows);
        let table = Table { page: number, rows, header_rows, confidence: 1.0, spans, ..Table::default() };
        blocks.push(Block::Table(table));
    }
    Page { number, source, blocks, ..Page::default() }
}

/// Rows and columns with content, in order, without the empty ones between.
fn dense(
    filled: Vec<FilledCell>,
    merged: &[Dimensions],
    cells: &mut CellBudget,
) -> (Vec<Vec<String>>, Vec<CellSpan>) {
    let columns: Vec<u32> =
        filled.iter().map(|cell| cell.column).collect::<BTreeSet<_>>().into_iter().collect();
    let rows: Vec<u32> = filled.iter().map(|cell| cell.row).collect::<BTreeSet<_>>().into_iter().collect();
    let fitting = cells.rows(rows.len(), columns.len());
    let mut table = vec![vec![String::new(); columns.len()]; fitting];
    for cell in filled {
        let row = rows.binary_search(&cell.row).expect("every row is listed");
        let column = columns.binary_search(&cell.column).expect("every column is listed");
        if let Some(row) = table.get_mut(row) {
            row[column] = cell.text;
        }
    }
    let spans = merged.iter().take(MERGED_MAX).filter_map(|merged| span(merged, &rows[..fitting], &columns));
    let spans: Vec<CellSpan> = spans.filter(|span| !table[span.row][span.column].is_empty()).collect();
    (table, spans)
}

/// A merged cell among the rows and columns that have content.
fn span(merged: &Dimensions, rows: &[u32], columns: &[u32]) -> Option<CellSpan> {
    let row = rows.binary_search(&merged.start.0).ok()?;
    let column = columns.binary_search(&merged.start.1).ok()?;
    let below = rows[row..].partition_point(|row| *row <= merged.end.0);
    let beside = columns[column..].partition_point(|column| *column <= merged.end.1);
    (below * beside > 1).then_some(CellSpan { row, column, rows: below, columns: beside })
}

fn broken(error: &XlsxError) -> DocumentError {
    match error {
        XlsxError::Password => DocumentError::Locked { format: FORMAT },
        error => damaged(&error.to_string()),
    }
}

fn damaged(why: &str) -> DocumentError {
    DocumentError::Damaged { format: FORMAT, why: why.to_owned() }
}

#[cfg(test)]
mod tests;
