//! The text of a table, and where each cell stands in it.

use std::ops::Range;

use crate::model::DocTable;

const BETWEEN_CELLS: &str = " | ";

/// A cell's number and its code points in the text of the table.
pub(crate) struct CellSlot {
    pub(crate) cell: usize,
    pub(crate) span: Range<usize>,
}

impl DocTable {
    /// The cells of a row are joined by ` | `, and the rows by line breaks. A cell that covers others stands in its first place; the
    /// others are empty. Line breaks within cells are blanks here, so that a line is a row.
    pub fn text(&self) -> String {
        self.laid_out().0
    }

    pub(crate) fn laid_out(&self) -> (String, Vec<CellSlot>) {
        let columns = self.data.num_cols;
        let (mut text, mut slots, mut at) = (String::new(), Vec::new(), 0);
        for (place, number) in self.data.covers().into_iter().enumerate() {
            let (row, column) = (place / columns, place % columns);
            let between = if column > 0 { BETWEEN_CELLS } else { "\n" };
            if place > 0 {
                text.push_str(between);
                at += between.len();
            }
            let cell = number.and_then(|number| Some((number, self.data.table_cells.get(number)?)));
            let Some((number, cell)) = cell else { continue };
            if (cell.start_row_offset_idx, cell.start_col_offset_idx) == (row, column) {
                let start = at;
                for letter in cell.text.chars() {
                    text.push(if matches!(letter, '\n' | '\r') { ' ' } else { letter });
                    at += 1;
                }
                slots.push(CellSlot { cell: number, span: start..at });
            }
        }
        (text, slots)
    }
}
