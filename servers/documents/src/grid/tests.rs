//! Rows of equal length, whatever a table declares.

use super::{CellBudget, CellCover, Grid, GridCell, guess_header};
use crate::document::{Block, CellSpan, Table};

fn cell(text: &str, columns: usize, rows: usize) -> GridCell {
    GridCell::of(text.to_owned()).spanning(columns, rows)
}

fn table(rows: Vec<Vec<GridCell>>, cells: &mut CellBudget) -> Table {
    let mut grid = Grid::within(cells);
    for row in rows {
        grid.begin_row();
        row.into_iter().for_each(|cell| grid.push(cell));
    }
    match grid.finish(1, cells).remove(0) {
        Block::Table(table) => table,
        other => panic!("{other:?}"),
    }
}

#[test]
fn spans_leave_empty_cells_behind() {
    let rows = vec![
        vec![cell("a", 2, 1), cell("b", 1, 3)],
        vec![cell("c", 1, 2), cell("d", 1, 1)],
        vec![cell("e", 1, 1)],
        vec![cell("f", 1, 1)],
    ];
    let table = table(rows, &mut CellBudget::new(1_000));
    assert_eq!(table.rows, [["a", "", "b"], ["c", "d", ""], ["", "e", ""], ["f", "", ""]]);
    assert_eq!(table.spans, [span(0, 0, 1, 2), span(0, 2, 3, 1), span(1, 0, 2, 1)]);
}

fn span(row: usize, column: usize, rows: usize, columns: usize) -> CellSpan {
    CellSpan { row, column, rows, columns }
}

#[test]
fn spans_count_only_what_is_left_of_the_table() {
    let rows = vec![
        vec![cell("a", 9, 1)],
        vec![cell("b", 1, 3), cell("c", 1, 1)],
        vec![cell("", 1, 1)],
        vec![cell("d", 1, 1)],
        vec![cell("", 3, 2), cell("e", 1, 1)],
    ];
    let table = table(rows, &mut CellBudget::new(1_000));
    assert_eq!(table.rows, [["a", "", "", ""], ["b", "c", "", ""], ["", "d", "", ""], ["", "", "", "e"]]);
    assert_eq!(table.spans, [span(0, 0, 1, 4), span(1, 0, 2, 1)]);
}

#[test]
fn cells_that_are_written_out_though_covered_make_spans() {
    let covered = |cover: CellCover| GridCell::default().covered(Some(cover));
    let rows = vec![
        vec![cell("a", 1, 1), covered(CellCover::FromLeft), cell("b", 1, 1)],
        vec![cell("c", 1, 1), cell("d", 1, 1), covered(CellCover::FromAbove)],
        vec![covered(CellCover::FromAbove), cell("e", 1, 1), covered(CellCover::FromAbove)],
        vec![covered(CellCover::FromLeft), cell("f", 1, 1), cell("g", 1, 1)],
        vec![cell("h", 1, 1), cell("i", 1, 1), covered(CellCover::FromLeft)],
    ];
    let table = table(rows, &mut CellBudget::new(1_000));
    assert_eq!(table.spans, [span(0, 0, 1, 2), span(0, 2, 3, 1), span(1, 0, 2, 1), span(4, 1, 1, 2)]);
}

#[test]
fn one_wide_row_does_not_make_a_million_rows_wide() {
    let mut rows = vec![(0..1_000).map(|at| cell(&at.to_string(), 1, 1)).collect::<Vec<_>>()];
    rows.extend((0..10_000).map(|_| vec![cell("x", 1, 1)]));
    let mut cells = CellBudget::new(50_000);
    let table = table(rows, &mut cells);
    assert_eq!((table.rows.len(), table.rows[0].len()), (50, 1_000));
    assert!(cells.warning().is_some());
}

#[test]
fn headings_are_guessed_only_where_they_look_like_it() {
    let rows = |rows: &[&[&str]]| -> Vec<Vec<String>> {
        rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect()
    };
    assert_eq!(guess_header(&rows(&[&["Name", "Age"], &["Ann", "30"]])), 1);
    assert_eq!(guess_header(&rows(&[&["Ann", "30"], &["Bob", "31"]])), 0);
    assert_eq!(guess_header(&rows(&[&["Name", "Name"], &["a", "1"]])), 0);
    assert_eq!(guess_header(&rows(&[&["Only", "row"]])), 0);
}
