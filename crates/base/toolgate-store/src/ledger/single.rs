//! A batch on Postgres, which prepares one statement at a time.

use std::sync::LazyLock;

use super::append::{COLUMN_COUNT, COLUMNS, LedgerBatch, OPEN_COLUMN_COUNT, OPEN_COLUMNS};
use crate::db::Transaction;
use crate::rows::MultiRowInsert;

const DRAW_SEQS: &str = "SELECT nextval('ledger_seq') FROM generate_series(1, $1)";
static INSERT_EVENTS: LazyLock<MultiRowInsert> = LazyLock::new(|| {
    MultiRowInsert::new(&format!("INSERT INTO ledger_events ({COLUMNS}) VALUES "), COLUMN_COUNT, "")
});
static INSERT_OPEN: LazyLock<MultiRowInsert> = LazyLock::new(|| {
    let before = format!("INSERT INTO open_calls ({OPEN_COLUMNS}) VALUES ");
    // A call that is sent once more is still one call.
    MultiRowInsert::new(&before, OPEN_COLUMN_COUNT, " ON CONFLICT (call) DO NOTHING")
});
static DELETE_OPEN: LazyLock<MultiRowInsert> =
    LazyLock::new(|| MultiRowInsert::new("DELETE FROM open_calls WHERE call IN (VALUES ", 1, ")"));
static INSERT_TERMS: LazyLock<MultiRowInsert> = LazyLock::new(|| {
    MultiRowInsert::new("INSERT INTO ledger_terms (term, block) VALUES ", 2, " ON CONFLICT DO NOTHING")
});
const PAUSE: &str = "UPDATE open_calls SET round = round + 1, paused_at_ms = $2 WHERE call = $1";
/// Numbers only grow within a stream, so the first one stays.
const MARK_MINUTE: &str = "INSERT INTO ledger_minutes (minute, stream, first_seq, last_seq) VALUES ($1, $2, $3, $4) \
     ON CONFLICT (minute, stream) DO UPDATE SET last_seq = excluded.last_seq";
/// The first minute and the head, in one round trip.
const FINISH: &str = "WITH marked AS (INSERT INTO ledger_minutes (minute, stream, first_seq, last_seq) \
     VALUES ($2, $1, $3, $4) ON CONFLICT (minute, stream) DO UPDATE SET last_seq = excluded.last_seq) \
     UPDATE ledger_heads SET stream_seq = $5, hash = $6, seal = $7 WHERE stream = $1";

/// Fresh numbers, growing. Known before the rows are written, because the hash covers them.
pub(super) async fn draw_seqs(tx: &mut Transaction, count: usize) -> Result<Vec<i64>, sqlx::Error> {
    let count = i64::try_from(count).expect("a batch is limited");
    let drawn = tx.sql(DRAW_SEQS).bind(count).fetch_all::<(i64,)>().await?;
    Ok(drawn.into_iter().map(|(seq,)| seq).collect())
}

pub(super) async fn write(tx: &mut Transaction, batch: &LedgerBatch<'_>) -> Result<(), sqlx::Error> {
    INSERT_EVENTS.execute(tx, &batch.lines, |to, line| line.push_to(batch.pen, to)).await?;
    INSERT_OPEN.execute(tx, &batch.opened, |to, opened| opened.push_to(batch.pen, to)).await?;
    pause(tx, batch).await?;
    DELETE_OPEN.execute(tx, &batch.closed, |to, call| to.push(call.shared())).await?;
    INSERT_TERMS
        .execute(tx, &batch.terms, |to, (term, block)| {
            to.push(term.as_str());
            to.push(*block);
        })
        .await?;
    let Some(first) = batch.minutes.first() else { return batch.end.store(tx, batch.pen).await };
    mark_minutes(tx, batch, 1).await?;
    let finish = tx.sql(FINISH).bind(&*batch.pen.stream).bind(first.minute).bind(first.first_seq);
    let finish = finish.bind(first.last_seq).bind(batch.end.stream_seq).bind(&batch.end.hash.as_bytes()[..]);
    finish.bind(batch.end.seal(&batch.pen.key, &batch.pen.stream)).execute().await?;
    Ok(())
}

/// Calls that wait for their clients from now on.
pub(super) async fn pause(tx: &mut Transaction, batch: &LedgerBatch<'_>) -> Result<(), sqlx::Error> {
    for (call, at_ms) in &batch.paused {
        tx.sql(PAUSE).bind(call.as_str()).bind(*at_ms).execute().await?;
    }
    Ok(())
}

/// The entries from the n-th on.
pub(super) async fn mark_minutes(
    tx: &mut Transaction,
    batch: &LedgerBatch<'_>,
    first: usize,
) -> Result<(), sqlx::Error> {
    for one in batch.minutes.iter().skip(first) {
        let mark = tx.sql(MARK_MINUTE).bind(one.minute).bind(&*batch.pen.stream);
        mark.bind(one.first_seq).bind(one.last_seq).execute().await?;
    }
    Ok(())
}
