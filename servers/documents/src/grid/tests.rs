//! Rows of equal length, whatever a table declares.

use super::{CellBudget, Grid, GridCell, guess_header};
use crate::document::{Block, Table};

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
