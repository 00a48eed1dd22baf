//! Adding a table.

use super::placing::{Placing, share};
use super::{DocIrBuilder, NewLine};
use crate::model::{
    CellPlaces, ContentLayer, DocCell, DocRef, DocTable, PageBox, Provenance, TableData, TableMeta, upright,
};

/// A table with its place.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NewTable {
    /// From 1.
    pub page: u32,
    /// Left, top, right and bottom, where the format has a layout.
    pub bounds: Option<(f32, f32, f32, f32)>,
    pub rows: usize,
    pub columns: usize,
    /// Row by row, from left to right, without those that a span covers.
    pub cells: Vec<NewCell>,
    /// From 0 to 1.
    pub confidence: Option<f32>,
}

/// A cell. Rows and columns are from 0; spans are at least 1.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NewCell {
    pub row: usize,
    pub column: usize,
    pub row_span: usize,
    pub column_span: usize,
    pub text: String,
    pub column_header: bool,
    pub row_header: bool,
    /// In code points of the cell's text. Empty where the format has no layout.
    pub lines: Vec<NewLine>,
}

impl DocIrBuilder {
    /// Adds a table and returns its pointer.
    pub fn table(&mut self, new: NewTable) -> String {
        self.lists.clear();
        let pointer = format!("#/tables/{}", self.document.tables.len());
        let placing = self.placing(new.page);
        let (cells, places) = placed_cells(&placing, new.cells, new.rows, new.columns);
        let meta = TableMeta { confidence: new.confidence.map(share), cells: places };
        let (left, top, right, bottom) = new.bounds.unwrap_or_default();
        let bbox = placing.page_box(left, top, right, bottom);
        let data = TableData {
            table_cells: cells,
            num_rows: new.rows,
            num_cols: new.columns,
            orientation: upright(),
        };
        let mut table = DocTable {
            self_ref: pointer.clone(),
            parent: Some(DocRef::to("#/body")),
            children: Vec::new(),
            content_layer: ContentLayer::Body,
            meta: (meta != TableMeta::default()).then_some(meta),
            label: "table".to_owned(),
            prov: Vec::new(),
            captions: Vec::new(),
            references: Vec::new(),
            footnotes: Vec::new(),
            data,
            annotations: Vec::new(),
        };
        let letters = table.text().chars().count();
        table.prov.push(Provenance { page_no: new.page, bbox, charspan: (0, letters) });
        self.document.tables.push(table);
        self.document.body.children.push(DocRef::to(&pointer));
        pointer
    }
}

fn placed_cells(
    placing: &Placing,
    new: Vec<NewCell>,
    rows: usize,
    columns: usize,
) -> (Vec<DocCell>, Vec<CellPlaces>) {
    let (mut cells, mut places) = (Vec::with_capacity(new.len()), Vec::new());
    for one in new.into_iter().filter(|cell| cell.row < rows && cell.column < columns) {
        let end_row = one.row.saturating_add(one.row_span.max(1)).min(rows);
        let end_column = one.column.saturating_add(one.column_span.max(1)).min(columns);
        let letters = one.text.chars().count();
        let lines: Vec<_> = one.lines.into_iter().map(|line| placing.line(line, letters)).collect();
        let bbox: Option<PageBox> = lines
            .iter()
            .map(|line| line.bbox)
            .reduce(|all, next| all.union(&next))
            .filter(|bbox| !bbox.is_empty());
        cells.push(DocCell {
            bbox,
            row_span: end_row - one.row,
            col_span: end_column - one.column,
            end_row_offset_idx: end_row,
            end_col_offset_idx: end_column,
            text: one.text,
            column_header: one.column_header,
            row_header: one.row_header,
            ..DocCell::at(one.row, one.column)
        });
        if !lines.is_empty() {
            places.push(CellPlaces { cell: cells.len() - 1, lines });
        }
    }
    (cells, places)
}
