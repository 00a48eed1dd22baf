//! Records as a table of limited size.

use maud::{Markup, html};

use super::PreviewRoom;
use super::records::PreviewRecords;
use crate::parts::{number, text};

const CELL_CHARS: usize = 200;
/// Characters of markup around each cell, roughly: many short cells are as heavy as a few long ones.
const CELL_MARKUP: usize = 20;

pub(super) fn draw(records: &PreviewRecords, room: PreviewRoom) -> Markup {
    let columns = records.names.len().min(room.columns);
    let rows = fitting(&records.rows, columns, room);
    let (more_rows, more_columns) = (records.rows.len() - rows.len(), records.names.len() - columns);
    html! {
        div.scroll tabindex="0" role="region" aria-label="The content as a table" {
            table.plain.content {
                thead {
                    tr {
                        @for (place, name) in records.names.iter().take(columns).enumerate() {
                            th scope="col" { @if name.trim().is_empty() { "column " (place + 1) } @else { (text::cut(name, CELL_CHARS)) } }
                        }
                    }
                }
                tbody {
                    @for row in rows {
                        tr {
                            @for place in 0..columns {
                                td { (text::cut(row.get(place).map_or("", String::as_str), CELL_CHARS)) }
                            }
                        }
                    }
                }
            }
        }
        @if more_rows > 0 || more_columns > 0 {
            p.help {
                @if more_rows > 0 { "… " (number(more_rows as u64)) " more rows" }
                @if more_rows > 0 && more_columns > 0 { ", " }
                @if more_columns > 0 { (number(more_columns as u64)) " more columns" }
            }
        }
    }
}

/// The first rows, as many as fit.
fn fitting(rows: &[Vec<String>], columns: usize, room: PreviewRoom) -> &[Vec<String>] {
    let mut left = room.chars;
    for (place, row) in rows.iter().take(room.rows).enumerate() {
        let cells = row.iter().take(columns).map(|cell| cell.len().min(CELL_CHARS) + CELL_MARKUP);
        match left.checked_sub(cells.sum()) {
            Some(rest) => left = rest,
            None => return &rows[..place],
        }
    }
    &rows[..rows.len().min(room.rows)]
}
