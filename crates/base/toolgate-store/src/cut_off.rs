//! Connections that the database server has cut.

/// The common prefixes of the error codes of a server that stops, crashes or starts, and of a pooler that has no server.
const SHUT_DOWN: [&str; 2] = ["57P0", "08"];

/// True if the connection is dead, which says nothing about the database.
pub(crate) fn is_cut_off(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) => true,
        sqlx::Error::Database(error) => {
            error.code().is_some_and(|code| SHUT_DOWN.iter().any(|prefix| code.starts_with(prefix)))
        }
        _ => false,
    }
}
