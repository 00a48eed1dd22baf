//! The words about what the database refuses.

use capability_kit::{Trouble, TroubleCode};
use sqlx::postgres::PgDatabaseError;

use crate::net::HostPort;

/// The class of statements that do not fit their transaction, which cannot write.
const TRANSACTION: &str = "25";
const CANCELLED: &str = "57014";
const LOCK_TIMEOUT: &str = "55P03";
const FORBIDDEN: &str = "42501";
/// The classes of mistakes in a statement: its data, its words, its parameters.
const MISTAKES: [&str; 5] = ["0A", "21", "22", "42", "26"];
const SIGN_IN: &str = "28";
const MESSAGE_CHARS_MAX: usize = 1_000;

pub(super) fn unreachable(place: &HostPort, why: &str) -> Trouble {
    Trouble::unavailable(format!("the database at {} cannot be reached: {why}", place))
        .hint("try again later; the operator checks --database, its certificate and the network")
}

/// A connection's own words have no password in them, but the settings around them do.
pub(super) fn of_connection(place: &HostPort, error: &sqlx::Error) -> Trouble {
    match error {
        sqlx::Error::Database(error) if error.code().is_some_and(|code| code.starts_with(SIGN_IN)) => {
            Trouble::new(
                TroubleCode::Locked,
                format!("the database at {} does not let this connector in", place),
            )
            .hint("the operator has to renew the password in CONNECTORS_PASSWORD")
        }
        sqlx::Error::Database(error) => unreachable(place, error.message()),
        sqlx::Error::Io(error) => unreachable(place, &error.to_string()),
        sqlx::Error::Tls(_) => unreachable(place, "its encryption cannot be trusted"),
        _ => unreachable(place, "it does not speak as a database of Postgres should"),
    }
}

pub(super) fn of_statement(place: &HostPort, error: &sqlx::Error) -> Trouble {
    let sqlx::Error::Database(error) = error else { return of_connection(place, error) };
    let Some(error) = error.try_downcast_ref::<PgDatabaseError>() else {
        return unreachable(place, "its answer makes no sense");
    };
    let says: String = error.message().chars().take(MESSAGE_CHARS_MAX).collect();
    let code = error.code();
    match code {
        CANCELLED | LOCK_TIMEOUT => Trouble::new(TroubleCode::TimedOut, format!("the statement took too long: {says}"))
            .hint("ask for less: filter by a column with an index, or add LIMIT; the server's option --statement-seconds sets the limit"),
        FORBIDDEN => Trouble::new(TroubleCode::Conflict, says).hint("the operator grants SELECT to this connector's user where that is right"),
        _ if code.starts_with(TRANSACTION) => Trouble::bad_arguments(format!("the statement would change something: {says}")).hint("only questions are answered: write a SELECT"),
        _ if MISTAKES.iter().any(|class| code.starts_with(class)) => Trouble::bad_arguments(format!("{says} (SQLSTATE {code})"))
            .hint(error.hint().unwrap_or("correct the statement; cast parameters that are no texts, such as $1::date; describe_table shows the columns")),
        _ => Trouble::unavailable(format!("the database refuses: {says} (SQLSTATE {code})")).hint("try again later"),
    }
}
