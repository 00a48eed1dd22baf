//! The tables of a DocIR with their cells, read from its JSON.

use serde::Deserialize;

/// The parts of a DoclingDocument that tables are made of.
#[derive(Deserialize)]
pub(crate) struct TablesOfDocir {
    #[serde(default)]
    tables: Vec<StoredTable>,
    #[serde(default)]
    texts: Vec<CaptionText>,
}

#[derive(Deserialize)]
struct StoredTable {
    self_ref: String,
    #[serde(default)]
    captions: Vec<ItemReference>,
    #[serde(default)]
    prov: Vec<TableProvenance>,
    data: TableContents,
}

#[derive(Deserialize)]
struct ItemReference {
    #[serde(rename = "$ref")]
    target: String,
}

#[derive(Deserialize)]
struct TableProvenance {
    page_no: u32,
}

#[derive(Deserialize)]
struct TableContents {
    #[serde(default)]
    table_cells: Vec<StoredCell>,
    #[serde(default)]
    num_rows: u32,
    #[serde(default)]
    num_cols: u32,
}

#[derive(Deserialize)]
struct StoredCell {
    #[serde(default)]
    text: String,
    start_row_offset_idx: u32,
    start_col_offset_idx: u32,
    #[serde(default = "one")]
    row_span: u32,
    #[serde(default = "one")]
    col_span: u32,
    #[serde(default)]
    column_header: bool,
    #[serde(default)]
    row_header: bool,
}

fn one() -> u32 {
    1
}

#[derive(Deserialize)]
struct CaptionText {
    self_ref: String,
    #[serde(default)]
    text: String,
}

/// A table with its cells, in the order of the document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ReadTable {
    pub(crate) item: String,
    pub(crate) page: Option<u32>,
    pub(crate) rows: u32,
    pub(crate) columns: u32,
    pub(crate) caption: Option<String>,
    pub(crate) cells: Vec<ReadCell>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ReadCell {
    pub(crate) text: String,
    pub(crate) row: u32,
    pub(crate) column: u32,
    pub(crate) row_span: u32,
    pub(crate) column_span: u32,
    pub(crate) column_header: bool,
    pub(crate) row_header: bool,
}

impl TablesOfDocir {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(bytes)
    }

    pub(crate) fn into_tables(self) -> Vec<ReadTable> {
        let Self { tables, texts } = self;
        tables.into_iter().map(|table| table.with_caption(&texts)).collect()
    }
}

impl StoredTable {
    fn with_caption(self, texts: &[CaptionText]) -> ReadTable {
        let named = |one: &ItemReference| texts.iter().find(|text| text.self_ref == one.target);
        let captions: Vec<&str> =
            self.captions.iter().filter_map(named).map(|text| text.text.as_str()).collect();
        ReadTable {
            caption: (!captions.is_empty()).then(|| captions.join(" ")),
            item: self.self_ref,
            page: self.prov.first().map(|prov| prov.page_no),
            rows: self.data.num_rows,
            columns: self.data.num_cols,
            cells: self.data.table_cells.into_iter().map(ReadCell::of).collect(),
        }
    }
}

impl ReadCell {
    fn of(cell: StoredCell) -> Self {
        Self {
            text: cell.text,
            row: cell.start_row_offset_idx,
            column: cell.start_col_offset_idx,
            row_span: cell.row_span,
            column_span: cell.col_span,
            column_header: cell.column_header,
            row_header: cell.row_header,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cells_have_their_places_spans_and_flags() {
        let docir = json!({
            "texts": [{ "self_ref": "#/texts/0", "text": "Table 1" }],
            "tables": [{
                "self_ref": "#/tables/0",
                "captions": [{ "$ref": "#/texts/0" }, { "$ref": "#/texts/9" }],
                "prov": [{ "page_no": 3, "charspan": [0, 0] }],
                "data": { "num_rows": 2, "num_cols": 2, "table_cells": [
                    { "text": "Year", "start_row_offset_idx": 0, "start_col_offset_idx": 0, "row_span": 1, "col_span": 2,
                      "column_header": true },
                    { "text": "12", "start_row_offset_idx": 1, "start_col_offset_idx": 1 }
                ] }
            }]
        });
        let tables = TablesOfDocir::read(docir.to_string().as_bytes()).expect("read").into_tables();
        let [table] = &tables[..] else { panic!("one table: {tables:?}") };
        assert_eq!((table.page, table.rows, table.columns), (Some(3), 2, 2));
        assert_eq!(table.caption.as_deref(), Some("Table 1"), "a caption that is not there is left out");
        let [year, number] = &table.cells[..] else { panic!("two cells: {table:?}") };
        assert_eq!((year.column_span, year.column_header, year.row_header), (2, true, false));
        assert_eq!((number.row, number.column, number.row_span), (1, 1, 1));
    }

    #[test]
    fn a_document_without_tables_has_none() {
        assert_eq!(TablesOfDocir::read(b"{}").expect("read").into_tables(), []);
        assert!(TablesOfDocir::read(b"[").is_err());
    }
}
