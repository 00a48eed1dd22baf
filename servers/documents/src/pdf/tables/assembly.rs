//! The table that a region is, if it is one.

use super::region::Region;
use super::strips::TextStrip;
use super::{cells, columns, judge, rows};
use crate::Table;

/// Columns and rows of one table.
const COLUMNS_MAX: usize = 200;

impl<'w> Region<'w> {
    /// True if all of it is typewritten, without drawn columns.
    pub(super) fn is_verbatim(&self) -> bool {
        let drawn = columns::columns(self).iter().any(|column| column.edge == columns::ColumnEdge::Rule);
        !drawn && self.strips.iter().flat_map(TextStrip::words).all(|word| word.style.mono)
    }

    /// The table that it is, if it is one.
    pub(super) fn table(&self) -> Option<Table> {
        let columns = columns::columns(self);
        if columns.len() < 2 || columns.len() > COLUMNS_MAX {
            return None;
        }
        let bands = rows::bands(self, &columns);
        let grid = cells::fill(self, &columns, &bands);
        let confidence = judge::confidence(self, &columns, &grid)?;
        let header_rows = cells::header_rows(self, &grid);
        Some(self.finish(&grid, header_rows, confidence))
    }

    fn finish(&self, grid: &cells::WordGrid<'w>, header_rows: usize, confidence: f32) -> Table {
        let (rows, places) = grid.texts();
        let words = self.strips.iter().map(|strip| strip.bounds).reduce(|all, next| all.union(&next));
        let lines = self.horizontal.iter().chain(&self.vertical).map(super::rules::bounds_of);
        let bounds = lines.fold(words, |all, line| all.map(|all| all.union(&line)));
        let header_rows = header_rows.min(rows.len());
        let spans = grid.spans.clone();
        Table { page: 0, bounds, rows, header_rows, confidence, spans, places }
    }
}
