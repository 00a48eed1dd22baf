//! A batch of the writer as one statement on Postgres: one round trip, and a transaction by itself.
//!
//! The statement rests on the end of the stream as this writer left it, and on the latest time of the others when it looked
//! last. It changes nothing unless both still hold, nothing was erased since, and the stream is still claimed. Otherwise, and for whatever is rare
//! (warrants, calls that pause, the end of a block, a new day), there is a transaction of several statements.

use toolgate_core::event::{Durability, EventKind, HybridTime, LedgerEntry};
use toolgate_core::governance::Warrant;

use super::append::{KnownRows, LedgerBatch};
use super::batch::{BatchFailure, ClaimedStream, WriteOp, WrittenBatch};
use super::block;
use super::commitments::BatchCommitments;
use super::head::{BatchTail, LockedHead, StreamHead, others_latest};
use super::single::push_lists;
use crate::advice::with_advice;
use crate::cut_off::is_cut_off;
use crate::db::{Dialect, Lane};

/// With the time of the others as the first attempt found it.
const ATTEMPTS_MAX: usize = 2;

/// Parameters: those of a batch, bodies as four lists, the holder of the claim, the assumed head (number, part, seal), the
/// time of the first line, the latest time that counts, true if the commit need not wait for the disk, and the number of
/// erasures for which the commitments were made. The claim is
/// locked, so that no other gateway takes the stream over before this commits.
const WRITE: &str = "WITH claim AS (SELECT 1 FROM gateways WHERE tenant = $1 AND stream = $2 AND holder = $26::TEXT FOR SHARE), \
     moved AS (UPDATE ledger_heads SET number = $3, time = $4, part = $5, hash = $6, seal = $7 \
     WHERE tenant = $1 AND stream = $2 AND number = $27 AND part = $28 AND seal = $29 AND erasures = $33 \
     AND ($26::TEXT IS NULL OR EXISTS (SELECT 1 FROM claim)) \
     AND NOT EXISTS (SELECT 1 FROM ledger_heads other WHERE other.tenant = $1 AND other.stream <> $2 \
     AND other.time >= $30 AND other.time <= $31) RETURNING 1), \
     lines AS (INSERT INTO ledger_lines (tenant, stream, day, number, time, line) \
     SELECT $1, $2, one.* FROM unnest($8::BIGINT[], $9::BIGINT[], $10::BIGINT[], $11::BYTEA[]) AS one \
     WHERE EXISTS (SELECT 1 FROM moved)), \
     opened AS (INSERT INTO open_calls (tenant, stream, call, started_at_ms, principal, session, run, task, tool, server, \
     tool_version) SELECT $1, $2, one.* FROM unnest($12::TEXT[], $13::BIGINT[], $14::TEXT[], $15::TEXT[], $16::TEXT[], \
     $17::TEXT[], $18::TEXT[], $19::TEXT[], $20::BYTEA[]) AS one WHERE EXISTS (SELECT 1 FROM moved) \
     ON CONFLICT (call) DO NOTHING), \
     closed AS (DELETE FROM open_calls WHERE call = ANY($21::TEXT[]) AND EXISTS (SELECT 1 FROM moved)), \
     bodies AS (INSERT INTO ledger_bodies (digest, tenant, body, keep_until_ms, salt) \
     SELECT one.digest, $1, one.body, one.until, one.salt FROM unnest($22::BYTEA[], $23::TEXT[], $24::BIGINT[], \
     $25::BYTEA[]) AS one (digest, body, until, salt) WHERE EXISTS (SELECT 1 FROM moved)) \
     SELECT (SELECT COUNT(*) FROM moved), (SELECT COALESCE(MAX(time), 0) FROM ledger_heads \
     WHERE tenant = $1 AND stream <> $2 AND time <= $31), \
     CASE WHEN $32::BOOL THEN set_config('synchronous_commit', 'off', true) END";

