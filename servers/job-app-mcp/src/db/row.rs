//! Structs that are read from a row, each field from the column of its name. `sqlx` can derive this, but its macros bring a second
//! build of both databases with them.

/// Defines a struct and how it is read, from SQLite and Postgres alike.
macro_rules! row {
    (
        $(#[$meta:meta])*
        $visible:vis struct $name:ident {
            $($(#[$field_meta:meta])* $field_visible:vis $field:ident: $kind:ty,)*
        }
    ) => {
        $(#[$meta])*
        $visible struct $name {
            $($(#[$field_meta])* $field_visible $field: $kind,)*
        }

        $crate::db::row::row!(@from sqlx::sqlite::SqliteRow, $name, $($field)*);
        $crate::db::row::row!(@from sqlx::postgres::PgRow, $name, $($field)*);
    };
    (@from $row:ty, $name:ident, $($field:ident)*) => {
        impl sqlx::FromRow<'_, $row> for $name {
            fn from_row(row: &$row) -> Result<Self, sqlx::Error> {
                use sqlx::Row as _;
                Ok(Self { $($field: row.try_get(stringify!($field))?,)* })
            }
        }
    };
}

pub(crate) use row;
