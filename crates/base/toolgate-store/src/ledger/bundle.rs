//! A batch on SQLite: all its statements in one text, because each executed text costs two changes of
//! threads, which is more than writing an event does. A text is prepared once, so it has a fixed number of
//! places; unused ones stay empty and are skipped.

use std::sync::{Arc, LazyLock};

use toolgate_core::id::CallId;

use super::append::{
    COLUMN_COUNT, COLUMNS, LedgerBatch, LinkedEvent, OPEN_COLUMN_COUNT, OPEN_COLUMNS, OpenedCall,
};
use super::head::LockedHead;
use super::single::{mark_minutes, pause};
use crate::db::{SqlStatement, Transaction};

/// Places for events and for terms in each text; half as many for calls that are opened, and that are closed.
const SIZES: [usize; 4] = [4, 16, 32, 64];

static TEXTS: LazyLock<[Arc<str>; SIZES.len()]> = LazyLock::new(|| SIZES.map(|size| text(size).into()));

/// A row that cannot be written ends the transaction anyway, so no undo data is kept for a statement (`OR
/// FAIL`).
fn text(size: usize) -> String {
    let events = values(size, COLUMN_COUNT);
    let opened = values(size / 2, OPEN_COLUMN_COUNT);
    let terms = values(size, 2);
    let closed = vec!["?"; size / 2].join(", ");
    format!(
        "INSERT OR FAIL INTO ledger_events ({COLUMNS}) SELECT * FROM (VALUES {events}) WHERE column1 IS NOT NULL;
         INSERT OR FAIL INTO open_calls ({OPEN_COLUMNS}) SELECT * FROM (VALUES {opened}) WHERE column1 IS NOT NULL
            ON CONFLICT (call) DO NOTHING;
         DELETE FROM open_calls WHERE call IN ({closed});
         INSERT OR FAIL INTO ledger_terms (term, block) SELECT * FROM (VALUES {terms}) WHERE column1 IS NOT NULL
            ON CONFLICT DO NOTHING;
         INSERT OR FAIL INTO ledger_minutes (minute, stream, first_seq, last_seq) VALUES (?, ?, ?, ?)
            ON CONFLICT (minute, stream) DO UPDATE SET last_seq = excluded.last_seq;
         UPDATE ledger_heads SET stream_seq = ?, hash = ?, seal = ? WHERE stream = ?"
    )
}

fn values(rows: usize, columns: usize) -> String {
    let row = format!("({})", vec!["?"; columns].join(", "));
    vec![row; rows].join(", ")
}

/// New, growing numbers. They are known before the rows are written, because the hash covers them. No other
/// writer draws numbers while this transaction is open.
pub(super) fn next_seqs(taken: LockedHead, count: usize) -> Vec<i64> {
    (taken.last_seq + 1..).take(count).collect()
}

pub(super) async fn write(tx: &mut Transaction, batch: &LedgerBatch<'_>) -> Result<(), sqlx::Error> {
    // A batch without events has nothing else either.
    let Some(mut parts) = PendingRows::of(batch) else { return batch.end.store(tx, batch.pen).await };
    while !parts.is_done() {
        parts.write_some(tx, batch).await?;
    }
    mark_minutes(tx, batch, 1).await?;
    pause(tx, batch).await
}

/// The rows that are still to be written.
struct PendingRows<'b> {
    lines: &'b [LinkedEvent<'b>],
    opened: &'b [OpenedCall<'b>],
    closed: &'b [&'b CallId],
    terms: &'b [(String, i64)],
}

impl<'b> PendingRows<'b> {
    /// `None` if there is nothing.
    fn of(batch: &'b LedgerBatch<'_>) -> Option<Self> {
        let LedgerBatch { lines, opened, closed, terms, .. } = batch;
        let parts = PendingRows { lines, opened, closed, terms };
        (!parts.is_done()).then_some(parts)
    }

    fn is_done(&self) -> bool {
        self.lines.is_empty() && self.opened.is_empty() && self.closed.is_empty() && self.terms.is_empty()
    }

    /// The number of the smallest text that has room for everything, else the largest.
    fn size(&self) -> usize {
        let wanted = self.lines.len().max(2 * self.opened.len()).max(2 * self.closed.len());
        let wanted = wanted.max(self.terms.len());
        SIZES.iter().position(|size| *size >= wanted).unwrap_or(SIZES.len() - 1)
    }

    async fn write_some(&mut self, tx: &mut Transaction, batch: &LedgerBatch<'_>) -> Result<(), sqlx::Error> {
        let size = self.size();
        let places = SIZES[size];
        let lines = take(&mut self.lines, places);
        let opened = take(&mut self.opened, places / 2);
        // A closed call may have been opened in this very batch.
        let closed = if self.opened.is_empty() { take(&mut self.closed, places / 2) } else { &[] };
        let terms = take(&mut self.terms, places);

        let mut to = tx.sql(sqlx::AssertSqlSafe(Arc::clone(&TEXTS[size])));
        to.reserve(places * (COLUMN_COUNT + OPEN_COLUMN_COUNT));
        lines.iter().for_each(|line| line.push_to(batch.pen, &mut to));
        leave_empty(&mut to, (places - lines.len()) * COLUMN_COUNT);
        opened.iter().for_each(|opened| opened.push_to(batch.pen, &mut to));
        leave_empty(&mut to, (places / 2 - opened.len()) * OPEN_COLUMN_COUNT);
        closed.iter().for_each(|call| to.push(call.shared()));
        leave_empty(&mut to, places / 2 - closed.len());
        for (term, block) in terms {
            to.push(term.as_str());
            to.push(*block);
        }
        leave_empty(&mut to, (places - terms.len()) * 2);
        push_end(&mut to, batch);
        to.execute().await?;
        Ok(())
    }
}

fn take<'b, T>(from: &mut &'b [T], most: usize) -> &'b [T] {
    let (taken, rest) = from.split_at(most.min(from.len()));
    *from = rest;
    taken
}

fn leave_empty(to: &mut SqlStatement<'_>, places: usize) {
    for _ in 0..places {
        to.push(None::<i64>);
    }
}

/// The first minute and the head. If a batch takes several statements they are written again, with the same
/// result.
fn push_end(to: &mut SqlStatement<'_>, batch: &LedgerBatch<'_>) {
    let first = &batch.minutes[0];
    to.push(first.minute);
    to.push(batch.pen.stream.clone());
    to.push(first.first_seq);
    to.push(first.last_seq);
    to.push(batch.end.stream_seq);
    to.push(&batch.end.hash.as_bytes()[..]);
    to.push(batch.end.seal(&batch.pen.key, &batch.pen.stream));
    to.push(batch.pen.stream.clone());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_a_place_for_each_value() {
        for (text, size) in TEXTS.iter().zip(SIZES) {
            let places = size * COLUMN_COUNT + size / 2 * OPEN_COLUMN_COUNT + size / 2 + size * 2 + 4 + 4;
            assert_eq!(text.matches('?').count(), places);
        }
    }
}
