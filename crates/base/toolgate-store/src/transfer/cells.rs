//! Rows of any table, as the three kinds of values that both databases have.

use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{FromRow, Row as _, TypeInfo as _, ValueRef as _};

use crate::db::{SqlStatement, without_nul};

/// The kind of a column, by its type on Postgres.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CellKind {
    Text,
    Number,
    Bytes,
}

impl CellKind {
    /// `None` for a type that the store does not use.
    pub(super) fn of_postgres(name: &str) -> Option<Self> {
        match name {
            "text" => Some(CellKind::Text),
            "bigint" => Some(CellKind::Number),
            "bytea" => Some(CellKind::Bytes),
            _ => None,
        }
    }

    pub(super) fn list(self) -> &'static str {
        match self {
            CellKind::Text => "TEXT[]",
            CellKind::Number => "BIGINT[]",
            CellKind::Bytes => "BYTEA[]",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Cell {
    Null,
    Text(String),
    Number(i64),
    Bytes(Vec<u8>),
}

impl Cell {
    fn bytes(&self) -> usize {
        match self {
            Cell::Null | Cell::Number(_) => size_of::<i64>(),
            Cell::Text(text) => text.len(),
            Cell::Bytes(bytes) => bytes.len(),
        }
    }

    fn text(&self) -> Option<&str> {
        if let Cell::Text(text) = self { Some(text) } else { None }
    }

    pub(super) fn number(&self) -> Option<i64> {
        if let Cell::Number(number) = self { Some(*number) } else { None }
    }

    fn blob(&self) -> Option<&[u8]> {
        if let Cell::Bytes(bytes) = self { Some(bytes) } else { None }
    }

    fn is(&self, kind: CellKind) -> bool {
        match self {
            Cell::Null => true,
            Cell::Text(_) => kind == CellKind::Text,
            Cell::Number(_) => kind == CellKind::Number,
            Cell::Bytes(_) => kind == CellKind::Bytes,
        }
    }
}

/// The cells of a row, or of its key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Cells(pub(super) Vec<Cell>);

impl Cells {
    pub(super) fn bytes(&self) -> usize {
        self.0.iter().map(Cell::bytes).sum()
    }

    /// Binds each cell of a key, where a missing value counts as empty.
    pub(super) fn push_to(&self, kinds: impl Iterator<Item = CellKind>, statement: &mut SqlStatement<'_>) {
        for (cell, kind) in self.0.iter().zip(kinds) {
            match kind {
                CellKind::Text => statement.push(cell.text().unwrap_or_default()),
                CellKind::Number => statement.push(cell.number().unwrap_or_default()),
                CellKind::Bytes => statement.push(cell.blob().unwrap_or_default()),
            }
        }
    }
}

/// Binds one column of all rows as a list.
pub(super) fn push_column(
    rows: &[Cells],
    place: usize,
    kind: CellKind,
    statement: &mut SqlStatement<'_>,
) -> Result<(), sqlx::Error> {
    let cells = || rows.iter().map(|row| row.0.get(place).unwrap_or(&Cell::Null));
    if cells().any(|cell| !cell.is(kind)) {
        return Err(unreadable(&format!("column {place} has a value that is no {kind:?}")));
    }
    match kind {
        CellKind::Text => statement.push_list(cells().map(Cell::text).collect::<Vec<_>>()),
        CellKind::Number => statement.push_list(cells().map(Cell::number).collect::<Vec<_>>()),
        CellKind::Bytes => statement.push_list(cells().map(Cell::blob).collect::<Vec<_>>()),
    }
    Ok(())
}

fn unreadable(what: &str) -> sqlx::Error {
    sqlx::Error::Decode(what.into())
}

macro_rules! rows {
    ($row:ty) => {
        impl FromRow<'_, $row> for Cells {
            fn from_row(row: &$row) -> Result<Self, sqlx::Error> {
                let cell = |place: usize| {
                    let value = row.try_get_raw(place)?;
                    if value.is_null() {
                        return Ok(Cell::Null);
                    }
                    match value.type_info().name() {
                        // Postgres has no such character.
                        "TEXT" => row.try_get::<&str, _>(place).map(|text| Cell::Text(without_nul(text))),
                        "INTEGER" | "INT8" => row.try_get_unchecked(place).map(Cell::Number),
                        "BLOB" | "BYTEA" => row.try_get_unchecked(place).map(Cell::Bytes),
                        other => Err(unreadable(&format!("a value is {other}"))),
                    }
                };
                (0..row.len()).map(cell).collect::<Result<Vec<_>, _>>().map(Cells)
            }
        }
    };
}

rows!(SqliteRow);
rows!(PgRow);
