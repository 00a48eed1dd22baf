//! A batch as statements of a transaction, on either database.

use std::sync::LazyLock;

use super::append::{
    BLOCK_COLUMNS, LINE_COLUMNS, LedgerBatch, LinkedEvent, OPEN_COLUMNS, OpenedCall, TERM_COLUMNS,
};
use super::block::{Part, Places};
use super::head::LedgerStream;
use super::terms::Term;
use crate::db::{Dialect, SqlStatement, Transaction};
use crate::rows::MultiRowInsert;

static INSERT_LINES: LazyLock<MultiRowInsert> = LazyLock::new(|| insert("ledger_lines", LINE_COLUMNS, ""));
static INSERT_OPEN: LazyLock<MultiRowInsert> = LazyLock::new(|| {
    // A call that is sent once more is still one call.
    insert("open_calls", OPEN_COLUMNS, " ON CONFLICT (call) DO NOTHING")
});
static DELETE_OPEN: LazyLock<MultiRowInsert> =
    LazyLock::new(|| MultiRowInsert::new("DELETE FROM open_calls WHERE call IN (VALUES ", 1, ")"));
static INSERT_BLOCKS: LazyLock<MultiRowInsert> = LazyLock::new(|| insert("ledger_blocks", BLOCK_COLUMNS, ""));
static INSERT_TERMS: LazyLock<MultiRowInsert> = LazyLock::new(|| insert("ledger_terms", TERM_COLUMNS, ""));
pub(super) const PAUSE: &str = "UPDATE open_calls SET round = round + 1, paused_at_ms = $2 WHERE call = $1";

fn insert(table: &str, columns: &str, after: &str) -> MultiRowInsert {
    MultiRowInsert::new(
        &format!("INSERT INTO {table} ({columns}) VALUES "),
        columns.split(',').count(),
        after,
    )
}

/// Postgres takes longer to begin a statement about several tables than to run one for each of them, where
/// there are not more lines than these.
const FEW: usize = 4;
/// Lines, calls and the head in one round trip, on Postgres. Parameters: tenant, stream, the new head, and a list for each
/// column.
const WRITE_AT_ONCE: &str = "WITH lines AS (INSERT INTO ledger_lines (tenant, stream, day, number, time, line) \
     SELECT $1, $2, * FROM unnest($8::BIGINT[], $9::BIGINT[], $10::BIGINT[], $11::BYTEA[])), \
     opened AS (INSERT INTO open_calls (tenant, stream, call, started_at_ms, principal, session, run, task, tool, server, \
     tool_version) SELECT $1, $2, * FROM unnest($12::TEXT[], $13::BIGINT[], $14::TEXT[], $15::TEXT[], $16::TEXT[], \
     $17::TEXT[], $18::TEXT[], $19::TEXT[], $20::BYTEA[]) ON CONFLICT (call) DO NOTHING), \
     closed AS (DELETE FROM open_calls WHERE call = ANY($21::TEXT[])) \
     UPDATE ledger_heads SET number = $3, time = $4, part = $5, hash = $6, seal = $7 WHERE tenant = $1 AND stream = $2";

pub(super) async fn write(tx: &mut Transaction, batch: &LedgerBatch<'_>) -> Result<(), sqlx::Error> {
    match tx.dialect() {
        Dialect::Postgres if batch.lines.len() > FEW => write_at_once(tx, batch).await?,
        _ => write_by_table(tx, batch).await?,
    }
    for (call, at_ms) in &batch.paused {
        tx.sql(PAUSE).bind(call.as_str()).bind(*at_ms).execute().await?;
    }
    write_parts(tx, batch.pen, &batch.parts).await
}

async fn write_at_once(tx: &mut Transaction, batch: &LedgerBatch<'_>) -> Result<(), sqlx::Error> {
    let mut write = tx.sql(WRITE_AT_ONCE);
    push_lists(&mut write, batch);
    write.execute().await?;
    Ok(())
}

/// In the order of `WRITE_AT_ONCE`.
pub(super) fn push_lists(write: &mut SqlStatement<'_>, batch: &LedgerBatch<'_>) {
    let (pen, end, lines) = (batch.pen, &batch.end, &batch.lines);
    write.push(pen.tenant);
    write.push(&*pen.stream);
    for number in [end.number, end.time.number(), end.part] {
        write.push(number);
    }
    write.push(&end.hash.as_bytes()[..]);
    write.push(end.seal(&pen.key, &pen.stream));
    write.push_list(lines.iter().map(|line| line.time.day()).collect::<Vec<_>>());
    write.push_list(lines.iter().map(|line| line.number).collect::<Vec<_>>());
    write.push_list(lines.iter().map(|line| line.time.number()).collect::<Vec<_>>());
    write.push_list(lines.iter().map(|line| &line.line[..]).collect::<Vec<_>>());
    let opened =
        |column: fn(&OpenedCall<'_>) -> Option<String>| batch.opened.iter().map(column).collect::<Vec<_>>();
    write.push_list(opened(|one| Some(one.call.to_string())));
    write.push_list(batch.opened.iter().map(|one| one.event.at_ms).collect::<Vec<_>>());
    write.push_list(opened(|one| Some(one.event.principal.to_string())));
    write.push_list(opened(|one| one.event.about.session.as_ref().map(ToString::to_string)));
    write.push_list(opened(|one| one.event.about.run.as_ref().map(ToString::to_string)));
    write.push_list(opened(|one| one.event.about.task.as_ref().map(ToString::to_string)));
    write.push_list(opened(|one| one.event.about.tool.as_ref().map(ToString::to_string)));
    write.push_list(opened(|one| one.event.about.server.as_ref().map(ToString::to_string)));
    let versions =
        batch.opened.iter().map(|one| one.event.about.tool_version.map(|one| one.as_bytes().to_vec()));
    write.push_list(versions.collect::<Vec<_>>());
    write.push_list(batch.closed.iter().map(ToString::to_string).collect::<Vec<_>>());
}

async fn write_by_table(tx: &mut Transaction, batch: &LedgerBatch<'_>) -> Result<(), sqlx::Error> {
    write_lines(tx, batch.pen, &batch.lines).await?;
    INSERT_OPEN.execute(tx, &batch.opened, |to, opened| opened.push_to(batch.pen, to)).await?;
    DELETE_OPEN.execute(tx, &batch.closed, |to, call| to.push(call.shared())).await?;
    batch.end.store(tx, batch.pen).await
}

pub(super) async fn write_lines(
    tx: &mut Transaction,
    pen: &LedgerStream,
    lines: &[LinkedEvent],
) -> Result<(), sqlx::Error> {
    INSERT_LINES.execute(tx, lines, |to, line| line.push_to(pen, to)).await
}

/// Parts of blocks that are complete, with their terms.
pub(super) async fn write_parts(
    tx: &mut Transaction,
    pen: &LedgerStream,
    parts: &[Part],
) -> Result<(), sqlx::Error> {
    INSERT_BLOCKS.execute(tx, parts, |to, part| part.push_to(pen, to)).await?;
    for part in parts {
        let terms: Vec<(&Term, &Places)> = part.terms.iter().collect();
        INSERT_TERMS
            .execute(tx, &terms, |to, (term, places)| {
                to.push(pen.tenant);
                to.push(term.as_bytes());
                to.push(pen.stream.clone());
                to.push(part.block);
                to.push(part.day);
                to.push(places.as_bytes());
            })
            .await?;
    }
    Ok(())
}
