//! The cells of a table that cover others, noted while rows are placed.

use std::collections::BTreeMap;

use crate::document::CellSpan;

/// Spans of a table whose rows come one after the other.
#[derive(Default)]
pub(super) struct SpanDraft {
    /// For each row so far: true if it is kept.
    kept: Vec<bool>,
    /// For each column, the cell that began there last.
    begun: BTreeMap<usize, SpanOrigin>,
    /// By row and column, as the format has them.
    spans: BTreeMap<(usize, usize), SpanSize>,
    /// The column where the last cell of the row began.
    last: Option<usize>,
}

#[derive(Clone, Copy)]
struct SpanOrigin {
    row: usize,
    column: usize,
    has_text: bool,
}

#[derive(Clone, Copy)]
struct SpanSize {
    rows: usize,
    columns: usize,
}

impl SpanDraft {
    /// Notes a cell of the current row.
    pub(super) fn begin(&mut self, column: usize, columns: usize, rows: usize, has_text: bool) {
        let row = self.kept.len();
        self.begun.insert(column, SpanOrigin { row, column, has_text });
        self.last = Some(column);
        if has_text && rows * columns > 1 {
            self.spans.insert((row, column), SpanSize { rows, columns });
        }
    }

    /// The cell above reaches down into the current row.
    pub(super) fn grow_down(&mut self, column: usize) {
        let row = self.kept.len();
        let Some(origin) = self.begun.get(&column).filter(|origin| origin.has_text).copied() else { return };
        let size = self.size_of(origin);
        // Only a cell that reached the row above goes on.
        if origin.row + size.rows == row {
            size.rows += 1;
        }
        self.last = None;
    }

    /// The cell to the left reaches into a column.
    pub(super) fn grow_right(&mut self, column: usize) {
        let last = self.last.and_then(|last| self.begun.get(&last)).filter(|origin| origin.has_text).copied();
        let Some(origin) = last else { return };
        let size = self.size_of(origin);
        size.columns = size.columns.max(column + 1 - origin.column);
    }

    fn size_of(&mut self, origin: SpanOrigin) -> &mut SpanSize {
        self.spans.entry((origin.row, origin.column)).or_insert(SpanSize { rows: 1, columns: 1 })
    }

    pub(super) fn end_row(&mut self, is_kept: bool) {
        self.kept.push(is_kept);
        self.last = None;
    }

    /// The spans among the rows that were kept, within a table of this size.
    pub(super) fn finish(self, rows: usize, columns: usize) -> Vec<CellSpan> {
        let mut above = Vec::with_capacity(self.kept.len() + 1);
        above.push(0_usize);
        for is_kept in &self.kept {
            above.push(above.last().copied().unwrap_or_default() + usize::from(*is_kept));
        }
        let at = |row: usize| above[row.min(above.len() - 1)].min(rows);
        let spans = self.spans.iter().filter(|((row, column), _)| at(*row) < rows && *column < columns);
        let spans = spans.map(|(&(row, column), size)| CellSpan {
            row: at(row),
            column,
            rows: at(row + size.rows) - at(row),
            columns: size.columns.min(columns - column),
        });
        spans.filter(|span| span.rows * span.columns > 1).collect()
    }
}
