//! The SQL of one page.

use std::fmt::Write as _;

use toolgate_core::event::{DecisionKind, EventFilter, EventKind, Outcome};
use toolgate_core::id::{CallId, RunId, SessionId};
use toolgate_core::{CanonicalName, PrincipalId, ServerName};

use super::append::COLUMNS;
use super::clean;
use super::read::LedgerOrder;
use super::terms::BLOCK;
use crate::db::{Dialect, SqlStatement};

/// The events between two numbers that pass the filter, using the blocks of `terms` terms if there are any.
///
/// Parameters: the first and the last number, the length of the page, the first and the last block, the
/// terms, and then the additions of `push`. Without terms there are no blocks among them.
pub(super) fn page_text(dialect: Dialect, filter: &EventFilter, terms: usize, order: LedgerOrder) -> String {
    let mut text = format!("SELECT {COLUMNS} FROM ");
    if terms == 0 {
        text.push_str("ledger_events WHERE seq >= $1 AND seq <= $2");
        push_conditions(&mut text, filter, 4);
    } else {
        push_blocks(&mut text, terms);
        // The blocks must come first, and only their events be read. `CROSS JOIN` enforces that on SQLite.
        // Postgres would sometimes reorder it, but not an expression that it cannot take apart.
        text.push_str(dialect.pick(
            " CROSS JOIN ledger_events WHERE ",
            " CROSS JOIN LATERAL (SELECT * FROM ledger_events WHERE ",
        ));
        write(&mut text, format_args!("seq >= block * {BLOCK} AND seq < block * {BLOCK} + {BLOCK}"));
        // The plus keeps the database from going by these instead of the blocks.
        text.push_str(" AND +seq >= $1 AND +seq <= $2");
        push_conditions(&mut text, filter, 6 + terms);
        text.push_str(dialect.pick("", " OFFSET 0) events"));
    }
    write(&mut text, format_args!(" ORDER BY seq {} LIMIT $3", direction(order)));
    text
}

fn push_conditions(text: &mut String, filter: &EventFilter, first_place: usize) {
    for (place, (column, operator)) in (first_place..).zip(conditions(filter)) {
        write(text, format_args!(" AND {column} {operator} ${place}"));
    }
}

/// The next blocks that have all of the terms. Parameters: the first and the last block, how many, the terms.
pub(super) fn blocks_text(terms: usize, order: LedgerOrder) -> String {
    let mut text =
        "SELECT block FROM ledger_terms first WHERE block >= $1 AND block <= $2 AND term = $4".to_owned();
    push_others(&mut text, 5, terms);
    write(&mut text, format_args!(" ORDER BY block {} LIMIT $3", direction(order)));
    text
}

fn push_blocks(text: &mut String, terms: usize) {
    text.push_str("(SELECT block FROM ledger_terms first WHERE block >= $4 AND block <= $5 AND term = $6");
    push_others(text, 7, terms);
    text.push_str(") blocks");
}

fn push_others(text: &mut String, place: usize, terms: usize) {
    for place in place..place + terms - 1 {
        write(
            text,
            format_args!(
                " AND EXISTS (SELECT 1 FROM ledger_terms other WHERE other.term = ${place} AND other.block = first.block)"
            ),
        );
    }
}

fn direction(order: LedgerOrder) -> &'static str {
    match order {
        LedgerOrder::NewestFirst => "DESC",
        LedgerOrder::OldestFirst => "ASC",
    }
}

fn write(text: &mut String, more: std::fmt::Arguments<'_>) {
    text.write_fmt(more).expect("writing to a string does not fail");
}

fn texts(filter: &EventFilter) -> [(&'static str, Option<&str>); 9] {
    [
        ("kind", filter.kind.map(EventKind::as_str)),
        ("principal", filter.principal.as_ref().map(PrincipalId::as_str)),
        ("session", filter.session.as_ref().map(SessionId::as_str)),
        ("run", filter.run.as_ref().map(RunId::as_str)),
        ("call", filter.call.as_ref().map(CallId::as_str)),
        ("tool", filter.tool.as_ref().map(CanonicalName::as_str)),
        ("server", filter.server.as_ref().map(ServerName::as_str)),
        ("outcome", filter.outcome.map(Outcome::as_str)),
        ("decision", filter.decision.map(DecisionKind::as_str)),
    ]
}

/// In the order in which `push` adds their values.
fn conditions(filter: &EventFilter) -> impl Iterator<Item = (&'static str, &'static str)> {
    let times = [("at_ms", ">=", filter.from_ms), ("at_ms", "<", filter.until_ms)];
    let times = times.into_iter().filter(|(.., value)| value.is_some());
    let texts = texts(filter).into_iter().filter(|(_, value)| value.is_some());
    times.map(|(column, operator, _)| (column, operator)).chain(texts.map(|(column, _)| (column, "=")))
}

pub(super) fn push(statement: &mut SqlStatement<'_>, filter: &EventFilter) {
    for number in [filter.from_ms, filter.until_ms].into_iter().flatten() {
        statement.push(number);
    }
    for text in texts(filter).into_iter().filter_map(|(_, text)| text) {
        // Postgres refuses characters that the ledger cannot store.
        statement.push(clean::replaced(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_numbered_in_the_order_of_their_values() {
        let filter =
            EventFilter { from_ms: Some(1), outcome: Some(Outcome::Denied), ..EventFilter::default() };
        let page = page_text(Dialect::Postgres, &filter, 0, LedgerOrder::OldestFirst);
        assert!(page.ends_with(
            " FROM ledger_events WHERE seq >= $1 AND seq <= $2 AND at_ms >= $4 AND outcome = $5 \
             ORDER BY seq ASC LIMIT $3"
        ));
        let page = page_text(Dialect::Sqlite, &filter, 2, LedgerOrder::NewestFirst);
        let (_, from) = page.split_once(" FROM ").expect("a query");
        assert_eq!(
            from,
            "(SELECT block FROM ledger_terms first WHERE block >= $4 AND block <= $5 AND term = $6 \
             AND EXISTS (SELECT 1 FROM ledger_terms other WHERE other.term = $7 AND other.block = first.block)) blocks \
             CROSS JOIN ledger_events WHERE seq >= block * 256 AND seq < block * 256 + 256 \
             AND +seq >= $1 AND +seq <= $2 AND at_ms >= $8 AND outcome = $9 ORDER BY seq DESC LIMIT $3"
        );
    }
}
