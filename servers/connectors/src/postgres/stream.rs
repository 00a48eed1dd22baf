//! A stream as the operator names it.

use capability_kit::Trouble;

/// A table, and the column that grows with every change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct TableStream {
    pub(super) schema: String,
    pub(super) table: String,
    pub(super) grows: Option<String>,
}

impl TableStream {
    /// From `SCHEMA.TABLE` or `SCHEMA.TABLE@COLUMN`.
    pub(super) fn read(written: &str) -> Result<Self, Trouble> {
        let (table, grows) = match written.split_once('@') {
            Some((table, column)) => (table, Some(column.to_owned())),
            None => (written, None),
        };
        match table.split_once('.') {
            Some((schema, table))
                if !schema.is_empty() && !table.is_empty() && grows.as_deref() != Some("") =>
            {
                Ok(Self { schema: schema.to_owned(), table: table.to_owned(), grows })
            }
            _ => Err(Trouble::unavailable(format!("--stream {written:?} names no table"))
                .hint("the operator writes it as SCHEMA.TABLE or SCHEMA.TABLE@COLUMN")),
        }
    }

    pub(super) fn name(&self) -> String {
        format!("{}.{}", self.schema, self.table)
    }
}
