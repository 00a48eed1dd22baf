//! `extract_tables`.

use capability_documents::{Block, Bounds, Document, Table};
use capability_kit::{FileInput, Trouble, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::arguments::DocumentSource;
use crate::reading::read;
use crate::scans;

/// The maximum total size of all tables in an answer; beyond that they are returned by ref.
const ANSWER_BYTES_MAX: usize = 64 << 10;
/// A table that is longer is given by ref in any case.
const TABLE_BYTES_MAX: usize = 32 << 10;
/// Rows of such a table that are shown.
const PREVIEW_ROWS: usize = 5;
/// Characters shown of each cell in a preview.
const PREVIEW_CELL_CHARS: usize = 200;
/// Columns shown in a preview.
const PREVIEW_COLUMNS: usize = 50;
const TABLES_MAX: usize = 200;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExtractTables {
    /// The document, in Base64.
    #[serde(default)]
    file_data: Option<String>,
    /// Its media type or file extension, such as `application/pdf` or `xlsx`. Detected from the content if
    /// omitted.
    #[serde(default)]
    file_type: Option<String>,
    /// Instead of `file_data`: the `ref_id` that a tool of this server returned.
    #[serde(default)]
    source_ref_id: Option<String>,
    /// Instead of `file_data`: HTML or Markdown.
    #[serde(default)]
    content: Option<String>,
    /// Only these pages, slides, sheets or chapters, such as `1-3,7`. All if omitted.
    #[serde(default)]
    pages: Option<String>,
    /// `rows` of cells, or `csv`.
    #[serde(default)]
    format: TableFormat,
    /// For a protected PDF.
    #[serde(default)]
    password: Option<String>,
    /// Also return the position of each table.
    #[serde(default)]
    bounds: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TableFormat {
    #[default]
    Rows,
    Csv,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ExtractedTables {
    tables: Vec<FoundTable>,
    /// The number of tables on the pages.
    table_count: usize,
    /// Omitted or odd parts.
    warnings: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct FoundTable {
    /// The page, slide, sheet or chapter, from 1.
    page: u32,
    /// The heading above it, or the name of its sheet.
    #[serde(skip_serializing_if = "Option::is_none")]
    heading: Option<String>,
    /// With `bounds`: its position on the page, points from the top left corner.
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<Bounds>,
    row_count: usize,
    column_count: usize,
    /// The number of heading rows at the top.
    header_rows: usize,
    /// 0 to 1: 1 if the format itself declares it as a table.
    confidence: f32,
    /// The cells; only the first rows if `ref_id` has all.
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<Vec<Vec<String>>>,
    /// The same as CSV.
    #[serde(skip_serializing_if = "Option::is_none")]
    csv: Option<String>,
    /// The whole table, as CSV, if it is too long for the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    ref_id: Option<String>,
}

pub(crate) fn extract_tables(arguments: ExtractTables, work: &Work) -> Result<ExtractedTables, Trouble> {
    let ExtractTables { file_data, file_type, source_ref_id, content, pages, format, password, bounds } =
        arguments;
    let source =
        DocumentSource { file: FileInput { file_data, file_type, source_ref_id }, content, pages, password };
    let (read, _) = read(source, work)?;
    let mut document = read.document;
    let all = with_headings(&document);
    let table_count = all.len();
    let mut room = ANSWER_BYTES_MAX;
    let tables = all
        .into_iter()
        .take(TABLES_MAX)
        .map(|(heading, table)| found(heading, table, format, &mut room, work));
    let mut tables: Vec<FoundTable> = tables.collect::<Result<_, Trouble>>()?;
    if !bounds {
        tables.iter_mut().for_each(|table| table.bounds = None);
    }
    if table_count > TABLES_MAX {
        document.warnings.push(format!(
            "only the first {TABLES_MAX} of {table_count} tables are included; use `pages` to get others"
        ));
    }
    // Text from OCR has no recognisable tables yet.
    document.warnings.extend(scans::without_tables(&document));
    Ok(ExtractedTables { tables, table_count, warnings: document.warnings })
}

/// Every table with the nearest heading above it on its page.
fn with_headings(document: &Document) -> Vec<(Option<&str>, &Table)> {
    let mut tables = Vec::new();
    for page in &document.pages {
        let mut heading = None;
        for block in &page.blocks {
            match block {
                Block::Heading { text, .. } => heading = Some(text.as_str()),
                Block::Table(table) => tables.push((heading, table)),
                _ => {}
            }
        }
    }
    tables
}

fn found(
    heading: Option<&str>,
    table: &Table,
    format: TableFormat,
    room: &mut usize,
    work: &Work,
) -> Result<FoundTable, Trouble> {
    let mut found = FoundTable {
        page: table.page,
        heading: heading.map(str::to_owned),
        bounds: table.bounds,
        row_count: table.rows.len(),
        column_count: table.rows.first().map_or(0, Vec::len),
        header_rows: table.header_rows,
        confidence: table.confidence,
        rows: None,
        csv: None,
        ref_id: None,
    };
    let csv = table.csv();
    let fits = csv.len() <= TABLE_BYTES_MAX.min(*room);
    if !fits {
        found.ref_id = Some(work.keep(csv.as_bytes(), "text/csv", "table.csv")?.into_string());
    }
    match (format, fits) {
        (TableFormat::Rows, true) => found.rows = Some(table.rows.clone()),
        (TableFormat::Csv, true) => found.csv = Some(csv.clone()),
        (TableFormat::Rows, false) => found.rows = Some(beginning(table).rows),
        (TableFormat::Csv, false) => found.csv = Some(beginning(table).csv()),
    }
    *room = room.saturating_sub(if fits { csv.len() } else { 0 });
    Ok(found)
}

fn beginning(table: &Table) -> Table {
    let cut = |cell: &String| cell.chars().take(PREVIEW_CELL_CHARS).collect::<String>();
    let rows = table.rows.iter().take(PREVIEW_ROWS);
    let rows = rows.map(|row| row.iter().take(PREVIEW_COLUMNS).map(cut).collect()).collect();
    Table { rows, ..table.clone() }
}