/// `None` if it needs a transaction of several statements.
pub(super) async fn write(
    stream: &ClaimedStream<'_>,
    known: &mut KnownRows,
    ops: &[WriteOp],
) -> Option<Result<WrittenBatch, BatchFailure>> {
    let store = stream.store;
    let head = known.head.take()?;
    if store.db.dialect() == Dialect::Sqlite || !ops.iter().all(is_plain) {
        return None;
    }
    let entries: Vec<&LedgerEntry> = ops.iter().map(|op| &op.entry).collect();
    let count: usize = entries.iter().map(|entry| entry.events.len()).sum();
    if count == 0 || ends_a_block(head.number, count) {
        return None;
    }
    let erasures = known.bodies.erasures();
    let committed = match known.bodies.commit(erasures, &entries) {
        Ok(committed) => committed,
        Err(error) => return Some(Err(error.into())),
    };
    for _ in 0..ATTEMPTS_MAX {
        let assumed = LockedHead::assumed(head, known.others, erasures);
        // A part that is not known is read when it is complete.
        let batch = LedgerBatch::of(stream.pen, assumed, &entries, &committed, known.part.take()).ok()?;
        if !batch.parts.is_empty() || !store.db.days().unknown(batch.days()).is_empty() {
            return None;
        }
        match execute(stream, assumed, &batch, &committed, durability(ops)).await {
            Ok(found) if found.is_moved => {
                (known.part, known.head, known.others) = (batch.part, Some(batch.end), Some(found.others));
                known.bodies.note(committed.made);
                return Some(Ok(WrittenBatch::whole(ops)));
            }
            // It was not for the others' sake.
            Ok(found) if found.others <= assumed.after => return None,
            Ok(found) => known.others = Some(found.others),
            Err(error) => {
                store.db.days().forget();
                return Some(Err(failure(&error, &batch.end, ops)));
            }
        }
    }
    None
}

/// What the statement found.
struct MovedHead {
    is_moved: bool,
    /// The latest time of other streams.
    others: HybridTime,
}

async fn execute(
    stream: &ClaimedStream<'_>,
    assumed: LockedHead,
    batch: &LedgerBatch<'_>,
    committed: &BatchCommitments<'_>,
    durability: Durability,
) -> Result<MovedHead, sqlx::Error> {
    let (db, pen, head, rows) = (&stream.store.db, stream.pen, assumed.head, &committed.rows);
    let mut write = db.sql_on(Lane::Writer, WRITE);
    push_lists(&mut write, batch);
    write.push_list(rows.iter().map(|row| &row.digest.as_bytes()[..]).collect::<Vec<_>>());
    write.push_list(rows.iter().map(|row| row.body.json.as_str()).collect::<Vec<_>>());
    write.push_list(rows.iter().map(|row| row.body.keep_until_ms).collect::<Vec<_>>());
    write.push_list(rows.iter().map(|row| &row.salt.as_bytes()[..]).collect::<Vec<_>>());
    write.push(stream.tenure.map(|tenure| tenure.holder().to_owned()));
    write.push(head.number);
    write.push(head.part);
    write.push(head.seal(&pen.key, &pen.stream));
    let first = batch.lines.first().map_or(batch.end.time, |line| line.time);
    write.push(first.number());
    write.push(others_latest().number());
    write.push(db.confirms_early(durability));
    write.push(assumed.erasures);
    let (moved, others, _): (i64, i64, Option<String>) = write.fetch_one().await?;
    // The statement is also its commit.
    db.check_fault()?;
    Ok(MovedHead { is_moved: moved == 1, others: HybridTime::from_number(others) })
}

fn is_plain(op: &WriteOp) -> bool {
    matches!(op.warrant, Warrant::NoneNeeded)
        && op.entry.events.iter().all(|event| event.kind != EventKind::CallPaused)
}

/// True if one of the next numbers is the last of its block.
fn ends_a_block(number: i64, count: usize) -> bool {
    let last = number + i64::try_from(count).unwrap_or(block::BLOCK);
    block::of_number(number + 1) != block::of_number(last) || block::is_last(last)
}

fn durability(ops: &[WriteOp]) -> Durability {
    ops.iter().map(|op| op.entry.durability).max().unwrap_or_default()
}

/// Where the server did not refuse it, it may have been written.
fn failure(error: &sqlx::Error, end: &StreamHead, ops: &[WriteOp]) -> BatchFailure {
    let is_refused = matches!(error, sqlx::Error::Database(_)) && !is_cut_off(error);
    let unsure = (!is_refused).then(|| (BatchTail::of(end), WrittenBatch::whole(ops)));
    BatchFailure { cause: with_advice(error), unsure }
}
