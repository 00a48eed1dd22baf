//! What a person can do about a failing database, as far as its error says.

use rusqlite::ErrorCode;

use crate::StoreError;

const FULL: &str = "the disk of the database is full: make room, and it is written again without a restart";
const READ_ONLY: &str = "the database cannot be written to: see that its file system is not mounted read-only, that its files belong to the \
     user of the gateway, and that a Postgres is no standby; it is written again without a restart";
const BROKEN: &str = "the disk of the database fails, or has a limit: look into the log of the system; it is tried again without a restart";
/// Also said where a day of the ledger has no partition and its writer may not make one.
const NOT_ALLOWED: &str = "the role of the gateway in Postgres may not do this: let it own the tables of the gateway and create tables in their \
     schema, which it needs for each new day of the ledger; it is tried again without a restart";

/// Primary result codes of SQLite.
const SQLITE_READONLY: i32 = 8;
const SQLITE_IOERR: i32 = 10;
const SQLITE_FULL: i32 = 13;

/// Advice for failures that have their reason in the machine.
pub(crate) fn advice(error: &sqlx::Error) -> Option<&'static str> {
    match error {
        sqlx::Error::Database(error) => {
            let code = error.code()?;
            match error.try_downcast_ref::<sqlx::postgres::PgDatabaseError>() {
                Some(_) => of_postgres(&code),
                None => of_sqlite(code.parse().ok()?),
            }
        }
        sqlx::Error::Io(error) => {
            let error = error.get_ref()?.downcast_ref::<rusqlite::Error>()?;
            match error.sqlite_error_code()? {
                ErrorCode::DiskFull => of_sqlite(SQLITE_FULL),
                ErrorCode::ReadOnly => of_sqlite(SQLITE_READONLY),
                ErrorCode::SystemIoFailure => of_sqlite(SQLITE_IOERR),
                _ => None,
            }
        }
        _ => None,
    }
}

fn of_sqlite(code: i32) -> Option<&'static str> {
    match code & 0xff {
        SQLITE_FULL => Some(FULL),
        SQLITE_READONLY => Some(READ_ONLY),
        SQLITE_IOERR => Some(BROKEN),
        _ => None,
    }
}

fn of_postgres(code: &str) -> Option<&'static str> {
    match code {
        "53100" => Some(FULL),
        "25006" => Some(READ_ONLY),
        "42501" => Some(NOT_ALLOWED),
        "58030" => Some(BROKEN),
        _ => None,
    }
}

/// The failure with the advice, for the log of the operator.
pub(crate) fn with_advice(error: &sqlx::Error) -> String {
    match advice(error) {
        Some(advice) => format!("{error} ({advice})"),
        None => error.to_string(),
    }
}

impl StoreError {
    /// What a person can do about it, where the database says why it failed.
    pub fn advice(&self) -> Option<&'static str> {
        match self {
            StoreError::Query { cause, .. } | StoreError::OpenDatabase { cause, .. } => advice(cause),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_with_details_have_the_advice_of_their_kind() {
        // SQLITE_IOERR_WRITE, SQLITE_READONLY_DBMOVED.
        assert_eq!(of_sqlite(778), Some(BROKEN));
        assert_eq!(of_sqlite(1032), Some(READ_ONLY));
        assert_eq!(of_postgres("42501"), Some(NOT_ALLOWED));
        assert_eq!((of_sqlite(19), of_postgres("23505")), (None, None));
    }

    #[test]
    fn a_failure_without_advice_is_told_as_it_is() {
        assert_eq!(with_advice(&sqlx::Error::PoolClosed), sqlx::Error::PoolClosed.to_string());
        let full = rusqlite::ffi::Error { code: ErrorCode::DiskFull, extended_code: SQLITE_FULL };
        let full = rusqlite::Error::SqliteFailure(full, None);
        let told = with_advice(&sqlx::Error::Io(std::io::Error::other(full)));
        assert!(told.contains("make room"), "{told}");
    }
}
