//! Tables of a document: cells with spans, and the grid that they make.

use serde::ser::{SerializeSeq, SerializeStruct};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::item::{ContentLayer, DocRef, PageBox, Provenance, WordPlace};

/// Cells of one table, those that a span covers included. Other readers have the same limit.
pub(crate) const CELLS_MAX: usize = 1_000_000;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct DocTable {
    pub(crate) self_ref: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<DocRef>,
    #[serde(default)]
    pub(crate) children: Vec<DocRef>,
    #[serde(default)]
    pub(crate) content_layer: ContentLayer,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) meta: Option<TableMeta>,
    pub(crate) label: String,
    #[serde(default)]
    pub(crate) prov: Vec<Provenance>,
    #[serde(default)]
    pub(crate) captions: Vec<DocRef>,
    #[serde(default)]
    pub(crate) references: Vec<DocRef>,
    #[serde(default)]
    pub(crate) footnotes: Vec<DocRef>,
    pub(crate) data: TableData,
    #[serde(default)]
    pub(crate) annotations: Vec<Value>,
}

impl DocTable {
    pub fn rows(&self) -> usize {
        self.data.num_rows
    }

    pub fn columns(&self) -> usize {
        self.data.num_cols
    }

    /// Row by row, from left to right. Places that a span covers have no cell of their own.
    pub fn cells(&self) -> &[DocCell] {
        &self.data.table_cells
    }

    /// The place of the whole table: page and box, if the format has a layout.
    pub fn place(&self) -> Option<(u32, PageBox)> {
        let first = self.prov.first()?;
        (!first.bbox.is_empty()).then_some((first.page_no, first.bbox))
    }

    /// From 0 to 1, if the parser said it.
    pub fn confidence(&self) -> Option<f32> {
        self.meta.as_ref()?.confidence
    }

    pub(crate) fn cell_places(&self) -> &[CellPlaces] {
        self.meta.as_ref().map_or(&[], |meta| &meta.cells)
    }
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct TableMeta {
    #[serde(rename = "toolgate__confidence", default, skip_serializing_if = "Option::is_none")]
    pub(crate) confidence: Option<f32>,
    /// The places of the words in cells, sorted by the number of the cell.
    #[serde(rename = "toolgate__cells", default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) cells: Vec<CellPlaces>,
}

/// The lines of a cell.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct CellPlaces {
    /// Its number among the table's cells.
    pub(crate) cell: usize,
    pub(crate) lines: Vec<LinePlace>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct LinePlace {
    pub(crate) bbox: PageBox,
    /// Code points of the cell's text: from, to.
    pub(crate) charspan: (usize, usize),
    pub(crate) words: Vec<WordPlace>,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
pub(crate) struct TableData {
    #[serde(default)]
    pub(crate) table_cells: Vec<DocCell>,
    #[serde(default)]
    pub(crate) num_rows: usize,
    #[serde(default)]
    pub(crate) num_cols: usize,
    #[serde(default = "upright")]
    pub(crate) orientation: String,
}

pub(crate) fn upright() -> String {
    "rot_0".to_owned()
}

/// A cell of a table. Rows and columns are from 0; ends are the first that it does not cover.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct DocCell {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bbox: Option<PageBox>,
    pub row_span: usize,
    pub col_span: usize,
    pub start_row_offset_idx: usize,
    pub end_row_offset_idx: usize,
    pub start_col_offset_idx: usize,
    pub end_col_offset_idx: usize,
    pub text: String,
    #[serde(default)]
    pub column_header: bool,
    #[serde(default)]
    pub row_header: bool,
    #[serde(default)]
    pub row_section: bool,
    #[serde(default)]
    pub fillable: bool,
}

impl DocCell {
    pub(crate) fn at(row: usize, column: usize) -> Self {
        Self {
            bbox: None,
            row_span: 1,
            col_span: 1,
            start_row_offset_idx: row,
            end_row_offset_idx: row + 1,
            start_col_offset_idx: column,
            end_col_offset_idx: column + 1,
            text: String::new(),
            column_header: false,
            row_header: false,
            row_section: false,
            fillable: false,
        }
    }
}

impl TableData {
    /// For each place of the grid, row by row, the number of the cell that covers it.
    pub(crate) fn covers(&self) -> Vec<Option<usize>> {
        let mut covers = vec![None; self.num_rows * self.num_cols];
        for (number, cell) in self.table_cells.iter().enumerate() {
            for row in cell.start_row_offset_idx..cell.end_row_offset_idx.min(self.num_rows) {
                for column in cell.start_col_offset_idx..cell.end_col_offset_idx.min(self.num_cols) {
                    covers[row * self.num_cols + column] = Some(number);
                }
            }
        }
        covers
    }
}

/// The form repeats all cells as a grid, in which a cell stands at each place that it covers.
impl Serialize for TableData {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let covers = self.covers();
        let mut data = serializer.serialize_struct("TableData", 5)?;
        data.serialize_field("table_cells", &self.table_cells)?;
        data.serialize_field("num_rows", &self.num_rows)?;
        data.serialize_field("num_cols", &self.num_cols)?;
        data.serialize_field("orientation", &self.orientation)?;
        data.serialize_field("grid", &GridRows { data: self, covers: &covers })?;
        data.end()
    }
}

struct GridRows<'t> {
    data: &'t TableData,
    covers: &'t [Option<usize>],
}

impl Serialize for GridRows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rows = serializer.serialize_seq(Some(self.data.num_rows))?;
        for row in 0..self.data.num_rows {
            let from = row * self.data.num_cols;
            let covers = &self.covers[from..from + self.data.num_cols];
            rows.serialize_element(&GridRow { data: self.data, row, covers })?;
        }
        rows.end()
    }
}

struct GridRow<'t> {
    data: &'t TableData,
    row: usize,
    covers: &'t [Option<usize>],
}

impl Serialize for GridRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut cells = serializer.serialize_seq(Some(self.covers.len()))?;
        for (column, number) in self.covers.iter().enumerate() {
            match number.and_then(|number| self.data.table_cells.get(number)) {
                Some(cell) => cells.serialize_element(cell)?,
                None => cells.serialize_element(&DocCell::at(self.row, column))?,
            }
        }
        cells.end()
    }
}
