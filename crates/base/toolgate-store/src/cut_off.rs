//! Connections that the database server has cut.

/// The common prefix of the error codes of a server that stops, crashes or starts.
const SHUT_DOWN: &str = "57P0";

/// True if the connection is dead, which says nothing about the database.
pub(crate) fn is_cut_off(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) => true,
        sqlx::Error::Database(error) => error.code().is_some_and(|code| code.starts_with(SHUT_DOWN)),
        _ => false,
    }
}
